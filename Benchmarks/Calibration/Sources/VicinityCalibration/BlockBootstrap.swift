internal import CMath
internal import VicinityGeodesy

/// Resamples a series of dependent numbers by blocks of neighbours.
///
/// The moving-block bootstrap (H. R. Künsch, *The Jackknife and the Bootstrap for General Stationary
/// Observations*, Ann. Statist. 17, 1989) draws blocks from all possible ones until they fill the series;
/// within blocks the dependence is kept. It describes the uncertainty of one series and not the differences
/// between phones or days.
struct BlockBootstrap {
  /// The least number of values from which the dependence can be estimated.
  static let leastCount = 30

  /// The numbers in order of time.
  let numbers: [Double]

  /// The 95 % interval of a quantile; nil for fewer than ``leastCount`` numbers. Blocks are a third of the
  /// series at most.
  ///
  /// - Complexity: O(rounds x numbers log numbers)
  func interval(_ probability: Double, seed: UInt64, rounds: Int = 400) -> ClosedRange<Double>? {
    guard numbers.count >= Self.leastCount, let quantile = Sample(numbers).quantile(probability) else {
      return nil
    }
    // The uncertainty of a quantile depends on how long the series stays on one side of it.
    let length = Self.blockLength(numbers.map { $0 <= quantile ? 1 : 0 })
    var random = RandomStream(seed: seed, "blocks")
    var found: [Double] = []
    let starts = numbers.count - length + 1
    for _ in 0..<rounds {
      var sample: [Double] = []
      sample.reserveCapacity(numbers.count + length)
      while sample.count < numbers.count {
        let start = min(starts - 1, Int(random.unit() * Double(starts)))
        sample += numbers[start..<(start + length)]
      }
      sample.removeLast(sample.count - numbers.count)
      if let value = Sample(sample).quantile(probability) { found.append(value) }
    }
    return Sample(found).central95
  }

  /// The block length that is best for the spread of a mean (D. N. Politis, H. White, *Automatic Block-Length
  /// Selection for the Dependent Bootstrap*, Econometric Reviews 23, 2004, 3.3, with the correction of A.
  /// Patton, D. N. Politis, H. White, 28, 2009): (2 G²/D)^⅓ n^⅓ with G = Σ |k| R(k), D = 4/3 (Σ R(k))², over
  /// autocovariances R weighted by a flat-top window up to twice the lag after which they are only noise. At
  /// most a third of the numbers, and 3 √n.
  static func blockLength(_ series: [Double]) -> Int {
    let count = series.count
    guard count > 2 else { return 1 }
    let n = Double(count)
    let mean = series.reduce(0, +) / n
    func covariance(_ lag: Int) -> Double {
      var sum = 0.0
      for index in lag..<count { sum += (series[index] - mean) * (series[index - lag] - mean) }
      return sum / n
    }
    let variance = covariance(0)
    guard variance > 0 else { return 1 }
    let longest = min(count / 3, Int((3 * n.squareRoot()).rounded(.up)))
    let wanted = max(5, Int((log(n) / log(10)).squareRoot().rounded(.up)))
    let last = min(count - 1, Int(n.squareRoot().rounded(.up)) + wanted)
    let noise = 2 * ((log(n) / log(10)) / n).squareRoot()
    var covariances = [variance]
    var quiet = 0
    var lag = 0
    // Find the last lag above the noise; it is followed by several lags below.
    while quiet < wanted, covariances.count <= last {
      covariances.append(covariance(covariances.count))
      if abs(covariances[covariances.count - 1]) <= noise * variance {
        quiet += 1
      } else {
        quiet = 0
        lag = covariances.count - 1
      }
    }
    let end = min(count - 1, 2 * max(1, lag))
    while covariances.count <= end { covariances.append(covariance(covariances.count)) }
    var (long, sum) = (0.0, variance)
    for lag in 1...end {
      let fraction = Double(lag) / Double(end)
      let weight = fraction <= 0.5 ? 1 : 2 * (1 - fraction)
      long += 2 * weight * Double(lag) * covariances[lag]
      sum += 2 * weight * covariances[lag]
    }
    let spread = 4.0 / 3 * sum * sum
    guard spread > 0 else { return max(1, longest) }
    return max(1, min(longest, Int(cbrt(2 * long * long / spread * n).rounded(.up))))
  }
}
