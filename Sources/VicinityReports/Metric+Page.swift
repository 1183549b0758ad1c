internal import VicinityEvaluation

extension Metric {
  /// A short name, for the head of a column.
  var title: String {
    switch self {
    case .maxLatency: "greatest latency"
    case .visitRecall: "visits told in time"
    case .entryRecall: "arrivals reported"
    case .exitRecall: "departures reported"
    case .p95LatencyOfAll: "p95 of all"
    case .entryP95Latency: "95 % of arrivals within"
    case .exitP95Latency: "95 % of departures within"
    case .maxDistance: "greatest distance"
    case .wakeups: "wake-ups"
    case .backgroundTime: "awake"
    case .netEnergy: "above idle"
    case .energy: "energy in all"
    default: String(rawValue.map { $0 == "-" ? " " : $0 })
    }
  }

  /// A sentence that explains the metric.
  var meaning: String {
    switch self {
    case .recall: "The share of true crossings that were reported."
    case .visitRecall: "The share of visits whose entry was reported before they ended."
    case .precision: "The share of reports that are of a true crossing."
    case .p50Latency: "The median latency of the reported crossings."
    case .p95Latency: "The 95th percentile of the reported crossings' latencies."
    case .maxLatency: "The greatest latency of a reported crossing."
    case .p95LatencyOfAll:
      "The 95th percentile of all crossings' latencies; that of a missed crossing is infinite."
    case .entryRecall: "The share of true entries that were reported."
    case .exitRecall: "The share of true exits that were reported."
    case .entryP95Latency: "The 95th percentile of the reported entries' latencies."
    case .exitP95Latency: "The 95th percentile of the reported exits' latencies."
    case .p50Distance: "The median distance from a crossing to where the phone was when the report came."
    case .p95Distance: "The 95th percentile of these distances."
    case .maxDistance: "The greatest of these distances."
    case .flaps: "Pairs of contradicting reports with no crossing in between."
    case .duplicates: "Reports of the same kind as the region's report before."
    case .dwellError: "The median error of reported dwell times."
    case .registrations: "Regions that got a slot."
    case .wakeups: "Times that the system woke or started the app."
    case .fixes: "Positions delivered to the app."
    case .backgroundTime: "Seconds that the app was awake in the background, rather than suspended."
    case .energy: "The share of the battery that is drawn."
    case .netEnergy: "The share of the battery that is drawn above the phone's idle power."
    case .batteryDays: "How many days a full battery lasts."
    case .entriesWithin(let seconds): "The share of true entries that were reported within \(seconds) s."
    case .exitsWithin(let seconds): "The share of true exits that were reported within \(seconds) s."
    }
  }

  /// What an energy above idle is multiplied by on a page, which has it by the day.
  var pageFactor: Double { self == .netEnergy ? 24 : 1 }
  /// The unit on a page.
  var pageUnit: String { self == .netEnergy ? "% a day" : unit }
  /// How many decimals a page shows.
  var pageDecimals: Int { self == .netEnergy ? 2 : decimals }

  /// The columns of a page's table of policies: as many as a page of 1280 pixels holds.
  static let columns: [Metric] = [
    .netEnergy, .visitRecall, .entryRecall, .entryP95Latency, .exitRecall, .exitP95Latency, .precision,
    .wakeups, .backgroundTime,
  ]
  /// Those of a second table.
  static let moreColumns: [Metric] = [
    .energy, .batteryDays, .recall, .p50Latency, .p95Latency, .p95LatencyOfAll, .p95Distance, .flaps,
    .duplicates, .registrations, .fixes,
  ]
}
