import Testing
import VicinityTestSupport

@testable import VicinityGeodesy

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Areas and perimeters of rings, held to PROJ's `geod_polygon_compute`, and their series to numerical
/// integration.
@Suite struct RingMeasureTests {
  static let seed: UInt64 = 20_130_146

  private func compare(
    _ ring: [Coordinate], tolerance: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let ours = GeodesicSolver.measure(ofRing: ring)
    let theirs = PROJGeodesic.measure(ofRing: ring)
    // Half the ellipsoid may come out with either sign.
    let difference = (ours.area - theirs.area).remainder(dividingBy: GeodesicSolver.ellipsoidArea)
    #expect(abs(difference) <= tolerance, "\(ring)", sourceLocation: sourceLocation)
    #expect(
      abs(ours.perimeter - theirs.perimeter) <= 2e-8 * Double(ring.count) + 1e-15 * theirs.perimeter,
      "\(ring)", sourceLocation: sourceLocation)
    let turned = GeodesicSolver.measure(ofRing: ring.reversed())
    let sum = (ours.area + turned.area).remainder(dividingBy: GeodesicSolver.ellipsoidArea)
    #expect(abs(sum) <= tolerance, "\(ring)", sourceLocation: sourceLocation)
  }

  /// A ring around a place, its vertices `reach` metres away and less.
  private func ring(
    around center: Coordinate, reach: Double, count: Int, _ generator: inout SplitMix64
  ) -> [Coordinate] {
    (0..<count).map { i in
      GeodesicSolver.direct(
        center, azimuth: 360 * Double(i) / Double(count), distance: reach * generator.uniform(0.3...1)
      ).coordinate
    }
  }

  @Test(
    "star-shaped rings of 1 cm to 9000 km, anywhere, around poles and across the antimeridian, to 0.1 m² an edge"
  )
  func stars() {
    var generator = SplitMix64(seed: Self.seed)
    for step in 0..<6000 {
      let latitude =
        step % 3 == 0
        ? (step % 2 == 0 ? 90 : -90) + (step % 2 == 0 ? -1 : 1) * generator.logUniform(1e-9...1)
        : asin(generator.uniform(-1...1)) * (180 / .pi)
      let center = Coordinate(
        latitude: latitude, longitude: step % 4 == 0 ? 180 : generator.uniform(-180...180))
      let count = 3 + generator.below(20)
      let ring = ring(around: center, reach: generator.logUniform(0.01...9e6), count: count, &generator)
      compare(ring, tolerance: 0.1 * Double(count))
    }
  }

  @Test("rings of buildings' size, to 10 cm²")
  func small() {
    var generator = SplitMix64(seed: Self.seed &+ 1)
    for _ in 0..<2000 {
      let center = Coordinate(
        latitude: generator.uniform(-80...80), longitude: generator.uniform(-180...180))
      let ring = ring(around: center, reach: 100, count: 8, &generator)
      let planar = planarArea(ring, around: center)
      let area = GeodesicSolver.measure(ofRing: ring).area
      #expect(abs(area - planar) <= 1e-3, "\(area) \(planar)")
    }
  }

  /// The shoelace formula in the plane of azimuths and distances, good to (reach / a)² of the area.
  private func planarArea(_ ring: [Coordinate], around center: Coordinate) -> Double {
    let points = ring.map { vertex in
      let polar = GeodesicSolver.inverse(center, vertex)
      let azimuth = polar.azimuth1 * (.pi / 180)
      return (x: polar.distance * sin(azimuth), y: polar.distance * cos(azimuth))
    }
    var sum = 0.0
    for (i, p) in points.enumerated() {
      let q = points[(i + 1) % points.count]
      sum += p.x * q.y - q.x * p.y
    }
    return sum / 2
  }

  /// Vertices are random, so rings cross themselves and the edges are long; nearly antipodal ones are left
  /// out, whose azimuths, and so whose areas, are not known to 0.1 m² in `Double`.
  @Test("random rings, crossing themselves")
  func random() {
    var generator = SplitMix64(seed: Self.seed &+ 2)
    var compared = 0
    for _ in 0..<6000 {
      let ring = (0..<(3 + generator.below(8))).map { _ in
        Coordinate(
          latitude: asin(generator.uniform(-1...1)) * (180 / .pi), longitude: generator.uniform(-180...180))
      }
      var previous = ring[ring.count - 1]
      var longest = 0.0
      for vertex in ring {
        longest = max(longest, GeodesicSolver.distance(previous, vertex))
        previous = vertex
      }
      guard longest < 1.9e7 else { continue }
      compare(ring, tolerance: 0.2 * Double(ring.count))
      compared += 1
    }
    #expect(compared > 3000)
  }

  @Test("an octant, a hemisphere, rings around poles, and rings without area")
  func known() {
    let whole = GeodesicSolver.ellipsoidArea
    #expect(abs(whole - 510_065_621_724_088.5) < 1)
    func ring(_ points: [(Double, Double)]) -> Geodesic.RingMeasure {
      GeodesicSolver.measure(ofRing: points.map { Coordinate(latitude: $0.0, longitude: $0.1) })
    }
    #expect(abs(ring([(0, 0), (0, 90), (90, 0)]).area - whole / 8) < 0.1)
    #expect(abs(ring([(0, 0), (90, 0), (0, 90)]).area + whole / 8) < 0.1)
    #expect(
      abs(ring([(0, 0), (90, 0), (0, 90)]).perimeter - (20_003_931.458_625_447 + .pi / 2 * WGS84.a)) < 1e-7)
    #expect(abs(abs(ring([(0, 0), (0, 120), (0, -120)]).area) - whole / 2) < 0.1)
    #expect(abs(ring([(0, 0), (0, 120), (0, -120)]).perimeter - 2 * .pi * WGS84.a) < 1e-7)
    for sign in [-1.0, 1] {
      let north = (0..<36).map { (89.0 * sign, Double($0) * 10 - 175) }
      let area = ring(north).area
      #expect(area * sign > 3.8e10 && area * sign < 3.95e10)
      #expect(abs(ring(north.reversed()).area + area) < 1e-3)
    }
    // A lune over both poles, each of whose edges is half a turn.
    #expect(abs(abs(ring([(10, 0), (10, 180), (-10, 180), (-10, 0)]).area) - whole / 2) < 1)
    let flat: [[(Double, Double)]] = [
      [], [(1, 2)], [(1, 2), (3, 4)], [(1, 2), (1, 2), (1, 2)], [(90, 1), (90, 77), (90, -40)],
    ]
    for points in flat {
      #expect(abs(ring(points).area) < 1e-3)
    }
    #expect(ring([]).perimeter == 0 && ring([(5, 6)]).perimeter == 0)
    #expect(ring([(90, 1), (90, 77), (90, -40)]).perimeter < 1e-8)
  }

  @Test("the public call refuses what is no coordinate, and gives the reference's area")
  func refusals() throws {
    let good = Coordinate(latitude: 1, longitude: 2)
    let bad = Coordinate(latitude: 91, longitude: 2)
    #expect(throws: GeodesyError.invalidCoordinate(bad)) { try Geodesic.measure(ofRing: [good, bad, good]) }
    let octant = try Geodesic.measure(ofRing: [
      Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 90),
      Coordinate(latitude: 90, longitude: 0),
    ])
    #expect(abs(octant.area - 63_758_202_715_511.06) < 0.1)
    #expect(abs(octant.perimeter - 30_022_685.63) < 0.01)
  }

  // MARK: The series

  /// Simpson's rule over 2000 parts: exact to 1e-14 for these integrands.
  private func integral(_ a: Double, _ b: Double, _ f: (Double) -> Double) -> Double {
    let parts = 2000
    let h = (b - a) / Double(parts)
    var sum = f(a) + f(b)
    for i in 1..<parts { sum += f(a + h * Double(i)) * (i % 2 == 0 ? 2 : 4) }
    return sum * h / 3
  }

  /// Each series against the integral that it stands for: equations (7), (8), (40) and (61).
  @Test("I₁, I₃, J and I₄ against numerical integration", arguments: [0.0, 0.1, 0.5, 0.9, 1])
  func series(cos2Alpha0: Double) {
    let ep2 = GeodesicSeries.ep2
    let k2 = ep2 * cos2Alpha0
    let eps = GeodesicSeries.epsilonFactor(cos2Alpha0: cos2Alpha0) * cos2Alpha0
    for (sigma1, sigma2) in [(-1.5, 1.2), (-0.3, 0.9), (0.0, 3.1), (0.4, 0.5)] {
      let cosAlpha0 = cos2Alpha0.squareRoot()
      let arc = ArcIntegrals(
        sigma: sigma2 - sigma1, sine: sin(sigma2 - sigma1), cosine: cos(sigma2 - sigma1),
        cos2Alpha0: cos2Alpha0, zz: cosAlpha0 * sin(sigma1) * cosAlpha0 * sin(sigma2))
      let root = { (s: Double) in (1 + k2 * sin(s) * sin(s)).squareRoot() }
      let i1 = integral(sigma1, sigma2, root)
      #expect(abs(arc.length / WGS84.b - i1) <= 1.5e-14)
      let supplement = .pi - (sigma2 - sigma1)
      #expect(abs(arc.length(supplement: supplement) / WGS84.b - i1) <= 1.5e-14)
      let f = WGS84.f
      let i3 = integral(sigma1, sigma2) { (2 - f) / (1 + (1 - f) * root($0)) }
      #expect(abs(arc.longitude - i3) <= 1.5e-14)
      let i2 = integral(sigma1, sigma2) { 1 / root($0) }
      #expect(abs(arc.reducedLengthTerm - (i1 - i2)) <= 4e-11)

      let lengths = SineSeries.length(eps)
      let sum = lengths.sum(sine: sin(sigma2), cosine: cos(sigma2))
      let sum1 = lengths.sum(sine: sin(sigma1), cosine: cos(sigma1))
      #expect(abs(SineSeries.lengthFactor(eps) * (sigma2 - sigma1 + (sum - sum1)) - i1) <= 1.5e-14)
      let longitudes = SineSeries.longitude(eps)
      let rest =
        longitudes.sum(sine: sin(sigma2), cosine: cos(sigma2))
        - longitudes.sum(sine: sin(sigma1), cosine: cos(sigma1))
      #expect(abs(SineSeries.longitudeFactor(eps) * (sigma2 - sigma1 + rest) - i3) <= 1.5e-14)
      // σ back from τ.
      let tau = sigma2 + sum
      let reverted = tau + SineSeries.revertedLength(eps).sum(sine: sin(tau), cosine: cos(tau))
      #expect(abs(reverted - sigma2) <= 1e-15)

      // I₄: t(x) = x + √(1/x + 1) asinh √x, and a divided difference of it: near k² sin² σ = e'² the slope in
      // the middle.
      let t = { (x: Double) in
        x < 1e-12 ? 1 + x * 4 / 3 : x + (1 / x + 1).squareRoot() * asinh(x.squareRoot())
      }
      let slope = { (x: Double) in
        1 + (1 - asinh(x.squareRoot()) / (x * (1 + x)).squareRoot()) / (2 * x)
      }
      let i4 = integral(sigma1, sigma2) { s in
        let x = k2 * sin(s) * sin(s)
        let ratio = ep2 - x < 1e-5 ? slope((ep2 + x) / 2) : (t(ep2) - t(x)) / (ep2 - x)
        return -ratio * sin(s) / 2
      }
      let difference = AreaSeries(eps: eps).difference(
        from: (sin(sigma1), cos(sigma1)), to: (sin(sigma2), cos(sigma2)))
      // 1e-9 of e²a² are 3e-4 m².
      #expect(abs(difference - i4) <= 1e-9)
    }
  }
}
