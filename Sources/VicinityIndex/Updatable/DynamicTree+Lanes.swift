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
    unsafe LaneBox(UnsafeRawPointer(nodes.block(node)), lane)
  }

  func setBox(_ node: Int, _ lane: Int, _ box: LaneBox) {
    unsafe box.write(to: nodes.block(node), lane)
  }

  /// Sets a child that is finished: its number and flags, its box, and what comes first below it. Whether all
  /// below a node has one centre is found out unless the flag says so already.
  ///
  /// - Parameter moved: What comes first below a child that is only moved from another lane, and does not
  ///   change.
  mutating func setChild(
    _ node: Int, _ lane: Int, _ child: UInt32, _ box: LaneBox, moved top: LaneTop? = nil
  ) {
    var child = child
    let number = Int(child & TreeLayout.childMask)
    let parent = UInt32(truncatingIfNeeded: node << 4 | lane)
    if Self.isLeaf(child) {
      leafParents[number] = parent
    } else {
      nodeParents[number] = parent
      if top == nil, child & TreeLayout.centerFlag == 0, commonCenter(ofNode: number) != nil {
        child |= TreeLayout.centerFlag
      }
    }
    unsafe box.write(to: nodes.block(node), lane, child: child)
    unsafe tops.base[node << 4 | lane] = top ?? self.top(of: child)
  }

  // MARK: Circles around one centre

  /// What comes first below a child.
  private func top(of child: UInt32) -> LaneTop {
    let number = Int(child & TreeLayout.childMask)
    var top = LaneTop.none
    for lane in 0..<Self.width {
      if !Self.isLeaf(child) {
        guard self.child(number, lane) != TreeLayout.absent else { continue }
        unsafe top.include(tops.base[number << 4 | lane])
      } else {
        let record = unsafe RegionRecord(UnsafeRawPointer(record(number, lane)))
        guard record.ordinal != TreeLayout.noOrdinal else { continue }
        top.include(LaneTop(radius: record.radius, ordinal: record.ordinal))
      }
    }
    return top
  }

  /// The centre of all circles below a node; nil where there are several, or polygons.
  private func commonCenter(ofNode node: Int) -> Coordinate? {
    var common: Coordinate?
    for lane in 0..<Self.width {
      let child = child(node, lane)
      guard child != TreeLayout.absent else { continue }
      guard let center = commonCenter(of: child), common == nil || center == common else { return nil }
      common = center
    }
    return common
  }

  private func commonCenter(of child: UInt32) -> Coordinate? {
    let number = Int(child & TreeLayout.childMask)
    guard Self.isLeaf(child) else {
      return child & TreeLayout.centerFlag != 0 ? someCenter(of: child) : nil
    }
    guard child & TreeLayout.polygonFlag == 0 else { return nil }
    var common: Coordinate?
    for lane in 0..<Self.width {
      let record = unsafe RegionRecord(UnsafeRawPointer(record(number, lane)))
      guard record.ordinal != TreeLayout.noOrdinal else { continue }
      guard common == nil || record.center == common else { return nil }
      common = record.center
    }
    return common
  }

  /// The centre of a region below a child.
  private func someCenter(of child: UInt32) -> Coordinate? {
    var child = child
    while !Self.isLeaf(child) {
      let number = Int(child & TreeLayout.childMask)
      guard let lane = (0..<Self.width).first(where: { self.child(number, $0) != TreeLayout.absent }) else {
        return nil
      }
      child = self.child(number, lane)
    }
    return commonCenter(of: child)
  }

  /// Makes room, in what is known of a lane, for a region that comes below it.
  @inline(__always)
  mutating func admit(_ entry: LeafEntry, below node: Int, _ lane: Int) {
    unsafe tops.base[node << 4 | lane].include(LaneTop(radius: entry.radius, ordinal: entry.ordinal))
    let child = child(node, lane)
    guard !Self.isLeaf(child), child & TreeLayout.centerFlag != 0,
      entry.isPolygon || someCenter(of: child) != entry.center
    else { return }
    unsafe nodes.block(node).storeBytes(
      of: child & ~TreeLayout.centerFlag, toByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
  }

  func clearLane(_ node: Int, _ lane: Int) {
    unsafe LaneBox.absent.write(to: nodes.block(node), lane, child: TreeLayout.absent)
  }

  func clearLanes(_ node: Int) {
    for lane in 0..<Self.width { clearLane(node, lane) }
  }

  /// An absent lane; nil when the node is full.
  func freeLane(_ node: Int) -> Int? {
    for lane in 0..<Self.width where child(node, lane) == TreeLayout.absent { return lane }
    return nil
  }

  func union(_ node: Int) -> LaneBox {
    var all = Box()
    var largestRadius: Float = 0
    for lane in 0..<Self.width where child(node, lane) != TreeLayout.absent {
      let box = box(node, lane)
      all.include(box.box)
      largestRadius = max(largestRadius, box.largestRadius)
    }
    return LaneBox(all, largestRadius: largestRadius)
  }

  /// Whether a lane's box holds a point and its largest radius covers an inflated radius.
  @inline(__always)
  func holds(_ node: Int, _ lane: Int, _ point: ECEF, radius: Float) -> Bool {
    let p = unsafe self.lane(node, lane)
    return unsafe abs(point.x - Double(p[0])) <= Double(p[48])
      && abs(point.y - Double(p[16])) <= Double(p[64])
      && abs(point.z - Double(p[32])) <= Double(p[80])
      && radius <= p[96]
  }

  /// Widens a lane's box to a point and an inflated radius.
  @inline(__always)
  func widen(_ node: Int, _ lane: Int, _ point: ECEF, radius: Float) {
    if !holds(node, lane, point, radius: radius) { widenSlowly(node, lane, point, radius: radius) }
  }

  @inline(never)
  private func widenSlowly(_ node: Int, _ lane: Int, _ point: ECEF, radius: Float) {
    let old = box(node, lane)
    var wider = old.box
    wider.include(point, radius: 0)
    setBox(node, lane, LaneBox(wider, largestRadius: max(old.largestRadius, radius)))
  }

  mutating func newNode() -> Int {
    let node = nodes.allocate()
    clearLanes(node)
    return node
  }

  /// The node above a subtree, and the subtree's lane there.
  func parent(ofNode node: Int) -> (node: Int, lane: Int) {
    let parent = Int(nodeParents[node])
    return (parent >> 4, parent & 15)
  }

  // MARK: Lanes of leaves

  @inline(__always)
  func record(_ leaf: Int, _ lane: Int) -> UnsafeMutableRawPointer {
    unsafe leaves.block(leaf) + TreeLayout.recordOffset + TreeLayout.recordSize * lane
  }

  func record(ofRow row: Int) -> RegionRecord {
    let position = Int(positions[row])
    return unsafe RegionRecord(UnsafeRawPointer(record(position >> 4, position & 15)))
  }

  /// Writes the lane of a region, relative to the leaf's origin, and what rounding leaves over into its
  /// record.
  @inline(__always)
  mutating func writeLane(
    _ leaf: Int, _ lane: Int, row: UInt32, point: ECEF, radius: Float, origin: SIMD3<Float>, isPolygon: Bool
  ) {
    unsafe LeafEntry.writeLane(
      point, largestRadius: radius, isPolygon: isPolygon, to: leaves.block(leaf), lane, origin: origin)
    leafRows[leaf << 4 | lane] = row
    positions[Int(row)] = UInt32(truncatingIfNeeded: leaf << 4 | lane)
  }

  func clearLeafLane(_ leaf: Int, _ lane: Int) {
    unsafe LeafEntry.clearLane(of: leaves.block(leaf), lane)
  }
}
