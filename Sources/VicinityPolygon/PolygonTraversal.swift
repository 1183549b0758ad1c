public import CVicinityKernels
internal import VicinityGeodesy

/// Edges of one group that may be nearest.
typealias EdgeCandidates = vk_edge_candidates

/// A traversal of one polygon's boxes, nearest first, down to the edges that may be nearest to a position
/// (`vk_traverse`).
///
/// The kernel compares boxes and chords in single precision, with certified errors; what these leave open is
/// measured exactly by ``measure(_:)``. Its limit is a chord: of boundary points farther off in a straight
/// line none can be nearest over the surface. It shrinks with every group and every exact distance.
@safe @usableFromInline
package struct PolygonTraversal {
  @usableFromInline let kernel: UnsafeMutablePointer<vk_traversal>

  /// SAFETY: `kernel` is a traversal that has been begun, and it stays where it is while this is used.
  @unsafe @inlinable @inline(__always)
  package init(_ kernel: UnsafeMutablePointer<vk_traversal>) {
    unsafe self.kernel = unsafe kernel
  }

  /// Sets what the kernel needs of a polygon before it begins.
  ///
  /// SAFETY: `kernel` has room for a traversal, and the polygon's bytes outlive it.
  @unsafe @inlinable @inline(__always)
  package static func prepare(
    _ kernel: UnsafeMutablePointer<vk_traversal>, _ polygon: PolygonView, bound: Float = 0,
    limit: Double = VK_FARTHEST, findsAll: Bool = false
  ) {
    unsafe kernel.pointee.polygon = unsafe polygon.base.assumingMemoryBound(to: CChar.self)
    unsafe kernel.pointee.bound = bound
    unsafe kernel.pointee.limit = min(max(0, limit), VK_FARTHEST)
    unsafe kernel.pointee.finds_all = findsAll ? 1 : 0
  }

  /// Whether the position lies outside the region for certain, by the region's box alone: by more than a
  /// centimetre and rounding. A region that no circle bounds is never said not to contain it.
  @inlinable @inline(__always)
  package var isOutside: Bool { unsafe kernel.pointee.is_outside != 0 }

  /// Whether all candidates have been found, and are so near that they are measured together
  /// (``ClosestPointBatch``).
  @inline(__always)
  var isNear: Bool {
    unsafe kernel.pointee.is_finished != 0 && kernel.pointee.candidate_count > 0
      && vk_edge_candidates_at(kernel, 0).lower < VK_NEAR_EDGES
  }

  /// Lowers the limit: no boundary point with a chord longer than `chord` matters, metres. A NaN is ignored.
  @inline(__always)
  func limit(to chord: Double) {
    if unsafe chord < kernel.pointee.limit { unsafe kernel.pointee.limit = chord }
  }

  /// Hands over all edges that may be nearest, group by group.
  ///
  /// - Parameter body: Measures the edges, and returns the longest chord that matters from then on, metres.
  @inline(__always)
  func measure(_ body: (EdgeCandidates) -> Double) {
    while true {
      for i in 0..<(unsafe kernel.pointee.candidate_count) {
        let candidates = unsafe vk_edge_candidates_at(kernel, Int32(bitPattern: i))
        if unsafe Double(candidates.lower) <= kernel.pointee.limit { limit(to: body(candidates)) }
      }
      if unsafe kernel.pointee.is_finished != 0 { return }
      unsafe vk_resume(kernel)
    }
  }
}

extension PolygonView {
  /// Traverses the boundary from a position.
  ///
  /// - Parameters:
  ///   - limit: Where the position lies outside for certain, no boundary point with a longer chord matters,
  ///     metres.
  ///   - findsAll: Whether all edges within the limit are wanted, and not only those that may be nearest.
  @inline(__always)
  func withTraversal<Result>(
    from place: ECEF, limit: Double = VK_FARTHEST, findsAll: Bool = false,
    _ body: (PolygonTraversal) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: vk_traversal.self, capacity: 1) { buffer in
      // SAFETY: the buffer has room for one, so it has an address.
      let kernel = unsafe buffer.baseAddress.unsafelyUnwrapped
      unsafe PolygonTraversal.prepare(kernel, self, limit: limit, findsAll: findsAll)
      unsafe vk_traverse(kernel, 1, place.x, place.y, place.z)
      return unsafe body(PolygonTraversal(kernel))
    }
  }

  /// The first byte of a group.
  @inline(__always)
  func offset(ofGroup group: Int32) -> Int {
    layout.groupsOffset &+ Int(group) &* PolygonLayout.groupSize
  }
}
