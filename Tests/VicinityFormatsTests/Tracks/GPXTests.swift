import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityFormats

@Suite struct GPXTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let ride = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- a <gpx> of <trkpt lat="9" lon="9"/> no account -->
    <!DOCTYPE gpx [ <!ENTITY x "y"> ]>
    <x:gpx version="1.1" xmlns:x="http://www.topografix.com/GPX/1/1">
    <metadata><time>1969-01-01T00:00:00Z</time></metadata>
    <wpt lat="1" lon="2"><time>1970-01-01T00:00:05Z</time></wpt>
    <rte><rtept lat="1" lon="2"/><rtept lat='1' lon='3'></rtept></rte>
    <trk><name>a &lt;b&gt; <![CDATA[ <trkpt> ]]></name><trkseg>
    <trkpt lat="48.5" lon='-16.25'><ele>5</ele><time>
      1970-01-01T00:00:10.5Z </time><extensions><e:time>x</e:time><e:speed>3.5</e:speed></extensions></trkpt>
    <trkpt lon="16" lat="48"><time>1970-01-01T00:00:11+00:00</time><course>360</course></trkpt>
    <trkpt lat="48" lon="17"></trkpt><trkpt lat="48" lon="17"/>
    <trkpt lat="98" lon="17"><time>1970-01-01T00:00:12Z</time></trkpt>
    <trkpt lon="17"><time>1970-01-01T00:00:12Z</time></trkpt>
    </trkseg></trk>
    <trk><trkseg><trkpt lat="49" lon="18"><time>1970-01-01T00:00:20Z</time></trkpt></trkseg></trk>
    </x:gpx>

    """

  @Test func saysWhatIsNotReadOnlyWhereThereIsSome() throws {
    let point =
      "<trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-01-01T00:00:00Z</time></trkpt></trkseg></trk>"
    for (other, words) in [
      ("<wpt lat=\"1\" lon=\"2\"/>", "1 waypoint is not read; only tracks are"),
      ("<rte><rtept lat=\"1\" lon=\"2\"/></rte>", "1 point of a route is not read; only tracks are"),
    ] {
      let path = try directory.write("<gpx>\(other)\(point)</gpx>", to: "other.gpx")
      #expect(try TrackReading([path]).summary.warnings.examples.map(\.message) == [words])
    }
  }

  @Test func saysThatNamedColumnsAreNotLookedFor() throws {
    let path = try directory.write(Self.ride, to: "ride.gpx")
    for chunk in [16, 1 << 20] {
      let reading = try TrackReading([path]) {
        $0.skipInvalid = true
        $0.chunkByteCount = chunk
        $0.latitudeField = "phi"
        $0.timeField = "t"
      }
      #expect(
        reading.summary.notes.examples.map(\.description).filter { !$0.contains("faster than any") } == [
          "\(path): no column \"t\": GPX has no columns with names",
          "\(path): no column \"phi\": GPX has no columns with names", "\(path):9: 3 times before 1980",
        ])
    }
  }

  @Test func readsThePointsOfTracks() throws {
    let path = try directory.write(Self.ride, to: "ride.gpx")
    for chunk in [16, 33, 1 << 20] {
      let reading = try TrackReading([path]) {
        $0.skipInvalid = true
        $0.chunkByteCount = chunk
      }
      var first = Fix.at(10, 48.5, -16.25, speed: 3.5)
      first.time.microseconds += 500_000
      #expect(
        reading.fixes == [
          ReadFix(device: "ride", fix: first), ReadFix(device: "ride", fix: .at(11, 48, 16, course: 0)),
          ReadFix(device: "ride", fix: .at(20, 49, 18)),
        ])
      #expect(reading.lines == [9, 11, 16])
      #expect(reading.skippedLines == [12, 12, 13, 14])
      #expect(reading.messages.first == "the point has no time")
      #expect(
        reading.summary.warnings.examples.map(\.message) == [
          "1 waypoint and 2 points of routes are not read; only tracks are"
        ])
    }
    let apart = try TrackReading([path]) {
      $0.skipInvalid = true
      $0.tracksAreDevices = true
    }
    #expect(apart.fixes.map(\.device) == ["ride/1", "ride/1", "ride/2"])
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    #expect(error?.description.contains("\(path):12: the point has no time") == true)
  }

  @Test func namesTheCureOfTracksOutOfOrder() throws {
    func track(_ day: Int) -> String {
      let time = "<time>2023-01-0\(day)T00:00:00Z</time>"
      return "<trk><trkseg><trkpt lat=\"48\" lon=\"16\">\(time)</trkpt></trkseg></trk>"
    }
    let path = try directory.write("<gpx>\(track(2))\(track(1))</gpx>", to: "two.gpx")
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    #expect(error?.cures.first == .sortTracks, "\(error as Any)")
    #expect(try TrackReading([path]) { $0.tracksAreDevices = true }.fixes.count == 2)
  }

  @Test func refusesWhatIsNotWellFormed() throws {
    let ride = Self.ride
    for text in [
      String(ride.prefix(ride.count / 2)), String(ride.dropLast(12)), "<gpx><trk></gpx>", "<gpx></gpx><gpx>",
      "<gpx><a></b></gpx>", "<gpx>" + String(repeating: "<a>", count: 300), "<gpx", "<gpx><",
    ] {
      let path = try directory.write(text, to: "a.gpx")
      #expect(throws: FormatError.self, "\(text)") { try TrackReading([path]) { $0.skipInvalid = true } }
    }
  }

  /// Any bytes, in chunks of any size: never a trap, and the same however it is cut.
  @Test func survivesDamage() throws {
    let seed: UInt64 = 0x5EED_0107
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 20_000 : 300) {
      var bytes = Array(Self.ride.utf8)
      for _ in 0..<Int(random.next() % 6) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(Array("<>/\"'-]![?&".utf8).randomElement(using: &random) ?? 0, at: place)
        }
      }
      let path = try directory.write(bytes, to: "a.gpx")
      var outcomes: [String] = []
      for chunk in [16, 100, 100_000] {
        do {
          let reading = try TrackReading([path]) {
            $0.skipInvalid = true
            $0.chunkByteCount = chunk
          }
          outcomes.append("\(reading.fixes) \(reading.summary)")
        } catch let error as FormatError {
          outcomes.append("\(error)")
        }
      }
      #expect(Set(outcomes).count == 1, "seed \(seed), file \(i): \(outcomes)")
    }
  }
}
