/// What a monitor has stored or should store, and the events that it has to deliver.
package struct EventJournal {
  /// What should be stored now.
  private(set) var stored: StoredMonitor
  /// Whether the store accepts changes.
  private(set) var isPersistent = true
  /// The changes since they were last taken.
  private var changes: [RecordChange] = []
  /// The numbers of the events to deliver, in their order; those before `head` have been.
  private var numbers: [UInt64]
  private var head = 0
  /// The event that is being handled.
  private var delivered: UInt64?
  private var lastPersistedNumber: UInt64

  init(_ stored: StoredMonitor) {
    self.stored = stored
    numbers = stored.events.keys.sorted()
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
    numbers.append(event.sequenceNumber)
  }

  // MARK: Delivering

  package var mayHaveEvent: Bool { delivered == nil && head < numbers.count }

  /// The next event to deliver; nil when there is none, or while one is being handled.
  ///
  /// An event that is not stored says so in its diagnostics.
  ///
  /// - Complexity: amortised O(1)
  package mutating func nextEvent() -> MonitoringEvent? {
    while mayHaveEvent {
      let number = numbers[head]
      head += 1
      if 2 * head > numbers.count {
        numbers.removeSubrange(..<head)
        head = 0
      }
      // It may have gone with its condition.
      guard var event = stored.events[number] else { continue }
      delivered = number
      if !isPersistent || number > lastPersistedNumber {
        event.diagnostics.insert(.persistenceUnavailable)
      }
      return event
    }
    return nil
  }

  /// The event that was delivered last has been handled: its record takes it. Nothing happens when there is
  /// none.
  package mutating func handled() {
    if let number = delivered.take(), stored.events[number] != nil {
      change(.handled(sequenceNumber: number))
    }
  }

  /// The event that was delivered last will not be handled: it is delivered again.
  package mutating func putBack() {
    guard let number = delivered.take() else { return }
    if head > 0 {
      head -= 1
      numbers[head] = number
    } else {
      numbers.insert(number, at: 0)
    }
  }

  // MARK: Persistence

  /// The store has accepted all changes up to now.
  package mutating func didStore() {
    isPersistent = true
    lastPersistedNumber = stored.lastSequenceNumber
  }

  /// The store has not accepted the last changes. Until ``didStore()``, all of ``stored`` is to be stored.
  package mutating func couldNotStore() { isPersistent = false }
}
