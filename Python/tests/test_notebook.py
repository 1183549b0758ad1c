"""In a real notebook: the bar of a long call, in place, and the study's page."""

import os
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

EXAMPLES = Path(__file__).resolve().parents[2] / "Examples/Notebook"

SETUP = """
import numpy as np
from vicinity import RegionIndex
dice = np.random.default_rng(1)
regions = {"id": np.arange(3000), "latitude": dice.normal(48.2, 0.1, 3000), "longitude": dice.normal(16.4, 0.1, 3000)}
index = RegionIndex.from_arrow({**regions, "radius": np.full(3000, 100.0)})
many = {"latitude": np.linspace(47, 49, 4_000_000), "longitude": np.linspace(16, 17, 4_000_000)}
"""


class ThisPython(KernelSpecManager):
    """Knows one kernel: the Python that the tests run on."""

    def get_kernel_spec(self, kernel_name):
        arguments = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=arguments, display_name=kernel_name, language="python")


def execute(notebook, folder):
    """Run a notebook's cells in a folder; what they show is in them then."""
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="this", resources={"metadata": {"path": str(folder)}}, record_timing=False
    )
    client.create_kernel_manager().kernel_spec_manager = ThisPython()
    client.execute()


def outputs_of(*cells, folder):
    """Run cells, and give what each shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    execute(notebook, folder)
    return [cell.outputs for cell in notebook.cells]


def test_bar(tmp_path):
    long = "for _ in range(3): found = index.nearest(many, 10, threads=1{})"
    _, shown, silent, short = outputs_of(
        SETUP,
        long.format(""),
        long.format(", progress=False"),
        "found = index.nearest((48.2, 16.4), 3)",
        folder=tmp_path,
    )
    # One bar a call, moved in place; a stream of numbers has no end that is known.
    assert 1 <= len(shown) <= 3, shown
    for output in shown:
        page = output.data["text/html"]
        assert page.startswith("<progress></progress> nearest: "), page
        done, rate = page.removeprefix("<progress></progress> nearest: ").removesuffix(" a second").split(", ")[0], page
        assert 0 < int(done.replace(",", "")) <= 4_000_000
        assert rate.endswith(" a second")
    assert silent == []
    assert short == []


def test_study_shows_its_page(tmp_path):
    study = """
index.compare(
    {"device": ["a"] * 3, "time": [1.75e9, 1.75e9 + 300, 1.75e9 + 600], "latitude": [48.2, 48.21, 48.2], "longitude": [16.4, 16.4, 16.4]},
    ["monitor-slots"], seeds=1, progress=False)
"""
    _, shown = outputs_of(SETUP, study, folder=tmp_path)
    assert len(shown) == 1
    page = shown[0].data["text/html"]
    assert "iframe" in page, page[:200]
    assert "monitor-slots" in page


def shown_by(notebook):
    """Give each code cell's number, and what it shows as text."""
    return [
        (cell.execution_count, [output.data["text/plain"] for output in cell.outputs])
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_example(path):
    """The notebook in Examples shows what it shows when it is run. VICINITY_WRITE_GOLDEN=1 writes that into it."""
    notebook = nbformat.read(path, as_version=4)
    stored = shown_by(notebook)
    assert len(stored) >= 4
    execute(notebook, EXAMPLES)
    if os.environ.get("VICINITY_WRITE_GOLDEN"):
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, path)
    else:
        assert shown_by(notebook) == stored


def test_there_is_an_example():
    assert [path.name for path in EXAMPLES.glob("*.ipynb")] == ["ride.ipynb"]
