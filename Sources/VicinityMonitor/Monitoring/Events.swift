extension Monitor {
  /// A monitor's events; ends when the monitor is closed.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = MonitoringEvent
    public typealias Failure = Never

    let monitor: Monitor

    /// An iterator. From its first call on, events go to it alone.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor) }

    /// Delivers a monitor's events. Asking for the next event says that the last one has been handled.
    public struct Iterator: AsyncIteratorProtocol {
      let monitor: Monitor
      private var number: Int?

      init(monitor: Monitor) { self.monitor = monitor }

      /// The next event, as soon as there is one; nil when the monitor has been closed, when another iterator has begun,
      /// and when the task is cancelled.
      public mutating func next() async -> MonitoringEvent? { await next(isolation: nil) }

      /// The next event, as soon as there is one.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> MonitoringEvent? {
        let number: Int
        if let known = self.number {
          number = known
        } else {
          number = await monitor.makeConsumer()
          self.number = number
        }
        return await monitor.next(for: number)
      }
    }
  }
}
