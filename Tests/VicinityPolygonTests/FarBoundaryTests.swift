import Testing
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityPolygon

/// Polygons far from the position: distances by the slope of the distance.
@Suite("Polygons far away")
struct FarBoundaryTests {
  private func place(_ start: Coordinate, _ azimuth: Degrees, _ distance: Meters) -> Coordinate {
    Geodesic.uncheckedDirect(start, azimuth: azimuth, distance: distance).coordinate
  }

  @Test("A geodesic arrives in the direction in which its length grows")
  func arrivals() throws {
    var random = SplitMix64(seed: 18)
    for _ in 0..<5_000 {
      let p = random.coordinate()
      let q = place(p, random.uniform(0...360), random.uniform(1e3...1.985e7))
      let inverse = Geodesic.uncheckedInverse(p, q)
      let end = ECEF(unchecked: q)
      let arrival = try #require(GeodesicSolver.arrival(from: ECEF(unchecked: p), to: end))
      #expect(abs(arrival.distance - inverse.distance) < 1e-7)
      let beyond = ECEF(unchecked: place(q, inverse.azimuth2, 1))
      let along =
        (beyond.x - end.x) * arrival.x + (beyond.y - end.y) * arrival.y + (beyond.z - end.z) * arrival.z
      let length = arrival.x * arrival.x + arrival.y * arrival.y + arrival.z * arrival.z
      #expect(abs(length - 1) < 1e-9)
      // A turn of 1e-4 radians costs 5e-9.
      #expect(along > 1 - 1e-8, "\(p) to \(q)")
    }
    let pole = ECEF(unchecked: Coordinate(latitude: 90, longitude: 0))
    #expect(
      GeodesicSolver.arrival(from: ECEF(unchecked: Coordinate(latitude: 0, longitude: 5)), to: pole) == nil)
    #expect(GeodesicSolver.arrival(from: pole, to: pole) == nil)
  }

  @Test("Far away, points of the boundary that cannot be nearest are not measured")
  func slopesDecide() throws {
    // A county's worth of corners: by slopes alone one or two are left.
    var random = SplitMix64(seed: 20)
    let center = Coordinate(latitude: 40, longitude: -100)
    let ring = PolygonSample.star(center, count: 200, radii: 20_000...40_000, &random)
    let polygon = try Polygon(exterior: ring)
    for distance in stride(from: 4e6, through: 1.9e7, by: 5e5) {
      let position = place(center, random.uniform(0...360), distance)
      let measured = polygon.blob.withView { view -> Int in
        var boundary = FarBoundary(view, from: position, ECEF(unchecked: position), cutoff: .infinity)
        let isCertain = boundary.measure()
        #expect(isCertain)
        return boundary.measuredCount
      }
      #expect(measured <= 12, "\(distance) m")
    }
  }
}
