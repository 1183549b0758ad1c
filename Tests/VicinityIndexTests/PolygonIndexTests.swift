import Testing
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityIndex

/// Families of polygons in an index, every query held to the list of their rings.
@Suite("Polygons in an index")
struct PolygonIndexTests {
  enum Family: CaseIterable {
    case stars, overlapping, nested, mixed, polar, antimeridian
  }

  /// A set of `family`, and places near its regions.
  static func make(
    _ family: Family, _ random: inout SplitMix64
  ) throws -> (listed: [ListedRegion], positions: [Coordinate]) {
    var listed: [ListedRegion] = []
    var positions: [Coordinate] = []
    let home: Coordinate
    switch family {
    case .polar: home = Coordinate(latitude: 89.2, longitude: random.uniform(-180...180))
    case .antimeridian: home = Coordinate(latitude: random.uniform(-5...5), longitude: 179.9)
    default: home = random.coordinate()
    }
    let spread: Meters = family == .overlapping ? 40_000 : 400_000
    for i in 0..<120 {
      let size: Meters
      let center: Coordinate
      if family == .nested {
        center = home
        size = 500 * Double(i + 1)
      } else {
        center =
          Geodesic.uncheckedDirect(
            home, azimuth: random.uniform(0...360), distance: spread * random.unit()
          ).coordinate
        size = random.uniform(0...1) < 0.1 ? 600_000 : random.uniform(200...30_000)
      }
      positions.append(center)
      if family == .mixed, i % 2 == 0 {
        listed.append(ListedRegion(Region(identifier: "\(i)", center: center, radius: size)))
      } else {
        let count = Int(random.uniform(3...60))
        let depth = family == .nested ? 0.97 : 0.4
        let ring = PolygonSample.star(center, count: count, radii: size * depth...size, &random)
        // Jagged rings of few vertices may turn out invalid over the pole.
        guard let polygon = try? ListedRegion(identifier: "\(i)", parts: [.init(exterior: ring)]) else {
          continue
        }
        listed.append(polygon)
        positions.append(ring[0])
        positions.append(
          Geodesic.uncheckedDirect(
            ring[1], azimuth: random.uniform(0...360), distance: random.uniform(0...2 * size)
          ).coordinate)
      }
    }
    positions = (0..<24).map { _ in positions[Int.random(in: 0..<positions.count, using: &random)] }
    for _ in 0..<6 {
      positions.append(
        Geodesic.uncheckedDirect(
          home, azimuth: random.uniform(0...360), distance: random.uniform(1e5...19e6)
        ).coordinate)
    }
    return (listed, positions)
  }

  @Test("every query agrees with the list", arguments: Family.allCases)
  func agreesWithTheList(_ family: Family) throws {
    for seed: UInt64 in 1...2 {
      var random = SplitMix64(seed: seed)
      let (listed, positions) = try Self.make(family, &random)
      #expect(listed.count > 110, "\(family), seed \(seed)")
      let oracle = ListOracle(listed)
      #expect(oracle.polygonCount >= (family == .mixed ? 50 : 110), "\(family), seed \(seed)")
      let index = try RegionIndex(oracle.regions)
      expectNoFault(try oracle.contentsFault(of: index), "\(family), seed \(seed)")
      for (i, position) in positions.enumerated() {
        let fault = try oracle.fault(
          of: index, at: position, counts: [1, 20, index.count], distances: [-100, 0, 5000, 100_000],
          judgesBruteForce: i % 4 == 0)
        expectNoFault(fault, "\(family), seed \(seed)")
      }
    }
  }
}
