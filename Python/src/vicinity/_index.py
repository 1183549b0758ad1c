"""The index of regions, and what it answers."""

from __future__ import annotations

import ctypes
import datetime
import hashlib
import numbers
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypeAlias

from ._arrow import check_crs, column_names, column_options, read_table, stream_of, wkb_column
from ._errors import ArgumentError, ColumnWarning, DataError, FileError, SchemaError
from ._library import ErrorStruct, Handle, check, library, options_text, path_bytes, produce
from ._progress import Control, Progress
from ._repair import Repair
from ._results import ROWS_BEFORE, Events, Neighbors, Plans, Stays, Study, Table, _needed, names, tell

_REGION_COLUMNS = ("id", "latitude", "longitude", "radius", "geometry")
POINT_COLUMNS = ("id", "latitude", "longitude", "geometry")
TRACK_COLUMNS = ("device", "time", "latitude", "longitude", "accuracy", "speed", "course", "geometry")


#: What becomes of rows that cannot be read.
BadRows: TypeAlias = Literal["error", "skip"]


class _Usual:
    """The value of an argument that is not given."""

    def __repr__(self) -> str:
        return "20, or all within max_distance"

    def __reduce__(self) -> str:
        # The one value, in whichever process.
        return "USUAL"


USUAL: Any = _Usual()


def _header_digest(path: str) -> str | None:
    """Sum up what an index file contains: its first 1,024 bytes have the checksums of all others; ``None`` without a file."""
    # A pipe would be waited for.
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(1024)).hexdigest()
    except OSError:
        return None


def _opened(path: str, verify: bool | Literal["contents"], digest: str) -> RegionIndex:
    """Open a pickled index's file, if it is still that."""
    index = RegionIndex.open(path, verify=verify)
    if index._file is None or index._file[2] != digest:
        raise FileError(f"{path} is not the file that was pickled: it has changed since")
    return index


def _pieces(arrow: Any, source: Any, rows: int) -> Iterator[Any]:
    """Cut a stream of batches, of whatever sizes, into tables of so many rows."""
    waiting: list[Any] = []
    count = 0
    for batch in source:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, rows - count)
            waiting.append(part)
            start += part.num_rows
            count += part.num_rows
            if count == rows:
                yield arrow.Table.from_batches(waiting)
                waiting, count = [], 0
    if waiting:
        yield arrow.Table.from_batches(waiting)


class RegionIndex:
    """An immutable index of regions, circles and polygons, that answers exactly on the WGS84 ellipsoid.

    Safe to use from any number of threads; calls let other threads of Python run.

    Input. Regions, points and tracks may be anything with ``__arrow_c_stream__`` or ``__arrow_c_array__`` (pyarrow, polars,
    whose lazy frames are collected, DuckDB, pandas with pyarrow, geoarrow, sedonadb), or a mapping of column names to NumPy
    arrays or lists. Columns are found by their usual names (``id``, ``latitude`` or ``lat``, ``longitude`` or ``lon``,
    ``radius``, ``geometry``; ``device``, ``time``, ``accuracy``, ``speed``, ``course``), or by ``columns={"latitude":
    "y"}``. Identifiers and names of devices are strings or whole numbers of any width, kept exactly; a null among them is
    an error, and so are numbers with a fraction. Masked arrays of NumPy, and pandas's own types, have nulls where they are
    masked. Points and tracks may also be a ``GeoDataFrame`` of points in EPSG:4326.

    Every method below may raise ``SchemaError`` (a column is missing or of the wrong type), ``DataError`` (a value, with its
    row and column) and ``ArgumentError``. What an input's own ``__arrow_c_stream__`` raises comes to the caller as it is, and
    a stream that fails later is a ``StreamError`` with its reason. ``threads`` is ``None`` for one on each core; no answer
    depends on it. ``progress`` is ``None`` for a bar where somebody looks, or as ``vicinity.Progress`` says.

    Processes. A process that is forked (``multiprocessing`` on Linux before Python 3.14) goes on with the index that it has, on
    one core; ``ForkedError`` says that the fork came while another thread was in a call. An index that was opened from a
    file is pickled as the file's path and a hash: the other process opens the file, whose memory both share, and an
    error says so where the file is another one by then. An index that was made in memory is saved and opened first.
    """

    def __init__(self, handle: Handle) -> None:
        """Wrap an index of the library's; make one by ``from_arrow``, ``from_wkb``, ``from_geopandas`` or ``open``."""
        self._handle = handle
        self._file: tuple[str, bool | Literal["contents"], str] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the file that it was opened from; one that was made in memory has none."""
        if self._file is None:
            raise TypeError(
                "a RegionIndex that was made in memory is not pickled: save it, index.save(path), and pickle "
                "RegionIndex.open(path)"
            )
        path, _, digest = self._file
        if _header_digest(path) != digest:
            raise FileError(f"{path} is not the file that this index was opened from: it has changed since")
        return _opened, self._file

    # ---- Making. ----

    @classmethod
    def from_arrow(
        cls,
        regions: Any,
        *,
        radius: float | None = None,
        edges: str | None = None,
        strict: bool = False,
        merge_ids: bool = False,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> RegionIndex:
        """Index regions: circles (id, latitude, longitude, radius) or geometries (id, geometry as WKB).

        Args:
            regions: One region a row; the order breaks exact ties in every query.
            radius: Metres, for all circles without the column.
            edges: ``"planar"``: polygons' edges are straight in longitude and latitude, and are followed to 0.1 m;
                ``"geodesic"``: they are shortest paths. By default what GeoArrow's metadata say, or else planar.
            strict: Whether polygons that need a repair are refused. Otherwise they are repaired as the command line does, with a
                ``RepairWarning`` that names the row: rings that collapse are left out, and where shapely 2.1 is installed
                rings that cross are made valid. An edge that is taken to cross the antimeridian is a warning in both cases.
            merge_ids: Whether to make one region of all polygons with one identifier; otherwise each but the first is a bad row,
                as circles with one always are. Parts that touch need shapely, as a repair does. Where a part is left out as bad,
                a ``BadRowsWarning`` names the region that lacks it.
            on_bad_rows: ``"error"``, or ``"skip"`` to leave out rows that are no regions: a ``BadRowsWarning`` counts them, and
                ``rejects`` lists them.
            columns: The names of columns, by meaning: id, latitude, longitude, radius, geometry.
            threads: How many threads may build.
            progress: Whom to tell of progress.

        Raises:
            DataError: A row is no region, or its identifier is an earlier row's; with ``on_bad_rows="skip"`` all rows are so.

        """
        options = {
            "radius": radius,
            "edges": edges,
            **_row_options(strict, merge_ids, on_bad_rows),
            **column_options(columns, _REGION_COLUMNS),
        }
        return cls(_made(regions, options, threads, progress, 3))

    @classmethod
    def from_wkb(
        cls,
        ids: Sequence[str],
        geometries: Sequence[bytes | bytearray | memoryview],
        *,
        radius: float | Sequence[float] | None = None,
        edges: str | None = None,
        strict: bool = False,
        merge_ids: bool = False,
        on_bad_rows: BadRows = "error",
        threads: int | None = None,
        progress: Progress = None,
    ) -> RegionIndex:
        """Index geometries as well-known binary, in longitude and latitude on WGS84.

        Args:
            ids: A name for each, all different: strings or whole numbers.
            geometries: Polygons, multipolygons, or points with a radius: ``bytes``, ``bytearray`` or ``memoryview``.
            radius: Metres, of points: one for all, or one for each geometry.
            edges: As for ``from_arrow``.
            strict: As for ``from_arrow``.
            merge_ids: As for ``from_arrow``.
            on_bad_rows: As for ``from_arrow``.
            threads: How many threads may build.
            progress: Whom to tell of progress.

        """
        data: dict[str, Any] = {"id": ids, "geometry": wkb_column("geometry", geometries, on_bad_rows == "skip")}
        common = _number(radius)
        if radius is not None and common is None:
            data["radius"] = radius
        options = {"radius": common, "edges": edges, **_row_options(strict, merge_ids, on_bad_rows)}
        return cls(_made(data, options, threads, progress, 3))

    @classmethod
    def from_geopandas(
        cls,
        frame: Any,
        *,
        id: str | None = None,
        radius: str | float | None = None,
        strict: bool = False,
        merge_ids: bool = False,
        on_bad_rows: BadRows = "error",
        threads: int | None = None,
        progress: Progress = None,
    ) -> RegionIndex:
        """Index a ``GeoDataFrame`` of polygons, or of points with a radius.

        Args:
            frame: Its coordinate reference system must be EPSG:4326 or OGC:CRS84.
            id: The column of names, strings or whole numbers; without it the frame's index.
            radius: Metres: a column's name, or one for all; without it a column such as ``radius``, if there is one.
            strict: As for ``from_arrow``.
            merge_ids: As for ``from_arrow``.
            on_bad_rows: As for ``from_arrow``.
            threads: How many threads may build.
            progress: Whom to tell of progress.

        Raises:
            SchemaError: The coordinates are in another system, or it is not said in which. (``frame.to_crs(4326)`` moves
                the vertices alone: a long edge that was straight in the old system is not any more.)

        """
        is_geographic = any(kind.__name__ == "GeoDataFrame" for kind in type(frame).__mro__)
        if is_geographic and not hasattr(frame, "geometry"):
            raise SchemaError("the frame has no active geometry: frame.set_geometry(...)")
        if not is_geographic:
            kind = type(frame).__name__
            raise SchemaError(
                f"a GeoDataFrame is expected, not a {kind}; geopandas.GeoDataFrame(frame, geometry=..., crs=4326) makes one, and "
                "RegionIndex.from_arrow takes circles in columns"
            )
        check_crs(frame.crs, have_edges=bool((frame.geom_type.dropna() != "Point").any()))
        names, name = (frame.index, frame.index.name or "index") if id is None else (_column(frame, id), id)
        if getattr(names, "nlevels", 1) > 1:
            raise SchemaError("the frame's index has several levels; name a column: id=...", None, str(name))
        if len(frame) == 0:
            # Without rows nobody can say what they are.
            names = names.astype(str)
        if names.dtype.kind == "f" and names.isna().any() and on_bad_rows != "skip":
            row = int(names.isna().argmax())
            what = 'null (whole numbers beside nulls become floating; .astype("Int64") keeps them whole)'
            raise DataError(f'row {row}, column "{name}": {what}', row, str(name))
        if names.dtype.kind in "mM":
            raise SchemaError(
                f'column "{name}": strings or whole numbers are expected, not {names.dtype}; .astype(str) makes them strings',
                None,
                str(name),
            )
        columns = {"id": str(name), "geometry": str(frame.geometry.name)}
        data: dict[str, Any] = {
            columns["id"]: names,
            columns["geometry"]: wkb_column(columns["geometry"], list(frame.geometry.to_wkb()), on_bad_rows == "skip"),
        }
        common = _number(radius)
        stated = _radius_column(frame)
        if stated is not None and len(frame) > 0 and not (frame.geom_type == "Point").any():
            # The library warns of a radius that the caller gives.
            if radius is None:
                what = f'column "{stated}" is not used: all regions are polygons'
                warnings.warn(what, ColumnWarning, stacklevel=2)
            stated = None
        if radius is None:
            radius = stated
        elif common is not None and stated is not None:
            what = f'column "{stated}" is not read, and all circles have the option radius; radius={stated!r} reads it'
            warnings.warn(what, ColumnWarning, stacklevel=2)
        if radius is not None and common is None:
            columns["radius"] = str(radius)
            data[columns["radius"]] = _column(frame, radius)
        options = {
            "radius": common,
            **_row_options(strict, merge_ids, on_bad_rows),
            **column_options(columns, _REGION_COLUMNS),
        }
        return cls(_made(data, options, threads, progress, 3))

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool | Literal["contents"] = True) -> RegionIndex:
        """Open a ``.vicinity`` file, mapped into memory: processes on one machine share it.

        Args:
            path: The file, which must not be changed in place while it is open: where it is cut short the system ends the
                process (SIGBUS). Replacing it, as ``save`` does, is safe.
            verify: Whether to read all of it and compare checksums, which finds damage; ``"contents"`` checks every number
                that answers depend on, too, for files from strangers: 0.15 s a million circles.

        Raises:
            ArgumentError: The path is a URI, or contains a NUL character.
            FileError: It cannot be read, is no index, is damaged, or was replaced while it was opened.

        """
        options = options_text({"verify": verify})
        name = path_bytes(path)
        full = os.path.abspath(os.fspath(path))
        before = _header_digest(full)
        index = cls(produce("index", "index_open", name, options))
        digest = _header_digest(full)
        if digest is None or digest != before:
            raise FileError(f"{full}: another file came to its place while it was opened")
        index._file = full, verify, digest
        return index

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.vicinity`` file, whole or not at all.

        Raises:
            ArgumentError: The path is a URI, or contains a NUL character.
            FileError: It cannot be written.

        """
        error = ErrorStruct()
        check(library.vicinity_index_write(self._handle.pointer, path_bytes(path), ctypes.byref(error)), error)

    # ---- Contents. ----

    def __len__(self) -> int:
        """Count the regions."""
        return int(library.vicinity_index_count(self._handle.pointer))

    @property
    def polygon_count(self) -> int:
        """How many of the regions are polygons."""
        return int(library.vicinity_index_polygon_count(self._handle.pointer))

    @property
    def nbytes(self) -> int:
        """How many bytes the index takes, in memory and as a file."""
        return int(library.vicinity_index_byte_count(self._handle.pointer))

    def __repr__(self) -> str:
        """Say what it is."""
        regions = "region" if len(self) == 1 else "regions"
        return f"<vicinity.RegionIndex of {len(self):,} {regions}, polygons among them: {self.polygon_count:,}>"

    @property
    def rejects(self) -> Table:
        """Give the rows that were left out of the index by ``on_bad_rows="skip"``: row (from 0), column, reason.

        The first million, in order; then a last row without number says how many more there are.
        """
        return Table(produce("table", "index_rejects", self._handle.pointer))

    def regions(self) -> Table:
        """Give the regions: id, latitude, longitude, radius (m; of a polygon a circle around it), is_polygon."""
        return Table(produce("table", "index_regions", self._handle.pointer))

    # ---- Queries. ----

    def nearest(
        self,
        points: Any,
        k: int | None = USUAL,
        *,
        tier: str | float = "best",
        max_distance: float | None = None,
        region_numbers: bool | Literal["unsigned"] = False,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Neighbors:
        """Find the ``k`` regions nearest to each point by boundary distance, negative inside, nearest first.

        Args:
            points: Rows with latitude, longitude (degrees) or geometry (WKB points), and perhaps id; or an array of shape
                (n, 2) of latitude and longitude; or one pair. Without a column of identifiers the rows of pandas and GeoPandas
                are named by their index, and others are numbered from 1.
            k: The most regions for each point, 0 or more; ``None`` for all. Not given: all with ``max_distance``, 20
                without; an ``AnswerCutWarning`` tells where these 20 leave out regions that contain a point.
            tier: How exact the answer has to be: ``"best"``, ``"hundredMeters"`` and so on, or metres. The i-th region is at
                most that much farther away than the exact i-th, and each distance is within it of the true one;
                ``Neighbors.distance_error`` says how far. A coarser tier is cheaper.
            max_distance: Leave out regions whose boundary is farther, metres; 0 keeps those containing the point, and -50
                those in which the point is at least 50 m from the boundary.
            region_numbers: Whether the column region has whole numbers, not strings: ``True`` for int64, ``"unsigned"`` for
                uint64. A region found whose identifier is no such number, written as Python writes it, is an ``ArgumentError``.
            on_bad_rows: ``"error"``, or ``"skip"`` to leave out points that cannot be read: a ``BadRowsWarning`` counts them, and
                the answer's ``rejects`` lists them. Where all are bad that is an error all the same.
            columns: The names of columns, by meaning: id, latitude, longitude, geometry.
            threads: How many threads may work.
            progress: Whom to tell of progress.

        """
        count = None if k is USUAL else "all" if k is None else k
        options: dict[str, object] = {"count": count, "tier": tier, "max-distance": max_distance}
        return self._ask("nearest", points, options, region_numbers, on_bad_rows, columns, threads, progress)

    def within(
        self,
        points: Any,
        distance: float,
        *,
        region_numbers: bool | Literal["unsigned"] = False,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Neighbors:
        """Find all regions whose boundary lies within ``distance`` metres of each point, and all that contain it.

        With a negative distance, such as -50, find the regions in which the point is at least 50 m from the boundary.
        Arguments are otherwise those of ``nearest``.
        """
        return self._ask(
            "within", points, {"distance": distance}, region_numbers, on_bad_rows, columns, threads, progress
        )

    def containing(
        self,
        points: Any,
        *,
        region_numbers: bool | Literal["unsigned"] = False,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Neighbors:
        """Find all regions that contain each point, boundary included; deepest first.

        Distances to polygons are right to a millimetre, so a point on an edge that two polygons share may be in one of them
        only, or in both. Arguments are those of ``nearest``.
        """
        return self._ask("containing", points, {}, region_numbers, on_bad_rows, columns, threads, progress)

    def batches(
        self,
        question: Literal["nearest", "within", "containing"],
        points: Any,
        *arguments: Any,
        rows: int = 10_000,
        **options: Any,
    ) -> Any:
        """Answer piece by piece, where all answers together take more memory than there is.

        Args:
            question: The method that answers.
            points: As for that method; a stream is read as far as answers are asked for.
            *arguments: That method's own: ``k``, ``distance``.
            rows: How many points are asked at a time, 1 or more.
            **options: That method's others; ``progress`` is of each piece, and by default none is shown.

        Returns:
            A ``pyarrow.RecordBatchReader`` of that method's rows, in the same order: what takes Arrow streams takes it, a
            writer of Parquet or DuckDB. An error in the points comes when their piece is asked for, and so do warnings, whose
            rows are counted over all points. Each piece is looked at on its own: nothing tells of an identifier that is in two.

        """
        if question not in ("nearest", "within", "containing"):
            raise ArgumentError(f"question {question!r}: nearest, within or containing are expected")
        if isinstance(rows, bool) or not isinstance(rows, numbers.Integral) or rows < 1:
            raise ArgumentError(f"rows {rows!r}: a whole number of 1 or more is expected")
        if options.get("on_bad_rows", "error") != "error":
            raise ArgumentError(
                f"on_bad_rows={options['on_bad_rows']!r}: a reader of batches has no place for rejects; {question} itself has"
            )
        arrow = _needed("pyarrow", "batches")
        with stream_of(points, POINT_COLUMNS[1:3], columns=options.get("columns"), are_points=True) as stream:
            source = arrow.RecordBatchReader._import_from_c(stream)
        wanted = (options.get("columns") or {}).get("id")
        usual = {wanted} if wanted else set(column_names()["point"])
        numbered = not any((name if wanted else name.strip(" \t").lower()) in usual for name in source.schema.names)
        options = {"progress": False, **options}

        def answer(piece: Any, before: int) -> Any:
            place = ROWS_BEFORE.set(before)
            try:
                table = getattr(self, question)(piece, *arguments, **options).to_arrow()
            except DataError as error:
                if error.row is None:
                    raise
                row = error.row + before
                raise DataError(str(error).replace(f"row {error.row}", f"row {row}", 1), row, error.column) from None
            finally:
                ROWS_BEFORE.reset(place)
            if not numbered or before == 0:
                return table
            numbers_of = _needed("pyarrow.compute", "batches").add(table["query"], before)
            return table.set_column(0, table.schema.field("query"), numbers_of)

        def answers() -> Iterator[Any]:
            before = 0
            for piece in _pieces(arrow, source, int(rows)):
                yield from answer(piece, before).to_batches()
                before += piece.num_rows

        schema = answer(source.schema.empty_table(), 0).schema
        return arrow.RecordBatchReader.from_batches(schema, answers())

    def _ask(
        self,
        question: str,
        points: Any,
        options: dict[str, object],
        region_numbers: bool | Literal["unsigned"],
        on_bad_rows: BadRows,
        columns: Mapping[str, str] | None,
        threads: int | None,
        progress: Progress,
    ) -> Neighbors:
        options = {**options, "region-numbers": region_numbers or None}
        if columns is None and threads is None and not progress and on_bad_rows == "error" and _is_pair(points):
            # A stream of one point would take longer than the answer.
            handle, text = self._handle.pointer, options_text(options)
            table = produce("table", "ask_one", handle, question.encode(), points[0], points[1], text)
            return Neighbors(table, self)
        options |= {"on-bad-rows": on_bad_rows, **column_options(columns, POINT_COLUMNS)}
        text = options_text(options)
        skips = on_bad_rows == "skip"
        with (
            stream_of(points, POINT_COLUMNS[1:3], skips, columns, are_points=True) as stream,
            Control(question, threads, progress) as control,
        ):
            table = produce("table", question, self._handle.pointer, stream, text, control)
            return Neighbors(table, self)

    # ---- Tracks. ----

    def events(
        self,
        tracks: Any,
        rule: str = "geometric",
        *,
        max_gap: float = 300,
        dwell: float | None = None,
        initial: bool = False,
        cushion: float | None = None,
        remain: float | None = None,
        sort: bool = False,
        not_after: object = None,
        device: str | None = None,
        naive_times: str | None = None,
        time_unit: str | None = None,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Events:
        """Find every entry into and exit from regions along tracks.

        Args:
            tracks: Rows of device, time, latitude and longitude (degrees) or geometry (WKB points), and perhaps accuracy (m),
                speed (m/s) and course (degrees); grouped by device or interleaved, each device's in the order of time. Times are
                timestamps with a zone, or seconds since 1970.
            rule: ``geometric`` (exact, on the path between fixes), ``core-location``, ``naive``, ``exit-margin``, ``overlap``.
            max_gap: Seconds between two fixes beyond which what happened is inferred.
            dwell: Seconds after which a stay is reported; ``None`` for no such events.
            initial: Whether to list also what each device is in at its first fix, as rows of the kind initial; where a rule
                uses accuracies, at the first fix that shows it.
            cushion: core-location: metres beyond the boundary.
            remain: core-location: seconds to remain there.
            sort: Whether to sort each device's fixes by time first; otherwise time that runs backwards is an error. Of two places
                at one time the first row counts then; otherwise they are an error.
            not_after: The latest time that a fix may have; later ones are an error. A ``datetime`` with a zone, or text in ISO
                8601: ``"2026-12-31"`` is the end of that day in UTC.
            device: The name of the one device, where there is no such column.
            naive_times: ``"utc"`` to take times that state no zone for UTC: timestamps, and a spreadsheet's days.
            time_unit: What times that are numbers count: ``"seconds"`` since 1970 (the default, but ``"milliseconds"`` for a
                column called ``time_ms`` or the like), ``"microseconds"``, ``"nanoseconds"``, ``"days"`` (a spreadsheet's: 25569
                is 1 January 1970), ``"days-1904"``, ``"unix-days"``.
            on_bad_rows: ``"error"``, or ``"skip"`` to leave out rows that cannot be read, and fixes that contradict others in
                time or place, as few as can be: a ``BadRowsWarning`` counts them, and the answer's ``rejects`` lists them. (Not
                what ``sort`` leaves out at one time.)
            columns: The names of columns, by meaning: device, time, latitude, longitude, geometry, accuracy, speed, course.
            threads: How many threads may work.
            progress: Whom to tell of progress.

        """
        rules = _rule_options(rule, max_gap, dwell, cushion, remain) | {"initial": initial}
        text = options_text(
            _track_options(columns, sort, not_after, device, naive_times, time_unit, on_bad_rows) | rules
        )
        with (
            stream_of(tracks, TRACK_COLUMNS[:4], on_bad_rows == "skip", columns) as stream,
            Control("events", threads, progress) as control,
        ):
            return Events(produce("table", "events", self._handle.pointer, stream, text, control))

    def stays(
        self,
        tracks: Any,
        rule: str = "geometric",
        *,
        max_gap: float = 300,
        cushion: float | None = None,
        remain: float | None = None,
        sort: bool = False,
        not_after: object = None,
        device: str | None = None,
        naive_times: str | None = None,
        time_unit: str | None = None,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Stays:
        """Find how long devices stayed in which regions: each entry with the exit that follows.

        What a device is in at its first fix, and at its last one, is a stay whose begin or end is not known: ``enter`` and
        ``exit`` are the times of these fixes then. Where a rule uses accuracies, such a stay begins at the first fix that
        shows it. Arguments are those of ``events``, but for ``dwell`` and ``initial``.
        """
        text = options_text(
            _track_options(columns, sort, not_after, device, naive_times, time_unit, on_bad_rows)
            | _rule_options(rule, max_gap, None, cushion, remain)
        )
        with (
            stream_of(tracks, TRACK_COLUMNS[:4], on_bad_rows == "skip", columns) as stream,
            Control("stays", threads, progress) as control,
        ):
            return Stays(produce("table", "stays", self._handle.pointer, stream, text, control))

    def fleet(
        self,
        rule: str = "geometric",
        *,
        state: bytes | None = None,
        max_gap: float = 300,
        dwell: float | None = None,
        initial: bool = False,
        removed: bool = False,
        cushion: float | None = None,
        remain: float | None = None,
        sort: bool = False,
        not_after: object = None,
        device: str | None = None,
        naive_times: str | None = None,
        time_unit: str | None = None,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
    ) -> Fleet:
        """Follow devices batch by batch; arguments are those of ``events``.

        Args:
            rule: As for ``events``.
            state: What ``Fleet.state`` gave before, with the same regions and options; ``None`` for devices not seen yet.
            max_gap: As for ``events``.
            dwell: As for ``events``.
            initial: As for ``events``.
            removed: Whether to list, with the first batch after ``state``, who was in a region that is no longer there: rows of
                the kind removed, with the device's last place and the time of the latest fix of all devices; inferred where
                the device was last seen before that.
            cushion: As for ``events``.
            remain: As for ``events``.
            sort: As for ``events``, within each batch.
            not_after: As for ``events``.
            device: As for ``events``.
            naive_times: As for ``events``.
            time_unit: As for ``events``.
            on_bad_rows: As for ``events``.
            columns: As for ``events``.

        Raises:
            DataError: The state is damaged, or none of its regions is in this index.

        """
        rules = _rule_options(rule, max_gap, dwell, cushion, remain) | {"initial": initial, "removed": removed}
        text = options_text(
            _track_options(columns, sort, not_after, device, naive_times, time_unit, on_bad_rows) | rules
        )
        skips = on_bad_rows == "skip"
        if state is None:
            return Fleet(produce("fleet", "fleet_create", self._handle.pointer, text), skips, columns)
        if not isinstance(state, (bytes, bytearray, memoryview)):
            raise ArgumentError(f"state: the bytes that Fleet.state gave are expected, not {type(state).__name__}")
        state = bytes(state)
        return Fleet(produce("fleet", "fleet_restore", self._handle.pointer, text, state, len(state)), skips, columns)

    def plan(
        self,
        track: Any,
        *,
        capacity: int = 20,
        strategy: str = "boundary",
        sort: bool = False,
        not_after: object = None,
        device: str | None = None,
        naive_times: str | None = None,
        time_unit: str | None = None,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
        **options: object,
    ) -> Plans:
        """Find which regions a device with few slots registers along its track, and for how long each choice holds.

        Args:
            track: As for ``events``; each device is followed on its own.
            capacity: How many regions the device can watch.
            strategy: ``boundary``, ``boundary-ahead``, and without a certificate ``nearest-by-centre``,
                ``significant-change``, ``constant-radius``, ``visits``.
            sort: As for ``events``.
            not_after: As for ``events``.
            device: As for ``events``.
            naive_times: As for ``events``.
            time_unit: As for ``events``.
            on_bad_rows: As for ``events``.
            columns: As for ``events``.
            threads: How many threads may work: one device is one thread's.
            progress: Whom to tell of progress.
            options: The command line's other options of ``plan``, with underscores: ``reserve``, ``spare_slot``,
                ``followed``, ``max_speed`` (m/s), ``latency`` (s), ``overshoot`` (m), ``pin`` (ids: a list, a set, an array;
                for strategies with a certificate) and so on.

        """
        text = options_text(
            {
                "capacity": capacity,
                "strategy": strategy,
                **_track_options(columns, sort, not_after, device, naive_times, time_unit, on_bad_rows),
                **{name.replace("_", "-"): value for name, value in options.items()},
            }
        )
        with (
            stream_of(track, TRACK_COLUMNS[:4], on_bad_rows == "skip", columns) as stream,
            Control("planning", threads, progress) as control,
        ):
            return Plans(produce("table", "plan", self._handle.pointer, stream, text, control), self)

    def compare(
        self,
        tracks: Any,
        policies: Sequence[str] | str = "all",
        *,
        phone: str = "modern-phone",
        seeds: int = 3,
        seed: int = 1,
        sort: bool = False,
        not_after: object = None,
        device: str | None = None,
        naive_times: str | None = None,
        time_unit: str | None = None,
        on_bad_rows: BadRows = "error",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Study:
        """Compare policies: each runs on each device's simulated phone with each seed, and is scored by the truth.

        Args:
            tracks: As for ``events``.
            policies: ``"all"``, or policies as on the command line: ``["monitor-slots", "fixed-interval:interval=120"]``.
            phone: A shipped profile: iphone-6, modern-phone, nexus-6.
            seeds: How many seeds to run each policy with.
            seed: The first of them.
            sort: As for ``events``.
            not_after: As for ``events``.
            device: As for ``events``.
            naive_times: As for ``events``.
            time_unit: As for ``events``.
            on_bad_rows: As for ``events``.
            columns: As for ``events``.
            threads: How many threads may work.
            progress: Whom to tell of progress: runs done and in all.

        """
        text = options_text(
            {
                "policies": names(policies),
                "phone": phone,
                "seeds": seeds,
                "seed": seed,
                **_track_options(columns, sort, not_after, device, naive_times, time_unit, on_bad_rows),
            }
        )
        with (
            stream_of(tracks, TRACK_COLUMNS[:4], on_bad_rows == "skip", columns) as stream,
            Control("comparing", threads, progress) as control,
        ):
            return Study(produce("table", "compare", self._handle.pointer, stream, text, control))

    # ---- Pictures. ----

    def plot_nearest(self, latitude: float, longitude: float, k: int = 20, ax: Any = None) -> Any:
        """Draw a place and the regions nearest to it on a map; gives matplotlib's axes."""
        from .plots import plot_nearest

        return plot_nearest(self, latitude, longitude, k, ax)


class Fleet:
    """Devices between batches of their fixes: batches in the order of time give, together, the events of all at once.

    After an error or Ctrl-C in the middle of a batch a fleet refuses to go on, as the batch's events are lost: make another one
    from the state before it. A warning is such an error where a filter makes it one. A fleet belongs to one thread at a time.
    """

    def __init__(self, handle: Handle, skips: bool = False, columns: Mapping[str, str] | None = None) -> None:
        """Wrap a fleet of the library's; ``RegionIndex.fleet`` makes one."""
        self._handle = handle
        self._skips = skips
        self._columns = columns
        # Whether it has taken fixes whose events nobody was given.
        self._has_lost = False

    def _check_usable(self) -> None:
        if self._has_lost:
            raise ArgumentError(
                "this fleet has ended with an error or was stopped in the middle of a batch; make another one from the state "
                "before that"
            )

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError("a Fleet is not pickled: hand on fleet.state(), and go on with index.fleet(state=...)")

    def advance(self, tracks: Any, *, threads: int | None = None, progress: Progress = None) -> Events:
        """Find the events of the next batch, which is read as ``RegionIndex.events`` reads tracks.

        With ``on_bad_rows="skip"`` the batch may be bad as a whole; the answer's ``rejects`` are of this batch.
        """
        self._check_usable()
        with (
            stream_of(tracks, TRACK_COLUMNS[:4], self._skips, self._columns) as stream,
            Control("events", threads, progress) as control,
        ):
            table = produce("table", "fleet_advance", self._handle.pointer, stream, control)
            # The library has gone on: what is raised from here on, by a warning or Ctrl-C, loses the events.
            self._has_lost = True
            events = Events(table)
        self._has_lost = False
        return events

    @property
    def device_count(self) -> int:
        """How many devices have been seen."""
        return int(library.vicinity_fleet_device_count(self._handle.pointer))

    def state(self) -> bytes:
        """Give the state of all devices, to go on from later, also on another machine."""
        self._check_usable()
        table = produce("table", "fleet_snapshot", self._handle.pointer)
        state: bytes = read_table(table.pointer)["state"][0]
        return state


def _column(frame: Any, name: Any) -> Any:
    if not isinstance(name, str) or name not in frame.columns:
        there = ", ".join(map(str, frame.columns))
        raise SchemaError(f'column "{name}": there is no such column; there are: {there}', None, str(name))
    return frame[name]


def _is_pair(points: Any) -> bool:
    """Whether points are one pair of numbers that may be degrees; what they are not is told of a row."""
    return (
        isinstance(points, (tuple, list))
        and len(points) == 2
        and all(isinstance(value, (float, int)) and -1000 < value < 1000 for value in points)
        and not any(isinstance(value, bool) for value in points)
    )


def _radius_column(frame: Any) -> Any:
    """Give the column of a ``GeoDataFrame`` that states radii, by its name; ``None`` where none does."""
    usual = {name: rank for rank, name in enumerate(column_names()["radius"])}
    found = [(usual[name], column) for column in frame.columns if (name := str(column).strip(" \t").lower()) in usual]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _number(value: Any) -> float | None:
    """Give a number, of Python's or NumPy's; ``None`` for anything else."""
    return float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else None


def _made(data: Any, options: Mapping[str, object], threads: int | None, progress: Progress, level: int) -> Handle:
    """Index regions, and warn of what was repaired; ``level`` counts the functions between here and the caller."""
    repair = Repair()
    text = options_text(options)
    skips = options.get("on-bad-rows") == "skip"
    columns = {
        name.removesuffix("-column"): str(column) for name, column in options.items() if name.endswith("-column")
    }
    with (
        stream_of(data, _REGION_COLUMNS[:4], skips, columns) as stream,
        Control("indexing regions", threads, progress) as control,
    ):
        try:
            made = produce("index", "index_from_arrow_repairing", stream, text, control, repair.function, None)
        except SchemaError as error:
            if error.column != "id" or "no such column" not in str(error) or not hasattr(data, "reset_index"):
                raise
            what = f'{error}; if the frame\'s index has them: frame.reset_index(names="id")'
            raise SchemaError(what, None, error.column) from None
        finally:
            repair.check()
    tell(produce("table", "index_notes", made.pointer), level)
    return made


def _row_options(strict: bool, merge_ids: bool, on_bad_rows: BadRows) -> dict[str, object]:
    return {"strict": strict, "merge-ids": merge_ids, "on-bad-rows": on_bad_rows}


def _track_options(
    columns: Mapping[str, str] | None,
    sort: bool,
    not_after: object,
    device: str | None,
    naive_times: str | None,
    time_unit: str | None,
    on_bad_rows: BadRows,
) -> dict[str, object]:
    if naive_times not in (None, "utc"):
        raise ArgumentError(
            f'naive_times: "utc" is expected, not {naive_times!r}; if times are of another zone, state it before: in pandas '
            'column.dt.tz_localize("Europe/Vienna"), in polars .dt.replace_time_zone'
        )
    return {
        "sort": sort,
        "not-after": None if not_after is None else _seconds(not_after),
        "device": device,
        "naive-times": naive_times,
        "time-unit": time_unit,
        "on-bad-rows": on_bad_rows,
        **column_options(columns, TRACK_COLUMNS),
    }


def _seconds(time: object) -> float:
    """Give a time as seconds since 1970; of a date alone, those of its last millisecond in UTC."""
    value = time
    try:
        if isinstance(value, str):
            value = value.strip()
            value = datetime.datetime.fromisoformat(
                f"{value}T23:59:59.999+00:00" if len(value) == len("2026-12-31") else value.replace("Z", "+00:00")
            )
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            return value.timestamp()
    except ValueError:
        pass
    raise ArgumentError(
        f"not_after: a datetime with a zone, or text such as 2026-12-31T23:59:59Z, is expected, not {time!r}"
    )


def _rule_options(
    rule: str, max_gap: float, dwell: float | None, cushion: float | None, remain: float | None
) -> dict[str, object]:
    if not isinstance(rule, str):
        raise ArgumentError(
            f"rule: a name is expected, not {type(rule).__name__}; a state is given by name, fleet(state=...)"
        )
    return {"rule": rule, "max-gap": max_gap, "dwell": dwell, "cushion": cushion, "remain": remain}


def compare(regions: Any, tracks: Any, policies: Sequence[str] | str = "all", **options: Any) -> Study:
    """Compare policies on regions that are an index already, or are made one: see ``RegionIndex.compare``."""
    index = regions if isinstance(regions, RegionIndex) else RegionIndex.from_arrow(regions)
    if not isinstance(policies, (str, list, tuple)):
        raise ArgumentError(f"policies: names are expected, not {policies!r}")
    return index.compare(tracks, policies, **options)
