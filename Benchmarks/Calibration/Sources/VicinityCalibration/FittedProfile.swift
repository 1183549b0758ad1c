internal import VicinityMonitor
internal import VicinitySimulation

/// A profile fitted to some days, with what belongs to the measurements only.
struct FittedProfile: Sendable {
  var profile: DeviceProfile
  /// The tiers of slow requests, which are not part of the profile.
  var slow: [DesiredAccuracy: TierProfile]
  var gauge: BatteryGauge
  var factors: PhoneFactors
  var sites = SitePower()
  var work = AppWork()
  /// Whether the idle power was measured on the days of the fit. Otherwise it is that of the template
  /// profile, which may rest on other days.
  var isIdleFitted = false
  /// The error of the reference.
  var noise: Sample
  /// What could not be fitted, in words.
  var notes: [String]

  func day(_ scores: DayScores) -> FittedProfile {
    guard let days = profile.days else { return self }
    var fitted = self
    fitted.profile = profile.day(scores)
    for (accuracy, tier) in slow {
      fitted.slow[accuracy] = tier.day(
        errors: days.errors.factor(scores.errors), power: days.power.factor(scores.power))
    }
    return fitted
  }

  /// The profile of a phone with this request: a slow request replaces the tier.
  func profile(for key: TierKey) -> DeviceProfile {
    var profile = profile
    if key.isSlow, let tier = slow[key.accuracy] { profile.tiers[key.accuracy] = tier }
    return profile
  }

  /// The profile of the phone of a range, at its site.
  func profile(for range: MeasuredRange, _ key: TierKey) -> DeviceProfile {
    var profile = profile(for: key)
    guard let tier = profile.tier(key.accuracy) else { return profile }
    profile.tiers[key.accuracy] = sites.tier(tier, atHome: range.isStationary)
    return profile
  }

  /// The tier whose figures are used for a key: its own, or a better one.
  func tierStanding(for key: TierKey) -> DesiredAccuracy {
    key.isSlow && slow[key.accuracy] != nil ? key.accuracy : profile.knownTier(for: key.accuracy)
  }
}
