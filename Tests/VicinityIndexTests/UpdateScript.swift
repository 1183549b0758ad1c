import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Random insertions, replacements and removals, done to an index and to a dictionary, with every query
/// compared at intervals.
struct UpdateScript {
  let family: RegionFamily
  let seed: UInt64
  /// Where shapes and identifiers come from.
  let pool: [ListedRegion]
  var index: UpdatableRegionIndex
  /// What should be in the index.
  var model: [String: (listed: ListedRegion, ordinal: Int)] = [:]
  /// Places in the pool: those of regions in the index first.
  var order: [Int]
  var live: Int
  var nextOrdinal: Int
  var random: SplitMix64

  init(
    _ family: RegionFamily, seed: UInt64, pool count: Int, initial: Int, polygonShare: Double
  ) throws {
    self.family = family
    self.seed = seed
    var random = SplitMix64(seed: seed)
    pool = ListedRegion.some(family, count, seed: seed, polygonShare: polygonShare)
    order = Array(pool.indices).shuffled(using: &random)
    let first = order.prefix(initial).map { [pool] in pool[$0] }
    index = try UpdatableRegionIndex(first.map(\.region))
    for (ordinal, listed) in first.enumerated() { model[listed.region.identifier] = (listed, ordinal) }
    live = initial
    nextOrdinal = initial
    self.random = random
  }

  var context: String { "\(family), seed \(seed), next ordinal \(nextOrdinal)" }

  /// Runs phases of so many changes, this share of them insertions, a tenth of the others replacements.
  mutating func run(phases: [(count: Int, insertions: Double)], checkEvery: Int) throws {
    try check()
    for phase in phases {
      for i in 1...phase.count {
        try change(insertions: phase.insertions)
        if i % checkEvery == 0 { try check() }
      }
      try check()
    }
  }

  private mutating func change(insertions: Double) throws {
    let isReplacement = random.unit() < 0.1
    if isReplacement {
      // Sometimes of a region that is not there.
      let place = random.below(min(order.count, live + 3))
      let name = pool[order[place]].region.identifier
      let listed = pool[random.below(pool.count)].named(name)
      #expect(try index.replace(listed.region) == model[name]?.ordinal, "\(context)")
      if model[name] == nil {
        order.swapAt(place, live)
        live += 1
      }
      model[name] = (listed, nextOrdinal)
      nextOrdinal += 1
    } else if random.unit() < insertions, live < order.count {
      let place = live + random.below(order.count - live)
      let listed = pool[order[place]]
      #expect(try index.insert(listed.region) == nextOrdinal, "\(context)")
      model[listed.region.identifier] = (listed, nextOrdinal)
      order.swapAt(place, live)
      live += 1
      nextOrdinal += 1
    } else if live > 0 {
      let place = random.below(live)
      let name = pool[order[place]].region.identifier
      #expect(try index.remove(name) == model.removeValue(forKey: name)?.ordinal, "\(context)")
      live -= 1
      order.swapAt(place, live)
    }
  }

  private mutating func check() throws {
    index.checkInvariants()
    let entries = model.values.sorted { $0.ordinal < $1.ordinal }
    let oracle = ListOracle(entries.map(\.listed), ordinals: entries.map(\.ordinal))
    expectNoFault(try oracle.contentsFault(of: index), "\(context)")
    for entry in entries {
      let region = entry.listed.region
      #expect(index.region(for: region.identifier) == region, "\(context)")
    }
    // A snapshot is what a fresh index over the same list is, to the last byte.
    let snapshot = try index.snapshot()
    let numberedAfresh = ListOracle(oracle.listed)
    expectNoFault(try numberedAfresh.contentsFault(of: snapshot), "\(context)")
    #expect(try snapshot.fingerprint == RegionIndex(oracle.regions).fingerprint, "\(context)")
    let counts = [1, 20, 70, entries.count]
    let positions = family.positions(4, among: oracle.regions, seed: random.next())
    for (i, position) in positions.enumerated() {
      let fault = try oracle.fault(
        of: index, at: position, counts: counts, distances: [-500, 0, 1000, 300_000],
        judgesBruteForce: i == 0 || oracle.polygonCount == 0)
      expectNoFault(fault, "\(context)")
    }
    if let position = positions.first {
      let fault = try numberedAfresh.fault(of: snapshot, at: position, judgesBruteForce: false)
      expectNoFault(fault, "snapshot, \(context)")
    }
  }
}
