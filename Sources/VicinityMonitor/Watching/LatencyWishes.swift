internal import VicinityGeodesy
internal import VicinityIndex

/// The conditions that ask for a shorter latency than the others, by the latency that they ask for.
struct LatencyWishes: ~Copyable {
  /// The latencies that are told apart, seconds; a wish counts as the longest of these that it allows.
  private static let steps = [10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600]

  private var regions: [Int: UpdatableRegionIndex] = [:]
  private var steps: [String: Int] = [:]
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// How near the conditions of each latency are to the last position, the shortest latency first.
  private(set) var measured: [WatchSituation.Wish] = []

  /// Watches a region with a latency of its own, in place of one with its identifier.
  mutating func insert(_ region: Region, latency: Duration) throws(RegionError) {
    try remove(region.identifier)
    let seconds = latency / .seconds(1)
    let step = Self.steps.last { Double($0) <= seconds } ?? Self.steps[0]
    var index: UpdatableRegionIndex
    if let known = regions[step] { index = known } else { index = try UpdatableRegionIndex() }
    // Not shared with the dictionary while it changes, or it would be copied.
    regions[step] = nil
    defer { regions[step] = index }
    _ = try index.insert(region)
    steps[region.identifier] = step
  }

  mutating func remove(_ identifier: String) throws(RegionError) {
    guard let step = steps.removeValue(forKey: identifier), var index = regions.removeValue(forKey: step)
    else { return }
    _ = try index.remove(identifier)
    if index.count > 0 { regions[step] = index }
  }

  /// Finds how near the regions are to a position.
  mutating func measure(at position: Coordinate) throws(QueryError) {
    measured.removeAll(keepingCapacity: true)
    for step in regions.keys.sorted() {
      guard let index = regions[step] else { continue }
      var count = 4
      repeat {
        try index.nearest(count, to: position, scratch: &scratch, into: &neighbors)
        count *= 2
        // Regions that the position is in come first; the nearest boundary may be that of any of them, or of the next one.
      } while neighbors.count == count / 2 && neighbors.last.map { $0.distance <= 0 } == true
      let clearance = neighbors.reduce(Meters.infinity) { min($0, abs($1.distance)) }
      measured.append(WatchSituation.Wish(latency: .seconds(step), clearance: clearance))
    }
  }
}
