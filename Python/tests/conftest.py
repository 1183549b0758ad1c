"""What the tests share: made-up regions, points and tracks, and the command line to compare with."""

import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("VICINITY_PROGRAM", str(ROOT / ".build/release/vicinity"))


@pytest.fixture(scope="session")
def program():
    """Run the command line; gives what it wrote."""
    assert Path(PROGRAM).exists(), f"no program at {PROGRAM}: swift build -c release --product vicinity"

    def run(*arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def files(tmp_path_factory, program):
    """Make regions, points and tracks, and give the folder."""
    folder = tmp_path_factory.mktemp("files")
    dice = random.Random(7)
    program(
        "generate", "regions", "--count", "3000", "--around", "48.2,16.4", "--spread", "15", "--seed", "1",
        "--output", folder / "regions.csv",
    )  # fmt: skip
    program(
        "generate", "tracks", "--devices", "7", "--days", "1", "--around", "48.2,16.4", "--seed", "2", "--interval", "10",
        "--output", folder / "tracks.csv",
    )  # fmt: skip
    with (folder / "points.csv").open("w") as out:
        out.write("id,latitude,longitude\n")
        for i in range(5000):
            latitude = (
                90 if i % 97 == 0 else -90 if i % 89 == 0 else dice.uniform(-90, 90) if i % 3 else dice.gauss(48.2, 0.1)
            )
            longitude = 180 if i % 83 == 0 else dice.uniform(-180, 180) if i % 3 else dice.gauss(16.4, 0.1)
            out.write(f'"p, {i}",{latitude!r},{longitude!r}\n')
    return folder


@pytest.fixture(scope="session")
def tables(files):
    """Read them by pyarrow."""
    import pyarrow as pa
    import pyarrow.csv as csv

    text = csv.ConvertOptions(column_types={"id": pa.string(), "device": pa.string()})
    result = {
        name: csv.read_csv(files / f"{name}.csv", convert_options=text) for name in ("regions", "points", "tracks")
    }
    tracks = result["tracks"]
    if not pa.types.is_timestamp(tracks["time"].type):
        return result
    if tracks["time"].type.tz is None:
        tracks = tracks.set_column(1, "time", tracks["time"].cast(pa.timestamp("ms")).cast(pa.timestamp("ms", "UTC")))
    return {**result, "tracks": tracks}


@pytest.fixture(scope="session")
def index(tables):
    """Give the index of the made-up regions."""
    from vicinity import RegionIndex

    return RegionIndex.from_arrow(tables["regions"])
