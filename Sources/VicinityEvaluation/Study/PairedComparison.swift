internal import CMath

/// How two policies of a study differ.
///
/// Both policies use the same resamples of devices, and their figures are subtracted within each. So
/// differences between people, such as how far they go, affect both alike and cancel. (Efron and Tibshirani
/// 1993, section 8.3.)
public struct PairedComparison: Sendable {
  /// From this ``Difference/surety`` on the page of a study calls one of two policies better. A page has
  /// dozens of pairs, so a bar of 95 % would call some better by chance.
  public static let sureProbability = 0.99
  /// The metrics that are compared.
  public static let metrics: [Metric] = [.recall, .p50Latency, .p95Latency, .energy]

  public struct Difference: Hashable, Sendable {
    public var metric: Metric
    /// The first policy's figure less the second's, over all devices. There is no figure where one has none
    /// or both are infinite, and no interval where one has none. The interval of an energy is of devices,
    /// days and chance; what the phone adds is ``phone``.
    public var difference: Estimate
    /// The interval of a difference in energy with nothing but the energies of the phone drawn, the same for
    /// both policies; nil for other metrics, and where energies are not drawn.
    public var phone: ClosedRange<Double>?
    /// How sure it is which policy is better, 0.5...1: the share of resamples in which the one is better that
    /// is so over all devices, where an equal pair counts half to either. Where the seeds have phones of
    /// their own, these are a sample as well: then what is doubtful about the order on nine of ten such
    /// phones is taken from that, as either may turn it (Hahn and Meeker, *Statistical Intervals*, 1991,
    /// section 4.6: a one-sided tolerance bound). nil without an interval.
    public var surety: Double?
    /// The number of devices on which the first policy is better.
    public var better: Int
    /// The number of devices on which the second policy is better.
    public var worse: Int
    /// Whether the whole interval is on one side of zero, and that of the phone on the same.
    public var isClear: Bool {
      let intervals = [difference.interval, phone].compactMap { $0 }
      guard difference.interval != nil else { return false }
      return intervals.allSatisfy { $0.lowerBound > 0 } || intervals.allSatisfy { $0.upperBound < 0 }
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
    comparison(of: first, figures(of: first), with: second, figures(of: second))
  }

  /// Compares each policy with every later one.
  public func comparisons() -> [PairedComparison] {
    let all = policies.indices.map { figures(of: $0) }
    var list: [PairedComparison] = []
    for first in policies.indices {
      for second in policies.indices.dropFirst(first + 1) {
        list.append(comparison(of: first, all[first], with: second, all[second]))
      }
    }
    return list
  }

  /// A policy's headline metrics: on each device alone, and with each seed's phone alone.
  private struct Figures {
    var devices: [[Metric: Double]]
    /// By place in `PairedComparison.metrics`, then seed; empty where all seeds have the same phone.
    var phones: [[Double]]
  }

  private func figures(of policy: Int) -> Figures {
    guard phones == .drawn, seeds.count > 1 else {
      return Figures(devices: deviceMetrics(of: policy), phones: [])
    }
    let sums = MetricSums(
      scores[policy], devices, devices: devices.indices, .visits(filter), ofRuns: true)
    let bySeed = seeds.indices.map { seed in
      var weights = [Int32](repeating: 0, count: scores[policy].count)
      for device in devices.indices { weights[device * seeds.count + seed] = 1 }
      return sums.values(PairedComparison.metrics, weights: weights)
    }
    return Figures(
      devices: deviceMetrics(of: policy),
      phones: PairedComparison.metrics.indices.map { metric in bySeed.map { $0[metric] } })
  }

  private func comparison(
    of first: Int, _ a: Figures, with second: Int, _ b: Figures
  ) -> PairedComparison {
    let differences = PairedComparison.metrics.enumerated().map { place, metric in
      var (better, worse) = (0, 0)
      for (one, other) in zip(a.devices, b.devices) {
        guard let one = one[metric], let other = other[metric], one != other else { continue }
        if (one > other) == (metric.better == .higher) { better += 1 } else { worse += 1 }
      }
      var estimate = Estimate(value: nil)
      var surety: Double?
      var phone: ClosedRange<Double>?
      if let one = cards[first].value(metric), let other = cards[second].value(metric),
        !(one - other).isNaN
      {
        estimate = Estimate(value: one - other)
        if cards[first].headline[metric]?.interval != nil, cards[second].headline[metric]?.interval != nil {
          func differences(_ of: (ScoreCard) -> [Double]?) -> [Double] {
            zip(of(cards[first]) ?? [], of(cards[second]) ?? []).map { $0 - $1 }
          }
          let resampled = differences { $0.resamples[metric] }
          estimate.interval = resampling.interval(of: resampled)
          if cards[first].energyIntervals[metric] != nil {
            estimate.interval = resampling.interval(of: differences { $0.energyResamples?.days[metric] })
            phone = resampling.interval(of: differences { $0.energyResamples?.phone[metric] })
          }
          if estimate.interval != nil { surety = Self.surety(of: one - other, resampled) }
          if let found = surety, !a.phones.isEmpty {
            let onPhones = zip(a.phones[place], b.phones[place]).map { $0 - $1 }
            surety = max(0.5, found + Self.suretyOnMostPhones(of: one - other, onPhones) - 1)
          }
        }
      }
      return PairedComparison.Difference(
        metric: metric, difference: estimate, phone: phone, surety: surety, better: better, worse: worse)
    }
    return PairedComparison(first: first, second: second, differences: differences)
  }

  /// The share of resampled differences that have the sign of a difference, without NaN; equal ones count
  /// half. A difference of zero has no sign: 0.5.
  private static func surety(of difference: Double, _ resampled: [Double]) -> Double? {
    let known = resampled.filter { !$0.isNaN }
    guard !known.isEmpty else { return nil }
    guard difference != 0 else { return 0.5 }
    let same = known.reduce(0.0) { $0 + ($1 == 0 ? 0.5 : ($1 > 0) == (difference > 0) ? 1 : 0) }
    return same / Double(known.count)
  }

  /// The share of phones on which an order holds that is called sure.
  static let shareOfPhones = 0.9
  /// The normal quantile of ``shareOfPhones``.
  private static let quantileOfPhones = 1.2815515655446004

  /// How sure it is that the difference has the sign of a given one on nine of ten phones, from those on some
  /// phones, as if they were normal.
  static func suretyOnMostPhones(of difference: Double, _ differences: [Double]) -> Double {
    let known = differences.filter { !$0.isNaN }
    guard difference != 0, known.count > 1 else { return 0.5 }
    let count = Double(known.count)
    // Infinite where a policy reports too few with one of the phones: then how many agree counts alone (Hahn
    // and Meeker, chapter 5).
    guard known.allSatisfy(\.isFinite) else {
      return probability(
        ofFewerThan: known.count { $0 != 0 && ($0 > 0) == (difference > 0) }, of: known.count, shareOfPhones)
    }
    let mean = known.reduce(0, +) / count
    let variance = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    let score = difference > 0 ? mean : -mean
    guard variance > 0 else { return score > 0 ? 1 : score < 0 ? 0 : 0.5 }
    return studentProbability(
      of: score * (count / variance).squareRoot(), known.count - 1,
      noncentrality: quantileOfPhones * count.squareRoot())
  }

  /// The probability of fewer than so many successes in some trials.
  static func probability(ofFewerThan successes: Int, of trials: Int, _ share: Double) -> Double {
    var term = pow(1 - share, Double(trials))
    var sum = 0.0
    for number in 0..<max(0, successes) {
      sum += term
      term *= Double(trials - number) / Double(number + 1) * share / (1 - share)
    }
    return sum
  }

  /// The probability that Student's noncentral t is no more than a number: the normal probability of t s - δ
  /// over all s, where ν s² has the chi-squared distribution (Johnson and Welch, Biometrika 31, 1940), by
  /// Simpson's rule.
  ///
  /// - Parameter degrees: ν, the degrees of freedom, 1 and more.
  static func studentProbability(of t: Double, _ degrees: Int, noncentrality: Double) -> Double {
    let shape = Double(degrees)
    // The density of s beyond twelve standard deviations is less than 1e-30 of its greatest.
    let (steps, end) = (2000, 1 + 12 / (2 * shape).squareRoot())
    var (sum, whole) = (0.0, 0.0)
    for step in 0...steps {
      let s = end * Double(step) / Double(steps)
      let weight = step == 0 || step == steps ? 1.0 : step % 2 == 1 ? 4 : 2
      // Relative to that at s = 1, so that no gamma function is needed and nothing overflows.
      let density = weight * pow(s, shape - 1) * exp(shape * (1 - s * s) / 2)
      whole += density
      sum += density * erfc((noncentrality - t * s) / 2.0.squareRoot()) / 2
    }
    return sum / whole
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
