import Foundation
import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

private func at(_ lon: Double, _ lat: Double) -> Coordinate { Coordinate(latitude: lat, longitude: lon) }

private func ring(_ points: [(Double, Double)]) -> [Coordinate] { points.map { at($0.0, $0.1) } }

/// A square by its lower left corner.
private func square(_ x: Double, _ y: Double, _ size: Double) -> [Coordinate] {
  ring([(x, y), (x + size, y), (x + size, y + size), (x, y + size)])
}

@Suite("Polygon validity: reasons, places, and GEOS's verdicts")
struct PolygonValidityTests {
  // MARK: Reasons and places

  struct Case: CustomTestStringConvertible, Sendable {
    var parts: [Polygon.Part]
    var fault: PolygonFault?
    var place = PolygonError.Place(part: 0, ring: 0)
    /// Where the fault is; `nil` for anywhere.
    var near: Coordinate?
    var name: String
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(parts: [.init(exterior: square(0, 0, 1))], fault: nil, name: "square"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (1, 1), (1, 0), (0, 1)]))], fault: .ringCrossesItself,
      near: at(0.5, 0.5),
      name: "bow tie"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (2, 2), (4, 0), (4, 4), (2, 2), (0, 4)]))],
      fault: .ringTouchesItself,
      near: at(2, 2), name: "two triangles in one ring, tip to tip"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (4, 0), (2, 2), (4, 4), (0, 4), (2, 2)]))],
      fault: .ringTouchesItself,
      near: at(2, 2), name: "the same, the other way round"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (2, 2), (4, 4), (4, 0), (2, 2), (0, 4)]))],
      fault: .ringCrossesItself,
      near: at(2, 2), name: "bow tie with a vertex at the crossing, twice"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (4, 0), (4, 4), (2, 0), (0, 4)]))], fault: .ringTouchesItself,
      near: at(2, 0), name: "a vertex on another edge of its ring"),
    Case(
      parts: [.init(exterior: ring([(0, 0), (4, 0), (4, 4), (4, 6), (4, 4), (0, 4)]))],
      fault: .ringOverlapsItself,
      near: at(4, 4), name: "spike"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: square(1, 1, 2))], fault: .ringsCross,
      place: .init(part: 1, ring: 0), name: "parts that overlap"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: square(2, 0, 2))], fault: .ringsOverlap,
      place: .init(part: 1, ring: 0), near: at(2, 0), name: "parts that share an edge"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: square(2, 2, 2))], fault: nil,
      name: "parts that touch in a corner"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: ring([(1, 2), (2, 3), (0, 3)]))], fault: nil,
      name: "a part's corner on another part's edge"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: ring([(1, 2), (2, 3), (1, 1), (0, 3)]))],
      fault: .ringsCross, place: .init(part: 1, ring: 0),
      name: "a part's corner on another's edge, and through it"),
    Case(
      parts: [.init(exterior: square(0, 0, 2)), .init(exterior: Array(square(0, 0, 2).reversed()))],
      fault: .duplicateRings, place: .init(part: 1, ring: 0), near: at(0, 0),
      name: "a part that is there twice"),
    Case(
      parts: [.init(exterior: square(0, 0, 4), holes: [square(1, 1, 1), square(5, 1, 1)])],
      fault: .holeOutsideExterior, place: .init(part: 0, ring: 2), near: at(5, 1), name: "hole outside"),
    Case(
      parts: [.init(exterior: square(1, 1, 1), holes: [square(0, 0, 4)])], fault: .holeOutsideExterior,
      place: .init(part: 0, ring: 1), near: at(0, 0), name: "hole around its exterior"),
    Case(
      parts: [.init(exterior: square(0, 0, 9)), .init(exterior: square(20, 0, 9), holes: [square(2, 2, 1)])],
      fault: .holeOutsideExterior, place: .init(part: 1, ring: 1), near: at(2, 2),
      name: "hole in another part"),
    Case(
      parts: [.init(exterior: square(0, 0, 9), holes: [square(2, 2, 5), square(3, 3, 1)])],
      fault: .nestedHoles,
      place: .init(part: 0, ring: 2), near: at(3, 3), name: "hole in a hole"),
    Case(
      parts: [.init(exterior: square(0, 0, 9)), .init(exterior: square(2, 2, 1))], fault: .nestedExteriors,
      place: .init(part: 1, ring: 0), near: at(2, 2), name: "part in a part"),
    Case(
      parts: [
        .init(exterior: square(0, 0, 9), holes: [square(4, 4, 1)]), .init(exterior: square(3, 3, 3)),
      ], fault: .nestedExteriors, place: .init(part: 1, ring: 0), near: at(3, 3),
      name: "part around another part's hole, and inside that part"),
    Case(
      parts: [
        .init(exterior: square(0, 0, 9), holes: [square(2, 2, 5), square(4, 4, 1)]),
        .init(exterior: square(3, 3, 3)),
      ], fault: .nestedHoles, place: .init(part: 0, ring: 2), near: at(4, 4), name: "hole in a part in a hole"
    ),
    Case(
      parts: [
        .init(exterior: square(0, 0, 9), holes: [square(2, 2, 5)]),
        .init(exterior: square(3, 3, 3), holes: [square(4, 4, 1)]),
      ], fault: nil, name: "island with a lake, in a lake"),
    Case(
      parts: [
        .init(exterior: square(0, 0, 9), holes: [square(2, 2, 4)]),
        .init(exterior: ring([(2, 4), (4, 2), (6, 4), (4, 6)])),
      ], fault: nil, name: "island that touches the shore in all its corners"),
    Case(
      parts: [.init(exterior: square(0, 0, 4)), .init(exterior: ring([(0, 2), (2, 0), (4, 2), (2, 4)]))],
      fault: .nestedExteriors, place: .init(part: 1, ring: 0), near: at(0, 2),
      name: "part in a part, touching in all its corners"),
    Case(
      parts: [.init(exterior: square(0, 0, 4), holes: [ring([(0, 2), (2, 1), (2, 3)])])], fault: nil,
      name: "hole that touches its exterior once"),
    Case(
      parts: [.init(exterior: square(0, 0, 4), holes: [ring([(0, 2), (2, 1), (4, 2), (2, 3)])])],
      fault: .disconnectedInterior, place: .init(part: 0, ring: 1), near: at(4, 2),
      name: "hole that touches its exterior on both sides"),
    Case(
      parts: [
        .init(
          exterior: square(0, 0, 9),
          holes: [
            ring([(2, 4), (4, 2), (4, 3)]), ring([(4, 2), (6, 4), (5, 4)]), ring([(6, 4), (4, 6), (4, 5)]),
            ring([(4, 6), (2, 4), (3, 4)]),
          ])
      ], fault: .disconnectedInterior, place: .init(part: 0, ring: 3), near: at(6, 4),
      name: "four holes in a cycle"),
    Case(
      parts: [
        .init(
          exterior: square(0, 0, 9),
          holes: [
            ring([(4, 4), (2, 3), (2, 5)]), ring([(4, 4), (6, 3), (6, 5)]), ring([(4, 4), (3, 7), (5, 7)]),
          ])
      ], fault: nil, name: "three holes that touch in one point"),
    Case(
      parts: [.init(exterior: square(179, 0, 2), holes: [square(179.5, 0.5, 1)])], fault: nil,
      name: "hole across the antimeridian"),
    Case(
      parts: [.init(exterior: ring([(179, 0), (-179, 1), (-179, 0), (179, 1)]))], fault: .ringCrossesItself,
      near: at(180, 0.5), name: "bow tie across the antimeridian"),
    Case(
      parts: [
        .init(
          exterior: ring([(0, 80), (120, 80), (240, 80)]), holes: [ring([(0, 89), (120, 89), (240, 89)])])
      ],
      fault: nil, name: "hole around a pole"),
    Case(
      parts: [.init(exterior: ring([(0, 80), (120, 80), (240, 80)]), holes: [square(0, 60, 1)])],
      fault: .holeOutsideExterior, place: .init(part: 0, ring: 1),
      name: "hole outside an exterior around a pole"),
    Case(
      parts: [.init(exterior: square(179, 0, 2)), .init(exterior: square(-180, 0.5, 3))],
      fault: .ringsCross, place: .init(part: 1, ring: 0), name: "parts overlapping across the antimeridian"),
    Case(
      parts: [
        .init(exterior: ring([(-179, 0), (-179, 2), (179, 2), (179, 0)])),
        .init(exterior: square(179.5, 0.5, 2)),
      ],
      fault: .ringsCross, place: .init(part: 1, ring: 0), name: "parts overlapping, each on its own side"),
    Case(
      parts: [
        .init(exterior: square(179, 0, 2)), .init(exterior: square(-179, 2, 1)),
        .init(exterior: square(0, 0, 2)),
        .init(exterior: square(178, 2, 1)),
      ],
      fault: nil, name: "parts that touch across the antimeridian"),
  ]

  @Test("Each reason, with its ring and its place", arguments: cases)
  func reasons(_ example: Case) throws {
    // As a file's edges, so that collinear points are; and turned and reflected, so that the sweep meets them
    // in other orders.
    for variant in 0..<4 {
      func varied(_ ring: [Coordinate]) -> [Coordinate] {
        let turned = Array(ring[(variant % ring.count)...] + ring[..<(variant % ring.count)])
        return variant % 2 == 0 ? turned : turned.reversed()
      }
      let parts = example.parts.map {
        Polygon.Part(exterior: varied($0.exterior), holes: $0.holes.map(varied))
      }
      let expected = example.fault
      do throws(PolygonError) {
        _ = try Polygon(parts: parts, meaning: .planar)
        #expect(expected == nil, "variant \(variant)")
        let (_, fault) = try Polygon.repairing(parts: parts, meaning: .planar, by: { _ in nil })
        #expect(fault == nil)
      } catch {
        guard case .invalid(let fault, let place, let near) = error else {
          Issue.record("variant \(variant): \(error)")
          continue
        }
        #expect(fault == expected && place == example.place, "variant \(variant): \(error)")
        if let wanted = example.near {
          let isNear =
            abs(near.latitude - wanted.latitude) < 1e-9
            && abs((near.longitude - wanted.longitude).remainder(dividingBy: 360)) < 1e-9
          #expect(isNear, "variant \(variant): \(error)")
        }
        #expect("\(error)".hasPrefix("invalid polygon: \(fault) near \(near) (part \(place.part + 1), "))
        // Reading for repair finds the same.
        #expect(throws: error) {
          try Polygon.repairing(parts: parts, meaning: .planar, by: { _ in nil })
        }
      }
    }
  }

  @Test("Every reason has a case")
  func everyReason() {
    // Rings collapse only by rounding in the plane; the API names fewer than three vertices itself.
    let point: [SIMD2<Double>] = [SIMD2(1, 2), SIMD2(1, 2), SIMD2(3, 2), SIMD2(1, 2)]
    let collapsed = PlanarSweep.fault(of: [[point]])
    #expect(collapsed?.reason == .collapsedRing && collapsed?.point == SIMD2(1, 2))
    #expect(PlanarSweep.fault(of: []) == nil)
    #expect(PlanarSweep.fault(of: [[[]]])?.reason == .collapsedRing)
    let reasons = Set(Self.cases.compactMap(\.fault) + [.collapsedRing])
    #expect(reasons == Set(PolygonFault.allCases))
    #expect(Set(PolygonFault.allCases.map(\.description)).count == PolygonFault.allCases.count)
  }

  // MARK: GEOS

  /// Compares one verdict; the kind of fault is GEOS's too, except that GEOS may look at nesting, and at the
  /// connection of the inside, before it has looked at every crossing.
  private func agrees(_ parts: [PlanarPart], with reason: String, _ note: @autoclosure () -> String)
    -> FaultKind
  {
    let fault = PlanarSweep.fault(of: parts)
    let kind = FaultKind(fault)
    let expected = FaultKind(reason)
    let isSame =
      kind == expected || (kind == .intersection && (expected == .nesting || expected == .disconnected))
    #expect(isSame, "\(note()): GEOS says \"\(reason)\", the sweep \(String(describing: fault)) of \(parts)")
    return kind
  }

  /// The distance of a fault's point from the ring that the fault names; rounding alone keeps it from zero.
  private func distance(_ fault: PlanarFault, in parts: [PlanarPart]) -> Double {
    var least = Double.infinity
    let ring = parts[fault.part][fault.ring]
    for (a, b) in zip(ring, ring.dropFirst()) {
      let edge = b - a
      let length = (edge * edge).sum()
      let share = length > 0 ? max(0, min(1, (edge * (fault.point - a)).sum() / length)) : 0
      let off = a + share * edge - fault.point
      least = min(least, (off * off).sum().squareRoot())
    }
    return least
  }

  /// How many verdicts of each kind there were.
  private func compare(_ count: Int, seed: UInt64) throws -> [FaultKind: Int] {
    let oracle = try GEOSValidity()
    var samples = PlanarPolygonSamples(seed: seed)
    var counts: [FaultKind: Int] = [:]
    for i in 0..<count {
      let parts = samples.next()
      guard let reason = oracle.reason(parts) else {
        Issue.record("GEOS failed for seed \(seed), case \(i): \(parts)")
        continue
      }
      counts[agrees(parts, with: reason, "seed \(seed), case \(i)"), default: 0] += 1
      if let fault = PlanarSweep.fault(of: parts) {
        #expect(distance(fault, in: parts) < 1e-12, "seed \(seed), case \(i): \(fault) of \(parts)")
      }
    }
    return counts
  }

  @Test("GEOS's verdict on 100,000 polygons of small whole numbers")
  func smallNumbers() throws {
    let counts = try compare(100_000, seed: 1)
    #expect(counts.values.reduce(0, +) == 100_000)
    for kind in FaultKind.allCases { #expect(counts[kind, default: 0] > 1000, "\(kind): \(counts)") }
  }

  @Test(
    "GEOS's verdict on ten million polygons of small whole numbers",
    .enabled(
      if: ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] != nil, "set VICINITY_LONG_TESTS=1"))
  func smallNumbersSoak() throws {
    let counts = try compare(10_000_000, seed: UInt64.random(in: 0...UInt64.max))
    #expect(counts.values.reduce(0, +) == 10_000_000)
  }

  /// The verdict does not depend on the unit, on where rings start, or on which axis is swept along.
  @Test("The same verdict in any unit, from 1e-300 to 1e300, and with the axes exchanged")
  func transformations() {
    let seed: UInt64 = 12
    var samples = PlanarPolygonSamples(seed: seed)
    for i in 0..<5000 {
      let parts = samples.next()
      let kind = FaultKind(PlanarSweep.fault(of: parts))
      func transformed(_ change: (SIMD2<Double>) -> SIMD2<Double>) -> FaultKind {
        FaultKind(PlanarSweep.fault(of: parts.map { $0.map { $0.map(change) } }))
      }
      for scale in [0x1p-1060, 0x1p-540, 0x1p500, 0x1p1010] {
        let found = transformed { scale * $0 }
        #expect(found == kind, "seed \(seed), case \(i), times \(scale): \(parts)")
      }
      #expect(transformed { SIMD2($0.y, $0.x) } == kind, "seed \(seed), case \(i), transposed: \(parts)")
      #expect(transformed { -$0 } == kind, "seed \(seed), case \(i), turned: \(parts)")
      #expect(
        transformed { SIMD2($0.x * 0x1p-1000, $0.y * 0x1p900) } == kind, "seed \(seed), case \(i): \(parts)")
    }
  }

  // MARK: Files of cases

  /// The tests of the JTS Topology Suite for polygons. GEOS agrees with the file, and so does the sweep, in
  /// every case.
  @Test(
    "The JTS Topology Suite's tests of validity",
    .enabled(if: SharedData.has("reference/jts_general"), "needs ../shared/data/reference/jts_general"),
    arguments: [("TestValid.xml", 58), ("TestValid2.xml", 253), ("TestValid2-big.xml", 1)])
  func topologySuite(file: String, expected: Int) throws {
    let oracle = try GEOSValidity()
    let url = SharedData.root.appendingPathComponent("reference/jts_general/\(file)")
    let text = try String(contentsOf: url, encoding: .utf8)
    var compared = 0
    for block in text.components(separatedBy: "<case>").dropFirst() {
      func between(_ start: String, _ end: String) -> String {
        guard let from = block.range(of: start),
          let to = block.range(of: end, range: from.upperBound..<block.endIndex)
        else { return "" }
        return String(block[from.upperBound..<to.lowerBound]).trimmingCharacters(in: .whitespacesAndNewlines)
      }
      let name = between("<desc>", "</desc>")
      let wkt = between("<a>", "</a>")
      let operation = between("name=\"isValid\"", "</op>")
      let isValid = operation.contains("true")
      guard let parts = Self.parts(wkt) else { continue }
      let reason = oracle.reason(parts) ?? "GEOS failed"
      compared += 1
      _ = agrees(parts, with: reason, "\(file), \(name)")
      #expect((PlanarSweep.fault(of: parts) == nil) == isValid, "\(file), \(name): \(wkt)")
    }
    #expect(compared == expected)
  }

  /// The rings of a POLYGON or a MULTIPOLYGON of finite coordinates; `nil` for anything else.
  private static func parts(_ wkt: String) -> [PlanarPart]? {
    let isMultiple = wkt.hasPrefix("MULTIPOLYGON")
    guard isMultiple || wkt.hasPrefix("POLYGON"), !wkt.contains("EMPTY") else { return nil }
    // By the depth of the parentheses: a ring's vertices are innermost.
    let ringDepth = isMultiple ? 3 : 2
    var parts: [PlanarPart] = isMultiple ? [] : [[]]
    var depth = 0
    var vertices = ""
    for character in wkt {
      switch character {
      case "(":
        depth += 1
        if isMultiple && depth == 2 { parts.append([]) }
        vertices = ""
      case ")":
        if depth == ringDepth {
          let points = vertices.split(separator: ",").map { vertex in
            vertex.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
          }
          guard points.allSatisfy({ $0.count >= 2 && $0[0].isFinite && $0[1].isFinite }) else { return nil }
          parts[parts.count - 1].append(points.map { SIMD2($0[0], $0[1]) })
        }
        depth -= 1
      default: if depth == ringDepth { vertices.append(character) }
      }
    }
    return parts
  }

  // MARK: Real polygons

  private func compare(_ polygons: [[Polygon.Part]], _ meaning: RingMeaning, _ note: String) throws {
    let oracle = try GEOSValidity()
    for (i, parts) in polygons.enumerated() {
      let frame = PlanarFrame(parts, meaning: meaning)
      let reason = oracle.reason(frame.parts) ?? "GEOS failed"
      _ = agrees(frame.parts, with: reason, "\(note) \(i)")
      // A vertex moved to the next but one: most become invalid.
      guard var ring = frame.parts.first?.first, ring.count > 6 else { continue }
      let k = 1 + i % (ring.count - 4)
      ring[k] += 1.5 * (ring[k + 2] - ring[k])
      let moved = [[ring] + (frame.parts.first?.dropFirst() ?? [])] + frame.parts.dropFirst()
      let movedReason = oracle.reason(moved) ?? "GEOS failed"
      _ = agrees(moved, with: movedReason, "\(note) \(i), moved")
    }
  }

  @Test(
    "US counties and the taxi zones of New York, with planar and with geodesic edges",
    .enabled(
      if: SharedData.has("regions/us_counties") && SharedData.has("regions/nyc_taxi_zones"),
      "needs ../shared/data/regions"))
  func features() throws {
    for (path, count) in [
      ("regions/us_counties/geojson-counties-fips.json", 3221),
      ("regions/nyc_taxi_zones/taxi_zones.geojson", 263),
    ] {
      let root = try SharedData.json(path) as? [String: Any]
      let features = try #require(root?["features"] as? [[String: Any]])
      let polygons = features.compactMap { SharedData.parts($0["geometry"]) }
      #expect(polygons.count == count)
      try compare(polygons, .planar, path)
      try compare(polygons, .geodesic, path)
    }
  }

  @Test(
    "The countries of Natural Earth",
    .enabled(
      if: SharedData.has("regions/naturalearth_lowres"), "needs ../shared/data/regions/naturalearth_lowres"))
  func countries() throws {
    let url = SharedData.root.appendingPathComponent("regions/naturalearth_lowres/naturalearth_lowres.shp")
    let bytes = [UInt8](try Data(contentsOf: url))
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    func double(_ offset: Int) -> Double {
      Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) })
    }
    var polygons: [[Polygon.Part]] = []
    // ESRI Shapefile Technical Description (1998): records of type 5 behind a header of 100 bytes.
    var record = 100
    while record + 8 < bytes.count {
      let words = (4..<8).reduce(0) { $0 << 8 | Int(bytes[record + $1]) }
      let start = record + 8
      record = start + 2 * words
      guard number(start) == 5 else { continue }
      let ringCount = number(start + 36)
      let first = start + 44 + 4 * ringCount
      let ends = (1..<ringCount).map { number(start + 44 + 4 * $0) } + [number(start + 40)]
      var parts: [Polygon.Part] = []
      var begin = 0
      for end in ends {
        let ring = (begin..<end).map { at(double(first + 16 * $0), double(first + 16 * $0 + 8)) }
        begin = end
        // Exteriors are clockwise.
        if parts.isEmpty || (CleanRing.planarSide(ring) ?? 0) < 0 {
          parts.append(.init(exterior: ring))
        } else {
          parts[parts.count - 1].holes.append(ring)
        }
      }
      polygons.append(parts)
    }
    #expect(polygons.count == 177)
    try compare(polygons, .planar, "country")
    try compare(polygons, .geodesic, "country")
  }

  // MARK: Hostile rings

  @Test(
    "Large rings: valid as they are, invalid when one vertex is moved across", arguments: PlanarShape.allCases
  )
  func large(_ shape: PlanarShape) {
    for count in [1000, 100_000] {
      var parts = shape.parts(count)
      #expect(PlanarSweep.fault(of: parts) == nil, "\(count)")
      // Across an edge of the same ring that is far away in the list, or across another ring.
      let vertex = parts[0][0].count / 3
      let other = parts.count > 1 ? parts[1][0] : parts[0][0]
      let target = other[other.count * 2 / 3]
      let moved = parts[0][0][vertex] + 1.01 * (target - parts[0][0][vertex])
      parts[0][0][vertex] = moved
      #expect(PlanarSweep.fault(of: parts) != nil, "\(count)")
    }
  }

  @Test("A million vertices are judged in bounded time", arguments: PlanarShape.allCases)
  func million(_ shape: PlanarShape) {
    #expect(PlanarSweep.fault(of: shape.parts(1_000_000)) == nil)
  }

  /// Beside each other for all their length, the teeth of a comb are too many pairs to compare: their sides
  /// are then found by counting crossings, at every query.
  @Test(
    "Large polygons are packed in bounded time, and answer as a scan over their edges",
    arguments: PlanarShape.allCases)
  func packed(_ shape: PlanarShape) throws {
    for count in ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == nil
      // Teeth in a row are as many as reach the limit of what is compared.
      ? [shape == .level || shape == .upright ? 30_000 : 5_000] : [30_000, 1_000_000]
    {
      let plane = shape.parts(count)
      var low = SIMD2<Double>(repeating: .infinity)
      var high = -low
      for point in plane.joined().joined() {
        low = pointwiseMin(low, point)
        high = pointwiseMax(high, point)
      }
      func placed(_ ring: [SIMD2<Double>]) -> [Coordinate] {
        ring.dropLast().map { point in
          let share = (point - low) / (high - low)
          return at(16 + 0.2 * share.x, 48 + 0.2 * share.y)
        }
      }
      let parts = plane.map { Polygon.Part(exterior: placed($0[0]), holes: $0.dropFirst().map(placed)) }
      let polygon = try Polygon(parts: parts, meaning: .planar)
      let seed: UInt64 = 31
      var random = SplitMix64(seed: seed)
      for _ in 0..<8 {
        let position = at(random.uniform(15.99...16.21), random.uniform(47.99...48.21))
        let distance = try polygon.signedBoundaryDistance(from: position)
        let scanned = try polygon.bruteForceSignedBoundaryDistance(from: position)
        #expect(abs(distance - scanned) < 1e-3, "seed \(seed), \(count): \(position)")
      }
    }
  }

  @Test("Rings from 1e-300 degrees up, and any finite longitude: an answer, or an error with a reason")
  func extremeCoordinates() {
    let seed: UInt64 = 28
    var random = SplitMix64(seed: seed)
    var answers = 0
    for i in 0..<2000 {
      let size = pow(10, random.uniform(-320...1.5))
      let origin = i % 3 == 0 ? at(0, 0) : at(random.uniform(-180...180), random.uniform(-89...89))
      let count = 3 + random.below(5)
      var ring = (0..<count).map { _ in
        at(
          origin.longitude + size * Double(random.below(7) - 3),
          max(-90, min(90, origin.latitude + size * Double(random.below(7) - 3))))
      }
      if i % 5 == 0 { ring[0].longitude += random.uniform(-1...1) * pow(10, random.uniform(0...307)) }
      for meaning in [RingMeaning.geodesic, .planar] {
        do throws(PolygonError) {
          let polygon = try Polygon(parts: [.init(exterior: ring)], meaning: meaning)
          answers += 1
          #expect(polygon.edgeCount > 2 || polygon.chains.isEmpty, "seed \(seed), case \(i)")
        } catch {
          #expect(!"\(error)".isEmpty)
        }
      }
    }
    #expect(answers > 50)
  }
}

/// Rings that are hard on some way of finding crossings; all valid.
enum PlanarShape: CaseIterable, Sendable {
  /// A smooth circle, and one whose radius is random within a thousandth.
  case circle, roughCircle
  /// A band around the origin, a thousand vertices a turn; and one of four.
  case spiral, squareSpiral
  /// Long parallel teeth, along either axis.
  case upright, level
  /// Spikes whose boxes all overlap.
  case star
  /// A square of square holes; squares in the holes of squares.
  case holes, nested
  /// Triangles that meet in one point.
  case fan

  /// A polygon of about `count` vertices.
  func parts(_ count: Int) -> [PlanarPart] {
    switch self {
    case .circle: return [Self.ring((0..<count).map { Self.polar(Double($0) / Double(count), 1) })]
    case .roughCircle:
      var random = SplitMix64(seed: 3)
      return [Self.ring((0..<count).map { Self.polar(Double($0) / Double(count), 1 + 1e-3 * random.unit()) })]
    case .spiral:
      let half = count / 2
      func turn(_ i: Int) -> Double { Double(i) / 1000 }
      return [
        Self.ring(
          (0..<half).map { Self.polar(turn($0), 1 + turn($0)) }
            + (0..<half).reversed().map { Self.polar(turn($0), 1.5 + turn($0)) })
      ]
    case .squareSpiral:
      func arm(_ offset: Double) -> [SIMD2<Double>] {
        (0..<count / 2).map { i in
          let d = Double(i / 4 + 1) + offset
          return [SIMD2(d, 1 - d), SIMD2(d, d), SIMD2(-d, d), SIMD2(-d, -d)][i % 4]
        }
      }
      return [Self.ring(arm(0) + arm(0.5).reversed())]
    case .upright, .level:
      var points: [SIMD2<Double>] = []
      for i in 0..<count / 4 {
        let x = Double(i)
        points += [SIMD2(x, 0), SIMD2(x, 1e6), SIMD2(x + 0.5, 1e6), SIMD2(x + 0.5, 0)]
      }
      points += [SIMD2(Double(count / 4), -1), SIMD2(-1, -1)]
      return [Self.ring(self == .upright ? points : points.map { SIMD2($0.y, $0.x) })]
    case .star:
      return [Self.ring((0..<count).map { Self.polar(Double($0) / Double(count), $0 % 2 == 0 ? 1 : 1e-3) })]
    case .holes:
      let side = Int(Double(count / 4).squareRoot())
      var part = Self.ring(Self.box(SIMD2(-1, -1), Double(2 * side + 1)))
      for i in 0..<side {
        for k in 0..<side { part += Self.ring(Self.box(SIMD2(Double(2 * i), Double(2 * k)), 1)) }
      }
      return [part]
    case .nested:
      return (0..<count / 8).reversed().map { i in
        let d = Double(2 * i + 2)
        return Self.ring(Self.box(SIMD2(-d, -d), 2 * d)) + Self.ring(Self.box(SIMD2(1 - d, 1 - d), 2 * d - 2))
      }
    case .fan:
      return (0..<count / 3).map { i in
        let share = Double(i) / Double(count / 3)
        return Self.ring([SIMD2(0, 0), Self.polar(share, 1), Self.polar(share + 0.5 / Double(count / 3), 1)])
      }
    }
  }

  private static func ring(_ points: [SIMD2<Double>]) -> PlanarPart { [points + [points[0]]] }

  private static func box(_ corner: SIMD2<Double>, _ size: Double) -> [SIMD2<Double>] {
    [corner, corner + SIMD2(size, 0), corner + SIMD2(size, size), corner + SIMD2(0, size)]
  }

  private static func polar(_ turns: Double, _ distance: Double) -> SIMD2<Double> {
    let angle = 2 * .pi * turns
    return distance * SIMD2(cos(angle), sin(angle))
  }
}
