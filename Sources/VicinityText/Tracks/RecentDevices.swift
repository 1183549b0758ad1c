/// A cache of the devices that occurred last in a block, in front of the table of all devices: it makes
/// looking up the device of interleaved rows a matter of a few instructions.
///
/// Each slot holds one device and is overwritten by the next. A collision costs no more than the lookup in
/// the table.
@safe struct RecentDevices: ~Copyable {
  private struct Entry {
    var start: UInt32
    /// 0 if the slot is free.
    var count: UInt32
    var number: UInt32
  }

  /// At most 192 KB: within the second cache of most processors.
  private static let maximumSlotBits = 14

  private let entries: UnsafeMutablePointer<Entry>
  /// 64 minus the number of bits of a slot's index.
  private let shift: UInt64

  /// A cache for a block of `byteCount` bytes: about one slot for every 32 bytes, at most 2^14.
  init(byteCount: Int) {
    let bits = min(Self.maximumSlotBits, max(1, (Int.bitWidth - (byteCount / 32).leadingZeroBitCount)))
    shift = UInt64(64 - bits)
    let count = 1 << bits
    unsafe entries = .allocate(capacity: count)
    unsafe entries.initialize(repeating: Entry(start: 0, count: 0, number: 0), count: count)
  }

  deinit { unsafe entries.deallocate() }

  /// The number of the device whose `count` bytes are at `start` in `base`, if it is cached.
  ///
  /// - Precondition: `count > 0`, and 8 bytes beyond may be read.
  @inline(__always)
  func number(_ base: UnsafePointer<UInt8>, _ start: Int, _ count: Int) -> UInt32? {
    // SAFETY: the slot is below the number of slots, and entries lie in the same block.
    let entry = unsafe entries[slot(base + start, count)]
    guard Int(entry.count) == count, unsafe Self.isSame(base + start, base + Int(entry.start), count) else {
      return nil
    }
    return entry.number
  }

  /// Caches a device.
  @inline(__always)
  func insert(_ base: UnsafePointer<UInt8>, _ start: Int, _ count: Int, number: UInt32) {
    guard let start32 = UInt32(exactly: start), let count32 = UInt32(exactly: count) else { return }
    unsafe entries[slot(base + start, count)] = Entry(start: start32, count: count32, number: number)
  }

  /// The slot of a device: a hash of its first and last eight bytes, mixed by multiplication.
  @inline(__always)
  private func slot(_ p: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let raw = unsafe UnsafeRawPointer(p)
    var head = unsafe UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
    var tail: UInt64 = 0
    if count >= 8 {
      unsafe tail = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
    } else {
      head <<= UInt64(64 - 8 * count)
    }
    // Odd constants: the first 64 bits of the golden ratio, and an arbitrary one.
    let mixed = (head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(count)) &* 0x2437_54C6_8A51_5F6D
    let spread = (mixed ^ (mixed >> 32)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: spread >> shift)
  }

  /// Whether the `count` bytes at `p` and `q` are the same.
  ///
  /// - Precondition: `count > 0`, and 8 bytes beyond may be read.
  @inline(__always)
  static func isSame(_ p: UnsafePointer<UInt8>, _ q: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let a = unsafe UnsafeRawPointer(p)
    let b = unsafe UnsafeRawPointer(q)
    var i = 0
    while i + 8 <= count {
      let x = unsafe a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      let y = unsafe b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if x != y { return false }
      i += 8
    }
    guard i < count else { return true }
    let x = unsafe UInt64(littleEndian: a.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    let y = unsafe UInt64(littleEndian: b.loadUnaligned(fromByteOffset: i, as: UInt64.self))
    return (x ^ y) << UInt64(64 - 8 * (count - i)) == 0
  }
}
