internal import VicinitySimulation

/// How much services take at the places where phones were left on days out, over what they take in the house where they lay
/// for long.
///
/// What a phone takes to place itself at rest depends on where that is: on satellites through that roof, on networks known
/// there or not. There were two such places for each kind of phone, and they differ by a quarter. A profile's power is the mean
/// of both; a day is predicted with that of its place, as found on other days.
struct Places: Hashable, Sendable {
  /// Tiers that take less than this above idle power, per cent an hour, do not tell places apart.
  private static let leastNet = 0.3
  /// No place is so good that a service takes nothing there.
  private static let leastRatio = 0.1

  /// The power above idle on days out over that at home; 1 where that was not measured.
  var ratio = 1.0

  /// Each over the mean of both.
  var home: Double { 2 / (1 + ratio) }
  var out: Double { 2 * ratio / (1 + ratio) }

  init() {}

  /// The median, over days out, of the ratio.
  ///
  /// - Parameter rates: What each tier takes at home, per cent an hour.
  init(
    _ ranges: [MeasuredRange], _ truths: [String: ReplayTruth], rates: [TierKey: EnergyFit.Rate],
    idle: Double,
    _ factors: PhoneFactors
  ) {
    var ratios: [Double] = []
    for range in ranges {
      guard let key = range.tierKey, let home = rates[key]?.value, home - idle >= Self.leastNet,
        let truth = truths[range.run], let rate = EnergyFit.restingRate(range, truth)
      else { continue }
      ratios.append((rate / factors[range.phone] - idle) / (home - idle))
    }
    ratio = max(Self.leastRatio, Sample(ratios).median ?? 1)
  }

  /// A tier as it is where phones lay for long, or at rest on days out. On the move it takes the same by either.
  func tier(_ tier: TierProfile, atHome: Bool) -> TierProfile {
    var tier = tier
    let factor = atHome ? home : out
    let held = tier.gnss.value + tier.wifi.value + tier.cell.value + tier.processor.value
    tier.gnss = tier.gnss.scaled(by: factor)
    tier.wifi = tier.wifi.scaled(by: factor)
    tier.cell = tier.cell.scaled(by: factor)
    tier.processor = tier.processor.scaled(by: factor)
    let motion = max(0, tier.motion.value - held * (factor - 1))
    tier.motion = Figure(
      motion, low: motion, high: motion, basis: tier.motion.basis, source: tier.motion.source)
    return tier
  }
}
