/// How two policies of a study differ.
///
/// Both policies use the same resamples of devices, and their figures are subtracted within each. So differences between people,
/// such as how far they go, affect both alike and cancel. (Efron and Tibshirani 1993, section 8.3.)
public struct PairedComparison: Sendable {
  /// The metrics that are compared.
  public static let metrics: [Metric] = [.recall, .p50Latency, .p95Latency, .energy]

  public struct Difference: Hashable, Sendable {
    public var metric: Metric
    /// The first policy's figure less the second's, over all devices. There is no figure where one has none or both are
    /// infinite, and no interval where one has none.
    public var difference: Estimate
    /// How sure it is which policy is better: the share of resamples, 0.5...1, in which the one is better that is so over all
    /// devices; an equal pair counts half to either. nil without an interval.
    public var surety: Double?
    /// The number of devices on which the first policy is better.
    public var better: Int
    /// The number of devices on which the second policy is better.
    public var worse: Int
    /// Whether the whole interval is on one side of zero.
    public var isClear: Bool {
      guard let interval = difference.interval else { return false }
      return interval.lowerBound > 0 || interval.upperBound < 0
    }
  }

  /// The policies, as indices into ``StudyResult/policies``.
  public var first: Int
  public var second: Int
  /// By metric, in the order of ``metrics``.
  public var differences: [Difference]
}

extension StudyResult {
  /// Compares the headline figures of two policies, given as indices into ``policies``.
  public func comparison(of first: Int, with second: Int) -> PairedComparison {
    comparison(of: first, deviceMetrics(of: first), with: second, deviceMetrics(of: second))
  }

  /// Compares each policy with every later one.
  public func comparisons() -> [PairedComparison] {
    let figures = policies.indices.map { deviceMetrics(of: $0) }
    var list: [PairedComparison] = []
    for first in policies.indices {
      for second in policies.indices.dropFirst(first + 1) {
        list.append(comparison(of: first, figures[first], with: second, figures[second]))
      }
    }
    return list
  }

  private func comparison(
    of first: Int, _ a: [[Metric: Double]], with second: Int, _ b: [[Metric: Double]]
  ) -> PairedComparison {
    let differences = PairedComparison.metrics.map { metric in
      var (better, worse) = (0, 0)
      for (one, other) in zip(a, b) {
        guard let one = one[metric], let other = other[metric], one != other else { continue }
        if (one > other) == (metric.better == .higher) { better += 1 } else { worse += 1 }
      }
      var estimate = Estimate(value: nil)
      var surety: Double?
      if let one = cards[first].value(metric), let other = cards[second].value(metric),
        !(one - other).isNaN
      {
        estimate = Estimate(value: one - other)
        if cards[first].headline[metric]?.interval != nil, cards[second].headline[metric]?.interval != nil {
          let resampled = zip(
            cards[first].resamples[metric] ?? [], cards[second].resamples[metric] ?? []
          ).map { $0 - $1 }
          estimate.interval = resampling.interval(of: resampled)
          if estimate.interval != nil { surety = Self.surety(of: one - other, resampled) }
        }
      }
      return PairedComparison.Difference(
        metric: metric, difference: estimate, surety: surety, better: better, worse: worse)
    }
    return PairedComparison(first: first, second: second, differences: differences)
  }

  /// The share of resampled differences that have the sign of a difference, without NaN; equal ones count half. A difference of
  /// zero has no sign: 0.5.
  private static func surety(of difference: Double, _ resampled: [Double]) -> Double? {
    let known = resampled.filter { !$0.isNaN }
    guard !known.isEmpty else { return nil }
    guard difference != 0 else { return 0.5 }
    let same = known.reduce(0.0) { $0 + ($1 == 0 ? 0.5 : ($1 > 0) == (difference > 0) ? 1 : 0) }
    return same / Double(known.count)
  }

  /// A policy's headline metrics on each device alone, over all seeds; metrics without a figure are left out.
  public func deviceMetrics(of policy: Int) -> [[Metric: Double]] {
    devices.indices.map { device in
      let own = scores[policy][(device * seeds.count)..<((device + 1) * seeds.count)]
      let sums = MetricSums(
        Array(own), devices, devices: device..<(device + 1), .visits(filter), ofRuns: true,
        onRequest: requestedMetrics)
      var metrics: [Metric: Double] = [:]
      let ones = [Int32](repeating: 1, count: own.count)
      for (metric, value) in zip(self.metrics, sums.values(self.metrics, weights: ones))
      where !value.isNaN {
        metrics[metric] = value
      }
      return metrics
    }
  }
}
