internal import VicinityCrossings
internal import VicinityGeodesy

/// A place, and an upper bound of how far another is from it, without trigonometry.
///
/// Within half a degree of latitude, and this side of the pole, cos φ changes by no more than the angle, 0.0088, and the
/// straight line in degrees is a way no shorter than the geodesic: √((k Δφ)² + (k cos φ Δλ)²) is an upper bound of the
/// distance, with k the longest degree there is. (The distance from the axis is N cos φ, N >= a.)
struct FlatDisc {
  private var latitude: Degrees = .nan
  private var longitude: Degrees = .nan
  private var metersPerDegree = 0.0
  /// Beyond this many metres the bound ends.
  private(set) var farthest: Meters = -1

  /// Nowhere: nothing is near.
  init() {}

  /// Around a place.
  init(at coordinate: Coordinate) {
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    let place = ECEF(unchecked: coordinate)
    let cosine = min(1, (place.x * place.x + place.y * place.y).squareRoot() / WGS84.a + 0.01)
    metersPerDegree = WGS84.longestDegree * cosine
    farthest = WGS84.longestDegree * min(0.5, 90 - abs(latitude))
  }

  /// An upper bound of the square of the distance to another place, where it is less than the square of ``farthest``; NaN or
  /// no less than that for places that are not valid.
  @inline(__always)
  func distance2(to coordinate: Coordinate) -> Double {
    let north = WGS84.longestDegree * (coordinate.latitude - latitude)
    let east = metersPerDegree * (coordinate.longitude - longitude)
    return (north * north + east * east) * (1 + 1e-12)
  }
}
