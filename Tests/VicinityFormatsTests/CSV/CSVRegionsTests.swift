import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex

@testable import VicinityFormats

@Suite struct CSVRegionsTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  func read(
    _ text: String, name: String = "a.csv",
    _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> Reading<RegionSet> {
    var options = ReadingOptions()
    change(&options)
    return try RegionReader.read(directory.write(text, to: name), options: options)
  }

  static func names(_ set: RegionSet) -> [String] { (0..<set.count).map(set.identifier(of:)) }

  @Test func readsThePlainForm() throws {
    let set = try read("id,latitude,longitude,radius\na,48.2,16.4,100\nb,-33.9,151.2,0.5\n").content
    #expect(Self.names(set) == ["a", "b"])
    #expect(
      set.centers == [
        Coordinate(latitude: 48.2, longitude: 16.4), Coordinate(latitude: -33.9, longitude: 151.2),
      ])
    #expect(set.radii == [100, 0.5])
  }

  @Test(arguments: [
    "radius,longitude,id,latitude\n7,2,x,1\n", "ID,LAT,LNG,Radius_M\r\nx,1,2,7\r\n",
    "\u{FEFF}id,lat,lon,radius\nx,1,2,7",
    "note,id,lat,lon,radius,more\n\"a,\n\"\"b\"\"\",x,1,2,7,\n",
    "id;lat;lon;radius\nx;1;2;7\n", "id\tlat\tlon\tradius\nx\t1\t2\t7\n",
    "\n\n\"id\",\"lat\",\"lon\",\"radius\"\n\nx,1,2,7\n\n",
    " id , lat , lon , radius \nx, 1 ,\t2, 7\n", "id,lat,lon,radius\n\"x\",\"1\",\"2\",\"7\"\r\n",
    "name,id,lat,lon,radius\ny,x,1,2,7\n",
  ])
  func understandsVariants(_ text: String) throws {
    let set = try read(text).content
    #expect(Self.names(set) == ["x"])
    #expect(set.centers == [Coordinate(latitude: 1, longitude: 2)])
    #expect(set.radii == [7])
  }

  @Test func unescapesQuotes() throws {
    let set = try read("id,lat,lon,radius\n\"a \"\"b\"\", c\nd\",1,2,3\n\"\"\"\",1,2,3\n").content
    #expect(Self.names(set) == ["a \"b\", c\nd", "\""])
  }

  @Test(arguments: [
    ("x,1,2", "3 fields where the header has 4"), ("x,1,2,3,4", "5 fields where the header has 4"),
    ("x,abc,2,3", "lat \"abc\" is not a number"), ("x,1,,3", "lon \"\" is not a number"),
    ("x,nan,2,3", "lat \"nan\" is not a number"),
    ("x,\"48,5\",2,3", "lat \"48,5\" is not a number: a decimal point is expected, not a comma"),
    ("x,1,\"1,2,3\",3", "lon \"1,2,3\" is not a number"),
    ("x,90.5,2,3", "latitude 90.5 is not within -90...90; are latitude and longitude swapped?"),
    ("x,1,1e9,3", "longitude 1000000000.0 is not within -540.0...540.0"),
    ("x,1,2,-3", "radius -3.0 m is not a finite number of 0 or more"),
    ("x,1,2,1e999", "radius inf m is not a finite number of 0 or more"),
    ("x,1,2,", "the radius is missing"),
    ("x,1,2,r", "radius \"r\" is not a number"), (",1,2,3", "the identifier is empty"),
    ("first,1,2,3", "the identifier \"first\" is already that of line 2"),
    ("\"x\"y,1,2,3", "text after a closing quote"),
    ("\"x,1,2,3", "a quoted field without an end"),
  ])
  func namesTheLineOfABadRow(row: String, message: String) throws {
    let cure: Cure? =
      message == "the radius is missing" ? .defaultRadius : message.contains("already") ? .identifier : nil
    let good = "id,lat,lon,radius\nfirst,1,2,3\n\"two\nlines\",1,2,3\n"
    let path = directory.file("a.csv")
    #expect(
      throws: FormatError.invalidRows(
        path: path, first: [Diagnostic(place: .init(path: path, line: 5), message: message, cure: cure)],
        count: 1)
    ) { try read(good + row + "\n") }
    let skipping = try read(good + row + "\n") { $0.skipInvalid = true }
    #expect(Self.names(skipping.content) == ["first", "two\nlines"])
    #expect(skipping.skipped.count == 1)
    #expect(skipping.skipped.examples.map(\.message) == [message])
  }

  @Test func refusesIdentifiersThatAreNotUTF8() throws {
    let bytes =
      Array("id,lat,lon,radius\nok,1,2,3\n".utf8) + [0xFF, 0xFE] + Array(",1,2,3\né,1,2,3\n".utf8)
    let path = try directory.write(bytes, to: "a.csv")
    var options = ReadingOptions()
    options.skipInvalid = true
    let reading = try RegionReader.read(path, options: options)
    #expect(Self.names(reading.content) == ["ok", "é"])
    #expect(reading.skipped.examples.map(\.place.line) == [3])
  }

  @Test func keepsTheFirstDiagnosticsAndCountsAll() throws {
    let text = "id,lat,lon,radius\n" + String(repeating: "x,1\n", count: 100)
    let error = #expect(throws: FormatError.self) { try read(text) }
    guard case .invalidRows(_, let first, let count)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(first.count == 20)
    #expect(count == 100)
    #expect(first.map(\.place.line) == Array(2...21))
  }

  @Test func saysWhichColumnIsMissing() throws {
    let place = Diagnostic.Place(path: directory.file("a.csv"), line: 1)
    #expect(
      throws: FormatError.missingRadius(place, expected: FieldNames.radius, found: ["id", "lat", "lon"])
    ) {
      try read("id,lat,lon\na,1,2\n")
    }
    #expect(
      throws: FormatError.missingColumn(
        place, expected: FieldNames.longitude, found: ["id", "lat", "radius"])
    ) { try read("id,lat,radius\na,1,2\n") }
    #expect(
      throws: FormatError.missingColumn(
        place, expected: ["code"], found: ["id", "lat", "lon", "radius"])
    ) { try read("id,lat,lon,radius\na,1,2,3\n") { $0.identifierField = "code" } }
    #expect(throws: FormatError.ambiguousColumn(place, names: ["lat"])) {
      try read("id,lat,lat,lon,radius\na,1,1,2,3\n")
    }
    #expect(
      throws: FormatError.missingColumn(place, expected: FieldNames.latitude, found: ["a", "b"])
    ) {
      try read("a,b\n1,2\n")
    }
  }

  @Test func takesColumnsAndRadiusFromOptions() throws {
    let reading = try read("code,id,lat,lon,reach\nq,x,1,2,5\n,y,1,2,6\n") {
      $0.identifierField = "CODE"
      $0.radiusField = "reach"
      $0.skipInvalid = true
    }
    #expect(Self.names(reading.content) == ["q"])
    #expect(reading.content.radii == [5])
    let fixed = try read("lat,lon\n1,2\n3,4\n") { $0.defaultRadius = 25 }
    #expect(Self.names(fixed.content) == ["1", "2"])
    #expect(fixed.content.radii == [25, 25])
    #expect(fixed.warnings.count == 1)
    let numbered = try read("id,lat,lon,radius\na,1,2,\na,3,4,9\n") {
      $0.defaultRadius = 25
      $0.identifierField = "FID"
    }
    #expect(Self.names(numbered.content) == ["1", "2"])
    #expect(numbered.content.radii == [25, 9])
    #expect(throws: FormatError.self) { try read("lat,lon\n1,2\n") { $0.defaultRadius = .nan } }
  }

  @Test func refusesWhatIsNoFileOfOurs() throws {
    #expect(throws: FormatError.empty(path: directory.file("a.csv"))) { try read("") }
    #expect(throws: FormatError.empty(path: directory.file("a.csv"))) { try read("\n\n") }
    #expect(throws: FormatError.unreadable(path: directory.path, reason: "it is a directory")) {
      try RegionReader.read(directory.path)
    }
    #expect(
      throws: FormatError.unreadable(
        path: directory.file("none.csv"), reason: "No such file or directory")
    ) { try RegionReader.read(directory.file("none.csv")) }
    #expect(throws: FormatError.notLocal(path: "https://example.org/a.csv")) {
      try RegionReader.read("https://example.org/a.csv")
    }
    #expect(throws: FormatError.notLocal(path: "/vsicurl/https://example.org/a.csv")) {
      try RegionReader.read("/vsicurl/https://example.org/a.csv")
    }
    #expect(throws: FormatError.self) { try RegionReader.read("a\u{0}b") }
    let wide = try directory.write([0xFF, 0xFE, 0x69, 0], to: "wide.csv")
    #expect(throws: FormatError.self) { try RegionReader.read(wide) }
    #expect(throws: FormatError.self) { try read(String(repeating: "lat,", count: 5000) + "lon\n") }
  }

  @Test func readsRecordsAcrossChunksAndLargerThanOne() throws {
    var text = "id,note,lat,lon,radius\n"
    for i in 0..<60_000 {
      text += "region-\(i),\"note, \(i)\",\(Double(i % 90)),\(Double(i % 180)),1\n"
    }
    text += "long,\"" + String(repeating: "n\n", count: 1_500_000) + "\",1,2,3\nafter,x,1,2,-1\n"
    let reading = try read(text) { $0.skipInvalid = true }
    #expect(reading.content.count == 60_001)
    #expect(reading.content.identifier(of: 59_999) == "region-59999")
    #expect(reading.content.identifier(of: 60_000) == "long")
    #expect(reading.skipped.examples.map(\.place.line) == [60_002 + 1_500_001])
  }

  @Test func reportsProgressAndStopsWhenTold() throws {
    let text = "id,lat,lon,radius\n" + (0..<50_000).map { "\($0),1,2,3\n" }.joined()
    let path = try directory.write(text, to: "a.csv")
    var options = ReadingOptions()
    options.progress = { progress in (progress.fraction ?? -1) >= 0 && progress.rows <= 50_000 }
    #expect(try RegionReader.read(path, options: options).content.count == 50_000)
    options.progress = { _ in false }
    #expect(throws: CancellationError.self) { try RegionReader.read(path, options: options) }
  }

  @Test(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
  func readsRealFiles() throws {
    var options = ReadingOptions()
    options.defaultRadius = 1000
    options.identifierField = "icao"
    let plain = try RegionReader.read(
      SharedData.path("regions/airports/airports.csv"), options: options)
    let packed = try RegionReader.read(
      ProductData.path("airports/airports.csv.gz"), options: options)
    #expect(plain.content.count == 28_298)
    #expect(packed.content.count == plain.content.count)
    #expect(packed.content.centers == plain.content.centers)
    #expect(packed.content.identifierBytes == plain.content.identifierBytes)

    options.identifierField = "FID"
    let cities = try RegionReader.read(
      SharedData.path("regions/geonames/rg_cities1000.csv"), options: options)
    #expect(cities.content.count == 144_563)
    options.identifierField = "name"
    options.skipInvalid = true
    let named = try RegionReader.read(
      SharedData.path("regions/geonames/rg_cities1000.csv"), options: options)
    #expect(named.content.count + named.skipped.count == 144_563)
    #expect(named.skipped.count > 0)
    #expect(
      throws: FormatError.missingRadius(
        .init(path: SharedData.path("regions/airports/airports.csv"), line: 1),
        expected: FieldNames.radius,
        found: [
          "icao", "iata", "name", "city", "subd", "country", "elevation", "lat", "lon", "tz", "lid",
        ])
    ) { try RegionReader.read(SharedData.path("regions/airports/airports.csv")) }
    let quakes = try PointReader.read(SharedData.path("regions/earthquakes/earthquakes-23k.csv"))
    #expect(quakes.content.coordinates.count == 23_412)
    #expect(quakes.content.identifiers.last == "23412")
    #expect(quakes.warnings.count == 1)
  }
}
