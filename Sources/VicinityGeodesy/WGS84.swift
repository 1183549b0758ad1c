/// The World Geodetic System 1984 ellipsoid: the only figure of the Earth in this package.
///
/// Source: NGA.STND.0036_1.0.0_WGS84, table 3.1.
public enum WGS84 {
  // Computed, so that code inlined into another module folds them instead of calling an accessor.

  /// Equatorial radius (semi-major axis), metres.
  @inlinable public static var a: Meters { 6_378_137 }
  /// Flattening. Better-conditioned forms exist; this one is the one everybody can check.
  @inlinable public static var f: Double { 1 / 298.257223563 }
  /// Polar radius (semi-minor axis), metres: a(1 - f).
  @inlinable public static var b: Meters { a * (1 - f) }
  /// First eccentricity squared: f(2 - f).
  @inlinable public static var e2: Double { f * (2 - f) }

  /// The smallest radius of curvature of any normal section anywhere: the meridian's at the equator,
  /// b²/a = 6335.439 km.
  @inlinable public static var minimumCurvatureRadius: Meters { b * b / a }
  /// The largest radius of curvature of any normal section anywhere: every direction's at a pole,
  /// a²/b = 6399.594 km.
  @inlinable public static var maximumCurvatureRadius: Meters { a * a / b }
  /// No degree of latitude, and none of the equator's longitude, is longer anywhere: π/180 of the largest
  /// radius of curvature is 111,693.98 m.
  @inlinable package static var longestDegree: Meters { 111_694 }
}
