internal import VicinityGeodesy
internal import VicinitySimulation

extension RandomStream {
  /// A number in 0 ..< count, which must be more than zero: which of so many equal parts of 0 ..< 2^64 the next one lies in.
  mutating func below(_ count: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }
}

/// Draws devices with replacement, again and again.
struct DeviceDraws {
  private var random: RandomStream
  private let deviceCount: Int

  init(_ resampling: Resampling, deviceCount: Int) {
    random = RandomStream(seed: resampling.seed, "bootstrap")
    self.deviceCount = deviceCount
  }

  /// How often each device is drawn in the next resample.
  mutating func next(into weights: inout [Int32]) {
    for device in weights.indices { weights[device] = 0 }
    for _ in 0..<deviceCount {
      weights[random.below(deviceCount)] += 1
    }
  }
}

extension Resampling {
  /// The interval of what resamples came to, NaN left out; nil where fewer than half came to anything.
  ///
  /// The percentiles are nearest ranks: of 1000, at 0.95, the 25th and the 975th.
  func interval(of values: [Double]) -> ClosedRange<Double>? {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard count > 0, !sorted.isEmpty, 2 * sorted.count >= count, level > 0, level <= 1 else { return nil }
    func rank(_ share: Double) -> Double {
      let rank = (share * Double(sorted.count)).rounded(.up)
      return sorted[Int(min(max(rank, 1), Double(sorted.count))) - 1]
    }
    // Rounded, so that 0.025 of 1000 is 25 and not the least bit more.
    let tail = ((1 - level) / 2 * 1e9).rounded() / 1e9
    return rank(tail)...rank(1 - tail)
  }
}

/// The estimates of several selections at once, with the same resamples.
struct Estimates {
  private(set) var values: [[Double]]
  /// By selection, metric and resample.
  private(set) var resampled: [[[Double]]]
  private let intervals: [[ClosedRange<Double>?]]

  /// - Parameter metrics: By selection: which metrics are wanted with intervals; the others of the same row without.
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
        // One device says nothing about others.
        selection.sums.contributorCount(metric) > 1 ? resampling.interval(of: values) : nil
      }
    }
  }

  /// The estimate of a selection's metric, each by its place; without a value where there is nothing to take it from.
  func estimate(_ selection: Int, _ metric: Int) -> Estimate {
    let value = values[selection][metric]
    return value.isNaN ? Estimate(value: nil) : Estimate(value: value, interval: intervals[selection][metric])
  }
}
