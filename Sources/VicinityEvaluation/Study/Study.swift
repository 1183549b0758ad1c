public import VicinityIndex
public import VicinitySimulation

/// Policies compared: each run on each device with each seed, and scored against what truly happened.
///
///     let study = Study(
///       of: [RotatingPolicy(), FollowingPolicy(.best)], watching: index,
///       on: tracks.map { track in StudyDevice(name: track.name) { try TrueTrack(track.fixes) } },
///       profile: try DeviceProfile.named("iphone-6"))
///     let result = try study.run()
///     for card in result.cards { print(card.policy, card.value(.recall), card.value(.energy)) }
public struct Study: Sendable {
  /// The regions.
  public var regions: RegionIndex
  /// The devices.
  public var devices: [StudyDevice]
  /// The policies; no two of one label.
  public var policies: [any MonitoringPolicy]
  /// What decides everything that is left to chance: each device is run once with each.
  public var seeds: [UInt64]
  /// The phone.
  public var profile: DeviceProfile
  /// Which reports count for which crossings.
  public var matching = MatchingRule()
  /// Which visits the headline is about.
  public var filter = VisitFilter.all
  /// How intervals are found.
  public var resampling = Resampling()
  /// The promise whose bounds are found beside the policies; nil, the default, for none.
  public var promise: StudyPromise?

  /// A study.
  public init(
    of policies: [any MonitoringPolicy], watching regions: RegionIndex, on devices: [StudyDevice],
    seeds: [UInt64] = [1], profile: DeviceProfile
  ) {
    self.policies = policies
    self.regions = regions
    self.devices = devices
    self.seeds = seeds
    self.profile = profile
  }

  /// Whether there is something of everything, and nothing twice.
  func check() throws(StudyError) {
    if devices.isEmpty { throw .nothing(of: "devices") }
    if policies.isEmpty { throw .nothing(of: "policies") }
    if seeds.isEmpty { throw .nothing(of: "seeds") }
    func findRepeat(_ what: String, _ names: [String]) throws(StudyError) {
      var known: Set<String> = []
      for name in names where !known.insert(name).inserted { throw .twice(what, name: name) }
    }
    try findRepeat("device", devices.map(\.name))
    try findRepeat("policy", policies.map(\.label))
    try findRepeat("seed", seeds.map { "\($0)" })
    for policy in policies { do { try policy.check() } catch { throw .policy(error) } }
    do { try profile.check() } catch { throw .profile("\(error)") }
    guard resampling.count >= 0, resampling.count <= 1_000_000 else {
      throw .resampling("count", value: Double(resampling.count))
    }
    guard resampling.level > 0, resampling.level < 1 else {
      throw .resampling("level", value: resampling.level)
    }
  }
}

/// How far a study is.
public struct StudyProgress: Hashable, Sendable {
  /// Runs done, of one policy on one device with one seed each.
  public var done: Int
  /// Runs altogether.
  public var total: Int

  /// A progress.
  public init(done: Int, total: Int) {
    self.done = done
    self.total = total
  }
}
