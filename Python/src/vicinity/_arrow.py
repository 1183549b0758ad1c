"""Data on their way in and out: anything that speaks Arrow, NumPy arrays, and lists."""

from __future__ import annotations

import array
import contextlib
import ctypes
import numbers
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from ._errors import ArgumentError, ColumnWarning, DataError, SchemaError, StreamError
from ._library import (
    ARRAY_RELEASE,
    SCHEMA_RELEASE,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    ErrorStruct,
    check,
    library,
    produce,
)

_api = ctypes.pythonapi
_capsule_pointer = _api.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_new = _api.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# ---- In. ----


@contextlib.contextmanager
def stream_of(
    data: Any,
    names: Sequence[str],
    skips: bool = False,
    columns: Mapping[str, str] | None = None,
    are_points: bool = False,
) -> Iterator[int]:
    """Give the address of a stream of ``data``, which a call takes over.

    ``skips`` says that the call leaves out bad rows: what can be handed on to it is no error here. ``columns`` are those that the
    caller names, by meaning. ``are_points`` says that rows are points, which pandas's index names where no column does.

    ``data`` has ``__arrow_c_stream__`` or ``__arrow_c_array__``, or is a mapping of names to columns, an array of shape
    (n, len(names)) or sequence of tuples with the columns ``names``, or a ``GeoDataFrame`` or ``GeoSeries`` of points.
    """
    if hasattr(data, "geom_type") and hasattr(data, "crs"):
        data = _places_of(data, names, skips, columns or {})
    if hasattr(data, "collect_schema") and not hasattr(data, "__arrow_c_stream__"):
        # A query of polars's (LazyFrame), which is asked now.
        data = data.collect()
    if hasattr(data, "iloc") and hasattr(data, "columns") and hasattr(data, "index"):
        data = _with_index(_with_names(data), columns or {}, are_points)
        if len(data) == 0:
            data = _typed(data)
        if "time" in names:
            _check_times(data, columns or {})
    if hasattr(data, "__arrow_c_stream__"):
        try:
            capsule = data.__arrow_c_stream__()
        except Exception as reason:
            # Not that the data cannot be had, such as a lost connection, which says itself what it is.
            if not hasattr(data, "iloc") or isinstance(reason, (MemoryError, OSError, ImportError)):
                raise
            # pyarrow's, of a column of objects that are not of one kind.
            _find_fault(data)
            cure = "a column holds values of one kind; in pandas .astype(str) makes them strings"
            raise SchemaError(f"this {type(data).__name__} is no Arrow data: {reason}; {cure}") from reason
        yield _capsule_pointer(capsule, b"arrow_array_stream")
        return
    stream = library.vicinity_stream_allocate()
    try:
        error = ErrorStruct()
        if hasattr(data, "__arrow_c_array__"):
            schema, values = data.__arrow_c_array__()
            pointers = _capsule_pointer(schema, b"arrow_schema"), _capsule_pointer(values, b"arrow_array")
            check(library.vicinity_stream_of_array(*pointers, stream, ctypes.byref(error)), error)
        else:
            made_schema, made_array = _struct_of(_columns_of(data, names))
            check(
                library.vicinity_stream_of_array(
                    ctypes.addressof(made_schema), ctypes.addressof(made_array), stream, ctypes.byref(error)
                ),
                error,
            )
        yield stream
    finally:
        library.vicinity_stream_free(stream)


def check_crs(crs: Any, *, have_edges: bool) -> None:
    """Throw unless GeoPandas's reference system is longitude and latitude on WGS84; edges get advice of their own."""
    if crs is None:
        raise SchemaError(
            "the frame does not say its coordinate reference system: frame.set_crs(4326)", None, "geometry"
        )
    code = crs.to_epsg(min_confidence=100) if hasattr(crs, "to_epsg") else None
    if code != 4326 and (crs.to_authority() or ("", "")) != ("OGC", "CRS84"):
        cure = "frame.to_crs(4326)"
        if have_edges:
            cure += ", and before it frame.geometry.segmentize(1000) where edges are kilometres long"
        what = f"the coordinate reference system is {crs.to_string()}; EPSG:4326 is expected: {cure}"
        raise SchemaError(what, None, "geometry")


def _places_of(data: Any, names: Sequence[str], skips: bool, columns: Mapping[str, str]) -> Any:
    """Give GeoPandas's points as columns of degrees, beside a frame's other columns."""
    if "radius" in names:
        raise SchemaError("a GeoDataFrame of regions is taken by RegionIndex.from_geopandas")
    if "latitude" in columns or "longitude" in columns:
        return _without_geometries(data)
    if "geometry" in columns and hasattr(data, "columns"):
        name = columns["geometry"]
        if name not in data.columns:
            raise SchemaError(f'column "{name}": there is no such column', None, name)
        if getattr(data[name].dtype, "name", "") != "geometry":
            # WKB, which the library reads.
            return _without_geometries(data)
        data = data.set_geometry(name)
    geometry = data.geometry
    name = str(geometry.name or "geometry")
    check_crs(data.crs, have_edges=False)
    are_points = True
    kinds, nulls, empty = (values.tolist() for values in (geometry.geom_type, geometry.isna(), geometry.is_empty))
    for row, (kind, is_null, is_empty) in enumerate(zip(kinds, nulls, empty, strict=True)):
        if kind == "Point" and not is_empty:
            continue
        are_points = False
        if not skips:
            what = f"a point is expected, not a {kind}; frame.representative_point() gives one in each"
            what = "null" if is_null else "the geometry is empty" if is_empty else what
            raise DataError(f'row {row}, column "{name}": {what}', row, name)
    usual = column_names()
    rest = _without_geometries(data) if hasattr(data, "columns") else None
    if "geometry" in columns or not are_points:
        # The library says of each that is no point what it is.
        found = [
            column for column in (name, *(() if rest is None else rest.columns)) if _plain(column) in usual["geometry"]
        ]
        named = columns.get("geometry", name if found == [name] else "geometry")
        places: dict[str, Any] = {named: wkb_column(name, list(geometry.to_wkb()), True)}
    else:
        places = {"latitude": geometry.y.to_numpy(), "longitude": geometry.x.to_numpy()}
    if rest is None:
        return {"id": _names_of(data.index).to_numpy(), **places}
    taken = [column for column in rest.columns if _plain(column) in {*usual["latitude"], *usual["longitude"]}]
    if taken and "geometry" not in columns:
        columns_of = " and ".join(f'"{column}"' for column in taken)
        what = f'places are taken from the geometry "{name}", not from {columns_of}; columns={{"latitude": ...}} reads those'
        warnings.warn(what, ColumnWarning, stacklevel=outside())
    return rest.drop(columns=taken).assign(**places)


def _without_geometries(frame: Any) -> Any:
    """Give a frame's other columns, which alone have a place in Arrow."""
    import pandas

    shapes = [name for name in frame.columns if getattr(frame[name].dtype, "name", "") == "geometry"]
    return pandas.DataFrame(frame.drop(columns=shapes))


def _plain(name: Any) -> str:
    """Give a column's name as names are compared."""
    return str(name).strip(" \t").lower()


def _with_names(frame: Any) -> Any:
    """Give pandas's frame columns whose names are text, as Arrow has them."""
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise SchemaError(
            f"the frame's columns have {frame.columns.nlevels} levels, and a column's name is text: name them, "
            'frame.columns = ["latitude", ...], or take one level, frame.columns = frame.columns.get_level_values(0)'
        )
    if all(isinstance(name, str) for name in frame.columns):
        return frame
    # Without a copy of what the columns hold.
    named = frame.copy(deep=False)
    named.columns = [str(name) for name in frame.columns]
    return named


def _with_index(frame: Any, columns: Mapping[str, str], are_points: bool) -> Any:
    """Give pandas's frame what its index has to say as columns: pandas exports an index, or leaves it out, as it is stored."""
    usual = column_names()
    meanings = ("point", "latitude", "longitude", "geometry") if are_points else tuple(usual)
    known = {name for meaning in meanings for name in usual[meaning]}
    levels = [
        level
        for level, name in enumerate(frame.index.names)
        if name is not None and name not in frame.columns and (_plain(name) in known or name in columns.values())
    ]
    if len({frame.index.names[level] for level in levels}) < len(levels):
        raise SchemaError(f"levels of the index have one name: {frame.index.names}; .reset_index(names=...) names them")
    if levels:
        frame = frame.reset_index(levels)
    has_names = "id" in columns or any(_plain(column) in usual["point"] for column in frame.columns)
    if not are_points or has_names or len(frame) == 0:
        return frame
    import pandas

    # Without a copy of what the columns hold.
    named = frame.copy(deep=False)
    named.index = pandas.RangeIndex(len(frame))
    named["id"] = _names_of(frame.index)
    return named


def _check_times(frame: Any, columns: Mapping[str, str]) -> None:
    """Throw for times of pandas's that pyarrow would read without their zone, or as mere numbers."""
    wanted = [columns["time"]] if "time" in columns else column_names()["time"]
    plain = [_plain(name) for name in frame.columns]
    place = next((plain.index(_plain(name)) for name in wanted if _plain(name) in plain), None)
    if place is None:
        return
    name, dtype = str(frame.columns[place]), frame.dtypes.iloc[place]
    if type(dtype).__name__ == "PeriodDtype":
        what = "periods are no times: .dt.to_timestamp(), and .dt.tz_localize(zone), make times of them"
        raise SchemaError(f'column "{name}": {what}', None, name)
    if dtype.kind == "O" and any(issubclass(kind, datetime) for kind in set(map(type, frame.iloc[:, place]))):
        # Times with a zone beside times without: pyarrow takes them all for UTC.
        _pandas_column(name, frame.iloc[:, place])


def _find_fault(frame: Any) -> None:
    """Throw the error of a frame that pyarrow cannot read, with its row and column, if this module can tell."""
    names = [str(name) for name in frame.columns]
    for name in names:
        if names.count(name) > 1:
            raise SchemaError(f'column "{name}": two columns have this name', None, name)
    for i, name in enumerate(names):
        try:
            frame.iloc[:, [i]].__arrow_c_stream__()
        except Exception as reason:
            _pandas_column(name, frame.iloc[:, i])
            raise SchemaError(f'column "{name}": {reason}', None, name) from reason


def _names_of(index: Any) -> Any:
    """Give pandas's index where it can name points."""
    if index.nlevels > 1:
        raise SchemaError("the index has several levels; name a column of identifiers, or .reset_index()")
    kind = getattr(index.dtype, "kind", "O")
    if kind not in "iuOUST" or type(index.dtype).__name__ in ("PeriodDtype", "IntervalDtype"):
        what = f"the index, {index.dtype}, cannot name points; name a column of identifiers, or .reset_index(drop=True)"
        raise SchemaError(what)
    return index


def outside() -> int:
    """Count the frames between the caller and whoever called this package, for a warning's ``stacklevel``."""
    level, frame = 1, sys._getframe(1)
    here = os.path.dirname(__file__)
    while frame.f_back is not None and (
        os.path.dirname(frame.f_code.co_filename) == here or frame.f_code.co_filename == contextlib.__file__
    ):
        level, frame = level + 1, frame.f_back
    return level


def _typed(frame: Any) -> Any:
    """Give pandas's frame without rows columns of the types that are read: without values they are numbers, or of any type."""
    types: dict[Any, str] = {}
    for meaning, names in column_names().items():
        for column in frame.columns:
            if _plain(column) in names and frame[column].dtype.kind in "fO" and column not in types:
                types[column] = "string" if meaning in ("id", "point", "device") else "float64"
    return frame.astype(types)


_column_names: dict[str, list[str]] = {}


def column_names() -> Mapping[str, Sequence[str]]:
    """Give the names by which the library finds columns, by meaning, in the order in which they are tried."""
    if not _column_names:
        table = produce("table", "column_names")
        rows = read_table(table.pointer)
        for meaning, name in zip(rows["meaning"], rows["name"], strict=True):
            _column_names.setdefault(meaning, []).append(name)
    return _column_names


def _columns_of(data: Any, names: Sequence[str]) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        # A frame without pyarrow at hand.
        return {str(name): data[name] for name in data.columns}
    shape = getattr(data, "shape", None)
    if shape is not None:
        if len(shape) != 2 or shape[1] != len(names):
            raise SchemaError(f"an array of shape (n, {len(names)}) is expected: {', '.join(names)}; found {shape}")
        return {name: data[:, i] for i, name in enumerate(names)}
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        rows = list(data)
        if len(names) == 2 and len(rows) == 2 and all(isinstance(item, numbers.Real) for item in rows):
            rows = [tuple(rows)]
        if all(isinstance(row, (tuple, list)) and len(row) == len(names) for row in rows):
            return {name: [row[i] for row in rows] for i, name in enumerate(names)}
        if len(names) == 2 and len(rows) == 2 and not any(isinstance(item, (Sequence, Mapping)) for item in rows):
            raise SchemaError(f"a point is two numbers, {' and '.join(names)}, not {tuple(rows)}")
        if all(isinstance(row, Mapping) for row in rows):
            raise SchemaError("rows are dicts here: pyarrow.Table.from_pylist(rows) makes a table of them")
    raise SchemaError(
        f"an Arrow table, a mapping of names to columns, or rows of {', '.join(names)} are expected, not "
        f"{type(data).__name__}"
    )


class _Made:
    """Keeps all that an exported struct refers to, until it is released."""

    alive: dict[int, _Made] = {}  # noqa: RUF012

    def __init__(self) -> None:
        self.kept: list[Any] = []


def _drop_array(pointer: Any) -> None:
    made = pointer.contents
    for i in range(made.n_children):
        child = made.children[i]
        if child.contents.release:
            child.contents.release(child)
    made.release = ARRAY_RELEASE()
    _Made.alive.pop(made.private_data or 0, None)


def _drop_schema(pointer: Any) -> None:
    made = pointer.contents
    for i in range(made.n_children):
        child = made.children[i]
        if child.contents.release:
            child.contents.release(child)
    made.release = SCHEMA_RELEASE()
    _Made.alive.pop(made.private_data or 0, None)


_release_array, _release_schema = ARRAY_RELEASE(_drop_array), SCHEMA_RELEASE(_drop_schema)


def _struct_of(columns: Mapping[str, Any]) -> tuple[ArrowSchema, ArrowArray]:
    """Make a struct array of columns; both structs are to be taken over by the library."""
    if not columns:
        raise SchemaError("there are no columns")
    made = [_column_of(str(name), values) for name, values in columns.items()]
    length = made[0].length
    for column in made:
        if column.length != length:
            what = f'column "{column.name}": {column.length} values where "{made[0].name}" has {length}'
            raise SchemaError(what, None, column.name)
    schema, result = ArrowSchema(), ArrowArray()
    schema_kept, kept = _Made(), _Made()
    count = len(made)
    schemas = (ctypes.POINTER(ArrowSchema) * count)()
    arrays = (ctypes.POINTER(ArrowArray) * count)()
    for i, column in enumerate(made):
        inner, values = ArrowSchema(), ArrowArray()
        inner.format, inner.name, inner.flags = column.format, column.name.encode(), 2
        inner.release = _release_schema
        values.length, values.null_count = length, column.null_count
        values.n_buffers = len(column.buffers)
        buffers = (ctypes.c_void_p * max(1, values.n_buffers))(*column.buffers)
        values.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        values.release = _release_array
        if column.moved is not None:
            # Dictionaries stay their owner's, who is released with these structs.
            inner.metadata, inner.dictionary = column.moved.schema.metadata, column.moved.schema.dictionary
            values.offset, values.dictionary = column.moved.array.offset, column.moved.array.dictionary
        schemas[i], arrays[i] = ctypes.pointer(inner), ctypes.pointer(values)
        schema_kept.kept += [inner, column]
        kept.kept += [values, buffers, column]
    schema.format, schema.name = b"+s", b""
    schema.n_children, schema.children = count, schemas
    schema.release, schema.private_data = _release_schema, id(schema_kept)
    result.length, result.n_buffers, result.n_children, result.children = length, 1, count, arrays
    none = (ctypes.c_void_p * 1)(None)
    result.buffers = ctypes.cast(none, ctypes.POINTER(ctypes.c_void_p))
    result.release, result.private_data = _release_array, id(kept)
    schema_kept.kept += [schemas]
    kept.kept += [arrays, none]
    _Made.alive[id(schema_kept)] = schema_kept
    _Made.alive[id(kept)] = kept
    return schema, result


class _Moved:
    """One column that somebody else's Arrow made, taken over from its capsules."""

    def __init__(self, schema: ArrowSchema, array: ArrowArray) -> None:
        self.schema, self.array = schema, array

    @classmethod
    def from_capsules(cls, capsules: tuple[Any, Any]) -> _Moved:
        schema = ArrowSchema.from_address(_capsule_pointer(capsules[0], b"arrow_schema"))
        values = ArrowArray.from_address(_capsule_pointer(capsules[1], b"arrow_array"))
        moved = cls(ArrowSchema(), ArrowArray())
        ctypes.pointer(moved.schema)[0], ctypes.pointer(moved.array)[0] = schema, values
        schema.release, values.release = SCHEMA_RELEASE(), ARRAY_RELEASE()
        return moved

    @classmethod
    def from_stream(cls, name: str, capsule: Any) -> _Moved:
        """Take the only chunk of a stream; of one without chunks, nothing but the type."""
        stream = ArrowArrayStream.from_address(_capsule_pointer(capsule, b"arrow_array_stream"))
        moved, more = cls(ArrowSchema(), ArrowArray()), ArrowArray()
        place = ctypes.byref(stream)
        if (
            stream.get_schema(place, ctypes.byref(moved.schema)) != 0
            or stream.get_next(place, ctypes.byref(moved.array)) != 0
            or stream.get_next(place, ctypes.byref(more)) != 0
        ):
            reason = (stream.get_last_error(place) if stream.get_last_error else None) or b"it does not say why"
            raise StreamError(
                f'column "{name}": its Arrow stream failed: {reason.decode("utf-8", "replace")}', None, name
            )
        if more.release:
            more.release(ctypes.byref(more))
            raise SchemaError(f'column "{name}": it comes in several chunks; give a table, or one chunk', None, name)
        return moved

    def __del__(self) -> None:
        for struct in (self.array, self.schema):
            if struct.release:
                struct.release(ctypes.byref(struct))


class _Column:
    """A column's format, and where its buffers are: the bitmap of what is not null, if there is one, then those of its type."""

    def __init__(
        self, name: str, form: bytes, length: int, buffers: list[int | None], kept: list[Any], nulls: Any = None
    ) -> None:
        """Keep a column; ``nulls`` says of each row whether it is null."""
        self.name, self.format, self.length, self.kept = name, form, length, kept
        self.null_count, bitmap = _bitmap(nulls)
        self.buffers = [bitmap[0] if bitmap else None, *buffers]
        self.kept = [*kept, bitmap]
        self.moved: _Moved | None = None

    @classmethod
    def taking(cls, name: str, moved: _Moved) -> _Column:
        if not moved.array.release:
            return _empty_column(name, moved.schema)
        made = cls(name, moved.schema.format or b"", moved.array.length, [], [])
        made.null_count = moved.array.null_count
        made.buffers = [moved.array.buffers[i] for i in range(moved.array.n_buffers)]
        made.moved = moved
        return made


def _empty_column(name: str, schema: ArrowSchema) -> _Column:
    """Make a column without rows, of a type or, of a dictionary, the type of its values."""
    while schema.dictionary:
        schema = schema.dictionary.contents
    form = schema.format or b""
    # Where text is or may be elsewhere, offsets come before it.
    count = 0 if form == b"n" else 2 if form in (b"u", b"z", b"U", b"Z", b"vu", b"vz") else 1
    none = array.array("q", [0, 0])
    made = _Column(name, form, 0, [_address(none)] * count, [none])
    if form == b"n":
        made.buffers = []
    return made


def _bitmap(nulls: Any) -> tuple[int, tuple[int, Any] | None]:
    """Count nulls, and give the address of the bitmap of all others, beside what owns it."""
    if nulls is None:
        return 0, None
    if hasattr(nulls, "nonzero"):
        import numpy

        count = int(nulls.sum())
        bits: Any = numpy.packbits(~nulls, bitorder="little")
        return count, (bits.__array_interface__["data"][0], bits) if count else None
    count = sum(nulls)
    if not count:
        return 0, None
    made = array.array("B", bytes((len(nulls) + 7) // 8))
    for row, is_null in enumerate(nulls):
        if not is_null:
            made[row >> 3] |= 1 << (row & 7)
    return count, (made.buffer_info()[0], made)


_FORMATS = {
    "i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S", "i4": b"i", "u4": b"I", "i8": b"l", "u8": b"L", "f4": b"f", "f8": b"g",
}  # fmt: skip
_UNITS = {"s": b"tss:", "ms": b"tsm:", "us": b"tsu:", "ns": b"tsn:"}


def _utf8(name: str, row: int, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DataError(f'row {row}, column "{name}": {text!r} has no UTF-8', row, name) from None


def _is_missing(item: Any) -> bool:
    """Whether an item of a list is no value: ``None``, pandas's and NumPy's words for it, and NaN among strings."""
    return item is None or type(item).__name__ in ("NAType", "NaTType", "MaskedConstant")


def _column_of(name: str, values: Any) -> _Column:
    if isinstance(values, _Binary):
        return _text_column(name, [item or b"" for item in values], b"z", [item is None for item in values])
    if hasattr(values, "isna") and hasattr(values, "dtype") and hasattr(values, "to_numpy"):
        return _pandas_column(name, values)
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
    if hasattr(values, "__arrow_c_array__"):
        return _Column.taking(name, _Moved.from_capsules(values.__arrow_c_array__()))
    if hasattr(values, "__arrow_c_stream__"):
        whole = values.rechunk() if hasattr(values, "rechunk") else values
        return _Column.taking(name, _Moved.from_stream(name, whole.__arrow_c_stream__()))
    interface = getattr(values, "__array_interface__", None)
    if interface is None and hasattr(values, "to_numpy"):
        values = values.to_numpy()
        interface = getattr(values, "__array_interface__", None)
    if interface is not None:
        mask = getattr(values, "mask", None)
        if mask is not None and hasattr(values, "filled"):
            import numpy

            return _numpy_column(name, values.data, numpy.ma.getmaskarray(values))
        return _numpy_column(name, values)
    return _list_column(name, list(values))


def _pandas_column(name: str, values: Any) -> _Column:
    """Read a pandas column: masked numbers, times with a zone, categories and strings of every kind, Arrow's own."""
    dtype = values.dtype
    if type(dtype).__name__ == "ArrowDtype":
        return _column_of(name, values.array.__arrow_array__())
    if getattr(dtype, "tz", None) is not None:
        # A column keeps what an index has itself.
        plain = getattr(values, "dt", values).tz_convert("UTC")
        return _numpy_column(name, getattr(plain, "dt", plain).tz_localize(None).to_numpy(), zone=b"UTC")
    if dtype.kind in "biuf" and hasattr(dtype, "numpy_dtype"):
        import numpy

        nulls = numpy.asarray(values.isna())
        return _numpy_column(name, values.to_numpy(dtype=dtype.numpy_dtype, na_value=0), nulls)
    if dtype.kind in "biufcmM" and not hasattr(dtype, "categories"):
        return _numpy_column(name, values.to_numpy())
    items = values.astype(object).tolist()
    nulls = values.isna().tolist()
    return _list_column(name, [None if is_null else item for item, is_null in zip(items, nulls, strict=True)])


def _list_column(name: str, items: list[Any]) -> _Column:
    # Most lists are of one type and have no nulls.
    types = set(map(type, items))
    if types == {float}:
        return _buffer_column(name, b"g", array.array("d", items), None)
    if types == {int}:
        return _whole_column(name, items, None)
    if types == {str}:
        return _text_column(name, [_utf8(name, row, item) for row, item in enumerate(items)], b"u", None)
    nulls = [_is_missing(item) for item in items]
    first = next((item for item, is_null in zip(items, nulls, strict=True) if not is_null), None)
    wanted: str = "numbers"
    kinds: tuple[type, ...] = (numbers.Real, Decimal)
    if isinstance(first, str):
        wanted, kinds = "strings", (str,)
        nulls = [null or (isinstance(item, float) and item != item) for item, null in zip(items, nulls, strict=True)]
    elif isinstance(first, bytes):
        wanted, kinds = "bytes", (bytes,)
    elif isinstance(first, datetime):
        wanted, kinds = "times", (datetime,)
    for row, (item, is_null) in enumerate(zip(items, nulls, strict=True)):
        if not is_null and (isinstance(item, bool) or not isinstance(item, kinds)):
            if item is first and not isinstance(item, (numbers.Number, str, bytes)):
                kind = type(item).__name__
                cure = "str() makes a string of it, in pandas .astype(str)"
                if isinstance(item, date):
                    cure += ", and datetime.datetime.combine(day, datetime.time(), zone) the time of its midnight"
                if isinstance(item, timedelta):
                    cure = "added to a datetime with a zone it makes a time"
                if hasattr(item, "wkb"):
                    cure = "shapely.to_wkb makes WKB of it, and RegionIndex.from_geopandas takes frames of geometries"
                what = f"{item!r} is a {kind}, which is not read; {cure}"
                raise DataError(f'row {row}, column "{name}": {what}', row, name)
            raise DataError(f'row {row}, column "{name}": {item!r} where {wanted} are expected', row, name)
    if wanted == "strings":
        return _text_column(
            name, [b"" if nulls[row] else _utf8(name, row, item) for row, item in enumerate(items)], b"u", nulls
        )
    if wanted == "bytes":
        return _text_column(name, [item or b"" for item in items], b"z", nulls)
    if wanted == "times":
        return _time_column(name, items, nulls)
    values = [0 if is_null else item for item, is_null in zip(items, nulls, strict=True)]
    if all(isinstance(item, numbers.Integral) for item in values):
        return _whole_column(name, [int(item) for item in values], nulls)
    if all(isinstance(item, (numbers.Integral, Decimal)) for item in values):
        return _decimal_column(name, values, nulls)
    return _buffer_column(
        name, b"g", array.array("d", [_double(name, row, item) for row, item in enumerate(values)]), nulls
    )


def _double(name: str, row: int, item: Any) -> float:
    try:
        return float(item)
    except OverflowError:
        what = "a number beyond 1.8e308, the largest that is read"
    except ValueError:
        # A NaN of decimals that may not be calculated with.
        what = f"{item} where numbers are expected"
    raise DataError(f'row {row}, column "{name}": {what}', row, name)


def _buffer_column(name: str, form: bytes, values: Any, nulls: Any) -> _Column:
    address, count = values.buffer_info()
    # Nothing is no address to some readers.
    kept = values if count else array.array(values.typecode, [0])
    return _Column(name, form, count, [address if count else kept.buffer_info()[0]], [kept], nulls)


def _whole_column(name: str, values: list[int], nulls: Any) -> _Column:
    """Read whole numbers, in the narrowest of the wide types that holds them all."""
    for code, form in (("q", b"l"), ("Q", b"L")):
        try:
            return _buffer_column(name, form, array.array(code, values), nulls)
        except OverflowError:
            pass
    return _decimal_column(name, values, nulls)


def _decimal_column(name: str, values: list[Any], nulls: Any) -> _Column:
    """Read decimals, and whole numbers beyond 64 bits, exactly: of up to 38 digits."""
    exact: list[tuple[Decimal, int]] = []
    scale = 0
    for row, item in enumerate(values):
        number = item if isinstance(item, Decimal) else Decimal(int(item))
        if not number.is_finite():
            raise DataError(f'row {row}, column "{name}": {number} where numbers are expected', row, name)
        exponent = int(number.as_tuple().exponent)
        if exponent < -38 or (exponent > 0 and not number) or (exponent < 0 and len(number.as_tuple().digits) > 38):
            number, exponent = _without_zeros(number)
        if exponent < -38:
            raise _too_long(name, row, number)
        scale = max(scale, -exponent)
        exact.append((number, exponent))
    data = bytearray()
    for row, (number, exponent) in enumerate(exact):
        sign, digits, _ = number.as_tuple()
        shift = scale + exponent
        text = "".join(map(str, digits)).lstrip("0")
        if (len(text) + shift if text else 0) > 38:
            raise _too_long(name, row, number)
        whole = int(text or "0") * 10**shift
        data += (-whole if sign else whole).to_bytes(16, "little", signed=True)
    return _Column(
        name, b"d:38,%d" % scale, len(values), [_address(kept := array.array("Q", bytes(data)))], [kept], nulls
    )


def _without_zeros(number: Decimal) -> tuple[Decimal, int]:
    """Leave out zeros at the end, and all digits of a zero: they are written, but nothing has to be kept of them."""
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    kept = int(exponent) + len(digits) - len(text) if text else 0
    return Decimal((sign, tuple(map(int, text or "0")), kept)), kept


def _too_long(name: str, row: int, number: Decimal) -> DataError:
    # Thousands of digits tell nobody more than how many there are.
    shown = str(number) if len(number.as_tuple().digits) <= 100 else f"{number:.6e}"
    return DataError(f'row {row}, column "{name}": {shown} has more than 38 digits', row, name)


def _address(values: Any) -> int:
    address: int = values.buffer_info()[0]
    return address


def _time_column(name: str, items: list[Any], nulls: list[bool]) -> _Column:
    """Read times of Python's, all with a zone or all without."""
    start = datetime(1970, 1, 1)
    zoned = next(item for item, is_null in zip(items, nulls, strict=True) if not is_null).tzinfo is not None
    values = []
    for row, (item, is_null) in enumerate(zip(items, nulls, strict=True)):
        if is_null:
            values.append(0)
            continue
        if (item.tzinfo is not None) != zoned:
            what = f"{item!r} among times {'with' if zoned else 'without'} a zone"
            raise DataError(f'row {row}, column "{name}": {what}', row, name)
        try:
            plain = item.astimezone(timezone.utc).replace(tzinfo=None) if zoned else item
        except OverflowError:
            what = f"{item!r} is not within the years 1 to 9999 in UTC"
            raise DataError(f'row {row}, column "{name}": {what}', row, name) from None
        values.append((plain - start) // timedelta(microseconds=1))
    return _buffer_column(name, b"tsu:UTC" if zoned else b"tsu:", array.array("q", values), nulls)


def _numpy_column(name: str, values: Any, nulls: Any = None, zone: bytes = b"") -> _Column:
    if values.ndim != 1:
        raise SchemaError(f'column "{name}": one dimension is expected, not {values.ndim}', None, name)
    kind = values.dtype.kind
    if kind in "OUS":
        items = values.tolist()
        if nulls is not None:
            items = [None if is_null else item for item, is_null in zip(items, nulls.tolist(), strict=True)]
        return _list_column(name, items)
    if not values.flags.c_contiguous or not values.dtype.isnative or not values.flags.aligned:
        values = values.astype(values.dtype.newbyteorder("="), order="C", copy=True)
    if kind == "M":
        import numpy

        unit = numpy.datetime_data(values.dtype)
        form = _UNITS.get(unit[0]) if unit[1] == 1 else None
        if form is None:
            raise SchemaError(f'column "{name}": times in {unit[1]} {unit[0]} cannot be read', None, name)
        form += zone
        missing = numpy.isnat(values)
        nulls = missing if nulls is None else nulls | missing
    else:
        form = _FORMATS.get(values.dtype.str[1:])
        if form is None:
            raise SchemaError(f'column "{name}": values of {values.dtype} cannot be read', None, name)
    return _Column(name, form, len(values), [values.__array_interface__["data"][0]], [values], nulls)


def _text_column(name: str, items: list[bytes], form: bytes, nulls: Any) -> _Column:
    ends = array.array("q", [0])
    position = 0
    for item in items:
        position += len(item)
        ends.append(position)
    text = b"".join(items) or b"\0"
    place = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value
    return _Column(name, form.upper(), len(items), [ends.buffer_info()[0], place], [ends, text], nulls)


class _Binary(list[bytes | None]):
    """Bytes, of which there may be none: a list without items does not say of what."""


def wkb_column(name: str, items: Sequence[Any], skips: bool) -> list[bytes | None]:
    """Check that every geometry is there, unless bad rows are skipped, and that it is bytes."""
    for row, item in enumerate(items):
        if isinstance(item, (bytes, bytearray, memoryview)) or (skips and _is_no_geometry(item)):
            continue
        what = "null" if _is_no_geometry(item) else _not_wkb(item)
        raise DataError(f'row {row}, column "{name}": {what}', row, name)
    return _Binary(None if _is_no_geometry(item) else bytes(item) for item in items)


def _is_no_geometry(item: Any) -> bool:
    """Whether an item of a list of geometries is no value, for which pandas also has NaN."""
    return _is_missing(item) or (isinstance(item, float) and item != item)


def _not_wkb(item: Any) -> str:
    """Say what stands where WKB is expected, and how to make WKB of it."""
    what, cure = f"a value of type {type(item).__name__}", ""
    if isinstance(item, str):
        what, cure = f"text ({item[:40]!r})", "; shapely.from_wkt(text).wkb makes WKB of WKT"
        if item and all(digit in "0123456789abcdefABCDEF" for digit in item):
            what, cure = "hexadecimal text", "; bytes.fromhex(text) makes bytes of it"
    elif hasattr(item, "wkb"):
        cure = "; shapely.to_wkb makes WKB of it, and RegionIndex.from_geopandas takes frames of geometries"
    return f"WKB (bytes) is expected, not {what}{cure}"


# ---- Out. ----


def _drop_capsule(capsule: int) -> None:
    # The address of the capsule, not the capsule: it is on its way out, and must not be referred to again.
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
    stream = get(capsule, b"arrow_array_stream")
    if stream and not sys.is_finalizing():
        library.vicinity_stream_free(stream)


_free_capsule = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_drop_capsule)


def capsule_of(table: int) -> Any:
    """Give a capsule with a stream of a table's batches."""
    stream = library.vicinity_stream_allocate()
    error = ErrorStruct()
    check(library.vicinity_table_stream(table, stream, ctypes.byref(error)), error)
    return _capsule_new(stream, b"arrow_array_stream", ctypes.cast(_free_capsule, ctypes.c_void_p))


def read_table(table: int) -> dict[str, list[Any]]:
    """Read a table's columns as lists, without the help of any package."""
    stream, error = ArrowArrayStream(), ErrorStruct()
    check(library.vicinity_table_stream(table, ctypes.addressof(stream), ctypes.byref(error)), error)
    schema, batch = ArrowSchema(), ArrowArray()
    try:
        stream.get_schema(ctypes.byref(stream), ctypes.byref(schema))
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        columns: dict[str, list[Any]] = {field.name.decode(): [] for field in fields}
        while stream.get_next(ctypes.byref(stream), ctypes.byref(batch)) == 0 and batch.release:
            for i, field in enumerate(fields):
                items = columns[field.name.decode()]
                items += _read(field, batch.children[i].contents, len(items))
            batch.release(ctypes.byref(batch))
    finally:
        # Where a value could not be read.
        if batch.release:
            batch.release(ctypes.byref(batch))
        if schema.release:
            schema.release(ctypes.byref(schema))
        stream.release(ctypes.byref(stream))
    return columns


_FIRST, _LAST = (moment.replace(tzinfo=timezone.utc) for moment in (datetime.min, datetime.max))

_KINDS: dict[str, Any] = {
    "c": ctypes.c_int8, "C": ctypes.c_uint8, "s": ctypes.c_int16, "S": ctypes.c_uint16, "i": ctypes.c_int32,
    "I": ctypes.c_uint32, "l": ctypes.c_int64, "L": ctypes.c_uint64, "g": ctypes.c_double,
}  # fmt: skip


def _read(field: Any, values: Any, before: int = 0) -> list[Any]:
    """Read a column's values, before which its table has so many rows."""
    count = values.length
    if count == 0:
        return []
    form: str = field.format.decode()

    def items_of(number: int, kind: Any, size: int) -> list[Any]:
        return list((kind * size).from_address(values.buffers[number])) if size else []

    if form == "b":
        bits = items_of(1, ctypes.c_uint8, (count + 7) // 8)
        result: list[Any] = [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(count)]
    elif form in ("u", "Z"):
        ends = items_of(1, ctypes.c_int32 if form == "u" else ctypes.c_int64, count + 1)
        whole = ctypes.string_at(values.buffers[2], ends[-1])
        pieces = [whole[ends[i] : ends[i + 1]] for i in range(count)]
        result = [piece.decode() for piece in pieces] if form == "u" else list(pieces)
    elif form == "+l":
        ends = items_of(1, ctypes.c_int32, count + 1)
        items = _read(field.children[0].contents, values.children[0].contents)
        result = [items[ends[i] : ends[i + 1]] for i in range(count)]
    elif form.startswith("ts"):
        start = datetime(1970, 1, 1, tzinfo=timezone.utc)
        times = items_of(1, ctypes.c_int64, count)
        try:
            result = [start + timedelta(microseconds=time) for time in times]
        except OverflowError:
            name = field.name.decode()
            first, last = ((end - start) // timedelta(microseconds=1) for end in (_FIRST, _LAST))
            row, time = next((row, time) for row, time in enumerate(times, before) if not first <= time <= last)
            what = f"{time} microseconds since 1970 are not within the years 1 to 9999 of a datetime; to_arrow() keeps them"
            raise DataError(f'row {row}, column "{name}": {what}', row, name) from None
    elif form.startswith("d:"):
        width = int(form.split(",")[2]) // 8 if form.count(",") == 2 else 16
        whole = ctypes.string_at(values.buffers[1], width * count)
        pieces = [whole[width * i : width * i + width] for i in range(count)]
        result = [Decimal(int.from_bytes(piece, "little", signed=True)) for piece in pieces]
    else:
        result = items_of(1, _KINDS[form], count)
    if values.null_count and values.buffers[0]:
        bits = items_of(0, ctypes.c_uint8, (count + 7) // 8)
        result = [item if bits[i >> 3] >> (i & 7) & 1 else None for i, item in enumerate(result)]
    return result


def column_options(columns: Mapping[str, str] | None, known: Sequence[str]) -> dict[str, object]:
    """Turn ``{"latitude": "lat_deg"}`` into the options that name columns."""
    result: dict[str, object] = {}
    for meaning, name in (columns or {}).items():
        if meaning not in known:
            raise ArgumentError(f"columns: one of {', '.join(known)} is expected, not {meaning!r}")
        result[f"{meaning}-column"] = name
    return result
