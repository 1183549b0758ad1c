internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor

/// Chooses the regions that are given slots, by a recipe's order.
struct SlotChoice: ~Copyable {
  /// Regions that were fetched, and where.
  struct Fetched: Sendable {
    var ordinals: [Int]
    var place: Coordinate
  }

  private let regions: RegionIndex
  private var scratch = QueryScratch()
  private var found: [Neighbor] = []
  /// What was fetched last; to be saved with the app's memory.
  var fetched: Fetched?

  init(_ regions: RegionIndex) { self.regions = regions }

  /// The regions for a place, the most wanted first.
  mutating func choose(
    by ranking: SlotRecipe.Ranking, _ count: Int, at place: Coordinate
  ) throws(QueryError) -> [Neighbor] {
    switch ranking {
    case .center:
      try regions.nearestByCenter(count, to: place, scratch: &scratch, into: &found)
      return found
    case .boundary: return Array(try regions.nearest(count, to: place).withoutIdentifiers)
    case .roundedBoundary(let cache, let refetch):
      return try cached(cache, refetch, count, at: place)
    case .identifier(let near, let far):
      let all = try regions.regions(within: far, of: place).withoutIdentifiers.filter { $0.distanceToMiddle < far }
      if all.count <= count { return all }
      let close = all.filter { $0.distanceToMiddle <= near }
      let named = close.map { (regions.identifier(of: $0.ordinal), $0) }.sorted { $0.0 < $1.0 }
      let rest = all.filter { $0.distanceToMiddle > near }.sorted {
        ($0.distanceToMiddle, $0.ordinal) < ($1.distanceToMiddle, $1.ordinal)
      }
      return Array((named.map { $0.1 } + rest).prefix(count))
    }
  }

  private mutating func cached(
    _ cache: Int, _ refetch: Meters, _ count: Int, at place: Coordinate
  ) throws(QueryError) -> [Neighbor] {
    let isNear = try fetched.map { last throws(QueryError) in
      try Self.distance(last.place, place) < refetch
    }
    if isNear != true {
      fetched = Fetched(ordinals: try regions.nearest(cache, to: place).map(\.ordinal), place: place)
    }
    let ordinals = Set(fetched?.ordinals ?? [])
    // As many as it takes to find them all, unless they are far behind.
    var looked = max(cache, 1)
    var near = try regions.nearest(looked, to: place).withoutIdentifiers.filter { ordinals.contains($0.ordinal) }
    while near.count < min(count + 1, ordinals.count), looked < regions.count {
      looked = looked > regions.count / 4 ? regions.count : 4 * looked
      near = try regions.nearest(looked, to: place).withoutIdentifiers.filter { ordinals.contains($0.ordinal) }
    }
    let keyed = near.map { ($0.gap.rounded(), regions.identifier(of: $0.ordinal), $0) }
    return keyed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(count).map { $0.2 }
  }

  private static func distance(_ a: Coordinate, _ b: Coordinate) throws(QueryError) -> Meters {
    do { return try Geodesic.distance(from: a, to: b) } catch { throw .invalidCoordinate(b) }
  }
}
