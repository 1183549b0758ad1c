"""Values at the ends of what a column can hold, and names that only their bytes tell apart."""

import math
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as pa
import pytest
import shapely

from vicinity import BadRowsWarning, DataError, RegionIndex

INFINITY = 2**63 - 1
MICROSECONDS = pa.timestamp("us", "UTC")


@pytest.fixture(scope="module")
def home():
    return RegionIndex.from_arrow({"id": ["home"], "latitude": [48.2], "longitude": [16.4], "radius": [100.0]})


def track(times, **columns):
    """Make a device that comes home."""
    table = {"device": ["a"] * len(times), "time": times, "latitude": [48.1] + [48.2] * (len(times) - 1)}
    return {**table, "longitude": [16.4] * len(times), **columns}


# ---- Times. ----


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (MICROSECONDS, INFINITY, "the time is infinity"),
        (MICROSECONDS, -(2**63), "the time is -infinity"),
        (pa.timestamp("ns", "UTC"), INFINITY, "the time is infinity"),
        (pa.timestamp("ns", "UTC"), -(2**63), "the time is -infinity"),
        (pa.timestamp("ms", "UTC"), INFINITY, "does not fit"),
    ],
)
def test_infinite_times_are_bad_rows(home, kind, value, words):
    second = {"ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    times = pa.array([1_700_000_000 * second, 1_700_000_060 * second, value], kind)
    for work in (home.events, home.stays, home.plan, lambda rows: home.fleet().advance(rows)):
        with pytest.raises(DataError, match=words) as error:
            work(track(times))
        assert (error.value.row, error.value.column) == (2, "time")
    with pytest.warns(BadRowsWarning, match="1 of 3 rows"):
        found = home.events(track(times), on_bad_rows="skip")
    assert found.to_pydict()["kind"] == ["enter"]
    assert found.rejects.to_pydict()["row"] == [2]


@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("value", [2**63 - 1, -(2**63)])
def test_numbers_that_stand_for_no_time_are_bad_rows(home, unit, value):
    times = pa.array([10**15, value], pa.int64())
    if (unit, value) == ("ns", 2**63 - 1):
        assert len(home.events(track(times), time_unit=unit)) == 1
        return
    with pytest.raises(DataError, match=f"the time {value} does not fit") as error:
        home.events(track(times), time_unit=unit)
    assert error.value.row == 1


def test_an_infinite_time_spoils_no_state(home):
    times = pa.array([1_700_000_000_000_000, INFINITY], MICROSECONDS)
    fleet = home.fleet(on_bad_rows="skip")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fleet.advance(track(times))
        again = home.fleet(state=fleet.state(), on_bad_rows="skip")
        entered = again.advance(track(pa.array([1_700_000_010_000_000, 1_700_000_020_000_000], MICROSECONDS)))
    assert entered.to_pydict()["kind"] == ["enter"]


# ---- Accuracies. ----


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinite_accuracies_are_bad_rows_as_at_the_command_line(home, value):
    tracks = track([1.7e9, 1.7e9 + 10, 1.7e9 + 20], accuracy=[5.0, value, float("nan")])
    for work in (home.events, home.stays, home.plan):
        with pytest.raises(DataError, match=f"accuracy {value} is not finite") as error:
            work(tracks)
        assert (error.value.row, error.value.column) == (1, "accuracy")
    with pytest.warns(BadRowsWarning, match="1 of 3 rows"):
        found = home.events(tracks, on_bad_rows="skip")
    assert found.to_pydict()["kind"] == ["enter"]
    assert found.rejects.to_pydict()["row"] == [1]


# ---- Options. ----


def test_options_are_read_byte_by_byte(home):
    """A value may end in a return or begin with an accent: neither touches what separates options."""
    tracks = track([1_700_000_000, 1_700_000_010, 1_700_000_020], latitude=[48.1, 48.2, 95.0])
    del tracks["device"]
    for name in ("bus\r", "\u0301x", "\u200dx", "=", "bus\u000b"):
        with pytest.warns(BadRowsWarning, match="1 of 3 rows"):
            found = home.events(tracks, device=name, sort=True, on_bad_rows="skip")
        assert found.to_pydict()["device"] == [name]
    renamed = {"latitude\r": [48.2], "longitude": [16.4]}
    assert len(home.nearest(renamed, 1, columns={"latitude": "latitude\r", "longitude": "longitude"})) == 1


# ---- Names that only their bytes tell apart. ----

ACCENTS = ["caf\u00e9", "cafe\u0301"]


def test_identifiers_are_told_apart_by_their_bytes():
    circles = {"id": ACCENTS, "latitude": [1.0, 2.0], "longitude": [1.0, 2.0], "radius": [1.0, 1.0]}
    squares = [shapely.box(0, 0, 1, 1).wkb, shapely.box(10, 10, 11, 11).wkb]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for index in (
            RegionIndex.from_arrow(circles),
            RegionIndex.from_arrow(circles, on_bad_rows="skip"),
            RegionIndex.from_arrow(circles, merge_ids=True),
            RegionIndex.from_wkb(ACCENTS, squares, on_bad_rows="skip"),
            RegionIndex.from_wkb(ACCENTS, squares, merge_ids=True),
        ):
            assert index.regions().to_pydict()["id"] == ACCENTS
    for text in ACCENTS:
        repeated = {**circles, "id": [text, text]}
        with pytest.warns(BadRowsWarning, match="1 of 2 rows"):
            assert len(RegionIndex.from_arrow(repeated, on_bad_rows="skip")) == 1


def test_pins_are_told_apart_by_their_bytes():
    index = RegionIndex.from_arrow(
        {"id": [*ACCENTS, "a", "b", "c"], "latitude": [1.0, 2, 3, 3, 3], "longitude": [1.0] * 5, "radius": [9.0] * 5}
    )
    tracks = {"time": [1.7e9], "latitude": [3.0], "longitude": [1.0]}
    for pins in (ACCENTS, ACCENTS[::-1], ACCENTS + ACCENTS):
        plans = index.plan(tracks, device="a", capacity=3, pin=pins).to_pydict()
        assert set(ACCENTS) <= set(plans["regions"][0])


def test_a_study_tells_devices_apart_by_their_bytes(home):
    both = {name: [*values, *values] for name, values in track([1.7e9, 1.7e9 + 600]).items()}
    both["device"] = [name for name in ACCENTS for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = home.compare(both, ["monitor-slots"], seeds=1)
    assert len(study.files["devices.csv"].splitlines()) == 3


@pytest.mark.parametrize(("value", "told"), [(2**63 - 2, 2**63 - 808), (-(2**63) + 1, -(2**63) + 808)])
def test_plans_at_the_ends_of_time(home, value, told):
    """Rounded to a millisecond, a time there is no number of microseconds: the one beside it is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plans = home.plan(track(pa.array([value], MICROSECONDS))).to_arrow()
    assert plans["time"].cast(pa.int64()).to_pylist() == [told]


# ---- Tracks that no phone lives to see. ----


@pytest.mark.parametrize(
    ("times", "row", "words"),
    [
        ([-(10**6), 2**63 - 2], 1, "for 100 years at most"),
        ([-(10**6), 4_000_000_000 * 10**6], 1, "for 100 years at most"),
        ([2**63 - 2 - 10**6, 2**63 - 2], 1, "up to 100 years from the first and the last time"),
        ([-(2**63) + 1, -(2**63) + 10**6], 0, "up to 100 years from the first and the last time"),
    ],
)
def test_a_study_refuses_tracks_of_centuries_and_at_the_ends_of_time(times, row, words):
    """In another process, which an overflow would end, and which would go on for ever."""
    code = f"""
import pyarrow as pa
from vicinity import DataError, RegionIndex

home = RegionIndex.from_arrow({{"id": ["home"], "latitude": [48.2], "longitude": [16.4], "radius": [100.0]}})
times = pa.array({times}, pa.timestamp("us", "UTC"))
tracks = {{"device": ["a", "a"], "time": times, "latitude": [48.1, 48.2], "longitude": [16.4, 16.4]}}
try:
    home.compare(tracks, ["monitor-slots"], seeds=1, progress=False)
except DataError as error:
    print(error.row, error.column, error)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{row} time ")
    assert words in done.stdout


# ---- Much in one piece. ----


def stars(count, points=60):
    """Make rings that cross themselves, so that each needs a repair."""
    dice = np.random.default_rng(1)
    turns = np.sort(dice.uniform(0, 2 * math.pi, (count, points)))
    size = dice.uniform(0.001, 0.05, (count, points))
    x = dice.uniform(-170, 170, (count, 1)) + size * np.cos(3 * turns)
    y = dice.uniform(-70, 70, (count, 1)) + size * np.sin(2 * turns)
    rings = np.stack([x, y], axis=2)
    return shapely.to_wkb(shapely.polygons(np.concatenate([rings, rings[:, :1]], axis=1))).tolist()


def test_the_repair_of_one_batch_tells_of_progress_and_can_be_stopped():
    count = 2000
    seen = []

    def stop(done, total):
        seen.append(done)
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RegionIndex.from_wkb(np.arange(count), stars(count), progress=stop)
    assert 0 < next(done for done in seen if done > 0) < count


def test_merging_tells_of_progress():
    count = 8000
    corner = np.arange(count)
    squares = [
        shapely.box(x + east, y, x + east + 0.01, y + 0.01).wkb
        for x, y in zip(corner % 300 - 150, corner // 300 * 2, strict=True)
        for east in (0, 0.01)
    ]
    seen = []
    index = RegionIndex.from_wkb(
        np.repeat(corner, 2), squares, merge_ids=True, progress=lambda done, total: seen.append((done, total))
    )
    assert len(index) == index.polygon_count == count
    assert any(0 < done < count for done, total in seen if total == count), seen


def test_many_plans_come_in_batches():
    """Columns of strings hold 2 GB in a batch, so one batch does not hold all plans."""
    index = RegionIndex.from_arrow(
        {
            "id": np.arange(8),
            "latitude": np.linspace(47, 49, 8),
            "longitude": np.full(8, 16.0),
            "radius": np.full(8, 100.0),
        }
    )
    count = 70_000
    rows = np.arange(count)
    tracks = {
        "time": 1.0e9 + 3600 * rows,
        "latitude": np.where(rows % 2, 47.1, 48.9),
        "longitude": np.full(count, 16.0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plans = index.plan(tracks, device="a", capacity=2)
    table = pa.table(plans)
    assert table.num_rows == len(plans) > 1 << 16
    assert [len(chunk) for chunk in table.column("regions").chunks] == [1 << 16, len(plans) - (1 << 16)]
    # No row is lost or doubled where batches meet, and lists are those of their rows.
    times = table.column("time").cast(pa.int64()).to_numpy()
    assert (np.diff(times) > 0).all()
    assert [len(names) for names in table.column("regions").to_pylist()] == table.column("registered").to_pylist()
