internal import VicinitySimulation

/// Fits what a tier draws.
struct EnergyFit {
  /// Ranges shorter than this many hours say little: levels are whole per cent, and stay at 100.
  static let leastHours = 5.0
  /// The least time at rest, hours, and on the move, that a day out tells something of.
  private static let leastStill = 1.5
  private static let leastMoving = 0.25

  /// A rate, per cent an hour, and how sure it is.
  struct Rate: Hashable {
    var value: Double
    var low: Double
    var high: Double
    var count: Int

    init(value: Double, low: Double, high: Double, count: Int) {
      (self.value, self.low, self.high, self.count) = (value, low, high, count)
    }

    /// The median of some rates with its bootstrap interval.
    init?(_ rates: [Double], seed: UInt64) {
      guard let median = Sample(rates).median else { return nil }
      value = median
      let interval = ClusteredSample(rates.map { [$0] }).interval(0.5, seed: seed)
      // A single range: as sure as ranges of other tiers that were repeated.
      low = min(median, interval?.lowerBound ?? median * 0.8)
      high = max(median, interval?.upperBound ?? median * 1.2)
      count = rates.count
    }
  }

  /// Per cent an hour of a phone that lay still: below 100 % where an iPhone's level hides its reserve, by least squares over
  /// all levels else.
  static func stationaryRate(_ range: MeasuredRange) -> Double? {
    guard range.hours >= leastHours else { return nil }
    if range.platform == .ios {
      guard range.hoursBelow100 >= 2 else { return nil }
      return range.drainBelow100 ?? range.drain
    }
    return range.drain
  }

  /// Two levels and what happened between them.
  struct Span: Hashable {
    var drawn: Double
    /// Hours in which the service was on and the phone moved, on and still, and off.
    var moving: Double
    var still: Double
    var off: Double

    /// From one level of a range to another.
    init(from first: BatteryReading, to last: BatteryReading, _ range: MeasuredRange, _ truth: ReplayTruth) {
      var moving = 0.0
      var tracked = 0.0
      for interval in range.tracking {
        let (start, end) = (max(first.time, interval.lowerBound), min(last.time, interval.upperBound))
        guard end > start else { continue }
        tracked += end - start
        moving += truth.movingSeconds(from: start, to: end)
      }
      drawn = first.level - last.level
      self.moving = moving / 3600
      still = (tracked - moving) / 3600
      off = (last.time - first.time - tracked) / 3600
    }
  }

  /// Per cent an hour of a phone that was left somewhere on a day out with the service on: over the spans, between levels ten
  /// minutes apart, in which it did not move. Of an iPhone only those below 100 %. nil for too little of that.
  static func restingRate(_ range: MeasuredRange, _ truth: ReplayTruth) -> Double? {
    guard !range.isStationary, range.accuracy != nil else { return nil }
    var (drawn, hours) = (0.0, 0.0)
    var last: BatteryReading?
    for reading in range.battery where range.platform != .ios || reading.level < 100 {
      guard let before = last else {
        last = reading
        continue
      }
      guard reading.time - before.time >= 600 else { continue }
      last = reading
      let span = Span(from: before, to: reading, range, truth)
      guard span.moving < 1e-6, span.off < 1e-6 else { continue }
      drawn += span.drawn
      hours += span.still
    }
    return hours >= leastStill ? drawn / hours : nil
  }

  /// Per cent an hour that a day out leaves for the time on the move, when what the phone takes at rest, and with the service
  /// off, is known; from its first level to its last, with the gauge's reserve. nil where the level has not fallen below 100 %
  /// or there was too little motion.
  static func movingRate(
    _ range: MeasuredRange, _ truth: ReplayTruth, still: Double, off: Double, _ gauge: BatteryGauge,
    factor: Double
  ) -> Double? {
    guard !range.isStationary, range.hours >= leastHours, let first = range.battery.first,
      let last = range.battery.last, last.level < 100
    else { return nil }
    let span = Span(from: first, to: last, range, truth)
    guard span.moving >= leastMoving else { return nil }
    let drawn = gauge.drawn(span.drawn, from: first.level) / factor
    return max(off, (drawn - off * span.off - still * span.still) / span.moving)
  }
}
