import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityCrossings

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The share of discs, and the largest circles in polygons.
@Suite struct RuleGeometryTests {
  @Test func sharesArePlaneOnes() {
    var random = SplitMix64(seed: 3100)
    for _ in 0..<3000 {
      let a = random.logUniform(1e-2...1e5)
      let r = random.unit() < 0.1 ? 0 : random.logUniform(1e-2...1e7)
      let d = max(-r, random.uniform(-1.2...1.2) * a)
      let share = DiscOverlap.share(distance: d, accuracy: a, radius: r)
      let expected = RuleOracle.share(d, a, r)
      #expect(abs(share - expected) < 1e-6, "seed 3100: r \(r), a \(a), d \(d): \(share), \(expected)")
      if r > 1e4 * a {
        #expect(abs(share - DiscOverlap.share(distance: d, accuracy: a)) < 1e-4)
      }
    }
    // Two discs of one radius, each with the other's centre on its boundary: 2π/3 − √3/2.
    let lens = (2 * .pi / 3 - 3.0.squareRoot() / 2) / .pi
    #expect(abs(DiscOverlap.share(distance: 0, accuracy: 10, radius: 10) - lens) < 1e-15)
    #expect(DiscOverlap.share(distance: 0, accuracy: 7) == 0.5)
    for d in [-1e-300, 0, 5, -5, 1e9] {
      for a in [1e-300, 5, 1e300, .infinity] {
        for r in [0, 1e-300, 5, 1e9] where d >= -r {
          #expect((0...1).contains(DiscOverlap.share(distance: d, accuracy: a, radius: r)))
        }
        #expect((0...1).contains(DiscOverlap.share(distance: d, accuracy: a)))
      }
    }
  }

  /// The bound of the error against geodesic discs, sampled in equal areas.
  @Test(arguments: [
    (100.0, 1000.0), (3000, 2000), (20_000, 100_000), (200_000, 150_000), (20_000, 5_000_000),
  ])
  func sharesOfGeodesicDiscs(_ a: Double, _ r: Double) {
    var random = SplitMix64(seed: 3200)
    var worst = 0.0
    for _ in 0..<4 {
      let fix = Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
      let d = random.uniform(-0.8...0.8) * min(a, r)
      let center = Geodesic.uncheckedDirect(fix, azimuth: random.uniform(0...360), distance: r + d).coordinate
      // For each direction the part of the disc's radius within the region: rings of equal area on a sphere.
      let n = 90
      var inside = 0
      for i in 0..<n {
        for k in 0..<n {
          let u = (Double(k) + 0.5) / Double(n)
          // Area to s grows as s² (1 − K s²/12).
          let s = a * u.squareRoot() * (1 - a * a * (1 - u) / (24 * 6.371e6 * 6.371e6))
          let place = Geodesic.uncheckedDirect(
            fix, azimuth: (Double(i) + random.unit()) * 360 / Double(n), distance: s)
          if Geodesic.uncheckedDistance(place.coordinate, center) <= r { inside += 1 }
        }
      }
      let share = Double(inside) / Double(n * n)
      worst = largerOrNaN(worst, abs(share - DiscOverlap.share(distance: d, accuracy: a, radius: r)))
    }
    let bound = a * (r + a) / (6 * 6_356_752.0 * 6_356_752.0)
    // Sampling is good to about 1e-3.
    #expect(worst <= bound + 2e-3, "a \(a), r \(r): \(worst), bound \(bound), seed 3200")
    print("a \(a) m, r \(r) m: off by \(worst) with sampling's own error, bound \(bound)")
  }

  private func inradius(_ rings: [[Coordinate]], enough: Double = .infinity) throws -> Double {
    let index = try RegionIndex([
      Region(identifier: "p", polygon: try Polygon(exterior: rings[0], holes: Array(rings.dropFirst())))
    ])
    let outline = MonitoredIndex.packed(index).outline(of: 0, from: rings[0][0], ECEF(unchecked: rings[0][0]))
    guard case .polygon(let polygon) = outline else { return .nan }
    return polygon.inradius(enough: enough)
  }

  @Test func inradii() throws {
    for corner in PolygonCrossingTests.places {
      func at(_ east: Double, _ north: Double) -> Coordinate {
        Geodesic.uncheckedDirect(
          corner, azimuth: atan2(east, north) * 180 / .pi,
          distance: (east * east + north * north).squareRoot()
        ).coordinate
      }
      func ring(_ points: [(Double, Double)]) -> [Coordinate] { points.map { at($0.0, $0.1) } }
      func expect(_ found: Double, _ expected: Double) {
        #expect(found <= expected * 1.0001 && found >= expected * 0.989, "\(corner): \(found), \(expected)")
      }
      let square = ring([(-500, -500), (500, -500), (500, 500), (-500, 500)])
      expect(try inradius([square]), 500)
      #expect(try inradius([square], enough: 400) == 400)
      expect(try inradius([ring([(0, 0), (6000, 0), (6000, 80), (0, 80)])]), 40)
      // A right triangle's is (3 + 4 − 5) / 2; a square with a square hole keeps half the border's width and
      // the corner's share of it.
      expect(try inradius([ring([(0, 0), (4000, 0), (0, 3000)])]), 1000)
      let hole = ring([(-300, -300), (300, -300), (300, 300), (-300, 300)])
      expect(
        try inradius([square, hole]), 200 * 2.0.squareRoot() / (1 + 1 / 2.0.squareRoot()) / 2.0.squareRoot())
      expect(try inradius([PolygonCrossingTests.regular(corner, 60, 700)]), 700 * cos(.pi / 60))
    }
  }

  /// Against the deepest of many places.
  @Test func inradiiOfStars() throws {
    var random = SplitMix64(seed: 3300)
    for _ in 0..<12 {
      let center = Coordinate(latitude: random.uniform(-80...80), longitude: random.uniform(-180...180))
      let ring = PolygonCrossingTests.star(center, 5 + random.below(30), 100...900, &random)
      let polygon = try Polygon(exterior: ring)
      var deepest = 0.0
      for i in 0..<50 {
        for k in 0..<50 {
          let x = -900 + 36.7 * Double(i)
          let y = -900 + 36.7 * Double(k)
          let place = Geodesic.uncheckedDirect(
            center, azimuth: atan2(x, y) * 180 / .pi, distance: (x * x + y * y).squareRoot())
          deepest = max(deepest, -(try polygon.signedBoundaryDistance(from: place.coordinate)))
        }
      }
      let found = try inradius([ring])
      #expect(found >= 0.989 * deepest && found <= deepest + 26, "seed 3300: \(found), \(deepest)")
    }
  }
}

extension PolygonCrossingTests {
  /// A regular polygon.
  static func regular(_ center: Coordinate, _ count: Int, _ radius: Double) -> [Coordinate] {
    (0..<count).map {
      Geodesic.uncheckedDirect(center, azimuth: -360 * Double($0) / Double(count), distance: radius)
        .coordinate
    }
  }
}
