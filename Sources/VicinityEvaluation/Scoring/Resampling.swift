internal import VicinityGeodesy
internal import VicinitySimulation

/// How confidence intervals are found: by the percentile bootstrap over devices, seeds and energies.
///
/// A resample draws as many devices as there are, with replacement, each with all its crossings: what one
/// person does at different times is not independent, what two people do is assumed to be. Of several seeds
/// it takes the runs of one, the same for all devices: another seed is another day, and another phone where
/// phones are drawn (``PhoneDraws``). Where they are, it also draws the energies of the phone from their
/// ranges, the same for all devices. (B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993,
/// chapters 8 and 13.)
public struct Resampling: Hashable, Sendable {
  /// The number of resamples; none for no intervals.
  public var count: Int
  public var seed: UInt64
  /// The share of resamples that lie in an interval.
  public var level: Double

  public init(count: Int = 1000, seed: UInt64 = 1, level: Double = 0.95) {
    self.count = count
    self.seed = seed
    self.level = level
  }
}

extension RandomStream {
  /// A number in 0 ..< count; `count` must be positive. It is the part of 0 ..< 2^64, cut into `count` equal
  /// parts, that the next random number lies in.
  mutating func below(_ count: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }
}

/// The resamples of a study, the same for all its policies.
struct Resamples {
  private var random: RandomStream
  private let deviceCount: Int
  private let seedCount: Int
  private let energySeed: UInt64
  private let profile: DeviceProfile?
  private var number: UInt64 = 0

  /// What varies from one resample to the next; the rest is as in the study itself.
  struct Varied: OptionSet {
    let rawValue: Int
    static let devices = Varied(rawValue: 1)
    static let seeds = Varied(rawValue: 2)
    static let energies = Varied(rawValue: 4)
    static let all: Varied = [.devices, .seeds, .energies]
  }

  /// - Parameter profile: The phone whose energies are drawn; nil for energies as they are.
  init(_ resampling: Resampling, deviceCount: Int, seedCount: Int, profile: DeviceProfile?) {
    random = RandomStream(seed: resampling.seed, "bootstrap")
    energySeed = resampling.seed
    (self.deviceCount, self.seedCount, self.profile) = (deviceCount, seedCount, profile)
  }

  /// Counts how often each run is drawn in the next resample, and draws the factors of energies; nil where
  /// they are as they are.
  mutating func next(into weights: inout [Int32], varying varied: Varied = .all) -> [Double]? {
    for run in weights.indices { weights[run] = 0 }
    // Every resample takes the same random numbers, whatever varies.
    let seed = seedCount > 1 ? random.below(seedCount) : 0
    for index in 0..<deviceCount {
      let drawn = random.below(deviceCount)
      let device = varied.contains(.devices) ? drawn : index
      if seedCount == 1 || varied.contains(.seeds) {
        weights[device * seedCount + seed] += 1
      } else {
        for run in (device * seedCount)..<((device + 1) * seedCount) { weights[run] += 1 }
      }
    }
    number += 1
    guard let profile, varied.contains(.energies) else { return nil }
    return profile.energyFactors(seed: energySeed &+ number &* 0x9E37_79B9_7F4A_7C15)
  }
}

extension Resampling {
  /// The interval of the resamples' figures, without NaN; nil where fewer than half are figures.
  ///
  /// The percentiles are nearest ranks: of 1000 figures at level 0.95, the 25th and the 975th.
  /// (VicinityCalibration interpolates instead, which infinite latencies do not allow.)
  func interval(of values: [Double]) -> ClosedRange<Double>? {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard count > 0, !sorted.isEmpty, 2 * sorted.count >= count, level > 0, level <= 1 else { return nil }
    func rank(_ share: Double) -> Double {
      let rank = (share * Double(sorted.count)).rounded(.up)
      return sorted[Int(min(max(rank, 1), Double(sorted.count))) - 1]
    }
    // Rounded, so that 0.025 of 1000 is exactly 25.
    let tail = ((1 - level) / 2 * 1e9).rounded() / 1e9
    return rank(tail)...rank(1 - tail)
  }
}

/// The shares of the variance of a figure's resamples, which add up to one: what its interval is due to.
///
/// Each part alone is varied, the others being as in the study; what they do together only is divided in
/// proportion.
public struct UncertaintyShares: Hashable, Sendable {
  /// Who carries the phone, and where.
  public var devices: Double
  /// The day and chance, and the drawn behaviour of the phone, which both come with the seed. Zero for a
  /// study of one seed, which does not know it.
  public var seeds: Double
  /// The energies of the phone, within the ranges of its figures.
  public var energies: Double
}

/// The interval of an energy in two parts: what other people and days would give on the same phone, and what
/// another phone would give on the same days.
public struct EnergyIntervals: Hashable, Sendable {
  /// With the energies of the phone as they are: of devices, days and chance.
  public var days: ClosedRange<Double>?
  /// With all devices and seeds as they are, and the energies drawn. Each draw is the same for all policies.
  public var phone: ClosedRange<Double>?
}

/// The metrics of energy in each resample of a study: with the energies of the phone as they are, and with
/// nothing but these drawn.
struct EnergyResamples {
  var days: [Metric: [Double]] = [:]
  var phone: [Metric: [Double]] = [:]

  /// - Parameter profile: The phone whose energies are drawn.
  init(
    _ sums: MetricSums, _ resampling: Resampling, deviceCount: Int, seedCount: Int, profile: DeviceProfile
  ) {
    guard deviceCount > 1 else { return }
    var draws = Resamples(resampling, deviceCount: deviceCount, seedCount: seedCount, profile: profile)
    let ones = [Int32](repeating: 1, count: deviceCount * seedCount)
    var weights = ones
    for _ in 0..<max(0, resampling.count) {
      let factors = draws.next(into: &weights)
      for (metric, value) in zip(Metric.energies, sums.values(Metric.energies, weights: weights)) {
        days[metric, default: []].append(value)
      }
      for (metric, value) in zip(
        Metric.energies, sums.values(Metric.energies, weights: ones, factors: factors))
      {
        phone[metric, default: []].append(value)
      }
    }
  }
}

/// Estimates metrics over several selections, with the same resamples for all.
struct Estimates {
  /// How many resamples tell the shares of uncertainty.
  private static let shareCount = 200

  private(set) var values: [[Double]]
  /// By selection, metric and resample.
  private(set) var resampled: [[[Double]]]
  private let intervals: [[ClosedRange<Double>?]]

  /// - Parameters:
  ///   - selections: The sums of each selection, and the metrics to estimate from them.
  ///   - profile: The phone whose energies are drawn; nil for energies as they are.
  init(
    _ selections: [(sums: MetricSums, metrics: [Metric])], _ resampling: Resampling, deviceCount: Int,
    seedCount: Int, profile: DeviceProfile?
  ) {
    let ones = [Int32](repeating: 1, count: deviceCount * seedCount)
    values = selections.map { $0.sums.values($0.metrics, weights: ones) }
    resampled = selections.map { [[Double]](repeating: [], count: $0.metrics.count) }
    if deviceCount > 1 {
      var draws = Resamples(resampling, deviceCount: deviceCount, seedCount: seedCount, profile: profile)
      var weights = ones
      for _ in 0..<max(0, resampling.count) {
        let factors = draws.next(into: &weights)
        for (selection, (sums, metrics)) in selections.enumerated() {
          for (metric, value) in sums.values(metrics, weights: weights, factors: factors).enumerated() {
            resampled[selection][metric].append(value)
          }
        }
      }
    }
    intervals = zip(selections, resampled).map { selection, values in
      zip(selection.metrics, values).map { metric, values in
        // A single device says nothing about others.
        selection.sums.contributorCount(metric) > 1 ? resampling.interval(of: values) : nil
      }
    }
  }

  /// What the intervals of metrics are due to; nil for a metric that does not vary, or is infinite in a
  /// resample.
  static func shares(
    of metrics: [Metric], _ sums: MetricSums, _ resampling: Resampling, deviceCount: Int, seedCount: Int,
    profile: DeviceProfile?
  ) -> [UncertaintyShares?] {
    guard deviceCount > 1, resampling.count > 0 else { return metrics.map { _ in nil } }
    let parts: [Resamples.Varied] = [.devices, .seeds, .energies]
    let variances = parts.map { varied -> [Double] in
      if varied == .seeds, seedCount == 1 { return metrics.map { _ in 0 } }
      if varied == .energies, profile == nil { return metrics.map { _ in 0 } }
      var draws = Resamples(resampling, deviceCount: deviceCount, seedCount: seedCount, profile: profile)
      var weights = [Int32](repeating: 1, count: deviceCount * seedCount)
      var found = metrics.map { _ in [Double]() }
      for _ in 0..<min(shareCount, resampling.count) {
        let factors = draws.next(into: &weights, varying: varied.union(seedCount == 1 ? .seeds : []))
        for (metric, value) in sums.values(metrics, weights: weights, factors: factors).enumerated() {
          found[metric].append(value)
        }
      }
      return found.map { values in
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
      }
    }
    return metrics.indices.map { metric in
      let parts = variances.map { $0[metric] }
      let sum = parts.reduce(0, +)
      guard sum > 0, sum.isFinite else { return nil }
      return UncertaintyShares(devices: parts[0] / sum, seeds: parts[1] / sum, energies: parts[2] / sum)
    }
  }

  /// The estimate of a selection's metric, given by their indices; without a value where there are no data.
  func estimate(_ selection: Int, _ metric: Int) -> Estimate {
    let value = values[selection][metric]
    return value.isNaN ? Estimate(value: nil) : Estimate(value: value, interval: intervals[selection][metric])
  }
}
