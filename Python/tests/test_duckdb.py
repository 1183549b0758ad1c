"""Questions from SQL, held to the index's own answers."""

import duckdb
import pyarrow as pa
import pytest

from vicinity import ArgumentError, RegionIndex
from vicinity.duckdb import register


@pytest.fixture
def connection(index, tables):
    made = duckdb.connect()
    register(made, index)
    made.register("points", tables["points"])
    return made


def rows_of(neighbors):
    """Give the rows as SQL's: the point's number, the region, both distances."""
    table = neighbors.to_pydict()
    return list(
        zip(*(table[name] for name in ("query", "region", "boundary_distance", "centre_distance")), strict=True)
    )


def asked(connection, call, points="points"):
    # Rows of a list keep its order; those of points have the order of their numbers.
    return connection.execute(
        f"with numbered as (select row_number() over () as query, * from {points}),"
        f" answered as (select query, unnest({call}) as found, generate_subscripts({call}, 1) as rank from numbered)"
        " select query, found.region, found.boundary_distance, found.centre_distance from answered order by query, rank"
    ).fetchall()


def unnamed(tables):
    return tables["points"].select(["latitude", "longitude"])


def test_answers_are_the_indexs(connection, index, tables):
    points = unnamed(tables)
    # More than two vectors of DuckDB's, with poles and the antimeridian.
    assert points.num_rows == 5000
    assert asked(connection, "vicinity_nearest(latitude, longitude, 3)") == rows_of(index.nearest(points, 3))
    assert asked(connection, "vicinity_within(latitude, longitude, 900)") == rows_of(index.within(points, 900))
    assert asked(connection, "vicinity_containing(latitude, longitude)") == rows_of(index.containing(points))
    assert len(rows_of(index.containing(points))) > 100


def test_an_argument_of_each_row(connection, index, tables):
    points = unnamed(tables)
    expected = []
    for k in range(4):
        rows = rows_of(index.nearest(points, k))
        expected += [row for row in rows if row[0] % 4 == k]
    expected.sort(key=lambda row: row[0])
    assert asked(connection, "vicinity_nearest(latitude, longitude, query % 4)") == expected
    distances = asked(connection, "vicinity_within(latitude, longitude, if(query % 2 = 0, 100, 2000))")
    near, far = (rows_of(index.within(points, metres)) for metres in (100, 2000))
    assert distances == sorted(
        [row for row in near if row[0] % 2 == 0] + [row for row in far if row[0] % 2 == 1], key=lambda row: row[0]
    )


def test_nulls_and_no_rows(connection):
    answers = connection.execute(
        "select vicinity_nearest(null, 16.4, 1), vicinity_nearest(48.2, 16.4, null), vicinity_containing(48.2, null),"
        " len(vicinity_nearest(48.2, 16.4, 2)), len(vicinity_nearest(48.2, 16.4, 0))"
    ).fetchone()
    assert answers == (None, None, None, 2, 0)
    assert asked(connection, "vicinity_nearest(latitude, longitude, 1)", "points where latitude > 90") == []


def test_an_impossible_place_is_named(connection):
    with pytest.raises(duckdb.InvalidInputException, match=r"vicinity_nearest\(91\.0, 16\.4\): .*latitude"):
        connection.execute("select vicinity_nearest(if(i = 3000, 91, 48), 16.4, 1) from range(5000) t(i)").fetchall()
    with pytest.raises(duckdb.InvalidInputException, match="k: a whole number"):
        connection.execute("select vicinity_nearest(48, 16.4, -1)").fetchall()
    with pytest.raises(duckdb.InvalidInputException, match="distance"):
        connection.execute("select vicinity_within(48, 16.4, 'nan'::double)").fetchall()
    # Also where other rows ask for something else.
    with pytest.raises(duckdb.InvalidInputException, match="distance"):
        connection.execute(
            "select vicinity_within(48, 16.4, if(i = 7, 'nan'::double, i)) from range(20) t(i)"
        ).fetchall()


def test_several_indexes_and_one_in_place_of_another(connection, index):
    one = RegionIndex.from_arrow({"id": ["only"], "latitude": [48.2], "longitude": [16.4]}, radius=100)
    register(connection, one, prefix="shops")
    question = "select vicinity_nearest(48.2, 16.4, 1)[1].region, shops_nearest(48.2, 16.4, 1)[1].region"
    first = index.nearest([(48.2, 16.4)], 1).to_pydict()["region"][0]
    assert connection.execute(question).fetchone() == (first, "only")
    register(connection, index, prefix="shops")
    assert connection.execute(question).fetchone() == (first, first)
    for prefix in ("", "my shops", "1st", "drop table points; --", "käse"):
        with pytest.raises(ArgumentError, match="prefix"):
            register(connection, index, prefix=prefix)
    with pytest.raises(TypeError, match="a RegionIndex is expected, not str"):
        register(connection, "stores.vicinity")


def test_joins_regions_back(connection, index):
    connection.register("regions", pa.table(index.regions()))
    rows = connection.execute(
        "select count(*), max(found.boundary_distance + radius - found.centre_distance)"
        " from points, unnest(vicinity_nearest(latitude, longitude, 2)) as t(found)"
        " join regions on regions.id = found.region"
    ).fetchone()
    # Circles: the boundary is the radius nearer than the centre.
    assert rows[0] == 10_000
    assert abs(rows[1]) < 1e-3
