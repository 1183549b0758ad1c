internal import CMath
internal import VicinityGeodesy
internal import VicinitySimulation

struct PositionFit {
  /// The errors of one phone in order of time.
  typealias Series = [MeasuredError]

  /// The least number of errors for a distribution.
  static let leastCount = 20

  let noise: NoiseDeconvolution
  let source: String

  /// Fits a model; nil for too few errors.
  ///
  /// - The quantiles of the error are the measured ones without the reference's error
  ///   (``NoiseDeconvolution``).
  /// - The reported accuracy has its own quantiles.
  /// - The association is the correlation of the normal scores of both.
  /// - The correlation time comes from pairs of errors of one phone (``correlationTime(_:)``).
  func model(_ series: [Series], fallbackTime: Figure, leastCount: Int = PositionFit.leastCount)
    -> PositionModel?
  {
    let all = series.joined()
    guard all.count >= leastCount else { return nil }
    let errors = noise.deconvolved(Sample(all.map(\.error)).profile)
    let reported = Sample(all.map(\.accuracy)).profile
    guard let error = Sample.quantiles(errors, source: source),
      let accuracy = Sample.quantiles(reported, source: source)
    else { return nil }
    let time = Self.correlationTime(series)
    let association = Self.association(Array(all))
    return PositionModel(
      error: error, reported: accuracy,
      correlationTime: time.map { .measured($0, $0 / 3, $0 * 3, source: source) } ?? fallbackTime,
      association: Figure(
        association, low: max(0, Sample.rounded(association - 0.2)),
        high: min(1, Sample.rounded(association + 0.2)), basis: .measured, source: source))
  }

  /// The correlation of the normal scores of errors and reported accuracies, ties at their middle rank; at
  /// least zero.
  static func association(_ errors: [MeasuredError]) -> Double {
    let a = scores(errors.map(\.error))
    let b = scores(errors.map(\.accuracy))
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    for (x, y) in zip(a, b) { (ab, aa, bb) = (ab + x * y, aa + x * x, bb + y * y) }
    guard aa > 0, bb > 0 else { return 0 }
    return Sample.rounded(max(0, min(0.99, ab / (aa * bb).squareRoot())))
  }

  /// The normal scores of the ranks of some numbers; their mean is 0, except for ties.
  private static func scores(_ numbers: [Double]) -> [Double] {
    ranks(numbers).map { NormalDistribution.score(at: $0) }
  }

  /// The share of the numbers below each, counting half of its equals.
  private static func ranks(_ numbers: [Double]) -> [Double] {
    let order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
    var ranks = [Double](repeating: 0, count: numbers.count)
    var first = 0
    while first < order.count {
      var end = first
      while end < order.count, numbers[order[end]] == numbers[order[first]] { end += 1 }
      let rank = (Double(first) + Double(end - first) / 2) / Double(order.count)
      for index in order[first..<end] { ranks[index] = rank }
      first = end
    }
    return ranks
  }

  /// The bounds of the lags, seconds.
  private static let lagBounds: [Double] = [0.5, 1.5, 3, 6, 12, 24, 48, 96, 192, 384, 768]

  /// The time after which the correlation of the components is 1/e, seconds; nil when there are too few
  /// pairs.
  ///
  /// Only the lengths of errors are known, not their directions. Under the model the rank p of a length gives
  /// r² = -2 ln(1 - p) = x² + y² of the two normal components. The autocorrelation of r² is the square of
  /// theirs: (1 + d)² exp(-2d), d = 2.146 Δ/τ. The result is the τ, on a grid of 5 % steps from 0.5 s to 2 h,
  /// with the least squares from the measured autocorrelation at ten lags from 1 s to 10 min, weighted by the
  /// number of pairs up to a thousand.
  static func correlationTime(_ series: [Series]) -> Double? {
    let ranks = ranks(series.joined().map(\.error))
    var squares: [[Double]] = []
    var next = 0
    for one in series {
      squares.append(one.indices.map { -2 * log(1 - ranks[next + $0]) })
      next += one.count
    }
    let all = squares.joined()
    guard next > PositionFit.leastCount else { return nil }
    let mean = all.reduce(0, +) / Double(next)
    let variance = all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(next)
    // With ties only, the variance is nothing but rounding.
    guard variance > 1e-9 else { return nil }
    var sums = [Double](repeating: 0, count: lagBounds.count - 1)
    var lags = sums
    var counts = sums
    for (one, squares) in zip(series, squares) {
      LagPairs.forEach(one.map(\.time), bounds: lagBounds) { bin, i, j in
        sums[bin] += (squares[i] - mean) * (squares[j] - mean)
        lags[bin] += one[j].time - one[i].time
        counts[bin] += 1
      }
    }
    return closest(
      sums.indices.filter { counts[$0] >= 20 }.map { bin in
        (lags[bin] / counts[bin], sums[bin] / counts[bin] / variance, counts[bin])
      }, upTo: 7200)
  }

  /// The correlation time with the least squares, as in ``correlationTime(_:)``; nil without lags.
  private static func closest(
    _ measured: [(lag: Double, value: Double, count: Double)], upTo end: Double
  ) -> Double? {
    guard !measured.isEmpty else { return nil }
    var best: (time: Double, misfit: Double)?
    var time = 0.5
    while time < end {
      var misfit = 0.0
      for point in measured {
        let kept = MaternProcess.correlation(point.lag / time)
        let difference = point.value - kept * kept
        misfit += min(point.count, 1000) * difference * difference
      }
      if best.map({ misfit < $0.misfit }) ?? true { best = (time, misfit) }
      time *= 1.05
    }
    return best?.time
  }

  /// Spells of cell positions: fixes that report this accuracy or worse.
  ///
  /// - Returns: The share of the fixes in spells, and the mean duration of a spell in seconds: from its first
  ///   fix to the first fix after it, where gaps count for a minute at most.
  static func spells(_ series: [Series], accuracy: Meters) -> (share: Double, duration: Double)? {
    var inSpells = 0
    var count = 0
    var spells = 0
    var seconds = 0.0
    for one in series {
      var wasIn = false
      for (index, error) in one.enumerated() {
        count += 1
        let isIn = error.accuracy >= accuracy
        if isIn {
          inSpells += 1
          if !wasIn { spells += 1 }
          if index + 1 < one.count { seconds += min(60, one[index + 1].time - error.time) }
        }
        wasIn = isIn
      }
    }
    guard spells > 0, count > 0 else { return nil }
    return (Double(inSpells) / Double(count), max(0.5, seconds / Double(spells)))
  }
}
