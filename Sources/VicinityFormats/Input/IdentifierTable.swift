/// Which identifiers have been seen so far, to find repeated ones while reading.
///
/// Open addressing with linear probing over ordinals; the identifiers' bytes stay where they are. Hashes are the
/// standard library's, seeded per process, so no file can be written to make them collide.
struct IdentifierTable {
  /// Upper half: hash bits; lower half: ordinal + 1. Zero is free.
  private var slots: [UInt64] = Array(repeating: 0, count: 1024)
  /// The hashes by ordinal, so that growing need not read identifiers again.
  private var hashes: [UInt64] = []

  /// The ordinal of the earlier identifier equal to `identifier`, if any; else `identifier` gets the next ordinal.
  ///
  /// - Parameter isSame: whether the identifier with this ordinal equals `identifier`; asked of likely ones only.
  /// - Complexity: expected O(bytes)
  @inline(__always)
  mutating func insert(
    _ identifier: UnsafeBufferPointer<UInt8>, isSame: (Int) -> Bool
  ) -> Int? {
    if hashes.count * 2 >= slots.count { grow() }
    let hash = unsafe Self.hash(identifier)
    let mask = slots.count - 1
    var i = Int(truncatingIfNeeded: hash) & mask
    while slots[i] != 0 {
      if slots[i] >> 32 == hash >> 32 {
        let ordinal = Int(slots[i] & 0xFFFF_FFFF) - 1
        if isSame(ordinal) { return ordinal }
      }
      i = (i + 1) & mask
    }
    hashes.append(hash)
    slots[i] = (hash >> 32) << 32 | UInt64(hashes.count)
    return nil
  }

  /// The ordinal of the identifier equal to `identifier`; `nil` where there is none.
  ///
  /// - Parameter isSame: whether the identifier with this ordinal equals `identifier`; asked of likely ones only.
  /// - Complexity: expected O(bytes)
  @inline(__always)
  func find(_ identifier: UnsafeBufferPointer<UInt8>, isSame: (Int) -> Bool) -> Int? {
    let hash = unsafe Self.hash(identifier)
    let mask = slots.count - 1
    var i = Int(truncatingIfNeeded: hash) & mask
    while slots[i] != 0 {
      if slots[i] >> 32 == hash >> 32 {
        let ordinal = Int(slots[i] & 0xFFFF_FFFF) - 1
        if isSame(ordinal) { return ordinal }
      }
      i = (i + 1) & mask
    }
    return nil
  }

  @inline(never)
  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 4)
    let mask = slots.count - 1
    for (ordinal, hash) in hashes.enumerated() {
      var i = Int(truncatingIfNeeded: hash) & mask
      while slots[i] != 0 { i = (i + 1) & mask }
      slots[i] = (hash >> 32) << 32 | UInt64(ordinal + 1)
    }
  }

  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
