import Testing
import VicinityGeodesy

@testable import VicinityIndex

@Suite("Polygon distance against the authority")
struct PolygonOracleTests {
  /// Stars from metres to thousands of kilometres, anywhere.
  @Test(arguments: [10.0, 1_000, 50_000, 400_000, 2_000_000, 7_000_000])
  func stars(size: Double) throws {
    var worst = 0.0
    for seed in 1...12 as ClosedRange<UInt64> {
      var random = PolygonRandom(seed: seed &* 7919 &+ UInt64(size))
      let center = random.coordinate()
      let count = Int.random(in: 3...40, using: &random)
      let ring = PolygonSample.star(center, count: count, radii: size * 0.3...size, &random)
      let polygon = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .geodesic)
      let probes = PolygonSample.probes(polygon, count: 40, &random)
      let problem = try PolygonSample.disagreement(polygon, probes, worst: &worst)
      #expect(problem == nil, "seed \(seed), size \(size), center \(center)")
      #expect(try polygon.contains(center) || count < 5)
    }
    print("stars of \(size) m: worst error \(worst) m")
  }
}
