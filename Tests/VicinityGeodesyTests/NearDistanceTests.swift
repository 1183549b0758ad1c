import Testing
import VicinityGeodesy

@Suite struct NearDistanceTests {
  private func both(_ p: Coordinate, _ q: Coordinate) -> (fast: Double, reference: Double) {
    (
      GeodesicSolver.nearDistance(from: ECEF(unchecked: p), to: ECEF(unchecked: q)),
      Geodesic.uncheckedDistance(p, q)
    )
  }

  @Test("poles, meridians, the equator and the antimeridian within 158 degrees")
  func degenerate() {
    let latitudes = [-90, -89.9999999, -60, -1e-9, 0, 1e-9, 30, 60, 89.9999999, 90]
    let longitudes = [-180, -179.9999999, -90, -1e-9, 0, 1e-9, 90, 179.9999999, 180]
    var compared = 0
    for lat1 in latitudes {
      for lat2 in latitudes {
        for lon2 in longitudes {
          let (fast, reference) = both(
            Coordinate(latitude: lat1, longitude: 0), Coordinate(latitude: lat2, longitude: lon2))
          if fast.isNaN {
            #expect(reference > 17_510_000, "\(lat1) to \(lat2),\(lon2)")
          } else {
            #expect(
              abs(fast - reference) <= GeodesicSolver.errorBound, "\(lat1) to \(lat2),\(lon2)")
            compared += 1
          }
        }
      }
    }
    #expect(compared > 500)
  }

  @Test("coincident and nearly coincident points")
  func coincident() {
    for latitude in [-90.0, -30, 0, 45, 90] {
      let p = Coordinate(latitude: latitude, longitude: 77)
      #expect(both(p, p).fast == 0)
      let q = Coordinate(latitude: latitude * (1 - 1e-14), longitude: 77.000_000_000_01)
      let (fast, reference) = both(p, q)
      #expect(abs(fast - reference) <= GeodesicSolver.errorBound)
    }
  }

  @Test("the direction does not matter beyond rounding")
  func symmetric() {
    var source = PairSource(seed: 5)
    for _ in 0..<10_000 {
      let pair = source.next()
      let (p, q) = (ECEF(unchecked: pair.start), ECEF(unchecked: pair.end))
      let there = GeodesicSolver.nearDistance(from: p, to: q)
      let back = GeodesicSolver.nearDistance(from: q, to: p)
      #expect(there.isNaN == back.isNaN)
      #expect(there.isNaN || abs(there - back) <= 1.2e-8, "\(pair)")
    }
  }

  @Test("declines what it cannot do")
  func declines() {
    let p = Coordinate(latitude: 10, longitude: 20)
    #expect(both(p, Coordinate(latitude: -10, longitude: -160)).fast.isNaN)
    let nan = ECEF(x: .nan, y: 0, z: 0)
    let here = ECEF(unchecked: p)
    #expect(GeodesicSolver.nearDistance(from: nan, to: here).isNaN)
    #expect(GeodesicSolver.nearDistance(from: here, to: nan).isNaN)
    #expect(GeodesicSolver.nearDistance(from: here, to: ECEF(x: .infinity, y: 0, z: 0)).isNaN)
    let certified = Geodesic.certifiedDistance(from: nan, to: here)
    #expect(certified.distance.isNaN && certified.error == .infinity)
  }
}
