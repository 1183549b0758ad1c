internal import VicinityGeodesy

/// Reading and writing of single lanes.
extension DynamicTree {
  // MARK: Lanes of nodes

  /// Lane `lane` of node `node`: the rows follow sixteen apart.
  @inline(__always)
  func lane(_ node: Int, _ lane: Int) -> UnsafeMutablePointer<Float> {
    unsafe nodes.block(node).assumingMemoryBound(to: Float.self) + lane
  }

  @inline(__always)
  func child(_ node: Int, _ lane: Int) -> UInt32 {
    unsafe nodes.block(node).load(fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }

  @inline(__always)
  static func isLeaf(_ child: UInt32) -> Bool { child & TreeLayout.leafFlag != 0 }

  func box(_ node: Int, _ lane: Int) -> LaneBox {
    let p = unsafe self.lane(node, lane)
    return unsafe LaneBox(
      center: SIMD3(p[0], p[16], p[32]), half: SIMD3(p[48], p[64], p[80]), reach: p[96])
  }

  func setBox(_ node: Int, _ lane: Int, _ box: LaneBox) {
    let p = unsafe self.lane(node, lane)
    for axis in 0..<3 {
      unsafe p[16 * axis] = box.center[axis]
      unsafe p[48 + 16 * axis] = box.half[axis]
    }
    unsafe p[96] = box.reach
  }

  /// Hangs a child into a lane.
  mutating func setChild(_ node: Int, _ lane: Int, _ child: UInt32, _ box: LaneBox) {
    setBox(node, lane, box)
    unsafe nodes.block(node).storeBytes(
      of: child, toByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
    let parent = UInt32(truncatingIfNeeded: node << 4 | lane)
    if Self.isLeaf(child) {
      leafParents[Int(child & TreeLayout.childMask)] = parent
    } else {
      nodeParents[Int(child)] = parent
    }
  }

  func clearLane(_ node: Int, _ lane: Int) {
    let far = SIMD3(repeating: TreeLayout.farAway)
    setBox(node, lane, LaneBox(center: far, half: SIMD3(repeating: 0), reach: 0))
    unsafe nodes.block(node).storeBytes(
      of: TreeLayout.absent, toByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }

  func clearLanes(_ node: Int) {
    for lane in 0..<Self.width { clearLane(node, lane) }
  }

  /// An absent lane; nil when the node is full.
  func freeLane(_ node: Int) -> Int? {
    for lane in 0..<Self.width where child(node, lane) == TreeLayout.absent { return lane }
    return nil
  }

  /// A box around all children of a node.
  func union(_ node: Int) -> LaneBox {
    var all = Box()
    var reach: Float = 0
    for lane in 0..<Self.width where child(node, lane) != TreeLayout.absent {
      let box = box(node, lane)
      let center = SIMD3<Double>(box.center)
      let half = SIMD3<Double>(box.half)
      let low = center - half
      let high = center + half
      all.low.replace(with: low, where: low .< all.low)
      all.high.replace(with: high, where: high .> all.high)
      reach = max(reach, box.reach)
    }
    let (center, half) = all.centerAndHalf
    return LaneBox(center: center, half: half, reach: reach)
  }

  /// Whether a lane's box holds a place, and its reach a radius already inflated.
  @inline(__always)
  func holds(_ node: Int, _ lane: Int, _ place: ECEF, reach: Float) -> Bool {
    let p = unsafe self.lane(node, lane)
    return unsafe abs(place.x - Double(p[0])) <= Double(p[48])
      && abs(place.y - Double(p[16])) <= Double(p[64])
      && abs(place.z - Double(p[32])) <= Double(p[80])
      && reach <= p[96]
  }

  /// Widens a lane's box to a place and its reach to a radius already inflated.
  @inline(__always)
  func widen(_ node: Int, _ lane: Int, _ place: ECEF, reach: Float) {
    if !holds(node, lane, place, reach: reach) { widenSlowly(node, lane, place, reach: reach) }
  }

  @inline(never)
  private func widenSlowly(_ node: Int, _ lane: Int, _ place: ECEF, reach: Float) {
    let old = box(node, lane)
    var wider = Box()
    wider.low = SIMD3<Double>(old.center) - SIMD3<Double>(old.half)
    wider.high = SIMD3<Double>(old.center) + SIMD3<Double>(old.half)
    wider.include(place, reach: 0)
    let (center, half) = wider.centerAndHalf
    setBox(node, lane, LaneBox(center: center, half: half, reach: max(old.reach, reach)))
  }

  /// A node without children.
  mutating func newNode() -> Int {
    let node = nodes.take()
    clearLanes(node)
    return node
  }

  /// The place of a subtree in the node above it.
  func parent(ofNode node: Int) -> (node: Int, lane: Int) {
    let parent = Int(nodeParents[node])
    return (parent >> 4, parent & 15)
  }

  // MARK: Lanes of leaves

  @inline(__always)
  func record(_ leaf: Int, _ lane: Int) -> UnsafeMutableRawPointer {
    unsafe leaves.block(leaf) + TreeLayout.recordOffset + TreeLayout.recordSize * lane
  }

  /// The record of a row in use.
  func record(ofRow row: Int) -> RegionRecord {
    let position = Int(positions[row])
    return unsafe RegionRecord(UnsafeRawPointer(record(position >> 4, position & 15)))
  }

  /// Writes the lane of a region, less its record, relative to the leaf's origin.
  @inline(__always)
  mutating func writeLane(
    _ leaf: Int, _ lane: Int, row: UInt32, place: ECEF, reach: Float, origin: SIMD3<Float>,
    isPolygon: Bool
  ) {
    let rows = unsafe leaves.block(leaf).assumingMemoryBound(to: Float.self) + lane
    let record = unsafe record(leaf, lane)
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
    write(place.x, origin.x, 0)
    write(place.y, origin.y, 1)
    write(place.z, origin.z, 2)
    unsafe rows[48] = reach
    leafRows[leaf << 4 | lane] = row
    positions[Int(row)] = UInt32(truncatingIfNeeded: leaf << 4 | lane)
  }

  func clearLeafLane(_ leaf: Int, _ lane: Int) {
    let rows = unsafe leaves.block(leaf).assumingMemoryBound(to: Float.self) + lane
    for axis in 0..<3 { unsafe rows[16 * axis] = TreeLayout.farAway }
    unsafe rows[48] = 0
    unsafe record(leaf, lane).storeBytes(
      of: TreeLayout.noOrdinal, toByteOffset: TreeLayout.recordOrdinal, as: UInt32.self)
  }

  /// Writes the record of an arrival.
  static func write(_ arrival: Arrival, to record: UnsafeMutableRawPointer) {
    func put<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
      unsafe record.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }
    if let slot = arrival.polygonSlot {
      put(UInt32(truncatingIfNeeded: slot), TreeLayout.recordX)
      put(TreeLayout.polygonMark, TreeLayout.recordY)
      put(Float(0), TreeLayout.recordZ)
    }
    put(arrival.ordinal, TreeLayout.recordOrdinal)
    put(arrival.center.latitude, TreeLayout.recordLatitude)
    put(arrival.center.longitude, TreeLayout.recordLongitude)
    put(arrival.radius, TreeLayout.recordRadius)
  }
}
