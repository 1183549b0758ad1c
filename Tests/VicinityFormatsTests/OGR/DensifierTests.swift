import CGDAL
import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityFormats

@Suite struct DensifierTests {
  /// How far `p` lies from the geodesic between `a` and `b`, metres: across it, for a foot between the two.
  static func deviation(_ p: Coordinate, _ a: Coordinate, _ b: Coordinate) -> Double {
    let ab = Geodesic.uncheckedInverse(a, b)
    let ap = Geodesic.uncheckedInverse(a, p)
    if ab.distance < 1e-3 { return ap.distance }
    let angle = (ap.azimuth1 - ab.azimuth1) * .pi / 180
    let r = WGS84.a
    let across = r * asin(sin(ap.distance / r) * sin(angle))
    let along = ap.distance * cos(angle)
    if along < -0.01 { return ap.distance }
    if along > ab.distance + 0.01 + 1e-5 * ab.distance {
      return Geodesic.uncheckedDistance(p, b)
    }
    return abs(across)
  }

  static func densify(
    _ vertices: [PlanarPoint], epsg: Int32? = nil, edgeTolerance: Meters = 0.1,
    wideEdges: Densifier.WideEdges = .evident
  ) throws -> [Coordinate] {
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var crs: OGRSpatialReferenceH?
    if let epsg {
      unsafe crs = OSRNewSpatialReference(nil)
      _ = unsafe OSRImportFromEPSG(crs, epsg)
    }
    defer { if let crs = unsafe crs { unsafe OSRDestroySpatialReference(crs) } }
    let projection = try unsafe SourceProjection(crs, messages: messages)
    var densifier = Densifier(
      projection, maximumVertices: 1_000_000, edgeTolerance: edgeTolerance, wideEdges: wideEdges)
    return try densifier.ring(vertices)
  }

  /// The largest distance between the straight edge a-b of a longitude and latitude file and the geodesics
  /// between the vertices put on it.
  static func worst(
    _ a: PlanarPoint, _ b: PlanarPoint, edgeTolerance: Meters = 0.1
  ) throws -> (deviation: Double, count: Int) {
    let ring = try densify([a, b], edgeTolerance: edgeTolerance, wideEdges: .straight)
    // The ring goes there and back: its first half is the edge.
    let there = try #require(
      ring.firstIndex { $0.longitude == b.x && $0.latitude == b.y })
    #expect(there > 0, "\(a) to \(b)")
    var worst = 0.0
    for i in 0..<there {
      let (p, q) = (ring[i], ring[i + 1])
      for k in 1..<16 {
        let t = Double(k) / 16
        let sample = Coordinate(
          latitude: p.latitude + (q.latitude - p.latitude) * t,
          longitude: p.longitude + (q.longitude - p.longitude) * t)
        worst = largerOrNaN(worst, deviation(sample, p, q))
      }
    }
    return (worst, there)
  }

  @Test(arguments: [
    (0.0, 60.0, 90.0, 60.0), (0, 48, 0.3, 48), (-10, -40, 10, 40), (0, 0, 170, 0),
    (0, 0, 170, 1e-6),
    (0, -80, 0, 80), (0, 84.9, 40, 84.9), (0, 89, 40, 89), (0, 89.99, 170, 89.99),
    (0, 70, 170, 89.9),
    (10, 90, 100, 89), (-180, -89.5, 180, -89.5), (-180, 40, 180, 40), (-180, -90, 180, -90),
    (5, 50, 5.001, 50.001),
  ])
  func staysBesideTheEdgesOfAFile(x0: Double, y0: Double, x1: Double, y1: Double) throws {
    let (deviation, count) = try Self.worst(PlanarPoint(x: x0, y: y0), PlanarPoint(x: x1, y: y1))
    #expect(deviation < 0.1, "\(count) pieces")
  }

  /// Down to a millimetre, for about ten times the pieces of 0.1 m.
  @Test(arguments: [
    (0.0, 60.0, 1.0, 60.0), (0, 48, 0.3, 48), (-1, -40, 2, 40), (0, 84.9, 4, 84.9), (0, 89, 4, 89),
  ])
  func staysAsCloseAsItIsTold(x0: Double, y0: Double, x1: Double, y1: Double) throws {
    let (a, b) = (PlanarPoint(x: x0, y: y0), PlanarPoint(x: x1, y: y1))
    let usual = try Self.worst(a, b)
    for tolerance in [0.01, 0.001] {
      let (deviation, count) = try Self.worst(a, b, edgeTolerance: tolerance)
      #expect(deviation < tolerance, "\(count) pieces")
      let ratio = (0.1 / tolerance).squareRoot()
      #expect(Double(count) < 2.1 * ratio * Double(usual.count) + 1)
    }
  }

  /// A box whose edge runs along a round parallel: a position on it is no farther from the boundary than was
  /// asked for.
  @Test func putsPositionsOnAnEdgeThere() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("id,wkt\na,\"POLYGON((16 48,17 48,17 49,16 49,16 48))\"\n", to: "a.csv")
    for tolerance in [0.1, 0.01, 0.001] {
      var options = ReadingOptions()
      options.edgeTolerance = tolerance
      let index = try RegionIndex(RegionReader.read(path, options: options).content)
      var farthest = 0.0
      for step in 1..<1000 {
        let place = Coordinate(latitude: 48, longitude: 16 + Double(step) / 1000)
        let distance = try index.nearest(1, to: place).first?.distance ?? .nan
        farthest = largerOrNaN(farthest, abs(distance))
      }
      #expect(farthest < tolerance && farthest > tolerance / 10, "\(farthest) m")
    }
    for tolerance in [0, 0.0009, .nan, .infinity, -1] {
      var options = ReadingOptions()
      options.edgeTolerance = tolerance
      #expect(throws: FormatError.self) { try RegionReader.read(path, options: options) }
    }
  }

  @Test func staysBesideRandomEdges() throws {
    let seed: UInt64 = 0x5EED_0003
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 4000 : 200) {
      let size = pow(10, Double.random(in: -3...1.7, using: &random))
      let a = PlanarPoint(
        x: .random(in: -180...180, using: &random), y: .random(in: -90...90, using: &random))
      let b = PlanarPoint(
        x: a.x + .random(in: -size...size, using: &random),
        y: min(90, max(-90, a.y + .random(in: -size...size, using: &random))))
      let (deviation, count) = try Self.worst(a, b)
      #expect(deviation < 0.1, "seed \(seed), edge \(i): \(a) to \(b), \(count) pieces")
    }
  }

  /// Vertices are brought back to the file's system, so that what lies between them there can be compared.
  @Test(arguments: [
    (Int32(3857), 1_000_000.0, 6_000_000.0, 300_000.0), (31256, -50_000, 340_000, 80_000),
    (27700, 400_000, 300_000, 200_000),
    (3031, 1_500_000, 800_000, 900_000), (32633, 300_000, 5_000_000, 400_000), (4267, -100, 40, 8),
    (2154, 700_000, 6_600_000, 300_000),
  ])
  func staysBesideTheEdgesOfProjectedFiles(epsg: Int32, x: Double, y: Double, size: Double) throws {
    let corners = [
      PlanarPoint(x: x, y: y), PlanarPoint(x: x + size, y: y + size / 7),
      PlanarPoint(x: x + size / 3, y: y + size),
    ]
    let ring = try Self.densify(corners, epsg: epsg)
    #expect(ring.count > 3)
    let back = try ring.map {
      try OGRWriter.transform($0.longitude, $0.latitude, from: 4326, to: epsg)
    }
    for i in ring.indices {
      let j = (i + 1) % ring.count
      for t in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let place = try OGRWriter.transform(
          back[i].x + (back[j].x - back[i].x) * t, back[i].y + (back[j].y - back[i].y) * t,
          from: epsg, to: 4326)
        let deviation = Self.deviation(
          Coordinate(latitude: place.y, longitude: place.x), ring[i], ring[j])
        #expect(deviation < 0.1, "piece \(i) of \(ring.count)")
      }
    }
  }

  /// EPSG guidance note 7-2, method 1024: the worked example of Popular Visualisation Pseudo-Mercator.
  @Test func agreesWithThePublishedWebMercator() throws {
    let place = try Self.densify([PlanarPoint(x: -11_169_055.58, y: 2_800_000)], epsg: 3857)[0]
    // 24 22 54.433 N, 100 20 00.000 W.
    let published = Coordinate(
      latitude: 24 + 22 / 60.0 + 54.433 / 3600, longitude: -100 - 20 / 60.0)
    #expect(Geodesic.uncheckedDistance(place, published) < 0.02)
  }

  /// Ordnance Survey, *A guide to coordinate systems in Great Britain*, annexe C: Caister Water Tower on the
  /// National Grid, and as latitude and longitude on the same datum.
  @Test func agreesWithThePublishedNationalGrid() throws {
    let grid = try Self.densify([PlanarPoint(x: 651_409.903, y: 313_177.270)], epsg: 27700)[0]
    let latitude = 52 + 39 / 60.0 + 27.2531 / 3600
    let longitude = 1 + 43 / 60.0 + 4.5177 / 3600
    let geographic = try Self.densify([PlanarPoint(x: longitude, y: latitude)], epsg: 4277)[0]
    #expect(Geodesic.uncheckedDistance(grid, geographic) < 0.01)
    // The datum is shifted: some 130 m there.
    let unshifted = Coordinate(latitude: latitude, longitude: longitude)
    #expect((100...160).contains(Geodesic.uncheckedDistance(grid, unshifted)))
  }

  @Test func readsProjectedLayers() throws {
    let directory = try TemporaryDirectory()
    for epsg: Int32 in [3857, 31256, 32633, 4258] {
      let center = try OGRWriter.transform(16.4, 48.2, from: 4326, to: epsg)
      let corners = try [
        (16.39, 48.19), (16.41, 48.19), (16.41, 48.21), (16.39, 48.21), (16.39, 48.19),
      ].map {
        try OGRWriter.transform($0.0, $0.1, from: 4326, to: epsg)
      }
      let ring = corners.map { "\($0.x) \($0.y)" }.joined(separator: ",")
      let path = directory.file("\(epsg).gpkg")
      try OGRWriter.write(
        [
          .init(identifier: "dot", wkt: "POINT(\(center.x) \(center.y))", radius: 250),
          .init(identifier: "square", wkt: "POLYGON((\(ring)))"),
        ], to: path, driver: "GPKG", epsg: epsg)
      let set = try RegionReader.read(path).content
      #expect(set.radii[0] == 250)
      let there = Coordinate(latitude: 48.2, longitude: 16.4)
      // A shift by seven parameters and its inverse agree to a millimetre only.
      #expect(Geodesic.uncheckedDistance(set.centers[0], there) < 0.01, "EPSG:\(epsg)")
      let polygon = try #require(set.polygons.first?.polygon)
      // 0.01 degrees of longitude at 48.21 N.
      let expected = -Geodesic.uncheckedDistance(
        Coordinate(latitude: 48.205, longitude: 16.4),
        Coordinate(latitude: 48.205, longitude: 16.41))
      let distance = try polygon.signedBoundaryDistance(
        from: Coordinate(latitude: 48.2, longitude: 16.4))
      #expect(abs(distance - expected) < 0.5, "EPSG:\(epsg)")
    }
  }

  @Test func readsLongitudesOfEveryHabit() throws {
    // The same square across the antimeridian, as files write it: continuous, wrapped, cut in two,
    // in 0...360.
    let texts = [
      "POLYGON((179 0,181 0,181 2,179 2,179 0))", "POLYGON((179 0,-179 0,-179 2,179 2,179 0))",
      "MULTIPOLYGON(((179 0,180 0,180 2,179 2,179 0)),((-180 0,-179 0,-179 2,-180 2,-180 0)))",
      "POLYGON((-181 0,-179 0,-179 2,-181 2,-181 0))", "POLYGON((539 0,541 0,541 2,539 2,539 0))",
    ]
    let directory = try TemporaryDirectory()
    for (i, text) in texts.enumerated() {
      let path = try directory.write("id,wkt\na,\"\(text)\"\n", to: "a.csv")
      guard i < 4 else {
        #expect(throws: FormatError.self) { try RegionReader.read(path) }
        continue
      }
      let reading = try RegionReader.read(path)
      #expect(reading.warnings.count == (i == 1 ? 1 : 0))
      let polygon = try #require(reading.content.polygons.first?.polygon)
      for (longitude, isInside) in [
        (179.5, true), (-179.5, true), (180, true), (178.9, false), (-178.9, false), (0, false),
      ] {
        #expect(
          try polygon.contains(Coordinate(latitude: 1, longitude: longitude)) == isInside,
          "\(text) at \(longitude)")
      }
      let middle = try polygon.signedBoundaryDistance(from: Coordinate(latitude: 1, longitude: 180))
      #expect(abs(middle + 110_575) < 10, "\(text)")
    }
  }

  @Test func readsRingsThatReachAroundPoles() throws {
    let directory = try TemporaryDirectory()
    func polygon(_ wkt: String, epsg: Int32) throws -> Polygon {
      let path = directory.file("a\(epsg).gpkg")
      try OGRWriter.write([.init(identifier: "a", wkt: wkt)], to: path, driver: "GPKG", epsg: epsg)
      return try #require(try RegionReader.read(path).content.polygons.first?.polygon)
    }
    // A square about the South Pole in Antarctic polar stereographic metres.
    let cap = try polygon("POLYGON((-9e5 -9e5,9e5 -9e5,9e5 9e5,-9e5 9e5,-9e5 -9e5))", epsg: 3031)
    #expect(
      abs(try cap.signedBoundaryDistance(from: Coordinate(latitude: -90, longitude: 0)) + 924_000)
        < 10_000)
    for longitude in stride(from: -180.0, through: 180, by: 30) {
      #expect(try cap.contains(Coordinate(latitude: -83, longitude: longitude)), "\(longitude)")
      #expect(try !cap.contains(Coordinate(latitude: -75, longitude: longitude)), "\(longitude)")
    }
    // The same pole in longitude and latitude, cut at the antimeridian and closed along the pole; a rounding
    // beyond.
    let cut = try polygon(
      "POLYGON((-180 -80,180 -80,180 -90.00000000001,-180 -90.00000000001,-180 -80))", epsg: 4326)
    for longitude in [-180.0, -179.9, 0, 90, 180] {
      let distance = try cut.signedBoundaryDistance(
        from: Coordinate(latitude: -85, longitude: longitude))
      #expect(abs(distance + 558_000) < 2000, "\(longitude)")
    }
    // Web Mercator around the world.
    let x = 20_037_508.342789244
    let band = try polygon(
      "POLYGON((-\(x) 0,\(x) 0,\(x) 5000000,-\(x) 5000000,-\(x) 0))", epsg: 3857)
    for longitude in [-180.0, -179.9, 0, 90, 180] {
      let distance = try band.signedBoundaryDistance(
        from: Coordinate(latitude: 1, longitude: longitude))
      #expect(abs(distance + 110_574) < 10, "\(longitude)")
    }
    // All of it.
    let earth = try polygon("POLYGON((-180 -90,180 -90,180 90,-180 90,-180 -90))", epsg: 4326)
    for (latitude, longitude) in [(0.0, 0.0), (90, 0), (-90, 0), (10, 180), (10, -180)] {
      #expect(try earth.contains(Coordinate(latitude: latitude, longitude: longitude)))
    }
  }

  @Test func refusesEdgesThatCannotBeFollowed() throws {
    #expect(throws: GeometryFault.self) {
      try Self.densify(
        [PlanarPoint(x: 1e30, y: 0), PlanarPoint(x: 0, y: 1e30), PlanarPoint(x: 1, y: 1)],
        epsg: 32633)
    }
    #expect(throws: GeometryFault.self) {
      try Self.densify([
        PlanarPoint(x: .nan, y: 0), PlanarPoint(x: 0, y: 1), PlanarPoint(x: 1, y: 1),
      ])
    }
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var densifier = try unsafe Densifier(
      SourceProjection(nil, messages: messages), maximumVertices: 100)
    #expect(throws: GeometryFault.self) {
      try densifier.ring([
        PlanarPoint(x: 0, y: 60), PlanarPoint(x: 90, y: 60), PlanarPoint(x: 0, y: 70),
      ])
    }
  }

  /// A box that spans more than half of the Earth is never taken for the rest of its band: it is read as it
  /// is written, or refused with the words that say what to do.
  @Test func wideBoxesAreNotTurnedInsideOut() throws {
    let directory = try TemporaryDirectory()
    let seed: UInt64 = 0x5EED_0014
    var random = SplitMix64(seed: seed)
    for round in 0..<200 {
      let half = Double.random(in: 91...179, using: &random)
      // A clockwise box within 20 degrees of the whole Earth is told from the small one across the
      // antimeridian by its height alone.
      let (south, north) = (
        Double.random(in: -80 ... -11, using: &random), Double.random(in: 11...80, using: &random)
      )
      var corners = [(-half, south), (half, south), (half, north), (-half, north)]
      if round % 2 == 1 { corners.reverse() }
      corners = Array(corners[(round % 4)...] + corners[..<(round % 4)])
      let text = (corners + [corners[0]]).map { "\($0.0) \($0.1)" }.joined(separator: ",")
      let path = try directory.write("id,wkt\na,\"POLYGON((\(text)))\"\n", to: "a.csv")
      let comment = "seed \(seed), round \(round): \(text)" as Comment
      let error = #expect(throws: FormatError.self, comment) { try RegionReader.read(path) }
      #expect(error?.cures == [.wideEdges, .skipInvalid], comment)
      for way in WideEdges.allCases {
        var options = ReadingOptions()
        options.wideEdges = way
        let reading = try RegionReader.read(path, options: options)
        let polygon = try #require(reading.content.polygons.first?.polygon)
        #expect(try polygon.contains(Coordinate(latitude: 0, longitude: 0)) == (way == .straight), comment)
        #expect(try polygon.contains(Coordinate(latitude: 0, longitude: 180)) == (way == .shortest), comment)
        #expect(reading.warnings.count == (way == .shortest ? 1 : 0), comment)
      }
    }
  }

  /// The same box with a vertex between is what it says.
  @Test func aVertexBetweenSaysWhatIsMeant() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write(
      "id,wkt\na,\"POLYGON((-179 -10,0 -10,179 -10,179 10,0 10,-179 10,-179 -10))\"\n", to: "a.csv")
    let reading = try RegionReader.read(path)
    #expect(reading.warnings.count == 0)
    let polygon = try #require(reading.content.polygons.first?.polygon)
    #expect(try polygon.contains(Coordinate(latitude: 0, longitude: 90)))
    #expect(try !polygon.contains(Coordinate(latitude: 0, longitude: 180)))
  }

  private static func read(_ rings: String, _ way: WideEdges? = nil) throws -> Reading<RegionSet> {
    let directory = try TemporaryDirectory()
    let path = try directory.write("id,wkt\na,\"POLYGON((\(rings)))\"\n", to: "a.csv")
    var options = ReadingOptions()
    options.wideEdges = way
    return try RegionReader.read(path, options: options)
  }

  /// A polygon whose ring steps from 180 to -180 degrees where it crosses the antimeridian: the step has the
  /// length 0, or runs along it, and is no line around the world.
  @Test(arguments: [
    "170 -20,180 -20,-180 -10,170 -10,170 -20",
    "170 -20,180 -20,-180 -20,-175 -20,-175 -10,-180 -10,180 -10,170 -10,170 -20",
    "-175 -10,-180 -10,180 -10,170 -10,170 -20,180 -20,-180 -20,-175 -20,-175 -10",
  ])
  func stepsAtTheAntimeridianAreNoLines(_ ring: String) throws {
    for way in [nil, WideEdges.shortest] {
      let reading = try Self.read(ring, way)
      #expect(reading.warnings.count == 1)
      let polygon = try #require(reading.content.polygons.first?.polygon)
      #expect(try polygon.contains(Coordinate(latitude: -15, longitude: 175)))
      #expect(try polygon.contains(Coordinate(latitude: -15, longitude: -177)) == ring.contains("-175"))
      for outside in [(-15.0, 0.0), (-80, 0), (-15, -170), (15, 175), (-25, 180)] {
        #expect(try !polygon.contains(Coordinate(latitude: outside.0, longitude: outside.1)), "\(outside)")
      }
    }
  }

  /// A cap without vertices at the pole: closed around the pole, or along its parallel? Nobody is told a
  /// strip who meant the first.
  @Test(arguments: [1.0, -1])
  func aCapWithoutItsPoleIsRefused(_ sign: Double) throws {
    let vertices = [(-180.0, 70.0), (-90, 75), (0, 70), (90, 75), (180, 70)].map { ($0.0, $0.1 * sign) }
    let ordered = sign > 0 ? vertices : vertices.reversed()
    let ring = (ordered + [ordered[0]]).map { "\($0.0) \($0.1)" }.joined(separator: ",")
    let error = #expect(throws: FormatError.self) { try Self.read(ring) }
    #expect(error?.cures == [.wideEdges, .skipInvalid])
    for way in WideEdges.allCases {
      let polygon = try #require(try Self.read(ring, way).content.polygons.first?.polygon)
      #expect(
        try polygon.contains(Coordinate(latitude: 85 * sign, longitude: 30)) == (way == .shortest), "\(way)")
      #expect(
        try polygon.contains(Coordinate(latitude: 72 * sign, longitude: 90)) == (way == .straight), "\(way)")
      #expect(try !polygon.contains(Coordinate(latitude: 60 * sign, longitude: 0)))
    }
  }

  /// Rings clipped at the antimeridian go around the world, also where one end of the line is elsewhere.
  @Test(arguments: [
    "-180 60,180 60,180 90,-180 90,-180 60", "-180 60,180 61,180 90,-180 90,-180 60",
    "-180 60,180 60,120 80,0 80,-120 80,-180 85,-180 60",
  ])
  func clippedRingsGoAround(_ ring: String) throws {
    let reading = try Self.read(ring)
    #expect(reading.warnings.count == 0)
    let polygon = try #require(reading.content.polygons.first?.polygon)
    #expect(try polygon.contains(Coordinate(latitude: 65, longitude: 0)))
    #expect(try polygon.contains(Coordinate(latitude: 65, longitude: 120)))
    #expect(try !polygon.contains(Coordinate(latitude: 55, longitude: 0)))
  }
}
