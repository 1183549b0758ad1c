"""Questions to an index from SQL, in DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._errors import ArgumentError, DataError
from ._index import RegionIndex
from ._results import _needed

__all__ = ["register"]


def register(connection: Any, index: RegionIndex, *, prefix: str = "vicinity") -> None:
    """Give a DuckDB connection functions that ask an index: of each row, and of a whole vector of rows at once.

    - ``vicinity_nearest(latitude, longitude, k)``: the ``k`` regions nearest by boundary distance, nearest first;
    - ``vicinity_within(latitude, longitude, metres)``: all regions whose boundary is as near, and all that contain the place;
      with negative metres, such as -50, the regions in which the place is at least 50 m from the boundary;
    - ``vicinity_containing(latitude, longitude)``: all regions that contain the place, deepest first.

    Each gives a list of ``STRUCT(region VARCHAR, boundary_distance DOUBLE, centre_distance DOUBLE)``, which ``unnest`` makes
    rows of; the answers are those of ``RegionIndex``. Where an argument is NULL, so is the list. Functions of these names that
    an earlier call has registered are replaced.

    Args:
        connection: What ``duckdb.connect`` gives; ``duckdb.default_connection()`` is that of ``duckdb.sql``.
        index: The regions. The connection keeps it.
        prefix: What the functions' names begin with, for several indexes on one connection: letters, digits and ``_``.

    Raises:
        ArgumentError: The prefix is no such name.
        TypeError: The index is no ``RegionIndex``.

    A place that is none (latitude 91) ends the query with DuckDB's ``InvalidInputException``, which has the place.

    """
    if not isinstance(index, RegionIndex):
        raise TypeError(f"index: a RegionIndex is expected, not {type(index).__name__}")
    if not (prefix.isascii() and prefix.isidentifier()):
        raise ArgumentError(f"prefix {prefix!r}: letters, digits and _ are expected, and no digit first")
    functions: list[tuple[str, Callable[[dict[str, Any], Any], Any], str | None]] = [
        ("nearest", lambda points, k: index.nearest(points, k, threads=1, progress=False), "BIGINT"),
        ("within", lambda points, metres: index.within(points, metres, threads=1, progress=False), "DOUBLE"),
        ("containing", lambda points, _: index.containing(points, threads=1, progress=False), None),
    ]
    known = {name for (name,) in connection.execute("select distinct function_name from duckdb_functions()").fetchall()}
    for question, ask, argument in functions:
        name = f"{prefix}_{question}".lower()
        if name in known:
            connection.remove_function(name)
        connection.create_function(
            name,
            _vectorised(name, ask, argument is not None),
            ["DOUBLE", "DOUBLE"] + ([argument] if argument else []),
            "STRUCT(region VARCHAR, boundary_distance DOUBLE, centre_distance DOUBLE)[]",
            type="arrow",
        )


def _vectorised(name: str, ask: Callable[[dict[str, Any], Any], Any], has_argument: bool) -> Callable[..., Any]:
    """Give the function of columns that DuckDB calls; it counts a function's parameters."""
    arrow, numpy = _needed("pyarrow", "vicinity.duckdb"), _needed("numpy", "vicinity.duckdb")

    def asked(latitude: Any, longitude: Any, value: Any) -> Any:
        try:
            return ask({"latitude": latitude, "longitude": longitude}, value).to_arrow()
        except DataError as error:
            # DuckDB's vectors are not rows that anybody has numbered.
            row = error.row or 0
            place = f"{latitude[row]}, {longitude[row]}"
            raise ArgumentError(f"{name}({place}): {str(error).removeprefix(f'row {row}, ')}") from None

    def lists(latitude: Any, longitude: Any, argument: Any = None) -> Any:
        latitude, longitude = latitude.to_numpy(), longitude.to_numpy()
        # Rows with one value are asked together; mostly that is all of them. NaN is one value here.
        if argument is None:
            values, groups = [None], numpy.zeros(len(latitude), numpy.int64)
        else:
            values, groups = numpy.unique(argument.to_numpy(), return_inverse=True)
            values = values.tolist() or [0]
        tables, places = [], []
        for number, value in enumerate(values):
            chosen = numpy.flatnonzero(groups == number)
            tables.append(asked(latitude[chosen], longitude[chosen], value))
            places.append(chosen[tables[-1]["query"].to_numpy() - 1])
        rows, table = places[0], tables[0]
        if len(tables) > 1:
            rows = numpy.concatenate(places)
            order = numpy.argsort(rows, kind="stable")
            rows, table = rows[order], arrow.concat_tables(tables).take(order)
        counts = numpy.bincount(rows, minlength=len(latitude))
        offsets = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(numpy.int32)
        names = ["region", "boundary_distance", "centre_distance"]
        columns = [table[column].combine_chunks() for column in names]
        return arrow.ListArray.from_arrays(arrow.array(offsets), arrow.StructArray.from_arrays(columns, names))

    def with_argument(latitude: Any, longitude: Any, argument: Any) -> Any:
        return lists(latitude, longitude, argument)

    def without(latitude: Any, longitude: Any) -> Any:
        return lists(latitude, longitude)

    return with_argument if has_argument else without
