"""Runs each case in a process of its own, and tells wall-clock and processor seconds."""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

Cases = dict[str, Callable[[], dict[str, Any]]]


def run(cases: Cases, packages: list[str], limit: float = 900) -> None:
    """Run what the command line names, or all; a case runs in this process when it is named after ``--case``."""
    if "--case" in sys.argv:
        name = sys.argv[sys.argv.index("--case") + 1]
        start, before = time.perf_counter(), time.process_time()
        result = cases[name]()
        result = {"wall s": time.perf_counter() - start, "processor s": time.process_time() - before, **result}
        result["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print("RESULT " + json.dumps(result))
        return
    wanted = [name for name in sys.argv[1:] if not name.startswith("-")] or list(cases)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    print(", ".join(found), flush=True)
    for name in wanted:
        command = [sys.executable, *sys.argv[:1], "--case", name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: not finished in {limit:.0f} s", flush=True)
            continue
        lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        if not lines:
            words = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"{name}: failed: {words[:200]}", flush=True)
            continue
        result = json.loads(lines[-1][7:])
        cells = [
            f"{key} {value:,.2f}" if isinstance(value, float) else f"{key} {value}" for key, value in result.items()
        ]
        print(f"{name}: {', '.join(cells)}", flush=True)
