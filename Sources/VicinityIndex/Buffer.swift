/// Memory for values of a trivial type, at a 64-byte boundary; it is freed with the buffer.
@safe package struct Buffer<Element>: ~Copyable {
  /// The first value.
  package private(set) var base: UnsafeMutablePointer<Element>
  /// How many values there is room for.
  package private(set) var capacity: Int

  /// Zeroed memory.
  package init(capacity: Int) {
    self.capacity = capacity
    unsafe base = Self.allocate(capacity)
  }

  deinit { unsafe base.deallocate() }

  /// Makes room for `newCapacity` values and keeps the first `count`. The others are zero, and pointers into
  /// the old memory are no longer valid.
  @inline(never)
  package mutating func grow(to newCapacity: Int, keeping count: Int) {
    let new = unsafe Self.allocate(newCapacity)
    unsafe new.moveInitialize(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = new
    capacity = newCapacity
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
    let byteCount = max(1, capacity) * MemoryLayout<Element>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    return unsafe memory.bindMemory(to: Element.self, capacity: capacity)
  }
}
