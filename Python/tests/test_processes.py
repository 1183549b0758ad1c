"""Processes that are forked work or fail by a sentence, and none hangs."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import vicinity
from vicinity import RegionIndex
from vicinity._library import library

CHILDREN = 200
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")

# What every child does: calls on several threads at once, which wait for each other's locks.
CHILD = """
import os, random, sys, threading, time, warnings
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import vicinity
from vicinity import RegionIndex
warnings.simplefilter("ignore")
dice = np.random.default_rng(3)
count = 400
regions = {"id": np.arange(count), "latitude": dice.uniform(47, 49, count), "longitude": dice.uniform(15, 17, count),
           "radius": np.full(count, 500.0)}
points = {"latitude": dice.uniform(47, 49, 3000), "longitude": dice.uniform(15, 17, 3000)}
tracks = {"device": np.repeat(np.arange(20), 100), "time": np.tile(np.arange(100) * 10, 20),
          "latitude": np.tile(np.linspace(47, 49, 100), 20), "longitude": np.tile(np.linspace(15, 17, 100), 20)}
index = RegionIndex.from_arrow(regions)

def ask(_):
    return (index.nearest(points, 3).to_csv(), index.events(tracks).to_csv(), len(index.containing((48, 16))))

def child(wanted):
    with ThreadPoolExecutor(3) as pool:
        found = [ask(0), *pool.map(ask, range(3))]
    made = RegionIndex.from_arrow(regions)
    return all(item == wanted for item in found) and made.nearest(points, 3).to_csv() == wanted[0]
"""


def run(script, seconds):
    code = CHILD + FORKING + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=seconds, env={**os.environ}
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    return done.stdout.split()


FORKING = """
def forked(count, before, body):
    # How the children ended: by their word, or "hung".
    ends = {}
    for number in range(count):
        before()
        pid = os.fork()
        if pid == 0:
            try:
                code = body()
            except vicinity.ForkedError as error:
                code = 7 if "forked while another thread" in str(error) and "spawn" in str(error) else 8
            except BaseException as error:
                print(type(error).__name__, error, file=sys.stderr)
                code = 9
            os._exit(code)
        end = time.monotonic() + 60
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done or time.monotonic() > end:
                break
            time.sleep(0.002)
        if not done:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        word = {0: "worked", 7: "said", 9: "failed"}.get(os.waitstatus_to_exitcode(status), "broke") if done else "hung"
        ends[word] = ends.get(word, 0) + 1
    return ends
"""


def test_children_of_a_process_that_has_worked():
    """The parent has used all its cores, just now or some time ago; each child works, on several threads of its own."""
    words = run(
        f"""
        wanted = ask(0)
        ends = forked({CHILDREN // 2}, lambda: None, lambda: 0 if child(wanted) else 1)
        # The threads that the system keeps for more work end after some seconds; a child would start new ones.
        time.sleep(8)
        late = forked({CHILDREN // 2}, lambda: None, lambda: 0 if child(wanted) else 1)
        print(*ends.items(), *late.items())
        """,
        1800,
    )
    assert "".join(words) == 2 * f"('worked',{CHILDREN // 2})"


def test_children_of_a_process_that_is_working():
    """Another thread is within calls at the time of the fork: each child works or fails by the sentence."""
    words = run(
        f"""
        wanted = ask(0)
        over = threading.Event()
        def work():
            while not over.is_set():
                ask(0)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        ends = forked({CHILDREN}, lambda: time.sleep(random.uniform(0, 0.01)), lambda: 0 if ask(0) == wanted else 1)
        over.set()
        for thread in threads:
            thread.join()
        print(sum(ends.values()), ends.get("worked", 0) + ends.get("said", 0), ends.get("said", 0) > 0)
        """,
        900,
    )
    assert words == [str(CHILDREN), str(CHILDREN), "True"]


def test_grandchildren_and_untouched_parents():
    words = run(
        """
        # Nothing has been asked but to make the index: then the child has a child.
        def deeper():
            wanted = ask(0)
            return 0 if child(wanted) and forked(5, lambda: None, lambda: 0 if child(wanted) else 1) == {"worked": 5} else 1
        print(*forked(5, lambda: None, deeper).items())
        """,
        300,
    )
    assert "".join(words) == "('worked',5)"


def test_a_study_in_a_child():
    words = run(
        """
        def study():
            one = {name: values[:100] for name, values in tracks.items()}
            return index.compare(one, ["monitor-slots"], seeds=2).files["summary.csv"]
        wanted = study()
        print(*forked(3, lambda: None, lambda: 0 if study() == wanted else 1).items())
        """,
        300,
    )
    assert "".join(words) == "('worked',3)"


# Ends right after a call. NumPy's buffers are given back under the interpreter's lock, which a late thread does not get.
ENDING = """
import contextlib, sys, warnings
for package in ("polars", "duckdb", "geopandas", "pyarrow"):
    with contextlib.suppress(ImportError):
        __import__(package)
import numpy as np
import pandas as pd
from vicinity import RegionIndex
warnings.simplefilter("ignore")
index = RegionIndex.from_arrow({"id": ["z"], "lat": [10.0], "lon": [10.0], "radius": [500]})
frame = pd.DataFrame({"device": 1, "time": np.arange(8) * 30 + 1714550400, "latitude": [10.0] * 8,
                      "longitude": np.linspace(9.98, 10.02, 8)})
call = {"plan": lambda: index.plan(frame, threads=1),
        "events": lambda: index.events(frame, sort=True),
        "compare": lambda: index.compare(frame, ["monitor-slots"], seeds=1)}
call[sys.argv[1]]()
"""


@pytest.mark.parametrize("call", ["plan", "events", "compare"])
def test_a_process_that_ends_after_a_call(call):
    """No thread of the library's is left with a frame's memory when the interpreter ends."""
    for _ in range(4):
        done = subprocess.run(
            [sys.executable, "-c", ENDING, call], capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr[-2000:]


def _rows(index_path):
    return len(RegionIndex.open(index_path).nearest((48.2, 16.4), 3))


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_pools(index, tmp_path, method):
    """The three ways of Python to start processes."""
    path = str(tmp_path / "regions.vicinity")
    index.save(path)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(_rows, [path] * 8).get(120) == [3] * 8


def test_interrupt_in_a_child(index):
    """Ctrl-C stops a call of a forked process, too."""
    many = {"latitude": np.linspace(47, 49, 3_000_000), "longitude": np.linspace(16, 17, 3_000_000)}
    index.nearest((48, 16))
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            while True:
                index.nearest(many, 20)
        except KeyboardInterrupt:
            os._exit(0)
        except BaseException:
            os._exit(1)
    time.sleep(1)
    os.kill(pid, signal.SIGINT)
    end = time.monotonic() + 60
    while (done := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    if done[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert done[0] == pid
    assert os.waitstatus_to_exitcode(done[1]) == 0


def test_what_a_call_raises_in_a_child(index):
    """It is raised where the call was made, though another thread makes it."""
    index.nearest((48, 16))
    pid = os.fork()
    if pid == 0:
        try:
            library.vicinity_events("no address")
        except TypeError:
            os._exit(0)
        except BaseException:
            os._exit(1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_what_is_not_pickled(index):
    """Said in a sentence with the cure, also by copies."""

    for thing, words in [
        (index, r"made in memory is not pickled: save it, .*RegionIndex.open\(path\)"),
        (index.fleet(), r"Fleet is not pickled: hand on fleet.state\(\)"),
        (index.nearest((48, 16)), r"Neighbors is not pickled: hand on to_arrow\(\)"),
    ]:
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=words):
                call(thing)
    error = pickle.loads(pickle.dumps(vicinity.ForkedError("a sentence")))
    assert str(error) == "a sentence"


def test_an_opened_index_is_pickled_as_its_file(index, tmp_path, monkeypatch):
    path = tmp_path / "regions.vicinity"
    index.save(path)
    monkeypatch.chdir(tmp_path)
    opened = RegionIndex.open("regions.vicinity", verify="contents")
    monkeypatch.chdir("/")
    wanted = index.nearest((48.2, 16.4), 5).to_pydict()
    for copied in (pickle.loads(pickle.dumps(opened)), copy.copy(opened), copy.deepcopy(opened)):
        assert copied.nearest((48.2, 16.4), 5).to_pydict() == wanted
        assert copied._file[1] == "contents"
    # A few hundred bytes, whatever the index has.
    packed = pickle.dumps(opened)
    assert len(packed) < 500 < opened.nbytes
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_count, [opened] * 3) == [len(index)] * 3
    # Saved again with the same contents it is the same file; with others it is another.
    index.save(path)
    assert len(pickle.loads(packed)) == len(index)
    RegionIndex.from_arrow({"id": ["a"], "latitude": [1.0], "longitude": [2.0]}, radius=3).save(path)
    with pytest.raises(vicinity.FileError, match="is not the file that was pickled"):
        pickle.loads(packed)
    with pytest.raises(vicinity.FileError, match="is not the file that this index was opened from"):
        pickle.dumps(opened)
    path.unlink()
    with pytest.raises(vicinity.FileError, match="regions.vicinity"):
        pickle.loads(packed)
    # What is mapped is there all the same.
    assert opened.nearest((48.2, 16.4), 5).to_pydict() == wanted


def _count(index):
    return len(index)
