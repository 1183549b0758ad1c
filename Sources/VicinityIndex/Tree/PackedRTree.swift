internal import CVicinityKernels
internal import VicinityGeodesy

/// The packed R-tree: typed access to an index's bytes.
///
/// Immutable and shared: a value of this type is a handful of pointers and the storage that owns what
/// they point to. Every offset and every child number was checked when it was made (``IndexFile``), or
/// was written by ``TreeBuilder``; the values inside records are read as they stand, and what they refer to is
/// checked when it is asked for.
///
// SAFETY: the pointers point into `storage`, which is immutable and lives as long as this value.
@safe package struct PackedRTree: @unchecked Sendable {
  package let storage: IndexStorage
  package let layout: IndexLayout
  let view: TreeView
  private let positions: UnsafeRawPointer

  init(storage: IndexStorage, layout: IndexLayout) {
    self.storage = storage
    self.layout = layout
    let base = unsafe UnsafeRawPointer(storage.base)
    unsafe positions = base + layout.offset(.positions)
    var view = unsafe TreeView(base: base, layout: layout)
    if storage.isMapped { view.ordinalLimit = UInt32(clamping: layout.regionCount) }
    self.view = view
  }

  /// Whether the tree's bytes are a file's, with checksums to compare.
  var isMapped: Bool { storage.isMapped }

  /// How many regions the tree holds.
  package var count: Int { layout.regionCount }

  /// Calls `body` with a view of the tree that must not outlive the call.
  @inline(__always)
  func withView<R, E>(_ body: (TreeView) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(storage) {} }
    return try body(view)
  }

  /// Where the region with `ordinal` stands, leaf × 16 + lane, as the bytes have it.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  func position(ofOrdinal ordinal: Int) -> Int {
    Int(unsafe positions.loadUnaligned(fromByteOffset: ordinal * 4, as: UInt32.self))
  }

  /// The record of the region with `ordinal`; nil where damaged bytes lead nowhere.
  func record(ofOrdinal ordinal: Int) -> RegionRecord? {
    precondition(ordinal >= 0 && ordinal < count, "ordinal \(ordinal) is not in 0 ..< \(count)")
    let position = position(ofOrdinal: ordinal)
    guard position < layout.leafCount * TreeLayout.width else { return nil }
    return unsafe RegionRecord(
      view.leaf(position / TreeLayout.width) + TreeLayout.recordOffset
        + (position % TreeLayout.width) * TreeLayout.recordSize)
  }

  /// The identifiers.
  var identifiers: IdentifierTable.Reader {
    unsafe IdentifierTable.Reader(base: UnsafeRawPointer(storage.base), layout: layout)
  }
}

/// The pointers a search needs, with nothing to retain.
@safe struct TreeView {
  let nodes: UnsafeRawPointer
  let leaves: UnsafeRawPointer
  let polygonOffsets: UnsafeRawPointer
  let polygons: UnsafeRawPointer
  let nodeCount: Int
  let leafCount: Int
  let polygonCount: Int
  /// For each leaf a mask of the lanes that have not been removed; nil when none has.
  var live: UnsafePointer<UInt16>?
  /// Records with this ordinal or a greater one are no regions: a file's bytes may say anything.
  var ordinalLimit = TreeLayout.noOrdinal

  init(base: UnsafeRawPointer, layout: IndexLayout) {
    unsafe nodes = base + layout.offset(.nodes)
    unsafe leaves = base + layout.offset(.leaves)
    unsafe polygonOffsets = base + layout.offset(.polygonOffsets)
    unsafe polygons = base + layout.offset(.polygons)
    nodeCount = layout.nodeCount
    leafCount = layout.leafCount
    polygonCount = layout.polygonCount
    unsafe live = nil
  }

  /// A view of blocks that lie anywhere.
  init(
    nodes: UnsafeRawPointer, nodeCount: Int, leaves: UnsafeRawPointer, leafCount: Int,
    polygonOffsets: UnsafeRawPointer, polygons: UnsafeRawPointer, polygonCount: Int
  ) {
    unsafe self.nodes = nodes
    unsafe self.leaves = leaves
    unsafe self.polygonOffsets = polygonOffsets
    unsafe self.polygons = polygons
    self.nodeCount = nodeCount
    self.leafCount = leafCount
    self.polygonCount = polygonCount
    unsafe live = nil
  }

  @inline(__always)
  func node(_ i: Int) -> UnsafeRawPointer {
    assert(i >= 0 && i < nodeCount)
    return unsafe nodes + i * TreeLayout.nodeSize
  }

  @inline(__always)
  func leaf(_ i: Int) -> UnsafeRawPointer {
    assert(i >= 0 && i < leafCount)
    return unsafe leaves + i * TreeLayout.leafSize
  }

  /// The polygon in `slot`; nil where damaged bytes lead nowhere.
  @inline(__always)
  func polygon(_ slot: Int) -> PolygonView? {
    guard slot >= 0, slot < polygonCount else { return nil }
    let offset = unsafe polygonOffsets.loadUnaligned(fromByteOffset: slot * 8, as: UInt64.self)
    return unsafe PolygonView(base: polygons + Int(truncatingIfNeeded: offset))
  }

  /// Asks for the place of the polygon in `slot`, wherever that leads.
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

  /// The flagged number of the child in `lane` of node `i`.
  @inline(__always)
  func child(_ i: Int, _ lane: Int) -> UInt32 {
    unsafe node(i).loadUnaligned(fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }
}

/// A region's record within a leaf.
@safe struct RegionRecord {
  let base: UnsafeRawPointer

  @inline(__always)
  init(_ base: UnsafeRawPointer) { unsafe self.base = base }

  /// What single precision left of the centre's place, metres.
  @inline(__always)
  var remainder: (x: Double, y: Double, z: Double) {
    (
      Double(unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordX, as: Float.self)),
      Double(unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordY, as: Float.self)),
      Double(unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordZ, as: Float.self))
    )
  }

  /// For polygons: which one.
  @inline(__always)
  var polygonSlot: Int {
    Int(unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordX, as: UInt32.self))
  }

  /// Whether the record is a polygon's.
  var isPolygon: Bool {
    unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordY, as: UInt32.self)
      == TreeLayout.polygonMark
  }

  @inline(__always)
  var ordinal: UInt32 {
    unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordOrdinal, as: UInt32.self)
  }

  @inline(__always)
  var center: Coordinate {
    Coordinate(
      latitude: unsafe base.loadUnaligned(
        fromByteOffset: TreeLayout.recordLatitude, as: Double.self),
      longitude: unsafe base.loadUnaligned(
        fromByteOffset: TreeLayout.recordLongitude, as: Double.self))
  }

  @inline(__always)
  var radius: Double {
    unsafe base.loadUnaligned(fromByteOffset: TreeLayout.recordRadius, as: Double.self)
  }
}

extension PackedRTree {
  /// The polygon of the region with `ordinal`, copied out; nil for circles.
  func ownedPolygon(ofOrdinal ordinal: Int) -> Polygon? {
    guard layout.polygonCount > 0, let record = record(ofOrdinal: ordinal) else { return nil }
    guard record.isPolygon else { return nil }
    let slot = record.polygonSlot
    guard slot < layout.polygonCount else { return nil }
    let (start, end) = view.polygonRange(slot)
    guard start <= end, end <= UInt64(layout.length(.polygons)) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: view.polygons + Int(start), count: Int(end - start))
    return (unsafe try? PolygonBlob(validating: bytes)).map { Polygon(blob: $0) }
  }
}
