import Foundation
import Testing
import VicinityCrossings
import VicinityTestSupport

@testable import VicinityText

@Suite struct TimeParserTests {
  static func parse(_ text: String, unit: TimeUnit = .seconds, zone: String? = nil) -> Int64? {
    var parser = TimeParser(unit: unit, zone: zone.flatMap { LocalZone(text: $0) })
    guard case .value(let time) = unsafe Array(text.utf8).withUnsafeBufferPointer({ unsafe parser.parse($0) })
    else {
      return nil
    }
    return time.microseconds
  }

  /// The fast path alone, with bytes behind the text that belong to no time.
  static func common(_ text: String, _ parser: inout TimeParser) -> (time: Int64, count: Int)? {
    let bytes = Array(text.utf8) + [UInt8](repeating: 0x2C, count: 64)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var end = unsafe start
      guard let time = unsafe parser.common(start, end: &end) else { return nil }
      return unsafe (time, end - start)
    }
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T01:00:00+01:00", 0), ("1969-12-31T23:00:00-0100", 0),
      ("1970-01-01 00:00:00 UTC", 0), ("1970-01-01t00:00z", 0), ("1970-01-01T05:30:00 +05:30", 0),
      ("1970-01-01T00:00:00.5Z", 500_000), ("1970-01-01T00:00:00,25+00", 250_000),
      ("1970-01-01T00:00:00.0000004Z", 0), ("1970-01-01T00:00:00.0000005Z", 1),
      ("1969-12-31T23:59:59.9999995Z", 0), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
      ("2000-02-29T12:00:00Z", 951_825_600_000_000), ("1901-12-13T20:45:52.2073437Z", -2_147_483_647_792_656),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
      ("1970/01/01 00:00:58+00", 58_000_000), ("1970/01/01T00:00:58.5Z", 58_500_000),
      ("0", 0), ("1.5", 1_500_000), ("-1.5", -1_500_000), ("1372636858", 1_372_636_858_000_000),
      ("1.372636858E9", 1_372_636_858_000_000), ("1600000000.1234567", 1_600_000_000_123_457),
      ("+7", 7_000_000), (".5", 500_000), ("99999999999", 99_999_999_999_000_000), ("1e-6", 1),
    ] as [(String, Int64)])
  func readsTimes(text: String, microseconds: Int64) {
    #expect(Self.parse(text) == microseconds, "\(text)")
  }

  @Test(arguments: [
    "", "x", "2019-03-14", "2019-03-14T15:09:26", "2019-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2019-13-01T00:00:00Z", "2019-00-01T00:00:00Z", "2019-01-00T00:00:00Z", "2019-04-31T00:00:00Z",
    "2019-01-01T24:00:00Z", "2019-01-01T00:60:00Z", "2019-01-01T00:00:61Z", "2019-01-01T00:00:00.Z",
    "2019-01-01T00:00:00ZZ", "2019-01-01T00:00:00+1", "2019-01-01T00:00:00+24:00",
    "2019-01-01T00:00:00+01:60",
    "2019/01-01T00:00:00Z", "2019-01/01T00:00:00Z", "2019/01/01", "01/01/2019 00:00:00Z",
    "2019-01-01T00:00:00+01:0", "2019-01-01T00:00:00  Z", "2019-01-01X00:00:00Z", "2019-01-01T00-00-00Z",
    "1600000000000", "100000000001", "-100000000001", "nan", "inf", "1e999", "--1", "1.2.3", "0x10", "1 2",
  ])
  func refusesWhatIsNoTime(text: String) {
    #expect(Self.parse(text) == nil, "\(text)")
  }

  @Test func takesUnitsAndZonesThatAreStated() {
    #expect(Self.parse("1600000000123.4567", unit: .milliseconds) == 1_600_000_000_123_457)
    #expect(Self.parse("1600000000123", unit: .milliseconds) == 1_600_000_000_123_000)
    #expect(Self.parse("1970-01-01T00:00:00Z", unit: .milliseconds) == 0)
    #expect(Self.parse("1970-01-01 02:00:00", zone: "+02:00") == 0)
    #expect(Self.parse("1970-01-01 02:00:00Z", zone: "+02:00") == 7_200_000_000)
  }

  @Test func saysWhatIsWrong() {
    var parser = TimeParser()
    func fault(_ text: String) -> String? {
      guard
        case .fault(let fault) = unsafe Array(text.utf8).withUnsafeBufferPointer({ unsafe parser.parse($0) })
      else { return nil }
      return fault.message
    }
    #expect(fault("") == "the time is missing")
    let words = "cannot be read: a time such as 2023-11-14T22:13:20Z is expected"
    for text in ["soon", "20231114T221320Z"] {
      #expect(fault(text) == "the time \"\(text)\" \(words), or a number of seconds")
    }
    for text in ["2023-11-14", "2023-11-14T24:00:00Z"] {
      #expect(fault(text) == "the time \"\(text)\" \(words)")
    }
    #expect(
      fault("2019-03-14 15:09:26")
        == "the time \"2019-03-14 15:09:26\" has no zone (Z, or an offset such as +01:00)")
    #expect(
      fault("1699400582000")
        == "the time \"1699400582000\" is too large for Unix seconds (a column of milliseconds is to be called \"time_ms\", or the time unit stated)"
    )
  }

  /// Random instants written in every way that is understood, against Foundation's calendar.
  @Test func agreesWithFoundation() throws {
    let seed: UInt64 = 0x5EED_0101
    var random = SplitMix64(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var fast = TimeParser()
    var fastCount = 0
    for i in 0..<(runsLongTests ? 200_000 : 4000) {
      // Foundation's calendar is Julian before 1582.
      let year = Int.random(in: 1600...9999, using: &random)
      let month = Int.random(in: 1...12, using: &random)
      let day = Int.random(in: 1...31, using: &random)
      let (hour, minute, second) = (
        Int.random(in: 0...23, using: &random), Int.random(in: 0...59, using: &random),
        Int.random(in: 0...59, using: &random)
      )
      let digits = Int.random(in: 0...6, using: &random)
      let fraction = Int.random(in: 0..<1_000_000, using: &random)
      let offset = Bool.random(using: &random) ? 0 : Int.random(in: -840...840, using: &random)
      let components = DateComponents(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second)
      let date = try #require(calendar.date(from: components))
      let isDate = calendar.component(.day, from: date) == day
      var text = String(
        format: "%04d-%02d-%02d%@%02d:%02d:%02d", year, month, day,
        ["T", " ", "t"].randomElement(using: &random) ?? "T", hour, minute, second)
      var expected = Int64(date.timeIntervalSince1970.rounded()) * 1_000_000 - Int64(offset) * 60_000_000
      if digits > 0 {
        let shown = String(String(format: "%06d", fraction).prefix(digits))
        text += "." + shown
        expected += Int64(shown.padding(toLength: 6, withPad: "0", startingAt: 0)) ?? 0
      }
      let sign = offset < 0 ? "-" : "+"
      let (hours, minutes) = (abs(offset) / 60, abs(offset) % 60)
      if offset == 0, Bool.random(using: &random) {
        text += ["Z", "z", " UTC", "+00"].randomElement(using: &random) ?? "Z"
      } else {
        text += String(
          format: Bool.random(using: &random) ? "%@%02d:%02d" : "%@%02d%02d", sign, hours, minutes)
      }
      #expect(Self.parse(text) == (isDate ? expected : nil), "seed \(seed), time \(i): \(text)")
      if let common = Self.common(text, &fast) {
        fastCount += 1
        #expect(isDate && common.time == expected, "seed \(seed), time \(i): \(text)")
        #expect(common.count == text.utf8.count, "seed \(seed), time \(i): \(text)")
      }
    }
    #expect(fastCount > 500)
  }

  /// Numbers of seconds, against exact decimal arithmetic.
  @Test func agreesWithDecimals() throws {
    let seed: UInt64 = 0x5EED_0102
    var random = SplitMix64(seed: seed)
    for i in 0..<2000 {
      let whole = Int64.random(in: -99_999_999_999...99_999_999_999, using: &random)
      let digits = Int.random(in: 0...9, using: &random)
      var text = "\(whole)"
      if digits > 0 {
        text += "." + (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
      }
      var product = try #require(Decimal(string: text)) * 1_000_000
      var rounded = Decimal()
      unsafe NSDecimalRound(&rounded, &product, 0, .plain)
      let expected = NSDecimalNumber(decimal: rounded).int64Value
      #expect(Self.parse(text) == expected, "seed \(seed), number \(i): \(text)")
    }
  }

  /// A parser keeps the last day on which no clock was changed.
  @Test(
    "Local times are those of their zone, whatever was read before",
    arguments: ["Europe/Berlin", "Pacific/Apia"])
  func localTimes(name: String) throws {
    let zone = try #require(LocalZone(text: name))
    var parser = TimeParser(zone: zone)
    let seed: UInt64 = 0x5EED_0C04
    var random = SplitMix64(seed: seed)
    var repeated = 0
    for _ in 0..<300 {
      // A stretch of some days, at places where clocks change and at others, forwards and backwards.
      let start = Int64.random(in: -100_000_000...2_000_000_000, using: &random)
      let step = Int64.random(in: -20_000...20_000, using: &random)
      for number in Int64(0)..<200 {
        let local = start + number * step
        let (day, second) = local.quotientAndRemainder(dividingBy: 86_400)
        let (date, time) = second < 0 ? (day - 1, second + 86_400) : (day, second)
        let civil = Timestamp.civil(day: date)
        func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let text =
          "\(civil.year)-\(two(civil.month))-\(two(civil.day)) \(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
        let isRepeated = zone.isRepeated(local: local)
        if isRepeated { repeated += 1 }
        let found = unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe parser.parse($0) }
        let wanted = isRepeated ? nil : zone.instant(ofLocal: local) * 1_000_000
        guard case .value(let instant) = found else {
          #expect(wanted == nil, "\(text), seed \(seed)")
          continue
        }
        #expect(instant.microseconds == wanted, "\(text), seed \(seed)")
      }
    }
    #expect(repeated > 0)
  }
}
