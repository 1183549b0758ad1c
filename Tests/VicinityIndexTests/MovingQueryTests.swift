import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

/// The set kept by a moving query against an exact query at every step, and against the list of regions at
/// many.
@Suite struct MovingQueryTests {
  /// Walks with steps from centimetres to hundreds of kilometres.
  static func walk(_ steps: Int, from start: Coordinate, seed: UInt64) -> [Coordinate] {
    var random = SplitMix64(seed: seed)
    var here = start
    var azimuth = 0.0
    return (0..<steps).map { i in
      azimuth += random.uniform(-20...20)
      let step = i % 50 == 49 ? random.logUniform(1...3e6) : random.logUniform(0.01...300)
      here = Geodesic.uncheckedDirect(here, azimuth: azimuth, distance: step).coordinate
      if random.unit() < 0.02 { here.longitude += 360 }
      return here
    }
  }

  @Test(arguments: RegionFamily.allCases)
  func staysExact(_ family: RegionFamily) throws {
    let seed: UInt64 = 4242
    var total = 0
    for (n, k) in [(0, 3), (1, 1), (5, 20), (20, 20), (21, 20), (400, 1), (3000, 20), (3000, 0)] {
      let regions = family.circles(n, seed: seed)
      let list = ListOracle(regions)
      let index = try RegionIndex(regions)
      var moving = index.movingQuery(count: k)
      var last: Set<Int> = []
      // A scan of thousands at every step would take long.
      let stride = n > 1000 ? 50 : n > 100 ? 10 : 2
      var changes = 0
      let start = regions.first.flatMap { region -> Coordinate? in
        if case .circle(let center, _) = region.shape { center } else { nil }
      }
      let walk = Self.walk(300, from: start ?? Coordinate(latitude: 0, longitude: 0), seed: seed)
      for (step, position) in walk.enumerated() {
        let changed = try moving.move(to: position)
        let set = Set(moving.ordinals)
        #expect(set.count == moving.ordinals.count)
        let oracle = try index.nearest(k, to: position)
        #expect(
          set == Set(oracle.map(\.ordinal)), "\(family), seed \(seed), n \(n), k \(k), \(position)")
        #expect(changed == (set != last))
        if changed { changes += 1 }
        last = set
        if step % stride == 0 {
          expectNoFault(
            list.scan(position).fault(inSet: moving.ordinals, count: k),
            "\(family), seed \(seed), n \(n), k \(k), \(position)")
        }
      }
      // The first step gives the set; where all regions belong to it, nothing changes later.
      #expect(changes >= min(n, k, 1), "\(family), seed \(seed), n \(n), k \(k)")
      total += changes
    }
    // More than the first step of each walk.
    if family != .duplicate, family != .concentric { #expect(total > 6, "\(family), seed \(seed)") }
  }

  /// Polygons among circles: what lies within 2 mm may change places.
  @Test(arguments: [RegionFamily.clustered, .dense, .polar, .antimeridian])
  func staysExactAmongPolygons(_ family: RegionFamily) throws {
    let seed: UInt64 = 4343
    for k in [1, 20] {
      let list = ListOracle(ListedRegion.some(family, 250, seed: seed, polygonShare: 0.2))
      #expect(list.polygonCount > 25, "\(family), seed \(seed)")
      let index = try RegionIndex(list.regions)
      var moving = index.movingQuery(count: k)
      let start = list.regions.lazy.compactMap { region -> Coordinate? in
        if case .circle(let center, _) = region.shape { center } else { nil }
      }.first
      for position in Self.walk(90, from: try #require(start), seed: seed) {
        _ = try moving.move(to: position)
        let scan = list.scan(position)
        expectNoFault(
          scan.fault(inSet: moving.ordinals, count: k), "\(family), seed \(seed), k \(k), \(position)")
        expectNoFault(scan.fault(in: try moving.neighbors(at: position), count: k), "\(family), seed \(seed)")
      }
    }
  }

  @Test(arguments: [RegionFamily.clustered, .dense, .uniform, .polar, .antimeridian])
  func holdsAsFarAsItSays(_ family: RegionFamily) throws {
    let seed: UInt64 = 99
    let regions = family.circles(2000, seed: seed)
    let list = ListOracle(regions)
    let index = try RegionIndex(regions)
    var random = SplitMix64(seed: seed)
    var moving = index.movingQuery(count: 20)
    #expect(moving.stableDistance == 0)
    var held = 0
    for start in family.positions(60, among: regions, seed: seed) {
      // From where a neighbourhood is gathered to where it ends, and what lies beyond comes near.
      var position = start
      let azimuth = random.uniform(0...360)
      for _ in 0..<25 {
        _ = try moving.move(to: position)
        let reach = moving.stableDistance
        let set = Set(moving.ordinals)
        if reach > 0 { held += 1 }
        for direction in [azimuth, azimuth + 180, random.uniform(0...360)] {
          let there = Geodesic.uncheckedDirect(
            position, azimuth: direction, distance: min(reach, 1e7) * 0.9999
          ).coordinate
          let oracle = try index.nearest(20, to: there)
          #expect(
            set == Set(oracle.map(\.ordinal)), "\(family), seed \(seed), \(position), \(reach)")
        }
        position =
          Geodesic.uncheckedDirect(
            position, azimuth: azimuth + random.uniform(-10...10),
            distance: min(reach, 1e5) * random.uniform(0.5...2)
          ).coordinate
      }
      let last = list.scan(position)
      _ = try moving.move(to: position)
      expectNoFault(last.fault(inSet: moving.ordinals, count: 20), "\(family), seed \(seed), \(position)")
    }
    #expect(held > 1000, "\(family), seed \(seed)")
  }

  /// Right beside the places where the set changes, whichever way the query has come.
  @Test(arguments: [500.0, 4000, 25_000])
  func tellsTiesApart(_ scale: Double) throws {
    let seed: UInt64 = 4700
    var random = SplitMix64(seed: seed)
    var changes = 0
    for latitude in [0.0, 35.264_39, -52, 70] {
      let middle = Coordinate(latitude: latitude, longitude: 45)
      func around(_ radius: Double) -> Coordinate {
        Geodesic.uncheckedDirect(
          middle, azimuth: random.uniform(0...360), distance: radius * random.unit().squareRoot()
        ).coordinate
      }
      let index = try RegionIndex(
        (0..<300).map { i in
          Region(identifier: "\(i)", center: around(4 * scale), radius: random.uniform(0...0.3 * scale))
        })
      func set(_ position: Coordinate) throws -> Set<Int> {
        Set(try index.nearest(20, to: position).map(\.ordinal))
      }
      var moving = index.movingQuery(count: 20)
      var here = around(2 * scale)
      for _ in 0..<60 {
        let (azimuth, step) = (random.uniform(0...360), 0.2 * scale)
        let start = here
        func place(_ way: Double) -> Coordinate {
          Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: way).coordinate
        }
        let first = try set(start)
        guard try set(place(step)) != first else { continue }
        changes += 1
        var (low, high) = (0.0, step)
        while high - low > 1e-5 {
          let half = 0.5 * (low + high)
          if try set(place(half)) == first { low = half } else { high = half }
        }
        for offset in [-3, 0.1, -0.1, 0.01, -0.01, 2e-3, -2e-3, 3e-4, -3e-4] {
          let position = place(low + offset)
          _ = try moving.move(to: position)
          #expect(
            try Set(moving.ordinals) == set(position), "seed \(seed), scale \(scale), \(position)")
        }
        here = random.unit() < 0.1 ? around(2 * scale) : place(step)
      }
    }
    #expect(changes > 100)
  }

  @Test func refusesInvalidPositions() throws {
    let index = try RegionIndex(RegionFamily.uniform.circles(100, seed: 1))
    var moving = index.movingQuery(count: 5)
    _ = try moving.move(to: Coordinate(latitude: 1, longitude: 1))
    let set = moving.ordinals
    #expect(throws: QueryError.self) {
      try moving.move(to: Coordinate(latitude: .nan, longitude: 1))
    }
    #expect(moving.ordinals == set)
  }
}
