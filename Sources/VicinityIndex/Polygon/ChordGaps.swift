internal import CVicinityKernels

/// How far a position is from the sixteen chords of a group, in single precision.
struct ChordGaps {
  /// The squared distances; 1e37 where there is no edge.
  private var squared = InlineArray<16, Float>(repeating: 0)
  /// The distance to the nearest, metres.
  let least: Float
  /// How far chords as computed may be from those to the surface arcs, metres.
  let slack: Float
  /// Bit i: the start of chord i is its nearest point; bit 16 + i: its end is.
  let ends: UInt32

  /// Looks at the group at byte `offset`, which lies in the layout that validation compared with the length.
  @inline(__always)
  init(_ view: PolygonView, _ frame: SearchFrame, at offset: Int) {
    typealias Group = PolygonLayout.Group
    let x = Float(frame.relative.x - Double(view.float(offset &+ Group.center)))
    let y = Float(frame.relative.y - Double(view.float(offset &+ Group.rowSize &+ Group.center)))
    let z = Float(frame.relative.z - Double(view.float(offset &+ 2 &* Group.rowSize &+ Group.center)))
    let reach = abs(x) + abs(y) + abs(z) + 2 * view.float(offset &+ Group.size)
    slack = view.float(offset &+ Group.sagitta) + 0x1p-19 * reach
    var ends: UInt32 = 0
    // SAFETY: groups begin at multiples of 64 bytes.
    least = unsafe squared.withUnsafeFloats {
      unsafe vk_wide_edge_gaps(view.base + offset, x, y, z, $0, &ends)
    }.squareRoot()
    self.ends = ends
  }

  /// The chords that no more than `limit` metres may separate from the position.
  @inline(__always)
  mutating func lanes(below limit: Double) -> UInt32 {
    let reachable = (Float(limit).nextUp + slack) * (1 + 0x1p-21)
    return unsafe squared.withUnsafeFloats { unsafe vk_below16($0, reachable * reachable) }
  }

  /// Up to here an upper bound of the shortest chord limits the chord to the nearest point, metres.
  static var comparableChord: Double { 2e6 }

  /// The longest chord to the nearest boundary point where there is one with a chord of at most `u`.
  ///
  /// The geodesic to it is at most 2 R₋ asin(u / 2R₋), and the chord of one no longer at most 2 R₊ times the sine of that
  /// over 2R₊ (``GeodesicBounds``). Up to 3000 km this is less than u (1 + 2.2e-17 u² + 1.4e-31 u⁴): the series begins
  /// with (R₋⁻² - R₊⁻²) / 24 = 2.08e-17, and the rest stays below a sixteenth of that up to 2000 km. Ties need a
  /// tenth of a millimetre.
  ///
  /// - Precondition: `u` is at most ``comparableChord``.
  @inline(__always)
  static func limit(_ u: Double) -> Double {
    let u2 = u * u
    return u * (1 + u2 * (2.2e-17 + u2 * 1.4e-31)) + 1e-4
  }
}
