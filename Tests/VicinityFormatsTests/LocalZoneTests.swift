import Foundation
import Testing
import VicinityCrossings
import VicinityFormats
import VicinityTestSupport

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
      "Europe", "Europe/", "Europe//Berlin", "tzdata.zi", "+02:60", "\u{0}", "BST", "PST", "GMT+3",
      "Etc/Nowhere", "europe/berlin",
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
    for (minute, isRepeated) in [(119, false), (120, true), (179, true), (180, false)] {
      let local = Self.seconds(2025, 10, 26) + Int64(minute) * 60
      #expect(berlin.isRepeated(local: local) == isRepeated)
    }
    #expect(!berlin.isRepeated(local: Self.seconds(2025, 3, 30, 2, 30)))
    #expect(offset(Self.seconds(2099, 7, 1)) == 7200)
    #expect(offset(Self.seconds(3456, 7, 1)) == 7200)
    #expect(offset(Self.seconds(9999, 12, 31)) == 3600)
  }

  /// The offsets are Foundation's; which instants have them is searched for here.
  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata",
    "Africa/Casablanca",
    "Pacific/Apia", "Europe/Dublin", "Asia/Kathmandu", "America/Sao_Paulo", "Antarctica/Troll", "UTC",
  ])
  func findsTheInstants(name: String) throws {
    let zone = try LocalZone(name)
    let foundation = try #require(TimeZone(identifier: name))
    let seed: UInt64 = 0x5EED_0C02
    var random = SplitMix64(seed: seed)
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
}
