#if Store
  internal import VicinityCrossings
  internal import VicinityIndex
  internal import VicinityMonitor

  /// The sums over all rows of a store, which reveal rows that are lost, old or duplicated.
  struct Ledger: Equatable {
    var lastNumber: UInt64 = 0
    var lastSequenceNumber: UInt64 = 0
    var conditionCount = 0
    var eventCount = 0
    /// The sum of the rows' checksums, modulo 2⁶⁴.
    var total: UInt64 = 0
    /// When the last fix was made that decided anything.
    var lastFixTime: Timestamp?
    /// The crossings that have been told; nil before the first.
    var history: CrossingHistory?

    /// The checksum of the ledger's own row, as SQLite's signed integer.
    var signedChecksum: Int64 {
      var row = RowKind.ledger.bytes
      for number in [lastNumber, lastSequenceNumber, UInt64(conditionCount), UInt64(eventCount), total] {
        row.append(number: number)
      }
      // Stores of version 1 have none, and their checksums stay.
      if let lastFixTime { row.append(number: lastFixTime.microseconds) }
      // Nor have those before version 4.
      if let history {
        for count in [
          history.crossings, history.departureCrossings, history.longRestCrossings, history.longRests,
        ] {
          row.append(number: Int64(count))
        }
        // Nor have those before version 5.
        if history.hasLearned {
          for count in [history.departureExits, history.exits] + history.headStarts {
            row.append(number: Int64(count))
          }
          row.append(number: history.meanExit.bitPattern)
        }
      }
      return Int64(bitPattern: row.checksum)
    }
  }

  extension CrossingHistory {
    /// Whether anything is known that files before version 5 do not have.
    var hasLearned: Bool { departureExits > 0 || exits > 0 || headStarts.contains { $0 > 0 } }
  }

  /// What a row is. The checksum of a row is the XXH64 of its kind and its values, so equal values in
  /// different tables have different checksums.
  enum RowKind: UInt64 {
    case ledger, condition, record, event

    /// The bytes that the row's values are appended to.
    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: rawValue)
      return bytes
    }
  }
#endif
