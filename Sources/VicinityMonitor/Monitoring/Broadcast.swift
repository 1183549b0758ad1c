internal import Synchronization

/// Sends values to any number of listeners. A listener gets what is sent from the moment on at which it asked
/// for its stream.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  deinit { finish() }

  /// How many streams have not ended.
  var count: Int { state.withLock { $0.listeners.count } }

  /// A stream of what is sent from now on, until ``finish()``.
  ///
  /// - Parameter policy: What becomes of values that the listener has not taken yet.
  func stream(
    buffering policy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
    let number: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastNumber += 1
      state.listeners[state.lastNumber] = continuation
      return state.lastNumber
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return stream
  }

  private func remove(_ number: Int) { state.withLock { $0.listeners[number] = nil } }

  func send(_ value: Value) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(value) }
  }

  /// Ends all streams, and those that are asked for from now on at once.
  func finish() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      state.isFinished = true
      return Array(state.listeners.values)
    }
    // A listener that ends calls back.
    for listener in listeners { listener.finish() }
  }
}
