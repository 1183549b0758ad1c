import Foundation
import Testing
import VicinityGeodesy
import VicinityIndex

@testable import VicinityFormats

@Suite struct InputTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Root may read everything: nothing to see then.
  @Test(.enabled(if: geteuid() != 0, "root may read every file"))
  func saysThatAFileMayNotBeRead() throws {
    let path = try directory.write("id,lat,lon,radius\n", to: "a.csv")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: FormatError.unreadable(path: path, reason: "Permission denied")) {
      try RegionReader.read(path)
    }
  }

  /// The system would see the beginning of such a path, which leads to another file.
  @Test func refusesPathsWithAZeroByte() throws {
    for (name, text) in [
      ("regions.csv", "id,lat,lon,radius\na,1,2,3\n"), ("points.csv", "id,lat,lon\na,1,2\n"),
      ("tracks.csv", "device,time,lat,lon\na,2020-01-01T00:00:00Z,1,2\n"),
    ] {
      let path = try directory.write(text, to: name)
      for other in [path + "\0", path + "\0.gz", directory.file("\0" + name)] {
        let expected = FormatError.unreadable(path: other, reason: "the path contains a zero byte")
        #expect(throws: expected) { try RegionReader.read(other) }
        #expect(throws: expected) { try PointReader.read(other) }
        #expect(throws: expected) { try PointReader.read(other, batchSize: 2) { _ in } }
        #expect(throws: expected) { try TrackFiles([path, other]) }
      }
    }
  }

  /// What standard input and process substitution give: bytes that come once, in pieces, without a size.
  private func reading<R: Sendable>(
    _ text: String, through body: @Sendable (String) throws -> R
  ) throws -> R {
    let path = directory.file("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let writer = Thread {
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      let bytes = Data(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: 1000) {
        try? handle.write(contentsOf: bytes[start..<min(start + 1000, bytes.count)])
      }
      try? handle.close()
    }
    writer.start()
    return try body(path)
  }

  @Test func readsPipes() throws {
    let text = "id,lat,lon,radius\n" + (0..<3000).map { "r\($0),1,2,3\n" }.joined()
    let count = try reading(text) { try RegionReader.read($0).content.count }
    #expect(count == 3000)
  }

  @Test func readsPointsFromPipes() throws {
    let text = "id,lat,lon\n" + (0..<3000).map { "r\($0),1,\(Double($0) / 100)\n" }.joined()
    let reading = try reading(text) { try PointReader.read($0) }
    #expect(reading.content.identifiers.count == 3000)
    #expect(reading.content.coordinates.last == Coordinate(latitude: 1, longitude: 29.99))
  }

  @Test func refusesFeaturesFromPipes() throws {
    let text = #"{"type":"FeatureCollection","features":[]}"#
    let path = directory.file("pipe")
    #expect(
      throws: FormatError.unrecognizedFormat(
        path: path, reason: "only CSV and lines of JSON can be read from standard input or a pipe")
    ) { try reading(text) { try RegionReader.read($0).content.count } }
  }

  @Test func refusesPackedFilesThatAreDamaged() throws {
    // gzip's header, then nothing that inflates.
    let path = try directory.write(
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array("id,lat,lon".utf8), to: "a.csv.gz")
    #expect(throws: FormatError.self) { try RegionReader.read(path) }
    #expect(directory.contents == ["a.csv.gz"])
  }

  @Test func refusesPackedFilesThatAreCutShort() throws {
    let whole = try Data(
      contentsOf: URL(fileURLWithPath: ProductData.path("airports/airports.csv.gz")))
    var options = ReadingOptions()
    options.defaultRadius = 1
    options.identifierField = "icao"
    for percent in [1, 30, 70, 99] {
      let path = try directory.write(
        Array(whole.prefix(whole.count * percent / 100)), to: "a.csv.gz")
      #expect(throws: FormatError.self, "\(percent) %") {
        try RegionReader.read(path, options: options)
      }
    }
  }

  @Test func takesPathsThatLookLikeSomethingElse() throws {
    // OGR would take these for schemes of its own; here a path is a path.
    let text =
      #"{"type":"Feature","properties":{"id":"a","radius":1},"geometry":{"type":"Point","coordinates":[1,2]}}"#
    for name in ["GeoJSON:a.json", "{a}.json", "a b.json"] {
      let reading = try RegionReader.read(directory.write(text, to: name))
      #expect(reading.content.count == 1, "\(name)")
    }
    for name in [
      "/vsimem/a.json", "/vsizip/a.zip/a.csv", "http://127.0.0.1/a.json", "PG:dbname=a", "",
    ] {
      #expect(throws: FormatError.self, "\(name)") { try RegionReader.read(name) }
      #expect(throws: FormatError.self, "\(name)") { try PointReader.read(name) }
    }
  }

  /// Of three or more that differ in places and values alone the first is told; other things are told as they
  /// come.
  @Test func thatAreAlikeAreTold() {
    func found(_ messages: String...) -> [Diagnostic] {
      messages.enumerated().map { Diagnostic(place: .init(path: "a.csv", line: $0 + 2), message: $1) }
    }
    #expect(
      Diagnostic.lines(found("bad \"x\\\"1\" at 1", "worse", "bad \"y\" at -2.5", "bad \"\" at 3", "worse"))
        == [
          "a.csv:2: bad \"x\\\"1\" at 1", "  and 2 more like it, in lines 4, 5", "a.csv:3: worse",
          "a.csv:6: worse",
        ])
    #expect(Diagnostic.lines(found("bad 1", "bad 2")) == ["a.csv:2: bad 1", "a.csv:3: bad 2"])
    #expect(Diagnostic.lines([]).isEmpty)
  }

  @Test func sayItAllInWords() {
    let place = Diagnostic.Place(path: "a.csv", line: 3)
    for (error, text) in [
      (FormatError.unreadable(path: "-", reason: "no"), "cannot read standard input: no"),
      (.empty(path: "a.csv"), "a.csv: the file is empty"),
      (
        .missingRadius(place, expected: ["radius", "radius_m"], found: ["id", "r"]),
        "a.csv:3: points without a radius: a column or field \"radius\" or \"radius_m\" in metres is expected, or a default radius (found \"id\", \"r\")"
      ),
      (
        .invalidRows(path: "a.csv", first: [Diagnostic(place: place, message: "bad")], count: 3),
        "a.csv: 3 bad rows:\n  a.csv:3: bad\n  and 2 more"
      ),
      (
        .invalidTrackRows(path: "a.csv", first: [Diagnostic(place: place, message: "bad")], count: 1),
        "a.csv: 1 bad row:\n  a.csv:3: bad\n  reading stopped there: there may be more bad rows further on"
      ),
      (
        .missingLayer(path: "a.gpkg", layer: "x", found: ["y"]),
        "a.gpkg: no layer \"x\" (found \"y\")"
      ),
      (.noGeometry(path: "a.dbf", layers: []), "a.dbf: no layer with geometry (layers: none)"),
    ] {
      #expect("\(error)" == text)
    }
  }
}
