#!/usr/bin/env python3
"""A stream of a thousand million fixes that no file holds, against a million regions: how many fixes a second, in how much memory.

  stream.py VICINITY DIRECTORY PAGE [FIXES]    writes the page, and the picture stream.svg beside it; FIXES is 1000000000 where it is not given

100,000 devices go straight on, each in its own direction, and turn back at the border of the place where the regions are. Needs NumPy.
"""

import math
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy

MIDDLE, SPREAD = (50.0, 50.0), 1500.0
REGIONS, DEVICES, INTERVAL = 1_000_000, 100_000, 10
START = 1_700_000_000
# Fixed columns: d000000,1700000000,50.0000000,10.0000000
DEVICE, TIME, LATITUDE, LONGITUDE = slice(1, 7), slice(8, 18), slice(19, 29), slice(30, 40)
WIDTH = 41


def digits(values, before, after):
    """Positive numbers as text of a fixed width, a row for each."""
    whole = numpy.rint(values * 10**after).astype(numpy.int64)
    places = 10 ** numpy.arange(before + after - 1, -1, -1, dtype=numpy.int64)
    text = (whole[:, None] // places % 10 + 48).astype(numpy.uint8)
    return numpy.insert(text, before, 46, axis=1) if after else text


def write_fixes(pipe, count, progress):
    """Writes the fixes, step by step, and counts them."""
    source = numpy.random.default_rng(52)
    reach = SPREAD / 111.2 * 0.8
    latitudes = MIDDLE[0] + source.uniform(-reach, reach, DEVICES)
    longitudes = MIDDLE[1] + source.uniform(-reach, reach, DEVICES) / math.cos(math.radians(MIDDLE[0]))
    course = source.uniform(0, 2 * math.pi, DEVICES)
    step = source.uniform(1, 30, DEVICES) * INTERVAL / 111_200
    north, east = step * numpy.cos(course), step * numpy.sin(course) / math.cos(math.radians(MIDDLE[0]))
    rows = numpy.full((DEVICES, WIDTH), ord(","), numpy.uint8)
    rows[:, 0], rows[:, -1] = ord("d"), ord("\n")
    rows[:, DEVICE] = digits(numpy.arange(DEVICES, dtype=float), 6, 0)
    written = 0
    with open(pipe, "wb", buffering=0) as out:
        out.write(b"device,time,latitude,longitude\n")
        moment = START
        while written < count:
            rows[:, TIME] = numpy.frombuffer(str(moment).encode(), numpy.uint8)
            rows[:, LATITUDE], rows[:, LONGITUDE] = digits(latitudes, 2, 7), digits(longitudes, 2, 7)
            size = min(DEVICES, count - written)
            view = memoryview(rows[:size].tobytes())
            while view:
                view = view[out.write(view) :]
            written += size
            progress[0] = written
            moment += INTERVAL
            latitudes += north
            longitudes += east
            north[numpy.abs(latitudes - MIDDLE[0]) > reach] *= -1
            east[numpy.abs(longitudes - MIDDLE[1]) > reach / math.cos(math.radians(MIDDLE[0]))] *= -1


def memory_of(process):
    """What a process has in memory now, bytes; 0 where it has ended."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def measure(program, folder, count):
    """Runs `vicinity events` on the stream; samples of seconds, fixes and memory, the whole time, and how many events there were."""
    regions, index = folder / "stream.csv", folder / "stream.vicinity"
    subprocess.run([program, "generate", "regions", "--count", f"{REGIONS}", "--around", "{},{}".format(*MIDDLE), "--spread", f"{SPREAD:.0f}", "--arrangement", "uniform", "--seed", "52", "--output", f"{regions}"], check=True, capture_output=True)
    subprocess.run([program, "index", f"{regions}", "--output", f"{index}"], check=True, capture_output=True)
    reading, writing = os.pipe()
    progress, samples = [0], []
    start = time.perf_counter()
    process = subprocess.Popen([program, "events", f"{index}", "--tracks", "-"], stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(reading)
    lines = [0]

    def count_lines():
        while block := process.stdout.read1(1 << 20):
            lines[0] += block.count(b"\n")

    threads = [threading.Thread(target=write_fixes, args=(writing, count, progress)), threading.Thread(target=count_lines)]
    for thread in threads:
        thread.start()
    while process.poll() is None:
        samples.append((time.perf_counter() - start, progress[0], memory_of(process.pid)))
        time.sleep(min(5.0, 0.05 * 1.5 ** len(samples)))
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    notes = process.stderr.read().decode()
    if process.returncode != 0:
        sys.exit(f"stream.py: error: {notes}")
    return samples, seconds, lines[0] - 1, notes


def picture(samples):
    """Fixes a second, and memory, against how many fixes have passed."""
    left, top, width, height = 86, 24, 560, 150
    most = samples[-1][1]
    rates = [(b[1], (b[1] - a[1]) / (b[0] - a[0]) / 1e6) for a, b in zip(samples, samples[1:]) if b[1] > a[1]]
    memory = [(fixes, bytes_ / 1e6) for _, fixes, bytes_ in samples if bytes_]
    dark = {"#ffffff": "#10171d", "#e4e4e4": "#33404d", "#222222": "#e4eaf0", "#0072b2": "#56b4e9", "#d55e00": "#f09050"}
    rules = " ".join(f'[{part}="{day}"] {{ {part}: {night}; }}' for day, night in dark.items() for part in ("fill", "stroke"))
    full = (left + width + 30, top + 2 * height + 100)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full[0]} {full[1]}" width="{full[0]}" height="{full[1]}" font-family="sans-serif" font-size="13">',
        "<title>Fixes a second and memory, while a stream of fixes passes</title>", f"<style>@media (prefers-color-scheme: dark) {{ {rules} }}</style>",
        f'<rect width="{full[0]}" height="{full[1]}" fill="#ffffff"/>',
    ]
    for place, (values, unit, colour) in enumerate(((rates, "million fixes a second", "#0072b2"), (memory, "MB of memory", "#d55e00"))):
        base = top + place * (height + 40) + height
        largest = max(value for _, value in values)
        scale = 10 ** math.floor(math.log10(largest))
        limit = math.ceil(largest / scale) * scale
        for share in (0, 0.5, 1):
            at = base - share * height
            out.append(f'<line x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>')
            out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#222222">{limit * share:g}</text>')
        line = " ".join(f"{left + fixes / most * width:.1f},{base - value / limit * height:.1f}" for fixes, value in values)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{left + 6}" y="{base - height - 6}" fill="{colour}">{unit}</text>')
    bottom = top + 2 * height + 40
    for share in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{left + share * width:.1f}" y="{bottom + 20}" text-anchor="middle" fill="#222222">{share * most / 1e6:,.0f}</text>')
    out.append(f'<text x="{left + width / 2}" y="{bottom + 42}" text-anchor="middle" fill="#222222">million fixes so far</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    program, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000_000
    folder.mkdir(parents=True, exist_ok=True)
    samples, seconds, events, notes = measure(program, folder, count)
    # The last sample may be from before the last fix.
    samples.append((seconds, count, samples[-1][2]))
    commit = subprocess.run(["git", "-C", f"{pathlib.Path(__file__).parent}", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    late = [memory for _, fixes, memory in samples if fixes >= count / 10]
    lines = [
        "# A stream of fixes", "",
        f"By `Benchmarks/Scale/stream.py`, commit {commit}, on two cores, of which what makes up the fixes takes a part. {DEVICES:,} devices send a fix every {INTERVAL} s, through a pipe into",
        f"`vicinity events`; {REGIONS:,} circles of 50 to 1,000 m within {SPREAD:,.0f} km. No file holds the fixes.", "",
        "![Fixes a second and memory, while the stream passes.](stream.svg)", "",
        "| fixes | seconds | fixes a second | events | memory after a tenth | at the end | at most |", "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        f"| {count:,} | {seconds:.0f} | {count / seconds:,.0f} | {events:,} | {late[0] / 1e6:.0f} MB | {late[-1] / 1e6:.0f} MB | {max(m for _, _, m in samples) / 1e6:.0f} MB |",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.with_suffix(".svg").write_text(picture(samples), encoding="utf-8")
    print(notes, file=sys.stderr)


if __name__ == "__main__":
    main()
