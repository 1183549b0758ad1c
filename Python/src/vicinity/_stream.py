"""What the workers of a stream do: follow the devices of a bucket from one batch of the stream to the next."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._errors import ArgumentError, DataError, VicinityError
from ._index import Fleet, RegionIndex

#: The number of the bucket that no device is in: its state says how the checkpoint was made.
MANIFEST = -1
#: What Spark keeps for each bucket. Of the bucket above there is only ``made``, of all others only the rest.
STATE = "made string, fleet binary, last binary"

#: What the library advises where time runs backwards.
SORT_ADVICE = "; the option sort puts each device's fixes in order"
#: What it says where that was in an earlier batch.
LATE_WORDS = "; an earlier batch had that later fix"
#: The same of times that count something else than seconds; an option that Spark's functions do not have.
UNIT_ADVICE = ", or the option time-unit, in Python time_unit, says what it counts"
#: The latest fix of each device: microseconds, latitude, longitude.
_Last = dict[str, tuple[int, float, float]]


def place_of(rows: Any, names: Mapping[str, str], row: int | None) -> str:
    """Say what a row is of: rows are numbered as they come or are sorted in a worker, which tells nobody which one it was."""
    if row is None or row >= len(rows):
        return ""
    words = []
    for meaning, name in names.items():
        value = rows.column(name)[row].as_py()
        words.append(f", {meaning} {json.dumps(value) if value is None or isinstance(value, str) else value}")
    return "".join(words)


@dataclass(frozen=True)
class Follower:
    """Finds the events of a bucket's devices in a batch of a stream.

    Attributes:
        index: The ``ShippedIndex``.
        asked: The options of the fleet.
        names: The columns by meaning, in the order in which they come.
        types: Their types, of Arrow.
        unit: Microseconds in a number of the column of times.
        made: The number of buckets and the options of the rule, as JSON.
        tells_late: Whether fixes that come too late are told as rows, and do not fail.

    """

    index: Any
    asked: Mapping[str, Any]
    names: Mapping[str, str]
    types: tuple[Any, ...]
    unit: int
    made: str
    tells_late: bool

    def follow(self, key: tuple[Any, ...], frames: Iterator[Any], state: Any) -> Iterator[Any]:
        """Go on from the state of a bucket, through its rows of this batch, and leave the state behind them."""
        number = int(key[0])
        if number == MANIFEST:
            # Its rows say only that there are rows.
            for _ in frames:
                pass
            if state.exists:
                self._compare(state.get[0])
            state.update((self.made, None, None))
            return
        before, last = (bytes(state.get[1]), _read_last(bytes(state.get[2]))) if state.exists else (None, {})
        table = self._table(frames)
        try:
            fleet, events, late = self._advance(self.index.open(), before, table, last)
        except VicinityError as error:
            what, names = str(error), {meaning: self.names[meaning] for meaning in ("device", "time")}
            # Rows are sorted here; what runs backwards has come with a later batch than a later fix.
            for words in (SORT_ADVICE, LATE_WORDS):
                what = what.replace(words, '; it came too late, which late="tell" tells as a row')
            what = what.replace(UNIT_ADVICE, "")
            raise type(error)(
                f"bucket {number}{place_of(table, names, error.row)}: {what}", error.row, error.column
            ) from None
        state.update((None, fleet.state(), _write_last(last)))
        for found in (events, late):
            if len(found) > 0:
                yield found

    def _compare(self, made: str) -> None:
        """Refuse to go on from a checkpoint of another query: a bucket without its state would lose events."""
        there, here = json.loads(made), json.loads(self.made)
        for name in here:
            if there.get(name) != here[name]:
                raise ArgumentError(
                    f"the checkpoint was made with {name}={there.get(name)!r}, not {here[name]!r}: go on with the old value, or "
                    "start the query with a new checkpoint"
                )

    def _table(self, frames: Iterator[Any]) -> Any:
        """Make the rows a table, sorted by device and time, with the nulls that pandas has not kept."""
        import pyarrow

        pieces = []
        for frame in frames:
            nulls = frame["_nulls"].to_numpy()
            columns = {}
            for i, (name, kind) in enumerate(zip(self.names.values(), self.types, strict=True)):
                stored = pyarrow.int64() if pyarrow.types.is_timestamp(kind) else kind
                values = pyarrow.array(frame[name].to_numpy(), stored, mask=(nulls >> i) & 1 == 1)
                columns[name] = values.cast(kind)
            pieces.append(pyarrow.table(columns))
        table = pyarrow.concat_tables(pieces)
        return table.sort_by([(self.names[meaning], "ascending") for meaning in ("device", "time")]).combine_chunks()

    def _advance(self, regions: RegionIndex, before: bytes | None, table: Any, last: _Last) -> tuple[Fleet, Any, Any]:
        """Find the events, and the fixes that come too late; bring ``last`` up to the end of this batch."""
        import numpy
        import pyarrow

        is_late: Any = numpy.zeros(len(table), dtype=bool)
        fleet = regions.fleet(**self.asked, state=before)
        try:
            events = fleet.advance(table, threads=1, progress=False)
        except DataError:
            needed = [table.column(self.names[meaning]) for meaning in ("device", "time", "latitude", "longitude")]
            if not self.tells_late or any(column.null_count for column in needed):
                raise
            is_late = self._late(regions, before, table, last)
            if not is_late.any():
                raise
            # A fleet is of no use after an error.
            fleet = regions.fleet(**self.asked, state=before)
            events = fleet.advance(table.filter(pyarrow.array(~is_late)), threads=1, progress=False)
        late = table.filter(pyarrow.array(is_late))
        self._note(table.filter(pyarrow.array(~is_late)), last)
        found = pyarrow.table(events)
        place = found.schema.get_field_index("time")
        return (
            fleet,
            found.set_column(place, "time", found.column("time").cast(pyarrow.int64())).to_pandas(),
            self._rows(late, found.column_names),
        )

    def _late(self, regions: RegionIndex, before: bytes | None, table: Any, last: _Last) -> Any:
        """Find the fixes before their device's latest one, or at its time and elsewhere, that the fleet does not take.

        It takes them where they show that the latest one's time was wrong; so each such device is tried on its own.
        """
        import numpy
        import pyarrow

        devices, times, latitudes, longitudes = self._fixes(table)
        is_early: Any = numpy.zeros(len(table), dtype=bool)
        for i, device in enumerate(devices):
            if device in last:
                then, *place = last[device]
                is_early[i] = times[i] < then or (times[i] == then and place != [latitudes[i], longitudes[i]])
        names = numpy.array(devices, dtype=object)
        for device in {devices[i] for i in numpy.flatnonzero(is_early)}:
            rows = names == device
            try:
                regions.fleet(**self.asked, state=before).advance(
                    table.filter(pyarrow.array(rows)), threads=1, progress=False
                )
            except DataError:
                continue
            is_early[rows] = False
        return is_early

    def _note(self, table: Any, last: _Last) -> None:
        """Keep each device's latest fix; one of a negative accuracy is none."""
        import pyarrow

        if "accuracy" in self.names:
            import pyarrow.compute

            table = table.filter(
                pyarrow.compute.fill_null(pyarrow.compute.greater_equal(table.column(self.names["accuracy"]), 0), True)
            )
        names = table.column(self.names["device"]).to_numpy()
        ends = [*(i for i in range(len(names) - 1) if names[i] != names[i + 1]), *range(len(names))[-1:]]
        # With a type of its own: a list of no rows has none.
        for device, *fix in zip(*self._fixes(table.take(pyarrow.array(ends, pyarrow.int64()))), strict=True):
            last[device] = (fix[0], fix[1], fix[2])

    def _fixes(self, table: Any) -> list[list[Any]]:
        """Give device, microseconds, latitude and longitude of each row."""
        import numpy
        import pyarrow

        clock = table.column(self.names["time"])
        if pyarrow.types.is_timestamp(clock.type):
            times = clock.cast(pyarrow.int64()).to_pylist()
        else:
            # Halves up, as the library rounds them.
            seconds = clock.cast(pyarrow.float64()).to_numpy()
            times = numpy.floor(seconds * self.unit + 0.5).astype("int64").tolist()
        return [
            table.column(self.names["device"]).to_pylist(),
            times,
            *(
                table.column(self.names[meaning]).cast(pyarrow.float64()).to_pylist()
                for meaning in ("latitude", "longitude")
            ),
        ]

    def _rows(self, late: Any, names: list[str]) -> Any:
        """Make rows of the kind late, which are of no region."""
        import pandas

        device, time, latitude, longitude = self._fixes(late)
        rows = {
            "device": device, "time": time, "region": "", "kind": "late", "latitude": latitude, "longitude": longitude,
            "inferred": False,
        }  # fmt: skip
        return pandas.DataFrame(rows, columns=names)


def _write_last(last: _Last) -> bytes:
    import pyarrow

    columns: Any = list(zip(*last.values(), strict=True)) if last else [(), (), ()]
    kinds = [pyarrow.int64(), pyarrow.float64(), pyarrow.float64()]
    table = pyarrow.table(
        [
            pyarrow.array(list(last), pyarrow.string()),
            *(pyarrow.array(c, k) for c, k in zip(columns, kinds, strict=True)),
        ],
        names=["device", "time", "latitude", "longitude"],
    )
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _read_last(content: bytes) -> _Last:
    import pyarrow

    table = pyarrow.ipc.open_stream(content).read_all()
    device, time, latitude, longitude = (column.to_pylist() for column in table.columns)
    return dict(zip(device, zip(time, latitude, longitude, strict=True), strict=True))
