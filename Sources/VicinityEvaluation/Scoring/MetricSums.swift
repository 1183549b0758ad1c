internal import VicinityCrossings
internal import VicinityMonitor
internal import VicinitySimulation

/// The data of one policy's metrics, by device: sums for rates and shares, samples for quantiles.
///
/// A device's data are over all its seeds: a resample takes the whole device as often as it is drawn.
struct MetricSums {
  private var ratios: [(metric: Metric, numerators: [Double], denominators: [Double])] = []
  private let latencies: DeviceSamples
  private let distances: DeviceSamples
  private let dwells: DeviceSamples
  /// True crossings and visits with an entry, over all devices.
  private(set) var crossings = 0
  private(set) var visits = 0

  /// - Parameters:
  ///   - scores: One policy's scores, all of `devices`.
  ///   - devices: The devices that count; they are renumbered from zero.
  ///   - ofRuns: Whether to include the metrics of runs: energy, and rates by the hour or day.
  ///   - windows: The metrics that are computed on request.
  init(
    _ scores: [DayScore], _ truths: [DeviceTruth], devices: Range<Int>, _ selection: CrossingSelection,
    ofRuns: Bool, onRequest windows: [Metric] = []
  ) {
    let none = [Double](repeating: 0, count: devices.count)
    var (total, reported, entries, entriesReported) = (none, none, none, none)
    var exits = none
    var inTime = windows.map { _ in none }
    var (founded, unfounded, missed) = (none, none, [Int](repeating: 0, count: devices.count))
    var latencies: [(value: Double, device: Int)] = []
    var distances: [(value: Double, device: Int)] = []
    var dwells: [(value: Double, device: Int)] = []
    for score in scores {
      let truth = truths[score.device]
      let device = score.device - devices.lowerBound
      for (crossing, outcome) in zip(truth.crossings, score.outcomes) {
        let visit = truth.visits[crossing.visit]
        if outcome != nil, selection.containsReport(ofSize: visit.radius) { founded[device] += 1 }
        guard selection.contains(crossing, visit) else { continue }
        total[device] += 1
        if crossing.crossing.kind == .enter {
          entries[device] += 1
          if let outcome, outcome.reported <= visit.end { entriesReported[device] += 1 }
        } else if crossing.crossing.kind == .exit {
          exits[device] += 1
        }
        for (index, window) in windows.enumerated() where window.isInTime(crossing.crossing.kind, outcome) {
          inTime[index][device] += 1
        }
        guard let outcome else {
          missed[device] += 1
          continue
        }
        reported[device] += 1
        latencies.append((outcome.latency, device))
        distances.append((outcome.distance, device))
      }
      for report in score.unfounded where selection.containsReport(ofSize: report.radius) {
        unfounded[device] += 1
      }
      if case .visits(let filter) = selection {
        for error in score.dwellErrors where filter.contains(truth.visits[error.visit]) {
          dwells.append((abs(error.seconds), device))
        }
      } else if case .oneClass(let dimension, let index) = selection, dimension != .speed {
        for error in score.dwellErrors {
          let visit = truth.visits[error.visit]
          let value = dimension == .size ? visit.radius : visit.seconds
          if dimension.classIndex(of: value) == index { dwells.append((abs(error.seconds), device)) }
        }
      }
    }
    crossings = Int(total.reduce(0, +))
    visits = Int(entries.reduce(0, +))
    self.latencies = DeviceSamples(latencies, endless: missed, deviceCount: devices.count)
    self.distances = DeviceSamples(distances, endless: [], deviceCount: devices.count)
    self.dwells = DeviceSamples(dwells, endless: [], deviceCount: devices.count)
    ratios.append((.recall, reported, total))
    ratios.append((.visitRecall, entriesReported, entries))
    if selection.hasPrecision {
      ratios.append((.precision, founded, zip(founded, unfounded).map { $0 + $1 }))
    }
    for (window, inTime) in zip(windows, inTime) {
      if case .entriesWithin = window { ratios.append((window, inTime, entries)) }
      if case .exitsWithin = window { ratios.append((window, inTime, exits)) }
    }
    if ofRuns { addRates(scores, devices) }
  }

  private mutating func addRates(_ scores: [DayScore], _ devices: Range<Int>) {
    var hours = [Double](repeating: 0, count: devices.count)
    for score in scores { hours[score.device - devices.lowerBound] += score.hours }
    func add(_ metric: Metric, a unit: Double = 1, _ value: (DayScore) -> Double) {
      var sums = [Double](repeating: 0, count: devices.count)
      for score in scores { sums[score.device - devices.lowerBound] += value(score) }
      ratios.append((metric, sums, hours.map { $0 / unit }))
    }
    add(.flaps, a: 24) { Double($0.flaps) }
    add(.duplicates, a: 24) { Double($0.duplicates) }
    add(.registrations) { Double($0.counts.registrations) }
    add(.wakeups) { Double($0.counts.wakes + $0.counts.relaunches) }
    add(.fixes) { Double($0.counts.fixes) }
    add(.backgroundTime) { $0.counts.backgroundSeconds }
    add(.energy) { $0.totalJoules * $0.percentPerJoule }
    add(.netEnergy) { $0.netJoules * $0.percentPerJoule }
    if let energy = ratios.first(where: { $0.metric == .energy }) {
      ratios.append((.batteryDays, hours.map { $0 / 24 }, energy.numerators.map { $0 / 100 }))
    }
  }

  /// Values of metrics, with each device repeated by its weight; NaN for metrics without data.
  func values(_ metrics: [Metric], weights: [Int32]) -> [Double] {
    let latency = latencies.totals(weights: weights)
    let distance = distances.totals(weights: weights)
    let dwell = dwells.totals(weights: weights)
    return metrics.map { metric in
      switch metric {
      case .p50Latency: latencies.quantile(50, weights: weights, latency) ?? .nan
      case .p95Latency: latencies.quantile(95, weights: weights, latency) ?? .nan
      case .maxLatency: latencies.quantile(100, weights: weights, latency) ?? .nan
      case .p95LatencyOfAll: latencies.quantile(95, weights: weights, latency, countsEndless: true) ?? .nan
      case .p50Distance: distances.quantile(50, weights: weights, distance) ?? .nan
      case .p95Distance: distances.quantile(95, weights: weights, distance) ?? .nan
      case .maxDistance: distances.quantile(100, weights: weights, distance) ?? .nan
      case .dwellError: dwells.quantile(50, weights: weights, dwell) ?? .nan
      default: ratio(metric, weights)
      }
    }
  }

  /// How many devices have data for a metric.
  func contributorCount(_ metric: Metric) -> Int {
    switch metric {
    case .p50Latency, .p95Latency, .maxLatency: latencies.contributorCount()
    case .p95LatencyOfAll: latencies.contributorCount(countsEndless: true)
    case .p50Distance, .p95Distance, .maxDistance: distances.contributorCount()
    case .dwellError: dwells.contributorCount()
    default: ratios.first { $0.metric == metric }?.denominators.count { $0 > 0 } ?? 0
    }
  }

  private func ratio(_ metric: Metric, _ weights: [Int32]) -> Double {
    guard let sums = ratios.first(where: { $0.metric == metric }) else { return .nan }
    var (numerator, denominator) = (0.0, 0.0)
    for device in weights.indices {
      numerator += sums.numerators[device] * Double(weights[device])
      denominator += sums.denominators[device] * Double(weights[device])
    }
    return denominator > 0 ? numerator / denominator : .nan
  }
}

extension Metric {
  /// Whether a crossing of this kind counts as reported in time; false for metrics that take no seconds.
  fileprivate func isInTime(_ kind: Crossing.Kind, _ outcome: CrossingOutcome?) -> Bool {
    guard let outcome else { return false }
    return switch self {
    case .entriesWithin(let seconds): kind == .enter && outcome.latency <= Double(seconds)
    case .exitsWithin(let seconds): kind == .exit && outcome.latency <= Double(seconds)
    default: false
    }
  }
}
