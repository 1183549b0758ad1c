import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityTestSupport

@testable import VicinityFormats
@testable import VicinityText

@Suite struct NMEATests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A sentence with its checksum.
  static func sentence(_ body: String) -> String {
    "$\(body)*" + String(format: "%02X", body.utf8.reduce(0, ^)) + "\r\n"
  }

  func read(
    _ bodies: [String], raw: String = "", _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> TrackReading {
    let text = raw + bodies.map(Self.sentence).joined()
    return try TrackReading([directory.write(text, to: "log.nmea")]) {
      $0.skipInvalid = true
      change(&$0)
    }
  }

  @Test func pairsTheSentencesOfOneTime() throws {
    let reading = try read([
      "GPGGA,123519.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,123519,A,4807.0,N,01131.0,E,022.4,084.4,230394,003.1,W",
      "GPGGA,123520.25,4807.040,S,01131.000,W,2,08,0.9,545.4,M,46.9,M,,",
    ])
    #expect(reading.fixes.count == 2)
    let first = try #require(reading.fixes.first)
    #expect(first.device == "log")
    #expect(first.fix.time.description == "1994-03-23T12:35:19.000Z")
    #expect(first.fix.coordinate == Coordinate(latitude: 48 + 7.038 / 60, longitude: 11 + 31.0 / 60))
    #expect(first.fix.speed == 22.4 * NMEAParser.knot)
    #expect(first.fix.course == 84.4)
    // The date goes on from the last.
    #expect(reading.fixes[1].fix.time.description == "1994-03-23T12:35:20.250Z")
    #expect(
      reading.fixes[1].fix.coordinate == Coordinate(latitude: -(48 + 7.04 / 60), longitude: -(11 + 31.0 / 60))
    )
    #expect(reading.lines == [1, 3])
  }

  @Test func goesOnPastMidnight() throws {
    let reading = try read([
      "GNRMC,235959.00,A,4807.0,N,01131.0,E,0,0,311299,,", "GNGGA,000000.00,4807.1,N,01131.0,E,1,8,1,,M,,M,,",
      "GNGGA,000001.00,4807.2,N,01131.0,E,1,8,1,,M,,M,,",
      // The place before the date, across midnight.
      "GNGGA,235959.50,4807.3,N,01131.0,E,1,8,1,,M,,M,,", "GNRMC,235959.50,A,4807.0,N,01131.0,E,0,0,010100,,",
      "GNGGA,000000.00,4807.4,N,01131.0,E,1,8,1,,M,,M,,", "GNRMC,000000.00,A,4807.0,N,01131.0,E,0,0,020100,,",
    ])
    #expect(
      reading.fixes.map(\.fix.time.description) == [
        "1999-12-31T23:59:59.000Z", "2000-01-01T00:00:00.000Z", "2000-01-01T00:00:01.000Z",
        "2000-01-01T23:59:59.500Z", "2000-01-02T00:00:00.000Z",
      ])
    #expect(reading.summary.skipped.count == 0)
  }

  @Test func dropsWhatTheReceiverCallsNoFix() throws {
    let reading = try read([
      "GPRMC,120000,V,,,,,,,010120,,,N", "GPGGA,120000,,,,,0,00,99.9,,,,,,",
      "GPRMC,120001,A,4800.0,N,01100.0,E,,,010120,,,N", "GPGGA,120002,4800.0,N,01100.0,E,0,0,,,M,,M,,",
      "GNGNS,120003,4800.0,N,01100.0,E,NN,08,,,,,", "GPGLL,4800.0,N,01100.0,E,120004,V",
      "GNGNS,120005,4800.0,N,01100.0,E,AN,08,,,,,", "GPGLL,4800.0,N,01100.6,E,120006,A",
      "GPGSV,1,1,00", "GPZDA,120006,01,01,2020,00,00",
    ])
    #expect(
      reading.fixes.map(\.fix.time.description) == ["2020-01-01T12:00:05.000Z", "2020-01-01T12:00:06.000Z"])
    #expect(reading.summary.invalidFixes == 5)
    #expect(reading.summary.skipped.count == 0)
  }

  @Test func refusesWhatIsDamaged() throws {
    let good = "GPRMC,120000,A,4800.0,N,01100.0,E,,,010120,,"
    let bad = [
      "$GPRMC,120000,A,4800.0,N,01100.0,E,,,010120,,*00\n",
      "$GPRMC,120000,A,4800.0,N,01100.0,E,,,010120,,*5\n",
      "$GPRMC,1200", "\n", "$GPZZZ,1*00\n# a comment\n!AIVDM,x*11\n",
    ].joined()
    let text = Self.sentence(good) + bad
    let reading = try TrackReading([directory.write(text, to: "a.log")]) { $0.skipInvalid = true }
    #expect(reading.fixes.count == 1)
    #expect(reading.skippedLines == [2, 3, 4])
    #expect(reading.messages[1] == "the checksum is incomplete")
    #expect(reading.messages[2].hasPrefix("the checksum is missing"))
    let rows = try read([
      "GPRMC,126000,A,4800.0,N,01100.0,E,,,010120,,", "GPGGA,120000,4800.0,N,01100.0,E,1,8,1,,M,,M,,",
      "GPRMC,120001,A,4860.0,N,01100.0,E,,,010120,,", "GPRMC,120002,A,4800.0,X,01100.0,E,,,010120,,",
      "GPRMC,,A,4800.0,N,01100.0,E,,,010120,,", "GPRMC,120003,A,9100.0,N,01100.0,E,,,010120,,",
      "GPRMC,120004,A,,,,,,,010120,,",
    ])
    #expect(rows.fixes.isEmpty)
    #expect(rows.skippedLines == [1, 2, 3, 4, 5, 6, 7])
    #expect(rows.messages[1] == "the fix has a time but no date: no RMC or ZDA has come so far")
    #expect(rows.messages[4] == "the fix has no time")
  }

  @Test func prefersTheBestPlace() throws {
    let reading = try read([
      "GPGLL,4800.1,N,01100.0,E,120000,A", "GPRMC,120000,A,4800.2,N,01100.0,E,,,010120,,",
      "GLGGA,120000,4800.3,N,01100.0,E,1,8,1,,M,,M,,", "GNGGA,120000,4800.4,N,01100.0,E,1,8,1,,M,,M,,",
      // The same sentence again at the same time is another fix.
      "GNGGA,120000,4800.5,N,01100.0,E,1,8,1,,M,,M,,",
    ])
    #expect(reading.fixes.map(\.fix.coordinate.latitude) == [48 + 0.4 / 60])
    #expect(reading.messages.first?.contains("two places") == true)
  }

  /// Any bytes, in chunks of any size: never a trap, and the same however it is cut.
  @Test func survivesDamage() throws {
    let seed: UInt64 = 0x5EED_0106
    var random = SplitMix64(seed: seed)
    let seedText = [
      "GPGGA,123519.00,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,123519,A,4807.0,N,01131.0,E,022.4,084.4,230394,003.1,W",
      "GNGNS,120003,4800.0,N,01100.0,E,NN,08,,,,,",
      "GPGLL,4800.1,N,01100.0,E,120000,A", "GPZDA,120006,01,01,2020,00,00",
    ].map(Self.sentence).joined()
    for i in 0..<(runsLongTests ? 20_000 : 400) {
      var bytes = Array((seedText + seedText).utf8)
      for _ in 0..<Int(random.next() % 12) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default:
          bytes.insert([0x24, 0x2C, 0x2A, 0x0A, 0x2E, 0x39].randomElement(using: &random) ?? 0, at: place)
        }
      }
      let path = try directory.write(bytes, to: "a.nmea")
      var readings: [TrackReading] = []
      for chunk in [16, 50, 100_000] {
        do {
          readings.append(
            try TrackReading([path]) {
              $0.skipInvalid = true
              $0.ignoresChecksums = i % 2 == 0
              $0.chunkByteCount = chunk
            })
        } catch is FormatError {
          // Nothing in it looks like a log any more.
        }
      }
      for reading in readings {
        #expect(reading.fixes == readings[0].fixes, "seed \(seed), log \(i)")
        #expect(reading.summary.skipped.count == readings[0].summary.skipped.count, "seed \(seed), log \(i)")
        for fix in reading.fixes { #expect(fix.fix.coordinate.isValid, "seed \(seed), log \(i)") }
      }
    }
  }
}
