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
  /// An input of this time is about to be handled. Nothing to most clocks; ``ReplayClock`` follows the inputs.
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

/// A Swift clock as a monitor's clock, set to a time of day when it is made.
public struct ClockAdapter<Base: Clock>: MonitorClock where Base.Duration == Duration {
  private let base: Base
  private let start: Base.Instant
  private let epoch: Timestamp

  /// A clock that shows `epoch` now, and goes on as `base` does.
  public init(_ base: Base, epoch: Timestamp) {
    self.base = base
    start = base.now
    self.epoch = epoch
  }

  public var now: Timestamp { epoch.advanced(by: start.duration(to: base.now)) }

  public func sleep(until time: Timestamp) async throws {
    try await base.sleep(until: start.advanced(by: epoch.duration(to: time)), tolerance: nil)
  }
}
