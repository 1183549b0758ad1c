internal import Synchronization
public import VicinityCrossings
public import VicinityIndex
public import VicinitySimulation

/// A comparison of policies: each runs on each device with each seed, and is scored against what truly
/// happened.
///
///     let study = Study(
///       of: [MonitorSlotsPolicy(), ContinuousTrackingPolicy(.best)], watching: index,
///       on: tracks.map { track in StudyDevice(name: track.name) { try TrueTrack(track.fixes) } },
///       profile: try DeviceProfile.named("iphone-6"))
///     let result = try study.run()
///     for card in result.cards { print(card.policy, card.value(.recall), card.value(.energy)) }
public struct Study: Sendable {
  public var regions: RegionIndex
  public var devices: [StudyDevice]
  /// The policies, with different labels.
  public var policies: [any MonitoringPolicy]
  /// The seeds of everything random: each policy runs on each device once with each.
  public var seeds: [UInt64]
  public var profile: DeviceProfile
  /// Which phones the seeds have.
  public var phones = PhoneDraws.none
  /// Which reports count for which crossings.
  public var matching = MatchingRule()
  /// The visits that the headline figures are about.
  public var filter = VisitFilter.all
  /// How confidence intervals are found.
  public var resampling = Resampling()
  /// Metrics to compute besides `Metric.allCases`: those that take seconds, each once.
  public var requestedMetrics: [Metric] = []
  /// The guarantee to compute bounds for, beside the policies; nil, the default, for none.
  public var guarantee: LatencyGuarantee?

  public init(
    of policies: [any MonitoringPolicy], watching regions: RegionIndex, on devices: [StudyDevice],
    seeds: [UInt64] = [1], profile: DeviceProfile
  ) {
    (self.policies, self.regions, self.devices) = (policies, regions, devices)
    (self.seeds, self.profile) = (seeds, profile)
  }

  /// Throws unless there is at least one of everything, nothing twice, and all parameters are in their
  /// ranges.
  func check() throws(StudyError) {
    if devices.isEmpty { throw .nothing(of: "devices") }
    if policies.isEmpty { throw .nothing(of: "policies") }
    if seeds.isEmpty { throw .nothing(of: "seeds") }
    func findRepeat(_ what: String, _ names: [String]) throws(StudyError) {
      // By their bytes: two strings that look alike are two names.
      var known = DeviceNames()
      for (number, name) in names.enumerated() where known.insert(name) < number {
        throw .twice(what, name: name)
      }
    }
    try findRepeat("device", devices.map(\.name))
    try findRepeat("policy", policies.map(\.label))
    try findRepeat("seed", seeds.map { "\($0)" })
    try findRepeat("metric", requestedMetrics.map(\.rawValue))
    for metric in requestedMetrics where !metric.isOnRequest || Metric(rawValue: metric.rawValue) == nil {
      throw .metric(metric)
    }
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

extension Study {
  /// Runs the study.
  ///
  /// - Parameters:
  ///   - threads: One for each core by default. The result does not depend on it.
  ///   - progress: Called after each run, by one thread at a time; returns false to stop the study.
  ///   - isStopped: Asked on any thread, also in the middle of a run, whether to stop the study.
  /// - Throws: ``StudyError``, for the first device that fails, in the order of the devices, or
  ///   ``StudyError/cancelled``.
  /// - Complexity: that of the runs; each track is made, and its crossings found, once for all policies and
  ///   seeds.
  public func run(
    threads: Int? = nil, progress: (@Sendable (StudyProgress) -> Bool)? = nil,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws(StudyError) -> StudyResult {
    try run(
      on: Array(devices.indices), PreparedDevices(keeping: 0), threads: threads, progress: progress,
      isStopped: isStopped)
  }

  /// Runs the study on some of the devices, given by their indices.
  func run(
    on places: [Int], _ prepared: PreparedDevices, threads: Int?,
    progress: (@Sendable (StudyProgress) -> Bool)?, isStopped: @escaping @Sendable () -> Bool = { false }
  ) throws(StudyError) -> StudyResult {
    try check()
    let threads = threads ?? Parallel.coreCount
    let runs = StudyRuns(
      count: places.count, runsPerDevice: policies.count * seeds.count, policyCount: policies.count, progress,
      isStopped)
    // With many devices, a device is one piece of work, so that few tracks are in memory; with few, a run is.
    if places.count >= 4 * threads {
      Parallel.forEach(places.count, threads: threads) { place in
        guard let device = prepare(places[place], as: place, prepared, runs) else { return }
        for run in 0..<runs.runsPerDevice { self.run(run, on: device, place, runs) }
      }
    } else {
      let ready = Parallel.map(places.count, threads: threads) { place in
        prepare(places[place], as: place, prepared, runs)
      }
      Parallel.forEach(places.count * runs.runsPerDevice, threads: threads) { index in
        let place = index / runs.runsPerDevice
        guard let device = ready[place] else { return }
        run(index % runs.runsPerDevice, on: device, place, runs)
      }
    }
    let outcome = try runs.outcome()
    var result = StudyResult(
      regions: regions, profile: profile,
      policies: policies.map {
        StudiedPolicy(
          label: $0.label, summary: $0.summary, source: $0.source,
          needs: outcome.conditions?.needs(of: $0) ?? $0.needs)
      },
      devices: outcome.truths, seeds: seeds, phones: phones, matching: matching, filter: filter,
      resampling: resampling,
      requestedMetrics: requestedMetrics, scores: outcome.scores, computeSeconds: outcome.seconds,
      threads: threads)
    result.conditions = outcome.conditions
    if let guarantee {
      result.bounds = StudyBounds(outcome.bounds, guarantee, percentPerJoule: profile.percentPerJoule)
    }
    return result
  }

  private func prepare(
    _ index: Int, as place: Int, _ prepared: PreparedDevices, _ runs: StudyRuns
  ) -> PreparedDevice? {
    guard !runs.hasStopped(place) else { return nil }
    let device = devices[index]
    do {
      let ready = try prepared.device(index) {
        let scenario = try device.scenario(profile)
        return PreparedDevice(
          scenario: scenario,
          truth: try DeviceTruth(device: device.name, track: scenario.track, regions: regions))
      }
      var bounds: StudyBounds?
      if let guarantee {
        bounds = try StudyBounds(ready, regions, guarantee, isStopped: runs.isStopped)
        if bounds == nil {
          runs.cancel()
          return nil
        }
      }
      runs.finish(ready.truth, StudyConditions(of: ready.scenario), bounds, at: place)
      return ready
    } catch {
      runs.fail(.device(device.name, reason: "\(error)"), at: place)
      return nil
    }
  }

  /// One policy with one seed: runs are numbered by policy, then seed.
  private func run(_ run: Int, on device: PreparedDevice, _ place: Int, _ runs: StudyRuns) {
    guard !runs.hasStopped(place) else { return }
    let policy = run / seeds.count
    let seed = seeds[run % seeds.count]
    var scenario = device.scenario
    scenario.seed = seed
    scenario.profile = phones.phone(ofSeed: seed, at: run % seeds.count, scenario.profile)
    let start = ContinuousClock.now
    do {
      let result = try Simulation.run(
        scenario, recording: [.reports, .hours], isStopped: runs.isStopped,
        app: { policies[policy].makeApp(watching: regions) })
      guard let result else { return runs.cancel() }
      let score = try DayScore(
        result, truth: device.truth, track: scenario.track, regions: regions, policy: policy, device: place,
        seed: seed, rule: matching, profile: scenario.profile)
      runs.finish(score, at: place, run, seconds: (ContinuousClock.now - start) / .seconds(1))
    } catch {
      runs.fail(.device(device.truth.device, reason: "\(policies[policy].label): \(error)"), at: place)
    }
  }
}

/// One device of a study: a name, and a closure that makes what happens to it.
///
/// Scenarios are made when they are needed and released afterwards, so that a thousand days of a fix a second
/// need not be in memory together.
public struct StudyDevice: Sendable {
  public var name: String
  /// What happens to the device's phone; its seed does not matter. Called once in a study, from any thread;
  /// must return the same each time.
  public var scenario: @Sendable (_ profile: DeviceProfile) throws -> Scenario

  public init(name: String, scenario: @escaping @Sendable (_ profile: DeviceProfile) throws -> Scenario) {
    self.name = name
    self.scenario = scenario
  }

  /// A device that moves along a track, with an app that is opened at the beginning and left a minute later.
  public init(name: String, track: @escaping @Sendable () throws -> TrueTrack) {
    self.init(name: name) { profile in
      let track = try track()
      return Scenario(track: track, actions: Self.openedOnce(at: track.start), profile: profile)
    }
  }

  /// The actions of a user who opens the app and leaves it a minute later.
  public static func openedOnce(at time: Timestamp) -> [TimedAction] {
    [TimedAction(time: time, .openApp), TimedAction(time: time.advanced(by: .seconds(60)), .leaveApp)]
  }
}

/// How much of a study is done. A run is one policy on one device with one seed.
public struct StudyProgress: Hashable, Sendable {
  public var done: Int
  public var total: Int
}

struct PreparedDevice: Sendable {
  var scenario: Scenario
  var truth: DeviceTruth
}

/// A cache of devices between the studies of a search.
final class PreparedDevices: Sendable {
  private let kept = Mutex<[Int: PreparedDevice]>([:])
  private let limit: Int

  init(keeping limit: Int) { self.limit = limit }

  func device(_ index: Int, _ make: () throws -> PreparedDevice) rethrows -> PreparedDevice {
    if let device = kept.withLock({ $0[index] }) { return device }
    let made = try make()
    kept.withLock { if $0.count < limit { $0[index] = made } }
    return made
  }
}

/// Collects the results of a study's runs in their order, whichever thread brings them.
final class StudyRuns: Sendable {
  private struct State {
    var truths: [DeviceTruth?]
    var conditions: [StudyConditions?]
    var bounds: [StudyBounds?]
    /// By device, then policy, then seed.
    var scores: [DayScore?]
    var seconds: [Double]
    /// The failure of the first device that failed.
    var failure: (place: Int, error: StudyError)?
    var done = 0
  }

  let runsPerDevice: Int
  private let policyCount: Int
  private let state: Mutex<State>
  private let progress: (@Sendable (StudyProgress) -> Bool)?
  let isStopped: @Sendable () -> Bool
  /// Devices after this one need not run, because it has failed.
  private let stop = Atomic<Int>(.max)

  init(
    count: Int, runsPerDevice: Int, policyCount: Int, _ progress: (@Sendable (StudyProgress) -> Bool)?,
    _ isStopped: @escaping @Sendable () -> Bool
  ) {
    self.runsPerDevice = runsPerDevice
    self.policyCount = policyCount
    self.progress = progress
    self.isStopped = isStopped
    state = Mutex(
      State(
        truths: Array(repeating: nil, count: count), conditions: Array(repeating: nil, count: count),
        bounds: Array(repeating: nil, count: count),
        scores: Array(repeating: nil, count: count * runsPerDevice),
        seconds: Array(repeating: 0, count: policyCount)))
  }

  /// Whether no more runs of a device should begin.
  func hasStopped(_ place: Int) -> Bool {
    if isStopped() { cancel() }
    return place > stop.load(ordering: .relaxed)
  }

  /// Stops the study.
  func cancel() { state.withLock { cancel(&$0) } }

  private func cancel(_ state: inout State) {
    state.failure = (-1, .cancelled)
    stop.store(-1, ordering: .relaxed)
  }

  func finish(
    _ truth: DeviceTruth, _ conditions: StudyConditions, _ bounds: StudyBounds?, at place: Int
  ) {
    state.withLock { state in
      state.truths[place] = truth
      state.conditions[place] = conditions
      state.bounds[place] = bounds
    }
  }

  func finish(_ score: DayScore, at place: Int, _ run: Int, seconds: Double) {
    state.withLock { state in
      state.scores[place * runsPerDevice + run] = score
      state.seconds[score.policy] += seconds
      state.done += 1
      // Under the lock, so that there is one call at a time and the count never goes back.
      guard let progress, state.failure == nil else { return }
      if !progress(StudyProgress(done: state.done, total: state.scores.count)) { cancel(&state) }
    }
  }

  /// Notes a failure. Earlier devices go on, because the first one that fails is reported.
  func fail(_ error: StudyError, at place: Int) {
    state.withLock { state in
      if let failure = state.failure, failure.place <= place { return }
      state.failure = (place, error)
      stop.store(place, ordering: .relaxed)
    }
  }

  /// The results; scores are ordered by policy, then device, then seed. Conditions are there where all
  /// devices have the same.
  func outcome() throws(StudyError) -> (
    truths: [DeviceTruth], conditions: StudyConditions?, bounds: [StudyBounds], scores: [[DayScore]],
    seconds: [Double]
  ) {
    let state = state.withLock { $0 }
    if let failure = state.failure { throw failure.error }
    let seedCount = runsPerDevice / policyCount
    let scores = (0..<policyCount).map { policy in
      state.truths.indices.flatMap { device in
        (0..<seedCount).compactMap { state.scores[device * runsPerDevice + policy * seedCount + $0] }
      }
    }
    let conditions = Set(state.conditions)
    return (
      state.truths.compactMap { $0 }, conditions.count == 1 ? conditions.first.flatMap { $0 } : nil,
      state.bounds.compactMap { $0 }, scores, state.seconds
    )
  }
}

/// Why a study cannot run.
public enum StudyError: Error, Hashable, Sendable {
  /// There are no `devices`, no `policies` or no `seeds`.
  case nothing(of: String)
  /// Two devices, policies or seeds have the same name.
  case twice(String, name: String)
  /// A policy's parameter is out of its range.
  case policy(PolicyError)
  /// The device profile is wrong.
  case profile(String)
  /// A parameter of the resampling is out of its range.
  case resampling(String, value: Double)
  /// A requested metric is computed in any case, or its seconds are out of `Metric.windows`.
  case metric(Metric)
  /// A device's scenario cannot be made or run.
  case device(String, reason: String)
  /// The study was asked to stop.
  case cancelled
}

extension StudyError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .nothing(let what): "a study needs \(what)"
    case .twice(let what, let name): "\(what) \(name.debugDescription) is there twice"
    case .policy(let error): error.description
    case .profile(let reason): "the device profile: \(reason)"
    case .resampling(let what, let value): "the resampling's \(what) cannot be \(value)"
    case .metric(let metric): "the metric \(metric.rawValue) cannot be requested"
    case .device(let name, let reason): "device \(name.debugDescription): \(reason)"
    case .cancelled: "cancelled"
    }
  }
}
