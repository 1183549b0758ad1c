import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityCrossings

/// The formulas that stand in for PROJ between two fixes, against PROJ.
@Suite struct ShortPathTests {
  private static func start(_ random: inout SplitMix64) -> Coordinate {
    let latitude =
      random.unit() < 0.2 ? 90 - random.logUniform(1e-7...1) : random.uniform(-90...90)
    return Coordinate(
      latitude: random.unit() < 0.5 ? latitude : -latitude, longitude: random.uniform(-180...180))
  }

  /// Within 9e-18 L³ and rounding of the geodesic, at the right place along it.
  @Test func followsTheGeodesic() {
    var random = SplitMix64(seed: 61)
    var worst = (far: 0.0, near: 0.0)
    for round in 0..<20_000 {
      let start = Self.start(&random)
      let length = random.logUniform(1e-3...2999)
      let end = Geodesic.uncheckedDirect(start, azimuth: random.uniform(0...360), distance: length).coordinate
      let way = CrossingOracle.Way(start, end)
      let path = ShortPath(from: ECEF(unchecked: start), to: ECEF(unchecked: end))
      #expect(abs(path.length - way.length) < 5e-8)
      let s = random.unit() * way.length
      let truth = ECEF(unchecked: way.place(s))
      let error = path.point(at: s).chord(to: truth)
      let bound = 2e-8 + 9e-18 * length * length * length
      #expect(error <= bound, "round \(round), seed 61, \(start) to \(end), \(length) m")
      if length > 1000 {
        worst.far = largerOrNaN(worst.far, error)
      } else {
        worst.near = largerOrNaN(worst.near, error)
      }
      #expect(path.middle.chord(to: ECEF(unchecked: way.place(0.5 * way.length))) <= bound)
      // And back to degrees.
      let coordinate = path.point(at: s).surfaceCoordinate(near: Position(start))
      #expect(ECEF(unchecked: coordinate).chord(to: truth) <= bound + 2e-8)
      #expect(coordinate.longitude >= -180 && coordinate.longitude < 180)
    }
    print("short paths: within \(worst.near) m up to 1 km, \(worst.far) m up to 3 km")
  }

  @Test func surfaceCoordinates() {
    var random = SplitMix64(seed: 63)
    for _ in 0..<5000 {
      let start = Position(Self.start(&random))
      let there = Geodesic.uncheckedDirect(
        start.coordinate, azimuth: random.uniform(0...360), distance: random.logUniform(1e-3...5000)
      ).coordinate
      let place = ECEF(unchecked: there)
      for found in [place.surfaceCoordinate, place.surfaceCoordinate(near: start)] {
        #expect(abs(found.latitude - there.latitude) < 1e-13 * 180)
        #expect(ECEF(unchecked: found).chord(to: place) < 1e-8)
      }
    }
    #expect(ECEF(x: 0, y: 0, z: WGS84.b).surfaceCoordinate.latitude == 90)
  }
}
