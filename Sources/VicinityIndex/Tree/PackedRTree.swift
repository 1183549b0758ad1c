internal import CVicinityKernels
internal import Synchronization
package import VicinityGeodesy
package import VicinityPolygon

/// The packed R-tree: typed access to an index's bytes.
///
/// Immutable and shared: a value of this type is a handful of pointers and the storage that owns what they
/// point to. Every offset and every child number was checked when it was made (``IndexFile``), or was written
/// by ``TreeBuilder``. Values inside records are read unchecked; the polygons that they refer to are checked
/// when they are read.
///
// SAFETY: the pointers point into `storage`, which is immutable and lives as long as this value.
@safe package struct PackedRTree: @unchecked Sendable {
  package let storage: IndexStorage
  package let layout: IndexLayout
  /// To be used only while the tree is alive.
  package let view: TreeView
  private let positions: UnsafeRawPointer

  init(storage: IndexStorage, layout: IndexLayout) {
    self.storage = storage
    self.layout = layout
    let base = unsafe UnsafeRawPointer(storage.base)
    unsafe positions = base + layout.offset(.positions)
    unsafe view = TreeView(
      nodes: base + layout.offset(.nodes), nodeCount: layout.nodeCount,
      leaves: base + layout.offset(.leaves), leafCount: layout.leafCount,
      polygonOffsets: base + layout.offset(.polygonOffsets), polygons: base + layout.offset(.polygons),
      polygonCount: layout.polygonCount,
      ordinalLimit: storage.isFromFile ? UInt32(clamping: layout.regionCount) : TreeLayout.noOrdinal,
      version: Self.versions.add(1, ordering: .relaxed).newValue)
  }

  /// How many trees there have been.
  private static let versions = Atomic<UInt64>(0)

  /// Whether the tree's bytes are a file's, with checksums to compare.
  var isFromFile: Bool { storage.isFromFile }

  /// How many regions the tree holds.
  package var count: Int { layout.regionCount }

  /// The position of the region with `ordinal`, leaf × 16 + lane, as the bytes have it.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  func position(ofOrdinal ordinal: Int) -> Int {
    Int(unsafe positions.loadUnaligned(fromByteOffset: ordinal * 4, as: UInt32.self))
  }

  /// The record of the region with `ordinal`; nil where damaged bytes lead nowhere.
  package func record(ofOrdinal ordinal: Int) -> RegionRecord? {
    precondition(ordinal >= 0 && ordinal < count, "ordinal \(ordinal) is not in 0 ..< \(count)")
    let position = position(ofOrdinal: ordinal)
    guard position < layout.leafCount * TreeLayout.width else { return nil }
    return view.record(position / TreeLayout.width, position % TreeLayout.width)
  }

  var identifiers: IdentifierTable.Reader {
    unsafe IdentifierTable.Reader(base: UnsafeRawPointer(storage.base), layout: layout)
  }

  /// The polygon of the region with `ordinal`, copied out; nil for circles.
  func ownedPolygon(ofOrdinal ordinal: Int) -> Polygon? {
    guard let bytes = unsafe polygonBytes(ofOrdinal: ordinal) else { return nil }
    return (unsafe try? PolygonBlob(validating: bytes)).map { Polygon(blob: $0) }
  }

  /// The bytes of the polygon of the region with `ordinal`, to be read only while the tree is alive; nil for
  /// circles.
  func polygonBytes(ofOrdinal ordinal: Int) -> UnsafeRawBufferPointer? {
    guard layout.polygonCount > 0, let record = record(ofOrdinal: ordinal) else { return nil }
    guard record.isPolygon else { return nil }
    let slot = record.polygonSlot
    guard slot < layout.polygonCount else { return nil }
    let (start, end) = view.polygonRange(slot)
    guard start <= end, end <= UInt64(layout.length(.polygons)) else { return nil }
    return unsafe UnsafeRawBufferPointer(start: view.polygons + Int(start), count: Int(end - start))
  }
}

/// The pointers that a search needs, with nothing to retain: the blocks of a packed tree or of one that
/// changes.
@safe package struct TreeView {
  package let nodes: UnsafeRawPointer
  package let nodeCount: Int
  package let leaves: UnsafeRawPointer
  package let leafCount: Int
  let polygonOffsets: UnsafeRawPointer
  let polygons: UnsafeRawPointer
  let polygonCount: Int
  /// Records with this ordinal or a greater one are no regions: a file's bytes may say anything.
  package var ordinalLimit = TreeLayout.noOrdinal
  /// A number that no other packed tree has, so that working memory knows its own again; 0 for trees that
  /// change.
  var version: UInt64 = 0
  /// What comes first below each child of each node, sixteen for a node, in a tree that changes.
  package var tops: UnsafePointer<LaneTop>?

  @inlinable @inline(__always)
  package func node(_ i: Int) -> UnsafeRawPointer {
    assert(i >= 0 && i < nodeCount)
    return unsafe nodes + i * TreeLayout.nodeSize
  }

  @inlinable @inline(__always)
  package func leaf(_ i: Int) -> UnsafeRawPointer {
    assert(i >= 0 && i < leafCount)
    return unsafe leaves + i * TreeLayout.leafSize
  }

  /// The flagged number of the child in `lane` of node `i`.
  @inlinable @inline(__always)
  package func child(_ i: Int, _ lane: Int) -> UInt32 {
    unsafe node(i).loadUnaligned(fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }

  @inlinable @inline(__always)
  package func record(_ leaf: Int, _ lane: Int) -> RegionRecord {
    unsafe RegionRecord(self.leaf(leaf) + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
  }

  /// The polygon in `slot`; nil where damaged bytes lead nowhere.
  @inline(__always)
  package func polygon(_ slot: Int) -> PolygonView? {
    guard slot >= 0, slot < polygonCount else { return nil }
    let offset = unsafe polygonOffsets.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
    return unsafe PolygonView(base: polygons + Int(truncatingIfNeeded: offset))
  }

  /// Prefetches the offset of the polygon in `slot`; any slot is safe.
  @inline(__always)
  func prefetchOffset(ofPolygon slot: Int) {
    unsafe vk_prefetch(polygonOffsets + slot * 8, 1)
  }

  /// Where polygon `slot` starts and ends in its section.
  func polygonRange(_ slot: Int) -> (start: UInt64, end: UInt64) {
    (
      unsafe polygonOffsets.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self),
      unsafe polygonOffsets.loadUnaligned(fromByteOffset: slot * 8 + 8, as: UInt64.self)
    )
  }
}

extension TreeView {
  /// Single precision places a query to half a metre on each axis and rounds differences of up to an Earth's
  /// diameter to a metre: less than this in all, metres.
  @inlinable package static var nodeEpsilon: Float { 3 }

  /// The most by which the boundary distance of a circle in a leaf can exceed its bound by the chord alone,
  /// metres; nil where that is not small (u / 24 beyond 1e-5).
  ///
  /// No chord is longer than the `extent`. The chord's bound leaves open c (u/24 + 3u²/640) and the band
  /// above that series, c (8.6e-4 u + ...), as in `vk_leaf_bounds`. To that are added the slack of chord and
  /// radius, three times for the roundings of the sum, and epsilon twice.
  @inlinable @inline(__always)
  package static func nearBand(extent: Float, largestRadius: Float, epsilon: Float) -> Float? {
    guard extent < 1e5 else { return nil }
    let u = extent * extent * 2.442e-14
    return extent * (1.3e-5 + 0.044 * u) + largestRadius * 1.3e-5 + 2 * epsilon
  }
}

/// A region's record within a leaf.
@safe package struct RegionRecord {
  package let base: UnsafeRawPointer

  @inlinable @inline(__always)
  package init(_ base: UnsafeRawPointer) { unsafe self.base = base }

  @inlinable @inline(__always)
  func load<T: BitwiseCopyable>(_ offset: Int) -> T {
    unsafe base.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  /// What single precision left over of the centre's offset, metres.
  @inline(__always)
  var remainder: (x: Double, y: Double, z: Double) {
    let (x, y, z): (Float, Float, Float) = (
      load(TreeLayout.recordX), load(TreeLayout.recordY), load(TreeLayout.recordZ)
    )
    return (Double(x), Double(y), Double(z))
  }

  /// For polygons: which one.
  @inlinable @inline(__always)
  package var polygonSlot: Int { Int(load(TreeLayout.recordX) as UInt32) }

  @inlinable @inline(__always)
  package var isPolygon: Bool { load(TreeLayout.recordY) == TreeLayout.polygonMark }

  @inlinable @inline(__always)
  package var ordinal: UInt32 { load(TreeLayout.recordOrdinal) }

  @inlinable @inline(__always)
  package var center: Coordinate {
    Coordinate(latitude: load(TreeLayout.recordLatitude), longitude: load(TreeLayout.recordLongitude))
  }

  /// For polygons that of the bounding circle, metres.
  @inlinable @inline(__always)
  package var radius: Double { load(TreeLayout.recordRadius) }
}
