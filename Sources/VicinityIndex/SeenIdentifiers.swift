/// Finds identifiers that have occurred before, and numbers those that have not.
///
/// A hash table of ordinals with linear probing; the identifiers' bytes stay with the caller. Hashes are the
/// standard library's, seeded per process, so that no file can be written to make them collide.
package struct SeenIdentifiers: Sendable {
  /// Upper half: the hash; lower half: ordinal + 1. Zero is free. A hash's upper bits say where it is looked
  /// for first, so that growing need not read identifiers again.
  @usableFromInline var slots: [UInt64] = Array(repeating: 0, count: 1024)
  @usableFromInline var count = 0

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
    if count * 2 >= slots.count { grow() }
    let hash = unsafe Self.hash(identifier)
    let found = probe(hash, isSame)
    if let ordinal = found.ordinal { return ordinal }
    count += 1
    slots[found.slot] = UInt64(hash) << 32 | UInt64(count)
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
  func probe(_ hash: UInt32, _ isSame: (Int) -> Bool) -> (ordinal: Int?, slot: Int) {
    let mask = slots.count - 1
    var i = first(hash)
    while slots[i] != 0 {
      if slots[i] >> 32 == UInt64(hash) {
        let ordinal = Int(slots[i] & 0xFFFF_FFFF) - 1
        if isSame(ordinal) { return (ordinal, i) }
      }
      i = (i + 1) & mask
    }
    return (nil, i)
  }

  /// The slot in which a hash is looked for first.
  @inlinable @inline(__always)
  func first(_ hash: UInt32) -> Int { Int((UInt64(hash) * UInt64(slots.count)) >> 32) }

  @usableFromInline
  @inline(never)
  mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: old.count * 2)
    let mask = slots.count - 1
    for slot in old where slot != 0 {
      var i = first(UInt32(truncatingIfNeeded: slot >> 32))
      while slots[i] != 0 { i = (i + 1) & mask }
      slots[i] = slot
    }
  }

  @inlinable
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt32(truncatingIfNeeded: hasher.finalize() >> 32)
  }
}
