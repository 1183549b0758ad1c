extension DynamicTree {
  /// The most leaves that a node's regions are repacked into; for more, a second node is added.
  private static let mostLeavesOfOneNode = 15

  /// Copies a leaf's regions to the scratch.
  mutating func gather(_ leaf: Int) {
    for lane in 0..<Self.width {
      let row = leafRows[leaf << 4 | lane]
      guard row != Self.noRow else { continue }
      unsafe scratch.append(UnsafeRawPointer(record(leaf, lane)), row: row)
    }
  }

  /// Copies the regions of all leaves of a node to the scratch.
  mutating func gatherLeaves(of node: Int) {
    for lane in 0..<Self.width {
      let child = child(node, lane)
      if child != TreeLayout.absent { gather(Int(child & TreeLayout.childMask)) }
    }
  }

  /// Writes the regions in the scratch, which were a node's, into well filled leaves of that node, or of it
  /// and a new sibling.
  mutating func repack(_ node: Int, isPolygonal: Bool) {
    for lane in 0..<Self.width {
      let child = child(node, lane)
      if child != TreeLayout.absent { releaseLeaf(Int(child & TreeLayout.childMask)) }
    }
    clearLanes(node)
    let leafCount = RepackScratch.leafCount(scratch.count)
    scratch.order(leafCount: leafCount)
    guard leafCount > Self.mostLeavesOfOneNode else {
      fill(node, 0..<scratch.count, leafCount: leafCount, isPolygonal: isPolygonal)
      let place = parent(ofNode: node)
      setChild(place.node, place.lane, UInt32(truncatingIfNeeded: node), union(node))
      return
    }
    let free = makeRoom(above: node)
    let sibling = newNode()
    let middle = RepackScratch.middle(scratch.count, leafCount: leafCount)
    fill(node, 0..<middle, leafCount: leafCount / 2, isPolygonal: isPolygonal)
    fill(
      sibling, middle..<scratch.count, leafCount: leafCount - leafCount / 2, isPolygonal: isPolygonal)
    let place = parent(ofNode: node)
    setChild(place.node, place.lane, UInt32(truncatingIfNeeded: node), union(node))
    setChild(free.node, free.lane, UInt32(truncatingIfNeeded: sibling), union(sibling))
  }

  private mutating func fill(
    _ node: Int, _ range: Range<Int>, leafCount: Int, isPolygonal: Bool
  ) {
    var stretches: [Range<Int>] = []
    stretches.reserveCapacity(leafCount)
    RepackScratch.forEachLeaf(range, leafCount: leafCount) { stretches.append($0) }
    for (lane, stretch) in stretches.enumerated() {
      writeLeaf(leaves.allocate(), node, lane, stretch, isPolygonal: isPolygonal)
    }
  }

  /// Writes a stretch of the scratch into a leaf, and the leaf into a lane.
  mutating func writeLeaf(
    _ leaf: Int, _ node: Int, _ lane: Int, _ range: Range<Int>, isPolygonal: Bool
  ) {
    assert(!range.isEmpty && range.count <= Self.width)
    var box = Box()
    for k in range {
      let i = Int(unsafe scratch.items.base[k].index)
      unsafe box.include(scratch.points.base[i], radius: RegionRecord(scratch.record(i)).radius)
    }
    let laneBox = LaneBox(box)
    for slot in 0..<Self.width {
      guard slot < range.count else {
        clearLeafLane(leaf, slot)
        leafRows[leaf << 4 | slot] = Self.noRow
        continue
      }
      let i = Int(unsafe scratch.items.base[range.lowerBound + slot].index)
      unsafe record(leaf, slot).copyMemory(
        from: scratch.record(i), byteCount: TreeLayout.recordSize)
      unsafe writeLane(
        leaf, slot, row: scratch.rows.base[i], point: scratch.points.base[i],
        radius: Box.inflated(RegionRecord(scratch.record(i)).radius), origin: laneBox.center,
        isPolygon: isPolygonal)
    }
    leafCounts[leaf] = UInt8(truncatingIfNeeded: range.count)
    var child = UInt32(truncatingIfNeeded: leaf) | TreeLayout.leafFlag
    if isPolygonal { child |= TreeLayout.polygonFlag }
    setChild(node, lane, child, laneBox)
  }

  /// Releases a leaf that no node refers to any more.
  mutating func releaseLeaf(_ leaf: Int) {
    leafCounts[leaf] = 0
    leaves.release(leaf)
  }

  // MARK: Removal

  /// Takes a region out.
  ///
  /// - Complexity: amortised O(log n) at worst, O(1) as a rule.
  mutating func remove(row: Int) {
    let position = Int(positions[row])
    let leaf = position >> 4
    clearLeafLane(leaf, position & 15)
    leafRows[position] = Self.noRow
    leafCounts[leaf] -= 1
    count -= 1
    let parent = Int(leafParents[leaf])
    let left = leafCounts[leaf]
    if left == 0 {
      releaseLeaf(leaf)
      cut(parent >> 4, parent & 15)
    } else if left & 3 == 0, parent >> 4 != 0, !condense(parent >> 4) {
      tighten(leaf)
    }
  }

  /// Shrinks the box of a leaf, and of the node above it, to fit their regions.
  private mutating func tighten(_ leaf: Int) {
    let parent = Int(leafParents[leaf])
    let child = child(parent >> 4, parent & 15)
    scratch.clear()
    gather(leaf)
    writeLeaf(
      leaf, parent >> 4, parent & 15, 0..<scratch.count,
      isPolygonal: child & TreeLayout.polygonFlag != 0)
    let place = self.parent(ofNode: parent >> 4)
    setBox(place.node, place.lane, union(parent >> 4))
  }

  /// Clears a lane, and removes the nodes above it that have no children left.
  private mutating func cut(_ node: Int, _ lane: Int) {
    clearLane(node, lane)
    guard node != 0 else {
      rootStrata[lane] = Self.noStratum
      return
    }
    for other in 0..<Self.width where child(node, other) != TreeLayout.absent { return }
    let place = parent(ofNode: node)
    nodes.release(node)
    cut(place.node, place.lane)
  }

  /// Repacks a node of leaves whose regions would go into four fifths of them; whether it did.
  private mutating func condense(_ node: Int) -> Bool {
    var total = 0
    var leafCount = 0
    var isPolygonal = false
    for lane in 0..<Self.width {
      let child = child(node, lane)
      guard child != TreeLayout.absent else { continue }
      guard Self.isLeaf(child) else { return false }
      isPolygonal = child & TreeLayout.polygonFlag != 0
      leafCount += 1
      total += Int(leafCounts[Int(child & TreeLayout.childMask)])
    }
    guard RepackScratch.leafCount(total) * 5 <= leafCount * 4 else { return false }
    scratch.clear()
    gatherLeaves(of: node)
    repack(node, isPolygonal: isPolygonal)
    return true
  }
}
