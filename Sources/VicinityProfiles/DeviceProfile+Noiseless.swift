extension DeviceProfile {
  /// The same phone without randomness: its positions are exact and report an accuracy of 1 m, every duration
  /// is the median, and no day differs from another.
  ///
  /// The energy of its services, the times of their checks and their rules of decision are unchanged. Meant
  /// for bounds: what this phone cannot do is not a matter of luck.
  package var noiseless: DeviceProfile {
    var profile = self
    profile.days = nil
    for (accuracy, tier) in tiers {
      var tier = tier
      tier.moving = tier.moving.noiseless
      tier.still = tier.still?.noiseless
      tier.indoors = tier.indoors?.noiseless
      tier.settling = nil
      tier.fallback = nil
      tier.ways = nil
      tier.interval = tier.interval.medianAlone
      tier.delay = tier.delay.medianAlone
      tier.strayFixes = tier.strayFixes.scaled(by: 0)
      profile.tiers[accuracy] = tier
    }
    profile.firstFix.hot = firstFix.hot.medianAlone
    profile.firstFix.warm = firstFix.warm.medianAlone
    profile.firstFix.cold = firstFix.cold.medianAlone
    profile.regions.wakeDelay = regions.wakeDelay.medianAlone
    profile.regions.interval = regions.interval.medianAlone
    profile.regions.restInterval = regions.restInterval.medianAlone
    profile.regions.positions = regions.positions.noiseless
    profile.regions.ways = nil
    profile.regions.delivery = regions.delivery.medianAlone
    profile.significantChange.cellChange = significantChange.cellChange.medianAlone
    profile.significantChange.positions = significantChange.positions.noiseless
    profile.significantChange.arrival = significantChange.arrival.medianAlone
    profile.significantChange.departure = significantChange.departure.medianAlone
    profile.beacons.noise = beacons.noise.scaled(by: 0)
    profile.heading.error = heading.error.scaled(by: 0)
    return profile
  }
}

extension PositionModel {
  fileprivate var noiseless: PositionModel {
    // A metre, because no phone reports less.
    PositionModel(
      error: error.constant(0), reported: reported.constant(1), correlationTime: correlationTime,
      association: association)
  }
}

extension Quantiles {
  fileprivate var medianAlone: Quantiles { constant(value(at: 0.5)) }

  /// The distribution with all its mass at one number, which is certain.
  fileprivate func constant(_ value: Double) -> Quantiles {
    Quantiles([Point(0, value), Point(1, value)], basis: basis, source: source) ?? self
  }
}
