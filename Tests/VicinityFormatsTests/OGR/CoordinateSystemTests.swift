import CGDAL
import CPROJ
import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon
import VicinityTestSupport

@testable import VicinityFormats

/// Coordinate reference systems of files: by which operation they are brought to WGS84, and what is refused.
@Suite struct CoordinateSystemTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func read(
    _ text: String, to name: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    var options = ReadingOptions()
    options.defaultRadius = 5
    change(&options)
    return try RegionReader.read(directory.write(text, to: name), options: options)
  }

  /// PROJ asked by itself, with nothing of ours between: the coordinate, or nil where only a ballpark
  /// operation is there.
  @safe final class Reference {
    let context = unsafe proj_context_create()
    init() { unsafe proj_log_func(context, nil, { _, _, _ in }) }
    deinit { unsafe proj_context_destroy(context) }

    /// - Parameter first: The coordinates in the order of the system's axes.
    /// - Returns: Also whether PROJ knows an operation, and whether the area of the one that it took contains
    ///   the coordinate.
    func coordinate(
      _ system: String, _ first: Double, _ second: Double
    ) -> (Coordinate?, isKnown: Bool, isInArea: Bool) {
      let source = unsafe proj_create(context, system)
      let target = unsafe proj_create(context, "EPSG:4326")
      defer {
        unsafe proj_destroy(source)
        unsafe proj_destroy(target)
      }
      let operation = unsafe "ALLOW_BALLPARK=NO".withCString { text in
        var options: [UnsafePointer<CChar>?] = unsafe [text, nil]
        return unsafe proj_create_crs_to_crs_from_pj(context, source, target, nil, &options)
      }
      guard let operation = unsafe operation else { return (nil, false, false) }
      defer { unsafe proj_destroy(operation) }
      let result = unsafe proj_trans(operation, PJ_FWD, proj_coord(first, second, 0, .infinity))
      let (latitude, longitude) = unsafe (result.v.0, result.v.1)
      guard latitude.isFinite, longitude.isFinite else { return (nil, true, false) }
      return unsafe (
        Coordinate(latitude: latitude, longitude: longitude), true, isInArea(operation, latitude, longitude)
      )
    }

    private func isInArea(_ operation: OpaquePointer, _ latitude: Double, _ longitude: Double) -> Bool {
      let used = unsafe proj_trans_get_last_used_operation(operation)
      defer { unsafe proj_destroy(used) }
      var (west, south, east, north) = (0.0, 0.0, 0.0, 0.0)
      guard let used = unsafe used,
        unsafe proj_get_area_of_use(context, used, &west, &south, &east, &north, nil) != 0
      else { return true }
      guard latitude >= south, latitude <= north else { return false }
      return west <= east
        ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    }

    /// A position in the middle of where the system is used, in the order of its axes; nil where there is
    /// none.
    func middle(_ system: String) -> (Double, Double)? {
      let crs = unsafe proj_create(context, system)
      defer { unsafe proj_destroy(crs) }
      var (west, south, east, north) = (0.0, 0.0, 0.0, 0.0)
      guard let crs = unsafe crs,
        unsafe proj_get_area_of_use(context, crs, &west, &south, &east, &north, nil) != 0
      else { return nil }
      if west > east { east += 360 }
      // Any way there will do.
      let operation = unsafe proj_create_crs_to_crs(context, "OGC:CRS84", system, nil)
      defer { unsafe proj_destroy(operation) }
      guard let operation = unsafe operation else { return nil }
      var longitude = (west + east) / 2
      if longitude > 180 { longitude -= 360 }
      let place = unsafe proj_trans(
        operation, PJ_FWD, proj_coord(longitude, (south + north) / 2, 0, .infinity))
      let (first, second) = unsafe (place.v.0, place.v.1)
      return first.isFinite && second.isFinite ? (first, second) : nil
    }

    /// The codes of EPSG's geographic and projected systems.
    func codes() -> [String] {
      var result: [String] = []
      for type in [PJ_TYPE_GEOGRAPHIC_2D_CRS, PJ_TYPE_PROJECTED_CRS] {
        let list = unsafe proj_get_codes_from_database(context, "EPSG", type, 0)
        var i = 0
        while let code = unsafe list?[i] {
          unsafe result.append(String(cString: code))
          i += 1
        }
        unsafe proj_string_list_destroy(list)
      }
      return result
    }
  }

  /// Every system of EPSG is brought to WGS84 as PROJ does without ballpark operations, or refused, where
  /// the area of PROJ's operation contains the position.
  @Test func everySystemIsExactOrRefused() throws {
    let seed: UInt64 = 0x5EED_3828
    var random = SplitMix64(seed: seed)
    let reference = Reference()
    var codes = reference.codes()
    #expect(codes.count > 5000)
    if !runsLongTests {
      codes = codes.shuffled(using: &random).prefix(250) + ["3828", "2009", "4236", "7844"]
    }
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var (exact, refused) = (0, 0)
    for code in codes {
      let comment = "EPSG:\(code), seed \(seed)" as Comment
      guard let number = Int32(code), let (first, second) = reference.middle("EPSG:\(code)") else { continue }
      let crs = unsafe OSRNewSpatialReference(nil)
      defer { unsafe OSRDestroySpatialReference(crs) }
      guard unsafe OSRImportFromEPSG(crs, number) == OGRERR_NONE else { continue }
      unsafe OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER)
      var count: Int32 = 0
      let mapping = unsafe OSRGetDataAxisToSRSAxisMapping(crs, &count)
      let isSwapped = unsafe mapping.map { unsafe $0[0] == 2 } ?? false
      let (expected, isKnown, isInArea) = reference.coordinate("EPSG:\(code)", first, second)
      do throws(GeometryFault) {
        let projection = try unsafe SourceProjection(crs, messages: messages)
        #expect(isKnown, comment)
        let (x, y) = isSwapped ? (second, first) : (first, second)
        if let expected, abs(expected.longitude) <= 540, isInArea {
          let found = try projection.coordinate(x: x, y: y)
          #expect(abs(found.latitude - expected.latitude) < 1e-9, comment)
          #expect(abs(found.longitude - expected.longitude) < 1e-9, comment)
          exact += 1
        }
      } catch {
        #expect(!isKnown || expected == nil || !isInArea, "\(comment): \(error.message)")
        if !isKnown { refused += 1 }
      }
    }
    #expect(exact > codes.count / 2 && refused >= 2, "\(exact) exact, \(refused) refused")
  }

  /// A square of 400 m in TWD67, 200 m about the position asked for by its published parameters.
  static let taiwan =
    "SRID=3828;POLYGON((306400 2768900,306800 2768900,306800 2769300,306400 2769300,306400 2768900))"

  @Test func refusesBallparkOperationsUnlessTheyAreAllowed() throws {
    for (text, name) in [
      ("id,wkt\nblock,\"\(Self.taiwan)\"\n", "a.csv"),
      ("{\"id\":\"block\",\"wkt\":\"\(Self.taiwan)\"}\n", "a.ndjson"),
    ] {
      let error = #expect(throws: FormatError.self) { try read(text, to: name) }
      let words = "\(try #require(error))"
      #expect(words.contains("\"TWD67 / TM2 zone 121\" (EPSG:3828)"), "\(words)")
      #expect(error?.cures == [.ballpark, .skipInvalid])
      let reading = try read(text, to: name) { $0.allowsBallparkTransformations = true }
      let note = try #require(reading.notes.examples.first?.message)
      #expect(
        note.contains("Ballpark geographic offset from TWD67 to WGS 84")
          && note.contains(CoordinateOperation.ballpark) && note.contains("of unknown accuracy"), "\(note)")
    }
  }

  @Test(arguments: [
    ("GPKG", "a.gpkg"), ("FlatGeobuf", "a.fgb"), ("ESRI Shapefile", "a.shp"), ("GeoJSON", "a.geojson"),
  ])
  func refusesFilesOfBallparkSystems(driver: String, file: String) throws {
    let path = directory.file(file)
    try OGRWriter.write(
      [.init(identifier: "a", wkt: "POINT(306600 2769100)", radius: 3)], to: path, driver: driver, epsg: 3828,
      layer: "a")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect(error?.cures == [.ballpark], "\(String(describing: error))")
    let points = #expect(throws: FormatError.self) { try PointReader.read(path) }
    #expect(points?.cures == [.ballpark])
    var options = ReadingOptions()
    options.allowsBallparkTransformations = true
    #expect(try RegionReader.read(path, options: options).notes.count == 1)
  }

  @Test func saysWhichOperationWasTaken() throws {
    func note(_ wkt: String) throws -> [String] {
      try read("id,wkt\na,\"\(wkt)\"\n", to: "a.csv").notes.examples.map(\.message)
    }
    // Null transformations of datums that moved with their plates since: EPSG says how far.
    for (number, words) in [
      (4258, "\"ETRS89 to WGS 84 (1)\", accurate to 1 m"), (4269, "\"NAD83 to WGS 84 (1)\", accurate to 4 m"),
      (7844, "\"GDA2020 to WGS 84 (2)\", accurate to 3 m"),
    ] {
      let place = [4269: "-100 40", 7844: "130 -25"][number] ?? "10 50"
      let notes = try note("SRID=\(number);POINT(\(place))")
      #expect(notes.count == 1 && notes[0].hasSuffix("are brought to WGS84 by \(words)"), "\(notes)")
      #expect(notes[0].contains("EPSG:\(number)"))
    }
    for number in [0, 4326] { #expect(try note("SRID=\(number);POINT(10 50)") == []) }
    for number in [3857, 32633] { #expect(try note("SRID=\(number);POINT(500000 5500000)") == []) }
    // Two operations in one file, each where it holds.
    let path = directory.file("b.gpkg")
    try OGRWriter.write(
      [
        .init(identifier: "a", wkt: "POINT(-100 40)", radius: 1),
        .init(identifier: "b", wkt: "POINT(-150 60)", radius: 1),
        .init(identifier: "c", wkt: "POINT(-101 40)", radius: 1),
      ], to: path, driver: "GPKG", epsg: 4267)
    let notes = try RegionReader.read(path).notes.examples.map(\.message)
    #expect(notes.count == 1)
    #expect(notes[0].contains("NAD27") && notes[0].hasSuffix(" m at worst"), "\(notes)")
    #expect(notes[0].components(separatedBy: "accurate to").count == 3, "\(notes)")
  }

  /// PROJ falls back on an operation whose area is elsewhere: Canada's in Bogotá.
  @Test(arguments: [
    (4267, "-74.08 4.6", "Ballpark geographic offset from NAD27 to WGS 84"),
    (4230, "-21.94 64.15", "Ballpark geographic offset from ED50 to WGS 84"),
    (26713, "500000 -3000000", "Ballpark geographic offset from NAD27 to WGS 84"),
  ])
  func holdsPositionsToTheAreasOfOperations(number: Int, place: String, ballpark: String) throws {
    let text = "id,wkt\na,SRID=\(number);POINT(\(place))\n"
    let error = #expect(throws: FormatError.self) { try read(text, to: "a.csv") }
    #expect(error?.cures == [.ballpark, .skipInvalid])
    let words = "\(try #require(error))"
    #expect(words.contains(" in the coordinate reference system "), "\(words)")
    let notes = try read(text, to: "a.csv") { $0.allowsBallparkTransformations = true }.notes.examples
    #expect(notes.count == 1 && notes[0].message.contains(ballpark), "\(notes)")
    #expect(notes.first?.message.hasSuffix("of unknown accuracy") == true, "\(notes)")
  }

  /// Where a datum is that of WGS84 but for metres, the ballpark is as good as the operations: NAD83 in
  /// Puerto Rico, ETRS89 in French Guiana.
  @Test(arguments: [(4269, "-66 18.3", "NAD83"), (4258, "-53 4", "ETRS89")])
  func takesTheBallparkOfADatumThatIsHardlyShifted(number: Int, place: String, datum: String) throws {
    let text = "id,wkt\na,SRID=\(number);POINT(\(place))\n"
    let found = try read(text, to: "a.csv")
    let notes = found.notes.examples.map(\.message)
    let words = "Ballpark geographic offset from \(datum) to WGS 84"
    #expect(notes.count == 1 && notes[0].contains(words), "\(notes)")
    #expect(notes.first?.hasSuffix("of unknown accuracy") == true, "\(notes)")
  }

  /// The area of use of an operation, and of a layer, may lie across the antimeridian.
  @Test func takesOperationsWhoseAreasCrossTheAntimeridian() throws {
    for longitude in [175, -185, -175, 185] {
      let notes = try read("id,wkt\na,SRID=4269;POINT(\(longitude) 52)\n", to: "a.csv").notes.examples
      #expect(
        notes.map { $0.message.contains("\"NAD83 to WGS 84 (2)\", accurate to 8 m") } == [true], "\(notes)")
    }
    // UTM is exact outside of its zone too.
    #expect(try read("id,wkt\na,SRID=32633;POINT(1200000 5500000)\n", to: "a.csv").notes.count == 0)
  }

  @Test func readsSystemsThatStateTheirShift() throws {
    let path = directory.file("a.shp")
    try OGRWriter.write(
      [.init(identifier: "a", wkt: "POINT(16 48)", radius: 3)], to: path, driver: "ESRI Shapefile", layer: "a"
    )
    func geographic(_ datum: String) -> String {
      #"GEOGCS["Own",DATUM["D_Own",SPHEROID["Bessel_1841",6377397.155,299.1528128]\#(datum)],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#
    }
    _ = try directory.write(geographic(",TOWGS84[577.3,90.1,463.9,5.1,1.6,5.1,2.4]"), to: "a.prj")
    let reading = try RegionReader.read(path)
    let moved = Geodesic.uncheckedDistance(
      reading.content.centers[0], Coordinate(latitude: 48, longitude: 16))
    #expect((50...250).contains(moved), "\(moved)")
    #expect(reading.notes.examples.first?.message.hasSuffix("of unknown accuracy") == true)
    // The same without: nobody knows where it is.
    _ = try directory.write(geographic(""), to: "a.prj")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    let words = "\(try #require(error))"
    #expect(error?.cures == [.ballpark] && words.contains("Own"), "\(words)")
    // Neither has a system without a place on the Earth.
    _ = try directory.write(
      #"LOCAL_CS["site",LOCAL_DATUM["site",0],UNIT["metre",1],AXIS["X",EAST],AXIS["Y",NORTH]]"#, to: "a.prj")
    #expect(throws: FormatError.self) { try RegionReader.read(path) }
  }

  /// Numbers that are no place are told at once, whatever the system: GDAL's transformations never ended on
  /// some.
  @Test(.timeLimit(.minutes(runsLongTests ? 5 : 1))) func endsOnHugeNumbers() throws {
    let seed: UInt64 = 0x5EED_1018
    var random = SplitMix64(seed: seed)
    let values = [
      1e7, 1e8, 3e8, 1e9, 1e12, 1e15, 1e17, 1e18, 1e19, 1e30, 1e100, 1e300, .greatestFiniteMagnitude,
    ]
    let codes =
      Reference().codes().shuffled(using: &random).prefix(runsLongTests ? 2000 : 60) + [
        "3857", "32633", "27700", "3031", "2154", "4267", "4326", "5514", "3995", "2056", "54009",
      ]
    let messages = GDALMessages()
    messages.begin()
    defer { messages.end() }
    var refused = 0
    for code in codes {
      let crs = unsafe OSRNewSpatialReference(nil)
      defer { unsafe OSRDestroySpatialReference(crs) }
      guard let number = Int32(code), unsafe OSRImportFromEPSG(crs, number) == OGRERR_NONE,
        let projection = try? unsafe SourceProjection(crs, allowsBallpark: true, messages: messages)
      else { continue }
      for x in values {
        for (x, y) in [(x, x), (x, 0), (0, -x), (-x, x / 3)] {
          do throws(GeometryFault) {
            let place = try projection.coordinate(x: x, y: y)
            // A geographic file's own range is judged by those who asked.
            #expect(place.isValid || projection.isIdentity, "EPSG:\(code) \(x), \(y), seed \(seed)")
          } catch {
            refused += 1
          }
        }
      }
      #expect(throws: GeometryFault.self) { try projection.coordinate(x: .nan, y: 0) }
      #expect(throws: GeometryFault.self) { try projection.coordinate(x: 0, y: .infinity) }
    }
    #expect(refused > codes.count)
    for text in ["POINT(1e18 1e18)", "POLYGON((0 0,1e18 0,1e18 1e18,0 0))", "POINT(1e300 -1e300)"] {
      let error = #expect(throws: FormatError.self) {
        try read("id,wkt\na,\"SRID=3857;\(text)\"\n", to: "a.csv")
      }
      #expect("\(try #require(error))".contains("no place in"), "\(String(describing: error))")
    }
  }

  static let zone =
    #""features":[{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Point","coordinates":[500000,5500000]}}]}"#

  /// What a file of GeoJSON states, which GDAL replaces by WGS84 where it does not know it.
  @Test(arguments: [
    (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::32633"}}"#, true),
    (#"{"type":"name","properties":{"name":"EPSG:32633"}}"#, true),
    (#"{"properties":{"name":"http://www.opengis.net/def/crs/EPSG/0/32633"},"type":"name"}"#, true),
    (#"{"type":"EPSG","properties":{"code":32633}}"#, true), (#""EPSG:32633""#, true),
    (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::999999"}}"#, false),
    (#"{"type":"name","properties":{"name":"urn:ogc:def:crs:NOBODY::32633"}}"#, false),
    (#"{"type":"name","properties":{"name":"somewhere"}}"#, false),
    (#"{"type":"name","properties":{"name":""}}"#, false),
    (#"{"type":"name","properties":{"name":"/etc/hostname"}}"#, false),
    (#"{"type":"name","properties":{"name":"https://example.com/x.wkt"}}"#, false),
    (#"{"type":"name","properties":{}}"#, false), (#"{"type":"name"}"#, false), ("{}", false),
    ("32633", false), ("true", false),
    ("[]", false), (#"{"type":"link","properties":{"href":"http://127.0.0.1:9/x","type":"ogcwkt"}}"#, false),
    (#"{"type":"EPSG","properties":{"code":999999}}"#, false),
  ])
  func takesTheSystemThatGeoJSONStates(crs: String, isKnown: Bool) throws {
    for text in [
      #"{"type":"FeatureCollection","crs":\#(crs),"# + Self.zone,
      #"{"type":"FeatureCollection",\#(Self.zone.dropLast()),"crs":\#(crs)}"#,
    ] {
      guard isKnown else {
        #expect(throws: FormatError.self, "\(crs)") { try read(text, to: "a.geojson") }
        continue
      }
      let place = try read(text, to: "a.geojson").content.centers[0]
      #expect(abs(place.longitude - 15) < 1e-9 && abs(place.latitude - 49.6) < 0.1, "\(crs): \(place)")
    }
    // One that is not the file's, of a feature, of a geometry, of a later record of a sequence.
    let plain = #"{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let own = plain.replacing(#""properties""#, with: #""crs":\#(crs),"properties""#)
    let inner = plain.replacing(#""coordinates""#, with: #""crs":\#(crs),"coordinates""#)
    for feature in [own, inner] {
      #expect(throws: FormatError.self, "\(crs)") {
        try read(#"{"type":"FeatureCollection","features":[\#(feature)]}"#, to: "a.geojson")
      }
      #expect(throws: FormatError.self, "\(crs)") { try read("\(plain)\n\(feature)\n", to: "a.geojsonl") }
    }
  }

  @Test func readsWGS84ByItsNames() throws {
    let feature =
      #""features":[{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Point","coordinates":[10,50]}}]}"#
    for name in [
      "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326", "OGC:CRS84", "WGS84",
      "CRS84",
    ] {
      let reading = try read(
        #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"\#(name)"}},"# + feature,
        to: "a.geojson")
      #expect(reading.content.centers[0] == Coordinate(latitude: 50, longitude: 10), "\(name)")
      #expect(reading.notes.count == 0 && reading.warnings.count == 0, "\(name)")
    }
    let none = try read(#"{"type":"FeatureCollection","crs":null,"# + feature, to: "a.geojson")
    #expect(
      none.warnings.examples.map(\.message) == [
        "no coordinate reference system; coordinates are taken as longitude and latitude on WGS84"
      ])
  }

  /// Other formats whose system is damaged or names nothing.
  @Test func refusesSystemsThatNobodyKnows() throws {
    let shape = directory.file("a.shp")
    try OGRWriter.write(
      [.init(identifier: "a", wkt: "POINT(16 48)", radius: 3)], to: shape, driver: "ESRI Shapefile",
      layer: "a")
    for text in ["garbage", "PROJCS[", "GEOGCS[\"x\"]"] {
      _ = try directory.write(text, to: "a.prj")
      #expect(throws: FormatError.self, "\(text)") { try RegionReader.read(shape) }
    }
    for text in ["", " \n"] {
      _ = try directory.write(text, to: "a.prj")
      #expect(try RegionReader.read(shape).warnings.count == 1)
    }
    let flat = directory.file("a.fgb")
    try OGRWriter.write(
      [.init(identifier: "a", wkt: "POINT(16 48)", radius: 3)], to: flat, driver: "FlatGeobuf")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: flat)))
    let at = try #require(
      bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [0xE6, 0x10, 0, 0] })
    bytes.replaceSubrange(at..<at + 4, with: [0x3F, 0x42, 0x0F, 0])
    let error = #expect(throws: FormatError.self) {
      try RegionReader.read(directory.write(bytes, to: "b.fgb"))
    }
    #expect("\(try #require(error))".contains("is not known"), "\(String(describing: error))")
    for (name, text) in [
      ("a.csv", "id,wkt,radius\na,SRID=999999;POINT(1 2),3\n"),
      ("b.csv", "id,wkt,radius\na,SRID=x;POINT(1 2),3\n"),
    ] {
      #expect(throws: FormatError.self) { try read(text, to: name) }
    }
  }

  @Test func refusesNumbersThatAGeoPackageDoesNotExplain() throws {
    let path = directory.file("a.gpkg")
    for (number, outcome) in [(999_999, false), (-1, false), (0, true)] {
      try? FileManager.default.removeItem(atPath: path)
      try OGRWriter.write([.init(identifier: "a", wkt: "POINT(16 48)", radius: 3)], to: path, driver: "GPKG")
      try OGRWriter.run("PRAGMA foreign_keys = OFF", on: path)
      try OGRWriter.run("UPDATE gpkg_geometry_columns SET srs_id = \(number)", on: path)
      try OGRWriter.run("UPDATE gpkg_contents SET srs_id = \(number)", on: path)
      if outcome {
        #expect(try RegionReader.read(path).warnings.count == 1)
      } else {
        let error = #expect(throws: FormatError.self, "\(number)") { try RegionReader.read(path) }
        #expect(error?.description.contains("ogr2ogr -a_srs") == true, "\(error as Any)")
      }
    }
  }
}
