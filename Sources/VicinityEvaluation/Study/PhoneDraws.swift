internal import VicinitySimulation

/// Which phones a study's seeds have.
///
/// The figures of a profile have ranges, because they are assumed or fitted to few days. What cannot be known
/// of a phone is varied in two ways: its behaviour with each seed, since the runs depend on it, and its
/// energies with each resample, since they only multiply what the runs have drawn.
public enum PhoneDraws: String, CaseIterable, Hashable, Sendable {
  /// All seeds have the phone of the profile; intervals are of devices, days and chance only.
  case none
  /// The first seed has the phone of the profile, each other one a phone drawn from the ranges of its
  /// figures; intervals are also of that, and of the ranges of the energies.
  case drawn

  /// The phone of a seed, given by its value and place among the study's.
  func phone(ofSeed seed: UInt64, at place: Int, _ profile: DeviceProfile) -> DeviceProfile {
    self == .none || place == 0 ? profile : profile.drawn(seed: seed)
  }
}
