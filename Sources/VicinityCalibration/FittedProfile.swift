internal import VicinitySimulation

/// A profile fitted to some days, and what belongs to the measuring alone.
struct FittedProfile: Sendable {
  var profile: DeviceProfile
  /// Tiers of slow requests: not part of the profile.
  var slow: [DesiredAccuracy: TierProfile]
  var gauge: BatteryGauge
  var factors: PhoneFactors
  var places = Places()
  var work = AppWork()
  /// Whether the idle power was measured on the days of the fit. If not it is the pattern's, which may rest on other days.
  var isIdleFitted = false
  /// What the truth's own noise is.
  var noise: Sample
  /// What could not be fitted, in words.
  var notes: [String]

  /// The profile as a phone that was asked so: slow requests in place of the tier.
  func profile(for key: TierKey) -> DeviceProfile {
    var profile = profile
    if key.isSlow, let tier = slow[key.accuracy] { profile.tiers[key.accuracy] = tier }
    return profile
  }

  /// The profile as the phone of a range: at its place.
  func profile(for range: MeasuredRange, _ key: TierKey) -> DeviceProfile {
    var profile = profile(for: key)
    guard let tier = profile.tier(key.accuracy) else { return profile }
    profile.tiers[key.accuracy] = places.tier(tier, atHome: range.isStationary)
    return profile
  }

  /// The tier whose figures stand for a key: itself, or a better one.
  func tierStanding(for key: TierKey) -> DesiredAccuracy {
    if key.isSlow, slow[key.accuracy] != nil { return key.accuracy }
    let order = DesiredAccuracy.allCases
    guard let at = order.firstIndex(of: key.accuracy) else { return .best }
    return order[...at].reversed().first { profile.tiers[$0] != nil } ?? .best
  }
}
