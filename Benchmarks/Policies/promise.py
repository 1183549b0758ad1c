#!/usr/bin/env python3
"""Whether the monitor's knob keeps its word where nothing was chosen: a page of cities, people, regions and latencies.

  promise.py VICINITY DIRECTORY PAGE      runs the studies with that program, in that directory, and writes the page, and the picture promise.svg beside it
  promise.py --check PAGE                 fails where the page is of another strategy than the sources, or README and guides of another page

People, regions and the phone's errors are drawn with a seed for each city that follows from the strategy's source, so
nobody can have seen them before its last change. While the strategy has changes that are not committed nothing is written.
"""

import concurrent.futures
import csv
import hashlib
import itertools
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MONITOR = ROOT / "Sources" / "VicinityMonitor"
# What decides when to look, what a position tells, and what is learned of a user.
STRATEGY = [MONITOR / "Watching", MONITOR / "Monitoring" / "RegionDecider.swift", MONITOR / "Records" / "CrossingHistory.swift"]
# What decides nothing: forecasts, which are read off this study, and what is only told.
DECIDES_NOTHING = ["LatencyForecast.swift", "WatchLogEntry.swift"]
# All that the strategy was looked at on while it was written: made-up commuters of these, people at home of the first, second and fourth, and couriers of the
# second, with seeds of their own.
CHOSEN_ON = {
    "Helsinki": "60.17,24.94",
    "Chicago": "41.88,-87.63",
    "Bogota": "4.71,-74.07",
    "Nairobi": "-1.29,36.82",
    "Lyon": "45.76,4.84",
}
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
    "always-best", "monitor-slots", "constant-sentinel", "significant-change", "customer-io", "home-assistant", "klaviyo",
    "duty-cycled", "transistorsoft", "transistorsoft:accuracy=hundredMeters", "rate-adaptive", "rate-adaptive:threshold=100:minimum=5",
    "distance-to-boundary:speed=20:minimum=5:accuracy=best", "radar-efficient", "radar-responsive:moving=45:accuracy=best",
    # The monitor is shown, so Radar's are run shown too.
    "radar-efficient:presence=indicator", *(f"radar-responsive:moving={seconds}:accuracy=best:presence=indicator" for seconds in (30, 45, 60)),
    "radar-continuous:moving=30", "fixed-interval:interval=15", "fixed-interval:interval=30", "fixed-interval:interval=60",
]
# Those that decide by positions are run with their own rule and with the monitor's, so that energies are compared and not rules.
DECIDERS = ["duty-cycled", "rate-adaptive", "distance-to-boundary", "radar-", "fixed-interval"]
RIVALS += [f"{rival}:decision=monitor" for rival in RIVALS if any(rival.startswith(name) for name in DECIDERS)]
# The rivals in the picture's own words.
LEGEND = [
    "Every other policy: models of Radar, Transistorsoft, Customer.io, Klaviyo and Home Assistant;",
    "Core Location alone; and positions that come always, at intervals, in motion or near boundaries.",
]
PEOPLE, DAYS, SEEDS = 6, 4, 2
LEAST_RECALL = 0.95
# The 97.5 % quantile of Student's t for the cities' degrees of freedom.
T_95 = {5: 2.571}


def strategy_hash():
    """The hash of what decides when to look: the same for the same statements, whatever is said of them."""
    whole = hashlib.sha256()
    for file in [*sorted(STRATEGY[0].glob("*.swift")), *STRATEGY[1:]]:
        if file.name in DECIDES_NOTHING:
            continue
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
        statements = "\n".join(line for line in lines if line and not line.startswith("//"))
        whole.update(f"{file.name}\0{statements}\0".encode())
    return whole.hexdigest()[:16]


def number(text):
    return math.inf if text in ("", "inf") else float(text)


def row_of(policy, rows):
    """A policy's row. A setting that is the default stands in no name, so what is missing is looked for with as few settings less as can be."""
    name, *settings = policy.split(":")
    for count in range(len(settings), -1, -1):
        for kept in itertools.combinations(settings, count):
            if (plain := ":".join([name, *kept])) in rows:
                return rows[plain]
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: the comparison has no row of {policy}")


def study(program, folder, seed, city, kind, regions, policies, rules=("ios26",), people=PEOPLE):
    """Runs a comparison of the policies for each of the systems' rules; for each its rows by policy."""
    around = CITIES[city]
    at = folder / f"{city}-{kind}-{regions}"
    at.mkdir(parents=True, exist_ok=True)
    tracks, circles = at / "tracks.csv", at / "regions.csv"

    def run(*arguments):
        subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    run("generate", "tracks", "--devices", f"{people}", "--days", f"{DAYS}", "--people", kind, "--around", around, "--seed", f"{seed}", "--output", f"{tracks}")
    run("generate", "regions", *SETS[regions], "--around", around, "--spread", "9", "--seed", f"{seed}", "--output", f"{circles}")
    found = []
    for era in rules:
        out = at / era
        run(
            "compare", f"{circles}", "--tracks", f"{tracks}", "--days", "--device", "modern-phone", "--rules", era, "--minimum-duration", "60",
            "--minimum-radius", "100", "--seed", f"{seed}", "--seeds", f"{SEEDS}", "--policies", ",".join(policies), "--output", f"{out}",
        )
        with open(out / "summary.csv", encoding="utf-8") as file:
            rows = {row["policy"]: row for row in csv.DictReader(file)}
        found.append({policy: row_of(policy, rows) for policy in policies})
    return found


def studies_of(program, folder, seed, policies, rules=("ios26",), people=None):
    """The studies of all cities, people and sets of regions, two at a time. Each city has a seed of its own, so other people; how many, by their kind."""
    people = people or dict.fromkeys(KINDS, PEOPLE)
    cells = [(city, kind, regions) for city in CITIES for kind in KINDS for regions in SETS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        try:
            return dict(zip(cells, pool.map(lambda cell: study(program, folder, seed + list(CITIES).index(cell[0]), *cell, policies, rules, people[cell[1]]), cells)))
        except subprocess.CalledProcessError as error:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: {' '.join(error.cmd[:3])}: {error.stderr}")


def strategy_seed():
    """The strategy's hash, and the seed that follows from it; ends where the strategy has changes that are not committed."""
    changed = subprocess.run(["git", "-C", f"{ROOT}", "status", "--porcelain", "--", *map(str, STRATEGY)], check=True, capture_output=True, text=True).stdout
    if changed:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: error: the strategy has changes that are not committed:\n{changed}")
    digest = strategy_hash()
    return digest, int(digest, 16) % 1_000_000_007


def meets(row, latency, allowance=1.0):
    return number(row["p95_latency"]) <= allowance * latency and float(row["recall"]) >= 1 - allowance * (1 - LEAST_RECALL)


def surely_breaks(row, latency):
    """Whether the whole 95 % interval, over people, seeds and phones, of the share or of the time is beyond the word."""
    return number(row["p95_latency_low"]) > latency or float(row["recall_high"]) < LEAST_RECALL


def by_city(studies):
    """In how many of a city's cells the knob that is shown keeps the word, as a share, by city."""
    found = {}
    for (city, _, _), rows in studies.items():
        found.setdefault(city, []).extend(meets(rows[f"{SHOWN}:latency={latency}"], latency) for latency in LATENCIES)
    return {city: sum(kept) / len(kept) for city, kept in found.items()}


def spread(shares):
    """The cities' shares in words, with the 95 % interval for the mean of such cities, by Student's t: cells of a city have people and regions in common."""
    values = [*shares.values()]
    mean = sum(values) / len(values)
    half = T_95[len(values) - 1] * math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    return (
        f"the share is {100 * min(values):.0f} to {100 * max(values):.0f} %; "
        f"the 95 % interval for a mean of such cities is {100 * max(0, mean - half):.0f} to {100 * min(1, mean + half):.0f} % (Student's t)"
    )


def is_cheaper(rows, rival, latency):
    """Whether another policy keeps the word for less than the knob that is shown, where that keeps it too."""
    knob = rows[f"{SHOWN}:latency={latency}"]
    return meets(knob, latency) and meets(rows[rival], latency) and float(rows[rival]["net_energy"]) < float(knob["net_energy"])


def cell(row, latency):
    text = f"{number(row['p95_latency']):.0f} / {float(row['recall']):.3f}".replace("0.", ".")
    return text if meets(row, latency) else f"**{text}**"


def page(studies, seed, digest):
    lines = [
        "# The promise", "", "Where the knob of ``Strategy/adaptive(latency:)`` keeps its word, in cities where none of its numbers was tuned.", "", "## Overview", "",
        f"By `Scripts/study --promise`. The knob's word: of visits and absences of a minute and more, at regions of 100 m and more, {100 * LEAST_RECALL:.0f} % of the entries and exits are told,",
        "and 95 % of these within the latency that it is set to. Each cell of the tables has two figures: the seconds within which 95 % of the entries and exits were told, of those that",
        "were, and the share that was told. A cell is bold if one of the two breaks the word; this is decided before rounding.", "",
        f"Each cell simulates {PEOPLE} made-up people for {DAYS} days, on `modern-phone` with the rules of iOS 26, with {SEEDS} seeds. With the second seed, the phone's uncertain figures are",
        "drawn from their ranges. *small*: 1,200 circles of 120 m within about 9 km, *mixed*: 1,500 of 50 to 1,000 m. *Courier*: dozens of stops a day;",
        "*home*: at most two short outings. Each visit of a minute and more has one entry and one exit that count; shorter steps in or out change nothing.", "",
        "![Energy against latency. The knob is a line for each kind of people: solid with the blue bar, dashed without it. Every other policy is a point.](promise.svg)", "",
        f"People, regions and errors are drawn with the seed {seed} for {next(iter(CITIES))}, and the next ones for the other cities. The seed is computed from the strategy's source",
        f"({digest}), so nobody can have seen these people, regions and errors before the last change of the strategy. While it was developed, the strategy was",
        f"tried on commuters of {', '.join([*CHOSEN_ON][:-1])} and {[*CHOSEN_ON][-1]}, on people at home in three of these cities, and on couriers in one, with other seeds.",
        "There is one exception: a change by which the strategy took an unknown phone to be quicker than expected was dropped after an earlier study of the six cities below,",
        "with other people.", "",
    ]
    for name, title in ((SHOWN, "Shown: with a blue bar"), (UNSEEN, "Unseen")):
        kept = near = asked = cheapest = surely = 0
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
                else:
                    near += meets(row, latency, 1.1)
                    surely += surely_breaks(row, latency)
            table.append(f"| {city}, {kind}, {regions} | " + " | ".join(cells) + f" | {energies[0]:.3f} to {energies[-1]:.3f} |")
        lines += [f"## {title}", ""]
        lines += [f"The word is kept in {kept} of {asked} cells ({100 * kept / asked:.0f} %)." + (f" In single cities {spread(by_city(studies))}." if name == SHOWN else "")]
        lines += [f"{near} more miss by less than a tenth: the time is at most a tenth too long, and the share that was missed at most a tenth too large. In {surely} of the {asked - kept}",
                  "cells that break the word, the whole 95 % interval of the share or of the time breaks it; in the others the miss may be chance.", "",
                  f"{len(RIVALS)} settings of other policies were tried, too. In {cheapest} of the {kept} cells ({100 * cheapest / max(1, kept):.0f} %), none of those that also keep the word takes less battery.", ""]
        lines += ["| | " + " | ".join(f"{latency} s" for latency in LATENCIES) + " | %/h above idle |"]
        lines += ["| --- | " + " | ".join("---:" for _ in LATENCIES) + " | ---: |", *table, ""]
    lines += means(studies)
    keepers = {}
    for rows in studies.values():
        for rival in RIVALS:
            if rival in rows:
                keepers.setdefault(rival, []).append(sum(meets(rows[rival], latency) for latency in LATENCIES))
    lines += ["## The others", "", "For each other policy: in how many cells it keeps the same word; in how many of these it takes less battery than the knob with the bar, where the knob keeps the word, too;\nand the battery above idle, as a mean:", ""]
    lines += ["| policy | cells | for less | %/h above idle |", "| --- | ---: | ---: | ---: |"]
    for rival, counts in sorted(keepers.items(), key=lambda item: -sum(item[1])):
        energy = [float(rows[rival]["net_energy"]) for rows in studies.values() if rival in rows]
        less = sum(is_cheaper(rows, rival, latency) for rows in studies.values() if rival in rows for latency in LATENCIES)
        lines.append(f"| `{rival}` | {sum(counts)} | {less} | {sum(energy) / len(energy):.3f} |")
    return "\n".join(lines) + "\n"


def means(studies):
    """What the monitor's strategies cost and tell, for people of each kind and of all; the pages that quote this are held to it by --check."""
    lines = ["## Means", "", "Each row is a mean over cells: the battery above idle; the share of entries and exits that were told; the share of reports that were true; and the seconds",
              "within which 95 % of the entries and exits were told, of those that were. *Best* and *worst* are these seconds in the best and in the worst cell.", ""]
    lines += ["| monitor | people | %/h above idle | share told | share true | seconds | best | worst |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name in ["monitor-slots", *(f"{name}:latency={latency}" for name in (SHOWN, UNSEEN) for latency in LATENCIES)]:
        for kind in ["all", *KINDS]:
            rows = [rows[name] for (_, found, _), rows in studies.items() if kind in ("all", found)]
            seconds = [number(row["p95_latency"]) for row in rows]
            lines.append(
                f"| `{name}` | {kind} | {mean(rows, 'net_energy'):.3f} | {mean(rows, 'recall'):.2f} | {mean(rows, 'precision'):.2f} | "
                f"{sum(seconds) / len(seconds):.0f} | {min(seconds):.0f} | {max(seconds):.0f} |"
            )
    return [*lines, ""]


def quoted(page):
    """The rows of other pages that quote the means, by page."""
    found = {}
    for row in re.findall(r"^\| `(monitor-\S+)` \| (\w+) \| (\S+) \| (\S+) \| (\S+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE):
        found[row[:2]] = row[2:]
    if not found:
        sys.exit("promise.py: error: the page has no means")
    guide = MONITOR / "VicinityMonitor.docc"
    wanted = {guide / "Strategies.md": [], guide / "StayingAwake.md": []}
    monitors = {"monitor-slots": "| `slots` | always | none | nothing"}
    monitors |= {f"{SHOWN}:latency={s}": f"| `adaptive(latency: .seconds({s}))` | always | `location` | a bar" for s in LATENCIES}
    monitors[f"{UNSEEN}:latency=60"] = "| `adaptive(latency: .seconds(60))` | always | `location` | nothing"
    for name, start in monitors.items():
        energy, recall, precision, _, best, worst = found[name, "all"]
        wanted[guide / "Strategies.md"].append(f"{start} | {energy} | {recall} | {precision} | {best} to {worst} s |")
    for kind, words in (("commuter", "commuters"), ("courier", "couriers"), ("home", "people at home")):
        cells = [found[name, kind] for name in ("monitor-slots", f"{UNSEEN}:latency=60", f"{SHOWN}:latency=60")]
        wanted[guide / "StayingAwake.md"].append(f"| {words} | " + " | ".join(f"{c[0]} %/h, {c[1]}, {c[3]} s" for c in cells) + " |")
    return wanted


def mean(rows, name):
    return sum(number(row[name]) for row in rows) / len(rows)


def picture(studies):
    """Energy against latency, both logarithmic, as means over the cells of each kind of people: the knob as lines, whole where it is shown and
    dashed where it is not, every other policy a point."""
    left, top, width, height = 70, 30, 660, 380
    x0, x1, y0, y1 = math.log(5), math.log(400), math.log(0.004), math.log(2)
    colours = {"commuter": "#0072b2", "courier": "#d55e00", "home": "#009e73"}
    names = {"commuter": "commuters", "courier": "couriers", "home": "people at home"}

    night = {
        "#ffffff": "#10171d", "#fff": "#10171d", "#e4e4e4": "#33404d", "#222": "#e4eaf0", "#444": "#9fb0c0", "#888": "#9fb0c0",
        "#0072b2": "#56b4e9", "#d55e00": "#f09050", "#009e73": "#3fc79a",
    }
    dark = " ".join(f'[{part}="{day}"] {{ {part}: {at_night}; }}' for day, at_night in night.items() for part in ("fill", "stroke"))

    def x(value):
        return left + (math.log(value) - x0) / (x1 - x0) * width

    def y(value):
        return top + (y1 - math.log(value)) / (y1 - y0) * height

    out = [
        # With a size of its own: the documentation's pages show a picture that has none 216 points wide.
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {top + height + 170}" '
        f'width="{left + width + 20}" height="{top + height + 170}" font-family="sans-serif" font-size="13">',
        "<title>Energy above idle against p95 latency, in six cities</title>",
        # What is drawn states the colours of a light page; a reader whose system is dark gets these in their place.
        f"<style>@media (prefers-color-scheme: dark) {{ {dark} }}</style>",
        f'<rect width="{left + width + 20}" height="{top + height + 170}" fill="#ffffff"/>',
    ]
    for value in (5, 10, 20, 30, 60, 120, 300):
        out.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top}" y2="{top + height}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{x(value):.1f}" y="{top + height + 18}" text-anchor="middle" fill="#444">{value} s</text>')
    for value in (0.01, 0.03, 0.1, 0.3, 1):
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end" fill="#444">{value:g}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 40}" text-anchor="middle" fill="#222">95 % of reported crossings are noticed within</text>')
    turned = f"translate(20 {top + height / 2}) rotate(-90)"
    out.append(f'<text transform="{turned}" text-anchor="middle" fill="#222">battery above idle, % an hour</text>')
    for place, kind in enumerate(KINDS):
        cells = [rows for (_, found, _), rows in studies.items() if found == kind]
        colour = colours[kind]

        def point(policy):
            rows = [rows[policy] for rows in cells if policy in rows]
            p95, energy = mean(rows, "p95_latency"), mean(rows, "net_energy")
            fits = math.isfinite(p95) and x0 <= math.log(max(p95, 1e-9)) <= x1 and y0 <= math.log(max(energy, 1e-9)) <= y1
            return (x(p95), y(energy), mean(rows, "recall")) if fits else None

        for rival in RIVALS:
            if all(rival in rows for rows in cells) and (at := point(rival)):
                fill = colour if at[2] >= LEAST_RECALL else "#ffffff"
                out.append(
                    f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="3.5" fill="{fill}" fill-opacity="0.55" stroke="{colour}">'
                    f"<title>{rival}, {names[kind]}: recall {at[2]:.3f}</title></circle>"
                )
        for name, style, size in ((UNSEEN, 'stroke-width="2" stroke-dasharray="5 4"', 3.5), (SHOWN, 'stroke-width="3"', 4)):
            ats = [(at, latency) for latency in LATENCIES if (at := point(f"{name}:latency={latency}"))]
            points = " ".join(f"{at[0]:.1f},{at[1]:.1f}" for at, _ in ats)
            out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" {style}/>')
            for at, latency in ats:
                fill = colour if at[2] >= LEAST_RECALL else "#ffffff"
                out.append(
                    f'<rect x="{at[0] - size:.1f}" y="{at[1] - size:.1f}" width="{2 * size}" height="{2 * size}" fill="{fill}" stroke="{colour}">'
                    f"<title>{name} at {latency} s, {names[kind]}: recall {at[2]:.3f}</title></rect>"
                )
        at = left + 10 + place * 215
        out.append(f'<line x1="{at}" x2="{at + 26}" y1="{top + height + 64}" y2="{top + height + 64}" stroke="{colour}" stroke-width="3"/>')
        out.append(f'<text x="{at + 32}" y="{top + height + 68}" fill="#222">Vicinity, {names[kind]}</text>')
    at = left + 10
    out.append(f'<circle cx="{at + 6}" cy="{top + height + 88}" r="3.5" fill="#888" stroke="#444"/>')
    out.append(f'<text x="{at + 18}" y="{top + height + 92}" fill="#222">every other policy</text>')
    out.append(f'<circle cx="{at + 160}" cy="{top + height + 88}" r="3.5" fill="#fff" stroke="#444"/>')
    out.append(f'<text x="{at + 172}" y="{top + height + 92}" fill="#222">hollow: fewer than 95 % of the crossings are reported</text>')
    out.append(f'<text x="{at}" y="{top + height + 114}" fill="#222">Whole lines: with a blue bar that the user sees. Dashed: unseen.</text>')
    for place, line in enumerate(LEGEND):
        out.append(f'<text x="{at}" y="{top + height + 136 + 22 * place}" fill="#222">{line}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def kept_cells(page):
    """How many cells of the page keep the word, shown and unseen, for each latency; and how many cells there are for each."""
    counts = {}
    for part in page.split("\n## "):
        rows = [line.split("|")[2:6] for line in part.splitlines() if line.startswith(tuple(f"| {city}, " for city in CITIES))]
        if rows:
            counts[part.split("\n")[0]] = [sum("**" not in row[i] for row in rows) for i in range(len(LATENCIES))], len(rows)
    return counts.values()


def check(path):
    """Ends where the page is of another strategy, or README and guides have other figures than the page."""
    digest = strategy_hash()
    page = pathlib.Path(path).read_text(encoding="utf-8")
    if f"({digest})" not in page:
        sys.exit(f"promise.py: error: {path} is of another strategy; run Scripts/study --promise")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown, count), (unseen, _) = kept_cells(page)
    cheapest = re.search(r"^(\d+) settings of other policies were tried, too\. In (\d+) of the", page, re.MULTILINE)
    (others, least) = cheapest.groups() if cheapest else (0, 0)

    def row(counts):
        return " | ".join(map(str, [*counts, sum(counts)])) + " |"

    told = [
        f"| of {count} cases at each latency | {' | '.join(f'{latency} s' for latency in LATENCIES)} | of all {count * len(LATENCIES)} |",
        f"| kept with the bar | {row(shown)}",
        f"| kept with the bar, and no other policy ({others} settings tried) keeps it for less battery | | | | | {least} |",
        f"| kept without the bar (`Monitor.forecast` says what to expect there) | {row(unseen)}",
    ]
    for text in told:
        if text not in readme:
            sys.exit(f"promise.py: error: README.md should have: {text}")
    again = (ROOT / "Benchmarks" / "Results" / "again.md").read_text(encoding="utf-8")
    held = re.search(r"^\| all \| \| (\d+) \| (\d+) \|$", again, re.MULTILINE)
    if f"({digest})" not in again or not held:
        sys.exit("promise.py: error: again.md is of another strategy; run Scripts/study --again")
    for other in (ROOT / "README.md", MONITOR / "VicinityMonitor.docc" / "TheForecast.md"):
        if f"{held[1]} of {held[2]} forecasts held" not in " ".join(other.read_text(encoding="utf-8").split()):
            sys.exit(f"promise.py: error: {other.relative_to(ROOT)} should say that {held[1]} of {held[2]} forecasts held")
    for other, rows in quoted(page).items():
        text = other.read_text(encoding="utf-8")
        for row in rows:
            if row not in text:
                sys.exit(f"promise.py: error: {other.relative_to(ROOT)} should have: {row}")


def main():
    if sys.argv[1] == "--check":
        return check(sys.argv[2])
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    digest, seed = strategy_seed()
    labels = [f"{name}:latency={latency}" for name in (SHOWN, UNSEEN) for latency in LATENCIES]
    studies = {cell: rows for cell, (rows,) in studies_of(program, folder, seed, labels + RIVALS).items()}
    if strategy_hash() != digest:
        sys.exit("promise.py: error: the strategy changed meanwhile; nothing is published")
    path.write_text(page(studies, seed, digest), encoding="utf-8")
    path.with_name("promise.svg").write_text(picture(studies), encoding="utf-8")


if __name__ == "__main__":
    main()
