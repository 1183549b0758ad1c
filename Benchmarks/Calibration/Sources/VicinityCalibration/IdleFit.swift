internal import VicinitySimulation

/// Fits the power of a phone with the location service off.
struct IdleFit {
  /// Per cent an hour; nil when no phone was carried for long with the service off.
  let rate: EnergyFit.Rate?

  /// Fits the ranges of one platform.
  ///
  /// - Parameters:
  ///   - gauge: The battery's gauge, fitted to the same days.
  ///   - factors: The drain factors of the phones, fitted to the same days.
  init(
    _ ranges: [MeasuredRange], _ platform: DeviceProfile.Platform, _ gauge: BatteryGauge,
    _ factors: PhoneFactors, seed: UInt64
  ) {
    let off = ranges.filter { $0.accuracy == nil && $0.hours >= EnergyFit.leastHours }
    if platform == .ios {
      rate = Self.rate(off.compactMap { Self.bounds($0, gauge, factor: factors[$0.phone]) })
    } else {
      rate = EnergyFit.Rate(off.compactMap(\.drain), seed: seed)
    }
  }

  /// The least and greatest rate that a phone may have drawn, per cent an hour; nil without levels.
  ///
  /// A phone that still shows 100 % has drawn between nothing and the gauge's reserve. One whose level fell
  /// has drawn the difference, plus the reserve if it started at 100 %.
  static func bounds(_ range: MeasuredRange, _ gauge: BatteryGauge, factor: Double) -> ClosedRange<Double>? {
    guard let first = range.battery.first, let last = range.battery.last, last.time - first.time > 600 else {
      return nil
    }
    let hours = (last.time - first.time) / 3600 * factor
    guard last.level < 100 else { return 0...(gauge.reserve / hours) }
    let rate = max(0, gauge.drawn(first.level - last.level, from: first.level)) / hours
    return rate...rate
  }

  /// The median of the middles of the bounds, with the medians of the lower and of the upper bounds.
  private static func rate(_ bounds: [ClosedRange<Double>]) -> EnergyFit.Rate? {
    guard let value = Sample(bounds.map { ($0.lowerBound + $0.upperBound) / 2 }).median,
      let low = Sample(bounds.map(\.lowerBound)).median, let high = Sample(bounds.map(\.upperBound)).median
    else { return nil }
    return EnergyFit.Rate(value: value, low: min(low, value), high: max(high, value), count: bounds.count)
  }
}
