#!/usr/bin/env python3
"""What the monitor's slots bring and cost: with all twenty, and with the sentinel's and one more, under the rules of several systems.

  slots.py VICINITY DIRECTORY PAGE      runs the studies with that program, in that directory, and writes the page

Cities, people, regions and seed are those of promise.py.
"""

import math
import pathlib
import subprocess
import sys

import promise

RULES = {"ios13": "iOS 13", "ios16.4": "iOS 16.4", "ios26": "iOS 26"}
# Without a sentinel nothing would wake the app, and one slot more is the least with which it plans.
FEW = 2
POLICIES = [f"{promise.SHOWN}:latency=60", f"{promise.SHOWN}:latency=300", f"{promise.UNSEEN}:latency=60"]
NAMES = {POLICIES[0]: "shown, 60 s", POLICIES[1]: "shown, 300 s", POLICIES[2]: "unseen"}


def figures(rows):
    p95 = [promise.number(row["p95_latency"]) for row in rows]
    late = sum(p95) / len(p95)
    return promise.mean(rows, "recall"), "missed" if math.isinf(late) else f"{late:.0f}", promise.mean(rows, "net_energy"), promise.mean(rows, "wakeups")


def page(studies, seed, digest):
    commit = subprocess.run(["git", "-C", f"{promise.ROOT}", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    lines = [
        "# What the slots bring", "",
        f"By `Scripts/study --slots`, commit {commit}. The cities, people, regions and seed ({seed}, of the strategy {digest}) of the page *The promise*, on `modern-phone`. *With*: all",
        f"twenty slots; *without*: {FEW}, the sentinel's included. Means over {len(promise.CITIES)} cities and two sets of regions of the share of entries and exits",
        "that were told, of the seconds within which 95 % of these were, of the energy above idle and of wake-ups an hour.", "",
        "| rules | people | monitor | recall without | with | p95 s without | with | %/h without | with | wakes/h without | with |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for place, era in enumerate(RULES):
        for kind in promise.KINDS:
            for policy in POLICIES:
                cells = [found[place] for (_, people, _), found in studies.items() if people == kind]
                few = figures([rows[f"{policy}:capacity={FEW}"] for rows in cells])
                all_ = figures([rows[f"{policy}:capacity=20"] for rows in cells])
                lines.append(
                    f"| {RULES[era]} | {kind} | {NAMES[policy]} | {few[0]:.3f} | {all_[0]:.3f} | {few[1]} | {all_[1]} "
                    f"| {few[2]:.4f} | {all_[2]:.4f} | {few[3]:.2f} | {all_[3]:.2f} |"
                )
    return "\n".join(lines) + "\n"


def main():
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    digest, seed = promise.strategy_seed()
    policies = [f"{policy}:capacity={count}" for policy in POLICIES for count in (FEW, 20)]
    path.write_text(page(promise.studies_of(program, folder, seed, policies, tuple(RULES)), seed, digest), encoding="utf-8")


if __name__ == "__main__":
    main()
