internal import CMath
internal import VicinitySimulation

/// Fits how the errors of phones that lie still persist.
///
/// A phone at rest moves only by its errors, so their directions are known too: the mean square difference of
/// two positions is 2 σ² (1 - ρ), with σ² the variance of the errors. MobilityNet's phones show two kinds of
/// change. The position that networks give hardly changes in a night, but differs from one night or phone to
/// the next. What a phone hears differs between scans, some minutes apart, as much after one scan as after
/// thirty, and positions approach each new value in steps. So ρ is fitted with two processes of the error's
/// kind (``ErrorProcess``): a persistent one, and a fast one (jitter) with a share of the variance.
struct WanderingFit {
  /// The correlation time of the persistent process, seconds.
  var time: Double
  /// The share of the jitter in the variance.
  var jitter: Double
  /// The correlation time of the jitter, seconds; nil when it is new with each fix as far as pairs show.
  var jitterTime: Double?

  /// The bounds of the lags, seconds: up to a night.
  private static let bounds: [Double] = [
    0.5, 3, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5000, 10_000, 20_000, 40_000,
  ]
  /// The least number of pairs for a lag, and of lags for fitting the jitter's correlation time.
  private static let leastPairs = 5.0
  private static let leastLags = 5
  /// A smaller share of the variance makes no difference.
  private static let leastDifference = 1e-4

  private struct Lag {
    var seconds: Double
    /// The logarithm of half the mean square difference of errors over their own mean square.
    var logarithm: Double
    var weight: Double
  }

  /// The mean square of the errors, m².
  var meanSquare: Double
  /// The variance of each phone's jitter divided by the mean of all, ascending.
  var shares: [Double] = []

  /// Fits the ranges; nil when there are too few pairs.
  ///
  /// - Parameter isTimed: Whether the jitter's correlation time is fitted too; otherwise jitter is new with
  ///   each fix.
  init?(_ ranges: [MeasuredRange], isTimed: Bool) {
    let nights = ranges.compactMap(Night.init)
    let count = nights.reduce(0) { $0 + $1.count }
    guard count >= PositionFit.leastCount else { return nil }
    meanSquare = nights.reduce(0) { $0 + $1.squares } / Double(count)
    let lags = Self.lags(nights, meanSquare)
    guard meanSquare > 0, !lags.isEmpty else { return nil }
    // A grid with steps of 10 %: times from half a second to two days, shares from 0.1 % to all.
    let times = Self.grid(from: 0.5, to: 172_800)
    let parts = [0] + Self.grid(from: 0.001, to: 1) + [1]
    let kept = times.map { time in lags.map { MaternProcess.correlation($0.seconds / time) } }
    let none = lags.map { _ in 0.0 }
    var best: (misfit: Double, time: Int, jitter: Double, jitterTime: Int?)?
    for slow in times.indices {
      func tryTime(_ index: Int?) {
        let fast = index.map { kept[$0] } ?? none
        for share in parts {
          let misfit = Self.misfit(lags, kept[slow], fast, share, unless: best?.misfit ?? .infinity)
          if let misfit { best = (misfit, slow, share, index) }
        }
      }
      tryTime(nil)
      guard isTimed, lags.count >= Self.leastLags else { continue }
      for fast in 0..<slow { tryTime(fast) }
    }
    guard let best else { return nil }
    time = times[best.time]
    jitter = best.jitter
    jitterTime = best.jitter > 0 ? best.jitterTime.map { times[$0] } : nil
    if let jitterTime { shares = Self.shares(nights, jitterTime) }
  }

  private static func grid(from start: Double, to end: Double) -> [Double] {
    var values: [Double] = []
    var value = start
    while value < end {
      values.append(value)
      value *= 1.1
    }
    return values
  }

  /// The sum of squared logarithms of measured over expected differences, weighted by the number of pairs up
  /// to a thousand; nil if it is not below a limit.
  ///
  /// Ratios count, because differences range over four decades and are known to a share of their size (N.
  /// Cressie, *Fitting Variogram Models by Weighted Least Squares*, Math. Geology 17, 1985). Logarithms are
  /// used, because a large difference of few pairs may be a single stray fix.
  private static func misfit(
    _ lags: [Lag], _ slow: [Double], _ fast: [Double], _ jitter: Double, unless least: Double
  ) -> Double? {
    var misfit = 0.0
    for index in lags.indices {
      let expected = 1 - slow[index] - jitter * (fast[index] - slow[index])
      let ratio = log(max(expected, leastDifference)) - lags[index].logarithm
      misfit += lags[index].weight * ratio * ratio
      if misfit >= least { return nil }
    }
    return misfit
  }

  /// The squared differences between the fixes of one phone that lay still, by lag.
  private struct Night {
    var sums = [Double](repeating: 0, count: bounds.count - 1)
    var seconds = [Double](repeating: 0, count: bounds.count - 1)
    var counts = [Double](repeating: 0, count: bounds.count - 1)
    /// The sum of the squared errors, and their number.
    var squares: Double
    var count: Int

    init?(_ range: MeasuredRange) {
      let errors = SettlingFit.settled(range)
      let settled = SettlingFit.settledTime(range)
      let fixes = range.fixes.filter { $0.time >= settled }
      guard range.isStationary, let first = fixes.first, !errors.isEmpty else { return nil }
      squares = errors.reduce(0) { $0 + $1.error * $1.error }
      count = errors.count
      let frame = LocalFrame(first.coordinate)
      let offsets = fixes.map { frame.offset(of: $0.coordinate) }
      LagPairs.forEach(fixes.map(\.time), bounds: bounds) { bin, i, j in
        let change = offsets[j] - offsets[i]
        sums[bin] += change.east * change.east + change.north * change.north
        seconds[bin] += fixes[j].time - fixes[i].time
        counts[bin] += 1
      }
    }
  }

  private static func lags(_ nights: [Night], _ meanSquare: Double) -> [Lag] {
    (0..<bounds.count - 1).compactMap { bin in
      let count = nights.reduce(0) { $0 + $1.counts[bin] }
      guard count >= leastPairs else { return nil }
      return Lag(
        seconds: nights.reduce(0) { $0 + $1.seconds[bin] } / count,
        logarithm: log(
          max(leastDifference, nights.reduce(0) { $0 + $1.sums[bin] } / count / (2 * meanSquare))),
        weight: min(count, 1000))
    }
  }

  /// From lags of two to twenty times the jitter's correlation time: the jitter is then independent, and the
  /// rest hardly changes.
  private static func shares(_ nights: [Night], _ jitterTime: Double) -> [Double] {
    let bins = (0..<bounds.count - 1).filter {
      bounds[$0] >= 2 * jitterTime && bounds[$0 + 1] <= 20 * jitterTime
    }
    let squares = nights.compactMap { night -> Double? in
      let count = bins.reduce(0) { $0 + night.counts[$1] }
      return count >= leastPairs ? bins.reduce(0) { $0 + night.sums[$1] } / count : nil
    }
    let mean = squares.reduce(0, +) / Double(max(1, squares.count))
    return mean > 0 ? squares.map { $0 / mean }.sorted() : []
  }
}
