#!/usr/bin/env python3
"""What an index costs from ten thousand circles to a hundred million: to build, in time and memory, and to ask, cold and warm.

  scale.py VICINITY DIRECTORY PAGE [LARGEST]    builds the indexes in that directory with that program, asks them from Python, and writes
                                                the page, and the picture scale.svg beside it; LARGEST is 100000000 where it is not given

Python has to find the package `vicinity`. The largest index takes 14 GB of disk, 6.5 GB of memory and some minutes.
"""

import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import vicinity

MIDDLE, SPREAD = (50.0, 10.0), 4900.0
COUNT = 20
SEED = 52
COLD, WARM, ROUNDS = 1000, 100_000, 3
# Building may take no more memory than this: a constant part, and so much for each circle, bytes.
MOST_MEMORY = (200e6, 80)


def points(count, seed):
    """Places evenly spread over the disc of the regions."""
    source = random.Random(seed)
    found = []
    while len(found) < count:
        distance = SPREAD / 6371 * math.sqrt(source.random())
        course = 2 * math.pi * source.random()
        start = math.radians(MIDDLE[0])
        latitude = math.asin(math.sin(start) * math.cos(distance) + math.cos(start) * math.sin(distance) * math.cos(course))
        longitude = math.radians(MIDDLE[1]) + math.atan2(
            math.sin(course) * math.sin(distance) * math.cos(start), math.cos(distance) - math.sin(start) * math.sin(latitude)
        )
        found.append((math.degrees(latitude), (math.degrees(longitude) + 180) % 360 - 180))
    return {"latitude": [place[0] for place in found], "longitude": [place[1] for place in found]}


def run(*arguments):
    """Runs a program; how long it took, seconds, and the most memory that it had, bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"scale.py: error: {' '.join(arguments[:2])}: {errors.decode()}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def forget(path):
    """Takes a file out of the page cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_whole(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def ask(index, places):
    """Microseconds a query, on one thread."""
    start = time.perf_counter()
    index.nearest(places, COUNT, threads=1)
    return 1e6 * (time.perf_counter() - start) / len(places["latitude"])


def measure(program, folder, count):
    regions, path = folder / f"{count}.csv", folder / f"{count}.vicinity"
    run(program, "generate", "regions", "--count", f"{count}", "--around", "{},{}".format(*MIDDLE), "--spread", f"{SPREAD:.0f}", "--seed", f"{SEED}", "--output", f"{regions}")
    seconds, memory = run(program, "index", f"{regions}", "--output", f"{path}")
    regions.unlink()
    if memory > MOST_MEMORY[0] + MOST_MEMORY[1] * count:
        sys.exit(f"scale.py: error: {count} circles took {memory / 1e9:.2f} GB to index")
    forget(path)
    start = time.perf_counter()
    index = vicinity.RegionIndex.open(path, verify=False)
    opening = time.perf_counter() - start
    cold = ask(index, points(COLD, SEED + 1))
    read_whole(path)
    places = points(WARM, SEED + 2)
    # The first round brings pages into the process.
    ask(index, places)
    warm = statistics.median(ask(index, places) for _ in range(ROUNDS))
    size = path.stat().st_size
    del index
    path.unlink()
    return {"count": count, "seconds": seconds, "memory": memory, "size": size, "opening": opening, "cold": cold, "warm": warm}


def picture(rows):
    """Microseconds a query against the number of circles, both logarithmic."""
    left, top, width, height = 86, 24, 560, 320
    most = max(row["cold"] for row in rows)
    y0, y1 = 0, math.ceil(math.log10(most) + 0.1)
    x0, x1 = math.log10(rows[0]["count"]), max(math.log10(rows[-1]["count"]), math.log10(rows[0]["count"]) + 1)

    def x(count):
        return left + (math.log10(count) - x0) / (x1 - x0) * width

    def y(value):
        return top + (y1 - math.log10(max(value, 1))) / (y1 - y0) * height

    dark = {"#ffffff": "#10171d", "#e4e4e4": "#33404d", "#222222": "#e4eaf0", "#0072b2": "#56b4e9", "#d55e00": "#f09050"}
    rules = " ".join(f'[{part}="{day}"] {{ {part}: {night}; }}' for day, night in dark.items() for part in ("fill", "stroke"))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {top + height + 60}" width="{left + width + 90}" height="{top + height + 60}" font-family="sans-serif" font-size="13">',
        "<title>Microseconds a query for the nearest 20, from ten thousand circles to a hundred million</title>",
        f"<style>@media (prefers-color-scheme: dark) {{ {rules} }}</style>",
        f'<rect width="{left + width + 90}" height="{top + height + 60}" fill="#ffffff"/>',
    ]
    for power in range(y0, y1 + 1):
        at = y(10**power)
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#222222">{10**power:,} µs</text>')
    for row in rows:
        out.append(f'<text x="{x(row["count"]):.1f}" y="{top + height + 20}" text-anchor="middle" fill="#222222">{row["count"]:,}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 44}" text-anchor="middle" fill="#222222">circles in the index</text>')
    for name, colour in (("cold", "#d55e00"), ("warm", "#0072b2")):
        line = " ".join(f"{x(row['count']):.1f},{y(row[name]):.1f}" for row in rows)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        out += [f'<circle cx="{x(row["count"]):.1f}" cy="{y(row[name]):.1f}" r="3.5" fill="{colour}"/>' for row in rows]
        out.append(f'<text x="{left + width + 10}" y="{y(rows[-1][name]) + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def page(rows, root):
    commit = subprocess.run(["git", "-C", f"{root}", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    lines = [
        "# From ten thousand circles to a hundred million", "",
        f"By `Benchmarks/Scale/scale.py`, commit {commit}, on two cores with 24 GB. Made-up circles, clustered within {SPREAD:,.0f} km of {MIDDLE[0]:.0f}° N {MIDDLE[1]:.0f}° E.",
        f"*Building*: `vicinity index` from CSV to the finished file, and the most memory that it had. *Opening*: mapped, from the disk, with `verify=False`. *A query*: the nearest {COUNT} of",
        f"a place anywhere in the disc, from Python on one thread, as a mean: of {COLD:,} with nothing of the file in memory, and of {WARM:,} with all of it there (median of {ROUNDS} rounds).", "",
        "![Microseconds a query against the number of circles, cold and warm.](scale.svg)", "",
        "| circles | building | memory at most | file | opening, cold | a query, cold | warm |", "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row['count']:,} | {row['seconds']:.1f} s | {row['memory'] / 1e9:.2f} GB | {row['size'] / 1e9:.3f} GB | {1e3 * row['opening']:.1f} ms | {row['cold']:.0f} µs | {row['warm']:.1f} µs |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main():
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    largest = int(sys.argv[4]) if len(sys.argv) > 4 else 100_000_000
    folder.mkdir(parents=True, exist_ok=True)
    rows = [measure(program, folder, 10**power) for power in range(4, 9) if 10**power <= largest]
    path.write_text(page(rows, pathlib.Path(__file__).resolve().parent), encoding="utf-8")
    path.with_suffix(".svg").write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
