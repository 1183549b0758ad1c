internal import VicinitySimulation

struct EnergyFit {
  /// Shorter ranges, in hours, say little: levels are whole per cent, and stay at 100.
  static let leastHours = 5.0
  /// The least time at rest and in motion, hours, from which a day out is used.
  private static let leastStill = 1.5
  private static let leastMoving = 0.25

  /// A rate in per cent an hour, with its range.
  struct Rate: Hashable {
    var value: Double
    var low: Double
    var high: Double
    var count: Int

  }

  /// The drain of a phone that lay still, per cent an hour: below 100 % for an iPhone, whose level hides a
  /// reserve, otherwise by least squares over all levels.
  static func stationaryRate(_ range: MeasuredRange) -> Double? {
    guard range.hours >= leastHours else { return nil }
    if range.platform == .ios {
      guard range.hoursBelow100 >= 2 else { return nil }
      return range.drainBelow100 ?? range.drain
    }
    return range.drain
  }

  /// The time between two levels.
  struct Span: Hashable {
    var drawn: Double
    /// Hours with the service on in motion, on at rest, and off.
    var moving: Double
    var still: Double
    var off: Double

    /// The span between two levels of a range.
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

  /// The drain of a phone that was left somewhere on a day out with the service on, per cent an hour: over
  /// the spans between levels at least ten minutes apart in which it did not move. For an iPhone below 100 %
  /// only. nil if there is too little of that.
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

  /// The drain in motion, per cent an hour: what the fall of a day's level, with the gauge's reserve, leaves
  /// for it after rest and time with the service off are subtracted. nil when the level has not fallen below
  /// 100 % or there was too little motion.
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

extension EnergyFit.Rate {
  /// The median of some rates with its bootstrap interval.
  init?(_ rates: [Double], seed: UInt64) {
    guard let median = Sample(rates).median else { return nil }
    let interval = ClusteredSample(rates.map { [$0] }).interval(0.5, seed: seed)
    // For a single range: the uncertainty of other tiers with repeated ranges.
    self.init(
      value: median, low: min(median, interval?.lowerBound ?? median * 0.8),
      high: max(median, interval?.upperBound ?? median * 1.2), count: rates.count)
  }
}
