internal import CPROJ

/// Geodesics on the WGS84 ellipsoid, solved by PROJ: the reference for every distance in this package.
///
/// PROJ carries Karney's algorithms (C. F. F. Karney, *Algorithms for geodesics*, J. Geodesy 87, 43-55,
/// 2013, doi:10.1007/s00190-012-0578-z): accurate to about 15 nm, and convergent for every pair of
/// points, antipodal ones included.
public enum Geodesic {
  /// The solution of the inverse problem.
  public struct Inverse: Hashable, Sendable {
    /// The length of the shortest path, metres.
    public var distance: Meters
    /// The azimuth at the first point, degrees clockwise from north, -180...180.
    public var azimuth1: Degrees
    /// The forward azimuth at the second point, degrees clockwise from north, -180...180.
    public var azimuth2: Degrees
  }

  /// The solution of the direct problem.
  public struct Direct: Hashable, Sendable {
    /// The point reached.
    public var coordinate: Coordinate
    /// The forward azimuth there, degrees clockwise from north, -180...180.
    public var azimuth: Degrees
  }

  static let ellipsoid: geod_geodesic = {
    var g = geod_geodesic()
    unsafe geod_init(&g, WGS84.a, WGS84.f)
    return g
  }()

  /// The shortest path between two points.
  ///
  /// - Throws: ``GeodesyError/invalidCoordinate(_:)``.
  /// - Complexity: O(1), about 1-2 µs.
  public static func inverse(
    from p1: Coordinate, to p2: Coordinate
  ) throws(GeodesyError) -> Inverse {
    guard p1.isValid else { throw .invalidCoordinate(p1) }
    guard p2.isValid else { throw .invalidCoordinate(p2) }
    return uncheckedInverse(p1, p2)
  }

  /// The length of the shortest path between two points, metres.
  ///
  ///     let s12 = try Geodesic.distance(from: jfk, to: changi)  // 15 347 512.94 m
  ///
  /// - Throws: ``GeodesyError/invalidCoordinate(_:)``.
  /// - Complexity: O(1), about 1-2 µs.
  public static func distance(
    from p1: Coordinate, to p2: Coordinate
  ) throws(GeodesyError) -> Meters {
    guard p1.isValid else { throw .invalidCoordinate(p1) }
    guard p2.isValid else { throw .invalidCoordinate(p2) }
    return uncheckedDistance(p1, p2)
  }

  /// The point reached from `start` after `distance` metres along the geodesic that leaves at `azimuth`.
  ///
  /// A negative distance goes backwards.
  ///
  /// - Throws: ``GeodesyError`` for an invalid coordinate, azimuth or distance.
  /// - Complexity: O(1), about 1 µs.
  public static func direct(
    from start: Coordinate, azimuth: Degrees, distance: Meters
  ) throws(GeodesyError) -> Direct {
    guard start.isValid else { throw .invalidCoordinate(start) }
    guard azimuth.isFinite else { throw .invalidAzimuth(azimuth) }
    guard distance.isFinite else { throw .invalidDistance(distance) }
    return uncheckedDirect(start, azimuth: azimuth, distance: distance)
  }

  /// ``distance(from:to:)`` for coordinates already known to be valid.
  package static func uncheckedDistance(_ p1: Coordinate, _ p2: Coordinate) -> Meters {
    var s12 = 0.0
    unsafe withUnsafePointer(to: ellipsoid) { g in
      unsafe geod_inverse(
        g, p1.latitude, p1.longitude, p2.latitude, p2.longitude, &s12, nil, nil)
    }
    return s12
  }

  /// ``inverse(from:to:)`` for coordinates already known to be valid.
  package static func uncheckedInverse(_ p1: Coordinate, _ p2: Coordinate) -> Inverse {
    var s12 = 0.0
    var azi1 = 0.0
    var azi2 = 0.0
    unsafe withUnsafePointer(to: ellipsoid) { g in
      unsafe geod_inverse(
        g, p1.latitude, p1.longitude, p2.latitude, p2.longitude, &s12, &azi1, &azi2)
    }
    return Inverse(distance: s12, azimuth1: azi1, azimuth2: azi2)
  }

  /// ``direct(from:azimuth:distance:)`` for arguments already known to be valid.
  package static func uncheckedDirect(
    _ start: Coordinate, azimuth: Degrees, distance: Meters
  ) -> Direct {
    var lat2 = 0.0
    var lon2 = 0.0
    var azi2 = 0.0
    unsafe withUnsafePointer(to: ellipsoid) { g in
      unsafe geod_direct(
        g, start.latitude, start.longitude, azimuth, distance, &lat2, &lon2, &azi2)
    }
    return Direct(coordinate: Coordinate(latitude: lat2, longitude: lon2), azimuth: azi2)
  }

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
    unsafe withUnsafePointer(to: ellipsoid) { g in
      for vertex in ring {
        unsafe geod_polygon_addpoint(g, &polygon, vertex.latitude, vertex.longitude)
      }
      _ = unsafe geod_polygon_compute(g, &polygon, 0, 1, &area, nil)
    }
    return area
  }
}
