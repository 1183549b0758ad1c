"""The same answers on Spark, for what one machine cannot hold.

    from vicinity import spark as vs
    index = vs.ship(spark, "stores.vicinity")      # once to each executor, mapped there by all its workers
    vs.nearest(points, index, k=5)                  # no shuffle
    vs.events(tracks, index)                        # shuffled by device, sorted by time

Rows are those of the local run, whatever the partitioning; their order is Spark's to choose. The wheel must be installed where
the workers run. Errors of a worker name row and column within the batch, and the partition.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ._errors import ArgumentError, SchemaError, VicinityError
from ._index import Fleet, RegionIndex

#: A ``pyspark.sql.DataFrame``.
DataFrame: TypeAlias = Any
_Batches: TypeAlias = "Iterator[Any]"

# As the library's own schema has it. Spark does not look for nulls, row by row, in a column that says it has none.
_NEIGHBORS = "rank int not null, region {} not null, boundary_distance double not null, centre_distance double"
_EVENTS = ", ".join(
    f"{name} not null"
    for name in [
        "device string",
        "time timestamp",
        "region string",
        "kind string",
        "latitude double",
        "longitude double",
        "inferred boolean",
    ]
)

# The usual names of columns, tried in this order: those that the library knows, to which a test holds them.
# fmt: off
_NAMES: dict[str, list[str]] = {
    "point": ["id", "identifier", "point", "point_id", "query", "region", "region_id", "name"],
    "latitude": ["latitude", "lat", "latitude_deg"],
    "longitude": ["longitude", "lon", "lng", "long", "longitude_deg"],
    "geometry": ["geometry", "geom", "wkb", "wkb_geometry", "geom_wkb", "geometry_wkb"],
    "device": [
        "device", "device_id", "deviceid", "track_id", "trackid", "vehicle", "vehicle_id", "vehicleid",
        "taxi", "taxi_id", "bus", "bus_id", "truck_id", "vessel", "vessel_id", "ship", "ship_id", "driver",
        "driver_id", "user", "user_id", "userid", "person_id", "phone", "phone_id", "animal_id",
        "individual-local-identifier", "tag_id", "imei", "mmsi", "icao24", "trip", "trip_id", "tripid",
        "ride_id", "flight", "flight_id", "callsign", "identifier", "uuid", "id", "name",
    ],
    "time": [
        "time", "timestamp", "datetime", "date_time", "time_utc", "utc", "unix_time", "unixtime", "epoch",
        "time_ms", "timestamp_ms", "unix_time_ms", "unixtimemillis", "utctimemillis", "epoch_ms",
    ],
    "accuracy": ["accuracy", "horizontal_accuracy", "horizontalaccuracy", "accuracy_m", "accuracymeters", "hacc"],
    "speed": ["speed", "speed_mps", "speedmps"],
    "course": ["course", "bearing", "bearing_deg", "heading"],
}
# fmt: on


@dataclass(frozen=True)
class ShippedIndex:
    """An index file where workers find it.

    Attributes:
        name: The file's name among those that Spark has shipped, or its path on storage that all workers see.
        is_shared: Whether it is a path.

    """

    name: str
    is_shared: bool

    def open(self) -> RegionIndex:
        """Open it, in a worker: once for each process, mapped, so that processes on a machine share the memory."""
        if self.is_shared:
            path = self.name
        else:
            from pyspark import SparkFiles

            path = SparkFiles.get(self.name)
        known = _opened.get(path)
        if known is None:
            known = _opened[path] = RegionIndex.open(path)
        return known


_opened: dict[str, RegionIndex] = {}


def ship(session: Any, index: RegionIndex | str | os.PathLike[str], *, shared: bool = False) -> ShippedIndex:
    """Bring an index to all workers.

    Args:
        session: The ``SparkSession``.
        index: An index, or the path of a ``.vicinity`` file. Files of one name must be one file.
        shared: Whether the path is on storage that all workers see, so that nothing needs to be shipped.

    """
    if isinstance(index, RegionIndex):
        if shared:
            raise ArgumentError("shared is for a path")
        place = Path(tempfile.mkdtemp(prefix="vicinity-")) / f"regions-{os.urandom(8).hex()}.vicinity"
        index.save(place)
        index = place
    path = os.path.abspath(index)
    if shared:
        return ShippedIndex(path, True)
    session.sparkContext.addFile(path)
    return ShippedIndex(os.path.basename(path), False)


def nearest(
    points: DataFrame,
    index: ShippedIndex,
    k: int = 20,
    *,
    tolerance: float = 0,
    max_distance: float | None = None,
    region_numbers: bool = False,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Find the ``k`` regions nearest to each point: ``RegionIndex.nearest`` by ``mapInArrow``.

    Args:
        points: Rows of id (string or whole number), latitude, longitude (degrees); or of id and geometry (WKB).
        index: What ``ship`` gave.
        k: The most regions for each point.
        tolerance: As for ``RegionIndex.nearest``.
        max_distance: As for ``RegionIndex.nearest``.
        region_numbers: Whether the column region is a ``bigint``; as for ``RegionIndex.nearest``. Spark makes rows of such
            a column faster than of strings.
        columns: The names of columns, by meaning.

    Returns:
        query (as the id), rank, region, boundary_distance, centre_distance.

    """

    def ask(regions: RegionIndex, batch: Any) -> Any:
        return regions.nearest(
            batch,
            k,
            tolerance=tolerance,
            max_distance=max_distance,
            region_numbers=region_numbers,
            columns=columns,
            threads=1,
            progress=False,
        )

    return _ask(points, index, region_numbers, columns, ask)


def within(
    points: DataFrame,
    index: ShippedIndex,
    distance: float,
    *,
    region_numbers: bool = False,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Find all regions within ``distance`` metres of each point; otherwise as ``nearest``."""

    def ask(regions: RegionIndex, batch: Any) -> Any:
        return regions.within(
            batch, distance, region_numbers=region_numbers, columns=columns, threads=1, progress=False
        )

    return _ask(points, index, region_numbers, columns, ask)


def containing(
    points: DataFrame,
    index: ShippedIndex,
    *,
    region_numbers: bool = False,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Find all regions that contain each point; otherwise as ``nearest``."""

    def ask(regions: RegionIndex, batch: Any) -> Any:
        return regions.containing(batch, region_numbers=region_numbers, columns=columns, threads=1, progress=False)

    return _ask(points, index, region_numbers, columns, ask)


def _ask(
    points: DataFrame,
    index: ShippedIndex,
    region_numbers: bool,
    columns: Mapping[str, str] | None,
    ask: Callable[[RegionIndex, Any], Any],
) -> DataFrame:
    name = _column(points, "point", columns, option="id")
    kind = dict(points.dtypes)[name]
    if kind not in ("string", "bigint", "int", "smallint", "tinyint"):
        raise SchemaError(f'column "{name}": strings or whole numbers are expected, not {kind}', None, name)
    named = {**(columns or {}), "id": name}
    wanted = [name] + [
        found
        for meaning in ["latitude", "longitude", "geometry"]
        if (found := _column(points, meaning, named, needed=False))
    ]

    def work(batches: _Batches) -> _Batches:
        import pyarrow

        regions = index.open()
        for batch in batches:
            with _Placed():
                yield from pyarrow.table(ask(regions, batch)).to_batches()

    query = "string" if kind == "string" else "bigint"
    answers = _NEIGHBORS.format("bigint" if region_numbers else "string")
    return points.select(*wanted).mapInArrow(work, f"query {query} not null, {answers}")


def events(
    tracks: DataFrame,
    index: ShippedIndex,
    rule: str = "geometric",
    *,
    max_gap: float = 300,
    dwell: float | None = None,
    cushion: float | None = None,
    remain: float | None = None,
    naive_times: str | None = None,
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
    state: str | os.PathLike[str] | None = None,
    new_state: str | os.PathLike[str] | None = None,
    buckets: int = 64,
) -> DataFrame:
    """Find every entry into and exit from regions: ``RegionIndex.events(..., sort=True)``, device by device.

    Rows are shuffled by device and sorted by device and time, and go through batch by batch: a device may have more fixes
    than fit in memory, and small devices share a task. A device with most of the rows is one task's, as its fixes follow each
    other; more ``partitions`` keep others out of that task.

    Args:
        tracks: Rows of device, time, latitude, longitude, and perhaps accuracy, speed and course.
        index: What ``ship`` gave.
        rule: As for ``RegionIndex.events``.
        max_gap: As for ``RegionIndex.events``.
        dwell: As for ``RegionIndex.events``.
        cushion: As for ``RegionIndex.events``.
        remain: As for ``RegionIndex.events``.
        naive_times: ``"utc"`` to take timestamps without a zone (``timestamp_ntz``) for UTC.
        columns: The names of columns, by meaning.
        partitions: How many tasks; Spark's own number of shuffle partitions by default.
        state: The folder that an earlier batch wrote as ``new_state``; ``None`` for devices not seen yet.
        new_state: A folder to write the state of all devices to, on storage that all workers see; another for each batch, so that
            a task that is run again finds what it found before.
        buckets: Devices are divided among so many files of state, by the hash of their names; the same for all batches.

    Returns:
        device, time, region, kind, latitude, longitude, inferred.

    """
    from pyspark.sql import functions as f

    device = _column(tracks, "device", columns)
    clock = _column(tracks, "time", columns)
    named = {**(columns or {}), "device": device, "time": clock}
    wanted = [device, clock] + [
        found
        for meaning in ["latitude", "longitude", "accuracy", "speed", "course"]
        if (found := _column(tracks, meaning, named, needed=False))
    ]
    asked: dict[str, Any] = {
        "rule": rule, "max_gap": max_gap, "dwell": dwell, "cushion": cushion, "remain": remain,
        "naive_times": naive_times, "columns": named,
    }  # fmt: skip
    rows = tracks.select(*wanted)
    count = partitions or int(tracks.sparkSession.conf.get("spark.sql.shuffle.partitions", "200"))
    if new_state is None and state is None:
        moved = rows.repartition(count, device).sortWithinPartitions(device, clock)

        def work(batches: _Batches) -> _Batches:
            import pyarrow

            fleet: Fleet | None = None
            for batch in batches:
                fleet = fleet or index.open().fleet(**asked)
                with _Placed():
                    yield from pyarrow.table(fleet.advance(batch, threads=1, progress=False)).to_batches()

        return moved.mapInArrow(work, _EVENTS)
    if new_state is None:
        raise ArgumentError("a batch with a state needs a new_state to go on from")
    before = None if state is None else Path(os.path.abspath(state))
    after = Path(os.path.abspath(new_state))
    if before == after:
        raise ArgumentError("new_state must be another folder than state")
    after.mkdir(parents=True, exist_ok=True)
    # A row without a device for each bucket, so that the state of devices that did nothing is handed on, too.
    bucket = f.pmod(f.xxhash64(device), f.lit(buckets)).cast("int")
    marks = tracks.sparkSession.range(buckets).select(f.col("id").cast("int").alias("_bucket"))
    moved = (
        rows.withColumn("_bucket", bucket)
        .unionByName(marks, allowMissingColumns=True)
        .repartition(min(count, buckets), "_bucket")
        .sortWithinPartitions("_bucket", device, clock)
    )

    def work_with_state(batches: _Batches) -> _Batches:
        import pyarrow
        import pyarrow.compute

        current: tuple[int, Fleet] | None = None
        for batch in batches:
            places = batch.column("_bucket").to_numpy(zero_copy_only=False)
            start = 0
            while start < len(places):
                number = int(places[start])
                end = start + int((places[start:] == number).sum())
                if current is None or current[0] != number:
                    if current is not None:
                        _write_state(after, *current)
                    current = number, index.open().fleet(**asked, state=_read_state(before, number))
                piece = batch.slice(start, end - start).drop_columns(["_bucket"])
                piece = piece.filter(pyarrow.compute.is_valid(piece.column(device)))
                with _Placed():
                    yield from pyarrow.table(current[1].advance(piece, threads=1, progress=False)).to_batches()
                start = end
        if current is not None:
            _write_state(after, *current)

    return moved.mapInArrow(work_with_state, _EVENTS)


def _read_state(folder: Path | None, number: int) -> bytes | None:
    if folder is None:
        return None
    return (folder / f"{number:05}.state").read_bytes()


def _write_state(folder: Path, number: int, fleet: Fleet) -> None:
    """Write whole or not at all: tasks may run twice, or at the same time."""
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(fleet.state())
    os.replace(temporary, folder / f"{number:05}.state")


class _Placed:
    """Adds the partition to errors."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, VicinityError):
            from pyspark import TaskContext

            context = TaskContext.get()
            place = f"partition {context.partitionId()}: " if context is not None else ""
            raise type(error)(f"{place}{error}", error.row, error.column) from None


def _column(
    frame: DataFrame,
    meaning: str,
    columns: Mapping[str, str] | None,
    *,
    option: str | None = None,
    needed: bool = True,
) -> str:
    """Find a column's name: the one that is given, or the first of the usual ones."""
    there: list[str] = list(frame.columns)
    usual = _NAMES[meaning]
    given = (columns or {}).get(option or meaning)
    if given is not None:
        if given not in there:
            raise SchemaError(f'column "{given}": there is no such column; there are: {", ".join(there)}', None, given)
        return given
    for name in usual:
        for found in there:
            if found.lower() == name:
                return found
    if needed:
        raise SchemaError(
            f'column "{usual[0]}": there is no such column; there are: {", ".join(there)}', None, usual[0]
        )
    return ""
