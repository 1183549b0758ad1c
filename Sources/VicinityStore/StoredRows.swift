#if Store
  internal import VicinityGeodesy
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// The rows that a store's file has, by what finds them, and what they add up to.
  ///
  /// Identifiers are compared here, as Swift compares them, and not in SQLite, where “é” in one character is not “é” in two.
  struct StoredRows {
    struct Condition {
      var number: UInt64
      var conditionSum: UInt64
      var recordSum: UInt64
      var notified: UInt64
    }

    struct Event {
      var event: MonitoringEvent
      /// The number of its condition.
      var condition: UInt64
    }

    var conditions: [String: Condition] = [:]
    var events: [UInt64: Event] = [:]
    var ledger = Ledger()

    mutating func insert(_ row: Condition, identifier: String) {
      conditions[identifier] = row
      ledger.conditionCount += 1
      ledger.total &+= row.conditionSum &+ row.recordSum
    }

    /// Takes out a condition's row and those of its events.
    mutating func remove(identifier: String) -> Condition? {
      guard let row = conditions.removeValue(forKey: identifier) else { return nil }
      ledger.conditionCount -= 1
      ledger.total &-= row.conditionSum &+ row.recordSum
      if !events.isEmpty {
        for (number, event) in events where event.condition == row.number { _ = removeEvent(number) }
      }
      return row
    }

    mutating func insert(_ event: Event) {
      events[event.event.sequenceNumber] = event
      ledger.eventCount += 1
      ledger.total &+= event.event.checksum(condition: event.condition)
    }

    mutating func removeEvent(_ number: UInt64) -> Event? {
      guard let event = events.removeValue(forKey: number) else { return nil }
      ledger.eventCount -= 1
      ledger.total &-= event.event.checksum(condition: event.condition)
      return event
    }
  }

  extension StoredCondition {
    /// The checksum of what stays as it is for as long as the condition is there.
    func conditionSum(polygon: [UInt8]?) -> UInt64 {
      var sum = RowChecksum(.condition)
      sum.add(number)
      sum.add(Array(identifier.utf8))
      sum.add(Int(record.condition.code))
      switch record.condition {
      case .circle(let center, let radius):
        sum.add(center.latitude.bitPattern)
        sum.add(center.longitude.bitPattern)
        sum.add(radius.bitPattern)
      case .polygon: sum.add(polygon ?? [])
      case .beacon(let identity): sum.add(identity)
      }
      sum.add(Int(record.options.code))
      sum.add(record.options.priority)
      return sum.value
    }
  }

  extension MonitoringEvent {
    /// The checksum of an undelivered event of a condition.
    func checksum(condition: UInt64) -> UInt64 { checksum(.event, condition, notified: 0) }

    /// The checksum of a condition's record, of which this is the last event.
    func recordSum(condition: UInt64, notified: UInt64) -> UInt64 {
      checksum(.record, condition, notified: notified)
    }

    private func checksum(_ kind: RowChecksum.Kind, _ condition: UInt64, notified: UInt64) -> UInt64 {
      var sum = RowChecksum(kind)
      sum.add(condition)
      sum.add(sequenceNumber)
      sum.add(Int(state.rawValue))
      sum.add(date.microseconds)
      sum.add(Int(diagnostics.rawValue))
      sum.add(notified)
      if let refinement { sum.add(refinement) }
      return sum.value
    }
  }

  extension RowChecksum {
    mutating func add(_ identity: BeaconIdentity) {
      add(identity.uuid.high)
      add(identity.uuid.low)
      add(identity.major.map(Int.init) ?? -1)
      add(identity.minor.map(Int.init) ?? -1)
    }
  }

  extension Condition {
    static let circleCode: Int64 = 1
    static let polygonCode: Int64 = 2
    static let beaconCode: Int64 = 3

    /// The kind as it is stored.
    var code: Int64 {
      switch self {
      case .circle: Self.circleCode
      case .polygon: Self.polygonCode
      case .beacon: Self.beaconCode
      }
    }
  }

  extension ConditionOptions {
    /// The switches as they are stored, a bit each.
    var code: Int64 {
      (isPinned ? 1 : 0) | (notifyOnEntry ? 2 : 0) | (notifyOnExit ? 4 : 0)
        | (notifyEntryStateOnDisplay ? 8 : 0)
    }

    /// The options of stored switches; nil for bits that mean nothing.
    init?(code: Int64, priority: Int) {
      guard 0...15 ~= code else { return nil }
      self.init(
        isPinned: code & 1 != 0, priority: priority, notifyOnEntry: code & 2 != 0,
        notifyOnExit: code & 4 != 0, notifyEntryStateOnDisplay: code & 8 != 0)
    }
  }
#endif
