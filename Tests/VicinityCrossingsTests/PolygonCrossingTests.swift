import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings

/// Crossings of polygons against geodesic edges intersected by PROJ.
@Suite struct PolygonCrossingTests {
  static let places = [
    Coordinate(latitude: 48.2, longitude: 16.37), Coordinate(latitude: 0.01, longitude: -179.995),
    Coordinate(latitude: 89.97, longitude: 20), Coordinate(latitude: -33.9, longitude: 151.2),
    Coordinate(latitude: -89.999, longitude: 0), Coordinate(latitude: 65, longitude: 180),
  ]

  /// A ring whose vertices lie at ascending azimuths; closed.
  static func star(
    _ center: Coordinate, _ count: Int, _ radii: ClosedRange<Double>, _ random: inout SplitMix64
  ) -> [Coordinate] {
    let phase = random.uniform(0...360)
    var ring = (0..<count).map { i in
      Geodesic.uncheckedDirect(
        center, azimuth: phase + 360 * (Double(i) + random.uniform(-0.3...0.3)) / Double(count),
        distance: random.uniform(radii)
      ).coordinate
    }
    ring.append(ring[0])
    return ring
  }

  @Test(arguments: PolygonCrossingTests.places.indices, [2...40.0, 100...900, 1500...9000])
  func stars(_ place: Int, _ steps: ClosedRange<Double>) throws {
    let seed = UInt64(8100 + place)
    var random = SplitMix64(seed: seed)
    let center = Self.places[place]
    var regions: [Region] = []
    var oracles: [PolygonOracle] = []
    var scale = steps.upperBound
    for i in 0..<6 {
      let middle = Geodesic.uncheckedDirect(
        center, azimuth: random.uniform(0...360), distance: random.uniform(0...2) * scale
      ).coordinate
      let outer = Self.star(middle, 5 + random.below(40), 1.5 * scale...4 * scale, &random)
      let holes =
        i % 2 == 0 ? [Self.star(middle, 3 + random.below(10), 0.3 * scale...1.2 * scale, &random)] : []
      regions.append(
        Region(identifier: "\(i)", polygon: try Polygon(exterior: outer, holes: holes)))
      let outside = Geodesic.uncheckedDirect(middle, azimuth: 10, distance: 9.7 * scale).coordinate
      oracles.append(PolygonOracle(rings: [outer] + holes, outside: outside))
      if i == 2 { scale *= 2 }
    }
    let index = try RegionIndex(regions)
    let fixes = TrackGenerator.walk(60, from: center, steps: steps, turn: 60, seed: seed)
    let crossings = try TrackGenerator.crossings(fixes, index)
    let oracle = PolygonOracle.events(fixes, oracles)
    let message = disagreement(crossings, oracle, fixes, oracles.map(\.distance), tolerance: 1e-3)
    #expect(message == nil, "place \(place), steps \(steps), seed \(seed)")
    print("place \(place), steps \(steps): \(crossings.count) crossings")
  }

  /// A comb with teeth 10 m wide and gaps 4 m wide, walked across: in and out of every tooth between two
  /// fixes.
  @Test func notches() throws {
    let corner = Coordinate(latitude: 48.2, longitude: 16.37)
    func at(_ east: Double, _ north: Double) -> Coordinate {
      let a = Geodesic.uncheckedDirect(corner, azimuth: 90, distance: east).coordinate
      return Geodesic.uncheckedDirect(a, azimuth: 0, distance: north).coordinate
    }
    var ring = [at(0, 0)]
    let teeth = 7
    for i in 0..<teeth {
      let x = 14 * Double(i)
      ring += [at(x, 50), at(x + 10, 50)]
      if i < teeth - 1 { ring += [at(x + 10, 20), at(x + 14, 20)] }
    }
    ring.append(at(14 * Double(teeth - 1) + 10, 0))
    let index = try RegionIndex([Region(identifier: "comb", polygon: try Polygon(exterior: ring))])
    let time: Int64 = 1_600_000_000_000_000
    func walk(_ points: [(Double, Double)]) throws -> [Crossing] {
      let fixes = points.enumerated().map { i, p in
        Fix(time: Timestamp(microseconds: time + Int64(i) * 60_000_000), coordinate: at(p.0, p.1))
      }
      return try TrackGenerator.crossings(fixes, index)
    }
    // Through all teeth in one step.
    let across = try walk([(-20, 35), (120, 35)])
    #expect(across.map(\.kind) == (0..<teeth).flatMap { _ in [Crossing.Kind.enter, .exit] })
    // Under the gaps, and round one notch: in through its side, out through its floor's other side.
    #expect(try walk([(-20, 10), (120, 10)]).map(\.kind) == [.enter, .exit])
    #expect(try walk([(5, 35), (12, 35), (12, 25), (12, 10)]).map(\.kind) == [.exit, .enter])
    #expect(try walk([(12, 60), (12, 22), (5, 22)]).map(\.kind) == [.enter])
    // Along the very edge of the teeth's tops and back: whatever is found alternates.
    for north in [50.0, 50.0005, 49.9995, 20] {
      let kinds = try walk([(-20, north), (120, north), (-20, north)]).map(\.kind)
      for (a, b) in zip(kinds, kinds.dropFirst()) { #expect(a != b) }
      #expect(kinds.count % 2 == 0)
    }
  }

  /// Vertices, edges and the outside of a square, visited exactly.
  @Test func onTheBoundary() throws {
    let ring = [(0.0, 0.0), (0.0, 0.01), (0.01, 0.01), (0.01, 0.0)].map {
      Coordinate(latitude: $0.0, longitude: $0.1)
    }
    let index = try RegionIndex([Region(identifier: "square", polygon: try Polygon(exterior: ring))])
    var random = SplitMix64(seed: 5)
    let stops =
      ring + [Coordinate(latitude: 0, longitude: 0.005), Coordinate(latitude: 0.005, longitude: 0)]
      + [Coordinate(latitude: 0.005, longitude: 0.005), Coordinate(latitude: -0.001, longitude: 0.02)]
    var time: Int64 = 0
    let fixes = (0..<400).map { _ in
      time += 1_000_000
      return Fix(time: Timestamp(microseconds: time), coordinate: stops[random.below(stops.count)])
    }
    var detector = try CrossingDetector(index)
    var inside = false
    for (i, fix) in fixes.enumerated() {
      for crossing in try detector.advance(to: fix) {
        #expect(crossing.kind == (inside ? .exit : .enter))
        inside.toggle()
      }
      if i == 0 { inside = !detector.occupied.isEmpty }
      #expect(inside == !detector.occupied.isEmpty)
      let distance = try index.nearest(1, to: fix.coordinate)[0].distance
      if abs(distance) > 1e-3 { #expect(inside == (distance < 0)) }
    }
  }
}
