package import CVicinityKernels
internal import VicinityGeodesy

/// Edges of several polygons whose exact distances are computed together: while one division or root is under way others
/// begin.
@safe struct ClosestPointBatch {
  private let kernel: UnsafeMutablePointer<vk_closest_point_batch>

  /// The most edges that wait.
  private static let capacity: UInt32 = 64

  /// SAFETY: `kernel` stays where it is while this is used.
  @unsafe @inline(__always)
  init(_ kernel: UnsafeMutablePointer<vk_closest_point_batch>) {
    unsafe self.kernel = unsafe kernel
    unsafe kernel.pointee.count = 0
  }

  /// Prepares for the polygon number `owner`, 0 ..< 32.
  @inline(__always)
  func begin(_ owner: Int) { unsafe best[owner] = .infinity }

  /// Offers a distance that has been measured already, metres.
  @inline(__always)
  func offer(_ distance: Meters, _ owner: Int) {
    if unsafe distance < best[owner] { unsafe best[owner] = distance }
  }

  /// Adds candidates of a polygon; edges whose nearest point is an end are added as points.
  @inline(__always)
  func add(_ candidates: EdgeCandidates, of view: PolygonView, _ owner: Int, from place: ECEF) {
    if unsafe kernel.pointee.count > Self.capacity - UInt32(PolygonLayout.groupWidth) { measure(from: place) }
    let origin = view.origin
    // SAFETY: there is room for a group's edges, and the group lies in the layout that validation compared with the length.
    unsafe vk_add_edges(
      kernel, UInt32(truncatingIfNeeded: owner), view.base + view.offset(ofGroup: candidates.group), origin.x,
      origin.y, origin.z, candidates.lanes, candidates.ends)
  }

  /// Measures all edges that wait.
  func measure(from place: ECEF) {
    var series = vk_chord_series.wgs84
    unsafe vk_measure(&series, kernel, place.x, place.y, place.z)
  }

  /// The boundary distance of a polygon whose edges have been measured, metres.
  @inline(__always)
  func distance(_ owner: Int, cutoff: Meters) -> Meters {
    unsafe cutoff >= 0 ? min(Self.limit(cutoff), best[owner]) : 0
  }

  /// The cutoff, raised by as much as single precision can see.
  @inline(__always)
  static func limit(_ cutoff: Meters) -> Meters { cutoff * (1 + 1e-6) + 1e-3 }

  private var best: UnsafeMutablePointer<Double> {
    @inline(__always) get {
      // SAFETY: six columns come before.
      unsafe UnsafeMutableRawPointer(kernel).assumingMemoryBound(to: Double.self) + 6 * Int(Self.capacity)
    }
  }
}

extension vk_chord_series {
  /// The coefficients of ``ChordSeries``. Computed, as the compiler folds them into constants: a stored property would be
  /// initialized lazily, and every query would ask whether it has been.
  @inline(__always)
  package static var wgs84: vk_chord_series {
    vk_chord_series(
      reciprocal_a2: WGS84.reciprocalA2, reciprocal_b2: WGS84.reciprocalB2, a2: WGS84.a2,
      gradient_slope: ChordSeries.gradientSlope, t1: ChordSeries.t1, t2: ChordSeries.t2, t3: ChordSeries.t3,
      t4: ChordSeries.t4, r10: ChordSeries.r10, r01: ChordSeries.r01, s10: ChordSeries.s10,
      s01: ChordSeries.s01, r20: ChordSeries.r20, r11: ChordSeries.r11, r02: ChordSeries.r02)
  }
}
