"""Data on their way in and out: anything that speaks Arrow, NumPy arrays, and lists."""

from __future__ import annotations

import array
import ctypes
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ._errors import ArgumentError, DataError, SchemaError
from ._library import (
    ARRAY_RELEASE,
    SCHEMA_RELEASE,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    ErrorStruct,
    check,
    library,
)

_api = ctypes.pythonapi
_capsule_pointer = _api.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_new = _api.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# ---- In. ----


@contextmanager
def stream_of(data: Any, names: Sequence[str]) -> Iterator[int]:
    """Give the address of a stream of ``data``, which a call takes over.

    ``data`` has ``__arrow_c_stream__`` or ``__arrow_c_array__``, or is a mapping of names to columns, or an array of shape
    (n, len(names)) or sequence of tuples with the columns ``names``.
    """
    if hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__()
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


def _columns_of(data: Any, names: Sequence[str]) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        # A frame without pyarrow at hand.
        return {str(name): data[name].to_numpy() for name in data.columns}
    shape = getattr(data, "shape", None)
    if shape is not None:
        if len(shape) != 2 or shape[1] != len(names):
            raise SchemaError(f"an array of shape (n, {len(names)}) is expected: {', '.join(names)}; found {shape}")
        return {name: data[:, i] for i, name in enumerate(names)}
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        rows = list(data)
        if len(names) == 2 and len(rows) == 2 and all(isinstance(item, (int, float)) for item in rows):
            rows = [tuple(rows)]
        if all(isinstance(row, (tuple, list)) and len(row) == len(names) for row in rows):
            return {name: [row[i] for row in rows] for i, name in enumerate(names)}
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
        values.length = length
        values.n_buffers = len(column.buffers) + 1
        buffers = (ctypes.c_void_p * values.n_buffers)(None, *column.buffers)
        values.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        values.release = _release_array
        schemas[i], arrays[i] = ctypes.pointer(inner), ctypes.pointer(values)
        schema_kept.kept += [inner]
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


class _Column:
    """A column's format, and where its buffers are."""

    def __init__(self, name: str, form: bytes, length: int, buffers: list[int | None], kept: list[Any]) -> None:
        self.name, self.format, self.length, self.buffers, self.kept = name, form, length, buffers, kept


_FORMATS = {
    "i1": b"c", "u1": b"C", "i2": b"s", "u2": b"S", "i4": b"i", "u4": b"I", "i8": b"l", "u8": b"L", "f4": b"f", "f8": b"g",
}  # fmt: skip
_UNITS = {"s": b"tss:", "ms": b"tsm:", "us": b"tsu:", "ns": b"tsn:"}


def _utf8(name: str, row: int, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise DataError(f'row {row}, column "{name}": {text!r} has no UTF-8', row, name) from None


def _column_of(name: str, values: Any) -> _Column:
    interface = getattr(values, "__array_interface__", None)
    if interface is None and hasattr(values, "to_numpy"):
        values = values.to_numpy()
        interface = getattr(values, "__array_interface__", None)
    if interface is not None:
        return _numpy_column(name, values)
    items = list(values)
    if not items:
        # Whole numbers, which any column may hold.
        nothing = array.array("q", [0])
        return _Column(name, b"l", 0, [nothing.buffer_info()[0]], [nothing])
    if all(isinstance(item, bytes) for item in items):
        return _text_column(name, items, b"z")
    if all(isinstance(item, str) for item in items):
        return _text_column(name, [_utf8(name, row, item) for row, item in enumerate(items)], b"u")
    first = next((item for item in items if item is not None), None)
    wanted = "strings" if isinstance(first, str) else "bytes" if isinstance(first, bytes) else "numbers"
    kinds: Any = str if wanted == "strings" else bytes if wanted == "bytes" else (int, float)
    for row, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, kinds):
            what = "null" if item is None else f"{item!r} where {wanted} are expected"
            raise DataError(f'row {row}, column "{name}": {what}', row, name)
    whole = all(isinstance(item, int) for item in items)
    try:
        numbers = array.array("q" if whole else "d", items)
    except OverflowError:
        numbers = array.array("d", [float(item) for item in items])
    address, count = numbers.buffer_info()
    return _Column(name, b"l" if numbers.typecode == "q" else b"g", count, [address], [numbers])


def _numpy_column(name: str, values: Any) -> _Column:
    if values.ndim != 1:
        raise SchemaError(f'column "{name}": one dimension is expected, not {values.ndim}', None, name)
    kind = values.dtype.kind
    if kind in "OUS":
        return _column_of(name, values.tolist())
    if not values.flags.c_contiguous or not values.dtype.isnative or not values.flags.aligned:
        values = values.astype(values.dtype.newbyteorder("="), order="C", copy=True)
    if kind == "M":
        import numpy

        unit = numpy.datetime_data(values.dtype)
        form = _UNITS.get(unit[0]) if unit[1] == 1 else None
        if form is None:
            raise SchemaError(f'column "{name}": times in {unit[1]} {unit[0]} cannot be read', None, name)
        missing = numpy.isnat(values)
        if missing.any():
            row = int(missing.argmax())
            raise DataError(f'row {row}, column "{name}": null', row, name)
    else:
        form = _FORMATS.get(values.dtype.str[1:])
        if form is None:
            raise SchemaError(f'column "{name}": values of {values.dtype} cannot be read', None, name)
    return _Column(name, form, len(values), [values.__array_interface__["data"][0]], [values])


def _text_column(name: str, items: list[bytes], form: bytes) -> _Column:
    ends = array.array("q", [0])
    position = 0
    for item in items:
        position += len(item)
        ends.append(position)
    text = b"".join(items) or b"\0"
    place = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value
    return _Column(name, form.upper(), len(items), [ends.buffer_info()[0], place], [ends, text])


def wkb_column(name: str, items: Sequence[bytes | None]) -> list[bytes]:
    """Check that every geometry is there."""
    for row, item in enumerate(items):
        if not isinstance(item, (bytes, bytearray)):
            raise DataError(f'row {row}, column "{name}": null', row, name)
    return [bytes(item) for item in items if item is not None]


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
                columns[field.name.decode()] += _read(field, batch.children[i].contents)
            batch.release(ctypes.byref(batch))
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))
        stream.release(ctypes.byref(stream))
    return columns


def _read(field: Any, values: Any) -> list[Any]:
    count = values.length
    if count == 0:
        return []
    form: str = field.format.decode()

    def numbers(number: int, code: str, size: int) -> list[Any]:
        place = values.buffers[number]
        kinds: dict[str, Any] = {"i": ctypes.c_int32, "q": ctypes.c_int64, "d": ctypes.c_double, "B": ctypes.c_uint8}
        return list((kinds[code] * size).from_address(place)) if size else []

    if form == "b":
        bits = numbers(1, "B", (count + 7) // 8)
        result: list[Any] = [bool(bits[i >> 3] >> (i & 7) & 1) for i in range(count)]
    elif form in ("u", "Z"):
        ends = numbers(1, "i" if form == "u" else "q", count + 1)
        whole = ctypes.string_at(values.buffers[2], ends[-1])
        pieces = [whole[ends[i] : ends[i + 1]] for i in range(count)]
        result = [piece.decode() for piece in pieces] if form == "u" else list(pieces)
    elif form == "+l":
        ends = numbers(1, "i", count + 1)
        items = _read(field.children[0].contents, values.children[0].contents)
        result = [items[ends[i] : ends[i + 1]] for i in range(count)]
    elif form.startswith("ts"):
        from datetime import datetime, timedelta, timezone

        start = datetime(1970, 1, 1, tzinfo=timezone.utc)
        times = numbers(1, "q", count)
        result = [start + timedelta(microseconds=time) for time in times]
    else:
        result = numbers(1, {"i": "i", "l": "q", "g": "d"}[form], count)
    if values.null_count and values.buffers[0]:
        bits = numbers(0, "B", (count + 7) // 8)
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
