internal import Synchronization

/// What the runs of a study come to, put in its place whichever thread brings it.
final class StudyRuns: Sendable {
  private struct State {
    var truths: [DeviceTruth?]
    var bounds: [DeviceBounds?]
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
  /// Devices from this place on need not be run: an earlier one has failed.
  private let stop = Atomic<Int>(.max)

  init(
    count: Int, runsPerDevice: Int, policyCount: Int, _ progress: (@Sendable (StudyProgress) -> Bool)?
  ) {
    self.runsPerDevice = runsPerDevice
    self.policyCount = policyCount
    self.progress = progress
    state = Mutex(
      State(
        truths: Array(repeating: nil, count: count), bounds: Array(repeating: nil, count: count),
        scores: Array(repeating: nil, count: count * runsPerDevice),
        seconds: Array(repeating: 0, count: policyCount)))
  }

  /// Whether nothing more is to be begun of a device.
  func hasStopped(_ place: Int) -> Bool { place > stop.load(ordering: .relaxed) }

  func finish(_ truth: DeviceTruth, _ bounds: DeviceBounds?, at place: Int) {
    state.withLock { state in
      state.truths[place] = truth
      state.bounds[place] = bounds
    }
  }

  func finish(_ score: DayScore, at place: Int, _ run: Int, seconds: Double) {
    state.withLock { state in
      state.scores[place * runsPerDevice + run] = score
      state.seconds[score.policy] += seconds
      state.done += 1
      // Under the lock: one call at a time, and none that goes back.
      guard let progress, state.failure == nil else { return }
      if !progress(StudyProgress(done: state.done, total: state.scores.count)) {
        state.failure = (-1, .cancelled)
        stop.store(-1, ordering: .relaxed)
      }
    }
  }

  /// Notes a failure. Devices before it go on: one of them may fail too, and the first is named.
  func fail(_ error: StudyError, at place: Int) {
    state.withLock { state in
      if let failure = state.failure, failure.place <= place { return }
      state.failure = (place, error)
      stop.store(place, ordering: .relaxed)
    }
  }

  /// What came of it: scores by policy, then device, then seed.
  func outcome() throws(StudyError) -> (
    truths: [DeviceTruth], bounds: [DeviceBounds], scores: [[DayScore]], seconds: [Double]
  ) {
    let state = state.withLock { $0 }
    if let failure = state.failure { throw failure.error }
    let seedCount = runsPerDevice / policyCount
    let scores = (0..<policyCount).map { policy in
      state.truths.indices.flatMap { device in
        (0..<seedCount).compactMap { state.scores[device * runsPerDevice + policy * seedCount + $0] }
      }
    }
    return (state.truths.compactMap { $0 }, state.bounds.compactMap { $0 }, scores, state.seconds)
  }
}
