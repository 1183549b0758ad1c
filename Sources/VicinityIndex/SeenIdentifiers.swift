/// Finds identifiers that have occurred before, and numbers those that have not.
///
/// A hash table of ordinals with linear probing; the identifiers' bytes stay with the caller. Hashes are the
/// standard library's, seeded per process, so that no file can be written to make them collide.
package struct SeenIdentifiers: Sendable {
  /// Upper half: hash bits; lower half: ordinal + 1. Zero is free.
  @usableFromInline var slots: [UInt64] = Array(repeating: 0, count: 1024)
  /// The hashes by ordinal, so that growing need not read identifiers again.
  @usableFromInline var hashes: [UInt64] = []

  package init() {}

  /// The ordinal of the earlier identifier equal to `identifier`; if there is none, `nil`, and `identifier`
  /// gets the next ordinal.
  ///
  /// - Parameter isSame: Whether the identifier with this ordinal equals `identifier`; called only for equal
  ///   hash bits.
  /// - Complexity: expected O(bytes)
  @inlinable @inline(__always)
  package mutating func insert(
    _ identifier: UnsafeBufferPointer<UInt8>, isSame: (Int) -> Bool
  ) -> Int? {
    if hashes.count * 2 >= slots.count { grow() }
    let hash = unsafe Self.hash(identifier)
    let found = probe(hash, isSame)
    if let ordinal = found.ordinal { return ordinal }
    hashes.append(hash)
    slots[found.slot] = (hash >> 32) << 32 | UInt64(hashes.count)
    return nil
  }

  /// The ordinal of the identifier equal to `identifier`; `nil` if there is none.
  ///
  /// - Parameter isSame: As for ``insert(_:isSame:)``.
  /// - Complexity: expected O(bytes)
  @inlinable @inline(__always)
  package func find(_ identifier: UnsafeBufferPointer<UInt8>, isSame: (Int) -> Bool) -> Int? {
    probe(unsafe Self.hash(identifier), isSame).ordinal
  }

  /// The ordinal of the identifier with `hash` for which `isSame` holds, or the free slot where the search
  /// ends.
  @inlinable @inline(__always)
  func probe(_ hash: UInt64, _ isSame: (Int) -> Bool) -> (ordinal: Int?, slot: Int) {
    let mask = slots.count - 1
    var i = Int(truncatingIfNeeded: hash) & mask
    while slots[i] != 0 {
      if slots[i] >> 32 == hash >> 32 {
        let ordinal = Int(slots[i] & 0xFFFF_FFFF) - 1
        if isSame(ordinal) { return (ordinal, i) }
      }
      i = (i + 1) & mask
    }
    return (nil, i)
  }

  @usableFromInline
  @inline(never)
  mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    let mask = slots.count - 1
    for (ordinal, hash) in hashes.enumerated() {
      var i = Int(truncatingIfNeeded: hash) & mask
      while slots[i] != 0 { i = (i + 1) & mask }
      slots[i] = (hash >> 32) << 32 | UInt64(ordinal + 1)
    }
  }

  @inlinable
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
