internal import Dispatch
internal import Synchronization

/// Work on another thread while this one looks on.
enum Background {
  /// What the work returned.
  private final class Outcome<T: Sendable>: Sendable {
    let value = Mutex<Result<T, any Error>?>(nil)
  }

  /// What `work` returns. Meanwhile, and once at the end, this thread calls `body`, ten times a second.
  static func run<T: Sendable>(
    _ work: @escaping @Sendable () throws -> T, meanwhile body: () -> Void
  ) throws -> T {
    let finished = DispatchSemaphore(value: 0)
    let outcome = Outcome<T>()
    DispatchQueue.global().async {
      let result = Result { try work() }
      outcome.value.withLock { $0 = result }
      finished.signal()
    }
    while true {
      let isOver = finished.wait(timeout: .now() + .milliseconds(100)) == .success
      body()
      if isOver, let result = outcome.value.withLock({ $0 }) { return try result.get() }
    }
  }
}
