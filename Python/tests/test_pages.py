"""The pages run from top to bottom."""

import os
import re
from pathlib import Path

import matplotlib
import pytest
from conftest import PROGRAM

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("name", ["FromPython.md", "BinaryAlone.md"])
def test_page(name, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "VICINITY_PROGRAM", PROGRAM)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)
    assert len(blocks) >= 2
    space: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), space)
