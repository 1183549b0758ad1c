internal import VicinityPolygon

/// The packed bytes of polygons that are added and removed, each found by a slot number that does not change.
@safe struct PolygonArena: ~Copyable {
  /// Where each slot's bytes start in `bytes`; ``absent`` for free slots.
  private var offsets: BlockPool
  private var bytes: BlockPool
  /// Bytes of polygons that have been removed.
  private var deadByteCount = 0

  private static let absent = UInt64.max
  private static let unit = 64
  /// The least dead bytes that are worth moving polygons for.
  private static let leastWaste = 1 << 20

  init(byteCount: Int = 0) throws(RegionError) {
    let offsets = try BlockPool(blockSize: 8, capacity: 64)
    let bytes = try BlockPool(blockSize: Self.unit, capacity: max(64, byteCount / Self.unit))
    self.offsets = offsets
    self.bytes = bytes
  }

  private init(offsets: consuming BlockPool, bytes: consuming BlockPool, deadByteCount: Int) {
    self.offsets = offsets
    self.bytes = bytes
    self.deadByteCount = deadByteCount
  }

  /// How many slots there are, free ones included.
  var slotCount: Int { offsets.count }

  /// How many bytes the arena occupies.
  var byteCount: Int { bytes.count * Self.unit + offsets.count * 8 }

  /// The pointers of a ``TreeView``.
  var offsetBase: UnsafeRawPointer { unsafe UnsafeRawPointer(offsets.base) }
  var byteBase: UnsafeRawPointer { unsafe UnsafeRawPointer(bytes.base) }

  private func offset(_ slot: Int) -> UInt64 {
    unsafe offsets.block(slot).load(as: UInt64.self)
  }

  /// Makes room for a polygon of `byteCount` bytes.
  mutating func reserve(byteCount: Int) throws(RegionError) {
    try offsets.reserve(1)
    try bytes.reserve(byteCount / Self.unit)
  }

  /// Copies a polygon in; its slot.
  ///
  /// - Precondition: room was reserved.
  mutating func add(_ blob: PolygonBlob) -> Int {
    let slot = offsets.allocate()
    let start = bytes.allocateRun(blob.byteCount / Self.unit)
    unsafe blob.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(start: bytes.block(start), count: source.count)
        .copyMemory(from: source)
    }
    unsafe offsets.block(slot).storeBytes(of: UInt64(start * Self.unit), as: UInt64.self)
    return slot
  }

  private func length(_ slot: Int) -> Int {
    unsafe PolygonView(base: UnsafeRawPointer(bytes.base) + Int(offset(slot))).byteCount
  }

  /// Removes a polygon.
  ///
  /// - Complexity: amortised O(its bytes)
  mutating func remove(_ slot: Int) {
    deadByteCount += length(slot)
    unsafe offsets.block(slot).storeBytes(of: Self.absent, as: UInt64.self)
    offsets.release(slot)
    if deadByteCount > Self.leastWaste, deadByteCount > bytes.count * Self.unit / 2 { compact() }
  }

  /// Moves the remaining polygons together. When there is no memory for that, nothing changes.
  private mutating func compact() {
    let live = bytes.count * Self.unit - deadByteCount
    guard var moved = try? BlockPool(blockSize: Self.unit, capacity: live * 3 / 2 / Self.unit + 64)
    else { return }
    for slot in 0..<offsets.count where offset(slot) != Self.absent {
      let length = length(slot)
      let start = moved.allocateRun(length / Self.unit)
      unsafe moved.block(start).copyMemory(from: bytes.base + Int(offset(slot)), byteCount: length)
      unsafe offsets.block(slot).storeBytes(of: UInt64(start * Self.unit), as: UInt64.self)
    }
    bytes = moved
    deadByteCount = 0
  }

  /// The polygon in `slot`, copied out; nil for none.
  func polygon(_ slot: Int) -> Polygon? {
    guard slot >= 0, slot < offsets.count, offset(slot) != Self.absent else { return nil }
    let source = unsafe UnsafeRawBufferPointer(
      start: bytes.base + Int(offset(slot)), count: length(slot))
    return (unsafe try? PolygonBlob(validating: source)).map { Polygon(blob: $0) }
  }

  /// A copy with the same polygons in the same slots.
  func copy() throws(RegionError) -> PolygonArena {
    let offsets = try offsets.copy()
    let bytes = try bytes.copy()
    return PolygonArena(offsets: offsets, bytes: bytes, deadByteCount: deadByteCount)
  }
}
