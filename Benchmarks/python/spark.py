"""Spark beside the wheel alone: events through vicinity.spark (shuffled and sorted) and through applyInArrow and mapInArrow without
a shuffle, and the nearest five, as fixes and queries a second and core.

Spark runs on one core (local[1]), and the wheel on one thread. All is done twice and the second time measured, with Spark's workers started and
Java's code compiled; rows come from Parquet, and answers are counted where they are found. VICINITY_DEVICES and VICINITY_POINTS say how much.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import run

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".build-python/spark-benchmark"
DEVICES = int(os.environ.get("VICINITY_DEVICES", "100"))
POINTS = int(os.environ.get("VICINITY_POINTS", "4000000"))
TRACKS, FLAT = DATA / f"tracks-{DEVICES}", DATA / f"points-{POINTS}.parquet"
EVENTS = (
    "device string, time timestamp, region string, kind string, latitude double, longitude double, inferred boolean"
)


def make() -> None:
    """Make tracks up, a file for each device with a day of a fix a second, and points."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    DATA.mkdir(parents=True, exist_ok=True)
    if not TRACKS.exists():
        dice = np.random.default_rng(2)
        TRACKS.mkdir()
        for device in range(DEVICES):
            heading = np.cumsum(dice.normal(0, 0.05, 86_400))
            # There and back again, within about 30 km of the middle.
            north = np.cumsum(10 * np.cos(heading)) / 111_195
            east = np.cumsum(10 * np.sin(heading)) / 74_100
            rows = {
                "device": pa.array([f"device {device}"] * 86_400),
                "time": pa.array(np.arange(86_400) * 1_000_000, pa.timestamp("us", "UTC")),
                "latitude": 48.2 + np.abs((north + 0.3) % 1.2 - 0.6) - 0.3,
                "longitude": 16.4 + np.abs((east + 0.4) % 1.6 - 0.8) - 0.4,
            }
            pq.write_table(pa.table(rows), TRACKS / f"{device:04}.parquet")
    if not FLAT.exists():
        dice = np.random.default_rng(1)
        place = {"latitude": dice.normal(48.2, 0.2, POINTS), "longitude": dice.normal(16.4, 0.3, POINTS)}
        pq.write_table(pa.table({"id": np.arange(POINTS), **place}), FLAT)


def _index(count: int) -> Any:
    import numpy as np
    from vicinity import RegionIndex

    dice = np.random.default_rng(3)
    rows = {
        "id": np.arange(count),
        "latitude": dice.normal(48.2, 0.2, count),
        "longitude": dice.normal(16.4, 0.3, count),
    }
    return RegionIndex.from_arrow({**rows, "radius": dice.uniform(50, 500, count)})


def _processor() -> float:
    """Tell the processor seconds of this process and all below it: Spark's Java and the workers of Python."""
    import psutil

    me = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in [me, *me.children(recursive=True)])


def _spark(work: Callable[[Any, Any], Any], count: int, rows: int, what: str) -> dict[str, Any]:
    from pyspark.sql import SparkSession
    from vicinity import spark as vs

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.python.worker.reuse", "true")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", os.environ.get("VICINITY_BATCH", "100000"))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    index = vs.ship(session, _index(count))
    # Once for Java to compile what it runs, as on a cluster that has been at work for a while.
    work(session, index).groupBy().count().collect()
    start, before = time.perf_counter(), _processor()
    found = work(session, index).groupBy().count().collect()[0][0]
    wall, processor = time.perf_counter() - start, _processor() - before
    session.stop()
    return {"found": found, f"{what} a second": rows / wall, "a core": rows / processor}


def _alone(work: Callable[[Any], int], count: int, rows: int, what: str) -> dict[str, Any]:
    index = _index(count)
    start, before = time.perf_counter(), time.process_time()
    found = work(index)
    wall, processor = time.perf_counter() - start, time.process_time() - before
    return {"found": found, f"{what} a second": rows / wall, "a core": rows / processor}


def _tracks(session: Any) -> Any:
    return session.read.parquet(str(TRACKS))


def shuffled(session: Any, index: Any) -> Any:
    """Shuffle by device, sort and follow: what vicinity.spark does."""
    from vicinity import spark as vs

    return vs.events(_tracks(session), index)


def grouped(session: Any, index: Any) -> Any:
    """Give each device's rows as one table to a function."""

    def follow(table: Any) -> Any:
        import pyarrow as pa

        found = index.open().events(table, sort=True, threads=1, progress=False)
        return pa.table(found)

    return _tracks(session).groupBy("device").applyInArrow(follow, EVENTS)


def by_file(session: Any, index: Any) -> Any:
    """Follow devices that are stored apart and in the order of time, without a shuffle."""

    def follow(batches: Any) -> Any:
        import pyarrow as pa

        fleet = None
        for batch in batches:
            fleet = fleet or index.open().fleet()
            yield from pa.table(fleet.advance(batch, threads=1, progress=False)).to_batches()

    return _tracks(session).mapInArrow(follow, EVENTS)


def passed_on(session: Any, _index: Any) -> Any:
    """Hand the rows to Python and nothing back: what Spark itself takes."""

    def count(batches: Any) -> Any:
        import pyarrow as pa

        rows = sum(len(batch) for batch in batches)
        yield pa.record_batch({"rows": pa.array([rows])})

    return _tracks(session).mapInArrow(count, "rows bigint")


def nearest_on_spark(session: Any, index: Any) -> Any:
    """Find the nearest five."""
    from vicinity import spark as vs

    return vs.nearest(session.read.parquet(str(FLAT)), index, k=5)


def events_alone(index: Any) -> int:
    """Follow all devices in this process."""
    import pyarrow.parquet as pq

    return len(index.events(pq.read_table(TRACKS), threads=1, progress=False))


def nearest_alone(index: Any) -> int:
    """Find the nearest five in this process."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(FLAT)
    return sum(
        pa.table(index.nearest(batch, 5, threads=1, progress=False)).num_rows for batch in file.iter_batches(100_000)
    )


if __name__ == "__main__":
    make()
    fixes = DEVICES * 86_400
    run(
        {
            "events, the wheel": lambda: _alone(events_alone, 1000, fixes, "fixes"),
            "events, applyInArrow by device": lambda: _spark(grouped, 1000, fixes, "fixes"),
            "events, vicinity.spark": lambda: _spark(shuffled, 1000, fixes, "fixes"),
            "events, mapInArrow of files by device": lambda: _spark(by_file, 1000, fixes, "fixes"),
            "fixes handed to Python": lambda: _spark(passed_on, 1000, fixes, "fixes"),
            "nearest 5, the wheel": lambda: _alone(nearest_alone, 100_000, POINTS, "points"),
            "nearest 5, vicinity.spark": lambda: _spark(nearest_on_spark, 100_000, POINTS, "points"),
        },
        ["vicinity", "pyspark", "pyarrow", "pandas"],
    )
