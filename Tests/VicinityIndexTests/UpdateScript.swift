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
  let pool: [Region]
  var index: UpdatableRegionIndex
  /// What should be in the index.
  var model: [String: (region: Region, ordinal: Int)] = [:]
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
    pool = family.circles(count, seed: seed).map { region in
      guard random.unit() < polygonShare, case .circle(let center, _) = region.shape else {
        return region
      }
      return Self.polygonal(region.identifier, center, &random) ?? region
    }
    order = Array(pool.indices).shuffled(using: &random)
    let first = order.prefix(initial).map { [pool] in pool[$0] }
    index = try UpdatableRegionIndex(first)
    for (ordinal, region) in first.enumerated() { model[region.identifier] = (region, ordinal) }
    live = initial
    nextOrdinal = initial
    self.random = random
  }

  /// A star around a centre; nil where it makes no polygon.
  private static func polygonal(
    _ identifier: String, _ center: Coordinate, _ random: inout SplitMix64
  ) -> Region? {
    var shapes = PolygonRandom(seed: random.next())
    let size = random.logUniform(10...200_000)
    let ring = PolygonSample.star(center, count: 3 + random.below(9), radii: size / 2...size, &shapes)
    return (try? Polygon(exterior: ring)).map { Region(identifier: identifier, polygon: $0) }
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
      let name = pool[order[place]].identifier
      let region = Region(identifier: name, shape: pool[random.below(pool.count)].shape)
      #expect(try index.replace(region) == model[name]?.ordinal, "\(context)")
      if model[name] == nil {
        order.swapAt(place, live)
        live += 1
      }
      model[name] = (region, nextOrdinal)
      nextOrdinal += 1
    } else if random.unit() < insertions, live < order.count {
      let place = live + random.below(order.count - live)
      let region = pool[order[place]]
      #expect(try index.insert(region) == nextOrdinal, "\(context)")
      model[region.identifier] = (region, nextOrdinal)
      order.swapAt(place, live)
      live += 1
      nextOrdinal += 1
    } else if live > 0 {
      let place = random.below(live)
      let name = pool[order[place]].identifier
      #expect(try index.remove(name) == model.removeValue(forKey: name)?.ordinal, "\(context)")
      live -= 1
      order.swapAt(place, live)
    }
  }

  private mutating func check() throws {
    index.checkInvariants()
    #expect(index.count == model.count, "\(context)")
    let entries = model.values.sorted { $0.ordinal < $1.ordinal }
    for (region, ordinal) in entries {
      #expect(index.ordinal(of: region.identifier) == ordinal, "\(context)")
      #expect(index.region(at: ordinal) == region, "\(context)")
      #expect(index.region(for: region.identifier) == region, "\(context)")
    }
    let fresh = try RegionIndex(entries.map(\.region))
    let snapshot = try index.snapshot()
    #expect(snapshot.count == fresh.count)
    let ordinals = entries.map(\.ordinal)
    let positions = family.positions(4, among: entries.map(\.region), seed: random.next())
    for position in positions {
      let oracle = try index.nearest(
        ordinals.count, to: position, options: QueryOptions(usesBruteForce: true))
      expectSame(
        oracle,
        renumbered(
          try fresh.nearest(
            ordinals.count, to: position, options: QueryOptions(usesBruteForce: true)), ordinals),
        oracle, "scan from \(position)")
      for k in [1, 20, 70, ordinals.count] {
        let found = try index.nearest(k, to: position)
        expectSame(found, Array(oracle.prefix(k)), oracle, "k \(k) from \(position)")
        let again = renumbered(try fresh.nearest(k, to: position), ordinals)
        expectSame(found, again, oracle, "k \(k) from \(position), fresh")
        let packed = renumbered(try snapshot.nearest(k, to: position), ordinals)
        expectSame(packed, again, oracle, "k \(k) from \(position), snapshot")
      }
      for distance in [-500.0, 1000, 300_000] {
        // Polygons whose distance the authority's error straddles may be in or out.
        let found = try index.within(distance, of: position)
        let expected = oracle.filter { $0.distance <= distance }
        guard !oracle.contains(where: { $0.distanceToCenter == nil && abs($0.distance - distance) < 2e-3 })
        else { continue }
        expectSame(found, expected, oracle, "within \(distance) of \(position)")
      }
      expectSame(
        try index.containing(position).filter { $0.distanceToCenter != nil },
        oracle.filter { $0.distance <= 0 && $0.distanceToCenter != nil }, oracle,
        "containing \(position)")
    }
  }

  private func renumbered(_ found: [Neighbor], _ ordinals: [Int]) -> [Neighbor] {
    found.map { neighbor in
      var neighbor = neighbor
      neighbor.ordinal = ordinals[neighbor.ordinal]
      return neighbor
    }
  }

  /// The same ordinals in the same order, but for polygons within two millimetres of each other.
  private func expectSame(
    _ found: [Neighbor], _ expected: [Neighbor], _ oracle: [Neighbor],
    _ query: @autoclosure () -> String
  ) {
    guard oracle.contains(where: { $0.distanceToCenter == nil }) else {
      return NearestOracleTests.expectSame(found, expected, "\(context), \(query())")
    }
    #expect(found.count == expected.count, "\(context), \(query())")
    #expect(Set(found.map(\.ordinal)).count == found.count, "\(context), \(query())")
    let exact = Dictionary(uniqueKeysWithValues: oracle.map { ($0.ordinal, $0.distance) })
    for (a, b) in zip(found, expected) {
      let distance = exact[a.ordinal] ?? .nan
      #expect(
        abs(a.distance - distance) <= (a.distanceToCenter == nil ? 1e-3 : 1e-6),
        "\(context), \(query()): \(a), authority \(distance)")
      #expect(abs(a.distance - b.distance) <= 2e-3, "\(context), \(query()): \(a) \(b)")
    }
  }
}
