"""Spark beside the wheel alone: events and the nearest five, as fixes and points a second and core, and where the time goes.

Spark runs on one core (local[1]), and the wheel on one thread. Each case runs VICINITY_RUNS times in one process; the median
of the later half is told, as by then Java has compiled its code, as on a cluster that is at work. "first" is the first run, with
all that Java has to compile. Rows come from Parquet, and answers are counted where they are found. VICINITY_DEVICES and
VICINITY_POINTS say how much.
"""

from __future__ import annotations

import os
import statistics
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
RUNS = int(os.environ.get("VICINITY_RUNS", "6"))
TRACKS, FLAT = DATA / f"tracks-{DEVICES}", DATA / f"points-{POINTS}.parquet"
HOURS, TRIPS = DATA / f"hours-{DEVICES}", DATA / f"trips-{DEVICES}"
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


def _spark(work: Callable[[Any, Any], Any], count: int, rows: int, what: str, *, tuned: bool = True) -> dict[str, Any]:
    from pyspark.sql import SparkSession
    from vicinity import spark as vs

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.python.worker.reuse", "true")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
    )
    if tuned:
        # What Python/docs/SparkCosts.md advises.
        builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000").config(
            "spark.sql.execution.arrow.maxBytesPerBatch", "2147483647"
        )
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    index = vs.ship(session, _index(count))
    # Files that only Spark makes are made before the clock starts; nothing else is done until rows are asked for.
    work(session, index)
    result = _measured(lambda: work(session, index).groupBy().count().collect()[0][0], rows, what, _processor)
    session.stop()
    return result


def _alone(work: Callable[[Any], int], count: int, rows: int, what: str) -> dict[str, Any]:
    index = _index(count)
    return _measured(lambda: work(index), rows, what, time.process_time)


def _measured(work: Callable[[], int], rows: int, what: str, clock: Callable[[], float]) -> dict[str, Any]:
    walls, processors, found = [], [], set()
    for _ in range(RUNS):
        start, before = time.perf_counter(), clock()
        found.add(work())
        walls.append(time.perf_counter() - start)
        processors.append(clock() - before)
    if len(found) != 1:
        raise ValueError(f"runs found different numbers of rows: {sorted(found)}")
    late = slice(RUNS // 2, None)
    return {
        "found": found.pop(),
        f"{what} a second": rows / statistics.median(walls[late]),
        "a core": rows / statistics.median(processors[late]),
        "first, a core": rows / processors[0],
    }


def _tracks(session: Any) -> Any:
    return session.read.parquet(str(TRACKS))


def _hours(session: Any) -> Any:
    """Read the same fixes, stored by hour and in the order of time, devices in turn."""
    if not HOURS.exists():
        from pyspark.sql import functions as f

        hours = _tracks(session).withColumn("hour", f.hour("time")).orderBy("time").coalesce(1)
        hours.write.partitionBy("hour").parquet(str(HOURS))
    return session.read.parquet(str(HOURS)).drop("hour")


def _trips(session: Any) -> Any:
    """Read the same fixes with another name for each minute: as many devices as there are minutes, of 60 fixes each."""
    if not TRIPS.exists():
        from pyspark.sql import functions as f

        minute = f.floor(f.unix_timestamp("time") / 60).cast("string")
        _tracks(session).withColumn("device", f.concat("device", f.lit("-"), minute)).write.parquet(str(TRIPS))
    return session.read.parquet(str(TRIPS))


def shuffled(read: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Shuffle by device, sort and follow: what vicinity.spark does."""

    def work(session: Any, index: Any) -> Any:
        from vicinity import spark as vs

        return vs.events(read(session), index)

    return work


def with_state(session: Any, index: Any) -> Any:
    """Follow, and write the state of all devices for the next batch."""
    from vicinity import spark as vs

    return vs.events(_tracks(session), index, new_state=DATA / "state")


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


def _count(batches: Any) -> Any:
    import pyarrow as pa

    rows = sum(len(batch) for batch in batches)
    yield pa.record_batch({"rows": pa.array([rows])})


def passed_on(session: Any, _index: Any) -> Any:
    """Hand the rows to Python and nothing back: what Spark itself takes."""
    return _tracks(session).mapInArrow(_count, "rows bigint")


def passed_on_shuffled(session: Any, _index: Any) -> Any:
    """Shuffle and sort the rows as vicinity.spark does, and hand them on."""
    moved = _tracks(session).repartition(4, "device").sortWithinPartitions("device", "time")
    return moved.mapInArrow(_count, "rows bigint")


def points_passed_on(session: Any, _index: Any) -> Any:
    """Hand the points to Python and nothing back."""
    return session.read.parquet(str(FLAT)).mapInArrow(_count, "rows bigint")


def nearest_on_spark(session: Any, index: Any) -> Any:
    """Find the nearest five."""
    from vicinity import spark as vs

    return vs.nearest(session.read.parquet(str(FLAT)), index, k=5)


def nearest_numbers_on_spark(session: Any, index: Any) -> Any:
    """Find the nearest five, as whole numbers."""
    from vicinity import spark as vs

    return vs.nearest(session.read.parquet(str(FLAT)), index, k=5, region_numbers=True)


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
            "events, vicinity.spark, a file for each device": lambda: _spark(shuffled(_tracks), 1000, fixes, "fixes"),
            "events, vicinity.spark, files by hour": lambda: _spark(shuffled(_hours), 1000, fixes, "fixes"),
            "events, vicinity.spark, devices of 60 fixes": lambda: _spark(shuffled(_trips), 1000, fixes, "fixes"),
            "events, vicinity.spark, with state": lambda: _spark(with_state, 1000, fixes, "fixes"),
            "events, vicinity.spark, Spark's own settings": lambda: _spark(
                shuffled(_tracks), 1000, fixes, "fixes", tuned=False
            ),
            "events, mapInArrow of files by device": lambda: _spark(by_file, 1000, fixes, "fixes"),
            "fixes handed to Python": lambda: _spark(passed_on, 1000, fixes, "fixes"),
            "fixes shuffled, sorted and handed to Python": lambda: _spark(passed_on_shuffled, 1000, fixes, "fixes"),
            "nearest 5, the wheel": lambda: _alone(nearest_alone, 100_000, POINTS, "points"),
            "nearest 5, vicinity.spark": lambda: _spark(nearest_on_spark, 100_000, POINTS, "points"),
            "nearest 5, vicinity.spark, whole numbers": lambda: _spark(
                nearest_numbers_on_spark, 100_000, POINTS, "points"
            ),
            "nearest 5, Spark's own settings": lambda: _spark(nearest_on_spark, 100_000, POINTS, "points", tuned=False),
            "points handed to Python": lambda: _spark(points_passed_on, 1000, POINTS, "points"),
        },
        ["vicinity", "pyspark", "pyarrow", "pandas"],
    )
