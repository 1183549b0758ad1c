"""Nearest and events from Python, as queries and fixes a second and core, beside SciPy and shapely with pyproj.

Regions are 100,000 circles around Vienna and Graz that the command line makes up (seed 1).
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

from measure import run

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("VICINITY_PROGRAM", str(ROOT / ".build/release/vicinity"))
DATA = ROOT / ".build-python/throughput"
REPEATS = 10


def make() -> None:
    """Make regions and tracks up, once."""
    DATA.mkdir(parents=True, exist_ok=True)
    around = ["--around", "48.2,16.4", "--around", "47.07,15.44", "--spread", "40", "--seed", "1"]
    if not (DATA / "regions.csv").exists():
        subprocess.run(
            [PROGRAM, "generate", "regions", "--count", "100000", *around, "--output", DATA / "regions.csv"], check=True
        )
    if not (DATA / "tracks.csv").exists():
        days = ["--devices", "20", "--days", "1", "--interval", "1"]
        subprocess.run(
            [
                PROGRAM,
                "generate",
                "tracks",
                *days,
                "--around",
                "48.2,16.4",
                "--seed",
                "1",
                "--output",
                DATA / "tracks.csv",
            ],
            check=True,
        )


def _regions() -> Any:
    import pyarrow as pa
    from pyarrow import csv

    return csv.read_csv(DATA / "regions.csv", convert_options=csv.ConvertOptions(column_types={"id": pa.string()}))


def _points(count: int) -> Any:
    import numpy as np

    dice = np.random.default_rng(1)
    return {"latitude": dice.normal(48.2, 0.2, count), "longitude": dice.normal(16.4, 0.3, count)}


def _tracks() -> Any:
    import pyarrow as pa
    from pyarrow import csv

    table = csv.read_csv(DATA / "tracks.csv", convert_options=csv.ConvertOptions(column_types={"device": pa.string()}))
    time_us = table["time"].cast(pa.timestamp("us", "UTC"))
    return table.set_column(1, "time", time_us).select(["device", "time", "latitude", "longitude"]).combine_chunks()


def nearest(k: int) -> dict[str, Any]:
    """Ask about batches of 100,000."""
    from vicinity import RegionIndex

    index, points = RegionIndex.from_arrow(_regions()), _points(100_000)
    index.nearest(points, k, progress=False)
    start, before = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        index.nearest(points, k, progress=False)
    count = REPEATS * 100_000
    return {"queries a second": count / (time.perf_counter() - start), "a core": count / (time.process_time() - before)}


def events(regions: int) -> dict[str, Any]:
    """Follow a hundred devices through a day of a fix a second, 10 m/s with slow turns, among the first so many regions."""
    import numpy as np
    import pyarrow as pa
    from vicinity import RegionIndex

    index = RegionIndex.from_arrow(_regions().slice(0, regions))
    dice = np.random.default_rng(2)
    devices, seconds = 100, 86_400
    heading = np.cumsum(dice.normal(0, 0.05, (devices, seconds)), axis=1)
    # There and back again, within about 30 km of the middle.
    north = np.cumsum(10 * np.cos(heading), axis=1) / 111_195
    east = np.cumsum(10 * np.sin(heading), axis=1) / 74_100
    latitude = 48.2 + np.abs((north + 0.3) % 1.2 - 0.6) - 0.3
    longitude = 16.4 + np.abs((east + 0.4) % 1.6 - 0.8) - 0.4
    tracks = pa.table(
        {
            "device": pa.array(np.repeat([f"device {i}" for i in range(devices)], seconds)),
            "time": pa.array(np.tile(np.arange(seconds) * 1_000_000, devices), pa.timestamp("us", "UTC")),
            "latitude": latitude.ravel(),
            "longitude": longitude.ravel(),
        }
    )
    start, before = time.perf_counter(), time.process_time()
    found = index.events(tracks, progress=False)
    return {
        "fixes": len(tracks),
        "events": len(found),
        "fixes a second": len(tracks) / (time.perf_counter() - start),
        "a core": len(tracks) / (time.process_time() - before),
    }


def scipy_tree() -> dict[str, Any]:
    """Ask SciPy's tree for the 20 nearest centres on a sphere: other answers, the fastest peer."""
    import numpy as np
    from scipy.spatial import cKDTree

    regions, points = _regions(), _points(100_000)

    def place(latitude: Any, longitude: Any) -> Any:
        lat, lon = np.radians(latitude), np.radians(longitude)
        return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])

    tree = cKDTree(place(regions["latitude"].to_numpy(), regions["longitude"].to_numpy()))
    start, before = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        tree.query(place(points["latitude"], points["longitude"]), 20, workers=-1)
    count = REPEATS * 100_000
    return {"queries a second": count / (time.perf_counter() - start), "a core": count / (time.process_time() - before)}


def shapely_events() -> dict[str, Any]:
    """Find the changes between fixes by shapely's tree and pyproj's geodesics: what happens between two fixes is missed."""
    import numpy as np
    import pyproj
    import shapely

    regions, tracks = _regions(), _tracks()
    lat, lon, radius = (regions[name].to_numpy() for name in ("latitude", "longitude", "radius"))
    reach = radius / 111_000 * 1.01 + 1e-4
    wide = reach / np.cos(np.radians(lat))
    tree = shapely.STRtree(shapely.box(lon - wide, lat - reach, lon + wide, lat + reach))
    start, before = time.perf_counter(), time.process_time()
    y, x = tracks["latitude"].to_numpy(), tracks["longitude"].to_numpy()
    fix, region = tree.query(shapely.points(x, y))
    away = pyproj.Geod(ellps="WGS84").inv(x[fix], y[fix], lon[region], lat[region])[2]
    inside = away <= radius[region]
    key = np.stack([region[inside], fix[inside]])
    order = np.lexsort(key[::-1])
    runs = np.flatnonzero(np.diff(key[0][order]) | (np.diff(key[1][order]) > 1))
    return {
        "fixes": len(y),
        "stays": len(runs) + 1,
        "fixes a second": len(y) / (time.perf_counter() - start),
        "a core": len(y) / (time.process_time() - before),
    }


def movingpandas_events() -> dict[str, Any]:
    """Clip one device's track by each of the first 200 circles, as polygons of 64 corners in the plane: what MovingPandas has."""
    import movingpandas
    import numpy as np
    import pyproj
    import shapely

    regions, tracks = _regions().slice(0, 200).to_pydict(), _tracks().to_pandas()
    track = tracks[tracks["device"] == tracks["device"].iloc[0]].copy()
    track["time"] = track["time"].dt.tz_localize(None)
    turns = np.linspace(0, 360, 64, endpoint=False)
    geodesic = pyproj.Geod(ellps="WGS84")
    circles = []
    for lat, lon, radius in zip(regions["latitude"], regions["longitude"], regions["radius"], strict=True):
        x, y, _ = geodesic.fwd(np.full(64, lon), np.full(64, lat), turns, np.full(64, radius))
        circles.append(shapely.Polygon(np.column_stack([x, y])))
    start, before = time.perf_counter(), time.process_time()
    moving = movingpandas.Trajectory(track, "one", t="time", x="longitude", y="latitude")
    stays = sum(len(moving.clip(circle)) for circle in circles)
    return {
        "fixes": len(track),
        "stays": stays,
        "fixes a second": len(track) / (time.perf_counter() - start),
        "a core": len(track) / (time.process_time() - before),
    }


def events_beside_movingpandas() -> dict[str, Any]:
    """Follow the same track among the same 200 circles."""
    from vicinity import RegionIndex

    index, tracks = RegionIndex.from_arrow(_regions().slice(0, 200)), _tracks()
    track = tracks.filter(pa_equal(tracks["device"], tracks["device"][0]))
    start, before = time.perf_counter(), time.process_time()
    found = index.events(track, progress=False, max_gap=86_400)
    return {
        "fixes": len(track),
        "entries": found.to_pydict()["kind"].count("enter"),
        "fixes a second": len(track) / (time.perf_counter() - start),
        "a core": len(track) / (time.process_time() - before),
    }


def pa_equal(column: Any, value: Any) -> Any:
    """Compare a column with a value."""
    import pyarrow.compute as pc

    return pc.equal(column, value)


if __name__ == "__main__":
    make()
    run(
        {
            "nearest 1": lambda: nearest(1),
            "nearest 5": lambda: nearest(5),
            "nearest 20": lambda: nearest(20),
            "nearest 20 centres, scipy": scipy_tree,
            "events among 1,000 regions": lambda: events(1000),
            "events among 100,000 regions": lambda: events(100_000),
            "events, shapely and pyproj": shapely_events,
            "events of a track among 200 regions": events_beside_movingpandas,
            "events of a track among 200 regions, movingpandas": movingpandas_events,
        },
        ["vicinity", "scipy", "shapely", "pyproj", "movingpandas", "pyarrow"],
    )
