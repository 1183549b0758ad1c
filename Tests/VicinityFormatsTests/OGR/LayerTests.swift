import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

@testable import VicinityFormats

/// Files with several layers, and features that are lost on the way.
@Suite struct LayerTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static func names(_ set: RegionSet) -> [String] { (0..<set.count).map(set.identifier(of:)) }

  func write(_ counts: [Int], driver: String, to file: String) throws -> String {
    let path = directory.file(file)
    for (i, count) in counts.enumerated() {
      try OGRWriter.write(
        (0..<count).map { .init(identifier: "r\(i)-\($0)", wkt: "POINT(\(i) \($0))", radius: 1) },
        to: path, driver: driver, layer: "layer\(i)", idField: driver.hasSuffix("KML") ? "Name" : "id",
        adding: i > 0)
    }
    return path
  }

  /// One layer of KML in text: a folder with placemarks.
  func kml(_ counts: [Int], nested: Bool) throws -> String {
    func placemark(_ i: Int, _ k: Int) -> String {
      "<Placemark><name>r\(i)-\(k)</name><TimeStamp><when>2024-05-01T00:00:\(10 + k)Z</when></TimeStamp>"
        + "<Point><coordinates>\(i),\(k)</coordinates></Point></Placemark>"
    }
    var text = ""
    for (i, count) in counts.enumerated() {
      text +=
        "<Folder><name>layer\(i)</name>" + (0..<count).map { placemark(i, $0) }.joined()
        + (nested ? "" : "</Folder>")
    }
    if nested { text += String(repeating: "</Folder>", count: counts.count) }
    return try directory.write(
      "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>\(text)</Document></kml>",
      to: "a.kml")
  }

  func expected(_ counts: [Int]) -> [String] {
    counts.enumerated().flatMap { i, count in (0..<count).map { "r\(i)-\($0)" } }
  }

  static let shapes = [[0], [2], [0, 2], [2, 0], [0, 2, 0], [0, 0], [1, 1], [2, 0, 3], [0, 1, 2, 0]]

  /// However it is packed; and its numbers by their name in either case.
  @Test(arguments: Compression.allCases)
  func packedGeoPackagesAreRead(compression: Compression) throws {
    let plain = try write([2], driver: "GPKG", to: "a.gpkg")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
    let packed = try directory.write(
      Packed.bytes(bytes, compression), to: "b.gpkg" + compression.ending)
    #expect(try Self.names(RegionReader.read(packed).content) == expected([2]))
    for name in ["fid", "FID"] {
      var options = ReadingOptions()
      options.identifierField = name
      #expect(try Self.names(RegionReader.read(packed, options: options).content) == ["1", "2"])
    }
  }

  @Test(arguments: shapes)
  func geoPackagesAreReadOrAskForTheLayer(counts: [Int]) throws {
    let path = try write(counts, driver: "GPKG", to: "a.gpkg")
    let full = counts.indices.filter { counts[$0] > 0 }
    for takesRegions in [true, false] {
      func read(_ layer: String?) throws -> [String] {
        var options = ReadingOptions()
        options.layer = layer
        return takesRegions
          ? Self.names(try RegionReader.read(path, options: options).content)
          : try PointReader.read(path, options: options).content.identifiers
      }
      if full.count > 1 {
        #expect(throws: FormatError.severalLayers(path: path, layers: full.map { "layer\($0)" })) {
          try read(nil)
        }
      } else {
        #expect(try read(nil) == expected(counts))
      }
      for i in counts.indices {
        #expect(try read("layer\(i)") == (0..<counts[i]).map { "r\(i)-\($0)" })
      }
    }
    if let empty = counts.firstIndex(of: 0) {
      var options = ReadingOptions()
      options.layer = "layer\(empty)"
      #expect(
        try RegionReader.read(path, options: options).notes.examples.map(\.message) == ["the layer is empty"])
    }
  }

  @Test(arguments: shapes, [false, true])
  func foldersOfKMLAreReadTogether(counts: [Int], nested: Bool) throws {
    let path = try kml(counts, nested: nested)
    var options = ReadingOptions()
    options.identifierField = "Name"
    options.defaultRadius = 1
    #expect(
      Self.names(try RegionReader.read(path, options: options).content).sorted() == expected(counts).sorted())
    #expect(
      try PointReader.read(path, options: options).content.identifiers.sorted() == expected(counts).sorted())
    options.timeField = "timestamp"
    let reader = try TrackReader([path], options: options)
    var fixes = 0
    while let batch = try reader.next() { fixes += batch.fixes.count }
    #expect(fixes == counts.reduce(0, +))
    // A run that goes on after any batch reads the rest.
    let first = try TrackReader([path], options: options)
    var read = 0
    while let batch = try first.next() {
      read += batch.fixes.count
      guard read > 0 else { continue }
      let second = try TrackReader(
        [path], options: options, from: batch.end, devices: first.devices, order: first.order)
      var rest = 0
      while let batch = try second.next() { rest += batch.fixes.count }
      #expect(read + rest == fixes)
    }
  }

  @Test(arguments: [("FlatGeobuf", "a.fgb"), ("GeoJSON", "a.geojson"), ("ESRI Shapefile", "a.shp")])
  func anEmptyLayerIsAnEmptySet(driver: String, file: String) throws {
    let path = try write([0], driver: driver, to: file)
    do {
      #expect(try RegionReader.read(path).content.count == 0)
    } catch let error as FormatError {
      // A Shapefile without shapes has no type of geometry.
      #expect("\(error)".contains("no layer with geometry"))
    }
  }

  @Test func layersOfTopologiesAskForTheLayer() throws {
    let arcs = "\"arcs\":[[[10,50],[10.1,50],[10.1,50.1],[10,50.1],[10,50]]]"
    func collection(_ id: String) -> String {
      "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Polygon\",\"id\":\"\(id)\",\"arcs\":[[0]]}]}"
    }
    let path = try directory.write(
      "{\"type\":\"Topology\",\(arcs),\"objects\":{\"a\":\(collection("x")),\"b\":\(collection("y"))}}",
      to: "a.json")
    #expect(throws: FormatError.severalLayers(path: path, layers: ["a", "b"])) { try RegionReader.read(path) }
    var options = ReadingOptions()
    options.layer = "b"
    #expect(Self.names(try RegionReader.read(path, options: options).content) == ["y"])
  }

  @Test func waypointsOfGPXAreRead() throws {
    let point = "lat=\"2\" lon=\"1\"><name>a</name>"
    func read(_ body: String) throws -> [String] {
      let path = try directory.write(
        "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"x\" xmlns=\"http://www.topografix.com/GPX/1/1\">\(body)</gpx>",
        to: "a.gpx")
      return try PointReader.read(path).content.identifiers
    }
    #expect(try read("<wpt \(point)</wpt>") == ["a"])
    #expect(
      try read(
        "<wpt \(point)</wpt><trk><trkseg><trkpt \(point)</trkpt><trkpt \(point)</trkpt></trkseg></trk>") == [
          "a"
        ])
    #expect(throws: FormatError.self) {
      try read("<trk><trkseg><trkpt \(point)</trkpt><trkpt \(point)</trkpt></trkseg></trk>")
    }
  }

  /// What GDAL drops of a topology is told.
  @Test func collectionsWithinCollectionsAreTold() throws {
    let path = try directory.write(
      #"{"type":"Topology","arcs":[[[10,50],[10.1,50],[10.1,50.1],[10,50.1],[10,50]],[[11,50],[11.1,50],[11.1,50.1],[11,50.1],[11,50]]],"#
        + #""objects":{"zones":{"type":"GeometryCollection","geometries":[{"type":"Polygon","id":"plain","arcs":[[0]]},"#
        + #"{"type":"GeometryCollection","id":"nested","geometries":[{"type":"Polygon","arcs":[[1]]}]},{"type":null,"id":"none"}]}}}"#,
      to: "zones.json")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect(
      "\(try #require(error))".contains(
        "1 of the 3 geometries cannot be read: collections within a collection"))
    var options = ReadingOptions()
    options.skipInvalid = true
    let reading = try RegionReader.read(path, options: options)
    #expect(Self.names(reading.content) == ["plain"])
    #expect(reading.skipped.count == 2)
  }

  @Test func whatIsNoFeatureIsTold() throws {
    let good =
      #"{"type":"Feature","properties":{"id":"a","radius":1},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    let path = try directory.write(
      #"{"type":"FeatureCollection","features":[\#(good),null,5]}"#, to: "a.geojson")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect(
      "\(try #require(error))".contains("2 of the file's features are no objects"),
      "\(String(describing: error))")
  }

  /// Bad rows may be skipped, but not all of them.
  @Test(arguments: ["a.csv", "a.ndjson", "a.geojson", "a.geojsonl"])
  func aFileOfBadRowsIsAnError(file: String) throws {
    let feature =
      #"{"type":"Feature","properties":{"id":"a","radius":1},"geometry":{"type":"Point","coordinates":[1,95]}}"#
    let text =
      switch file {
      case "a.csv": "id,latitude,longitude,radius\na,95,1,1\nb,x,1,1\n"
      case "a.ndjson":
        "{\"id\":\"a\",\"latitude\":95,\"longitude\":1,\"radius\":1}\n{\"id\":\"b\",\"latitude\":95,\"longitude\":1,\"radius\":1}\n"
      case "a.geojson": "{\"type\":\"FeatureCollection\",\"features\":[\(feature),\(feature)]}"
      default: "\(feature)\n\(feature)\n"
      }
    let path = try directory.write(text, to: file)
    var options = ReadingOptions()
    options.skipInvalid = true
    func isNothing(_ error: FormatError?, _ thing: String) -> Bool {
      guard case .nothingRead(path, thing, let first, 2)? = error else { return false }
      return first.count == 2
        && error?.description.contains("2 rows were read, of which none makes a \(thing)") == true
    }
    let regions = #expect(throws: FormatError.self) { try RegionReader.read(path, options: options) }
    #expect(isNothing(regions, "region"), "\(String(describing: regions))")
    let points = #expect(throws: FormatError.self) { try PointReader.read(path, options: options) }
    #expect(isNothing(points, "point"), "\(String(describing: points))")
    let batches = #expect(throws: FormatError.self) {
      try PointReader.read(path, options: options, batchSize: 1) { _ in }
    }
    #expect(isNothing(batches, "point"), "\(String(describing: batches))")
  }

  @Test func aTrackOfBadRowsIsAnError() throws {
    var options = ReadingOptions()
    options.skipInvalid = true
    for rows in ["a,2024-05-01T00:00:00Z,95,1,3\n", "a,2024-05-01T00:00:00Z,5,1,-1\n", "a,noon,5,1,3\n"] {
      let path = try directory.write("device,time,latitude,longitude,accuracy\n" + rows, to: "t.csv")
      let reader = try TrackReader([path], options: options)
      while try reader.next() != nil {}
      let error = #expect(throws: FormatError.self) { try reader.checkHasFixes() }
      guard case .nothingRead(path, "fix", _, 1)? = error else {
        Issue.record("\(rows): \(String(describing: error))")
        continue
      }
    }
    // Rows that are dropped have their own reasons.
    let (invalid, nowhere) = (
      "the accuracy is negative: the position is invalid",
      "latitude 91 and longitude 181 are AIS's words for no position"
    )
    for (rows, reasons) in [
      (["91,181,", "91,181,-1"], [nowhere]), (["5,1,-1"], [invalid]),
      (["91,181,", "5,1,-1"], [invalid, nowhere]),
      (["95,1,3", "91,181,"], ["latitude 95.0 is not within", nowhere]),
    ] {
      let text = rows.enumerated().map { "a,2024-05-01T00:00:0\($0)Z,\($1)\n" }.joined()
      for sorts in [false, true] {
        var options = options
        options.sorts = sorts
        let path = try directory.write("device,time,latitude,longitude,accuracy\n" + text, to: "t.csv")
        let reader = try TrackReader([path], options: options)
        while try reader.next() != nil {}
        let error = #expect(throws: FormatError.self) { try reader.checkHasFixes() }
        guard case .nothingRead(path, "fix", let first, rows.count)? = error else {
          Issue.record("\(rows): \(String(describing: error))")
          continue
        }
        #expect(first.count == reasons.count, "\(first)")
        for (told, reason) in zip(first, reasons) { #expect(told.message.contains(reason), "\(told)") }
      }
    }
    let path = try directory.write("device,time,latitude,longitude\n", to: "t.csv")
    let reader = try TrackReader([path], options: options)
    while let batch = try reader.next() { #expect(batch.fixes.isEmpty) }
    try reader.checkHasFixes()
  }

  /// No reader changes its input, or leaves anything beside it.
  @Test(arguments: [
    ("GeoJSON", "a.geojson"), ("GeoJSONSeq", "a.geojsonl"), ("GPKG", "a.gpkg"), ("FlatGeobuf", "a.fgb"),
    ("KML", "a.kml"),
    ("ESRI Shapefile", "a.shp"),
  ])
  func inputsStayAsTheyAre(driver: String, file: String) throws {
    let path = try write([3], driver: driver, to: file)
    func contents() throws -> [String: Data] {
      var result: [String: Data] = [:]
      for name in directory.contents {
        result[name] = try Data(contentsOf: URL(fileURLWithPath: directory.file(name)))
      }
      return result
    }
    let before = try contents()
    var options = ReadingOptions()
    options.identifierField = driver == "KML" ? "Name" : nil
    #expect(try RegionReader.read(path, options: options).content.count == 3)
    #expect(try PointReader.read(path, options: options).content.identifiers.count == 3)
    _ = try? TrackReader([path]).next()
    #expect(try contents() == before)
  }

  @Test func aGeoPackageWithChangesBesideItIsRefused() throws {
    let path = try write([2], driver: "GPKG", to: "a.gpkg")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    _ = try directory.write([UInt8](repeating: 7, count: 4152), to: "a.gpkg-wal")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect("\(try #require(error))".contains("still in \(path)-wal"))
    #expect(directory.contents.sorted() == ["a.gpkg", "a.gpkg-wal"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    _ = try directory.write([], to: "a.gpkg-wal")
    #expect(try RegionReader.read(path).content.count == 2)
    _ = try directory.write(
      [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, 1], to: "a.gpkg-journal")
    let journal = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect("\(try #require(journal))".contains("cut short"))
  }

  @Test func anArrayOfObjectsIsToldWhatToDo() throws {
    let path = try directory.write(
      "[\n  {\n \"id\": \"a\",\n \"latitude\": 1,\n \"longitude\": 2\n }\n]\n", to: "a.json")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect("\(try #require(error))".contains("each of its objects is a line of its own"))
  }

  /// Packed KML takes no more memory than other packed files.
  @Test func packedKMLIsBounded() throws {
    let blank = [UInt8](repeating: 0x20, count: OGRDataset.mostKML)
    let text = "<?xml version=\"1.0\"?><kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document>"
    let path = try directory.write(
      Gzip.packed(Array(text.utf8) + blank + Array("</Document></kml>".utf8)), to: "a.kml.gz")
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path) }
    guard case .limitExceeded(_, _, OGRDataset.mostKML)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// What a view is made of, and whether its reading ends in time that the file's size bounds.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      ("SELECT fid AS OGC_FID, geom, id, radius FROM layer0", true),
      ("SELECT fid AS OGC_FID, geom, id, radius FROM layer0 ORDER BY radius DESC", true),
      ("SELECT a.fid AS OGC_FID, a.geom, a.id, b.radius FROM layer0 a JOIN layer0 b ON b.fid = a.fid", true),
      ("SELECT a.fid AS OGC_FID, a.geom, a.id, b.radius FROM layer0 a, layer0 b", false),
      (
        "SELECT a.fid AS OGC_FID, a.geom, a.id, b.radius FROM layer0 a JOIN layer0 b ON b.radius > a.radius - 1",
        false
      ),
      ("SELECT fid AS OGC_FID, geom, id, radius FROM other", false),
      (
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS OGC_FID, geom, id, radius FROM c, layer0 WHERE n < 0",
        false
      ),
      ("SELECT fid AS OGC_FID, geom, id, radius FROM deep39", false),
    ])
  func viewsThatMayNotEndAreRefused(query: String, isRead: Bool) throws {
    let path = try write([2], driver: "GPKG", to: "a.gpkg")
    try OGRWriter.run("CREATE VIEW other AS SELECT * FROM layer0", on: path)
    // Views of views, of which each doubles the work: SQLite does not end to make a plan of the last.
    try OGRWriter.run("CREATE VIEW deep0 AS SELECT * FROM layer0 LIMIT 2", on: path)
    for i in 1..<40 {
      try OGRWriter.run(
        "CREATE VIEW deep\(i) AS SELECT a.* FROM deep\(i - 1) a, deep\(i - 1) b LIMIT 2", on: path)
    }
    try OGRWriter.run("CREATE VIEW v AS \(query)", on: path)
    try OGRWriter.run(
      "INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('v', 'features', 'v', 4326)",
      on: path)
    try OGRWriter.run(
      "INSERT INTO gpkg_geometry_columns VALUES ('v', 'geom', 'GEOMETRY', 4326, 0, 0)", on: path)
    var options = ReadingOptions()
    options.layer = "layer0"
    #expect(try RegionReader.read(path, options: options).content.count == 2)
    options.layer = "v"
    guard !isRead else {
      #expect(try RegionReader.read(path, options: options).content.count == 2)
      return
    }
    for layer in ["v", nil] {
      options.layer = layer
      let error = #expect(throws: FormatError.self) { try RegionReader.read(path, options: options) }
      #expect("\(try #require(error))".contains("may never end"), "\(String(describing: error))")
    }
  }

  /// A count that is not that of the features is told; deleted ones count in some files.
  @Test func anotherCountIsTold() throws {
    let path = try write([2], driver: "GPKG", to: "a.gpkg")
    try OGRWriter.run("UPDATE gpkg_ogr_contents SET feature_count = 7", on: path)
    let reading = try RegionReader.read(path)
    #expect(reading.content.count == 2)
    #expect(reading.warnings.examples.map(\.message) == ["the file counts 7 features here, and 2 were read"])
  }

  /// Integers beyond 64 bits in a field of integers, which SQLite keeps as real numbers.
  @Test func realNumbersAmongIntegersAreRefused() throws {
    let path = try write([2], driver: "GPKG", to: "a.gpkg")
    try OGRWriter.run("ALTER TABLE layer0 ADD COLUMN cell INTEGER", on: path)
    try OGRWriter.run("UPDATE layer0 SET cell = 9223372036854775807 - fid", on: path)
    var options = ReadingOptions()
    options.identifierField = "cell"
    #expect(
      Self.names(try RegionReader.read(path, options: options).content)
        == ["9223372036854775806", "9223372036854775805"])
    try OGRWriter.run("UPDATE layer0 SET cell = 18446744073709551615 WHERE fid = 2", on: path)
    let error = #expect(throws: FormatError.self) { try RegionReader.read(path, options: options) }
    #expect(
      "\(try #require(error))".contains("is a real number"), "\(String(describing: error))")
  }
}
