"""Polygons: of GeoPandas, of WKB and of GeoArrow, held to the command line reading the same shapes."""

import warnings

import geopandas
import numpy as np
import pytest
import shapely
from shapely.geometry import Point, Polygon, box

from vicinity import DataError, RegionIndex, SchemaError, VicinityWarning


@pytest.fixture(scope="module")
def countries(tmp_path_factory):
    """Long edges at high latitudes, holes, several parts, and one across the antimeridian."""
    folder = tmp_path_factory.mktemp("shapes")
    dice = np.random.default_rng(3)
    shapes = []
    for _ in range(60):
        x, y = dice.uniform(-150, 150), dice.uniform(-70, 70)
        turn = np.sort(dice.uniform(0, 2 * np.pi, 9))
        size = dice.uniform(0.5, 12, 9)
        ring = [(x + a * np.cos(t), y + 0.7 * a * np.sin(t)) for a, t in zip(size, turn, strict=True)]
        shape = shapely.make_valid(Polygon(ring))
        shapes.append(max(shape.geoms, key=lambda part: part.area) if hasattr(shape, "geoms") else shape)
    square = Polygon([(0, 50), (40, 50), (40, 70), (0, 70)], [[(10, 55), (30, 55), (30, 65), (10, 65)]])
    shapes.append(square)
    shapes.append(
        shapely.MultiPolygon(
            [
                Polygon([(170, 60), (180, 60), (180, 70), (170, 70)]),
                Polygon([(-180, 60), (-170, 60), (-170, 70), (-180, 70)]),
            ]
        )
    )
    frame = geopandas.GeoDataFrame(
        {"name": [f"land {i}" for i in range(len(shapes))]}, geometry=shapes, crs="EPSG:4326"
    )
    with (folder / "shapes.csv").open("w") as out:
        out.write("id,wkt\n")
        for name, shape in zip(frame["name"], frame.geometry, strict=True):
            out.write(f'{name},"{shapely.to_wkt(shape, rounding_precision=-1)}"\n')
    return frame, folder / "shapes.csv"


def test_same_as_the_command_line(program, files, tables, countries):
    frame, path = countries
    for index in [
        RegionIndex.from_geopandas(frame, id="name"),
        RegionIndex.from_geopandas(frame.set_index("name")),
        RegionIndex.from_wkb(frame["name"].tolist(), frame.geometry.to_wkb().tolist()),
        RegionIndex.from_arrow(frame.rename(columns={"name": "id"}).to_arrow(geometry_encoding="WKB", index=False)),
        RegionIndex.from_arrow(
            {
                "id": frame["name"].tolist(),
                "wkb": shapely.to_wkb(frame.geometry, byte_order=0, include_srid=True).tolist(),
            }
        ),
    ]:
        assert index.polygon_count == len(frame)
        wanted = program("nearest", path, "--points", files / "points.csv", "--max-distance", 0, "-f", "csv")
        assert wanted.count("\n") > 200
        assert index.containing(tables["points"]).to_csv() == wanted
        near = program("nearest", path, "--points", files / "points.csv", "--count", 1, "-f", "csv")
        assert index.nearest(tables["points"], 1).to_csv() == near


def test_edges(countries):
    """The middle of a long edge along a parallel: straight in longitude and latitude, or bulging to the north."""
    frame, _ = countries
    square = frame.iloc[[60]]
    between = (70.5, 20.0)
    assert len(RegionIndex.from_geopandas(square, id="name").containing(between)) == 0
    bulging = RegionIndex.from_wkb(["square"], square.geometry.to_wkb().tolist(), edges="geodesic")
    assert len(bulging.containing(between)) == 1


def test_reference_systems(countries):
    frame, _ = countries
    with pytest.raises(SchemaError, match="EPSG:3857") as error:
        RegionIndex.from_geopandas(frame.iloc[:5].to_crs(3857))
    assert error.value.column == "geometry"
    with pytest.raises(SchemaError, match="EPSG:3857"):
        RegionIndex.from_arrow(frame.iloc[:5].rename(columns={"name": "id"}).to_crs(3857).to_arrow(index=False))
    # Points have no edges that could be cut into pieces.
    with pytest.raises(SchemaError, match=r"to_crs\(4326\), and before it frame.geometry.segmentize"):
        RegionIndex.from_geopandas(frame.to_crs(3857))
    points = geopandas.GeoDataFrame(geometry=[Point(0, 0), None], crs=3857)
    for ask in (RegionIndex.from_geopandas, RegionIndex.from_geopandas(frame).nearest):
        with pytest.raises(SchemaError, match=r"to_crs\(4326\)$"):
            ask(points)
    with pytest.raises(SchemaError, match="does not say"):
        RegionIndex.from_geopandas(frame.set_crs(None, allow_override=True))
    assert len(RegionIndex.from_geopandas(frame.to_crs("OGC:CRS84"))) == len(frame)


def test_points_are_circles(index, tables):
    regions = tables["regions"].to_pandas()
    frame = geopandas.GeoDataFrame(
        regions, geometry=geopandas.points_from_xy(regions["longitude"], regions["latitude"]), crs=4326
    )
    made = RegionIndex.from_geopandas(frame, id="id", radius="radius")
    assert made.nearest(tables["points"]).to_csv() == index.nearest(tables["points"]).to_csv()
    asked = {
        "id": tables["points"]["id"].to_pylist(),
        "geometry": [
            Point(x, y).wkb
            for y, x in zip(
                tables["points"]["latitude"].to_pylist(), tables["points"]["longitude"].to_pylist(), strict=True
            )
        ],
    }
    assert made.nearest(asked).to_csv() == index.nearest(tables["points"]).to_csv()
    assert RegionIndex.from_wkb(["a"], [Point(16, 48).wkb], radius=100).nearest((48, 16)).to_pydict()[
        "boundary_distance"
    ] == [-100]


@pytest.mark.parametrize(
    ("wkb", "words"),
    [
        (b"", "ends too early"),
        (shapely.LineString([(0, 0), (1, 1)]).wkb, "a line"),
        (Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]).wkb, "invalid polygon"),
        (Polygon([(0, 0), (1, 95), (1, 0)]).wkb, "not within -90...90"),
        (shapely.GeometryCollection().wkb, "empty"),
        (Polygon([(0, 0), (1, 1), (1, 0)]).wkb + b"x", "behind"),
        (Point(1, 2).wkb, "radius"),
        (shapely.set_srid(Point(1, 2), 31287).wkb_hex.encode(), "byte order"),
        (shapely.to_wkb(shapely.set_srid(Point(1, 2), 31287), include_srid=True), "SRID 31287"),
    ],
)
def test_bad_geometries(wkb, words):
    good = Polygon([(0, 0), (1, 1), (1, 0)]).wkb
    with pytest.raises((DataError, SchemaError), match=words) as error:
        RegionIndex.from_wkb(["a", "b"], [good, wkb], strict=True)
    if isinstance(error.value, DataError):
        assert (error.value.row, error.value.column) == (1, "geometry")
    with pytest.raises(DataError) as error:
        RegionIndex.from_wkb(["a", "b"], [good, None])
    assert error.value.row == 1


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (Point(1, 2), "WKB .bytes. is expected, not a value of type Point; shapely.to_wkb"),
        (Point(1, 2).wkt, r"WKB .bytes. is expected, not text \('POINT \(1 2\)'\); shapely.from_wkt\(text\).wkb"),
        (Point(1, 2).wkb_hex, "WKB .bytes. is expected, not hexadecimal text; bytes.fromhex"),
        (7, "WKB .bytes. is expected, not a value of type int$"),
        (float("nan"), "null"),
    ],
)
def test_what_is_no_wkb_is_named(item, words):
    good = Point(0, 0).wkb
    with pytest.raises(DataError, match=f'row 1, column "geometry": {words}') as error:
        RegionIndex.from_wkb(["a", "b"], [good, item], radius=5)
    assert (error.value.row, error.value.column) == (1, "geometry")
    for wkb in (memoryview(good), bytearray(good)):
        assert len(RegionIndex.from_wkb(["a"], [wkb], radius=5)) == 1


def test_a_series_of_geometries_is_no_wkb(countries):
    frame, _ = countries
    with pytest.raises(DataError, match="row 0, .*, not a value of type .*Polygon; .*from_geopandas takes"):
        RegionIndex.from_wkb(frame["name"], frame.geometry)


@pytest.mark.parametrize("interleaved", [True, False])
def test_of_geoarrow_the_wkb_encoding_is_read(countries, interleaved):
    frame, _ = countries
    native = {"index": False, "geometry_encoding": "geoarrow", "interleaved": interleaved}
    words = r"GeoArrow's native encodings; in GeoPandas frame.to_arrow\(geometry_encoding=\"WKB\"\)"
    with pytest.raises(SchemaError, match=words) as error:
        RegionIndex.from_arrow(frame[:5].rename(columns={"name": "id"}).to_arrow(**native))
    assert error.value.column == "geometry"
    points = geopandas.GeoDataFrame(geometry=[Point(1, 2)], crs=4326)
    with pytest.raises(SchemaError, match=words):
        RegionIndex.from_geopandas(frame).nearest(points.to_arrow(**native))


def test_edges_across_more_than_half_a_turn():
    """Taken to cross the antimeridian, as on the command line, and told; a hole as the ring around it."""
    wide = box(-170, 10, 170, 20, ccw=False)
    holed = Polygon(wide.exterior.coords, [[(-175, 14), (-175, 16), (175, 16), (175, 14)]])
    text = "the edge from longitude -170.0 to 170.0 spans more than half a turn and is taken to cross the antimeridian"
    frame = geopandas.GeoDataFrame({"id": ["plain", "wide"]}, geometry=[box(0, 0, 1, 1), wide], crs=4326)
    for make in (
        lambda: RegionIndex.from_geopandas(frame, id="id"),
        lambda: RegionIndex.from_geopandas(frame, id="id", strict=True),
        lambda: RegionIndex.from_wkb(frame["id"], frame.geometry.to_wkb()),
        lambda: RegionIndex.from_arrow(frame.to_arrow(geometry_encoding="WKB", index=False)),
    ):
        with pytest.warns(VicinityWarning, match=f'^row 1, column "geometry": {text}$') as told:
            index = make()
        assert len(told) == 1
        assert told[0].filename == __file__
        assert [len(index.containing((15, longitude))) for longitude in (175, -175, 160, 100)] == [1, 1, 0, 0]
    with pytest.warns(VicinityWarning) as told:
        index = RegionIndex.from_wkb(["holed"], [holed.wkb])
    assert len(told) == 2
    assert [len(index.containing((15, longitude))) for longitude in (180, 173, -173, 160)] == [0, 1, 1, 0]
    # What says by itself what it means needs no warning.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        straight = RegionIndex.from_wkb(["a"], [shapely.segmentize(wide, 90).wkb])
        across = RegionIndex.from_wkb(["a"], [box(170, 10, 190, 20).wkb])
    assert [len(straight.containing((15, longitude))) for longitude in (175, 100)] == [0, 1]
    assert [len(across.containing((15, longitude))) for longitude in (175, -175, 100)] == [1, 1, 0]
