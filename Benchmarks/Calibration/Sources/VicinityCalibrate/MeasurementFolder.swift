import VicinityCalibration
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
internal import VicinityMonitor
import VicinityRuns
import VicinitySimulation

/// Reads a folder of measurements laid out as MobilityNet's extract: tables in CSV, plain or gzipped.
///
/// | file | read for |
/// | --- | --- |
/// | `ranges.csv` | what each phone was asked for, when, and what its battery lost |
/// | `battery.csv` | levels |
/// | `errors.csv` | how far off each fix was, and said it was |
/// | `fixes/<range>.csv` | intervals and delays |
/// | `reference.csv` | where the phones truly were |
/// | `transitions.csv` | trips, what carried the phones, and when the service was on |
/// | `exit_latency.csv` | how late regions were left |
///
/// All but the fixes of a range must be there.
struct MeasurementFolder {
  let path: String

  /// A file of the folder; the raw value is its name.
  enum Table: String, CaseIterable {
    case ranges = "ranges.csv"
    case battery = "battery.csv"
    case errors = "errors.csv"
    /// One for each range.
    case fixes = "fixes/RANGE.csv"
    case reference = "reference.csv"
    case transitions = "transitions.csv"
    case exits = "exit_latency.csv"

    /// The columns that are read, all of which must be there.
    var columns: [String] {
      switch self {
      case .ranges:
        [
          "range_id", "run_id", "timeline", "phone", "os", "kind", "regime", "tracking", "accuracy_constant",
          "distance_filter_m", "interval_s", "duty_cycled", "start_ts", "end_ts", "end_local", "drain_pct_h",
          "drain_below100_pct_h", "below100_h",
        ]
      case .battery: ["range_id", "ts", "level_pct"]
      case .errors: ["range_id", "ts", "truth", "err_m", "accuracy_m", "truth_speed_mps"]
      case .fixes: ["ts", "latitude", "longitude", "accuracy_m", "delay_s"]
      case .reference: ["run_id", "ts", "latitude", "longitude", "suspect"]
      case .transitions: ["range_id", "run_id", "source", "ts", "end_ts", "event"]
      case .exits: ["range_id", "trip_start", "status", "latency_from_100m_s"]
      }
    }
  }

  /// Everything in the folder.
  ///
  /// - Throws: `FormatError` with the file and the line.
  func read() throws -> Measurements {
    var measurements = Measurements()
    try readRanges(into: &measurements)
    var places: [String: Int] = [:]
    for (place, range) in measurements.ranges.enumerated() { places[range.identifier] = place }
    try readBattery(into: &measurements, places)
    try readErrors(into: &measurements, places)
    try readReference(into: &measurements)
    try readTransitions(into: &measurements, places)
    try readExits(into: &measurements, places)
    for place in measurements.ranges.indices {
      measurements.ranges[place].battery.sort { $0.time < $1.time }
      measurements.ranges[place].errors.sort { $0.time < $1.time }
      measurements.ranges[place].fixes = try fixes(of: measurements.ranges[place])
    }
    return measurements
  }

  private func table(_ table: Table) throws -> NamedRows {
    try NamedRows(path: file(table.rawValue), required: table.columns)
  }

  /// The table of a name, plain or gzipped.
  private func file(_ name: String) -> String {
    let plain = "\(path)/\(name)"
    return !FileSystem.exists(plain) ? plain + ".gz" : plain
  }

  // MARK: Ranges

  private func readRanges(into measurements: inout Measurements) throws {
    var rows = try table(.ranges)
    var seen: Set<String> = []
    while try rows.next() {
      let identifier = rows.text("range_id")
      guard seen.insert(identifier).inserted else { throw rows.fault("range \(identifier) a second time") }
      guard !identifier.isEmpty, !identifier.contains("/"), !identifier.contains("\0") else {
        throw rows.fault("\(identifier) is no name of a range")
      }
      guard let platform = DeviceProfile.Platform(rawValue: rows.text("os")), platform != .macos
      else {
        throw rows.fault("os \(rows.text("os")) is neither ios nor android")
      }
      let isTracking = rows.text("tracking") == "1"
      let constant = rows.text("accuracy_constant")
      let accuracy = isTracking ? Self.accuracies[constant] : nil
      guard !isTracking || accuracy != nil else { throw rows.fault("accuracy \(constant) is not known") }
      guard let start = try rows.number("start_ts"),
        let end = try rows.number("end_ts"),
        end > start, start > 0, end < 1e11
      else { throw rows.fault("the range does not end after it began") }
      var range = MeasuredRange(
        identifier: identifier, run: rows.text("run_id"),
        outing: rows.text("timeline"),
        day: String(rows.text("end_local").prefix(10)), platform: platform,
        phone: rows.text("phone"), isStationary: rows.text("kind") == "calibration",
        regime: rows.text("regime"), accuracy: accuracy,
        distanceFilter: try rows.notNegative("distance_filter_m"),
        requestedInterval: try rows.notNegative("interval_s"),
        isDutyCycled: rows.text("duty_cycled") == "1", start: start, end: end,
        drain: try rows.drain("drain_pct_h"),
        drainBelow100: try rows.drain("drain_below100_pct_h"),
        hoursBelow100: try rows.hours("below100_h", from: start, to: end) ?? 0)
      if isTracking, !range.isDutyCycled { range.tracking = [start...end] }
      measurements.ranges.append(range)
    }
  }

  /// The tiers of the phones' constants and priorities.
  static let accuracies: [String: DesiredAccuracy] = [
    "kCLLocationAccuracyBestForNavigation": .bestForNavigation, "kCLLocationAccuracyBest": .best,
    "kCLLocationAccuracyNearestTenMeters": .nearestTenMeters,
    "kCLLocationAccuracyHundredMeters": .hundredMeters, "kCLLocationAccuracyKilometer": .kilometer,
    "kCLLocationAccuracyThreeKilometers": .threeKilometers, "PRIORITY_HIGH_ACCURACY": .best,
    "PRIORITY_BALANCED_POWER_ACCURACY": .hundredMeters, "PRIORITY_LOW_POWER": .kilometer,
  ]

  // MARK: What was measured of each

  private func range(of rows: inout NamedRows, _ places: [String: Int]) throws -> Int {
    let name = rows.text("range_id")
    guard let place = places[name] else { throw rows.fault("no range \(name)") }
    return place
  }

  /// The coordinate of the current row; nil without a latitude or longitude.
  private func coordinate(of rows: inout NamedRows) throws -> Coordinate? {
    guard let latitude = try rows.number("latitude"), let longitude = try rows.number("longitude") else {
      return nil
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    guard coordinate.isValid else { throw rows.fault("no place: \(coordinate)") }
    return coordinate
  }

  private func readBattery(into measurements: inout Measurements, _ places: [String: Int]) throws {
    var rows = try table(.battery)
    // The first level of a range that may be a share, as iOS gives it, and not per cent.
    var shares: [Int: FormatError] = [:]
    while try rows.next() {
      let place = try range(of: &rows, places)
      guard let time = try rows.time("ts", of: measurements.ranges[place]),
        let level = try rows.level("level_pct")
      else { continue }
      if level > 0, level < 1, shares[place] == nil {
        shares[place] = rows.fault(
          """
          level_pct is \(rows.text("level_pct")), and no level of the range is above 1: per cent are expected, \
          0 to 100, which is 100 times what iOS gives
          """)
      }
      measurements.ranges[place].battery.append(BatteryReading(time: time, level: level))
    }
    for (place, share) in shares.sorted(by: { $0.key < $1.key })
    where measurements.ranges[place].battery.allSatisfy({ $0.level <= 1 }) {
      throw share
    }
  }

  private func readErrors(into measurements: inout Measurements, _ places: [String: Int]) throws {
    var rows = try table(.errors)
    while try rows.next() {
      let place = try range(of: &rows, places)
      guard let kind = MeasuredError.Truth(rawValue: rows.text("truth")) else {
        throw rows.fault("truth \(rows.text("truth")) is not known")
      }
      guard let time = try rows.time("ts", of: measurements.ranges[place]),
        let error = try rows.number("err_m"), error >= 0,
        let accuracy = try rows.number("accuracy_m"), accuracy >= 0
      else { throw rows.fault("an error without time, length or accuracy") }
      measurements.ranges[place].errors.append(
        MeasuredError(
          time: time, truth: kind, error: error, accuracy: accuracy,
          speed: try rows.notNegative("truth_speed_mps") ?? 0))
    }
  }

  private func fixes(of range: MeasuredRange) throws -> [MeasuredFix] {
    let path = file(Table.fixes.rawValue.replacing("RANGE", with: range.identifier))
    guard FileSystem.exists(path) else { return [] }
    var rows = try NamedRows(path: path, required: Table.fixes.columns)
    var fixes: [MeasuredFix] = []
    while try rows.next() {
      guard let time = try rows.time("ts", of: range), let coordinate = try coordinate(of: &rows) else {
        throw rows.fault("a fix without time or place")
      }
      fixes.append(
        MeasuredFix(
          time: time, coordinate: coordinate, accuracy: try rows.number("accuracy_m") ?? -1,
          delay: try rows.number("delay_s")))
    }
    return fixes.sorted { $0.time < $1.time }
  }

  // MARK: The truth

  private func readReference(into measurements: inout Measurements) throws {
    var rows = try table(.reference)
    while try rows.next() {
      guard let time = try rows.number("ts"), time > 0, time < 1e11,
        let coordinate = try coordinate(of: &rows)
      else { throw rows.fault("a place without time or coordinates") }
      measurements.truth[rows.text("run_id"), default: []].append(
        MeasuredPosition(time: time, coordinate: coordinate, isSuspect: rows.text("suspect") == "1"))
    }
    for run in measurements.truth.keys { measurements.truth[run]?.sort { $0.time < $1.time } }
  }

  /// The events that switch the service on and off in the apps' state machines.
  static let begins: Set<String> = [
    "T_TRIP_STARTED", "T_EXITED_GEOFENCE", "local.transition.exited_geofence",
  ]
  static let ends: Set<String> = [
    "T_TRIP_ENDED", "T_TRACKING_STOPPED", "T_FORCE_STOP_TRACKING", "local.transition.stopped_moving",
    "local.transition.stop_tracking",
  ]

  /// The ways of noted means of travel; others, as waiting, have none.
  static let ways: [String: TravelMode] = [
    "WALKING": .foot, "RUNNING": .foot, "CAR": .road, "BUS": .road, "BICYCLING": .road, "E_BIKE": .road,
    "ESCOOTER": .road, "MOTORCYCLE": .road, "TRAIN": .rail, "LIGHT_RAIL": .rail, "SUBWAY": .rail,
    "TRAM": .rail,
  ]

  private func readTransitions(into measurements: inout Measurements, _ places: [String: Int]) throws {
    var rows = try table(.transitions)
    var switches: [Int: [(time: Double, isOn: Bool)]] = [:]
    while try rows.next() {
      guard let time = try rows.number("ts") else { throw rows.fault("a transition without time") }
      let name = rows.text("event")
      if rows.text("source") == "manual" {
        guard name == "trip" || name == "section", let last = try rows.number("end_ts") else { continue }
        guard last > time else { throw rows.fault("the \(name) does not end after it began") }
        if name == "trip" {
          measurements.trips[rows.text("run_id"), default: []].append(time...last)
        } else if let way = Self.ways[rows.text("mode").uppercased()] {
          measurements.sections[rows.text("run_id"), default: []].append(
            MeasuredSection(time: time...last, way: way))
        }
      } else if Self.begins.contains(name) || Self.ends.contains(name) {
        let place = try range(of: &rows, places)
        try rows.check(time, of: measurements.ranges[place], rows.text("ts"))
        switches[place, default: []].append((time, Self.begins.contains(name)))
      }
    }
    for run in measurements.trips.keys {
      measurements.trips[run]?.sort { $0.lowerBound < $1.lowerBound }
    }
    for run in measurements.sections.keys {
      measurements.sections[run]?.sort { $0.time.lowerBound < $1.time.lowerBound }
    }
    for (place, switches) in switches where measurements.ranges[place].isDutyCycled {
      measurements.ranges[place].tracking = Self.intervals(
        switches.sorted { $0.time < $1.time }, within: measurements.ranges[place])
    }
  }

  /// From each first switching on to the next off.
  private static func intervals(
    _ switches: [(time: Double, isOn: Bool)], within range: MeasuredRange
  ) -> [ClosedRange<Double>] {
    var intervals: [ClosedRange<Double>] = []
    var since: Double?
    for (time, isOn) in switches {
      if isOn {
        since = since ?? max(time, range.start)
      } else if let start = since {
        if min(time, range.end) > start { intervals.append(start...min(time, range.end)) }
        since = nil
      }
    }
    if let since, since < range.end { intervals.append(since...range.end) }
    return intervals
  }

  private func readExits(into measurements: inout Measurements, _ places: [String: Int]) throws {
    var rows = try table(.exits)
    while try rows.next() {
      let place = try range(of: &rows, places)
      guard rows.text("status") == "woke", let latency = try rows.number("latency_from_100m_s") else {
        continue
      }
      guard let start = try rows.time("trip_start", of: measurements.ranges[place]) else {
        throw rows.fault("an exit without its trip")
      }
      // The event is within the range as well.
      try rows.check(
        start + latency, of: measurements.ranges[place],
        "trip_start + latency_from_100m_s = \(start + latency)")
      measurements.ranges[place].exits.append(MeasuredExit(tripStart: start, latency: latency))
    }
  }
}
