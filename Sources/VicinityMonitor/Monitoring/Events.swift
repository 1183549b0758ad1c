extension Monitor {
  /// A monitor's events, to be handled one after the other; ends when the monitor is closed.
  ///
  /// For one consumer: asking for the next event says that the last one has been handled, and two that handle
  /// events would each get some. So a second iterator throws ``MonitorError/hasConsumer`` as long as the
  /// first has not ended: by its end, by leaving its loop, or by cancellation of its task while it waits.
  /// ``Monitor/changes`` is for any number of listeners.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = MonitoringEvent
    public typealias Failure = MonitorError

    let monitor: Monitor

    /// An iterator. From its first call on, events go to it alone.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor) }

    /// Delivers a monitor's events. Asking for the next event says that the last one has been handled.
    public struct Iterator: AsyncIteratorProtocol {
      let monitor: Monitor
      private let consumer: EventConsumer
      private var hasEnded = false

      init(monitor: Monitor) {
        self.monitor = monitor
        consumer = EventConsumer(monitor.consumers)
      }

      /// The next event, as soon as there is one; nil when the monitor has been closed, and when the task is
      /// cancelled.
      ///
      /// - Throws: ``MonitorError/hasConsumer`` while events go to another iterator; nothing changes for that
      ///   one.
      public mutating func next() async throws(MonitorError) -> MonitoringEvent? {
        try await next(isolation: nil)
      }

      /// The next event that has been made already; nil where all of them have been handled, and when the
      /// monitor has been closed. It does not wait, and may be asked again later:
      ///
      ///     var events = monitor.events.makeAsyncIterator()
      ///     while let event = try await events.nextPending() { print(event.identifier, event.state) }
      ///
      /// - Throws: As ``next()``.
      public mutating func nextPending(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(MonitorError) -> MonitoringEvent? {
        guard !hasEnded else { return nil }
        do { return try await monitor.nextPending(for: consumer) } catch {
          hasEnded = true
          throw error
        }
      }

      /// The next event, as soon as there is one.
      ///
      /// - Throws: As ``next()``.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(MonitorError) -> MonitoringEvent? {
        guard !hasEnded else { return nil }
        do {
          let event = try await monitor.next(for: consumer)
          hasEnded = event == nil
          return event
        } catch {
          hasEnded = true
          throw error
        }
      }
    }
  }
}
