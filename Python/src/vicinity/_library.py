"""The C interface (``vicinity.h``), called through ctypes, which lets other threads run meanwhile."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

from ._errors import BY_CODE, ForkedError, VicinityError

ABI_VERSION = 1


class ArrowSchema(ctypes.Structure):
    """The struct of the Arrow C Data Interface."""


class ArrowArray(ctypes.Structure):
    """The struct of the Arrow C Data Interface."""


class ArrowArrayStream(ctypes.Structure):
    """The struct of the Arrow C stream interface."""


SCHEMA_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ARRAY_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
STREAM_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", SCHEMA_RELEASE),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ARRAY_RELEASE),
    ("private_data", ctypes.c_void_p),
]
ArrowArrayStream._fields_ = [
    (
        "get_schema",
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowSchema)),
    ),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream))),
    ("release", STREAM_RELEASE),
    ("private_data", ctypes.c_void_p),
]


class ErrorStruct(ctypes.Structure):
    """``vicinity_error``."""

    _fields_ = (
        ("code", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("row", ctypes.c_int64),
        ("column", ctypes.c_char * 128),
        ("message", ctypes.c_char * 1024),
    )


PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


class ControlStruct(ctypes.Structure):
    """``vicinity_control``."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("progress", PROGRESS),
        ("context", ctypes.c_void_p),
    )


#: Makes a multipolygon valid: context, WKB, how many bytes, where the answer goes, and what goes with it.
REPAIRED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
REPAIR = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, REPAIRED, ctypes.c_void_p)


class _Process:
    """What this process may do after a fork.

    The library's locks know a thread by a number that it keeps; in a forked process the one thread that is left keeps the number
    of its parent's, and a lock that it holds cannot be waited for. So calls are made by threads of the forked process's own.
    What another thread of the parent had locked stays locked for ever: then no call is made at all.
    """

    def __init__(self) -> None:
        self.was_used = False
        self.is_forked = False
        self.is_broken = False
        self.calls: set[object] = set()

    def has_forked(self) -> None:
        """Note, in the new process, what its parent was doing."""
        self.is_broken = self.is_broken or bool(self.calls)
        self.is_forked = self.is_forked or self.was_used
        self.calls.clear()

    def call(self, function: Callable[..., int], arguments: tuple[Any, ...]) -> int:
        if self.is_broken:
            raise ForkedError(
                "this process was forked while another thread was in a call of vicinity, so no call can be made here; start "
                'processes by multiprocessing.get_context("spawn"), or fork while no call is under way'
            )
        token = object()
        self.calls.add(token)
        self.was_used = True
        try:
            return _on_another_thread(function, arguments) if self.is_forked else function(*arguments)
        finally:
            self.calls.discard(token)


def _on_another_thread(function: Callable[..., int], arguments: tuple[Any, ...]) -> int:
    results: list[int] = []
    raised: BaseException | None = None

    def work() -> None:
        nonlocal raised
        try:
            results.append(function(*arguments))
        except BaseException as error:
            raised = error

    thread = threading.Thread(target=work, name="vicinity")
    thread.start()
    # What is raised in here, by Ctrl-C, must wait: the call uses what the caller would free.
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:
            raised = error
    if raised is not None:
        raise raised
    return results[0]


_process = _Process()
#: The code that the library's calls of this thread are made by: what they call back stands directly below it.
CALLING = _Process.call.__code__
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.has_forked)


def _guarded(function: Any) -> Any:
    return lambda *arguments: _process.call(function, arguments)


def _load() -> SimpleNamespace:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libvicinity.so")
    loaded = ctypes.CDLL(path)
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
    place, error, control = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ErrorStruct), ctypes.POINTER(ControlStruct)
    work = [pointer, pointer, text, control, place, error]
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "abi_version": (ctypes.c_int32, []),
        "version": (text, []),
        "column_names": (ctypes.c_int32, [place, error]),
        "table_row_count": (number, [pointer]),
        "table_distance_error": (ctypes.c_double, [pointer]),
        "table_stream": (ctypes.c_int32, [pointer, pointer, error]),
        "table_csv": (ctypes.c_int32, [pointer, text, control, place, error]),
        "table_note_count": (number, [pointer]),
        "table_notes": (ctypes.c_int32, [pointer, place, error]),
        "table_rejects": (ctypes.c_int32, [pointer, place, error]),
        "table_release": (None, [pointer]),
        "stream_allocate": (pointer, []),
        "stream_free": (None, [pointer]),
        "stream_of_array": (ctypes.c_int32, [pointer, pointer, pointer, error]),
        "index_from_arrow": (ctypes.c_int32, [pointer, text, control, place, error]),
        "index_from_arrow_repairing": (ctypes.c_int32, [pointer, text, control, REPAIR, pointer, place, error]),
        "index_notes": (ctypes.c_int32, [pointer, place, error]),
        "index_rejects": (ctypes.c_int32, [pointer, place, error]),
        "index_open": (ctypes.c_int32, [text, text, place, error]),
        "index_write": (ctypes.c_int32, [pointer, text, error]),
        "index_count": (number, [pointer]),
        "index_polygon_count": (number, [pointer]),
        "index_byte_count": (number, [pointer]),
        "index_regions": (ctypes.c_int32, [pointer, place, error]),
        "index_release": (None, [pointer]),
        "nearest": (ctypes.c_int32, work),
        "within": (ctypes.c_int32, work),
        "containing": (ctypes.c_int32, work),
        "ask_one": (ctypes.c_int32, [pointer, text, ctypes.c_double, ctypes.c_double, text, place, error]),
        "events": (ctypes.c_int32, work),
        "stays": (ctypes.c_int32, work),
        "plan": (ctypes.c_int32, work),
        "compare": (ctypes.c_int32, work),
        "fleet_create": (ctypes.c_int32, [pointer, text, place, error]),
        "fleet_restore": (ctypes.c_int32, [pointer, text, ctypes.c_char_p, ctypes.c_size_t, place, error]),
        "fleet_advance": (ctypes.c_int32, [pointer, pointer, control, place, error]),
        "fleet_device_count": (number, [pointer]),
        "fleet_snapshot": (ctypes.c_int32, [pointer, place, error]),
        "fleet_release": (None, [pointer]),
    }
    result = SimpleNamespace()
    for name, (kind, arguments) in signatures.items():
        function = getattr(loaded, f"vicinity_{name}")
        function.restype, function.argtypes = kind, arguments
        # Those that cannot fail count, allocate or release: they lock nothing.
        setattr(result, f"vicinity_{name}", _guarded(function) if error in arguments else function)
    found = result.vicinity_abi_version()
    if found != ABI_VERSION:
        raise ImportError(f"{path} has version {found} of the interface; {ABI_VERSION} is needed")
    return result


library = _load()


def _items(value: object) -> Iterable[object]:
    """Give what a list, a set, an array or anything else of several values holds, or the one value."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        # NumPy has numbers that look like arrays.
        with contextlib.suppress(TypeError):
            return iter(value)
    return [value]


def options_text(options: Mapping[str, object]) -> bytes:
    """Write options as the library reads them; those that are ``None`` are left out, but not one of several values."""
    lines: list[str] = []
    for name, value in options.items():
        if value is None:
            continue
        for item in _items(value):
            if item is None:
                raise BY_CODE[1](f"{name}: one of its values is None; leave it out")
            # NumPy has a bool of its own.
            is_flag = isinstance(item, bool) or type(item).__name__ in ("bool", "bool_")
            text = ("yes" if item else "no") if is_flag else str(item)
            if "\n" in text or "\0" in text:
                raise BY_CODE[1](f"{name} must be one line; found {text!r}")
            lines.append(f"{name}={text}")
    return "\n".join(lines).encode()


def plain_path(path: str | os.PathLike[str], what: str = "path", where: str = "this machine") -> str:
    """Give a path, unless it is a URI: to the system that is a folder ``s3:`` below the current one.

    ``what`` names the argument, and ``where`` says who must see the path.
    """
    text = os.fsdecode(path)
    # One letter would be a drive. Of two slashes a Path keeps one.
    scheme = re.match("([A-Za-z][A-Za-z0-9+.-]+):/", text)
    if scheme is None:
        return text
    cure = f"a plain path is expected, of a file system that is mounted on {where}"
    if scheme[1].lower() == "file":
        cure = f"write the path, {unquote(urlsplit(text).path)!r}"
    raise BY_CODE[1](f"{what}: {text!r} is a URI; {cure}")


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """Write a path as the library reads it."""
    encoded = os.fsencode(plain_path(path))
    if b"\0" in encoded:
        raise BY_CODE[1](f"a path must not contain a NUL character; found {encoded!r}")
    return encoded


def _named(message: str) -> str:
    """Name options in an error as arguments are called here, and the cures that Python has."""
    message = re.sub("by [a-z]+-column, in Python (by columns=)", r"\1", message)
    expected = "geometries as WKB in a binary column are expected, not "
    if re.search(expected + r'(list|large list|struct|of Arrow\'s format "\+.*")$', message):
        return (
            message.partition(expected)[0] + expected + "one of GeoArrow's native encodings; in GeoPandas "
            'frame.to_arrow(geometry_encoding="WKB") makes WKB'
        )
    if message.startswith("unknown option"):
        return message.replace("-", "_")
    option = re.match("option ([a-z-]+)", message)
    if option is None:
        return message
    name = "k" if option[1] == "count" else option[1].replace("-", "_")
    return name + message[option.end() :]


def check(code: int, error: ErrorStruct) -> None:
    """Raise what a function returned."""
    if code == 0:
        return
    message = _named(error.message.decode("utf-8", "replace"))
    column = error.column.decode("utf-8", "replace") or None
    raise BY_CODE.get(code, VicinityError)(message, None if error.row < 0 else error.row, column)


class Handle:
    """A pointer that the library gave, released when nobody refers to it any more."""

    def __init__(self, pointer: int, kind: str) -> None:
        """Keep ``pointer``, of an index, a table or a fleet."""
        self.pointer = pointer
        self._release: Callable[[int], None] = getattr(library, f"vicinity_{kind}_release")

    def __del__(self) -> None:
        """Release it."""
        self._release(self.pointer)


def produce(kind: str, function: str, *arguments: object) -> Handle:
    """Call a function whose last arguments are where to put a handle, and an error."""
    place, error = ctypes.c_void_p(), ErrorStruct()
    check(getattr(library, f"vicinity_{function}")(*arguments, ctypes.byref(place), ctypes.byref(error)), error)
    if place.value is None:
        raise VicinityError(f"{function} gave nothing")
    return Handle(place.value, kind)
