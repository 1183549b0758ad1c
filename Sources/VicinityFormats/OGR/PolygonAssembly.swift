internal import VicinityGeodesy
internal import VicinityIndex

/// Makes the index's polygons of rings on WGS84.
enum PolygonAssembly {
  /// A polygon of `parts`: rings of coordinates with continuous longitudes, the exterior first.
  ///
  /// - Throws: ``GeometryFault`` for what no repair makes a polygon, or, when `strict`, for what needs repair.
  static func polygon(
    parts: [[[Coordinate]]], strict: Bool
  ) throws(GeometryFault) -> (polygon: Polygon, warning: String?) {
    throw GeometryFault("polygons are not read yet")
  }
}
