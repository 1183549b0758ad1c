import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityFormats

/// The real files in ../shared/data, where they are.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct RealFilesTests {
  static func read(
    _ name: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    var options = ReadingOptions()
    change(&options)
    return try RegionReader.read(SharedData.path(name), options: options)
  }

  static func polygon(_ reading: Reading<RegionSet>, _ identifier: String) throws -> Polygon {
    let set = reading.content
    let ordinal = try #require((0..<set.count).first { set.identifier(of: $0) == identifier })
    return try #require(set.polygons.first { $0.ordinal == ordinal }?.polygon)
  }

  @Test(arguments: ["regions", "product"])
  func readsCountriesOnTheAntimeridian(folder: String) throws {
    let reading = try Self.read("\(folder)/naturalearth_lowres/naturalearth_lowres.shp")
    #expect(reading.content.count == 177)
    #expect(reading.content.polygons.count == 177)
    let fiji = try Self.polygon(reading, "Fiji")
    #expect(try fiji.contains(Coordinate(latitude: -16.7, longitude: 179.1)))
    let russia = try Self.polygon(reading, "Russia")
    // On the antimeridian in Chukotka and on Wrangel Island: inside, and far from any boundary the cut would
    // make.
    for (latitude, longitude) in [(67.0, 180.0), (67, -180), (67, 179.99), (67, -179.99)] {
      let distance = try russia.signedBoundaryDistance(
        from: Coordinate(latitude: latitude, longitude: longitude))
      #expect(distance < -10_000, "\(latitude), \(longitude)")
    }
    let antarctica = try Self.polygon(reading, "Antarctica")
    for longitude in stride(from: -180.0, through: 180, by: 45) {
      let distance = try antarctica.signedBoundaryDistance(
        from: Coordinate(latitude: -89, longitude: longitude))
      #expect(distance < -300_000, "\(longitude)")
    }
    #expect(try !antarctica.contains(Coordinate(latitude: -50, longitude: 0)))
  }

  @Test func readsCountiesByTheirFeatureIdentifiers() throws {
    let reading = try Self.read("regions/us_counties/geojson-counties-fips.json")
    #expect(reading.content.count == 3221)
    #expect(reading.content.identifier(of: 0) == "01001")
    #expect(reading.skipped.count == 0)
    // The Aleutians West, on both sides of the antimeridian; Manhattan.
    let aleutians = try Self.polygon(reading, "02016")
    #expect(aleutians.boundingRadius < 1_500_000)
    let manhattan = try Self.polygon(reading, "36061")
    #expect(try manhattan.contains(Coordinate(latitude: 40.7831, longitude: -73.9712)))
  }

  @Test func findsTheRepeatedTaxiZones() throws {
    let path = SharedData.path("regions/nyc_taxi_zones/taxi_zones.geojson")
    let error = #expect(throws: FormatError.self) {
      try Self.read("regions/nyc_taxi_zones/taxi_zones.geojson") {
        $0.identifierField = "LocationID"
      }
    }
    func duplicate(_ identifier: Int, _ feature: Int64, _ first: Int) -> Diagnostic {
      Diagnostic(
        place: .init(path: path, layer: "taxi_zones", feature: feature),
        message: "the identifier \"\(identifier)\" is already that of feature \(first)", cure: .identifier)
    }
    #expect(
      error
        == .invalidRows(
          path: path,
          first: [duplicate(56, 56, 55), duplicate(103, 103, 102), duplicate(103, 104, 102)],
          count: 3))
    let skipping = try Self.read("regions/nyc_taxi_zones/taxi_zones.geojson") {
      $0.identifierField = "LocationID"
      $0.skipInvalid = true
    }
    #expect(skipping.content.count == 260)
    #expect(skipping.skipped.count == 3)
    let numbered = try Self.read("regions/nyc_taxi_zones/taxi_zones.geojson")
    #expect(numbered.content.count == 263)
    #expect(numbered.warnings.count == 1)
  }

  @Test func readsStationsAsCircles() throws {
    let reading = try Self.read("regions/london_cycle_hire/cycle_hire.geojson") {
      $0.defaultRadius = 30
    }
    #expect(reading.content.count == 742)
    #expect(reading.content.identifier(of: 0) == "1")
    #expect(
      reading.content.centers[0] == Coordinate(latitude: 51.52916347, longitude: -0.109970527))
    #expect(throws: FormatError.self) {
      try Self.read("regions/london_cycle_hire/cycle_hire.geojson")
    }
  }

  @Test func readsTheWorldMap() throws {
    let file = "regions/qgis_world_map/world_map.gpkg"
    let countries = try Self.read(file) {
      $0.layer = "countries"
      $0.identifierField = "FID"
    }
    #expect(countries.content.count > 200)
    #expect(countries.skipped.count == 0)
    let states = try Self.read(file) {
      $0.layer = "states_provinces"
      $0.identifierField = "FID"
    }
    #expect(states.content.count == 4556)
    let choice = #expect(throws: FormatError.self) { try Self.read(file) }
    #expect(choice?.cures == [.layer])
    #expect(throws: FormatError.self) { try Self.read(file) { $0.layer = "disputed_borders" } }
    // Names repeat, and the message says where the identifiers came from.
    let error = #expect(throws: FormatError.self) { try Self.read(file) { $0.layer = "states_provinces" } }
    #expect("\(try #require(error))".contains("another field can be named"))
  }

  @Test func readsPointsOfEveryKind() throws {
    let quakes = try PointReader.read(SharedData.path("regions/earthquakes/earthquakes-23k.csv"))
    #expect(quakes.content.coordinates.count == 23_412)
    let stations = try PointReader.read(
      SharedData.path("regions/london_cycle_hire/cycle_hire.geojson"))
    #expect(stations.content.identifiers.count == 742)
    #expect(throws: FormatError.self) {
      try PointReader.read(SharedData.path("regions/naturalearth_lowres/naturalearth_lowres.shp"))
    }
  }

  /// Rings as found in the wild around the antimeridian and the poles: something is made of each, without a
  /// trap.
  @Test func readsRingsAroundTheAntimeridian() throws {
    let inside: [(String, Double, Double, Bool)] = [
      ("almost-180", -16, -176, true), ("crossing-latitude", 50, 180, true),
      ("crossing-latitude", 50, 0, false),
      ("over-180", 45, 185, true), ("over-180", 45, 195, false), ("split", 45, 180, true),
      ("split", 45, 0, false),
      ("one-hole", 50, 180, false), ("one-hole", 43, 180, true), ("north-pole", 89.5, 0, true),
      ("north-pole", 0, 0, false),
      ("south-pole", -89.5, 0, true), ("latitude-band", 45, 123, true),
      ("latitude-band", 45, 180, true),
      ("latitude-band", 55, 0, false), ("simple", 45, 95, true),
    ]
    for (name, latitude, longitude, isInside) in inside {
      let reading = try Self.read("reference/antimeridian/input/\(name).json")
      let polygon = try #require(reading.content.polygons.first?.polygon)
      let place = Coordinate(latitude: latitude, longitude: longitude)
      #expect(try polygon.contains(place) == isInside, "\(name) at \(place)")
    }
  }
}
