import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityTestSupport

/// Every crossing of circles against PROJ alone.
@Suite struct CrossingOracleTests {
  static func center(_ region: Region) -> Coordinate {
    if case .circle(let center, _) = region.shape { center } else { Coordinate(latitude: 0, longitude: 0) }
  }

  @Test(
    arguments: RegionFamily.allCases,
    [0.5...20.0, 20...500, 500...20_000])
  func walks(_ family: RegionFamily, _ steps: ClosedRange<Double>) throws {
    let seed: UInt64 = 7100
    let regions = family.circles(60, seed: seed)
    let index = try RegionIndex(regions)
    let distances = CrossingOracle.distances(regions)
    var total = 0
    for k in 0..<4 {
      let start = Self.center(regions[k * 7])
      let fixes = TrackGenerator.walk(40, from: start, steps: steps, seed: seed + UInt64(k))
      let crossings = try TrackGenerator.crossings(fixes, index)
      total += crossings.count
      let oracle = CrossingOracle.events(fixes, distances)
      let message = disagreement(crossings, oracle, fixes, distances)
      #expect(message == nil, "\(family), steps \(steps), seed \(seed), walk \(k)")
    }
    print("\(family) \(steps): \(total) crossings")
  }

  @Test(arguments: RegionFamily.allCases)
  func hops(_ family: RegionFamily) throws {
    let seed: UInt64 = 7200
    let regions = family.circles(25, seed: seed)
    let index = try RegionIndex(regions)
    let distances = CrossingOracle.distances(regions)
    let fixes = TrackGenerator.hops(30, among: regions, family, seed: seed)
    let crossings = try TrackGenerator.crossings(fixes, index)
    let oracle = CrossingOracle.events(fixes, distances)
    let message = disagreement(crossings, oracle, fixes, distances)
    #expect(message == nil, "\(family), seed \(seed)")
    print("\(family) hops: \(crossings.count) crossings")
  }
}
