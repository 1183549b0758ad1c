import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityFormats
@testable import VicinityText

/// Values that no crossing needs: by what names they are found, and what means that they are not available.
@Suite struct OptionalValueTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The same rows as CSV, lines of JSON and features.
  private func files(_ names: [String], _ rows: [[String]], named name: String = "t") throws -> [String] {
    func isNumber(_ text: String) -> Bool {
      Double(text) != nil && text.allSatisfy { "0123456789.-".contains($0) }
    }
    let csv = ([names] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
    func members(_ row: [String]) -> String {
      zip(names, row).filter { !$1.isEmpty }.map {
        "\"\($0)\":" + (isNumber($1) ? $1 : "\"\($1)\"".replacingOccurrences(of: "\\N", with: "\\\\N"))
      }
      .joined(separator: ",")
    }
    let json = rows.map { "{\(members($0))}" }.joined(separator: "\n") + "\n"
    let (latitude, longitude) = (names.firstIndex(of: "lat") ?? 0, names.firstIndex(of: "lon") ?? 0)
    let features = rows.map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0[longitude]),\#($0[latitude])]},"properties":{\#(members($0))}}"#
    }.joined(separator: ",\n")
    return try [
      directory.write(csv, to: name + ".csv"), directory.write(json, to: name + ".ndjson"),
      directory.write(#"{"type":"FeatureCollection","features":[\#(features)]}"#, to: name + ".geojson"),
    ]
  }

  // MARK: - One device

  /// The option is asked first: no column names devices then.
  @Test func aSingleDeviceIsOneWhateverTheColumns() throws {
    for column in FieldNames.device + ["note2", "who"] {
      for path in try files(
        [column, "time", "lat", "lon"],
        [["1", "1", "1", "1"], ["2", "2", "1", "1.5"], ["3", "3", "1", "2"]], named: "log")
      {
        let reading = try TrackReading([path]) { $0.isSingleDevice = true }
        #expect(reading.fixes.map(\.device) == ["log", "log", "log"], "\(column) \(path)")
        #expect(reading.summary.warnings.examples.allSatisfy { !$0.message.contains("devices") }, "\(column)")
        #expect(
          reading.summary.notes.examples.contains { $0.message == "all fixes are taken for those of \"log\"" }
        )
      }
    }
  }

  @Test func aSingleDeviceMayHaveAnEmptyName() throws {
    for path in try files(
      ["name", "time", "lat", "lon"], [["", "1", "1", "1"], ["x", "2", "1", "1.5"]], named: "log")
    {
      let reading = try TrackReading([path]) { $0.isSingleDevice = true }
      #expect(reading.fixes.map(\.device) == ["log", "log"], "\(path)")
    }
  }

  @Test func aSingleDeviceAndAColumnExcludeEachOther() throws {
    let path = try files(["id", "time", "lat", "lon"], [["1", "1", "1", "1"]])[0]
    let error = #expect(throws: FormatError.self) {
      try TrackReading([path]) {
        $0.isSingleDevice = true
        $0.identifierField = "id"
      }
    }
    #expect(error?.description.contains("isSingleDevice") == true)
  }

  /// The column that was guessed is named.
  @Test func saysWhichVagueColumnNamesDevices() throws {
    for column in FieldNames.vagueDevice.sorted() {
      for path in try files([column, "time", "lat", "lon"], [["1", "1", "1", "1"]]) {
        let warnings = try TrackReading([path]).summary.warnings.examples.map(\.message)
        #expect(
          warnings.contains { $0.contains("devices are taken from the") && $0.contains("\"\(column)\"") },
          "\(path)")
      }
    }
  }

  // MARK: - Accuracy

  static let accuracyNames = [
    "accuracy", "Accuracy", "acc", "accuracy(m)", "accuracy (m)", "Accuracy (M)", "accuracy[m]", "accuracy_m",
    "accuracy_meters",
    "accuracy (metres)", "accuracyMeters", "accuracy_in_meters", "hAccuracy", "h_accuracy", "hacc", "h_acc",
    "hAcc (m)", "precision",
    "Precision(m)", "horizontalAccuracy", "horizontal accuracy", "Horizontal Accuracy (m)",
    "horizontal_accuracy",
    "horizontal-accuracy", "horizontal_accuracy_m", "horizontal_accuracy_meters", "gps_accuracy",
    "gpsAccuracy", "location_accuracy",
    "locationAccuracy", "position_accuracy", "uncertainty", "uncertainty_m", "coordinateUncertaintyInMeters",
    "coordinate_uncertainty_in_meters", "location-error-numerical", "eobs:horizontal-accuracy-estimate",
    "hpe", "eph",
    "radius_of_uncertainty", "mAccuracy", "accuracy_radius", "estimatedHorizontalAccuracy", "ehpe", "epe",
  ]

  @Test(arguments: accuracyNames) func findsAccuracyBy(name: String) throws {
    for path in try files(
      ["device", "time", "lat", "lon", name], [["d", "1", "1", "1", "1500"], ["d", "2", "1", "1.5", ""]])
    {
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.fix.horizontalAccuracy) == [1500, 0], "\(path)")
    }
    // Neither does the column tell devices apart.
    let path = try files(["time", "lat", "lon", name], [["1", "1", "1", "1500"]])[0]
    #expect(try TrackReading([path]).fixes.map(\.device) == ["t"])
  }

  @Test(arguments: [
    "hdop", "vertical_accuracy", "verticalAccuracy (m)", "speed_accuracy", "course_accuracy", "accx", "acc_x",
    "accuracy_percent",
    "precisely", "ephemeris", "epoch_accuracy", "coordinatePrecision",
  ]) func takesNothingElseForAccuracy(name: String) throws {
    #expect(FieldNames.accuracy.meaning(of: name) == nil)
    for path in try files(["device", "time", "lat", "lon", name], [["d", "1", "1", "1", "7"]]) {
      #expect(try TrackReading([path]).fixes.map(\.fix.horizontalAccuracy) == [0], "\(path)")
    }
  }

  /// Other units are not taken for metres, and the column is named.
  @Test(arguments: ["accuracy_ft", "accuracy (km)", "hAccuracy[feet]", "precision_km", "Accuracy (ft)"])
  func saysThatOtherUnitsAreNotRead(name: String) throws {
    for path in try files(["device", "time", "lat", "lon", name], [["d", "1", "1", "1", "7"]]) {
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.fix.horizontalAccuracy) == [0])
      #expect(
        reading.summary.warnings.examples.contains {
          $0.message == "\"\(name)\" is not read: accuracies are read in metres only"
        }, "\(path)")
      // The option takes the column at its word.
      #expect(try TrackReading([path]) { $0.accuracyField = name }.fixes[0].fix.horizontalAccuracy == 7)
    }
  }

  @Test(arguments: ["speed_kmh", "speed(km/h)", "sog", "SOG", "velocity", "speed_knots", "speed (mph)"])
  func takesNoSpeedOfAnotherUnit(name: String) throws {
    for path in try files(
      ["device", "time", "lat", "lon", name], [["d", "1", "1", "1", "7"], ["d", "2", "1", "1", "fast"]])
    {
      #expect(try TrackReading([path]).fixes.map(\.fix.speed) == [-1, -1], "\(path)")
    }
  }

  @Test(arguments: [
    "speed", "speed_mps", "speed (m/s)", "speed[m/s]", "Speed_ms", "ground_speed_mps", "sog (m/s)",
  ])
  func takesSpeedInMetresASecond(name: String) throws {
    for path in try files(["device", "time", "lat", "lon", name], [["d", "1", "1", "1", "7"]]) {
      #expect(try TrackReading([path]).fixes.map(\.fix.speed) == [7], "\(path)")
    }
  }

  @Test func takesTheAccuracyThatIsNamed() throws {
    for path in try files(
      ["device", "time", "lat", "lon", "accuracy", "sigma"], [["d", "1", "1", "1", "5", "50"]])
    {
      let reading = try TrackReading([path]) { $0.accuracyField = "Sigma" }
      #expect(reading.fixes[0].fix.horizontalAccuracy == 50, "\(path)")
      #expect(
        reading.summary.notes.examples.contains { $0.message.contains("accuracies are taken from the") })
    }
    let path = try files(["device", "time", "lat", "lon"], [["d", "1", "1", "1"]])[0]
    #expect(throws: FormatError.self) { try TrackReading([path]) { $0.accuracyField = "sigma" } }
    let one = try files(["time", "lat", "lon", "sigma"], [["1", "1", "1", "50"]])
    for path in one {
      #expect(try TrackReading([path]) { $0.accuracyField = "sigma" }.fixes.map(\.device) == ["t"])
    }
  }

  /// Once for a run, and only where no file has any.
  @Test func saysThatNoAccuracyIsKnown() throws {
    let without = try files(["device", "time", "lat", "lon"], [["d", "1", "1", "1"]], named: "a")
    let with = try files(["device", "time", "lat", "lon", "acc"], [["e", "1", "1", "1", "5"]], named: "b")
    func count(_ paths: [String], needs: Bool) throws -> Int {
      try TrackReading(paths) { $0.needsAccuracy = needs }.summary.notes.examples
        .filter { $0.message.contains("no fix has an accuracy") }.count
    }
    #expect(try count(without, needs: true) == 1)
    #expect(try count(without, needs: false) == 0)
    #expect(try count(without + with, needs: true) == 0)
    #expect(
      CrossingRule.names.filter { CrossingRule(name: $0)?.usesAccuracy == true } == [
        "core-location", "overlap",
      ])
  }

  // MARK: - Not available

  static let absent = [
    "", "null", "NULL", "Null", "NaN", "nan", "NA", "N/A", "n/a", "#N/A", "none", "None", "nil", "unknown",
    "-", "--", "?", "\\N",
  ]

  @Test(arguments: absent) func wordsForNothingCostNoRow(word: String) throws {
    for path in try files(
      ["device", "time", "lat", "lon", "accuracy", "speed", "course"],
      [["d", "1", "1", "1", "5", "2", "90"], ["d", "2", "1", "1.0001", word, word, word]])
    {
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.fix.horizontalAccuracy) == [5, 0], "\(path)")
      #expect(reading.fixes.map(\.fix.speed) == [2, -1], "\(path)")
      #expect(reading.fixes.map(\.fix.course) == [90, -1], "\(path)")
      #expect(reading.summary.notes.examples.map(\.message) == ["2 times before 1980"], "\(path)")
    }
  }

  /// A value that cannot be right is unknown, and counted.
  @Test func valuesOutOfRangeAreUnknown() throws {
    let rows: [(course: String, speed: String, wanted: (Double, Double), counted: (Int, Int))] = [
      ("511", "2", (-1, 2), (1, 0)), ("360", "0", (0, 0), (0, 0)), ("360.0", "-1", (0, -1), (0, 0)),
      ("360.1", "2", (-1, 2), (1, 0)), ("-1", "-1", (-1, -1), (0, 0)), ("1e9", "1e999", (-1, -1), (1, 1)),
      ("north", "fast", (-1, -1), (1, 1)), ("359.9", "102.3", (359.9, 102.3), (0, 0)),
      ("65535", "", (-1, -1), (1, 0)),
    ]
    for path in try files(
      ["device", "time", "lat", "lon", "course", "speed"],
      rows.enumerated().map { ["d", "\($0)", "1", "\($0)", $1.course, $1.speed] })
    {
      let reading = try TrackReading([path])
      #expect(reading.fixes.map(\.fix.course) == rows.map(\.wanted.0), "\(path)")
      #expect(reading.fixes.map(\.fix.speed) == rows.map(\.wanted.1), "\(path)")
      let notes = reading.summary.notes.examples.map(\.message)
      #expect(
        notes.contains("5 values of course are no numbers of degrees within 0...360, and taken for unknown"),
        "\(path): \(notes)")
      #expect(notes.contains("2 values of speed are no numbers, and taken for unknown"), "\(path): \(notes)")
    }
  }

  @Test func readsAISThatKnowsNoCourse() throws {
    let text =
      "MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading\n"
      + (0..<12).map { "366999001,2026-01-01T11:\(10 + $0):00,0,\(Double($0) / 100),102.3,360.0,511\n" }
      .joined()
    let path = try directory.write(text, to: "ais.csv")
    let reading = try TrackReading([path]) {
      $0.timeField = "BaseDateTime"
      $0.zone = .utc
    }
    #expect(reading.fixes.count == 12)
    #expect(reading.fixes.allSatisfy { $0.device == "366999001" && $0.fix.speed == -1 })
  }

  /// Latitude 91 with longitude 181 is AIS's word for no position; either alone is a mistake.
  @Test func dropsPositionsThatAreNone() throws {
    for path in try files(
      ["device", "time", "lat", "lon"],
      [["d", "1", "1", "1"], ["d", "2", "91", "181"], ["d", "3", "91.0", "181.0"], ["d", "4", "1", "2"]])
    {
      let reading = try TrackReading([path])
      #expect(reading.fixes.map { Int($0.fix.time.seconds) } == [1, 4], "\(path)")
      #expect(reading.summary.invalidFixes == 2, "\(path)")
      #expect(
        reading.summary.notes.examples.contains {
          $0.message.hasPrefix("2 rows have latitude 91 and longitude 181")
        },
        "\(path)")
    }
    for path in try files(["device", "time", "lat", "lon"], [["d", "2", "91", "18"]]) {
      #expect(throws: FormatError.self, "\(path)") { try TrackReading([path]) }
    }
    let nmea = try directory.write(
      "$GPRMC,000001.00,A,9100.0000,N,18100.0000,E,,,010170,,,A\n$GPRMC,000002.00,A,0100.0000,N,00100.0000,E,,,010170,,,A\n",
      to: "a.nmea")
    let reading = try TrackReading([nmea])
    #expect(reading.fixes.count == 1 && reading.summary.invalidFixes == 1)
  }

  @Test func negativeAccuracyIsNoPosition() throws {
    for path in try files(
      ["device", "time", "lat", "lon", "hacc"], [["d", "1", "1", "1", "-1"], ["d", "2", "1", "1", "0"]])
    {
      let reading = try TrackReading([path])
      #expect(reading.fixes.count == 1 && reading.summary.invalidFixes == 1, "\(path)")
    }
  }

  /// An accuracy that says something else than a number or nothing is still a bad row.
  @Test func anAccuracyThatIsNoNumberIsABadRow() throws {
    for path in try files(["device", "time", "lat", "lon", "accuracy"], [["d", "1", "1", "1", "wide"]]) {
      let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
      #expect(error?.description.contains("accuracy \"wide\" is not a number") == true, "\(path)")
    }
  }

  // MARK: - Times

  @Test func readsEveryUnitOfTimes() throws {
    let seconds = 1_767_261_600.0  // 2026-01-01T10:00:00Z
    let units: [(TimeUnit, String, String?)] = [
      (.seconds, "1767261600", nil), (.milliseconds, "1767261600000", nil),
      (.microseconds, "1767261600000000", nil),
      (.nanoseconds, "1767261600000000000", nil), (.unixDays, "20454.416666667", nil),
      (.days, "46023.416666667", "Z"), (.days, "46023.458333333", "Europe/Berlin"),
      (.days1904, "44561.416666667", "Z"),
    ]
    for (unit, text, zone) in units {
      for path in try files(["device", "time", "lat", "lon"], [["d", text, "1", "1"]]) {
        let reading = try TrackReading([path]) {
          $0.timeUnit = unit
          $0.zone = try? zone.map { try LocalZone($0) }
        }
        #expect(reading.fixes.map(\.fix.time.seconds) == [seconds], "\(unit) \(path)")
        #expect(reading.summary.notes.isEmpty, "\(unit)")
      }
    }
    // The option wins over the column's name, and text stays text.
    for path in try files(
      ["device", "time_ms", "lat", "lon"],
      [["d", "1767261600", "1", "1"], ["d", "2026-01-01T10:00:01Z", "1", "2"]])
    {
      #expect(
        try TrackReading([path]) { $0.timeUnit = .seconds }.fixes.map(\.fix.time.seconds) == [
          seconds, seconds + 1,
        ])
    }
  }

  /// Days of a spreadsheet are local, as text without a zone is.
  @Test func daysNeedAZone() throws {
    for path in try files(["device", "time", "lat", "lon"], [["d", "46023.5", "1", "1"]]) {
      let error = #expect(throws: FormatError.self) { try TrackReading([path]) { $0.timeUnit = .days } }
      #expect(error?.cures == [.utcOffset, .skipInvalid], "\(path)")
    }
  }

  @Test func notesTimesBefore1980() throws {
    func notes(_ times: [String], follows: Bool = false) throws -> [String] {
      var all: Set<[String]> = []
      for path in try files(
        ["device", "time", "lat", "lon"], times.enumerated().map { ["d", $1, "1", "\($0)"] })
      {
        if follows, path.hasSuffix("geojson") { continue }
        let reading = try TrackReading([path]) { $0.follows = follows }
        #expect(reading.fixes.count == times.count)
        all.insert(reading.summary.notes.examples.map(\.message))
      }
      #expect(all.count == 1, "\(all)")
      return all.first ?? []
    }
    #expect(try notes(["2026-01-01T10:00:00Z"]) == [])
    // Storms of 1949 are data.
    #expect(try notes(["1949-08-23T00:00:00Z", "1949-08-24T00:00:00Z"]) == ["2 times before 1980"])
    for follows in [false, true] {
      #expect(
        try notes(["46023.4", "46023.400694444"], follows: follows).contains(
          "2 times before 1980, on 1 January 1970: they look like a spreadsheet's days that are read as seconds (their unit is days)"
        ) || follows)
    }
    #expect(try notes(["46023.4"], follows: true).contains { $0.contains("a spreadsheet's days") })
    #expect(try notes(["20454.4"]).contains { $0.contains("their unit is unix-days") })
    let days = try files(["device", "time", "lat", "lon"], [["d", "46023.4", "1", "1"]])[0]
    #expect(try TrackReading([days]).summary.notes.examples.map(\.cure) == [.timeUnit])
    let path = try files(["device", "time", "lat", "lon"], [["d", "1767261600000", "1", "1"]])[0]
    let error = #expect(throws: FormatError.self) { try TrackReading([path]) }
    #expect(error?.cures == [.timeUnit, .skipInvalid])
  }
}
