internal import CMath
package import VicinitySimulation

extension Validation {
  /// A value of a held-back outing: what all its ranges with one request measured of a quantity.
  package struct Value: Sendable {
    package struct Key: Hashable, Sendable {
      package var platform: DeviceProfile.Platform
      package var outing: String
      package var regime: String
      package var isMoving: Bool
      package var quantity: Quantity
    }

    package var split: Split
    package var key: Key
    package var measured: Double
    package var predicted: Double
    /// The number of ranges.
    package var ranges: Int
    /// What is predicted for 90 % of new outings: by what fits to other outings were off; nil where too few
    /// outings tell.
    package var interval: ClosedRange<Double>?
    /// What 90 % of simulated days lie between, by the spread of the days that were fitted.
    package var simulated: ClosedRange<Double>?
    package var isJudged = true

    /// Whether the value can judge intervals.
    package var isCounted: Bool { isJudged && key.quantity.goal != nil && measured > 0 }
  }

  /// How good intervals are: how many values they hold, how wide they are, and both together.
  package struct IntervalQuality: Hashable, Sendable {
    package var count = 0
    package var within = 0
    /// The widths over the measured values: their mean and their median.
    package var meanWidth = 0.0
    package var medianWidth = 0.0
    /// The mean interval score of the logarithms: the width, and 2/α = 20 times what a value is beyond an
    /// end; less is better (T. Gneiting, A. E. Raftery, *Strictly Proper Scoring Rules, Prediction, and
    /// Estimation*, J. Am. Stat. Assoc. 102, 2007, (43)).
    package var score = 0.0

    package var share: Double { count > 0 ? Double(within) / Double(count) : 0 }

    package init(_ values: [Value], _ interval: (Value) -> ClosedRange<Double>?) {
      var widths: [Double] = []
      for value in values where value.isCounted {
        guard let ends = interval(value) else { continue }
        let quantity = value.key.quantity
        let (low, high) = (quantity.logarithm(ends.lowerBound), quantity.logarithm(ends.upperBound))
        let measured = quantity.logarithm(value.measured)
        count += 1
        within += low <= measured && measured <= high ? 1 : 0
        widths.append((ends.upperBound - ends.lowerBound) / max(quantity.leastValue, value.measured))
        let beyond = max(0, low - measured) + max(0, measured - high)
        score += high - low + 2 / (1 - OutingIntervals.share) * beyond
      }
      guard count > 0 else { return }
      score /= Double(count)
      meanWidth = widths.reduce(0, +) / Double(count)
      medianWidth = Sample(widths).median ?? 0
    }
  }

  /// The mean of the intervals of a row's values, weighed by their ranges, as logarithms; nil where none has
  /// one.
  static func meanInterval(_ row: Row, _ values: [Value]) -> ClosedRange<Double>? {
    var (low, high, weight) = (0.0, 0.0, 0.0)
    for value in values where value.split == row.split && value.ranges > 0 {
      guard value.key.platform == row.platform, value.key.regime == row.regime,
        value.key.isMoving == row.isMoving, value.key.quantity == row.quantity, let ends = value.interval
      else { continue }
      let share = Double(value.ranges)
      low += share * row.quantity.logarithm(ends.lowerBound)
      high += share * row.quantity.logarithm(ends.upperBound)
      weight += share
    }
    return weight > 0 ? row.quantity.values((low / weight)...(high / weight)) : nil
  }

  /// The fewest left-out values that tell an interval.
  package static let leastScores = OutingIntervals.leastCount

  /// How good the intervals of held-back values are: the reported ones, and those of simulated days alone, of
  /// the same values.
  package func intervalQuality(
    _ split: Split, _ quantity: Quantity? = nil
  ) -> (reported: IntervalQuality, simulated: IntervalQuality) {
    let values = values.filter {
      $0.split == split && $0.interval != nil && $0.simulated != nil
        && (quantity == nil || $0.key.quantity == quantity)
    }
    return (IntervalQuality(values, \.interval), IntervalQuality(values, \.simulated))
  }
}
