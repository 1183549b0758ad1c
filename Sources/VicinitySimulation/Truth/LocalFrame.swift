internal import CMath
package import VicinityGeodesy

/// An offset east and north of a position, metres.
package struct Offset: Hashable, Sendable {
  package var east: Meters
  package var north: Meters

  package init(east: Meters, north: Meters) {
    self.east = east
    self.north = north
  }

  package var length: Meters { (east * east + north * north).squareRoot() }

  package static func - (a: Offset, b: Offset) -> Offset {
    Offset(east: a.east - b.east, north: a.north - b.north)
  }
  package static func + (a: Offset, b: Offset) -> Offset {
    Offset(east: a.east + b.east, north: a.north + b.north)
  }
}

/// A plane tangent to the ellipsoid at a position. For simulated positions only, never for exact decisions.
///
/// It uses the radii of curvature (W. Torge, *Geodesy*, 4th edition, 2012, section 4.1.2). Within 2 km and 80
/// degrees of latitude the length of an offset is right to 0.1 %. At a pole, where east has no meaning,
/// offsets stay finite.
package struct LocalFrame: Sendable {
  package let origin: Coordinate
  private let metersPerDegreeNorth: Double
  private let metersPerDegreeEast: Double

  package init(_ origin: Coordinate) {
    self.origin = origin
    let radians = origin.latitude * (.pi / 180)
    let sine = sin(radians)
    let w = 1 - WGS84.e2 * sine * sine
    let root = w.squareRoot()
    metersPerDegreeNorth = WGS84.a * (1 - WGS84.e2) / (w * root) * (.pi / 180)
    // At least one metre, so that `coordinate(at:)` does not divide by zero.
    metersPerDegreeEast = max(1, WGS84.a * cos(radians) / root * (.pi / 180))
  }

  package func offset(of position: Coordinate) -> Offset {
    var longitude = position.longitude - origin.longitude
    if longitude > 180 || longitude < -180 { longitude = longitude.remainder(dividingBy: 360) }
    return Offset(
      east: longitude * metersPerDegreeEast,
      north: (position.latitude - origin.latitude) * metersPerDegreeNorth)
  }

  /// The coordinate at an offset; beyond a pole, the pole.
  package func coordinate(at offset: Offset) -> Coordinate {
    let latitude = origin.latitude + offset.north / metersPerDegreeNorth
    let longitude = Coordinate.wrapped(
      longitude: origin.longitude + offset.east / metersPerDegreeEast)
    return Coordinate(latitude: max(-90, min(90, latitude)), longitude: longitude)
  }
}

extension Geodesic {
  /// The distance between two valid positions, to 1e-6 m, at a tenth of the reference solver's cost.
  static func simulatedDistance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    let (distance, error) = certifiedDistance(from: ECEF(unchecked: a), to: ECEF(unchecked: b))
    return error < 1e-6 ? distance : uncheckedDistance(a, b)
  }
}
