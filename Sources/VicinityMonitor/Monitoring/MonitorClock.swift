internal import CLibrary
public import VicinityCrossings

/// The time of day, and waiting for one.
public protocol MonitorClock: Sendable {
  /// The present time. It may be set, also back.
  var now: Timestamp { get }
  /// Returns at a time, or some time after it.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(until time: Timestamp) async throws
  /// An input of this time is about to be handled. Nothing to most clocks; ``ReplayClock`` follows the
  /// inputs.
  func observe(_ time: Timestamp)
}

extension MonitorClock {
  public func observe(_ time: Timestamp) {}
}

public struct SystemMonitorClock: MonitorClock {
  public init() {}

  public var now: Timestamp {
    var time = timespec()
    // SAFETY: `time` is a variable of its own, valid for the call; the call cannot fail for this clock.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  public func sleep(until time: Timestamp) async throws {
    try await Task.sleep(for: max(Duration.zero, now.duration(to: time)), clock: .continuous)
  }
}
