"""Identifiers come back as they were given: of every type, at its extremes, through every verb; or an error names the row."""

import random
import warnings
from decimal import Decimal

import geopandas
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from shapely.geometry import Point

from vicinity import ArgumentError, ColumnWarning, DataError, RegionIndex, SchemaError

SEED = 0x1D5
WIDTHS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
DECIMALS = [pa.decimal128(3, 0), pa.decimal128(20, 0), pa.decimal128(38, 0)]
COUNT = 12


def extremes(kind, dice):
    """The least and the greatest that a type holds, those beside them, some at powers of two, and some of chance."""
    if pa.types.is_decimal(kind):
        low, high = -(10**kind.precision) + 1, 10**kind.precision - 1
    else:
        bits = kind.bit_width
        signed = pa.types.is_signed_integer(kind)
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    wanted = {low, low + 1, high, high - 1, 0, 1}
    wanted |= {
        value for value in (2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 5, 2**63 + 9, -(2**63)) if low <= value <= high
    }
    while len(wanted) < COUNT:
        wanted.add(dice.randint(low, high))
    values = list(wanted)
    dice.shuffle(values)
    return values[:COUNT]


def forms(ids):
    """One column of identifiers in all its clothes."""
    yield ids
    yield ids.dictionary_encode()
    # Where the rows do not begin at the first value of the buffers.
    yield pa.concat_arrays([ids[3:], ids])[COUNT - 3 :]


@pytest.mark.parametrize("kind", [*WIDTHS, *DECIMALS, pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_every_type_through_every_verb(kind):
    dice = random.Random(SEED)
    if kind in (pa.string(), pa.large_string(), pa.string_view()):
        values = [
            "",
            "0",
            "00",
            "é",
            "9223372036854775813",
            "9223372036854775817",
            '"',
            "a,b",
            " ",
            "-",
            "nan",
            "x" * 300,
        ]
        values[0] = "y"
        ids = pa.array(values, kind)
    else:
        values = extremes(kind, dice)
        ids = pa.array([Decimal(value) for value in values] if pa.types.is_decimal(kind) else values, kind)
    texts = [str(value) for value in values]
    places = {"latitude": [0.0] * COUNT, "longitude": [0.02 * i for i in range(COUNT)]}
    for form in forms(ids) if kind != pa.string_view() else [ids]:
        index = RegionIndex.from_arrow(pa.table({"id": form, **places, "radius": [100.0] * COUNT}))
        assert index.regions().to_pydict()["id"] == texts, (SEED, kind)
        points = pa.table({"id": form, **places})
        for found in (index.nearest(points, 1), index.within(points, 50), index.containing(points)):
            arrow = found.to_arrow()
            arrow.validate(full=True)
            assert arrow["region"].to_pylist() == texts, (SEED, kind)
            assert arrow["query"].to_pylist() == ids.to_pylist(), (SEED, kind)
            assert arrow["query"].type == (pa.string() if kind in (pa.large_string(), pa.string_view()) else kind)
            assert found.to_pydict()["query"] == ids.to_pylist()
        lines = RegionIndex.nearest(index, points, 1).to_csv().splitlines()[1:]
        if kind in [*WIDTHS, *DECIMALS]:
            assert [line.split(",")[0] for line in lines] == [line.split(",")[2] for line in lines]
        # Each device leaves its own region, and no other does.
        track = {name: pa.concat_arrays([pa.array(column)] * 2) for name, column in places.items()}
        track["latitude"] = pa.array([0.0] * COUNT + [0.1] * COUNT)
        device = form.cast(ids.type) if isinstance(form, pa.DictionaryArray) else form
        track = pa.table({"device": pa.concat_arrays([device, device]), "time": [0] * COUNT + [60] * COUNT, **track})
        wanted = sorted(zip(texts, texts, strict=True))
        events = index.events(track).to_pydict()
        assert sorted(zip(events["device"], events["region"], strict=True)) == wanted, (SEED, kind)
        stays = index.stays(track).to_pydict()
        assert sorted(zip(stays["device"], stays["region"], strict=True)) == wanted, (SEED, kind)
        fleet, kept = index.fleet(), []
        for half in (track.slice(0, COUNT), track.slice(COUNT)):
            batch = fleet.advance(half).to_pydict()
            kept += zip(batch["device"], batch["region"], strict=True)
            fleet = index.fleet(state=fleet.state())
        assert sorted(kept) == wanted, (SEED, kind)
        assert fleet.device_count == COUNT


def test_unsigned_identifiers_stay_apart():
    """Two cells whose numbers are beyond 2^63, as S2 has them."""
    cells = [9223372036854775813, 9223372036854775817]
    places = {"latitude": [0.0, 0.0], "longitude": [0.0, 0.02], "radius": [10.0, 10.0]}
    for ids in (cells, np.array(cells, np.uint64), pl.Series(cells, dtype=pl.UInt64), pd.Series(cells, dtype="UInt64")):
        index = RegionIndex.from_arrow({"id": ids, **places})
        found = index.nearest({"id": ids, **places}, 1)
        assert found.to_pydict()["query"] == cells
        assert found.to_pydict()["region"] == [str(cell) for cell in cells]
        unsigned = index.nearest({"id": ids, **places}, 1, region_numbers="unsigned")
        assert unsigned.to_arrow()["region"].type == pa.uint64()
        assert unsigned.to_pydict()["region"] == cells
        with pytest.raises(ArgumentError, match="no whole number of int64; region-numbers=unsigned"):
            index.nearest((0, 0), region_numbers=True)


def test_whole_numbers_of_python_are_kept():
    """Lists of whole numbers, also those that no type of 64 bits holds together."""
    for ids in ([-1, 2**63], [2**64, -(2**64)], [10**38 - 1, 0], [np.uint64(2**64 - 1), np.int8(-3)]):
        data = {"id": ids, "latitude": [0.0, 0.0], "longitude": [0.0, 0.02], "radius": [10, 10]}
        index = RegionIndex.from_arrow(data)
        assert index.regions().to_pydict()["id"] == [str(item) for item in ids]
        assert index.nearest(data, 1).to_pydict()["query"] == [int(item) for item in ids]
    with pytest.raises(DataError, match="row 1.*38 digits"):
        RegionIndex.from_arrow({**data, "id": [1, 10**38]})


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (pa.array([1.0, 2.0]), "not float64; make them whole numbers or text.*Int64"),
        (pa.array([1.0, 2.0], pa.float32()), "not float32"),
        (pa.array([Decimal("1.5"), Decimal("2.5")]), r"not decimal128\(2, 1\); make them"),
        (pa.array([True, False]), "not bool"),
        (pa.array([1.0, 2.0]).dictionary_encode(), "not dictionary of float64"),
        (pa.array([b"a", b"b"]), "not binary"),
        (pa.array([1, 2], pa.date32()), "not date32"),
        (pa.array([1, 2], pa.timestamp("s", "UTC")), "not timestamp"),
        (pa.array([None, None]), "not null"),
    ],
)
def test_what_cannot_name_anything(index, ids, words):
    places = {"latitude": [0.0, 1.0], "longitude": [0.0, 1.0]}
    with pytest.raises(SchemaError, match=words) as error:
        RegionIndex.from_arrow(pa.table({"id": ids, **places, "radius": [1.0, 1.0]}))
    assert error.value.column == "id"
    with pytest.raises(SchemaError, match=words):
        index.nearest(pa.table({"id": ids, **places}))
    with pytest.raises(SchemaError, match=words):
        index.events(pa.table({"device": ids, "time": [0, 0], **places}))


@pytest.mark.parametrize("kind", [*WIDTHS, *DECIMALS, pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_a_null_is_an_error_in_its_row(index, kind):
    value = Decimal(7) if pa.types.is_decimal(kind) else "7" if kind not in WIDTHS else 7
    ids = pa.array([value, None], kind)
    places = {"latitude": [0.0, 1.0], "longitude": [0.0, 1.0]}
    for form in [ids] if kind == pa.string_view() else [ids, ids.dictionary_encode()]:
        for call in (
            lambda form=form: RegionIndex.from_arrow(pa.table({"id": form, **places, "radius": [1.0, 1.0]})),
            lambda form=form: index.nearest(pa.table({"id": form, **places})),
            lambda form=form: index.within(pa.table({"id": form, **places}), 5),
            lambda form=form: index.containing(pa.table({"id": form, **places})),
            lambda form=form: index.events(pa.table({"device": form, "time": [0, 0], **places})),
        ):
            with pytest.raises(DataError, match="row 1, .*null") as error:
                call()
            assert error.value.row == 1


# ---- GeoPandas, pandas and masks. ----

MASKED = np.ma.masked_array([5, 6, 7], [False, True, False])


@pytest.mark.parametrize(
    ("ids", "wanted"),
    [
        (pd.Series([1, 2, 3]), ["1", "2", "3"]),
        (pd.Series([1, 2, 2**64 - 1], dtype="uint64"), ["1", "2", "18446744073709551615"]),
        (pd.Series([1, 2, 3], dtype="Int64"), ["1", "2", "3"]),
        (pd.Series([1, 2, 2**64 - 1], dtype="UInt64"), ["1", "2", "18446744073709551615"]),
        (pd.Series([-128, 2, 127], dtype="Int8"), ["-128", "2", "127"]),
        (pd.Series([1, 2, 3], dtype="int64[pyarrow]"), ["1", "2", "3"]),
        (pd.Series([1, 2, 3], dtype=object), ["1", "2", "3"]),
        (pd.Series(["a", "nan", "1.0"]), ["a", "nan", "1.0"]),
        (pd.Series(["a", "b", "c"], dtype="string[python]"), ["a", "b", "c"]),
        (pd.Series(["a", "b", "c"], dtype="string[pyarrow]"), ["a", "b", "c"]),
        (pd.Series(["a", "b", "c"], dtype="category"), ["a", "b", "c"]),
        (pd.Series([3, 1, 2], dtype="category"), ["3", "1", "2"]),
        (pd.Series(["a", "b", "c"], dtype=pd.ArrowDtype(pa.large_string())), ["a", "b", "c"]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")) or None,
)
def test_identifiers_of_frames(ids, wanted):
    frame = geopandas.GeoDataFrame({"name": ids}, geometry=[Point(i, 0) for i in range(3)], crs=4326)
    for made in (
        RegionIndex.from_geopandas(frame, id="name", radius=5),
        RegionIndex.from_geopandas(frame.set_index("name"), radius=5),
        RegionIndex.from_arrow({"id": ids, "latitude": [0, 0, 0], "longitude": [0, 1, 2]}, radius=5),
        RegionIndex.from_wkb(ids, frame.geometry.to_wkb().tolist(), radius=5),
    ):
        assert made.regions().to_pydict()["id"] == wanted


@pytest.mark.parametrize(
    ("ids", "kind", "words"),
    [
        (pd.Series(["a", None, "c"]), DataError, "row 1.*null"),
        (pd.Series(["a", np.nan, "c"]), DataError, "row 1.*null"),
        (pd.Series([1, None, 3]), DataError, 'row 1, column "name": null .*Int64'),
        (pd.Series([1, None, 3], dtype=object), DataError, "row 1.*null"),
        (pd.Series([1, None, 3], dtype="Int64"), DataError, "row 1.*null"),
        (pd.Series([1, None, 3], dtype="UInt64"), DataError, "row 1.*null"),
        (pd.Series([1, None, 3], dtype="int64[pyarrow]"), DataError, "row 1.*null"),
        (pd.Series(["a", None, "c"], dtype="string[python]"), DataError, "row 1.*null"),
        (pd.Series(["a", None, "c"], dtype="string[pyarrow]"), DataError, "row 1.*null"),
        (pd.Series(["a", None, "c"], dtype="category"), DataError, "row 1.*null"),
        (pd.Series([1.0, 2.0, 3.0]), SchemaError, "not float64; make them whole"),
        (pd.Series([1.0, 2.0, 3.0], dtype="Float64"), SchemaError, "not float64"),
        (pd.Series([True, False, True]), SchemaError, "bool"),
        (pd.Series(["a", 2, "c"]), DataError, "row 1.*2 where strings"),
        (pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02", "2020-01-03"])), SchemaError, "not datetime64"),
        (pd.Series(["a", "b", "a"]), DataError, "row 2.*identifier of row 0"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")) or None,
)
def test_no_identifier_is_made_up(ids, kind, words):
    frame = geopandas.GeoDataFrame({"name": ids}, geometry=[Point(i, 0) for i in range(3)], crs=4326)
    with pytest.raises(kind, match=words) as error:
        RegionIndex.from_geopandas(frame, id="name", radius=5)
    assert error.value.column == "name"
    with pytest.raises(kind, match=words):
        RegionIndex.from_geopandas(frame.set_index("name"), radius=5)


def test_an_index_of_several_levels_is_no_name():
    frame = geopandas.GeoDataFrame({"a": [1, 2], "b": [3, 4]}, geometry=[Point(0, 0), Point(1, 1)], crs=4326)
    with pytest.raises(SchemaError, match="several levels"):
        RegionIndex.from_geopandas(frame.set_index(["a", "b"]), radius=5)


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_masked_means_null(index):
    """Masks of NumPy, in every column: an error where a value is needed, not known where it is not."""
    good = {
        "id": np.array([5, 6, 7]),
        "latitude": np.zeros(3),
        "longitude": np.array([0.0, 1, 2]),
        "radius": np.ones(3),
    }
    assert RegionIndex.from_arrow({**good, "id": np.ma.masked_array([5, 6, 7], False)}).regions().to_pydict()["id"] == [
        "5",
        "6",
        "7",
    ]
    for name in good:
        with pytest.raises(DataError, match="row 1, .*null") as error:
            RegionIndex.from_arrow({**good, name: np.ma.masked_array(good[name], MASKED.mask)})
        assert (error.value.row, error.value.column) == (1, name)
    text = np.ma.masked_array(np.array(["a", "b", "c"]), MASKED.mask)
    with pytest.raises(DataError, match='row 1, column "id": null'):
        RegionIndex.from_arrow({**good, "id": text})
    both = np.ma.masked_array([[0.0, 0.0], [1.0, 1.0]], [[False, False], [True, False]])
    with pytest.raises(DataError, match='row 1, column "latitude": null'):
        index.nearest(both)
    track = {"device": ["a"] * 3, "time": [0, 1, 2], "latitude": np.zeros(3), "longitude": np.zeros(3)}
    plain = index.events({**track, "accuracy": [0.0, 9.0, 0.0]}, "overlap").to_csv()
    masked = np.ma.masked_array([0.0, 1e300, 0.0], MASKED.mask)
    nulls = [0.0, None, 0.0]
    known = index.events({**track, "accuracy": [0.0, 0.0, 0.0]}, "overlap").to_csv()
    for accuracy in (
        masked,
        nulls,
        pd.Series(nulls, dtype="Float64"),
        pa.array(nulls),
        pa.chunked_array([nulls]),
        pl.Series(nulls),
    ):
        assert index.events({**track, "accuracy": accuracy}, "overlap").to_csv() == known
    assert plain == known
    times = np.ma.masked_array(np.array([0, 1, 2], "M8[s]"), MASKED.mask)
    with pytest.raises(DataError, match='row 1, column "time": null'):
        index.events({**track, "time": times}, naive_times="utc")


PLACES = {"lat": [48.0, 49.0, 50.0, 51.0], "lon": [16.0, 16.0, 16.0, 16.0]}


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (pd.RangeIndex(4), [0, 1, 2, 3]),
        (pd.Index([7, 8, 9, 10]), [7, 8, 9, 10]),
        (pd.Index([7, 8, 9, 11]), [7, 8, 9, 11]),
        (pd.Index([3, 2, 1, 0], name="id"), [3, 2, 1, 0]),
        (pd.Index([3, 2, 1, 9], name="id"), [3, 2, 1, 9]),
        (pd.Index(["d", "a", "c", "b"], name="customer"), ["d", "a", "c", "b"]),
        (pd.CategoricalIndex(["x", "y", "z", "w"]), ["x", "y", "z", "w"]),
        (pd.Index([10, 20, 30, 40], dtype="Int64"), [10, 20, 30, 40]),
    ],
)
def test_points_of_pandas_are_named_by_the_index(index, names, wanted):
    frame = pd.DataFrame(PLACES, index=names)
    points = geopandas.GeoDataFrame(
        geometry=geopandas.points_from_xy(frame["lon"], frame["lat"]), index=names, crs=4326
    )
    for asked in (frame, points, points.geometry, points.assign(size=1)):
        for answer in (index.nearest(asked, 1), index.containing(asked), index.within(asked, 1e6)):
            found = answer.to_pydict()["query"]
            assert found == sorted(found, key=wanted.index)
            assert set(found) <= set(wanted)
        assert index.nearest(asked, 1).to_pydict()["query"] == wanted
    some = index.nearest(frame.iloc[[3, 1]], 1).to_pydict()["query"]
    assert some == [wanted[3], wanted[1]]
    read = index.batches("nearest", frame, 1, rows=3).read_all()["query"].to_pylist()
    assert read == wanted


def test_answers_join_the_frame_that_was_asked(index):
    frame = pd.DataFrame(PLACES | {"customer": ["a", "b", "c", "d"]})
    frame = frame[frame["lat"] != 49]
    joined = frame.join(index.nearest(frame, 1).to_pandas().set_index("query"))
    assert joined["customer"].tolist() == ["a", "c", "d"]
    alone = [index.nearest((lat, 16.0), 1).to_pydict()["region"][0] for lat in joined["lat"]]
    assert joined["region"].tolist() == alone


def test_a_column_of_identifiers_is_more_than_the_index(index):
    frame = pd.DataFrame(PLACES | {"name": ["a", "b", "c", "d"], "customer": [9, 8, 7, 6]}, index=[5, 6, 7, 8])
    assert index.nearest(frame, 1).to_pydict()["query"] == ["a", "b", "c", "d"]
    assert index.nearest(frame, 1, columns={"id": "customer"}).to_pydict()["query"] == [9, 8, 7, 6]
    by_customer = frame.drop(columns="name").set_index("customer")
    assert index.nearest(by_customer, 1, columns={"id": "customer"}).to_pydict()["query"] == [9, 8, 7, 6]


def test_an_index_that_names_nothing_is_an_error(index):
    frame = pd.DataFrame(PLACES)
    several = frame.set_index([[1, 1, 2, 2], [1, 2, 1, 2]])
    for asked, words in (
        (several, "several levels"),
        (frame.set_index(pd.date_range("2026-01-01", periods=4)), "datetime64"),
        (frame.set_index(pd.Index([0.5, 1.5, 2.5, 3.5])), "float64"),
    ):
        with pytest.raises(SchemaError, match=words):
            index.nearest(asked, 1)
        assert index.nearest(asked.reset_index(drop=True), 1).to_pydict()["query"] == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["device", "time", "speed", "radius", "trip"])
def test_an_index_of_another_meaning_names_points(index, name):
    frame = pd.DataFrame(PLACES, index=pd.Index([2, 1, 4, 3], name=name))
    assert index.nearest(frame, 1).to_pydict()["query"] == [2, 1, 4, 3]
    with pytest.raises(SchemaError, match="datetime64"):
        index.nearest(frame.set_index(pd.date_range("2026-01-01", periods=4, name=name)), 1)
    with pytest.raises(SchemaError, match="several levels"):
        index.nearest(frame.set_index(pd.Index([0, 0, 1, 1], name="part"), append=True), 1)


def test_an_index_with_repetitions_is_told(index):
    frame = pd.concat([pd.DataFrame(PLACES)] * 2)
    words = (
        r'row 4, column "id": the identifier "0" is that of an earlier point too; .*\.reset_index\(drop=True\) numbers'
    )
    with pytest.warns(ColumnWarning, match=words) as told:
        assert index.nearest(frame, 1).to_pydict()["query"] == [0, 1, 2, 3] * 2
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.parametrize("index_of", [[], pd.Index([], dtype="float64"), pd.MultiIndex.from_arrays([[], []])])
def test_no_rows_need_no_names(index, index_of):
    frame = pd.DataFrame({"lat": [], "lon": []}, index=index_of)
    assert index.nearest(frame, 1).to_pydict()["query"] == []
    text = pd.DataFrame(PLACES, index=["a", "b", "c", "d"])
    assert index.nearest(text[text["lat"] > 90], 1).to_pydict()["query"] == []


@pytest.mark.parametrize("name", ["point_id", "query", "name"])
def test_batches_keep_identifiers_of_every_name(index, name):
    points = pa.table({name: [10, 20, 30, 40], "lat": PLACES["lat"], "lon": PLACES["lon"]})
    assert index.batches("nearest", points, 1, rows=2).read_all()["query"].to_pylist() == [10, 20, 30, 40]


@pytest.mark.filterwarnings("ignore::vicinity.VicinityWarning")
def test_columns_that_have_become_the_index_are_read():
    regions = pd.DataFrame(PLACES | {"radius": 10.0, "id": [1, 2, 3, 4]}).set_index("id")
    index = RegionIndex.from_arrow(regions)
    assert index.nearest((49, 16), 1).to_pydict()["region"] == ["2"]
    assert index.nearest(pd.DataFrame(PLACES).set_index(["lat", "lon"]), 1).to_pydict()["region"] == [
        "1",
        "2",
        "3",
        "4",
    ]
    times = pd.date_range("2026-01-01", periods=4, freq="h", tz="UTC", name="time")
    track = pd.DataFrame(PLACES | {"device": 7}).set_index("device").set_index(times, append=True)
    assert set(index.events(track).to_pydict()["device"]) == {"7"}


def test_what_else_could_name_points_is_told(index):
    """A customer's name, or the region where the customer lives; but not what an answer has beside its query."""
    customers = {"name": ["Anna", "Bert"], "region": ["AT", "AT"], "latitude": [48.0, 48.1], "longitude": [16.0, 16.0]}
    with pytest.warns(ColumnWarning) as told:
        assert index.nearest(customers, 1).to_pydict()["query"] == ["AT", "AT"]
    assert any('from the column "region"; "name" could hold them too' in str(one.message) for one in told)
    circles = {**customers, "region": ["AT", "BT"], "radius": [1.0, 1.0]}
    with pytest.warns(
        ColumnWarning, match='identifiers are taken from the column "region"; "name" could hold them too'
    ):
        RegionIndex.from_arrow(circles)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert index.nearest(customers, 1, columns={"id": "name"}).to_pydict()["query"] == ["Anna", "Bert"]
        index.nearest({**customers, "query": ["a", "b"]}, 1)
        index.nearest({**customers, "id": ["a", "b"]}, 1)


def test_the_geometry_says_where_points_are(index):
    frame = geopandas.GeoDataFrame({"lat": [0.0], "lon": [0.0]}, geometry=[Point(16, 48)], crs=4326)
    wanted = index.nearest((48, 16), 1).to_pydict()["boundary_distance"]
    with pytest.warns(ColumnWarning, match='from the geometry "geometry", not from "lat" and "lon"') as told:
        assert index.nearest(frame, 1).to_pydict()["boundary_distance"] == wanted
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = index.nearest(frame, 1, columns={"geometry": "geometry"})
        other = frame.assign(other=geopandas.GeoSeries([Point(1, 2)], crs=4326), wkb=[Point(16, 48).wkb])
        for column, place in (("geometry", (48, 16)), ("other", (2, 1)), ("wkb", (48, 16))):
            found = index.nearest(other, 1, columns={"geometry": column}).to_pydict()["boundary_distance"]
            assert found == index.nearest(place, 1).to_pydict()["boundary_distance"]
    assert named.to_pydict()["boundary_distance"] == wanted
    table = {"lat": [0.0], "lon": [0.0], "geometry": [Point(16, 48).wkb]}
    with pytest.warns(ColumnWarning, match='from the columns "lat" and "lon"; "geometry" could hold them too'):
        index.nearest(table, 1)
    assert index.nearest(table, 1, columns={"geometry": "geometry"}).to_pydict()["boundary_distance"] == wanted
    degrees = index.nearest(frame, 1, columns={"latitude": "lat", "longitude": "lon"})
    assert degrees.to_pydict()["boundary_distance"] == index.nearest((0, 0), 1).to_pydict()["boundary_distance"]


def test_what_is_no_geodataframe_is_said():
    with pytest.raises(SchemaError, match="a GeoDataFrame is expected, not a DataFrame"):
        RegionIndex.from_geopandas(pd.DataFrame(PLACES))
    frame = geopandas.GeoDataFrame(geometry=[Point(0, 0)], crs=4326).rename(columns={"geometry": "place"})
    with pytest.raises(SchemaError, match="no active geometry"):
        RegionIndex.from_geopandas(frame)
