import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityFormats

/// The real tracks in ../shared/data, where they are, with all their oddities.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct TrackRealDataTests {
  static func read(
    _ path: String, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws -> TrackReading {
    try TrackReading([SharedData.path(path)]) {
      $0.skipInvalid = true
      $0.maximumDiagnostics = 10_000
      change(&$0)
    }
  }

  @Test func readsRides() throws {
    for (name, count) in [("activity_4078723797", 8357), ("activity_4801048867", 5159)] {
      let ride = try TrackReading([ProductData.path("rides/\(name).gpx.gz")])
      #expect(ride.fixes.count == count)
      #expect(Set(ride.fixes.map(\.device)) == [name])
    }
  }

  @Test func readsTracksWithAllTheirOddities() throws {
    // Every point in the same half second of 1901, where a 32-bit clock began.
    let old = try Self.read("tracks/gpx_gpxpy/Mojstrovka.gpx")
    #expect(
      old.fixes.map(\.fix.time.description) == ["1901-12-13T20:45:52.207Z", "1901-12-13T20:45:52.207Z"])
    #expect(old.fixes.first?.fix.time.microseconds == -2_147_483_647_793_000)
    #expect(old.summary.skipped.count == 182)
    let sorted = try Self.read("tracks/gpx_gpxpy/Mojstrovka.gpx") { $0.sorts = true }
    #expect(sorted.summary.skipped.count == 0 && sorted.fixes.count + sorted.summary.conflicts == 184)
    let lake = try Self.read("tracks/gpx_gpxpy/cerknicko-jezero.gpx")
    #expect(lake.fixes.count == 296 && lake.summary.skipped.count == 0)
    #expect(lake.summary.warnings.examples.first?.message.hasPrefix("7 waypoints") == true)
    let apart = try Self.read("tracks/gpx_gpxpy/cerknicko-jezero.gpx") { $0.tracksAreDevices = true }
    #expect(Set(apart.fixes.map(\.device)).count == 7)
    let timeless = try Self.read("tracks/gpx_gpxpy/cerknicko-without-times.gpx")
    #expect(timeless.fixes.count == 5 && timeless.summary.skipped.count == 291)
    #expect(Set(timeless.messages) == ["the point has no time"])
    #expect(try Self.read("tracks/gpx_gpxpy/korita-zbevnica.gpx").fixes.count == 513)
    // All of a folder, each file a device.
    let all = try Self.read("tracks/gpx_gpxpy")
    #expect(Set(all.fixes.map(\.device)).count == 8)
  }

  private static let bus = "tracks/bus_liverpool/route14_outbound.csv"

  @Test(.enabled(if: SharedData.has(bus), "needs ../shared/data/tracks/bus_liverpool"))
  func readsABusWithRepeats() throws {
    let path = Self.bus
    // Its times state no zone.
    let bare = try Self.read(path)
    #expect(bare.fixes.isEmpty && bare.messages.first?.contains("has no zone") == true)
    let bus = try Self.read(path) { $0.zone = .utc }
    #expect(Set(bus.fixes.map(\.device)).count == 8)
    #expect(bus.fixes.count == 1533 && bus.summary.skipped.count == 0)
    // By trip, and by rows that are each a device of their own.
    #expect(try Self.read(path) { ($0.zone, $0.identifierField) = (.utc, "trip_id") }.fixes.count == 1533)
    #expect(
      Set(try Self.read(path) { ($0.zone, $0.identifierField) = (.utc, "id") }.fixes.map(\.device)).count
        == 1533
    )
  }

  /// The fixes that gpsd makes of the same logs: their times but for its own correction of week counters that
  /// have rolled over, and their places.
  @Test func agreesWithGPSD() throws {
    let rollover: Int64 = 1024 * 7 * 86_400_000
    // gpsd reports as sentences come, so some of its places are those of the sentence before.
    for (name, count, expected) in [
      ("ais-nmea", 164, 164), ("bt451", 9, 7), ("haicom-305N", 68, 67), ("humminbird-M37", 24, 22),
      ("iTrek", 35, 35), ("myguide-3100", 9, 8), ("nmea-rtk", 122, 122), ("nokia-ld-4w", 19, 19),
      ("quectel", 34, 34), ("sirfstarv-nmea", 59, 59), ("telit-he910", 186, 186), ("ublox-8", 72, 72),
      ("ublox-neo-m9n-nmea", 61, 61), ("bundg_zeus_9", 148, 109), ("ublox-zed-f9p_hpg1.11", 655, 654),
    ] {
      let reading = try Self.read("tracks/nmea_gpsd/\(name).log")
      #expect(reading.fixes.count == count, "\(name)")
      let text = try String(
        decoding: Data(contentsOf: URL(fileURLWithPath: SharedData.path("tracks/nmea_gpsd/\(name).log.chk"))),
        as: UTF8.self)
      var places: [Int64: [(Double, Double)]] = [:]
      var times = TimeParser()
      for line in text.split(whereSeparator: \.isNewline)
      where line.contains("\"TPV\"") && line.contains("\"lat\"") {
        guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          let time = object["time"] as? String, let latitude = object["lat"] as? Double,
          let longitude = object["lon"] as? Double,
          case .value(let stamp) = unsafe Array(time.utf8).withUnsafeBufferPointer({ unsafe times.parse($0) })
        else { continue }
        let key = (stamp.milliseconds % rollover + rollover) % rollover
        places[key, default: []].append((latitude, longitude))
      }
      var matched = 0
      for read in reading.fixes {
        let key = (read.fix.time.milliseconds % rollover + rollover) % rollover
        if places[key]?.contains(where: {
          abs($0.0 - read.fix.coordinate.latitude) < 2e-9 && abs($0.1 - read.fix.coordinate.longitude) < 2e-9
        }) == true {
          matched += 1
        }
      }
      #expect(matched == expected, "\(name): \(matched) of \(count)")
    }
  }

  @Test func readsReceiverLogs() throws {
    let drive = try Self.read("tracks/gnss_google/MTV.Local1.ublox-F9K.20200206-181434.nmea")
    #expect(drive.fixes.count == 1654 && drive.summary.skipped.count == 0)
    // The reference's RMC sentences all have wrong checksums, so none of its times gets a date.
    let reference = "tracks/gnss_google/MTV.Local1.SPAN.20200206-181434.gga"
    #expect(try Self.read(reference).summary.skipped.count == 3496)
    let trusted = try Self.read(reference) { $0.ignoresChecksums = true }
    #expect(trusted.fixes.count == 1748)
    #expect(trusted.fixes.first?.fix.time.description == "2020-02-07T02:13:31.000Z")
    // A logger's own column before each sentence and its clock behind it.
    let phone = try Self.read("tracks/gnss_android/pixel6.nmea")
    #expect(phone.fixes.count == 48)
    // Binary protocols, other loggers' tables and hurricanes are refused in words.
    for path in [
      "tracks/nmea_gpsd/trimble-lassen_iq-playacar.log", "tracks/nmea_gpsd/ublox-8-time.log",
      "tracks/fit/garmin-edge-500-activity.fit", "tracks/fit/garmin-edge-500-activity-records.csv",
      "tracks/gnss_android/pixel6.txt", "tracks/hurdat2_nepac/hurdat2-nepac-1949-2016-041317.txt",
      "tracks/adsb/kiwi.json.gz", "tracks/porto_taxi/train.1k.csv",
    ] {
      #expect(throws: FormatError.self, "\(path)") { try Self.read(path) }
    }
  }

  /// Storms, flights and taxis, brought into CSV as their users would.
  @Test func readsWhatHasBeenConverted() throws {
    let directory = try TemporaryDirectory()
    func text(_ path: String) throws -> String {
      try String(decoding: Data(contentsOf: URL(fileURLWithPath: SharedData.path(path))), as: UTF8.self)
    }
    var storms = "device,time,latitude,longitude\n"
    var storm = ""
    for line in try text("tracks/hurdat2_nepac/hurdat2-nepac-1949-2016-041317.txt").split(
      whereSeparator: \.isNewline)
    {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count > 6 else {
        storm = fields[0]
        continue
      }
      func degrees(_ text: String) -> String {
        ("SW".contains(text.last ?? "N") ? "-" : "") + text.dropLast()
      }
      let (day, clock) = (fields[0], fields[1])
      storms +=
        "\(storm),\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))T\(clock.prefix(2)):\(clock.suffix(2))Z,"
      storms += "\(degrees(fields[4])),\(degrees(fields[5]))\n"
    }
    let hurricanes = try TrackReading([directory.write(storms, to: "storms.csv")]) { $0.skipInvalid = true }
    #expect(Set(hurricanes.fixes.map(\.device)).count == 1072)
    #expect(hurricanes.fixes.count > 26_000)

    let kiwi = SharedData.path("tracks/adsb/kiwi.json.gz")
    let source = try ByteSource(kiwi)
    try source.unpack(.gzip, after: [])
    var json = [UInt8](repeating: 0, count: 1 << 22)
    var count = 0
    while case let read = try unsafe json.withUnsafeMutableBytes({
      try unsafe source.read(into: .init(rebasing: $0[count...]))
    }), read > 0 {
      count += read
    }
    let flights = try #require(
      JSONSerialization.jsonObject(with: Data(json.prefix(count))) as? [[String: Any]])
    var csv = "icao24,timestamp_ms,latitude,longitude\n"
    for row in flights {
      guard let latitude = row["latitude"] as? Double, let longitude = row["longitude"] as? Double,
        let time = row["timestamp"] as? Int, let device = row["icao24"] as? String
      else { continue }
      csv += "\(device),\(time),\(latitude),\(longitude)\n"
    }
    let flight = try TrackReading([directory.write(csv, to: "flights.csv")]) { $0.skipInvalid = true }
    #expect(flight.fixes.count > 500)
    #expect(flight.fixes.first?.fix.time.description == "2021-05-14T23:57:29.000Z")
  }
}
