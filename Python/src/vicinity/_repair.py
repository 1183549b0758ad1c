"""Repair of polygons whose rings cross, by shapely where it is installed."""

from __future__ import annotations

import ctypes
from typing import Any

from ._library import REPAIR


class Repair:
    """Makes polygons valid for the library, as GEOS does for the command line."""

    def __init__(self) -> None:
        """Prepare the function to hand on, which belongs to this object."""
        self.function = REPAIR(self._called)
        self._raised: BaseException | None = None

    def _called(self, _context: int | None, wkb: int, count: int, answer: Any, sink: int | None) -> int:
        try:
            repaired = _repaired(ctypes.string_at(wkb, count))
        except BaseException as error:
            text = f"{type(error).__name__}: {error}".encode()
            answer(sink, text, len(text))
            if not isinstance(error, Exception):
                self._raised = error
            return 2
        if repaired is None:
            return 1
        answer(sink, repaired, len(repaired))
        return 0

    def check(self) -> None:
        """Raise what stopped a repair, such as Ctrl-C."""
        if self._raised is not None:
            raise self._raised


def _repaired(wkb: bytes) -> bytes | None:
    """Give the polygons made valid, or ``None`` where nothing here can do it as GEOS's structure method does."""
    try:
        import shapely
    except ImportError:
        return None
    if tuple(int(part) for part in shapely.__version__.split(".")[:2]) < (2, 1):
        return None
    valid = shapely.make_valid(shapely.from_wkb(wkb), method="structure", keep_collapsed=False)
    parts, rest = [], [valid]
    while rest:
        shape = rest.pop(0)
        if hasattr(shape, "geoms"):
            rest = [*shape.geoms, *rest]
        elif shape.geom_type == "Polygon" and not shape.is_empty:
            parts.append(shape)
    if not parts:
        return b""
    made: bytes = shapely.to_wkb(shapely.MultiPolygon(parts), byte_order=1, output_dimension=2)
    return made
