import Testing
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

/// Repair of polygons by GEOS.
@Suite struct PolygonRepairTests {
  private func at(_ longitude: Double, _ latitude: Double) -> Coordinate {
    Coordinate(latitude: latitude, longitude: longitude)
  }

  private func ring(_ vertices: [(Double, Double)]) -> [Coordinate] { vertices.map { at($0.0, $0.1) } }

  @Test func aBowTieBecomesTwoParts() throws {
    let bowTie = ring([(0, 0), (1, 1), (1, 0), (0, 1)])
    let (polygon, fault) = try Polygon.repairing(parts: [.init(exterior: bowTie)])
    guard case .invalid(.ringCrossesItself, let place, _)? = fault else {
      Issue.record("the fault is \(String(describing: fault))")
      return
    }
    #expect(place.part == 0 && place.ring == 0)
    #expect(try polygon.contains(at(0.1, 0.5)) && polygon.contains(at(0.9, 0.5)))
    #expect(!(try polygon.contains(at(0.5, 0.9))))
    #expect(!(try polygon.contains(at(0.5, 0.1))))
  }

  @Test func overlappingPartsAreJoined() throws {
    let parts = [
      Polygon.Part(exterior: ring([(0, 0), (2, 0), (2, 2), (0, 2)])),
      Polygon.Part(exterior: ring([(1, 1), (3, 1), (3, 3), (1, 3)])),
    ]
    #expect(throws: PolygonError.self) { try Polygon(parts: parts) }
    let joined = try Polygon.repairing(parts: parts)
    #expect(joined.fault != nil)
    #expect(try joined.polygon.contains(at(1.5, 1.5)))
    #expect(try joined.polygon.contains(at(2.5, 2.5)))
  }

  @Test func partsThatOverlapAcrossTheAntimeridianAreJoined() throws {
    let parts = [
      Polygon.Part(exterior: ring([(179, 0), (181, 0), (181, 2), (179, 2)])),
      Polygon.Part(exterior: ring([(-180, 1), (-178, 1), (-178, 3), (-180, 3)])),
    ]
    #expect(throws: PolygonError.self) { try Polygon(parts: parts) }
    let joined = try Polygon.repairing(parts: parts)
    #expect(joined.fault != nil)
    // In the overlap the nearest boundary is the joined outline's, where the parts' edges cross 0.7 degrees away.
    let inside = try joined.polygon.signedBoundaryDistance(from: at(-179.5, 1.5))
    #expect(inside < -70_000 && inside > -80_000, "\(inside)")
    #expect(try joined.polygon.contains(at(179.5, 0.5)) && joined.polygon.contains(at(-178.5, 2.5)))
    #expect(!(try joined.polygon.contains(at(179.5, 2.5))))
  }

  @Test func aValidPolygonIsLeftAlone() throws {
    let square = ring([(10, 50), (11, 50), (11, 51), (10, 51)])
    let untouched = try Polygon.repairing(parts: [.init(exterior: square)])
    #expect(untouched.fault == nil)
    #expect(try untouched.polygon == Polygon(exterior: square))
  }

  @Test func aRingAroundAPoleIsRepairedInThePolarPlane() throws {
    let crossed = ring([(0, 80), (120, 80), (90, 85), (-120, 80), (100, 75)])
    let polar = try Polygon.repairing(parts: [.init(exterior: crossed)])
    guard case .invalid(.ringCrossesItself, _, let near)? = polar.fault else {
      Issue.record("the fault is \(String(describing: polar.fault))")
      return
    }
    // In the plane of longitude and latitude the fault would lie elsewhere, or nowhere.
    #expect(try abs(polar.polygon.signedBoundaryDistance(from: near)) < 1)
  }

  @Test func aCollapsedHoleIsDropped() throws {
    let square = ring([(10, 50), (11, 50), (11, 51), (10, 51)])
    let dropped = try Polygon.repairing(
      parts: [.init(exterior: square, holes: [[square[0], square[1]]])])
    #expect(dropped.fault?.description == "a ring needs 3 distinct vertices, this one has 2 (part 1, hole 1)")
    #expect(throws: PolygonError.self) {
      try Polygon.repairing(parts: [.init(exterior: [square[0]])])
    }
  }
}
