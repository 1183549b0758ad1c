import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityFormats

@Suite struct TrackReaderTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let plain = """
    device,time,latitude,longitude,accuracy,speed,course
    a,1970-01-01T00:00:10Z,48.2,16.4,5,1.5,360
    b,10,-33.9,151.2,,,
    a,1970-01-01T01:00:11+01:00,48.3,16.5,0,0,90

    """

  static let plainFixes = [
    ReadFix(device: "a", fix: .at(10, 48.2, 16.4, accuracy: 5, speed: 1.5, course: 0)),
    ReadFix(device: "b", fix: .at(10, -33.9, 151.2)),
    ReadFix(device: "a", fix: .at(11, 48.3, 16.5, speed: 0, course: 90)),
  ]

  @Test func readsEveryWayOfWritingRows() throws {
    for text in [
      Self.plain, Self.plain.replacingOccurrences(of: "\n", with: "\r\n"), "\u{FEFF}" + Self.plain,
      Self.plain.replacingOccurrences(of: ",", with: ";"),
      Self.plain.replacingOccurrences(of: ",", with: "\t"),
      "\n\n" + Self.plain.replacingOccurrences(of: "\n", with: "\n\n"), String(Self.plain.dropLast()),
      Self.plain.replacingOccurrences(of: "a,", with: "\"a\","),
      Self.plain.replacingOccurrences(of: "device,time", with: " Device_ID , Timestamp "),
      Self.plain.replacingOccurrences(of: "latitude,longitude", with: "LAT,lng"),
      Self.plain.replacingOccurrences(of: "accuracy,speed,course", with: "hAcc,speed_mps,Bearing"),
    ] {
      let reading = try TrackReading([directory.write(text, to: "a.csv")])
      #expect(reading.fixes == Self.plainFixes, "\(text)")
    }
  }

  @Test func namesLinesOfBadRows() throws {
    let text = """
      device,time,latitude,longitude,accuracy
      a,1,1,1,
      a,,1,1,
      a,2,91,1,
      a,3,1,1,wide

      a,4,1
      ,5,1,1,
      a,2020-01-01 00:00:00,1,1,
      a,6,1,x,
      "a
      b",7,1,1,
      a,8,"1,1,
      """
    let path = try directory.write(text, to: "a.csv")
    let reading = try TrackReading([path]) { $0.skipInvalid = true }
    #expect(reading.fixes.map(\.device) == ["a", "a\nb"])
    #expect(reading.lines == [2, 11])
    #expect(reading.skippedLines == [3, 4, 5, 7, 8, 9, 10, 13])
    #expect(
      reading.messages == [
        "the time is missing", "latitude 91.0 is not within -90...90; are latitude and longitude swapped?",
        "accuracy \"wide\" is not a number",
        "3 fields where the header has 5", "the device is empty",
        "the time \"2020-01-01 00:00:00\" has no zone (Z, or an offset such as +01:00)",
        "longitude \"x\" is not a number", "a quoted field without an end",
      ])
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    guard case .invalidTrackRows(path, let first, 8) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(first.first?.description == "\(path):3: the time is missing")
  }

  @Test func dropsAndRefusesWhatIsOutOfOrder() throws {
    let text = """
      device,time,latitude,longitude,accuracy
      a,10,1,1,5
      b,5,1,1,5
      a,10,1,1,7
      a,10,1,2,5
      a,9,1,1,5
      a,8,1,1,-1
      a,11,1,3,5
      a,11,1,3,
      b,4,1,1,0
      b,6,1,1,0
      """
    let path = try directory.write(text, to: "a.csv")
    for chunk in [16, 40, 1000] {
      let reading = try TrackReading([path]) {
        $0.skipInvalid = true
        $0.chunkByteCount = chunk
      }
      #expect(reading.lines == [2, 3, 8, 11])
      #expect(reading.skippedLines == [5, 6, 10])
      #expect(reading.summary.repeats == 2)
      #expect(reading.summary.invalidFixes == 1)
      #expect(reading.summary.skipped.count == 3)
      #expect(reading.summary.fixes == 4)
      #expect(
        reading.messages.first
          == "device \"a\" is at two places at 1970-01-01T00:00:10.000Z: 1.0, 1.0 and 1.0, 2.0")
      #expect(
        reading.messages.last
          == "time runs backwards: 1970-01-01T00:00:04.000Z of device \"b\" comes after 1970-01-01T00:00:05.000Z"
      )
    }
    #expect(throws: FormatError.self) { try TrackReading([path]) }
    for bytes in [1, 1 << 20] {
      let sorted = try TrackReading([path]) {
        $0.sorts = true
        $0.sortByteCount = bytes
      }
      #expect(
        sorted.fixes.map { "\($0.device)\(Int($0.fix.time.seconds))" } == [
          "a9", "a10", "a11", "b4", "b5", "b6",
        ])
      #expect(sorted.fixes[1].fix.coordinate == Coordinate(latitude: 1, longitude: 1))
      #expect(sorted.summary.repeats == 2)
      #expect(sorted.summary.conflicts == 1)
      #expect(sorted.summary.invalidFixes == 1)
      #expect(sorted.summary.skipped.count == 0)
    }
  }

  /// One wrong time in a track: its row and no other is bad, wherever it stands, however the file is cut into
  /// batches.
  @Test func theWrongTimeIsTheBadRow() throws {
    let seed: UInt64 = 0x5EED_4703
    var random = SplitMix64(seed: seed)
    let wrong: [Int64] = [2_082_758_410, 925_516_800, 1_136_073_600, 253_402_300_799, 1_767_272_400]
    for round in 0..<60 {
      let (devices, count) = (1 + round % 3, 60)
      let start: Int64 = 1_767_265_200
      var rows: [(device: String, seconds: Int64)] = []
      for i in 0..<count { for device in 0..<devices { rows.append(("d\(device)", start + 60 * Int64(i))) } }
      let time = wrong[round % wrong.count]
      // What is too early in the first row contradicts nothing; nor does what is too late in the last one.
      let bad =
        Int(random.next() % UInt64(rows.count - 2 * devices))
        + (time < start || time == 1_767_272_400 ? devices : 0)
      rows[bad].seconds = time
      let text =
        "device,time,latitude,longitude\n"
        + rows.enumerated().map { "\($1.device),\($1.seconds),0,\(Double($0) * 1e-4)\n" }.joined()
      let path = try directory.write(text, to: "wrong.csv")
      for chunk in [300, 700, 1 << 20] where bad > devices || chunk > 700 {
        let reading = try TrackReading([path]) {
          $0.skipInvalid = true
          $0.chunkByteCount = chunk
        }
        #expect(
          reading.skippedLines == [bad + 2],
          "seed \(seed): \(time) in row \(bad + 2) of \(devices) devices, \(chunk) bytes")
        #expect(reading.summary.fixes == rows.count - 1)
      }
      // In the order in which rows arrive, only what came before tells: one more row at most is lost.
      let followed = try TrackReading([path]) {
        $0.follows = true
        $0.clock = { Timestamp(microseconds: 300_000_000_000_000_000) }
      }
      #expect(followed.summary.fixes >= rows.count - 2 && followed.summary.skipped.count <= 2)
    }
  }

  @Test func boundsTimes() throws {
    let text = "device,time,latitude,longitude\na,1000,1,1\na,90000,1,1\na,90001,1,1\na,200000,1,2\n"
    let path = try directory.write(text, to: "a.csv")
    let bounded = try TrackReading([path]) {
      $0.skipInvalid = true
      $0.notAfter = Timestamp(microseconds: 90_000_000_000)
    }
    #expect(bounded.lines == [2, 3] && bounded.skippedLines == [4, 5])
    #expect(
      bounded.messages.last
        == "the time 1970-01-03T07:33:20.000Z is later than the latest allowed, 1970-01-02T01:00:00.000Z")
    // A stream's fixes may be a day ahead of their arrival.
    let followed = try TrackReading([path]) {
      $0.follows = true
      $0.clock = { Timestamp(microseconds: 3_601_000_000) }
    }
    #expect(followed.lines == [2, 3, 4] && followed.skippedLines == [5])
    #expect(followed.messages == ["the time 1970-01-03T07:33:20.000Z is more than a day after its arrival"])
    let allowed = try TrackReading([path]) {
      $0.follows = true
      $0.clock = { Timestamp(microseconds: 0) }
      $0.notAfter = Timestamp(microseconds: 300_000_000_000)
    }
    #expect(allowed.lines == [2, 3, 4, 5])
    // Nothing depends on the day on which a file is read.
    #expect(try TrackReading([path]) { $0.clock = { Timestamp(microseconds: 0) } }.lines == [2, 3, 4, 5])
  }

  @Test func saysWhatIsOddAboutSteps() throws {
    let path = try directory.write(
      "device,time,latitude,longitude\na,1000000000,1,1\na,1000000001,2,1\nb,1000000000,1,1\nb,1040000000,1,1\nb,1080000000,1,1\n",
      to: "a.csv")
    let notes = try TrackReading([path]).summary.notes.examples.map(\.message)
    #expect(
      notes == [
        "1 step between fixes is faster than any vehicle (981 m/s), the first to 2001-09-09T01:46:41.000Z of device \"a\"; are times or places wrong?",
        "2 steps between fixes take longer than a year, the first to 2002-12-16T00:53:20.000Z of device \"b\"; are times or places wrong?",
      ])
  }

  @Test func saysWhatAHeaderLacks() throws {
    func error(_ text: String, _ change: (inout ReadingOptions) -> Void = { _ in }) throws
      -> FormatError?
    {
      let path = try directory.write(text, to: "a.csv")
      return #expect(throws: FormatError.self) { try TrackReading([path], change) }
    }
    guard case .missingColumn(_, let expected, _) = try error("device,latitude,longitude\n") else {
      Issue.record("no missing time")
      return
    }
    #expect(expected.contains("time") && expected.contains("time_ms"))
    func words(_ text: String, _ change: (inout ReadingOptions) -> Void = { _ in }) throws -> String {
      try error(text, change)?.description ?? ""
    }
    #expect(try words("time,lat,lat,lon\n").contains("mean the same thing"))
    #expect(try words("").contains("empty"))
    #expect(try words("time,lat,lon\n") { $0.identifierField = "who" }.contains("\"who\""))
    #expect(try words("time,lat,lon\n") { $0.chunkByteCount = 0 }.contains("chunkByteCount"))
    #expect(try words("time,lat,lon\n") { $0.edgeTolerance = 0 }.contains("edgeTolerance"))
    #expect(try words("a,time,\"lat\"x,lon\n").contains("text after a closing quote"))
  }

  @Test func takesMillisecondsOnlyWhereTheyAreStated() throws {
    let path = try directory.write("device,time,lat,lon\na,1600000000123,1,2\n", to: "a.csv")
    let reading = try TrackReading([path]) { $0.skipInvalid = true }
    #expect(reading.fixes.isEmpty)
    #expect(reading.messages.first?.contains("time_ms") == true)
    let stated = try TrackReading([
      directory.write("device,time_ms,lat,lon\na,1600000000123,1,2\n", to: "b.csv")
    ])
    #expect(stated.fixes.first?.fix.time.microseconds == 1_600_000_000_123_000)
    // Seconds win where both are there; a field may be named.
    let both = "device,time_ms,time,lat,lon\na,1600000000123,1600000001,1,2\n"
    let seconds = try TrackReading([directory.write(both, to: "c.csv")])
    #expect(seconds.fixes.first?.fix.time.microseconds == 1_600_000_001_000_000)
    let named = try TrackReading([directory.file("c.csv")]) { $0.timeField = "time_ms" }
    #expect(named.fixes.first?.fix.time.microseconds == 1_600_000_000_123_000)
  }

  @Test func namesDevicesAfterFilesWhereNothingElseDoes() throws {
    let reading = try TrackReading([directory.write("time,lat,lon\n1,2,3\n", to: "bus 7.csv")])
    #expect(reading.fixes.map(\.device) == ["bus 7"])
    #expect(reading.summary.warnings.examples.first?.message.contains("\"bus 7\"") == true)
    let byID = try TrackReading([directory.write("id,time,lat,lon\nx,1,2,3\n", to: "c.csv")])
    #expect(byID.fixes.map(\.device) == ["x"])
    #expect(byID.summary.warnings.examples.first?.message == "devices are taken from the column \"id\"")
    // An empty table still says so.
    let empty = try TrackReading([directory.write("time,lat,lon\n", to: "d.csv")])
    #expect(empty.fixes.isEmpty && empty.summary.warnings.count == 1)
  }

  /// Chunks, threads and where a run is taken up again change nothing.
  @Test func givesTheSameHoweverItIsCut() throws {
    let seed: UInt64 = 0x5EED_0105
    var random = SplitMix64(seed: seed)
    var text = "device,time,latitude,longitude,note\n"
    var clock = [Int](repeating: 0, count: 7)
    for i in 0..<600 {
      let device = Int(random.next() % 7)
      clock[device] += Int(random.next() % 5) - 1
      let note = ["", "x", "\"two\nlines\"", "\"\"\"q\"\"\""][Int(random.next() % 4)]
      text +=
        "\(i % 50 == 49 ? "" : "d\(device)"),\(clock[device]),\(i % 31 == 30 ? "x" : "1"),\(device),\(note)\n"
    }
    let path = try directory.write(text, to: "a.csv")
    let packed = try directory.write(Gzip.packed(Array(text.utf8)), to: "a.csv.gz")
    let whole = try TrackReading([path]) {
      $0.skipInvalid = true
      $0.maximumDiagnostics = 10_000
    }
    #expect(whole.summary.skipped.count > 20 && whole.fixes.count > 100)
    for chunk in [16, 100, 1000, 5000] {
      for (file, threads) in [(path, 1), (path, 3), (packed, 2)] {
        let reading = try TrackReading([file], threads: threads) {
          $0.skipInvalid = true
          $0.chunkByteCount = chunk
          $0.maximumDiagnostics = 10_000
        }
        #expect(reading.fixes == whole.fixes, "seed \(seed), chunk \(chunk)")
        #expect(reading.lines == whole.lines)
        #expect(reading.skippedLines == whole.skippedLines)
        #expect(reading.messages == whole.messages)
        #expect(reading.summary.repeats == whole.summary.repeats)
      }
    }
    for file in [path, packed] {
      var options = ReadingOptions()
      options.skipInvalid = true
      options.chunkByteCount = 700
      let first = try TrackReader([file, path], options: options)
      var early = try TrackReading([file, path]) {
        $0 = options
        $0.follows = false
      }
      let all = early
      early = try TrackReading([directory.write("time,lat,lon\n", to: "e.csv")])
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        if let batch = try first.next() { early.add(batch, first.devices) }
      }
      let end = try #require(early.ends.last)
      let second = try TrackReader(
        [file, path], options: options, from: end, devices: first.devices, order: first.order)
      let late = try TrackReading(second)
      #expect(early.fixes + late.fixes == all.fixes)
      #expect(early.lines + late.lines == all.lines)
    }
  }

  @Test func followsAStream() throws {
    let steps = [
      "device,time,latitude,longitude\n", "a,1,1,1\n", "a,2,1,", "2\nbad\na,3,\"1,3\na,4,1,4\n", "a,1,1,1\n",
      "a,5,1,5",
    ]
    let path = directory.file("pipe")
    try writeSlowly(steps, toPipeAt: path)
    var options = ReadingOptions()
    options.follows = true
    let reader = try TrackReader([path], options: options)
    var fixes: [Int] = []
    var skipped: [Int] = []
    var batches = 0
    while let batch = try reader.next() {
      batches += 1
      fixes += batch.fixes.map { Int($0.time.seconds) }
      skipped += batch.skipped.compactMap(\.place.line)
    }
    #expect(fixes == [1, 2, 4, 5])
    #expect(skipped == [4, 5, 7])
    // Each came before the next was written, not when a buffer was full.
    #expect(batches >= 3)
  }

  @Test("A stream, which may never end, is told of places at 0, 0 when they come, and once")
  func tellsZerosOfAStream() throws {
    let path = directory.file("zeros")
    try writeSlowly(
      ["device,time,latitude,longitude\n", "a,1,10,10\n", "b,1,0,0\n", "b,2,0,0\na,2,10,11\n"],
      toPipeAt: path)
    var options = ReadingOptions()
    options.follows = true
    let reader = try TrackReader([path], options: options)
    var isThere = false
    while let batch = try reader.next() {
      isThere = isThere || batch.fixes.contains { $0.coordinate == Coordinate(latitude: 0, longitude: 0) }
      let told = reader.summary.notes.examples.count { $0.message.contains("at latitude 0 and longitude 0") }
      #expect(told == (isThere ? 1 : 0))
    }
    #expect(isThere)
  }

  @Test func refusesWhatIsNoTrack() throws {
    for (name, bytes) in [
      ("a.csv", [0xFF, 0xFE, 0x61, 0x00]), ("b.csv", []), ("c.fit", [0x0E, 0x10, 0x00, 0x01]),
      ("d.json", Array("[{\"icao24\":\"3ed6a0\"}]".utf8)), ("e.gz", [0x1F, 0x8B, 8, 0, 0, 0]),
    ] as [(String, [UInt8])] {
      let path = try directory.write(bytes, to: name)
      #expect(throws: FormatError.self, "\(name)") { try TrackReading([path]) }
    }
    #expect(throws: FormatError.self) { try TrackReading([directory.file("missing")]) }
    #expect(throws: FormatError.self) { try TrackReading(["/vsizip/a.zip"]) }
    #expect(throws: FormatError.self) { try TrackReading([]) }
  }

  @Test func unpacksMembersOneAfterAnother() throws {
    let parts = ["device,time,lat,lon\na,1,1,", "1\na,2,1,2\n"].map { Gzip.packed(Array($0.utf8)) }
    let path = try directory.write(parts[0] + parts[1] + [0, 0, 0], to: "a.csv.gz")
    #expect(try TrackReading([path]).fixes.count == 2)
    for damaged in [
      parts[0], Array((parts[0] + parts[1]).dropLast(1)), parts[0] + parts[1] + [1], parts[0] + [0x1F, 0x8B],
    ] {
      let path = try directory.write(damaged, to: "b.csv.gz")
      if damaged == parts[0] {
        // Whole, but its last row is not.
        #expect(throws: FormatError.self) { try TrackReading([path]) }
      } else {
        let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
        #expect(error?.description.contains("gzip") == true)
      }
    }
  }

  @Test func readsTracksByTheClocksOfAPlace() throws {
    let path = try directory.write(
      "device,time,lat,lon\na,2025-01-01 12:00:00,1,1\na,2025-07-01 12:00:00,1,1\na,2025-07-01T12:00:01Z,1,1\n",
      to: "a.csv")
    let zone = try LocalZone("Europe/Berlin")
    let reading = try TrackReading([path]) { $0.zone = zone }
    #expect(
      reading.fixes.map { Int64($0.fix.time.seconds) } == [1_735_729_200, 1_751_364_000, 1_751_371_201])
  }

  /// Sorted by the first of the two hours, a drive through such a night would be two drives in one.
  @Test(arguments: [true, false])
  func refusesATimeThatClocksShowTwice(sorts: Bool) throws {
    let path = try directory.write(
      "device,time,lat,lon\na,2025-10-26 01:59:59,1,1\na,2025-10-26 02:30:00,1,1.1\na,2025-10-26 03:00:00,1,1.2\n",
      to: "a.csv")
    let zone = try LocalZone("Europe/Berlin")
    #expect {
      try TrackReading([path]) { (options: inout ReadingOptions) in
        options.zone = zone
        options.sorts = sorts
      }
    } throws: { "\($0)".contains("clocks in Europe/Berlin show the time twice") && "\($0)".contains(":3") }
    let reading = try TrackReading([path]) {
      $0.zone = zone
      $0.sorts = sorts
      $0.skipInvalid = true
    }
    #expect(reading.fixes.count == 2)
  }

  /// Where every bad row is to be told, none is left out because there are many.
  @Test(arguments: ["a.csv", "b.ndjson", "c.plt"])
  func tellsEveryBadRow(name: String) throws {
    let count = 3 * ReadingOptions().maximumDiagnostics
    let text: String
    switch name {
    case "a.csv":
      text = "device,time,lat,lon\n" + String(repeating: "a,x,1,1\n", count: count)
    case "b.ndjson":
      text =
        "{\"device\":\"a\",\"time\":1,\"lat\":1,\"lon\":1}\n"
        + String(repeating: "{\"device\":\"a\",\"time\":\"x\",\"lat\":1,\"lon\":1}\n", count: count)
    default:
      text =
        "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n"
        + String(repeating: "95,1,0,492,39744.1,2008-10-23,02:53:04\n", count: count)
    }
    var options = ReadingOptions()
    options.skipInvalid = true
    options.keepsAllRejected = true
    let reader = try TrackReader([directory.write(text, to: name)], options: options)
    var told: [Diagnostic] = []
    reader.onRejected = { told.append($0) }
    while try reader.next() != nil {}
    #expect(told.count == count)
    #expect(Set(told.compactMap(\.place.line)).count == count)
    #expect(reader.summary.skipped.count == count)
  }
}
