"""Frames as people have them: times of two kinds, empty names, radii that count for nothing, names more than once."""

import datetime
import warnings

import geopandas
import numpy
import pandas
import pytest
import shapely

from vicinity import ArgumentError, ColumnWarning, DataError, RegionIndex, SchemaError

BERLIN = datetime.timezone(datetime.timedelta(hours=2))
START = pandas.Timestamp("2026-05-01 10:00:00")


def _index(radius=200.0):
    return RegionIndex.from_arrow({"id": ["zone"], "latitude": [52.0], "longitude": [13.0], "radius": [radius]})


def _track(times, **columns):
    count = len(times)
    return pandas.DataFrame(
        {"device": ["a"] * count, "time": times, "latitude": [52.0] * count, "longitude": [13.0] * count, **columns}
    )


def test_times_with_and_without_a_zone():
    """An object column of both is no column of times in UTC."""
    aware = pandas.Series([START.tz_localize(BERLIN), START.tz_localize(BERLIN) + pandas.Timedelta("1min")])
    naive = pandas.Series([START + pandas.Timedelta("2min")])
    for times, row in ((pandas.concat([aware, naive]), 2), (pandas.concat([naive, aware]), 1)):
        frame = _track(list(times)).astype({"time": object})
        assert frame["time"].dtype == object
        with pytest.raises(DataError, match=f'row {row}, column "time": .* among times') as error:
            _index().stays(frame)
        assert (error.value.row, error.value.column) == (row, "time")
    # All with a zone, whichever it is, are times.
    frame = _track([*aware, aware[0].tz_convert("UTC") + pandas.Timedelta("5min")]).astype({"time": object})
    assert _index().stays(frame).to_pydict()["exit"][0] == aware[0] + pandas.Timedelta("5min")


def test_periods_are_no_times():
    frame = _track(pandas.period_range(START, periods=3, freq="s"))
    with pytest.raises(SchemaError, match=r'column "time": periods are no times') as error:
        _index().stays(frame)
    assert error.value.column == "time"
    # A column that is not read may hold anything.
    assert len(_index().nearest(frame.drop(columns="device"), 1).to_pydict()["region"]) == 3
    seconds = frame.assign(seconds=[0, 1, 2])
    assert _index().stays(seconds, columns={"time": "seconds"}).to_pydict()["duration"] == [2.0]


def test_the_cure_for_text_names_the_zone():
    with pytest.raises(SchemaError, match=r"utc=True\) where it states a zone, and by .*tz_localize\(zone\)"):
        _index().events(_track(["2026-05-01 10:00:00"]))


@pytest.mark.parametrize("make", [pandas.Series, lambda names: pandas.Series(names).astype("category"), list])
def test_empty_names(make):
    """They are bad rows: devices that nobody has named are not one device."""
    names = make(["a", "", "a"])
    track = _track([START.tz_localize("UTC") + pandas.Timedelta(i, "s") for i in range(3)])
    track["device"] = names
    with pytest.raises(DataError, match='row 1, column "device": empty'):
        _index().events(track)
    with pytest.warns(UserWarning, match="1 of 3 rows is left out as bad"):
        assert _index().stays(track, on_bad_rows="skip").rejects.to_pydict()["reason"] == ["empty"]
    places = {"id": names, "latitude": [52.0] * 3, "longitude": [13.0, 13.1, 13.2]}
    with pytest.raises(DataError, match='row 1, column "id": empty'):
        RegionIndex.from_arrow({**places, "radius": [10.0] * 3})
    with pytest.raises(DataError, match='row 1, column "id": empty'):
        _index().nearest(places, 1)


def _squares(**columns):
    shapes = [shapely.box(13, 52, 13.01, 52.01), shapely.box(13.02, 52, 13.03, 52.01)]
    return geopandas.GeoDataFrame(columns, geometry=shapes, crs=4326)


def test_radii_that_count_for_nothing():
    """A radius that changes nothing is said, whether an option gives it or a column."""
    with pytest.warns(ColumnWarning, match="the option radius is not used: all regions are polygons"):
        RegionIndex.from_geopandas(_squares(), radius=50)
    with pytest.warns(ColumnWarning, match='column "radius" is not used: all regions are polygons'):
        RegionIndex.from_geopandas(_squares(radius=[5.0, 6.0]))
    circles = {"id": ["a", "b"], "latitude": [52.0, 53.0], "longitude": [13.0, 13.0], "radius": [5.0, 6.0]}
    with pytest.warns(ColumnWarning, match='the option radius is not used: column "radius" has a radius in each row'):
        RegionIndex.from_arrow(circles, radius=30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Where a row has none, the option counts; and where there is one of each kind, both do.
        index = RegionIndex.from_arrow({**circles, "radius": [5.0, None]}, radius=30)
        assert index.regions().to_pydict()["radius"] == [5.0, 30.0]
        RegionIndex.from_geopandas(_squares())
        mixed = [shapely.box(13, 52, 13.01, 52.01), shapely.Point(13, 53)]
        RegionIndex.from_geopandas(geopandas.GeoDataFrame(geometry=mixed, crs=4326), radius=50)


def test_no_radii_of_no_regions():
    """Without regions nobody can say that a radius counts for nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for radius in (None, 50):
            assert len(RegionIndex.from_arrow({"id": [], "lat": [], "lon": [], "radius": []}, radius=radius)) == 0
        assert len(RegionIndex.from_geopandas(_squares()[:0], radius=50)) == 0


def test_names_in_the_index_of_a_frame_of_regions():
    frame = pandas.DataFrame({"latitude": [52.0], "longitude": [13.0], "radius": [5.0]}, index=["a"])
    words = r'column "id": there is no such column; .* named by columns={"id": ...}; .*frame.reset_index\(names="id"\)'
    with pytest.raises(SchemaError, match=words) as error:
        RegionIndex.from_arrow(frame)
    assert error.value.column == "id"
    assert "id-column" not in str(error.value)
    assert len(RegionIndex.from_arrow(frame.reset_index(names="id"))) == 1


def test_times_of_another_zone():
    with pytest.raises(ArgumentError, match=r"naive_times: \"utc\" is expected, not 'Europe/Vienna'; .*tz_localize"):
        _index().events(_track([START]), naive_times="Europe/Vienna")
    with pytest.raises(ArgumentError, match="naive_times"):
        _index().fleet(naive_times="local")


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (["a", "b", "a"], 2), (["a", "b", "c"], None), ([1, 2, 2], 2), ([3, 1, 3], 2), ([1, 2, 3], None),
        ([3, 2, 1], None), (pandas.Categorical(["x", "x", "y"]), 1), (numpy.array([2**64 - 1, 5, 5], "u8"), 2),
    ],
)  # fmt: skip
def test_names_of_points_more_than_once(names, row):
    points = pandas.DataFrame({"id": names, "latitude": [52.0, 52.1, 52.2], "longitude": [13.0] * 3})
    if row is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _index().nearest(points, 1)
    else:
        with pytest.warns(
            ColumnWarning, match=f'row {row}, column "id": the identifier ".*" is that of an earlier point'
        ):
            _index().nearest(points, 1)


def test_accuracies_in_another_unit():
    track = _track([START.tz_localize("UTC")], accuracy_ft=[30.0])
    with pytest.warns(ColumnWarning, match='"accuracy_ft" is not read: accuracies are read in metres only'):
        _index().stays(track)


def test_a_column_without_values_is_none():
    """Accuracies that are all None, which have no type, are as if there were no such column."""
    times = [START.tz_localize("UTC")]
    for accuracy in ([None], [numpy.nan]):
        frame = _track(times, accuracy=accuracy, speed=accuracy)
        assert _index().stays(frame).to_pydict()["region"] == ["zone"]


def test_faults_that_pyarrow_finds_name_their_column():
    track = _track([START.tz_localize("UTC")] * 2)
    twice = pandas.concat([track, track["latitude"]], axis=1)
    with pytest.raises(SchemaError, match='column "latitude": two columns have this name') as error:
        _index().events(twice)
    assert error.value.column == "latitude"
    text = track.assign(latitude=pandas.Series([52.0, "north"], dtype=object))
    with pytest.raises(DataError, match="row 1, column \"latitude\": 'north' where numbers are expected"):
        _index().events(text)
    shapes = pandas.DataFrame({"id": ["a"], "geometry": [shapely.Point(13, 52)]})
    with pytest.raises(DataError, match='row 0, column "geometry": .*from_geopandas takes frames'):
        RegionIndex.from_arrow(shapes, radius=5)


@pytest.mark.parametrize("rule", ["core-location", "overlap"])
def test_stays_that_begin_at_the_first_fix_that_shows_it(rule):
    """A coarse fix decides nothing, so the stay begins with the first good one after it; it is not lost."""
    start = START.tz_localize("UTC")
    times = [start + pandas.Timedelta(10 * i, "s") for i in range(12)]
    track = _track(times, accuracy=[400.0] + [5.0] * 11).assign(longitude=13.0007)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stays = _index().stays(track, rule=rule).to_pydict()
    assert stays["enter"] == [times[1]]
    assert stays["open"] == ["both"]
    assert stays["duration"] == [100.0]
    shown = _index().events(track, rule=rule, initial=True).to_pydict()
    assert shown["kind"] == ["initial"]
    assert shown["time"] == [times[1]]
    # And it ends like any other.
    away = track.assign(time=[time + pandas.Timedelta("2min") for time in times], longitude=13.02, accuracy=5.0)
    stays = _index().stays(pandas.concat([track, away]), rule=rule).to_pydict()
    assert stays["enter"] == [times[1]]
    assert stays["open"] == ["start"]
    assert stays["duration"][0] > 100


def _told(track, **columns):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        table = _index().stays(track, **columns)
    return [str(one.message) for one in told], list(table.notes)


def test_what_was_left_out_of_fixes_is_told():
    """As the command line tells it: repeats, AIS's words for no position, and courses that are none."""
    frame = _track([1e9 + 60 * i for i in range(30)])
    assert _told(frame) == ([], [])
    # Every row twice.
    twice = pandas.concat([frame, frame]).sort_values("time", kind="stable")
    told, notes = _told(twice)
    assert told == notes == ["30 of 60 fixes repeat the time and the place of the one before: left out"]
    # One of anything is told in the singular.
    once = pandas.concat([frame[:3], frame[:1]]).sort_values("time", kind="stable")
    assert _told(once)[1] == ["1 of 4 fixes repeats the time and the place of the one before: left out"]
    elsewhere = pandas.concat([frame, frame[:1].assign(latitude=52.0001)])
    words = "1 fix is at the time of another of its device and elsewhere: left out"
    assert _told(elsewhere, sort=True)[1] == [words]
    single = _index()
    assert repr(single) == "<vicinity.RegionIndex of 1 region, polygons among them: 0>"
    assert repr(single.regions()).endswith(" of 1 row>")
    # A tenth is not many.
    assert _told(pandas.concat([frame, frame[:3]]).sort_values("time", kind="stable")) == ([], [])
    # Beside those, a fix whose accuracy is negative is another matter.
    nowhere = _track(
        [1e9 + 60 * i for i in range(4)], accuracy=[5.0, 5.0, -1.0, 5.0], course=[511.0, 360.0, 10.0, -1.0]
    )
    nowhere.loc[1, ["latitude", "longitude"]] = 91.0, 181.0
    told, notes = _told(nowhere)
    assert told == notes
    assert len(told) == 3
    assert told[0].startswith("1 fix has a negative accuracy")
    assert told[1].startswith("1 value of course is no number of degrees")
    assert told[2].startswith("1 row has latitude 91 and longitude 181")


def test_a_column_that_may_number_rows_is_told():
    """Where nobody named the devices' column, and its name says little; and where each row is another device."""
    frame = _track([1e9 + 60 * i for i in range(10)])
    numbered = frame.drop(columns="device").assign(id=range(10))
    told, notes = _told(numbered)
    assert any('devices are taken from the column "id"' in words for words in told)
    assert "every fix is of a device of its own; does the devices' column number rows?" in notes
    # Named, it is right.
    told, notes = _told(numbered.assign(id="a"), columns={"device": "id"})
    assert told == notes == []
