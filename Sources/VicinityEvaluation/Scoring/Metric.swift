internal import VicinityCrossings

/// A number that a policy is judged by; <doc:Scoring> has the formulas. Raw values are the names in files and requirements.
public enum Metric: String, CaseIterable, Hashable, Sendable {
  /// The share of true crossings that were reported.
  case recall
  /// The share of visits with an entry whose entry was reported before they ended.
  case visitRecall = "visit-recall"
  /// The share of reports that are of a true crossing.
  case precision
  /// The median latency of the reported crossings.
  case p50Latency = "p50-latency"
  /// The 95th percentile of the reported crossings' latencies.
  case p95Latency = "p95-latency"
  /// The greatest latency of a reported crossing.
  case maxLatency = "max-latency"
  /// The 95th percentile of all crossings' latencies; that of a missed crossing is infinite.
  case p95LatencyOfAll = "p95-latency-all"
  /// The median distance from a crossing to where the phone was when the report came.
  case p50Distance = "p50-distance"
  /// The 95th percentile of these distances.
  case p95Distance = "p95-distance"
  /// The greatest of these distances.
  case maxDistance = "max-distance"
  /// Pairs of contradicting reports with no crossing in between, a day.
  case flaps
  /// Reports of the same kind as the region's report before, a day.
  case duplicates
  /// The median error of reported dwell times.
  case dwellError = "dwell-error"
  /// Regions that got a slot, an hour.
  case registrations
  /// Times that the system woke or started the app, an hour.
  case wakeups
  /// Positions delivered, an hour.
  case fixes
  /// Seconds that the app ran in the background, an hour.
  case backgroundTime = "background-time"
  /// The share of the battery that is drawn in an hour, per cent.
  case energy
  /// ``energy`` above the phone's idle power.
  case netEnergy = "net-energy"

  public enum Direction: Hashable, Sendable {
    case lower, higher
  }

  /// Whether lower or higher values are better.
  public var better: Direction { unit.isEmpty ? .higher : .lower }

  /// The unit; empty for shares.
  public var unit: String {
    switch self {
    case .recall, .visitRecall, .precision: ""
    case .p50Latency, .p95Latency, .maxLatency, .p95LatencyOfAll, .dwellError: "s"
    case .p50Distance, .p95Distance, .maxDistance: "m"
    case .flaps, .duplicates: "/d"
    case .registrations, .wakeups, .fixes: "/h"
    case .backgroundTime: "s/h"
    case .energy, .netEnergy: "%/h"
    }
  }

  /// How many decimals to show.
  public var decimals: Int {
    switch unit {
    case "", "%/h": 3
    case "/d", "/h": 2
    case "s", "s/h": 1
    default: 0
    }
  }

  /// Whether the metric is about crossings and visits, so that a ``VisitFilter`` or a class changes it.
  public var isOfVisits: Bool { ["", "s", "m"].contains(unit) }
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
