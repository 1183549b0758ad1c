internal import CVicinityKernels

/// How far a position is from the sixteen chords of a group, in single precision.
struct ChordGaps {
  private let look: vk_look

  /// Looks at the group at byte `offset`, which lies in the layout that validation compared with the length.
  ///
  /// - Parameter limit: No chord longer than this matters, metres; positive.
  @inline(__always)
  init(_ view: PolygonView, _ frame: SearchFrame, at offset: Int, limit: Double) {
    var look = vk_look()
    look.limit = min(limit, Self.farthest)
    // SAFETY: groups begin at multiples of 64 bytes.
    unsafe vk_wide_look(
      view.base + offset, frame.relative.x, frame.relative.y, frame.relative.z, &look)
    self.look = look
  }

  /// A lower bound of the chord to the nearest edge, metres.
  @inline(__always)
  var lowerBound: Float { look.lower }

  /// The edges that may be within the limit: a bit for each.
  @inline(__always)
  var lanes: UInt32 { look.lanes }

  /// Bit i: the start of chord i is its nearest point; bit 16 + i: its end is.
  @inline(__always)
  var ends: UInt32 { look.ends }

  /// The limit, and no more than the longest chord to the nearest boundary point where the shortest of these, at most u
  /// metres long, tells that.
  ///
  /// The geodesic to it is at most 2 R₋ asin(u / 2R₋), and the chord of one no longer at most 2 R₊ times the sine of that
  /// over 2R₊ (``GeodesicBounds``), as ``EdgeKernel/longestChord(of:)`` has it. Up to 8000 km this is less than
  /// u (1 + 2.2e-17 u² + 1.4e-31 u⁴): the series begins with (R₋⁻² - R₊⁻²) / 24 = 2.08e-17, torsion adds 0.10e-17, and
  /// what is over u³ rises from 2.17e-17 to 2.67e-17 at 8000 km, where the polynomial has 3.1e-17. Ties need a tenth of
  /// a millimetre.
  @inline(__always)
  var limit: Double { look.limit }

  /// Up to here an upper bound of the shortest chord limits the chord to the nearest point, metres.
  static var comparableChord: Double { VK_COMPARABLE_CHORD }

  /// More than any chord, metres; its square is less than the gap to an absent box.
  static var farthest: Double { VK_FARTHEST }
}
