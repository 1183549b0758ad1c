internal import CLibrary
internal import Dispatch
internal import Synchronization

/// How far work has come, and whether it is to stop: looked at by several threads.
final class Watch: Sendable {
  private let counted = Atomic<Int>(0)
  private let stopped = Atomic<Bool>(false)

  var done: Int { counted.load(ordering: .relaxed) }
  var isStopped: Bool { stopped.load(ordering: .relaxed) }

  func note(done: Int) { counted.store(done, ordering: .relaxed) }
  func add(_ count: Int) { counted.add(count, ordering: .relaxed) }
  func stop() { stopped.store(true, ordering: .relaxed) }
}

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

  /// What `work` returns. Meanwhile, and once at the end, this thread tells of its progress, ten times a
  /// second.
  ///
  /// - Parameters:
  ///   - total: How much there is to do; nil where that is not known.
  ///   - work: Is to look at the watch now and then, and to return something, whatever it is, where it is
  ///     stopped.
  /// - Throws: What `work` throws; ``Failure/cancelled``.
  static func run<T: Sendable>(
    _ control: Control, of total: Int? = nil, _ work: @escaping @Sendable (Watch) throws -> T
  ) throws -> T {
    let finished = DispatchSemaphore(value: 0)
    let outcome = Outcome<T>()
    let watch = Watch()
    try detach {
      let result = Result { try work(watch) }
      outcome.value.withLock { $0 = result }
      finished.signal()
    }
    while true {
      let isOver = finished.wait(timeout: .now() + .milliseconds(100)) == .success
      do throws(Failure) { try control.report(watch.done, of: total) } catch { watch.stop() }
      if isOver, let result = outcome.value.withLock({ $0 }) {
        if watch.isStopped { throw Failure.cancelled }
        return try result.get()
      }
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
