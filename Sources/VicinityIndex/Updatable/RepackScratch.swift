internal import VicinityGeodesy

/// Holds the regions of one or several leaves while those leaves are written anew.
@safe struct RepackScratch: ~Copyable {
  /// Sixteen full leaves and one region more.
  private static let capacity = TreeLayout.width * TreeLayout.width + 1
  /// How full leaves are written, of sixteen: room for a few more before they split.
  private static let fill = 14

  private(set) var count = 0
  let items = Buffer<MedianOrder.Item>(capacity: capacity)
  let points = Buffer<ECEF>(capacity: capacity)
  let rows = Buffer<UInt32>(capacity: capacity)
  private let records = Buffer<UInt8>(capacity: capacity * TreeLayout.recordSize)

  /// How many leaves `count` regions are written into.
  static func leafCount(_ count: Int) -> Int { (count + fill - 1) / fill }

  /// How many of `count` regions go to the first half of `leafCount` leaves, in proportion.
  static func middle(_ count: Int, leafCount: Int) -> Int {
    (count * (leafCount / 2) + leafCount / 2) / leafCount
  }

  mutating func clear() { count = 0 }

  @inline(__always)
  func record(_ i: Int) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(records.base + i * TreeLayout.recordSize)
  }

  /// Adds a region that is in the tree already.
  ///
  /// Its point is computed from its coordinates again: sums of the stored parts would lose accuracy each
  /// time.
  mutating func append(_ record: UnsafeRawPointer, row: UInt32) {
    unsafe self.record(count).copyMemory(from: record, byteCount: TreeLayout.recordSize)
    let region = unsafe RegionRecord(record)
    append(point: ECEF(unchecked: region.center), radius: region.radius, row: row)
  }

  /// Adds a new region.
  mutating func append(_ entry: LeafEntry, row: Int) {
    unsafe entry.writeRecord(to: record(count))
    append(
      point: entry.point, radius: entry.radius, row: UInt32(truncatingIfNeeded: row))
  }

  private mutating func append(point: ECEF, radius: Double, row: UInt32) {
    assert(count < Self.capacity)
    unsafe points.base[count] = point
    unsafe rows.base[count] = row
    // Relative to the first, so that single precision can order regions that are close together.
    let origin = unsafe points.base[0]
    unsafe items.base[count] = MedianOrder.Item(
      x: Float(point.x - origin.x), y: Float(point.y - origin.y), z: Float(point.z - origin.z),
      r: Float(min(radius, 1e37)), index: UInt32(truncatingIfNeeded: count))
    count += 1
  }

  /// Orders all regions for `leafCount` leaves.
  func order(leafCount: Int) { order(0..<count, leafCount: leafCount) }

  private func order(_ range: Range<Int>, leafCount: Int) {
    guard leafCount > 1 else { return }
    let middle = range.lowerBound + Self.middle(range.count, leafCount: leafCount)
    let axis = unsafe MedianOrder.widestAxis(items.base, range.lowerBound, range.upperBound)
    unsafe MedianOrder.select(
      items.base, from: range.lowerBound, to: range.upperBound, nth: middle, axis: axis)
    order(range.lowerBound..<middle, leafCount: leafCount / 2)
    order(middle..<range.upperBound, leafCount: leafCount - leafCount / 2)
  }

  /// Calls `body` with each leaf's stretch of the ordered regions.
  static func forEachLeaf(
    _ range: Range<Int>, leafCount: Int, _ body: (Range<Int>) -> Void
  ) {
    guard leafCount > 1 else { return body(range) }
    let middle = range.lowerBound + middle(range.count, leafCount: leafCount)
    forEachLeaf(range.lowerBound..<middle, leafCount: leafCount / 2, body)
    forEachLeaf(middle..<range.upperBound, leafCount: leafCount - leafCount / 2, body)
  }
}
