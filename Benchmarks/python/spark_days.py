"""Two days of many fixes on a local cluster of two worker processes, one job killed and run again; and the program's own rows.

Fixes are Parquet in a folder for each day, some devices in each file. Day 1 writes its events and the state of all devices. Day 2 goes on from
there: its job is killed, with all its processes, once a third of its state is there, and then runs again with the same folders. The
same fixes go as CSV through a pipe to `vicinity events`, in one run over both days. Both lists of events are sorted and compared, row
by row.

VICINITY_FIXES says how many millions of fixes there are (200), VICINITY_PROGRAM where the program is. Files are in
.build-python/spark-days, and the fixes are made once for each size: 18 bytes a fix. With what Spark left behind, a run took 5.7 GB.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MILLIONS = int(os.environ.get("VICINITY_FIXES", "200"))
PROGRAM = os.environ.get("VICINITY_PROGRAM", str(ROOT / ".build/release/vicinity"))
DATA = ROOT / f".build-python/spark-days/{MILLIONS}"
DAYS, STEPS, SECONDS = 2, 5000, 15
# A file of a day has a million fixes.
DEVICES_A_FILE = 1_000_000 // STEPS
FILES = MILLIONS // DAYS
CIRCLES, BUCKETS = 1000, 64
# Microseconds.
FIRST, DAY = 1_767_225_600_000_000, 86_400_000_000


def _regions() -> dict[str, Any]:
    import numpy as np

    dice = np.random.default_rng(3)
    return {
        "id": [f"circle {number}" for number in range(CIRCLES)],
        "latitude": dice.normal(48.2, 0.2, CIRCLES).round(6),
        "longitude": dice.normal(16.4, 0.3, CIRCLES).round(6),
        "radius": dice.uniform(50, 500, CIRCLES).round(),
    }


def make() -> None:
    """Make fixes up: people who wander within about 30 km of a city, each day from where the last one ended."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    done = DATA / "made"
    if done.exists():
        return
    shutil.rmtree(DATA, ignore_errors=True)
    for day in range(DAYS):
        (DATA / f"fixes/{day}").mkdir(parents=True)
    pc.write_csv(pa.table(_regions()), DATA / "regions.csv")
    devices, rows = DEVICES_A_FILE, DAYS * STEPS
    for file in range(FILES):
        dice = np.random.default_rng([2, file])
        heading = np.cumsum(dice.normal(0, 0.2, (devices, rows)), axis=1)
        north = np.cumsum(30 * np.cos(heading), axis=1) / 111_195 + dice.uniform(0, 1.2, (devices, 1))
        east = np.cumsum(30 * np.sin(heading), axis=1) / 74_100 + dice.uniform(0, 1.6, (devices, 1))
        # There and back again; seven decimals, as receivers write them.
        latitude = (47.9 + np.abs(north % 1.2 - 0.6)).round(7)
        longitude = (16.0 + np.abs(east % 1.6 - 0.8)).round(7)
        names = np.repeat(np.arange(file * devices, (file + 1) * devices, dtype=np.int32), STEPS)
        for day in range(DAYS):
            part = slice(day * STEPS, (day + 1) * STEPS)
            times = FIRST + day * DAY + np.tile(np.arange(STEPS) * SECONDS * 1_000_000, devices)
            table = pa.table(
                {
                    "device": names,
                    "time": pa.array(times, pa.timestamp("us", "UTC")),
                    "latitude": latitude[:, part].ravel(),
                    "longitude": longitude[:, part].ravel(),
                }
            )
            pq.write_table(table, DATA / f"fixes/{day}/{file:04}.parquet")
    done.touch()


def job(day: int) -> None:
    """Find one day's events on a cluster of two worker processes."""
    from pyspark.sql import SparkSession
    from vicinity import RegionIndex
    from vicinity import spark as vs

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,3072]")
        .config("spark.executor.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(DATA / "scratch"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        # What Python/docs/SparkCosts.md advises.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
        .config("spark.sql.execution.arrow.maxBytesPerBatch", "2147483647")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    index = vs.ship(session, RegionIndex.from_arrow(_regions()))
    fixes = session.read.parquet(str(DATA / f"fixes/{day}"))
    state = DATA / f"state/{day - 1}" if day else None
    found = vs.events(fixes, index, state=state, new_state=DATA / f"state/{day}", buckets=BUCKETS)
    found.write.mode("overwrite").parquet(str(DATA / f"events/{day}"))
    session.stop()


def _start(day: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, "--job", str(day)], start_new_session=True)


def _finish(day: int) -> float:
    start = time.perf_counter()
    if _start(day).wait():
        raise SystemExit(f"the job of day {day + 1} failed")
    return time.perf_counter() - start


def spark() -> None:
    """Run both days, the second with a restart."""
    for name in ("state", "events", "scratch"):
        shutil.rmtree(DATA / name, ignore_errors=True)
    (DATA / "scratch").mkdir()
    print(f"day 1 on Spark: {_finish(0):.0f} s", flush=True)
    start, killed = time.perf_counter(), _start(1)
    while killed.poll() is None and len(list((DATA / "state/1").glob("*"))) < BUCKETS // 3:
        time.sleep(0.2)
    if killed.poll() is not None:
        raise SystemExit("the job of day 2 ended before it was killed")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    files = len(list((DATA / "state/1").glob("*")))
    print(f"day 2 on Spark: killed after {time.perf_counter() - start:.0f} s, with {files} files of {BUCKETS} in its state", flush=True)
    print(f"day 2 again: {_finish(1):.0f} s", flush=True)


def program() -> None:
    """Have the program find the events of both days, in one run."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    output = DATA / "program.csv"
    start = time.perf_counter()
    command = [PROGRAM, "events", str(DATA / "regions.csv"), "--tracks", "-", "--output", str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"device,time,latitude,longitude\n")
        plain = pc.WriteOptions(include_header=False)
        for day in range(DAYS):
            for path in sorted((DATA / f"fixes/{day}").iterdir()):
                table = pq.read_table(path)
                seconds = table["time"].cast(pa.int64()).to_numpy() // 1_000_000
                pc.write_csv(table.set_column(1, "time", pa.array(seconds)), process.stdin, plain)
        process.stdin.close()
    if process.returncode:
        raise SystemExit("the program failed")
    print(f"both days by the program: {time.perf_counter() - start:.0f} s", flush=True)


def compare() -> None:
    """Compare the two lists of events, sorted, row by row."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    keys = [(name, "ascending") for name in ("device", "time", "region", "kind")]
    types = {"device": pa.string(), "time": pa.timestamp("us", "UTC"), "inferred": pa.bool_()}
    ours = pa.concat_tables(pq.read_table(DATA / f"events/{day}") for day in range(DAYS)).sort_by(keys)
    theirs = csv.read_csv(DATA / "program.csv", convert_options=csv.ConvertOptions(column_types=types)).sort_by(keys)
    print(f"{ours.num_rows:,} events on Spark, {theirs.num_rows:,} by the program", flush=True)
    for name in ("device", "time", "region", "kind", "inferred"):
        if not ours[name].equals(theirs[name]):
            raise SystemExit(f"they differ in {name}")
    for name in ("latitude", "longitude"):
        most = pc.max(pc.abs(pc.subtract(ours[name], theirs[name]))).as_py()
        # The program writes eight decimals.
        if most > 5.1e-9:
            raise SystemExit(f"they differ in {name} by {most} degrees")
    print("all rows are the same", flush=True)


if __name__ == "__main__":
    if "--job" in sys.argv:
        job(int(sys.argv[sys.argv.index("--job") + 1]))
    else:
        begun = time.perf_counter()
        make()
        print(f"{MILLIONS} million fixes of {FILES * DEVICES_A_FILE:,} devices, made in {time.perf_counter() - begun:.0f} s", flush=True)
        spark()
        program()
        compare()
