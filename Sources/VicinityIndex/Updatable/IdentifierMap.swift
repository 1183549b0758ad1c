/// The identifiers of regions that come and go, each with the region's ordinal and a row of its own.
///
/// An open-addressing hash table (linear probing; deletion shifts back what follows, D. E. Knuth, *The Art
/// of Computer Programming* 3, 6.4, algorithm R) from ``XXHash64`` to rows, over one array of text. Rows
/// are small numbers that are used again after a removal; ordinals only ascend.
struct IdentifierMap: Sendable {
  private struct Row {
    var textStart: UInt32
    var textLength: UInt32
    /// `TreeLayout.noOrdinal` in free rows.
    var ordinal: UInt32
  }

  /// An ordinal as it was given out, and to which row.
  struct Entry {
    var ordinal: UInt32
    var row: UInt32
  }

  private var rows: [Row] = []
  private var freeRows: [UInt32] = []
  private var text: [UInt8] = []
  private var deadTextLength = 0
  /// tag << 32 | row, or `empty`.
  private var slots: [UInt64] = []
  /// How many identifiers there are.
  private(set) var count = 0
  /// All ordinals given out since the dead ones were last dropped, ascending; some are dead.
  private var entries: [Entry] = []

  private static let empty = UInt64.max
  /// The least dead text that is worth removing, bytes.
  private static let leastWaste = 1 << 16

  /// An empty map.
  init() {}

  /// How many rows there are, free ones included.
  var rowCount: Int { rows.count }

  /// How many bytes the map occupies.
  var byteCount: Int {
    rows.count * MemoryLayout<Row>.stride + text.count + slots.count * 8
      + entries.count * MemoryLayout<Entry>.stride
  }

  // MARK: Finding

  /// Which slots an identifier may be in.
  @inline(__always)
  static func tag(of identifier: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let hash = unsafe XXHash64.hash(UnsafeRawBufferPointer(identifier))
    // A tag and a row of all ones would read as empty; there are never that many rows.
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }

  /// The row of an identifier.
  ///
  /// - Complexity: O(1) on average
  @inline(__always)
  func row(of identifier: UnsafeBufferPointer<UInt8>, tag: UInt32) -> Int? {
    guard !slots.isEmpty else { return nil }
    let mask = slots.count - 1
    var slot = Int(tag) & mask
    while true {
      let found = slots[slot]
      if found == Self.empty { return nil }
      if UInt32(truncatingIfNeeded: found >> 32) == tag {
        let row = Int(UInt32(truncatingIfNeeded: found))
        if unsafe matches(row, identifier) { return row }
      }
      slot = (slot + 1) & mask
    }
  }

  @inline(__always)
  private func matches(_ row: Int, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool {
    let row = rows[row]
    guard Int(row.textLength) == identifier.count else { return false }
    let start = Int(row.textStart)
    for i in 0..<identifier.count where unsafe text[start + i] != identifier[i] { return false }
    return true
  }

  /// The row of a live ordinal; nil for others.
  ///
  /// - Complexity: O(1) where nothing was removed; O(log n) at worst.
  func row(ofOrdinal ordinal: Int) -> Int? {
    guard let first = entries.first, let last = entries.last, ordinal >= Int(first.ordinal),
      ordinal <= Int(last.ordinal)
    else { return nil }
    // Ordinals ascend by at least one from entry to entry.
    var low = max(0, entries.count - 1 - (Int(last.ordinal) - ordinal))
    var high = min(entries.count - 1, ordinal - Int(first.ordinal))
    while low < high {
      let middle = (low + high) / 2
      if Int(entries[middle].ordinal) < ordinal { low = middle + 1 } else { high = middle }
    }
    guard low == high, Int(entries[low].ordinal) == ordinal else { return nil }
    let row = Int(entries[low].row)
    return Int(rows[row].ordinal) == ordinal ? row : nil
  }

  @inline(__always)
  func ordinal(ofRow row: Int) -> UInt32 { rows[row].ordinal }

  func utf8(ofRow row: Int) -> ArraySlice<UInt8> {
    let start = Int(rows[row].textStart)
    return text[start..<start + Int(rows[row].textLength)]
  }

  /// The rows in use, in the order of their ordinals.
  var liveEntries: some Sequence<Entry> {
    entries.lazy.filter { [rows] in rows[Int($0.row)].ordinal == $0.ordinal }
  }

  // MARK: Changing

  /// Makes room for `more` identifiers of `byteCount` bytes together.
  ///
  /// - Throws: ``RegionError/identifiersTooLong(byteCount:maximum:)``; nothing has changed then.
  mutating func reserve(_ more: Int, byteCount: Int) throws(RegionError) {
    let maximum = RegionSet.maximumIdentifierByteCount
    if text.count + byteCount > maximum { dropDeadText() }
    guard text.count + byteCount <= maximum else {
      throw .identifiersTooLong(byteCount: text.count + byteCount, maximum: maximum)
    }
    // Filled to two thirds at most.
    guard slots.count * 2 < (count + more) * 3 else { return }
    var size = max(16, slots.count)
    while size * 2 < (count + more) * 3 { size *= 2 }
    let old = slots
    slots = [UInt64](repeating: Self.empty, count: size)
    for slot in old where slot != Self.empty { place(slot) }
  }

  @inline(__always)
  private mutating func place(_ value: UInt64) {
    let mask = slots.count - 1
    var slot = Int(value >> 32) & mask
    while slots[slot] != Self.empty { slot = (slot + 1) & mask }
    slots[slot] = value
  }

  /// Adds an identifier that is not there yet; its row.
  ///
  /// - Precondition: room was reserved; `ordinal` exceeds all given before.
  @inline(__always)
  mutating func add(
    _ identifier: UnsafeBufferPointer<UInt8>, tag: UInt32, ordinal: UInt32
  ) -> Int {
    let row = Row(
      textStart: UInt32(truncatingIfNeeded: text.count),
      textLength: UInt32(truncatingIfNeeded: identifier.count), ordinal: ordinal)
    unsafe text.append(contentsOf: identifier)
    let number: Int
    if let free = freeRows.popLast() {
      number = Int(free)
      rows[number] = row
    } else {
      number = rows.count
      rows.append(row)
    }
    place(UInt64(tag) << 32 | UInt64(number))
    entries.append(Entry(ordinal: ordinal, row: UInt32(truncatingIfNeeded: number)))
    count += 1
    if entries.count > 2 * count + 1024 { dropDeadEntries() }
    return number
  }

  /// Removes an identifier.
  mutating func remove(row: Int, tag: UInt32) {
    let mask = slots.count - 1
    let value = UInt64(tag) << 32 | UInt64(row)
    var hole = Int(tag) & mask
    while slots[hole] != value { hole = (hole + 1) & mask }
    var next = hole
    while true {
      next = (next + 1) & mask
      let follower = slots[next]
      if follower == Self.empty { break }
      // A follower may move back as far as its own first slot.
      let home = Int(follower >> 32) & mask
      if (next - home) & mask >= (next - hole) & mask {
        slots[hole] = follower
        hole = next
      }
    }
    slots[hole] = Self.empty
    deadTextLength += Int(rows[row].textLength)
    rows[row].ordinal = TreeLayout.noOrdinal
    rows[row].textLength = 0
    freeRows.append(UInt32(truncatingIfNeeded: row))
    count -= 1
    if deadTextLength > Self.leastWaste, deadTextLength > text.count / 2 { dropDeadText() }
  }

  private mutating func dropDeadText() {
    var kept: [UInt8] = []
    kept.reserveCapacity((text.count - deadTextLength) * 3 / 2)
    for row in rows.indices where rows[row].ordinal != TreeLayout.noOrdinal {
      let start = kept.count
      kept.append(contentsOf: utf8(ofRow: row))
      rows[row].textStart = UInt32(truncatingIfNeeded: start)
    }
    text = kept
    deadTextLength = 0
  }

  private mutating func dropDeadEntries() {
    entries.removeAll { [rows] in rows[Int($0.row)].ordinal != $0.ordinal }
  }

  /// Traps unless the parts of the map agree with each other.
  func checkInvariants() {
    precondition(slots.count { $0 != Self.empty } == count, "as many slots as identifiers")
    precondition(rows.count == count + freeRows.count, "every row in use or free")
    precondition(Set(freeRows).count == freeRows.count, "no row free twice")
    var live = 0
    var length = 0
    var previous = -1
    for entry in entries {
      precondition(Int(entry.ordinal) > previous, "entries ascend")
      previous = Int(entry.ordinal)
      guard rows[Int(entry.row)].ordinal == entry.ordinal else { continue }
      live += 1
      let row = Int(entry.row)
      length += utf8(ofRow: row).count
      precondition(self.row(ofOrdinal: previous) == row, "ordinals lead to rows")
      unsafe utf8(ofRow: row).withUnsafeBufferPointer { bytes in
        unsafe precondition(
          self.row(of: bytes, tag: Self.tag(of: bytes)) == row, "identifiers lead to rows")
      }
    }
    precondition(live == count, "every row has its entry")
    precondition(length + deadTextLength == text.count, "text is live or dead")
  }
}
