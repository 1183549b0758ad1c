internal import VicinityGeodesy
internal import VicinityMonitor
internal import VicinitySimulation

/// Numbers that were measured, in order.
struct Sample {
  let sorted: [Double]

  init(_ numbers: some Sequence<Double>) { sorted = numbers.sorted() }

  var count: Int { sorted.count }
  var isEmpty: Bool { sorted.isEmpty }

  /// The number below which a share of them lie: linear between order statistics (R. J. Hyndman, Y. Fan, *Sample Quantiles in
  /// Statistical Packages*, Am. Statist. 50, 1996, definition 7). nil of none.
  func quantile(_ probability: Double) -> Double? {
    guard let last = sorted.last else { return nil }
    let place = max(0, min(1, probability)) * Double(sorted.count - 1)
    let index = Int(place)
    guard index + 1 < sorted.count else { return last }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
  }

  var median: Double? { quantile(0.5) }

  /// Lengths of normal vectors, at even probabilities.
  static func rayleigh(_ deviation: Double) -> Sample {
    let count = 1000
    return Sample(
      (0..<count).map {
        let above = 1 - (Double($0) + 0.5) / Double(count)
        return deviation * (-2 * CalibrationMath.logarithm(above)).squareRoot()
      })
  }

  /// The probabilities that fitted distributions are given at. The ends are 0.1 % in, so that one stray number does not
  /// stretch a distribution.
  static let probabilities = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]

  /// The values at ``probabilities``.
  var profile: [Double] {
    Self.probabilities.map { quantile(max(0.001, min(0.999, $0))) ?? 0 }
  }

  /// Four significant digits: more than any fit here knows.
  static func rounded(_ value: Double) -> Double {
    guard value != 0, value.isFinite else { return 0 }
    var scale = 1.0
    var magnitude = abs(value)
    while magnitude >= 10_000 { (magnitude, scale) = (magnitude / 10, scale * 10) }
    while magnitude < 1000, scale > 1e-12 { (magnitude, scale) = (magnitude * 10, scale / 10) }
    // Dividing by a whole power of ten is correctly rounded; multiplying by its inverse is not.
    return scale >= 1
      ? (value / scale).rounded() * scale : (value / scale).rounded() / (1 / scale).rounded()
  }

  /// A distribution through some values, which are made to rise.
  static func quantiles(_ values: [Double], source: String) -> Quantiles? {
    var points: [Quantiles.Point] = []
    var last = 0.0
    for (probability, value) in zip(probabilities, values) {
      last = max(last, rounded(value))
      points.append(.init(probability, last))
    }
    return Quantiles(points, basis: .measured, source: source)
  }
}

/// Samples in clusters, resampled by whole clusters: what is measured on one day is not independent.
///
/// The percentile bootstrap (B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13).
struct ClusteredSample {
  private static let binsADecade = 400
  private static let leastLog = -3.0
  private static let binCount = 9 * binsADecade

  let clusters: [[Double]]

  init(_ clusters: [[Double]]) { self.clusters = clusters.filter { !$0.isEmpty } }

  var count: Int { clusters.reduce(0) { $0 + $1.count } }
  var pooled: Sample { Sample(clusters.joined()) }

  /// The 95 % interval of a quantile of the pooled numbers: by clusters, or, of a single one, by blocks of its neighbours
  /// (``BlockBootstrap``), which knows nothing of the spread between clusters.
  ///
  /// - Returns: nil for a single cluster of few numbers.
  /// - Complexity: O(numbers + rounds x clusters x bins) for many numbers: quantiles of the resamples are read off histograms
  ///   with bins 0.6 % wide.
  func interval(_ probability: Double, seed: UInt64, rounds: Int = 400) -> ClosedRange<Double>? {
    guard clusters.count > 1 else {
      return clusters.first.flatMap {
        BlockBootstrap(numbers: $0).interval(probability, seed: seed, rounds: rounds)
      }
    }
    var random = RandomStream(seed: seed, "bootstrap")
    var found: [Double] = []
    let exact = count < 2000
    let histograms = exact ? [] : clusters.map(Self.histogram)
    for _ in 0..<rounds {
      if exact {
        var numbers: [Double] = []
        for _ in clusters.indices { numbers += clusters[Self.draw(clusters.count, &random)] }
        if let value = Sample(numbers).quantile(probability) { found.append(value) }
      } else {
        var sum = [Int](repeating: 0, count: Self.binCount)
        for _ in clusters.indices {
          let histogram = histograms[Self.draw(clusters.count, &random)]
          for bin in sum.indices { sum[bin] += histogram[bin] }
        }
        found.append(Self.quantile(sum, probability))
      }
    }
    let sample = Sample(found)
    guard let low = sample.quantile(0.025), let high = sample.quantile(0.975) else { return nil }
    return low...high
  }

  private static func draw(_ count: Int, _ random: inout RandomStream) -> Int {
    min(count - 1, Int(random.unit() * Double(count)))
  }

  private static func histogram(_ numbers: [Double]) -> [Int] {
    var bins = [Int](repeating: 0, count: binCount)
    for number in numbers {
      let place = (CalibrationMath.log10(max(number, 1e-3)) - leastLog) * Double(binsADecade)
      bins[max(0, min(binCount - 1, Int(place)))] += 1
    }
    return bins
  }

  private static func quantile(_ bins: [Int], _ probability: Double) -> Double {
    let total = bins.reduce(0, +)
    var rest = Int((probability * Double(total)).rounded(.up))
    for (bin, count) in bins.enumerated() {
      rest -= count
      if rest <= 0 {
        return CalibrationMath.power10(leastLog + (Double(bin) + 0.5) / Double(binsADecade))
      }
    }
    return 0
  }
}
