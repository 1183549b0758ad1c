import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Answers at a tolerance against the list of regions, where a fault of theirs would show.
@Suite struct TierOracleTests {
  /// No region is told that lies beyond the greatest distance, however little, and none is missing that
  /// certainly lies within.
  @Test(arguments: RegionFamily.allCases)
  func nothingIsToldBeyondTheLimit(_ family: RegionFamily) throws {
    let seed: UInt64 = 83
    let regions = family.circles(400, seed: seed)
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    for position in family.positions(30, among: regions, seed: seed) {
      let scan = oracle.scan(position)
      for tolerance: Meters in [10, 1000] {
        let whole = try index.nearest(12, to: position, options: QueryOptions(tolerance: tolerance))
        // An estimate's bounds begin less than its error below the distance: the limit lies between.
        let error = max(whole.distanceError, 1e-5)
        for (rank, share) in zip([0, 3, 6, 9], [1 / 40.0, 1 / 20.0, 1 / 10.0, 1 / 3.0]) {
          let limit = scan.answers[rank].distance - share * error
          let options = QueryOptions(tolerance: tolerance, maximumDistance: limit)
          let answer = try index.nearest(12, to: position, options: options)
          let context = "\(family), seed \(seed), tolerance \(tolerance), within \(limit) m of \(position)"
          let told = Set(answer.found.map(\.ordinal))
          for region in scan.answers {
            if told.contains(region.ordinal) {
              #expect(region.distance <= limit + 1e-6, "\(context)")
            } else if told.count < 12 {
              #expect(region.distance >= limit - 1e-6, "\(context)")
            }
          }
        }
      }
    }
  }

  /// Thousands of circles around one place with a few radii, so little apart that single precision does not
  /// tell from afar which is nearer.
  @Test(arguments: [0.25, 0.01, 1e-4])
  func onePlaceAndAFewRadii(_ step: Meters) throws {
    let seed: UInt64 = 84
    var random = SplitMix64(seed: seed)
    let place = Coordinate(latitude: 48.2, longitude: 16.3)
    let regions = (0..<4000).map { i in
      Region(identifier: "r\(i)", center: place, radius: 100 + step * Double(random.below(4)))
    }
    let oracle = ListOracle(regions)
    let index = try RegionIndex(regions)
    for distance: Meters in [0, 50, 5000, 300_000, 1_000_000, 5_000_000, 15_000_000] {
      let position = Geodesic.uncheckedDirect(place, azimuth: random.uniform(0...360), distance: distance)
        .coordinate
      let scan = oracle.scan(position)
      for count in [1, 20, 33, 700, 1500] {
        let fault = scan.fault(in: try index.nearest(count, to: position).found, count: count)
        expectNoFault(fault, "step \(step), seed \(seed), \(count) from \(distance) m")
      }
      for tolerance: Meters in [10, 1000] {
        let answer = try index.nearest(20, to: position, options: QueryOptions(tolerance: tolerance))
        let fault = scan.fault(
          in: answer.found, error: answer.distanceError, count: 20, tolerance: tolerance)
        expectNoFault(fault, "step \(step), seed \(seed), tolerance \(tolerance) from \(distance) m")
      }
    }
  }
}
