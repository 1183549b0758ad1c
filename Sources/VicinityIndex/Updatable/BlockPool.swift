/// Numbered blocks of one size in one stretch of memory that grows, 64-byte aligned: the nodes and leaves
/// of a tree that changes.
///
/// Numbers start at zero; released ones are allocated again first. Growing moves the blocks,
/// so pointers do not outlive a call of ``reserve(_:)``.
@safe struct BlockPool: ~Copyable {
  let blockSize: Int
  /// How many blocks there is room for.
  private(set) var capacity: Int
  /// How many numbers have been allocated so far: the numbers of all blocks in use are smaller.
  private(set) var count = 0
  /// Released numbers.
  private(set) var free: [UInt32] = []
  /// The first block.
  private(set) var base: UnsafeMutableRawPointer
  // SAFETY: written to through `base`, but never shared: the pool is its only owner.
  private var memory: IndexStorage

  /// A pool with room for `capacity` zeroed blocks.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  init(blockSize: Int, capacity: Int) throws(RegionError) {
    let byteCount = blockSize * max(1, capacity)
    guard let memory = IndexStorage.allocate(byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    self.blockSize = blockSize
    self.capacity = max(1, capacity)
    self.memory = memory
    unsafe base = memory.base
  }

  /// How many blocks are in use.
  var liveCount: Int { count - free.count }

  @inline(__always)
  func block(_ number: Int) -> UnsafeMutableRawPointer {
    assert(number >= 0 && number < capacity)
    return unsafe base + number * blockSize
  }

  /// Makes room, so that the next `more` calls of ``allocate()`` succeed.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``; the pool is unchanged then.
  /// - Complexity: amortised O(`more`)
  @inline(__always)
  mutating func reserve(_ more: Int) throws(RegionError) {
    if capacity - count < more { try grow(max(count + more, capacity + capacity / 2)) }
  }

  @inline(never)
  private mutating func grow(_ newCapacity: Int) throws(RegionError) {
    let byteCount = newCapacity * blockSize
    guard let grown = IndexStorage.allocate(byteCount) else {
      throw .outOfMemory(byteCount: byteCount)
    }
    unsafe grown.base.copyMemory(from: base, byteCount: count * blockSize)
    memory = grown
    unsafe base = grown.base
    capacity = newCapacity
  }

  /// The number of a block to use, its contents anything.
  ///
  /// - Precondition: room was reserved.
  @inline(__always)
  mutating func allocate() -> Int {
    if let number = free.popLast() { return Int(number) }
    precondition(count < capacity, "a block was allocated without being reserved")
    count += 1
    return count - 1
  }

  /// Allocates `blocks` consecutive numbers and returns the first.
  ///
  /// - Precondition: room was reserved.
  mutating func allocateRun(_ blocks: Int) -> Int {
    precondition(capacity - count >= blocks, "blocks were allocated without being reserved")
    count += blocks
    return count - blocks
  }

  /// Releases a block.
  mutating func release(_ number: Int) {
    free.append(UInt32(truncatingIfNeeded: number))
  }

  /// A copy with the same blocks.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  func copy() throws(RegionError) -> BlockPool {
    var copy = try BlockPool(blockSize: blockSize, capacity: capacity)
    unsafe copy.base.copyMemory(from: base, byteCount: count * blockSize)
    copy.count = count
    copy.free = free
    return copy
  }
}
