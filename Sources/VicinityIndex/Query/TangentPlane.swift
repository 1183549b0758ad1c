internal import CVicinityKernels
internal import VicinityGeodesy

/// A plane that touches the ellipsoid: where single precision tells boundary distances near by from coordinates, without
/// a sine.
///
/// A surface point's place on it is its projection along the normal at the anchor A, x east and y north, computed to the
/// second order of latitude and longitude. With c = cos φ of the anchor, c >= 1/4, R the smallest radius of curvature, and
/// places no farther than h from A (h <= 30 km) on each axis, what is left out is at most 1.4 h³ / (R²c²): with p(φ) the
/// distance from the axis, p′ = −M sin φ, |p″| <= 1.011 M, u and v the differences of latitude and longitude,
///
///     x: |p(φ) (sin v − v)| + |p″| u² |v| / 2          <= h³/R² (0.17/c² + 0.512/c)
///     y: 1.06 M |u|³/6 + M |u| v²/2 + p v⁴/24           <= h³/R² (0.179 + 0.511/c²)
///
/// **Distances** on it are no longer than chords, so no longer than geodesics. Where all that counts lies within D of A
/// (D <= 40 km) the normal turns by no more than θ = 1.001 D/R, so a chord is no longer than (1 + θ²/2) times its
/// projection, and a geodesic no longer than (1 + D²/6R²) times its chord: together (1 + 0.67 D²/R²), of a length of at
/// most 2D. ``error`` is the sum of these with twice the former and all roundings to single precision.
struct TangentPlane {
  /// How far from the anchor places may be, metres.
  let reach: Meters
  /// The plane as the kernels have it.
  let kernel: vk_plane
  /// More than what any boundary distance, or distance of two places, on the plane differs from the truth, metres.
  let error: Meters
  /// An upper bound of the metres of a degree of longitude within half a degree of latitude of any place of the plane.
  let metersPerDegree: Float
  /// The unit vectors to the east, which has no third component, and to the north.
  private let east: ECEF
  private let north: ECEF

  /// Planes farther north or south than this, as a cosine of latitude, are not laid.
  private static let leastCosine = 0.25
  /// Nor are larger ones, metres.
  private static let largestReach: Meters = 30_000
  private static let largestExtent: Meters = 40_000

  /// No plane: nothing has a place on it.
  static let none = TangentPlane()

  private init() {
    kernel = vk_plane(
      latitude: 0, longitude: 0, east: 0, eastNorth: 0, north: 0, northNorth: 0, northEast: 0,
      latitudeReach: -1,
      longitudeReach: -1)
    reach = -1
    error = .infinity
    metersPerDegree = .infinity
    east = ECEF(x: 0, y: 0, z: 0)
    north = east
  }

  /// Lays the plane at an anchor; nil where that cannot be done well enough.
  ///
  /// - Parameters:
  ///   - reach: How far from the anchor places may be, metres.
  ///   - largestRadius: The largest radius of a circle, metres.
  ///   - rounding: By how much circles' places are off on each axis, metres.
  init?(
    at coordinate: Coordinate, _ place: ECEF, reach: Meters, largestRadius: Meters, rounding: Meters
  ) {
    let extent = reach + largestRadius + 10
    guard reach <= Self.largestReach, extent <= Self.largestExtent else { return nil }
    // The normal is (x, y, z / (1 − e²)) / N.
    let axis2 = place.x * place.x + place.y * place.y
    let zn = place.z / (1 - WGS84.e2)
    let n = (axis2 + zn * zn).squareRoot()
    let axis = axis2.squareRoot()
    let cosine = axis / n
    let sine = zn / n
    guard cosine >= Self.leastCosine else { return nil }
    // M = a (1 − e²) / (1 − e² sin² φ)^(3/2), N = a / √(1 − e² sin² φ); M′ = 3 M e² sin φ cos φ / (1 − e² sin² φ).
    let m = (1 - WGS84.e2) * n * n * n * WGS84.reciprocalA2
    let slope = 1.5 * m * WGS84.e2 * sine * cosine * n * n * WGS84.reciprocalA2
    let degree = Double.pi / 180
    self.reach = reach
    kernel = vk_plane(
      latitude: coordinate.latitude, longitude: coordinate.longitude,
      east: axis * degree, eastNorth: -m * sine * (degree * degree),
      north: m * degree, northNorth: slope * (degree * degree),
      northEast: 0.5 * axis * sine * (degree * degree),
      latitudeReach: reach / (WGS84.maximumCurvatureRadius * degree), longitudeReach: reach / (axis * degree))
    let r2 = WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius
    error =
      2.8 * reach * reach * reach / (r2 * cosine * cosine) + 1.34 * extent * extent * extent / r2
      + 1.5e-6 * extent + 5e-6 * largestRadius + 2 * rounding + 1e-5
    // cos φ changes by no more than the angle: that of the plane, and half a degree.
    let largest = min(1, axis / WGS84.a + reach / WGS84.minimumCurvatureRadius + 0.01)
    metersPerDegree = Float(WGS84.maximumCurvatureRadius * degree * largest).nextUp
    let reciprocal = 1 / axis
    let (sinLon, cosLon) = (place.y * reciprocal, place.x * reciprocal)
    east = ECEF(x: -sinLon, y: cosLon, z: 0)
    north = ECEF(x: -sine * cosLon, y: -sine * sinLon, z: cosine)
  }

  /// A coordinate's place; nil where it has none. It may be farther than ``reach``, by no more than √2 times.
  @inline(__always)
  func place(of coordinate: Coordinate) -> SIMD2<Float>? {
    var x: Float = 0
    var y: Float = 0
    // SAFETY: the kernel reads the plane and writes two floats.
    let isPlaced = unsafe withUnsafePointer(to: kernel) { kernel in
      unsafe vk_plane_place(kernel, coordinate.latitude, coordinate.longitude, &x, &y)
    }
    return isPlaced != 0 ? SIMD2(x, y) : nil
  }

  /// Writes the places of circles.
  ///
  /// - Parameters:
  ///   - blocks: `count` circles as a leaf's four rows have them, relative to the anchor, in blocks of sixteen.
  ///   - planar: Gets blocks of sixteen x, y and radii; lanes beyond the last circle are far away.
  func project(_ blocks: UnsafePointer<Float>, count: Int, into planar: UnsafeMutablePointer<Float>) {
    let (ex, ey) = (Float(east.x), Float(east.y))
    let (nx, ny, nz) = (Float(north.x), Float(north.y), Float(north.z))
    unsafe withUnsafeBytes(of: (ex, ey)) { east in
      unsafe withUnsafeBytes(of: (nx, ny, nz)) { north in
        guard let east = east.baseAddress, let north = north.baseAddress else { return }
        // SAFETY: the tuples are floats, and both lists have room for whole blocks.
        unsafe vk_project(
          blocks, Int32((count + 3) / 4), east.assumingMemoryBound(to: Float.self),
          north.assumingMemoryBound(to: Float.self), planar)
      }
    }
    // What is far away in space may be near on the plane: along the normal.
    guard count % 16 != 0 else { return }
    let block = unsafe planar + 48 * (count / 16)
    for lane in count % 16..<16 {
      unsafe block[lane] = TreeLayout.farAway
      unsafe block[16 + lane] = TreeLayout.farAway
      unsafe block[32 + lane] = 0
    }
  }
}
