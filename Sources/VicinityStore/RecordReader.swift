#if Store
  internal import Foundation
  internal import GRDB
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// Reads and checks the whole file of a store.
  struct RecordReader {
    let database: Database
    let path: String

    func load() throws -> (StoredMonitor, StoredRows) {
      // Reading rows does not show damage such as a page that lies in two trees at once.
      let check = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
      guard check == ["ok"] else {
        throw RecordStoreError.corrupted(place: path, reason: check.joined(separator: "; "))
      }
      var rows = StoredRows()
      let (conditions, identifiers) = try conditions(&rows)
      let events = try events(&rows, identifiers)
      guard try Int.fetchOne(database, sql: "SELECT count(*) FROM polygon") == polygonCount(conditions) else {
        throw RecordStoreError.corrupted(place: "table polygon", reason: "a polygon of no condition")
      }
      let ledger = try ledger()
      rows.ledger.lastNumber = ledger.lastNumber
      rows.ledger.lastSequenceNumber = ledger.lastSequenceNumber
      rows.ledger.lastFixTime = ledger.lastFixTime
      rows.ledger.history = ledger.history
      guard rows.ledger == ledger else {
        throw RecordStoreError.corrupted(
          place: "table ledger",
          reason:
            "\(rows.ledger.conditionCount) conditions and \(rows.ledger.eventCount) events do not add up"
            + " to the \(ledger.conditionCount) and \(ledger.eventCount) that it has")
      }
      let monitor = StoredMonitor(
        conditions: conditions, events: events, lastSequenceNumber: ledger.lastSequenceNumber,
        lastNumber: ledger.lastNumber, lastFixTime: ledger.lastFixTime,
        history: ledger.history ?? CrossingHistory())
      guard monitor.lastNumber == ledger.lastNumber, monitor.lastSequenceNumber == ledger.lastSequenceNumber
      else {
        throw RecordStoreError.corrupted(place: "table ledger", reason: "its numbers are below those in use")
      }
      return (monitor, rows)
    }

    private func polygonCount(_ conditions: [StoredCondition]) -> Int {
      conditions.count { if case .polygon = $0.record.condition { true } else { false } }
    }

    private func conditions(_ rows: inout StoredRows) throws -> ([StoredCondition], [UInt64: String]) {
      let cursor = try Row.fetchCursor(
        database,
        sql: """
          SELECT condition.*, polygon.bytes FROM condition LEFT JOIN polygon ON polygon.number = \
          condition.number
          """)
      var conditions: [StoredCondition] = []
      var identifiers: [UInt64: String] = [:]
      while let row = try cursor.next() {
        let (condition, sums) = try condition(row)
        guard rows.conditions[condition.identifier] == nil else {
          throw RecordStoreError.corrupted(
            place: "condition \(condition.number)", reason: "its identifier is another's too")
        }
        rows.insert(sums, identifier: condition.identifier)
        identifiers[condition.number] = condition.identifier
        conditions.append(condition)
      }
      return (conditions, identifiers)
    }

    private func condition(_ row: Row) throws(RecordStoreError) -> (StoredCondition, StoredRows.Condition) {
      var first = RowReader(row, place: "table condition")
      let number = try first.unsigned()
      var reader = RowReader(row, after: first, place: "condition \(number)")
      guard let identifier = String(validating: try reader.optionalBytes() ?? [], as: UTF8.self) else {
        throw reader.fault("an identifier that is no text")
      }
      var last = RowReader(row, column: Self.polygonColumn, place: "condition \(number)")
      let polygon = try last.optionalBytes()
      let condition = try reader.condition(polygon: polygon)
      let switches = try reader.integer()
      let isGiven = switches & StoredCondition.givenBit != 0
      guard
        var options = ConditionOptions(
          code: switches & ~StoredCondition.givenBit, priority: try reader.number())
      else {
        throw reader.fault("options \(switches)")
      }
      let conditionSum = try reader.unsigned()
      let event = try reader.event(identifier: identifier)
      let notified = try reader.unsigned()
      let recordSum = try reader.unsigned()
      options.latency = try reader.optionalInteger().map { .microseconds($0) }
      options.hysteresis = try reader.optionalReal() ?? 0
      options.dwell = .microseconds(try reader.optionalInteger() ?? 0)
      let stored = StoredCondition(
        identifier: identifier, number: number,
        record: MonitoringRecord(condition: condition, options: options, lastEvent: event),
        notifiedSequenceNumber: notified, isGiven: isGiven)
      try stored.check { reader.fault($0) }
      guard stored.conditionSum(polygon: polygon) == conditionSum,
        event.recordSum(condition: number, notified: stored.notifiedSequenceNumber) == recordSum
      else { throw reader.fault("its values do not have its checksum") }
      return (
        stored,
        StoredRows.Condition(
          number: number, conditionSum: conditionSum, recordSum: recordSum,
          notified: stored.notifiedSequenceNumber)
      )
    }

    /// The column after those of the table `condition`.
    private static let polygonColumn = 26

    private func events(_ rows: inout StoredRows, _ identifiers: [UInt64: String]) throws -> [MonitoringEvent]
    {
      let cursor = try Row.fetchCursor(
        database,
        sql: """
          SELECT condition, sequence, state, date, diagnostics, seenHigh, seenLow, seenMajor, seenMinor, \
          eventSum
          FROM event
          """)
      var events: [MonitoringEvent] = []
      while let row = try cursor.next() {
        var reader = RowReader(row, place: "table event")
        let number = try reader.unsigned()
        guard let identifier = identifiers[number] else {
          throw reader.fault("an event of condition \(number), which is missing")
        }
        let event = try reader.event(identifier: identifier)
        reader = RowReader(row, after: reader, place: "event \(event.sequenceNumber)")
        guard event.sequenceNumber > 0, rows.events[event.sequenceNumber] == nil else {
          throw reader.fault("its number is 0 or another's too")
        }
        guard try reader.unsigned() == event.checksum(condition: number) else {
          throw reader.fault("its values do not have its checksum")
        }
        rows.insert(StoredRows.Event(event: event, condition: number))
        events.append(event)
      }
      return events
    }

    private func history(_ reader: inout RowReader) throws -> CrossingHistory? {
      var counts: [Int] = []
      for _ in 0..<4 { if let count = try reader.optionalInteger() { counts.append(Int(clamping: count)) } }
      let departureExits = try reader.optionalInteger()
      let headStarts = try reader.optionalBytes()
      let exits = try reader.optionalInteger()
      let meanExit = try reader.optionalReal()
      guard counts.count == 4 else {
        guard counts.isEmpty, departureExits == nil, headStarts == nil, exits == nil, meanExit == nil else {
          throw reader.fault("some of its counts are missing")
        }
        return nil
      }
      var history = CrossingHistory(
        crossings: counts[0], departureCrossings: counts[1], longRestCrossings: counts[2],
        longRests: counts[3])
      if let departureExits, let headStarts, let exits, let meanExit {
        history.departureExits = Int(clamping: departureExits)
        history.headStarts = headStarts.map(Int.init)
        history.exits = Int(clamping: exits)
        history.meanExit = meanExit
        guard history.hasLearned else { throw reader.fault("what was learned is nothing") }
      } else if departureExits != nil || headStarts != nil || exits != nil || meanExit != nil {
        throw reader.fault("some of what was learned is missing")
      }
      guard history.isValid else { throw reader.fault("its counts are not those of crossings") }
      return history
    }

    private func ledger() throws -> Ledger {
      let found = try Row.fetchAll(
        database,
        sql: """
          SELECT lastNumber, lastSequence, conditions, events, total, lastFix, crossings, departureCrossings,
          longRestCrossings, longRests, departureExits, headStarts, exits, meanExit, ledgerSum, id FROM ledger
          """)
      guard let row = found.first, found.count == 1 else {
        throw RecordStoreError.corrupted(place: "table ledger", reason: "\(found.count) rows")
      }
      var reader = RowReader(row, place: "table ledger")
      let ledger = Ledger(
        lastNumber: try reader.unsigned(), lastSequenceNumber: try reader.unsigned(),
        conditionCount: try reader.number(), eventCount: try reader.number(), total: try reader.unsigned(),
        lastFixTime: try reader.optionalInteger().map { Timestamp(microseconds: $0) },
        history: try history(&reader))
      guard try reader.integer() == ledger.signedChecksum, try reader.integer() == 1 else {
        throw reader.fault("its values do not have its checksum")
      }
      return ledger
    }
  }
#endif
