internal import CVicinityKernels
internal import VicinityGeodesy

extension DynamicTree {
  static func stratum(radius: Double, isPolygon: Bool) -> UInt8 {
    UInt8(
      truncatingIfNeeded: TreeBuilder.stratum(ofRadius: radius)
        + (isPolygon ? TreeBuilder.stratumCount : 0))
  }

  private func rootLanes(_ stratum: UInt8) -> UInt32 {
    var lanes: UInt32 = 0
    for lane in 0..<Self.width where rootStrata[lane] == stratum { lanes |= 1 << UInt32(lane) }
    return lanes
  }

  /// Puts a region in.
  ///
  /// - Precondition: room was reserved.
  /// - Complexity: amortised O(log n)
  mutating func insert(_ entry: LeafEntry, row: Int) {
    if positions.count <= row {
      positions.append(contentsOf: repeatElement(0, count: row + 1 - positions.count))
    }
    count += 1
    let point = entry.point
    let radius = Box.inflated(entry.radius)
    let stratum = Self.stratum(radius: entry.radius, isPolygon: entry.isPolygon)
    let lanes = rootLanes(stratum)
    guard lanes != 0 else {
      let lane = freeRootLane(for: stratum)
      scratch.clear()
      scratch.append(entry, row: row)
      writeLeaf(leaves.allocate(), 0, lane, 0..<1, isPolygonal: entry.isPolygon)
      return
    }
    let x = Float(point.x)
    let y = Float(point.y)
    let z = Float(point.z)
    let r = Float(min(entry.radius, 1e8))
    var node = 0
    var lane = Int(unsafe vk_best_child(nodes.block(0), x, y, z, r, lanes))
    while true {
      admit(entry, below: node, lane)
      let child = child(node, lane)
      if Self.isLeaf(child) { break }
      widen(node, lane, point, radius: radius)
      node = Int(child & TreeLayout.childMask)
      lane = Int(unsafe vk_best_child(nodes.block(node), x, y, z, r, 0xffff))
    }
    let leaf = Int(child(node, lane) & TreeLayout.childMask)
    if Int(leafCounts[leaf]) == Self.width {
      split(leaf, entry, row: row)
    } else if holds(node, lane, point, radius: radius) {
      put(entry, row: row, leaf, node, lane, radius)
    } else {
      scratch.clear()
      gather(leaf)
      scratch.append(entry, row: row)
      writeLeaf(
        leaf, node, lane, 0..<scratch.count, isPolygonal: entry.isPolygon)
    }
  }

  /// Puts a region into a leaf that has room, and whose box holds it.
  private mutating func put(
    _ entry: LeafEntry, row: Int, _ leaf: Int, _ node: Int, _ lane: Int, _ radius: Float
  ) {
    var free = 0
    while leafRows[leaf << 4 | free] != Self.noRow { free += 1 }
    unsafe entry.writeRecord(to: record(leaf, free))
    writeLane(
      leaf, free, row: UInt32(truncatingIfNeeded: row), point: entry.point, radius: radius,
      origin: box(node, lane).center, isPolygon: entry.isPolygon)
    leafCounts[leaf] += 1
  }

  /// Splits a full leaf to insert one more region. When the node is full too, repacks all its leaves.
  private mutating func split(_ leaf: Int, _ entry: LeafEntry, row: Int) {
    var node = Int(leafParents[leaf]) >> 4
    if node == 0 {
      // A stratum outgrows its one leaf: insert a node above the leaf.
      let lane = Int(leafParents[leaf]) & 15
      let box = box(0, lane)
      node = newNode()
      setChild(node, 0, child(0, lane), box)
      setChild(0, lane, UInt32(truncatingIfNeeded: node), box)
      admit(entry, below: 0, lane)
      widen(0, lane, entry.point, radius: Box.inflated(entry.radius))
    }
    if freeLane(node) == nil {
      if hasOnlyLeaves(node) {
        scratch.clear()
        gatherLeaves(of: node)
        scratch.append(entry, row: row)
        repack(node, isPolygonal: entry.isPolygon)
        return
      }
      split(node)
      node = Int(leafParents[leaf]) >> 4
    }
    guard let free = freeLane(node) else {
      preconditionFailure("a node that was split has room")
    }
    scratch.clear()
    gather(leaf)
    scratch.append(entry, row: row)
    scratch.order(leafCount: 2)
    let isPolygonal = entry.isPolygon
    let middle = RepackScratch.middle(scratch.count, leafCount: 2)
    writeLeaf(leaf, node, Int(leafParents[leaf]) & 15, 0..<middle, isPolygonal: isPolygonal)
    writeLeaf(leaves.allocate(), node, free, middle..<scratch.count, isPolygonal: isPolygonal)
  }

  /// A free lane of the root for a stratum. When no lane is free, the lanes of the stratum with the most are
  /// gathered under a new node first.
  private mutating func freeRootLane(for stratum: UInt8) -> Int {
    if freeLane(0) == nil {
      var most: UInt32 = 0
      for other in 0..<UInt8(Self.stratumCount) {
        let lanes = rootLanes(other)
        if lanes.nonzeroBitCount > most.nonzeroBitCount { most = lanes }
      }
      let node = newNode()
      let kept = most.trailingZeroBitCount
      for (i, lane) in (0..<Self.width).filter({ most & (1 << UInt32($0)) != 0 }).enumerated() {
        setChild(node, i, child(0, lane), box(0, lane), moved: unsafe tops.base[lane])
        guard lane != kept else { continue }
        clearLane(0, lane)
        rootStrata[lane] = Self.noStratum
      }
      setChild(0, kept, UInt32(truncatingIfNeeded: node), union(node))
    }
    guard let free = freeLane(0) else {
      preconditionFailure("sixteen lanes and fewer strata leave some stratum several")
    }
    rootStrata[free] = stratum
    return free
  }

  /// Replaces children of the root by their own children, as long as some of the root's lanes stay free:
  /// every search then reads fewer nodes.
  mutating func flattenRoot() {
    let spare = 4
    for lane in 0..<Self.width {
      let top = child(0, lane)
      guard top != TreeLayout.absent, !Self.isLeaf(top) else { continue }
      let node = Int(top & TreeLayout.childMask)
      let children = (0..<Self.width).filter { child(node, $0) != TreeLayout.absent }
      let free = (0..<Self.width).filter { child(0, $0) == TreeLayout.absent }
      guard children.count - 1 + spare <= free.count else { continue }
      for (source, target) in zip(children, [lane] + free) {
        let top = unsafe tops.base[node << 4 | source]
        setChild(0, target, child(node, source), box(node, source), moved: top)
        rootStrata[target] = rootStrata[lane]
      }
      clearLanes(node)
      nodes.release(node)
    }
  }

  private func hasOnlyLeaves(_ node: Int) -> Bool {
    for lane in 0..<Self.width {
      let child = child(node, lane)
      if child != TreeLayout.absent, !Self.isLeaf(child) { return false }
    }
    return true
  }

  /// Makes sure that the node above `node` has a free lane, and returns it. In the root it belongs to the
  /// node's stratum.
  mutating func makeRoom(above node: Int) -> (node: Int, lane: Int) {
    var parent = parent(ofNode: node)
    if parent.node == 0 {
      let lane = freeRootLane(for: rootStrata[parent.lane])
      // Unless the node's own stratum was gathered under a new node, which is the node's parent now.
      guard self.parent(ofNode: node).node != 0 else { return (0, lane) }
      rootStrata[lane] = Self.noStratum
      parent = self.parent(ofNode: node)
    }
    if let free = freeLane(parent.node) { return (parent.node, free) }
    split(parent.node)
    parent = self.parent(ofNode: node)
    guard let free = freeLane(parent.node) else {
      preconditionFailure("a node that was split has room")
    }
    return (parent.node, free)
  }

  /// Splits a node in two, half of its children each, along the axis on which their centres spread widest.
  private mutating func split(_ node: Int) {
    let free = makeRoom(above: node)
    var low = SIMD4<Float>(repeating: .infinity)
    var high = SIMD4<Float>(repeating: -.infinity)
    var children: [(key: SIMD4<Float>, child: UInt32, box: LaneBox, top: LaneTop)] = []
    children.reserveCapacity(Self.width)
    for lane in 0..<Self.width where child(node, lane) != TreeLayout.absent {
      let box = box(node, lane)
      let key = SIMD4(box.center, min(box.largestRadius, 1e30))
      low.replace(with: key, where: key .< low)
      high.replace(with: key, where: key .> high)
      unsafe children.append((key, child(node, lane), box, tops.base[node << 4 | lane]))
    }
    let spread = high - low
    var axis = 0
    for candidate in 1..<4 where spread[candidate] > spread[axis] { axis = candidate }
    children.sort { ($0.key[axis], $0.child) < ($1.key[axis], $1.child) }
    let sibling = newNode()
    clearLanes(node)
    let half = (children.count + 1) / 2
    for (i, entry) in children.enumerated() {
      if i < half {
        setChild(node, i, entry.child, entry.box, moved: entry.top)
      } else {
        setChild(sibling, i - half, entry.child, entry.box, moved: entry.top)
      }
    }
    let place = parent(ofNode: node)
    setChild(place.node, place.lane, UInt32(truncatingIfNeeded: node), union(node))
    setChild(
      free.node, free.lane, UInt32(truncatingIfNeeded: sibling), union(sibling))
  }
}
