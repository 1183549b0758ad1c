package import CVicinityKernels
package import VicinityGeodesy

/// The few circles whose boundaries a device may reach next, on a plane: what is asked first, and most often.
///
/// **The plane** touches the ellipsoid at the anchor A; a surface point's place is its projection along A's normal, x east
/// and y north, computed to the second order of latitude and longitude. With c = cos φ of the anchor, c >= 1/4, R the
/// smallest radius of curvature, and places no farther than h from A (h <= 30 km) on each axis, what is left out is at
/// most 1.4 h³ / (R²c²): with p(φ) the distance from the axis, p′ = −M sin φ, |p″| <= 1.011 M, u and v the differences
/// of latitude and longitude,
///
///     x: |p(φ) (sin v − v)| + |p″| u² |v| / 2          <= h³/R² (0.17/c² + 0.512/c)
///     y: 1.06 M |u|³/6 + M |u| v²/2 + p v⁴/24           <= h³/R² (0.179 + 0.511/c²)
///
/// **Distances** on it are no longer than chords, so no longer than geodesics. Where all that counts lies within D of A
/// (D <= 40 km) the normal turns by no more than θ = 1.001 D/R, so a chord is no longer than (1 + θ²/2) times its
/// projection, and a geodesic no longer than (1 + D²/6R²) times its chord: together (1 + 0.67 D²/R²), of a length of at
/// most 2D. ``error`` is the sum of these with twice the former and all roundings to single precision.
///
/// **What follows.** Boundary distance d changes by no more than the way. So a boundary that is met on a way of length s
/// has |d₁| + |d₂| <= s, and then |d₁ + d₂| <= s; circles for which the plane says more by a margin are not met. Every
/// circle that is not listed, and every region that is no circle, has its boundary no nearer than `reach` to the middle of
/// a disc, and a way between two places of the disc lies in it (``Neighborhood``).
@safe package struct Shortlist: ~Copyable {
  /// The list as the kernels have it.
  package let list: UnsafeMutablePointer<vk_shortlist>
  let records: UnsafeMutablePointer<UnsafeRawPointer?>
  /// More than what any boundary distance, or distance of two places, on the plane differs from the truth, metres.
  private(set) var error: Meters = 0
  /// An upper bound of the metres of a degree of longitude within half a degree of latitude of any place of the plane.
  package private(set) var metersPerDegree: Float = 0
  /// What the last look of another has found; of this list.
  package var found: Look?
  /// How far around a place to list circles, metres.
  var radius: Float = 100

  /// Planes farther north or south than this, as a cosine of latitude, are not laid.
  private static let leastCosine = 0.25
  /// Nor are larger ones, metres.
  private static let largestReach: Meters = 30_000
  private static let largestExtent: Meters = 40_000
  /// How long a way may be, metres: one that crossings take in one piece.
  static let longestWay: Float = 2500

  init() {
    unsafe list = .allocate(capacity: 1)
    // SAFETY: the memory has just been allocated; a structure of numbers may be all zeros.
    unsafe list.initialize(to: vk_shortlist())
    unsafe list.pointee.longestWay = Self.longestWay
    unsafe records = .allocate(capacity: Int(VK_SHORTLIST_ROOM))
    unsafe records.initialize(repeating: nil, count: Int(VK_SHORTLIST_ROOM))
    clear()
    removePlane()
  }

  deinit {
    unsafe list.deallocate()
    unsafe records.deallocate()
  }

  static var byteCount: Int {
    unsafe MemoryLayout<vk_shortlist>.size + Int(VK_SHORTLIST_ROOM) * MemoryLayout<UnsafeRawPointer>.size
  }

  /// Whether there is a plane.
  var hasPlane: Bool { unsafe list.pointee.plane.latitudeReach >= 0 }

  /// Forgets the list.
  mutating func clear() {
    found = nil
    unsafe list.pointee.reach = -1
    unsafe list.pointee.reach2 = -1
  }

  func removePlane() {
    unsafe list.pointee.plane.latitudeReach = -1
    unsafe list.pointee.plane.longitudeReach = -1
  }

  /// Lays the plane at an anchor, where that can be done well enough.
  ///
  /// - Parameters:
  ///   - reach: How far from the anchor places may be, metres.
  ///   - largestRadius: The largest radius of a circle, metres.
  ///   - rounding: By how much circles' places are off on each axis, metres.
  /// - Returns: The unit vectors to the east and to the north; nil without a plane.
  mutating func layPlane(
    at coordinate: Coordinate, _ place: ECEF, reach: Meters, largestRadius: Meters, rounding: Meters
  ) -> (east: ECEF, north: ECEF)? {
    clear()
    removePlane()
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
    unsafe list.pointee.plane = vk_plane(
      latitude: coordinate.latitude, longitude: coordinate.longitude,
      east: axis * degree, eastNorth: -m * sine * (degree * degree),
      north: m * degree, northNorth: slope * (degree * degree),
      northEast: 0.5 * axis * sine * (degree * degree),
      latitudeReach: reach / (WGS84.maximumCurvatureRadius * degree), longitudeReach: reach / (axis * degree))
    let r2 = WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius
    error =
      2.8 * reach * reach * reach / (r2 * cosine * cosine) + 1.34 * extent * extent * extent / r2
      + 1.5e-6 * extent + 5e-6 * largestRadius + 2 * rounding + 1e-5
    unsafe list.pointee.slack = Float(4 * error).nextUp
    // cos φ changes by no more than the angle: that of the plane, and half a degree.
    let largest = min(1, axis / WGS84.a + reach / WGS84.minimumCurvatureRadius + 0.01)
    metersPerDegree = Float(WGS84.maximumCurvatureRadius * degree * largest).nextUp
    let reciprocal = 1 / axis
    let (sinLon, cosLon) = (place.y * reciprocal, place.x * reciprocal)
    return (
      ECEF(x: -sinLon, y: cosLon, z: 0), ECEF(x: -sine * cosLon, y: -sine * sinLon, z: cosine)
    )
  }

  /// A coordinate's place on the plane; nil where it has none.
  @inline(__always)
  func place(of coordinate: Coordinate) -> SIMD2<Float>? {
    var x: Float = 0
    var y: Float = 0
    // SAFETY: the list lives as long as this value, and the kernel writes two floats.
    let isPlaced = unsafe vk_plane_place(
      &list.pointee.plane, coordinate.latitude, coordinate.longitude, &x, &y)
    return isPlaced != 0 ? SIMD2(x, y) : nil
  }

  /// What a look at a way between two fixes has found.
  package struct Look {
    /// The way.
    package var start: Coordinate
    package var end: Coordinate
    /// The listed circles whose boundaries may be met: bit i is that in lane i.
    package var touched: UInt32
    /// No boundary lies nearer than this to the end of the way, metres; zero or less where that is not known.
    package var reach: Meters

    package init(start: Coordinate, end: Coordinate, touched: UInt32, reach: Meters) {
      self.start = start
      self.end = end
      self.touched = touched
      self.reach = reach
    }
  }

  /// Which boundaries a way may meet; nil where the list does not tell.
  package mutating func look(from start: Coordinate, to end: Coordinate) -> Look? {
    if let found, found.end == end, found.start == start {
      self.found = nil
      return found
    }
    guard let p = place(of: start), let q = place(of: end) else { return nil }
    let limit2 = unsafe list.pointee.reach2
    let offset2 = unsafe vk_shortlist_offset2(list, q.x, q.y)
    guard offset2 < limit2, unsafe vk_shortlist_offset2(list, p.x, p.y) < limit2 else { return nil }
    let length = Self.length(p, q)
    guard unsafe length < list.pointee.longestWay else { return nil }
    var nearest = Float.greatestFiniteMagnitude
    unsafe vk_shortlist_begin(list, p.x, p.y)
    let touched = unsafe vk_shortlist_move(list, q.x, q.y, length + list.pointee.slack, 1, &nearest)
    let clear = unsafe min(nearest, list.pointee.reach - offset2.squareRoot()) - list.pointee.slack
    return Look(start: start, end: end, touched: touched, reach: Double(clear))
  }

  @inline(__always)
  static func length(_ p: SIMD2<Float>, _ q: SIMD2<Float>) -> Float {
    let d = q - p
    return (d.x * d.x + d.y * d.y).squareRoot()
  }
}
