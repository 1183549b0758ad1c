internal import VicinityCrossings
internal import VicinityGeodesy

/// A position, and upper bounds of how far other positions are from it (``FlatBound``).
struct FlatDisc {
  private var latitude: Degrees = .nan
  private var longitude: Degrees = .nan
  private var metersPerDegree = 0.0
  /// The distance up to which the bound holds, metres; negative for a disc without a position.
  private(set) var farthest: Meters = -1

  /// Nowhere: nothing is near.
  init() {}

  init(at coordinate: Coordinate) {
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    let bound = FlatBound(at: coordinate, ECEF(unchecked: coordinate))
    metersPerDegree = bound.metersPerDegree
    farthest = bound.farthest
  }

  /// An upper bound of the square of the distance to another position, where it is less than the square of
  /// ``farthest``; NaN or no less than that for positions that are not valid.
  @inline(__always)
  func distance2(to coordinate: Coordinate) -> Double {
    let north = WGS84.longestDegree * (coordinate.latitude - latitude)
    let east = metersPerDegree * (coordinate.longitude - longitude)
    return (north * north + east * east) * (1 + 1e-12)
  }
}
