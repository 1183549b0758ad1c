"""Rows that cannot be read, skipped and listed: the answer is that of the other rows alone, and of the command line."""

import csv
import random
import subprocess
import warnings
from datetime import datetime, timezone

import geopandas
import numpy as np
import pandas
import pyarrow as pa
import pytest
import shapely
from conftest import PROGRAM

from vicinity import (
    ArgumentError,
    BadRowsWarning,
    ColumnWarning,
    DataError,
    RegionIndex,
    SchemaError,
    VicinityWarning,
)

SEEDS = range(6)


def shuffled_bad(seed, rows, spoil):
    """Spoil some of the rows; give the table of all, the numbers of those spoiled, and the table of the others."""
    random.seed(seed)
    share = [0, 0.001, 0.1, 0.5, 0.9, 0.01][seed % 6]
    bad = sorted(i for i in range(len(rows)) if random.random() < share)
    good = [row for i, row in enumerate(rows) if i not in set(bad)]
    spoiled = list(rows)
    for i in bad:
        spoiled[i] = spoil(dict(rows[i]))
    return spoiled, bad, good


def table(rows, chunk=None, **types):
    """Make a table, in batches of so many rows."""
    names = list(rows[0])
    whole = pa.table({n: pa.array([r[n] for r in rows], types.get(n)) for n in names})
    if chunk is None:
        return whole
    return pa.Table.from_batches(whole.to_batches(max_chunksize=chunk))


def rejected(answer):
    return answer.rejects.to_pydict()["row"]


# ---- Points. ----


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("named", [True, False])
def test_points_are_skipped(index, seed, named):
    print("seed", seed)
    random.seed(seed + 100)
    rows = [
        {"id": f"p{i}", "latitude": random.uniform(47, 49), "longitude": random.uniform(15, 17)} for i in range(5000)
    ]
    spoils = [
        lambda row: row | {"latitude": None},
        lambda row: row | {"longitude": float("nan")},
        lambda row: row | {"latitude": 91.5},
        lambda row: row | ({"id": None} if named else {"longitude": None}),
    ]
    spoiled, bad, good = shuffled_bad(seed, rows, lambda row: random.choice(spoils)(row))
    if not named:
        spoiled = [{k: v for k, v in row.items() if k != "id"} for row in spoiled]
    for chunk in (None, 700):
        data = table(spoiled, chunk)
        if not bad:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                answer = index.nearest(data, 2, on_bad_rows="skip")
        else:
            with pytest.raises(DataError) as refused:
                index.nearest(data, 2)
            assert refused.value.row in bad
            with pytest.warns(BadRowsWarning, match=f"^{len(bad)} of 5000 rows"):
                answer = index.nearest(data, 2, on_bad_rows="skip")
        assert rejected(answer) == bad
        expected = index.nearest(table(good), 2).to_pydict()
        if not named:
            numbers = {row["id"]: i + 1 for i, row in enumerate(rows)}
            expected["query"] = [numbers[name] for name in expected["query"]]
        assert answer.to_pydict() == expected


def test_reasons_name_the_column(index):
    points = {"latitude": [48.0, None, 48.0, 91.0, 48.0], "longitude": [16.0, 16.0, None, 16.0, float("inf")]}
    with pytest.warns(BadRowsWarning, match="4 of 5 rows are left out") as told:
        answer = index.nearest(points, 1, on_bad_rows="skip")
    assert told[0].filename == __file__
    rejects = answer.rejects.to_pydict()
    assert rejects["row"] == [1, 2, 3, 4]
    assert rejects["column"] == ["latitude", "longitude", "latitude", "longitude"]
    assert rejects["reason"][0] == "null"
    assert "91" in rejects["reason"][2]
    assert answer.to_pydict()["query"] == [1]
    assert "nothing" not in answer.notes[0]
    assert "rejects" in answer.notes[0]


def test_all_bad_is_an_error_all_the_same(index):
    with pytest.raises(DataError, match="the only row"):
        index.nearest((91.0, 0.0), 1, on_bad_rows="skip")
    with pytest.raises(DataError, match="each of the 2 rows"):
        index.containing([(91.0, 0.0), (92.0, 0.0)], on_bad_rows="skip")
    # No rows at all are no error.
    assert len(index.nearest(table([{"latitude": 1.0, "longitude": 1.0}]).slice(1), 1, on_bad_rows="skip")) == 0


def test_what_is_refused(index, tables):
    with pytest.raises(ArgumentError, match="^on_bad_rows: error or skip"):
        index.nearest((48.0, 16.0), on_bad_rows="drop")
    with pytest.raises(ArgumentError, match="no place for rejects"):
        index.batches("nearest", tables["points"], on_bad_rows="skip")
    with pytest.raises(SchemaError):
        # A column of the wrong type has no good row.
        index.nearest({"latitude": ["a", "b"], "longitude": [1.0, 2.0]}, on_bad_rows="skip")


def test_missing_geometries_are_skipped(index):
    frame = geopandas.GeoDataFrame(
        {"id": ["a", "b", "c"]}, geometry=[shapely.Point(16, 48), None, shapely.Point()], crs=4326
    )
    with pytest.raises(DataError, match="row 1.*null"):
        index.nearest(frame, 1)
    with pytest.raises(DataError, match='row 0, column "geometry": the geometry is empty'):
        index.nearest(frame[2:], 1)
    for points, column in [
        (frame, "geometry"),
        (frame.geometry, "geometry"),
        (frame.rename_geometry("geom"), "geom"),
        # Only a usual name can be given to the library.
        (frame.rename_geometry("places"), "geometry"),
        (frame.rename_geometry("geom").assign(wkb=b""), "geometry"),
    ]:
        with pytest.warns(BadRowsWarning, match=f'row 1, column "{column}": null'):
            answer = index.nearest(points, 1, on_bad_rows="skip")
        assert len(answer) == 1
        reasons = ["null", "the geometry is empty"]
        assert answer.rejects.to_pydict() == {"row": [1, 2], "column": [column] * 2, "reason": reasons}


def test_tracks_skip_what_is_no_point(index):
    shapes = [shapely.Point(16.4, 48.2), None, shapely.Point(), square(16, 48), shapely.Point(16.4, 48.2)]
    frame = geopandas.GeoDataFrame(
        {"device": ["a"] * 5, "time": [1.7e9 + i for i in range(5)]}, geometry=shapes, crs=4326
    )
    with pytest.raises(DataError, match='row 0, column "geometry": a point is expected, not a Polygon'):
        index.stays(frame[3:])
    with pytest.warns(BadRowsWarning, match="3 of 5"):
        stays = index.stays(frame, on_bad_rows="skip")
    reasons = ["null", "the geometry is empty", "a point is expected, not a polygon"]
    assert stays.rejects.to_pydict() == {"row": [1, 2, 3], "column": ["geometry"] * 3, "reason": reasons}
    assert len(stays) > 0


# ---- Regions. ----


@pytest.mark.parametrize("seed", SEEDS)
def test_circles_are_skipped(seed):
    print("seed", seed)
    random.seed(seed + 200)
    rows = [
        {
            "id": f"r{i}",
            "latitude": random.uniform(-80, 80),
            "longitude": random.uniform(-180, 180),
            "radius": random.uniform(0, 1000),
        }
        for i in range(3000)
    ]
    spoils = [
        lambda row: row | {"latitude": -91.0},
        lambda row: row | {"radius": -1.0},
        lambda row: row | {"radius": None},
        lambda row: row | {"id": None},
    ]
    spoiled, bad, good = shuffled_bad(seed, rows, lambda row: random.choice(spoils)(row))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BadRowsWarning)
        made = RegionIndex.from_arrow(table(spoiled, 500), on_bad_rows="skip")
    assert rejected(made) == bad
    assert made.regions().to_pydict() == RegionIndex.from_arrow(table(good)).regions().to_pydict()


def test_repeated_identifiers_are_skipped_as_at_the_command_line(tmp_path):
    rows = [("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 4.0), ("b", 5.0), ("a", 6.0)]
    regions = {
        "id": [name for name, _ in rows],
        "latitude": [place for _, place in rows],
        "longitude": [0.0] * 6,
        "radius": [10.0] * 6,
    }
    with pytest.raises(DataError, match="identifier of row 0 already"):
        RegionIndex.from_arrow(regions)
    with pytest.warns(BadRowsWarning, match="3 of 6"):
        made = RegionIndex.from_arrow(regions, on_bad_rows="skip")
    assert rejected(made) == [2, 4, 5]
    (tmp_path / "r.csv").write_text(
        "id,latitude,longitude,radius\n" + "".join(f"{name},{place},0,10\n" for name, place in rows)
    )
    text = subprocess.run(
        [PROGRAM, "nearest", tmp_path / "r.csv", "--skip-invalid", "--at", "0,0", "--format", "csv"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    mine = made.nearest({"id": ["at"], "latitude": [0.0], "longitude": [0.0]}, 20).to_csv()
    assert mine == text


def square(x, y, size=1.0):
    return shapely.box(x, y, x + size, y + size)


def test_bad_polygons_are_skipped():
    line, empty = shapely.LineString([(0, 0), (1, 1)]), shapely.Polygon()
    items = [square(0, 0), line, square(2, 0), empty, square(4, 0), square(0, 89.5)]
    wkb = [shapely.to_wkb(item) for item in items]
    wkb[4] = b"\x01\x02"
    with pytest.warns(BadRowsWarning, match="4 of 6"):
        made = RegionIndex.from_wkb([f"s{i}" for i in range(6)], wkb, on_bad_rows="skip")
    assert rejected(made) == [1, 3, 4, 5]
    assert made.regions().to_pydict()["id"] == ["s0", "s2"]
    frame = geopandas.GeoDataFrame({"name": ["x", "y", "z"]}, geometry=[square(0, 0), None, square(3, 3)], crs=4326)
    with pytest.raises(DataError, match="row 1"):
        RegionIndex.from_geopandas(frame, id="name")
    with pytest.warns(BadRowsWarning, match='row 1, column "geometry": null'):
        made = RegionIndex.from_geopandas(frame, id="name", on_bad_rows="skip")
    assert made.regions().to_pydict()["id"] == ["x", "z"]


def test_parts_of_one_identifier_are_merged_as_at_the_command_line(tmp_path):
    # Neighbours that share an edge, a part far away, and one that stands alone.
    items = [("a", square(0, 0)), ("b", square(5, 5)), ("a", square(1, 0)), ("a", square(10, 10)), ("c", square(7, 7))]
    names, shapes = [name for name, _ in items], [shape for _, shape in items]
    wkb = [shapely.to_wkb(shape) for shape in shapes]
    with pytest.raises(DataError, match="already"):
        RegionIndex.from_wkb(names, wkb)
    made = RegionIndex.from_wkb(names, wkb, merge_ids=True)
    assert made.regions().to_pydict()["id"] == ["a", "b", "c"]
    geopandas.GeoDataFrame({"id": names}, geometry=shapes, crs=4326).to_file(tmp_path / "r.geojson")
    points = [(f"{i}", random.Random(i).uniform(-1, 12), random.Random(-i).uniform(-1, 12)) for i in range(300)]
    (tmp_path / "p.csv").write_text("id,latitude,longitude\n" + "".join(f"{n},{y},{x}\n" for n, y, x in points))
    text = subprocess.run(
        [PROGRAM, "nearest", tmp_path / "r.geojson", "--merge-ids", "--points", tmp_path / "p.csv", "--format", "csv"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    asked = {
        "id": [n for n, _, _ in points],
        "latitude": [y for _, y, _ in points],
        "longitude": [x for _, _, x in points],
    }
    mine, theirs = (list(csv.DictReader(t.splitlines())) for t in (made.nearest(asked, 20).to_csv(), text))
    assert [(row["query"], row["region"]) for row in mine] == [(row["query"], row["region"]) for row in theirs]
    for one, other in zip(mine, theirs, strict=True):
        # Each follows the edges to 0.1 m.
        assert abs(float(one["boundary_distance"]) - float(other["boundary_distance"])) < 0.1
    # The shared edge is no boundary any more.
    assert made.nearest((0.5, 1.0), 1).to_pydict()["boundary_distance"][0] < -50_000


def test_regions_without_all_their_parts_are_named():
    wkb = [shapely.to_wkb(square(0, 0)), b"\x01", shapely.to_wkb(square(5, 5)), b"\x01", b"\x01"]
    with pytest.warns(BadRowsWarning) as told:
        made = RegionIndex.from_wkb(["a", "a", "b", "c", None], wkb, merge_ids=True, on_bad_rows="skip")
    assert made.regions().to_pydict()["id"] == ["a", "b"]
    texts = [str(warning.message) for warning in told]
    assert any('region "a" lacks 1 of its 2 rows: these rows are bad' in text for text in texts)
    assert any("1 bad row does not say of which region it is" in text for text in texts)
    assert not any('region "b"' in text or 'region "c" lacks' in text for text in texts)


def test_circles_are_not_merged():
    regions = {"id": ["a", "a"], "latitude": [0.0, 1.0], "longitude": [0.0, 0.0], "radius": [1.0, 1.0]}
    with pytest.raises(DataError, match="row 1.*circles cannot be merged"):
        RegionIndex.from_arrow(regions, merge_ids=True)
    with pytest.warns(BadRowsWarning):
        made = RegionIndex.from_arrow(regions, merge_ids=True, on_bad_rows="skip")
    assert made.regions().to_pydict()["latitude"] == [0.0]
    with pytest.warns(BadRowsWarning, match='region "a" lacks 1 of its 2 rows'):
        RegionIndex.from_arrow(regions, merge_ids=True, on_bad_rows="skip")
    with pytest.warns(BadRowsWarning, match='region "a" lacks 1 of its 2 rows'):
        RegionIndex.from_arrow(regions | {"latitude": [95.0, 1.0]}, merge_ids=True, on_bad_rows="skip")
    mixed = [shapely.to_wkb(square(0, 0)), shapely.to_wkb(shapely.Point(0, 0))]
    with pytest.raises(DataError, match="circles cannot be merged"):
        RegionIndex.from_wkb(["a", "a"], mixed, radius=5, merge_ids=True)


# ---- Radii that are not what they look like. ----


def test_radii_that_are_not_read_are_told():
    regions = {"id": ["a"], "latitude": [0.0], "longitude": [0.0]}
    with pytest.warns(ColumnWarning, match='column "r_m" is not read') as told:
        made = RegionIndex.from_arrow(regions | {"r_m": [900.0]}, radius=50)
    assert told[0].filename == __file__
    assert made.regions().to_pydict()["radius"] == [50.0]
    with pytest.warns(ColumnWarning, match='"radius_km" is read in metres'):
        RegionIndex.from_arrow(regions | {"radius_km": [1.0]}, columns={"radius": "radius_km"})
    frame = geopandas.GeoDataFrame({"id": ["a"], "r_ft": [9.0]}, geometry=[shapely.Point(0, 0)], crs=4326)
    with pytest.warns(ColumnWarning, match="metres"):
        RegionIndex.from_geopandas(frame, id="id", radius="r_ft")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RegionIndex.from_arrow(regions | {"r_m": [900.0]}, columns={"radius": "r_m"})
        RegionIndex.from_arrow(regions | {"radius": [900.0]})


def test_a_frame_of_points_states_its_radii():
    frame = geopandas.GeoDataFrame(
        {"id": ["a", "b"], "Radius": [9.0, 7.0]}, geometry=[shapely.Point(0, 0), shapely.Point(1, 0)], crs=4326
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert RegionIndex.from_geopandas(frame, id="id").regions().to_pydict()["radius"] == [9.0, 7.0]
    with pytest.warns(ColumnWarning, match='"Radius" is not read'):
        made = RegionIndex.from_geopandas(frame, id="id", radius=50)
    assert made.regions().to_pydict()["radius"] == [50.0, 50.0]
    outlines = frame.set_geometry([square(0, 0), square(3, 0)], crs=4326)
    with pytest.warns(ColumnWarning, match="the option radius is not used"):
        RegionIndex.from_geopandas(outlines, id="id", radius=50)


def test_what_is_no_point_among_points_is_a_bad_row():
    made = RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [9.0]})
    frame = geopandas.GeoDataFrame(
        {"id": ["p", "q", "r"]}, geometry=[shapely.Point(0, 0), square(0, 0), shapely.Point(1, 0)], crs=4326
    )
    with pytest.raises(DataError, match="row 1"):
        made.nearest(frame, 1)
    with pytest.warns(BadRowsWarning, match="a point is expected, not a polygon"):
        answer = made.nearest(frame, 1, on_bad_rows="skip")
    assert answer.to_pydict()["query"] == ["p", "r"]
    assert answer.rejects.to_pydict()["row"] == [1]


@pytest.mark.parametrize("kind", ["float64", "object"])
def test_a_frame_without_rows_has_no_answers(kind):
    def nothing(*names):
        return pandas.DataFrame({name: pandas.Series([], dtype=kind) for name in names})

    made = RegionIndex.from_arrow(nothing("id", "lat", "lon", "radius"))
    assert len(made) == 0
    made = RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [9.0]})
    assert made.nearest(nothing("id", "lat", "lon"), 1).to_pydict()["query"] == []
    with pytest.warns(VicinityWarning, match="no fixes"):
        assert made.events(nothing("device", "time", "lat", "lon")).to_pydict()["device"] == []


# ---- Columns that are chosen among several. ----


def told_of_columns(work):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        work()
    return [str(one.message) for one in told if one.category is ColumnWarning]


def test_of_several_columns_it_is_told_which_is_read():
    regions = {"id": ["a"], "lat": [1.0], "latitude": [2.0], "lon": [3.0], "radius": [4.0], "radius_m": [5.0]}
    told = told_of_columns(lambda: RegionIndex.from_arrow(regions))
    assert ["latitudes" in told[0], "radii" in told[1], len(told)] == [True, True, 2]
    assert '"latitude"; "lat" could hold them too' in told[0]
    assert 'columns={"latitude": ...}' in told[0]
    chosen = {"latitude": "lat", "radius": "radius"}
    assert told_of_columns(lambda: RegionIndex.from_arrow(regions, columns=chosen)) == []
    made = RegionIndex.from_arrow(regions, columns=chosen)
    assert made.regions().to_pydict()["latitude"] == [1.0]
    points = {name: values for name, values in regions.items() if "radius" not in name}
    assert len(told_of_columns(lambda: made.nearest(points, 1))) == 1
    tracks = {"Vehicle ID": ["v"], "trip_id": ["t"], "time": [1e9], "timestamp": [2e9], "lat": [1.0], "lon": [3.0]}
    fleet = made.fleet()
    for work in (lambda: made.events(tracks), lambda: made.plan(tracks), lambda: fleet.advance(tracks)):
        told = told_of_columns(work)
        assert len(told) == 2
        assert 'column "trip_id"; "Vehicle ID" could hold them too' in told[0]
        assert 'column "time"; "timestamp" could hold them too' in told[1]
    # Batches are alike.
    assert told_of_columns(lambda: fleet.advance(tracks | {"time": [1e9 + 1]})) == []


# ---- Tracks. ----


def test_fixes_of_negative_accuracy_are_told():
    made = RegionIndex.from_arrow({"id": ["a"], "latitude": [0.0], "longitude": [0.0], "radius": [900.0]})
    tracks = {
        "device": ["v"] * 4,
        "time": [1e9, 1e9 + 60, 1e9 + 120, 1e9 + 180],
        "latitude": [0.0, 1.0, 0.0, 0.0],
        "longitude": [0.0] * 4,
        "accuracy": [5.0, -1.0, -1.0, 5.0],
    }
    for work in (made.events, made.stays, made.plan, lambda rows: made.events(rows, sort=True)):
        with pytest.warns(VicinityWarning, match="2 fixes have a negative accuracy.*left out"):
            work(tracks)
    tracks["accuracy"] = [5.0, 0.0, 0.0, 5.0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made.events(tracks)
    assert not [one for one in told if "accuracy" in str(one.message)]


def walk(seed, devices=5, count=400):
    random.seed(seed + 300)
    rows = []
    for device in range(devices):
        latitude, longitude = random.uniform(47.9, 48.3), random.uniform(16.1, 16.6)
        for step in range(count):
            latitude += random.uniform(-0.002, 0.002)
            longitude += random.uniform(-0.003, 0.003)
            time = 1_700_000_000.0 + 20 * step
            rows.append({"device": f"d{device}", "time": time, "latitude": latitude, "longitude": longitude})
    rows.sort(key=lambda row: row["time"])
    return rows


@pytest.fixture(scope="module")
def shops():
    random.seed(7)
    return RegionIndex.from_arrow(
        {
            "id": [f"s{i}" for i in range(400)],
            "latitude": [random.uniform(47.9, 48.3) for _ in range(400)],
            "longitude": [random.uniform(16.1, 16.6) for _ in range(400)],
            "radius": [random.uniform(100, 500) for _ in range(400)],
        }
    )


TRACK_SPOILS = [
    lambda row: row | {"latitude": None},
    lambda row: row | {"device": None},
    lambda row: row | {"time": None},
    lambda row: row | {"longitude": 600.0},
    lambda row: row | {"time": 1e13},
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sort", [False, True])
def test_fixes_are_skipped(shops, seed, sort):
    print("seed", seed)
    spoiled, bad, good = shuffled_bad(seed, walk(seed), lambda row: random.choice(TRACK_SPOILS)(row))
    for chunk in (None, 313):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for question in ("events", "stays"):
                answer = getattr(shops, question)(table(spoiled, chunk), sort=sort, on_bad_rows="skip")
                assert rejected(answer) == bad
                expected = getattr(shops, question)(table(good), sort=sort)
                assert len(expected) > 0
                assert answer.to_csv() == expected.to_csv()
            plans = shops.plan(table(spoiled, chunk), sort=sort, on_bad_rows="skip")
            assert rejected(plans) == bad
            assert plans.to_csv() == shops.plan(table(good), sort=sort).to_csv()


def test_fixes_out_of_order_are_skipped_as_at_the_command_line(shops, tmp_path):
    rows = walk(1)
    random.seed(5)
    # Times that no order explains: a clock that is wrong by hours, back and ahead.
    for i in random.sample(range(200, len(rows)), 40):
        rows[i] = rows[i] | {"time": rows[i]["time"] + random.choice([-7200, 86400])}
    with pytest.raises(DataError):
        shops.events(table(rows))
    with pytest.warns(BadRowsWarning):
        answer = shops.events(table(rows), on_bad_rows="skip")
    assert 30 <= len(answer.rejects) <= 40
    shops_file, tracks_file = tmp_path / "shops.vicinity", tmp_path / "tracks.csv"
    shops.save(shops_file)
    tracks_file.write_text(
        "device,time,latitude,longitude\n"
        + "".join(f"{r['device']},{r['time']},{r['latitude']!r},{r['longitude']!r}\n" for r in rows)
    )
    rejects = tmp_path / "rejects.csv"
    text = subprocess.run(
        [
            PROGRAM, "events", shops_file, "--tracks", tracks_file, "--skip-invalid-tracks", "--output", tmp_path / "e.csv",
            "--rejects", rejects,
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (tmp_path / "e.csv").read_text() == answer.to_csv(), text.stderr
    # Lines count from 1, behind a header.
    with rejects.open() as file:
        lines = sorted(int(row["line"]) - 2 for row in csv.DictReader(file))
    assert lines == rejected(answer)
    # Both as a fleet that is told batch by batch.
    fleet = shops.fleet(on_bad_rows="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = fleet.advance(table(rows[:1000]))
        second = fleet.advance(table(rows[1000:]))
    assert len(first.rejects) + len(second.rejects) >= 30


def test_a_fleets_batch_may_be_bad_as_a_whole(shops):
    fleet = shops.fleet(on_bad_rows="skip", device="one")
    with pytest.warns(BadRowsWarning, match="1 of 1 rows is left out"):
        assert len(fleet.advance({"time": [5.0], "latitude": [91.0], "longitude": [0.0]})) == 0
    assert fleet.device_count == 0
    assert len(fleet.advance({"time": [1.7e9], "latitude": [48.0], "longitude": [16.0]})) == 0
    assert fleet.device_count == 1


def test_studies_list_what_they_leave_out(shops):
    rows = walk(2, devices=1, count=60)
    rows[7]["latitude"] = None
    with pytest.warns(BadRowsWarning, match="1 of 60"):
        study = shops.compare(table(rows), ["monitor-slots"], seeds=1, on_bad_rows="skip")
    assert study.rejects.to_pydict()["row"] == [7]
    clean = shops.compare(table(rows[:7] + rows[8:]), ["monitor-slots"], seeds=1)
    assert study.files["summary.csv"] == clean.files["summary.csv"]


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("seconds", lambda t: t),
        ("milliseconds", lambda t: t * 1000),
        ("ms", lambda t: int(t * 1000)),
        ("microseconds", lambda t: int(t) * 1_000_000),
        ("nanoseconds", lambda t: int(t) * 1_000_000_000),
        ("ns", lambda t: float(t) * 1e9),
        ("days", lambda t: t / 86400 + 25569),
        ("days-1904", lambda t: t / 86400 + 24107),
        ("unix-days", lambda t: t / 86400),
    ],
)
def test_units_of_time(shops, unit, count):
    rows = walk(3)
    expected = shops.events(table(rows)).to_csv()
    data = table([row | {"time": count(row["time"])} for row in rows])
    naive = "utc" if unit.startswith("days") else None
    assert shops.events(data, time_unit=unit, naive_times=naive).to_csv() == expected
    if naive:
        with pytest.raises(SchemaError, match="no zone"):
            shops.events(data, time_unit=unit)


def test_units_of_time_that_cannot_be(shops):
    place = {"device": ["a"], "latitude": [48.0], "longitude": [16.0]}
    with pytest.raises(ArgumentError, match="^time_unit: one of"):
        shops.events(place | {"time": [1.0]}, time_unit="weeks")
    with pytest.raises(SchemaError, match="a unit of their own"):
        shops.events(place | {"time": [datetime(2024, 1, 1, tzinfo=timezone.utc)]}, time_unit="seconds")
    with pytest.raises(DataError, match="time_unit"):
        shops.events(place | {"time": [1_700_000_000_000]})
    for value in (np.uint64(2**64 - 1), 1e300, float("nan")):
        for unit in ("seconds", "milliseconds", "microseconds", "nanoseconds", "unix-days"):
            with pytest.raises(DataError):
                shops.events(place | {"time": np.array([value])}, time_unit=unit)


@pytest.mark.parametrize("question", ["events", "stays", "fleet"])
def test_a_row_that_cannot_be_read_hides_no_time_that_goes_back(shops, question):
    """A device of which a time is wrong, behind another's row that has none: in one batch or in several."""
    rows = {
        "device": ["x", "x", "y", "y", "y"],
        "time": [1_700_000_000, None, 1_700_000_000, 1_800_000_000, 1_700_000_005],
        "latitude": [48.0] * 5,
        "longitude": [16.3] * 5,
    }
    whole = pa.table(rows)
    apart = pa.concat_tables([whole.slice(k, 1) for k in range(5)])
    for data in (whole, apart):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if question == "fleet":
                answer = shops.fleet(on_bad_rows="skip").advance(data)
            else:
                answer = getattr(shops, question)(data, on_bad_rows="skip")
        assert rejected(answer) == [1, 3]


def test_a_fleet_ends_with_an_error_in_a_batch(shops):
    """Some of the batch's fixes have been taken: going on would lose their events."""
    fleet = shops.fleet(device="one")
    good = {"time": [1.7e9, 1.7e9 + 10], "latitude": [48.0, 48.001], "longitude": [16.3, 16.3]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fleet.advance(good)
        before = fleet.state()
        # Nothing has been taken where there is no such column.
        with pytest.raises(SchemaError):
            fleet.advance({"time": [1.7e9 + 20]})
        assert fleet.state() == before
        with pytest.raises(DataError):
            fleet.advance({"time": [1.7e9 + 20, 1.7e9 + 30], "latitude": [48.0, 95.0], "longitude": [16.3, 16.3]})
        for ask in (
            fleet.state,
            lambda: fleet.advance({"time": [1.7e9 + 40], "latitude": [48.0], "longitude": [16.3]}),
        ):
            with pytest.raises(ArgumentError, match="from the state before"):
                ask()
        again = shops.fleet(device="one", state=before)
        again.advance({"time": [1.7e9 + 20], "latitude": [48.0], "longitude": [16.3]})


def test_a_point_without_radius_among_polygons_is_skipped():
    mixed = [shapely.to_wkb(square(0, 0)), shapely.to_wkb(shapely.Point(5, 5))]
    with pytest.raises(DataError, match="row 1.*needs a radius"):
        RegionIndex.from_wkb(["a", "b"], mixed)
    with pytest.warns(BadRowsWarning):
        made = RegionIndex.from_wkb(["a", "b"], mixed, on_bad_rows="skip")
    assert rejected(made) == [1]


def test_a_fleet_that_is_stopped_while_its_events_are_written_ends(shops):
    """Its state has moved on, and nobody has been told the events."""
    fleet = shops.fleet()

    def stop(_done, total):
        # Only where events are written it is known how many there are.
        if total > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fleet.advance(table(walk(4)), progress=stop)
    with pytest.raises(ArgumentError, match="from the state before"):
        fleet.state()
