/// An Earth-centred, Earth-fixed position, metres: x towards (0, 0), y towards (0, 90 E), z north.
///
/// The antimeridian and the poles are ordinary places here, and the straight line between two points
/// (the chord) is never longer than any path over the surface.
public struct ECEF: Hashable, Sendable {
  /// Metres along the axis through latitude 0, longitude 0.
  public var x: Meters
  /// Metres along the axis through latitude 0, longitude 90 east.
  public var y: Meters
  /// Metres along the axis through the north pole.
  public var z: Meters

  /// A position from its components.
  @inlinable
  public init(x: Meters, y: Meters, z: Meters) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The position of `coordinate` on the ellipsoid's surface.
  ///
  /// x = N cos φ cos λ, y = N cos φ sin λ, z = N (1 - e²) sin φ with N = a / √(1 - e² sin² φ)
  /// (EPSG guidance note 7-2, 4.1.1). Rounding: within 5 nm.
  ///
  /// - Throws: ``GeodesyError/invalidCoordinate(_:)``.
  /// - Complexity: O(1)
  public init(_ coordinate: Coordinate) throws(GeodesyError) {
    guard coordinate.isValid else { throw .invalidCoordinate(coordinate) }
    self.init(unchecked: coordinate)
  }

  /// The position of a coordinate already known to be valid.
  @inlinable @inline(__always)
  package init(unchecked coordinate: Coordinate) {
    // The wrap is exact, and puts 180, 540 and -180 degrees at the very same place.
    let lon = Coordinate.wrapped(longitude: coordinate.longitude)
    let (sine, cosine) = DegreeTrigonometry.sineAndCosine(SIMD2(coordinate.latitude, lon))
    let n = WGS84.a / (1 - WGS84.e2 * sine.x * sine.x).squareRoot()
    x = n * cosine.x * cosine.y
    y = n * cosine.x * sine.y
    z = n * (1 - WGS84.e2) * sine.x
  }

  /// The length of the straight line to `other`, metres: never longer than the geodesic.
  ///
  /// - Complexity: O(1)
  @inlinable
  public func chord(to other: ECEF) -> Meters {
    let dx = x - other.x
    let dy = y - other.y
    let dz = z - other.z
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}
