public import CVicinityKernels
public import VicinityGeodesy

/// Edges of several polygons whose exact distances are computed together: while one division or root is under
/// way others begin.
@safe @usableFromInline
package struct ClosestPointBatch {
  @usableFromInline let kernel: UnsafeMutablePointer<vk_closest_point_batch>

  /// The most edges that wait.
  @inlinable static var capacity: UInt32 { 64 }

  /// SAFETY: `kernel` stays where it is while this is used.
  @unsafe @inlinable @inline(__always)
  package init(_ kernel: UnsafeMutablePointer<vk_closest_point_batch>) {
    unsafe self.kernel = unsafe kernel
    unsafe kernel.pointee.count = 0
  }

  /// Prepares for the polygon number `owner`, 0 ..< 32.
  @inlinable @inline(__always)
  package func begin(_ owner: Int) { unsafe best[owner] = .infinity }

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
    // SAFETY: there is room for a group's edges, and the group lies in the layout that validation compared
    // with the length.
    unsafe vk_add_edges(
      kernel, UInt32(truncatingIfNeeded: owner), view.base + view.offset(ofGroup: candidates.group), origin.x,
      origin.y, origin.z, candidates.lanes, candidates.ends)
  }

  /// Measures all edges that wait.
  package func measure(from place: ECEF) {
    var series = KernelConstants.chordSeries
    unsafe vk_measure(&series, kernel, place.x, place.y, place.z)
  }

  /// The boundary distance of a polygon whose edges have been measured, metres.
  @inlinable @inline(__always)
  package func distance(_ owner: Int, cutoff: Meters) -> Meters {
    unsafe cutoff >= 0 ? min(Self.limit(cutoff), best[owner]) : 0
  }

  /// The cutoff, raised by as much as single precision can see.
  @inlinable @inline(__always)
  static func limit(_ cutoff: Meters) -> Meters { cutoff * (1 + 1e-6) + 1e-3 }

  @usableFromInline var best: UnsafeMutablePointer<Double> {
    @inlinable @inline(__always) get {
      // SAFETY: six columns come before.
      unsafe UnsafeMutableRawPointer(kernel).assumingMemoryBound(to: Double.self) + 6 * Int(Self.capacity)
    }
  }
}
