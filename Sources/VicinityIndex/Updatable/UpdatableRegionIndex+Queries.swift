public import VicinityGeodesy

extension UpdatableRegionIndex {
  /// The `count` indexed regions nearest to `position`, nearest first: exact, as ``RegionIndex`` answers.
  ///
  /// ## Units
  /// - `position`: degrees; latitude -90...90; any finite longitude (wrapped).
  /// - ``Neighbor/distance``: metres, within 1e-6 of PROJ's for circles, 1e-3 for polygons.
  ///
  /// - Returns: `min(count, self.count)` neighbours, fewer with a maximum distance; empty for an empty index.
  /// - Throws: ``QueryError`` for an invalid position, a negative count, a NaN distance or a bad tolerance.
  /// - Complexity: O(log n + count) nodes on spread data; O(n) at worst.
  ///
  /// Checked against ``QueryOptions/usesBruteForce`` and against ``RegionIndex`` in
  /// `UpdatableRegionIndexTests`.
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
  private func query(
    _ count: Int?, _ position: Coordinate, _ options: QueryOptions,
    _ scratch: inout QueryScratch, _ result: inout [Neighbor]
  ) throws(QueryError) {
    guard position.isValid else { throw .invalidCoordinate(position) }
    try options.check()
    result.removeAll(keepingCapacity: true)
    let storage = storage
    defer { withExtendedLifetime(storage) {} }
    var view = storage.tree.view(storage.polygons)
    unsafe withUnsafePointer(to: &view) { views in
      let trees = unsafe UnsafeBufferPointer(start: views, count: 1)
      unsafe TreeQuery.answer(trees, count, position, options, &scratch, &result)
    }
  }
}
