internal import Synchronization
internal import VicinityGeodesy
internal import VicinityPolygon

/// The contents of an ``UpdatableRegionIndex``, shared between copies until one of them changes.
///
// SAFETY: an index changes its storage only while no other index refers to it, and copies it first otherwise.
// So storage that others can read is never written to.
final class UpdatableStorage: @unchecked Sendable {
  var tree: DynamicTree
  var names: IdentifierMap
  var polygons: PolygonArena
  var nextOrdinal: UInt32
  var polygonCount: Int
  /// A number that no other state of any index has.
  private(set) var revision = revisions.add(1, ordering: .relaxed).newValue
  private static let revisions = Atomic<UInt64>(0)
  /// How many regions were inserted or removed since the tree was built.
  private var churn = 0
  let threads: Int

  /// Ordinals end where the mark of empty lanes begins.
  static let maximumOrdinal = TreeLayout.noOrdinal - 1

  /// The tree is built again when the changes reach three quarters of the number of regions. Until then
  /// splits and repacking slow queries by up to a fifth, and by two thirds at twice as many changes as
  /// regions. Building costs 0.6 s at a million regions, 0.8 us for each change (two cores, bursts of 100k).
  private static func isDue(churn: Int, count: Int) -> Bool {
    churn > leastChurn && churn > count / 4 * 3
  }
  /// The least changes that are worth building for.
  private static let leastChurn = 4096

  /// A new region whose shape has been found valid.
  struct CheckedRegion {
    var center: Coordinate
    var radius: Double
    var polygon: Polygon?

    init(_ region: Region) throws(RegionError) {
      switch region.shape {
      case .circle(let center, let radius):
        try RegionSet.checkCircle(region.identifier.utf8, center, radius)
        self.center = center
        self.radius = radius
      case .polygon(let polygon):
        center = polygon.boundingCenter
        radius = polygon.boundingRadius
        self.polygon = polygon
      }
    }
  }

  init(_ set: RegionSet, threads: Int, firstOrdinal: UInt32 = 0) throws(RegionError) {
    guard set.count <= Int(Self.maximumOrdinal) - Int(firstOrdinal) + 1 else {
      throw .ordinalsExhausted(maximum: Int(Self.maximumOrdinal))
    }
    names = IdentifierMap()
    polygons = try PolygonArena(
      byteCount: set.polygons.reduce(0) { $0 + $1.polygon.blob.byteCount })
    try names.reserve(set.count, byteCount: set.identifierBytes.count)
    var circleColumns = DynamicTree.Columns(capacity: set.count - set.polygons.count)
    var polygonColumns = DynamicTree.Columns(capacity: set.polygons.count)
    var nextPolygon = 0
    for i in 0..<set.count {
      let ordinal = firstOrdinal + UInt32(truncatingIfNeeded: i)
      let row = UInt32(truncatingIfNeeded: try Self.enter(i, of: set, ordinal, &names))
      if nextPolygon < set.polygons.count, set.polygons[nextPolygon].ordinal == i {
        let blob = set.polygons[nextPolygon].polygon.blob
        try polygons.reserve(byteCount: blob.byteCount)
        polygonColumns.append(
          center: set.centers[i], radius: set.radii[i], ordinal: ordinal, row: row,
          polygonSlot: polygons.add(blob))
        nextPolygon += 1
      } else {
        circleColumns.append(
          center: set.centers[i], radius: set.radii[i], ordinal: ordinal, row: row)
      }
    }
    tree = try .built(
      circles: circleColumns, polygons: polygonColumns, rowCount: names.rowCount, threads: threads)
    polygonCount = set.polygons.count
    nextOrdinal = firstOrdinal + UInt32(truncatingIfNeeded: set.count)
    self.threads = threads
  }

  /// Adds an identifier of the set; returns its row.
  private static func enter(
    _ i: Int, of set: RegionSet, _ ordinal: UInt32, _ names: inout IdentifierMap
  ) throws(RegionError) -> Int {
    let start = i == 0 ? 0 : Int(set.identifierEnds[i - 1])
    let end = Int(set.identifierEnds[i])
    let (row, isNew) = unsafe set.identifierBytes.withUnsafeBufferPointer { text in
      let identifier = unsafe UnsafeBufferPointer(rebasing: text[start..<end])
      let tag = unsafe IdentifierMap.tag(of: identifier)
      if let row = unsafe names.row(of: identifier, tag: tag) { return (row, false) }
      return (unsafe names.add(identifier, tag: tag, ordinal: ordinal), true)
    }
    guard isNew else {
      throw .duplicateIdentifier(
        set.identifier(of: i), first: Int(names.ordinal(ofRow: row)), second: Int(ordinal))
    }
    return row
  }

  init(copying other: UpdatableStorage) throws(RegionError) {
    tree = try DynamicTree(copying: other.tree)
    polygons = try other.polygons.copy()
    names = other.names
    nextOrdinal = other.nextOrdinal
    polygonCount = other.polygonCount
    churn = other.churn
    threads = other.threads
  }

  // MARK: Changing

  /// Makes room for a region. When that fails, no region has changed.
  func reserve(_ region: CheckedRegion, identifierByteCount: Int, isReplacement: Bool) throws(RegionError) {
    guard nextOrdinal <= Self.maximumOrdinal else {
      throw .ordinalsExhausted(maximum: Int(Self.maximumOrdinal))
    }
    guard isReplacement || tree.count < RegionSet.maximumCount else {
      throw .tooManyRegions(count: tree.count + 1, maximum: RegionSet.maximumCount)
    }
    try names.reserve(1, byteCount: identifierByteCount)
    try tree.reserve()
    if let polygon = region.polygon { try polygons.reserve(byteCount: polygon.blob.byteCount) }
  }

  /// Inserts a region whose identifier is new; returns its ordinal.
  func add(_ region: CheckedRegion, _ identifier: UnsafeBufferPointer<UInt8>, tag: UInt32) -> Int {
    let ordinal = nextOrdinal
    nextOrdinal += 1
    let row = unsafe names.add(identifier, tag: tag, ordinal: ordinal)
    var slot: Int?
    if let polygon = region.polygon {
      slot = polygons.add(polygon.blob)
      polygonCount += 1
    }
    tree.insert(
      LeafEntry(
        ordinal: ordinal, center: region.center, point: ECEF(unchecked: region.center), radius: region.radius,
        polygonSlot: slot),
      row: row)
    didChange()
    return Int(ordinal)
  }

  private func didChange() {
    churn += 1
    revision = Self.revisions.add(1, ordering: .relaxed).newValue
  }

  /// Removes a region; returns the ordinal it had.
  func remove(row: Int, tag: UInt32) -> Int {
    let ordinal = names.ordinal(ofRow: row)
    let record = tree.record(ofRow: row)
    if record.isPolygon {
      polygons.remove(record.polygonSlot)
      polygonCount -= 1
    }
    tree.remove(row: row)
    names.remove(row: row, tag: tag)
    didChange()
    return Int(ordinal)
  }

  /// Builds the tree again when enough has changed.
  @inline(__always)
  func rebuildIfDue() {
    guard Self.isDue(churn: churn, count: tree.count) else { return }
    // When there is no memory for a new tree, the old one stays in use until as many changes again.
    churn = 0
    try? rebuild()
  }

  /// Builds the tree again from the regions in it.
  @inline(never)
  private func rebuild() throws(RegionError) {
    var circleColumns = DynamicTree.Columns(capacity: tree.count - polygonCount)
    var polygonColumns = DynamicTree.Columns(capacity: polygonCount)
    for entry in names.liveEntries {
      let record = tree.record(ofRow: Int(entry.row))
      if record.isPolygon {
        polygonColumns.append(
          center: record.center, radius: record.radius, ordinal: entry.ordinal, row: entry.row,
          polygonSlot: record.polygonSlot)
      } else {
        circleColumns.append(
          center: record.center, radius: record.radius, ordinal: entry.ordinal, row: entry.row)
      }
    }
    tree = try .built(
      circles: circleColumns, polygons: polygonColumns, rowCount: names.rowCount, threads: threads)
  }

  // MARK: Reading

  /// The region in a row, as it was inserted.
  func region(inRow row: Int) -> Region {
    Region(
      identifier: String(decoding: names.utf8(ofRow: row), as: UTF8.self), shape: shape(inRow: row))
  }

  private func shape(inRow row: Int) -> Region.Shape {
    let record = tree.record(ofRow: row)
    guard record.isPolygon else { return .circle(center: record.center, radius: record.radius) }
    return .polygon(polygon(record))
  }

  private func polygon(_ record: RegionRecord) -> Polygon {
    guard let polygon = polygons.polygon(record.polygonSlot) else {
      preconditionFailure("a polygon's slot holds the bytes that were put in")
    }
    return polygon
  }

  /// All regions, in the order of their ordinals.
  func regionSet() -> RegionSet {
    var set = RegionSet()
    set.reserveCapacity(tree.count)
    for entry in names.liveEntries {
      let record = tree.record(ofRow: Int(entry.row))
      if record.isPolygon { set.polygons.append((set.count, polygon(record))) }
      set.push(
        names.utf8(ofRow: Int(entry.row)), center: record.center, radius: record.radius)
    }
    return set
  }
}
