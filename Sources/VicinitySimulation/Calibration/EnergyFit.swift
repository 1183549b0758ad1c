/// Fits what a tier draws.
struct EnergyFit {
  /// Ranges shorter than this many hours say little: levels are whole per cent, and stay at 100.
  static let leastHours = 5.0

  /// A rate, per cent an hour, and how sure it is.
  struct Rate: Hashable {
    var value: Double
    var low: Double
    var high: Double
    var count: Int

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
  struct Span {
    var drawn: Double
    /// Hours in which the service was on and the phone moved, on and still, and off.
    var moving: Double
    var still: Double
    var off: Double
    /// Of which phone.
    var phone: String
  }

  /// The spans of a range between readings at least 10 minutes apart. Of an iPhone only those below 100 %.
  static func spans(_ range: MeasuredRange, _ truth: ReplayTruth) -> [Span] {
    var spans: [Span] = []
    var last: BatteryReading?
    for reading in range.battery where range.platform != .ios || reading.level < 100 {
      guard let before = last else {
        last = reading
        continue
      }
      guard reading.time - before.time >= 600 else { continue }
      last = reading
      var moving = 0.0
      var tracked = 0.0
      for interval in range.tracking {
        let (start, end) = (max(before.time, interval.lowerBound), min(reading.time, interval.upperBound))
        guard end > start else { continue }
        tracked += end - start
        moving += truth.movingSeconds(from: start, to: end)
      }
      spans.append(
        Span(
          drawn: before.level - reading.level, moving: moving / 3600, still: (tracked - moving) / 3600,
          off: (reading.time - before.time - tracked) / 3600, phone: range.phone))
    }
    return spans
  }

  /// Rates of days out, per cent an hour.
  struct OutingRates: Hashable {
    /// At rest, away from where phones lay for long; nil where the service was on there for less than two hours.
    var still: Double?
    /// On the move; nil for less than a quarter of an hour of that.
    var moving: Double?
  }

  /// The rates that leave the least squares over some spans, the rate with the service off being known. The rate at rest is
  /// found together with that on the move where it can be: it is not the same at every place.
  static func outingRates(_ spans: [Span], still known: Double, off: Double, _ factors: PhoneFactors)
    -> OutingRates
  {
    var (ss, sm, mm, sd, md) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for span in spans {
      let drawn = span.drawn / factors[span.phone] - off * span.off
      ss += span.still * span.still
      sm += span.still * span.moving
      mm += span.moving * span.moving
      sd += span.still * drawn
      md += span.moving * drawn
    }
    let hours = spans.reduce(into: (still: 0.0, moving: 0.0)) {
      $0 = ($0.still + $1.still, $0.moving + $1.moving)
    }
    let determinant = ss * mm - sm * sm
    var rates = OutingRates()
    if hours.still >= 2, determinant > 1e-3 * ss * mm {
      rates.still = max(off, (sd * mm - md * sm) / determinant)
    } else if hours.still >= 2, ss > 0, mm == 0 {
      rates.still = max(off, sd / ss)
    }
    if hours.moving >= 0.25, mm > 0 { rates.moving = max(off, (md - (rates.still ?? known) * sm) / mm) }
    return rates
  }
}
