internal import VicinitySimulation

/// The power of services at the sites where phones were left on days out, compared with the house where they
/// lay for long.
///
/// What a phone needs to locate itself at rest depends on the site: on the satellites received through its
/// roof, on known networks. There were two sites for each kind of phone, and their powers differ. The one in
/// a profile is the mean of both; a day is predicted with the power of its site, as measured on other days.
struct SitePower: Hashable, Sendable {
  /// Tiers that draw less than this above idle, per cent an hour, cannot distinguish sites.
  private static let leastNet = 0.3
  /// The least ratio: no site is so good that a service draws nothing.
  private static let leastRatio = 0.1

  /// The power above idle on days out divided by that at home; 1 if it was not measured.
  var ratio = 1.0

  /// The factors on the mean of both sites.
  var home: Double { 2 / (1 + ratio) }
  var out: Double { 2 * ratio / (1 + ratio) }

  init() {}

  /// Measures the ratio: the median over days out.
  ///
  /// - Parameter rates: The drain of each tier at home, per cent an hour.
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

  /// The tier at a site, at home or on days out. Its power in motion is the same at both.
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
