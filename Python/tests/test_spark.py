"""On a real local cluster with two workers: the rows of the local run, whatever the partitioning."""

import itertools
import os
import re
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import doors
import pyarrow as pa
import pytest

import vicinity
from vicinity import ColumnWarning
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


def in_order(table):
    """Rows as tuples, in an order of their own, with nulls behind all else."""
    rows = zip(*pa.table(table).to_pydict().values(), strict=True)
    return sorted(rows, key=lambda row: [(item is None, 0 if item is None else item) for item in row])


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


@pytest.mark.parametrize("batch", [1, 64, 10_000])
def test_events_of_any_layout(session, shipped, index, tables, batch):
    """One device with most rows and hundreds with few, stored by hour, by place, or in any order; batches of any size."""
    from pyspark.sql import functions as f

    tracks = tables["tracks"].to_pandas()
    names = sorted(tracks["device"].unique())
    numbers = tracks.groupby("device").cumcount()
    # A day of the first device stays whole; the second's becomes trips of 12 fixes; the others are left out.
    tracks["device"] = tracks["device"].where(tracks["device"] != names[1], "trip " + (numbers // 12).astype(str))
    tracks = tracks[~tracks["device"].isin(names[2:])]
    if batch == 1:
        # A call for each fix: a quarter of an hour of everything is enough.
        tracks = tracks.groupby("device").head(90)
    wanted = rows_of(index.events(pa.Table.from_pandas(tracks, preserve_index=False), sort=True))
    assert len(wanted) > (0 if batch == 1 else 20)
    frame = session.createDataFrame(tracks)
    layouts = {
        "by hour": frame.repartitionByRange(6, f.date_trunc("hour", "time")).sortWithinPartitions("time"),
        "by place": frame.repartitionByRange(3, "longitude"),
        "backwards": frame.coalesce(1).sortWithinPartitions(f.desc("time")),
    }
    before = session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch))
    try:
        for layout, rows in layouts.items():
            for partitions in [1, 7] if batch > 1 else [3]:
                assert rows_in(vs.events(rows, shipped, partitions=partitions)) == wanted, (layout, partitions)
    finally:
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", before)


def test_regions_as_numbers(session, frames, tables):
    numbered = vicinity.RegionIndex.from_arrow(
        tables["regions"].set_column(0, "id", pa.array(range(len(tables["regions"]))))
    )
    shipped = vs.ship(session, numbered)
    points, same = frames["points"], tables["points"]
    found = vs.nearest(points, shipped, 3, region_numbers=True)
    assert dict(found.dtypes)["region"] == "bigint"
    assert rows_in(found) == rows_of(numbered.nearest(same, 3, region_numbers=True))
    near = vs.within(points, shipped, 400, region_numbers=True)
    assert rows_in(near) == rows_of(numbered.within(same, 400, region_numbers=True))
    inside = vs.containing(points, shipped, region_numbers=True)
    assert rows_in(inside) == rows_of(numbered.containing(same, region_numbers=True))


def test_columns_without_nulls(frames, shipped):
    """The schema says which columns are never null, as the library's does; a null in an identifier is an error."""
    nullable = {field.name for field in vs.nearest(frames["points"], shipped).schema if field.nullable}
    assert nullable == {"centre_distance"}
    assert not any(field.nullable for field in vs.events(frames["tracks"], shipped).schema)
    with pytest.raises(Exception, match='column "id": null'):
        vs.nearest(frames["points"].selectExpr("nullif(id, 'p, 4') as id", "latitude", "longitude"), shipped).collect()


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


def other_regions(index, name):
    """The same places under other names."""
    columns = index.regions().to_pydict()
    del columns["is_polygon"]
    return vicinity.RegionIndex.from_arrow({**columns, "id": [f"{name} {item}" for item in columns["id"]]})


def test_a_file_shipped_again(session, frames, index, tables, tmp_path):
    """Each answer is of the regions that were in the file when it was shipped."""
    path = tmp_path / "regions.vicinity"
    points = frames["points"].limit(200)
    same = tables["points"].slice(0, 200)
    shipped, indexes = [], [index, other_regions(index, "second"), other_regions(index, "third")]
    for made in indexes:
        made.save(path)
        shipped.append(vs.ship(session, path))
        assert rows_in(vs.nearest(points, shipped[-1], 2)) == rows_of(made.nearest(same, 2))
    for made, there in zip(indexes, shipped, strict=True):
        assert rows_in(vs.nearest(points, there, 2)) == rows_of(made.nearest(same, 2))
    # The same contents once more, and a file that is overwritten in place before any worker has it.
    assert vs.ship(session, indexes[2]) == shipped[2]
    again = vs.ship(session, path)
    path.write_bytes(b"nothing")
    assert rows_in(vs.nearest(points, again, 2)) == rows_of(indexes[2].nearest(same, 2))
    # On storage that all see there is but the one file: another is an error.
    other_regions(index, "shared").save(path)
    shared = vs.ship(session, path, shared=True)
    other_regions(index, "fourth").save(path)
    with pytest.raises(Exception, match="is not the file that was shipped: .*ship it again"):
        vs.nearest(points, shared, 2).collect()
    with pytest.raises(vicinity.FileError, match="none.vicinity: No such file"):
        vs.ship(session, tmp_path / "none.vicinity")
    with pytest.raises(vicinity.FileError, match="none.vicinity: No such file"):
        vs.ship(session, tmp_path / "none.vicinity", shared=True)


def test_addresses_are_no_paths(session, frames, shipped, tmp_path, monkeypatch):
    """An address of other storage is refused before any work, and no folder of that name is made."""
    monkeypatch.chdir(tmp_path)
    tracks = frames["tracks"]
    mounted = "a plain path is expected, of a file system that is mounted on the driver and all workers"
    for folder in ("s3://bucket/state/1", "hdfs://name/state/1", "dbfs:/state/1", Path("s3a://bucket/state")):
        for options in ({"new_state": folder}, {"state": folder, "new_state": tmp_path / "1"}):
            with pytest.raises(vicinity.ArgumentError, match=f"^{next(iter(options))}: '.*' is a URI; {mounted}"):
                vs.events(tracks, shipped, **options)
        with pytest.raises(vicinity.ArgumentError, match=f"^index: .* is a URI; {mounted}"):
            vs.ship(session, folder, shared=True)
    for folder in (f"file://{tmp_path}/a%20b", f"file:{tmp_path}/a b"):
        with pytest.raises(vicinity.ArgumentError, match=f"^new_state: .* is a URI; write the path, '{tmp_path}/a b'"):
            vs.events(tracks, shipped, new_state=folder)
    with pytest.raises(vicinity.ArgumentError, match="^index: .*of a file system that is mounted on the driver$"):
        vs.ship(session, "s3://bucket/regions.vicinity")
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_of_any_width(session, shipped):
    """Identifiers of points come back in their type, to their extremes, and so do names of devices."""
    for kind, values in [
        ("tinyint", [-128, 127]),
        ("smallint", [-(2**15), 2**15 - 1]),
        ("int", [-(2**31), 2**31 - 1]),
        ("bigint", [-(2**63), 2**63 - 1]),
        ("decimal(20,0)", [9223372036854775813, 9223372036854775817]),
    ]:
        rows = [(str(value), 48.2, 16.4) for value in values]
        frame = session.createDataFrame(rows, "id string, latitude double, longitude double")
        frame = frame.selectExpr(f"cast(id as {kind}) as id", "latitude", "longitude")
        found = vs.nearest(frame, shipped, 1)
        assert dict(found.dtypes)["query"] == kind
        assert sorted(int(row["query"]) for row in found.collect()) == values
    with pytest.raises(vicinity.SchemaError, match="strings or whole numbers are expected, not decimal"):
        vs.nearest(frame.selectExpr("cast(1.5 as decimal(3,1)) as id", "latitude", "longitude"), shipped)


def test_unsigned_regions(session):
    cells = [9223372036854775813, 9223372036854775817]
    index = vicinity.RegionIndex.from_arrow({"id": cells, "latitude": [0, 0], "longitude": [0, 1], "radius": [9, 9]})
    points = session.createDataFrame([("a", 0.0, 0.0)], "id string, latitude double, longitude double")
    found = vs.nearest(points, vs.ship(session, index), region_numbers="unsigned")
    assert dict(found.dtypes)["region"] == "decimal(20,0)"
    assert sorted(int(row["region"]) for row in found.collect()) == cells


def test_no_count_where_a_distance_limits(session):
    rings = {
        "id": list(range(60)),
        "latitude": [0.0] * 60,
        "longitude": [0.0] * 60,
        "radius": [100.0 + i for i in range(60)],
    }
    shipped = vs.ship(session, vicinity.RegionIndex.from_arrow(rings))
    point = session.createDataFrame([("a", 0.0, 0.0)], "id string, latitude double, longitude double")
    for found, count in [
        (vs.nearest(point, shipped, max_distance=0), 60),
        (vs.nearest(point, shipped, None), 60),
        (vs.nearest(point, shipped, None, max_distance=0), 60),
        (vs.nearest(point, shipped), 20),
        (vs.nearest(point, shipped, 7, max_distance=0), 7),
        (vs.containing(point, shipped), 60),
    ]:
        assert found.count() == count


def halves(frames):
    """Tracks until noon, and after."""
    from pyspark.sql import functions as f

    times = frames["tracks"].agg(f.min("time"), f.max("time")).first()
    middle = times[0] + (times[1] - times[0]) / 2
    return frames["tracks"].where(f.col("time") < middle), frames["tracks"].where(f.col("time") >= middle)


def test_buckets_are_kept(frames, shipped, index, tables, tmp_path):
    """The number of buckets is the folder's; another is an error that says both, and none loses state."""
    wanted = rows_of(index.events(tables["tracks"]))
    early, late = halves(frames)
    found = rows_in(vs.events(early, shipped, new_state=tmp_path / "1", buckets=3))
    for buckets in (5, 2, 1, 4):
        with pytest.raises(
            vicinity.ArgumentError, match=f"among 3 buckets, which cannot become {buckets}: .* such as buckets=6"
        ):
            vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2", buckets=buckets)
    found += rows_in(vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2"))
    assert sorted(found) == wanted
    # The folder has the state of one batch, which may run again, and no other.
    again = rows_in(vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2"))
    assert len(again) + len(rows_in(vs.events(early, shipped, new_state=tmp_path / "1", buckets=3))) == len(wanted)
    with pytest.raises(Exception, match="time runs backwards: .*; an earlier batch had that later fix"):
        vs.events(early, shipped, state=tmp_path / "2", new_state=tmp_path / "4").collect()
    for options in ({"buckets": 7}, {"dwell": 60}, {"rule": "naive"}):
        with pytest.raises(vicinity.ArgumentError, match="holds the state of another batch"):
            vs.events(early, shipped, new_state=tmp_path / "2", **options)
    for buckets in (0, -1, 2.5, "4", True):
        with pytest.raises(vicinity.ArgumentError, match="buckets"):
            vs.events(early, shipped, new_state=tmp_path / "3", buckets=buckets)


def test_more_buckets(session, shipped, index, tables, tmp_path):
    """The number of buckets grows by whole multiples between batches, and no device loses its state."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    tracks = tables["tracks"].to_pandas()
    # Many devices, so that all buckets have some.
    tracks["device"] = tracks["device"] + (tracks.groupby("device").cumcount() // 200).astype(str)
    frame = session.createDataFrame(tracks)
    wanted = rows_of(index.events(pa.Table.from_pandas(tracks, preserve_index=False), dwell=100))
    turn = f.row_number().over(Window.partitionBy("device").orderBy("time")) - 1
    rows = frame.withColumn("_part", f.least(f.lit(3), (turn / 50).cast("int"))).cache()
    found, state = [], None
    for part, buckets in enumerate([2, 4, None, 12]):
        batch = rows.where(f.col("_part") == part).drop("_part")
        new = tmp_path / str(part)
        found += rows_in(vs.events(batch, shipped, dwell=100, state=state, new_state=new, buckets=buckets))
        state = new
    assert len(list((tmp_path / "2").glob("*.state"))) == 4
    assert len(list((tmp_path / "3").glob("*.state"))) == 12
    # There are events that need the state.
    parts = [rows.where(f.col("_part") == part).drop("_part") for part in range(4)]
    assert sorted(row for part in parts for row in rows_in(vs.events(part, shipped, dwell=100))) != wanted
    assert sorted(found) == wanted


def test_another_batch_into_a_folder(session, shipped, index, tmp_path):
    """A folder that has the state after a batch takes that batch again, and no other."""
    rows = [("a", 1.75e9 + 60 * i, 48.0, 16.0 + 0.01 * i) for i in range(30)]
    names = "device string, time double, latitude double, longitude double"
    days = [session.createDataFrame(rows[10 * day : 10 * day + 10], names) for day in range(3)]

    def run(day, state, new_state):
        before = None if state is None else tmp_path / state
        return rows_in(vs.events(day, shipped, state=before, new_state=tmp_path / new_state, buckets=4, initial=True))

    first, second = run(days[0], None, "0"), run(days[1], "0", "1")
    kept = {path.name: path.read_bytes() for path in (tmp_path / "1").iterdir()}
    # Again, in another order and in other pieces.
    assert run(days[1].orderBy("longitude", ascending=False).repartition(3), "0", "1") == second
    assert run(days[0], None, "0") == first
    # The next day with the folders of the day before, a day whose state was forgotten, and a part of the day.
    for day, state, new_state in ((days[2], "0", "1"), (days[1], None, "0"), (days[1].limit(9), "0", "1")):
        with pytest.raises(Exception, match="holds the state of another batch .bucket"):
            run(day, state, new_state)
    changed = days[1].selectExpr("device", "time", "latitude", "longitude + 1e-9 longitude")
    with pytest.raises(Exception, match="holds the state of another batch .bucket"):
        run(changed, "0", "1")
    assert {path.name: path.read_bytes() for path in (tmp_path / "1").iterdir()} == kept
    run(days[2], "1", "2")


def test_columns_that_could_be_meant(session, shipped):
    """What a local call says of columns, the driver says too, once."""
    rows = session.createDataFrame(
        [("t", "v", 1.75e9, 48.0, 16.0, 2.0)],
        "trip_id string, vehicle_id string, time double, lat double, lon double, latitude double",
    )
    told = []
    for ask in (vs.events, vs.stays):
        with pytest.warns(ColumnWarning) as found:
            ask(rows, shipped)
        told.append([str(warning.message) for warning in found if issubclass(warning.category, ColumnWarning)])
        assert found[0].filename == __file__
    assert told[0] == told[1]
    assert any('from the column "vehicle_id"; "trip_id" could hold them too' in words for words in told[0])
    assert any('from the column "latitude"; "lat" could hold them too' in words for words in told[0])
    with pytest.warns(ColumnWarning, match='each trip of the column "trip_id" is taken for a device'):
        vs.events(rows.drop("vehicle_id", "lat"), shipped)
    points = session.createDataFrame([("p", 48.0, 16.0, 2.0)], "id string, lat double, lon double, latitude double")
    with pytest.warns(ColumnWarning, match='"lat" could hold them too'):
        vs.nearest(points, shipped)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vs.events(rows.drop("lat"), shipped, columns={"device": "vehicle_id"})
        vs.nearest(points.drop("lat"), shipped)


def test_folders_that_hold_no_state(session, frames, shipped, index, tmp_path):
    early, late = halves(frames)
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "none"):
        with pytest.raises(vicinity.FileError, match="is not a folder that a batch wrote .*vicinity-state.json"):
            vs.events(late, shipped, state=tmp_path / folder, new_state=tmp_path / "x")
    # An empty folder is as good as a new one.
    assert vs.events(early, shipped, new_state=tmp_path / "empty", buckets=2).count() > 0
    # A batch that has not run, or not to its end.
    vs.events(early, shipped, new_state=tmp_path / "lazy", buckets=2)
    with pytest.raises(
        Exception, match="00000.state is missing: the batch that was to write it did not run to its end"
    ):
        vs.events(late, shipped, state=tmp_path / "lazy", new_state=tmp_path / "y").collect()
    (tmp_path / "empty/00001.state").unlink()
    with pytest.raises(Exception, match="00001.state is missing"):
        vs.events(late, shipped, state=tmp_path / "empty", new_state=tmp_path / "z").collect()
    (tmp_path / "empty/00001.state").write_bytes(b"VICSTATE and not much more")
    with pytest.raises(Exception, match="the state of bucket 1: not the state of a fleet, or damaged"):
        vs.events(late, shipped, state=tmp_path / "empty", new_state=tmp_path / "z").collect()
    for text, words in [("{", "cannot be read"), ("[]", "format 1 is expected"), ('{"format": 1}', "is damaged")]:
        (tmp_path / "empty/vicinity-state.json").write_text(text)
        with pytest.raises(vicinity.FileError, match=words):
            vs.events(late, shipped, state=tmp_path / "empty", new_state=tmp_path / "w")


def test_state_of_another_rule_or_index(session, frames, shipped, index, tmp_path):
    early, late = halves(frames)
    vs.events(early, shipped, new_state=tmp_path / "1", buckets=2).count()
    with pytest.raises(
        Exception, match="the state of bucket .: .*other options: rule is geometric there and naive here"
    ):
        vs.events(late, shipped, "naive", state=tmp_path / "1", new_state=tmp_path / "2").collect()
    others = vs.ship(session, other_regions(index, "other"))
    with pytest.raises(Exception, match="the state of bucket .: .*made with other regions"):
        vs.events(late, others, state=tmp_path / "1", new_state=tmp_path / "3").collect()


def test_devices_keep_their_bucket_whatever_their_type(session, tmp_path):
    """A column of names that is text in one batch and numbers in the next."""
    regions = vicinity.RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [100.0]})
    shipped = vs.ship(session, regions)
    schema = "device string, time double, latitude double, longitude double"
    devices = [str(i) for i in range(40)]
    inside = session.createDataFrame([(name, 0.0, 0.0, 0.0) for name in devices], schema)
    outside = session.createDataFrame([(name, 60.0, 0.01, 0.0) for name in devices], schema)
    assert vs.events(inside, shipped, new_state=tmp_path / "1").count() == 0
    numbers = outside.withColumn("device", outside["device"].cast("bigint"))
    found = vs.events(numbers, shipped, state=tmp_path / "1", new_state=tmp_path / "2")
    assert sorted(row["device"] for row in found.collect()) == sorted(devices)


def test_rows_without_a_device(session, shipped, tmp_path):
    """They fail the task, with a state as without one."""
    rows = [("a", 0.0, 48.2, 16.4), (None, 1.0, 48.2, 16.4), ("b", 2.0, 48.2, 16.4)]
    tracks = session.createDataFrame(rows, "device string, time double, latitude double, longitude double")
    for options in ({}, {"new_state": tmp_path / "1"}, {"new_state": tmp_path / "2", "buckets": 1}):
        with pytest.raises(Exception, match='column "device": null'):
            vs.events(tracks, shipped, **options).collect()
    numbers = tracks.selectExpr("if(device is null, null, 5) as device", "time", "latitude", "longitude")
    with pytest.raises(Exception, match='column "device": null'):
        vs.events(numbers, shipped, new_state=tmp_path / "3").collect()


def fixes_with_a_null(session, column):
    rows = {
        "device": ["a", "a", "a", "b"],
        "time": [1e9, 1e9 + 10, 1e9 + 20, 1e9],
        "latitude": [48.2] * 4,
        "longitude": [16.4] * 4,
    }
    rows[column][1] = None
    schema = "device string, time double, latitude double, longitude double"
    return session.createDataFrame(list(zip(*rows.values(), strict=True)), schema)


@pytest.mark.parametrize("column", ["device", "time", "latitude", "longitude"])
def test_nulls_fail(session, shipped, tmp_path, column):
    """The task names the column, in events with a state and without one, and in stays."""
    tracks = fixes_with_a_null(session, column)
    stamped = tracks.withColumn("time", tracks["time"].cast("timestamp"))
    for frame in (tracks, stamped):
        with pytest.raises(Exception, match=f'DataError: partition .*column "{column}": null'):
            vs.events(frame, shipped).collect()
    with pytest.raises(Exception, match=f'DataError: partition .*column "{column}": null'):
        vs.events(tracks, shipped, new_state=tmp_path / "1").collect()
    with pytest.raises(Exception, match=f'DataError: partition .*column "{column}": null'):
        vs.stays(tracks, shipped).collect()


@pytest.mark.parametrize("partitions", [1, 4])
def test_stays(session, shipped, index, tables, partitions):
    """Rows in no order of time, whose devices are cut across batches."""
    tracks = session.createDataFrame(tables["tracks"].sort_by("latitude").to_pandas())
    for options in [{}, {"rule": "core-location", "remain": 60, "max_gap": 60}]:
        found = vs.stays(tracks, shipped, partitions=partitions, **options)
        wanted = index.stays(tables["tracks"], **options)
        assert len(wanted) > 100
        assert set(pa.table(wanted)["open"].to_pylist()) > {"no", "end"}
        assert in_order(found.toArrow()) == in_order(wanted)
    assert {field.name for field in found.schema if field.nullable} == {"enter", "duration"}
    assert vs.stays(tracks.limit(0), shipped).count() == 0


def test_initial(frames, shipped, index, tables, tmp_path):
    """Which regions devices are in at their first fix; with a state this is told once."""
    wanted = rows_of(index.events(tables["tracks"], initial=True))
    assert sum(row[3] == "initial" for row in wanted) > 2
    assert rows_in(vs.events(frames["tracks"], shipped, initial=True)) == wanted
    early, late = halves(frames)
    found = rows_in(vs.events(early, shipped, initial=True, new_state=tmp_path / "1", buckets=3))
    found += rows_in(vs.events(late, shipped, initial=True, state=tmp_path / "1", new_state=tmp_path / "2"))
    assert sorted(found) == wanted


def test_columns_of_the_fixes(session, frames, shipped, index, tables, tmp_path):
    """Each event has the other columns of the first fix that is not before it."""
    from pyspark.sql import functions as f

    table = tables["tracks"].to_pandas()
    table["trip"] = [f"trip {i // 7}" for i in range(len(table))]
    table["weight"] = [float(i) for i in range(len(table))]
    tracks = session.createDataFrame(table)
    for rule in ("geometric", "naive"):
        events = vs.events(tracks, shipped, rule)
        found = vs.join_fixes(events, tracks.repartition(3), ["trip", "weight"])
        assert found.columns == [*events.columns, "trip", "weight"]
        assert rows_in(found.drop("trip", "weight")) == rows_of(index.events(tables["tracks"], rule))
        for row in found.toPandas().itertuples():
            fixes = table[table["device"] == row.device]
            times = fixes["time"].dt.ceil("ms")
            first = fixes[times >= session_time(row.time)].iloc[0]
            assert (row.trip, row.weight) == (first["trip"], first["weight"])
    # Batch by batch, with a state, as at once: an event between two batches is of the later one's first fix.
    middle = tracks.select(f.percentile_approx("time", 0.5)).first()[0]
    once = rows_in(vs.join_fixes(vs.events(tracks, shipped), tracks, ["trip"]))
    first, second = tracks.where(f.col("time") < middle), tracks.where(f.col("time") >= middle)
    states = [{"new_state": tmp_path / "1"}, {"state": tmp_path / "1", "new_state": tmp_path / "2"}]
    halved = []
    for rows, state in zip((first, second), states, strict=True):
        halved += rows_in(vs.join_fixes(vs.events(rows, shipped, **state), rows, ["trip"]))
    assert sorted(halved) == once


def session_time(time):
    """A time as Spark gives it to pandas: in the session's zone."""
    import pandas

    return pandas.Timestamp(time).tz_localize("Europe/Vienna").tz_convert("UTC")


@pytest.mark.parametrize("kind", ["double", "milliseconds", "timestamp", "timestamp_ntz"])
def test_columns_of_fixes_at_one_time(session, tmp_path, kind):
    """Rows at one time: the one whose values sort first. Times below the millisecond: the last fix is found."""
    regions = vicinity.RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [100.0]})
    shipped = vs.ship(session, regions)
    rows = [
        ("d", 1_700_000_000.0, 0.01, 0.0, "first"),
        ("d", 1_700_000_010.0006, 0.0, 0.0, "z"),
        ("d", 1_700_000_010.0006, 0.0, 0.0, "b"),
        ("d", 1_700_000_010.0006, 0.0, 0.0, None),
        ("other", 1_700_000_005.0, 0.0, 0.0, "other"),
    ]
    tracks = session.createDataFrame(rows, "device string, time double, latitude double, longitude double, trip string")
    options = {}
    if kind == "milliseconds":
        tracks = tracks.selectExpr("device", "time * 1000 as time_ms", "latitude", "longitude", "trip")
    elif kind != "double":
        tracks = tracks.withColumn("time", tracks["time"].cast("timestamp"))
        if kind == "timestamp_ntz":
            session.conf.set("spark.sql.session.timeZone", "UTC")
            tracks = tracks.withColumn("time", tracks["time"].cast("timestamp_ntz"))
            with pytest.raises(
                vicinity.SchemaError, match='"time": its timestamps state no zone; set naive_times="utc"'
            ):
                vs.join_fixes(tracks, tracks.withColumnRenamed("trip", "other"), ["other"])
            options = {"naive_times": "utc"}
    try:
        events = vs.events(tracks, shipped, "naive", **options)
        for named in ([1, 2, 4], [1, 4]):
            some = session.createDataFrame(
                [row for i, row in enumerate(tracks.collect()) if i in (0, *named)], tracks.schema
            )
            found = vs.join_fixes(events, some, ["trip"], **options).collect()
            assert [(row["kind"], row["trip"]) for row in found] == [("enter", "b" if 2 in named else "z")]
        # With the null, which sorts before all others.
        assert vs.join_fixes(events, tracks, ["trip"], **options).first()["trip"] is None
        # Of other tracks.
        others = tracks.where("device = 'other'")
        assert [row["trip"] for row in vs.join_fixes(events, others, ["trip"], **options).collect()] == [None]
    finally:
        session.conf.set("spark.sql.session.timeZone", "Europe/Vienna")
    for names, words in [(["region"], 'have a column "region", too'), ([], "a list of columns"), ("trip", "a list")]:
        with pytest.raises(vicinity.ArgumentError, match=words):
            vs.join_fixes(events, tracks.withColumnRenamed("trip", "region"), names)
    with pytest.raises(vicinity.SchemaError, match='"ride": there is no such column; there are: device'):
        vs.join_fixes(events, tracks, ["ride"])
    with pytest.raises(vicinity.SchemaError, match="timestamps or numbers .* are expected, not string"):
        vs.join_fixes(events, tracks.selectExpr("device", "'noon' as time", "trip"), ["trip"])


FIXES = "device string, time double, latitude double, longitude double, accuracy double, fare int"


@pytest.fixture(scope="module")
def ride(session):
    """One device that enters the circle between its fixes at 0 and 120 seconds; the row between them is none."""
    return session.createDataFrame(
        [("d", 0.0, 0.01, 0.0, 5.0, 1), ("d", 115.0, 0.005, 0.0, -1.0, 2), ("d", 120.0, 0.0, 0.0, 5.0, 3)], FIXES
    )


def test_rows_that_are_no_fixes_are_not_joined(session, circle, ride):
    """What events leaves out, or refuses, does not give an event its columns; the same rows without accuracies are fixes."""
    fares = lambda events, rows, **options: [
        row["fare"] for row in vs.join_fixes(events, rows, ["fare"], **options).collect()
    ]
    events = vs.events(ride, circle).cache()
    assert events.count() == 1
    assert fares(events, ride) == [3]
    assert fares(events, ride.drop("accuracy")) == [2]
    named = ride.withColumnRenamed("accuracy", "how_good")
    assert fares(events, named, columns={"accuracy": "how_good"}) == [3]
    # No position for AIS, and what a local call leaves out or refuses.
    fine = ride.withColumn("accuracy", ride["accuracy"] * 0 + 5)
    for place in (
        "91D, 181D",
        "null, 0D",
        "0D, null",
        "0D, double('NaN')",
        "double('NaN'), 0D",
        "95D, 0D",
        "0D, double('inf')",
    ):
        latitude, longitude = place.split(", ")
        lost = fine.selectExpr(
            "device", "time", f"if(fare = 2, {latitude}, latitude) latitude",
            f"if(fare = 2, {longitude}, longitude) longitude", "accuracy", "fare",
        )  # fmt: skip
        assert fares(events, lost) == [3], place
    assert fares(vs.events(lost.where("fare <> 2"), circle), fine) == [2]
    assert fares(events, fine.selectExpr("device", "time", "fare")) == [2]


def test_join_of_names_that_differ_by_case(session, circle, ride):
    """They are one name, unless the session tells cases apart."""
    events = vs.events(ride, circle)
    named = ride.withColumn("Region", ride["fare"])
    with pytest.raises(vicinity.ArgumentError, match='have a column "Region", too; rename that of the tracks'):
        vs.join_fixes(events, named, ["Region"])
    session.conf.set("spark.sql.caseSensitive", "true")
    try:
        row = vs.join_fixes(events, named, ["Region"]).select("region", "Region").first()
        assert tuple(row) == ("a", 3)
    finally:
        session.conf.unset("spark.sql.caseSensitive")


def test_join_of_stays(session, circle, ride):
    """Stays have no column time: one of theirs is named. The entry of a stay that has none gets no columns."""
    stays = vs.stays(ride, circle).cache()
    with pytest.raises(
        vicinity.ArgumentError, match=r'columns device and time .* withColumnRenamed\("enter", "time"\)'
    ):
        vs.join_fixes(stays, ride, ["fare"])
    with pytest.raises(vicinity.ArgumentError, match="are expected; there are: fare int; give what vs.events gave"):
        vs.join_fixes(ride.select("fare"), ride.withColumnRenamed("fare", "price"), ["price"])
    entries = stays.select("device", "region", stays["enter"].alias("time"))
    assert vs.join_fixes(entries, ride, ["fare"]).first()["fare"] == 3
    # An entry may not be known.
    unknown = entries.selectExpr("device", "region", "nullif(time, time) as time")
    assert vs.join_fixes(unknown, ride, ["fare"]).first()["fare"] is None


class Files:
    """Tracks as files that a stream reads one by one, and what its queries write."""

    def __init__(self, session, folder, table=None):
        self.session, self.folder, self.count = session, folder, 0
        (folder / "in").mkdir(parents=True)
        self.schema = "device string, time timestamp, latitude double, longitude double, accuracy double"
        self.table = table

    def add(self, table):
        """Another file, later than all before it."""
        import pyarrow.parquet as pq

        path = self.folder / f"in/{self.count}.parquet"
        pq.write_table(table, self.folder / "new", coerce_timestamps="us")
        os.utime(self.folder / "new", (1000 + self.count, 1000 + self.count))
        os.rename(self.folder / "new", path)
        self.count += 1

    def read(self):
        reader = self.session.readStream.schema(self.schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder / "in"))

    def writer(self, events):
        return events.writeStream.option("checkpointLocation", str(self.folder / "checkpoint"))

    def start(self, events, **trigger):
        """A query whose sink is files, each batch's once."""
        writer = self.writer(events).format("parquet").option("path", str(self.folder / "out"))
        return writer.trigger(**(trigger or {"availableNow": True})).start()

    def run(self, events):
        """All that is there."""
        self.start(events).awaitTermination()

    def rows(self):
        return rows_in(self.session.read.parquet(str(self.folder / "out")))


def in_slices(table, count):
    """By time, as fixes come in; devices are in all of them. A slice's rows are in any order."""
    table = table.sort_by("time")
    cuts = [i * len(table) // count for i in range(count + 1)]
    return [table.slice(a, b - a).sort_by("latitude") for a, b in itertools.pairwise(cuts)]


def many_devices(tables):
    """The tracks, of more devices."""
    tracks = tables["tracks"].to_pandas()
    tracks["device"] = tracks["device"] + (tracks.groupby("device").cumcount() % 4).astype(str)
    return pa.Table.from_pandas(tracks, preserve_index=False)


def fails_where(flag):
    """A step that fails in the middle of a batch as long as there is a file."""

    def step(batches):
        done = 0
        for batch in batches:
            done += len(batch)
            if done > 500 and os.path.exists(flag):
                raise RuntimeError("the machine is gone")
            yield batch

    return step


def test_stream_goes_on_from_its_checkpoint(session, shipped, index, tables, tmp_path):
    """Stopped, failed in the middle of a batch, and started again: the rows of one local call, none lost and none twice."""
    table = many_devices(tables)
    options = {"initial": True, "dwell": 300, "max_gap": 400}
    wanted = rows_of(index.events(table, **options))
    assert len(wanted) > 1000
    slices = in_slices(table, 6)
    files = Files(session, tmp_path)
    flag = tmp_path / "fail"

    def events():
        return vs.stream_events(files.read().mapInArrow(fails_where(flag), files.schema), shipped, buckets=3, **options)

    for part in slices[:2]:
        files.add(part)
    query = files.start(events(), processingTime="0 seconds")
    query.processAllAvailable()
    query.stop()
    assert 0 < len(files.rows()) < len(wanted)
    files.add(slices[2])
    flag.touch()
    with pytest.raises(Exception, match="the machine is gone"):
        files.run(events())
    flag.unlink()
    for part in slices[3:]:
        files.add(part)
    files.run(events())
    assert files.rows() == wanted
    # Nothing new, nothing told.
    files.run(events())
    assert files.rows() == wanted


def test_stream_into_each_batch(session, shipped, index, tables, tmp_path):
    """A function that fails after it has written gets the same rows again, under the same number."""
    table = many_devices(tables)
    wanted = rows_of(index.events(table, "core-location"))
    files = Files(session, tmp_path)
    for part in in_slices(table, 4):
        files.add(part)
    seen = {}

    def write(batch, number):
        seen.setdefault(number, []).append(rows_in(batch))
        if number == 1 and len(seen[1]) == 1:
            raise RuntimeError("written, then gone")

    def run():
        events = vs.stream_events(files.read(), shipped, "core-location", buckets=2)
        files.writer(events).foreachBatch(write).trigger(availableNow=True).start().awaitTermination()

    with pytest.raises(Exception, match="written, then gone"):
        run()
    run()
    assert sorted(seen) == [0, 1, 2, 3]
    assert len(seen[1]) == 2
    assert seen[1][0] == seen[1][1]
    assert sorted(row for times in seen.values() for row in times[-1]) == wanted


def fixes(*rows):
    """A table of (device, second, latitude)."""
    device, time, latitude = zip(*rows, strict=True)
    start = 1_700_000_000
    return pa.table(
        {
            "device": pa.array(device, pa.string()),
            "time": pa.array([None if t is None else round((start + t) * 1e6) for t in time], pa.int64()).cast(
                pa.timestamp("us", "UTC")
            ),
            "latitude": pa.array(latitude, pa.float64()),
            "longitude": pa.array([0.0] * len(rows)),
            "accuracy": pa.array([None] * len(rows), pa.float64()),
        }
    )


@pytest.fixture(scope="module")
def circle(session):
    regions = {"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [100.0]}
    return vs.ship(session, vicinity.RegionIndex.from_arrow(regions))


def told(files):
    return [(row[0], row[1].second, row[2], row[3]) for row in files.rows()]


def test_stream_with_late_fixes(session, circle, tmp_path):
    """They fail, with nothing told of their batch; or are told themselves. Then the query goes on."""
    files = Files(session, tmp_path)
    run = lambda **options: files.run(vs.stream_events(files.read(), circle, "naive", buckets=1, **options))
    files.add(fixes(("d", 10, 0.01), ("e", 0, 0.01), ("d", 0, 0.01)))
    run()
    files.add(fixes(("d", 20, 0.0), ("d", 5, 0.0), ("e", 10, 0.0)))
    words = (
        'bucket 0, device "d", time 2023-11-14 22:13:25.*: time runs backwards: .*; it came too late, which late="tell"'
    )
    for _ in range(2):
        with pytest.raises(Exception, match=words):
            run()
    assert told(files) == []
    run(late="tell")
    assert told(files) == [("d", 25, "", "late"), ("d", 40, "a", "enter"), ("e", 30, "a", "enter")]
    assert files.rows()[0][4:] == (0.0, 0.0, False)
    # Of two places at one time the later batch's is late; the same place again is none.
    files.add(fixes(("d", 20, 0.01), ("e", 10, 0.0)))
    with pytest.raises(Exception, match="at two places at"):
        run()
    run(late="tell")
    assert told(files)[1:-1] == [("d", 40, "", "late"), ("d", 40, "a", "enter")]
    # Within a batch they are an error, and so are nulls.
    files.add(fixes(("d", 30, 0.0), ("d", 30, 0.01), ("e", 5, 0.0)))
    with pytest.raises(Exception, match='device "d" is at two places at'):
        run(late="tell")


@pytest.mark.parametrize("late", ["fail", "tell"])
def test_stream_of_nothing_to_keep(session, circle, tmp_path, late):
    """A bucket's rows in a batch may all be late, or may all say that there was no position; the query goes on."""
    files = Files(session, tmp_path)
    run = lambda: files.run(vs.stream_events(files.read(), circle, "naive", buckets=1, late=late))
    files.add(fixes(("d", 0, 0.01), ("d", 10, 0.0)))
    lost = fixes(("d", 20, 0.01), ("e", 20, 0.01))
    files.add(lost.set_column(4, "accuracy", pa.array([-1.0, -1.0])))
    if late == "tell":
        files.add(fixes(("d", 5, 0.0)))
        files.add(fixes(("d", 10, 0.01)))
    files.add(fixes(("d", 30, 0.01)))
    run()
    crossings = [("d", 30, "a", "enter"), ("d", 50, "a", "exit")]
    late_ones = [("d", 25, "", "late"), ("d", 30, "", "late")] if late == "tell" else []
    assert sorted(told(files)) == sorted(crossings + late_ones)


def test_stream_with_a_wrong_clock(session, circle, tmp_path):
    """Fixes that show that the latest one had a wrong time are not late, though another device's are."""
    files = Files(session, tmp_path)
    run = lambda **options: files.run(vs.stream_events(files.read(), circle, "naive", buckets=1, **options))
    first = fixes(*[("d", t, 0.01) for t in (0, 1, 2)], ("d", 100_000, 0.01), ("e", 9, 0.01))
    second = fixes(*[("d", t, 0.0 if t > 4 else 0.01) for t in range(3, 9)], ("e", 8, 0.0))
    third = fixes(("d", 9, 0.01), ("e", 10, 0.0))
    for table in (first, second, third):
        files.add(table)
    with pytest.raises(Exception, match='"e".*time runs backwards'):
        run()
    run(late="tell")
    assert told(files) == [
        ("d", 25, "a", "enter"),
        ("d", 29, "a", "exit"),
        ("e", 28, "", "late"),
        ("e", 30, "a", "enter"),
    ]


@pytest.mark.parametrize("column", ["device", "time", "latitude"])
@pytest.mark.parametrize("late", ["fail", "tell"])
def test_nulls_fail_a_stream(session, circle, tmp_path, column, late):
    """Also in a batch with late fixes; the message says which device, and when."""
    files = Files(session, tmp_path)
    files.add(fixes(("d", 10, 0.0)))
    row = {"device": "d", "time": 20, "latitude": 0.0} | {column: None}
    files.add(fixes(("d", 5, 0.0), tuple(row.values()), ("d", 30, 0.01)))
    place = (
        f"device {'null' if column == 'device' else chr(34) + 'd' + chr(34)}, time {'null' if column == 'time' else ''}"
    )
    events = vs.stream_events(files.read(), circle, "naive", late=late, buckets=1)
    with pytest.raises(Exception, match=f'DataError: bucket 0, {place}.*: row ., column "{column}": null'):
        files.run(events)
    assert told(files) == []


def test_stream_keeps_buckets_and_options(session, circle, tmp_path):
    """Another number of buckets would not find the state: an error, whichever devices the batch has, and nothing is lost."""
    files = Files(session, tmp_path)
    devices = [f"d{i}" for i in range(20)]
    start = lambda **options: files.run(vs.stream_events(files.read(), circle, **{"buckets": 2, **options}))
    files.add(fixes(*[(device, 0, 0.01) for device in devices]))
    start()
    files.add(fixes(("new", 20, 0.0)))
    for options, words in [
        ({"buckets": 1000}, "made with buckets=2, not 1000"),
        ({"rule": "naive"}, "made with rule='geometric', not 'naive'"),
        ({"max_gap": 60}, "made with max_gap=300, not 60"),
        ({"dwell": 60}, "made with dwell=None, not 60"),
    ]:
        with pytest.raises(Exception, match=f"ArgumentError: the checkpoint was {words}: go on with the old value"):
            start(**options)
    files.add(fixes(*[(device, 20, 0.0) for device in devices]))
    # What each batch tells may change.
    start(initial=True, late="tell", not_after="2030-01-01")
    rows = files.rows()
    assert [row[3] for row in rows] == ["enter"] * 20 + ["initial"]


def test_stream_with_other_regions(session, circle, tmp_path):
    """A query that is started again with other regions keeps what it knows of the same ones; all new ones are an error."""
    files = Files(session, tmp_path)
    files.add(fixes(("d", 0, 0.0)))
    files.run(vs.stream_events(files.read(), circle))
    files.add(fixes(("d", 20, 0.01)))
    regions = {"id": ["b", "a"], "latitude": [0.01, 0.0], "longitude": [0.0] * 2, "radius": [100.0] * 2}
    others = {name: values[:1] for name, values in regions.items()}
    with pytest.raises(Exception, match="DataError: bucket .*: the state was made with other regions"):
        files.run(vs.stream_events(files.read(), vs.ship(session, vicinity.RegionIndex.from_arrow(others))))
    files.run(vs.stream_events(files.read(), vs.ship(session, vicinity.RegionIndex.from_arrow(regions))))
    assert [row[2:4] for row in files.rows()] == [("a", "exit"), ("b", "enter")]


def test_stream_of_any_types(session, circle, tmp_path):
    """Names that are numbers, times as numbers and without a zone, coordinates as decimals; nulls where they may be."""
    wanted = [("7", 18, "enter")]
    table = fixes(("7", 0, 0.01), ("7", 20, 0.0))
    forms = {
        "numbers": ("bigint(device) as device", "double(time) as time", {}),
        "milliseconds": ("decimal(device) as device", "unix_millis(time) as time_ms", {}),
        "decimals": ("smallint(device) as device", "cast(time as decimal(20,6)) as time", {}),
        "no zone": (
            "device",
            "cast(to_utc_timestamp(time, 'Europe/Vienna') as timestamp_ntz) as time",
            {"naive_times": "utc"},
        ),
    }
    for name, (device, time, options) in forms.items():
        files = Files(session, tmp_path / name)
        for i in range(2):
            files.add(table.slice(i, 1))
        places = ["cast(latitude as decimal(9,6)) as latitude", "float(longitude) as longitude", "accuracy"]
        stream = files.read().selectExpr(device, time, *places)
        files.run(vs.stream_events(stream, circle, **options))
        assert [(row[0], row[1].second - 20, row[3]) for row in files.rows()] == wanted, name
    for expression, words in [
        ("double(device) as device", '"device": strings or whole numbers are expected, not double'),
        ("string(time) as time", '"time": timestamps or numbers .* are expected, not string'),
        ("string(latitude) as latitude", '"latitude": numbers are expected, not string'),
        ("cast(time as timestamp_ntz) as time", '"time": its timestamps state no zone; set naive_times="utc"'),
    ]:
        name = expression.split()[-1]
        others = [column for column in stream.columns if column != name]
        bad = files.read().selectExpr(expression, *others)
        with pytest.raises(vicinity.SchemaError, match=words):
            vs.stream_events(bad, circle)
    with pytest.raises(vicinity.SchemaError, match='"longitude": there is no such column'):
        vs.stream_events(files.read().drop("longitude"), circle)
    for options, words in [
        ({"late": "drop"}, '"fail" or "tell" is expected, not .drop'),
        ({"buckets": 0}, "buckets: a whole number of 1 or more"),
        ({"rule": "magic"}, "^rule: one of geometric"),
        ({"max_gap": -1}, "^max_gap: a number of seconds"),
    ]:
        with pytest.raises(vicinity.ArgumentError, match=words):
            vs.stream_events(files.read(), circle, **options)
    for ask in (vs.events, vs.stays):
        with pytest.raises(vicinity.ArgumentError, match="a streaming DataFrame is for stream_events"):
            ask(files.read(), circle)
    with pytest.raises(vicinity.ArgumentError, match="not for streaming"):
        vs.join_fixes(vs.stream_events(files.read(), circle), files.read(), ["accuracy"])
    with pytest.raises(vicinity.ArgumentError, match="a streaming DataFrame is expected"):
        vs.stream_events(
            session.createDataFrame(
                [("a", 0.0, 0.0, 0.0)], "device string, time double, latitude double, longitude double"
            ),
            circle,
        )


def test_errors(session, frames, shipped, tmp_path):
    bad = session.createDataFrame(
        [("a", 48.0, 16.0), ("b", 95.0, 16.0)], "id string, latitude double, longitude double"
    )
    with pytest.raises(Exception, match='partition 0, id "b": row .*column "latitude": latitude 95.0 is not within'):
        vs.nearest(bad.repartition(1), shipped).collect()
    fixes = session.createDataFrame(
        [("a", 10.0, 48.0, 16.0), ("b", 10.0, 48.0, 16.0), ("b", 20.0, 95.0, 16.0)],
        "device string, time double, latitude double, longitude double",
    )
    for options in [{}, {"new_state": tmp_path / "state"}]:
        with pytest.raises(Exception, match='device "b", time 20.0: row .*column "latitude": latitude 95.0'):
            vs.events(fixes, shipped, partitions=1, **options).collect()
    texts = fixes.withColumn("time", fixes["time"].cast("string"))
    for ask in (vs.events, vs.stays):
        with pytest.raises(vicinity.SchemaError, match=r'not string; .*to_timestamp\("time"\)'):
            ask(texts, shipped)
    with pytest.raises(vicinity.SchemaError, match="no such column"):
        vs.events(frames["points"], shipped)
    dotted = fixes.withColumnsRenamed({"device": "rider.id", "latitude": "at.`lat"})
    with pytest.raises(vicinity.SchemaError, match=r"rename it: withColumnRenamed\('rider.id', 'rider_id'\)"):
        vs.events(dotted, shipped, columns={"device": "rider.id"})
    with pytest.raises(vicinity.SchemaError, match=r"withColumnRenamed\('at.`lat', 'at__lat'\)"):
        vs.nearest(dotted.withColumnRenamed("rider.id", "id"), shipped, columns={"latitude": "at.`lat"})
    with pytest.raises(vicinity.ArgumentError, match="new_state"):
        vs.events(frames["tracks"], shipped, state="here")


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_odd_inputs(session, tmp_path):
    """Spark sorts: its answers to the odd inputs of all doors are those of the local run over sorted rows; or both refuse."""
    path = tmp_path / "regions.csv"
    path.write_text(doors.REGIONS)
    index = vicinity.RegionIndex.from_arrow(__import__("pyarrow.csv").csv.read_csv(path))
    shipped = vs.ship(session, index)
    refused = found = 0
    for case in doors.cases():
        table = case.table()
        device = table.schema.get_field_index("device")
        if not pa.types.is_string(table.schema.types[device]):  # Spark has no unsigned numbers.
            table = table.set_column(device, "device", table["device"].cast(pa.string()))
        options = {name: value for name, value in case.options.items() if name != "sort"}
        try:
            wanted = rows_of(index.events(table.sort_by([("device", "ascending"), ("time", "ascending")]), **options))
        except vicinity.VicinityError as error:
            wanted = str(error).split(": ", 1)[1]
        frame = session.createDataFrame(table).repartition(2)
        try:
            answer = rows_in(vs.events(frame, shipped, partitions=2, **options))
        except Exception as error:
            assert isinstance(wanted, str), (case.name, str(error)[-500:])
            refused += 1
            continue
        assert answer == wanted, (case.name, case.options)
        found += len(answer)
    assert 10 < refused < 100
    assert found > 400


def test_pages(session, tmp_path, monkeypatch):
    """The pages run from top to bottom, one after the other: the later ones have the names of the first."""
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"}
    for name, count in [("OnSpark.md", 4), ("SparkJoins.md", 1), ("SparkStreams.md", 2)]:
        blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)
        assert len(blocks) == count
        for block in blocks:
            exec(compile(block, name, "exec"), space)


def test_job(index, tables, tmp_path):
    """The job in Examples, as spark-submit runs it, gives the events of the local run and their sums."""
    import pyarrow.parquet as pq

    index.save(tmp_path / "regions.vicinity")
    pq.write_table(tables["tracks"], tmp_path / "tracks.parquet", coerce_timestamps="us")
    submit = [
        Path(sys.executable).with_name("spark-submit"),
        "--master",
        "local[2]",
        "--conf",
        "spark.ui.enabled=false",
    ]
    job = Path(__file__).resolve().parents[2] / "Examples/SparkJob/job.py"
    files = ["--regions", tmp_path / "regions.vicinity", "--tracks", tmp_path / "tracks.parquet"]
    done = subprocess.run(
        [*submit, job, *files, "--output", tmp_path / "out"],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_DIRS": str(tmp_path / "local")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    wanted = index.events(tables["tracks"])
    found = pq.read_table(tmp_path / "out/events")
    assert found.num_rows > 100
    assert rows_of(found) == rows_of(wanted)
    columns = pa.table(wanted).to_pydict()
    sums = Counter(zip(columns["region"], (time.date() for time in columns["time"]), columns["kind"], strict=True))
    days = pq.read_table(tmp_path / "out/days").to_pylist()
    assert len(days) == len({(region, day) for region, day, _ in sums})
    for row in days:
        assert row["entries"] == sums[row["region"], row["day"], "enter"]
        assert row["exits"] == sums[row["region"], row["day"], "exit"]
    assert sum(row["entries"] + row["exits"] for row in days) == found.num_rows
    assert "|region" in done.stdout


def test_arguments_are_checked_before_a_task_runs(session, frames, index, shipped, tmp_path):
    """By the driver, with the cure; nothing here runs a job."""
    points, tracks = frames["points"], frames["tracks"]
    trips = tracks.selectExpr("*", "1 as trip")
    for ask, words in [
        (lambda: vs.nearest(points, index), "what ship gave is expected, not RegionIndex; ship"),
        (lambda: vs.events(tracks, str(tmp_path)), "what ship gave is expected, not str"),
        (
            lambda: vs.stays(tracks.toPandas(), shipped),
            "tracks: a DataFrame of Spark is expected, not pandas.DataFrame",
        ),
        (lambda: vs.within(points, shipped, None), "distance"),
        (lambda: vs.nearest(points, shipped, -1), "^k: "),
        (lambda: vs.nearest(points, shipped, tier="finest"), "tier"),
        (lambda: vs.events(tracks, shipped, "magic"), "^rule: one of geometric"),
        (
            lambda: vs.events(tracks, shipped, columns={"geometry": "time"}),
            "tracks on Spark have latitude and longitude",
        ),
        (lambda: vs.stays(tracks, shipped, max_gap=-1), "^max_gap: a number of seconds"),
        (lambda: vs.events(tracks, shipped, partitions=0), "partitions: a whole number of 1 or more"),
        (lambda: vs.stays(tracks, shipped, partitions="4"), "partitions: a whole number of 1 or more"),
        (lambda: vs.join_fixes(vs.events(tracks, shipped), trips, ["trip", "Trip"]), "named twice"),
    ]:
        with pytest.raises(vicinity.ArgumentError, match=words):
            ask()
    (tmp_path / "regions.csv").write_text("id,latitude,longitude,radius\na,48,16,100\n")
    for shared in (False, True):
        with pytest.raises(vicinity.FileError, match=r"regions.csv: .*vicinity index, or RegionIndex.save, makes one"):
            vs.ship(session, tmp_path / "regions.csv", shared=shared)
    text = points.withColumn("latitude", points["latitude"].cast("string"))
    with pytest.raises(vicinity.SchemaError, match='"latitude": numbers are expected, not string'):
        vs.nearest(text, shipped)
    with pytest.raises(vicinity.SchemaError, match=r"withColumnRenamed\('m.a', 'm_a'\)"):
        vs.join_fixes(vs.events(tracks, shipped), trips.withColumnRenamed("trip", "m.a"), ["m.a"])
    mapped = tracks.selectExpr("*", "map('a', 1) as tags")
    with pytest.raises(vicinity.SchemaError, match='"tags": a type that can be sorted is expected, not map'):
        vs.join_fixes(vs.events(tracks, shipped), mapped, ["tags"])
    milliseconds = tracks.selectExpr("device", "1700000000000D as time", "latitude", "longitude")
    with pytest.raises(Exception, match='too large for Unix seconds .*called "time_ms"\\)'):
        vs.events(milliseconds, shipped).collect()


def test_columns_that_are_missing_or_of_another_kind(session, ride, circle):
    """By the driver, of all columns of the table, with what Spark has to cure it."""
    named = r'; another is named by columns=\{"device": ...\}$'
    cab, position = (
        ride.withColumnRenamed("device", "cab_no"),
        "named_struct('lat', latitude, 'lon', longitude) as position",
    )
    nested = ride.selectExpr("device", "time", position)
    fields = r'; select\("\*", "position.\*"\) makes columns of the fields of "position"$'
    shapes = ride.selectExpr("device", "time", "binary('a') as geometry")
    point = session.createDataFrame([("a", 1.0, 1.0, 7)], "id string, y_m double, x_m double, other int")
    text = r'numbers are expected, not string; .*col\("{}"\).cast\("double"\) makes numbers of text'
    vienna = r"convert_timezone\('Europe/Vienna', 'UTC', `time`\)"
    plain = ride.selectExpr("device", "timestamp_seconds(time) as time", "latitude", "longitude")
    naive = plain.withColumn("time", plain["time"].cast("timestamp_ntz"))
    where = "and geometries are not read of tracks on Spark .in Sedona ST_Y and ST_X"
    nowhere = r'"latitude": .*, and none of geometries \(WKB\); there are: id, y_m, x_m, other; .*columns=\{"latitude": ...\}$'
    for ask, words in [
        (lambda: vs.events(cab, circle), f"there are: cab_no, time, latitude, longitude, accuracy, fare{named}"),
        (lambda: vs.nearest(point, circle), nowhere),
        (lambda: vs.events(nested, circle), f'"latitude": .*; another is named by .*{fields}'),
        (
            lambda: vs.events(nested, circle, columns={"latitude": "position.lat"}),
            f'"position.lat": .*time, position{fields}',
        ),
        (
            lambda: vs.events(shapes, circle),
            f'"latitude": there is no such column, {where}.*; there are: device, time, geometry',
        ),
        (
            lambda: vs.events(plain.withColumn("time", plain["time"].cast("date")), circle),
            'not date; .*to_timestamp."time"',
        ),
        (lambda: vs.events(naive, circle), f'state no zone; set naive_times="utc" .*{vienna}'),
        (lambda: vs.events(plain.selectExpr("*", "'5' as accuracy"), circle), f'"accuracy": {text.format("accuracy")}'),
        (
            lambda: vs.stays(plain.selectExpr("*", "true as speed"), circle),
            '"speed": numbers are expected, not boolean$',
        ),
        (lambda: vs.events(ride.withColumn("device", ride["fare"] / 2), circle), r'not double; .*cast\("bigint"\)'),
    ]:
        with pytest.raises(vicinity.SchemaError, match=words):
            ask()
    tracks = "device, time, latitude, longitude, accuracy, speed, course is expected, not 'devcie'"
    for ask, words in [
        (lambda: vs.events(naive, circle, naive_times="local"), f"\"utc\" is expected, not 'local'; .*{vienna}"),
        (lambda: vs.stays(ride, circle, columns={"devcie": "fare"}), tracks),
        (lambda: vs.join_fixes(vs.events(ride, circle), ride, ["fare"], columns={"devcie": "fare"}), tracks),
        (lambda: vs.nearest(point, circle, columns={"devcie": "id"}), "id, latitude, longitude, geometry is expected"),
    ]:
        with pytest.raises(vicinity.ArgumentError, match=words):
            ask()
    # What the errors advise.
    wanted = vs.events(plain, circle).collect()
    assert len(wanted) == 1
    local = naive.selectExpr(
        "device", "convert_timezone('Europe/Vienna', 'UTC', `time`) as time", "latitude", "longitude"
    )
    assert vs.events(local, circle, naive_times="utc").collect() == wanted
    unknown = plain.selectExpr("*", "null as hacc")
    assert vs.events(unknown, circle, columns={"accuracy": "hacc"}).collect() == wanted
    assert vs.events(nested.select("*", "position.*"), circle).count() == 1


def test_cases_of_names(session, frames, shipped):
    """Names are found whatever their case, as Spark finds them; in a session that tells cases apart they may be two columns."""
    points = frames["points"].limit(50).withColumnRenamed("id", "Who").cache()
    wanted = rows_in(vs.nearest(points, shipped, 1, columns={"id": "Who"}))
    assert rows_in(vs.nearest(points, shipped, 1, columns={"id": "who"})) == wanted
    session.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.raises(vicinity.SchemaError, match='"who": there is no such column; there are: Who'):
            vs.nearest(points, shipped, 1, columns={"id": "who"})
        twice = points.selectExpr("Who as id", "0.0D as LAT", "latitude as lat", "longitude")
        with pytest.raises(vicinity.SchemaError, match='"LAT": two columns have this name'):
            vs.nearest(twice, shipped, 1)
        named = vs.nearest(twice, shipped, 1, columns={"latitude": "lat"})
        assert rows_in(named) == wanted
    finally:
        session.conf.unset("spark.sql.caseSensitive")
    rivals = points.selectExpr("Who as name", "'AT' as region", "latitude", "longitude")
    with pytest.warns(
        vicinity.ColumnWarning, match='identifiers are taken from the column "region"; "name" could hold them'
    ):
        vs.nearest(rivals, shipped, 1)
