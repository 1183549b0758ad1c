"""Q12 and Q8 of Apache SpatialBench (scale factor 1 by default, VICINITY_SCALE says otherwise), from Parquet to the result.

Q12: the five buildings nearest to each pick-up. Q8: how many pick-ups are within 500 m of each building, for which the benchmark
has 0.0045 degrees. Ours are exact on the ellipsoid, those of the others in the plane of longitude and latitude.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import run

ROOT = Path(__file__).resolve().parents[2]
SCALE = os.environ.get("VICINITY_SCALE", "1")
DATA = ROOT / f".build-python/spatialbench/sf{SCALE}"
TRIP, BUILDING = DATA / "trip.parquet", DATA / "building.parquet"

Q12 = """
WITH t AS (SELECT t_tripkey, ST_GeomFromWKB(t_pickuploc) AS g FROM trip),
     b AS (SELECT b_buildingkey, ST_GeomFromWKB(b_boundary) AS g FROM building)
SELECT t.t_tripkey, b.b_buildingkey, ST_Distance(t.g, b.g) AS d FROM t JOIN b ON ST_KNN(t.g, b.g, 5, FALSE)
"""
Q8 = """
SELECT b.b_buildingkey, COUNT(*) AS n FROM trip t JOIN building b
  ON ST_DWithin(ST_GeomFromWKB(t.t_pickuploc), ST_GeomFromWKB(b.b_boundary), 0.0045)
GROUP BY b.b_buildingkey ORDER BY n DESC, b.b_buildingkey
"""


def make() -> None:
    """Generate the tables, once."""
    if not TRIP.exists():
        program = Path(sys.executable).parent / "spatialbench-cli"
        subprocess.run([program, "-s", SCALE, "-T", "trip,building", "-o", DATA], check=True)


def ours_q12() -> dict[str, Any]:
    """Find the five nearest, as an Arrow table."""
    table, _ = _nearest()
    return {"rows": table.num_rows}


def _nearest() -> tuple[Any, Any]:
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    buildings = pq.read_table(BUILDING, columns=["b_buildingkey", "b_boundary"])
    index = RegionIndex.from_arrow(buildings, columns={"id": "b_buildingkey", "geometry": "b_boundary"})
    trips = pq.read_table(TRIP, columns=["t_tripkey", "t_pickuploc"])
    found = index.nearest(trips, 5, columns={"id": "t_tripkey", "geometry": "t_pickuploc"}, progress=False)
    return found.to_arrow(), index


def ours_q8() -> dict[str, Any]:
    """Count the pick-ups within 500 m of each building."""
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    buildings = pq.read_table(BUILDING, columns=["b_buildingkey", "b_boundary"])
    index = RegionIndex.from_arrow(buildings, columns={"id": "b_buildingkey", "geometry": "b_boundary"})
    trips = pq.read_table(TRIP, columns=["t_pickuploc"])
    found = index.within(trips, 500, columns={"geometry": "t_pickuploc"}, progress=False).to_arrow()
    counts = found.group_by("region").aggregate([("query", "count")])
    return {"buildings": counts.num_rows, "pairs": found.num_rows}


def _sedona() -> Any:
    import sedonadb

    session = sedonadb.connect()
    session.read_parquet(str(TRIP)).to_view("trip")
    session.read_parquet(str(BUILDING)).to_view("building")
    return session


def _table(frame: Any) -> Any:
    import pyarrow as pa

    return pa.table(frame)


def sedona_q12() -> dict[str, Any]:
    """Find the five nearest in the plane, as an Arrow table."""
    return {"rows": _table(_sedona().sql(Q12)).num_rows}


def sedona_q8() -> dict[str, Any]:
    """Count the pick-ups within 0.0045 degrees of each building."""
    table = _table(_sedona().sql(Q8))
    return {"buildings": table.num_rows, "pairs": sum(table["n"].to_pylist())}


def geopandas_q12() -> dict[str, Any]:
    """Try GeoPandas, which knows the one nearest only: of 100,000 pick-ups."""
    import geopandas
    import pyarrow.parquet as pq
    import shapely

    buildings = pq.read_table(BUILDING, columns=["b_boundary"]).to_pandas()
    trips = pq.read_table(TRIP, columns=["t_pickuploc"]).slice(0, 100_000).to_pandas()
    left = geopandas.GeoDataFrame(geometry=shapely.from_wkb(trips["t_pickuploc"]))
    right = geopandas.GeoDataFrame(geometry=shapely.from_wkb(buildings["b_boundary"]))
    return {"rows": len(geopandas.sjoin_nearest(left, right))}


def agreement() -> dict[str, Any]:
    """Count pick-ups whose five nearest are the same set in the plane of degrees as on the ellipsoid, of the first 200,000."""
    import numpy as np
    import pyarrow as pa

    ours, _ = _nearest()
    query = ours["query"].to_numpy()
    region = ours["region"].cast(pa.int64()).to_numpy()
    table = _table(_sedona().sql(Q12.replace("FROM trip", "FROM trip WHERE t_tripkey <= 200000")))
    theirs: dict[int, set[int]] = {}
    for trip, building in zip(table["t_tripkey"].to_pylist(), table["b_buildingkey"].to_pylist(), strict=True):
        theirs.setdefault(trip, set()).add(building)
    here = np.nonzero(query <= 200_000)[0]
    mine: dict[int, set[int]] = {}
    for i in here:
        mine.setdefault(int(query[i]), set()).add(int(region[i]))
    same = sum(mine[trip] == found for trip, found in theirs.items())
    return {"pick-ups": len(theirs), "same five": same, "other five": len(theirs) - same}


if __name__ == "__main__":
    make()
    run(
        {
            "Q12 vicinity": ours_q12,
            "Q12 sedonadb": sedona_q12,
            "Q12 geopandas (nearest one, of 100,000)": geopandas_q12,
            "Q12 agreement": agreement,
            "Q8 vicinity": ours_q8,
            "Q8 sedonadb": sedona_q8,
        },
        ["vicinity", "sedonadb", "geopandas", "pyarrow"],
    )
