internal import CPROJ

extension Geodesic {
  private static let areaEllipsoid: geod_geodesic = {
    var g = geod_geodesic()
    unsafe geod_init(&g, WGS84.a, WGS84.f)
    return g
  }()

  /// The signed area, in square metres, of the smaller side of a ring of geodesic edges.
  ///
  /// Positive when the smaller side lies to the left of the ring (counter-clockwise), negative when it
  /// lies to the right. Rings around a pole or across the antimeridian need nothing special
  /// (Karney 2013, section 6; PROJ's `geod_polygon_compute`).
  ///
  /// - Precondition: every coordinate is valid; the closing vertex is not repeated.
  /// - Complexity: O(n), about 2 µs a vertex.
  package static func uncheckedSignedArea(ofRing ring: [Coordinate]) -> Double {
    var polygon = geod_polygon()
    unsafe geod_polygon_init(&polygon, 0)
    var area = 0.0
    unsafe withUnsafePointer(to: areaEllipsoid) { g in
      for vertex in ring {
        unsafe geod_polygon_addpoint(g, &polygon, vertex.latitude, vertex.longitude)
      }
      _ = unsafe geod_polygon_compute(g, &polygon, 0, 1, &area, nil)
    }
    return area
  }
}
