import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityFormats

/// GeoLife's PLT, and tracks through OGR.
@Suite struct TrackFormatsTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func readsGeoLife() throws {
    let header =
      "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"
    let rows = """
      39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04
      39.984683,116.31845,0,492,39744.1202546296,2008-10-23,02:53:10
      39.984686,416.318417,0,-777,39744.1203125,2008-10-23,02:53:15
      39.984686,916.318417,0,492,39744.1203125,2008-10-23,02:53:15
      39.984688,116.318385,0,492,39744.1203703704,2008-10-23
      39.984655,116.318263,0,492,39744.1204282407,2008-10-32,02:53:25
      39.984611,116.318026,0,493,39744.1204861111,2008-10-23,02:53:30
      """.replacing("\n", with: "\r\n")
    let path = try directory.write(header + rows, to: "20081023025304.plt")
    for chunk in [16, 70, 1 << 20] {
      let reading = try TrackReading([path]) {
        $0.skipInvalid = true
        $0.chunkByteCount = chunk
      }
      #expect(reading.lines == [7, 8, 9, 13])
      #expect(reading.skippedLines == [10, 11, 12])
      #expect(reading.fixes.first?.fix.time.description == "2008-10-23T02:53:04.000Z")
      #expect(reading.fixes.first?.fix.coordinate == Coordinate(latitude: 39.984702, longitude: 116.318417))
      #expect(reading.fixes.first?.device == "20081023025304")
    }
  }

  @Test func readsPointsWithTimes() throws {
    func feature(_ properties: String, _ geometry: String) -> String {
      #"{"type":"Feature","properties":{\#(properties)},"geometry":\#(geometry)}"#
    }
    let point = #"{"type":"Point","coordinates":[16.4,48.2]}"#
    let text =
      #"{"type":"FeatureCollection","features":["#
      + [
        feature(
          #""device":"a","time":"2020-01-01T00:00:00.250Z","accuracy":5,"speed":2.5,"course":360"#, point),
        feature(#""device":"b","time":"2020-01-01T01:00:00+01:00""#, point),
        feature(#""device":"a""#, point),
        feature(#""device":"a","time":"2020-01-01T00:00:09Z""#, "null"),
        feature(#""device":"a","time":"2020-01-01T00:00:09""#, point),
      ].joined(separator: ",\n") + "]}"
    let path = try directory.write(text, to: "a.geojson")
    let reading = try TrackReading([path]) { $0.skipInvalid = true }
    var first = Fix.at(1_577_836_800, 48.2, 16.4, accuracy: 5, speed: 2.5, course: 0)
    first.time.microseconds += 250_000
    #expect(
      reading.fixes == [
        ReadFix(device: "a", fix: first), ReadFix(device: "b", fix: .at(1_577_836_800, 48.2, 16.4)),
      ])
    #expect(reading.messages.first == "the time is missing")
    #expect(reading.summary.skipped.count == 3)
    #expect(reading.places.first?.layer == "a")
    let local = try TrackReading([path]) {
      $0.skipInvalid = true
      $0.zone = .utc
    }
    #expect(local.fixes.count == 3)
    let numbers = try directory.write(
      #"{"type":"FeatureCollection","features":["# + feature(#""id":"x","timestamp":1577836800.5"#, point)
        + "]}",
      to: "n.geojson")
    #expect(try TrackReading([numbers]).fixes.first?.fix.time.microseconds == 1_577_836_800_500_000)
  }

  @Test func readsLinesOnlyWithTheirTimes() throws {
    func line(_ properties: String) -> String {
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"a"\#(properties)},"#
        + #""geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}"#
    }
    let times = #","coordTimes":["2020-01-01T00:00:00Z","2020-01-01T00:00:10Z"]"#
    let reading = try TrackReading([directory.write(line(times), to: "a.geojson")])
    #expect(
      reading.fixes == [
        ReadFix(device: "a", fix: .at(1_577_836_800, 2, 1)),
        ReadFix(device: "a", fix: .at(1_577_836_810, 4, 3)),
      ])
    let multi =
      #"{"type":"Feature","properties":{"coordTimes":[["1970-01-01T00:00:00Z","1970-01-01T00:00:01Z"],["#
      + #""1970-01-01T00:00:02Z"]]},"geometry":{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8]]]}}"#
    let path = try directory.write(multi, to: "m.geojson")
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    #expect(error?.description.contains("3 times for a line of 4 vertices") == true)
    let bare = #expect(throws: FormatError.self) {
      try TrackReading([directory.write(line(""), to: "b.geojson")])
    }
    guard case .missingTime(_, let expected, let found) = bare else {
      Issue.record("\(String(describing: bare))")
      return
    }
    #expect(expected.contains("coordTimes") && found == ["name"])
  }

  /// Times of vertices as text and as numbers, in one list or in lists of lists, in the unit and from the
  /// field that the options name.
  @Test(arguments: [
    (#""coordTimes":["1577836800000","1577836810000"]"#, nil, TimeUnit.milliseconds),
    (#""coordTimes":[1577836800000,1577836810000]"#, nil, .milliseconds),
    (#""coordTimes":[1577836800,1577836810]"#, nil, nil),
    (#""coordTimes":[1577836800.0,1577836810.00]"#, nil, nil),
    (#""coordTimes":[[1577836800000,1577836810000]]"#, nil, .milliseconds),
    (#""coordTimes":[["2020-01-01 00:00:00Z"],["2020-01-01 00:00:10Z"]]"#, nil, nil),
    (#""when":["2020-01-01T00:00:00Z","2020-01-01T00:00:10Z"],"coordTimes":["1","2"]"#, "when", nil),
    (#""when":[1577836800,1577836810]"#, "when", nil),
    // A name that says milliseconds counts for lines as for points, unless the unit is stated.
    (#""time_ms":[1577836800000,1577836810000],"coordTimes":["1","2"]"#, "time_ms", nil),
    (#""time_ms":[1577836800,1577836810]"#, "time_ms", .seconds),
    // On a line without the field that is named, coordTimes are read, in their own unit.
    (#""time_ms":null,"coordTimes":[1577836800,1577836810]"#, "time_ms", nil),
    // Milliseconds of the points' own field say nothing of the vertices' times.
    (#""time_ms":5,"coordTimes":["1577836800","1577836810"]"#, nil, nil),
  ])
  func readsTimesOfVertices(_ properties: String, field: String?, unit: TimeUnit?) throws {
    let path = try directory.write(
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"a",\#(properties)},"#
        + #""geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}"#, to: "a.geojson")
    let reading = try TrackReading([path]) {
      $0.timeField = field
      $0.timeUnit = unit
    }
    #expect(reading.fixes.map(\.fix.time.seconds) == [1_577_836_800, 1_577_836_810])
  }

  /// A field that is named for the points of a file leaves its lines their own times.
  @Test(arguments: [nil, "time"]) func readsLinesAndPointsOfOneFile(field: String?) throws {
    func feature(_ properties: String, _ type: String, _ coordinates: String) -> String {
      #"{"type":"Feature","properties":{"device":"a",\#(properties)},"#
        + #""geometry":{"type":"\#(type)","coordinates":\#(coordinates)}}"#
    }
    let features = [
      feature(#""coordTimes":[1577836800,1577836810]"#, "LineString", "[[1,2],[3,4]]"),
      feature(#""time":"2020-01-01T00:00:20Z""#, "Point", "[5,6]"),
      feature(#""time":1577836830"#, "Point", "[7,8]"),
    ]
    let path = try directory.write(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#, to: "m.geojson")
    let reading = try TrackReading([path]) { $0.timeField = field }
    #expect(reading.fixes.map { $0.fix.time.seconds - 1_577_836_800 } == [0, 10, 20, 30])
    let timeless = feature(#""x":1"#, "LineString", "[[1,2],[3,4]]")
    let bare = try directory.write(
      #"{"type":"FeatureCollection","features":[\#(features[1]),\#(timeless)]}"#, to: "b.geojson")
    let error = #expect(throws: FormatError.self) { try TrackReading([bare]) { $0.timeField = field } }
    #expect(error?.description.contains(#"a line without times ("\#(field ?? "coordTimes")")"#) == true)
  }

  @Test func refusesTracksOfKMLWhoseTimesAreNotRead() throws {
    let track =
      "<gx:Track><when>2026-06-01T10:00:00Z</when><when>2026-06-01T10:01:00Z</when>"
      + "<gx:coord>16 48 0</gx:coord><gx:coord>16.001 48 0</gx:coord></gx:Track>"
    let path = try directory.write(
      #"<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>"#
        + "<Placemark><name>walk</name>\(track)</Placemark></Document></kml>", to: "t.kml")
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    #expect(
      error?.description.contains("those of a gx:Track are not read; write the track as GPX or CSV") == true)
    let rest = try TrackReading([path]) { $0.skipInvalid = true }
    #expect(rest.fixes.isEmpty && rest.summary.skipped.count == 1)
  }

  @Test func readsGeoPackages() throws {
    let path = directory.file("a.gpkg")
    try OGRWriter.write(
      [.init(identifier: "2020-01-01T00:00:00Z", wkt: "POINT (1800000 6000000)", radius: 1)], to: path,
      driver: "GPKG", epsg: 3857, idField: "time")
    let reading = try TrackReading([path])
    #expect(reading.fixes.map(\.device) == ["a"])
    let expected = try OGRWriter.transform(1_800_000, 6_000_000, from: 3857, to: 4326)
    let place = try #require(reading.fixes.first).fix.coordinate
    #expect(abs(place.longitude - expected.x) < 1e-9 && abs(place.latitude - expected.y) < 1e-9)
  }
}
