import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

/// LF, CR LF and CR end lines, in any mixture; rows and the numbers of their lines are the same whatever the
/// mixture and the chunks.
@Suite struct LineEndTests {
  static let ends = ["\n", "\r\n", "\r"]

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The line at offset `offset`, from 1: how many line ends come before it.
  static func line(_ bytes: [UInt8], at offset: Int) -> Int {
    var count = 1
    for i in 0..<offset {
      if bytes[i] == 0x0D { count += 1 }
      if bytes[i] == 0x0A, i == 0 || bytes[i - 1] != 0x0D { count += 1 }
    }
    return count
  }

  /// The lines joined by what `end` gives, and the number of each line.
  static func text(_ lines: [String], _ end: (Int) -> String) -> (bytes: [UInt8], numbers: [Int]) {
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for (i, line) in lines.enumerated() {
      starts.append(bytes.count)
      bytes += Array(line.utf8)
      bytes += Array(end(i).utf8)
    }
    return (bytes, starts.map { Self.line(bytes, at: $0) })
  }

  /// Every pair of line ends in turn, and mixtures with blank lines and without an end of the last line.
  static func mixtures(seed: UInt64) -> [(name: String, end: (Int) -> String)] {
    var all: [(String, (Int) -> String)] = []
    for a in ends {
      for b in ends { all.append(("\(a.debugDescription) \(b.debugDescription)", { $0 % 2 == 0 ? a : b })) }
    }
    for a in ends {
      for b in ends { all.append(("\(a.debugDescription)+\(b.debugDescription)", { _ in a + b })) }
    }
    var random = SplitMix64(seed: seed)
    for _ in 0..<12 {
      let chosen = (0..<200).map { _ in
        (0..<Int.random(in: 1...3, using: &random)).map { _ in ends.randomElement(using: &random) ?? "\n" }
          .joined()
      }
      all.append(("random", { chosen[$0 % 200] }))
    }
    return all
  }

  static let count = 23

  /// The lines of a file with a row each, and which are rows; the twelfth is a bad one, but for NMEA.
  static let files: [(name: String, lines: [String], rows: Range<Int>)] = [
    (
      "a.csv",
      ["device,time,latitude,longitude,note"]
        + (0..<count).map { "d,\($0),1,\(Double($0) / 8),\($0 == 11 ? "x,y" : "x")" }, 1..<(count + 1)
    ),
    (
      "quoted.csv",
      ["note;device;time;latitude;\"longitude\""]
        + (0..<count).map { "\"a;b\";\"d\";\($0);1;\($0 == 11 ? "\"x\"" : "\(Double($0) / 8)")" },
      1..<(count + 1)
    ),
    (
      "a.ndjson",
      (0..<count).map {
        #"{"device":"d","time":\#($0),"lat":\#($0 == 11 ? "99" : "1"),"lon":\#(Double($0) / 8)}"#
      },
      0..<count
    ),
    (
      "a.plt",
      ["Geolife trajectory", "WGS 84", "Altitude is in Feet", "Reserved 3", "0,2,255,My Track,0,0,2", "0"]
        + (0..<count).map {
          "1,\($0 == 11 ? "x" : "\(Double($0) / 8)"),0,0,0,1970-01-01,00:00:\($0 < 10 ? "0" : "")\($0)"
        }, 6..<(count + 6)
    ),
    (
      "a.nmea",
      (0..<count).map {
        "$GPRMC,0000\($0 < 10 ? "0" : "")\($0).00,A,0100.0000,N,000\(minutes($0)),E,,,010170,,,A"
      }, 0..<count
    ),
  ]

  /// `mm.mmmm` of eighths of a degree.
  private static func minutes(_ row: Int) -> String { String(format: "%07.4f", Double(row % 8) * 7.5) }

  @Test func tracksReadTheSameWithEveryPair() throws {
    let seed: UInt64 = 0x5EED_0C12
    for file in Self.files {
      let plain = Self.text(file.lines) { _ in "\n" }
      let isPLT = file.name.hasSuffix("plt")
      let expected = try TrackReading([directory.write(plain.bytes, to: file.name)]) { $0.skipInvalid = true }
      let isNMEA = file.name.hasSuffix("nmea")
      #expect(expected.fixes.count == Self.count - (isNMEA ? 0 : 1), "\(file.name): \(expected.messages)")
      for (name, end) in Self.mixtures(seed: seed) {
        // The header of PLT is six lines, blank ones included.
        if isPLT, name == "random" || name.contains("+"), name != "\"\\r\"+\"\\n\"" { continue }
        for isOpen in [false, true] {
          let (bytes, numbers) = Self.text(file.lines) { isOpen && $0 == file.lines.count - 1 ? "" : end($0) }
          let path = try directory.write(bytes, to: file.name)
          for chunk in [16, 100, 4 << 20] {
            let reading = try TrackReading([path], threads: chunk == 100 ? 2 : 1) {
              $0.skipInvalid = true
              $0.chunkByteCount = chunk
            }
            let comment = "\(file.name) \(name) chunk \(chunk) open \(isOpen) seed \(seed)"
            #expect(reading.fixes == expected.fixes, "\(comment)")
            #expect(reading.messages == expected.messages, "\(comment)")
            #expect(reading.lines == expected.lines.map { numbers[$0 - 1] }, "\(comment)")
            #expect(reading.skippedLines == expected.skippedLines.map { numbers[$0 - 1] }, "\(comment)")
          }
        }
      }
    }
  }

  @Test func regionsAndPointsReadTheSameWithEveryPair() throws {
    let seed: UInt64 = 0x5EED_0C13
    let csv = ["id,lat,lon,radius"] + (0..<Self.count).map { "\"r\($0)\",1,\($0 == 11 ? "x" : "\($0)"),5" }
    let json = (0..<Self.count).map {
      #"{"id":"r\#($0)","lat":1,"lon":\#($0 == 11 ? "\"x\"" : "\($0)"),"radius":5}"#
    }
    for (file, lines) in [("a.csv", csv), ("a.ndjson", json)] {
      for (name, end) in Self.mixtures(seed: seed) {
        let (bytes, numbers) = Self.text(lines, end)
        let path = try directory.write(bytes, to: file)
        var options = ReadingOptions()
        options.skipInvalid = true
        let regions = try RegionReader.read(path, options: options)
        let names = (0..<Self.count).filter { $0 != 11 }.map { "r\($0)" }
        let bad = numbers[lines.count - Self.count + 11]
        let found = (0..<regions.content.count).map { regions.content.identifier(of: $0) }
        #expect(found == names, "\(file) \(name) seed \(seed)")
        #expect(regions.skipped.examples.map(\.place.line) == [bad], "\(file) \(name) seed \(seed)")
        let points = try PointReader.read(path, options: options)
        #expect(points.content.identifiers == names, "\(file) \(name) seed \(seed)")
        #expect(points.skipped.examples.map(\.place.line) == [bad], "\(file) \(name) seed \(seed)")
      }
    }
  }

  /// Small tables, and scripts.
  @Test func smallTablesAndScriptsReadTheSameWithEveryPair() throws {
    let seed: UInt64 = 0x5EED_0C16
    let rows = (0..<Self.count).map { "\($0),\"x\($0)\"" }
    for (name, end) in Self.mixtures(seed: seed) {
      let (bytes, numbers) = Self.text(["Time,what"] + rows, end)
      var table = try NamedRows(path: directory.write(bytes, to: "a.csv"), required: ["time"])
      var read = 0
      while try table.next() {
        #expect(
          try table.time("time").seconds == Double(read) && table.text("what") == "x\(read)",
          "\(name) seed \(seed)")
        #expect(table.line == numbers[read + 1], "\(name) seed \(seed)")
        read += 1
      }
      #expect(read == Self.count)
      let lines = CSVScanner.lines(of: "\u{FEFF}" + String(decoding: bytes, as: UTF8.self))
      #expect(lines.filter { !$0.isEmpty } == ["Time,what"] + rows, "\(name) seed \(seed)")
      for (number, row) in zip(numbers, ["Time,what"] + rows) {
        #expect(lines[number - 1] == row, "\(name) seed \(seed)")
      }
    }
  }

  /// What a stream delivers may be cut anywhere, also between CR and LF.
  @Test func streamsMayBeCutBetweenReturnAndFeed() throws {
    let lines = ["device,time,latitude,longitude"] + (0..<4).map { "d,\($0),1,\($0)" }
    for end in Self.ends + ["\r\r\n"] {
      let (bytes, numbers) = Self.text(lines) { _ in end }
      let text = String(decoding: bytes, as: UTF8.self)
      for cut in stride(from: 1, to: bytes.count, by: 3) {
        let path = directory.file("pipe-\(end.utf8.count)\(end.utf8.first ?? 0)-\(cut)")
        let pieces = [
          bytes[..<cut], bytes[cut..<min(cut + 1, bytes.count)], bytes[min(cut + 1, bytes.count)...],
        ]
        try writeSlowly(pieces.map { String(decoding: $0, as: UTF8.self) }, toPipeAt: path)
        let reading = try TrackReading([path]) { $0.follows = true }
        #expect(
          reading.fixes.map(\.fix.coordinate.longitude) == [0, 1, 2, 3],
          "\(text.debugDescription) cut at \(cut)")
        #expect(reading.lines == Array(numbers.dropFirst()), "\(text.debugDescription) cut at \(cut)")
      }
    }
  }

  /// A row whose line ends with CR is handed out before the next byte comes.
  @Test func aReturnEndsARowAtOnce() throws {
    let path = try directory.write("a\rb", to: "a")
    var reader = BlockReader(try ByteSource(path), blockByteCount: 16, isEager: true)
    let block = try unsafe reader.next { unsafe CSVScanner.wholeLines($0, from: $1) }
    let bytes = block.map { unsafe Array($0.bytes) }
    #expect(bytes == Array("a\r".utf8))
  }

  @Test func quotedFieldsKeepTheirLineEnds() throws {
    for end in Self.ends {
      let text = [
        "device,time,latitude,longitude", "\"a\rb\",1,1,1", "\"a\r\nb\",2,1,1", "\"a\n\r\n\rb\",3,1,1",
        "c,4,1",
      ]
      .joined(separator: end)
      let reading = try TrackReading([directory.write(text, to: "a.csv")]) { $0.skipInvalid = true }
      #expect(reading.fixes.map(\.device) == ["a\rb", "a\r\nb", "a\n\r\n\rb"])
      #expect(
        reading.lines == [2, 4, 6] && reading.skippedLines == [10], "\(reading.lines) \(reading.skippedLines)"
      )
    }
  }

  @Test func otherCharactersEndNoLine() throws {
    let text = "device,time,latitude,longitude\na\u{85}b,1,1,1\na\u{2028}b,2,1,1\na\u{0B}\u{0C}b,3,1,1\n"
    let reading = try TrackReading([directory.write(text, to: "a.csv")])
    #expect(reading.fixes.map(\.device) == ["a\u{85}b", "a\u{2028}b", "a\u{0B}\u{0C}b"])
    #expect(reading.lines == [2, 3, 4])
  }

  /// A run that goes on behind a CR does not take its LF for another line.
  @Test func resumesBehindAReturn() throws {
    let lines = ["device,time,latitude,longitude"] + (0..<40).map { "d,\($0),1,\($0)" }
    for end in Self.ends + ["\r\r\n"] {
      let (bytes, _) = Self.text(lines) { _ in end }
      let path = try directory.write(bytes, to: "a.csv")
      var options = ReadingOptions()
      options.chunkByteCount = 32
      let whole = try TrackReading([path]) { $0.chunkByteCount = 32 }
      let first = try TrackReader([path], options: options)
      var read = 0
      while let batch = try first.next() {
        read += batch.fixes.count
        let rest = try TrackReading(
          TrackReader([path], options: options, from: batch.end, devices: first.devices, order: first.order))
        #expect(rest.lines == Array(whole.lines.dropFirst(read)), "\(end.debugDescription) after \(read)")
      }
      #expect(read == 40)
    }
  }

  @Test func refusesUTF16() throws {
    for bytes in [[0xFF, 0xFE, 0x64, 0x00], [0xFE, 0xFF, 0x00, 0x64]] as [[UInt8]] {
      let path = try directory.write(bytes + bytes, to: "a.csv")
      let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
      #expect(error?.description.contains("UTF-16 text; UTF-8 is expected") == true)
      let table = #expect(throws: FormatError.self) { _ = try NamedRows(path: path, required: ["time"]).line }
      #expect(table?.description.contains("UTF-16 text; UTF-8 is expected") == true)
    }
  }
}
