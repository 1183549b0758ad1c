"""In a real notebook: the bar of a long call, in place, and the study's page."""

import sys

import nbclient
import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

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


def outputs_of(*cells, folder):
    """Run cells, and give what each shows."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="this", resources={"metadata": {"path": str(folder)}}
    )
    client.create_kernel_manager().kernel_spec_manager = ThisPython()
    client.execute()
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
    {"device": ["a"] * 3, "time": [0, 600, 1200], "latitude": [48.2, 48.21, 48.2], "longitude": [16.4, 16.4, 16.4]},
    ["monitor-slots"], seeds=1, progress=False)
"""
    _, shown = outputs_of(SETUP, study, folder=tmp_path)
    assert len(shown) == 1
    page = shown[0].data["text/html"]
    assert "iframe" in page, page[:200]
    assert "monitor-slots" in page
