import CGDAL
import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityPolygon

@testable import VicinityFormats

@Suite struct OGRRegionsTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static func names(_ set: RegionSet) -> [String] { (0..<set.count).map(set.identifier(of:)) }

  func read(
    _ path: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    var options = ReadingOptions()
    change(&options)
    return try RegionReader.read(path, options: options)
  }

  func geoJSON(
    _ features: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    try read(
      directory.write(
        #"{"type":"FeatureCollection","features":["# + features + "]}", to: "a.geojson"), change)
  }

  /// A square of 0.02 degrees with a hole of 0.002 about 48.2, 16.4.
  static let square =
    "POLYGON((16.39 48.19,16.41 48.19,16.41 48.21,16.39 48.21,16.39 48.19),"
    + "(16.399 48.199,16.399 48.201,16.401 48.201,16.401 48.199,16.399 48.199))"

  static func expectSquare(_ set: RegionSet, _ ordinal: Int = 0) throws {
    let polygon = try #require(set.polygons.first { $0.ordinal == ordinal }?.polygon)
    // 0.01 degrees of longitude at 48.2 N is 743 m; the hole's edge is 74.3 m from its centre.
    let near = try polygon.signedBoundaryDistance(from: Coordinate(latitude: 48.2, longitude: 16.4))
    #expect(abs(near - 74.3) < 0.5)
    #expect(try polygon.contains(Coordinate(latitude: 48.205, longitude: 16.405)))
    #expect(try !polygon.contains(Coordinate(latitude: 48.205, longitude: 16.42)))
  }

  @Test(arguments: [
    ("GeoJSON", "a.geojson"), ("GeoJSONSeq", "a.geojsonl"), ("GPKG", "a.gpkg"),
    ("FlatGeobuf", "a.fgb"),
    ("KML", "a.kml"), ("LIBKML", "a.kml"),
  ])
  func readsCirclesAndPolygons(driver: String, file: String) throws {
    let path = directory.file(file)
    let isKML = file.hasSuffix("kml")
    try OGRWriter.write(
      [
        .init(identifier: "square", wkt: Self.square),
        .init(identifier: "dot é", wkt: "POINT(-151.2 -33.9)", radius: 12.5),
        .init(identifier: "far", wkt: "POINT(179.999 89.5)", radius: 0),
      ], to: path, driver: driver, idField: isKML ? "Name" : "id")
    let before = directory.contents
    let reading = try read(path) { $0.identifierField = isKML ? "Name" : "id" }
    // FlatGeobuf keeps the order of its spatial index.
    let order = Self.names(reading.content)
    #expect(order.sorted() == ["dot é", "far", "square"], "\(reading.warnings)")
    let dot = try #require(order.firstIndex(of: "dot é"))
    #expect(abs(reading.content.centers[dot].latitude + 33.9) < 1e-9)
    #expect(abs(reading.content.centers[dot].longitude + 151.2) < 1e-9)
    #expect(reading.content.radii[dot] == 12.5)
    try Self.expectSquare(reading.content, try #require(order.firstIndex(of: "square")))
    #expect(directory.contents == before)
  }

  @Test func readsShapefiles() throws {
    try OGRWriter.write(
      [.init(identifier: "square", wkt: Self.square)], to: directory.file("p.shp"),
      driver: "ESRI Shapefile",
      layer: "p")
    try OGRWriter.write(
      [.init(identifier: "a", wkt: "POINT(16.4 48.2)", radius: 5)], to: directory.file("q.shp"),
      driver: "ESRI Shapefile", layer: "q")
    let before = directory.contents
    try Self.expectSquare(read(directory.file("p.shp")).content)
    let circles = try read(directory.file("q.shp"))
    #expect(Self.names(circles.content) == ["a"])
    #expect(circles.content.radii == [5])
    #expect(directory.contents == before)
  }

  @Test("A Shapefile without a file that says its encoding is told how to get one")
  func namesTheCureOfAnUnknownEncoding() throws {
    try OGRWriter.write(
      [.init(identifier: "Worth", wkt: "POINT(16.4 48.2)", radius: 5)], to: directory.file("q.shp"),
      driver: "ESRI Shapefile", layer: "q")
    let table = directory.file("q.dbf")
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: table)))
    let at = try #require(
      bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 5]) == Array("Worth".utf8) })
    bytes[at + 1] = 0xF6
    // The byte that names an encoding.
    bytes[29] = 0
    _ = try directory.write(bytes, to: "q.dbf")
    try? FileManager.default.removeItem(atPath: directory.file("q.cpg"))
    let error = #expect(throws: FormatError.self) { try read(directory.file("q.shp")) }
    #expect(error?.description.contains("ends in .cpg instead of .shp") == true, "\(error as Any)")
    _ = try directory.write("ISO-8859-1", to: "q.cpg")
    #expect(try Self.names(read(directory.file("q.shp")).content) == ["Wörth"])
  }

  @Test func readsPackedGeoJSON() throws {
    // gzip of
    // {"type":"Feature","id":7,"properties":{"radius":3},"geometry":{"type":"Point","coordinates":[1,2]}}
    let packed: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 45, 203, 49, 10, 128, 48, 12, 70, 225, 187,
      252, 115, 23, 117, 16, 122, 0, 103, 119, 113, 40, 54, 72, 6, 155, 18, 211, 65, 164, 119,
      183, 5, 183, 199, 131, 239, 133, 61, 153, 224, 177, 80, 176, 162, 4, 7, 142, 240, 179, 67,
      86, 201, 164, 198, 116, 195, 191, 208, 16, 185, 180, 154, 170, 195, 73, 114, 145, 233, 211,
      255,
      175, 87, 225, 100, 205, 30, 34, 26, 57, 5, 235, 106, 27, 220, 184, 215, 250, 1, 128, 169,
      131, 12, 99, 0, 0, 0,
    ]
    let reading = try read(directory.write(packed, to: "a.geojson.gz"))
    #expect(Self.names(reading.content) == ["7"])
    #expect(reading.content.radii == [3])
    #expect(directory.contents == ["a.geojson.gz"])
    let cut = try directory.write(Array(packed.dropLast(30)), to: "cut.geojson.gz")
    #expect(throws: FormatError.self) { try read(cut) }
  }

  @Test(arguments: [
    (#""id":7,"properties":{"id":"p","radius":3}"#, "7"),
    (#""id":"x","properties":{"name":"p","radius":3}"#, "x"),
    (#""properties":{"name":"n","id":"p","radius":3}"#, "p"),
    (#""properties":{"NAME":"n","radius":3}"#, "n"),
    (#""properties":{"id":null,"name":"n","radius":3}"#, "n"), (#""properties":{"radius":3}"#, "0"),
    (#""properties":{"identifier":5,"radius":3,"x":{"id":1}}"#, "5"),
    (#""id":0,"properties":{"name":"n","radius":3}"#, "0"),
  ])
  func choosesIdentifiersByItsRule(members: String, identifier: String) throws {
    let feature =
      #"{"type":"Feature","bbox":[1,2,1,2],"geometry":{"type":"Point","coordinates":[1,2]},"#
      + members + "}"
    #expect(Self.names(try geoJSON(feature).content) == [identifier])
    // The same in a sequence, and alone.
    let sequence = try directory.write(feature + "\n" + feature + "\n", to: "a.geojsonl")
    let repeated = try read(sequence) { $0.skipInvalid = true }
    #expect(Self.names(repeated.content).first == identifier)
    let alone = try directory.write(feature, to: "alone.geojson")
    #expect(Self.names(try read(alone).content) == [identifier])
    // The features' own ids go by the name "id", where no property does.
    guard members.hasPrefix(#""id""#) else { return }
    let own = members.contains(#""id":"p""#) ? "p" : identifier
    let collection = #"{"type":"FeatureCollection","features":["# + feature + "]}"
    for path in [alone, try directory.write(collection, to: "b.geojson")] {
      #expect(Self.names(try read(path) { $0.identifierField = "id" }.content) == [own])
    }
  }

  @Test func namesBothFeaturesOfADuplicate() throws {
    let point = #""geometry":{"type":"Point","coordinates":[1,2]}"#
    let features = [(10, "a"), (11, "b"), (12, "a")].map {
      #"{"type":"Feature","id":\#($0.0),"properties":{"code":"\#($0.1)","radius":3},\#(point)}"#
    }.joined(separator: ",")
    #expect(Self.names(try geoJSON(features).content) == ["10", "11", "12"])
    let path = directory.file("a.geojson")
    #expect(
      throws: FormatError.invalidRows(
        path: path,
        first: [
          Diagnostic(
            place: .init(path: path, layer: "a", feature: 12),
            message: "the identifier \"a\" is already that of feature 10", cure: .identifier)
        ], count: 1)
    ) { try geoJSON(features) { $0.identifierField = "code" } }
    let skipping = try geoJSON(features) {
      $0.identifierField = "code"
      $0.skipInvalid = true
    }
    #expect(Self.names(skipping.content) == ["a", "b"])
    #expect(skipping.skipped.count == 1)
    #expect(
      throws: FormatError.missingField(
        .init(path: path, layer: "a"), expected: "zone", found: ["code", "radius"])
    ) { try geoJSON(features) { $0.identifierField = "zone" } }
  }

  @Test(arguments: [
    (#""geometry":null"#, "the feature has no geometry"),
    (
      #""geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}"#,
      "LINESTRING is neither a point nor a polygon"
    ),
    (
      #""geometry":{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}"#,
      "2 points in one geometry where one is expected"
    ),
    (#""geometry":{"type":"Polygon","coordinates":[]}"#, "the feature has no geometry"),
    (
      #""geometry":{"type":"Point","coordinates":[1,95]}"#,
      "latitude 95.0 is not within -90...90; are latitude and longitude swapped?"
    ),
    (
      #""geometry":{"type":"Point","coordinates":[1000,5]}"#,
      "longitude 1000.0 is not within -540.0...540.0"
    ),
    (
      #""geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,95],[0,0]]]}"#,
      "latitude 95.0 is not within -90...90; are latitude and longitude swapped?"
    ),
    (
      #""geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[5000,1],[0,0]]]}"#,
      "longitude 5000.0 is not within ±540.0"
    ),
    (
      #""geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}"#,
      "points and polygons in one geometry; a region is one point, or polygons"
    ),
  ])
  func namesTheFeatureOfBadGeometry(geometry: String, message: String) throws {
    let good =
      #"{"type":"Feature","properties":{"id":"ok","radius":1},"geometry":{"type":"Point","coordinates":[1,2]}},"#
    let features =
      good + #"{"type":"Feature","properties":{"id":"bad","radius":1},"# + geometry + "}"
    let error = #expect(throws: FormatError.self) { try geoJSON(features) }
    guard case .invalidRows(_, let first, 1)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(first[0].message == message)
    #expect(first[0].place.feature == 1)
    #expect(Self.names(try geoJSON(features) { $0.skipInvalid = true }.content) == ["ok"])
  }

  @Test("A point without a radius among polygons is a bad row; where all are such points, no row is to blame")
  func aPointAmongPolygons() throws {
    let point =
      #"{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let polygon =
      #"{"type":"Feature","properties":{"id":"b"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}"#
    for features in [point + "," + polygon, polygon + "," + point] {
      #expect(throws: FormatError.self) { try geoJSON(features) }
      let reading = try geoJSON(features) { $0.skipInvalid = true }
      #expect(Self.names(reading.content) == ["b"])
      #expect(reading.skipped.count == 1 && reading.skipped.examples[0].message == "a point without a radius")
    }
    let error = #expect(throws: FormatError.self) { try geoJSON(point) { $0.skipInvalid = true } }
    guard case .missingRadius? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func wantsRadiiForPoints() throws {
    let bare =
      #"{"type":"Feature","properties":{"id":"a"},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let place = Diagnostic.Place(path: directory.file("a.geojson"), layer: "a", feature: 0)
    #expect(throws: FormatError.missingRadius(place, expected: FieldNames.radius, found: ["id"])) {
      try geoJSON(bare)
    }
    #expect(try geoJSON(bare) { $0.defaultRadius = 9 }.content.radii == [9])
    func feature(_ id: String, _ radius: String) -> String {
      #"{"type":"Feature","properties":{"id":"\#(id)","Radius":\#(radius)},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    }
    let mixed = [feature("a", "4"), feature("b", "-4"), feature("c", "null"), feature("d", "1e9")]
      .joined(separator: ",")
    let reading = try geoJSON(mixed) { $0.skipInvalid = true }
    #expect(reading.content.radii == [4, 1e9])
    #expect(
      reading.skipped.examples.map(\.message) == [
        "radius -4.0 m is not a finite number of 0 or more", "the radius is missing",
      ])
    let text = try geoJSON([feature("a", "\"4.5\""), feature("b", "\"x\"")].joined(separator: ",")) {
      $0.skipInvalid = true
    }
    #expect(text.content.radii == [4.5])
  }

  @Test func repairsInvalidPolygonsUnlessStrict() throws {
    let bowTie =
      #"{"type":"Feature","properties":{"id":"tie"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}}"#
    let reading = try geoJSON(bowTie)
    #expect(reading.warnings.count == 1)
    #expect(reading.warnings.examples.first?.place.feature == 0)
    #expect(reading.warnings.examples.first?.message.hasPrefix("repaired: invalid polygon: ") == true)
    let polygon = try #require(reading.content.polygons.first?.polygon)
    for (latitude, longitude, isInside) in [
      (0.5, 0.2, true), (0.5, 0.8, true), (0.2, 0.5, false), (0.8, 0.5, false),
    ] {
      #expect(
        try polygon.contains(Coordinate(latitude: latitude, longitude: longitude)) == isInside)
    }
    let error = #expect(throws: FormatError.self) { try geoJSON(bowTie) { $0.strict = true } }
    guard case .invalidRows(_, let first, 1)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(first[0].message.hasPrefix("invalid polygon: "))
  }

  @Test func choosesLayers() throws {
    let path = directory.file("a.gpkg")
    try OGRWriter.write(
      [.init(identifier: "one", wkt: "POINT(1 2)", radius: 1)], to: path, driver: "GPKG",
      layer: "first")
    try OGRWriter.write(
      [.init(identifier: "two", wkt: "POINT(1 2)", radius: 1)], to: path, driver: "GPKG",
      layer: "second", adding: true)
    #expect(throws: FormatError.severalLayers(path: path, layers: ["first", "second"])) { try read(path) }
    let second = try read(path) { $0.layer = "second" }
    #expect(Self.names(second.content) == ["two"])
    #expect(second.warnings.count == 0)
    #expect(
      throws: FormatError.missingLayer(path: path, layer: "third", found: ["first", "second"])
    ) {
      try read(path) { $0.layer = "third" }
    }
  }

  @Test func leavesNothingBesideAWriteAheadLog() throws {
    let path = directory.file("a.gpkg")
    try OGRWriter.write(
      [.init(identifier: "one", wkt: "POINT(1 2)", radius: 1)], to: path, driver: "GPKG")
    do {
      unsafe CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", "WAL")
      defer { unsafe CPLSetThreadLocalConfigOption("OGR_SQLITE_JOURNAL", nil) }
      try OGRWriter.write(
        [.init(identifier: "two", wkt: "POINT(1 2)", radius: 1)], to: path, driver: "GPKG",
        layer: "second", adding: true)
    }
    #expect(try read(path) { $0.layer = "regions" }.content.count == 1)
    #expect(directory.contents == ["a.gpkg"])
  }

  @Test func refusesWhatNoDriverTakes() throws {
    for (name, text) in [
      ("a.geojson", "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":"), ("b.txt", "hello"),
      ("c.json", "{}"),
      ("d.bin", "\u{0}\u{1}\u{2}"), ("e.kml", "<kml>"), ("f.vrt", "<OGRVRTDataSource/>"),
      ("g.gpkg", "SQLite format 3\u{0}"),
    ] {
      let path = try directory.write(text, to: name)
      #expect(throws: FormatError.self, "\(name)") { try read(path) }
    }
    let error = #expect(throws: FormatError.self) { try read(directory.write("hello", to: "b.md")) }
    let words = error?.description ?? ""
    for format in InputKind.names(tracks: false) { #expect(words.contains(format), "\(words)") }
    #expect(words.contains("ogr2ogr"))
    let link =
      #"{"type":"FeatureCollection","crs":{"type":"link","properties":{"href":"http://127.0.0.1:9/x"}},"features":[{"type":"Feature","properties":{"id":"a","radius":1},"geometry":{"type":"Point","coordinates":[1,2]}}]}"#
    let path = try directory.write(link, to: "link.geojson")
    do {
      let reading = try read(path)
      #expect(reading.content.count == 1)
    } catch is FormatError {
      // Refused in words.
    }
  }

  /// A file cut short anywhere is an error, with or without the skipping of bad rows: except Shapefiles,
  /// whose index says which features are lost, and which are bad rows.
  @Test(arguments: [
    ("GeoJSON", "a.geojson"), ("GeoJSONSeq", "a.geojsonl"), ("GPKG", "a.gpkg"),
    ("FlatGeobuf", "a.fgb"), ("KML", "a.kml"),
    ("ESRI Shapefile", "a.shp"),
  ])
  func refusesFilesCutShort(driver: String, file: String) throws {
    let path = directory.file(file)
    try OGRWriter.write(
      (0..<500).map { .init(identifier: "r\($0)", wkt: "POINT(1 \(Double($0) / 10))", radius: 1) },
      to: path,
      driver: driver, layer: "a", idField: driver == "KML" ? "Name" : "id")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var shapefiles = 0
    for percent in [0, 1, 5, 10, 20, 30, 40, 60, 80, 95, 99] {
      var part = whole.prefix(whole.count * percent / 100)
      // A sequence that ends with a record is whole, only shorter.
      while driver == "GeoJSONSeq", let last = part.last, last == 0x0A || last == 0x7D {
        part.removeLast()
      }
      try part.write(to: URL(fileURLWithPath: path))
      #expect(throws: FormatError.self, "\(percent) %") { try read(path) }
      var skipping: Reading<RegionSet>?
      do {
        skipping = try read(path) { $0.skipInvalid = true }
      } catch is FormatError {
        // Refused in words.
      }
      if let skipping, driver == "ESRI Shapefile" {
        shapefiles += 1
        #expect(skipping.content.count + skipping.skipped.count == 500)
      } else if let skipping {
        // The last record of a sequence may be one that can be told from its neighbours.
        #expect(driver == "GeoJSONSeq" && skipping.skipped.count == 1, "\(percent) %")
      }
    }
    #expect((shapefiles > 0) == (driver == "ESRI Shapefile"))
  }

  @Test func stopsWhenTold() throws {
    let path = directory.file("a.fgb")
    try OGRWriter.write(
      (0..<1000).map { .init(identifier: "\($0)", wkt: "POINT(1 2)", radius: 1) }, to: path,
      driver: "FlatGeobuf")
    #expect(throws: CancellationError.self) { try read(path) { $0.progress = { _ in false } } }
    #expect(try read(path) { $0.progress = { ($0.fraction ?? -1) >= 0 } }.content.count == 1000)
  }

  @Test func readsPointsThroughOGR() throws {
    let path = directory.file("p.gpkg")
    try OGRWriter.write(
      [
        .init(identifier: "a", wkt: "POINT(1 2)"), .init(identifier: "a", wkt: "POINT Z(3 4 5)"),
        .init(identifier: "b", wkt: Self.square), .init(identifier: "c"),
      ], to: path, driver: "GPKG")
    var options = ReadingOptions()
    options.skipInvalid = true
    let reading = try PointReader.read(path, options: options)
    #expect(reading.content.identifiers == ["a", "a"])
    #expect(
      reading.content.coordinates == [
        Coordinate(latitude: 2, longitude: 1), Coordinate(latitude: 4, longitude: 3),
      ])
    #expect(
      reading.skipped.examples.map(\.message) == ["POLYGON is not a point", "the feature has no geometry"])
    #expect(throws: FormatError.self) { try PointReader.read(path) }
  }

  @Test func linearizesCurves() throws {
    // A full circle of radius 1 km about 500000, 300000 in metres (EPSG:31256 has its origin at 16.33 E, 0
    // N).
    let path = directory.file("c.gpkg")
    try OGRWriter.write(
      [
        .init(
          identifier: "disc",
          wkt:
            "CURVEPOLYGON(CIRCULARSTRING(-1000 340000,0 341000,1000 340000,0 339000,-1000 340000))")
      ], to: path, driver: "GPKG", epsg: 31256)
    let polygon = try #require(try read(path).content.polygons.first?.polygon)
    #expect(polygon.edgeCount > 200)
    for degrees in stride(from: 0.0, to: 360, by: 7.3) {
      let x = 1000 * Libm.cosine(degrees)
      let y = 340_000 + 1000 * Libm.sine(degrees)
      let place = try OGRWriter.transform(x, y, from: 31256, to: 4326)
      let distance = try polygon.signedBoundaryDistance(
        from: Coordinate(latitude: place.y, longitude: place.x))
      #expect(abs(distance) < 0.1)
    }
  }
}
