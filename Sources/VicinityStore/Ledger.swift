#if Store
  internal import VicinityIndex

  /// What all rows of a store add up to. A row that is lost, old, or there twice does not add up.
  struct Ledger: Equatable {
    var lastNumber: UInt64 = 0
    var lastSequenceNumber: UInt64 = 0
    var conditionCount = 0
    var eventCount = 0
    /// The sum of the rows' checksums, modulo 2⁶⁴.
    var total: UInt64 = 0

    /// The checksum of the ledger's own row, as SQLite has it.
    var signedChecksum: Int64 {
      var sum = RowChecksum(.ledger)
      sum.add(lastNumber)
      sum.add(lastSequenceNumber)
      sum.add(conditionCount)
      sum.add(eventCount)
      sum.add(total)
      return Int64(bitPattern: sum.value)
    }
  }

  /// The checksum of a row: XXH64 of its values.
  struct RowChecksum {
    /// What the row is. Equal values in different tables have different checksums.
    enum Kind: UInt64 { case ledger, condition, record, event }

    private var words: [UInt64]

    init(_ kind: Kind) {
      words = [kind.rawValue]
      words.reserveCapacity(16)
    }

    mutating func add(_ value: UInt64) { words.append(value.littleEndian) }
    mutating func add(_ value: Int) { add(UInt64(bitPattern: Int64(value))) }
    mutating func add(_ value: Int64) { add(UInt64(bitPattern: value)) }

    /// Bytes as their number and their own hash.
    mutating func add(_ bytes: [UInt8]) {
      add(bytes.count)
      unsafe add(bytes.withUnsafeBytes { unsafe XXHash64.hash($0) })
    }

    var value: UInt64 { unsafe words.withUnsafeBytes { unsafe XXHash64.hash($0) } }
  }
#endif
