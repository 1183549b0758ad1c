"""Two hundred odd inputs, for every way into the library: names, times, places and measurements as the field has them.

Each is a list of rows and what is asked of them. All doors answer alike: the same rows, or an error that names the same row.
"""

import csv
import datetime
import random
from dataclasses import dataclass, field

import pyarrow as pa

SEED = 47
REGIONS = "id,latitude,longitude,radius\n" + "".join(
    f"r{i},{i % 3 / 100},{i * 0.02},{300 + 50 * i}\n" for i in range(12)
)
START = datetime.datetime(2026, 1, 1, 11, tzinfo=datetime.timezone.utc)
NAMES = [
    "a", "A", " a", "a ", "007", "7", "-0", "1e3", "NaN", "nan", "null", "None", "true", 'say "x"', "a,b", "a\nb", "\u00e9",
    "e\u0301", "\U0001f697", "9223372036854775807", "9223372036854775808", "18446744073709551615", "0" * 40, "\u202eabc", "x" * 300,
]  # fmt: skip
NUMBERS = {
    "int8": [-128, 127], "uint8": [0, 255], "int16": [-32768, 32767], "uint16": [0, 65535], "int32": [-(2**31), 2**31 - 1],
    "uint32": [0, 2**32 - 1], "int64": [-(2**63), 2**63 - 1], "uint64": [2**63, 2**64 - 1],
}  # fmt: skip
WRONG_TIMES = [
    "2036-01-01T10:00:10+00:00",
    "1999-05-16T11:00:10+00:00",
    "2006-05-16T11:00:10+00:00",
    "9999-12-31T23:59:59+00:00",
]


@dataclass
class Case:
    """Rows of device, time, latitude, longitude and perhaps more, and options by their names in Python."""

    name: str
    columns: dict
    options: dict = field(default_factory=dict)

    def table(self):
        """Give the rows as an Arrow table."""
        return pa.table(self.columns)

    def write(self, path):
        """Write the rows as CSV."""
        with path.open("w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(self.columns)
            values = [
                column.to_pylist() if isinstance(column, pa.Array) else column for column in self.columns.values()
            ]
            for row in zip(*values, strict=True):
                out.writerow(["" if value is None else _text(value) for value in row])

    def arguments(self):
        """Give the options as the command line has them."""
        words = []
        for name, value in self.options.items():
            words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        return words


def _text(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="microseconds")
    return repr(value) if isinstance(value, float) else str(value)


def _walk(dice, devices, count):
    """Make fixes of devices by turns, a minute each, some hundred metres apart."""
    places = {device: [dice.uniform(-0.005, 0.025), dice.uniform(0, 0.24)] for device in devices}
    rows = []
    for i in range(count):
        for device in devices:
            place = places[device]
            place[0] += dice.gauss(0, 0.003)
            place[1] += dice.gauss(0, 0.003)
            rows.append([device, START + datetime.timedelta(minutes=i), round(place[0], 6), round(place[1], 6)])
    return rows


def _columns(rows, device_type=None, **more):
    device, time, latitude, longitude = ([row[i] for row in rows] for i in range(4))
    return {
        "device": pa.array(device, device_type or pa.string()),
        "time": pa.array(time, pa.timestamp("us", "UTC")),
        "latitude": pa.array(latitude, pa.float64()),
        "longitude": pa.array(longitude, pa.float64()),
        **more,
    }


def _options(dice):
    return dice.choice(
        [
            {}, {}, {"rule": "naive"}, {"rule": "overlap"}, {"rule": "exit-margin"}, {"dwell": 90},
            {"rule": "core-location", "cushion": 20, "remain": 30}, {"max_gap": 59}, {"sort": True}, {"initial": True},
        ]
    )  # fmt: skip


def cases():
    """Make the inputs: the same ones each time."""
    dice = random.Random(SEED)
    made = []

    def add(kind, columns, options=None):
        made.append(Case(f"{kind} {len(made)}", columns, _options(dice) if options is None else options))

    for _ in range(25):  # Names of devices.
        add("names", _columns(_walk(dice, dice.sample(NAMES, 4), 15)))
    for name, extremes in NUMBERS.items():  # Whole numbers as names, of each width and sign.
        for _ in range(3):
            add("numbers", _columns(_walk(dice, [*extremes, dice.randint(*extremes)], 15), getattr(pa, name)()))
    for i in range(60):  # Wrong times in any row, in one device of three.
        rows = _walk(dice, ["a", "b", "c"], 20)
        for _ in range(1 + i % 3):
            rows[dice.randrange(len(rows))][1] = datetime.datetime.fromisoformat(dice.choice(WRONG_TIMES))
        add("times", _columns(rows))
    for i in range(30):  # Repeats, two places at one time, one place of two names, rows that change places.
        rows = _walk(dice, ["a", "b"], 20)
        row = dice.randrange(2, len(rows) - 2)
        kind = i % 5
        if kind == 0:
            rows.insert(row, list(rows[row]))
        elif kind == 1:
            rows.insert(row, [*rows[row][:3], rows[row][3] + 0.01])
        elif kind == 2:
            rows[row:] = [[*rows[row][:3], 180.0], [*rows[row][:3], -180.0], *rows[row + 2 :]]
        elif kind == 3:
            rows[row], rows[row + 2] = rows[row + 2], rows[row]
        else:
            rows = rows[: row + 1]
        add("order", _columns(rows))
    for i in range(20):  # Times before 1980, to the microsecond, far apart, bounded.
        rows = _walk(dice, ["a", "b"], 20)
        shift = datetime.timedelta(days=[-27_000, -20_000, -10, 40_000][i % 4], microseconds=dice.randrange(10**6))
        for row in rows:
            row[1] += shift
        add("eras", _columns(rows), {"not_after": "2026-01-01"} if i % 5 == 0 else None)
    for i in range(24):  # Values that mean "not available", and places that are none.
        rows = _walk(dice, ["a", "b"], 20)
        odd = {
            "accuracy": [-1.0, 0.0, 1500.0, None, 5.0], "speed": [102.3, -1.0, None, 3.0, 0.0], "course": [360.0, 511.0, -1.0, None, 90.0],
        }  # fmt: skip
        more = {name: pa.array([dice.choice(values) for _ in rows], pa.float64()) for name, values in odd.items()}
        if i % 4 == 0:
            rows[dice.randrange(len(rows))][2 + i % 8 // 4] = dice.choice([None, 91.0, -90.5, 1e300])
        add("measurements", _columns(rows, **more))
    for i in range(17):  # Places at the edges of the map, and rows that lack something.
        rows = _walk(dice, ["a", "b"], 12)
        row = dice.randrange(len(rows))
        rows[row][2:] = dice.choice(
            [[90.0, 0.0], [-90.0, 179.9], [0.0, 540.0], [0.0, -540.0], [-0.0, -0.0], [90.0, 180.0]]
        )
        if i % 3 == 0:
            rows[dice.randrange(len(rows))][dice.randrange(4)] = None
        add("edges", _columns(rows))
    assert len(made) == 200, len(made)
    return made
