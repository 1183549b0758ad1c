/// What a geodesic computation refuses, with the value it refused.
public enum GeodesyError: Error, Equatable, Sendable {
  /// A latitude that is NaN, infinite or beyond ±90 degrees, or a longitude that is NaN or infinite.
  case invalidCoordinate(Coordinate)
  /// A distance that is NaN or infinite.
  case invalidDistance(Meters)
  /// An azimuth that is NaN or infinite.
  case invalidAzimuth(Degrees)

  // Two refusals are the same refusal when they carry the same bits: NaN equals itself here, so that
  // a test can state the error it expects.
  public static func == (a: GeodesyError, b: GeodesyError) -> Bool {
    switch (a, b) {
    case (.invalidCoordinate(let a), .invalidCoordinate(let b)):
      a.latitude.bitPattern == b.latitude.bitPattern
        && a.longitude.bitPattern == b.longitude.bitPattern
    case (.invalidDistance(let a), .invalidDistance(let b)): a.bitPattern == b.bitPattern
    case (.invalidAzimuth(let a), .invalidAzimuth(let b)): a.bitPattern == b.bitPattern
    default: false
    }
  }
}

extension GeodesyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCoordinate(let c):
      "invalid coordinate: latitude \(c.latitude), longitude \(c.longitude)"
        + " (latitude must lie in -90...90, both must be finite)"
    case .invalidDistance(let d): "invalid distance: \(d) m (must be finite)"
    case .invalidAzimuth(let a): "invalid azimuth: \(a) degrees (must be finite)"
    }
  }
}
