internal import Synchronization

/// Which iterator a monitor's events go to: one at a time.
final class EventConsumers: Sendable {
  private let current = Mutex<ObjectIdentifier?>(nil)

  /// Has the events go to a consumer.
  ///
  /// - Returns: Whether they went to none before; nil where they go to another one.
  func claim(_ consumer: EventConsumer) -> Bool? {
    current.withLock { current in
      if current == ObjectIdentifier(consumer) { return false }
      guard current == nil else { return nil }
      current = ObjectIdentifier(consumer)
      return true
    }
  }

  func isCurrent(_ consumer: EventConsumer) -> Bool {
    current.withLock { $0 == ObjectIdentifier(consumer) }
  }

  /// Says that a consumer takes no more events. Nothing happens where they go to another one.
  func release(_ consumer: ObjectIdentifier) {
    current.withLock { if $0 == consumer { $0 = nil } }
  }
}

/// What an iterator of a monitor's events has, and its copies: when the last of them is gone, the events can
/// go to another.
final class EventConsumer: Sendable {
  private let consumers: EventConsumers

  init(_ consumers: EventConsumers) { self.consumers = consumers }

  deinit { release() }

  func release() { consumers.release(ObjectIdentifier(self)) }
}
