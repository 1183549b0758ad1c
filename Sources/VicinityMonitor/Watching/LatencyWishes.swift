internal import VicinityGeodesy
internal import VicinityIndex

/// The conditions that ask for a shorter latency than the others, by the latency that they ask for.
struct LatencyWishes: ~Copyable {
  /// The latencies that are told apart, seconds; a wish counts as the longest of these that it allows.
  private static let steps = [10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600]

  private var regions: [Int: UpdatableRegionIndex] = [:]
  /// An index all of whose regions have a latency, but for the exceptions.
  private var all: (index: RegionIndex, step: Int, exceptions: Set<Int>)?
  private var steps: [String: Int] = [:]
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// How near the conditions of each latency are to the last position, the shortest latency first.
  private(set) var measured: [WatchSituation.Wish] = []

  /// Watches a region with a latency of its own, in place of one with its identifier.
  mutating func insert(_ region: Region, latency: Duration) throws(RegionError) {
    try remove(region.identifier)
    let step = Self.step(of: latency)
    var index: UpdatableRegionIndex
    if let known = regions[step] { index = known } else { index = try UpdatableRegionIndex() }
    // Not shared with the dictionary while it changes, or it would be copied.
    regions[step] = nil
    defer { regions[step] = index }
    _ = try index.insert(region)
    steps[region.identifier] = step
  }

  private static func step(of latency: Duration) -> Int {
    let seconds = latency / .seconds(1)
    return steps.last { Double($0) <= seconds } ?? steps[0]
  }

  /// Watches all regions of an index with a latency of their own but for some, in place of those of the index
  /// before.
  ///
  /// - Parameter latency: Nil for none.
  mutating func setAll(of index: RegionIndex?, latency: Duration?, except exceptions: [String]) {
    all = nil
    guard let index, let latency else { return }
    all = (index, Self.step(of: latency), Set(exceptions.compactMap { index.ordinal(of: $0) }))
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
    if regions.isEmpty, all == nil { return }
    var clearances: [Int: Meters] = [:]
    for (step, index) in regions { clearances[step] = try clearance(at: position, in: index) }
    if let all {
      let clearance = try clearance(at: position, in: all.index, except: all.exceptions)
      clearances[all.step] = min(clearance, clearances[all.step] ?? .infinity)
    }
    for (step, clearance) in clearances.sorted(by: { $0.key < $1.key }) {
      measured.append(WatchSituation.Wish(latency: .seconds(step), clearance: clearance))
    }
  }

  /// The distance to the nearest boundary, metres.
  private mutating func clearance(
    at position: Coordinate, in index: some SearchableRegions, except exceptions: Set<Int> = []
  ) throws(QueryError) -> Meters {
    var count = 4
    while true {
      try index.nearest(count, to: position, scratch: &scratch, into: &neighbors)
      // Regions that the position is in come first; the nearest boundary may be that of any of them, or of
      // the next one.
      let isComplete = neighbors.contains { $0.distance > 0 && !exceptions.contains($0.ordinal) }
      if isComplete || neighbors.count < count { break }
      count *= 2
    }
    return neighbors.reduce(Meters.infinity) { least, neighbor in
      exceptions.contains(neighbor.ordinal) ? least : min(least, abs(neighbor.distance))
    }
  }
}
