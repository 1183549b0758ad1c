import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

/// Lines that do not end, and quotes that do not close, cost their own line and no other; work and memory
/// stay bounded.
@Suite struct LongLineTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The lines of `text` as a reader of lines hands them out, `nil` for one that is too long.
  private func lines(_ text: String, limit: Int, isEager: Bool) throws -> (lines: [String?], searched: Int) {
    let path = try directory.write(text, to: "a")
    var reader = BlockReader(
      try ByteSource(path), blockByteCount: 16, isEager: isEager, maximumRecordByteCount: limit)
    var lines: [String?] = []
    while let block = try unsafe reader.next(cut: { unsafe CSVScanner.wholeLines($0, from: $1) }) {
      if block.isOverlong { lines.append(nil) }
      unsafe CSVScanner.forEachLine(block.bytes) { line in
        lines.append(unsafe String(decoding: line, as: UTF8.self))
      }
    }
    #expect(reader.offset == text.utf8.count)
    return (lines, reader.searchedByteCount)
  }

  @Test func dropsOnlyTheLongLine() throws {
    let long = String(repeating: "x", count: 500)
    for isEager in [false, true] {
      for end in LineEndTests.ends {
        for place in 0...4 {
          var wanted: [String?] = ["a", "bb", "ccc", "dddd"]
          var texts = wanted.map { $0 ?? "" }
          texts.insert(long, at: place)
          wanted.insert(nil, at: place)
          let text = texts.joined(separator: end) + end
          #expect(
            try lines(text, limit: 100, isEager: isEager).lines == wanted,
            "\(end.debugDescription) \(place) \(isEager)")
        }
      }
      #expect(try lines("a\n" + long, limit: 100, isEager: isEager).lines == ["a", nil])
      #expect(try lines("a\n" + long, limit: 1000, isEager: isEager).lines == ["a", long])
    }
  }

  /// Each byte is looked at a few times, however slowly a line arrives.
  @Test func looksAtALongLineOnce() throws {
    for size in [1 << 12, 1 << 16, 1 << 20] {
      let text = String(repeating: "x", count: size) + "\nb\n"
      let path = directory.file("pipe-\(size)")
      try #require(unsafe mkfifo(path, 0o600) == 0)
      Thread {
        guard let handle = FileHandle(forWritingAtPath: path) else { return }
        let bytes = Data(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 512) {
          try? handle.write(contentsOf: bytes[start..<min(start + 512, bytes.count)])
        }
        try? handle.close()
      }.start()
      var reader = BlockReader(try ByteSource(path), blockByteCount: 1024, isEager: true)
      var count = 0
      while let block = try unsafe reader.next(cut: { unsafe CSVScanner.wholeLines($0, from: $1) }) {
        unsafe CSVScanner.forEachLine(block.bytes) { _ in count += 1 }
      }
      #expect(count == 2)
      #expect(
        reader.searchedByteCount <= 3 * text.utf8.count, "\(reader.searchedByteCount) of \(text.utf8.count)")
    }
  }

  /// A row of a track that is longer than any may be is one bad row, in every format of lines.
  @Test func aLongRowIsOneBadRow() throws {
    let long = String(repeating: "x", count: BlockReader.maximumTrackRowByteCount + 1)
    for (name, lines, bad) in [
      ("a.csv", ["device,time,latitude,longitude", "d,1,1,1", long, "d,2,1,1"], 3),
      (
        "a.ndjson",
        [#"{"device":"d","time":1,"lat":1,"lon":1}"#, long, #"{"device":"d","time":2,"lat":1,"lon":1}"#], 2
      ),
      (
        "a.nmea",
        [
          "$GPRMC,000001.00,A,0100.0000,N,00100.0000,E,,,010170,,,A", long,
          "$GPRMC,000002.00,A,0100.0000,N,00100.0000,E,,,010170,,,A",
        ], 2
      ),
    ] {
      let path = try directory.write(lines.joined(separator: "\n") + "\n", to: name)
      for follows in [false, true] {
        let reading = try TrackReading([path]) {
          $0.skipInvalid = true
          $0.follows = follows
          $0.notAfter = Timestamp(microseconds: .max)
        }
        #expect(reading.fixes.map { Int($0.fix.time.seconds) % 10 } == [1, 2], "\(name)")
        #expect(reading.lines == [bad - 1, bad + 1], "\(name)")
        #expect(reading.skippedLines == [bad], "\(name)")
        #expect(
          reading.messages == ["a line of more than \(BlockReader.maximumTrackRowByteCount) bytes"], "\(name)"
        )
      }
      let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
      #expect(error?.description.contains(":\(bad): a line of more than") == true, "\(name)")
    }
  }

  // MARK: - Quotes

  /// An open quote costs its line; valid fields of several lines stay as they are.
  @Test func anOpenQuoteCostsItsLine() throws {
    let seed: UInt64 = 0x5EED_0C14
    var random = SplitMix64(seed: seed)
    for i in 0..<200 {
      var text = "device,time,latitude,longitude,note\n"
      var (fixes, lines, bad): ([Int], [Int], [Int]) = ([], [], [])
      var line = 2
      for row in 0..<Int.random(in: 1...60, using: &random) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          text += "d,\(row),1,1,\"open\n"
          bad.append(line)
          line += 1
        case 1:
          text += "d,\(row),1,1,\"two\nlines, \"\"and\"\" more\"\n"
          fixes.append(row)
          lines.append(line)
          line += 2
        default:
          text += "d,\(row),1,1,plain\n"
          fixes.append(row)
          lines.append(line)
          line += 1
        }
      }
      let path = try directory.write(text, to: "a.csv")
      for chunk in [16, 200, 4 << 20] {
        let reading = try TrackReading([path]) {
          $0.skipInvalid = true
          $0.maximumDiagnostics = 1000
          $0.chunkByteCount = chunk
        }
        #expect(reading.lines == lines, "seed \(seed), file \(i), chunk \(chunk): \(text)")
        #expect(reading.fixes.map { Int($0.fix.time.seconds) } == fixes, "seed \(seed), file \(i)")
        #expect(reading.skippedLines == bad, "seed \(seed), file \(i), chunk \(chunk): \(text)")
      }
    }
  }

  /// The quote is closed by the opening one of a later line, by nothing up to the end, or by nothing within
  /// the limit.
  @Test func manyRowsFollowAnOpenQuote() throws {
    for (count, last) in [(30_000, ""), (30_000, "d,30000,1,1,\"closed\"\n"), (1_200_000, "")] {
      let rows = (0..<count).map { "d,\($0),1,1,\($0 == 5 ? "\"open" : "x")\n" }
      let text = "device,time,latitude,longitude,note\n" + rows.joined() + last
      if count > 30_000 { #expect(text.utf8.count > BlockReader.maximumTrackRowByteCount) }
      let reading = try TrackReading([directory.write(text, to: "a.csv")]) { $0.skipInvalid = true }
      #expect(reading.fixes.count == count - 1 + (last.isEmpty ? 0 : 1))
      #expect(reading.skippedLines == [7])
      #expect(reading.messages == ["a quoted field without an end"])
    }
    // The same of regions.
    let regions = (0..<50).map { "r\($0),1,\($0),5,\($0 == 5 ? "\"open" : "x")\n" }
    var options = ReadingOptions()
    options.skipInvalid = true
    let path = try directory.write(
      "id,lat,lon,radius,note\n" + regions.joined() + "z,1,1,5,\"x\"\n", to: "r.csv")
    let reading = try RegionReader.read(path, options: options)
    #expect(reading.content.count == 50)
    #expect(reading.skipped.examples.map(\.place.line) == [7])
  }

  @Test func longFieldsOfSeveralLinesAreRead() throws {
    let note = (0..<(20_000)).map { "line \($0)" }.joined(separator: "\n")
    let text = "device,time,latitude,longitude,note\nd,1,1,1,\"\(note)\"\nd,2,1,1,x\n"
    let reading = try TrackReading([directory.write(text, to: "a.csv")])
    #expect(reading.fixes.count == 2)
    #expect(reading.lines == [2, 20_002])
  }
}
