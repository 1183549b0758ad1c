"""The same answers on Spark, for what one machine cannot hold.

    from vicinity import spark as vs
    index = vs.ship(spark, "stores.vicinity")      # once to each executor, mapped there by all its workers
    vs.nearest(points, index, k=5)                  # no shuffle
    vs.events(tracks, index)                        # shuffled by device, sorted by time
    vs.stays(tracks, index)                         # likewise: a row for each stay
    vs.stream_events(stream, index)                 # Structured Streaming; the state is in Spark's own checkpoint

Rows are those of the local run, whatever the partitioning; their order is Spark's to choose. The wheel must be installed where
the workers run. Errors of a worker name the partition, the device and time (or the id), row and column; rows are counted within
the piece that Spark handed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import numbers
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._arrow import column_names, column_options, outside
from ._errors import ArgumentError, ColumnWarning, FileError, SchemaError, VicinityError
from ._index import POINT_COLUMNS, TRACK_COLUMNS, USUAL, Fleet, RegionIndex
from ._library import path_bytes, plain_path
from ._stream import LATE_WORDS, MANIFEST, SORT_ADVICE, STATE, UNIT_ADVICE, Follower, place_of
from ._version import VERSION

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
_STAYS = (
    "device string not null, region string not null, enter timestamp, exit timestamp not null, duration double, "
    "open string not null, inferred string not null"
)
_OPTIONAL = ("accuracy", "speed", "course")
#: What columns of tracks can mean here, where no geometries are read of them.
_OF_TRACKS = tuple(meaning for meaning in TRACK_COLUMNS if meaning != "geometry")
#: Spark's types of numbers, beside decimals.
_WHOLE = ("bigint", "int", "smallint", "tinyint")
_FLOATING = ("double", "float")
#: Where a folder or file must be seen that workers open by its path.
_EVERYWHERE = "the driver and all workers"


@dataclass(frozen=True)
class ShippedIndex:
    """An index file where workers find it.

    Attributes:
        name: The file's name among those that Spark has shipped, or its path on storage that all workers see.
        is_shared: Whether it is a path.
        digest: The SHA-256 of the file's contents, which a worker holds the file to.
        verify: What workers check when they open it, as ``RegionIndex.open`` does.

    """

    name: str
    is_shared: bool
    digest: str
    verify: bool | Literal["contents"] = True

    def open(self) -> RegionIndex:
        """Open it, in a worker: once for each process, mapped, so that processes on a machine share the memory.

        Raises:
            FileError: The file is not the one that was shipped.

        """
        known = _opened.get((self.digest, self.verify))
        if known is not None:
            return known
        if self.is_shared:
            path = self.name
        else:
            from pyspark import SparkFiles

            path = SparkFiles.get(self.name)
        if _digest(path) != self.digest:
            raise FileError(f"{path} is not the file that was shipped: it has changed since; ship it again")
        return _opened.setdefault((self.digest, self.verify), RegionIndex.open(path, verify=self.verify))


#: The indexes that this process has open, by their contents and what was checked of them.
_opened: dict[tuple[str, bool | str], RegionIndex] = {}
#: The files that it has shipped, likewise.
_copies: dict[str, Path] = {}


def _digest(path: str | os.PathLike[str]) -> str:
    """Sum up a file's contents."""
    total = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror}") from error
    return total.hexdigest()


def ship(
    session: Any,
    index: RegionIndex | str | os.PathLike[str],
    *,
    shared: bool = False,
    verify: bool | Literal["contents"] = True,
) -> ShippedIndex:
    """Bring an index to all workers, as it is now: what is shipped does not change with the file.

    Args:
        session: The ``SparkSession``.
        index: An index, or the path of a ``.vicinity`` file.
        shared: Whether the path is on storage that the driver and all workers see, so that nothing needs to be shipped. The
            file must stay as it is while jobs use it.
        verify: What each worker checks when it opens the file, as ``RegionIndex.open`` does: ``"contents"`` for one from
            strangers.

    Raises:
        ArgumentError: The path is a URI, or ``shared`` is set without a path.
        FileError: The file cannot be read, or is no index.

    """
    if not isinstance(index, RegionIndex):
        path_bytes(plain_path(index, "index", _EVERYWHERE if shared else "the driver"))
        if not shared:
            _check_file(index)
    if shared:
        if isinstance(index, RegionIndex):
            raise ArgumentError("shared is for a path")
        path = os.path.abspath(index)
        _check_file(path)
        return ShippedIndex(path, True, _digest(path), verify)
    # A copy, which nobody changes before the workers have it. Spark keeps files by name: no other contents have this one.
    place = Path(tempfile.mkdtemp(prefix="vicinity-"))
    copy = place / "index"
    if isinstance(index, RegionIndex):
        index.save(copy)
    else:
        try:
            shutil.copyfile(index, copy)
        except OSError as error:
            raise FileError(f"{os.fspath(index)}: {error.strerror}") from error
    digest = _digest(copy)
    name = f"regions-{digest}.vicinity"
    known = _copies.get(digest)
    if known is not None and known.exists():
        # To Spark a file of this name is this file.
        shutil.rmtree(place)
    else:
        known = _copies[digest] = place / name
        copy.rename(known)
    session.sparkContext.addFile(str(known))
    return ShippedIndex(name, False, digest, verify)


def _check_file(path: str | os.PathLike[str]) -> None:
    """Throw unless a file looks like an index: by its head, without reading all of it."""
    try:
        RegionIndex.open(path, verify=False)
    except FileError as error:
        name, text = os.fspath(path), str(error)
        if os.path.exists(path):
            text = f"{text}; vicinity index, or RegionIndex.save, makes one of regions"
        raise FileError(text if text.startswith(name) else f"{name}: {text}") from None


def nearest(
    points: DataFrame,
    index: ShippedIndex,
    k: int | None = USUAL,
    *,
    tier: str | float = "best",
    max_distance: float | None = None,
    region_numbers: bool | Literal["unsigned"] = False,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Find the ``k`` regions nearest to each point: ``RegionIndex.nearest`` by ``mapInArrow``.

    Args:
        points: Rows of id (string or whole number), latitude, longitude (degrees); or of id and geometry (WKB).
        index: What ``ship`` gave.
        k: The most regions for each point; ``None`` for all. Not given: all with ``max_distance``, 20 without.
        tier: As for ``RegionIndex.nearest``.
        max_distance: As for ``RegionIndex.nearest``.
        region_numbers: Whether the column region is a ``bigint``, or with ``"unsigned"`` a ``decimal(20,0)``; as for
            ``RegionIndex.nearest``. Spark makes rows of such a column faster than of strings.
        columns: The names of columns, by meaning.

    Returns:
        query (as the id), rank, region, boundary_distance, centre_distance.

    """

    def ask(regions: RegionIndex, batch: Any) -> Any:
        return regions.nearest(
            batch,
            k,
            tier=tier,
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
    region_numbers: bool | Literal["unsigned"] = False,
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
    region_numbers: bool | Literal["unsigned"] = False,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Find all regions that contain each point; otherwise as ``nearest``."""

    def ask(regions: RegionIndex, batch: Any) -> Any:
        return regions.containing(batch, region_numbers=region_numbers, columns=columns, threads=1, progress=False)

    return _ask(points, index, region_numbers, columns, ask)


def _ask(
    points: DataFrame,
    index: ShippedIndex,
    region_numbers: bool | Literal["unsigned"],
    columns: Mapping[str, str] | None,
    ask: Callable[[RegionIndex, Any], Any],
) -> DataFrame:
    _check_given(points, "points", index)
    _check_meanings(columns, POINT_COLUMNS)
    name = _column(points, "point", columns, option="id")
    _tell_choices(points, columns, lambda regions, rows, **asked: regions.nearest(rows, 1, **asked))
    kind = _check_names(points, name)
    named = {**(columns or {}), "id": name}
    geometry = _column(points, "geometry", named, needed=False)
    places = {
        meaning: _column(points, meaning, named, needed=not geometry, where=", and none of geometries (WKB)")
        for meaning in ("latitude", "longitude")
    }
    places["geometry"] = geometry
    wanted = [name, *(found for found in places.values() if found)]
    if places["latitude"] and places["longitude"] and "geometry" not in named:
        _check_numbers(points, places["latitude"], places["longitude"])
        # What is wrong with the arguments is told now, and not by a worker: any regions and any point will do.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask(_any_regions(), {name: ["any"], places["latitude"]: [0.0], places["longitude"]: [0.0]})

    def work(batches: _Batches) -> _Batches:
        import pyarrow

        regions = index.open()
        for batch in batches:
            with _Placed(batch, {"id": name}):
                found = pyarrow.table(ask(regions, batch))
                if region_numbers == "unsigned":
                    # Spark has no unsigned numbers.
                    numbers = found.column("region").cast(pyarrow.decimal128(20, 0))
                    field = pyarrow.field("region", numbers.type, False)
                    found = found.set_column(found.schema.get_field_index("region"), field, numbers)
                yield from found.to_batches()

    answers = _NEIGHBORS.format(
        "decimal(20,0)" if region_numbers == "unsigned" else "bigint" if region_numbers else "string"
    )
    return points.select(*wanted).mapInArrow(work, f"query {kind} not null, {answers}")


def events(
    tracks: DataFrame,
    index: ShippedIndex,
    rule: str = "geometric",
    *,
    max_gap: float = 300,
    dwell: float | None = None,
    initial: bool = False,
    cushion: float | None = None,
    remain: float | None = None,
    not_after: object = None,
    naive_times: str | None = None,
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
    state: str | os.PathLike[str] | None = None,
    new_state: str | os.PathLike[str] | None = None,
    buckets: int | None = None,
) -> DataFrame:
    """Find every entry into and exit from regions: ``RegionIndex.events`` of rows sorted by time, device by device.

    Two places of a device at one time are an error: rows have no order on Spark that would tell which counts.

    Rows are shuffled by device and sorted by device and time, and go through batch by batch: a device may have more fixes
    than fit in memory, and small devices share a task. A device with most of the rows is one task's, as its fixes follow each
    other; more ``partitions`` keep others out of that task.

    Args:
        tracks: Rows of device, time, latitude, longitude, and perhaps accuracy, speed and course.
        index: What ``ship`` gave.
        rule: As for ``RegionIndex.events``.
        max_gap: As for ``RegionIndex.events``.
        dwell: As for ``RegionIndex.events``.
        initial: As for ``RegionIndex.events``. With a state, only devices that it does not know have a first fix.
        cushion: As for ``RegionIndex.events``.
        remain: As for ``RegionIndex.events``.
        not_after: As for ``RegionIndex.events``.
        naive_times: ``"utc"`` to take timestamps without a zone (``timestamp_ntz``) for UTC.
        columns: The names of columns, by meaning.
        partitions: How many tasks; Spark's own number of shuffle partitions by default.
        state: The folder that an earlier batch wrote as ``new_state``; ``None`` for devices not seen yet.
        new_state: A folder to write the state of all devices to: a plain path, no URI, of a file system that is mounted on the
            driver and all workers; another for each batch, so that a task that is run again finds what it found before. A
            folder that holds the state after other rows is not written to: the batch fails.
        buckets: Devices are divided among so many files of state, by the hash of their names: 64, or as many as ``state`` has. It
            may be twice or any whole number of times as many as ``state`` has; then each new file starts as a copy of an
            old one.

    Returns:
        device, time, region, kind, latitude, longitude, inferred.

    Raises:
        ArgumentError: ``buckets`` is no multiple of the number that ``state`` has, a folder is a URI, or ``new_state`` holds
            the state of another batch.
        FileError: ``state`` is no folder that a batch wrote.

    """
    from pyspark.sql import functions as f

    _check_given(tracks, "tracks", index)
    wanted, named = _fixes(tracks, columns, naive_times)
    device, clock = named["device"], named["time"]
    place = {meaning: named[meaning] for meaning in ("device", "time")}
    asked: dict[str, Any] = {
        "rule": rule, "max_gap": max_gap, "dwell": dwell, "initial": initial, "cushion": cushion, "remain": remain,
        "not_after": not_after, "naive_times": naive_times, "columns": named,
    }  # fmt: skip
    _any_regions().fleet(**asked)
    rows = tracks.select(*wanted.values())
    count = _partitions(tracks, partitions)
    folders = {
        name: Path(os.path.abspath(plain_path(folder, name, _EVERYWHERE)))
        for name, folder in (("state", state), ("new_state", new_state))
        if folder is not None
    }
    if not folders:
        moved = rows.repartition(count, device).sortWithinPartitions(device, clock)

        def work(batches: _Batches) -> _Batches:
            import pyarrow

            fleet: Fleet | None = None
            for batch in batches:
                fleet = fleet or index.open().fleet(**asked)
                with _Placed(batch, place):
                    yield from pyarrow.table(fleet.advance(batch, threads=1, progress=False)).to_batches()

        return moved.mapInArrow(work, _EVENTS)
    if "new_state" not in folders:
        raise ArgumentError("a batch with a state needs a new_state to go on from")
    before, after = folders.get("state"), folders["new_state"]
    if before == after:
        raise ArgumentError("new_state must be another folder than state")
    if buckets is not None:
        _check_buckets(buckets)
    kept = None if before is None else _Manifest.read(before)
    if before is not None and kept is None:
        raise FileError(f"{before} is not a folder that a batch wrote as new_state: it has no {_MANIFEST}")
    if kept is not None and (buckets or kept.buckets) % kept.buckets != 0:
        raise ArgumentError(
            f"the state in {before} is divided among {kept.buckets} buckets, which cannot become {buckets}: give a multiple, "
            f"such as buckets={2 * kept.buckets}, or leave it out"
        )
    divided = int(buckets or (kept.buckets if kept is not None else 64))
    # A batch that is run again is the same one; what it is of follows from the state before it, the regions and the options.
    words = json.dumps([kept and kept.batch, index.digest, divided, asked], sort_keys=True, default=str)
    manifest = _Manifest(divided, hashlib.sha256(words.encode()).hexdigest()[:32])
    if _Manifest.read(after) not in (None, manifest):
        raise ArgumentError(
            f"new_state: {after} holds the state of another batch (of another state before it, or of other regions or options); "
            "name a new folder, or remove that one"
        )
    after.mkdir(parents=True, exist_ok=True)
    manifest.write(after)
    # A row that is no fix for each bucket, so that the state of devices that did nothing is handed on, too. A name is in the
    # same bucket in every batch, whatever the column's type: by its text.
    bucket = f.pmod(f.xxhash64(f.col(device).cast("string")), f.lit(divided)).cast("int")
    marks = tracks.sparkSession.range(divided).select(
        f.col("id").cast("int").alias("_bucket"), f.lit(True).alias("_mark")
    )
    moved = (
        rows.withColumn("_bucket", bucket)
        .withColumn("_mark", f.lit(False))
        .unionByName(marks, allowMissingColumns=True)
        .repartition(min(count, divided), "_bucket")
        .sortWithinPartitions("_bucket", f.desc("_mark"), device, clock)
        # Which batch it is: the sum does not depend on the order of rows, nor on how they are divided.
        .withColumn("_hash", f.xxhash64(*wanted.values()))
    )

    def work_with_state(batches: _Batches) -> _Batches:
        import pyarrow
        import pyarrow.compute

        current: tuple[int, Fleet, _Print] | None = None
        for batch in batches:
            places = batch.column("_bucket").to_numpy(zero_copy_only=False)
            start = 0
            while start < len(places):
                number = int(places[start])
                end = start + int((places[start:] == number).sum())
                if current is None or current[0] != number:
                    if current is not None:
                        _write_state(after, *current)
                    with _Placed():
                        regions = index.open()
                    # Of two new buckets that come from one old one, each has all its devices, and goes on with its own:
                    # a hash's rest by the new number has the old rest by the old one.
                    old = number % kept.buckets if kept is not None else number
                    with _Placed(what=f"the state of bucket {old}: " if before is not None else ""):
                        current = number, regions.fleet(**asked, state=_read_state(before, old)), _Print()
                piece = batch.slice(start, end - start)
                piece = piece.filter(pyarrow.compute.invert(piece.column("_mark")))
                current[2].add(piece.column("_hash").to_numpy(zero_copy_only=False))
                piece = piece.drop_columns(["_bucket", "_mark", "_hash"])
                with _Placed(piece, place):
                    yield from pyarrow.table(current[1].advance(piece, threads=1, progress=False)).to_batches()
                start = end
        if current is not None:
            _write_state(after, *current)

    return moved.mapInArrow(work_with_state, _EVENTS)


def stays(
    tracks: DataFrame,
    index: ShippedIndex,
    rule: str = "geometric",
    *,
    max_gap: float = 300,
    cushion: float | None = None,
    remain: float | None = None,
    not_after: object = None,
    naive_times: str | None = None,
    columns: Mapping[str, str] | None = None,
    partitions: int | None = None,
) -> DataFrame:
    """Find how long devices stayed in which regions: ``RegionIndex.stays`` of rows sorted by time, device by device.

    Rows go as for ``events``, of whose arguments these are. A task keeps the events of its devices in memory, not their
    fixes. There is no state, as the local call has none: give the tracks from their first fix to their last one.

    Returns:
        device, region, enter, exit, duration, open, inferred.

    """
    _check_given(tracks, "tracks", index)
    wanted, named = _fixes(tracks, columns, naive_times)
    asked: dict[str, Any] = {
        "rule": rule, "max_gap": max_gap, "cushion": cushion, "remain": remain, "not_after": not_after,
        "naive_times": naive_times, "columns": named,
    }  # fmt: skip
    _any_regions().fleet(**asked)
    device, clock = named["device"], named["time"]
    moved = tracks.select(*wanted.values()).repartition(_partitions(tracks, partitions), device)

    def work(batches: _Batches) -> _Batches:
        import pyarrow

        first = next(batches, None)
        if first is None:
            return
        reader = pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
        with _Placed():
            yield from pyarrow.table(index.open().stays(reader, **asked, threads=1, progress=False)).to_batches()

    return moved.sortWithinPartitions(device, clock).mapInArrow(work, _STAYS)


def stream_events(
    stream: DataFrame,
    index: ShippedIndex,
    rule: str = "geometric",
    *,
    max_gap: float = 300,
    dwell: float | None = None,
    initial: bool = False,
    cushion: float | None = None,
    remain: float | None = None,
    not_after: object = None,
    naive_times: str | None = None,
    late: Literal["fail", "tell"] = "fail",
    columns: Mapping[str, str] | None = None,
    buckets: int = 16,
) -> DataFrame:
    """Find the events of a streaming table: those of ``events``, as its rows come in.

    Devices are divided among buckets, by the hash of their names. Spark's checkpoint keeps the state of each bucket, which is
    what ``Fleet.state`` gives. So a query that stops, or is killed, goes on from its checkpoint where it was.

    A batch's rows are sorted by device and time, bucket by bucket: the rows of a bucket in one batch must fit in a worker's
    memory. A fix that comes in a later batch than a later fix of its device cannot be put in order any more; it comes too late.
    It is an error, unless it and those after it show that the later fix had a wrong time, as for ``Fleet``.

    Args:
        stream: Rows as for ``events``, of a streaming ``DataFrame``.
        index: What ``ship`` gave. The regions may be others when the query is started again, as for ``RegionIndex.fleet``.
        rule: As for ``RegionIndex.events``.
        max_gap: As for ``RegionIndex.events``.
        dwell: As for ``RegionIndex.events``.
        initial: As for ``RegionIndex.events``.
        cushion: As for ``RegionIndex.events``.
        remain: As for ``RegionIndex.events``.
        not_after: As for ``RegionIndex.events``.
        naive_times: As for ``events``.
        late: What becomes of a fix that comes too late. ``"fail"``: the query fails, with the device and both times in the
            message, and the batch has no effect. ``"tell"``: the fix is left out, and is a row of the kind late, with its time
            and place, whose region is an empty string.
        columns: The names of columns, by meaning.
        buckets: How many tasks can work at a time. A state takes 8 bytes for each region and some hundred for each device,
            and Spark writes each bucket's that has rows with each batch. The number belongs to the checkpoint.

    Returns:
        device, time, region, kind, latitude, longitude, inferred; to be written with the output mode append.

    Raises:
        ArgumentError: The table is not a streaming one, or an option is out of its range. In a worker: the checkpoint was made
            with another number of buckets or other options.

    """
    import pandas
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import to_arrow_schema

    _check_given(stream, "stream", index)
    if not stream.isStreaming:
        raise ArgumentError("stream: a streaming DataFrame is expected; of another, events gives all events at once")
    if late not in ("fail", "tell"):
        raise ArgumentError(f'late: "fail" or "tell" is expected, not {late!r}')
    _check_buckets(buckets)
    wanted, named = _fixes(stream, columns, naive_times, streaming=True)
    device, clock = wanted["device"], wanted["time"]
    ruled: dict[str, Any] = {
        "rule": rule, "max_gap": max_gap, "dwell": dwell, "cushion": cushion, "remain": remain,
    }  # fmt: skip
    asked = {**ruled, "initial": initial, "not_after": not_after, "naive_times": naive_times, "columns": named}
    # What is wrong with the options is told now, and not by a worker: any regions will do.
    _any_regions().fleet(**asked)
    # pandas has no nulls in most columns, and its times have their zone's gaps: nulls go as bits, times as microseconds.
    texted = stream.select(
        f.col(device).cast("string").alias(device), *(name for name in wanted.values() if name != device)
    )
    schema = texted.schema
    types = tuple(to_arrow_schema(schema, timezone="UTC").types)
    values, nulls = [], f.lit(0)
    for i, (name, kind) in enumerate((field.name, field.dataType) for field in schema):
        is_time = kind.typeName() in ("timestamp", "timestamp_ntz")
        if name == clock:
            micros = _micros(texted, name, naive_times)
        zero = f.lit("" if name == device else 0).cast("bigint" if is_time else kind)
        values.append(f.coalesce(micros if is_time else f.col(name), zero).alias(name))
        nulls = nulls + f.when(f.col(name).isNull(), 1 << i).otherwise(0)
    bucket = f.pmod(f.xxhash64(f.col(device)), f.lit(int(buckets))).cast("int")

    # Some rows of each batch go to the bucket that knows how the checkpoint was made, too: the first of each piece that a
    # function of Python gets. (Spark's own functions do not tell a first row on a stream.)
    def first(rows: Any) -> Any:
        import pandas

        return pandas.Series(range(len(rows))) == 0

    # pandas_udf reads the kind of a function from its types.
    first.__annotations__ = {"rows": pandas.Series, "return": pandas.Series}
    both = f.when(f.pandas_udf(first, "boolean")(bucket), f.array(bucket, f.lit(MANIFEST))).otherwise(f.array(bucket))
    keyed = texted.select(both.alias("_buckets"), *values, nulls.alias("_nulls")).select(
        f.explode("_buckets").alias("_bucket"), *schema.names, "_nulls"
    )
    made = json.dumps({"buckets": int(buckets), **ruled}, default=float)
    follower = Follower(index, asked, wanted, types, _unit(clock), made, late == "tell")

    def follow(key: Any, frames: Iterator[Any], state: Any) -> Iterator[Any]:
        yield from follower.follow(key, frames, state)

    found = keyed.groupBy("_bucket").applyInPandasWithState(
        follow, _EVENTS.replace("time timestamp", "time bigint"), STATE, "append", "NoTimeout"
    )
    return found.withColumn("time", f.timestamp_micros("time"))


def join_fixes(
    events: DataFrame,
    tracks: DataFrame,
    names: Sequence[str],
    *,
    naive_times: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Put other columns of the fixes beside events: those of the device's first fix that is not before the event.

    Rows that ``events`` leaves out are no fixes here: those of a negative accuracy, and of latitude 91 with longitude 181. Nor
    are rows without a time, or without a place on Earth. What else was not asked, such as late rows of a stream, is to be left
    out before.

    An event lies between two fixes, or at one. Its time is known to the millisecond, so times of fixes are compared by the
    millisecond, rounded up. Of several fixes in that millisecond the earliest counts. Of several rows at one time, which
    have no order on Spark, the one counts whose values in ``names`` come first when sorted. An event without such a fix
    (of other tracks) has nulls. Rows are shuffled by device.

    Args:
        events: What ``events`` or ``stream_events`` gave, with the columns device and time. Of ``stays``, rename enter or exit
            to time.
        tracks: The same rows as were asked, with more columns: with a state, those of the same batch.
        names: The columns of ``tracks`` to carry along, of types that can be sorted.
        naive_times: As for ``events``.
        columns: The names of the columns of ``tracks``, by meaning, as for ``events``. Without columns of places, all rows with a
            device and time are fixes.

    Returns:
        The columns of ``events``, and ``names``.

    Raises:
        ArgumentError: No names are given, or one is also a column of the events; or the events are stays.
        SchemaError: The tracks have no such column.

    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    if isinstance(names, str) or not names:
        raise ArgumentError(f"names: a list of columns is expected, not {names!r}")
    _check_meanings(columns, _OF_TRACKS)
    names = [_named(tracks, name) for name in names]
    plain = _names_of(tracks)
    named = [plain(name) for name in names]
    for name in names:
        if named.count(plain(name)) > 1:
            raise ArgumentError(f'names: "{name}" is named twice')
        if plain(name) in map(plain, events.columns):
            raise ArgumentError(f'names: the events have a column "{name}", too; rename that of the tracks')
        kind = dict(tracks.dtypes)[name]
        if re.search(r"\b(map|variant)\b", kind):
            raise SchemaError(f'column "{name}": a type that can be sorted is expected, not {kind}', None, name)
    if events.isStreaming or tracks.isStreaming:
        raise ArgumentError("join_fixes is for tables, not for streaming DataFrames")
    device, clock = _column(tracks, "device", columns), _column(tracks, "time", columns)
    micros = _micros(tracks, clock, naive_times)
    _check_events(events)
    fixes = tracks.where(_are_fixes(tracks, device, clock, columns)).select(
        f.col(device).cast("string").alias("_device"),
        f.ceil(micros / 1000).cast("bigint").alias("_milliseconds"),
        micros.alias("_micros"),
        f.lit(None).cast(events.schema).alias("_event"),
        f.struct(*(f.col(name) for name in names)).alias("_fix"),
    )
    asked = events.select(
        f.col("device").alias("_device"),
        f.expr("unix_micros(time) div 1000").alias("_milliseconds"),
        f.lit(None).cast("bigint").alias("_micros"),
        f.struct(*(f.col(name) for name in events.columns)).alias("_event"),
        f.lit(None).cast(fixes.schema["_fix"].dataType).alias("_fix"),
    )
    # Backwards in time, so that each event comes after the fix that it gets, and the one pass keeps the last fix seen. A stay
    # may have no time of its entry: it comes behind all fixes, and gets none.
    order = Window.partitionBy("_device").orderBy(f.desc("_milliseconds"), f.desc_nulls_last("_micros"), f.desc("_fix"))
    latest = f.last("_fix", ignorenulls=True).over(order.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    latest = f.when(f.col("_milliseconds").isNotNull(), latest)
    found = fixes.unionByName(asked).withColumn("_fix", latest).where("_event is not null")
    return found.select("_event.*", *(f.col("_fix").getField(name).alias(name) for name in names))


def _check_events(events: DataFrame) -> None:
    """Throw unless a frame has devices and times as events have them."""
    plain = _names_of(events)
    kinds = {plain(name): kind for name, kind in events.dtypes}
    if plain("device") in kinds and kinds.get(plain("time")) == "timestamp":
        return
    cure = "give what vs.events gave"
    if {plain("enter"), plain("exit")} <= set(kinds):
        cure = 'of stays, name one of their times: withColumnRenamed("enter", "time"), or "exit"'
    there = ", ".join(f"{name} {kind}" for name, kind in events.dtypes)
    raise ArgumentError(f"events: columns device and time (a timestamp) are expected; there are: {there}; {cure}")


def _are_fixes(tracks: DataFrame, device: str, clock: str, columns: Mapping[str, str] | None) -> Any:
    """Tell rows that are fixes for ``events`` from those that it leaves out, or refuses: by what the row itself says."""
    from pyspark.sql import functions as f

    taken = {**(columns or {}), "device": device, "time": clock}
    known = f.col(device).isNotNull() & f.col(clock).isNotNull()
    names = _measurements(tracks, ("latitude", "longitude", "accuracy"), taken)
    if "latitude" in names:
        # AIS's 91 degrees for no position are beyond the pole.
        known &= f.coalesce(f.abs(f.col(names["latitude"])) <= 90, f.lit(False))
    if "longitude" in names:
        # To Spark NaN is more than infinity.
        known &= f.coalesce(f.abs(f.col(names["longitude"]).cast("double")) < float("inf"), f.lit(False))
    if "accuracy" in names:
        known &= f.coalesce(f.col(names["accuracy"]) >= 0, f.lit(True))
    return known


_MANIFEST = "vicinity-state.json"


@dataclass(frozen=True)
class _Manifest:
    """What a folder of state says of itself."""

    buckets: int
    batch: str

    @classmethod
    def read(cls, folder: Path) -> _Manifest | None:
        """Read it; ``None`` where a folder has none."""
        path = folder / _MANIFEST
        try:
            content = json.loads(path.read_text())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise FileError(f"{path} cannot be read: {error}") from error
        found = content if isinstance(content, dict) else {}
        buckets, batch = found.get("buckets"), found.get("batch")
        if found.get("format") != 1:
            raise FileError(f"{path}: format 1 is expected, not {found.get('format')!r}")
        if isinstance(buckets, bool) or not isinstance(buckets, int) or buckets < 1 or not isinstance(batch, str):
            raise FileError(f"{path} is damaged: buckets {buckets!r}, batch {batch!r}")
        return cls(buckets, batch)

    def write(self, folder: Path) -> None:
        content = {"format": 1, "buckets": self.buckets, "batch": self.batch, "writer": f"vicinity {VERSION}"}
        _write(folder, _MANIFEST, (json.dumps(content) + "\n").encode())


def _any_regions() -> RegionIndex:
    """Give an index to try arguments with."""
    return RegionIndex.from_arrow({"id": ["any"], "latitude": [0], "longitude": [0], "radius": [1]}, progress=False)


def _check_given(frame: object, what: str, index: object) -> None:
    """Throw unless a frame is one of Spark's, and an index has been shipped."""
    if not hasattr(frame, "isStreaming"):
        kind = f"{type(frame).__module__.split('.')[0]}.{type(frame).__name__}"
        raise ArgumentError(f"{what}: a DataFrame of Spark is expected, not {kind}; spark.createDataFrame makes one")
    if not isinstance(index, ShippedIndex):
        raise ArgumentError(
            f"index: what ship gave is expected, not {type(index).__name__}; ship(spark, index) brings it to the workers"
        )


def _check_numbers(frame: DataFrame, *names: str) -> None:
    kinds = dict(frame.dtypes)
    for name in names:
        kind = kinds[name]
        if kind not in (*_WHOLE, *_FLOATING) and not kind.startswith("decimal"):
            cure = ""
            if kind == "string":
                cure = f'; pyspark.sql.functions.col("{name}").cast("double") makes numbers of text'
            raise SchemaError(f'column "{name}": numbers are expected, not {kind}{cure}', None, name)


def _check_buckets(buckets: object) -> None:
    if isinstance(buckets, bool) or not isinstance(buckets, numbers.Integral) or buckets < 1:
        raise ArgumentError(f"buckets: a whole number of 1 or more is expected, not {buckets!r}")


def _partitions(tracks: DataFrame, count: int | None) -> int:
    if count is not None and (isinstance(count, bool) or not isinstance(count, numbers.Integral) or count < 1):
        raise ArgumentError(f"partitions: a whole number of 1 or more is expected, not {count!r}")
    return count or int(tracks.sparkSession.conf.get("spark.sql.shuffle.partitions", "200"))


def _read_state(folder: Path | None, number: int) -> bytes | None:
    if folder is None:
        return None
    path = folder / f"{number:05}.state"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(
            f"{path} is missing: the batch that was to write it did not run to its end, or has not run yet (Spark works when an "
            "action asks); run it first"
        ) from None


class _Print:
    """What tells the rows of a bucket in one batch from those in another: how many there are, and the sum of their hashes."""

    def __init__(self) -> None:
        self._count, self._sum = 0, 0

    def add(self, hashes: Any) -> None:
        self._count += len(hashes)
        self._sum = (self._sum + int(hashes.view("uint64").sum(dtype="uint64"))) % 2**64

    def __str__(self) -> str:
        return f"{self._count} rows, {self._sum:016x}"


def _write_state(folder: Path, number: int, fleet: Fleet, rows: _Print) -> None:
    """Write a bucket's state, unless the folder has the state after other rows; a batch that is run again has the same ones."""
    path = folder / f"{number:05}.batch"
    try:
        found = path.read_text().strip()
    except FileNotFoundError:
        # Before the state, so that there is none of unknown rows.
        _write(folder, path.name, f"{rows}\n".encode())
    else:
        if found != str(rows):
            raise ArgumentError(
                f"new_state: {folder} holds the state of another batch (bucket {number}: {found}, not {rows}); "
                "name a new folder, or remove that one"
            )
    _write(folder, f"{number:05}.state", fleet.state())


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write whole or not at all: tasks may run twice, or at the same time."""
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.replace(temporary, folder / name)


class _Placed:
    """Adds to errors where they are: the partition, and of what a row is, as rows are numbered in Spark's own pieces."""

    def __init__(self, rows: Any = None, names: Mapping[str, str] | None = None, *, what: str = "") -> None:
        self._rows, self._names, self._what = rows, names or {}, what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, VicinityError):
            from pyspark import TaskContext

            context = TaskContext.get()
            place = f"partition {context.partitionId()}" if context is not None else "the driver"
            if self._rows is not None:
                place += place_of(self._rows, self._names, error.row)
            # Rows are sorted here: what runs backwards has come too late.
            text = str(error).replace(SORT_ADVICE, LATE_WORDS)
            text = text.replace(UNIT_ADVICE, "")
            raise type(error)(f"{place}: {self._what}{text}", error.row, error.column) from None


def _fixes(
    tracks: DataFrame, columns: Mapping[str, str] | None, naive_times: str | None, *, streaming: bool = False
) -> tuple[dict[str, str], dict[str, str]]:
    """Find the columns of fixes by meaning, and what to tell the library of them."""
    if tracks.isStreaming and not streaming:
        raise ArgumentError("tracks: a streaming DataFrame is for stream_events; rows of a batch are expected")
    _check_meanings(columns, _OF_TRACKS)
    where = ""
    if _column(tracks, "geometry", None, needed=False):
        where = ", and geometries are not read of tracks on Spark (in Sedona ST_Y and ST_X make columns of points)"
    found = {meaning: _column(tracks, meaning, columns) for meaning in ("device", "time")}
    found |= {meaning: _column(tracks, meaning, columns, where=where) for meaning in ("latitude", "longitude")}
    _check_names(tracks, found["device"])
    _check_numbers(tracks, found["latitude"], found["longitude"])
    _tell_choices(tracks, columns, lambda regions, rows, **asked: regions.events(rows, **asked))
    _check_times(tracks, found["time"], naive_times)
    named = {**(columns or {}), "device": found["device"], "time": found["time"]}
    others = _measurements(tracks, _OPTIONAL, named)
    return {**found, **others}, {meaning: name for meaning, name in named.items() if meaning in {**found, **others}}


def _measurements(frame: DataFrame, meanings: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Find those columns of numbers that are there; one of nulls alone says no more than none."""
    kinds = dict(frame.dtypes)
    names = {meaning: _column(frame, meaning, columns, needed=False) for meaning in meanings}
    names = {meaning: name for meaning, name in names.items() if name and kinds[name] != "void"}
    _check_numbers(frame, *names.values())
    return names


def _check_meanings(columns: Mapping[str, str] | None, known: Sequence[str]) -> None:
    """Throw unless columns are named by what they can mean."""
    if "geometry" in (columns or {}) and "geometry" not in known:
        raise ArgumentError("columns: tracks on Spark have latitude and longitude; geometries are read of points")
    column_options(columns, known)


def _check_times(frame: DataFrame, clock: str, naive_times: str | None) -> None:
    """Throw unless a column has times; what makes times of others are functions of Spark's."""
    kind = dict(frame.dtypes)[clock]
    zone = f"pyspark.sql.functions.expr(\"convert_timezone('Europe/Vienna', 'UTC', `{clock}`)\") makes UTC of another zone's"
    if naive_times not in (None, "utc"):
        raise ArgumentError(f'naive_times: "utc" is expected, not {naive_times!r}; {zone}')
    if kind == "timestamp_ntz" and naive_times is None:
        what = f'its timestamps state no zone; set naive_times="utc" to take them for UTC; {zone}'
        raise SchemaError(f'column "{clock}": {what}', None, clock)
    if kind in ("timestamp", "timestamp_ntz", *_WHOLE, *_FLOATING) or kind.startswith("decimal"):
        return
    cure = ""
    if kind == "string":
        cure = "reads text as times, in the session's zone where it states none"
    if kind == "date":
        cure = "makes times of dates, midnights in the session's zone; a fix needs the time of day, too"
    if cure:
        cure = f'; pyspark.sql.functions.to_timestamp("{clock}") {cure}'
    what = f"timestamps or numbers (seconds since 1970) are expected, not {kind}{cure}"
    raise SchemaError(f'column "{clock}": {what}', None, clock)


def _tell_choices(frame: DataFrame, columns: Mapping[str, str] | None, ask: Callable[..., object]) -> None:
    """Warn of columns that could be meant where others are read, as a local call does: workers are told which to read."""
    import pyarrow

    texts = {name for name, kind in frame.dtypes if kind == "string"}
    if len(set(frame.columns)) < len(frame.columns):
        return
    rows = pyarrow.table({name: pyarrow.array([], "string" if name in texts else "float64") for name in frame.columns})
    regions = _any_regions()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        # A table that is not read is refused where its columns are checked, with their own types.
        with contextlib.suppress(VicinityError):
            ask(regions, rows, columns=columns, progress=False)
    for warning in told:
        if issubclass(warning.category, ColumnWarning):
            warnings.warn(str(warning.message), ColumnWarning, stacklevel=outside())


def _check_names(frame: DataFrame, name: str) -> str:
    """Give the type of a column of names or identifiers."""
    kind: str = dict(frame.dtypes)[name]
    if kind.split()[0] != "string" and kind not in _WHOLE and not re.fullmatch(r"decimal\(\d+,0\)", kind):
        cure = ""
        if kind in _FLOATING or kind.startswith("decimal"):
            cure = f'; pyspark.sql.functions.col("{name}").cast("bigint") makes them whole, as a fraction cannot name anything'
        raise SchemaError(f'column "{name}": strings or whole numbers are expected, not {kind}{cure}', None, name)
    return kind


def _unit(clock: str) -> int:
    """Give the microseconds in a number of a column of times, which its name says."""
    milliseconds = [name for name in column_names()["time"] if name.endswith(("_ms", "millis"))]
    return 1000 if _plain(clock) in milliseconds else 1_000_000


def _micros(frame: DataFrame, clock: str, naive_times: str | None) -> Any:
    """Give microseconds since 1970 of a column of times, as the library reads them."""
    from pyspark.sql import functions as f

    _check_times(frame, clock, naive_times)
    kind = dict(frame.dtypes)[clock]
    if kind == "timestamp":
        return f.unix_micros(f.col(clock))
    if kind == "timestamp_ntz":
        return f.timestamp_diff("MICROSECOND", f.lit("1970-01-01").cast("timestamp_ntz"), f.col(clock))
    if kind in _WHOLE:
        return f.col(clock).cast("bigint") * _unit(clock)
    return f.floor(f.col(clock).cast("double") * _unit(clock) + 0.5).cast("bigint")


def _column(
    frame: DataFrame,
    meaning: str,
    columns: Mapping[str, str] | None,
    *,
    option: str | None = None,
    needed: bool = True,
    where: str = "",
) -> str:
    """Find a column's name: the one that is given, or the first of the usual ones.

    ``where`` says, of a column that is missing, where else it was looked for.
    """
    there: list[str] = list(frame.columns)
    usual = column_names()[meaning]
    given = (columns or {}).get(option or meaning)
    if given is not None:
        return _named(frame, given)
    alike = _letters if meaning in ("accuracy", "speed", "course") else _plain
    for name in usual:
        found = [column for column in there if alike(column) == alike(name)]
        if len(found) > 1 and alike is _plain:
            raise SchemaError(
                f'column "{found[0]}": two columns have this name; columns= says which is read', None, found[0]
            )
        if found:
            return _plainly(found[0])
    if needed:
        cure = f'; another is named by columns={{"{option or meaning}": ...}}'
        raise _no_column(frame, usual[0], where, cure + _fields_of(frame, usual))
    return ""


def _named(frame: DataFrame, name: str) -> str:
    """Find the column that a caller names: whatever its case, unless the session tells cases apart."""
    there: list[str] = list(frame.columns)
    plain = _names_of(frame)
    found = [name] if name in there else [column for column in there if plain(column) == plain(str(name))]
    if not found:
        raise _no_column(frame, str(name), "", _fields_of(frame, [str(name).rpartition(".")[2]]))
    return _plainly(found[0])


def _names_of(frame: DataFrame) -> Callable[[str], str]:
    """Give the function by whose values the session compares names: most tell no cases apart."""
    tells = str(frame.sparkSession.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    return str if tells else str.lower


def _no_column(frame: DataFrame, name: str, where: str, cure: str) -> SchemaError:
    """Say that a column is missing, and which there are: all of the caller's table, before Spark leaves any out."""
    there = ", ".join(frame.columns)
    return SchemaError(f'column "{name}": there is no such column{where}; there are: {there}{cure}', None, name)


def _fields_of(frame: DataFrame, names: Sequence[str]) -> str:
    """Say how a structure's fields become columns, where one of these names is a field's."""
    wanted = {_plain(name) for name in names}
    for field in frame.schema:
        inner = getattr(field.dataType, "names", None)
        if inner and wanted & {_plain(name) for name in inner}:
            return f'; select("*", "{field.name}.*") makes columns of the fields of "{field.name}"'
    return ""


def _plainly(name: str) -> str:
    """Give a name that Spark's functions of Python take; to them a dot asks for the field of a structure."""
    if "." in name or "`" in name:
        new = re.sub("[.`]", "_", name)
        what = f"Spark reads a dot or a backtick as syntax; rename it: withColumnRenamed({name!r}, {new!r})"
        raise SchemaError(f'column "{name}": {what}', None, name)
    return name


def _plain(name: str) -> str:
    return name.strip(" \t").lower()


def _letters(name: str) -> str:
    """Leave out what separates words and units: ``Accuracy (m)`` and ``accuracy_m`` are one name."""
    return _plain(name).translate(str.maketrans("", "", " \t_-.:/()[]{}"))
