import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityText

/// The fast path against the slow one, and both against records split by the other reader and Foundation's
/// numbers.
@Suite struct CSVTrackParserTests {
  static let header = ["device", "time", "latitude", "longitude", "accuracy", "speed", "course", "note"]

  static func columns(_ names: [String], delimiter: UInt8) throws -> CSVTrackColumns {
    try CSVTrackColumns(
      names: names, delimiter: delimiter, place: .init(path: "a.csv"), options: .init(), fallbackDevice: "a")
  }

  static func block(_ bytes: [UInt8]) -> ByteBlock {
    let block = ByteBlock(capacity: bytes.count + 1)
    for i in bytes.indices { unsafe block.base[i] = bytes[i] }
    block.setCount(bytes.count)
    return block
  }

  struct Row: Equatable {
    var device: String
    var fix: Fix
    var line: Int
  }

  static func rows(_ parsed: TrackRows) -> [Row] {
    parsed.runs.flatMap { run in
      run.range.map {
        Row(device: parsed.devices[run.device], fix: parsed.fixes[$0], line: Int(parsed.numbers[$0]))
      }
    }
  }

  /// A number as most files have it, and as few do.
  static func number(_ random: inout SplitMix64, _ limit: Double) -> String {
    let value = Double.random(in: -limit...limit, using: &random)
    switch random.next() % 12 {
    case 0: return "\(value)"
    case 1: return String(format: "%.3e", value)
    case 2: return String(format: " %.5f ", value)
    case 3: return "+" + String(format: "%.7f", abs(value))
    case 4: return String(format: "%.17f", value)
    case 5: return String(format: "\"%.4f\"", value)
    case 6:
      return ["", "x", ".", "-", "1e999", "nan", "--1", "1.2.3", "-0", "5.", ".5", "91", "541"]
        .randomElement(using: &random) ?? ""
    default: return String(format: "%.6f", value)
    }
  }

  static func time(_ random: inout SplitMix64) -> String {
    let seconds = Int64.random(in: 1_500_000_000...1_700_000_000, using: &random)
    switch random.next() % 10 {
    case 0: return "\(seconds)"
    case 1: return "\(seconds).\(random.next() % 100_000_000)"
    case 2:
      return ["", "soon", "1699400582000", "2020-01-01", "2020-02-30T00:00:00Z", "2020-01-01T00:00:00"]
        .randomElement(using: &random) ?? ""
    case 3:
      return Timestamp(microseconds: seconds * 1_000_000).description.replacingOccurrences(
        of: "Z", with: "+01:00")
    case 4:
      return Timestamp(microseconds: seconds * 1_000_000).description.replacingOccurrences(of: "T", with: " ")
    case 5: return "\"\(Timestamp(microseconds: seconds * 1_000_000))\""
    default: return Timestamp(microseconds: seconds * 1_000_000 + 123_456).description
    }
  }

  static func file(_ random: inout SplitMix64, delimiter: String) -> (names: [String], text: String) {
    var names = header.shuffled(using: &random)
    if random.next() % 4 == 0 { names.removeAll { ["accuracy", "speed", "note"].contains($0) } }
    let devices = ["a", "bus-12", "ünï", "a device of a long name, with a comma", "say \"hi\"", "x\ny", ""]
    var text = ""
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      let device = devices[random.next() % 3 == 0 ? Int(random.next() % 7) : Int(random.next() % 2)]
      var fields = names.map { name in
        switch name {
        case "device":
          let isQuoted = device.contains { ",\"\n;\t".contains($0) } || random.next() % 8 == 0
          return isQuoted ? "\"" + device.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : device
        case "time": return time(&random)
        case "latitude": return number(&random, 95)
        case "longitude": return number(&random, 560)
        case "note":
          return ["", "hello", "\"a\nb\"", "5'10\"", "\"", "\"x\"y"].randomElement(using: &random) ?? ""
        case "course": return random.next() % 2 == 0 ? "" : number(&random, 400)
        default: return random.next() % 3 == 0 ? "" : number(&random, 50)
        }
      }
      if random.next() % 20 == 0 { fields.removeLast() }
      if random.next() % 20 == 0 { fields.append("") }
      text += fields.joined(separator: delimiter)
      text +=
        ["\n", "\n", "\n", "\r\n", "\n\n", "\r\n\r\n", "\r", "\r\r\n", "\n\r"].randomElement(using: &random)
        ?? "\n"
    }
    if random.next() % 2 == 0, text.last == "\n" { text.removeLast() }
    return (names, text)
  }

  @Test func fastAndSlowPathsAgree() throws {
    let seed: UInt64 = 0x5EED_0103
    var random = SplitMix64(seed: seed)
    var count = 0
    for i in 0..<(runsLongTests ? 50_000 : 3000) {
      let delimiter = [",", ";", "\t"][Int(random.next() % 3)]
      let (names, text) = Self.file(&random, delimiter: delimiter)
      var bytes = Array(text.utf8)
      // One in four with bytes knocked about.
      if i % 4 == 0, !bytes.isEmpty {
        for _ in 0..<3 {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      let columns = try Self.columns(names, delimiter: delimiter.utf8.first ?? 0x2C)
      for follows in [false, true] {
        var options = ReadingOptions()
        options.follows = follows
        options.maximumDiagnostics = 1000
        let fast = CSVTrackParser.parse(Self.block(bytes), columns: columns, options: options)
        let slow = CSVTrackParser.parse(Self.block(bytes), columns: columns, options: options, slowly: true)
        #expect(Self.rows(fast) == Self.rows(slow), "seed \(seed), file \(i): \(text)")
        #expect(fast.lineCount == slow.lineCount, "seed \(seed), file \(i): \(text)")
        #expect(
          fast.rejected.map(\.fault) == slow.rejected.map(\.fault), "seed \(seed), file \(i): \(text)")
        #expect(
          fast.rejected.map(\.number) == slow.rejected.map(\.number), "seed \(seed), file \(i): \(text)")
        count += fast.fixes.count
      }
    }
    #expect(count > 3000)
  }

  /// Every accepted row is one that plain Swift reads so, and the other way round.
  @Test func agreesWithASlowReader() throws {
    let seed: UInt64 = 0x5EED_0104
    var random = SplitMix64(seed: seed)
    for i in 0..<(runsLongTests ? 5000 : 400) {
      let (names, text) = Self.file(&random, delimiter: ",")
      let stream = MemoryStream(names.joined(separator: ",") + "\n" + text)
      let columns = try Self.columns(names, delimiter: 0x2C)
      let parsed = CSVTrackParser.parse(Self.block(Array(text.utf8)), columns: columns, options: .init())
      var expected: [Row] = []
      var records = try CSVRecords(BlockReader(stream, blockByteCount: CSVRecords.blockByteCount))
      while try records.advance() {
        guard records.shapeFault == nil else { continue }
        var fields: [String: String] = [:]
        for (column, name) in names.enumerated() {
          fields[name] = unsafe String(decoding: records.field(column), as: UTF8.self)
        }
        if let row = Self.oracle(fields, line: records.line - 2) { expected.append(row) }
      }
      #expect(Self.rows(parsed) == expected, "seed \(seed), file \(i): \(text)")
    }
  }

  private static func oracle(_ fields: [String: String], line: Int) -> Row? {
    func number(_ name: String) -> Double? {
      let text = (fields[name] ?? "").trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
      guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first),
        text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), text.contains(where: \.isNumber)
      else { return text.isEmpty ? nil : .nan }
      // The standard library takes no bare point at the end.
      return Double(text.hasSuffix(".") ? text + "0" : text) ?? .nan
    }
    let text = (fields["time"] ?? "").trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    guard let time = TimeParserTests.parse(text), let device = fields["device"], !device.isEmpty,
      let latitude = number("latitude"), let longitude = number("longitude"), abs(latitude) <= 90,
      abs(longitude) <= 540
    else { return nil }
    let isNothing = ["nan", "-"].contains(fields["accuracy"] ?? "")
    let accuracy = isNothing ? 0 : number("accuracy") ?? 0
    guard accuracy.isFinite else { return nil }
    var (speed, course) = (number("speed") ?? -1, number("course") ?? -1)
    if !(speed >= 0 && speed.isFinite) { speed = -1 }
    if !(course >= 0 && course <= 360) { course = -1 }
    if course == 360 { course = 0 }
    let fix = Fix(
      time: Timestamp(microseconds: time), coordinate: Coordinate(latitude: latitude, longitude: longitude),
      horizontalAccuracy: accuracy, speed: speed, course: course)
    return Row(device: device, fix: fix, line: line)
  }
}
