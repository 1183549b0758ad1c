"""What the wheel does where there is nothing but Python: no NumPy, no pyarrow."""

import importlib.util
import sys
import time

start = time.perf_counter()
import vicinity  # noqa: E402

seconds = time.perf_counter() - start
assert importlib.util.find_spec("numpy") is None
assert importlib.util.find_spec("pyarrow") is None
index = vicinity.RegionIndex.from_arrow(
    {"id": ["home", "work"], "latitude": [48.2082, 48.1985], "longitude": [16.3738, 16.37], "radius": [100, 150]}
)
found = index.nearest([(48.2082, 16.3738), (48.2, 16.37)], k=1)
assert found.to_pydict()["region"] == ["home", "work"]
assert found.to_csv().splitlines()[1] == "1,1,home,-100.000,0.000"
tracks = {"device": ["a", "a"], "time": [0, 100], "latitude": [48.2082, 48.2082], "longitude": [16.36, 16.39]}
assert [kind for kind in index.events(tracks).to_pydict()["kind"]] == ["enter", "exit"]
study = index.compare(tracks, ["monitor-slots"], seeds=1)
assert study.files["report.html"].startswith(b"<!doctype html>") or b"<html" in study.files["report.html"][:200]
try:
    index.nearest({"latitude": [1.0, 91.0], "longitude": [0.0, 0.0]})
except vicinity.DataError as error:
    assert (error.row, error.column) == (1, "latitude"), error
else:
    sys.exit("no error for a latitude of 91")
print(f"import vicinity: {1000 * seconds:.0f} ms; nearest, events, compare and errors work without any package")
