"""Which polygons of a file contain each of many points, by GeoPandas: prints CPU seconds of the join and the number of pairs.

    containment.py REGIONS POINTS       POINTS: longitude and latitude of each, 64-bit floats, little-endian
"""

import sys
import time

import geopandas
import numpy

regions = geopandas.read_file(sys.argv[1])
longitudes, latitudes = numpy.fromfile(sys.argv[2], dtype="<f8").reshape(-1, 2).T
points = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy(longitudes, latitudes), crs=regions.crs)
# The first join builds the tree, which is kept: loading and building are left out.
geopandas.sjoin(points.head(1000), regions, predicate="intersects")
start = time.process_time()
pairs = geopandas.sjoin(points, regions, predicate="intersects")
print(time.process_time() - start, len(pairs))
