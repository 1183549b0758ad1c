import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats

/// Identifiers of features come back as they were given, or are bad rows.
@Suite struct FeatureIdentifierTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A value of JSON, and the identifier that it is; nil for what is none.
  static let values: [(json: String, identifier: String?)] = [
    ("0", "0"), ("7", "7"), ("-4", "-4"), ("9007199254740991", "9007199254740991"),
    ("9007199254740992", "9007199254740992"), ("9007199254740993", "9007199254740993"),
    ("9223372036854775806", "9223372036854775806"), ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775807", "-9223372036854775807"), ("9223372036854775808", "9223372036854775808"),
    ("9223372036854775809", "9223372036854775809"), ("18446744073709551615", "18446744073709551615"),
    ("18446744073709551616", "18446744073709551616"),
    ("1000000000000000000000000000000", "1000000000000000000000000000000"),
    ("1.5", "1.5"), ("2.50", "2.50"), ("1e22", "1e22"), ("0.1234567890123456789", "0.1234567890123456789"),
    ("\"x\"", "x"), ("\"18446744073709551615\"", "18446744073709551615"), ("\"00042\"", "00042"),
    ("\"a\\u0062\"", "ab"), ("\"a\\u0000b\"", "a\0b"), ("\"a\\u0000c\"", "a\0c"),
  ]

  func feature(_ value: String, inProperties: Bool, at number: Int) -> String {
    let (own, property) = inProperties ? ("", "\"id\":\(value),") : ("\"id\":\(value),", "")
    return "{\"type\":\"Feature\",\(own)\"properties\":{\(property)\"n\":\(number),\"radius\":1},"
      + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(number),2]}}"
  }

  @Test(arguments: [true, false], [true, false])
  func comeBackAsTheyWereGiven(inProperties: Bool, isSequence: Bool) throws {
    let seed: UInt64 = 0x5EED_0063
    var random = SplitMix64(seed: seed)
    for round in 0..<(runsLongTests ? 2000 : 150) {
      var chosen = Self.values.shuffled(using: &random)
      // Of one kind, or mixed.
      switch round % 3 {
      case 0: chosen = chosen.filter { Int64($0.json) != nil }
      case 1: chosen = chosen.filter { !$0.json.hasPrefix("\"") }
      default: break
      }
      var seen: Set<String> = []
      chosen = chosen.filter { seen.insert($0.identifier ?? "").inserted }
      chosen = Array(chosen.prefix(Int.random(in: 2...6, using: &random)))
      let features = chosen.enumerated().map { feature($1.json, inProperties: inProperties, at: $0) }
      let path =
        isSequence
        ? try directory.write(features.joined(separator: "\n") + "\n", to: "a.geojsonl")
        : try directory.write(
          "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}",
          to: "a.geojson")
      let comment = "seed \(seed), round \(round): \(chosen.map(\.json))" as Comment
      let set = try RegionReader.read(path).content
      // Whatever their order, each has the identifier that stands beside its place.
      #expect(set.count == chosen.count, comment)
      for i in 0..<set.count {
        let number = Int(set.centers[i].longitude.rounded())
        #expect(set.identifier(of: i) == chosen[number].identifier, comment)
      }
      let points = try PointReader.read(path).content
      for (identifier, place) in zip(points.identifiers, points.coordinates) {
        #expect(identifier == chosen[Int(place.longitude.rounded())].identifier, comment)
      }
    }
  }

  @Test(arguments: [true, false])
  func repeatsAndGapsAreTold(inProperties: Bool) throws {
    func read(_ values: [String]) throws -> Reading<RegionSet> {
      let features = values.enumerated().map { feature($1, inProperties: inProperties, at: $0) }.joined(
        separator: ",")
      return try RegionReader.read(
        directory.write("{\"type\":\"FeatureCollection\",\"features\":[\(features)]}", to: "a.geojson"))
    }
    for values in [
      ["9", "3", "9"], ["18446744073709551615", "18446744073709551615"], ["1", "\"1\""], ["5", "null"],
      ["2", "null", "1"],
    ] {
      #expect(throws: FormatError.self, "\(values)") { try read(values) }
    }
  }

  /// A file of features with these members.
  func collection(_ features: [String], isSequence: Bool) throws -> String {
    let texts = features.enumerated().map { number, members in
      "{\"type\":\"Feature\",\(members),"
        + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(number),2]}}"
    }
    return isSequence
      ? try directory.write(texts.joined(separator: "\n") + "\n", to: "a.geojsonl")
      : try directory.write(
        "{\"type\":\"FeatureCollection\",\"features\":[\(texts.joined(separator: ","))]}", to: "a.geojson")
  }

  /// Whichever feature it is: the name of the field decides, and not what the first feature has in it.
  @Test(arguments: ["id", "name", "REGION"], [true, false])
  func aFeatureWithoutIdentifierIsABadRow(field: String, isSequence: Bool) throws {
    for value in ["\"\"", "null", nil] {
      for place in 0..<3 {
        let features = (0..<3).map { number in
          let identifier = number == place ? value : "\"r\(number)\""
          let member = identifier.map { "\"\(field)\":\($0)," } ?? ""
          return "\"properties\":{\(member)\"radius\":1}"
        }
        let comment = "\(value ?? "nothing") at \(place)" as Comment
        let path = try collection(features, isSequence: isSequence)
        let error = #expect(throws: FormatError.self, comment) { try RegionReader.read(path) }
        #expect(
          "\(try #require(error))".contains(
            "the identifier is empty (taken from \"\(field)\"; another field can be named)"), comment)
        #expect(throws: FormatError.self, comment) { try PointReader.read(path) }
        var options = ReadingOptions()
        options.skipInvalid = true
        let expected = (0..<3).filter { $0 != place }.map { "r\($0)" }
        let regions = try RegionReader.read(path, options: options)
        #expect(LayerTests.names(regions.content) == expected, comment)
        #expect(regions.skipped.count == 1 && regions.warnings.isEmpty, comment)
        #expect(try PointReader.read(path, options: options).content.identifiers == expected, comment)
      }
    }
  }

  /// Drawing programs write fields that stay empty.
  @Test func fieldsWithoutAnyValueArePassedOver() throws {
    func read(_ properties: [String]) throws -> Reading<RegionSet> {
      let features = properties.map { "\"properties\":{\($0),\"radius\":1}" }
      return try RegionReader.read(try collection(features, isSequence: false))
    }
    let named = try read([#""id":null,"name":"a""#, #""id":"","name":"b""#])
    #expect(LayerTests.names(named.content) == ["a", "b"])
    let one = try read([#""id":null"#, #""id":"""#])
    #expect(LayerTests.names(one.content) == ["0", "1"])
    #expect(
      one.warnings.examples.map(\.message) == [
        "no identifiers: the field \"id\" has no value in any of the features; features are named by their number"
      ])
    let two = try read([#""id":null,"name":"""#, #""name":null"#])
    #expect(
      two.warnings.examples.map(\.message) == [
        "no identifiers: the fields \"id\", \"name\" have no value in any of the features; features are named by"
          + " their number"
      ])
  }

  /// The features' own ids: one that lacks its own is a bad row, also the first.
  @Test(arguments: ["7", "\"b\""], [true, false])
  func aFeatureWithoutItsOwnIdIsABadRow(other: String, isSequence: Bool) throws {
    for first in ["", "\"id\":null,", "\"id\":\"\","] {
      let features = [first, "\"id\":\(other),"].map { $0 + "\"properties\":{\"radius\":1}" }
      let path = try collection(features, isSequence: isSequence)
      for name in [nil, "id"] {
        var options = ReadingOptions()
        options.identifierField = name
        #expect(throws: FormatError.self, "\(first)") { try RegionReader.read(path, options: options) }
        options.skipInvalid = true
        let reading = try RegionReader.read(path, options: options)
        #expect(LayerTests.names(reading.content) == [other.trimmingCharacters(in: ["\""])], "\(first)")
        #expect(reading.skipped.count == 1, "\(first)")
      }
    }
  }

  /// A property that is text wins over a number beside the properties, whatever the first feature has.
  @Test func propertiesWinOverIdsBesideThem() throws {
    let path = try collection(
      [#""properties":{"id":"a","radius":1}"#, #""id":1.5,"properties":{"id":"b","radius":1}"#],
      isSequence: false)
    #expect(LayerTests.names(try RegionReader.read(path).content) == ["a", "b"])
  }

  /// As a track's devices.
  @Test func aFixWithoutDeviceIsABadRow() throws {
    func reader(_ devices: [String]) throws -> TrackReader {
      let features = devices.enumerated().map {
        "\"properties\":{\"device\":\($1),\"time\":\"2024-05-01T00:00:0\($0)Z\"}"
      }
      var options = ReadingOptions()
      options.skipInvalid = true
      return try TrackReader([try collection(features, isSequence: false)], options: options)
    }
    let some = try reader(["null", "\"a\\u0000b\"", "\"\""])
    while try some.next() != nil {}
    #expect((0..<some.devices.count).map { some.devices[$0] } == ["a\0b"])
    #expect(some.summary.skipped.examples.map(\.message) == ["the device is empty", "the device is empty"])
    let none = try reader(["null", "\"\""])
    let error = #expect(throws: FormatError.self) { try none.next() }
    #expect("\(try #require(error))".contains("names devices (no value in any feature: \"device\")"))
  }

  /// As a track's devices.
  @Test func devicesComeBackAsTheyWereGiven() throws {
    let ids = ["9223372036854775808", "9223372036854775809", "18446744073709551615", "7"]
    let features = ids.enumerated().map { i, id in
      "{\"type\":\"Feature\",\"properties\":{\"device\":\(id),\"time\":\"2024-05-01T00:00:0\(i)Z\"},"
        + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,\(i)]}}"
    }.joined(separator: ",")
    let path = try directory.write(
      "{\"type\":\"FeatureCollection\",\"features\":[\(features)]}", to: "t.geojson")
    let reader = try TrackReader([path])
    while try reader.next() != nil {}
    #expect((0..<reader.devices.count).map { reader.devices[$0] } == ids)
  }

  /// Fields of real numbers keep 53 bits.
  @Test func realNumbersBeyondTheirDigitsAreBadRows() throws {
    let path = directory.file("a.fgb")
    func read(_ value: Double) throws -> String {
      try OGRWriter.write(
        [.init(identifier: "x", wkt: "POINT(1 2)", radius: value)], to: path, driver: "FlatGeobuf")
      var options = ReadingOptions()
      options.identifierField = "radius"
      return try PointReader.read(path, options: options).content.identifiers[0]
    }
    for (value, text) in [
      (0, "0"), (-3, "-3"), (9_007_199_254_740_991, "9007199254740991"), (0.1, "0.1"),
      (1234567.125, "1234567.125"),
      (0.1 + 0.2, "0.30000000000000004"),
    ] {
      #expect(try read(value) == text)
    }
    for value in [0x1p53, 1e22, 18446744073709551615.0, -1e300] {
      let error = #expect(throws: FormatError.self) { try read(value) }
      #expect("\(try #require(error))".contains("more digits than a real number keeps"))
    }
  }

  /// GDAL takes a lone feature's property for its number, which may not be negative.
  @Test func aLoneFeatureComesBackOrIsRefused() throws {
    for (json, identifier) in Self.values {
      let path = try directory.write(feature(json, inProperties: true, at: 0) + "\n", to: "a.geojson")
      do {
        let set = try RegionReader.read(path).content
        #expect((0..<set.count).map { set.identifier(of: $0) } == [identifier], "\(json)")
      } catch let error as FormatError {
        #expect(json.hasPrefix("-") && "\(error)".contains("negative"), "\(json): \(error)")
      }
    }
  }
}
