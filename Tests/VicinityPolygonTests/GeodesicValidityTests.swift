import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

private func at(_ lon: Double, _ lat: Double) -> Coordinate { Coordinate(latitude: lat, longitude: lon) }

private func ring(_ points: [(Double, Double)]) -> [Coordinate] { points.map { at($0.0, $0.1) } }

/// Why `Polygon` refuses the parts; `nil` when it does not.
private func refusal(_ parts: [Polygon.Part]) -> PolygonError? {
  do throws(PolygonError) {
    _ = try Polygon(parts: parts)
    return nil
  } catch { return error }
}

@Suite("Polygons given by coordinates are judged by their geodesic edges")
struct GeodesicValidityTests {
  /// Nearer to a fault than this, metres, a random polygon is left out.
  private static let margin = 0.02

  private func compare(_ family: GeodesicPolygonSamples.Family, _ count: Int, seed: UInt64) {
    var samples = GeodesicPolygonSamples(seed: seed)
    var counts = (valid: 0, invalid: 0, discarded: 0)
    var wrong = (refused: 0, accepted: 0)
    for i in 0..<count {
      let parts = samples.next(family)
      let verdict = GeodesicPolygonOracle.verdict(parts)
      guard verdict.clearance >= Self.margin else {
        counts.discarded += 1
        continue
      }
      let refusal = refusal(parts)
      if verdict.isValid { counts.valid += 1 } else { counts.invalid += 1 }
      guard (refusal == nil) != verdict.isValid else { continue }
      if verdict.isValid { wrong.refused += 1 } else { wrong.accepted += 1 }
      if wrong.refused + wrong.accepted <= 5 {
        Issue.record(
          "seed \(seed), \(family) \(i): clearance \(verdict.clearance) m, \(refusal.map { "\($0)" } ?? "accepted"), \(parts)"
        )
      }
    }
    print("\(family), seed \(seed): \(counts), wrong \(wrong)")
    #expect(wrong == (0, 0), "\(family), seed \(seed): \(counts)")
    #expect(counts.valid > count / 10 && counts.invalid > count / 10, "\(family), seed \(seed): \(counts)")
  }

  @Test(
    "The verdict of PROJ's geodesics, in both directions", arguments: GeodesicPolygonSamples.Family.allCases)
  func verdicts(_ family: GeodesicPolygonSamples.Family) { compare(family, 200, seed: 23) }

  @Test(
    "The verdict of PROJ's geodesics on 70,000 polygons",
    .enabled(
      if: ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] != nil, "set VICINITY_LONG_TESTS=1"),
    arguments: GeodesicPolygonSamples.Family.allCases)
  func verdictsSoak(_ family: GeodesicPolygonSamples.Family) {
    compare(family, 10_000, seed: UInt64.random(in: 0...UInt64.max))
  }

  /// Longitude and latitude with bent edges, and a perspective plane with straight pieces, have nothing in
  /// common but the vertices.
  @Test("The same verdict in both planes, on rings of many vertices with holes that may touch")
  func bothPlanes() {
    let seed: UInt64 = 29
    var samples = GeodesicPolygonSamples(seed: seed)
    var counts: [PolygonFault?: Int] = [:]
    for i in 0..<3000 {
      let parts = samples.nextOfManyVertices()
      let faults = [false, true].map { isProjected in
        let frame = PlanarFrame(parts, meaning: .geodesic, isProjected: isProjected)
        return PlanarSweep.fault(of: frame.parts, edges: frame.edges)
      }
      counts[faults[0]?.reason, default: 0] += 1
      #expect(FaultKind(faults[0]) == FaultKind(faults[1]), "seed \(seed), case \(i): \(faults) of \(parts)")
    }
    print("both planes, seed \(seed): \(counts)")
    #expect(counts[nil, default: 0] > 500 && counts[.ringsCross, default: 0] > 200)
    #expect(counts[.holeOutsideExterior, default: 0] > 20 && counts[.nestedHoles, default: 0] > 20)
    #expect(counts[.disconnectedInterior, default: 0] > 5)
  }

  @Test("A hole 2.8 m inside an edge of 15 km is accepted, 2.8 m outside refused")
  func holeBesideEdge() throws {
    let exterior = ring([(16.0, 48.0), (16.2, 48.0), (16.2, 48.2), (16.0, 48.2)])
    // The northern edge leaves its parallel for the north, by 4.8 m in the middle.
    let path = PROJ.path(exterior[3], exterior[2])
    let line = PROJ.Line(from: exterior[3], azimuth: path.azimuth1)
    let (middle, azimuth) = line.place(path.distance / 2)
    #expect((middle.latitude - 48.2) * 111_000 > 4)
    for (offset, isValid) in [(2.8, true), (0.02, true), (-0.02, false), (-2.8, false)] {
      let corner = PROJ.Line(from: middle, azimuth: azimuth + 90).place(offset).coordinate
      let hole = [corner, at(16.12, 48.1), at(16.08, 48.1)]
      #expect((refusal([.init(exterior: exterior, holes: [hole])]) == nil) == isValid, "\(offset) m")
    }
  }

  @Test("Edges up to half around the Earth")
  func longestEdges() throws {
    // The equator is one of the edges, and a hole north of it reaches within a metre.
    let octant = ring([(0, 0), (90, 0), (0, 90)])
    let near = ring([(30, 1e-5), (40, 1), (35, 2)])
    #expect(refusal([.init(exterior: octant, holes: [near])]) == nil)
    #expect(refusal([.init(exterior: octant, holes: [ring([(30, -1e-5), (40, 1), (35, 2)])])]) != nil)
    // A geodesic from 60 N to 60 N over 120 degrees leads through 73.9 N.
    let cap = ring([(0, 60), (120, 60), (-120, 60)])
    #expect(refusal([.init(exterior: cap, holes: [ring([(60, 74.2), (62, 75), (58, 75)])])]) == nil)
    #expect(refusal([.init(exterior: cap, holes: [ring([(60, 73.5), (62, 75), (58, 75)])])]) != nil)
    #expect(refusal([.init(exterior: cap, holes: [ring([(60, 62), (62, 63), (58, 63)])])]) != nil)
  }

  @Test("A pole as a vertex, whatever longitude it is given")
  func poleAsVertex() throws {
    for sign in [1.0, -1.0] {
      for longitude in [0.0, 30, 100, -170] {
        // Meridians 10 and 50 meet at the pole.
        let wedge = ring([(10, sign * 60), (50, sign * 60), (longitude, sign * 90)])
        let cases: [(hole: [(Double, Double)], isValid: Bool)] = [
          ([(30.0, 85.0), (31, 85), (30.5, 86)], true), ([(49.9, 89), (49.8, 88.9), (49, 89)], true),
          ([(50.1, 89.0), (49.8, 88.9), (49, 89)], false), ([(9.9, 80), (9.8, 80), (9.8, 81)], false),
          ([(20, 89), (40, 89), (longitude, 90)], true),
        ]
        for (hole, isValid) in cases {
          let parts = [Polygon.Part(exterior: wedge, holes: [ring(hole.map { ($0.0, sign * $0.1) })])]
          #expect((refusal(parts) == nil) == isValid, "\(sign), \(longitude): \(hole)")
        }
      }
    }
    // From pole to pole.
    let lune = ring([(0, 0), (0, -90), (60, 0), (0, 90)])
    #expect(refusal([.init(exterior: lune, holes: [ring([(59, 80), (30, 85), (1, 80)])])]) == nil)
    #expect(refusal([.init(exterior: lune, holes: [ring([(61, 80), (30, 85), (1, 80)])])]) != nil)
    // Over the pole, and past it.
    let over = ring([(0, 80), (90, 85), (180, 80)])
    #expect(refusal([.init(exterior: over, holes: [ring([(90, 89.9), (60, 87), (120, 87)])])]) == nil)
    #expect(refusal([.init(exterior: over, holes: [ring([(-90, 89.9), (60, 87), (120, 87)])])]) != nil)
  }

  @Test("A cap clipped at the antimeridian, with edges along it to the pole and back")
  func clippedCap() throws {
    let cap = ring([(-180, -90), (-180, -60), (-90, -60), (0, -60), (90, -60), (180, -60), (180, -90)])
    let polygon = try Polygon(exterior: cap)
    #expect(try polygon.contains(at(180, -80)) && !polygon.contains(at(180, -50)))
    #expect(refusal([.init(exterior: cap, holes: [ring([(10, -89.99), (50, -89.99), (30, -89)])])]) == nil)
    #expect(refusal([.init(exterior: cap, holes: [ring([(10, -62), (50, -62), (45, -59)])])]) != nil)
  }

  @Test("Vertices on a meridian or the equator touch exactly")
  func exactTouches() throws {
    let exterior = ring([(0, 0), (40, 0), (40, 40), (0, 40)])
    #expect(refusal([.init(exterior: exterior, holes: [ring([(0, 7), (5, 8), (5, 6)])])]) == nil)
    #expect(refusal([.init(exterior: exterior, holes: [ring([(7, 0), (8, 5), (6, 5)])])]) == nil)
    let spike = ring([(0, 0), (40, 0), (40, 40), (40, 41), (40, 39), (0, 40)])
    #expect(refusal([.init(exterior: spike)]) != nil)
    // Both rings have the whole edge, in either direction.
    for hole in [[(0.0, 0.0), (40, 40), (40, 0)], [(40, 40), (0, 0), (30, 10)]] {
      let triangle = ring([(0, 0), (40, 0), (40, 40)])
      #expect(refusal([.init(exterior: triangle, holes: [ring(hole)])]) != nil)
    }
  }

  @Test("Rings around a pole that share an edge overlap, whichever way they traverse it")
  func sharedEdgeAroundPole() {
    let cap = ring([(0, 60), (120, 60), (-120, 60)])
    for hole in [[(0.0, 60.0), (120, 60), (60, 85)], [(120, 60), (0, 60), (60, 85)]] {
      guard
        case .invalid(.ringsOverlap, _, _) = refusal([.init(exterior: cap, holes: [ring(hole)])])
      else {
        Issue.record("\(hole)")
        continue
      }
    }
    // A vertex of both is a touch.
    #expect(refusal([.init(exterior: cap, holes: [ring([(0, 60), (10, 85), (-10, 85)])])]) == nil)
  }

  @Test("Holes unwrapped on different sides of the antimeridian share their vertices to the last bit")
  func sharedVerticesAcrossAntimeridian() {
    let exterior = ring([(-120, 0), (-120, 20), (170, 20), (170, 0)])
    let low = (-125.81735770261731, 10.0)
    let high = (-125.31735770261733, 12.0)
    let holes = [
      ring([low, (-123, 9), high, (-124.9, 11)]), ring([(176, 5), low, (-127, 11), high, (176, 14)]),
    ]
    guard
      case .invalid(.disconnectedInterior, _, _) = refusal([.init(exterior: exterior, holes: holes)])
    else {
      Issue.record("the holes do not touch twice")
      return
    }
  }

  @Test("A crossing of long edges is told where it is")
  func placeOfCrossing() throws {
    let bowTie = ring([(0, 40), (60, 60), (60, 40), (0, 62)])
    guard case .invalid(.ringCrossesItself, _, let near) = refusal([.init(exterior: bowTie)]) else {
      Issue.record("not refused as crossing")
      return
    }
    for (a, b) in [(bowTie[0], bowTie[1]), (bowTie[2], bowTie[3])] {
      let (edge, own) = (PROJ.path(a, b), PROJ.path(a, near))
      let off = sin((own.azimuth1 - edge.azimuth1) * .pi / 180) * own.distance
      #expect(abs(off) < 1e-3, "\(near)")
    }
  }

  @Test("A repair leaves the vertices of long edges as they are, and none between them")
  func repair() throws {
    // Across each other near the pole, and with edges of 1,000 km.
    for bowTie in [
      ring([(0, 89.9), (40, 89.98), (40, 89.9), (0, 89.97)]), ring([(0, 60), (20, 68), (20, 60), (0, 67)]),
    ] {
      var given: [PlanarPart] = []
      let (polygon, fault) = try Polygon.repairing(parts: [.init(exterior: bowTie)], meaning: .geodesic) {
        given = $0
        return $0
      }
      #expect(fault != nil && given[0][0].count > 5)
      #expect(polygon.vertexCount == 4)
      #expect(Set(polygon.chains[0]) == Set(bowTie))
    }
  }

  // MARK: Bounds

  /// The share of the bound that the bend reaches where the straight line is left farthest.
  @Test("A geodesic leaves the straight line in longitude and latitude by no more than its bend")
  func bend() {
    let seed: UInt64 = 7
    var random = SplitMix64(seed: seed)
    var greatest = 0.0
    var known = 0
    for i in 0..<20_000 {
      let pole = 90 * pow(10, random.uniform(-5...0))
      let a = at(random.uniform(-180...180), (i % 2 == 0 ? 1 : -1) * (90 - pole))
      let length = pow(10, random.uniform(1...7))
      let b = PROJ.Line(from: a, azimuth: random.uniform(0...180)).place(length).coordinate
      let turned = (b.longitude - a.longitude).remainder(dividingBy: 360)
      guard turned > 0, abs(b.latitude) < 90 else { continue }
      let start = SIMD2(a.longitude, a.latitude)
      let end = SIMD2(a.longitude + turned, b.latitude)
      let bend = Double(SweepStatus.Segment.bend(start, end))
      guard bend.isFinite else { continue }
      known += 1
      let path = PROJ.path(a, b)
      let line = PROJ.Line(from: a, azimuth: path.azimuth1)
      // What counts as straight may leave the line by a millimetre.
      let allowed = max(bend, 9e-9 * max(turned, abs(end.y - start.y)))
      for k in 1..<16 {
        let c = line.place(path.distance * Double(k) / 16).coordinate
        let x = start.x + (c.longitude - a.longitude).remainder(dividingBy: 360)
        let off = (end.x - start.x) * (c.latitude - start.y) - (end.y - start.y) * (x - start.x)
        // Coordinates are rounded to 1e-14 degrees or so.
        let share = (abs(off) - 1e-13 * (turned + abs(end.y - start.y))) / allowed
        greatest = max(greatest, share)
        #expect(share <= 1, "seed \(seed), case \(i): \(a) to \(b)")
      }
    }
    print("bend, seed \(seed): \(known) edges, at most \(greatest) of the bound")
    #expect(known > 5000 && greatest > 0.5 && greatest <= 1)
  }

  @Test("Straight lines in a perspective plane stay within a millimetre of geodesics")
  func perspective() {
    let seed: UInt64 = 8
    var random = SplitMix64(seed: seed)
    var greatest = (gnomonic: 0.0, stereographic: 0.0)
    for i in 0..<60 {
      let isWide = i % 4 == 0
      let center = at(random.uniform(-180...180), random.uniform(-90...90))
      let reach = isWide ? random.uniform(9e6...1.1e7) : 8e6 * pow(10, random.uniform(-3...0))
      let ring = (0...5).map { k in
        PROJ.Line(from: center, azimuth: 72 * Double(k % 5)).place(reach).coordinate
      }
      let plane = PerspectivePlane(around: [[ring]], meaning: .geodesic)
      let pieces = plane.pieces(of: ring)
      for k in stride(from: 0, to: pieces.count - 1, by: isWide ? 97 : 1) {
        let path = PROJ.path(pieces[k], pieces[k + 1])
        let middle = plane.coordinate(of: 0.5 * (plane.point(of: pieces[k]) + plane.point(of: pieces[k + 1])))
        let own = PROJ.path(pieces[k], middle)
        let off = abs(sin((own.azimuth1 - path.azimuth1) * .pi / 180) * own.distance)
        if isWide {
          greatest.stereographic = max(greatest.stereographic, off)
        } else {
          greatest.gnomonic = max(greatest.gnomonic, off)
        }
      }
      for vertex in ring {
        #expect(
          PROJ.distance(plane.coordinate(of: plane.point(of: vertex)), vertex) < 1e-7,
          "seed \(seed), case \(i)")
      }
    }
    print("perspective, seed \(seed): \(greatest)")
    #expect(greatest.gnomonic < 1e-3 && greatest.stereographic < 1e-3)
    #expect(greatest.gnomonic > 2e-4 && greatest.stereographic > 1e-4)
  }
}
