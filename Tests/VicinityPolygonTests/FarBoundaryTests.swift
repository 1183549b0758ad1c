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
      // Nearer, both ends of edges with a minimum between them.
      #expect(measured <= (distance < 1.01e7 ? 12 : 4), "\(distance) m")
    }
  }

  @Test("Far away and near the antipode: the boundary's least distance, as by PROJ alone")
  func agreesWithReference() throws {
    var random = SplitMix64(seed: 23)
    var certain = 0
    var inverted = 0
    for radius in [30_000.0, 150_000, 580_000] {
      for _ in 0..<60 {
        let center = Coordinate(latitude: random.uniform(-85...85), longitude: random.uniform(-180...180))
        let ring = PolygonSample.star(center, count: 120, radii: 0.5 * radius...radius, &random)
        let polygon = try Polygon(exterior: ring)
        for step in 0..<8 {
          // Half of them 1 to 600 km from the antipode of a corner.
          let corner = ring[random.below(ring.count)]
          let distance = step < 4 ? random.uniform(4e6...1.94e7) : 2.0003e7 - random.uniform(1e3...6e5)
          let position = place(corner, random.uniform(0...360), distance)
          let reference = try polygon.bruteForceSignedBoundaryDistance(from: position)
          let error = reference > 10_100_000 ? 2e-6 : 1e-4
          #expect(abs(try polygon.signedBoundaryDistance(from: position) - reference) < error, "\(position)")
          for cutoff in [Double.infinity, reference + 0.5, reference - 0.5] {
            let best = polygon.blob.withView { view -> Meters? in
              var boundary = FarBoundary(view, from: position, ECEF(unchecked: position), cutoff: cutoff)
              return boundary.measure() ? boundary.best : nil
            }
            guard let best else { continue }
            certain += 1
            if distance > 1.94e7 { inverted += 1 }
            #expect(cutoff < reference ? best == .infinity : abs(best - reference) < error, "\(position)")
          }
        }
      }
    }
    #expect(certain > 3_000)
    #expect(inverted > 1_000)
  }
}
