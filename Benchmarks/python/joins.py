"""Joins that build an index and throw it away, and nearest neighbours, beside the libraries that people use for them.

The nearest 5 of 200,000 circles for a million points: SciPy's tree of centres in the plane, and SedonaDB. A million points in the counties of
the United States: SedonaDB, and GeoPandas's sjoin. Ours are exact on the ellipsoid. Times include building an index, and not reading files.

VICINITY_COUNTIES says where the counties are, in a format that GeoPandas reads.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from measure import run

ROOT = Path(__file__).resolve().parents[2]
COUNTIES = os.environ.get("VICINITY_COUNTIES", str(ROOT.parent / "shared/data/regions/us_counties"))
POINTS, CIRCLES = 1_000_000, 200_000


def _places(count: int, seed: int) -> Any:
    """Give places within the contiguous United States: latitudes and longitudes."""
    import numpy as np

    source = np.random.default_rng(seed)
    return source.uniform(25, 49, count), source.uniform(-124, -67, count)


def _timed(work: Any) -> dict[str, Any]:
    import pyarrow as pa

    # Its first use takes longer than some of the joins.
    pa.array([1])
    start, before = time.perf_counter(), time.process_time()
    rows = work()
    return {"join s": time.perf_counter() - start, "join processor s": time.process_time() - before, "rows": rows}


def _columns(count: int, seed: int) -> dict[str, Any]:
    latitude, longitude = _places(count, seed)
    return {"latitude": latitude, "longitude": longitude}


def ours_nearest() -> dict[str, Any]:
    """Find the nearest five circles, by the distance to their boundaries."""
    import numpy as np
    from vicinity import RegionIndex

    circles = {"id": np.arange(CIRCLES), **_columns(CIRCLES, 1), "radius": np.full(CIRCLES, 100.0)}
    points = _columns(POINTS, 2)
    return _timed(lambda: RegionIndex.from_arrow(circles).nearest(points, 5, region_numbers=True).to_arrow().num_rows)


def scipy_nearest() -> dict[str, Any]:
    """Find the nearest five centres in the plane of degrees, on as many threads as there are cores."""
    import numpy as np
    from scipy.spatial import cKDTree

    centres, points = np.column_stack(_places(CIRCLES, 1)), np.column_stack(_places(POINTS, 2))
    return _timed(lambda: cKDTree(centres).query(points, 5, workers=-1)[1].size)


def _sedona(**frames: Any) -> Any:
    import sedonadb

    session = sedonadb.connect()
    for name, frame in frames.items():
        session.create_data_frame(frame).to_view(name)
    return session


def _point_frame(count: int, seed: int) -> Any:
    import geopandas
    import numpy as np

    latitude, longitude = _places(count, seed)
    return geopandas.GeoDataFrame({"key": np.arange(count)}, geometry=geopandas.points_from_xy(longitude, latitude), crs=4326)


def sedona_nearest() -> dict[str, Any]:
    """Find the nearest five centres in the plane."""
    import pyarrow as pa

    session = _sedona(circle=_point_frame(CIRCLES, 1), point=_point_frame(POINTS, 2))
    query = "SELECT p.key, c.key AS circle FROM point p JOIN circle c ON ST_KNN(p.geometry, c.geometry, 5, FALSE)"
    return _timed(lambda: pa.table(session.sql(query)).num_rows)


def _counties() -> Any:
    import geopandas

    folder = Path(COUNTIES)
    files = [folder] if folder.is_file() else sorted(p for p in folder.iterdir() if p.suffix in (".geojson", ".json", ".gpkg", ".shp", ".zip", ".parquet"))
    frame = geopandas.read_file(files[0])
    return frame[["geometry"]].to_crs(4326).reset_index(drop=True)


def ours_counties() -> dict[str, Any]:
    """Find the counties that contain each point."""
    from vicinity import RegionIndex

    frame, points = _counties(), _columns(POINTS, 3)
    return _timed(lambda: RegionIndex.from_geopandas(frame).containing(points, region_numbers=True).to_arrow().num_rows)


def sjoin_counties() -> dict[str, Any]:
    """Do the same by GeoPandas, in the plane."""
    import geopandas

    frame, points = _counties(), _point_frame(POINTS, 3)
    return _timed(lambda: len(geopandas.sjoin(points, frame, predicate="within")))


def sedona_counties() -> dict[str, Any]:
    """Do the same by SedonaDB, in the plane."""
    import pyarrow as pa

    session = _sedona(county=_counties().assign(county=lambda frame: frame.index), point=_point_frame(POINTS, 3))
    query = "SELECT p.key, c.county FROM point p JOIN county c ON ST_Within(p.geometry, c.geometry)"
    return _timed(lambda: pa.table(session.sql(query)).num_rows)


if __name__ == "__main__":
    run(
        {
            "nearest: vicinity": ours_nearest,
            "nearest: scipy": scipy_nearest,
            "nearest: sedonadb": sedona_nearest,
            "counties: vicinity": ours_counties,
            "counties: geopandas": sjoin_counties,
            "counties: sedonadb": sedona_counties,
        },
        ["vicinity", "scipy", "sedonadb", "geopandas", "shapely", "numpy"],
    )
