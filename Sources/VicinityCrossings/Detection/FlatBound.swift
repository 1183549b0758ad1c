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
    metersPerDegree = WGS84.longestDegree * cosine
    farthest = WGS84.longestDegree * min(0.5, 90 - abs(coordinate.latitude))
  }
}
