"""Answers are the command line's, byte for byte, whatever form the input has and however many threads work."""

import math
import re
import subprocess

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from conftest import PROGRAM

from vicinity import ArgumentError, DataError, RegionIndex


def test_nearest(program, files, tables, index):
    wanted = program("nearest", files / "regions.csv", "--points", files / "points.csv", "--count", 5, "-f", "csv")
    assert wanted.count("\n") == 25_001
    for threads in (None, 1, 3):
        assert index.nearest(tables["points"], 5, threads=threads).to_csv() == wanted
    exact = program(
        "nearest", files / "regions.csv", "--points", files / "points.csv", "--count", 5, "-f", "csv", "--precision", 9
    )
    assert (
        sum(
            a != b
            for a, b in zip(
                exact.splitlines(), index.nearest(tables["points"], 5).to_csv(precision=9).splitlines(), strict=True
            )
        )
        < 2_500
    )
    tolerant = program(
        "nearest", files / "regions.csv", "--points", files / "points.csv", "--count", 2, "--tier", "kilometer",
        "--max-distance", "50000", "-f", "csv",
    )  # fmt: skip
    assert index.nearest(tables["points"], 2, tier="kilometer", max_distance=50_000).to_csv() == tolerant


def test_regions_as_numbers(tables, index, tmp_path):
    """The same answers with whole numbers for regions; any other identifier found is an error."""
    ids = [-(2**63), 2**63 - 1, 0, -7, *range(10, len(tables["regions"]) + 6)]
    numbered = RegionIndex.from_arrow(tables["regions"].set_column(0, "id", pa.array(ids)))
    points = tables["points"]
    for ask in (
        lambda **options: numbered.nearest(points, 3, threads=2, **options),
        lambda **options: numbered.within(points, 400, **options),
        lambda **options: numbered.containing(points, **options),
    ):
        strings, numbers = ask(), ask(region_numbers=True)
        assert numbers.to_arrow()["region"].type == pa.int64()
        assert numbers.to_arrow()["region"].to_pylist() == [
            int(name) for name in strings.to_arrow()["region"].to_pylist()
        ]
        assert numbers.to_arrow().drop(["region"]) == strings.to_arrow().drop(["region"])
        assert numbers.to_csv() == strings.to_csv()
        assert numbers.to_geopandas().geometry.equals(strings.to_geopandas().geometry)
    assert set(numbered.nearest((0, 0), len(ids), region_numbers=True).to_pydict()["region"]) == set(ids)
    for name in (
        "",
        "-",
        "-0",
        "007",
        "+7",
        " 7",
        "7.0",
        "9223372036854775808",
        "-9223372036854775809",
        "12345678901234567890",
        "123456789012345678901",
        "x",
    ):
        one = RegionIndex.from_arrow({"id": [name or "b"], "latitude": [48.0], "longitude": [16.0], "radius": [100.0]})
        with pytest.raises(ArgumentError, match="no whole number"):
            one.nearest((48, 16), region_numbers=True)
        assert len(one.nearest((48, 17), max_distance=10, region_numbers=True)) == 0


def test_containing_and_within(program, files, tables, index):
    wanted = program(
        "nearest",
        files / "regions.csv",
        "--points",
        files / "points.csv",
        "--count",
        3000,
        "--max-distance",
        0,
        "-f",
        "csv",
    )
    assert wanted.count("\n") > 100
    assert index.containing(tables["points"]).to_csv() == wanted
    assert index.within(tables["points"], 0).to_csv() == wanted
    near = program(
        "nearest",
        files / "regions.csv",
        "--points",
        files / "points.csv",
        "--count",
        3000,
        "--max-distance",
        750,
        "-f",
        "csv",
    )
    assert index.within(tables["points"], 750).to_csv() == near
    # A negative distance asks for a place so far inside.
    deep = index.within(tables["points"], -50).to_arrow()
    inside = index.within(tables["points"], 0).to_arrow()
    assert 0 < len(deep) < len(inside)
    assert deep["region"].to_pylist() == [
        region
        for region, distance in zip(inside["region"].to_pylist(), inside["boundary_distance"].to_pylist(), strict=True)
        if distance <= -50
    ]


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (
            ["--rule", "core-location", "--cushion", "50", "--remain", "40"],
            {"rule": "core-location", "cushion": 50, "remain": 40},
        ),
        (["--rule", "naive", "--dwell", "300"], {"rule": "naive", "dwell": 300}),
        (["--rule", "overlap", "--max-gap", "5"], {"rule": "overlap", "max_gap": 5}),
        (["--rule", "exit-margin"], {"rule": "exit-margin"}),
    ],
)
def test_events(program, files, tables, index, arguments, options):
    wanted = program("events", files / "regions.csv", "--tracks", files / "tracks.csv", *arguments)
    assert wanted.count("\n") > 50
    for threads in (None, 1, 3):
        assert index.events(tables["tracks"], threads=threads, **options).to_csv() == wanted
    # However the rows are cut into batches, and shuffled where they are sorted.
    small = pa.Table.from_batches(tables["tracks"].to_batches(max_chunksize=777))
    assert index.events(small, **options).to_csv() == wanted
    order = np.random.default_rng(5).permutation(len(small))
    assert index.events(small.take(order), sort=True, **options).to_csv() == wanted


@pytest.mark.parametrize("rule", ["geometric", "naive", "core-location", "exit-margin", "overlap"])
@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_stays_and_initial_states(program, files, tables, index, rule, tmp_path):
    visits = tmp_path / "visits.csv"
    wanted = program(
        "events", files / "regions.csv", "--tracks", files / "tracks.csv", "--rule", rule, "--max-gap", 5, "--initial",
        "--visits", visits,
    )  # fmt: skip
    tracks = tables["tracks"]
    assert index.events(tracks, rule, max_gap=5, initial=True).to_csv() == wanted
    assert ",initial," in wanted
    stays = index.stays(tracks, rule, max_gap=5)
    text = visits.read_text()
    assert stays.to_csv() == text
    if rule == "geometric":
        assert {"no", "start", "end"} <= set(stays.to_pydict()["open"])
        assert "exit" in stays.to_pydict()["inferred"]
    order = np.random.default_rng(6).permutation(len(tracks))
    assert index.stays(tracks.take(order), rule, max_gap=5, sort=True, threads=3).to_csv() == text
    # In batches, a first fix is one of the whole.
    fleet, parts = index.fleet(rule, max_gap=5, initial=True), []
    ordered = tracks.sort_by([("time", "ascending"), ("device", "ascending")])
    for start in range(0, len(ordered), 3000):
        parts += fleet.advance(ordered.slice(start, 3000)).to_csv().splitlines()[1:]
    assert sorted(parts) == sorted(wanted.splitlines()[1:])


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_a_stay_that_begins_at_the_second_fix(program, tmp_path):
    """The disc of the first fix lies on the boundary, so the rule decides nothing; the second fix shows where the device is."""
    (tmp_path / "r.csv").write_text("id,latitude,longitude,radius\na,48,16,1000\n")
    rows = [(48.0088, 60.0, 0), (48.0086, 0.0, 10), (48.05, 5.0, 20)]
    lines = "".join(f"d,{1_700_000_000 + time},{latitude},16,{accuracy}\n" for latitude, accuracy, time in rows)
    (tmp_path / "t.csv").write_text("device,time,latitude,longitude,accuracy\n" + lines)
    program(
        "events",
        tmp_path / "r.csv",
        "--tracks",
        tmp_path / "t.csv",
        "--rule",
        "overlap",
        "--visits",
        tmp_path / "v.csv",
    )
    regions = RegionIndex.from_arrow({"id": ["a"], "latitude": [48.0], "longitude": [16.0], "radius": [1000.0]})
    stays = regions.stays(pa.csv.read_csv(tmp_path / "t.csv"), "overlap")
    assert stays.to_csv() == (tmp_path / "v.csv").read_text()
    assert (stays.to_pydict()["open"], stays.to_pydict()["duration"]) == (["start"], [10.0])
    pa.parquet.write_table(stays.to_arrow(), tmp_path / "v.parquet")


def test_times_at_their_limits(index):
    ends = [2**63 - 309, 2**63 - 209, -(2**63) + 1, -(2**63) + 1000]
    for first, last in [(ends[0], ends[1]), (ends[2], ends[3])]:
        times = pa.array([first, last], pa.timestamp("us", "UTC"))
        place = index.regions().to_pydict()
        track = {"latitude": [place["latitude"][0]] * 2, "longitude": [place["longitude"][0]] * 2}
        table = pa.table({"device": ["d", "d"], "time": times, **track})
        found = index.events(table, initial=True).to_arrow()["time"].cast(pa.int64()).to_pylist()
        assert found
        assert all(abs(time - first) < 1000 for time in found)


def test_batches_with_state(tables, index):
    tracks = tables["tracks"].sort_by([("time", "ascending"), ("device", "ascending")])
    whole = index.events(tracks, dwell=200).to_csv()
    fleet = index.fleet(dwell=200)
    parts = [whole.splitlines()[0]]
    for start in range(0, len(tracks), 5000):
        parts += fleet.advance(tracks.slice(start, 5000)).to_csv().splitlines()[1:]
        fleet = index.fleet(dwell=200, state=fleet.state())
    assert fleet.device_count == 7
    # An event is reported with the fix that makes it certain, so a batch may hold one that another precedes.
    assert sorted(parts[1:]) == sorted(whole.splitlines()[1:])
    with pytest.raises(ValueError, match="other options"):
        index.fleet(state=fleet.state())
    with pytest.raises(DataError, match="damaged"):
        index.fleet(dwell=200, state=b"VICSTATE" + bytes(40))


def test_state_goes_on_with_changed_regions(tables, index):
    tracks = tables["tracks"].sort_by([("time", "ascending"), ("device", "ascending")])
    half = len(tracks) // 2
    rows = index.regions().to_arrow()
    circles = rows.filter([not polygon for polygon in rows["is_polygon"].to_pylist()]).drop_columns(["is_polygon"])
    third = len(circles) // 3
    before, after = circles.slice(0, 2 * third), circles.slice(third)
    fleet = RegionIndex.from_arrow(before).fleet()
    fleet.advance(tracks.slice(0, half))
    fleet = RegionIndex.from_arrow(after).fleet(state=fleet.state())
    with pytest.warns(UserWarning, match=f"{len(circles) - 2 * third:,} regions are new, {third:,} are gone"):
        found = fleet.advance(tracks.slice(half)).to_arrow()
    # The fixes that both days share with a fleet that has watched all of them from the start.
    whole = RegionIndex.from_arrow(circles).fleet()
    whole.advance(tracks.slice(0, half))
    expected = whole.advance(tracks.slice(half)).to_arrow()
    names = set(after["id"].to_pylist())
    expected = expected.filter([name in names for name in expected["region"].to_pylist()])
    key = [("time", "ascending"), ("device", "ascending"), ("region", "ascending"), ("kind", "ascending")]
    assert len(expected) > 0
    assert found.sort_by(key).equals(expected.sort_by(key))
    with pytest.raises(DataError, match="other regions, none of which is among these"):
        RegionIndex.from_arrow(circles.slice(0, third)).fleet(state=fleet.state())


def test_who_was_in_a_region_that_is_gone(program, files, tmp_path):
    header, *rows = (files / "tracks.csv").read_text().splitlines(keepends=True)
    rows.sort(key=lambda row: (row.split(",")[1], row))
    regions = (files / "regions.csv").read_text().splitlines(keepends=True)
    third = len(regions) // 3
    text = pyarrow.csv.ConvertOptions(column_types={"id": pa.string(), "device": pa.string()})

    def day(some, tracks, *options):
        """Write a day's files, and give the command line's events, the index and the tracks."""
        (tmp_path / "regions.csv").write_text("".join(some))
        (tmp_path / "tracks.csv").write_text(header + "".join(tracks))
        # A batch does not replace what the one before found.
        output = tmp_path / f"events-{len(some)}.csv"
        program(
            "events", tmp_path / "regions.csv", "--tracks", tmp_path / "tracks.csv", "--state", tmp_path / "state", *options,
            "--output", output,
        )  # fmt: skip
        table = pyarrow.csv.read_csv(tmp_path / "tracks.csv", convert_options=text)
        times = table["time"].cast(pa.timestamp("ms")).cast(pa.timestamp("ms", "UTC"))
        index = RegionIndex.from_arrow(pyarrow.csv.read_csv(tmp_path / "regions.csv", convert_options=text))
        return output.read_text(), index, table.set_column(1, "time", times)

    _, index, tracks = day(regions[: 2 * third], rows[: len(rows) // 2])
    fleet = index.fleet(removed=True)
    assert ",removed," not in fleet.advance(tracks).to_csv()
    state = fleet.state()
    wanted, index, tracks = day(regions[:1] + regions[third:], rows[len(rows) // 2 :], "--removed")
    assert ",removed," in wanted
    for removed in (False, True):
        fleet = index.fleet(state=state, removed=removed)
        with pytest.warns(UserWarning, match="are gone"):
            found = fleet.advance(tracks).to_csv()
        assert found == "".join(row for row in wanted.splitlines(keepends=True) if removed or ",removed," not in row)
    # A state that nobody was told of keeps them.
    kept = index.fleet(state=state).state()
    with pytest.warns(UserWarning, match="are gone"):
        assert index.fleet(state=kept, removed=True).advance(tracks).to_csv() == wanted
    # They are told once.
    assert ",removed," not in fleet.advance(tracks.slice(len(tracks) - 1)).to_csv()
    with pytest.raises(ArgumentError, match="removed"):
        index.fleet(state=state, removed="perhaps")


def test_state_of_the_command_line(program, files, index, tmp_path):
    program(
        "events",
        files / "regions.csv",
        "--tracks",
        files / "tracks.csv",
        "--state",
        tmp_path / "state",
        "--output",
        tmp_path / "events.csv",
    )
    with pytest.raises(DataError, match="a state written by vicinity events, which alone can go on from it"):
        index.fleet(state=(tmp_path / "state").read_bytes())


def test_plan(program, files, tables, index):
    for arguments, options in [
        ([], {}),
        (
            ["--capacity", "5", "--followed", "--strategy", "boundary-ahead"],
            {"capacity": 5, "followed": True, "strategy": "boundary-ahead"},
        ),
        (
            ["--spare-slot", "--max-speed", "60", "--pin", "region-3"],
            {"spare_slot": True, "max_speed": 60, "pin": ["region-3"]},
        ),
    ]:
        wanted = program("plan", files / "regions.csv", "--track", files / "tracks.csv", *arguments)
        plans = index.plan(tables["tracks"], **options)
        assert plans.to_csv() == wanted
        assert len(plans) > 20
    columns = plans.to_pydict()
    assert all(len(regions) == count for regions, count in zip(columns["regions"], columns["registered"], strict=True))


def test_compare(program, files, tables, index, tmp_path):
    one = tables["tracks"].filter(pa.compute.equal(tables["tracks"]["device"], tables["tracks"]["device"][0].as_py()))
    lines = (files / "tracks.csv").read_text().splitlines(keepends=True)
    device = one["device"][0].as_py()
    (tmp_path / "one.csv").write_text(lines[0] + "".join(line for line in lines[1:] if line.startswith(f"{device},")))
    program(
        "compare", files / "regions.csv", "--tracks", tmp_path / "one.csv", "--policies", "monitor-slots,always-best", "--seeds", 2,
        "--output", tmp_path / "study",
    )  # fmt: skip
    study = index.compare(one, ["monitor-slots", "always-best"], seeds=2)
    for path in (tmp_path / "study").iterdir():
        assert study.files[path.name] == path.read_bytes(), path.name
    assert study.to_pandas()["policy"].tolist() == ["monitor-slots", "always-best"]
    assert "<iframe" in study._repr_html_()
    with pytest.raises(ArgumentError, match="^folder: 's3://bucket/study' is a URI; a plain path is expected"):
        study.save("s3://bucket/study")


def test_every_form_of_input(tables, index):
    points = tables["points"]
    wanted = index.nearest(points, 3).to_csv()
    frame = points.to_pandas()
    place = frame[["latitude", "longitude"]].to_numpy()
    forms = [
        frame,
        pl.from_arrow(points),
        pa.record_batch(points.combine_chunks().to_batches()[0]),
        {name: points[name].to_pylist() for name in points.column_names},
        {name: frame[name].to_numpy() for name in frame.columns},
        points.set_column(0, "id", points["id"].cast(pa.large_string())),
        points.set_column(0, "id", points["id"].cast(pa.string_view())),
        points.set_column(0, "id", points["id"].dictionary_encode()),
        duckdb.sql("select * from points").to_arrow_table()
        if hasattr(duckdb.sql("select 1"), "to_arrow_table")
        else points,
        duckdb.sql("select * from points"),
    ]
    for form in forms:
        if hasattr(form, "__arrow_c_stream__") or hasattr(form, "__arrow_c_array__") or isinstance(form, dict):
            assert index.nearest(form, 3).to_csv() == wanted, type(form)
    # Without names, in rows, with columns that run backwards in memory.
    numbered = index.nearest(place, 3).to_csv()
    assert numbered.splitlines()[1].startswith("1,1,")
    assert index.nearest(np.asfortranarray(place), 3).to_csv() == numbered
    assert index.nearest(np.ascontiguousarray(place[::-1])[::-1], 3).to_csv() == numbered
    assert index.nearest([tuple(row) for row in place.tolist()], 3).to_csv() == numbered
    assert len(index.nearest((48.2, 16.4))) == 20
    # Renamed columns, and floats of 32 bits.
    renamed = points.rename_columns(["name of point", "y", "x"])
    assert (
        index.nearest(renamed, 3, columns={"id": "name of point", "latitude": "y", "longitude": "x"}).to_csv() == wanted
    )
    single = {"latitude": place[:, 0].astype("f4"), "longitude": place[:, 1].astype("f4")}
    double = {name: values.astype("f8") for name, values in single.items()}
    assert index.nearest(single).to_csv() == index.nearest(double).to_csv()


def test_every_form_of_time(tables, index):
    tracks = tables["tracks"]
    wanted = index.events(tracks).to_csv()
    times = tracks["time"].cast(pa.timestamp("us", "UTC"))
    number = pa.compute.cast(times, pa.int64())
    forms = [
        times.cast(pa.timestamp(unit, zone))
        for unit in ("ms", "us", "ns")
        for zone in ("UTC", "+05:30", "Europe/Vienna")
    ]
    forms += [pa.compute.divide(number.cast(pa.float64()), 1e6), pa.compute.divide(number, 1_000_000)]
    for form in forms:
        assert index.events(tracks.set_column(1, "time", form)).to_csv() == wanted, form.type
    naive = tracks.set_column(1, "time", times.cast(pa.timestamp("us")))
    with pytest.raises(TypeError, match="no zone"):
        index.events(naive)
    assert index.events(naive, naive_times="utc").to_csv() == wanted
    arrays = {name: tracks[name].to_numpy() for name in ("latitude", "longitude")}
    arrays |= {"device": tracks["device"].to_pylist(), "time": tracks["time"].to_numpy().astype("M8[ms]")}
    assert (
        index.events(arrays, naive_times="utc").to_csv()
        == index.events(tracks.select(["device", "time", "latitude", "longitude"])).to_csv()
    )


def test_output(tables, index):
    found = index.nearest(tables["points"], 2)
    assert len(found) == 10_000
    arrow = found.to_arrow()
    assert [str(field.type) for field in arrow.schema] == ["string", "int32", "string", "double", "double"]
    arrow.validate(full=True)
    assert arrow.equals(found.to_arrow())
    assert found.to_pydict() == arrow.to_pydict()
    assert isinstance(found.to_pandas(), pd.DataFrame)
    assert found.to_polars().height == 10_000
    place = found.to_geopandas()
    assert place.crs.to_epsg() == 4326
    events = index.events(tables["tracks"])
    events.to_arrow().validate(full=True)
    assert events.to_pydict()["time"] == events.to_arrow()["time"].to_pylist()
    assert str(events.to_arrow().schema.field("time").type) == "timestamp[us, tz=UTC]"
    assert events.to_geopandas().geometry.y.tolist() == events.to_pydict()["latitude"]
    plans = index.plan(tables["tracks"], capacity=4)
    plans.to_arrow().validate(full=True)
    assert plans.to_pydict() == plans.to_arrow().to_pydict()
    assert all(math.isinf(value) or value >= 0 for value in plans.to_pydict()["certificate"])
    empty = RegionIndex.from_arrow(tables["regions"].slice(0, 0)).nearest(tables["points"])
    assert len(empty) == 0
    assert empty.to_arrow().num_rows == 0


def test_index_files(program, files, tables, index, tmp_path):
    index.save(tmp_path / "regions.vicinity")
    program("index", files / "regions.csv", "--output", tmp_path / "wanted.vicinity")
    assert (tmp_path / "regions.vicinity").read_bytes() == (tmp_path / "wanted.vicinity").read_bytes()
    opened = RegionIndex.open(tmp_path / "regions.vicinity")
    assert (len(opened), opened.polygon_count, opened.nbytes) == (3000, 0, index.nbytes)
    assert opened.nearest(tables["points"], 3).to_csv() == index.nearest(tables["points"], 3).to_csv()
    assert opened.regions().to_arrow().column_names == ["id", "latitude", "longitude", "radius", "is_polygon"]
    assert opened.regions().to_pydict()["radius"] == tables["regions"]["radius"].to_pylist()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_files_that_the_program_leaves_to_python(files, tables, index, tmp_path, kind):
    """What the program says of Parquet and Arrow files works as it stands."""
    path = str(tmp_path / f"regions.{kind}")
    if kind == "parquet":
        pa.parquet.write_table(tables["regions"], path)
    elif kind == "arrow":
        pa.feather.write_feather(tables["regions"], path)
    else:
        with pa.ipc.new_stream(path, tables["regions"].schema) as stream:
            stream.write_table(tables["regions"])
    done = subprocess.run([PROGRAM, "nearest", path, "--at", "48.2,16.4"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    call = re.search(r"table = (.*?), then RegionIndex.from_arrow\(table\)", " ".join(done.stderr.split()))
    assert call, done.stderr
    table = eval(call.group(1), {"pyarrow": pa, "path": path, "open": open})
    assert (
        RegionIndex.from_arrow(table).nearest(tables["points"], 3).to_csv()
        == index.nearest(tables["points"], 3).to_csv()
    )


def test_parquet_in_batches(files, tables, index, tmp_path):
    """A file that is larger than memory goes through batch by batch."""
    path = tmp_path / "points.parquet"
    pa.parquet.write_table(tables["points"], path, row_group_size=700)
    file = pa.parquet.ParquetFile(path)
    reader = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(333))
    assert index.nearest(reader, 3).to_csv() == index.nearest(tables["points"], 3).to_csv()
