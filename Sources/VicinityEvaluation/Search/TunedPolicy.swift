/// A policy with its own settings, and with those that a search finds for it, both on devices and seeds that
/// chose nothing.
///
/// Presets are what somebody has published or shipped; a search fits settings to a question. Side by side
/// they say how much of the difference between two policies is one of settings.
public struct TunedPolicy: Sendable {
  /// What it takes to ship the policy, with its own settings and with those that the search found.
  public var presetNeeds: String
  public var tunedNeeds: String
  /// The figures with its own settings.
  public var preset: ScoreCard
  /// The figures with the settings that the search found; those of ``preset`` where its own are the best.
  public var tuned: ScoreCard
  /// How probable it is that it meets the requirement elsewhere, by ``Requirement/probability(of:)``.
  public var presetProbability: Double?
  public var tunedProbability: Double?
  /// How many settings were tried.
  public var tried: Int
}

extension PolicySearch {
  /// The same search for each policy of the study alone: each has the devices, seeds and steps of the others.
  /// In the order of the policies; those with nothing to try are left out.
  ///
  /// - Parameters:
  ///   - threads: One for each core by default. The result does not depend on it.
  ///   - progress: Called after each run, by one thread at a time; returns false to stop.
  public func tuned(
    threads: Int? = nil, progress: (@Sendable (SearchProgress) -> Bool)? = nil
  ) throws(StudyError) -> [TunedPolicy] {
    var list: [TunedPolicy] = []
    for policy in study.policies {
      var search = self
      search.study.policies = [policy]
      search.references = [policy]
      let outcome = try search.run(threads: threads, progress: progress)
      guard let confirmation = outcome.confirmation, let found = outcome.policy else { continue }
      let preset = confirmation.references.first?.card ?? confirmation.card
      list.append(
        TunedPolicy(
          presetNeeds: confirmation.needs(of: policy), tunedNeeds: confirmation.needs(of: found),
          preset: preset, tuned: confirmation.card,
          presetProbability: requirement.probability(of: preset),
          tunedProbability: confirmation.probability, tried: outcome.tried))
    }
    return list
  }
}
