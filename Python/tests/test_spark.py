"""On a real local cluster with two workers: the rows of the local run, whatever the partitioning."""

import os
import re
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import vicinity
from vicinity import spark as vs

pytest.importorskip("pyspark")
DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("vicinity")
        .config("spark.sql.shuffle.partitions", "5")
        .config("spark.sql.session.timeZone", "Europe/Vienna")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "700")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "1g")
        .getOrCreate()
    )
    yield made
    made.stop()


@pytest.fixture(scope="module")
def shipped(session, index):
    return vs.ship(session, index)


@pytest.fixture(scope="module")
def frames(session, tables):
    return {name: session.createDataFrame(tables[name].to_pandas()) for name in ("points", "tracks")}


def rows_of(table):
    """Rows as tuples, in an order of their own."""
    columns = pa.table(table).to_pydict()
    return sorted(zip(*columns.values(), strict=True))


def rows_in(frame):
    return rows_of(frame.toArrow())


def test_two_workers(session):
    def place(batches):
        for batch in batches:
            yield pa.record_batch({"folder": [os.getcwd()] * len(batch)})

    found = session.range(0, 1000, numPartitions=8).mapInArrow(place, "folder string").distinct().collect()
    assert len(found) == 2


@pytest.mark.parametrize("partitions", [1, 3, 11])
def test_nearest_within_containing(frames, shipped, index, tables, partitions):
    points = frames["points"].repartition(partitions)
    assert rows_in(vs.nearest(points, shipped, 3)) == rows_of(index.nearest(tables["points"], 3))
    assert rows_in(vs.containing(points, shipped)) == rows_of(index.containing(tables["points"]))
    assert rows_in(vs.within(points, shipped, 400)) == rows_of(index.within(tables["points"], 400))


@pytest.mark.parametrize("partitions", [1, 4])
def test_events(frames, shipped, index, tables, partitions):
    """Shuffled rows, devices cut across batches of 700 rows."""
    tracks = frames["tracks"].orderBy("latitude").repartition(3)
    for options in [{}, {"rule": "core-location", "dwell": 300}]:
        found = vs.events(tracks, shipped, partitions=partitions, **options)
        wanted = index.events(tables["tracks"], **options)
        assert len(wanted) > 100
        assert rows_in(found) == rows_of(wanted)


def test_hourly_batches(session, frames, shipped, index, tables, tmp_path):
    """State goes from batch to batch, also of devices that an hour knows nothing of; to run one again changes nothing."""
    from pyspark.sql import functions as f

    wanted = rows_of(index.events(tables["tracks"], dwell=200))
    hours = frames["tracks"].withColumn("hour", f.hour("time") + 24 * f.dayofyear("time"))
    numbers = sorted(row["hour"] for row in hours.select("hour").distinct().collect())
    # Six batches are enough; one of them has one device less.
    cuts = [numbers[i * len(numbers) // 6] for i in range(6)] + [numbers[-1] + 1]
    found, state = [], None
    for i in range(6):
        rows = hours.where((f.col("hour") >= cuts[i]) & (f.col("hour") < cuts[i + 1])).drop("hour")
        batch = vs.events(rows, shipped, dwell=200, state=state, new_state=tmp_path / str(i), buckets=4)
        once = rows_in(batch)
        if i == 2:
            assert rows_in(batch) == once
        found += once
        state = tmp_path / str(i)
    assert sorted(found) == wanted


def test_errors(session, frames, shipped):
    bad = session.createDataFrame(
        [("a", 48.0, 16.0), ("b", 95.0, 16.0)], "id string, latitude double, longitude double"
    )
    with pytest.raises(Exception, match='column "latitude": latitude 95.0 is not within'):
        vs.nearest(bad.repartition(1), shipped).collect()
    with pytest.raises(vicinity.SchemaError, match="no such column"):
        vs.events(frames["points"], shipped)
    with pytest.raises(vicinity.ArgumentError, match="new_state"):
        vs.events(frames["tracks"], shipped, state="here")


def test_page(session, tmp_path, monkeypatch):
    """The page runs from top to bottom."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "OnSpark.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    space = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "OnSpark.md", "exec"), space)
