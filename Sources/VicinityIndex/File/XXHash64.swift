/// The 64-bit xxHash (Y. Collet, *xxHash fast digest algorithm*, format 0.1.1): the checksum of the index
/// file and the hash of its identifiers. Not cryptographic: it finds damage, not malice.
///
/// Reads little-endian words, thirty-two bytes a round.
package enum XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The hash of `bytes`.
  ///
  /// - Parameter passed: Told of each stretch that will not be read again, of 64 MiB or what is left.
  /// - Complexity: O(n)
  package static func hash(
    _ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0, passed: (Range<Int>) -> Void = { _ in }
  ) -> UInt64 {
    let count = bytes.count
    var offset = 0
    var h: UInt64
    if count >= 32 {
      var v1 = seed &+ prime1 &+ prime2
      var v2 = seed &+ prime2
      var v3 = seed
      var v4 = seed &- prime1
      while offset + 32 <= count {
        let start = offset
        let end = min(start + (64 << 20), count)
        while offset + 32 <= end {
          v1 = unsafe round(v1, word(bytes, offset))
          v2 = unsafe round(v2, word(bytes, offset + 8))
          v3 = unsafe round(v3, word(bytes, offset + 16))
          v4 = unsafe round(v4, word(bytes, offset + 24))
          offset += 32
        }
        passed(start..<offset)
      }
      h = rotate(v1, 1) &+ rotate(v2, 7) &+ rotate(v3, 12) &+ rotate(v4, 18)
      for v in [v1, v2, v3, v4] {
        h = (h ^ round(0, v)) &* prime1 &+ prime4
      }
    } else {
      h = seed &+ prime5
    }
    h &+= UInt64(count)
    while offset + 8 <= count {
      h = rotate(h ^ (unsafe round(0, word(bytes, offset))), 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset + 4 <= count {
      let half = unsafe UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      h = rotate(h ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < count {
      h = rotate(h ^ (UInt64(unsafe bytes[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    h = (h ^ (h >> 33)) &* prime2
    h = (h ^ (h >> 29)) &* prime3
    return h ^ (h >> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ accumulator: UInt64, _ word: UInt64) -> UInt64 {
    rotate(accumulator &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ x: UInt64, _ bits: UInt64) -> UInt64 {
    (x &<< bits) | (x &>> (64 &- bits))
  }
}
