import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Queries that follow one another with the same working memory, against each with its own, and against the
/// list of regions.
@Suite struct RecentCirclesTests {
  /// The answer to a query whose working memory knows of no other. That of the convenient call does.
  static func alone(_ index: some SearchableRegions, _ k: Int, _ position: Coordinate) throws -> [Neighbor] {
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    try index.nearest(k, to: position, scratch: &scratch, into: &found)
    return found
  }

  /// Whether two answers are the same. Which kernel measures a circle depends on what is measured with it, so
  /// distances may differ by a fraction of their error.
  static func areSame(_ a: [Neighbor], _ b: [Neighbor]) -> Bool {
    a.map(\.ordinal) == b.map(\.ordinal) && zip(a, b).allSatisfy { abs($0.distance - $1.distance) < 1e-7 }
  }

  /// Forty short steps from one place after another.
  static func walk(
    _ family: RegionFamily, _ regions: [Region], _ steps: Int, step: ClosedRange<Double>, seed: UInt64
  ) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    // Inside, on, near and far from circles of the set.
    let starts = family.positions(60, among: regions, seed: seed)
    var here = starts[3]
    var azimuth = 0.0
    return (0..<steps).map { i in
      azimuth += random.uniform(-20...20)
      if i % 40 == 39 { here = starts[random.below(starts.count)] }
      here = Geodesic.uncheckedDirect(here, azimuth: azimuth, distance: random.logUniform(step)).coordinate
      if random.unit() < 0.02 { here.longitude += 360 }
      return here
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func answerLikeASearch(_ family: RegionFamily) throws {
    let seed: UInt64 = 5301
    var nearby = 0
    for (n, k) in [(1, 1), (5, 20), (21, 20), (400, 1), (3000, 5), (3000, 20), (3000, 24), (3000, 25)] {
      let regions = family.circles(n, seed: seed)
      let list = ListOracle(regions)
      let index = try RegionIndex(regions)
      var scratch = QueryScratch()
      var found: [Neighbor] = []
      for step in [0.01...3, 1...300] {
        for (i, position) in Self.walk(family, regions, 200, step: step, seed: seed &+ UInt64(n)).enumerated()
        {
          let listed = scratch.recent.circles.count
          try index.nearest(k, to: position, scratch: &scratch, into: &found)
          if listed > 0, scratch.recent.circles.count > 0 { nearby += 1 }
          let alone = try Self.alone(index, k, position)
          #expect(
            found.map(\.ordinal) == alone.map(\.ordinal),
            "\(family), seed \(seed), n \(n), k \(k), \(position)")
          #expect(
            zip(found, alone).allSatisfy { abs($0.distance - $1.distance) < 1e-6 },
            "\(family), seed \(seed), n \(n), k \(k), \(position)")
          if i % 20 == 0 {
            expectNoFault(
              list.scan(position).fault(in: found, count: k), "\(family), seed \(seed), n \(n), k \(k)")
          }
        }
      }
    }
    // Of other families the last one wanted is mostly farther than 100 km, or as far as many others.
    #expect(
      nearby > (family == .clustered || family == .dense ? 400 : -1), "\(family), seed \(seed), \(nearby)")
  }

  /// One working memory for two sets, and for two numbers of regions, in turns.
  @Test func doNotMixIndexesAndCounts() throws {
    let seed: UInt64 = 5302
    let sets = [seed, seed + 1].map { RegionFamily.clustered.circles(2000, seed: $0) }
    let indexes = try sets.map { try RegionIndex($0) }
    var updatable = try UpdatableRegionIndex(sets[0])
    var random = SplitMix64(seed: seed)
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    for position in Self.walk(.clustered, sets[0], 600, step: 0.1...30, seed: seed) {
      let (i, k) = (random.below(2), [3, 20][random.below(2)])
      if random.unit() < 0.7 {
        try indexes[i].nearest(k, to: position, scratch: &scratch, into: &found)
        #expect(
          found == (try Self.alone(indexes[i], k, position)), "\(position)")
      } else {
        try updatable.nearest(k, to: position, scratch: &scratch, into: &found)
        #expect(
          found == (try Self.alone(updatable, k, position)), "\(position)")
        if let nearest = found.first {
          let region = try #require(updatable.region(at: nearest.ordinal))
          try updatable.remove(region.identifier)
        }
      }
    }
  }

  /// With a tolerance: what was told before bounds what can be told next only if its error counts.
  @Test(arguments: [Tier.hundredMeters, .kilometer])
  func keepTheTiersPromise(_ tier: Tier) throws {
    let seed: UInt64 = 5304
    var exactly = 0
    for family in [RegionFamily.clustered, .dense] {
      let regions = family.circles(3000, seed: seed)
      let index = try RegionIndex(regions)
      let options = QueryOptions(tier: tier)
      var scratch = QueryScratch()
      var found: [Neighbor] = []
      for position in Self.walk(family, regions, 800, step: 1...300, seed: seed) {
        try index.nearest(20, to: position, options: options, scratch: &scratch, into: &found)
        let exact = try Self.alone(index, 20, position)
        let error = scratch.distanceError
        if error == 0 { exactly += 1 }
        #expect(error <= options.tolerance, "\(family), seed \(seed), \(position)")
        #expect(
          found.count == 20
            && zip(found, exact).allSatisfy { abs($0.distance - $1.distance) <= options.tolerance + error },
          "\(family), seed \(seed), \(position)")
      }
    }
    #expect(exactly > 300, "\(exactly)")
  }

  /// Positions of eight walks in any order.
  private static func mixed(
    _ family: RegionFamily, _ regions: [Region], _ random: inout SplitMix64
  ) -> [Coordinate] {
    let walks = (0..<8).map { walk(family, regions, 400, step: 1...500, seed: 5303 + $0) }
    return walks.joined().shuffled(using: &random)
  }

  /// A batch in any order has each point's own answer.
  @Test(arguments: [RegionFamily.uniform, .clustered, .dense, .polar, .antimeridian])
  func batchesAnswerLikeSingleQueries(_ family: RegionFamily) throws {
    let seed: UInt64 = 5303
    let regions = family.circles(3000, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    let positions = Self.mixed(family, regions, &random)
    for k in [1, 5, 20] {
      let table = try index.nearest(k, toEach: positions, threads: 2)
      let one = try index.nearest(k, toEach: positions, threads: 1)
      let differing = positions.indices.filter {
        !Self.areSame(Array(one[$0].withoutIdentifiers), Array(table[$0].withoutIdentifiers))
      }
      #expect(differing.isEmpty, "\(family), seed \(seed), k \(k): \(differing.prefix(5))")
      for (i, position) in positions.enumerated() {
        let alone = try Self.alone(index, k, position)
        #expect(
          Self.areSame(Array(table[i].withoutIdentifiers), alone),
          "\(family), seed \(seed), k \(k), \(position)")
      }
    }
  }

  /// All answers piece by piece are those one by one, each query's once, whether they were asked in their
  /// order or in another.
  @Test(arguments: [RegionFamily.clustered, .dense], [500, 3200])
  func piecesHoldEachAnswerOnce(_ family: RegionFamily, _ count: Int) throws {
    let seed: UInt64 = 5304
    let regions = family.circles(3000, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    let positions = Array(Self.mixed(family, regions, &random).prefix(count))
    // So many are asked about in another order, and so few are not.
    #expect((QueryOrder(positions).places != positions) == (count == 3200), "\(family), seed \(seed)")
    for table in try [
      index.nearest(3, toEach: positions, threads: 2), index.within(2000, ofEach: positions, threads: 2),
    ] {
      var found = [[Neighbor]?](repeating: nil, count: count)
      for piece in 0..<table.pieceCount {
        unsafe table.forEachQuery(ofPiece: piece) { query, neighbors in
          #expect(found[query] == nil, "\(family), query \(query)")
          found[query] = unsafe Array(neighbors)
        }
      }
      let alone = table.indices.map { Array(table.neighbors(of: $0)) }
      #expect(zip(found, alone).allSatisfy { Self.areSame($0 ?? [], $1) }, "\(family), seed \(seed)")
      #expect(!found.contains(nil))
      var starts = [0]
      for answer in alone { starts.append(starts[starts.count - 1] + answer.count) }
      #expect(table.starts == starts)
    }
  }

  /// One working memory for stretches of positions in one order after another: a list of circles far away
  /// once answered for a position that lies in many regions, so that all distances wanted are negative.
  @Test(arguments: [RegionFamily.dense, .clustered, .nested])
  func doNotDependOnWhatWasAskedBefore(_ family: RegionFamily) throws {
    let seed: UInt64 = 5303
    let regions = family.circles(3000, seed: seed)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    let places = QueryOrder(Self.mixed(family, regions, &random)).places
    let alone = try places.map { try Self.alone(index, 20, $0) }
    let stretches = stride(from: 0, to: places.count, by: 256).map { $0..<min(places.count, $0 + 256) }
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    for _ in 0..<30 {
      for stretch in stretches.shuffled(using: &random) {
        for i in stretch {
          try index.nearest(20, to: places[i], scratch: &scratch, into: &found)
          #expect(Self.areSame(found, alone[i]), "\(family), seed \(seed), \(places[i])")
        }
      }
    }
  }
}
