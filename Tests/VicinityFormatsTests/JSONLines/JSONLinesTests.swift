import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

@Suite struct JSONLinesTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let plain = #"""
    {"device":"a","time":"1970-01-01T00:00:10Z","latitude":48.2,"longitude":16.4,"accuracy":5,"speed":1.5,"course":360}
    {"device":"b","time":10,"latitude":-33.9,"longitude":1.512e2,"accuracy":null}
    {"note":{"deep":[1,"}]",{"x":[]}]},"course":90,"device":"\u0061","time":"1970-01-01T01:00:11+01:00","latitude":"48.3","longitude":16.5,"accuracy":0,"speed":0,"ok":true}

    """#

  @Test func readsEveryWayOfWritingLines() throws {
    for text in [
      Self.plain, Self.plain.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + Self.plain,
      "\n" + Self.plain.replacingOccurrences(of: "\n", with: "\n\n"), String(Self.plain.dropLast()),
      Self.plain.replacingOccurrences(of: "\":", with: "\" : "),
      "[" + Self.plain.dropLast().replacingOccurrences(of: "\n", with: ",\n") + "]\n",
      "[\n" + Self.plain.dropLast().replacingOccurrences(of: "\n", with: "\n,") + "\n]",
      Self.plain.replacingOccurrences(of: "\"device\"", with: "\"Vehicle_ID\"").replacingOccurrences(
        of: "latitude", with: "lat"),
    ] {
      let path = try directory.write(text, to: "a.json")
      for chunk in [61, 100, 1 << 20] {
        let reading = try TrackReading([path]) { $0.chunkByteCount = chunk }
        #expect(reading.fixes == TrackReaderTests.plainFixes, "\(text)")
      }
    }
  }

  @Test func namesLinesOfBadObjects() throws {
    let text = #"""
      {"device":"a","time":1,"latitude":1,"longitude":1}
      {"device":"a","time":2,"latitude":91,"longitude":1}
      {"device":"a","time":2,"latitude":1}
      {"device":"a","time":2,"latitude":true,"longitude":1}
      {"device":"a","time":2,"latitude":1,"latitude":2,"longitude":1}
      {"device":"a","time":2,"latitude":1,"longitude":1
      {"device":"a","time":2,"latitude":1,"longitude":1} {}
      {"device":"a","time":"2020-01-01 00:00:00","latitude":1,"longitude":1}
      {"device":"a","time":2,"latitude":NaN,"longitude":1}
      {"device":"\ud800","time":2,"latitude":1,"longitude":1}
      {"device":null,"time":2,"latitude":1,"longitude":1}
      {"device":"a","time":2,"latitude":1,"longitude":1,"accuracy":"wide"}
      {"device":"a","time":2,"latitude":1,"longitude":1,"x":[1,{"y":2]}}
      device,time
      {"device":"a","time":3,"latitude":1,"longitude":1}
      """#
    let path = try directory.write(text, to: "a.ndjson")
    let reading = try TrackReading([path]) { $0.skipInvalid = true }
    #expect(reading.lines == [1, 15])
    #expect(reading.skippedLines == Array(2...14))
    let messages = reading.messages
    for (i, words) in [
      "swapped", "longitude", "latitude is neither text nor a number", "\"latitude\" is there twice",
      "no end",
      "something else follows", "has no zone", "is not a number", "an escape that is none",
      "the device is empty",
      "accuracy \"wide\" is not a number", "brackets that do not match", "no object of JSON",
    ].enumerated() {
      #expect(messages[i].contains(words), "\(messages[i])")
    }
    #expect(throws: FormatError.self) { try TrackReading([path]) }
  }

  @Test func nestsInBoundedMemory() throws {
    for depth in [64, 65, 1_000_000] {
      let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let text = """
        {"device":"a","time":1,"latitude":1,"longitude":1}
        {"device":"a","time":2,"latitude":1,"longitude":1,"x":\(nest)}

        """
      let reading = try TrackReading([directory.write(text, to: "a.ndjson")]) { $0.skipInvalid = true }
      #expect(reading.fixes.count == (depth > 64 ? 1 : 2))
      if depth > 64 { #expect(reading.messages.first?.contains("nested more than 64 deep") == true) }
    }
  }

  @Test func saysWhatTheFirstObjectLacks() throws {
    func error(_ text: String, _ change: (inout ReadingOptions) -> Void = { _ in }) throws -> String {
      let path = try directory.write(text, to: "a.ndjson")
      return "\(#expect(throws: FormatError.self) { try TrackReading([path], change) } as Any)"
    }
    #expect(try error(#"{"device":"a","latitude":1,"longitude":1}"#).contains("timestamp"))
    #expect(try error(#"{"device":"a","time":1,"longitude":1}"#).contains("latitude"))
    #expect(try error("{\n}").contains("no line of it is an object"))
    // Other members may tell devices apart, unless somebody says that they do not.
    let taxis = #"{"cab":7,"time":1,"latitude":1,"longitude":1}"#
    #expect(try error(taxis).contains("may tell devices apart"))
    let path = directory.file("a.ndjson")
    #expect(try TrackReading([path]) { $0.isSingleDevice = true }.fixes.map(\.device) == ["a"])
    #expect(try TrackReading([path]) { $0.identifierField = "cab" }.fixes.map(\.device) == ["7"])
    // A later object of another device.
    let mixed =
      #"{"time":1,"latitude":1,"longitude":1}"# + "\n"
      + #"{"device":"b","time":2,"latitude":1,"longitude":1}"#
    #expect(try error(mixed).contains("which the first object lacks"))
  }

  @Test func readsMillisecondsWhereTheyAreStated() throws {
    let text = #"{"device":"a","time_ms":1600000000123,"lat":1,"lon":2}"#
    let reading = try TrackReading([directory.write(text, to: "a.jsonl")])
    #expect(reading.fixes.first?.fix.time.microseconds == 1_600_000_000_123_000)
  }

  @Test func readsRegionsAndPoints() throws {
    let text = #"""
      {"id":"a\"b","latitude":48.2,"longitude":16.4,"radius":100}
      {"id":7,"wkt":"POLYGON((0 0,1 0,1 1,0 0))"}
      {"id":"c","wkt":"POINT(1 2)","radius":"5"}
      {"id":"a\"b","latitude":1,"longitude":1,"radius":1}
      {"id":"d","latitude":1,"longitude":1,"radius":-1}
      {"id":"e","latitude":1,"longitude":1}
      {"id":[],"latitude":1,"longitude":1,"radius":1}
      """#
    let path = try directory.write(text, to: "r.json")
    let reading = try RegionReader.read(
      path,
      options: {
        var o = ReadingOptions()
        o.skipInvalid = true
        return o
      }())
    #expect((0..<reading.content.count).map { reading.content.identifier(of: $0) } == ["a\"b", "7", "c"])
    #expect(reading.content.radii[2] == 5)
    #expect(reading.skipped.examples.compactMap(\.place.line) == [4, 5, 6, 7])
    #expect(throws: FormatError.self) { try RegionReader.read(path) }
    let points = try PointReader.read(
      directory.write(#"{"lat":1,"lon":2}"# + "\n\n" + #"{"lat":3,"lon":4}"#, to: "p.ndjson"))
    #expect(points.content.identifiers == ["1", "2"])
    #expect(
      points.content.coordinates == [
        Coordinate(latitude: 1, longitude: 2), Coordinate(latitude: 3, longitude: 4),
      ])
    #expect(points.warnings.count == 1)
    #expect(throws: FormatError.self) {
      try RegionReader.read(directory.write(#"{"id":"a","lat":1,"lon":2}"#, to: "n.ndjson"))
    }
  }

  /// What programs of ours write: events as tracks, and the array that answers are.
  @Test func readsWhatIsWritten() throws {
    var formatter = EventFormatter(.ndjson)
    var text = formatter.header
    let place = Coordinate(latitude: 48.25, longitude: 16.5)
    for (second, since) in [(10, nil), (20, Timestamp(seconds: 15))] as [(Double, Timestamp?)] {
      formatter.append(
        device: "bus \"7\"\n", time: try #require(Timestamp(seconds: second)), region: "é", kind: "enter",
        coordinate: place, inferredSince: since, to: &text)
    }
    text += formatter.footer
    let path = try directory.write(text, to: "events.ndjson")
    let events = try TrackReading([path])
    #expect(events.fixes.map(\.device) == ["bus \"7\"\n", "bus \"7\"\n"])
    #expect(events.fixes.map { $0.fix.time.seconds } == [10, 20])
    #expect(events.fixes.allSatisfy { $0.fix.coordinate == place })
    // As points, they are named by their regions.
    #expect(try PointReader.read(path).content.identifiers == ["é", "é"])
    let answers = """
      [
      {"query":"x","latitude":1.0,"longitude":2.0,"neighbours":[{"rank":1,"region":"a","boundary_distance":1.0,"centre_distance":null}]},
      {"query":"y","latitude":3.0,"longitude":4.0,"neighbours":[]}
      ]

      """
    #expect(
      try PointReader.read(directory.write(answers, to: "nearest.json")).content.identifiers == ["x", "y"])
  }

  @Test func leavesGeoJSONToOthers() {
    for (text, isLines) in [
      (#"{"type":"Feature","properties":{}}"#, false),
      (#"{"type":"FeatureCollection","features":[]}"#, false),
      ("{\n\"type\":\"FeatureCollection\"}", false), (#"{"type":"bus","lat":1}"#, true),
      (#"[{"lat":1}]"#, true),
      ("[1,2]", false), ("id,lat\n", false), ("", false), ("[[[[", false), (#"{"lat":1"#, false),
      ("{}", false),
    ] {
      #expect(JSONLines.areRecognized(in: Array(text.utf8), isNamedSo: false) == isLines, "\(text)")
    }
    #expect(JSONLines.areRecognized(in: Array("{\"lat\":1\n".utf8), isNamedSo: true))
  }

  @Test func followsAStreamOfLines() throws {
    let steps = [
      #"{"device":"a","time":1,"lat":1,"lon":1}"# + "\n", #"{"device":"a","time":2,"lat":1"#,
      ",\"lon\":2}\nbad\n",
    ]
    let path = directory.file("pipe")
    try writeSlowly(steps, toPipeAt: path)
    let reading = try TrackReading([path]) { $0.follows = true }
    #expect(reading.fixes.map { Int($0.fix.time.seconds) } == [1, 2])
    #expect(reading.skippedLines == [3])
  }

  /// Whatever the bytes: a reading or a typed error, the same in small pieces, and everything in its range.
  @Test func survivesAnyBytes() throws {
    let seed: UInt64 = 0x5EED_0C04
    var random = SplitMix64(seed: seed)
    let fragments = [
      "\"", "{", "}", "[", "]", ":", ",", "\\", "\\u00", "\\ud83d\\ude00", "null", "true", "1e999", "\n",
      "\u{0}", "lat",
    ].map { Array($0.utf8) }
    for i in 0..<(runsLongTests ? 20_000 : 600) {
      var bytes = Array(Self.plain.utf8)
      for _ in 0...Int(random.next() % 5) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(contentsOf: fragments[Int(random.next() % UInt64(fragments.count))], at: place)
        case 2: bytes.remove(at: place)
        default: bytes.removeLast(min(bytes.count - 1, Int(random.next() % 40)))
        }
      }
      let path = try directory.write(bytes, to: "a.ndjson")
      var readings: [TrackReading?] = []
      for chunk in [61, 1 << 20] {
        do {
          readings.append(
            try TrackReading([path]) {
              $0.skipInvalid = true
              $0.chunkByteCount = chunk
            })
        } catch is FormatError {
          readings.append(nil)
        }
      }
      #expect(readings[0]?.fixes == readings[1]?.fixes, "seed \(seed), file \(i): \(bytes)")
      #expect(readings[0]?.fixes.allSatisfy { $0.fix.coordinate.isValid } ?? true, "seed \(seed), file \(i)")
      var options = ReadingOptions()
      options.skipInvalid = true
      options.defaultRadius = 1
      do {
        _ = try RegionReader.read(path, options: options)
      } catch is FormatError {
        // Refused in words.
      }
    }
  }
}
