package import CVicinityKernels
internal import VicinityGeodesy

/// The edges that the searches of some polygons from outside leave to be measured, all of them together: two at a time,
/// and while one division or root is under way others begin.
@safe struct Feet {
  private let feet: UnsafeMutablePointer<vk_feet>

  /// The most edges that wait.
  private static let capacity: UInt32 = 64

  /// SAFETY: `feet` stays where it is while this is used.
  @unsafe @inline(__always)
  init(_ feet: UnsafeMutablePointer<vk_feet>) {
    unsafe self.feet = unsafe feet
    unsafe feet.pointee.count = 0
  }

  /// Makes ready for the polygon number `owner`, 0 ..< 32.
  @inline(__always)
  func begin(_ owner: Int) { unsafe best[owner] = .infinity }

  /// Takes note of a distance, metres.
  @inline(__always)
  func take(_ distance: Meters, _ owner: Int) {
    if unsafe distance < best[owner] { unsafe best[owner] = distance }
  }

  /// Adds edges of the group at byte `offset`, and as points those of which an end is nearest.
  @inline(__always)
  func add(
    _ lanes: UInt32, _ ends: UInt32, of view: PolygonView, at offset: Int, _ owner: Int, of place: ECEF
  ) {
    if unsafe feet.pointee.count > Self.capacity - UInt32(PolygonLayout.groupWidth) { measure(from: place) }
    let origin = view.origin
    // SAFETY: there is room for a group's edges, which lies in the layout that validation compared with the length.
    unsafe vk_add_edges(
      feet, UInt32(truncatingIfNeeded: owner), view.base + offset, origin.x, origin.y, origin.z, lanes, ends)
  }

  /// Measures all that wait.
  func measure(from place: ECEF) {
    var series = vk_chord_series.wgs84
    unsafe vk_wide_measure_feet(&series, feet, place.x, place.y, place.z)
  }

  /// The boundary distance of a polygon whose edges have been measured.
  @inline(__always)
  func distance(_ owner: Int, cutoff: Meters) -> Meters {
    unsafe cutoff >= 0 ? min(Self.limit(cutoff), best[owner]) : 0
  }

  /// So much beyond the cutoff that single precision sees it.
  @inline(__always)
  static func limit(_ cutoff: Meters) -> Meters { cutoff * (1 + 1e-6) + 1e-3 }

  private var best: UnsafeMutablePointer<Double> {
    @inline(__always) get {
      // SAFETY: six columns come before.
      unsafe UnsafeMutableRawPointer(feet).assumingMemoryBound(to: Double.self) + 6 * Int(Self.capacity)
    }
  }
}

extension vk_chord_series {
  /// The coefficients of ``ChordSeries``.
  package static let wgs84 = vk_chord_series(
    reciprocal_a2: WGS84.reciprocalA2, reciprocal_b2: WGS84.reciprocalB2, a2: WGS84.a2,
    gradient_slope: ChordSeries.gradientSlope, t1: ChordSeries.t1, t2: ChordSeries.t2, t3: ChordSeries.t3,
    t4: ChordSeries.t4, r10: ChordSeries.r10, r01: ChordSeries.r01, s10: ChordSeries.s10,
    s01: ChordSeries.s01, r20: ChordSeries.r20, r11: ChordSeries.r11, r02: ChordSeries.r02)
}
