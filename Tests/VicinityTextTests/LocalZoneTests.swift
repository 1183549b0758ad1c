import Foundation
import Testing
import VicinityCrossings

@testable import VicinityText

@Suite struct LocalZoneTests {
  /// Seconds since 1970 of a date and time of day, as if it were UTC.
  static func seconds(_ year: Int64, _ month: Int, _ day: Int, _ hour: Int64 = 0, _ minute: Int64 = 0)
    -> Int64
  {
    Timestamp.day(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
  }

  @Test func readsOffsets() throws {
    for (text, offset) in [
      ("Z", 0), ("z", 0), ("UTC", 0), ("+02:00", 7200), ("-03:30", -12_600), ("+0545", 20_700),
      ("-08", -28_800),
      ("+00:00", 0), ("+23:59", 86_340),
    ] as [(String, Int64)] {
      let zone = try LocalZone(text)
      #expect(zone.instant(ofLocal: 1_000_000) == 1_000_000 - offset, "\(text)")
    }
    for text in [
      "", "+2", "+2:00", "+24:00", "02:00", "+02:0", "+02:00:00", "Europe/Nowhere", "../../etc/passwd",
      "/etc/localtime",
      "Europe", "Europe/", "Europe//Berlin", "tzdata.zi", "+02:60", "\u{0}",
    ] {
      #expect(throws: FormatError.self, "\(text)") { try LocalZone(text) }
    }
  }

  /// 2025: forward on 30 March at 01:00 UTC, back on 26 October at 01:00 UTC.
  @Test func hasARuleForHoursThatAreThereTwiceOrNever() throws {
    let berlin = try LocalZone("Europe/Berlin")
    func offset(_ local: Int64) -> Int64 { local - berlin.instant(ofLocal: local) }
    #expect(offset(Self.seconds(2025, 1, 15)) == 3600)
    #expect(offset(Self.seconds(2025, 7, 15)) == 7200)
    #expect(offset(Self.seconds(2025, 3, 30, 1, 59)) == 3600)
    // Skipped: 02:30 is read by the offset before, and is what clocks then showed as 03:30.
    #expect(offset(Self.seconds(2025, 3, 30, 2, 30)) == 3600)
    #expect(
      berlin.instant(ofLocal: Self.seconds(2025, 3, 30, 2, 30))
        == berlin.instant(ofLocal: Self.seconds(2025, 3, 30, 3, 30)))
    #expect(offset(Self.seconds(2025, 3, 30, 3)) == 7200)
    // Shown twice: the first is meant.
    #expect(offset(Self.seconds(2025, 10, 26, 1, 59)) == 7200)
    #expect(offset(Self.seconds(2025, 10, 26, 2)) == 7200)
    #expect(offset(Self.seconds(2025, 10, 26, 2, 59)) == 7200)
    #expect(offset(Self.seconds(2025, 10, 26, 3)) == 3600)
    // Before 1970, fractions, and years that only the rule knows.
    #expect(offset(Self.seconds(1945, 6, 1)) == 10_800)
    #expect(berlin.onlyInstant(ofLocalMicroseconds: -1) == -3_600_000_001)
    for (minute, isRepeated) in [(119, false), (120, true), (179, true), (180, false)] {
      let local = Self.seconds(2025, 10, 26) + Int64(minute) * 60
      #expect(berlin.isRepeated(local: local) == isRepeated)
      #expect((berlin.onlyInstant(ofLocalMicroseconds: local * 1_000_000) == nil) == isRepeated)
    }
    #expect(!berlin.isRepeated(local: Self.seconds(2025, 3, 30, 2, 30)))
    #expect(offset(Self.seconds(2099, 7, 1)) == 7200)
    #expect(offset(Self.seconds(3456, 7, 1)) == 7200)
    #expect(offset(Self.seconds(9999, 12, 31)) == 3600)
  }

  /// Foundation reads the same data.
  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata",
    "Africa/Casablanca",
    "Pacific/Apia", "Europe/Dublin", "Asia/Kathmandu", "America/Sao_Paulo", "Antarctica/Troll", "UTC",
  ])
  func agreesWithFoundation(name: String) throws {
    let zone = try LocalZone(name)
    let foundation = try #require(TimeZone(identifier: name))
    let seed: UInt64 = 0x5EED_0C02
    var random = SplitMix64(state: seed)
    for _ in 0..<2000 {
      let instant = Int64.random(in: -1_000_000_000...2_000_000_000, using: &random)
      let offset = Int64(foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant))))
      let found = zone.instant(ofLocal: instant + offset)
      // Clocks show it again where they are set back by so much within so long.
      let first = Int64(foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(found))))
      let again = stride(from: Int64(600), through: 10_800, by: 600).contains { delta in
        let later = Date(timeIntervalSince1970: Double(found + delta))
        return Int64(foundation.secondsFromGMT(for: later)) == first - delta
      }
      #expect(zone.isRepeated(local: instant + offset) == again, "\(name) \(instant), seed \(seed)")
      if found == instant { continue }
      // Shown twice: what was found is the earlier, and clocks showed the same.
      let other = Int64(foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(found))))
      #expect(found < instant && found + other == instant + offset, "\(name) \(instant), seed \(seed)")
    }
  }

  /// A file of version 2 with one transition in each block, and `rule`.
  static func file(_ rule: String, time: Int64 = 0, offsets: (Int32, Int32) = (3600, 7200)) -> [UInt8] {
    func number<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
      unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0) }
    }
    func block(_ wide: Bool) -> [UInt8] {
      var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
      for count in [0, 0, 0, 1, 2, 8] as [Int32] { bytes += number(count) }
      bytes += wide ? number(time) : number(Int32(clamping: time))
      bytes += [1]
      for offset in [offsets.0, offsets.1] { bytes += number(offset) + [0, 0] }
      return bytes + Array("ABC\0DEF\0".utf8)
    }
    return block(false) + block(true) + Array("\n\(rule)\n".utf8)
  }

  @Test func followsTheRuleOfAFile() throws {
    func zone(_ rule: String) throws -> LocalZone {
      LocalZone(description: rule, data: try #require(ZoneData(Self.file(rule)), "\(rule)"))
    }
    let berlin = try zone("CET-1CEST,M3.5.0,M10.5.0/3")
    let system = try LocalZone("Europe/Berlin")
    for year in Int64(2000)...2100 {
      for month in 1...12 {
        for day in [1, 25, 27, 28] {
          let local = Self.seconds(year, month, day, 2, 30)
          #expect(berlin.instant(ofLocal: local) == system.instant(ofLocal: local), "\(year)-\(month)-\(day)")
        }
      }
    }
    // The southern half of the Earth, days by number, names in brackets, and hours beyond a day.
    let troll = try zone("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3")
    #expect(troll.instant(ofLocal: Self.seconds(2030, 7, 1)) == Self.seconds(2030, 7, 1) - 7200)
    let south = try zone("AEST-10AEDT,M10.1.0,M4.1.0/3")
    #expect(south.instant(ofLocal: Self.seconds(2030, 1, 1)) == Self.seconds(2030, 1, 1) - 39_600)
    #expect(south.instant(ofLocal: Self.seconds(2030, 7, 1)) == Self.seconds(2030, 7, 1) - 36_000)
    let days = try zone("AAA3BBB,J60/26,300/-1:30")
    #expect(
      days.instant(ofLocal: Self.seconds(2032, 3, 2, 1, 59)) == Self.seconds(2032, 3, 2, 1, 59) + 10_800)
    #expect(days.instant(ofLocal: Self.seconds(2032, 3, 2, 3)) == Self.seconds(2032, 3, 2, 3) + 7200)
    let plain = try zone("XYZ-5")
    #expect(plain.instant(ofLocal: Self.seconds(2030, 7, 1)) == Self.seconds(2030, 7, 1) - 7200)
    for damaged in [
      "A-1", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET", "<CET-1", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-999", "CET-25", "CET-1CEST-25,M3.5.0,M10.5.0/3", "AAA3BBBJ63,0/26,300/-1:30",
    ] {
      #expect(ZoneData(Self.file(damaged)) == nil, "\(damaged)")
    }
  }

  @Test func survivesAnyBytes() throws {
    let seed: UInt64 = 0x5EED_0C03
    var random = SplitMix64(state: seed)
    var read = 0
    for _ in 0..<(runsLongTests ? 200_000 : 5000) {
      var bytes = Self.file(
        "CET-1CEST,M3.5.0,M10.5.0/3", time: Int64(bitPattern: random.next()) >> (random.next() % 60))
      for _ in 0..<(random.next() % 4) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      guard let data = ZoneData(bytes) else { continue }
      read += 1
      let zone = LocalZone(description: "", data: data)
      for shift in stride(from: 0, to: 64, by: 7) {
        let local = Int64(bitPattern: random.next()) >> Int64(shift)
        let instant = zone.instant(ofLocal: local)
        if local.magnitude < 1 << 40 { #expect(abs(local - instant) < 100_000, "seed \(seed): \(bytes)") }
      }
    }
    #expect(read > 500)
  }
}
