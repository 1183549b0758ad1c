"""What queries answer with."""

from __future__ import annotations

import html
import json
import re
import warnings
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ._arrow import capsule_of, read_table
from ._errors import BY_KIND, ArgumentError, VicinityWarning
from ._library import Handle, library, options_text, plain_path, produce

if TYPE_CHECKING:
    from ._index import RegionIndex


def _needed(package: str, purpose: str) -> Any:
    """Import a package that only some need."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{purpose} needs {package}: pip install {package}") from error


class Table:
    """Rows in columns, as Arrow.

    Anything that reads Arrow streams takes a table as it is: ``pyarrow.table(t)``, ``polars.DataFrame(t)``,
    ``duckdb.sql("from t")`` after ``t = t.to_arrow()``. The memory is shared, not copied. ``pandas.DataFrame(t)`` is an error of
    pandas, which reads no streams there: ``t.to_pandas()``.
    """

    def __init__(self, handle: Handle) -> None:
        """Wrap a table of the library's; tables are made by the methods of ``RegionIndex``."""
        self._handle = handle

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError(f"{type(self).__name__} is not pickled: hand on to_arrow() or to_pandas()")

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Give a stream of the rows, as the Arrow PyCapsule interface has it; a requested schema is not heeded."""
        return capsule_of(self._handle.pointer)

    def __len__(self) -> int:
        """Count the rows."""
        return int(library.vicinity_table_row_count(self._handle.pointer))

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<vicinity.{type(self).__name__} of {len(self):,} {'row' if len(self) == 1 else 'rows'}>"

    def to_pydict(self) -> dict[str, list[Any]]:
        """Give the columns as lists; needs no other package."""
        return read_table(self._handle.pointer)

    def to_arrow(self) -> Any:
        """Give a ``pyarrow.Table``."""
        return _needed("pyarrow", "to_arrow").table(self)

    def to_pandas(self) -> Any:
        """Give a ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Give a ``polars.DataFrame``."""
        return _needed("polars", "to_polars").DataFrame(self)

    def to_geopandas(self) -> Any:
        """Give a ``geopandas.GeoDataFrame`` (EPSG:4326) of the points that the columns latitude and longitude say.

        Raises:
            ArgumentError: The table has no such columns.

        """
        geopandas = _needed("geopandas", "to_geopandas")
        frame = self.to_pandas()
        if "latitude" not in frame.columns:
            raise ArgumentError("this table has no places: no columns latitude and longitude")
        points = geopandas.points_from_xy(frame["longitude"], frame["latitude"])
        return geopandas.GeoDataFrame(frame, geometry=points, crs="EPSG:4326")


class CSVTable(Table):
    """A table that the command line writes as CSV."""

    def to_csv(self, path: str | Path | None = None, *, precision: int = 3) -> str | None:
        """Write the rows as ``vicinity`` on the command line does, byte for byte.

        Args:
            path: The file; ``None`` to get the text.
            precision: Digits of the distances of neighbours, 0 to 15.

        """
        text = produce("table", "table_csv", self._handle.pointer, options_text({"precision": precision}), None)
        content: bytes = read_table(text.pointer)["text"][0]
        if path is None:
            return content.decode()
        Path(plain_path(path)).write_bytes(content)
        return None


#: So many notes of one kind are told one by one.
_MOST = 20


#: How many rows came before those of a call, where it answers a piece of an input.
ROWS_BEFORE: ContextVar[int] = ContextVar("rows before", default=0)


def _of_whole(note: str) -> str:
    """Count a note's row over the whole input."""
    return re.sub(
        r"^((?:the point of )?row )([0-9]+)", lambda place: f"{place[1]}{int(place[2]) + ROWS_BEFORE.get()}", note
    )


def tell(notes: Handle, level: int) -> list[str]:
    """Warn of each note of a table of them, and give them; ``level`` counts the functions from here to the caller's caller."""
    found = read_table(notes.pointer)
    counts: dict[str, int] = {}
    texts: list[str] = [_of_whole(note) for note in found["text"]]
    for note, kind in zip(texts, found["kind"], strict=True):
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= _MOST:
            warnings.warn(note, BY_KIND.get(kind, VicinityWarning), stacklevel=level + 1)
    for kind, count in counts.items():
        if count > _MOST:
            more = f"and {count - _MOST} more {'repaired' if kind == 'repair' else 'such notes'}"
            warnings.warn(more, BY_KIND.get(kind, VicinityWarning), stacklevel=level + 1)
    return texts


class NotedTable(CSVTable):
    """A table with notes on what it was made of.

    Attributes:
        notes: Sentences, mostly none: that latitude and longitude may be swapped, that gaps hide visits, that rows were left
            out. They are told as a ``VicinityWarning``, too.

    """

    # How many functions stand between the one that warns and the caller of a method of RegionIndex.
    _level = 3

    def __init__(self, handle: Handle) -> None:
        """Wrap a table of the library's, and tell its notes."""
        super().__init__(handle)
        self.notes: list[str] = []
        # Most have none: that is cheaper to ask than a table of them.
        if library.vicinity_table_note_count(handle.pointer) > 0:
            self.notes = tell(produce("table", "table_notes", handle.pointer), self._level)

    @property
    def rejects(self) -> Table:
        """Give the rows that ``on_bad_rows="skip"`` left out: row (from 0), column (null where none is to blame), reason.

        The first million, in order; then a last row without number says how many more there are.
        """
        return Table(produce("table", "table_rejects", self._handle.pointer))


class Neighbors(NotedTable):
    """Regions found for each point: query, rank (from 1), region, boundary_distance, centre_distance.

    Distances are metres on the WGS84 ellipsoid; that to the boundary is negative inside, and that to the centre is null for
    polygons. Rows are in the order of the points, then by rank. ``query`` has the type of the points' identifiers.
    """

    _level = 5

    def __init__(self, handle: Handle, index: RegionIndex) -> None:
        """Wrap a table, and keep the index for what belongs on a map."""
        super().__init__(handle)
        self._index = index

    @property
    def distance_error(self) -> float:
        """Give the most by which distances differ from the true ones, metres, within the tier; 0 where all are exact."""
        return float(library.vicinity_table_distance_error(self._handle.pointer))

    def to_geopandas(self) -> Any:
        """Give a ``geopandas.GeoDataFrame`` (EPSG:4326) whose geometry is the centre of each row's region."""
        geopandas = _needed("geopandas", "to_geopandas")
        regions = self._index.regions().to_pandas().set_index("id")
        frame = self.to_pandas()
        places = regions.loc[frame["region"].astype(str)]
        points = geopandas.points_from_xy(places["longitude"], places["latitude"])
        return geopandas.GeoDataFrame(frame, geometry=points, crs="EPSG:4326")


class Events(NotedTable):
    """Crossings: device, time (UTC), region, kind (enter, exit, dwell, initial, removed), latitude, longitude, inferred.

    Ordered by time to the millisecond, device, region. ``inferred`` says that a gap between two fixes hides when it was.
    """


class Stays(NotedTable):
    """How long devices stayed where: device, region, enter, exit (UTC), duration (s), open, inferred.

    ``open`` is no, start, end or both: inside at the first fix, still inside at the last one, whose times are given then.
    ``inferred`` is no, enter, exit or both. In the order of their ends; those without an end come last.
    """


class Plans(NotedTable):
    """A row for each plan along a track, in the order of the fixes.

    Columns: device, time, latitude, longitude, error (m), registered, vicinity_latitude, vicinity_longitude,
    vicinity_radius (m), certificate (m; infinite when every region is registered), saturated (why, or null), left_out,
    unprovable_exits, next_fix_due, slots_in_use, sentinel_gap, and lists: regions, register, unregister.
    """

    _level = 4

    def __init__(self, handle: Handle, index: RegionIndex) -> None:
        """Wrap a table, and keep the index for what belongs on a map."""
        super().__init__(handle)
        self._index = index

    def plot(self, row: int = -1, ax: Any = None) -> Any:
        """Draw one plan on a map: its regions and its safe disc; gives matplotlib's axes."""
        from .plots import plot_plan

        return plot_plan(self, self._index, row, ax)


class Study:
    """A comparison of policies, as the command line's files.

    Attributes:
        files: The content of each file by its name: ``summary.csv``, ``summary.json``, ``report.html`` and others.
        notes: Sentences on the tracks, and on tiers that the phone lacks; mostly none. They are told as a
            ``VicinityWarning``, too.
        rejects: The rows that ``on_bad_rows="skip"`` left out, as of other answers.

    """

    def __init__(self, handle: Handle) -> None:
        """Read a table of files."""
        columns = read_table(handle.pointer)
        self.files: dict[str, bytes] = dict(zip(columns["name"], columns["content"], strict=True))
        self.notes = tell(produce("table", "table_notes", handle.pointer), 3)
        self.rejects = Table(produce("table", "table_rejects", handle.pointer))

    @property
    def summary(self) -> Any:
        """``summary.json``, read."""
        return json.loads(self.files["summary.json"])

    def save(self, folder: str | Path) -> Path:
        """Write all files into a folder, which is made where it is missing."""
        place = Path(plain_path(folder, "folder"))
        place.mkdir(parents=True, exist_ok=True)
        for name, content in self.files.items():
            (place / name).write_bytes(content)
        return place

    def to_pandas(self, name: str = "summary.csv") -> Any:
        """Give one of the CSV files as a ``pandas.DataFrame``."""
        import io

        return _needed("pandas", "to_pandas").read_csv(io.BytesIO(self.files[name]))

    def __repr__(self) -> str:
        """Say what it is."""
        return f"<vicinity.Study: {', '.join(self.files)}>"

    def _repr_html_(self) -> str:
        """Show the study's page in a notebook, in a frame of its own."""
        page = html.escape(self.files["report.html"].decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:900px;border:0"></iframe>'


def names(items: Sequence[str] | str) -> str:
    """Join names with commas."""
    return items if isinstance(items, str) else ",".join(items)
