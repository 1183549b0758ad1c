internal import Synchronization
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

extension Study {
  /// Runs everything.
  ///
  /// - Parameters:
  ///   - threads: How many to use; one for each core by default. The result does not depend on it.
  ///   - progress: Called now and then, by one thread at a time; false stops the study.
  /// - Throws: ``StudyError``; of several devices that fail, the first in their order is named.
  /// - Complexity: The runs' own, and for each device once, whatever the policies and seeds: making the track and finding
  ///   its crossings.
  public func run(
    threads: Int? = nil, progress: (@Sendable (StudyProgress) -> Bool)? = nil
  ) throws(StudyError) -> StudyResult {
    try run(on: Array(devices.indices), PreparedDevices(keeping: 0), threads: threads, progress: progress)
  }

  /// Runs everything on some of the devices, given by their places.
  func run(
    on places: [Int], _ prepared: PreparedDevices, threads: Int?,
    progress: (@Sendable (StudyProgress) -> Bool)?
  ) throws(StudyError) -> StudyResult {
    try check()
    let threads = threads ?? Parallel.coreCount
    let runs = StudyRuns(
      count: places.count, runsPerDevice: policies.count * seeds.count, policyCount: policies.count, progress)
    // With many devices each is one piece of work, so that few tracks are in memory; with few, each run is.
    if places.count >= 4 * threads {
      Parallel.forEach(places.count, threads: threads) { place in
        guard let device = prepare(places[place], as: place, prepared, runs) else { return }
        for run in 0..<runs.runsPerDevice { self.run(run, on: device, place, runs) }
      }
    } else {
      let made = Mutex([PreparedDevice?](repeating: nil, count: places.count))
      Parallel.forEach(places.count, threads: threads) { place in
        let device = prepare(places[place], as: place, prepared, runs)
        made.withLock { $0[place] = device }
      }
      let ready = made.withLock { $0 }
      Parallel.forEach(places.count * runs.runsPerDevice, threads: threads) { index in
        let place = index / runs.runsPerDevice
        guard let device = ready[place] else { return }
        run(index % runs.runsPerDevice, on: device, place, runs)
      }
    }
    let outcome = try runs.outcome()
    var result = StudyResult(
      regions: regions, profile: profile,
      policies: policies.map { StudiedPolicy(label: $0.label, summary: $0.summary, source: $0.source) },
      devices: outcome.truths, seeds: seeds, matching: matching, filter: filter, resampling: resampling,
      scores: outcome.scores, computeSeconds: outcome.seconds, threads: threads)
    if let promise {
      result.bounds = StudyBounds(outcome.bounds, promise, percentPerJoule: profile.percentPerJoule)
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
      runs.finish(ready.truth, try promise.map { try DeviceBounds(ready, regions, $0) }, at: place)
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
    let start = ContinuousClock.now
    do {
      let result = try Simulation.run(scenario, recording: [.reports, .hours]) {
        policies[policy].makeApp(watching: regions)
      }
      let score = try DayScore(
        result, truth: device.truth, track: scenario.track, regions: regions, policy: policy, device: place,
        seed: seed, rule: matching, profile: scenario.profile)
      runs.finish(score, at: place, run, seconds: (ContinuousClock.now - start) / .seconds(1))
    } catch {
      runs.fail(.device(device.truth.device, reason: "\(policies[policy].label): \(error)"), at: place)
    }
  }
}

/// A device ready to be run.
struct PreparedDevice: Sendable {
  var scenario: Scenario
  var truth: DeviceTruth
}

/// Devices that are kept between the studies of a search.
final class PreparedDevices: Sendable {
  private let kept = Mutex<[Int: PreparedDevice]>([:])
  private let limit: Int

  /// Keeps so many of those that are asked for first.
  init(keeping limit: Int) { self.limit = limit }

  func device(_ index: Int, _ make: () throws -> PreparedDevice) rethrows -> PreparedDevice {
    if let device = kept.withLock({ $0[index] }) { return device }
    let made = try make()
    kept.withLock { if $0.count < limit { $0[index] = made } }
    return made
  }
}
