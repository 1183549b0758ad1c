internal import CMath
internal import VicinityGeodesy
internal import VicinitySimulation

/// Sorted numbers.
struct Sample {
  let sorted: [Double]

  init(_ numbers: some Sequence<Double>) { sorted = numbers.sorted() }

  var count: Int { sorted.count }

  /// The quantile at a probability, linear between order statistics (R. J. Hyndman, Y. Fan, *Sample Quantiles
  /// in Statistical Packages*, Am. Statist. 50, 1996, definition 7); nil for no numbers.
  func quantile(_ probability: Double) -> Double? {
    guard let last = sorted.last else { return nil }
    let rank = max(0, min(1, probability)) * Double(sorted.count - 1)
    let index = Int(rank)
    guard index + 1 < sorted.count else { return last }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (rank - Double(index))
  }

  var median: Double? { quantile(0.5) }

  /// The interval that 95 % of the numbers lie in; nil for no numbers.
  var central95: ClosedRange<Double>? {
    guard let low = quantile(0.025), let high = quantile(0.975) else { return nil }
    return low...high
  }

  /// The lengths of normal vectors, at even probabilities.
  static func rayleigh(_ deviation: Double) -> Sample {
    let count = 1000
    return Sample(
      (0..<count).map {
        let above = 1 - (Double($0) + 0.5) / Double(count)
        return deviation * (-2 * log(above)).squareRoot()
      })
  }

  /// The probabilities of the quantiles in fitted distributions. The quantiles at 0 and 1 are taken 0.1 %
  /// inwards, so that one stray number does not stretch a distribution.
  static let probabilities = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]

  /// The values at ``probabilities``.
  var profile: [Double] {
    Self.probabilities.map { quantile(max(0.001, min(0.999, $0))) ?? 0 }
  }

  /// A number with four significant digits, more than any fit here can know.
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

  /// A distribution with these quantiles, each raised to the one before it if necessary.
  static func quantiles(
    _ values: [Double], at probabilities: [Double] = Self.probabilities, source: String
  ) -> Quantiles? {
    var points: [Quantiles.Point] = []
    var last = 0.0
    for (probability, value) in zip(probabilities, values) {
      last = max(last, rounded(value))
      points.append(.init(probability, last))
    }
    return Quantiles(points, basis: .measured, source: source)
  }
}

/// Numbers in clusters, which are resampled as a whole because the numbers of one day are not independent.
///
/// The percentile bootstrap (B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993,
/// chapter 13).
struct ClusteredSample {
  private static let binsADecade = 400
  private static let leastLog = -3.0
  private static let binCount = 9 * binsADecade

  let clusters: [[Double]]

  init(_ clusters: [[Double]]) { self.clusters = clusters.filter { !$0.isEmpty } }

  var count: Int { clusters.reduce(0) { $0 + $1.count } }
  var pooled: Sample { Sample(clusters.joined()) }

  /// The 95 % interval of a quantile of all numbers: by clusters; for a single cluster by blocks
  /// (``BlockBootstrap``), which do not know the spread between clusters.
  ///
  /// - Returns: nil for a single cluster of few numbers.
  /// - Complexity: O(numbers + rounds x clusters x bins) for many numbers: the quantiles are read from
  ///   histograms with bins 0.6 % wide.
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
    return Sample(found).central95
  }

  private static func draw(_ count: Int, _ random: inout RandomStream) -> Int {
    min(count - 1, Int(random.unit() * Double(count)))
  }

  private static func histogram(_ numbers: [Double]) -> [Int] {
    var bins = [Int](repeating: 0, count: binCount)
    for number in numbers {
      let rank = (log(max(number, 1e-3)) / log(10) - leastLog) * Double(binsADecade)
      bins[max(0, min(binCount - 1, Int(rank)))] += 1
    }
    return bins
  }

  private static func quantile(_ bins: [Int], _ probability: Double) -> Double {
    let total = bins.reduce(0, +)
    var rest = Int((probability * Double(total)).rounded(.up))
    for (bin, count) in bins.enumerated() {
      rest -= count
      if rest <= 0 {
        return exp((leastLog + (Double(bin) + 0.5) / Double(binsADecade)) * log(10))
      }
    }
    return 0
  }
}
