"""The pages run from top to bottom."""

import os
import re
import subprocess
from pathlib import Path

import matplotlib
import pyarrow
import pyarrow.parquet
import pytest
from conftest import PROGRAM

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "Python/README.md",
    "Python/docs/FromPython.md",
    "Python/docs/LargeTables.md",
    "Python/docs/BinaryAlone.md",
    "README.md",
    "Sources/Vicinity/Vicinity.docc/EventsOfAFleet.md",
    "Sources/VicinityFormats/VicinityFormats.docc/Formats.md",
]


@pytest.mark.parametrize("name", PAGES)
def test_page(name, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "VICINITY_PROGRAM", PROGRAM)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    assert len(blocks) >= (2 if name.startswith("Python/docs/") else 1)
    if name == "README.md":
        # What its console examples make before.
        airports = ROOT / "Data/airports/airports.csv.gz"
        options = ["--id-field", "icao", "--default-radius", "2000", "--output", "airports.vicinity"]
        subprocess.run([PROGRAM, "index", str(airports), *options], check=True)
    if name.endswith("Formats.md"):
        regions = {"id": ["a"], "latitude": [48.2], "longitude": [16.37], "radius": [100.0]}
        pyarrow.parquet.write_table(pyarrow.table(regions), "regions.parquet")
    space: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), space)
