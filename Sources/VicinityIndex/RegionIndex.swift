internal import VicinityGeodesy

/// An immutable index of regions that answers, exactly, which are nearest.
///
/// Circles and polygons of any size stand in one packed R-tree over boxes in Earth-centred coordinates, where
/// poles and the antimeridian are ordinary places. Build it once and share it freely between threads. The
/// queries are those of ``SearchableRegions``.
///
///     let index = try RegionIndex([
///       Region(identifier: "home", center: Coordinate(latitude: 48.2082, longitude: 16.3738), radius: 100),
///       Region(identifier: "work", center: Coordinate(latitude: 48.1985, longitude: 16.3700), radius: 150),
///     ])
///     let near = try index.nearest(20, to: Coordinate(latitude: 48.2, longitude: 16.37))
///
/// Exact means: distances are those of the reference for WGS84 (PROJ, or `GeodesicSolver` where PROJ is not
/// there), to 1e-6 m for circles and 1e-3 m for polygons; the order is that of the reference's own numbers,
/// equal ones by ordinal. Bounds decide most of it (see the article *Bounds* of VicinityGeodesy). For sets
/// that change, see ``UpdatableRegionIndex``.
public struct RegionIndex: Sendable {
  package let tree: PackedRTree

  /// An index over a set of regions.
  ///
  /// - Parameters:
  ///   - set: The regions; their order gives the ordinals.
  ///   - threads: How many threads may build; all cores by default. The result does not depend on it.
  /// - Throws: ``RegionError/duplicateIdentifier(_:first:second:)``, ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n)
  public init(_ set: RegionSet, threads: Int? = nil) throws(RegionError) {
    try self.init(set, threads: threads ?? Parallel.coreCount) { false }
  }

  /// An index over a set of regions, or over nothing where it was stopped.
  ///
  /// - Parameter isStopped: Asked again and again, on any thread, whether to stop.
  package init(
    _ set: RegionSet, threads: Int, isStopped: @escaping @Sendable () -> Bool
  ) throws(RegionError) {
    var builder = TreeBuilder(set: set, threads: threads)
    builder.isStopped = isStopped
    tree = try builder.build()
  }

  /// An index over `regions`, in their order.
  ///
  /// - Throws: ``RegionError`` for the first region that is invalid, or a duplicate identifier.
  /// - Complexity: O(n log n)
  public init(_ regions: some Sequence<Region>) throws(RegionError) {
    try self.init(RegionSet(regions))
  }

  // MARK: Contents

  /// How many regions.
  public var count: Int { tree.count }

  /// How many of the regions are polygons.
  public var polygonCount: Int { tree.layout.polygonCount }

  /// How many bytes the index takes, in memory and as a file.
  public var byteCount: Int { tree.layout.fileSize }

  /// How many of those bytes are for finding and storing identifiers.
  public var identifierByteCount: Int {
    tree.layout.length(.identifierEnds) + tree.layout.length(.identifierBytes)
      + tree.layout.length(.identifierTable)
  }

  /// The identifier of the region with `ordinal`.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  /// - Complexity: O(length)
  public func identifier(of ordinal: Int) -> String {
    precondition(ordinal >= 0 && ordinal < count, "ordinal \(ordinal) is not in 0 ..< \(count)")
    defer { withExtendedLifetime(tree) {} }
    return unsafe String(decoding: tree.identifiers.bytes(of: ordinal), as: UTF8.self)
  }

  /// The identifier of the region with `ordinal`, as bytes of UTF-8, to be read only while the index is
  /// alive.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  package func identifierBytes(of ordinal: Int) -> UnsafeRawBufferPointer {
    precondition(ordinal >= 0 && ordinal < count, "ordinal \(ordinal) is not in 0 ..< \(count)")
    return unsafe tree.identifiers.bytes(of: ordinal)
  }

  /// The ordinal of the region called `identifier`; nil when there is none.
  ///
  /// - Complexity: O(1) on average
  public func ordinal(of identifier: String) -> Int? {
    var identifier = identifier
    defer { withExtendedLifetime(tree) {} }
    return identifier.withUTF8 { bytes in
      unsafe tree.identifiers.ordinal(of: UnsafeRawBufferPointer(bytes))
    }
  }

  /// The region with `ordinal`, as it was inserted.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  /// - Complexity: O(1) for circles, O(edges) for polygons.
  public func region(at ordinal: Int) -> Region {
    let identifier = identifier(of: ordinal)
    defer { withExtendedLifetime(tree) {} }
    // Where damaged bytes lead nowhere, the region is a point at latitude and longitude zero.
    guard let record = tree.record(ofOrdinal: ordinal) else {
      return Region(
        identifier: identifier, center: Coordinate(latitude: 0, longitude: 0), radius: 0)
    }
    if let polygon = tree.ownedPolygon(ofOrdinal: ordinal) {
      return Region(identifier: identifier, polygon: polygon)
    }
    return Region(identifier: identifier, center: record.center, radius: record.radius)
  }
}
