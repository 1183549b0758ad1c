internal import VicinityCrossings

/// What a monitor has stored or should store, and the events that it has to deliver.
struct EventJournal {
  /// What should be stored now.
  private(set) var stored: StoredMonitor
  /// Whether the store accepts changes.
  private(set) var isPersistent = true
  /// The changes since they were last taken.
  private var changes: [RecordChange] = []
  private var queue: EventQueue
  private var lastPersistedNumber: UInt64

  init(_ stored: StoredMonitor) {
    self.stored = stored
    queue = EventQueue(stored.events.keys.sorted())
    lastPersistedNumber = stored.lastSequenceNumber
  }

  mutating func change(_ change: RecordChange) {
    stored.apply(change)
    changes.append(change)
  }

  mutating func takeChanges() -> [RecordChange] {
    defer { changes = [] }
    return changes
  }

  /// Gives an event the next number, to be stored and then delivered.
  mutating func enqueue(_ event: MonitoringEvent) {
    var event = event
    event.sequenceNumber = stored.lastSequenceNumber + 1
    change(.enqueue(event))
    queue.append(event.sequenceNumber)
  }

  // MARK: Delivering

  /// Whether ``nextEvent()`` may have an event.
  var mayHaveEvent: Bool { queue.hasNext }

  /// The next event to deliver; nil when there is none, or while one is being handled.
  ///
  /// An event that is not stored says so in its diagnostics.
  mutating func nextEvent() -> MonitoringEvent? {
    while let number = queue.next() {
      guard var event = stored.events[number] else {
        // It went with its condition.
        _ = queue.finish()
        continue
      }
      if !isPersistent || number > lastPersistedNumber {
        event.diagnostics.insert(.persistenceUnavailable)
      }
      return event
    }
    return nil
  }

  /// The event that was delivered last has been handled: its record takes it. Nothing happens when there is none.
  mutating func handled() {
    if let number = queue.finish(), stored.events[number] != nil {
      change(.handled(sequenceNumber: number))
    }
  }

  /// The event that was delivered last will not be handled: it is delivered again.
  mutating func putBack() { queue.putBack() }

  // MARK: Persistence

  /// The store has accepted all changes up to now.
  mutating func didStore() {
    isPersistent = true
    lastPersistedNumber = stored.lastSequenceNumber
  }

  /// The store has not accepted the last changes. Until ``didStore()``, all of ``stored`` is to be stored.
  mutating func couldNotStore() { isPersistent = false }
}
