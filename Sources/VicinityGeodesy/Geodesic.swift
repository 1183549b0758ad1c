/// Geodesics on the WGS84 ellipsoid: the reference for every distance in this package.
///
/// Solved by Karney's algorithms (C. F. F. Karney, *Algorithms for geodesics*, J. Geodesy 87, 43-55, 2013,
/// doi:10.1007/s00190-012-0578-z): accurate to about 15 nm, and convergent for every pair of points,
/// antipodal ones included. Where PROJ is present it is PROJ that solves them, elsewhere this package's own
/// solver; the two agree within 20 nm.
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

  /// The area and the perimeter of a ring of geodesic edges.
  public struct RingMeasure: Hashable, Sendable {
    /// The area of the smaller side, square metres: positive when it lies to the left of the ring, negative
    /// when to the right.
    public var area: Double
    /// The length of all edges, the closing one included, metres.
    public var perimeter: Meters
  }

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

  /// The area and the perimeter of the ring of geodesic edges through `ring`, from its last vertex back to
  /// its first.
  ///
  /// Rings around a pole or across the antimeridian need nothing special (Karney 2013, section 6). An edge is
  /// the shortest path between its ends. For a ring that crosses itself, areas left of it count as positive
  /// and areas right of it as negative.
  ///
  ///     let octant = try Geodesic.measure(ofRing: [
  ///       Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 90),
  ///       Coordinate(latitude: 90, longitude: 0),
  ///     ])  // area 63 758 202 715 511.06 m², perimeter 30 022 685.63 m
  ///
  /// - Parameter ring: The vertices; the first need not be repeated at the end. Fewer than three have no
  ///   area.
  /// - Returns: The area to within 0.1 m² an edge, the perimeter to within 15 nm an edge.
  /// - Throws: ``GeodesyError/invalidCoordinate(_:)``.
  /// - Complexity: O(n), about 2 µs a vertex.
  public static func measure(ofRing ring: [Coordinate]) throws(GeodesyError) -> RingMeasure {
    for vertex in ring where !vertex.isValid { throw .invalidCoordinate(vertex) }
    return GeodesicReference.measure(ofRing: ring)
  }

  /// ``distance(from:to:)`` for coordinates already known to be valid.
  package static func uncheckedDistance(_ p1: Coordinate, _ p2: Coordinate) -> Meters {
    GeodesicReference.distance(p1, p2)
  }

  /// ``inverse(from:to:)`` for coordinates already known to be valid.
  package static func uncheckedInverse(_ p1: Coordinate, _ p2: Coordinate) -> Inverse {
    GeodesicReference.inverse(p1, p2)
  }

  /// ``direct(from:azimuth:distance:)`` for arguments already known to be valid.
  package static func uncheckedDirect(
    _ start: Coordinate, azimuth: Degrees, distance: Meters
  ) -> Direct {
    GeodesicReference.direct(start, azimuth: azimuth, distance: distance)
  }

  /// The signed area, in square metres, of the smaller side of a ring of geodesic edges: that of
  /// ``measure(ofRing:)``.
  ///
  /// - Precondition: every coordinate is valid.
  /// - Complexity: O(n), about 2 µs a vertex.
  package static func uncheckedSignedArea(ofRing ring: [Coordinate]) -> Double {
    GeodesicReference.measure(ofRing: ring).area
  }
}
