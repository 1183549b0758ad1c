import Foundation
import Testing
import VicinityGeodesy
import VicinityPolygon
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

  // MARK: Polygons

  /// Polygons of all kinds at every tolerance: distances are as near the truth as the answer says, and inside
  /// and outside are told apart wherever that is no more than the distance.
  @Test(arguments: PolygonIndexTests.Family.allCases)
  func polygons(_ family: PolygonIndexTests.Family) throws {
    var random = SplitMix64(seed: 85)
    let (listed, positions) = try PolygonIndexTests.make(family, &random)
    try expectTolerancesHold(listed, positions, "\(family)")
  }

  /// Parts a metre from each other, holes a metre from the edge around them, and slits a metre wide, at the
  /// poles and on the antimeridian too.
  @Test(arguments: [
    Coordinate(latitude: 47, longitude: 11), Coordinate(latitude: -0.01, longitude: 180),
    Coordinate(latitude: 89.97, longitude: 40), Coordinate(latitude: -90, longitude: 0),
  ])
  func polygonsWhoseEdgesNearlyTouch(_ home: Coordinate) throws {
    var random = SplitMix64(seed: 86)
    var listed: [ListedRegion] = []
    var positions: [Coordinate] = []
    for i in 0..<30 {
      let center = Geodesic.uncheckedDirect(
        home, azimuth: random.uniform(0...360), distance: random.uniform(0...60_000)
      ).coordinate
      let turn = random.uniform(0...360)
      func ring(_ places: [(x: Double, y: Double)]) -> [Coordinate] {
        places.map { x, y in
          let angle = atan2(x, y) * 180 / .pi
          let distance = (x * x + y * y).squareRoot()
          return Geodesic.uncheckedDirect(center, azimuth: turn + angle, distance: distance).coordinate
        }
      }
      let parts: [Polygon.Part]
      switch i % 3 {
      case 0:
        parts = [
          .init(exterior: ring([(0.5, 0), (6000, 0), (6000, 5000), (0.5, 5000)])),
          .init(exterior: ring([(-0.5, 0), (-0.5, 5000), (-6000, 5000), (-6000, 0)])),
        ]
      case 1:
        parts = [
          .init(
            exterior: ring([(-4000, -4000), (4000, -4000), (4000, 4000), (-4000, 4000)]),
            holes: [ring([(-3999, -3999), (-3999, 3999), (3000, 3999), (3000, -3000)])])
        ]
      default:
        parts = [
          .init(
            exterior: ring([
              (-4000, -4000), (4000, -4000), (4000, 4000), (0.5, 4000), (0, -3000), (-0.5, 4000),
              (-4000, 4000),
            ]))
        ]
      }
      listed.append(try ListedRegion(identifier: "\(i)", parts: parts))
      positions.append(center)
      for reach: Meters in [0.2, 30, 800, 5000, 20_000] {
        positions.append(
          Geodesic.uncheckedDirect(center, azimuth: random.uniform(0...360), distance: reach).coordinate)
      }
    }
    try expectTolerancesHold(listed, positions, "\(home)")
  }

  private func expectTolerancesHold(
    _ listed: [ListedRegion], _ positions: [Coordinate], _ context: String
  ) throws {
    let oracle = ListOracle(listed)
    let packed = try RegionIndex(oracle.regions)
    let updatable = try UpdatableRegionIndex(oracle.regions)
    for position in positions {
      let scan = oracle.scan(position)
      let truth = Dictionary(uniqueKeysWithValues: scan.answers.map { ($0.ordinal, $0.distance) })
      for tolerance: Meters in [10, 50, 100, 500, 1000, 3000, 30_000] {
        let options = QueryOptions(tolerance: tolerance)
        for count in [1, 12, 32, 40] {
          let context = "\(context), tolerance \(tolerance), \(count), \(position)"
          let answer = try packed.nearest(count, to: position, options: options)
          let fault = scan.fault(
            in: answer.found, error: answer.distanceError, count: count, tolerance: tolerance)
          expectNoFault(fault, context)
          #expect(try updatable.nearest(count, to: position, options: options).count == answer.count)
          for neighbor in answer.found where abs(neighbor.distance) > answer.distanceError + 1e-3 {
            #expect((neighbor.distance < 0) == (truth[neighbor.ordinal, default: 0] < 0), "\(context)")
          }
        }
        // A greatest distance among the estimates.
        let limit = scan.answers[4].distance
        let limited = QueryOptions(tolerance: tolerance, maximumDistance: limit)
        let answer = try packed.nearest(12, to: position, options: limited)
        let told = Set(answer.found.map(\.ordinal))
        for region in scan.answers {
          let isTold = told.contains(region.ordinal)
          #expect(isTold ? region.distance <= limit + 2e-3 : region.distance >= limit - 2e-3, "\(context)")
        }
      }
    }
  }

  /// Among polygons, too, distances are estimated where the tolerance allows it.
  @Test func tolerancesAreUsedAmongPolygons() throws {
    var random = SplitMix64(seed: 87)
    let (listed, positions) = try PolygonIndexTests.make(.stars, &random)
    let index = try RegionIndex(ListOracle(listed).regions)
    let estimated = try positions.count {
      try index.nearest(20, to: $0, options: QueryOptions(tier: .kilometer)).distanceError > 0
    }
    #expect(estimated >= 20)
  }
}
