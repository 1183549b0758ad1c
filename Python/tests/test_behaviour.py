"""Errors that name row and column, progress, Ctrl-C, threads, memory, the time to import."""

import datetime
import gc
import itertools
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pyarrow as pa
import pytest
import shapely

import vicinity
from vicinity import (
    ArgumentError,
    CancelledError,
    DataError,
    FileError,
    RegionIndex,
    SchemaError,
    VicinityWarning,
)
from vicinity._arrow import column_names
from vicinity._library import ArrowArray
from vicinity.spark import ship


@pytest.mark.parametrize(
    ("change", "kind", "row", "column"),
    [
        ({"latitude": [1.0, None, 3.0]}, DataError, 1, "latitude"),
        ({"latitude": [1.0, 2.0, 90.5]}, DataError, 2, "latitude"),
        ({"longitude": np.array([0, 1, np.nan])}, DataError, 2, "longitude"),
        ({"longitude": [0.0, 1e6, 2.0]}, DataError, 1, "longitude"),
        ({"radius": [1, -1, 1]}, DataError, 1, "radius"),
        ({"id": ["a", "b", "a"]}, DataError, 2, "id"),
        ({"id": ["a", None, "c"]}, DataError, 1, "id"),
        ({"id": [1.5, 2.5, 3.5]}, SchemaError, None, "id"),
        ({"radius": ["1", "2", "3"]}, SchemaError, None, "radius"),
        ({"radius": [1.0, 2.0]}, SchemaError, None, "radius"),
        ({"latitude": np.zeros((3, 2))}, SchemaError, None, "latitude"),
        ({"latitude": np.zeros(3, dtype=complex)}, SchemaError, None, "latitude"),
    ],
)
def test_errors_name_row_and_column(change, kind, row, column):
    good = {"id": ["a", "b", "c"], "latitude": [1.0, 2.0, 3.0], "longitude": [1.0, 2.0, 3.0], "radius": [1, 2, 3]}
    assert len(RegionIndex.from_arrow(good)) == 3
    with pytest.raises(kind) as error:
        RegionIndex.from_arrow({**good, **change})
    assert (error.value.row, error.value.column) == (row, column), error.value
    assert column in str(error.value)
    copy = pickle.loads(pickle.dumps(error.value))
    assert (type(copy), copy.row, copy.column, str(copy)) == (kind, row, column, str(error.value))


def test_rows_are_counted_over_batches(index):
    batches = [pa.record_batch({"latitude": [float(i)] * 10, "longitude": [0.0] * 10}) for i in (1, 2, 95)]
    with pytest.raises(DataError, match="row 20") as error:
        index.nearest(pa.Table.from_batches(batches))
    assert error.value.row == 20


def test_times_that_cannot_be(index):
    tracks = {"device": ["a", "b", "a"], "time": [10, 5, 3], "latitude": [1.0, 1, 1], "longitude": [1.0, 1, 1]}
    with pytest.raises(DataError, match="time runs backwards") as error:
        index.events(tracks)
    assert (error.value.row, error.value.column) == (2, "time")
    assert len(index.events(tracks, sort=True)) == 0
    with pytest.raises(DataError) as error:
        index.events({**tracks, "time": np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[s]")}, naive_times="utc")
    assert error.value.row == 1
    with pytest.raises(SchemaError, match='there are: time, latitude, longitude.*columns={"device": ...}'):
        index.events({name: tracks[name] for name in ("time", "latitude", "longitude")})
    assert (
        len(index.events({name: tracks[name] for name in ("time", "latitude", "longitude")}, device="a", sort=True))
        == 0
    )


def test_milliseconds(index):
    places = {"latitude": [48.0, 48.0, 48.3], "longitude": [16.0, 16.0, 16.5]}
    for seconds in ([1_700_000_000, 1_700_000_010, 1_700_000_020], [1.7e9, 1.7e9 + 10.25, 1.7e9 + 20]):
        seconds = np.array(seconds)
        good = index.events({"device": ["a"] * 3, "time": seconds, **places})
        milliseconds = seconds * 1000
        with pytest.raises(DataError, match='too large for Unix seconds .*"time_ms"') as error:
            index.events({"device": ["a"] * 3, "time": milliseconds, **places})
        assert (error.value.row, error.value.column) == (0, "time")
        assert index.events({"device": ["a"] * 3, "time_ms": milliseconds, **places}).to_csv() == good.to_csv()


def test_names_of_columns_are_those_of_files(index):
    """One list: what the library says is what files' readers know, and each name finds its column."""
    text = (Path(__file__).parents[2] / "Sources/VicinityCrossings/Text/FieldNames.swift").read_text()
    found = re.findall(r"static let (\w+)(?:: \w+)? = \[(.*?)\]", text, re.DOTALL)
    files = {meaning: re.findall('"(.*?)"', names) for meaning, names in found}
    # What is measured may have its unit behind its name.
    for meaning, parts in re.findall(r"static let (\w+) = Quantity\(([^()]*?\])\)", text):
        lists = {
            label: re.findall('"(.*?)"', names) for label, names in re.findall(r"(\w+): \[(.*?)\]", parts, re.DOTALL)
        }
        files[meaning] = [
            name + unit for name in lists["names"] for unit in ["", *(f"_{unit}" for unit in lists["units"])]
        ]
        files[meaning] += [f"{name}_{unit}" for name in lists.get("namesWithUnit", []) for unit in lists["units"]]
        assert len(lists["names"]) + len(lists["units"]) > 5
    wanted = {**files, "id": files["identifier"], "time": files["time"] + files["timeInMilliseconds"]}
    names = column_names()
    assert len(names) == 11
    assert {meaning: wanted.get(meaning, names["geometry"]) for meaning in names} == dict(names)
    for meaning, fixed in [
        ("device", {"time": [1]}),
        ("time", {"device": ["a"]}),
        ("timeInMilliseconds", {"device": ["a"]}),
    ]:
        assert len(files[meaning]) > 5
        for name in files[meaning]:
            value = ["a"] if meaning == "device" else [1]
            assert len(index.events({name: value, **fixed, "latitude": [1.0], "longitude": [1.0]})) == 0


def test_notes_are_warnings(index):
    """What the command line notes: swapped degrees, gaps that hide visits; nothing where there is nothing to note."""
    regions = index.regions().to_pydict()
    latitude, longitude = regions["latitude"][0], regions["longitude"][0]

    def track(count, seconds, swapped=False):
        places = {"latitude": [latitude] * count, "longitude": [longitude + 0.1 * (i % 2) for i in range(count)]}
        if swapped:
            places = {"latitude": places["longitude"], "longitude": places["latitude"]}
        return {"device": ["a"] * count, "time": [1.75e9 + seconds * i for i in range(count)], **places}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert index.events(track(20, 60)).notes == []
        assert index.stays(track(20, 60)).notes == []
        # A fleet's batch without events, with one fix of each device or one long step, is nothing to speak of.
        fleet = index.fleet()
        fleet.advance({**track(3, 60), "longitude": [longitude] * 3})
        fleet.advance({**track(1, 0), "time": [1.75e9 + 5000]})
        assert fleet.advance({**track(3, 60), "device": ["b", "c", "d"]}).notes == []
    with pytest.warns(VicinityWarning, match="latitude and longitude swapped") as told:
        found = index.events(track(20, 60, swapped=True))
    assert len(found) == 0
    assert len(found.notes) == 1
    assert told[0].filename == __file__
    # Batches are alike: what holds of all their fixes is told once, and how many are repeats of each.
    fleet = index.fleet()
    with pytest.warns(VicinityWarning, match="latitude and longitude swapped"):
        assert fleet.advance(track(3, 60, swapped=True)).notes[0].startswith("no events: the fixes lie in latitude")
    late = {**track(5, 301, swapped=True), "time": [1.76e9 + 301 * i for i in range(5)]}
    with pytest.warns(VicinityWarning, match="5 of 5 steps"):
        assert len(fleet.advance(late).notes) == 1
    later = {name: [value for value in values for _ in range(2)] for name, values in late.items()}
    for day in (1, 2):
        with pytest.warns(VicinityWarning, match="5 of 10 fixes repeat the time and the place of the one before"):
            assert len(fleet.advance({**later, "time": [time + day * 86400 for time in later["time"]]}).notes) == 1
    with pytest.warns(VicinityWarning, match=r"19 of 19 steps .* longer than max_gap 300 seconds"):
        assert index.events(track(20, 301)).to_pydict()["inferred"] == [True] * len(index.events(track(20, 301)))
    with pytest.warns(VicinityWarning, match="there are no fixes"):
        index.events(pa.table(track(2, 60)).slice(0, 0))
    # Fixes that do not count are no steps and lie nowhere.
    plain = track(20, 60, swapped=True)
    noted = {name: [*values, values[-1], values[-1]] for name, values in plain.items()}
    noted["latitude"][-1] = noted["longitude"][-1] = 0.0
    noted["time"][-1] += 5000
    accuracy = [5.0] * 21 + [-1.0]
    invalid = "1 fix has a negative accuracy, which says that there is no place: left out"
    with pytest.warns(VicinityWarning):
        assert index.events({**noted, "accuracy": accuracy}).notes == [*index.events(plain).notes, invalid]
    with pytest.warns(VicinityWarning, match="there are no fixes"):
        assert len(index.stays({**track(3, 1000), "accuracy": [-1.0] * 3}).notes) == 2
    many = {"device": [f"n{i}" for i in range(1001)], "time": [0.0] * 1001, "latitude": [0.0] * 1001}
    with pytest.warns(VicinityWarning, match="fixes lie in"):
        index.events({**many, "longitude": [0.0] * 1001, "accuracy": [-1.0] * 1000 + [1.0]})


def test_notes_on_tracks(index):
    """Places at 0, 0, swapped degrees in a plan, trips taken for devices, and copies in a study."""
    regions = index.regions().to_pydict()
    latitude, longitude = regions["latitude"][0], regions["longitude"][0]

    def track(name, count, start=1.75e9):
        places = {"latitude": [latitude] * count, "longitude": [longitude + 0.001 * i for i in range(count)]}
        return {"device": [name] * count, "time": [start + 60 * i for i in range(count)], **places}

    def both(*tracks):
        return {key: [value for one in tracks for value in one[key]] for key in tracks[0]}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert index.plan(track("a", 5)).notes == []
        assert index.compare(both(track("a", 20), track("b", 21)), ["significant-change"], seeds=1).notes == []
    plain = track("a", 5)
    with pytest.warns(VicinityWarning, match="they may be swapped"):
        index.plan({**plain, "latitude": plain["longitude"], "longitude": plain["latitude"]})
    zero = both(plain, {"device": ["b"], "time": [1.75e9], "latitude": [0.0], "longitude": [0.0]})
    words = "1 fix is at latitude 0 and longitude 0, which many programs write where they have no position"
    for ask in (index.events, index.stays, index.plan):
        with pytest.warns(VicinityWarning, match=words):
            assert words in ask(zero).notes
    with pytest.warns(VicinityWarning, match="before 1980"):
        index.plan(track("a", 5, start=0.0))
    copied = both(track("a", 20), track("b", 20, start=1.76e9))
    with pytest.warns(VicinityWarning, match='"b" goes the same way as "a", place by place'):
        index.compare(copied, ["significant-change"], seeds=1)
    # Two hours and 0.01 degrees farther on, in one step.
    holed = track("a", 20)
    holed["time"] = [time + 7200 * (i > 9) for i, time in enumerate(holed["time"])]
    holed["longitude"] = [east + 0.01 * (i > 9) for i, east in enumerate(holed["longitude"])]
    with pytest.warns(
        VicinityWarning, match="1 step of 1 device takes more than 5 minutes and ends more than 100 m away"
    ):
        index.compare(holed, ["significant-change"], seeds=1)
    with pytest.warns(
        VicinityWarning, match="the profile nexus-6 lacks tiers, and another one stands for each: best for"
    ):
        study = index.compare(track("a", 20), ["significant-change"], seeds=1, phone="nexus-6")
    assert "Note that the profile nexus-6 lacks tiers" in study.files["report.html"].decode()
    trips = {"trip_id" if name == "device" else name: values for name, values in plain.items()}
    with pytest.warns(VicinityWarning, match='each trip of the column "trip_id" is taken for a device'):
        index.events(trips)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index.events(trips, columns={"device": "trip_id"})


def test_what_is_not_read(index):
    places = {"latitude": [1.0], "longitude": [1.0]}
    for threads in (2**32, 1.5, "2", -1):
        with pytest.raises(ArgumentError, match="threads"):
            index.nearest(places, threads=threads)
    with pytest.raises(ArgumentError, match="progress"):
        index.nearest(places, progress=3)
    with pytest.raises(DataError, match="row 1, .*UTF-8"):
        index.events({"device": ["a", "\ud800"], "time": [1, 2], "latitude": [1.0, 1.0], "longitude": [1.0, 1.0]})
    with pytest.warns(VicinityWarning, match="there are no fixes"):
        assert len(index.stays({"device": [], "time": [], "latitude": [], "longitude": []})) == 0


def test_arguments(index, tmp_path):
    point = (48.2, 16.4)
    for call in [
        lambda: index.nearest(point, -1),
        lambda: index.nearest(point, 1, tier=-1),
        lambda: index.nearest(point, 1, tier="finest"),
        lambda: index.nearest(point, columns={"lat": "y"}),
        lambda: index.nearest(point, threads=-3),
        lambda: index.events({"time": [1]}, rule="none"),
        lambda: index.plan({"time": [1]}, no_such_option=3),
        lambda: index.compare({"time": [1]}, policies=["none-such"]),
    ]:
        with pytest.raises((ArgumentError, SchemaError)):
            call()
    for bad in [42, "text", [1, 2, 3], np.zeros((4, 3)), {}]:
        with pytest.raises(SchemaError):
            index.nearest(bad)
    with pytest.raises(FileError, match="No such file"):
        RegionIndex.open(tmp_path / "none.vicinity")
    (tmp_path / "text").write_text("text")
    with pytest.raises(OSError, match=f"^{re.escape(str(tmp_path / 'text'))}: not a .vicinity index"):
        RegionIndex.open(tmp_path / "text")


def xxh64(data):
    """The checksum of an index file's parts (Y. Collet, xxHash fast digest algorithm)."""
    whole = (1 << 64) - 1
    p1, p2, p3, p4, p5 = (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
    )  # fmt: skip

    def turned(x, bits):
        return (x << bits | x >> (64 - bits)) & whole

    def mixed(sum_, word):
        return turned((sum_ + word * p2) & whole, 31) * p1 & whole

    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data) // 8 * 8, 8)]
    stripes = len(data) // 32 * 4
    value = p5
    if stripes:
        lanes = [(p1 + p2) & whole, p2, 0, -p1 & whole]
        for i in range(stripes):
            lanes[i & 3] = mixed(lanes[i & 3], words[i])
        value = sum(turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            value = ((value ^ mixed(0, lane)) * p1 + p4) & whole
    value = (value + len(data)) & whole
    for word in words[stripes:]:
        value = (turned(value ^ mixed(0, word), 27) * p1 + p4) & whole
    # The parts come in multiples of eight bytes.
    value = (value ^ value >> 33) * p2 & whole
    value = (value ^ value >> 29) * p3 & whole
    return value ^ value >> 32


def test_contents_that_no_checksum_finds(index, tmp_path):
    index.save(tmp_path / "good.vicinity")
    points = {"latitude": [48.2], "longitude": [16.37]}
    opened = RegionIndex.open(tmp_path / "good.vicinity", verify="contents")
    assert opened.nearest(points).to_pydict() == index.nearest(points).to_pydict()
    with pytest.raises(ArgumentError, match="yes, no or contents"):
        RegionIndex.open(tmp_path / "good.vicinity", verify="all")
    data = bytearray((tmp_path / "good.vicinity").read_bytes())
    # The half extent in z of the root's first box.
    data[1024 + 320 : 1024 + 324] = np.float32(3.4e38).tobytes()
    end = int.from_bytes(data[288:296], "little")
    data[272:280] = xxh64(data[1024:end]).to_bytes(8, "little")
    data[1016:1024] = xxh64(data[:1016]).to_bytes(8, "little")
    (tmp_path / "hostile.vicinity").write_bytes(data)
    tracks = {"device": ["a"] * 3, "time": [0, 10, 20], "latitude": [48.2, 48.201, 48.21], "longitude": [16.37] * 3}
    for verify in [False, True]:
        hostile = RegionIndex.open(tmp_path / "hostile.vicinity", verify=verify)
        with warnings.catch_warnings():
            # Its answers may be wrong, and there may be none.
            warnings.simplefilter("ignore", VicinityWarning)
            for rule in ["geometric", "core-location", "overlap"]:
                hostile.events({**tracks, "accuracy": [5.0] * 3}, rule=rule)
        hostile.nearest(points)
    with pytest.raises(OSError, match="damaged index: node 0: child 0 reaches beyond its box"):
        RegionIndex.open(tmp_path / "hostile.vicinity", verify="contents")


def test_paths_with_a_zero_byte(index, tmp_path):
    path = tmp_path / "good.vicinity"
    index.save(path)
    for wrong in [f"{path}\0", f"{path}\0.old", os.fsencode(path) + b"\0b"]:
        for call in [
            lambda wrong=wrong: RegionIndex.open(wrong),
            lambda wrong=wrong: index.save(wrong),
            lambda wrong=wrong: ship(None, wrong, shared=True),
        ]:
            with pytest.raises(ArgumentError, match="NUL"):
                call()
    assert os.listdir(tmp_path) == ["good.vicinity"]
    # An address of other storage is no folder called "s3:".
    for wrong in ["s3://bucket/a.vicinity", Path("hdfs:/a.vicinity"), b"gs://bucket/a.vicinity"]:
        for call in [
            lambda wrong=wrong: RegionIndex.open(wrong),
            lambda wrong=wrong: index.save(wrong),
            lambda wrong=wrong: index.nearest((48.0, 16.0)).to_csv(wrong),
        ]:
            with pytest.raises(ArgumentError, match="^path: .* is a URI; a plain path .* mounted on this machine"):
                call()
    with pytest.raises(ArgumentError, match=f"is a URI; write the path, '{re.escape(str(path))}'"):
        RegionIndex.open(path.as_uri())
    assert os.listdir(tmp_path) == ["good.vicinity"]
    shipped = vicinity.spark.ship(None, path, shared=True, verify="contents")
    assert shipped.verify == "contents"
    assert len(shipped.open()) == len(index)


def test_streams_that_fail(index):
    def batches():
        yield pa.record_batch({"latitude": [1.0], "longitude": [1.0]})
        raise ValueError("the disk is full")

    schema = pa.schema({"latitude": pa.float64(), "longitude": pa.float64()})
    with pytest.raises(vicinity.StreamError, match="the disk is full"):
        index.nearest(pa.RecordBatchReader.from_batches(schema, batches()))


class Stream:
    """Somebody's data that come as a stream."""

    def __init__(self, make):
        self.make = make

    def __arrow_c_stream__(self, requested_schema=None):
        return self.make().__arrow_c_stream__()


@pytest.mark.parametrize("reason", [ConnectionError, MemoryError, ValueError, RuntimeError])
def test_streams_that_cannot_be_had(index, reason):
    """What they raise is the caller's to see."""

    def fail():
        raise reason("the server went away")

    for data in (Stream(fail), {"latitude": Stream(fail), "longitude": [1.0]}):
        with pytest.raises(reason, match="the server went away") as error:
            index.nearest(data)
        assert not isinstance(error.value, vicinity.VicinityError)


def test_columns_that_are_streams(index):
    def fail():
        raise RuntimeError("the server went away")
        yield

    schema = pa.schema({"x": pa.float64()})
    column = Stream(lambda: pa.RecordBatchReader.from_batches(schema, fail()))
    with pytest.raises(
        vicinity.StreamError, match='column "latitude": its Arrow stream failed: .*the server went away'
    ) as error:
        index.nearest({"latitude": column, "longitude": [1.0]})
    assert error.value.column == "latitude"
    one = Stream(lambda: pa.chunked_array([[48.2]]))
    assert index.nearest({"latitude": one, "longitude": one}, 1).to_pydict()["query"] == [1]


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(), pa.large_string(), pa.string_view(), pa.int8(), pa.uint64(), pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.int64()), pa.decimal128(20, 0), pa.null(), pa.bool_(), pa.date32(), pa.list_(pa.int8()),
    ],
)  # fmt: skip
def test_columns_without_chunks(index, kind):
    """They are as columns of no rows are, with their type, whatever that is."""

    def told(make):
        try:
            nothing = Stream(lambda: pa.chunked_array([], pa.float64()))
            found = index.nearest({"id": make(), "latitude": nothing, "longitude": nothing}, 1)
            return pa.table(found).schema.field("query").type, len(found)
        except vicinity.VicinityError as error:
            return type(error), str(error)

    plain = pa.array([], kind)
    if pa.types.is_dictionary(kind):
        plain = pa.array([], kind.value_type)
    assert told(lambda: Stream(lambda: pa.chunked_array([], kind))) == told(lambda: plain)


def test_times_that_python_does_not_have(monkeypatch):
    """An error names the first, and the rows that were read are released."""
    index = RegionIndex.from_arrow({"id": ["a"], "latitude": [48.0], "longitude": [16.0]}, radius=100)
    # The last seconds of the year 9999, and those after it: in and out.
    tracks = {
        "device": ["a"] * 6,
        "time": pa.array([(253_402_300_800 + i) * 1_000_000 for i in range(-3, 3)], pa.timestamp("us", "UTC")),
        "latitude": [48.1, 48.0] * 3,
        "longitude": [16.0] * 6,
    }
    events = index.events(tracks)
    times = pa.table(events)["time"].cast(pa.int64()).to_pylist()
    row = next(row for row, time in enumerate(times) if time >= 253_402_300_800_000_000)
    assert row > 0
    made = []

    def make():
        made.append(ArrowArray())
        return made[-1]

    monkeypatch.setattr("vicinity._arrow.ArrowArray", make)
    words = f'row {row}, column "time": {times[row]} microseconds since 1970 are not within the years 1 to 9999'
    with pytest.raises(DataError, match=words) as error:
        events.to_pydict()
    assert (error.value.row, error.value.column) == (row, "time")
    assert len(made) == 1
    assert not made[0].release


def test_progress(index):
    many = {"latitude": np.linspace(47, 49, 400_000), "longitude": np.linspace(16, 17, 400_000)}
    seen = []
    index.nearest(many, 1, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert seen[-1] == (400_000, -1)

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as error:
        index.nearest(many, 1, progress=stop)
    assert isinstance(error.value.__context__, CancelledError)


def test_events_tell_of_progress_within_one_batch(index):
    count = 600_000
    tracks = {"time": np.arange(count), "latitude": np.full(count, 48.0), "longitude": np.full(count, 16.0)}
    seen = []
    index.events(tracks, device="a", progress=lambda done, total: seen.append((done, total)))
    rows = [done for done, total in seen if total == -1]
    assert rows == sorted(rows)
    assert rows[-1] == count
    assert len(set(rows)) >= 4, seen


def test_interrupt(index):
    """Ctrl-C stops a call in the middle."""
    many = {"latitude": np.linspace(47, 49, 3_000_000), "longitude": np.linspace(16, 17, 3_000_000)}
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            index.nearest(many, 20)
    timer.join()


def test_what_handlers_of_signals_raise(index):
    """Whatever a handler raises stops the call, and comes to the caller as it is."""
    many = {"latitude": np.linspace(47, 49, 3_000_000), "longitude": np.linspace(16, 17, 3_000_000)}

    def leave(_number, _frame):
        sys.exit("terminated")

    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.signal(number, leave)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
        try:
            timer.start()
            with pytest.raises(SystemExit, match="terminated"):
                for _ in range(1000):
                    index.nearest(many, 20, progress=False)
            assert signal.getsignal(number) is leave
        finally:
            timer.join()
            signal.signal(number, before)


@pytest.mark.parametrize("place", ["stream", "stream that goes on", "progress"])
def test_what_handlers_raise_while_the_caller_is_waited_for(index, place):
    """It is raised in the stream or the function of progress itself, which may take long, and comes to the caller as it is."""
    schema = pa.schema({"latitude": pa.float64(), "longitude": pa.float64()})
    batch = pa.record_batch({"latitude": [48.0], "longitude": [16.0]}, schema)

    def wait():
        for _ in range(200):
            time.sleep(0.05)

    def batches():
        yield batch
        if place != "progress":
            try:
                wait()
            except RuntimeError:
                if place == "stream":
                    raise
        yield batch

    def stop(_number, _frame):
        raise RuntimeError("time is over")

    def report(_done, _total):
        if place == "progress":
            wait()

    before = signal.signal(signal.SIGUSR1, stop)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        start = time.monotonic()
        with pytest.raises(RuntimeError, match="time is over"):
            index.nearest(pa.RecordBatchReader.from_batches(schema, batches()), 1, progress=report)
        assert time.monotonic() - start < 5
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)


def test_handlers_of_signals_that_raise_nothing(index):
    """They run during the call, which goes on; one that sets another handler has set it."""
    many = {"latitude": np.linspace(47, 49, 400_000), "longitude": np.linspace(16, 17, 400_000)}
    seen, during = [], []

    def note(number, _frame):
        seen.append(number)

    def replace(number, _frame):
        during.append(signal.signal(number, note))

    before = {number: signal.signal(number, replace) for number in (signal.SIGUSR1, signal.SIGUSR2)}
    try:
        signal.signal(signal.SIGUSR2, note)
        calls = []

        def report(_done, _total):
            calls.append(len(seen))
            if len(calls) == 1:
                signal.raise_signal(signal.SIGUSR1)
                signal.raise_signal(signal.SIGUSR2)

        assert len(index.nearest(many, 1, progress=report)) == 400_000
        assert seen == [signal.SIGUSR2]
        assert calls[1] == 1
        assert [signal.getsignal(number) for number in before] == [note, note]
        # What it found there goes on as the handler that it stood for.
        signal.signal(signal.SIGUSR1, during[0])
        signal.raise_signal(signal.SIGUSR1)
        assert len(during) == 2
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("question", ["from_arrow", "events", "plan"])
def test_interrupt_of_work_in_one_piece(index, question):
    """Ctrl-C stops what is not done batch by batch: an index of millions, tracks that are sorted first, plans."""
    count = 3_000_000
    dice = np.random.default_rng(3)
    regions = {
        "id": np.arange(count),
        "latitude": dice.uniform(-80, 80, count),
        "longitude": dice.uniform(-180, 180, count),
    }
    tracks = {
        "device": np.arange(count) % 40, "time": 1.6e9 + np.arange(count), "latitude": dice.uniform(47, 49, count),
        "longitude": dice.uniform(15, 17, count),
    }  # fmt: skip
    call = {
        "from_arrow": lambda progress: RegionIndex.from_arrow(regions, radius=5, progress=progress),
        "events": lambda progress: index.events(tracks, sort=True, progress=progress),
        "plan": lambda progress: index.plan(tracks, sort=True, progress=progress),
    }[question]
    seen = []

    def stop(done, total):
        # Not before the work in one piece has begun: only it knows how much there is, or all rows have been read.
        seen.append((done, total))
        if total > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(stop)
    # The first call that asks to stop is the last but one: another tells that the work has ended.
    asking = [total for _, total in seen if total > 0]
    assert 1 <= len(asking) <= 40, asking
    # By a signal, somewhere in the middle.
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            call(False)
    timer.join()


def test_interrupt_of_huge_answers():
    """Ctrl-C stops before all answers are there, where each has all regions."""
    count = 20_000
    near = {"id": np.arange(count), "latitude": np.linspace(48, 48.1, count), "longitude": np.full(count, 16.0)}
    index = RegionIndex.from_arrow(near, radius=5)
    points = {"latitude": np.full(20_000, 48.05), "longitude": np.full(20_000, 16.0)}
    seen = []

    def stop(done, total):
        seen.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.within(points, 1e6, progress=stop)
    # Rows of 64 points, and so many more that they have some million answers.
    assert seen[0] <= 200, seen


def test_interrupt_of_a_run(index):
    """Ctrl-C stops a study in the middle of its only run."""
    # A month of a fix a second, always in motion.
    seconds = np.arange(30 * 86_400)
    tracks = {
        "device": np.zeros(len(seconds), np.int64),
        "time": 1.6e9 + seconds,
        "latitude": 48 + 0.1 * np.sin(seconds / 5000),
        "longitude": 16 + 0.1 * np.cos(seconds / 5000),
    }
    seen = []

    def stop(done, total):
        seen.append((done, total))
        # Not before all rows have been read.
        if total == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.compare(tracks, ["always-best"], seeds=1, progress=stop)
    assert (1, 1) not in seen, "the run was over"


def test_other_threads_run(index):
    """No lock of the interpreter is held: a thread counts on while another asks."""
    many = {"latitude": np.linspace(47, 49, 1_000_000), "longitude": np.linspace(16, 17, 1_000_000)}
    ready, counted = threading.Event(), []

    def ask():
        index.nearest(many, 20, threads=1)
        ready.set()

    thread = threading.Thread(target=ask)
    thread.start()
    while not ready.wait(0.001):
        counted.append(time.perf_counter())
    thread.join()
    longest = max(b - a for a, b in itertools.pairwise(counted))
    assert len(counted) > 20
    assert longest < 0.5


def test_memory_is_given_back(index):
    """A hundred answers of 8 MB are not held, whether they are read or not, and by whomever."""

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    many = {"latitude": np.linspace(47, 49, 20_000), "longitude": np.linspace(16, 17, 20_000)}

    def ask():
        for i in range(100):
            found = index.nearest(many, 10)
            if i % 3 == 0:
                pa.table(found)
            elif i % 3 == 1:
                found.__arrow_c_stream__()
        gc.collect()

    # What the allocator keeps for threads grows at first, and not by so much each time: a third of the answers are 240 MB.
    growth = []
    for _ in range(4):
        start = resident()
        ask()
        growth.append(resident() - start)
    assert min(growth) < 100_000_000


def test_tables_outlive_their_index(tables):
    found = RegionIndex.from_arrow(tables["regions"]).nearest(tables["points"], 2)
    columns = found.to_arrow()
    wanted = columns.to_pydict()
    del found
    gc.collect()
    assert columns.to_pydict() == wanted


def test_import_is_light():
    """It takes neither NumPy nor pyarrow, which would be most of its time."""
    code = "import sys, vicinity; print(sorted({'numpy', 'pyarrow', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_plots(index, tables):
    matplotlib.use("Agg")
    axes = index.plot_nearest(48.2, 16.4, 5)
    assert len(axes.patches) == 5
    plans = index.plan(tables["tracks"], capacity=5)
    columns = plans.to_pydict()
    row = next(i for i, radius in enumerate(columns["vicinity_radius"]) if radius is not None)
    axes = plans.plot(row)
    assert len(axes.patches) == columns["registered"][row] + 1
    with pytest.raises(ArgumentError):
        plans.plot(10**6)
    # Of circles there is nothing to explain.
    assert axes.get_legend() is None


@pytest.mark.parametrize("longitude", [179.99, -179.99, 539.99])
def test_a_map_across_the_antimeridian(longitude):
    matplotlib.use("Agg")
    fiji = {"id": ["a", "b"], "latitude": [-17.5, -17.6], "longitude": [179.9, -179.9], "radius": [5000.0] * 2}
    axes = RegionIndex.from_arrow(fiji).plot_nearest(-17.5, longitude)
    west, east = axes.get_xlim()
    assert west < longitude < east < west + 0.5
    axes.figure.canvas.draw()
    ticks = [float(label.get_text().replace("\N{MINUS SIGN}", "-")) for label in axes.get_xticklabels()]
    assert {179.9, -179.9} <= set(ticks)
    assert all(abs(tick) > 179.5 for tick in ticks)
    assert abs(min(text.xy[0] for text in axes.texts) + 0.2 - max(text.xy[0] for text in axes.texts)) < 1e-9


@pytest.mark.parametrize("pole", [90, -90])
def test_a_map_at_a_pole(pole):
    """It ends at the pole, and a circle that contains the pole has every longitude up to it."""
    matplotlib.use("Agg")
    sign = pole / 90
    regions = {"id": ["cap", "far"], "latitude": [88 * sign, 75 * sign], "longitude": [170.0, -170.0]}
    index = RegionIndex.from_arrow({**regions, "radius": [500e3, 100e3]})
    for latitude in (76 * sign, pole):
        axes = index.plot_nearest(latitude, -179)
        assert axes.get_xlim() == (-359, 1)
        assert max(abs(limit) for limit in axes.get_ylim()) == 90
        covers = [patch.get_path() for patch in axes.patches]
        for longitude in (-350, -179, -100, -11.5, -9):
            assert any(path.contains_point((longitude, 89.9 * sign)) for path in covers)
            assert not any(path.contains_point((longitude, 70 * sign)) for path in covers)


def test_a_map_says_what_stands_for_a_polygon():
    matplotlib.use("Agg")
    shapes = [shapely.box(16.3, 48.1, 16.4, 48.3), shapely.box(16.45, 48.1, 16.5, 48.2), shapely.Point(16.42, 48.12)]
    index = RegionIndex.from_wkb(["p", "q", "c"], shapely.to_wkb(shapes).tolist(), radius=3000)
    legend = index.plot_nearest(48.2, 16.42).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["circle around a polygon"]


def test_a_wrong_time_is_the_wrong_row():
    """One time in the future is one wrong row, wherever it stands; and part of a fleet's state it mutes nobody."""
    zone = RegionIndex.from_arrow({"id": ["zone"], "latitude": [0.0], "longitude": [0.0], "radius": [1000.0]})
    start = datetime.datetime(2026, 1, 1, 11, tzinfo=datetime.timezone.utc)
    times = [start + datetime.timedelta(minutes=i) for i in range(60)]
    wrong = datetime.datetime(2036, 1, 1, 10, tzinfo=datetime.timezone.utc)
    longitudes = [(i - 30) / 1000 for i in range(60)]

    def table(times, longitudes):
        return {"device": ["d"] * len(times), "time": times, "latitude": [0.0] * len(times), "longitude": longitudes}

    expected = zone.events(table(times, longitudes)).to_csv()
    assert expected.count("\n") == 3
    for row in (0, 1, 30, 57, 59):
        with pytest.raises(DataError, match="2036-01-01") as error:
            zone.events(table([*times[:row], wrong, *times[row:]], [*longitudes[:row], -0.03, *longitudes[row:]]))
        assert (error.value.row, error.value.column) == (row, "time")
    with pytest.raises(DataError, match="later than the latest allowed") as error:
        zone.events(table([*times, wrong], [*longitudes, 0.03]), not_after="2026-12-31")
    assert error.value.row == 60
    for bad in ("soon", 5, datetime.datetime(2026, 1, 1)):
        with pytest.raises(ArgumentError, match="not_after"):
            zone.events(table(times, longitudes), not_after=bad)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fleet = zone.fleet()
        assert len(fleet.advance(table([*times[:10], wrong], [*longitudes[:10], -0.02]))) == 0
        fleet = zone.fleet(state=fleet.state())
        rest = fleet.advance(table(times[10:], longitudes[10:]))
    assert rest.to_csv() == expected
    assert any("time goes back to 2026-01-01T11:10:00.000Z" in str(warning.message) for warning in told)
