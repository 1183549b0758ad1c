"""What callers write, and what they are told: counts, arguments of NumPy's types, frames of points, decimals, one list of names."""

import signal
import subprocess
import uuid
import warnings
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import PROGRAM
from shapely.geometry import Point, Polygon

from vicinity import (
    AnswerCutWarning,
    ArgumentError,
    ColumnWarning,
    DataError,
    RegionIndex,
    RepairWarning,
    SchemaError,
    VicinityWarning,
)
from vicinity._arrow import column_names

RINGS = {
    "id": list(range(60)),
    "latitude": [0.0] * 60,
    "longitude": [0.0] * 60,
    "radius": [100.0 + i for i in range(60)],
}


@pytest.fixture(scope="module")
def rings():
    return RegionIndex.from_arrow(RINGS)


# ---- Counts. ----


@pytest.mark.filterwarnings("error")
def test_no_count_where_a_distance_limits(rings):
    for found, count in [
        (rings.nearest((0, 0), max_distance=0), 60),
        (rings.nearest((0, 0), max_distance=-150), 10),
        (rings.nearest((0, 0), None), 60),
        (rings.nearest((0, 0), k=None, max_distance=0), 60),
        (rings.nearest((0, 0), 7), 7),
        (rings.nearest((0, 0), 20), 20),
        (rings.nearest((0, 0), np.int64(30), max_distance=0), 30),
        (rings.nearest((0, 1), max_distance=1e9), 60),
        (rings.within((0, 0), 0), 60),
        (rings.containing((0, 0)), 60),
    ]:
        assert len(found) == count
    # Twenty by default, and nothing to say where none of the others contains the point.
    assert len(rings.nearest((0, 1))) == 20
    whole = rings.nearest((0, 0.0001), max_distance=0, tier=100).to_csv()
    assert whole == rings.containing((0, 0.0001)).to_csv()


def test_a_tier_says_how_far_off_distances_are(rings):
    point = (0.0, 1.0)
    exact = rings.nearest(point, 5)
    assert exact.distance_error == 0
    truth = dict(zip(exact.to_pydict()["region"], exact.to_pydict()["boundary_distance"], strict=True))
    coarse = rings.nearest(point, 5, tier="kilometer")
    assert 0 < coarse.distance_error <= 1000
    for told, right in zip(coarse.to_pydict()["boundary_distance"], sorted(truth.values()), strict=True):
        assert abs(told - right) <= 1000 + coarse.distance_error
    assert rings.nearest(point, 5, tier=1000).to_pydict() == coarse.to_pydict()
    assert rings.nearest(point, 5, tier="best").to_pydict() == exact.to_pydict()


def test_a_cut_that_nobody_asked_for_is_told(rings):
    points = {"latitude": [1.0, 0.0, 0.0], "longitude": [0.0, 0.0, 0.0]}
    with pytest.warns(
        AnswerCutWarning, match=r"the point of row 1 lies in 60 regions, and the nearest 20 are given"
    ) as told:
        found = rings.nearest(points)
    assert len(found) == 60
    assert told[0].filename == __file__
    assert len(found.notes) == 1
    # Exactly twenty contain the point: nothing is cut.
    twenty = RegionIndex.from_arrow({name: values[:20] for name, values in RINGS.items()} | {"id": list(range(20))})
    more = {
        name: [*values[:20], other] for (name, values), other in zip(RINGS.items(), ["far", 1.0, 1.0, 5.0], strict=True)
    }
    more["id"] = [str(name) for name in more["id"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert twenty.nearest((0, 0)).notes == []
        assert RegionIndex.from_arrow(more).nearest((0, 0)).notes == []


# ---- Arguments. ----


@pytest.mark.parametrize("five", [5, 5.0, np.int64(5), np.uint8(5), np.float32(5), np.float64(5)])
def test_numbers_of_numpy(five):
    """A number is a number, in every argument that takes one."""
    frame = geopandas.GeoDataFrame({"id": ["a"]}, geometry=[Point(16, 48)], crs=4326)
    wkb = frame.geometry.to_wkb().tolist()
    for made in (
        RegionIndex.from_geopandas(frame, id="id", radius=five),
        RegionIndex.from_wkb(["a"], wkb, radius=five),
        RegionIndex.from_wkb(["a"], wkb, radius=[five]),
        RegionIndex.from_arrow({"id": ["a"], "latitude": [48], "longitude": [16]}, radius=five),
    ):
        assert made.regions().to_pydict()["radius"] == [5.0]
        place = (np.float64(48), np.int64(16))
        assert len(made.within(place, five)) == 1
        assert len(made.nearest(place, max_distance=five, tier=five)) == 1
        track = {"device": ["d"] * 2, "time": [0, 9], "latitude": [48, 48], "longitude": [16, 17]}
        assert len(made.nearest(place, np.int32(1), threads=np.int64(1))) == 1
        assert made.events(track, max_gap=five, sort=np.bool_(True)).to_pydict()["inferred"] == [True]


def test_columns_that_are_not_there():
    frame = geopandas.GeoDataFrame({"id": ["a"]}, geometry=[Point(16, 48)], crs=4326)
    for options in ({"id": "nam"}, {"id": "id", "radius": "rad"}, {"id": "id", "radius": [5.0]}):
        with pytest.raises(SchemaError, match="there is no such column; there are: id, geometry"):
            RegionIndex.from_geopandas(frame, **options)


def test_fleets_say_what_is_wrong(index):
    state = index.fleet(dwell=60).state()
    track = {"device": ["a"], "time": [0], "latitude": [48.0], "longitude": [16.0]}
    fleet = index.fleet(dwell=60)
    fleet.advance(track)
    state = fleet.state()
    with pytest.raises(ArgumentError, match=r"rule: a name is expected, not bytes; .*fleet\(state=...\)"):
        index.fleet(state, max_gap=1)
    for options, words in [
        ({"max_gap": 1}, "max-gap is 300 s there and 1 s here, dwell is 60 s there and not given here"),
        ({"dwell": 60.5}, "dwell is 60 s there and 60.5 s here"),
        ({"dwell": 60, "rule": "overlap"}, "rule is geometric there and overlap here"),
        ({"dwell": 60, "rule": "core-location", "cushion": 5}, "cushion is not given there and 5 m here"),
    ]:
        with pytest.raises(ArgumentError, match="the state was made with other options: ") as error:
            index.fleet(state=state, **options)
        assert words in str(error.value)
        assert "Options" not in str(error.value)
    assert index.fleet(state=bytearray(state), dwell=60).device_count == 1
    assert index.fleet(state=memoryview(state), dwell=60).device_count == 1
    with pytest.raises(ArgumentError, match="state: the bytes .* not str"):
        index.fleet(state="VICSTATE", dwell=60)


@pytest.mark.parametrize("reason", ["a warning", "Ctrl-C"])
def test_a_fleet_whose_events_are_lost_refuses_to_go_on(reason, monkeypatch):
    """Nobody has been given the batch's events, which the next batch would go on from."""
    index = RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [100.0]})
    # Before 1980, of which a warning tells.
    batch = {"device": ["d", "d"], "time": [0, 10], "latitude": [0.0, 0.0], "longitude": [1.0, 0.0]}
    later = {"device": ["d"], "time": [20], "latitude": [0.0], "longitude": [1.0]}
    fleet = index.fleet()
    before = fleet.state()
    if reason == "a warning":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(VicinityWarning, match="before 1980"):
                fleet.advance(batch)
    else:

        def interrupt(*_arguments, **_options):
            signal.raise_signal(signal.SIGINT)

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            # The library has done its work when warnings are shown.
            monkeypatch.setattr(warnings, "showwarning", interrupt)
            with pytest.raises(KeyboardInterrupt):
                fleet.advance(batch)
        monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = "this fleet has ended with an error or was stopped .* make another one from the state before that"
        for call in (lambda: fleet.advance(later), fleet.state):
            with pytest.raises(ArgumentError, match=words):
                call()
        again = index.fleet(state=before)
        assert again.advance(batch).to_pydict()["kind"] == ["enter"]
        assert again.advance(later).to_pydict()["kind"] == ["exit"]
        # What is wrong before a row is read spoils nothing.
        with pytest.raises(SchemaError):
            again.advance({"device": ["d"], "latitude": [0.0], "longitude": [0.0]})
        assert again.advance({**batch, "time": [30, 40]}).to_pydict()["kind"] == ["enter"]


# ---- Frames of points, decimals, columns of every library. ----


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_frames_of_points(index, tables):
    """A GeoDataFrame is its points, beside its other columns."""
    table = tables["points"].slice(0, 300)
    plain = table.to_pandas()
    points = geopandas.points_from_xy(plain["longitude"], plain["latitude"])
    frame = geopandas.GeoDataFrame({"id": plain["id"], "flag": [True] * len(plain)}, geometry=points, crs="EPSG:4326")
    wanted = index.nearest(table, 2).to_csv()
    assert index.nearest(frame, 2).to_csv() == wanted
    assert index.nearest(frame.rename_geometry("place"), 2).to_csv() == wanted
    assert index.nearest(frame.to_crs("OGC:CRS84"), 2).to_csv() == wanted
    assert (
        index.nearest(frame.geometry.set_axis(plain.index + 1), 2).to_csv()
        == index.nearest(table.drop(["id"]), 2).to_csv()
    )
    degrees = frame.assign(lat=plain["latitude"], lon=plain["longitude"])
    with pytest.warns(ColumnWarning, match="from the geometry"):
        assert index.nearest(degrees, 2).to_csv() == wanted
    assert index.nearest(degrees.drop(columns="lon"), 2).to_csv() == wanted
    tracks = tables["tracks"].slice(0, 2000).to_pandas()
    places = geopandas.points_from_xy(tracks["longitude"], tracks["latitude"])
    moving = geopandas.GeoDataFrame(tracks[["device", "time"]], geometry=places, crs=4326)
    known = tables["tracks"].slice(0, 2000).select(["device", "time", "latitude", "longitude"])
    assert index.events(moving).to_csv() == index.events(known).to_csv()
    # As in a Parquet file of geometries; by another name, too.
    stored = known.drop_columns(["latitude", "longitude"]).append_column("geom", pa.array(moving.geometry.to_wkb()))
    assert index.events(stored).to_csv() == index.events(known).to_csv()
    named = stored.rename_columns(["device", "time", "spot"])
    assert index.stays(named, columns={"geometry": "spot"}).to_csv() == index.stays(known).to_csv()
    with pytest.raises(SchemaError, match='column "latitude": there is no such column, and none of geometries'):
        index.events(named)
    with pytest.raises(DataError, match='row 1, column "geom": latitude 95.0 is not within'):
        far = [Point(16, 48).wkb, Point(16, 95).wkb]
        index.events({"device": ["a", "a"], "time": [1.7e9, 1.7e9 + 1], "geom": far})
    with pytest.raises(SchemaError, match="EPSG:3857; EPSG:4326 is expected"):
        index.nearest(frame.iloc[[1, 2]].to_crs(3857))
    with pytest.raises(SchemaError, match="does not say its coordinate reference system"):
        index.nearest(frame.set_crs(None, allow_override=True))
    with pytest.raises(SchemaError, match="taken by RegionIndex.from_geopandas"):
        RegionIndex.from_arrow(frame)
    for shape, words in [
        (Polygon([(0, 0), (1, 0), (0, 1)]), "a point is expected, not a Polygon; frame.representative_point"),
        (None, "null"),
        (Point(), "the geometry is empty"),
    ]:
        bad = geopandas.GeoDataFrame({"id": ["a", "b"]}, geometry=[Point(0, 0), shape], crs=4326)
        with pytest.raises(DataError, match=f'row 1, column "geometry": {words}') as error:
            index.nearest(bad)
        assert (error.value.row, error.value.column) == (1, "geometry")


def test_frames_without_rows_and_names_of_other_kinds():
    """Nothing is an index of nothing; and what cannot be a name is refused with what to write."""
    empty = geopandas.GeoDataFrame({"id": []}, geometry=[], crs=4326)
    cut = geopandas.GeoDataFrame({"id": ["a"]}, geometry=[Point(0, 0)], crs=4326).iloc[:0]
    for frame in (empty, cut):
        assert len(RegionIndex.from_geopandas(frame, id="id", radius=5)) == 0
        assert len(RegionIndex.from_geopandas(frame, radius=5)) == 0
    with pytest.raises(SchemaError, match="several levels"):
        RegionIndex.from_geopandas(cut.set_index(["id", "id"]), radius=5)
    assert len(RegionIndex.from_wkb([], [], radius=5)) == 0
    for name in (uuid.UUID(int=7), date(2026, 1, 2)):
        frame = geopandas.GeoDataFrame({"id": [name]}, geometry=[Point(0, 0)], crs=4326)
        kind = type(name).__name__
        for column, found in (("id", frame), ("index", frame.drop(columns="id").set_axis([name], axis=0))):
            words = rf'row 0, column "{column}": .* is a {kind}, which is not read; str\(\) makes a string of it'
            with pytest.raises(DataError, match=words):
                RegionIndex.from_geopandas(found, id="id" if column == "id" else None, radius=5)
        assert len(RegionIndex.from_geopandas(frame.assign(id=frame["id"].astype(str)), id="id", radius=5)) == 1
    # Where others are strings, the row that is none is named as ever.
    with pytest.raises(DataError, match=r'row 1, column "id": datetime.date\(.*\) where strings are expected'):
        RegionIndex.from_arrow({"id": ["a", date(2026, 1, 2)], "latitude": [0, 1], "longitude": [0, 1]}, radius=5)


def test_decimals(index):
    """As numbers of SQL are: the nearest double, as the text of the number is read."""
    texts = ["48.2", "-33.9", "0.1", "89.99999999999999999999999999999999", "1e-7", "12.3456789012345678"]
    numbers = [float(text) for text in texts]
    wanted = index.nearest({"latitude": numbers, "longitude": numbers}, 1).to_csv(precision=15)
    exact = [Decimal(text) for text in texts]
    column = pa.array(exact, pa.decimal128(38, 32))
    for data in (
        {"latitude": exact, "longitude": exact},
        pa.table({"latitude": column, "longitude": column}),
        pa.table({"latitude": column.dictionary_encode(), "longitude": column.dictionary_encode()}),
    ):
        assert index.nearest(data, 1).to_csv(precision=15) == wanted
    short = pa.table({"latitude": pa.array([Decimal("48.2")], pa.decimal128(4, 1)), "longitude": [16.4]})
    assert index.nearest(short, 1).to_csv(precision=15) == index.nearest((48.2, 16.4), 1).to_csv(precision=15)
    with pytest.raises(DataError, match='row 1, column "latitude": null'):
        index.nearest({"latitude": [Decimal(1), None], "longitude": [1, 1]})
    with pytest.raises(DataError, match='row 1, column "latitude": NaN where'):
        index.nearest({"latitude": [Decimal(1), Decimal("NaN")], "longitude": [1, 1]})
    with pytest.raises(DataError, match="latitude 90.5 is not within"):
        index.nearest({"latitude": [Decimal("90.5")], "longitude": [1]})
    made = RegionIndex.from_arrow({"id": ["a"], "latitude": [0], "longitude": [0], "radius": [Decimal("12.5")]})
    assert made.regions().to_pydict()["radius"] == [12.5]


def test_numbers_and_times_beyond_what_is_read(index):
    """Errors that name their row, not those of Python's own arithmetic; and zeros are no digits."""
    zone = timezone(timedelta(hours=1))
    for values, row, words in [
        ([1.5, 10**400], 1, "a number beyond 1.8e308"),
        ([1.5, 10**5000], 1, "a number beyond 1.8e308"),
        ([1, 10**5000], 1, "1.000000e[+]5000 has more than 38 digits"),
        ([1.5, Decimal("sNaN")], 1, "sNaN where numbers are expected"),
        ([1, Decimal("sNaN")], 1, "sNaN where numbers are expected"),
        ([1, Decimal("1E-39")], 1, "1E-39 has more than 38 digits"),
        ([Decimal(1), Decimal("1E+38")], 1, "1E[+]38 has more than 38 digits"),
    ]:
        with pytest.raises(DataError, match=f'row {row}, column "latitude": {words}') as error:
            index.nearest({"latitude": values, "longitude": [1, 1]})
        assert (error.value.row, error.value.column) == (row, "latitude")
    for time in (datetime.min.replace(tzinfo=zone), datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))):
        track = {"device": ["a", "a"], "time": [datetime(2026, 1, 1, tzinfo=zone), time], "latitude": [1, 1]}
        with pytest.raises(
            DataError, match='row 1, column "time": .* is not within the years 1 to 9999 in UTC'
        ) as error:
            index.events({**track, "longitude": [1, 1]})
        assert error.value.row == 1
    wanted = index.nearest({"latitude": [0.0, 0.0, 0.0, 1.5, 48], "longitude": [1] * 5}, 1).to_csv()
    zeros = [Decimal("0E-50"), Decimal("-0E-999999"), Decimal("0E+999999"), Decimal("1.5" + 50 * "0")]
    zeros.append(Decimal("48." + 37 * "0"))
    assert index.nearest({"latitude": zeros, "longitude": [1] * 5}, 1).to_csv() == wanted


def test_options_of_several_values(index):
    """Whatever holds them; nothing is left out for its type."""
    track = {"device": ["d"], "time": [1.7e9], "latitude": [48.0], "longitude": [16.0]}
    names = index.regions().to_pydict()["id"][-2:]

    def planned(pins):
        return index.plan(track, capacity=4, pin=pins).to_pydict()["regions"]

    wanted = planned(names)
    assert set(names) <= set(wanted[0])
    for pins in (
        tuple(names), set(names), dict.fromkeys(names), iter(names), np.array(names), np.array(names, dtype=object),
        pd.Series(names), pd.Index(names), pl.Series(names), pa.array(names), (name for name in names),
    ):  # fmt: skip
        assert planned(pins) == wanted, type(pins)
    assert planned(None) == planned([])
    for pins in ([None], [*names, None], pd.Series([names[0], None], dtype=object)):
        with pytest.raises(ArgumentError, match="^pin: one of its values is None; leave it out$"):
            planned(pins)
    assert planned(names[0]) == planned([names[0]]) == planned(np.str_(names[0])) == planned(np.array(names[:1]))
    assert len(index.nearest((48, 16), np.array(3))) == 3


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_columns_of_every_library(index, tables):
    table = tables["tracks"].slice(0, 1500)
    wanted = index.events(table).to_csv()
    frame, polars = table.to_pandas(), pl.from_arrow(table)
    chunked = pa.Table.from_batches(table.to_batches(max_chunksize=100))
    start = datetime(1970, 1, 1, tzinfo=timezone.utc)
    microseconds = table["time"].cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_pylist()
    times = [start + timedelta(microseconds=value) for value in microseconds]
    for form in (
        {name: frame[name] for name in frame.columns},
        {name: polars[name] for name in polars.columns},
        {name: pl.concat([polars[name][:700], polars[name][700:]], rechunk=False) for name in polars.columns},
        {name: chunked[name] for name in chunked.column_names},
        {name: chunked[name].combine_chunks() for name in chunked.column_names},
        {name: table[name].to_pylist() if name != "time" else times for name in table.column_names},
        {**{name: frame[name] for name in frame.columns}, "device": frame["device"].astype("category")},
        {**{name: frame[name] for name in frame.columns}, "latitude": frame["latitude"].astype("Float64")},
        {**{name: frame[name] for name in frame.columns}, "latitude": frame["latitude"].astype("double[pyarrow]")},
        {
            **{name: frame[name] for name in frame.columns},
            "time": pd.DatetimeIndex(frame["time"]).tz_convert("Asia/Tokyo"),
        },
    ):
        assert index.events(form).to_csv() == wanted
    naive = {**{name: frame[name] for name in frame.columns}, "time": [time.replace(tzinfo=None) for time in times]}
    with pytest.raises(SchemaError, match="no zone"):
        index.events(naive)
    assert index.events(naive, naive_times="utc").to_csv() == wanted
    with pytest.raises(DataError, match="row 3.* without|row 3.*among times with a zone"):
        index.events({**naive, "time": [*times[:3], times[3].replace(tzinfo=None), *times[4:]]})
    with pytest.raises(DataError, match='row 1, column "id": 1 where strings are expected'):
        index.nearest(pd.DataFrame({"id": ["a", 1], "latitude": [1.0, 2.0], "longitude": [1.0, 2.0]}))


def test_answers_in_batches_are_the_same(index, tables):
    points = tables["points"]
    numbered = points.select(["latitude", "longitude"])
    for data in (points, numbered, pa.Table.from_batches(points.to_batches(max_chunksize=37)), points.to_pandas()):
        for rows in (1999, 5000):
            reader = index.batches("nearest", data, 3, rows=rows)
            assert isinstance(reader, pa.RecordBatchReader)
            assert reader.read_all() == index.nearest(data, 3).to_arrow()
    assert index.batches("within", numbered, 900, rows=100).read_all() == index.within(numbered, 900).to_arrow()
    assert index.batches("containing", points, rows=300).read_all() == index.containing(points).to_arrow()
    renamed = points.rename_columns(["name", "y", "x"])
    columns = {"id": "name", "latitude": "y", "longitude": "x"}
    wanted = index.nearest(renamed, 1, columns=columns).to_arrow()
    assert index.batches("nearest", renamed, 1, columns=columns, rows=700).read_all() == wanted
    assert index.batches("nearest", [(48.0, 16.0), (49.0, 16.0)], 1, rows=1).read_all()["query"].to_pylist() == [1, 2]
    assert index.batches("nearest", points.slice(0, 0), 1).read_all().num_rows == 0


def test_batches_count_the_rows_of_warnings_over_all(rings):
    points = {"id": [*range(25), 24], "latitude": [10.0] * 25 + [0.0], "longitude": [10.0] * 25 + [0.0]}
    for rows, told in [
        (10, ['row 25, column "id": the identifier "24" is that of', "the point of row 25 lies in 60 regions"]),
        # Pieces are looked at one by one.
        (25, ["the point of row 25 lies in 60 regions"]),
    ]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            rings.batches("nearest", points, rows=rows).read_all()
        assert len(found) == len(told)
        for words in told:
            assert any(str(warning.message).startswith(words) for warning in found), words
    with pytest.warns(AnswerCutWarning, match="the point of row 0 lies"):
        rings.nearest((0, 0))


def test_batches_are_read_as_they_are_asked_for(index):
    read = []

    def batches():
        for number in range(100):
            read.append(number)
            bad = number == 50
            yield pa.record_batch({"latitude": [48.0, 91.0 if bad else 48.5], "longitude": [16.0, 16.0]})

    schema = pa.schema({"latitude": pa.float64(), "longitude": pa.float64()})
    reader = index.batches("nearest", pa.RecordBatchReader.from_batches(schema, batches()), 1, rows=10)
    next(reader)
    assert len(read) <= 6
    with pytest.raises(DataError, match="row 101, column") as error:
        reader.read_all()
    assert error.value.row == 101
    assert len(read) <= 56
    for wrong in ({"rows": 0}, {"rows": True}, {"rows": 2.5}):
        with pytest.raises(ArgumentError, match="rows"):
            index.batches("nearest", (48, 16), 1, **wrong)
    with pytest.raises(ArgumentError, match="nearest, within or containing"):
        index.batches("events", (48, 16))
    with pytest.raises(SchemaError):
        index.batches("nearest", {"latitude": [1.0]}, 1)


def test_queries_of_polars_are_asked_and_dicts_are_refused_by_the_cure(index, tables):
    points = pl.DataFrame(tables["points"])
    north = pl.col("latitude") > 48
    assert index.nearest(points.lazy().filter(north), 2).to_csv() == index.nearest(points.filter(north), 2).to_csv()
    regions = pl.LazyFrame({"id": ["a"], "latitude": [48.0], "longitude": [16.0], "radius": [5.0]})
    assert len(RegionIndex.from_arrow(regions)) == 1
    with pytest.raises(SchemaError, match="from_pylist"):
        index.nearest([{"latitude": 48.0, "longitude": 16.0}], 1)


# ---- The same rules as the command line's. ----


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_milliseconds_are_read_alike(program, index, files, tmp_path):
    """Columns of milliseconds, whole and with a fraction, under each of their names; and those that are no milliseconds."""
    lines = (files / "tracks.csv").read_text().splitlines()[1:700]
    rows = [line.split(",") for line in lines]
    dice = np.random.default_rng(11)
    base = 1_700_000_000_000 + 1000 * np.arange(len(rows))
    order = {}
    for row in rows:
        order.setdefault(row[0], []).append(row)
    rows = [row for device in order.values() for row in device]
    for name in column_names()["time"]:
        if "ms" not in name and "millis" not in name:
            continue
        for times in (base, base + dice.integers(0, 999_999, len(rows)) / 1000, base + 0.0005):
            path = tmp_path / "t.csv"
            with path.open("w") as out:
                out.write(f"device,{name},latitude,longitude\n")
                for row, time in zip(rows, times.tolist(), strict=True):
                    out.write(f"{row[0]},{time!r},{row[2]},{row[3]}\n")
            wanted = program("events", files / "regions.csv", "--tracks", path)
            track = {
                "device": [row[0] for row in rows], name: times, "latitude": [float(row[2]) for row in rows],
                "longitude": [float(row[3]) for row in rows],
            }  # fmt: skip
            assert index.events(track).to_csv() == wanted, name
            table = pa.table({**track, name: pa.array(times)})
            assert index.events(table).to_csv() == wanted, name
    # A timestamp says its unit itself, whatever its column is called.
    stamped = pa.table({**track, name: pa.array(base).cast(pa.timestamp("ms", "UTC"))})
    plain = pa.table({**track, name: pa.array(base)})
    assert index.events(stamped).to_csv() == index.events(plain).to_csv()
    with pytest.raises(DataError, match='too large for Unix seconds .*"time_ms"'):
        index.events(plain.rename_columns(["device", "time", "latitude", "longitude"]))


def test_one_seed_is_one_study(program, index, files, tables, tmp_path):
    """One seed draws energies here as there; a device of which no fix counts is left out."""
    one = (
        tables["tracks"]
        .filter(pa.compute.equal(tables["tracks"]["device"], tables["tracks"]["device"][0]))
        .slice(0, 1500)
    )
    track = one.select(["device", "time", "latitude", "longitude"]).to_pydict()
    track = {name: [values[0], *values] for name, values in track.items()} | {"accuracy": [-1.0] + [5.0] * len(one)}
    track["device"][0] = "nobody"
    path = tmp_path / "one.csv"
    with path.open("w") as out:
        out.write(",".join(track) + "\n")
        for device, time, *rest in zip(*track.values(), strict=True):
            out.write(",".join([device, time.isoformat(), *map(repr, rest)]) + "\n")
    options = ["--policies", "monitor-slots", "--seeds", "1", "--seed", "9"]
    program("compare", files / "regions.csv", "--tracks", path, *options, "--output", tmp_path / "study")
    study = index.compare(track, "monitor-slots", seeds=1, seed=9)
    for file in (tmp_path / "study").iterdir():
        assert study.files[file.name] == file.read_bytes(), file.name


BAD_SHAPES = {
    "bow tie": Polygon([(16.0, 48.0), (16.2, 48.2), (16.2, 48.0), (16.0, 48.2)]),
    "spike": Polygon([(17.0, 48.0), (17.2, 48.0), (17.2, 48.2), (17.4, 48.4), (17.2, 48.2), (17.0, 48.2)]),
    "overlapping holes": Polygon(
        [(18, 48), (19, 48), (19, 49), (18, 49)],
        [
            [(18.1, 48.1), (18.6, 48.1), (18.6, 48.6), (18.1, 48.6)],
            [(18.4, 48.4), (18.9, 48.4), (18.9, 48.9), (18.4, 48.9)],
        ],
    ),
    "figure of eight across the antimeridian": Polygon([(179.5, 10), (-179.5, 11), (-179.5, 10), (179.5, 11)]),
    "long edges": Polygon([(0, 60), (30, 70), (30, 60), (0, 70)]),
    "a hole that collapses": Polygon(
        [(20, 48), (21, 48), (21, 49), (20, 49)], [[(20.5, 48.5), (20.6, 48.5), (20.5, 48.5)]]
    ),
    "good": Polygon([(22, 48), (23, 48), (23, 49), (22, 49)]),
}


@pytest.fixture(scope="module")
def bad_frame():
    return geopandas.GeoDataFrame({"name": list(BAD_SHAPES)}, geometry=list(BAD_SHAPES.values()), crs=4326)


def test_polygons_are_repaired_as_by_the_command_line(program, bad_frame, tmp_path):
    """The same answers, and a warning that names each row."""
    with (tmp_path / "shapes.csv").open("w") as out:
        out.write("id,wkt\n")
        for name, shape in BAD_SHAPES.items():
            out.write(f'{name},"{shape.wkt}"\n')
    done = subprocess.run(
        [PROGRAM, "index", tmp_path / "shapes.csv", "--output", tmp_path / "shapes.vicinity"],
        capture_output=True,
        text=True,
        check=True,
    )
    dice = np.random.default_rng(5)
    centres = np.array([[48.1, 16.1], [48.1, 17.2], [48.5, 18.5], [10.5, 180], [65, 15], [48.5, 20.5], [48.5, 22.5]])
    places = np.concatenate([centre + dice.uniform(-0.7, 0.7, (300, 2)) for centre in centres])
    wanted = RegionIndex.open(tmp_path / "shapes.vicinity").nearest(places, None).to_arrow()
    wkb = [shape.wkb for shape in BAD_SHAPES.values()]
    for make in (
        lambda: RegionIndex.from_geopandas(bad_frame, id="name"),
        lambda: RegionIndex.from_wkb(list(BAD_SHAPES), wkb),
        lambda: RegionIndex.from_arrow({"id": list(BAD_SHAPES), "geometry": wkb}, threads=2),
    ):
        with pytest.warns(RepairWarning) as told:
            made = make()
        assert all(warning.filename == __file__ for warning in told)
        rows = [str(warning.message).split(",")[0] for warning in told]
        # Of the figure of eight it is also told that it crosses the antimeridian.
        assert rows == [f"row {i}" for i in (0, 1, 2, 3, 3, 4, 5)]
        # The words of the command line, each with its row.
        for warning in told:
            assert str(warning.message).split(": ", 1)[1] in done.stderr
        found = made.nearest(places, None).to_arrow()
        assert len(found) == len(wanted)
        # Versions of GEOS may begin a ring elsewhere: distances agree to a millimetre, and so which side a point is on.
        mine = {
            (q, r): d
            for q, r, d in zip(
                *(found[name].to_pylist() for name in ("query", "region", "boundary_distance")), strict=True
            )
        }
        worst = 0.0
        for q, r, d in zip(
            *(wanted[name].to_pylist() for name in ("query", "region", "boundary_distance")), strict=True
        ):
            worst = max(worst, abs(mine[q, r] - d))
        assert worst < 2e-3
    # The bow tie's two halves are in, what lies between them is out.
    assert made.containing((48.18, 16.05)).to_pydict()["region"] == []
    assert made.containing((48.1, 16.02)).to_pydict()["region"] == ["bow tie"]


def test_strict_refuses_and_without_shapely_the_cure_is_said(bad_frame, monkeypatch):
    with pytest.raises(DataError, match='row 0, column "geometry": invalid polygon: the ring crosses itself') as error:
        RegionIndex.from_geopandas(bad_frame, id="name", strict=True)
    assert "make_valid" not in str(error.value)
    one = bad_frame.iloc[:1]
    wkb = one.geometry.to_wkb().tolist()
    monkeypatch.setitem(__import__("sys").modules, "shapely", None)
    with pytest.raises(DataError, match=r"row 0.*invalid polygon: .*; repair it first, as shapely.make_valid does"):
        RegionIndex.from_wkb(["a"], wkb)


def test_a_repair_that_fails_is_an_error(monkeypatch):
    import shapely

    def fail(*_arguments, **_options):
        raise ValueError("no way")

    monkeypatch.setattr(shapely, "make_valid", fail)
    with pytest.raises(DataError, match=r"row 0.*could not be repaired: ValueError: no way"):
        RegionIndex.from_wkb(["a"], [BAD_SHAPES["bow tie"].wkb])

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(shapely, "make_valid", interrupt)
    with pytest.raises(KeyboardInterrupt):
        RegionIndex.from_wkb(["a"], [BAD_SHAPES["bow tie"].wkb])


def test_names_in_any_case_and_with_blanks(index):

    data = {" Lat ": [48.2], "LONGITUDE": [16.4], "Point_ID": ["a"]}
    assert index.nearest(data, 1).to_pydict()["query"] == ["a"]
    assert index.nearest({"X": [48.2], "y ": [16.4]}, 1, columns={"latitude": "x", "longitude": "Y"}).to_pydict()[
        "rank"
    ] == [1]


# ---- One point. ----


@pytest.mark.parametrize("seed", range(3))
def test_one_pair_is_asked_as_a_row_is(index, seed):
    """A pair of numbers takes a way of its own, without Arrow: its answer is that of a row, and so is each error."""
    print("seed", seed)
    dice = np.random.default_rng(seed)
    for _ in range(50):
        latitude, longitude = float(dice.normal(48.2, 0.2)), float(dice.normal(16.4, 0.3))
        rows = {"latitude": [latitude], "longitude": [longitude]}
        for question, arguments in [
            ("nearest", {"k": 3}), ("nearest", {}), ("nearest", {"max_distance": 500}), ("nearest", {"tier": "kilometer"}),
            ("nearest", {"k": None, "max_distance": -10}), ("within", {"distance": 900}), ("containing", {}),
        ]:  # fmt: skip
            ask = getattr(index, question)
            one, row = ask((latitude, longitude), **arguments), ask(rows, **arguments)
            assert one.to_csv(precision=15) == row.to_csv(precision=15)
            assert one.distance_error == row.distance_error
    assert index.nearest((np.float64(48.2), 16), 1).to_csv() == index.nearest([48.2, np.int64(16)], 1).to_csv()
    for pair in [(91.0, 0.0), (0.0, 541.0), (float("nan"), 0.0), (0.0, float("-inf")), (10**400, 0.0)]:
        told = []
        for points in (pair, {"latitude": pair[:1], "longitude": pair[1:]}):
            with pytest.raises(DataError) as refused:
                index.nearest(points, 1)
            told.append(str(refused.value))
        assert told[0] == told[1]
    with pytest.raises(DataError):
        index.nearest((True, 0.0), 1)
    with pytest.raises(ArgumentError):
        index.nearest((0.0, 0.0), -1)
    numbers = RegionIndex.from_arrow(RINGS)
    assert numbers.nearest((0.0, 0.0), 2, region_numbers=True).to_pydict()["region"] == [59, 58]


def test_points_that_may_be_swapped_are_told():
    index = RegionIndex.from_arrow({"id": ["a", "b"], "latitude": [48.1, 48.3], "longitude": [16.2, 16.5]}, radius=50)
    swapped = {"latitude": [16.3, 16.4], "longitude": [48.15, 48.25]}
    with pytest.warns(VicinityWarning, match="they may be swapped in the points or in the regions"):
        answer = index.nearest(swapped, 1)
    assert "the first points are more than 500 km from every region" in answer.notes[0]
    with pytest.warns(VicinityWarning, match="swapped"):
        index.containing(swapped)
    for ask in (
        lambda pair: index.nearest(pair),
        lambda pair: index.nearest(pair, 1),
        lambda pair: index.nearest(pair, max_distance=500),
        lambda pair: index.within(pair, 500),
        lambda pair: index.containing(pair),
    ):
        with pytest.warns(
            VicinityWarning, match="the point is more than 500 km from every region.* they may be swapped"
        ):
            assert len(ask((16.3, 48.15)).notes) == 1
        assert ask((48.15, 16.3)).notes == ask((47.0, 16.3)).notes == []
    assert index.nearest({"latitude": [16.3, 48.2], "longitude": [48.15, 16.3]}, 1).notes == []


def test_a_fleet_far_from_every_region_is_told():
    """Only where all devices of the batch are far away, however many came before the first that is near."""
    index = RegionIndex.from_arrow({"id": ["a"], "latitude": [48.2], "longitude": [16.4], "radius": [100.0]})

    def batch(first, places, time):
        names = [f"d{first + i}" for i in range(len(places))]
        latitude, longitude = ([place[i] for place in places] for i in (0, 1))
        return {"device": names, "time": [time] * len(places), "latitude": latitude, "longitude": longitude}

    far, near = (-33.0, 151.0), (48.21, 16.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fleet = index.fleet()
        assert fleet.advance(batch(0, [far] * 1500 + [near], 1.7e9)).notes == []
        assert fleet.advance(batch(1500, [near], 1.7e9 + 60)).notes == []
    # A device near by that the batch does not have is no reason to be silent.
    with pytest.warns(VicinityWarning, match=r"the region nearest to a device's last fix is a, 1\d,\d{3} km away"):
        assert len(fleet.advance(batch(0, [far] * 1500, 1.7e9 + 60)).notes) == 1
    assert fleet.advance(batch(0, [far] * 1500, 1.7e9 + 120)).notes == []
    for places, told in (([(52.69, 16.4)], 0), ([(52.71, 16.4)], 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(index.fleet().advance(batch(0, places, 1.7e9)).notes) == told


@pytest.mark.parametrize(
    ("ask", "cure"),
    [
        (
            lambda index: RegionIndex.from_arrow({"id": ["a"], "latitude": [1.0], "longitude": [2.0]}),
            "radius=metres, 0 for",
        ),
        (lambda index: index.nearest({"latitude": ["1"], "longitude": [2.0]}), r"pd\.to_numeric"),
        (
            lambda index: index.events(dict(TRACK, time=["2026-01-01T00:00:00Z"])),
            r"pd\.to_datetime\(column, utc=True\).*; polars does by \.str\.to_datetime",
        ),
        (
            lambda index: index.events(pd.DataFrame(dict(TRACK, time=[date(2026, 1, 1)]))),
            r"not date32; .* time of day.* in pandas.* in polars",
        ),
        (
            lambda index: index.events(pd.DataFrame(dict(TRACK, time=[timedelta(seconds=1)]))),
            "not durations; add when they begin",
        ),
        (
            lambda index: index.nearest(pd.DataFrame([[1.0, 2.0]], columns=[["latitude", "longitude"], ["", ""]])),
            r"columns have 2 levels, and a column's name is text: .*frame\.columns = \[",
        ),
        (lambda index: index.nearest(pd.DataFrame([[1.0, 2.0]])), "there are: 0, 1, id"),
    ],
)
def test_errors_say_the_cure(index, ask, cure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SchemaError, match=cure):
            ask(index)


def test_items_that_are_no_times_say_the_cure(index):
    for item, cure in [(date(2026, 1, 1), r"datetime\.combine\(day, "), (timedelta(seconds=1), "added to a datetime")]:
        with pytest.raises(DataError, match=cure):
            index.events(dict(TRACK, time=[item]))


def test_a_batch_before_the_state(index):
    """Sorting mends the order within a batch, and not that of batches."""
    later, earlier = dict(TRACK, time=[2e9]), dict(TRACK, time=[1e9])
    for sort in (False, True):
        fleet = index.fleet(sort=sort)
        fleet.advance(later)
        with pytest.raises(DataError, match="time runs backwards.*; an earlier batch had that later fix$"):
            fleet.advance(earlier)
    both = {name: [*values, *earlier[name]] for name, values in later.items()}
    for ask in (index.events, index.fleet().advance):
        with pytest.raises(
            DataError, match="time runs backwards.*; the option sort puts each device's fixes in order$"
        ):
            ask(both)


@pytest.mark.parametrize("row", [100, 270_000])
def test_a_late_row_of_a_large_batch(index, row):
    """What it follows decides what the error says, and not where in the batch it is."""
    count = 300_000
    names = ["x"] * count
    names[row] = "late"
    batch = {"device": names, "time": np.arange(count) + 1.9e9, "latitude": np.ones(count), "longitude": np.ones(count)}
    last = {"device": ["late"], "time": [2e9], "latitude": [1.0], "longitude": [1.0]}
    fleet = index.fleet()
    fleet.advance(last)
    with pytest.raises(DataError, match=f"^row {row}, .*time runs backwards.*; an earlier batch had that later fix$"):
        fleet.advance(batch)
    # The later fixes are in the same batch, and an earlier batch had the device, too.
    fleet = index.fleet()
    fleet.advance({**last, "time": [1e9]})
    names[10:12] = ["late", "late"]
    batch["time"][10:12] = [2e9, 2e9 + 1]
    with pytest.raises(DataError, match=f"^row {row}, .*time runs backwards.*; the option sort puts each device's"):
        fleet.advance(batch)


TRACK = {"device": ["a"], "latitude": [1.0], "longitude": [2.0]}
