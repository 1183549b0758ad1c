internal import CLibrary
internal import Dispatch
internal import Synchronization

/// Work on another thread while this one looks on.
enum Background {
  /// What the work returned.
  private final class Outcome<T: Sendable>: Sendable {
    let value = Mutex<Result<T, any Error>?>(nil)
  }

  /// What a new thread does.
  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// What `work` returns. Meanwhile, and once at the end, this thread calls `body`, ten times a second.
  static func run<T: Sendable>(
    _ work: @escaping @Sendable () throws -> T, meanwhile body: () -> Void
  ) throws -> T {
    let finished = DispatchSemaphore(value: 0)
    let outcome = Outcome<T>()
    try detach {
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

  /// Starts a thread of its own: of those that Dispatch keeps, none is left in a forked process.
  private static func detach(_ body: @escaping @Sendable () -> Void) throws(Failure) {
    let start = unsafe Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = unsafe pthread_create(
      &thread, nil,
      { start in
        #if canImport(Darwin)
          unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
        #else
          if let start = unsafe start { unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
        #endif
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      var failure = Failure.argument("no thread could be started (code \(code))")
      failure.kind = .memory
      throw failure
    }
    #if canImport(Darwin)
      if let thread = unsafe thread { unsafe pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }
}
