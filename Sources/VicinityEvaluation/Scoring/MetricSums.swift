internal import VicinityCrossings
internal import VicinityMonitor
internal import VicinitySimulation

/// The data of one policy's metrics, by run: sums for rates and shares, samples for quantiles.
///
/// Runs are numbered by device, then seed, so that a resample can take devices, and the runs of one seed of
/// each.
struct MetricSums {
  private var ratios: [(metric: Metric, numerators: [Double], denominators: [Double])] = []
  private let latencies: DeviceSamples
  private let entryLatencies: DeviceSamples
  private let exitLatencies: DeviceSamples
  private let distances: DeviceSamples
  private let dwells: DeviceSamples
  /// True crossings and visits with an entry, over all devices.
  private(set) var crossings = 0
  private(set) var visits = 0
  private let seedCount: Int
  /// The share of the battery, per cent, by source of energy and run; without the sources that drew nothing.
  /// Empty without the metrics of runs.
  private var energies: [(source: EnergySource, percent: [Double])] = []

  /// - Parameters:
  ///   - scores: One policy's scores, all of `devices` with all seeds, ordered by device, then seed.
  ///   - devices: The devices that count; they are renumbered from zero.
  ///   - ofRuns: Whether to include the metrics of runs: energy, and rates by the hour or day.
  ///   - windows: The metrics that are computed on request.
  init(
    _ scores: [DayScore], _ truths: [DeviceTruth], devices: Range<Int>, _ selection: CrossingSelection,
    ofRuns: Bool, onRequest windows: [Metric] = []
  ) {
    seedCount = max(1, devices.isEmpty ? 1 : scores.count / devices.count)
    let runCount = devices.count * seedCount
    let none = [Double](repeating: 0, count: runCount)
    var (total, reported, entries, entriesReported) = (none, none, none, none)
    var (exits, exitsFound, entriesFound) = (none, none, none)
    var inTime = windows.map { _ in none }
    var (founded, unfounded, missed) = (none, none, [Int](repeating: 0, count: runCount))
    var latencies: [(value: Double, device: Int)] = []
    var (entryLatencies, exitLatencies) = (latencies, latencies)
    var distances: [(value: Double, device: Int)] = []
    var dwells: [(value: Double, device: Int)] = []
    var counted: [Int: CountedCrossings] = [:]
    for (device, score) in scores.enumerated() {
      let truth = truths[score.device]
      let counts = counted[score.device] ?? CountedCrossings(truth, selection.filter)
      counted[score.device] = counts
      for (index, crossing) in truth.crossings.enumerated() {
        let visit = truth.visits[crossing.visit]
        if score.outcomes[index] != nil, selection.containsReport(ofSize: visit.radius) {
          founded[device] += 1
        }
        guard let stayEnd = counts.stayEnds[index], selection.contains(crossing, visit) else { continue }
        let outcome = counts.outcome(of: index, score.outcomes, truth)
        total[device] += 1
        if crossing.crossing.kind == .enter {
          entries[device] += 1
          if let outcome, outcome.reported <= stayEnd { entriesReported[device] += 1 }
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
        if crossing.crossing.kind == .enter {
          entriesFound[device] += 1
          entryLatencies.append((outcome.latency, device))
        } else if crossing.crossing.kind == .exit {
          exitsFound[device] += 1
          exitLatencies.append((outcome.latency, device))
        }
        distances.append((outcome.distance, device))
      }
      for report in score.unfounded where selection.containsReport(ofSize: report.radius) {
        unfounded[device] += 1
      }
      if case .visits = selection {
        for error in score.dwellErrors where counts.wholeVisits.contains(error.visit) {
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
    self.latencies = DeviceSamples(latencies, endless: missed, deviceCount: runCount)
    self.entryLatencies = DeviceSamples(entryLatencies, endless: [], deviceCount: runCount)
    self.exitLatencies = DeviceSamples(exitLatencies, endless: [], deviceCount: runCount)
    self.distances = DeviceSamples(distances, endless: [], deviceCount: runCount)
    self.dwells = DeviceSamples(dwells, endless: [], deviceCount: runCount)
    ratios.append((.recall, reported, total))
    ratios.append((.visitRecall, entriesReported, entries))
    ratios.append((.entryRecall, entriesFound, entries))
    ratios.append((.exitRecall, exitsFound, exits))
    if selection.hasPrecision {
      ratios.append((.precision, founded, zip(founded, unfounded).map { $0 + $1 }))
    }
    for (window, inTime) in zip(windows, inTime) {
      if case .entriesWithin = window { ratios.append((window, inTime, entries)) }
      if case .exitsWithin = window { ratios.append((window, inTime, exits)) }
    }
    if ofRuns { addRates(scores) }
  }

  private mutating func addRates(_ scores: [DayScore]) {
    let hours = scores.map(\.hours)
    func add(_ metric: Metric, a unit: Double = 1, _ value: (DayScore) -> Double) {
      ratios.append((metric, scores.map(value), hours.map { $0 / unit }))
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
    for source in EnergySource.allCases {
      let percent = scores.map { $0.joulesBySource[source.rawValue] * $0.percentPerJoule }
      if percent.contains(where: { $0 > 0 }) { energies.append((source, percent)) }
    }
  }

  /// Values of metrics, with each run repeated by its weight; NaN for metrics without data.
  ///
  /// - Parameter factors: The factors on the energy of each `EnergySource`; nil for none.
  func values(_ metrics: [Metric], weights: [Int32], factors: [Double]? = nil) -> [Double] {
    let added = factors.map { addedEnergy($0, weights) }
    let latency = latencies.totals(weights: weights)
    let distance = distances.totals(weights: weights)
    let dwell = dwells.totals(weights: weights)
    return metrics.map { metric in
      switch metric {
      case .p50Latency: latencies.quantile(50, weights: weights, latency) ?? .nan
      case .p95Latency: latencies.quantile(95, weights: weights, latency) ?? .nan
      case .maxLatency: latencies.quantile(100, weights: weights, latency) ?? .nan
      case .p95LatencyOfAll: latencies.quantile(95, weights: weights, latency, countsEndless: true) ?? .nan
      case .entryP95Latency:
        entryLatencies.quantile(95, weights: weights, entryLatencies.totals(weights: weights)) ?? .nan
      case .exitP95Latency:
        exitLatencies.quantile(95, weights: weights, exitLatencies.totals(weights: weights)) ?? .nan
      case .p50Distance: distances.quantile(50, weights: weights, distance) ?? .nan
      case .p95Distance: distances.quantile(95, weights: weights, distance) ?? .nan
      case .maxDistance: distances.quantile(100, weights: weights, distance) ?? .nan
      case .dwellError: dwells.quantile(50, weights: weights, dwell) ?? .nan
      case .energy: ratio(metric, weights, adding: added?.all ?? 0)
      case .netEnergy: ratio(metric, weights, adding: added?.net ?? 0)
      case .batteryDays: ratio(metric, weights, addingBelow: (added?.all ?? 0) / 100)
      case .recall, .visitRecall, .precision, .entryRecall, .exitRecall, .flaps, .duplicates, .registrations,
        .wakeups, .fixes, .backgroundTime, .entriesWithin, .exitsWithin:
        ratio(metric, weights)
      }
    }
  }

  /// What factors on the sources of energy add to the sum over runs, per cent of the battery: with idle
  /// power, and without.
  private func addedEnergy(_ factors: [Double], _ weights: [Int32]) -> (all: Double, net: Double) {
    var (all, net) = (0.0, 0.0)
    for (source, percent) in energies {
      var sum = 0.0
      for run in weights.indices { sum += percent[run] * Double(weights[run]) }
      sum *= factors[source.rawValue] - 1
      all += sum
      if source != .idle { net += sum }
    }
    return (all, net)
  }

  /// How many devices have data for a metric.
  func contributorCount(_ metric: Metric) -> Int {
    func devices(_ hasData: [Bool]) -> Int {
      stride(from: 0, to: hasData.count, by: seedCount).count { first in
        hasData[first..<min(first + seedCount, hasData.count)].contains(true)
      }
    }
    return switch metric {
    case .p50Latency, .p95Latency, .maxLatency: devices(latencies.haveSamples())
    case .p95LatencyOfAll: devices(latencies.haveSamples(countsEndless: true))
    case .entryP95Latency: devices(entryLatencies.haveSamples())
    case .exitP95Latency: devices(exitLatencies.haveSamples())
    case .p50Distance, .p95Distance, .maxDistance: devices(distances.haveSamples())
    case .dwellError: devices(dwells.haveSamples())
    case .recall, .visitRecall, .precision, .entryRecall, .exitRecall, .flaps, .duplicates, .registrations,
      .wakeups, .fixes, .backgroundTime, .energy, .netEnergy, .batteryDays, .entriesWithin, .exitsWithin:
      devices(ratios.first { $0.metric == metric }?.denominators.map { $0 > 0 } ?? [])
    }
  }

  private func ratio(
    _ metric: Metric, _ weights: [Int32], adding above: Double = 0, addingBelow below: Double = 0
  ) -> Double {
    guard let sums = ratios.first(where: { $0.metric == metric }) else { return .nan }
    var (numerator, denominator) = (above, below)
    for run in weights.indices where weights[run] != 0 {
      numerator += sums.numerators[run] * Double(weights[run])
      denominator += sums.denominators[run] * Double(weights[run])
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
