public import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

/// A policy of a study. Fields are as in ``MonitoringPolicy``.
public struct StudiedPolicy: Hashable, Sendable {
  public var label: String
  public var summary: String
  public var source: String
  public var needs: String
}

/// The result of a study.
///
/// Everything except ``computeSeconds`` is the same to the last bit whatever the number of threads. Policies,
/// devices and seeds are named by their indices.
public struct StudyResult: Sendable {
  public var regions: RegionIndex
  public var profile: DeviceProfile
  public var policies: [StudiedPolicy]
  /// The devices, and what truly happened to each.
  public var devices: [DeviceTruth]
  public var seeds: [UInt64]
  /// Which phones the seeds had.
  public var phones: PhoneDraws
  public var matching: MatchingRule
  /// The visits that the headline figures are about.
  public var filter: VisitFilter
  public var resampling: Resampling
  /// The metrics that were asked for besides `Metric.allCases`.
  public var requestedMetrics: [Metric]
  /// By policy, then device, then seed: `scores[policy][device * seeds.count + seed]`.
  public var scores: [[DayScore]]
  /// By policy.
  public var cards: [ScoreCard]
  /// What the devices' apps were allowed; nil where that differs among them.
  public var conditions: StudyConditions?
  /// The lower bounds of policies that give the study's guarantee; nil where it has none.
  public var bounds: StudyBounds?
  /// The policy that a search chose, as an index; nil without a search. It is part of the study like every
  /// other policy.
  public var chosen: Int?
  /// By policy: how long its runs took on this machine, scoring included, seconds of one core. Differs from
  /// run to run.
  public var computeSeconds: [Double]

  /// All metrics of the cards, in the order of tables.
  public var metrics: [Metric] { Metric.allCases + requestedMetrics }

  /// The latencies of a policy's reported crossings that pass the filter, seconds, ascending; and how many
  /// were missed.
  ///
  /// - Parameter kind: Entries or exits alone; nil for all.
  public func latencies(
    of policy: Int, _ kind: Crossing.Kind? = nil
  ) -> (reported: [Double], missed: Int) {
    var reported: [Double] = []
    var missed = 0
    for score in scores[policy] {
      let truth = devices[score.device]
      let counted = CountedCrossings(truth, filter)
      for (index, crossing) in truth.crossings.enumerated()
      where counted.contains(index) && (kind ?? crossing.crossing.kind) == crossing.crossing.kind {
        let outcome = counted.outcome(of: index, score.outcomes, truth)
        if let outcome { reported.append(outcome.latency) } else { missed += 1 }
      }
    }
    return (reported.sorted(), missed)
  }

  /// A policy's crossings that pass the filter and were missed, or reported later than `seconds`; ordered by
  /// device, seed and time.
  public func missedOrLate(of policy: Int, laterThan seconds: Double) -> [MissedCrossing] {
    var list: [MissedCrossing] = []
    for score in scores[policy] {
      let truth = devices[score.device]
      let counted = CountedCrossings(truth, filter)
      for (index, crossing) in truth.crossings.enumerated() where counted.contains(index) {
        let outcome = counted.outcome(of: index, score.outcomes, truth)
        guard outcome.map({ $0.latency > seconds }) ?? true else { continue }
        list.append(
          MissedCrossing(device: score.device, seed: score.seed, crossing: crossing, outcome: outcome))
      }
    }
    return list
  }
}

/// A crossing that a policy missed or reported late.
public struct MissedCrossing: Hashable, Sendable {
  /// An index into ``StudyResult/devices``.
  public var device: Int
  public var seed: UInt64
  public var crossing: TrueCrossing
  /// How it was reported; nil if it was missed.
  public var outcome: CrossingOutcome?
}

extension StudyResult {
  /// Makes the cards from scores.
  ///
  /// - Parameters:
  ///   - scores: By policy, then device, then seed.
  ///   - threads: One for each core by default. The cards do not depend on it.
  init(
    regions: RegionIndex, profile: DeviceProfile, policies: [StudiedPolicy], devices: [DeviceTruth],
    seeds: [UInt64], phones: PhoneDraws = .none, matching: MatchingRule = MatchingRule(),
    filter: VisitFilter = .all,
    resampling: Resampling = Resampling(), requestedMetrics: [Metric] = [], scores: [[DayScore]],
    computeSeconds: [Double] = [], threads: Int? = nil
  ) {
    (self.regions, self.profile, self.policies, self.devices) = (regions, profile, policies, devices)
    (self.seeds, self.matching, self.filter, self.resampling) = (seeds, matching, filter, resampling)
    (self.requestedMetrics, self.phones) = (requestedMetrics, phones)
    (self.scores, self.computeSeconds) = (scores, computeSeconds)
    cards = Parallel.map(policies.count, threads: threads ?? Parallel.coreCount) { policy in
      ScoreCard(
        policies[policy], scores[policy], devices, filter: filter, resampling: resampling,
        onRequest: requestedMetrics, drawing: phones == .none ? nil : profile)
    }
    for index in ParetoFront.indices(of: cards) { cards[index].isOnFront = true }
  }

  /// The study with the policies of another one, of the same devices and seeds. Policies that are there
  /// already are left out.
  public func adding(_ other: StudyResult, threads: Int? = nil) -> StudyResult {
    var (policies, scores, seconds) = (policies, scores, computeSeconds)
    for (place, policy) in other.policies.enumerated()
    where !policies.contains(where: { $0.label == policy.label }) {
      scores.append(
        other.scores[place].map {
          var score = $0
          score.policy = policies.count
          return score
        })
      policies.append(policy)
      seconds.append(other.computeSeconds[place])
    }
    var result = StudyResult(
      regions: regions, profile: profile, policies: policies, devices: devices, seeds: seeds, phones: phones,
      matching: matching, filter: filter, resampling: resampling, requestedMetrics: requestedMetrics,
      scores: scores, computeSeconds: seconds, threads: threads)
    (result.bounds, result.chosen, result.conditions) = (bounds, chosen, conditions)
    return result
  }

  /// The same runs with other visits in the headline figures. Nothing runs again.
  ///
  /// - Parameters:
  ///   - filter: Which visits the headline figures are about.
  ///   - threads: One for each core by default.
  public func about(_ filter: VisitFilter, threads: Int? = nil) -> StudyResult {
    var result = StudyResult(
      regions: regions, profile: profile, policies: policies, devices: devices, seeds: seeds,
      phones: phones, matching: matching, filter: filter, resampling: resampling,
      requestedMetrics: requestedMetrics, scores: scores, computeSeconds: computeSeconds, threads: threads)
    (result.bounds, result.chosen, result.conditions) = (bounds, chosen, conditions)
    return result
  }
}
