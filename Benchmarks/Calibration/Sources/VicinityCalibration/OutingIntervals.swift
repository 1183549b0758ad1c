internal import CMath

/// Intervals for values of a new outing, from how far predictions of left-out outings were off.
///
/// CV+ with outings as folds: R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani, *Predictive Inference
/// with the Jackknife+*, Ann. Statist. 49, 2021, section 3. Each outing is predicted by a fit without it. A
/// value's score is how far it is beyond the interval of that fit's simulated days, negative inside, on a
/// logarithmic scale (Y. Romano, E. Patterson, E. J. Candès, *Conformalized Quantile Regression*,
/// NeurIPS 2019). Each score, with the interval of the same fit for the new value, gives a candidate for
/// either end, and the ends are quantiles of the candidates. So the interval holds what fits to other outings
/// were off by, and what these fits differ by; the spread of the days at hand only says which values are
/// harder to predict.
///
/// The theorem needs values that are exchangeable. Those of one outing have causes in common, which costs a
/// few per cent where outings are few (`OutingIntervalsTests`).
struct OutingIntervals: Sendable {
  /// The share of values that an interval holds.
  static let share = 0.9
  /// The fewest scores with which an interval is finite: ⌈0.9 (n + 1)⌉ is n or less.
  static let leastCount = 9

  /// A score of a left-out value.
  struct Score: Hashable, Sendable {
    var quantity: Validation.Quantity
    var isMoving: Bool
    var score: Double
  }

  /// A left-out outing: the scores of its values, and what 90 % of simulated days lie between for the values
  /// to be told, as logarithms, by the fit without it.
  struct Fold: Sendable {
    var scores: [Score]
    var predictions: [Validation.Value.Key: ClosedRange<Double>]

    /// The fold of an outing on which phones of several kinds were carried.
    func merged(_ other: Fold) -> Fold {
      Fold(scores: scores + other.scores, predictions: predictions.merging(other.predictions) { $1 })
    }
  }

  let folds: [Fold]

  /// How far a value is beyond an interval; negative inside.
  static func score(_ value: Double, _ interval: ClosedRange<Double>) -> Double {
    max(interval.lowerBound - value, value - interval.upperBound)
  }

  /// The interval of a value, as logarithms; nil for too few scores.
  ///
  /// Scores are those of the same quantity, in motion or at rest. Where these are too few, they are of the
  /// quantity, or of all quantities with a goal.
  func interval(_ key: Validation.Value.Key) -> ClosedRange<Double>? {
    interval(key) { $0.quantity == key.quantity && $0.isMoving == key.isMoving }
      ?? interval(key) { $0.quantity == key.quantity }
      ?? interval(key) { $0.quantity.goal != nil }
  }

  private func interval(
    _ key: Validation.Value.Key, _ counts: (Score) -> Bool
  ) -> ClosedRange<Double>? {
    var ends: (low: [Double], high: [Double]) = ([], [])
    for fold in folds {
      guard let prediction = fold.predictions[key] else { continue }
      for score in fold.scores where counts(score) {
        ends.low.append(prediction.lowerBound - score.score)
        ends.high.append(prediction.upperBound + score.score)
      }
    }
    let count = ends.low.count
    guard count >= Self.leastCount else { return nil }
    // The small amount keeps 0.9 × 10 from being more than 9.
    let place = Int((Self.share * Double(count + 1) - 1e-9).rounded(.up))
    let (low, high) = (ends.low.sorted()[count - place], ends.high.sorted()[place - 1])
    // Where the simulated days are much too wide, both ends may pass each other.
    return min(low, high)...max(low, high)
  }
}

extension Validation.Quantity {
  /// Values below this count as equal to it: the truth is not known better, levels are whole per cent, and
  /// ratios need a least value.
  var leastValue: Double {
    switch self {
    case .errorMedian, .errorTail, .reportedMedian: 1
    case .intervalMedian: 0.1
    case .drain: 0.1
    case .exitLatency: RegionFit.leastLatency
    }
  }

  func logarithm(_ value: Double) -> Double { log(max(leastValue, value)) }

  /// An interval of logarithms as one of values. An end at the least value stands for all values below.
  func values(_ logarithms: ClosedRange<Double>) -> ClosedRange<Double> {
    func value(_ logarithm: Double) -> Double {
      logarithm <= log(leastValue) + 1e-9 ? 0 : exp(logarithm)
    }
    let (low, high) = (value(logarithms.lowerBound), exp(max(log(leastValue), logarithms.upperBound)))
    return low...high
  }
}
