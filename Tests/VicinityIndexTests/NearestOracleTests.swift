import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

/// Every query against the scan with the authority, over every family of regions.
@Suite struct NearestOracleTests {
  static let sizes = [0, 1, 2, 15, 16, 17, 255, 257, 1500]

  /// The search must give the scan's ordinals in the scan's order, and its distances to a micrometre.
  static func expectSame(
    _ found: [Neighbor], _ oracle: [Neighbor], _ context: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      found.map(\.ordinal) == oracle.map(\.ordinal), "\(context())", sourceLocation: sourceLocation)
    for (a, b) in zip(found, oracle) {
      #expect(
        abs(a.distance - b.distance) <= 1e-6, "\(context()): \(a) \(b)",
        sourceLocation: sourceLocation)
      if let center = a.distanceToCenter, let oracleCenter = b.distanceToCenter {
        #expect(abs(center - oracleCenter) <= 1e-6, "\(context())", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func nearestAgrees(_ family: RegionFamily) throws {
    for (n, count) in Self.sizes.enumerated() {
      let seed = UInt64(1000 + n)
      let regions = family.circles(count, seed: seed)
      let index = try RegionIndex(regions)
      #expect(index.count == count)
      for position in family.positions(count > 1000 ? 12 : 24, among: regions, seed: seed) {
        let oracle = try index.nearest(
          count, to: position, options: QueryOptions(usesBruteForce: true))
        for k in [0, 1, 5, 20, 64, 65, count, count + 7] {
          let found = try index.nearest(k, to: position)
          Self.expectSame(
            found, Array(oracle.prefix(k)), "\(family), seed \(seed), n \(count), k \(k), \(position)")
        }
      }
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func withinAndContainingAgree(_ family: RegionFamily) throws {
    let seed: UInt64 = 77
    let regions = family.circles(700, seed: seed)
    let index = try RegionIndex(regions)
    for position in family.positions(60, among: regions, seed: seed) {
      let oracle = try index.nearest(700, to: position, options: QueryOptions(usesBruteForce: true))
      for distance in [-1000, -0.5, 0, 1, 1000, 250_000, 2.1e7, Double.infinity] {
        let found = try index.within(distance, of: position)
        Self.expectSame(
          found, oracle.filter { $0.distance <= distance },
          "\(family), seed \(seed), within \(distance) of \(position)")
        let limited = try index.nearest(
          7, to: position, options: QueryOptions(maximumDistance: distance))
        Self.expectSame(
          limited, Array(oracle.filter { $0.distance <= distance }.prefix(7)),
          "\(family), seed \(seed), nearest 7 within \(distance) of \(position)")
      }
      Self.expectSame(
        try index.containing(position), oracle.filter { $0.distance <= 0 },
        "\(family), seed \(seed), containing \(position)")
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func tolerancesHold(_ family: RegionFamily) throws {
    let seed: UInt64 = 78
    let regions = family.circles(900, seed: seed)
    let index = try RegionIndex(regions)
    for position in family.positions(40, among: regions, seed: seed) {
      let oracle = try index.nearest(900, to: position, options: QueryOptions(usesBruteForce: true))
      let exact = Dictionary(uniqueKeysWithValues: oracle.map { ($0.ordinal, $0.distance) })
      for tier in Tier.allCases {
        let found = try index.nearest(20, to: position, options: QueryOptions(tier: tier))
        #expect(found.count == 20)
        #expect(Set(found.map(\.ordinal)).count == 20)
        for (i, neighbor) in found.enumerated() {
          let distance = try #require(exact[neighbor.ordinal])
          #expect(abs(neighbor.distance - distance) <= 1e-6)
          #expect(
            neighbor.distance <= oracle[i].distance + tier.tolerance + 1e-6,
            "\(family), seed \(seed), \(tier), rank \(i), \(position)")
        }
      }
    }
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
    let index = try RegionIndex(regions)
    for position in RegionFamily.uniform.positions(50, among: regions, seed: 9) {
      let oracle = try index.nearest(200, to: position, options: QueryOptions(usesBruteForce: true))
      for k in [1, 20, 150, 200] {
        Self.expectSame(try index.nearest(k, to: position), Array(oracle.prefix(k)), "k \(k)")
      }
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
