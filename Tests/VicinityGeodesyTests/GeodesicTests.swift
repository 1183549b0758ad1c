import Testing
import VicinityGeodesy

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct GeodesicTests {
  /// The rows are exact to 1e-7 m as printed (half a unit 5e-8) and the reference to 15 nm.
  // The rows lie beside the repository, and are skipped where nobody has put them.
  @Test(
    "Karney's rows, inverse and direct",
    .enabled(if: FileManager.default.fileExists(atPath: karneyFile), "no GeodTest-100.dat"))
  func karney() throws {
    let rows = try karneyRows()
    #expect(rows.count == 100)
    for row in rows {
      let p1 = Coordinate(latitude: row[0], longitude: row[1])
      let p2 = Coordinate(latitude: row[3], longitude: row[4])
      let inverse = try Geodesic.inverse(from: p1, to: p2)
      #expect(abs(inverse.distance - row[6]) <= 1e-7)
      #expect(try Geodesic.distance(from: p1, to: p2) == inverse.distance)
      // Azimuths are as certain as 1e-7 m at the reduced length m12 makes them; where that length
      // vanishes, the direct problem below is the better judge.
      if abs(row[8]) > 1000 {
        let angle = max(1e-7 / abs(row[8]) * (180 / .pi), 1e-12)
        #expect(abs(inverse.azimuth1 - row[2]) <= angle)
        #expect(abs(inverse.azimuth2 - row[5]) <= angle)
      }
      let direct = try Geodesic.direct(from: p1, azimuth: row[2], distance: row[6])
      #expect(try Geodesic.distance(from: direct.coordinate, to: p2) <= 1e-7)
      let fast = Geodesic.certifiedDistance(from: try ECEF(p1), to: try ECEF(p2))
      #expect(fast.error == .infinity || abs(fast.distance - row[6]) <= fast.error + 5e-8)
    }
  }

  @Test("the direct problem undoes the inverse, to 50 nm")
  func roundTrip() throws {
    var source = PairSource(seed: 1)
    for _ in 0..<20_000 {
      let pair = source.next()
      let (p1, p2) = (pair.start, pair.end)
      let inverse = try Geodesic.inverse(from: p1, to: p2)
      let direct = try Geodesic.direct(
        from: p1, azimuth: inverse.azimuth1, distance: inverse.distance)
      let miss = try ECEF(direct.coordinate).chord(to: ECEF(p2))
      #expect(miss <= 5e-8, "\(pair)")
      let back = try Geodesic.direct(
        from: p2, azimuth: inverse.azimuth2, distance: -inverse.distance)
      #expect(try ECEF(back.coordinate).chord(to: ECEF(p1)) <= 5e-8, "\(pair)")
      #expect(abs(try Geodesic.distance(from: p2, to: p1) - inverse.distance) <= 2e-8, "\(pair)")
    }
  }

  @Test("JFK to Changi")
  func changi() throws {
    let jfk = Coordinate(latitude: 40.64, longitude: -73.78)
    let changi = Coordinate(latitude: 1.36, longitude: 103.99)
    let s12 = try Geodesic.distance(from: jfk, to: changi)
    #expect(abs(s12 - 15_347_512.941) < 1e-3)
    let fast = Geodesic.certifiedDistance(from: try ECEF(jfk), to: try ECEF(changi))
    #expect(abs(fast.distance - s12) <= fast.error)
  }

  @Test("poles: longitude means nothing there")
  func poles() throws {
    let north = Coordinate(latitude: 90, longitude: 0)
    for longitude in stride(from: -180.0, through: 180, by: 30) {
      let turned = Coordinate(latitude: 90, longitude: longitude)
      #expect(try Geodesic.distance(from: north, to: turned) <= 1e-8)
      let south = Coordinate(latitude: -90, longitude: longitude)
      #expect(abs(try Geodesic.distance(from: north, to: south) - 20_003_931.4586) < 1e-4)
      let equator = Coordinate(latitude: 0, longitude: longitude)
      #expect(abs(try Geodesic.distance(from: turned, to: equator) - 10_001_965.7293) < 1e-4)
    }
  }

  @Test("antipodes go over a pole, and 180 is -180")
  func antipodes() throws {
    let p = Coordinate(latitude: 0, longitude: 0)
    for longitude in [180.0, -180, 540, -540] {
      let q = Coordinate(latitude: 0, longitude: longitude)
      let inverse = try Geodesic.inverse(from: p, to: q)
      #expect(abs(inverse.distance - 20_003_931.4586) < 1e-4)
      #expect(abs(inverse.azimuth1) < 1e-9 || abs(abs(inverse.azimuth1) - 180) < 1e-9)
    }
    var source = PairSource(seed: 8)
    for _ in 0..<2000 {
      let start = source.next().start
      let antipode = Coordinate(latitude: -start.latitude, longitude: start.longitude + 180)
      let s12 = try Geodesic.distance(from: start, to: antipode)
      #expect(s12 <= GeodesicBounds.longestDistance && s12 > 20_003_900)
    }
  }

  @Test("coincident points")
  func coincident() throws {
    for (latitude, longitude) in [(0.0, 0.0), (90, 12), (-90, 180), (48.2, 16.4), (12, -180)] {
      let p = Coordinate(latitude: latitude, longitude: longitude)
      #expect(try Geodesic.distance(from: p, to: p) == 0)
    }
    let east = Coordinate(latitude: 12, longitude: 180)
    let west = Coordinate(latitude: 12, longitude: -180)
    #expect(try Geodesic.distance(from: east, to: west) == 0)
    #expect(try ECEF(east).chord(to: ECEF(west)) < 1e-8)
  }

  @Test("longitudes count modulo 360", arguments: [-1080.0, -720, -360, 360, 720, 1080])
  func wraps(turns: Double) throws {
    let p = Coordinate(latitude: 33, longitude: 150)
    for longitude in [-180.0, -170, -1, 0, 45, 179, 180] {
      let q = Coordinate(latitude: -12, longitude: longitude)
      let turned = Coordinate(latitude: -12, longitude: longitude + turns)
      #expect(
        try Geodesic.distance(from: p, to: turned) == Geodesic.distance(from: p, to: q))
      #expect(
        try Geodesic.distance(from: turned, to: p) == Geodesic.distance(from: q, to: p))
    }
  }

  @Test("what is refused, and with which value")
  func refusals() throws {
    let good = Coordinate(latitude: 1, longitude: 2)
    let bad = [
      (Double.nan, 0.0), (0, .nan), (.infinity, 0), (0, .infinity), (0, -.infinity),
      (90.000_000_000_001, 0), (-91, 0), (-.infinity, .nan),
    ].map { Coordinate(latitude: $0.0, longitude: $0.1) }
    for coordinate in bad {
      let error = GeodesyError.invalidCoordinate(coordinate)
      #expect(throws: error) { try Geodesic.distance(from: coordinate, to: good) }
      #expect(throws: error) { try Geodesic.distance(from: good, to: coordinate) }
      #expect(throws: error) { try Geodesic.inverse(from: coordinate, to: good) }
      #expect(throws: error) { try Geodesic.inverse(from: good, to: coordinate) }
      #expect(throws: error) { try Geodesic.direct(from: coordinate, azimuth: 0, distance: 1) }
      #expect(throws: error) { try ECEF(coordinate) }
      #expect(throws: error) { try coordinate.normalized() }
      #expect(!coordinate.isValid)
    }
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(throws: GeodesyError.invalidAzimuth(value)) {
        try Geodesic.direct(from: good, azimuth: value, distance: 1)
      }
      #expect(throws: GeodesyError.invalidDistance(value)) {
        try Geodesic.direct(from: good, azimuth: 0, distance: value)
      }
    }
    #expect(
      GeodesyError.invalidCoordinate(bad[5]).description.contains("90.000000000001"))
  }
}
