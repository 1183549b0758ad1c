"""Every option of the command line is an option of Python and Spark too, or stands here with what it is for.

A new option of one of these commands fails the test until it is in one of the lists.
"""

import inspect
import json
import subprocess

import pytest
from conftest import PROGRAM

from vicinity import ArgumentError, RegionIndex, spark

# What reads and writes files, and what a program in a terminal is told: arguments and results of a function are neither.
OF_FILES = {
    "strict", "skip-invalid", "id-field", "merge-ids", "latitude-field", "longitude-field", "allow-ballpark", "radius-field",
    "default-radius", "edge-tolerance", "wide-edges", "layer", "verify", "no-verify", "points", "at", "point-id-field",
    "point-layer", "format", "precision", "coordinates", "outlines", "output", "tracks", "track", "single-device", "track-layer",
    "time-field", "accuracy-field", "tracks-are-devices", "version", "help",
}  # fmt: skip
# The same by another name.
OF_TRACKS = {
    "sort": "sort",
    "device-field": "columns",
    "utc-offset": "naive_times",
    "time-unit": "time_unit",
    "not-after": "not_after",
    "jobs": "threads",
}
COMMANDS = {
    "nearest": {"count": "k", "tier": "tier", "max-distance": "max_distance", "jobs": "threads"},
    "containing": {"jobs": "threads"},
    "events": {
        "rule": "rule", "cushion": "cushion", "remain": "remain", "max-gap": "max_gap", "dwell": "dwell", "initial": "initial",
    } | OF_TRACKS,
    "plan": {"capacity": "capacity", "strategy": "strategy"} | OF_TRACKS,
    "compare": {"policies": "policies", "device": "phone", "seed": "seed", "seeds": "seeds"} | OF_TRACKS,
}  # fmt: skip
# What plan passes on as it is, by the command line's names.
PLAN_OPTIONS = {
    "reserve": 1, "spare-slot": True, "radius": 500, "turn-margin": 0.3, "followed": True, "max-speed": 30, "latency": 10,
    "overshoot": 100, "sentinel-error": 50, "min-radius": 100, "max-radius": 5000, "max-region-radius": 5000, "error-factor": 1.5,
    "acquisition": 5, "tier": "hundredMeters", "pin": ["region-1"],
}  # fmt: skip
# What only the command line has.
ALONE = {
    "nearest": {"brute-force": "for checks"},
    "containing": {"brute-force": "for checks"},
    "events": {
        "resume": "runs of hours", "restart": "runs of hours", "keep-every": "runs of hours", "skip-invalid-tracks": "bad rows of files",
        "skip-invalid-regions": "bad rows of files", "rejects": "bad rows of files", "visits": "the method stays",
        "state": "the method fleet", "in-order": "batches of files", "removed": "the method fleet", "last": "batches of files", "follow": "streams",
    },
    "plan": {"check": "for checks", "max-gap": "for checks", "map": "a page, for a browser"},
    "compare": dict.fromkeys(
        [
            "power-profile", "rules", "environment", "actions", "scenario", "with", "no-wifi", "airplane-mode", "authorization",
            "reduced-accuracy", "location-mode", "no-location-mode", "phones", "against", "require", "tune", "choose-tracks",
            "choose-regions", "within", "days", "minimum-radius", "minimum-duration",
        ],
        "a study of phones is made at the command line; Python's is of the phone as it is",
    ),
}  # fmt: skip
# What functions have beside the command line's options.
OF_FUNCTIONS = {
    "self", "points", "tracks", "track", "index", "columns", "progress", "region_numbers", "device", "options", "partitions", "state",
    "new_state", "buckets", "naive_times", "on_bad_rows",
}  # fmt: skip
# What Spark leaves to the session, sorts by itself, or has functions of columns for.
NOT_OF_SPARK = {"threads", "sort", "time_unit"}


@pytest.fixture(scope="module")
def commands():
    """Read each command's options from the program itself."""
    text = subprocess.run([PROGRAM, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    return {
        command["commandName"]: {
            name["name"]
            for argument in command["arguments"]
            for name in argument.get("names") or []
            if name["kind"] == "long"
        }
        for command in json.loads(text)["command"]["subcommands"]
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_python_has_the_options(commands, command):
    found = commands[command] - OF_FILES - set(ALONE[command])
    if command == "plan":
        found -= set(PLAN_OPTIONS)
    assert found == set(COMMANDS[command]), "options of the command line, and those that Python is known to have"
    parameters = set(inspect.signature(getattr(RegionIndex, command)).parameters)
    assert set(COMMANDS[command].values()) <= parameters
    assert parameters - OF_FUNCTIONS == set(COMMANDS[command].values()) - OF_FUNCTIONS


@pytest.mark.parametrize("command", ["nearest", "containing", "events"])
def test_spark_has_the_options(command):
    parameters = set(inspect.signature(getattr(spark, command)).parameters)
    assert parameters - OF_FUNCTIONS == set(COMMANDS[command].values()) - NOT_OF_SPARK - OF_FUNCTIONS


def test_plans_take_all_options(index, tables):
    track = tables["tracks"].slice(0, 50)
    for name, value in PLAN_OPTIONS.items():
        strategy = "constant-radius" if name == "radius" else "boundary-ahead" if name == "turn-margin" else "boundary"
        assert len(index.plan(track, sort=True, strategy=strategy, **{name.replace("-", "_"): value})) > 0, name
    with pytest.raises(ArgumentError, match="no_such"):
        index.plan(track, sort=True, no_such=1)


def test_refused_options_are_named_as_arguments(index, tables):
    track = tables["tracks"].slice(0, 50)
    for options, words in [
        ({"max_speed": -1}, "^max_speed: a number above 0 is expected, not .-1"),
        ({"capacity": 1.5}, "^capacity: a whole number from 0 to 10000"),
        ({"turn_margin": 0.3}, "^turn_margin needs strategy=boundary-ahead"),
        ({"min_radius": 500, "max_radius": 400}, "^max_radius: no less than min-radius"),
        ({"pin": ["nowhere"]}, "^pin: the identifier of a region, such as .*is expected, not .nowhere"),
        ({"pin": ["region-1"], "strategy": "visits"}, "^pin needs strategy=boundary or boundary-ahead"),
        ({"reserve": 21}, "^reserve: no more than capacity, 20 is expected"),
        ({"no_such": 1}, "^unknown option .no_such.; there are: .*acquisition, .*error_factor"),
    ]:
        with pytest.raises(ArgumentError, match=words):
            index.plan(track, sort=True, **options)
    with pytest.raises(ArgumentError, match="^k: a whole number"):
        index.nearest(tables["points"], k=-1)
    with pytest.raises(ArgumentError, match="^cushion needs rule=core-location"):
        index.events(track, sort=True, cushion=5)
