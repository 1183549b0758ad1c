/// A number that a policy is judged by. The raw values are the names in files and requirements.
///
/// <doc:Scoring> has the formula of each.
public enum Metric: String, CaseIterable, Hashable, Sendable {
  /// The share of true crossings that were reported.
  case recall
  /// The share of visits with an entry whose entry was reported before they ended.
  case visitRecall = "visit-recall"
  /// The share of reports that are of a true crossing.
  case precision
  /// The median latency of the reported crossings.
  case p50Latency = "p50-latency"
  /// What 95 % of the reported crossings' latencies do not exceed.
  case p95Latency = "p95-latency"
  /// The greatest latency of a reported crossing.
  case maxLatency = "max-latency"
  /// What 95 % of all crossings' latencies do not exceed, that of a missed one being infinite.
  case p95LatencyOfAll = "p95-latency-all"
  /// The median distance from a crossing's place to where the phone was when the report came.
  case p50Distance = "p50-distance"
  /// What 95 % of these distances do not exceed.
  case p95Distance = "p95-distance"
  /// The greatest of these distances.
  case maxDistance = "max-distance"
  /// Pairs of contradicting reports with nothing between, a day.
  case flaps
  /// Reports of the kind of the one before, a day.
  case duplicates
  /// The median of how far reported dwells are off.
  case dwellError = "dwell-error"
  /// Regions given a slot, an hour.
  case registrations
  /// Times that the app was woken or started by the system, an hour.
  case wakeups
  /// Positions delivered, an hour.
  case fixes
  /// Seconds that the app ran in the background, an hour.
  case backgroundTime = "background-time"
  /// The battery's share that is drawn in an hour, per cent.
  case energy
  /// What of ``energy`` is above what the phone draws regardless.
  case netEnergy = "net-energy"

  /// Which way is better.
  public enum Direction: Hashable, Sendable {
    case lower, higher
  }

  /// Which way is better.
  public var better: Direction {
    switch self {
    case .recall, .visitRecall, .precision: .higher
    default: .lower
    }
  }

  /// What it is in; empty for shares.
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

  /// How many decimals of it mean something to people.
  public var decimals: Int {
    switch self {
    case .recall, .visitRecall, .precision, .energy, .netEnergy: 3
    case .p50Latency, .p95Latency, .maxLatency, .p95LatencyOfAll, .dwellError, .backgroundTime: 1
    case .p50Distance, .p95Distance, .maxDistance: 0
    case .flaps, .duplicates, .registrations, .wakeups, .fixes: 2
    }
  }

  /// Whether it is about crossings and visits, so that a ``VisitFilter`` or a class changes it.
  public var isOfVisits: Bool {
    switch self {
    case .recall, .visitRecall, .precision, .p50Latency, .p95Latency, .maxLatency, .p95LatencyOfAll,
      .p50Distance,
      .p95Distance, .maxDistance, .dwellError:
      true
    default: false
    }
  }
}
