internal import Synchronization
public import VicinityIndex
public import VicinitySimulation

extension StudyResult {
  /// A result from scores, however they came about.
  ///
  /// - Parameters:
  ///   - scores: By policy; of each, device by device and for each its seeds.
  ///   - threads: How many to use; one for each core by default. The cards do not depend on it.
  public init(
    regions: RegionIndex, profile: DeviceProfile, policies: [StudiedPolicy], devices: [DeviceTruth],
    seeds: [UInt64], matching: MatchingRule = MatchingRule(), filter: VisitFilter = .all,
    resampling: Resampling = Resampling(), scores: [[DayScore]], computeSeconds: [Double] = [],
    threads: Int? = nil
  ) {
    self.regions = regions
    self.profile = profile
    self.policies = policies
    self.devices = devices
    self.seeds = seeds
    self.matching = matching
    self.filter = filter
    self.resampling = resampling
    self.scores = scores
    self.computeSeconds = computeSeconds
    let made = Mutex([ScoreCard?](repeating: nil, count: policies.count))
    Parallel.forEach(policies.count, threads: threads ?? Parallel.coreCount) { policy in
      let card = ScoreCard(
        policies[policy], scores[policy], devices, filter: filter, resampling: resampling)
      made.withLock { $0[policy] = card }
    }
    cards = made.withLock { $0.compactMap { $0 } }
    for place in ParetoFront.places(of: cards) { cards[place].isOnFront = true }
  }
  /// The same runs with other visits in the headline: nothing is run again.
  ///
  /// - Parameter threads: How many to use; one for each core by default.
  public func about(_ filter: VisitFilter, threads: Int? = nil) -> StudyResult {
    var result = StudyResult(
      regions: regions, profile: profile, policies: policies, devices: devices, seeds: seeds,
      matching: matching, filter: filter, resampling: resampling, scores: scores,
      computeSeconds: computeSeconds, threads: threads)
    result.bounds = bounds
    return result
  }
}
