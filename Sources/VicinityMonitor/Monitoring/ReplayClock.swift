internal import Synchronization
public import VicinityCrossings

/// A clock that shows the time of the latest input of its monitor: for replaying what was recorded, as fast
/// as it can be read.
///
///     let monitor = try await Monitor("Replay", clock: ReplayClock(at: first.time))
///     for fix in fixes { try await monitor.receive(.fix(fix)) }
///
/// What depends on time alone, such as the end of a beacon's presence, is dated as it would have been, and
/// comes with the first input after it, or when the clock is advanced.
public final class ReplayClock: MonitorClock {
  private struct State {
    var now: Timestamp
    var lastSleeper = 0
    var sleepers: [Int: (time: Timestamp, continuation: CheckedContinuation<Void, any Error>)] = [:]
    /// Sleepers that were cancelled before they slept.
    var cancelled: Set<Int> = []
  }

  private let state: Mutex<State>

  /// - Parameter start: What the clock shows until the first input.
  public init(at start: Timestamp) { state = Mutex(State(now: start)) }

  public var now: Timestamp { state.withLock { $0.now } }

  public func observe(_ time: Timestamp) { advance(to: time) }

  /// Sets the clock forward. Nothing happens for a time that has passed.
  public func advance(to time: Timestamp) {
    let due = state.withLock { state in
      state.now = max(state.now, time)
      let due = state.sleepers.filter { $0.value.time <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  public func sleep(until time: Timestamp) async throws {
    let number = state.withLock { state in
      state.lastSleeper += 1
      return state.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let result: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if time <= state.now { return .success(()) }
          state.sleepers[number] = (time, continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
