#if Store
  internal import Foundation
  internal import GRDB
  internal import VicinityGeodesy
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// Makes changes in a transaction: to the file, and to the rows in memory.
  struct RecordWriter {
    let database: Database

    /// SQLite's limit for a value is 10⁹ bytes; half of it leaves room for the rest of a row.
    static let maximumByteCount = 500_000_000

    func apply(_ change: RecordChange, to rows: inout StoredRows) throws {
      switch change {
      case .put(let condition):
        try remove(condition.identifier, from: &rows)
        try put(condition, in: &rows)
      case .remove(let identifier): try remove(identifier, from: &rows)
      case .enqueue(let event): try enqueue(event, in: &rows)
      case .handled(let number): try handle(number, in: &rows)
      case .notified(let identifier, let number):
        guard let row = rows.conditions[identifier] else { return }
        try notify(row, identifier, number, in: &rows)
      case .seen(let time): rows.ledger.lastFixTime = time
      case .counted(let history): try count(history, in: &rows)
      case .replaceAll(let new): try replace(with: new, in: &rows)
      }
    }

    /// Writes the sums over all rows.
    func write(_ ledger: Ledger) throws {
      // Head starts take a byte each: none is above 80.
      let learned = ledger.history.flatMap { $0.hasLearned ? $0 : nil }
      try execute(
        """
        UPDATE ledger SET lastNumber = ?, lastSequence = ?, conditions = ?, events = ?, total = ?, ledgerSum \
        = ?,
        lastFix = ?, crossings = ?, departureCrossings = ?, longRestCrossings = ?, longRests = ?,
        departureExits = ?, headStarts = ?, exits = ?, meanExit = ?
        WHERE id = 1
        """,
        [
          ledger.lastNumber.value, ledger.lastSequenceNumber.value, ledger.conditionCount.databaseValue,
          ledger.eventCount.databaseValue, ledger.total.value, ledger.signedChecksum.databaseValue,
          ledger.lastFixTime?.microseconds.databaseValue ?? .null,
          ledger.history?.crossings.databaseValue ?? .null,
          ledger.history?.departureCrossings.databaseValue ?? .null,
          ledger.history?.longRestCrossings.databaseValue ?? .null,
          ledger.history?.longRests.databaseValue ?? .null,
          learned?.departureExits.databaseValue ?? .null,
          learned.map { Data($0.headStarts.map { UInt8(clamping: $0) }).databaseValue } ?? .null,
          learned?.exits.databaseValue ?? .null,
          learned?.meanExit.databaseValue ?? .null,
        ])
      guard database.changesCount == 1 else {
        throw RecordStoreError.corrupted(place: "table ledger", reason: "it has no row")
      }
    }

    private func put(_ stored: StoredCondition, in rows: inout StoredRows) throws {
      try stored.check { RecordStoreError.invalidChange(reason: $0) }
      let record = stored.record
      let identifier = Data(stored.identifier.utf8)
      var shape: [DatabaseValue] = [.null, .null, .null]
      var identity: BeaconIdentity?
      var polygon: [UInt8]?
      switch record.condition {
      case .circle(let center, let radius):
        shape = [center.latitude.databaseValue, center.longitude.databaseValue, radius.databaseValue]
      case .polygon(let region): polygon = PolygonRecord.bytes(of: region)
      case .beacon(let beacon): identity = beacon
      }
      for count in [identifier.count, polygon?.count ?? 0] where count > Self.maximumByteCount {
        throw RecordStoreError.invalidChange(
          reason: "condition \(stored.number) takes \(count) bytes (at most \(Self.maximumByteCount))")
      }
      let row = StoredRows.Condition(
        number: stored.number, conditionSum: stored.conditionSum(polygon: polygon),
        recordSum: record.lastEvent.recordSum(
          condition: stored.number, notified: stored.notifiedSequenceNumber),
        notified: stored.notifiedSequenceNumber)
      try execute(
        """
        INSERT INTO condition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
        ?, ?, ?)
        """,
        [stored.number.value, identifier.databaseValue, record.condition.code.databaseValue] + shape
          + columns(identity)
          + [
            stored.switches.databaseValue, record.options.priority.databaseValue, row.conditionSum.value,
          ]
          + columns(record.lastEvent) + [stored.notifiedSequenceNumber.value, row.recordSum.value]
          + columns(record.options.wishes))
      if let polygon {
        try execute("INSERT INTO polygon VALUES (?, ?)", [stored.number.value, Data(polygon).databaseValue])
      }
      rows.insert(row, identifier: stored.identifier)
      rows.ledger.lastNumber = max(rows.ledger.lastNumber, stored.number)
      rows.ledger.lastSequenceNumber = max(
        rows.ledger.lastSequenceNumber, record.lastEvent.sequenceNumber)
    }

    private func remove(_ identifier: String, from rows: inout StoredRows) throws {
      // SQLite deletes its polygon and its events with it.
      guard let row = rows.remove(identifier: identifier) else { return }
      try execute("DELETE FROM condition WHERE number = ?", [row.number.value])
    }

    private func enqueue(_ event: MonitoringEvent, in rows: inout StoredRows) throws {
      rows.ledger.lastSequenceNumber = max(rows.ledger.lastSequenceNumber, event.sequenceNumber)
      guard let condition = rows.conditions[event.identifier]?.number else { return }
      guard event.sequenceNumber > 0, rows.events[event.sequenceNumber] == nil else {
        throw RecordStoreError.invalidChange(
          reason: event.sequenceNumber > 0
            ? "there is an undelivered event \(event.sequenceNumber)" : "an event has number 0")
      }
      try execute(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [condition.value] + columns(event) + [event.checksum(condition: condition).value])
      rows.insert(StoredRows.Event(event: event, condition: condition))
    }

    private func handle(_ number: UInt64, in rows: inout StoredRows) throws {
      guard let handled = rows.removeEvent(number) else { return }
      let event = handled.event
      try execute(
        "DELETE FROM event WHERE condition = ? AND sequence = ?", [handled.condition.value, number.value])
      guard database.changesCount == 1, var row = rows.conditions[event.identifier] else {
        throw RecordStoreError.corrupted(place: "event \(number)", reason: "it is missing")
      }
      let sum = event.recordSum(condition: row.number, notified: row.notified)
      try execute(
        """
        UPDATE condition SET sequence = ?, state = ?, date = ?, diagnostics = ?, seenHigh = ?, seenLow = ?,
        seenMajor = ?, seenMinor = ?, recordSum = ? WHERE number = ?
        """, columns(event) + [sum.value, row.number.value])
      guard database.changesCount == 1 else { throw row.missing }
      rows.ledger.total &+= sum &- row.recordSum
      row.recordSum = sum
      rows.conditions[event.identifier] = row
    }

    private func notify(
      _ row: StoredRows.Condition, _ identifier: String, _ number: UInt64, in rows: inout StoredRows
    ) throws {
      var row = row
      let found = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT sequence, state, date, diagnostics, seenHigh, seenLow, seenMajor, seenMinor
            FROM condition WHERE number = ?
            """),
        arguments: [row.number.value])
      guard let found else { throw row.missing }
      var reader = RowReader(found, place: "condition \(row.number)")
      let sum = try reader.event(identifier: identifier).recordSum(condition: row.number, notified: number)
      try execute(
        "UPDATE condition SET notified = ?, recordSum = ? WHERE number = ?",
        [number.value, sum.value, row.number.value])
      rows.ledger.total &+= sum &- row.recordSum
      row.recordSum = sum
      row.notified = number
      rows.conditions[identifier] = row
    }

    private func count(_ history: CrossingHistory, in rows: inout StoredRows) throws {
      guard history.isValid else {
        throw RecordStoreError.invalidChange(reason: "counts that cannot be those of crossings: \(history)")
      }
      rows.ledger.history = history
    }

    private func replace(with new: StoredMonitor, in rows: inout StoredRows) throws {
      try execute("DELETE FROM event", [])
      try execute("DELETE FROM polygon", [])
      try execute("DELETE FROM condition", [])
      rows = StoredRows()
      for condition in new.conditions.values.sorted(by: { $0.number < $1.number }) {
        try put(condition, in: &rows)
      }
      for event in new.events.values.sorted(by: { $0.sequenceNumber < $1.sequenceNumber }) {
        try enqueue(event, in: &rows)
      }
      rows.ledger.lastNumber = new.lastNumber
      rows.ledger.lastSequenceNumber = new.lastSequenceNumber
      rows.ledger.lastFixTime = new.lastFixTime
      try count(new.history, in: &rows)
    }

    private func execute(_ sql: String, _ values: [DatabaseValue]) throws {
      try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }

    private func columns(_ event: MonitoringEvent) -> [DatabaseValue] {
      [
        event.sequenceNumber.value, event.state.rawValue.databaseValue, event.date.microseconds.databaseValue,
        event.diagnostics.rawValue.databaseValue,
      ] + columns(event.refinement)
    }

    private func columns(_ wishes: (latency: Int64?, hysteresis: Double, dwell: Int64)?) -> [DatabaseValue] {
      guard let wishes else { return [.null, .null, .null] }
      return [
        wishes.latency?.databaseValue ?? .null, wishes.hysteresis.databaseValue, wishes.dwell.databaseValue,
      ]
    }

    private func columns(_ identity: BeaconIdentity?) -> [DatabaseValue] {
      guard let identity else { return [.null, .null, .null, .null] }
      return [
        identity.uuid.high.value, identity.uuid.low.value, identity.major?.databaseValue ?? .null,
        identity.minor?.databaseValue ?? .null,
      ]
    }
  }

  extension StoredRows.Condition {
    var missing: RecordStoreError { .corrupted(place: "condition \(number)", reason: "it is missing") }
  }

  extension UInt64 {
    /// The same bits as SQLite's signed integer.
    var value: DatabaseValue { Int64(bitPattern: self).databaseValue }
  }

  extension StoredCondition {
    /// Checks the rules that every stored condition obeys.
    func check(_ fault: (String) -> RecordStoreError) throws(RecordStoreError) {
      guard number > 0 else { throw fault("condition “\(identifier)” has number 0") }
      guard case .circle(let center, let radius) = record.condition else { return }
      guard center.isValid else {
        throw fault("condition \(number): no such coordinate: \(center.latitude), \(center.longitude)")
      }
      guard radius >= 0, radius.isFinite else {
        throw fault("condition \(number): no such radius: \(radius)")
      }
    }
  }
#endif
