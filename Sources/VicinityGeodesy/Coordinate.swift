/// A geographic position on the WGS84 ellipsoid.
///
/// A plain pair of numbers: making one checks nothing, as with Core Location's own coordinate. Every
/// public operation that takes a coordinate checks it at the door and throws
/// ``GeodesyError/invalidCoordinate(_:)``.
///
///     let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)
///
/// ## Units
/// - `latitude`: geodetic, degrees, -90...90, north positive.
/// - `longitude`: degrees, east positive; any finite value, understood modulo 360.
public struct Coordinate: Hashable, Sendable {
  /// Geodetic latitude in degrees, north positive.
  public var latitude: Degrees
  /// Longitude in degrees, east positive.
  public var longitude: Degrees

  /// A coordinate from degrees.
  ///
  /// - Complexity: O(1)
  @inlinable
  public init(latitude: Degrees, longitude: Degrees) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether the latitude lies in -90...90 and the longitude is finite.
  ///
  /// - Complexity: O(1)
  @inlinable
  public var isValid: Bool {
    // NaN fails both comparisons.
    latitude >= -90 && latitude <= 90 && longitude.isFinite
  }

  /// Whether both name the same position: longitudes that differ by whole turns do, and so do all longitudes
  /// of a pole.
  ///
  /// - Complexity: O(1)
  @inlinable
  package func isSamePosition(as other: Coordinate) -> Bool {
    latitude == other.latitude
      && (longitude == other.longitude || abs(latitude) == 90
        || (longitude - other.longitude).remainder(dividingBy: 360) == 0)
  }

  /// This coordinate with its longitude wrapped to -180 ..< 180.
  ///
  /// Values already in range come back to the last bit; the wrap itself is exact
  /// (`remainder` by 360 rounds nothing).
  ///
  /// - Throws: ``GeodesyError/invalidCoordinate(_:)`` for NaN, infinity or |latitude| > 90.
  /// - Complexity: O(1)
  @inlinable
  public func normalized() throws(GeodesyError) -> Coordinate {
    guard isValid else { throw .invalidCoordinate(self) }
    return Coordinate(latitude: latitude, longitude: Self.wrapped(longitude: longitude))
  }

  /// A longitude wrapped to -180 ..< 180, as in ``normalized()``.
  @inlinable @inline(__always)
  package static func wrapped(longitude: Degrees) -> Degrees {
    if longitude >= -180 && longitude < 180 { return longitude }
    let wrapped = longitude.remainder(dividingBy: 360)
    return wrapped == 180 ? -180 : wrapped
  }
}

extension Coordinate: CustomStringConvertible {
  /// Latitude, then longitude, in degrees: `48.2082,16.3738`.
  public var description: String { "\(latitude),\(longitude)" }
}
