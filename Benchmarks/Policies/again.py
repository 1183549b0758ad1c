#!/usr/bin/env python3
"""The promise once more, with other people and more of them: whether what was read off the page *The promise* holds where it was not, and how energy changes with the latency.

  again.py VICINITY DIRECTORY PAGE      runs the studies with that program, in that directory, and writes the page

Cities and kinds of people are those of promise.py; people, regions and errors are drawn with other seeds. `Monitor.forecast` was read off that page's cells, so
only other people can say whether it holds.
"""

import pathlib
import re
import subprocess
import sys

import promise

# Added to the seeds of promise.py, of which each city has one.
OTHER_PEOPLE = 500
# Whoever goes out once a day crosses few boundaries, so one person's home decides a cell of few people.
PEOPLE = {"commuter": 12, "courier": 6, "home": 24}
# From the shortest latency to the longest, each a tenth longer than the one before.
FIRST, LAST, STEP = 10.0, 600.0, 1.1
FORECAST = promise.MONITOR / "Watching" / "LatencyForecast.swift"


def steps():
    found = [FIRST]
    while found[-1] * STEP <= LAST:
        found.append(found[-1] * STEP)
    return [f"{latency:.4g}" for latency in found]


def forecasts():
    """The numbers of LatencyForecast.swift: for large regions and small ones."""
    text = FORECAST.read_text(encoding="utf-8")
    found = {}
    for name in ("keptLatencies", "restingRecalls", "asleepLatencies", "asleepRecalls"):
        match = re.search(rf"static let {name} = \(large: ([\d.]+), small: ([\d.]+)\)", text)
        if not match:
            sys.exit(f"again.py: error: {FORECAST.name} has no {name}")
        found[name] = {"mixed": float(match[1]), "small": float(match[2])}
    return found


def holds(row, latency, recall):
    return promise.number(row["p95_latency"]) <= latency and float(row["recall"]) >= recall


def forecast_lines(studies):
    """How often what `Monitor.forecast` says held: a line for each of its cases."""
    known = forecasts()
    cases = []
    for regions in ("mixed", "small"):
        cells = [rows for (_, _, found), rows in studies.items() if found == regions]
        least = known["keptLatencies"][regions]
        resting = known["restingRecalls"][regions]
        asleep = known["asleepLatencies"][regions], known["asleepRecalls"][regions]
        shown = [latency for latency in promise.LATENCIES if least <= latency < 300]
        cases += [
            (f"with the bar, {regions}, {' and '.join(map(str, shown))} s", "95 % within the latency",
             [holds(rows[f"{promise.SHOWN}:latency={latency}"], latency, promise.LEAST_RECALL) for rows in cells for latency in shown]),
            (f"with the bar, {regions}, 300 s", f"{100 * resting:.0f} % within 300 s",
             [holds(rows[f"{promise.SHOWN}:latency=300"], 300, resting) for rows in cells]),
            (f"without, {regions}", f"{100 * asleep[1]:.0f} % within {asleep[0]:.0f} s",
             [holds(rows[f"{promise.UNSEEN}:latency={latency}"], *asleep) for rows in cells for latency in promise.LATENCIES]),
        ]
    lines = ["| monitor, regions | forecast of the share told, and of the time for 95 % of it | held | of |", "| --- | --- | ---: | ---: |"]
    lines += [f"| {who} | {what} | {sum(held)} | {len(held)} |" for who, what, held in cases]
    every = [found for _, _, held in cases for found in held]
    return [*lines, f"| all | | {sum(every)} | {len(every)} |"]


def step_lines(studies):
    """How much energy changes from one latency to one that is a tenth longer: by kind of people and regions, as a mean over the cities and in each of them."""
    names = steps()
    lines = [
        "| people | regions | largest step of the mean | at | steps in single cities | of more than a quarter | the largest | at | in all |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in promise.KINDS:
        for regions in promise.SETS:
            by_city = {
                city: [float(rows[f"{promise.SHOWN}:latency={name}"]["net_energy"]) for name in names]
                for (city, people, found), rows in studies.items() if (people, found) == (kind, regions)
            }
            means = [sum(values) / len(values) for values in zip(*by_city.values())]
            step, place = max(changes(means, names))
            single = [(change, f"{name} s, {city}") for city, values in by_city.items() for change, name in changes(values, names)]
            largest, where = max(single)
            lines.append(
                f"| {kind} | {regions} | {100 * step:.0f} % | {place} s | {len(single)} | {sum(change > 0.25 for change, _ in single)} "
                f"| {100 * largest:.0f} % | {where} | {means[0] / means[-1]:.0f} times |"
            )
    return lines


def changes(energies, names):
    """By how much each step changes energy, as a share, and the latency that it leads to."""
    return [(abs(after / before - 1), name) for before, after, name in zip(energies, energies[1:], names[1:])]


def word_lines(studies):
    """Where the knob that is shown keeps its word: counts, and the cells that break it."""
    cells = [(cell, latency, rows[f"{promise.SHOWN}:latency={latency}"]) for cell, rows in studies.items() for latency in promise.LATENCIES]
    kept = {latency: [promise.meets(row, at) for _, at, row in cells if at == latency] for latency in promise.LATENCIES}
    broken = [(cell, latency, row) for cell, latency, row in cells if not promise.meets(row, latency)]
    near = sum(promise.meets(row, latency, 1.1) for _, latency, row in broken)
    surely = sum(promise.surely_breaks(row, latency) for _, latency, row in broken)
    lines = [
        f"With the blue bar the word is kept in {len(cells) - len(broken)} of {len(cells)} cells ({100 * (1 - len(broken) / len(cells)):.0f} %): "
        + ", ".join(f"in {sum(found)} of {len(found)} at {latency} s" for latency, found in kept.items()) + ".",
        f"In single cities {promise.spread(promise.by_city(studies))}.",
        f"{near} more miss by less than a tenth: the time is at most a tenth too long, and the share that was missed at most a tenth too large. In {surely} of the {len(broken)} cells that",
        "break the word, the whole 95 % interval of the share or of the time breaks it. These break it:", "",
        "| city, people, regions | latency | 95 % told within | share told | crossings | beyond its interval |", "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for (city, kind, regions), latency, row in broken:
        lines.append(
            f"| {city}, {kind}, {regions} | {latency} s | {promise.number(row['p95_latency']):.0f} s | {float(row['recall']):.3f} | {row['crossings']} "
            f"| {'yes' if promise.surely_breaks(row, latency) else 'no'} |"
        )
    return lines


def page(word, studies, seed, digest):
    commit = subprocess.run(["git", "-C", f"{promise.ROOT}", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    return "\n".join([
        "# The promise, with other people", "",
        f"By `Scripts/study --again`, commit {commit}. The cities and kinds of people of the page *The promise*, and the same strategy ({digest}), but other people, regions and errors:",
        f"the seed is {seed} for {next(iter(promise.CITIES))}, and the next ones for the other cities. Nothing was read off these. There are more people than on that page, because one",
        f"person's home decides a cell where each crosses few boundaries: {', '.join(f'{count} of kind *{kind}*' for kind, count in PEOPLE.items())}, for {promise.DAYS} days.", "",
        "## The word", "",
        *word_lines(word), "",
        "## What `Monitor.forecast` says", "",
        *forecast_lines(word), "",
        "## From one latency to the next", "",
        f"The battery above idle at {len(steps())} latencies from {FIRST:.0f} s to {float(steps()[-1]):.0f} s, each a tenth longer than the one before: by how much a step",
        f"changes it at most, as a mean over the {len(promise.CITIES)} cities, and in a single city, where {promise.PEOPLE} people leave much to chance. *In all*: from the first to the last.", "",
        *step_lines(studies),
    ]) + "\n"


def main():
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    digest, seed = promise.strategy_seed()
    seed += OTHER_PEOPLE

    def studies(name, policies, people=None):
        return {cell: rows for cell, (rows,) in promise.studies_of(program, folder / name, seed, policies, people=people).items()}

    word = studies("word", [f"{name}:latency={latency}" for name in (promise.SHOWN, promise.UNSEEN) for latency in promise.LATENCIES], PEOPLE)
    stepwise = studies("steps", [f"{promise.SHOWN}:latency={latency}" for latency in steps()])
    path.write_text(page(word, stepwise, seed, digest), encoding="utf-8")


if __name__ == "__main__":
    main()
