import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

/// Every test compares the fast path with the authority, which shares nothing with it but the vertices that
/// the polygon holds; many with the rings that were put in, too.
@Suite("Polygon distance against the authority")
struct PolygonOracleTests {
  private func check(
    _ polygon: Polygon, _ parts: [Polygon.Part], probes: Int, _ random: inout SplitMix64, _ note: String
  ) throws {
    var worst = 0.0
    let positions = PolygonSample.probes(polygon, count: probes, &random)
    #expect(positions.count == probes)
    let rings = RingOracle(parts)
    // Only what reaches around half of the Earth is left to the authority alone.
    #expect(rings != nil || polygon.boundingRadius > 7_000_000, "\(note)")
    let problem = try PolygonSample.disagreement(polygon, positions, rings: rings, worst: &worst)
    #expect(problem == nil, "\(note)")
  }

  @Test(
    "Stars from metres to thousands of kilometres",
    arguments: [10.0, 1_000, 50_000, 400_000, 2_000_000, 7_000_000])
  func stars(size: Double) throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed &* 7919 &+ UInt64(size))
      let center = random.coordinate()
      let count = Int.random(in: 3...40, using: &random)
      let ring = PolygonSample.star(center, count: count, radii: size * 0.3...size, &random)
      let parts = [Polygon.Part(exterior: ring)]
      let polygon = try Polygon(uncheckedParts: parts, meaning: .geodesic)
      try check(polygon, parts, probes: 40, &random, "seed \(seed), size \(size), center \(center)")
      #expect(try polygon.contains(center) || count < 5)
    }
  }

  @Test("At poles and on the antimeridian", arguments: [2_000.0, 100_000, 3_000_000])
  func awkwardPlaces(size: Double) throws {
    let centers = [
      (90.0, 0.0), (-90, 0), (89.9, 170), (-89.5, -20), (0, 180), (-17, 179.9), (60, -180), (0, 0),
    ]
    for (i, center) in centers.enumerated() {
      var random = SplitMix64(seed: UInt64(i) &* 131 &+ UInt64(size))
      let ring = PolygonSample.star(
        Coordinate(latitude: center.0, longitude: center.1), count: 24, radii: size * 0.4...size, &random)
      let polygon = try Polygon(exterior: ring)
      try check(polygon, [.init(exterior: ring)], probes: 60, &random, "center \(center), size \(size)")
      // The places themselves.
      var worst = 0.0
      let special = [(90.0, 0.0), (-90, 33), (0, 180), (0, -180), (0, 0), (-center.0, center.1 + 180)].map {
        Coordinate(latitude: $0.0, longitude: $0.1)
      }
      #expect(
        try PolygonSample.disagreement(polygon, special, worst: &worst) == nil,
        "center \(center), size \(size)")
    }
  }

  @Test("Holes and several parts")
  func holesAndParts() throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      let size = [500.0, 20_000, 300_000][Int(seed % 3)]
      let center = random.coordinate()
      var parts: [Polygon.Part] = []
      for k in 0..<4 {
        let middle = Geodesic.uncheckedDirect(center, azimuth: 90 * Double(k), distance: 2 * size).coordinate
        let exterior = PolygonSample.star(middle, count: 20, radii: size * 0.8...size, &random)
        let hole = PolygonSample.star(middle, count: 12, radii: size * 0.2...size * 0.5, &random)
        let island = PolygonSample.star(middle, count: 7, radii: size * 0.05...size * 0.15, &random)
        parts.append(.init(exterior: exterior, holes: [hole]))
        parts.append(.init(exterior: island))
      }
      let polygon = try Polygon(parts: parts)
      #expect(polygon.chains.count == 12)
      try check(polygon, parts, probes: 100, &random, "seed \(seed)")
    }
  }

  @Test("Needles, notches and nearly straight angles", arguments: [1e-3, 1, 1_000])
  func needles(width: Double) throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed &+ 1000)
      let base = random.coordinate()
      let azimuth = random.uniform(0...360)
      let length = width * 50 + [200.0, 30_000, 900_000][Int(seed % 3)]
      let tip = Geodesic.uncheckedDirect(base, azimuth: azimuth, distance: length)
      let left = Geodesic.uncheckedDirect(base, azimuth: azimuth - 90, distance: width).coordinate
      let right = Geodesic.uncheckedDirect(base, azimuth: azimuth + 90, distance: width).coordinate
      // A needle; and a square with a needle-thin notch cut out of it.
      let far = Geodesic.uncheckedDirect(base, azimuth: azimuth + 180, distance: length).coordinate
      let corner = Geodesic.uncheckedDirect(base, azimuth: azimuth + 100, distance: 3 * length).coordinate
      let other = Geodesic.uncheckedDirect(base, azimuth: azimuth - 100, distance: 3 * length).coordinate
      let beyond = Geodesic.uncheckedDirect(base, azimuth: azimuth, distance: 2 * length).coordinate
      for ring in [[left, right, tip.coordinate], [left, tip.coordinate, right, corner, beyond, other]] {
        let polygon = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .geodesic)
        var positions = PolygonSample.probes(polygon, count: 50, &random)
        // Straight ahead of the tip, where both its edges are equally near.
        for i in 0..<20 {
          positions.append(
            Geodesic.uncheckedDirect(
              tip.coordinate, azimuth: tip.azimuth + random.uniform(-1...1) * 1e-6,
              distance: 0.01 * Double(1 << i)
            ).coordinate)
        }
        positions.append(far)
        var worst = 0.0
        let problem = try PolygonSample.disagreement(
          polygon, positions, rings: RingOracle(exterior: ring), worst: &worst)
        #expect(problem == nil, "seed \(seed), width \(width), length \(length), \(ring.count) vertices")
      }
    }
  }

  @Test("Thousands of vertices")
  func manyVertices() throws {
    var random = SplitMix64(seed: 11)
    let center = Coordinate(latitude: -41, longitude: 179.5)
    for (count, size, probes) in [(3_000, 40_000.0, 60), (100_000, 500_000, 6)] {
      // Radii that wander, as a coast does.
      var radius = 1.0
      let ring = (0..<count).map { i in
        radius = max(0.5, min(1.5, radius + random.uniform(-1...1) * 3 / Double(count).squareRoot()))
        // Closes without a jump.
        let share = Double(i) / Double(count)
        let closing = 1 - max(0, share * 10 - 9)
        return Geodesic.uncheckedDirect(
          center, azimuth: 360 * share, distance: size * (1 + (radius - 1) * closing)
        ).coordinate
      }
      let parts = [Polygon.Part(exterior: ring)]
      let polygon = try Polygon(uncheckedParts: parts, meaning: .geodesic)
      try check(polygon, parts, probes: probes, &random, "\(count) vertices")
    }
  }

  @Test("Edges 900 km away and farther, which neither chords nor PROJ tell")
  func farEdges() throws {
    var random = SplitMix64(seed: 90)
    var worst = 0.0
    for round in 0..<500 {
      let center = random.coordinate()
      let azimuth = random.uniform(0...360)
      let size = [3.0, 60, 1000, 9000, 15_000, 60_000][round % 6]
      let ring = (0..<3).map { i in
        Geodesic.uncheckedDirect(
          center, azimuth: azimuth + 120 * Double(i) + random.uniform(-50...50), distance: size
        ).coordinate
      }
      let polygon = try Polygon(uncheckedParts: [.init(exterior: ring)], meaning: .geodesic)
      // Also in line with the edges, where distance along them hardly bends.
      let direction = round % 3 == 0 ? azimuth + 30 * Double(round % 12) : random.uniform(0...360)
      let position = Geodesic.uncheckedDirect(
        center, azimuth: direction,
        distance: random.uniform(0...1) < 0.5 ? random.uniform(8.5e5...2e6) : random.uniform(2e6...9.5e6)
      ).coordinate
      let problem = try PolygonSample.disagreement(
        polygon, [position], rings: RingOracle(exterior: ring), worst: &worst)
      #expect(problem == nil, "seed 90, round \(round), size \(size)")
    }
  }

  @Test("From the other side of the Earth")
  func distant() throws {
    for seed in 1...16 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed &+ 2000)
      let center = random.coordinate()
      let size = [100.0, 30_000, 600_000, 3_000_000][Int(seed % 4)]
      let ring = PolygonSample.star(center, count: 30, radii: size * 0.7...size, &random)
      let polygon = try Polygon(exterior: ring)
      let positions = (0..<24).map { i in
        Geodesic.uncheckedDirect(
          center, azimuth: random.uniform(0...360),
          // The last ones around the antipode.
          distance: i < 20 ? random.uniform(2e6...1.9e7) : 20_003_931 - random.uniform(0...1) * 3 * size
        ).coordinate
      }
      var worst = 0.0
      #expect(
        try PolygonSample.disagreement(
          polygon, positions, rings: RingOracle(exterior: ring), worst: &worst) == nil,
        "seed \(seed), size \(size)"
      )
    }
  }

  @Test("The nearest boundary point bears the distance")
  func boundaryPoint() throws {
    var random = SplitMix64(seed: 21)
    for size in [100.0, 30_000, 2_000_000] {
      let ring = PolygonSample.star(random.coordinate(), count: 30, radii: size * 0.5...size, &random)
      let polygon = try Polygon(exterior: ring)
      for position in PolygonSample.probes(polygon, count: 60, &random) {
        polygon.blob.withView { view in
          guard let point = view.nearestBoundaryPoint(to: position, ecef: ECEF(unchecked: position)) else {
            Issue.record("no boundary point, size \(size), at \(position)")
            return
          }
          let s12 = Geodesic.uncheckedDistance(position, view.coordinate(of: point))
          #expect(abs(s12 - abs(point.signedDistance)) < 1e-3, "size \(size), at \(position)")
        }
      }
    }
  }

  @Test("A cutoff never hides what lies within it")
  func cutoff() throws {
    var random = SplitMix64(seed: 31)
    for _ in 0..<6 {
      let ring = PolygonSample.star(random.coordinate(), count: 30, radii: 10_000...40_000, &random)
      let polygon = try Polygon(exterior: ring)
      for position in PolygonSample.probes(polygon, count: 60, &random) {
        let exact = try polygon.signedBoundaryDistance(from: position)
        let ecef = ECEF(unchecked: position)
        for cutoff in [0.0, 100, 20_000, 1e6] {
          let answer = polygon.blob.withView {
            $0.signedBoundaryDistance(from: position, ecef: ecef, cutoff: cutoff)
          }
          #expect(exact <= cutoff ? answer == exact : answer > cutoff && answer <= exact + 1e-6)
        }
      }
    }
  }

  @Test("The chord's bounds hold against PROJ")
  func chordBounds() {
    var random = SplitMix64(seed: 41)
    for _ in 0..<20_000 {
      let a = random.coordinate()
      let b =
        random.unit() < 0.5
        ? random.coordinate()
        : Geodesic.uncheckedDirect(a, azimuth: random.uniform(0...360), distance: random.uniform(0...1e6))
          .coordinate
      let s12 = Geodesic.uncheckedDistance(a, b)
      let c = ECEF(unchecked: a).chord(to: ECEF(unchecked: b))
      #expect(c <= EdgeKernel.longestChord(of: s12) + 1e-8, "\(a) \(b)")
      #expect(s12 <= EdgeKernel.longestGeodesic(overChord: c) + 1e-8, "\(a) \(b)")
      if s12 > 2e6 {
        #expect(
          EdgeKernel.distantBound(
            from: Vector3(unchecked: a), to: Vector3(unchecked: b), Vector3(unchecked: b)) <= s12)
      }
      if c < 3e6 {
        let r = Vector3(unchecked: b) - Vector3(unchecked: a)
        let zSum = Vector3(unchecked: a).z + Vector3(unchecked: b).z
        let u = c * 1e-6
        let s = ChordSeries.distance(dx: r.x, dy: r.y, dz: r.z, zSum: zSum)
        #expect(abs(s - s12) <= 3e-8 + 0.2 * u * u * u * u * u)
      }
    }
  }
}
