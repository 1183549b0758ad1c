public import VicinityGeodesy

/// An immutable index of regions that answers, exactly, which are nearest.
///
/// Circles and polygons of any size in one packed R-tree, over boxes in Earth-centred coordinates, where
/// poles and the antimeridian are ordinary places. Build it once and share it freely between threads.
///
///     let index = try RegionIndex([
///       Region(identifier: "home", center: Coordinate(latitude: 48.2082, longitude: 16.3738), radius: 100),
///       Region(identifier: "work", center: Coordinate(latitude: 48.1985, longitude: 16.3700), radius: 150),
///     ])
///     let near = try index.nearest(20, to: Coordinate(latitude: 48.2, longitude: 16.37))
///
/// Exact means: distances are those of PROJ's geodesics on WGS84, to 1e-6 m for circles and 1e-3 m for
/// polygons; the order is that of the authority's own numbers, equal ones by ordinal. Bounds decide
/// most of it (see the article *Bounds* of VicinityGeodesy); what they leave open goes to PROJ. For changing sets, see
/// ``UpdatableRegionIndex``.
public struct RegionIndex: Sendable {
  package let tree: PackedRTree

  package init(tree: PackedRTree) { self.tree = tree }

  /// An index over a set of regions.
  ///
  /// - Parameters:
  ///   - set: The regions; their order gives the ordinals.
  ///   - threads: How many threads may build; all cores by default. The result does not depend on it.
  /// - Throws: ``RegionError/duplicateIdentifier(_:first:second:)``, ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n)
  public init(_ set: RegionSet, threads: Int? = nil) throws(RegionError) {
    tree = try TreeBuilder(set: set, threads: threads ?? Parallel.coreCount, ordinals: nil).build()
  }

  /// An index over `regions`, in their order.
  ///
  /// - Throws: ``RegionError`` for the first region that is invalid, or a duplicate identifier.
  /// - Complexity: O(n log n)
  public init(_ regions: some Sequence<Region>) throws(RegionError) {
    try self.init(RegionSet(regions))
  }

  // MARK: What it holds

  /// How many regions.
  public var count: Int { tree.count }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  /// How many of the regions are polygons.
  public var polygonCount: Int { tree.layout.polygonCount }

  /// How many of the regions are circles.
  public var circleCount: Int { count - polygonCount }

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

  /// The region with `ordinal`, as it was put in.
  ///
  /// - Precondition: `0 <= ordinal < count`.
  /// - Complexity: O(1) for circles, O(edges) for polygons.
  public func region(at ordinal: Int) -> Region {
    let identifier = identifier(of: ordinal)
    defer { withExtendedLifetime(tree) {} }
    // Damaged bytes that lead nowhere read as a point at the centre of the map.
    guard let record = tree.record(ofOrdinal: ordinal) else {
      return Region(
        identifier: identifier, center: Coordinate(latitude: 0, longitude: 0), radius: 0)
    }
    if let polygon = tree.ownedPolygon(ofOrdinal: ordinal) {
      return Region(identifier: identifier, polygon: polygon)
    }
    return Region(identifier: identifier, center: record.center, radius: record.radius)
  }

  // MARK: Queries

  /// The `count` indexed regions nearest to `position`, nearest first.
  ///
  /// Exact: signed WGS84 geodesic distance to each boundary, negative inside, so that a region containing
  /// the position comes first, deepest first. Ties go to the earlier region.
  ///
  ///     let near = try index.nearest(20, to: Coordinate(latitude: 48.2082, longitude: 16.3738))
  ///
  /// ## Units
  /// - `position`: degrees; latitude -90...90; any finite longitude (wrapped).
  /// - ``Neighbor/distance``: metres, within 1e-6 of PROJ's for circles, 1e-3 for polygons.
  ///
  /// - Returns: `min(count, self.count)` neighbours, fewer with a maximum distance; empty for an empty index.
  /// - Throws: ``QueryError`` for an invalid position, a negative count, a NaN distance or a bad tolerance.
  /// - Complexity: O(log n + count) nodes on spread data; O(n) at worst.
  ///
  /// Checked against ``QueryOptions/usesBruteForce`` in `NearestOracleTests`.
  public func nearest(
    _ count: Int, to position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> [Neighbor] {
    var result: [Neighbor] = []
    result.reserveCapacity(min(max(0, count), self.count, 1024))
    let scratch = ScratchPool.take()
    defer { ScratchPool.giveBack(scratch) }
    try nearest(count, to: position, options: options, scratch: &scratch.value, into: &result)
    return result
  }

  /// ``nearest(_:to:options:)`` with working memory and result kept from query to query: allocates nothing
  /// once both have grown to what queries need.
  ///
  /// - Parameter result: Replaced by the answer; its capacity is kept.
  public func nearest(
    _ count: Int, to position: Coordinate, options: QueryOptions = QueryOptions(),
    scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    guard count >= 0 else { throw .invalidCount(count) }
    try query(count, position, options, &scratch, &result)
  }

  /// All regions whose boundary lies within `distance` metres of `position`, and all that contain it; nearest
  /// first.
  ///
  /// - Parameter distance: Metres; negative for regions that contain the position at least so deeply.
  /// - Throws: ``QueryError`` for an invalid position or a NaN distance.
  /// - Complexity: O(log n + m log m) for m regions found, on spread data.
  public func within(
    _ distance: Meters, of position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> [Neighbor] {
    var result: [Neighbor] = []
    let scratch = ScratchPool.take()
    defer { ScratchPool.giveBack(scratch) }
    try within(distance, of: position, options: options, scratch: &scratch.value, into: &result)
    return result
  }

  /// ``within(_:of:options:)`` with working memory and result kept from query to query.
  public func within(
    _ distance: Meters, of position: Coordinate, options: QueryOptions = QueryOptions(),
    scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    guard !distance.isNaN else { throw .invalidDistance(distance) }
    var options = options
    options.maximumDistance = min(options.maximumDistance, distance)
    try query(nil, position, options, &scratch, &result)
  }

  /// All regions that contain `position`, boundary included; deepest first.
  ///
  /// - Throws: ``QueryError`` for an invalid position.
  /// - Complexity: O(log n + m log m) for m regions found, on spread data.
  public func containing(
    _ position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> [Neighbor] {
    try within(0, of: position, options: options)
  }

  /// Any query: the `count` nearest, or all, within the options' maximum distance.
  package func query(
    _ count: Int?, _ position: Coordinate, _ options: QueryOptions,
    _ scratch: inout QueryScratch, _ result: inout [Neighbor]
  ) throws(QueryError) {
    guard position.isValid else { throw .invalidCoordinate(position) }
    try options.check()
    result.removeAll(keepingCapacity: true)
    append(count, position, options, &scratch, &result)
  }

  /// Appends the answer to a query whose arguments have been checked.
  func append(
    _ count: Int?, _ position: Coordinate, _ options: QueryOptions,
    _ scratch: inout QueryScratch, _ result: inout [Neighbor]
  ) {
    tree.withView { view in
      var view = view
      unsafe withUnsafePointer(to: &view) { views in
        let trees = unsafe UnsafeBufferPointer(start: views, count: 1)
        unsafe TreeQuery.answer(trees, count, position, options, &scratch, &result)
      }
    }
  }
}

/// Search, refinement and report, over one or several trees.
enum TreeQuery {
  static func answer(
    _ trees: UnsafeBufferPointer<TreeView>, _ count: Int?, _ position: Coordinate,
    _ options: QueryOptions, _ scratch: inout QueryScratch, _ result: inout [Neighbor]
  ) {
    let place = ECEF(unchecked: position)
    var total = 0
    for i in 0..<trees.count { total += unsafe trees[i].leafCount * TreeLayout.width }
    // A count beyond what there is asks for everything.
    let wanted = count.map { min($0, total) }
    let refinement = Refinement(position: position, place: place)
    if options.usesBruteForce {
      unsafe BruteForce.scan(trees, position, &scratch)
    } else {
      var search = TreeSearch(
        position: position, place: place, count: wanted,
        maximumDistance: options.maximumDistance, tolerance: options.tolerance)
      unsafe search.run(trees, &scratch)
      refinement.gather(search, &scratch)
      if scratch.finalistCount == 0,
        Report.append(
          wanted ?? .max, within: options.maximumDistance, refinement, &scratch, to: &result)
      {
        return
      }
      refinement.measure(&scratch)
    }
    let limit = wanted ?? scratch.finalistCount
    refinement.rank(&scratch, count: limit)
    var i = 0
    while i < min(limit, scratch.finalistCount) {
      guard unsafe refinement.isWithin(options.maximumDistance, &scratch.finalists[i]) else {
        break
      }
      let finalist = unsafe scratch.finalists[i]
      result.append(
        Neighbor(
          ordinal: Int(unsafe RegionRecord(finalist.record).ordinal),
          distance: finalist.distance, centerDistance: finalist.center))
      i += 1
    }
  }
}
