internal import CVicinityKernels

/// The identifiers' part of an index: where each ends, their bytes, and an open-addressing hash table
/// from identifier to ordinal.
///
/// A slot holds an ordinal, or `empty`. An identifier's first slot is its ``XXHash64`` modulo the number of
/// slots (a power of two); collisions go to the next slot, cyclically.
enum IdentifierTable {
  static let empty: UInt32 = 0xffff_ffff

  /// Copies the identifiers, and enters every one into the table.
  ///
  /// - Returns: The ordinals of the first two that are equal, if any are.
  /// - Complexity: O(n) on average
  static func fill(
    _ storage: IndexStorage, _ layout: IndexLayout, _ set: RegionSet
  ) -> (first: Int, second: Int)? {
    let table = unsafe storage.base + layout.offset(.identifierTable)
    unsafe UnsafeMutableRawBufferPointer(start: table, count: layout.length(.identifierTable))
      .initializeMemory(as: UInt8.self, repeating: 0xff)
    return unsafe set.identifierEnds.withUnsafeBytes { ends in
      unsafe set.identifierBytes.withUnsafeBytes { text in
        unsafe storage.fill(layout.offset(.identifierEnds), with: ends)
        unsafe storage.fill(layout.offset(.identifierBytes), with: text)
        // Those of the set are read, as the file's are let go. Where there is no text nothing is read of it.
        guard let ends = ends.baseAddress else { return nil }
        let reader = unsafe Reader(
          ends: ends, text: text.baseAddress ?? UnsafeRawPointer(table), table: UnsafeRawPointer(table),
          textLength: text.count, count: layout.regionCount, slots: layout.length(.identifierTable) / 4)
        return unsafe insertAll(into: table, reader)
      }
    }
  }

  /// Enters every identifier into the empty table.
  private static func insertAll(
    into table: UnsafeMutableRawPointer, _ reader: Reader
  ) -> (first: Int, second: Int)? {
    let slots = reader.slots
    // Hashes are computed some identifiers ahead of their use, so that the table's cache misses overlap.
    let stretch = 16
    var first = [Int](repeating: 0, count: stretch)
    var start = 0
    while start < reader.count {
      let end = min(start + stretch, reader.count)
      for ordinal in start..<end {
        let slot = unsafe reader.firstSlot(of: reader.bytes(of: ordinal), slots: slots)
        first[ordinal - start] = slot
        unsafe vk_prefetch(table + slot * 4, 1)
      }
      for ordinal in start..<end {
        var slot = first[ordinal - start]
        while true {
          let found = unsafe table.load(fromByteOffset: slot * 4, as: UInt32.self)
          if found == empty { break }
          if unsafe reader.areEqual(reader.bytes(of: Int(found)), reader.bytes(of: ordinal)) {
            return (Int(found), ordinal)
          }
          slot = (slot + 1) & (slots - 1)
        }
        unsafe table.storeBytes(
          of: UInt32(truncatingIfNeeded: ordinal), toByteOffset: slot * 4, as: UInt32.self)
      }
      start = end
    }
    return nil
  }

  /// Reads identifiers; any bytes are safe.
  @safe struct Reader {
    let ends: UnsafeRawPointer
    let text: UnsafeRawPointer
    let table: UnsafeRawPointer
    let textLength: Int
    let count: Int
    let slots: Int

    init(
      ends: UnsafeRawPointer, text: UnsafeRawPointer, table: UnsafeRawPointer, textLength: Int, count: Int,
      slots: Int
    ) {
      unsafe self.ends = ends
      unsafe self.text = text
      unsafe self.table = table
      self.textLength = textLength
      self.count = count
      self.slots = slots
    }

    init(base: UnsafeRawPointer, layout: IndexLayout) {
      unsafe ends = base + layout.offset(.identifierEnds)
      unsafe text = base + layout.offset(.identifierBytes)
      unsafe table = base + layout.offset(.identifierTable)
      textLength = layout.length(.identifierBytes)
      count = layout.regionCount
      slots = layout.length(.identifierTable) / 4
    }

    /// Where an identifier ends, as the bytes have it.
    @inline(__always)
    func end(of ordinal: Int) -> Int {
      Int(unsafe ends.loadUnaligned(fromByteOffset: ordinal * 4, as: UInt32.self))
    }

    func slot(_ i: Int) -> UInt32 {
      unsafe table.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self)
    }

    /// The UTF-8 of an identifier; empty where damaged bytes lead nowhere.
    @inline(__always)
    func bytes(of ordinal: Int) -> UnsafeRawBufferPointer {
      let end = end(of: ordinal)
      let start = ordinal == 0 ? 0 : self.end(of: ordinal - 1)
      guard start <= end, end <= textLength else {
        return unsafe UnsafeRawBufferPointer(start: text, count: 0)
      }
      return unsafe UnsafeRawBufferPointer(start: text + start, count: end - start)
    }

    @inline(__always)
    func firstSlot(of identifier: UnsafeRawBufferPointer, slots: Int) -> Int {
      Int(truncatingIfNeeded: unsafe XXHash64.hash(identifier)) & (slots - 1)
    }

    @inline(__always)
    func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
      unsafe a.count == b.count && a.elementsEqual(b)
    }

    /// The ordinal of an identifier.
    ///
    /// - Complexity: O(1) on average; O(n) on damaged bytes.
    func ordinal(of identifier: UnsafeRawBufferPointer) -> Int? {
      guard slots > 0 else { return nil }
      var slot = unsafe firstSlot(of: identifier, slots: slots)
      for _ in 0..<slots {
        let found = self.slot(slot)
        if found == IdentifierTable.empty { return nil }
        if found < count, unsafe areEqual(bytes(of: Int(found)), identifier) { return Int(found) }
        slot = (slot + 1) & (slots - 1)
      }
      return nil
    }
  }
}
