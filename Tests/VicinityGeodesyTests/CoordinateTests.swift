import Testing
import VicinityGeodesy
import VicinityTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct CoordinateTests {
  @Test("wrapping is exact, idempotent and keeps the place")
  func wrap() throws {
    var source = SplitMix64(seed: 2)
    for _ in 0..<20_000 {
      let longitude = (source.unit() - 0.5) * pow(10, 1 + 6 * source.unit())
      let c = Coordinate(latitude: 180 * source.unit() - 90, longitude: longitude)
      let n = try c.normalized()
      #expect(n.longitude >= -180 && n.longitude < 180, "\(c)")
      #expect(n.latitude == c.latitude)
      #expect(try n.normalized() == n)
      #expect((c.longitude - n.longitude).remainder(dividingBy: 360).magnitude < 1e-9, "\(c)")
      #expect(try ECEF(c).chord(to: ECEF(n)) < 1e-8, "\(c)")
      if longitude >= -180 && longitude < 180 { #expect(n == c) }
    }
    for (longitude, wrapped) in [
      (180.0, -180.0), (-180, -180), (540, -180), (-540, -180), (360, 0), (190, -170),
      (-190, 170), (720.5, 0.5),
    ] {
      #expect(try Coordinate(latitude: 5, longitude: longitude).normalized().longitude == wrapped)
    }
    let huge = try Coordinate(latitude: 5, longitude: .greatestFiniteMagnitude).normalized()
    #expect(huge.longitude >= -180 && huge.longitude < 180)
  }
}

@Suite struct ECEFTests {
  /// The parametric form, by way of the reduced latitude: not the formula the code uses.
  @Test("agrees with the reduced latitude's form to 5 nm")
  func parametric() throws {
    var source = PairSource(seed: 4)
    var worst = 0.0
    for _ in 0..<100_000 {
      let c = source.next().start
      let phi = c.latitude * (.pi / 180)
      let lambda = c.longitude * (.pi / 180)
      let beta = atan2((1 - WGS84.f) * sin(phi), cos(phi))
      let expected = ECEF(
        x: WGS84.a * cos(beta) * cos(lambda), y: WGS84.a * cos(beta) * sin(lambda),
        z: WGS84.b * sin(beta))
      worst = largerOrNaN(worst, try ECEF(c).chord(to: expected))
    }
    #expect(worst <= 5e-9)
  }

  @Test("lies on the ellipsoid, its normal at the geodetic latitude")
  func surface() throws {
    var source = PairSource(seed: 6)
    let (a2, b2) = (WGS84.a * WGS84.a, WGS84.b * WGS84.b)
    for _ in 0..<50_000 {
      let c = source.next().start
      let p = try ECEF(c)
      #expect(abs((p.x * p.x + p.y * p.y) / a2 + p.z * p.z / b2 - 1) < 2e-15, "\(c)")
      let latitude = atan2(p.z / b2, (p.x * p.x + p.y * p.y).squareRoot() / a2) * (180 / .pi)
      #expect(abs(latitude - c.latitude) < 1e-13, "\(c)")
    }
  }

  @Test("known places")
  func known() throws {
    let origin = try ECEF(Coordinate(latitude: 0, longitude: 0))
    #expect(origin == ECEF(x: WGS84.a, y: 0, z: 0))
    let pole = try ECEF(Coordinate(latitude: 90, longitude: 123))
    #expect(pole.chord(to: ECEF(x: 0, y: 0, z: WGS84.b)) < 3e-9)
    #expect(abs(WGS84.b - 6_356_752.314_245_179) < 1e-9)
    let west = try ECEF(Coordinate(latitude: 7, longitude: -180))
    for longitude in [180.0, 540, -540, 900] {
      #expect(try ECEF(Coordinate(latitude: 7, longitude: longitude)) == west)
    }
  }
}
