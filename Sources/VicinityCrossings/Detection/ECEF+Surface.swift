internal import CMath
internal import VicinityGeodesy

extension ECEF {
  /// The coordinate of a point on the surface, degrees; longitude in -180 ..< 180.
  ///
  /// On the ellipsoid tan φ = z / ((1 − e²) p), p the distance from the axis. For a point δ above the surface
  /// the latitude is off by less than e² δ / b.
  var surfaceCoordinate: Coordinate {
    let p = (x * x + y * y).squareRoot()
    let latitude = atan2(z, (1 - WGS84.e2) * p) * (180 / .pi)
    let longitude = atan2(y, x) * (180 / .pi)
    return Coordinate(
      latitude: max(-90, min(90, latitude)), longitude: longitude < 180 ? longitude : -180)
  }

  /// ``surfaceCoordinate``, by the small angles from a nearby position whose coordinate is known.
  ///
  /// The tangents of both differences follow from cross and dot products; up to 0.01 the arctangent's series
  /// is good to 1e-15 of the angle.
  @inline(__always)
  func surfaceCoordinate(near other: Position) -> Coordinate {
    let p1 = (other.ecef.x * other.ecef.x + other.ecef.y * other.ecef.y).squareRoot() * (1 - WGS84.e2)
    let p2 = (x * x + y * y).squareRoot() * (1 - WGS84.e2)
    let north = (z * p1 - p2 * other.ecef.z) / (p1 * p2 + other.ecef.z * z)
    let dot = x * other.ecef.x + y * other.ecef.y
    let east = (y * other.ecef.x - x * other.ecef.y) / dot
    // At the poles the axis divides by zero, and beyond one the difference is half a turn.
    guard dot > 0, abs(north) < 0.01, abs(east) < 0.01 else { return surfaceCoordinate }
    let latitude = other.coordinate.latitude + Self.smallArctangent(north) * (180 / .pi)
    var longitude = other.coordinate.longitude + Self.smallArctangent(east) * (180 / .pi)
    if !(longitude >= -180 && longitude < 180) {
      longitude = longitude.remainder(dividingBy: 360)
      if longitude == 180 { longitude = -180 }
    }
    return Coordinate(latitude: max(-90, min(90, latitude)), longitude: longitude)
  }

  @inline(__always)
  private static func smallArctangent(_ t: Double) -> Double {
    let t2 = t * t
    return t * (1 - t2 * (1.0 / 3 - t2 * (0.2 - t2 * (1.0 / 7 - t2 * (1.0 / 9)))))
  }
}
