"""Q8, Q10, Q11 and Q12 of Apache SpatialBench (scale factor 1 by default, VICINITY_SCALE says otherwise), from Parquet to the result.

Q12: the five buildings nearest to each pick-up. Q8: how many pick-ups are within 500 m of each building, for which the benchmark
has 0.0045 degrees. Q10: trips, and their mean duration and distance, that start in each zone. Q11: how many trips end in another zone
than they start in. Ours are exact on the ellipsoid, those of the others in the plane of longitude and latitude.

The benchmark's zones are fetched from the network. In their place are 4,556 states and provinces of Natural Earth, in the layer
states_provinces of a GeoPackage that QGIS ships as resources/data/world_map.gpkg; VICINITY_STATES says where it is.
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
ZONE = ROOT / ".build-python/spatialbench/zone.parquet"
STATES = os.environ.get("VICINITY_STATES", str(ROOT.parent / "shared/data/regions/qgis_world_map/world_map.gpkg"))

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

Q12_DUCKDB = """
SELECT t.t_tripkey, n.b_buildingkey, n.d FROM (SELECT * FROM trip LIMIT 2000) t CROSS JOIN LATERAL (
  SELECT b.b_buildingkey, ST_Distance(ST_GeomFromWKB(t.t_pickuploc), ST_GeomFromWKB(b.b_boundary)) AS d FROM building b
  ORDER BY d LIMIT 5) n
"""
Q10 = """
SELECT z.z_zonekey, z.z_name, AVG(t.t_dropofftime - t.t_pickuptime) AS avg_duration, AVG(t.t_distance) AS avg_distance,
  COUNT(t.t_tripkey) AS num_trips
FROM zone z LEFT JOIN trip t ON ST_Within(ST_GeomFromWKB(t.t_pickuploc), ST_GeomFromWKB(z.z_boundary))
GROUP BY z.z_zonekey, z.z_name ORDER BY avg_duration DESC NULLS LAST, z.z_zonekey
"""
Q11 = """
SELECT COUNT(*) AS n FROM trip t
  JOIN zone a ON ST_Within(ST_GeomFromWKB(t.t_pickuploc), ST_GeomFromWKB(a.z_boundary))
  JOIN zone b ON ST_Within(ST_GeomFromWKB(t.t_dropoffloc), ST_GeomFromWKB(b.z_boundary))
WHERE a.z_zonekey != b.z_zonekey
"""


def make() -> None:
    """Generate the tables, once."""
    if not ZONE.exists() and Path(STATES).exists():
        import geopandas
        import pyarrow as pa
        import pyarrow.parquet as pq

        states = geopandas.read_file(STATES, layer="states_provinces")
        ZONE.parent.mkdir(parents=True, exist_ok=True)
        columns = {
            "z_zonekey": range(1, len(states) + 1),
            "z_name": states["name"],
            "z_boundary": states.geometry.to_wkb(),
        }
        pq.write_table(pa.table({name: pa.array(list(column)) for name, column in columns.items()}), ZONE)
    if not TRIP.exists():
        program = Path(sys.executable).parent / "spatialbench-cli"
        subprocess.run([program, "-s", SCALE, "-T", "trip,building", "-o", DATA], check=True)


def _trips(*columns: str) -> Any:
    """Give trips in batches from the mapped file, so that their memory is used again and no part of the file is copied."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(TRIP, memory_map=True, pre_buffer=False)
    return file.iter_batches(1 << 17, columns=list(columns))


def _stream(*columns: str) -> Any:
    """Give the same as one stream."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_schema(TRIP)
    return pa.RecordBatchReader.from_batches(pa.schema([schema.field(name) for name in columns]), _trips(*columns))


def ours_q12() -> dict[str, Any]:
    """Find the five nearest, as an Arrow table."""
    table, _ = _nearest()
    return {"rows": table.num_rows}


def _nearest() -> tuple[Any, Any]:
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    buildings = pq.read_table(BUILDING, columns=["b_buildingkey", "b_boundary"])
    index = RegionIndex.from_arrow(buildings, columns={"id": "b_buildingkey", "geometry": "b_boundary"})
    trips = _stream("t_tripkey", "t_pickuploc")
    found = index.nearest(trips, 5, columns={"id": "t_tripkey", "geometry": "t_pickuploc"}, progress=False)
    return found.to_arrow(), index


def ours_q8() -> dict[str, Any]:
    """Count the pick-ups within 500 m of each building."""
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    buildings = pq.read_table(BUILDING, columns=["b_buildingkey", "b_boundary"])
    index = RegionIndex.from_arrow(buildings, columns={"id": "b_buildingkey", "geometry": "b_boundary"})
    found = index.within(_stream("t_pickuploc"), 500, columns={"geometry": "t_pickuploc"}, progress=False).to_arrow()
    counts = found.group_by("region").aggregate([("query", "count")])
    return {"buildings": counts.num_rows, "pairs": found.num_rows}


def _zones() -> Any:
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    zones = pq.read_table(ZONE)
    return RegionIndex.from_arrow(zones, columns={"id": "z_zonekey", "geometry": "z_boundary"}), zones


def ours_q10() -> dict[str, Any]:
    """Count trips that start in each zone, and average how long they take and how far they go."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    index, zones = _zones()
    count = zones.num_rows + 1
    trips, seconds, distance = np.zeros(count, np.int64), np.zeros(count), np.zeros(count)
    for batch in _trips("t_pickuptime", "t_dropofftime", "t_distance", "t_pickuploc"):
        row, zone = _containing(index, batch, "t_pickuploc")
        lasting = pc.subtract(batch["t_dropofftime"], batch["t_pickuptime"]).cast(pa.int64()).to_numpy() / 1000
        trips += np.bincount(zone, minlength=count)
        seconds += np.bincount(zone, lasting[row], count)
        distance += np.bincount(zone, batch["t_distance"].cast(pa.float64()).to_numpy()[row], count)
    key = zones["z_zonekey"].to_numpy()
    with np.errstate(invalid="ignore"):
        mean = (sums[key] / trips[key] for sums in (seconds, distance))
        columns = [*(pa.array(values, from_pandas=True) for values in mean), pa.array(trips[key])]
    names = ["z_zonekey", "z_name", "avg_duration", "avg_distance", "num_trips"]
    result = pa.table([zones["z_zonekey"], zones["z_name"], *columns], names)
    result = result.sort_by([("avg_duration", "descending"), ("z_zonekey", "ascending")])
    return {"zones": result.num_rows, "trips": int(trips.sum())}


def ours_q11() -> dict[str, Any]:
    """Count trips that end in another zone than they start in, once for each pair of zones."""
    import numpy as np

    index, _ = _zones()
    count = 0
    for batch in _trips("t_pickuploc", "t_dropoffloc"):
        (start, start_zone), (end, end_zone) = (_containing(index, batch, name) for name in batch.schema.names)
        # Places in two zones are several pairs; both lists are in the order of trips.
        first, last = np.searchsorted(end, start, "left"), np.searchsorted(end, start, "right")
        pairs = last - first
        for more in range(int(pairs.max(initial=0))):
            here = pairs > more
            count += int((start_zone[here] != end_zone[first[here] + more]).sum())
    return {"trips": count}


def _containing(index: Any, batch: Any, column: str) -> tuple[Any, Any]:
    """Find the rows of a batch whose place is in a zone, and which: both as arrays."""
    import pyarrow as pa

    found = index.containing(batch.select([column]), columns={"geometry": column}, progress=False).to_arrow()
    return found["query"].to_numpy() - 1, found["region"].cast(pa.int32()).to_numpy()


def _sedona() -> Any:
    import sedonadb

    session = sedonadb.connect()
    if ZONE.exists():
        session.read_parquet(str(ZONE)).to_view("zone")
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


def sedona_q10() -> dict[str, Any]:
    """Count and average the trips that start in each zone."""
    table = _table(_sedona().sql(Q10))
    return {"zones": table.num_rows, "trips": sum(table["num_trips"].to_pylist())}


def sedona_q11() -> dict[str, Any]:
    """Count the trips that end in another zone."""
    return {"trips": _table(_sedona().sql(Q11))["n"][0].as_py()}


def _duckdb() -> Any:
    import duckdb

    session = duckdb.connect()
    # The wheel duckdb-extension-spatial brings the extension; nothing is fetched.
    import duckdb_extensions

    duckdb_extensions.import_extension("spatial")
    session.execute("LOAD spatial")
    for name, path in (("trip", TRIP), ("building", BUILDING), ("zone", ZONE)):
        if path.exists():
            session.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")
    return session


def duckdb_q8() -> dict[str, Any]:
    """Count the pick-ups within 0.0045 degrees of each building."""
    table = _duckdb().execute(Q8).to_arrow_table()
    return {"buildings": table.num_rows, "pairs": sum(table["n"].to_pylist())}


def duckdb_q10() -> dict[str, Any]:
    """Count and average the trips that start in each zone."""
    table = _duckdb().execute(Q10).to_arrow_table()
    return {"zones": table.num_rows, "trips": sum(table["num_trips"].to_pylist())}


def duckdb_q11() -> dict[str, Any]:
    """Count the trips that end in another zone."""
    return {"trips": _duckdb().execute(Q11).fetchone()[0]}


def duckdb_q12() -> dict[str, Any]:
    """Find the five nearest of 2,000 pick-ups: DuckDB has no join by nearness, so each looks at every building."""
    return {"rows": _duckdb().execute(Q12_DUCKDB).to_arrow_table().num_rows}


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


def zone_agreement(edges: str, sphere: bool) -> dict[str, Any]:
    """Compare the rows of Q10's and Q11's joins, trip by trip, with those of SedonaDB.

    Args:
        edges: Between two vertices of a zone, ours are straight in the plane of degrees, or shortest paths on the ellipsoid.
        sphere: Whether SedonaDB answers on a sphere, with shortest paths there, or in the plane of degrees.

    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from vicinity import RegionIndex

    zones = pq.read_table(ZONE)
    index = RegionIndex.from_arrow(zones, columns={"id": "z_zonekey", "geometry": "z_boundary"}, edges=edges)
    session = _sedona()
    limit = int(os.environ.get("VICINITY_TRIPS", "6000000"))
    points = pa.Table.from_batches(_trips("t_tripkey", "t_pickuploc", "t_dropoffloc")).slice(0, limit)
    session.create_data_frame(points).to_view("some")
    make = "ST_GeogFromWKB" if sphere else "ST_GeomFromWKB"
    # On geographies there is no ST_Within; a place on an edge, which tells the two apart, is not to be expected.
    test = "ST_Intersects" if sphere else "ST_Within"
    ours, theirs = [], []
    for column in ("t_pickuploc", "t_dropoffloc"):
        columns = {"id": "t_tripkey", "geometry": column}
        found = index.containing(points.select(["t_tripkey", column]), columns=columns, progress=False).to_arrow()
        ours.append((found["query"].to_numpy(), found["region"].cast(pa.int64()).to_numpy()))
        table = _table(
            session.sql(
                f"SELECT t.t_tripkey, z.z_zonekey FROM some t JOIN zone z "
                f"ON {test}({make}(t.{column}), {make}(z.z_boundary))"
            )
        )
        theirs.append(tuple(table[name].to_numpy() for name in ("t_tripkey", "z_zonekey")))

    def compare(mine: Any, other: Any) -> dict[str, int]:
        """Compare rows as numbers whose upper digits are the trip's."""
        only = np.concatenate([np.setdiff1d(mine, other), np.setdiff1d(other, mine)])
        return {
            "rows in both": len(np.intersect1d(mine, other)),
            "ours alone": len(np.setdiff1d(mine, other)),
            "theirs alone": len(np.setdiff1d(other, mine)),
            "trips that differ": len(np.unique(only >> 26)),
        }

    def starts(found: Any) -> Any:
        trip, zone = found[0]
        return trip << 26 | zone << 13

    def crossings(found: Any) -> Any:
        """Pair the zones of each trip's start with those of its end that are others."""
        (start, first), (end, last) = found
        order = np.argsort(end, kind="stable")
        end, last = end[order], last[order]
        low, high = np.searchsorted(end, start, "left"), np.searchsorted(end, start, "right")
        rows = []
        for more in range(int((high - low).max(initial=0))):
            here = high - low > more
            zone = last[low[here] + more]
            other = first[here] != zone
            rows.append((start[here] << 26 | first[here] << 13 | zone)[other])
        return np.concatenate(rows)

    result: dict[str, Any] = {"trips": points.num_rows}
    for name, rows in (("Q10", starts), ("Q11", crossings)):
        result.update({f"{name} {key}": value for key, value in compare(rows(ours), rows(theirs)).items()})
    return result


if __name__ == "__main__":
    make()
    run(
        {
            "Q12 vicinity": ours_q12,
            "Q12 sedonadb": sedona_q12,
            "Q12 geopandas (nearest one, of 100,000)": geopandas_q12,
            "Q12 agreement": agreement,
            "Q12 duckdb (of 2,000)": duckdb_q12,
            "Q8 vicinity": ours_q8,
            "Q8 sedonadb": sedona_q8,
            "Q8 duckdb": duckdb_q8,
            "Q10 vicinity": ours_q10,
            "Q10 sedonadb": sedona_q10,
            "Q10 duckdb": duckdb_q10,
            "Q11 vicinity": ours_q11,
            "Q11 sedonadb": sedona_q11,
            "Q11 duckdb": duckdb_q11,
            "zones, trip by trip: planar edges, SedonaDB planar": lambda: zone_agreement("planar", False),
            "zones, trip by trip: geodesic edges, SedonaDB planar": lambda: zone_agreement("geodesic", False),
            "zones, trip by trip: planar edges, SedonaDB on a sphere": lambda: zone_agreement("planar", True),
            "zones, trip by trip: geodesic edges, SedonaDB on a sphere": lambda: zone_agreement("geodesic", True),
        },
        ["vicinity", "sedonadb", "duckdb", "geopandas", "pyarrow"],
    )
