internal import VicinityGeodesy
internal import VicinitySimulation

/// Fits how the errors of phones that lie still wander.
///
/// Where a phone lies, positions move by their errors alone, so that directions count as well: the mean square of what two
/// differ by is 2 σ² (1 - ρ), with σ² that of the errors. MobilityNet's phones show two kinds of change. What networks say of a
/// place hardly changes in a night, and differs from one night or phone to the next; what a phone hears of them differs from look
/// to look, some minutes apart, as much after one look as after thirty, and each time it nears the new place in steps. So ρ is
/// fitted with two processes of the error's kind (``ErrorProcess``): one that lasts, and a share of the variance that does not.
struct WanderingFit {
  /// After how many seconds what lasts is correlated to 1/e.
  var time: Double
  /// The share of the variance that does not last.
  var jitter: Double
  /// After how many seconds that is correlated to 1/e; nil where it is new with each fix, for all that pairs tell.
  var jitterTime: Double?

  /// The bounds of the lags, seconds: up to a night.
  private static let bounds: [Double] = [
    0.5, 3, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5000, 10_000, 20_000, 40_000,
  ]
  /// Fewer pairs than this are no lag, and on fewer lags than this the jitter's time is not sought.
  private static let leastPairs = 5.0
  private static let leastLags = 5
  /// Less of the variance than this makes no difference.
  private static let leastDifference = 1e-4

  /// The pairs at a lag.
  private struct Lag {
    var seconds: Double
    /// Of half the mean square of what errors differ by, over their own mean square.
    var logarithm: Double
    var weight: Double
  }

  /// The mean square of the errors, m².
  var meanSquare: Double
  /// How much each phone's errors change within times in which only the jitter does, over the mean of all; in the order of size.
  var shares: [Double] = []

  /// nil where pairs do not tell.
  ///
  /// - Parameter isTimed: Whether the jitter's time is sought, too; it is new with each fix otherwise.
  init?(_ ranges: [MeasuredRange], isTimed: Bool) {
    let nights = ranges.compactMap(Night.init)
    let count = nights.reduce(0) { $0 + $1.count }
    guard count >= PositionFit.leastCount else { return nil }
    meanSquare = nights.reduce(0) { $0 + $1.squares } / Double(count)
    let lags = Self.lags(nights, meanSquare)
    guard meanSquare > 0, !lags.isEmpty else { return nil }
    // A grid of steps of 10 % from half a second to two days, and from 0.1 % to all.
    let times = Self.grid(from: 0.5, to: 172_800)
    let parts = [0] + Self.grid(from: 0.001, to: 1) + [1]
    let kept = times.map { time in lags.map { Drift.correlation($0.seconds / time) } }
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

  /// The squares of the logarithms of the measured differences over those expected, weighted by the number of pairs up to a
  /// thousand; nil if that is no less than what it is to be less than.
  ///
  /// Ratios count, as differences go over four decades, and what is known of each is a share of it (N. Cressie, *Fitting Variogram
  /// Models by Weighted Least Squares*, Math. Geology 17, 1985). Logarithms are used, as of few pairs a large difference may be
  /// one stray fix.
  private static func misfit(
    _ lags: [Lag], _ slow: [Double], _ fast: [Double], _ jitter: Double, unless least: Double
  ) -> Double? {
    var misfit = 0.0
    for index in lags.indices {
      let expected = 1 - slow[index] - jitter * (fast[index] - slow[index])
      let ratio = CalibrationMath.logarithm(max(expected, leastDifference)) - lags[index].logarithm
      misfit += lags[index].weight * ratio * ratio
      if misfit >= least { return nil }
    }
    return misfit
  }

  /// What the fixes of one phone that lay still differ by, by lags.
  private struct Night {
    var sums = [Double](repeating: 0, count: bounds.count - 1)
    var seconds = [Double](repeating: 0, count: bounds.count - 1)
    var counts = [Double](repeating: 0, count: bounds.count - 1)
    /// The sum of the errors' squares, and their number.
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
      let places = fixes.map { frame.offset(of: $0.coordinate) }
      LagPairs.forEach(fixes.map(\.time), bounds: bounds) { bin, i, j in
        let change = places[j] - places[i]
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
        logarithm: CalibrationMath.logarithm(
          max(leastDifference, nights.reduce(0) { $0 + $1.sums[bin] } / count / (2 * meanSquare))),
        weight: min(count, 1000))
    }
  }

  /// Over lags from two to twenty times the jitter's time, in which it is another and the rest hardly is.
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
