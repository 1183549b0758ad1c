import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signed distances of real polygons against the authority; needs ../shared/data.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct RealSignTests {
  /// Compares `count` positions a polygon: around it, beside its vertices and anywhere.
  private func compare(_ reading: Reading<RegionSet>, every step: Int, count: Int, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var compared = 0
    for entry in reading.content.polygons where entry.ordinal % step == 0 {
      let polygon = entry.polygon
      let chains = polygon.chains
      for i in 0..<count {
        let azimuth = Double.random(in: 0..<360, using: &random)
        let position: Coordinate
        switch i % 3 {
        case 0:
          position = Coordinate(
            latitude: Double.random(in: -90...90, using: &random),
            longitude: Double.random(in: -180...180, using: &random))
        case 1:
          let reach = 1.3 * min(polygon.boundingRadius, 8_000_000)
          position = try Geodesic.direct(
            from: polygon.boundingCenter, azimuth: azimuth,
            distance: Double.random(in: 0...reach, using: &random)
          ).coordinate
        default:
          let chain = try #require(chains.randomElement(using: &random))
          let vertex = try #require(chain.randomElement(using: &random))
          position = try Geodesic.direct(
            from: vertex, azimuth: azimuth, distance: pow(10, Double.random(in: -1...5, using: &random))
          ).coordinate
        }
        let fast = try polygon.signedBoundaryDistance(from: position)
        let exact = try polygon.bruteForceSignedBoundaryDistance(from: position)
        compared += 1
        let name = reading.content.identifier(of: entry.ordinal)
        #expect(
          abs(fast - exact) < 1e-4 || (abs(exact) < 1e-4 && abs(fast) < 2e-4),
          "\(name), seed \(seed), at \(position): \(fast), authority \(exact)")
      }
    }
    #expect(compared >= count)
  }

  @Test func countriesHaveTheAuthoritysSign() throws {
    let reading = try RealFilesTests.read("regions/naturalearth_lowres/naturalearth_lowres.shp")
    try compare(reading, every: 1, count: runsLongTests ? 60 : 6, seed: 177)
    // Once inside out from here: see PolygonSpikeTests.
    let sudan = try RealFilesTests.polygon(reading, "Sudan")
    let d = try sudan.signedBoundaryDistance(from: Coordinate(latitude: -75, longitude: 0))
    #expect(abs(d - 9_386_362.422) < 1e-3)
  }

  @Test(.enabled(if: runsLongTests, "set VICINITY_LONG_TESTS=1"))
  func countiesHaveTheAuthoritysSign() throws {
    let reading = try RealFilesTests.read("regions/us_counties/geojson-counties-fips.json")
    try compare(reading, every: 10, count: 30, seed: 3221)
  }

  @Test(.enabled(if: runsLongTests, "set VICINITY_LONG_TESTS=1"))
  func statesHaveTheAuthoritysSign() throws {
    let reading = try RealFilesTests.read("regions/qgis_world_map/world_map.gpkg") {
      $0.identifierField = "FID"
    }
    try compare(reading, every: 25, count: 12, seed: 4556)
  }
}
