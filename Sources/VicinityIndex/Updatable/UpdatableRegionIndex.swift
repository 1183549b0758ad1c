/// An index that changes: insert, replace and remove regions by identifier; every answer is exact at any
/// time.
///
///     var index = try UpdatableRegionIndex(set)
///     try index.insert(Region(identifier: "home", center: home, radius: 100))
///     try index.replace(Region(identifier: "home", center: home, radius: 150))
///     try index.remove("work")
///     let near = try index.nearest(20, to: here)
///
/// The same tree and the same search as ``RegionIndex``, but a tree whose nodes split and are repacked in
/// place. When the changes since the last build reach three quarters of the number of regions, the next
/// change builds the tree again: a rare pause, under a second for a million regions, and part of the rates
/// measured (`Scripts/bench updates`).
///
/// ## Ordinals
/// Every inserted region gets the next ordinal, from zero on, and no ordinal is used twice; a region that
/// replaces another gets a new one. Exact ties go to the smaller ordinal, the region that was inserted
/// earlier.
///
/// ## Copies
/// A value: copies are independent, share their memory until one changes, and may be read from any
/// thread. The first change after a copy was made copies everything, O(n).
public struct UpdatableRegionIndex: Sendable {
  private(set) var storage: UpdatableStorage

  /// An index over a set of regions; their order gives the first ordinals.
  ///
  /// - Parameters:
  ///   - set: The regions.
  ///   - threads: How many threads may build, now and later; all cores by default.
  /// - Throws: ``RegionError/duplicateIdentifier(_:first:second:)``, ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n)
  public init(_ set: RegionSet, threads: Int? = nil) throws(RegionError) {
    try self.init(set, threads: threads, firstOrdinal: 0)
  }

  /// An index over `regions`, in their order.
  ///
  /// - Throws: ``RegionError`` for the first region that is invalid, or a duplicate identifier.
  /// - Complexity: O(n log n)
  public init(_ regions: some Sequence<Region>) throws(RegionError) {
    try self.init(RegionSet(regions))
  }

  /// An index without regions.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  public init() throws(RegionError) { try self.init(RegionSet()) }

  init(_ set: RegionSet, threads: Int?, firstOrdinal: UInt32) throws(RegionError) {
    storage = try UpdatableStorage(
      set, threads: threads ?? Parallel.coreCount, firstOrdinal: firstOrdinal)
  }

  // MARK: Changing

  /// Inserts a region whose identifier no region in the index has.
  ///
  /// - Returns: its ordinal.
  /// - Throws: ``RegionError/duplicateIdentifier(_:first:second:)`` with the ordinal of the region that has
  ///   the identifier and the one that this would have got; other ``RegionError`` for an invalid region or
  ///   when there is no room. The index is unchanged then.
  /// - Complexity: amortised O(log n); O(edges) more for polygons.
  @discardableResult
  public mutating func insert(_ region: Region) throws(RegionError) -> Int {
    let checked = try UpdatableStorage.CheckedRegion(region)
    var identifier = region.identifier
    let (tag, row) = find(&identifier)
    if let row {
      throw .duplicateIdentifier(
        region.identifier, first: Int(storage.names.ordinal(ofRow: row)),
        second: Int(storage.nextOrdinal))
    }
    try makeUnique()
    try storage.reserve(
      checked, identifierByteCount: identifier.utf8.count, isReplacement: false)
    let ordinal = identifier.withUTF8 { unsafe storage.add(checked, $0, tag: tag) }
    storage.rebuildIfDue()
    return ordinal
  }

  /// Inserts regions whose identifiers no region in the index has, all of them or none.
  ///
  /// - Returns: their ordinals, in their order.
  /// - Throws: ``RegionError`` as ``insert(_:)`` does; the index has the same regions as before then.
  /// - Complexity: amortised O(log n) for each region. An empty index is built, which is several times
  ///   faster.
  @discardableResult
  public mutating func insert(contentsOf regions: some Collection<Region>) throws(RegionError) -> Range<Int> {
    let first = Int(storage.nextOrdinal)
    if isEmpty, regions.count >= Self.fewestToBuild {
      storage = try UpdatableStorage(
        RegionSet(regions), threads: storage.threads, firstOrdinal: storage.nextOrdinal)
      return first..<Int(storage.nextOrdinal)
    }
    var count = 0
    do throws(RegionError) {
      for region in regions {
        try insert(region)
        count += 1
      }
    } catch {
      for region in regions.prefix(count) { try remove(region.identifier) }
      throw error
    }
    return first..<Int(storage.nextOrdinal)
  }

  /// From this many regions on, building a tree is cheaper than inserting into an empty one.
  private static let fewestToBuild = 256

  /// Replaces the region with the same identifier; inserts a new one when there is none.
  ///
  /// The region gets a new ordinal either way.
  ///
  /// - Returns: the ordinal of the region replaced; nil when there was none.
  /// - Throws: ``RegionError`` for an invalid region or when there is no room; the index is unchanged then.
  /// - Complexity: amortised O(log n); O(edges) more for polygons.
  @discardableResult
  public mutating func replace(_ region: Region) throws(RegionError) -> Int? {
    let checked = try UpdatableStorage.CheckedRegion(region)
    var identifier = region.identifier
    let (tag, row) = find(&identifier)
    try makeUnique()
    try storage.reserve(
      checked, identifierByteCount: identifier.utf8.count, isReplacement: row != nil)
    let replaced = row.map { storage.remove(row: $0, tag: tag) }
    _ = identifier.withUTF8 { unsafe storage.add(checked, $0, tag: tag) }
    storage.rebuildIfDue()
    return replaced
  }

  /// Removes the region called `identifier`.
  ///
  /// - Returns: the ordinal it had; nil when there is no such region.
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``, only where a copy shares the index's memory; the
  ///   index is unchanged then.
  /// - Complexity: amortised O(log n)
  @discardableResult
  public mutating func remove(_ identifier: String) throws(RegionError) -> Int? {
    var identifier = identifier
    let (tag, row) = find(&identifier)
    guard let row else { return nil }
    try makeUnique()
    let ordinal = storage.remove(row: row, tag: tag)
    storage.rebuildIfDue()
    return ordinal
  }

  private func find(_ identifier: inout String) -> (tag: UInt32, row: Int?) {
    identifier.withUTF8 { bytes in
      let tag = unsafe IdentifierMap.tag(of: bytes)
      return (tag, unsafe storage.names.row(of: bytes, tag: tag))
    }
  }

  private mutating func makeUnique() throws(RegionError) {
    if !isKnownUniquelyReferenced(&storage) { storage = try UpdatableStorage(copying: storage) }
  }

  // MARK: Contents

  /// A number that no other state of any index has.
  package var revision: UInt64 { storage.revision }

  /// The tree, to be used only while the index is alive and unchanged.
  package var treeView: TreeView { storage.tree.view(storage.polygons) }

  /// The record of the region with `ordinal`, to be used only while the index is alive and unchanged; nil
  /// when there is no such region.
  ///
  /// - Complexity: O(log n)
  package func record(ofOrdinal ordinal: Int) -> RegionRecord? {
    storage.names.row(ofOrdinal: ordinal).map { storage.tree.record(ofRow: $0) }
  }

  /// How many regions.
  public var count: Int { storage.tree.count }

  /// How many of the regions are polygons.
  public var polygonCount: Int { storage.polygonCount }

  /// How many bytes the index occupies, about.
  public var byteCount: Int {
    storage.tree.byteCount + storage.names.byteCount + storage.polygons.byteCount
  }

  /// The region called `identifier`, as it was inserted; nil when there is none.
  ///
  /// - Complexity: O(1) on average; O(edges) for polygons.
  public func region(for identifier: String) -> Region? {
    var identifier = identifier
    return find(&identifier).row.map { storage.region(inRow: $0) }
  }

  /// The region with `ordinal`, as it was inserted; nil when it was removed or replaced, or never existed.
  ///
  /// - Complexity: O(log n); O(edges) for polygons.
  public func region(at ordinal: Int) -> Region? {
    storage.names.row(ofOrdinal: ordinal).map { storage.region(inRow: $0) }
  }

  /// The identifier of the region with `ordinal`; nil when it was removed or replaced, or never existed.
  ///
  /// - Complexity: O(log n)
  public func identifier(of ordinal: Int) -> String? {
    storage.names.row(ofOrdinal: ordinal).map {
      String(decoding: storage.names.utf8(ofRow: $0), as: UTF8.self)
    }
  }

  /// The ordinal of the region called `identifier`; nil when there is none.
  ///
  /// - Complexity: O(1) on average
  public func ordinal(of identifier: String) -> Int? {
    var identifier = identifier
    return find(&identifier).row.map { Int(storage.names.ordinal(ofRow: $0)) }
  }

  /// A freshly packed, immutable index over the same regions in the same order, numbered afresh from zero.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n)
  public func snapshot() throws(RegionError) -> RegionIndex {
    try RegionIndex(storage.regionSet(), threads: storage.threads)
  }
}
