"""The command line, the C interface and Python answer alike to two hundred odd inputs: the same rows, or an error on the same row."""

import re
import subprocess
import warnings

import doors
import pytest
from conftest import PROGRAM

from vicinity import RegionIndex, VicinityError


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    path = tmp_path_factory.mktemp("doors") / "regions.csv"
    path.write_text(doors.REGIONS)
    return path


def of_program(case, regions, folder):
    """Answer by the command line: rows of CSV, or the first row that is bad."""
    path = folder / "tracks.csv"
    case.write(path)
    done = subprocess.run(
        [PROGRAM, "events", regions, "--tracks", path, *case.arguments()], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return done.stdout
    lines = [int(line) for line in re.findall(r"tracks\.csv:(\d+):", done.stderr)]
    assert done.returncode == 1, done.stderr
    assert lines, done.stderr
    return row_of_line(path, min(lines))


def row_of_line(path, line):
    """Find the row that begins in a line: a name may hold line ends."""
    import csv

    with path.open(newline="") as file:
        reader = csv.reader(file)
        start = 1
        for number, _ in enumerate(reader):
            if start == line:
                return number - 1
            start = reader.line_num + 1
    raise AssertionError(line)


def of_python(case, index):
    """Answer by Python, which asks the C interface."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return index.events(case.table(), **case.options).to_csv()
        except VicinityError as error:
            return error.row


def test_all_doors_answer_alike(regions, tmp_path):
    index = RegionIndex.from_arrow(__import__("pyarrow.csv").csv.read_csv(regions))
    refused = events = 0
    differing = []
    for case in doors.cases():
        wanted, found = of_program(case, regions, tmp_path), of_python(case, index)
        if wanted != found:
            differing.append((case.name, case.options, wanted, found))
        refused += isinstance(wanted, int)
        events += 0 if isinstance(wanted, int) else wanted.count("\n") - 1
    assert not differing, f"seed {doors.SEED}: {len(differing)} of 200 differ, such as {differing[:3]}"
    # Neither all nor none are refused.
    assert 60 < refused < 140
    assert events > 400
