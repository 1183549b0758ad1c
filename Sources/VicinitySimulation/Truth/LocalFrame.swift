package import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// East and north of a place, metres.
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

/// The plane that touches the ellipsoid at a place: for what is simulated, never for what is decided exactly.
///
/// By the radii of curvature (W. Torge, *Geodesy*, 4th edition, 2012, section 4.1.2); within 2 km and 80 degrees of
/// latitude an offset's length is right to 0.1 %. At a pole, where east means nothing, offsets stay finite.
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
    // A floor of a metre keeps the way back from dividing by nothing.
    metersPerDegreeEast = max(1, WGS84.a * cos(radians) / root * (.pi / 180))
  }

  package func offset(of place: Coordinate) -> Offset {
    var longitude = place.longitude - origin.longitude
    if longitude > 180 || longitude < -180 { longitude = longitude.remainder(dividingBy: 360) }
    return Offset(
      east: longitude * metersPerDegreeEast,
      north: (place.latitude - origin.latitude) * metersPerDegreeNorth)
  }

  /// The place at an offset; beyond a pole, at the pole.
  package func place(at offset: Offset) -> Coordinate {
    let latitude = origin.latitude + offset.north / metersPerDegreeNorth
    var longitude = origin.longitude + offset.east / metersPerDegreeEast
    if longitude >= 180 || longitude < -180 {
      longitude = longitude.remainder(dividingBy: 360)
      if longitude == 180 { longitude = -180 }
    }
    return Coordinate(latitude: max(-90, min(90, latitude)), longitude: longitude)
  }
}
