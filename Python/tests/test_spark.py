"""On a real local cluster with two workers: the rows of the local run, whatever the partitioning."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import doors
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
    with pytest.raises(vicinity.ArgumentError, match="among 3 buckets, not 5: give buckets=3"):
        vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2", buckets=5)
    found += rows_in(vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2"))
    assert sorted(found) == wanted
    # The folder has the state of one batch, which may run again, and no other.
    again = rows_in(vs.events(late, shipped, state=tmp_path / "1", new_state=tmp_path / "2"))
    assert len(again) + len(rows_in(vs.events(early, shipped, new_state=tmp_path / "1", buckets=3))) == len(wanted)
    for options in ({"buckets": 7}, {"dwell": 60}, {"rule": "naive"}):
        with pytest.raises(vicinity.ArgumentError, match="holds the state of another batch"):
            vs.events(early, shipped, new_state=tmp_path / "2", **options)
    for buckets in (0, -1, 2.5, "4", True):
        with pytest.raises(vicinity.ArgumentError, match="buckets"):
            vs.events(early, shipped, new_state=tmp_path / "3", buckets=buckets)


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
        options = {name: value for name, value in case.options.items() if name not in ("sort", "initial")}
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


def test_page(session, tmp_path, monkeypatch):
    """The page runs from top to bottom."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "OnSpark.md").read_text(), re.DOTALL)
    assert len(blocks) == 4
    space = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "OnSpark.md", "exec"), space)


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
