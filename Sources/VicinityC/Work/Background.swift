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

  /// What `work` returns. Meanwhile, and once at the end, this thread tells of its progress, ten times a
  /// second. The other thread has ended when this returns, and holds nothing of the work any more.
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
    let thread = try OwnThread {
      let result = Result { try work(watch) }
      outcome.value.withLock { $0 = result }
      finished.signal()
    }
    defer { thread.join() }
    while true {
      let isOver = finished.wait(timeout: .now() + .milliseconds(100)) == .success
      do throws(Failure) { try control.report(watch.done, of: total) } catch { watch.stop() }
      if isOver, let result = outcome.value.withLock({ $0 }) {
        if watch.isStopped { throw Failure.cancelled }
        return try result.get()
      }
    }
  }
}

/// A thread of its own: of those that Dispatch keeps, none is left in a forked process.
@safe private struct OwnThread {
  /// What it does.
  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Starts it.
  ///
  /// - Throws: ``Failure`` where the system has none.
  init(_ body: @escaping @Sendable () -> Void) throws(Failure) {
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
      throw Self.failure(code)
    }
    #if canImport(Darwin)
      guard let thread = unsafe thread else { throw Self.failure(code) }
      unsafe self.thread = thread
    #else
      self.thread = thread
    #endif
  }

  private static func failure(_ code: Int32) -> Failure {
    var failure = Failure.argument("no thread could be started (code \(code))")
    failure.kind = .memory
    return failure
  }

  /// Waits until it has ended; to be called once.
  func join() {
    #if canImport(Darwin)
      unsafe pthread_join(thread, nil)
    #else
      pthread_join(thread, nil)
    #endif
  }
}
