#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import Synchronization
  public import VicinityMonitor

  /// What a phone tells a monitor, for ``VicinityMonitor/Monitor/follow(_:)``.
  ///
  /// For one consumer at a time: a new iterator ends the one before, so that a monitor that is opened again
  /// follows the same sequence. What nobody has taken waits. Asking for the next input says that the one
  /// before has been dealt with; then the phone need not keep the app running for it any longer.
  public struct PhoneInputs: AsyncSequence, Sendable {
    public typealias Element = MonitorInput
    public typealias Failure = Never

    let queue: InputQueue

    /// An iterator. From its first call on, inputs go to it alone.
    public func makeAsyncIterator() -> Iterator { Iterator(queue: queue) }

    /// Delivers a phone's inputs.
    public struct Iterator: AsyncIteratorProtocol {
      let queue: InputQueue
      private var number: Int?

      init(queue: InputQueue) { self.queue = queue }

      /// The next input, as soon as there is one; nil when the phone is gone, when another iterator has
      /// begun, and when the task is cancelled.
      public mutating func next() async -> MonitorInput? { await next(isolation: nil) }

      /// The next input, as soon as there is one.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> MonitorInput? {
        let number = number ?? queue.makeConsumer()
        self.number = number
        return await queue.next(for: number, isolation: actor)
      }
    }
  }

  /// The inputs that a monitor has not taken, and how far it has come with those that it has.
  final class InputQueue: Sendable {
    private struct State {
      var waiting: [MonitorInput] = []
      /// Whether an input has been taken, and the next not yet asked for.
      var isHandling = false
      /// How many events of the monitor's nobody has handled.
      var unhandledEvents = 0
      var consumer = 0
      var waiter: CheckedContinuation<Void, Never>?
      var isFinished = false

      var hasCaughtUp: Bool { waiting.isEmpty && !isHandling && unhandledEvents == 0 }
    }

    private let state = Mutex(State())
    private let caughtUp: @Sendable () -> Void

    /// - Parameter caughtUp: Told, on any thread, when the monitor has dealt with all that it was told, and
    ///   its events have been handled.
    init(caughtUp: @escaping @Sendable () -> Void) { self.caughtUp = caughtUp }

    /// Whether the monitor has dealt with all that it was told, and its events have been handled.
    var hasCaughtUp: Bool { state.withLock { $0.hasCaughtUp } }

    func tell(_ inputs: [MonitorInput]) {
      guard !inputs.isEmpty else { return }
      wake { $0.waiting += inputs }
    }

    /// Says how many of the monitor's events are left.
    func stored(unhandledEvents: Int) { report { $0.unhandledEvents = unhandledEvents } }

    /// Forgets what nobody has taken: the monitor is closed.
    func clear() {
      report { state in
        state.waiting = []
        state.isHandling = false
        state.unhandledEvents = 0
      }
    }

    /// Ends the sequence.
    func finish() { wake { $0.isFinished = true } }

    func makeConsumer() -> Int {
      wake { state in
        state.consumer += 1
        state.isHandling = false
        return state.consumer
      }
    }

    func next(for number: Int, isolation: isolated (any Actor)? = #isolation) async -> MonitorInput? {
      report { if number == $0.consumer { $0.isHandling = false } }
      while !Task.isCancelled {
        let (input, isOver) = state.withLock { state -> (MonitorInput?, Bool) in
          guard number == state.consumer, !state.isFinished else { return (nil, true) }
          guard !state.waiting.isEmpty else { return (nil, false) }
          state.isHandling = true
          return (state.waiting.removeFirst(), false)
        }
        if input != nil || isOver { return input }
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            let other = state.withLock { state -> CheckedContinuation<Void, Never>? in
              guard number == state.consumer, !state.isFinished, state.waiting.isEmpty else {
                return continuation
              }
              defer { state.waiter = continuation }
              return state.waiter
            }
            other?.resume()
            // The cancellation handler may have run before.
            if Task.isCancelled { wake { _ in } }
          }
        } onCancel: {
          wake { _ in }
        }
      }
      return nil
    }

    @discardableResult
    private func wake<R: Sendable>(_ change: (inout State) -> R) -> R {
      let (result, waiter) = state.withLock { state in (change(&state), state.waiter.take()) }
      waiter?.resume()
      return result
    }

    private func report(_ change: (inout State) -> Void) {
      let hasCaughtUp = state.withLock { state in
        change(&state)
        return state.hasCaughtUp
      }
      if hasCaughtUp { caughtUp() }
    }
  }
#endif
