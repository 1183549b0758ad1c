internal import CVicinityKernels
internal import VicinityGeodesy
internal import VicinityIndex

/// A plane that touches the ellipsoid at an anchor. On it, single precision gives boundary distances near by
/// from coordinates without a sine.
///
/// A surface point is projected along the normal at the anchor A, x east and y north, to the second order of
/// latitude and longitude. With c = cos φ of the anchor, c >= 1/4, R the smallest radius of curvature, and
/// points no farther than h from A (h <= 30 km) on each axis, the terms left out are at most 1.4 h³ / (R²c²):
/// with p(φ) the distance from the axis, p′ = −M sin φ, |p″| <= 1.011 M, u and v the differences of latitude
/// and longitude,
///
///     x: |p(φ) (sin v − v)| + |p″| u² |v| / 2          <= h³/R² (0.17/c² + 0.512/c)
///     y: 1.06 M |u|³/6 + M |u| v²/2 + p v⁴/24           <= h³/R² (0.179 + 0.511/c²)
///
/// **Distances** on the plane are no longer than chords, so no longer than geodesics. Where everything of
/// interest lies within D of A (D <= 40 km) the normal turns by no more than θ = 1.001 D/R, so a chord is no
/// longer than (1 + θ²/2) times its projection, and a geodesic no longer than (1 + D²/6R²) times its chord:
/// together (1 + 0.67 D²/R²), of a length of at most 2D. ``error`` is the sum of these with twice the former
/// and all roundings to single precision.
struct TangentPlane {
  /// The largest distance of a point from the anchor, metres.
  let radius: Meters
  let kernel: vk_plane
  /// The largest possible error of a boundary distance, or of a distance of two points, on the plane, metres.
  let error: Meters
  /// An upper bound of the metres per degree of longitude, within half a degree of latitude of any point of
  /// the plane.
  let metersPerDegree: Float
  /// The unit vectors to the east, which has no third component, and to the north.
  private let east: ECEF
  private let north: ECEF

  /// The least cosine of latitude at which there is a plane.
  private static let leastCosine = 0.25
  /// The largest plane, metres from the anchor: of points, and of points and circles together.
  private static let largestRadius: Meters = 30_000
  private static let largestExtent: Meters = 40_000

  /// No plane: nothing can be projected on it.
  static let none = TangentPlane()

  private init() {
    kernel = vk_plane(
      latitude: 0, longitude: 0, east: 0, eastNorth: 0, north: 0, northNorth: 0, northEast: 0,
      latitudeReach: -1, longitudeReach: -1)
    radius = -1
    error = .infinity
    metersPerDegree = .infinity
    east = ECEF(x: 0, y: 0, z: 0)
    north = east
  }

  /// The plane at an anchor; nil near the poles and where it would be too large to be accurate.
  ///
  /// - Parameters:
  ///   - radius: The largest distance of a point from the anchor, metres.
  ///   - largestRadius: The largest radius of a circle, metres.
  ///   - rounding: The largest error of the circles' offsets on each axis, metres.
  init?(
    at coordinate: Coordinate, _ ecef: ECEF, radius: Meters, largestRadius: Meters, rounding: Meters
  ) {
    let extent = radius + largestRadius + 10
    guard radius <= Self.largestRadius, extent <= Self.largestExtent else { return nil }
    // The normal is (x, y, z / (1 − e²)) / N.
    let axis2 = ecef.x * ecef.x + ecef.y * ecef.y
    let zn = ecef.z / (1 - WGS84.e2)
    let n = (axis2 + zn * zn).squareRoot()
    let axis = axis2.squareRoot()
    let cosine = axis / n
    let sine = zn / n
    guard cosine >= Self.leastCosine else { return nil }
    // M = a (1 − e²) / (1 − e² sin² φ)^(3/2), N = a / √(1 − e² sin² φ); M′ = 3 M e² sin φ cos φ / (1 − e²
    // sin² φ).
    let m = (1 - WGS84.e2) * n * n * n * WGS84.reciprocalA2
    let slope = 1.5 * m * WGS84.e2 * sine * cosine * n * n * WGS84.reciprocalA2
    let degree = Double.pi / 180
    self.radius = radius
    kernel = vk_plane(
      latitude: coordinate.latitude, longitude: coordinate.longitude,
      east: axis * degree, eastNorth: -m * sine * (degree * degree),
      north: m * degree, northNorth: slope * (degree * degree),
      northEast: 0.5 * axis * sine * (degree * degree),
      latitudeReach: radius / (WGS84.maximumCurvatureRadius * degree),
      longitudeReach: radius / (axis * degree))
    let r2 = WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius
    error =
      2.8 * radius * radius * radius / (r2 * cosine * cosine) + 1.34 * extent * extent * extent / r2
      + 1.5e-6 * extent + 5e-6 * largestRadius + 2 * rounding + 1e-5
    // cos φ changes by no more than the angle: that of the plane, and half a degree.
    let largest = min(1, axis / WGS84.a + radius / WGS84.minimumCurvatureRadius + 0.01)
    metersPerDegree = Float(WGS84.maximumCurvatureRadius * degree * largest).nextUp
    let reciprocal = 1 / axis
    let (sinLon, cosLon) = (ecef.y * reciprocal, ecef.x * reciprocal)
    east = ECEF(x: -sinLon, y: cosLon, z: 0)
    north = ECEF(x: -sine * cosLon, y: -sine * sinLon, z: cosine)
  }

  /// Projects circles on the plane.
  ///
  /// - Parameters:
  ///   - blocks: `count` circles as a leaf's four rows have them, relative to the anchor, in blocks of
  ///     sixteen.
  ///   - planar: Gets blocks of sixteen x, y and radii; lanes beyond the last circle are far away.
  func project(_ blocks: UnsafePointer<Float>, count: Int, into planar: UnsafeMutablePointer<Float>) {
    let (ex, ey) = (Float(east.x), Float(east.y))
    let (nx, ny, nz) = (Float(north.x), Float(north.y), Float(north.z))
    unsafe withUnsafeBytes(of: (ex, ey)) { east in
      unsafe withUnsafeBytes(of: (nx, ny, nz)) { north in
        guard let east = east.baseAddress, let north = north.baseAddress else { return }
        // SAFETY: the tuples are floats, and both lists have room for whole blocks.
        unsafe vk_project_circles(
          blocks, Int32((count + 3) / 4), east.assumingMemoryBound(to: Float.self),
          north.assumingMemoryBound(to: Float.self), planar)
      }
    }
    // A point that is far away in space along the normal is near on the plane.
    guard count % 16 != 0 else { return }
    let block = unsafe planar + 48 * (count / 16)
    for lane in count % 16..<16 {
      unsafe block[lane] = TreeLayout.farAway
      unsafe block[16 + lane] = TreeLayout.farAway
      unsafe block[32 + lane] = 0
    }
  }
}
