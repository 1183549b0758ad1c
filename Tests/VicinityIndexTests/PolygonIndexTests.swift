import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityIndex

/// Families of polygons in an index, each query asked both ways.
@Suite("Polygons in an index")
struct PolygonIndexTests {
  enum Family: CaseIterable {
    case stars, overlapping, nested, mixed, polar, antimeridian
  }

  /// A set of `family`, and places near its regions.
  static func make(
    _ family: Family, _ random: inout PolygonRandom
  ) throws -> (set: RegionSet, positions: [Coordinate]) {
    var set = RegionSet()
    var positions: [Coordinate] = []
    let home: Coordinate
    switch family {
    case .polar: home = Coordinate(latitude: 89.2, longitude: random.within(-180...180))
    case .antimeridian: home = Coordinate(latitude: random.within(-5...5), longitude: 179.9)
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
            home, azimuth: random.within(0...360), distance: spread * random.unit()
          ).coordinate
        size = random.within(0...1) < 0.1 ? 600_000 : random.within(200...30_000)
      }
      positions.append(center)
      if family == .mixed, i % 2 == 0 {
        try set.append(Region(identifier: "\(i)", center: center, radius: size))
      } else {
        let count = Int(random.within(3...60))
        let depth = family == .nested ? 0.97 : 0.4
        let ring = PolygonSample.star(center, count: count, radii: size * depth...size, &random)
        // Jagged rings of few vertices may turn out invalid over the pole.
        guard let polygon = try? Polygon(exterior: ring) else { continue }
        try set.append(Region(identifier: "\(i)", polygon: polygon))
        positions.append(ring[0])
        positions.append(
          Geodesic.uncheckedDirect(
            ring[1], azimuth: random.within(0...360), distance: random.within(0...2 * size)
          ).coordinate)
      }
    }
    positions = (0..<24).map { _ in positions[Int.random(in: 0..<positions.count, using: &random)] }
    for _ in 0..<6 {
      positions.append(
        Geodesic.uncheckedDirect(
          home, azimuth: random.within(0...360), distance: random.within(1e5...19e6)
        ).coordinate)
    }
    return (set, positions)
  }

  /// What the two answers disagree about; nil when they agree. Order within 2 mm is free.
  static func disagreement(_ fast: [Neighbor], _ brute: [Neighbor], isCut: Bool) -> String? {
    guard fast.count == brute.count else {
      return "\(fast.count) regions, authority \(brute.count)"
    }
    let last = brute.last?.distance ?? 0
    let exact = Dictionary(uniqueKeysWithValues: brute.map { ($0.ordinal, $0.distance) })
    for (a, b) in zip(fast, brute) {
      if abs(a.distance - b.distance) > 1e-3 { return "\(a), authority \(b)" }
      if a.ordinal != b.ordinal, abs(a.distance - b.distance) > 2e-3 {
        return "\(a), authority \(b)"
      }
      guard let distance = exact[a.ordinal] else {
        // At the end either of two as far may be the one left out.
        if isCut, abs(a.distance - last) < 2e-3 { continue }
        return "\(a) is not among the authority's"
      }
      if abs(a.distance - distance) > 1e-3 { return "\(a), authority \(distance)" }
    }
    return nil
  }

  @Test("nearest and within agree with brute force", arguments: Family.allCases)
  func agreesWithBruteForce(_ family: Family) throws {
    for seed: UInt64 in 1...2 {
      var random = PolygonRandom(seed: seed)
      let (set, positions) = try Self.make(family, &random)
      let index = try RegionIndex(set)
      let brute = QueryOptions(usesBruteForce: true)
      for position in positions {
        let all = try index.nearest(index.count, to: position, options: brute)
        for count in [1, 20, index.count] {
          let fast = try index.nearest(count, to: position)
          let message = Self.disagreement(fast, Array(all.prefix(count)), isCut: count < all.count)
          #expect(
            message == nil,
            "nearest \(count), \(family), seed \(seed), at \(position): \(message ?? "")")
        }
        for distance in [-100.0, 0, 5_000, 100_000] {
          // Within two millimetres of the limit either answer is right.
          guard !all.contains(where: { abs($0.distance - distance) < 2e-3 }) else { continue }
          let fast = try index.within(distance, of: position)
          let exact = all.filter { $0.distance <= distance }
          let message = Self.disagreement(fast, exact, isCut: false)
          #expect(
            message == nil,
            "within \(distance), \(family), seed \(seed), at \(position): \(message ?? "")")
        }
      }
    }
  }
}
