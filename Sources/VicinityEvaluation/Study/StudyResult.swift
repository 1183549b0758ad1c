public import VicinityIndex
public import VicinitySimulation

/// A policy of a study.
public struct StudiedPolicy: Hashable, Sendable {
  /// Name and parameters: `fixed-interval:interval=60`.
  public var label: String
  /// What it does, in a sentence.
  public var summary: String
  /// Where the recipe is from; may be empty.
  public var source: String
}

/// Everything that came of a study.
///
/// All but ``computeSeconds`` is the same to the last bit whatever the threads.
public struct StudyResult: Sendable {
  /// The regions.
  public var regions: RegionIndex
  /// The phone.
  public var profile: DeviceProfile
  /// The policies, in the order they were given.
  public var policies: [StudiedPolicy]
  /// The devices and what truly happened to each.
  public var devices: [DeviceTruth]
  /// The seeds that each device was run with.
  public var seeds: [UInt64]
  /// Which reports count for which crossings.
  public var matching: MatchingRule
  /// Which visits the headline is about.
  public var filter: VisitFilter
  /// How intervals were found.
  public var resampling: Resampling
  /// By policy; of each, device by device and for each its seeds: `scores[policy][device * seeds.count + seed]`.
  public var scores: [[DayScore]]
  /// By policy.
  public var cards: [ScoreCard]
  /// What no policy undercuts that keeps the study's promise; nil where it has none.
  public var bounds: StudyBounds?
  /// By policy: the time that its runs took on this machine, scoring included, seconds of one core. Not a result: another
  /// run has other times.
  public var computeSeconds: [Double]

  /// The score of a policy on a device with a seed, each by its place.
  public func score(_ policy: Int, device: Int, seed: Int) -> DayScore {
    scores[policy][device * seeds.count + seed]
  }

  /// Latencies of a policy's crossings that pass the filter: those of the reported ones ascending, seconds, and how many were
  /// missed. What a distribution is drawn of.
  public func latencies(of policy: Int) -> (reported: [Double], missed: Int) {
    var reported: [Double] = []
    var missed = 0
    for score in scores[policy] {
      let truth = devices[score.device]
      for (crossing, outcome) in zip(truth.crossings, score.outcomes)
      where filter.contains(truth.visits[crossing.visit]) {
        if let outcome { reported.append(outcome.latency) } else { missed += 1 }
      }
    }
    return (reported.sorted(), missed)
  }

  /// A policy's crossings that pass the filter and were missed, or reported later than some seconds; device by device, seed by
  /// seed, ordered by time. What a map is drawn of.
  public func missedOrLate(of policy: Int, laterThan seconds: Double) -> [MissedCrossing] {
    var list: [MissedCrossing] = []
    for score in scores[policy] {
      let truth = devices[score.device]
      for (index, outcome) in score.outcomes.enumerated() {
        let crossing = truth.crossings[index]
        guard filter.contains(truth.visits[crossing.visit]), outcome.map({ $0.latency > seconds }) ?? true
        else { continue }
        list.append(
          MissedCrossing(device: score.device, seed: score.seed, crossing: crossing, outcome: outcome))
      }
    }
    return list
  }
}

/// A crossing that a policy missed or reported late.
public struct MissedCrossing: Hashable, Sendable {
  /// The device: its place in ``StudyResult/devices``.
  public var device: Int
  /// The run's seed.
  public var seed: UInt64
  /// What happened.
  public var crossing: TrueCrossing
  /// How it was reported; nil for one that was missed.
  public var outcome: CrossingOutcome?
}
