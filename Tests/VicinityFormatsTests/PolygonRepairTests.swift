import Testing
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

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
    // In the overlap the nearest boundary is the joined outline's, where the parts' edges cross 0.7 degrees
    // away.
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

  /// A hole outside its exterior, whole or in part, adds nothing.
  @Test func aHoleAddsNothing() throws {
    let square = ring([(10, 16), (10.01, 16), (10.01, 16.01), (10, 16.01)])
    let outside = ring([(10.004, 16.034), (10.006, 16.034), (10.006, 16.036), (10.004, 16.036)])
    let (polygon, fault) = try Polygon.repairing(parts: [.init(exterior: square, holes: [outside])])
    #expect(fault != nil)
    #expect(!(try polygon.contains(at(10.005, 16.035))))
    #expect(try polygon.contains(at(10.005, 16.005)))
    #expect(try polygon == Polygon(exterior: square))
  }

  /// The repaired region lies within what the exteriors enclose, and outside the holes, at random places.
  @Test func aRepairedRegionIsItsExteriorsLessTheirHoles() throws {
    let seed: UInt64 = 0x5EED_0013
    var random = SplitMix64(seed: seed)
    func triangle(around x: Double, _ y: Double, _ size: Double) -> [Coordinate] {
      var result: [(Double, Double)] = []
      for _ in 0..<3 {
        result.append(
          (x + .random(in: -size...size, using: &random), y + .random(in: -size...size, using: &random)))
      }
      return ring(result)
    }
    func isInside(_ p: Coordinate, _ ring: [Coordinate]) -> Bool {
      var inside = false
      for (a, b) in zip(ring, ring.dropFirst() + [ring[0]])
      where (a.latitude > p.latitude) != (b.latitude > p.latitude) {
        let t = (p.latitude - a.latitude) / (b.latitude - a.latitude)
        if p.longitude < a.longitude + t * (b.longitude - a.longitude) { inside.toggle() }
      }
      return inside
    }
    var (repaired, members) = (0, 0)
    for round in 0..<(runsLongTests ? 3000 : 300) {
      let parts = (0..<Int.random(in: 1...2, using: &random)).map { _ in
        Polygon.Part(
          exterior: triangle(around: 0, 0, 0.1),
          holes: (0..<Int.random(in: 0...3, using: &random)).map { _ in
            triangle(
              around: .random(in: -0.2...0.2, using: &random), .random(in: -0.2...0.2, using: &random), 0.08)
          })
      }
      let result: (polygon: Polygon, fault: PolygonError?)
      do throws(PolygonError) {
        result = try Polygon.repairing(parts: parts)
      } catch { continue }
      if result.fault != nil { repaired += 1 }
      for _ in 0..<60 {
        let p = at(.random(in: -0.3...0.3, using: &random), .random(in: -0.3...0.3, using: &random))
        guard try abs(result.polygon.signedBoundaryDistance(from: p)) > 1 else { continue }
        let expected = parts.contains { part in
          isInside(p, part.exterior) && !part.holes.contains { isInside(p, $0) }
        }
        #expect(try result.polygon.contains(p) == expected, "seed \(seed), round \(round), \(p)")
        if expected { members += 1 }
      }
    }
    #expect(repaired > 50 && members > 150, "\(repaired), \(members)")
  }

  /// A scribble is refused before it takes minutes.
  @Test(.timeLimit(.minutes(1))) func aScribbleIsRefused() throws {
    var random = SplitMix64(seed: 0x5EED_1500)
    func scribble(_ count: Int) -> [Coordinate] {
      ring((0..<count).map { _ in (.random(in: 0...1, using: &random), .random(in: 0...1, using: &random)) })
    }
    guard
      case .repairFailed(let reason)? = #expect(
        throws: PolygonError.self,
        performing: {
          try Polygon.repairing(parts: [.init(exterior: scribble(1500))])
        })
    else { return }
    #expect(reason.contains("cross in more than"))
    #expect(try Polygon.repairing(parts: [.init(exterior: scribble(60))]).fault != nil)
  }
}
