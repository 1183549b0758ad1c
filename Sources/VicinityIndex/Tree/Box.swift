internal import VicinityGeodesy

/// A box around points in ECEF, metres, and the largest radius among the regions at these points.
struct Box {
  var low = SIMD3<Double>(repeating: .infinity)
  var high = SIMD3<Double>(repeating: -.infinity)
  var largestRadius = 0.0

  mutating func include(_ point: ECEF, radius: Double) {
    let p = SIMD3(point.x, point.y, point.z)
    include(Box(low: p, high: p, largestRadius: radius))
  }

  mutating func include(_ other: Box) {
    low.replace(with: other.low, where: other.low .< low)
    high.replace(with: other.high, where: other.high .> high)
    largestRadius = max(largestRadius, other.largestRadius)
  }

  /// A radius in single precision, larger by the slack that bounds need.
  ///
  /// Capped at 1e37, where single precision still has room: the bounds of all larger radii then overlap, so
  /// that none of them is ever pruned.
  static func inflated(_ radius: Double) -> Float {
    (Float(min(radius, 1e37)) * (1 + TreeLayout.slack)).nextUp
  }
}

/// A box as a lane of a node stores it.
struct LaneBox {
  /// Metres from the Earth's centre.
  var center: SIMD3<Float>
  /// Half the extent, rounded up, metres.
  var half: SIMD3<Float>
  /// The largest radius of a region in the box, rounded up, metres.
  var largestRadius: Float

  /// What stands in lanes without a child.
  static let absent = LaneBox(
    center: SIMD3(repeating: TreeLayout.farAway), half: SIMD3(repeating: 0), largestRadius: 0)

  init(center: SIMD3<Float>, half: SIMD3<Float>, largestRadius: Float) {
    self.center = center
    self.half = half
    self.largestRadius = largestRadius
  }

  init(_ box: Box) { self.init(box, largestRadius: Box.inflated(box.largestRadius)) }

  /// The box around points, with a radius that is inflated already. The centre is rounded to single
  /// precision; the half extents from there cover the box.
  init(_ box: Box, largestRadius: Float) {
    center = SIMD3<Float>((box.low + box.high) * 0.5)
    let exact = SIMD3<Double>(center)
    var half = box.high - exact
    let other = exact - box.low
    half.replace(with: other, where: other .> half)
    let rounded = SIMD3<Float>(half)
    self.half = SIMD3(rounded.x.nextUp, rounded.y.nextUp, rounded.z.nextUp)
    self.largestRadius = largestRadius
  }

  @inline(__always)
  init(_ node: UnsafeRawPointer, _ lane: Int) {
    let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
    unsafe center = SIMD3(row[0], row[16], row[32])
    unsafe half = SIMD3(row[48], row[64], row[80])
    unsafe largestRadius = row[96]
  }

  func write(to node: UnsafeMutableRawPointer, _ lane: Int, child: UInt32) {
    unsafe write(to: node, lane)
    unsafe node.storeBytes(of: child, toByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }

  func write(to node: UnsafeMutableRawPointer, _ lane: Int) {
    let row = unsafe node.assumingMemoryBound(to: Float.self) + lane
    for axis in 0..<3 {
      unsafe row[16 * axis] = center[axis]
      unsafe row[48 + 16 * axis] = half[axis]
    }
    unsafe row[96] = largestRadius
  }

  /// The box without rounding; its radius is not that of a region.
  var box: Box {
    let (center, half) = (SIMD3<Double>(center), SIMD3<Double>(half))
    return Box(low: center - half, high: center + half)
  }
}

/// A region as a leaf stores it.
struct LeafEntry {
  var ordinal: UInt32
  var center: Coordinate
  /// The centre in ECEF.
  var point: ECEF
  var radius: Double
  /// Nil for circles.
  var polygonSlot: Int?

  var isPolygon: Bool { polygonSlot != nil }

  /// Writes the record, except for what rounding leaves over of a circle's offset.
  func writeRecord(to record: UnsafeMutableRawPointer) {
    if let polygonSlot {
      unsafe put(UInt32(truncatingIfNeeded: polygonSlot), record, TreeLayout.recordX)
      unsafe put(TreeLayout.polygonMark, record, TreeLayout.recordY)
      unsafe put(Float(0), record, TreeLayout.recordZ)
    }
    unsafe put(ordinal, record, TreeLayout.recordOrdinal)
    unsafe put(center.latitude, record, TreeLayout.recordLatitude)
    unsafe put(center.longitude, record, TreeLayout.recordLongitude)
    unsafe put(radius, record, TreeLayout.recordRadius)
  }

  private func put<T: BitwiseCopyable>(_ value: T, _ record: UnsafeMutableRawPointer, _ offset: Int) {
    unsafe record.storeBytes(of: value, toByteOffset: offset, as: T.self)
  }

  /// Writes a lane of the leaf at `leaf`, whose record is written already: the centre relative to `origin`,
  /// rounded, the inflated radius, and the ordinal. For circles the record gets what rounding leaves over.
  @inline(__always)
  static func writeLane(
    _ point: ECEF, largestRadius: Float, isPolygon: Bool, to leaf: UnsafeMutableRawPointer, _ lane: Int,
    origin: SIMD3<Float>
  ) {
    let rows = unsafe leaf.assumingMemoryBound(to: Float.self) + lane
    let record = unsafe leaf + TreeLayout.recordOffset + TreeLayout.recordSize * lane
    @inline(__always)
    func write(_ value: Double, _ origin: Float, _ axis: Int) {
      let offset = value - Double(origin)
      let high = Float(offset)
      unsafe rows[16 * axis] = high
      if !isPolygon {
        unsafe record.storeBytes(
          of: Float(offset - Double(high)), toByteOffset: TreeLayout.recordX + 4 * axis,
          as: Float.self)
      }
    }
    write(point.x, origin.x, 0)
    write(point.y, origin.y, 1)
    write(point.z, origin.z, 2)
    unsafe rows[48] = largestRadius
    let ordinal = unsafe record.loadUnaligned(fromByteOffset: TreeLayout.recordOrdinal, as: UInt32.self)
    unsafe leaf.storeBytes(of: ordinal, toByteOffset: TreeLayout.leafOrdinals + 4 * lane, as: UInt32.self)
  }

  static func clearLane(of leaf: UnsafeMutableRawPointer, _ lane: Int) {
    let rows = unsafe leaf.assumingMemoryBound(to: Float.self) + lane
    for axis in 0..<3 { unsafe rows[16 * axis] = TreeLayout.farAway }
    unsafe rows[48] = 0
    unsafe leaf.storeBytes(
      of: TreeLayout.noOrdinal, toByteOffset: TreeLayout.leafOrdinals + 4 * lane, as: UInt32.self)
    unsafe leaf.storeBytes(
      of: TreeLayout.noOrdinal,
      toByteOffset: TreeLayout.recordOffset + TreeLayout.recordSize * lane + TreeLayout.recordOrdinal,
      as: UInt32.self)
  }
}
