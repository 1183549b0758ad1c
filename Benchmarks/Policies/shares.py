#!/usr/bin/env python3
"""What the strategy takes for granted of people: how many crossings come right after a rest, and how many visits are over before anybody who slept can tell.

  shares.py VICINITY DIRECTORY PAGE      makes the people and regions with that program, in that directory, and writes the page

Of the people and cities that the strategy was looked at on (promise.py), by their true positions.
"""

import bisect
import csv
import datetime
import math
import pathlib
import subprocess
import sys

import promise

SEED = 90210
CELLS = [(city, "commuter") for city in promise.CHOSEN_ON] + [(city, "home") for city in ("Helsinki", "Chicago", "Nairobi")] + [("Chicago", "courier")]
# A rest is two minutes and more at one place, left when 100 m away; what comes within 100 s of its end comes right after it.
REST, RADIUS, RIGHT_AFTER, LONG_REST = 120, 100, 100, 7200
# Visits of a minute and more to regions of 100 m and more; a visit that the way is said to have made takes 20 s and more.
SHORTEST, LEAST_RADIUS, LEAST_PASS = 60, 100, 20
# Half of the exits come later than the first, one in twenty later than the second; a position takes so long.
EXITS = {"assumed": (100, 240), "measured": (85, 161)}
POSITION = 5
METRES = 111_320


def quantiles(median, late, count=20):
    """As many delays, each as probable, of the log-logistic distribution of PhoneTimes."""
    shape = math.log(19) / math.log(late / median)
    return [median * (p / (1 - p)) ** (1 / shape) for p in ((i + 0.5) / count for i in range(count))]


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Way:
    """The true positions of somebody, and the departures from rests: when each began, when its circle was left, and how long the rest was."""

    def __init__(self, fixes):
        self.times = [time for time, _, _ in fixes]
        self.scale = METRES * math.cos(math.radians(fixes[0][1]))
        self.points = [(METRES * latitude, self.scale * longitude) for _, latitude, longitude in fixes]
        self.departures, self.places = [], []
        first = 0
        while first < len(fixes):
            last = first
            while last + 1 < len(fixes) and math.dist(self.points[last + 1], self.points[first]) < 20:
                last += 1
            left = next((i for i in range(last + 1, len(fixes)) if math.dist(self.points[i], self.points[first]) >= RADIUS), None)
            if self.times[last] - self.times[first] >= REST and left is not None:
                self.departures.append((self.times[last], self.times[left], self.times[last] - self.times[first]))
                self.places.append(self.points[first])
            first = last + 1

    def departure(self, time):
        """The index of the last departure up to a time; None before the first."""
        place = bisect.bisect_right(self.departures, (time, math.inf, 0)) - 1
        return place if place >= 0 else None

    def at(self, time):
        """The position and the speed at a time."""
        after = min(max(1, bisect.bisect_left(self.times, time)), len(self.times) - 1)
        (t0, a), (t1, b) = ((self.times[i], self.points[i]) for i in (after - 1, after))
        part = min(max(0, (time - t0) / max(1e-9, t1 - t0)), 1)
        return tuple(x + part * (y - x) for x, y in zip(a, b)), math.dist(a, b) / max(1e-9, t1 - t0)


def chord(a, b, center, radius):
    """How much of the way from a to b lies in a circle that holds neither; 0 where it holds one of them."""
    length = math.dist(a, b)
    if length == 0 or min(math.dist(a, center), math.dist(b, center)) <= radius:
        return 0
    along = sum((q - p) * (c - p) for p, q, c in zip(a, b, center)) / length
    across = math.dist(a, center) ** 2 - along**2
    return 2 * math.sqrt(radius**2 - across) if 0 < along < length and across < radius**2 else 0


def shares(program, folder, city, kind, regions):
    """The crossings of all people of a cell; those right after rests and after long ones; those of visits that are over too soon, and of these the inferred."""
    folder.mkdir(parents=True, exist_ok=True)
    tracks, circles, visits = folder / "tracks.csv", folder / "regions.csv", folder / "visits.csv"
    around, seed = promise.CHOSEN_ON[city], f"{SEED + list(promise.CHOSEN_ON).index(city)}"

    def run(*arguments):
        subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    run("generate", "tracks", "--devices", f"{promise.PEOPLE}", "--days", f"{promise.DAYS}", "--people", kind, "--around", around, "--seed", seed, "--output", f"{tracks}")
    run("generate", "regions", *promise.SETS[regions], "--around", around, "--spread", "9", "--seed", seed, "--output", f"{circles}")
    run("events", f"{circles}", "--tracks", f"{tracks}", "--visits", f"{visits}", "--output", f"{folder / 'events.csv'}")
    fixes, found = {}, {}
    with open(tracks, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            fixes.setdefault(row["device"], []).append((seconds(row["time"]), float(row["latitude"]), float(row["longitude"])))
    with open(circles, encoding="utf-8") as file:
        known = {row["id"]: row for row in csv.DictReader(file)}
    with open(visits, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["device"], []).append(row)
    crossings = after = after_long = 0
    over, inferred = dict.fromkeys(EXITS, 0), dict.fromkeys(EXITS, 0)
    for device, rows in found.items():
        way = Way(fixes[device])
        for row in rows:
            region = known[row["region"]]
            enter, leave = (seconds(row[name]) if row[name] else None for name in ("enter", "exit"))
            if float(region["radius"]) < LEAST_RADIUS or enter and leave and leave - enter < SHORTEST:
                continue
            for time in filter(None, (enter, leave)):
                crossings += 1
                if (place := way.departure(time)) is not None and time - way.departures[place][0] <= RIGHT_AFTER:
                    after += 1
                    after_long += way.departures[place][2] >= LONG_REST
            if not enter or not leave or (place := way.departure(enter)) is None or place != way.departure(leave):
                continue
            center = (METRES * float(region["latitude"]), way.scale * float(region["longitude"]))
            for name, exits in EXITS.items():
                delays = quantiles(*exits)
                for wake in (way.departures[place][1] + POSITION + delay for delay in delays):
                    if leave < wake:
                        over[name] += 2 / len(delays)
                        (position, speed) = way.at(wake)
                        length = chord(way.places[place], position, center, float(region["radius"]))
                        inferred[name] += 2 / len(delays) * (length >= LEAST_PASS * max(1, speed))
    return crossings, after, after_long, over, inferred


def page(cells):
    commit = subprocess.run(["git", "-C", f"{promise.ROOT}", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    lines = [
        "# Crossings right after a rest", "",
        f"By `Scripts/study --shares`, commit {commit}. {promise.PEOPLE} made-up people for {promise.DAYS} days in each row, by their true positions; visits of a minute and more to regions of",
        f"100 m and more. *Right after*: within {RIGHT_AFTER} s of leaving a place after two minutes there and more, *long* after two hours and more. *Over*: of visits that begin",
        "and end before an app that slept behind a circle of 100 m has a position, where half of its exits come within the first number of seconds, and 19 of 20",
        "within the second. *Inferred*: the part of these whose region lies on the straight way from where they rested to that position.", "",
        "| people, regions | crossings | right after | long | "
        + " | ".join(f"over, {median} and {late} s | inferred" for median, late in EXITS.values()) + " |",
        "| --- | ---: | ---: | ---: |" + " ---: | ---: |" * len(EXITS),
    ]

    def line(name, counts):
        crossings, after, after_long, over, inferred = counts
        ends = " | ".join(f"{over[key] / crossings:.3f} | {inferred[key] / max(1e-9, over[key]):.2f}" for key in EXITS)
        return f"| {name} | {crossings} | {after / crossings:.3f} | {after_long / crossings:.3f} | {ends} |"

    lines += [line(f"{city}, {kind}, {regions}", counts) for (city, kind, regions), counts in cells.items()]
    means = [sum(counts[i] / counts[0] for counts in cells.values()) / len(cells) for i in (1, 2)]
    over = {key: sum(counts[3][key] / counts[0] for counts in cells.values()) / len(cells) for key in EXITS}
    inferred = {key: sum(counts[4][key] / counts[0] for counts in cells.values()) / len(cells) for key in EXITS}
    ends = " | ".join(f"{over[key]:.3f} | {inferred[key] / over[key]:.2f}" for key in EXITS)
    lines.append(f"| mean of the rows | | {means[0]:.3f} | {means[1]:.3f} | {ends} |")
    return "\n".join(lines) + "\n"


def main():
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    cells = {}
    for city, kind in CELLS:
        for regions in promise.SETS:
            cells[city, kind, regions] = shares(program, folder / f"{city}-{kind}-{regions}", city, kind, regions)
    path.write_text(page(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
