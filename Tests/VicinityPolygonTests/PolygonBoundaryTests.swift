import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

private func at(_ lon: Double, _ lat: Double) -> Coordinate {
  Coordinate(latitude: lat, longitude: lon)
}

private func ring(_ points: [(Double, Double)]) -> [Coordinate] { points.map { at($0.0, $0.1) } }

@Suite("Polygon boundaries: windings, seams, poles, refusals")
struct PolygonBoundaryTests {
  @Test("Either winding and either closing give the same region")
  func windings() throws {
    let square = ring([(10, 50), (11, 50), (11, 51), (10, 51)])
    let polygons = [
      try Polygon(exterior: square), try Polygon(exterior: square.reversed()),
      try Polygon(exterior: square + [square[0]]),
    ]
    for polygon in polygons {
      let d = try polygon.signedBoundaryDistance(from: at(10.5, 50.5))
      #expect(d < -30_000 && d > -40_000)
      #expect(try polygon.signedBoundaryDistance(from: at(12, 50.5)) > 60_000)
      #expect(polygon.edgeCount == 4 && polygon.vertexCount == 4)
    }
  }

  @Test("A hole is outside, and its rim is boundary")
  func holes() throws {
    let polygon = try Polygon(
      exterior: ring([(0, 0), (4, 0), (4, 4), (0, 4)]),
      holes: [ring([(1, 1), (1, 2), (2, 2), (2, 1)])])
    #expect(try polygon.signedBoundaryDistance(from: at(1.5, 1.5)) > 50_000)
    #expect(try polygon.contains(at(3, 3)))
    #expect(!(try polygon.contains(at(1.01, 1.01))))
    #expect(try polygon.contains(at(0.99, 0.99)))
  }

  @Test("Across the antimeridian, whichever way longitudes are written")
  func antimeridian() throws {
    let polygons = [
      try Polygon(exterior: ring([(179, -17), (-179, -17), (-179, -16), (179, -16)])),
      try Polygon(exterior: ring([(179, -17), (181, -17), (181, -16), (179, -16)])),
      try Polygon(exterior: ring([(-181, -17), (-179, -17), (-179, -16), (-181, -16)])),
    ]
    for polygon in polygons {
      #expect(try polygon.contains(at(180, -16.5)))
      #expect(try polygon.contains(at(-179.5, -16.5)))
      #expect(!(try polygon.contains(at(178.9, -16.5))))
      #expect(polygon == polygons[0])
    }
  }

  @Test("A region split at ±180 has no boundary there, though the two sides' vertices differ")
  func split() throws {
    let parts = [
      Polygon.Part(exterior: ring([(179, 0), (180, 0), (180, 0.4), (180, 1), (179, 1)])),
      Polygon.Part(exterior: ring([(-180, 0), (-179, 0), (-179, 1), (-180, 1), (-180, 0.7)])),
    ]
    for meaning in [RingMeaning.planar, .geodesic] {
      let polygon = try Polygon(parts: parts, meaning: meaning)
      #expect(polygon.chains.count == 1)
      #expect(polygon.chains[0].first == polygon.chains[0].last)
      #expect(try polygon.signedBoundaryDistance(from: at(180, 0.5)) < -55_000)
      #expect(try polygon.signedBoundaryDistance(from: at(-179.999, 0.5)) < -55_000)
    }
  }

  @Test("What lies on ±180 without a counterpart stays boundary")
  func unmatchedSeam() throws {
    let parts = [
      Polygon.Part(exterior: ring([(179, 0), (180, 0), (180, 2), (179, 2)])),
      Polygon.Part(exterior: ring([(-180, 0), (-179, 0), (-179, 1), (-180, 1)])),
    ]
    let polygon = try Polygon(parts: parts, meaning: .planar)
    #expect(try polygon.signedBoundaryDistance(from: at(180, 0.5)) < -54_000)
    #expect(abs(try polygon.signedBoundaryDistance(from: at(180, 1.5))) < 1e-6)
    let single = try Polygon(exterior: parts[0].exterior)
    #expect(abs(try single.signedBoundaryDistance(from: at(-180, 0.5))) < 1e-6)
    #expect(try single.signedBoundaryDistance(from: at(-179.9, 0.5)) > 11_000)
  }

  @Test("A clipped cap around a pole, as Natural Earth writes Antarctica")
  func clippedPole() throws {
    var points: [(Double, Double)] = [(180, -90), (180, -70)]
    for i in 1..<36 { points.append((180 - 10 * Double(i), -70 + Double(i % 3))) }
    points += [(-180, -70), (-180, -90)]
    for i in 1..<8 { points.append((-180 + 45 * Double(i), -90)) }
    let polygon = try Polygon(parts: [.init(exterior: ring(points))], meaning: .planar)
    #expect(polygon.chains.count == 1)
    #expect(try polygon.signedBoundaryDistance(from: at(0, -90)) < -2_000_000)
    #expect(try polygon.signedBoundaryDistance(from: at(180, -80)) < -1_000_000)
    #expect(!(try polygon.contains(at(0, 0))))
  }

  @Test("A ring around a pole contains it")
  func pole() throws {
    for sign in [1.0, -1.0] {
      let points = (0..<12).map { (Double($0) * 30 - 170, sign * 80) }
      let polygon = try Polygon(exterior: ring(points))
      #expect(try polygon.contains(at(0, sign * 90)))
      #expect(!(try polygon.contains(at(0, -sign * 90))))
      #expect(!(try polygon.contains(at(0, sign * 70))))
      #expect(polygon.boundingRadius < 1_200_000)
    }
  }

  @Test("A band around the world has two boundaries; the whole world none")
  func bands() throws {
    func box(_ south: Double, _ north: Double) -> [Coordinate] {
      let lons = stride(from: -180.0, through: 180, by: 10).map { $0 }
      return ring(lons.map { ($0, south) } + lons.reversed().map { ($0, north) })
    }
    let band = try Polygon(parts: [.init(exterior: box(-30, 40))], meaning: .planar)
    #expect(band.chains.count == 2)
    #expect(try band.contains(at(180, 0)) && band.contains(at(17, 35)))
    #expect(!(try band.contains(at(0, 60))))
    #expect(!(try band.contains(at(0, -90))))
    #expect(band.boundingRadius == Polygon.unboundedRadius)

    // More than half of the Earth, by its planar meaning.
    let most = try Polygon(parts: [.init(exterior: box(-60, 90))], meaning: .planar)
    #expect(try most.contains(at(0, 90)) && most.contains(at(0, -50)))
    #expect(!(try most.contains(at(0, -80))))

    let whole = try Polygon(parts: [.init(exterior: box(-90, 90))], meaning: .planar)
    #expect(whole.chains.isEmpty && whole.edgeCount == 0)
    #expect(try whole.signedBoundaryDistance(from: at(1, 2)) == PolygonView.wholeEarthDistance)
    #expect(try whole.bruteForceSignedBoundaryDistance(from: at(1, 2)) == PolygonView.wholeEarthDistance)
  }

  @Test("Refusals name what is wrong and where")
  func refusals() {
    let a = at(0, 0)
    let b = at(1, 0)
    let c = at(1, 1)
    #expect(throws: PolygonError.empty) { try Polygon(parts: []) }
    // Where zero meridian and equator meet, coordinates tell places apart that no distance does.
    let nowhere = [at(4e-33, 4e-33), at(5e-33, 4e-33), at(5e-33, 5e-33)]
    #expect(throws: PolygonError.zeroArea(.init(part: 0, ring: 0))) { try Polygon(exterior: nowhere) }
    #expect(throws: PolygonError.tooFewVertices(distinct: 0, .init(part: 0, ring: 0))) {
      try Polygon(exterior: [])
    }
    #expect(throws: PolygonError.tooFewVertices(distinct: 2, .init(part: 0, ring: 0))) {
      try Polygon(exterior: [a, b, a, b, a])
    }
    #expect(throws: PolygonError.tooFewVertices(distinct: 1, .init(part: 0, ring: 1))) {
      try Polygon(exterior: [a, b, c], holes: [[a, a]])
    }
    #expect(
      throws: PolygonError.invalidCoordinate(at(0, 91), .init(part: 0, ring: 0, vertex: 2))
    ) { try Polygon(exterior: [a, b, at(0, 91)]) }
    for bad in [Double.nan, .infinity, -.infinity] {
      #expect(throws: PolygonError.self) { try Polygon(exterior: [a, b, at(bad, 0)]) }
      #expect(throws: PolygonError.self) { try Polygon(exterior: [a, b, at(0, bad)]) }
    }
    // Nothing enclosed. Whether edges overlap or leave slivers, rounding decides where geodesics are split.
    #expect(throws: PolygonError.self) {
      try Polygon(exterior: [a, b, at(2, 0), at(3, 0)])
    }
    let polygon = try? Polygon(exterior: [a, b, c])
    #expect(throws: GeodesyError.self) {
      try polygon?.signedBoundaryDistance(from: at(0, .nan))
    }
  }

  @Test("Crossing rings are refused with the reason and the place")
  func crossingRings() throws {
    let bowTie = ring([(0, 0), (1, 1), (1, 0), (0, 1)])
    #expect {
      try Polygon(exterior: bowTie)
    } throws: { error in
      guard case PolygonError.invalid(.ringCrossesItself, let place, let near) = error else { return false }
      return place == .init(part: 0, ring: 0) && abs(near.latitude - 0.5) < 0.01
        && abs(near.longitude - 0.5) < 0.01
    }
    // Without a repair the fault is thrown, with one that leaves nothing too.
    #expect(throws: PolygonError.self) {
      try Polygon.repairing(parts: [.init(exterior: bowTie)], meaning: .geodesic) { _ in nil }
    }
    #expect(throws: PolygonError.self) {
      try Polygon.repairing(parts: [.init(exterior: bowTie)], meaning: .geodesic) { _ in [] }
    }
    // Around a pole: judged in the polar plane.
    let crossed = ring([(0, 80), (120, 80), (90, 85), (-120, 80), (100, 75)])
    #expect(throws: PolygonError.self) { try Polygon(exterior: crossed) }
  }

  @Test("A hole that touches the exterior in a vertex")
  func touchingHole() throws {
    let polygon = try Polygon(
      exterior: ring([(0, 0), (4, 0), (4, 4), (0, 4)]), holes: [ring([(0, 0), (2, 1), (1, 2)])])
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      // All around the shared vertex.
      let probe = Geodesic.uncheckedDirect(
        at(0, 0), azimuth: random.uniform(0...360), distance: random.uniform(1...1000)
      ).coordinate
      let fast = try polygon.signedBoundaryDistance(from: probe)
      let exact = try polygon.bruteForceSignedBoundaryDistance(from: probe)
      #expect(abs(fast - exact) < 1e-5, "at \(probe)")
    }
  }
}
