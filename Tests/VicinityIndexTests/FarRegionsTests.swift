import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Regions of one part of the Earth, and positions thousands of kilometres away, up to the antipode: against
/// the list, in both kinds of index.
@Suite struct FarRegionsTests {
  static let distances: [Meters] = [
    4e6, 6.1e6, 7e6, 8.6e6, 8.8e6, 1e7, 1.4e7, 1.75e7, 1.77e7, 1.9e7, 1.99e7, 2.0003e7,
  ]

  /// Where they lie: in the middle, at the equator, at a pole, across the antimeridian.
  static let middles = [
    Coordinate(latitude: 48, longitude: 16), Coordinate(latitude: 0.1, longitude: -60),
    Coordinate(latitude: -89, longitude: 0), Coordinate(latitude: 20, longitude: 179.9),
  ]

  static func regions(
    _ count: Int, around middle: Coordinate, within width: Meters, _ random: inout SplitMix64
  ) -> [Region] {
    (0..<count).map { i in
      let center = Geodesic.uncheckedDirect(
        middle, azimuth: random.uniform(-180...180), distance: width * random.unit().squareRoot()
      ).coordinate
      let radius = random.below(50) == 0 ? random.logUniform(1e3...2e6) : random.logUniform(1...1e3)
      return Region(identifier: "r\(i)", center: center, radius: radius)
    }
  }

  @Test(arguments: middles, [3e4, 8e5])
  func agreeWithTheList(_ middle: Coordinate, _ width: Meters) throws {
    let seed = UInt64(middle.latitude + 100) * 1000 + UInt64(width / 1000)
    var random = SplitMix64(seed: seed)
    let regions = Self.regions(3000, around: middle, within: width, &random)
    let packed = try RegionIndex(regions)
    let updatable = try UpdatableRegionIndex(regions)
    let oracle = ListOracle(regions.map { ListedRegion($0) }, ordinals: Array(regions.indices))
    for distance in Self.distances {
      let position = Geodesic.uncheckedDirect(
        middle, azimuth: random.uniform(-180...180), distance: distance
      ).coordinate
      let scan = oracle.scan(position)
      let context = "seed \(seed), from \(distance) m"
      func check(_ index: some SearchableRegions) throws {
        for count in [1, 20, 100] {
          let fault = scan.fault(in: try index.nearest(count, to: position).found, count: count)
          expectNoFault(fault, "\(count), \(context)")
        }
        let limit = scan.answers[30].distance
        let options = QueryOptions(maximumDistance: limit)
        let fault = scan.fault(
          in: try index.nearest(50, to: position, options: options).found, count: 50, within: limit)
        expectNoFault(fault, "within \(limit) m, \(context)")
        for tolerance: Meters in [10, 1000, 100_000] {
          let answer = try index.nearest(20, to: position, options: QueryOptions(tolerance: tolerance))
          let fault = scan.fault(
            in: answer.found, error: answer.distanceError, count: 20, tolerance: tolerance)
          expectNoFault(fault, "tolerance \(tolerance), \(context)")
        }
      }
      try check(packed)
      try check(updatable)
    }
  }

  /// However far away, few regions are measured and few leaves read.
  @Test func fewAreMeasured() throws {
    var random = SplitMix64(seed: 95)
    let middle = Self.middles[0]
    var set = RegionSet()
    for region in Self.regions(100_000, around: middle, within: 5e5, &random) {
      guard case .circle(let center, _) = region.shape else { continue }
      try set.append(Region(identifier: region.identifier, center: center, radius: 100))
    }
    let index = try RegionIndex(set)
    var scratch = QueryScratch()
    var found: [Neighbor] = []
    for distance in Self.distances {
      let position = Geodesic.uncheckedDirect(middle, azimuth: 30, distance: distance).coordinate
      try index.nearest(20, to: position, scratch: &scratch, into: &found)
      #expect(found.count == 20)
      #expect(
        scratch.candidateCount + scratch.circleBatchCount <= 1000 && scratch.visitCount <= 100,
        "from \(distance) m: \(scratch.candidateCount) measured, \(scratch.visitCount) leaves")
    }
  }
}
