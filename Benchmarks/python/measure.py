"""Runs each case in a process of its own, and tells wall-clock and processor seconds.

NAME...          run only the cases whose name contains one of these
--rounds N       run all of them so many times in turn, and tell medians: what else the machine does then touches all alike
"""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Cases = dict[str, Callable[[], dict[str, Any]]]


def run(cases: Cases, packages: list[str], limit: float = 900) -> None:
    """Run what the command line names, or all; a case runs in this process when it is named after ``--case``."""
    if "--case" in sys.argv:
        name = sys.argv[sys.argv.index("--case") + 1]
        start, before = time.perf_counter(), time.process_time()
        result = cases[name]()
        result = {"wall s": time.perf_counter() - start, "processor s": time.process_time() - before, **result}
        result["peak MB"] = _peak()
        print("RESULT " + json.dumps(result))
        return
    arguments = sys.argv[1:]
    rounds = 1
    if "--rounds" in arguments:
        place = arguments.index("--rounds")
        rounds = int(arguments[place + 1])
        del arguments[place : place + 2]
    wanted = [name for name in cases if not arguments or any(word in name for word in arguments)]
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    print(", ".join(found), flush=True)
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in wanted}
    failures: dict[str, str] = {}
    for number in range(rounds):
        for name in wanted:
            if name in failures:
                continue
            result = _run_apart(name, limit)
            if isinstance(result, str):
                failures[name] = result
                print(f"{name}: {result}", flush=True)
            else:
                results[name].append(result)
                if number == rounds - 1:
                    print(f"{name}: {_medians(results[name])}", flush=True)


def _peak() -> float:
    """Give the most memory that this process had, megabytes: Linux counts the parent's in ``ru_maxrss`` as well."""
    status = Path("/proc/self/status")
    if status.exists():
        return float(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _run_apart(name: str, limit: float) -> dict[str, Any] | str:
    """Run a case in a process of its own: its results, or why there are none."""
    command = [sys.executable, *sys.argv[:1], "--case", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"not finished in {limit:.0f} s"
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        words = [line for line in done.stderr.strip().splitlines() if line.strip()] or ["no reason given"]
        return f"failed with status {done.returncode}: {words[-1][:200]}"
    result: dict[str, Any] = json.loads(lines[-1][7:])
    return result


def _medians(results: list[dict[str, Any]]) -> str:
    """Say the medians of what is measured, and what is counted. Rounds that count otherwise are a mistake."""
    cells = []
    for key, value in results[0].items():
        values = [result[key] for result in results]
        if isinstance(value, float):
            cells.append(f"{key} {statistics.median(values):,.2f}")
        elif len(set(values)) > 1:
            raise ValueError(f"{key} differs between rounds: {values}")
        else:
            cells.append(f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}")
    return ", ".join(cells)
