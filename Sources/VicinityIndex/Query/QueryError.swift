public import VicinityGeodesy

/// An invalid argument of a query, with its value.
public enum QueryError: Error, Hashable, Sendable {
  /// A latitude that is NaN, infinite or beyond ±90 degrees, or a longitude that is NaN or infinite.
  case invalidCoordinate(Coordinate)
  /// A count below zero.
  case invalidCount(Int)
  /// A distance that is NaN.
  case invalidDistance(Meters)
  /// A tolerance that is negative, NaN or infinite.
  case invalidTolerance(Meters)
}

extension QueryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCoordinate(let c):
      "invalid coordinate: latitude \(c.latitude), longitude \(c.longitude)"
        + " (latitude must lie in -90...90, both must be finite)"
    case .invalidCount(let count): "invalid count: \(count) (must be 0 or more)"
    case .invalidDistance(let distance): "invalid distance: \(distance) m (must not be NaN)"
    case .invalidTolerance(let tolerance):
      "invalid tolerance: \(tolerance) m (must be finite, 0 or more)"
    }
  }
}
