/// What a solver of geodesics on the WGS84 ellipsoid offers. Coordinates are valid, azimuths and distances
/// finite.
package protocol GeodesicMethods {
  associatedtype Line: GeodesicLineMethods

  static func distance(_ p1: Coordinate, _ p2: Coordinate) -> Meters
  static func inverse(_ p1: Coordinate, _ p2: Coordinate) -> Geodesic.Inverse
  static func direct(_ start: Coordinate, azimuth: Degrees, distance: Meters) -> Geodesic.Direct
  static func measure(ofRing ring: [Coordinate]) -> Geodesic.RingMeasure
}

/// The shortest path between two points, for computing points along it.
package protocol GeodesicLineMethods {
  /// The length, metres.
  var distance: Meters { get }

  init(_ p1: Coordinate, _ p2: Coordinate)
  func point(at s12: Meters) -> Coordinate
}

// The one place that says which solver is the reference: the one that every distance of this package is held
// to. The two agree within 20 nm.
#if canImport(CPROJ)
  package typealias GeodesicReference = PROJGeodesic
#else
  package typealias GeodesicReference = GeodesicSolver
#endif
