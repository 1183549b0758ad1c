public import VicinityGeodesy

/// An index that answers queries: ``RegionIndex``, which never changes, or ``UpdatableRegionIndex``. Both
/// answer alike, by the methods here.
public protocol SearchableRegions: Sendable {
  /// How many regions.
  var count: Int { get }

  /// How many of them are polygons.
  var polygonCount: Int { get }

  /// The ordinal of the region called `identifier`; nil when there is none.
  func ordinal(of identifier: String) -> Int?

  /// The identifier of the region with `ordinal`; nil when there is none.
  func knownIdentifier(of ordinal: Int) -> String?

  /// The region with `ordinal`, as it was put in; nil when there is none.
  func knownRegion(at ordinal: Int) -> Region?

  /// The radius of the region with `ordinal`, metres, for a polygon that of a circle around it; nil when
  /// there is no such region.
  func enclosingRadius(of ordinal: Int) -> Meters?

  /// Appends the answer to a query; used by the methods below.
  func run(_ query: CheckedQuery, scratch: inout QueryScratch, appendingTo result: inout [Neighbor])

  /// Adds the identifiers to what a query found; used by the methods below.
  func identified(_ neighbors: [Neighbor]) -> Neighbors
}

/// A query whose arguments have been found valid.
public struct CheckedQuery: Sendable {
  /// How many regions are wanted; nil for all within the options' maximum distance.
  let count: Int?
  let position: Coordinate
  let options: QueryOptions

  init(count: Int?, position: Coordinate, options: QueryOptions) throws(QueryError) {
    guard position.isValid else { throw .invalidCoordinate(position) }
    try options.check()
    self.init(uncheckedCount: count, position: position, options: options)
  }

  package init(uncheckedCount count: Int?, position: Coordinate, options: QueryOptions = QueryOptions()) {
    self.count = count
    self.position = position
    self.options = options
  }
}

extension SearchableRegions {
  /// Whether there are no regions.
  public var isEmpty: Bool { count == 0 }

  /// How many of the regions are circles.
  public var circleCount: Int { count - polygonCount }

  // MARK: Queries

  /// The `count` indexed regions nearest to `position`, nearest first.
  ///
  /// Exact: signed WGS84 geodesic distance to each boundary, negative inside, so that a region containing
  /// the position comes first, deepest first. Ties go to the earlier region. With a tolerance the answer is
  /// cheaper and says how far off its distances may be (``Neighbors/distanceError``).
  ///
  ///     let near = try index.nearest(20, to: Coordinate(latitude: 48.2082, longitude: 16.3738))
  ///
  /// ## Units
  /// - `position`: degrees; latitude -90...90; any finite longitude (wrapped).
  /// - ``Neighbor/distance``: metres, within 1e-6 of the reference's for circles, 1e-3 for polygons.
  ///
  /// - Returns: `min(count, self.count)` neighbours, fewer with a maximum distance; none for an empty index.
  /// - Throws: ``QueryError`` for an invalid position, a negative count, a NaN distance or a bad tolerance.
  /// - Complexity: O(log n + count) nodes on spread data, and on any number of circles around one centre;
  ///   O(n) at worst.
  ///
  /// Checked against ``QueryOptions/usesBruteForce`` in `NearestOracleTests`.
  public func nearest(
    _ count: Int, to position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> Neighbors {
    var result: [Neighbor] = []
    result.reserveCapacity(min(max(0, count), self.count, 1024))
    let slot = ScratchPool.checkout()
    defer { ScratchPool.checkin(slot) }
    try nearest(count, to: position, options: options, scratch: &slot.scratch, into: &result)
    var answer = identified(result)
    answer.distanceError = slot.scratch.distanceError
    return answer
  }

  /// ``nearest(_:to:options:)`` with working memory and result kept from query to query: allocates nothing
  /// once both have grown to what queries need.
  ///
  /// - Parameters:
  ///   - count: How many regions are wanted; zero or more.
  ///   - position: Degrees; latitude -90...90; any finite longitude (wrapped).
  ///   - options: A maximum distance, and how the search is done.
  ///   - scratch: Working memory; its contents mean nothing between queries.
  ///   - result: Replaced by the answer; its capacity is kept.
  public func nearest(
    _ count: Int, to position: Coordinate, options: QueryOptions = QueryOptions(),
    scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    guard count >= 0 else { throw .invalidCount(count) }
    let query = try CheckedQuery(count: count, position: position, options: options)
    result.removeAll(keepingCapacity: true)
    run(query, scratch: &scratch, appendingTo: &result)
  }

  /// All regions whose boundary lies within `distance` metres of `position`, and all that contain it; nearest
  /// first.
  ///
  /// - Parameters:
  ///   - distance: Metres; negative for regions that contain the position at least that deep.
  ///   - position: Degrees; latitude -90...90; any finite longitude (wrapped).
  ///   - options: A maximum distance, and how the search is done.
  /// - Throws: ``QueryError`` for an invalid position or a NaN distance.
  /// - Complexity: O(log n + m log m) for m regions found, on spread data.
  public func within(
    _ distance: Meters, of position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> Neighbors {
    var result: [Neighbor] = []
    let slot = ScratchPool.checkout()
    defer { ScratchPool.checkin(slot) }
    try within(
      distance, of: position, options: options, scratch: &slot.scratch, into: &result)
    var answer = identified(result)
    answer.distanceError = slot.scratch.distanceError
    return answer
  }

  /// ``within(_:of:options:)`` with working memory and result kept from query to query.
  ///
  /// - Parameters:
  ///   - distance: Metres; negative for regions that contain the position at least that deep.
  ///   - position: Degrees; latitude -90...90; any finite longitude (wrapped).
  ///   - options: A maximum distance, and how the search is done.
  ///   - scratch: Working memory; its contents mean nothing between queries.
  ///   - result: Replaced by the answer; its capacity is kept.
  public func within(
    _ distance: Meters, of position: Coordinate, options: QueryOptions = QueryOptions(),
    scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    let query = try CheckedQuery(
      count: nil, position: position, options: options.limited(to: distance))
    result.removeAll(keepingCapacity: true)
    run(query, scratch: &scratch, appendingTo: &result)
  }

  /// All regions that contain `position`, boundary included; deepest first.
  ///
  /// - Throws: ``QueryError`` for an invalid position.
  /// - Complexity: O(log n + m log m) for m regions found, on spread data.
  public func containing(
    _ position: Coordinate, options: QueryOptions = QueryOptions()
  ) throws(QueryError) -> Neighbors {
    try within(0, of: position, options: options)
  }

  /// ``within(_:of:options:scratch:into:)`` for a position and a distance already known to be valid.
  package func uncheckedWithin(
    _ distance: Meters, of position: Coordinate, scratch: inout QueryScratch,
    into result: inout [Neighbor]
  ) {
    result.removeAll(keepingCapacity: true)
    run(
      CheckedQuery(
        uncheckedCount: nil, position: position, options: QueryOptions(maximumDistance: distance)),
      scratch: &scratch, appendingTo: &result)
  }

  /// The `count` regions whose centres are nearest, nearest first; ties go to the earlier region. Other
  /// systems rank like this: a large region that contains the position may not be among them.
  ///
  /// A polygon's boundary stands for its centre. No centre is nearer than its boundary, so farther boundaries
  /// have farther centres.
  ///
  /// - Parameter result: Replaced by the answer.
  /// - Throws: ``QueryError`` for an invalid position or a negative count.
  package func nearestByCenter(
    _ count: Int, to position: Coordinate, scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    guard count >= 0 else { throw .invalidCount(count) }
    let n = self.count
    var fetched = count >= n / 2 ? n : min(n, 2 * count + 16)
    while true {
      try nearest(fetched, to: position, scratch: &scratch, into: &result)
      let farthest = result.last?.distance ?? .infinity
      result.sort {
        let (a, b) = ($0.distanceToMiddle, $1.distanceToMiddle)
        return a != b ? a < b : $0.ordinal < $1.ordinal
      }
      if result.count > count { result.removeSubrange(count...) }
      if fetched == n || result.last?.distanceToMiddle ?? 0 <= farthest { return }
      fetched = fetched > n / 4 ? n : 4 * fetched
    }
  }
}

extension RegionIndex: SearchableRegions {
  public func knownIdentifier(of ordinal: Int) -> String? {
    ordinal >= 0 && ordinal < count ? identifier(of: ordinal) : nil
  }

  public func knownRegion(at ordinal: Int) -> Region? {
    ordinal >= 0 && ordinal < count ? region(at: ordinal) : nil
  }

  public func enclosingRadius(of ordinal: Int) -> Meters? {
    guard ordinal >= 0, ordinal < count else { return nil }
    defer { withExtendedLifetime(tree) {} }
    return tree.record(ofOrdinal: ordinal)?.radius
  }

  public func run(
    _ query: CheckedQuery, scratch: inout QueryScratch, appendingTo result: inout [Neighbor]
  ) {
    defer { withExtendedLifetime(tree) {} }
    TreeQuery(tree.view, at: query.position)
      .run(count: query.count, query.options, &scratch, appendingTo: &result)
  }

  public func identified(_ neighbors: [Neighbor]) -> Neighbors {
    Neighbors(neighbors[...], .index(self))
  }
}

extension UpdatableRegionIndex: SearchableRegions {
  public func knownIdentifier(of ordinal: Int) -> String? { identifier(of: ordinal) }

  public func knownRegion(at ordinal: Int) -> Region? { region(at: ordinal) }

  public func enclosingRadius(of ordinal: Int) -> Meters? {
    record(ofOrdinal: ordinal)?.radius
  }

  public func run(
    _ query: CheckedQuery, scratch: inout QueryScratch, appendingTo result: inout [Neighbor]
  ) {
    let storage = storage
    defer { withExtendedLifetime(storage) {} }
    TreeQuery(storage.tree.view(storage.polygons), at: query.position)
      .run(count: query.count, query.options, &scratch, appendingTo: &result)
  }

  /// Reads the identifiers at once: a result that referred to the index would make its next change copy
  /// everything.
  public func identified(_ neighbors: [Neighbor]) -> Neighbors {
    Neighbors(neighbors[...], .list(neighbors.map { identifier(of: $0.ordinal) ?? "" }))
  }
}
