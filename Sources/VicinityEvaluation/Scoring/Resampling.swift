internal import VicinityGeodesy

/// How confidence intervals are found: by the percentile bootstrap over devices.
///
/// A resample draws as many devices as there are, with replacement, each with all its seeds and crossings: what one person does
/// at different times is not independent, what two people do is assumed to be. (B. Efron, R. J. Tibshirani, *An Introduction to
/// the Bootstrap*, 1993, chapters 8 and 13.)
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
  /// A number in 0 ..< count; `count` must be positive. It is the part of 0 ..< 2^64, cut into `count` equal parts, that the next
  /// random number lies in.
  mutating func below(_ count: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }
}

struct DeviceDraws {
  private var random: RandomStream
  private let deviceCount: Int

  init(_ resampling: Resampling, deviceCount: Int) {
    random = RandomStream(seed: resampling.seed, "bootstrap")
    self.deviceCount = deviceCount
  }

  /// Counts how often each device is drawn in the next resample.
  mutating func next(into weights: inout [Int32]) {
    for device in weights.indices { weights[device] = 0 }
    for _ in 0..<deviceCount {
      weights[random.below(deviceCount)] += 1
    }
  }
}

extension Resampling {
  /// The interval of the resamples' figures, without NaN; nil where fewer than half are figures.
  ///
  /// The percentiles are nearest ranks: of 1000 figures at level 0.95, the 25th and the 975th. (VicinityCalibration interpolates
  /// instead, which infinite latencies do not allow.)
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

/// Estimates metrics over several selections, with the same resamples for all.
struct Estimates {
  private(set) var values: [[Double]]
  /// By selection, metric and resample.
  private(set) var resampled: [[[Double]]]
  private let intervals: [[ClosedRange<Double>?]]

  /// - Parameter selections: The sums of each selection, and the metrics to estimate from them.
  init(
    _ selections: [(sums: MetricSums, metrics: [Metric])], _ resampling: Resampling, deviceCount: Int
  ) {
    let ones = [Int32](repeating: 1, count: deviceCount)
    values = selections.map { $0.sums.values($0.metrics, weights: ones) }
    resampled = selections.map { [[Double]](repeating: [], count: $0.metrics.count) }
    if deviceCount > 1 {
      var draws = DeviceDraws(resampling, deviceCount: deviceCount)
      var weights = ones
      for _ in 0..<max(0, resampling.count) {
        draws.next(into: &weights)
        for (selection, (sums, metrics)) in selections.enumerated() {
          for (metric, value) in sums.values(metrics, weights: weights).enumerated() {
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

  /// The estimate of a selection's metric, given by their indices; without a value where there are no data.
  func estimate(_ selection: Int, _ metric: Int) -> Estimate {
    let value = values[selection][metric]
    return value.isNaN ? Estimate(value: nil) : Estimate(value: value, interval: intervals[selection][metric])
  }
}
