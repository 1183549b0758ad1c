internal import VicinityEvaluation

extension Metric {
  /// Short, for the head of a column.
  var title: String {
    switch self {
    case .recall: "recall"
    case .visitRecall: "visit recall"
    case .precision: "precision"
    case .p50Latency: "p50 latency"
    case .p95Latency: "p95 latency"
    case .maxLatency: "greatest latency"
    case .p95LatencyOfAll: "p95 of all"
    case .p50Distance: "p50 distance"
    case .p95Distance: "p95 distance"
    case .maxDistance: "greatest distance"
    case .flaps: "flaps"
    case .duplicates: "duplicates"
    case .dwellError: "dwell error"
    case .registrations: "registrations"
    case .wakeups: "wake-ups"
    case .fixes: "fixes"
    case .backgroundTime: "in background"
    case .energy: "energy"
    case .netEnergy: "net energy"
    }
  }

  /// What it is, in a sentence.
  var meaning: String {
    switch self {
    case .recall: "The share of true crossings that were reported."
    case .visitRecall: "The share of visits whose entry was reported before they ended."
    case .precision: "The share of reports that are of a true crossing."
    case .p50Latency: "The median latency of the reported crossings."
    case .p95Latency: "What 95 % of the reported crossings' latencies do not exceed."
    case .maxLatency: "The greatest latency of a reported crossing."
    case .p95LatencyOfAll:
      "What 95 % of all crossings' latencies do not exceed; that of a missed one is infinite."
    case .p50Distance: "The median distance from a crossing to where the phone was when the report came."
    case .p95Distance: "What 95 % of these distances do not exceed."
    case .maxDistance: "The greatest of these distances."
    case .flaps: "Pairs of contradicting reports with nothing between."
    case .duplicates: "Reports of the kind of the one before."
    case .dwellError: "The median of how far reported dwells are off."
    case .registrations: "Regions given a slot."
    case .wakeups: "Times that the app was woken or started by the system."
    case .fixes: "Positions delivered to the app."
    case .backgroundTime: "Seconds that the app ran in the background."
    case .energy: "The battery's share that is drawn."
    case .netEnergy: "What of the energy is above what the phone draws regardless."
    }
  }

  /// The columns of a page's table of policies.
  static let columns: [Metric] = [
    .energy, .netEnergy, .recall, .visitRecall, .precision, .p50Latency, .p95Latency, .p95LatencyOfAll,
    .p95Distance, .flaps, .duplicates, .wakeups, .registrations, .fixes, .backgroundTime,
  ]
}
