import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Every query, and the scan of the index, against the list that the index was made of, over every family of
/// regions.
@Suite struct NearestOracleTests {
  static let sizes = [0, 1, 2, 15, 16, 17, 255, 257, 1500]

  @Test(arguments: RegionFamily.allCases)
  func nearestAgrees(_ family: RegionFamily) throws {
    for (n, count) in Self.sizes.enumerated() {
      let seed = UInt64(1000 + n)
      let regions = family.circles(count, seed: seed)
      let oracle = ListOracle(regions)
      let index = try RegionIndex(regions)
      expectNoFault(try oracle.contentsFault(of: index), "\(family), seed \(seed), n \(count)")
      for position in family.positions(count > 1000 ? 12 : 24, among: regions, seed: seed) {
        let counts = [0, 1, 5, 20, 64, 65, count, count + 7]
        let fault = try oracle.fault(of: index, at: position, counts: counts, distances: [])
        expectNoFault(fault, "\(family), seed \(seed), n \(count)")
      }
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func withinAndContainingAgree(_ family: RegionFamily) throws {
    let seed: UInt64 = 77
    let regions = family.circles(700, seed: seed)
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    for position in family.positions(60, among: regions, seed: seed) {
      let distances = [-1000, -0.5, 0, 1, 1000, 250_000, 2.1e7, Double.infinity]
      let fault = try oracle.fault(of: index, at: position, counts: [], distances: distances)
      expectNoFault(fault, "\(family), seed \(seed)")
      #expect(
        try index.containing(position) == index.within(0, of: position),
        "\(family), seed \(seed)")
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func tolerancesHold(_ family: RegionFamily) throws {
    let seed: UInt64 = 78
    let regions = family.circles(900, seed: seed)
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    for position in family.positions(40, among: regions, seed: seed) {
      let scan = oracle.scan(position)
      for tolerance in Tier.allCases.map(\.tolerance) + [1e-3, 4, 1e5, 3e7] {
        for count in [1, 20, 32, 33] {
          let options = QueryOptions(tolerance: tolerance)
          let answer = try index.nearest(count, to: position, options: options)
          let fault = scan.fault(
            in: answer.found, error: answer.distanceError, count: count, tolerance: tolerance)
          expectNoFault(fault, "\(family), seed \(seed), tolerance \(tolerance), \(count), \(position)")
          #expect(tolerance >= 4 || answer.distanceError == 0)
        }
      }
    }
  }

  /// Circles and polygons in one answer, packed and updatable, one at a time and many, and where a greatest
  /// distance lies among the estimates.
  @Test(arguments: RegionFamily.allCases)
  func tolerancesHoldAmongPolygons(_ family: RegionFamily) throws {
    let seed: UInt64 = 79
    let oracle = ListOracle(ListedRegion.some(family, 300, seed: seed, polygonShare: 0.2))
    let packed = try RegionIndex(oracle.regions)
    let updatable = try UpdatableRegionIndex(oracle.regions)
    let positions = family.positions(20, among: oracle.regions, seed: seed)
    for tolerance: Meters in [10, 100, 1000, 1e5] {
      let options = QueryOptions(tolerance: tolerance)
      let table = try packed.nearest(12, toEach: positions, options: options)
      for (i, position) in positions.enumerated() {
        let scan = oracle.scan(position)
        for answer in [
          try packed.nearest(12, to: position, options: options),
          try updatable.nearest(12, to: position, options: options), table[i],
        ] {
          let fault = scan.fault(
            in: answer.found, error: answer.distanceError, count: 12, tolerance: tolerance)
          expectNoFault(fault, "\(family), seed \(seed), tolerance \(tolerance), \(position)")
        }
        // Nothing that is certainly within is missing, and nothing told that is certainly beyond.
        let limit = scan.answers[6].distance
        let answer = try packed.nearest(
          12, to: position, options: QueryOptions(tolerance: tolerance, maximumDistance: limit))
        let told = Set(answer.found.map(\.ordinal))
        for near in scan.answers where near.distance < limit - tolerance {
          #expect(told.contains(near.ordinal))
        }
        for far in scan.answers where far.distance > limit + answer.distanceError + 1e-3 {
          #expect(!told.contains(far.ordinal), "\(family), seed \(seed), \(position), \(far)")
        }
      }
    }
  }

  /// Thousands of the same circle, of which only those with the least ordinals are told: whole subtrees hold
  /// nothing else, and are passed over. Their ordinals lie among each other's and among other regions'.
  @Test(arguments: [1, 2, 3])
  func manyOfTheSameCircle(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let places = [
      Coordinate(latitude: 48.2, longitude: 16.3), Coordinate(latitude: 48.2, longitude: 16.3001),
      Coordinate(latitude: -89.99, longitude: 20), Coordinate(latitude: 5, longitude: 180),
    ]
    var regions: [Region] = []
    for i in 0..<6000 {
      let kind = random.below(20)
      let center =
        kind < 19 ? places[kind % 4 < 3 && seed < 3 ? 0 : kind % 4] : random.coordinate()
      let radius = kind == 7 ? 50.0 : 100
      regions.append(Region(identifier: "r\(i)", center: center, radius: radius))
    }
    let oracle = ListOracle(regions)
    let packed = try RegionIndex(regions)
    let positions =
      places + (0..<4).map { _ in random.coordinate() } + [
        Coordinate(latitude: 48.2003, longitude: 16.3), Coordinate(latitude: 48.3, longitude: 16.4),
      ]
    for position in positions {
      let scan = oracle.scan(position)
      for count in [1, 15, 16, 17, 20, 33, 100, 700, 5000] {
        let fault = scan.fault(in: try packed.nearest(count, to: position).found, count: count)
        expectNoFault(fault, "seed \(seed), \(count) from \(position)")
      }
      for tier in [Tier.hundredMeters, .kilometer] {
        let answer = try packed.nearest(20, to: position, options: QueryOptions(tier: tier))
        let fault = scan.fault(
          in: answer.found, error: answer.distanceError, count: 20, tolerance: tier.tolerance)
        expectNoFault(fault, "seed \(seed), \(tier) from \(position)")
      }
      expectNoFault(
        scan.fault(in: try packed.within(0, of: position).found, within: 0), "seed \(seed), in \(position)")
    }
  }

  /// Many positions are asked about in another order than their own, and answered in theirs.
  @Test func manyPositionsKeepTheirPlaces() throws {
    let regions = RegionFamily.clustered.circles(400, seed: 8)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: 8)
    for wraps in [0.0, 360] {
      let positions = (0..<3000).map { _ in
        let place = random.coordinate()
        return Coordinate(latitude: place.latitude, longitude: place.longitude + wraps)
      }
      let table = try index.nearest(5, toEach: positions)
      let within = try index.within(1e6, ofEach: positions)
      for (i, position) in positions.enumerated() {
        let answer = try index.nearest(5, to: position)
        #expect(table[i] == answer && table.neighborCount(of: i) == 5)
        #expect(try within[i].found == index.within(1e6, of: position).found)
      }
    }
  }

  /// Where the tolerance allows it, distances are estimated; that it pays is measured by `Scripts/bench`.
  @Test func tolerancesAreUsed() throws {
    let regions = RegionFamily.uniform.circles(5000, seed: 5)
    let index = try RegionIndex(regions)
    var estimated = 0
    for position in RegionFamily.uniform.positions(50, among: regions, seed: 5) {
      let answer = try index.nearest(20, to: position, options: QueryOptions(tier: .kilometer))
      if answer.distanceError > 0 { estimated += 1 }
    }
    #expect(estimated >= 45)
  }

  /// All regions that contain a position, in order: the list's own, of circles and polygons, packed and
  /// updatable, searched and scanned, for one position and for many.
  @Test(arguments: RegionFamily.allCases)
  func containingAgrees(_ family: RegionFamily) throws {
    for (seed, share): (UInt64, Double) in [(81, 0), (82, 0.2)] {
      let oracle = ListOracle(ListedRegion.some(family, 300, seed: seed, polygonShare: share))
      let packed = try RegionIndex(oracle.regions)
      let updatable = try UpdatableRegionIndex(oracle.regions)
      let positions = family.positions(30, among: oracle.regions, seed: seed)
      let tables = [try packed.containing(each: positions), try updatable.containing(each: positions)]
      for (i, position) in positions.enumerated() {
        let scan = oracle.scan(position)
        var answers =
          [try packed.containing(position), try updatable.containing(position)] + tables.map { $0[i] }
        if share == 0 {
          let brute = QueryOptions(usesBruteForce: true)
          answers += [
            try packed.containing(position, options: brute),
            try updatable.containing(position, options: brute),
          ]
        }
        for answer in answers {
          let context = "\(family), seed \(seed), \(position)"
          expectNoFault(scan.fault(in: answer.found, within: 0), context)
          #expect(
            answer.map(\.identifier) == answer.map { oracle.regions[$0.ordinal].identifier }, "\(context)")
        }
        // Circles alone: the same ones in the same order.
        guard share == 0 else { continue }
        let expected = scan.answers.filter { $0.distance <= 0 }.map(\.ordinal)
        for answer in answers {
          #expect(answer.map(\.ordinal) == expected, "\(family), seed \(seed), \(position)")
        }
      }
    }
  }

  /// Answers for many positions: those for each alone, in their order, whatever the number of threads.
  @Test(arguments: [RegionFamily.clustered, .dense, .polar])
  func batchesAgree(_ family: RegionFamily) throws {
    let seed: UInt64 = 79
    let oracle = ListOracle(ListedRegion.some(family, 200, seed: seed, polygonShare: 0.1))
    let index = try RegionIndex(oracle.regions)
    let updatable = try UpdatableRegionIndex(oracle.regions)
    // Two whole chunks and a part of one.
    let size = NeighborTable.chunkSize
    let positions = family.positions(2 * size + 77, among: oracle.regions, seed: seed)
    for threads in [1, 3] {
      let nearest = try index.nearest(20, toEach: positions, threads: threads)
      let within = try index.within(5000, ofEach: positions, threads: threads)
      let containing = try index.containing(each: positions, threads: threads)
      let others = [
        try updatable.nearest(20, toEach: positions, threads: threads),
        try updatable.within(5000, ofEach: positions, threads: threads),
        try updatable.containing(each: positions, threads: threads),
      ]
      #expect(others.map(\.count) == Array(repeating: positions.count, count: 3))
      #expect([nearest.count, within.count, containing.count] == Array(repeating: positions.count, count: 3))
      for (i, position) in positions.enumerated() {
        let context = "\(family), seed \(seed), \(threads) threads, \(position)"
        #expect(try nearest[i] == index.nearest(20, to: position), "\(context)")
        #expect(try within[i] == index.within(5000, of: position), "\(context)")
        #expect(try containing[i] == index.containing(position), "\(context)")
        #expect(try others[0][i] == updatable.nearest(20, to: position), "\(context)")
        #expect(try others[1][i] == updatable.within(5000, of: position), "\(context)")
        #expect(try others[2][i] == updatable.containing(position), "\(context)")
        guard [0, size - 1].contains(i % size) || i % 50 == 7 else { continue }
        let scan = oracle.scan(position)
        expectNoFault(scan.fault(in: nearest[i].found, count: 20), context)
        expectNoFault(scan.fault(in: within[i].found, within: 5000), context)
        expectNoFault(scan.fault(in: containing[i].found, within: 0), context)
      }
    }
    #expect(try index.nearest(3, toEach: []).count == 0)
  }

  @Test func threadsDoNotShow() throws {
    let regions = RegionFamily.clustered.circles(20_000, seed: 5)
    let one = try RegionIndex(RegionSet(regions), threads: 1)
    let many = try RegionIndex(RegionSet(regions), threads: 7)
    let path = TemporaryFile.path("threads-1")
    let other = TemporaryFile.path("threads-7")
    defer { TemporaryFile.remove(path, other) }
    try one.write(to: path)
    try many.write(to: other)
    #expect(try TemporaryFile.bytes(path) == TemporaryFile.bytes(other))
  }

  @Test("Neighbours know their identifiers, and those of an updatable index keep them when it changes")
  func neighborsKnowTheirIdentifiers() throws {
    let regions = RegionFamily.clustered.circles(200, seed: 31)
    let index = try RegionIndex(regions)
    let positions = RegionFamily.clustered.positions(5, among: regions, seed: 31)
    let table = try index.nearest(7, toEach: positions)
    for (i, position) in positions.enumerated() {
      let found = try index.nearest(7, to: position)
      #expect(found.map(\.identifier) == found.map { regions[$0.ordinal].identifier })
      #expect(found.map(\.distance) == found.withoutIdentifiers.map(\.distance))
      #expect(table[i] == found && table[i].map(\.identifier) == found.map(\.identifier))
      var updatable = try UpdatableRegionIndex(regions)
      let before = try updatable.nearest(7, to: position)
      #expect(before.map(\.identifier) == found.map(\.identifier))
      let beforeEach = try updatable.nearest(7, toEach: positions)
      try updatable.remove(found[0].identifier)
      #expect(before.map(\.identifier) == found.map(\.identifier))
      #expect(try updatable.nearest(7, to: position) != before)
      #expect(
        beforeEach.map { $0.map(\.identifier) } == table.map { $0.map(\.identifier) }, "\(position)")
    }
  }

  @Test func refusesNonsense() throws {
    let index = try RegionIndex(RegionFamily.uniform.circles(40, seed: 1))
    let nan = Coordinate(latitude: .nan, longitude: 0)
    #expect(throws: QueryError.self) { try index.nearest(3, to: nan) }
    #expect(throws: QueryError.invalidCoordinate(Coordinate(latitude: 91, longitude: 0))) {
      try index.nearest(3, to: Coordinate(latitude: 91, longitude: 0))
    }
    let here = Coordinate(latitude: 0, longitude: 0)
    #expect(throws: QueryError.invalidCount(-1)) { try index.nearest(-1, to: here) }
    #expect(throws: QueryError.self) { try index.within(.nan, of: here) }
    #expect(throws: QueryError.invalidTolerance(-1)) {
      try index.nearest(1, to: here, options: QueryOptions(tolerance: -1))
    }
    #expect(throws: RegionError.duplicateIdentifier("a", first: 0, second: 2)) {
      try RegionIndex([
        Region(identifier: "a", center: here, radius: 1), Region(identifier: "b", center: here, radius: 1),
        Region(identifier: "a", center: here, radius: 2),
      ])
    }
    #expect(throws: RegionError.invalidRadius(identifier: "x", -1)) {
      try RegionIndex([Region(identifier: "x", center: here, radius: -1)])
    }
  }

  @Test func hugeRadiiAreOrdinary() throws {
    var random = SplitMix64(seed: 9)
    let radii = [0, 1e-9, 1, 1e7, 4e7, 1e12, 1e30, 1e38, 1e200, .greatestFiniteMagnitude]
    let regions = (0..<200).map { i in
      Region(
        identifier: "\(i)",
        center: Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180)),
        radius: radii[i % radii.count])
    }
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    expectNoFault(try oracle.contentsFault(of: index))
    for position in RegionFamily.uniform.positions(50, among: regions, seed: 9) {
      expectNoFault(try oracle.fault(of: index, at: position, counts: [1, 20, 150, 200]), "seed 9")
    }
  }

  @Test func identifiersLeadBack() throws {
    let regions = RegionFamily.clustered.circles(3000, seed: 3)
    let index = try RegionIndex(regions)
    for (i, region) in regions.enumerated() {
      #expect(index.ordinal(of: region.identifier) == i)
      #expect(index.identifier(of: i) == region.identifier)
      #expect(index.region(at: i) == region)
    }
    #expect(index.ordinal(of: "nobody") == nil)
  }
}
