#!/usr/bin/env python3
"""Whether the monitor's knob keeps its word where nothing was chosen: a page of cities, people, regions and latencies.

  promise.py VICINITY DIRECTORY PAGE      runs the studies with that program, in that directory, and writes the page
  promise.py --check PAGE                 fails where the page is of another strategy than the sources

People, regions and the phone's errors are drawn with a seed that follows from the strategy's source, so nobody can have
seen them before its last change. While the strategy has changes that are not committed nothing is written.
"""

import concurrent.futures
import csv
import hashlib
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRATEGY = ROOT / "Sources" / "VicinityMonitor" / "Watching"
# All that the strategy was looked at on while it was written: made-up commuters, with seeds of their own.
CHOSEN_ON = ["Helsinki", "Chicago", "Bogota", "Nairobi", "Lyon"]
CITIES = {
    "Osaka": "34.69,135.5",
    "Toronto": "43.65,-79.38",
    "Lagos": "6.45,3.4",
    "Warsaw": "52.23,21.01",
    "Perth": "-31.95,115.86",
    "Lima": "-12.05,-77.04",
}
KINDS = ["commuter", "courier", "home"]
# 120 m circles like those of shops, and radii of 50 to 1000 m.
SETS = {"small": ["--count", "1200", "--radius", "120"], "mixed": ["--count", "1500"]}
LATENCIES = [30, 60, 120, 300]
SHOWN, UNSEEN = "monitor-adaptive", "monitor-quiet"
RIVALS = [
    "always-best", "always-ten-meters", "monitor-slots", "constant-sentinel", "significant-change", "customer-io", "home-assistant",
    "duty-cycled", "transistorsoft", "transistorsoft:accuracy=hundredMeters", "rate-adaptive", "rate-adaptive:threshold=100:minimum=5",
    "distance-to-boundary:speed=20:minimum=5:accuracy=best", "radar-efficient", "radar-responsive:moving=45:accuracy=best",
    "radar-continuous:moving=30", "fixed-interval:interval=15", "fixed-interval:interval=30", "fixed-interval:interval=60",
]
# Those that decide by positions are run with their own rule and with the monitor's, so that energies are compared and not rules.
DECIDERS = ["always-", "duty-cycled", "rate-adaptive", "distance-to-boundary", "radar-", "fixed-interval"]
RIVALS += [f"{rival}:decision=monitor" for rival in RIVALS if any(rival.startswith(name) for name in DECIDERS)]
PEOPLE, DAYS, SEEDS = 6, 4, 2
LEAST_RECALL = 0.95


def strategy_hash():
    """The hash of what decides when to look: the same for the same bytes."""
    whole = hashlib.sha256()
    for file in sorted(STRATEGY.glob("*.swift")):
        whole.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return whole.hexdigest()[:16]


def number(text):
    return math.inf if text in ("", "inf") else float(text)


def study(program, folder, seed, city, kind, regions):
    """Runs one comparison; its rows by policy."""
    around = CITIES[city]
    at = folder / f"{city}-{kind}-{regions}"
    at.mkdir(parents=True, exist_ok=True)
    tracks, circles = at / "tracks.csv", at / "regions.csv"

    def run(*arguments):
        subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    run("generate", "tracks", "--devices", f"{PEOPLE}", "--days", f"{DAYS}", "--people", kind, "--around", around, "--seed", f"{seed}", "--output", f"{tracks}")
    run("generate", "regions", *SETS[regions], "--around", around, "--spread", "9", "--seed", f"{seed}", "--output", f"{circles}")
    labels = [f"{name}:latency={latency}" for name in (SHOWN, UNSEEN) for latency in LATENCIES]
    run(
        "compare", f"{circles}", "--tracks", f"{tracks}", "--days", "--device", "modern-phone", "--rules", "ios26", "--minimum-duration", "60",
        "--minimum-radius", "100", "--seed", f"{seed}", "--seeds", f"{SEEDS}", "--policies", ",".join(labels + RIVALS), "--output", f"{at / 'out'}",
    )
    with open(at / "out" / "summary.csv", encoding="utf-8") as file:
        rows = {row["policy"]: row for row in csv.DictReader(file)}
    # The knob's own default has no setting in its name.
    for name in (SHOWN, UNSEEN):
        rows.setdefault(f"{name}:latency=60", rows.get(name))
    return rows


def meets(row, latency, allowance=1.0):
    return number(row["p95_latency"]) <= allowance * latency and float(row["recall"]) >= 1 - allowance * (1 - LEAST_RECALL)


def cell(row, latency):
    text = f"{number(row['p95_latency']):.0f} / {float(row['recall']):.3f}".replace("0.", ".")
    return text if meets(row, latency) else f"**{text}**"


def page(studies, seed, digest):
    lines = [
        "# The promise", "", "Where the knob of ``Strategy/adaptive(latency:)`` keeps its word, in cities that nothing was chosen on.", "", "## Overview", "",
        f"By `Scripts/study --promise`. The knob's word: of visits of a minute and more to regions of 100 m and more, {LEAST_RECALL:.0%} of the entries and exits are told,",
        "and 95 % of these within the latency that it is set to. Each cell has the seconds within which 95 % were told, and the share that was told;",
        f"what breaks the word is bold. {PEOPLE} made-up people for {DAYS} days in each, on `modern-phone` with the rules of iOS 26, {SEEDS} seeds, the second with a phone",
        "drawn from what is not known of it. *small*: 1,200 circles of 120 m within some 9 km, *mixed*: 1,500 of 50 to 1,000 m. *Courier*: dozens of stops a day;",
        "*home*: one or two short outings.", "",
        f"People, regions and errors are drawn with the seed {seed}, which follows from the strategy's source ({digest}): nobody can have seen them before its last change. It was",
        f"looked at on commuters of {', '.join(CHOSEN_ON[:-1])} and {CHOSEN_ON[-1]}, with other seeds.", "",
    ]
    for name, title in ((SHOWN, "Shown: with a blue bar"), (UNSEEN, "Unseen")):
        kept = near = asked = cheapest = 0
        table = []
        for (city, kind, regions), rows in studies.items():
            cells, energies = [], []
            for latency in LATENCIES:
                row = rows[f"{name}:latency={latency}"]
                asked += 1
                cells.append(cell(row, latency))
                energies.append(float(row["net_energy"]))
                if meets(row, latency):
                    kept += 1
                    others = [float(rows[rival]["net_energy"]) for rival in RIVALS if rival in rows and meets(rows[rival], latency)]
                    cheapest += all(energies[-1] <= other for other in others)
                elif meets(row, latency, 1.1):
                    near += 1
            table.append(f"| {city}, {kind}, {regions} | " + " | ".join(cells) + f" | {energies[0]:.3f} to {energies[-1]:.3f} |")
        lines += [f"## {title}", ""]
        lines += [f"Kept in {kept} of {asked} cells ({kept / asked:.0%}); {near} more miss by less than a tenth. Of those that are kept the knob is the cheapest of all that keep the"]
        lines += [f"word in {cheapest} ({cheapest / max(1, kept):.0%}), beside {len(RIVALS)} settings of other policies.", ""]
        lines += ["| | " + " | ".join(f"{latency} s" for latency in LATENCIES) + " | %/h above idle |"]
        lines += ["| --- | " + " | ".join("---:" for _ in LATENCIES) + " | ---: |", *table, ""]
    keepers = {}
    for rows in studies.values():
        for rival in RIVALS:
            if rival in rows:
                keepers.setdefault(rival, []).append(sum(meets(rows[rival], latency) for latency in LATENCIES))
    lines += ["## The others", "", "In how many cells each of them keeps the same word, and what it takes, as a mean:", ""]
    lines += ["| policy | cells | %/h above idle |", "| --- | ---: | ---: |"]
    for rival, counts in sorted(keepers.items(), key=lambda item: -sum(item[1])):
        energy = [float(rows[rival]["net_energy"]) for rows in studies.values() if rival in rows]
        lines.append(f"| `{rival}` | {sum(counts)} | {sum(energy) / len(energy):.3f} |")
    return "\n".join(lines) + "\n"


def check(path):
    digest = strategy_hash()
    if f"({digest})" not in pathlib.Path(path).read_text(encoding="utf-8"):
        sys.exit(f"promise.py: error: {path} is of another strategy; run Scripts/study --promise")


def main():
    if sys.argv[1] == "--check":
        return check(sys.argv[2])
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    changed = subprocess.run(["git", "-C", f"{ROOT}", "status", "--porcelain", "--", f"{STRATEGY}"], check=True, capture_output=True, text=True).stdout
    if changed:
        sys.exit(f"promise.py: error: the strategy has changes that are not committed:\n{changed}")
    digest = strategy_hash()
    seed = int(digest, 16) % 1_000_000_007
    cells = [(city, kind, regions) for city in CITIES for kind in KINDS for regions in SETS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        try:
            found = list(pool.map(lambda cell: study(program, folder, seed, *cell), cells))
        except subprocess.CalledProcessError as error:
            sys.exit(f"promise.py: error: {' '.join(error.cmd[:3])}: {error.stderr}")
    if strategy_hash() != digest:
        sys.exit("promise.py: error: the strategy changed meanwhile; nothing is published")
    path.write_text(page(dict(zip(cells, found)), seed, digest), encoding="utf-8")


if __name__ == "__main__":
    main()
