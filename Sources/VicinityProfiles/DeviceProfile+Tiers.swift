internal import VicinityMonitor

extension DeviceProfile {
  /// Which tiers the profile lacks, and which stand for them, in a sentence; nil where it has all.
  ///
  /// An app that asks for such a tier draws the power and gets the positions of another one, so whoever shows
  /// results of the phone shows this too.
  package var missingTiersText: String? {
    let missing = DesiredAccuracy.allCases.filter { tiers[$0] == nil }
    guard !missing.isEmpty else { return nil }
    let pairs = missing.map { "\(knownTier(for: $0).rawValue) for \($0.rawValue)" }
    return
      "the profile \(name) lacks tiers, and another one stands for each: \(pairs.joined(separator: ", "))"
  }
}
