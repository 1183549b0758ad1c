#if Store
  internal import VicinityGeodesy
  internal import VicinityIndex
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// The rows of a store's file by their keys, and their sums.
  ///
  /// Identifiers are compared here, as Swift compares them, and not in SQLite, where “é” in one character is
  /// not “é” in two.
  struct StoredRows {
    struct Condition {
      var number: UInt64
      var conditionSum: UInt64
      var recordSum: UInt64
      var notified: UInt64
    }

    struct Event {
      var event: MonitoringEvent
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

    /// Removes a condition's row and those of its events.
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
    /// The checksum of the values that never change while the condition exists.
    func conditionSum(polygon: [UInt8]?) -> UInt64 {
      var row = RowKind.condition.bytes
      row.append(number: number)
      row.append(hashOf: Array(identifier.utf8))
      row.append(number: record.condition.code)
      switch record.condition {
      case .circle(let center, let radius):
        for value in [center.latitude, center.longitude, radius] { row.append(number: value) }
      case .polygon: row.append(hashOf: polygon ?? [])
      case .beacon(let identity): row.append(identity)
      }
      row.append(number: switches)
      row.append(number: Int64(record.options.priority))
      // Stores before version 3 have none, and their checksums stay.
      if let wishes = record.options.wishes {
        row.append(number: wishes.latency ?? -1)
        row.append(number: wishes.hysteresis)
        row.append(number: wishes.dwell)
      }
      return row.checksum
    }
  }

  extension StoredCondition {
    /// Says, among the stored switches, that the condition is of a given index.
    static let givenBit: Int64 = 16

    /// The stored switches, a bit each.
    var switches: Int64 { record.options.code | (isGiven ? Self.givenBit : 0) }
  }

  extension MonitoringEvent {
    /// The checksum of an undelivered event of a condition.
    func checksum(condition: UInt64) -> UInt64 { checksum(.event, condition, notified: 0) }

    /// The checksum of a condition's record, of which this is the last event.
    func recordSum(condition: UInt64, notified: UInt64) -> UInt64 {
      checksum(.record, condition, notified: notified)
    }

    private func checksum(_ kind: RowKind, _ condition: UInt64, notified: UInt64) -> UInt64 {
      var row = kind.bytes
      row.append(number: condition)
      row.append(number: sequenceNumber)
      row.append(number: Int64(state.rawValue))
      row.append(number: date.microseconds)
      row.append(number: Int64(diagnostics.rawValue))
      row.append(number: notified)
      if let refinement { row.append(refinement) }
      return row.checksum
    }
  }

  extension [UInt8] {
    /// Appends the number of some bytes and their own hash.
    fileprivate mutating func append(hashOf bytes: [UInt8]) {
      append(number: UInt64(bytes.count))
      append(number: bytes.checksum)
    }

    fileprivate mutating func append(_ identity: BeaconIdentity) {
      append(number: identity.uuid.high)
      append(number: identity.uuid.low)
      append(number: identity.major.map(Int64.init) ?? -1)
      append(number: identity.minor.map(Int64.init) ?? -1)
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
    /// Latency and dwell time in microseconds, and hysteresis in metres; nil where all are as usual.
    var wishes: (latency: Int64?, hysteresis: Double, dwell: Int64)? {
      if latency == nil, hysteresis == 0, hysteresis.sign == .plus, dwell == .zero { return nil }
      return (latency.map(\.microseconds), hysteresis, dwell.microseconds)
    }

    /// The stored switches, a bit each.
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
  extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
      let (seconds, attoseconds) = components
      return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
  }
#endif
