import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityText

@Suite struct EventFormatterTests {
  struct Event {
    var device: String
    var time: Timestamp
    var region: String
    var kind: String
    var coordinate: Coordinate
    var since: Timestamp?
  }

  static func text(_ format: EventFormatter.Format, _ events: [Event]) -> String {
    var formatter = EventFormatter(format)
    var body: [UInt8] = []
    for event in events {
      formatter.append(
        device: event.device, time: event.time, region: event.region, kind: event.kind,
        coordinate: event.coordinate,
        inferredSince: event.since, to: &body)
    }
    if !events.isEmpty { body.removeFirst(formatter.separatorByteCount) }
    return String(decoding: formatter.header + body + formatter.footer, as: UTF8.self)
  }

  static let events = [
    Event(
      device: "bus", time: Timestamp(microseconds: 1_500_499), region: "stop, \"1\"", kind: "enter",
      coordinate: Coordinate(latitude: 48.123456785, longitude: -0.000000001)),
    Event(
      device: "a\nb", time: Timestamp(microseconds: 86_400_000_000), region: "ß", kind: "exit",
      coordinate: Coordinate(latitude: -90, longitude: 180), since: Timestamp(microseconds: -500)),
  ]

  @Test func writesCSV() {
    #expect(
      Self.text(.csv, Self.events) == """
        device,time,region,kind,latitude,longitude,inferred
        bus,1970-01-01T00:00:01.500Z,"stop, ""1""\",enter,48.12345679,0.00000000,false
        "a
        b",1970-01-02T00:00:00.000Z,ß,exit,-90.00000000,180.00000000,true

        """)
    #expect(Self.text(.csv, []) == "device,time,region,kind,latitude,longitude,inferred\n")
  }

  @Test func writesJSON() throws {
    #expect(
      Self.text(.ndjson, Self.events).split(separator: "\n").last.map(String.init)
        == #"{"device":"a\nb","time":"1970-01-02T00:00:00.000Z","region":"ß","kind":"exit","latitude":-90.00000000,"#
        + #""longitude":180.00000000,"inferred":true,"interval":["1970-01-01T00:00:00.000Z","1970-01-02T00:00:00.000Z"]}"#
    )
    for count in 0...2 {
      let text = Self.text(.geojson, Array(Self.events.prefix(count)))
      let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let features = try #require(object["features"] as? [[String: Any]])
      #expect(features.count == count)
      guard let feature = features.last, count == 2 else { continue }
      let geometry = try #require(feature["geometry"] as? [String: Any])
      #expect(geometry["coordinates"] as? [Double] == [180, -90])
      let properties = try #require(feature["properties"] as? [String: Any])
      #expect(properties["device"] as? String == "a\nb")
      #expect(properties["inferred"] as? Bool == true)
      #expect((properties["interval"] as? [String])?.count == 2)
    }
  }

  /// Times as the timestamp describes itself, numbers as Foundation rounds them, texts as Foundation reads
  /// them back.
  @Test func agreesWithFoundation() throws {
    let seed: UInt64 = 0x5EED_0108
    var random = SplitMix64(seed: seed)
    for i in 0..<2000 {
      let range: Int64 = i % 2 == 0 ? 4_000_000_000_000_000 : 300_000_000_000_000_000
      let characters = Array("ab ,\"\n\r\t\\\u{1}\u{7F}é😀;")
      func name() -> String {
        String((0..<Int(random.next() % 6)).compactMap { _ in characters.randomElement(using: &random) })
      }
      let event = Event(
        device: name(), time: Timestamp(microseconds: Int64.random(in: -range...range, using: &random)),
        region: name(), kind: "enter",
        coordinate: Coordinate(
          latitude: Double.random(in: -90...90, using: &random),
          longitude: Double.random(in: -180...180, using: &random)),
        since: i % 3 == 0 ? Timestamp(microseconds: Int64.random(in: -range...range, using: &random)) : nil)
      let json = Self.text(.ndjson, [event])
      let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect(object["device"] as? String == event.device, "seed \(seed), event \(i)")
      #expect(object["region"] as? String == event.region)
      #expect(object["time"] as? String == event.time.description)
      #expect((object["interval"] as? [String])?.first == event.since?.description)
      let csv = Self.text(.csv, [event])
      let latitude = String(format: "%.8f", event.coordinate.latitude)
      let longitude = String(format: "%.8f", event.coordinate.longitude)
      #expect(
        csv.hasSuffix(",enter,\(latitude),\(longitude),\(event.since != nil)\n")
          || abs(event.coordinate.latitude) < 1e-8 || abs(event.coordinate.longitude) < 1e-8,
        "seed \(seed), event \(i): \(csv)")
    }
  }
}
