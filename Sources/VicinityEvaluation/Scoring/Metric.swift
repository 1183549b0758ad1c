internal import VicinityCrossings

/// A number that a policy is judged by; <doc:Scoring> has the formulas. Raw values are the names in files and
/// requirements.
public enum Metric: Hashable, Sendable {
  /// The share of true crossings that were reported.
  case recall
  /// The share of visits with an entry whose entry was reported before they ended.
  case visitRecall
  /// The share of reports that are of a true crossing.
  case precision
  /// The median latency of the reported crossings.
  case p50Latency
  /// The 95th percentile of the reported crossings' latencies.
  case p95Latency
  /// The greatest latency of a reported crossing.
  case maxLatency
  /// The 95th percentile of all crossings' latencies; that of a missed crossing is infinite.
  case p95LatencyOfAll
  /// The share of true entries that were reported.
  case entryRecall
  /// The share of true exits that were reported.
  case exitRecall
  /// The 95th percentile of the reported entries' latencies.
  case entryP95Latency
  /// The 95th percentile of the reported exits' latencies.
  case exitP95Latency
  /// The median distance from a crossing to where the phone was when the report came.
  case p50Distance
  /// The 95th percentile of these distances.
  case p95Distance
  /// The greatest of these distances.
  case maxDistance
  /// Pairs of contradicting reports with no crossing in between, a day.
  case flaps
  /// Reports of the same kind as the region's report before, a day.
  case duplicates
  /// The median error of reported dwell times.
  case dwellError
  /// Regions that got a slot, an hour.
  case registrations
  /// Times that the system woke or started the app, an hour.
  case wakeups
  /// Positions delivered, an hour.
  case fixes
  /// Seconds that the app was awake in the background, rather than suspended, an hour.
  case backgroundTime
  /// The share of the battery that is drawn in an hour, per cent.
  case energy
  /// ``energy`` above the phone's idle power.
  case netEnergy
  /// How many days a full battery lasts at ``energy``.
  case batteryDays
  /// The share of true entries that were reported within so many seconds.
  case entriesWithin(seconds: Int)
  /// The share of true exits that were reported within so many seconds.
  case exitsWithin(seconds: Int)

  public enum Direction: Hashable, Sendable {
    case lower, higher
  }

  /// What is said of a metric, in one place: its name in files and requirements, its unit, and which values
  /// are better.
  private struct Entry {
    var name: String
    var unit: String
    var better: Direction

    init(_ name: String, _ unit: String, _ better: Direction) {
      (self.name, self.unit, self.better) = (name, unit, better)
    }
  }

  private var entry: Entry {
    switch self {
    case .recall: Entry("recall", "", .higher)
    case .visitRecall: Entry("visit-recall", "", .higher)
    case .precision: Entry("precision", "", .higher)
    case .p50Latency: Entry("p50-latency", "s", .lower)
    case .p95Latency: Entry("p95-latency", "s", .lower)
    case .maxLatency: Entry("max-latency", "s", .lower)
    case .p95LatencyOfAll: Entry("p95-latency-all", "s", .lower)
    case .entryRecall: Entry("entry-recall", "", .higher)
    case .exitRecall: Entry("exit-recall", "", .higher)
    case .entryP95Latency: Entry("entry-p95-latency", "s", .lower)
    case .exitP95Latency: Entry("exit-p95-latency", "s", .lower)
    case .p50Distance: Entry("p50-distance", "m", .lower)
    case .p95Distance: Entry("p95-distance", "m", .lower)
    case .maxDistance: Entry("max-distance", "m", .lower)
    case .flaps: Entry("flaps", "/d", .lower)
    case .duplicates: Entry("duplicates", "/d", .lower)
    case .dwellError: Entry("dwell-error", "s", .lower)
    case .registrations: Entry("registrations", "/h", .lower)
    case .wakeups: Entry("wakeups", "/h", .lower)
    case .fixes: Entry("fixes", "/h", .lower)
    case .backgroundTime: Entry("background-time", "s/h", .lower)
    case .energy: Entry("energy", "%/h", .lower)
    case .netEnergy: Entry("net-energy", "%/h", .lower)
    case .batteryDays: Entry("battery-days", "d", .higher)
    case .entriesWithin(let seconds): Entry("\(Self.entriesPrefix)\(seconds)s", "", .higher)
    case .exitsWithin(let seconds): Entry("\(Self.exitsPrefix)\(seconds)s", "", .higher)
    }
  }

  /// Whether lower or higher values are better.
  public var better: Direction { entry.better }

  /// The unit; empty for shares.
  public var unit: String { entry.unit }

  /// How many decimals to show.
  public var decimals: Int {
    switch unit {
    case "", "%/h": 3
    case "/d", "/h": 2
    case "s", "s/h", "d": 1
    default: 0
    }
  }

  /// The metrics that follow from the energy.
  static let energies: [Metric] = [.energy, .netEnergy, .batteryDays]

  /// Whether the metric is about crossings and visits, so that a ``VisitFilter`` or a class changes it.
  public var isOfVisits: Bool { ["", "s", "m"].contains(unit) }
}

extension Metric: CaseIterable, RawRepresentable {
  /// All metrics that are computed in any case: those that take no seconds.
  public static let allCases: [Metric] = [
    .recall, .visitRecall, .precision, .p50Latency, .p95Latency, .maxLatency, .p95LatencyOfAll, .entryRecall,
    .exitRecall, .entryP95Latency, .exitP95Latency, .p50Distance, .p95Distance, .maxDistance, .flaps,
    .duplicates, .dwellError, .registrations, .wakeups, .fixes,
    .backgroundTime, .energy, .netEnergy, .batteryDays,
  ]

  /// The seconds that a metric may take: up to a day.
  public static let windows = 1...86_400

  private static let entriesPrefix = "entries-within-"
  private static let exitsPrefix = "exits-within-"

  public var rawValue: String { entry.name }

  /// The metric of a name: `recall`, `entries-within-60s`; nil for any other text.
  public init?(rawValue: String) {
    if let plain = Self.allCases.first(where: { $0.rawValue == rawValue }) {
      self = plain
    } else if let seconds = Self.seconds(rawValue, after: Self.entriesPrefix) {
      self = .entriesWithin(seconds: seconds)
    } else if let seconds = Self.seconds(rawValue, after: Self.exitsPrefix) {
      self = .exitsWithin(seconds: seconds)
    } else {
      return nil
    }
  }

  /// The name that a name like `entries-within-2min` should have had, with whole seconds:
  /// `entries-within-120s`; nil for any other.
  static func inSeconds(_ name: String) -> String? {
    for prefix in [entriesPrefix, exitsPrefix] where name.hasPrefix(prefix) {
      let digits = name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
      let factors = [
        "": 1, "s": 1, "sec": 1, "seconds": 1, "m": 60, "min": 60, "mins": 60, "minutes": 60, "h": 3600,
      ]
      let factor = factors[String(name[digits.endIndex...])]
      guard let number = Int(digits), let factor, windows.contains(number), windows.contains(number * factor)
      else { return nil }
      return "\(prefix)\(number * factor)s"
    }
    return nil
  }

  /// The name that was meant by `entry-within-120s`: `entries-within-120s`; nil for any other.
  static func inPlural(_ name: String) -> String? {
    for (one, many) in [("entry-within-", entriesPrefix), ("exit-within-", exitsPrefix)]
    where name.hasPrefix(one) {
      let meant = many + name.dropFirst(one.count)
      return Metric(rawValue: meant) != nil ? meant : inSeconds(meant)
    }
    return nil
  }

  private static func seconds(_ name: String, after prefix: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix("s") else { return nil }
    let digits = name.dropFirst(prefix.count).dropLast()
    guard let seconds = Int(digits), windows.contains(seconds), "\(seconds)" == digits else { return nil }
    return seconds
  }

  /// Whether the metric is computed only where it is asked for.
  public var isOnRequest: Bool {
    switch self {
    case .entriesWithin, .exitsWithin: true
    default: false
    }
  }
}

extension Metric {
  /// A value of this metric with its unit: `0.993`, `41.2 s`, `1.234 %/h`; `infinite`, and `-` for none.
  public func text(_ value: Double?) -> String {
    guard let value, !value.isNaN else { return "-" }
    guard value.isFinite else { return "infinite" }
    let unit = self.unit
    return DecimalText.string(value, decimals: decimals)
      + (unit.isEmpty || unit.hasPrefix("/") ? unit : " \(unit)")
  }
}
