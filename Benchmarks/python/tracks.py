"""Tracks: the command line with one job and two, and the questions of BerlinMOD, about a made-up city.

- Jobs: 4.6 million fixes among 100,000 circles, some 6.2 million events, CSV to CSV. Processor seconds are the program's.
- BerlinMOD's generator needs a database and a map from the network. Here are 141 made-up people of Berlin for a week, a fix each
  5 seconds of movement, about as many instants as its scale factor 0.005 has (2,195,303 of 141 vehicles), and the questions that
  MobilityDB's batch and stream benchmarks ask: who passes within 50 m of which of 100 points, who is in which of 100 regions, and
  who was first there. Counts are exact on the ellipsoid; the peer's are those of shapely on an azimuthal plane around the city.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from typing import Any

from measure import run
from throughput import DATA, PROGRAM
from throughput import make as make_regions

CENTER = (52.52, 13.405)
TRACKS, CITY = DATA / "jobs.csv", DATA / "berlin.csv"


def make() -> None:
    """Make tracks up, once."""
    make_regions()
    if not TRACKS.exists():
        from pyarrow import csv

        csv.write_csv(_day(535, 86_400, 10), TRACKS)
    if not CITY.exists():
        around = [
            "--devices",
            "141",
            "--days",
            "7",
            "--interval",
            "5",
            "--around",
            f"{CENTER[0]},{CENTER[1]}",
            "--seed",
            "1",
        ]
        subprocess.run([PROGRAM, "generate", "tracks", *around, "--output", CITY], check=True)


def _day(devices: int, seconds: int, step: int) -> Any:
    """Make up devices that move at 10 m/s with slow turns within about 30 km of Vienna, a fix each ``step`` seconds."""
    import numpy as np
    import pyarrow as pa

    dice = np.random.default_rng(2)
    heading = np.cumsum(dice.normal(0, 0.05, (devices, seconds)), axis=1)
    north = np.cumsum(10 * np.cos(heading), axis=1)[:, ::step] / 111_195
    east = np.cumsum(10 * np.sin(heading), axis=1)[:, ::step] / 74_100
    times = np.tile(np.arange(0, seconds, step) * 1_000_000, devices)
    return pa.table(
        {
            "device": pa.array(np.repeat([f"device {i}" for i in range(devices)], north.shape[1])),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "latitude": (48.2 + np.abs((north + 0.3) % 1.2 - 0.6) - 0.3).ravel(),
            "longitude": (16.4 + np.abs((east + 0.4) % 1.6 - 0.8) - 0.4).ravel(),
        }
    )


# ---- Jobs. ----


def jobs(count: int) -> dict[str, Any]:
    """Run ``vicinity events`` with so many jobs."""
    output = DATA / f"events-{count}.csv"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    arguments = ["events", DATA / "regions.csv", "--tracks", TRACKS, "--jobs", str(count), "--output", output]
    subprocess.run([PROGRAM, *arguments], check=True, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    with output.open("rb") as file:
        rows = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b"")) - 1
    output.unlink()
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall s": wall, "processor s": processor, "events": rows}


# ---- BerlinMOD's questions. ----


def _city() -> tuple[Any, Any, Any]:
    """Give the tracks, 100 points as circles of 50 m, and 100 regions, circles of 300 to 1,500 m."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    tracks = csv.read_csv(CITY, convert_options=csv.ConvertOptions(column_types={"device": pa.string()}))
    time_us = tracks["time"].cast(pa.timestamp("us", "UTC"))
    tracks = tracks.set_column(tracks.schema.get_field_index("time"), "time", time_us)
    tracks = tracks.select(["device", "time", "latitude", "longitude"]).combine_chunks()
    dice = np.random.default_rng(4)
    # Points of the tracks themselves, each moved by some 30 m.
    rows = dice.integers(0, len(tracks), 100)
    latitude, longitude = (tracks[name].to_numpy()[rows] for name in ("latitude", "longitude"))
    points = {
        "id": [f"point {i}" for i in range(100)],
        "latitude": latitude + dice.normal(0, 3e-4, 100),
        "longitude": longitude + dice.normal(0, 4e-4, 100),
        "radius": np.full(100, 50.0),
    }
    regions = {
        "id": [f"region {i}" for i in range(100)],
        "latitude": CENTER[0] + dice.normal(0, 0.06, 100),
        "longitude": CENTER[1] + dice.normal(0, 0.1, 100),
        "radius": dice.uniform(300, 1500, 100),
    }
    return tracks, points, regions


def _passed(index: Any, tracks: Any) -> tuple[set[tuple[str, str]], dict[str, tuple[Any, str]]]:
    """Give pairs of device and region that meet, and who is first in each region: entries, and where a track begins."""
    found = index.events(tracks, progress=False).to_pydict()
    pairs: set[tuple[str, str]] = set()
    first: dict[str, tuple[Any, str]] = {}

    def meet(device: str, when: Any, region: str) -> None:
        pairs.add((device, region))
        if region not in first or (when, device) < first[region]:
            first[region] = when, device

    for device, when, region, kind in zip(found["device"], found["time"], found["region"], found["kind"], strict=True):
        if kind == "enter":
            meet(device, when, region)
    begin = tracks.group_by("device", use_threads=False).aggregate(
        [("time", "first"), ("latitude", "first"), ("longitude", "first")]
    )
    inside = index.containing(
        {
            "id": begin["device"].to_pylist(),
            "latitude": begin["latitude_first"].to_numpy(),
            "longitude": begin["longitude_first"].to_numpy(),
        },
        progress=False,
    ).to_pydict()
    when = dict(zip(begin["device"].to_pylist(), begin["time_first"].cast("int64").to_pylist(), strict=True))
    for device, region in zip(inside["query"], inside["region"], strict=True):
        meet(device, _instant(when[device]), region)
    return pairs, first


def _instant(microseconds: int) -> Any:
    from datetime import datetime, timedelta, timezone

    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=microseconds)


def city_ours() -> dict[str, Any]:
    """Answer the batch questions."""
    from vicinity import RegionIndex

    tracks, points, regions = _city()
    start, before = time.perf_counter(), time.process_time()
    near, _ = _passed(RegionIndex.from_arrow(points), tracks)
    inside, first = _passed(RegionIndex.from_arrow(regions), tracks)
    return {
        "wall s": time.perf_counter() - start,
        "processor s": time.process_time() - before,
        "fixes": len(tracks),
        "devices near points": len(near),
        "devices in regions": len(inside),
        "regions with a first": len(first),
    }


def city_shapely() -> dict[str, Any]:
    """Answer the first two by shapely: distances of lines and centres in an azimuthal plane."""
    import numpy as np
    import pyproj
    import shapely

    tracks, points, regions = _city()
    start, before = time.perf_counter(), time.process_time()
    plane = pyproj.Transformer.from_crs(
        4326, f"+proj=aeqd +lat_0={CENTER[0]} +lon_0={CENTER[1]} +datum=WGS84", always_xy=True
    )
    x, y = plane.transform(tracks["longitude"].to_numpy(), tracks["latitude"].to_numpy())
    device = tracks["device"].dictionary_encode().combine_chunks()
    cuts = np.flatnonzero(np.diff(device.indices.to_numpy())) + 1
    lines = [shapely.LineString(part) for part in np.split(np.column_stack([x, y]), cuts)]
    result: dict[str, Any] = {}
    for words, places in [("devices near points", points), ("devices in regions", regions)]:
        a, b = plane.transform(places["longitude"], places["latitude"])
        centers = shapely.points(a, b)
        distances = np.array([shapely.distance(line, centers) for line in lines])
        result[words] = int((distances <= places["radius"]).sum())
    return {
        "wall s": time.perf_counter() - start,
        "processor s": time.process_time() - before,
        "fixes": len(x),
        **result,
    }


def city_stream(kind: str) -> dict[str, Any]:
    """Follow the devices as a stream: batches of 1,000 fixes in the order of time, one thread."""
    from vicinity import RegionIndex

    tracks, points, regions = _city()
    tracks = tracks.sort_by([("time", "ascending"), ("device", "ascending")]).combine_chunks()
    fleet = RegionIndex.from_arrow(points if kind == "points" else regions).fleet()
    batches = [tracks.slice(i, 1000) for i in range(0, len(tracks), 1000)]
    start, before = time.perf_counter(), time.process_time()
    events = sum(len(fleet.advance(batch, threads=1, progress=False)) for batch in batches)
    wall, processor = time.perf_counter() - start, time.process_time() - before
    return {
        "wall s": wall,
        "processor s": processor,
        "fixes": len(tracks),
        "events": events,
        "fixes a second of a core": len(tracks) / processor,
    }


if __name__ == "__main__":
    make()
    run(
        {
            "events of the program, one job": lambda: jobs(1),
            "events of the program, two jobs": lambda: jobs(2),
            "BerlinMOD's questions: vicinity": city_ours,
            "BerlinMOD's questions: shapely": city_shapely,
            "BerlinMOD's stream, near points": lambda: city_stream("points"),
            "BerlinMOD's stream, in regions": lambda: city_stream("regions"),
        },
        ["vicinity", "shapely", "pyproj", "pyarrow"],
        limit=float(os.environ.get("VICINITY_LIMIT", "900")),
    )
