package import VicinityGeodesy

/// What an upper bound of distances around a position needs, without trigonometry.
///
/// Within half a degree of latitude, on this side of the pole, cos φ changes by no more than the
/// angle, 0.0088, and the straight line in degrees is a path no shorter than the geodesic: √((k Δφ)² + (k cos
/// φ Δλ)²) is an upper bound of the distance, with k the longest degree there is (``WGS84/longestDegree``).
/// The distance from the axis is N cos φ, N >= a.
package struct FlatBound {
  /// An upper bound of k cos φ, metres.
  package let metersPerDegree: Double
  /// The distance up to which the bound holds, metres.
  package let farthest: Meters

  package init(at coordinate: Coordinate, _ ecef: ECEF) {
    let cosine = min(1, (ecef.x * ecef.x + ecef.y * ecef.y).squareRoot() / WGS84.a + 0.01)
    self.init(at: coordinate, metersPerDegree: WGS84.longestDegree * cosine)
  }

  /// A bound where k cos φ is known to be no more than `metersPerDegree` within half a degree of latitude.
  package init(at coordinate: Coordinate, metersPerDegree: Double) {
    self.metersPerDegree = metersPerDegree
    farthest = WGS84.longestDegree * min(0.5, 90 - abs(coordinate.latitude))
  }
}

/// A position, and upper bounds of how far other positions are from it (``FlatBound``).
///
/// Whoever keeps an answer while a device moves asks it first: ``MovingQuery`` and the planner.
package struct FlatDisc {
  private var latitude: Degrees = .nan
  private var longitude: Degrees = .nan
  private var metersPerDegree = 0.0
  /// The distance up to which the bound holds, metres; negative for a disc without a position.
  package private(set) var farthest: Meters = -1

  /// Nowhere: nothing is near.
  package init() {}

  package init(at coordinate: Coordinate) {
    self.init(at: coordinate, FlatBound(at: coordinate, ECEF(unchecked: coordinate)))
  }

  package init(at coordinate: Coordinate, _ bound: FlatBound) {
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    metersPerDegree = bound.metersPerDegree
    farthest = bound.farthest
  }

  /// An upper bound of the square of the distance to another position, where it is less than the square of
  /// ``farthest``; NaN or no less than that for positions that are not valid.
  @inline(__always)
  package func distance2(to coordinate: Coordinate) -> Double {
    let north = WGS84.longestDegree * (coordinate.latitude - latitude)
    let east = metersPerDegree * (coordinate.longitude - longitude)
    return (north * north + east * east) * (1 + 1e-12)
  }
}
