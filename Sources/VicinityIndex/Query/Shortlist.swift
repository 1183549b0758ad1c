package import CVicinityKernels
package import VicinityGeodesy

/// The few circles whose boundaries a device may reach next, on a plane (``TangentPlane``): what is asked first, and most
/// often.
///
/// **What follows.** Boundary distance d changes by no more than the way. So a boundary that is met on a way of length s
/// has |d₁| + |d₂| <= s, and then d₁ + d₂ <= s; circles for which the plane says more by a margin are not met. Nor are
/// those that hold both ends, as discs are convex, and those that the way passes by: with e the plane's error and l the
/// distance of the ends on it, a place of the way lies no farther from both together than l + 3e, so in an ellipse that
/// leaves the straight line between them by no more than √((l + 3e)² − l²) / 2. Every
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
  /// How far around a place to list circles, metres.
  var radius: Float = 100

  /// How long a way may be, metres: one that crossings take in one piece.
  static let longestWay: Float = 2500

  init() {
    unsafe list = .allocate(capacity: 1)
    // SAFETY: the memory has just been allocated; a structure of numbers may be all zeros.
    unsafe list.initialize(to: vk_shortlist())
    unsafe list.pointee.longestWay = Self.longestWay
    unsafe records = .allocate(capacity: Int(VK_SHORTLIST_ROOM))
    unsafe records.initialize(repeating: nil, count: Int(VK_SHORTLIST_ROOM))
    lay(.none)
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
    unsafe list.pointee.reach = -1
    unsafe list.pointee.reach2 = -1
  }

  /// Takes a plane for its own, and forgets the list.
  mutating func lay(_ plane: TangentPlane) {
    clear()
    unsafe list.pointee.plane = plane.kernel
    unsafe list.pointee.slack = Float(4 * plane.error).nextUp
    error = plane.error
    metersPerDegree = plane.metersPerDegree
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
    /// The listed circles whose boundaries may be met: bit i is that in lane i.
    package var touched: UInt32
    /// No boundary lies nearer than this to the end of the way, metres; zero or less where that is not known.
    package var reach: Meters
  }

  /// Which boundaries a way may meet; nil where the list does not tell.
  package func look(from start: Coordinate, to end: Coordinate) -> Look? {
    guard let p = place(of: start), let q = place(of: end) else { return nil }
    let limit2 = unsafe list.pointee.reach2
    let offset2 = unsafe vk_shortlist_offset2(list, q.x, q.y)
    guard offset2 < limit2, unsafe vk_shortlist_offset2(list, p.x, p.y) < limit2 else { return nil }
    let length = Self.length(p, q)
    guard unsafe length < list.pointee.longestWay else { return nil }
    var nearest = Float.greatestFiniteMagnitude
    let near = unsafe vk_shortlist_touched(
      list, p.x, p.y, q.x, q.y, length + list.pointee.slack, &nearest)
    let touched = unsafe vk_shortlist_met(list, near, p.x, p.y, q.x, q.y, length + list.pointee.slack)
    let clear = unsafe min(nearest, list.pointee.reach - offset2.squareRoot()) - list.pointee.slack
    return Look(touched: touched, reach: Double(clear))
  }

  @inline(__always)
  static func length(_ p: SIMD2<Float>, _ q: SIMD2<Float>) -> Float {
    let d = q - p
    return (d.x * d.x + d.y * d.y).squareRoot()
  }
}
