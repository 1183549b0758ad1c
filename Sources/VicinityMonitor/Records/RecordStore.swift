public import VicinityCrossings

/// Where a monitor keeps its conditions, records and undelivered events, so that they survive the process.
///
/// One store holds the data of one ``Monitor``. It is opened by name through a ``RecordStoreOpener``; at most
/// one instance of a name is open at a time, in any process. All calls come from one monitor, one after the
/// other, and return once they have taken effect.
public protocol RecordStore: AnyObject, Sendable {
  /// Everything that is stored.
  ///
  /// - Throws: ``RecordStoreError`` for contents that cannot be read.
  func load() throws(RecordStoreError) -> StoredMonitor

  /// Makes changes, in their order: all of them or, when it throws, none.
  ///
  /// Once this has returned, the changes survive the end of the process at any instruction. A loss of power
  /// may lose the newest commits, and never part of one.
  func commit(_ changes: [RecordChange]) throws(RecordStoreError)

  /// Releases the name, so that it can be opened again. Later calls throw ``RecordStoreError/closed``.
  func close()
}

/// Opens record stores by name.
public protocol RecordStoreOpener: Sendable {
  /// Opens the store called `name`, and makes it if there is none.
  ///
  /// - Parameter name: One to 200 ASCII letters and digits.
  /// - Throws: ``RecordStoreError/alreadyOpen(name:)``, ``RecordStoreError/invalidName(_:)`` and others.
  func open(_ name: String) throws(RecordStoreError) -> any RecordStore
}

/// What went wrong with a record store.
public enum RecordStoreError: Error, Hashable, Sendable {
  /// The name is empty, too long, or has something other than ASCII letters and digits in it.
  case invalidName(String)
  /// An instance with the name is open, here or in another process.
  case alreadyOpen(name: String)
  /// The store has been closed.
  case closed
  /// There is no room, no permission, or the device fails: the store's own message.
  case unavailable(reason: String)
  /// The contents were not written by this or an earlier version, or are damaged; with the place of the
  /// damage.
  case corrupted(place: String, reason: String)
  /// The store was written by a later version.
  case unsupportedVersion(found: Int, supported: Int)
  /// A change that a durable store does not take, such as a number that another condition has.
  case invalidChange(reason: String)
}

extension RecordStoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidName(let name): "“\(name)” is no name for a monitor: one to 200 ASCII letters and digits"
    case .alreadyOpen(let name): "the monitor “\(name)” is open already"
    case .closed: "the store has been closed"
    case .unavailable(let reason): "the store cannot be used: \(reason)"
    case .corrupted(let place, let reason): "the store is damaged at \(place): \(reason)"
    case .unsupportedVersion(let found, let supported):
      "the store has version \(found); this is \(supported)"
    case .invalidChange(let reason): "the store does not take the change: \(reason)"
    }
  }
}

/// A change to what is stored.
public enum RecordChange: Hashable, Sendable {
  /// Inserts a condition, in place of one with the same identifier, whose undelivered events are dropped. Its
  /// last event gets its identifier.
  case put(StoredCondition)
  /// Removes a condition and its undelivered events. Nothing happens where there is none.
  case remove(identifier: String)
  /// Adds an undelivered event. Its number is greater than any before, unless ``put(_:)`` has just dropped
  /// the event. Where there is no such condition, the number counts as used and nothing else happens.
  case enqueue(MonitoringEvent)
  /// An event has been handled: it is removed from the undelivered events, and becomes the last event of its
  /// condition's record. Nothing happens where there is no such event.
  case handled(sequenceNumber: UInt64)
  /// The user has been told of the stay that an event began. Nothing happens where there is no such
  /// condition.
  case notified(identifier: String, sequenceNumber: UInt64)
  /// The last fix was made at this time. Fixes that are not later decide nothing, in any process.
  case seen(Timestamp)
  /// The counts of crossings, in place of the earlier ones.
  case counted(CrossingHistory)
  case replaceAll(StoredMonitor)
}

/// A condition as it is stored.
public struct StoredCondition: Hashable, Sendable {
  /// The condition's identifier.
  public var identifier: String
  /// The number in the order of adding: unique, and greater than any before.
  public var number: UInt64
  /// The condition and the last handled event.
  public var record: MonitoringRecord
  /// The number of the event that began the last stay of which the user was told; 0 for none.
  public var notifiedSequenceNumber: UInt64
  /// Whether it is a region of the index that the monitor was opened with, and not one that was added.
  public var isGiven: Bool

  @inlinable
  public init(
    identifier: String, number: UInt64, record: MonitoringRecord, notifiedSequenceNumber: UInt64 = 0,
    isGiven: Bool = false
  ) {
    self.identifier = identifier
    self.number = number
    self.record = record
    self.notifiedSequenceNumber = notifiedSequenceNumber
    self.isGiven = isGiven
  }
}

/// All stored data of a monitor, and what each change does to them: the definition that every store must
/// follow.
public struct StoredMonitor: Hashable, Sendable {
  /// The conditions by their identifiers.
  public private(set) var conditions: [String: StoredCondition] = [:]
  /// Undelivered events by their numbers.
  public private(set) var events: [UInt64: MonitoringEvent] = [:]
  /// The greatest number that any event has had, handled and dropped ones included.
  public private(set) var lastSequenceNumber: UInt64 = 0
  /// The greatest number that any condition has had.
  public private(set) var lastNumber: UInt64 = 0
  /// When the last fix was made that decided anything; nil before the first.
  public private(set) var lastFixTime: Timestamp?
  /// The counts of crossings.
  public private(set) var history = CrossingHistory()

  public init() {}

  /// The contents of a store. The numbers of events and conditions count as used whatever `last…` say; events
  /// without a condition are left out.
  public init(
    conditions: some Sequence<StoredCondition>, events: some Sequence<MonitoringEvent>,
    lastSequenceNumber: UInt64, lastNumber: UInt64, lastFixTime: Timestamp? = nil,
    history: CrossingHistory = CrossingHistory()
  ) {
    self.lastFixTime = lastFixTime
    self.history = history
    self.lastSequenceNumber = lastSequenceNumber
    self.lastNumber = lastNumber
    for condition in conditions { put(condition) }
    for event in events { enqueue(event) }
  }

  /// Makes a change.
  ///
  /// - Complexity: O(1), O(undelivered events) where a condition goes.
  public mutating func apply(_ change: RecordChange) {
    switch change {
    case .put(let condition):
      if conditions[condition.identifier] != nil { remove(condition.identifier) }
      put(condition)
    case .remove(let identifier): remove(identifier)
    case .enqueue(let event): enqueue(event)
    case .handled(let number):
      guard let event = events.removeValue(forKey: number) else { return }
      conditions[event.identifier]?.record.lastEvent = event
    case .notified(let identifier, let number):
      conditions[identifier]?.notifiedSequenceNumber = number
    case .seen(let time): lastFixTime = time
    case .counted(let history): self.history = history
    case .replaceAll(let new): self = new
    }
  }

  private mutating func put(_ condition: StoredCondition) {
    lastNumber = max(lastNumber, condition.number)
    lastSequenceNumber = max(lastSequenceNumber, condition.record.lastEvent.sequenceNumber)
    var condition = condition
    condition.record.lastEvent.identifier = condition.identifier
    conditions[condition.identifier] = condition
  }

  private mutating func enqueue(_ event: MonitoringEvent) {
    lastSequenceNumber = max(lastSequenceNumber, event.sequenceNumber)
    guard conditions[event.identifier] != nil else { return }
    events[event.sequenceNumber] = event
  }

  private mutating func remove(_ identifier: String) {
    guard conditions.removeValue(forKey: identifier) != nil, !events.isEmpty else { return }
    events = events.filter { $0.value.identifier != identifier }
  }
}
