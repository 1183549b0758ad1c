import VicinityGeodesy

@testable import VicinityIndex

extension UpdatableRegionIndex {
  /// Traps unless every part of the index is what the others say.
  func checkInvariants() { storage.checkInvariants() }
}

extension UpdatableStorage {
  /// Traps, with a sentence, unless everything is what the other parts say.
  func checkInvariants() {
    names.checkInvariants()
    tree.checkInvariants()
    precondition(names.count == tree.count, "as many identifiers as regions")
    var polygonal = 0
    for entry in names.liveEntries {
      let row = Int(entry.row)
      let record = tree.record(ofRow: row)
      precondition(record.ordinal == entry.ordinal, "a row leads to the record of its ordinal")
      let position = Int(tree.positions[row])
      precondition(Int(tree.leafRows[position]) == row, "a lane leads back to its row")
      if record.isPolygon {
        polygonal += 1
        precondition(polygons.polygon(record.polygonSlot) != nil, "a polygon's bytes are there")
      }
    }
    precondition(polygonal == polygonCount, "polygons are counted")
  }
}

extension DynamicTree {
  /// Traps unless every region lies in all boxes above it and is reached exactly once, and blocks are either
  /// in use or free.
  func checkInvariants() {
    var nodesSeen = Set<Int>()
    var leavesSeen = Set<Int>()
    let total = checkNode(0, boxes: [], &nodesSeen, &leavesSeen)
    precondition(total == count, "every region is reached once")
    Self.checkFree(nodes.free, count: nodes.count, inUse: nodesSeen)
    Self.checkFree(leaves.free, count: leaves.count, inUse: leavesSeen)
    for lane in 0..<Self.width {
      precondition(
        (child(0, lane) == TreeLayout.absent) == (rootStrata[lane] == Self.noStratum),
        "every subtree has a stratum")
    }
    for number in nodes.free {
      for lane in 0..<Self.width {
        precondition(child(Int(number), lane) == TreeLayout.absent, "a free node has no children")
      }
    }
  }

  private static func checkFree(_ free: [UInt32], count: Int, inUse: Set<Int>) {
    let free = Set(free.map { Int($0) })
    precondition(free.isDisjoint(with: inUse), "no block is both free and in use")
    precondition(free.count + inUse.count == count, "no block is lost")
  }

  private func checkNode(
    _ node: Int, boxes: [LaneBox], _ nodesSeen: inout Set<Int>, _ leavesSeen: inout Set<Int>
  ) -> Int {
    precondition(nodesSeen.insert(node).inserted, "a node has one parent")
    var total = 0
    var children = 0
    for lane in 0..<Self.width {
      let box = box(node, lane)
      let child = child(node, lane)
      guard child != TreeLayout.absent else {
        precondition(box.center.x == TreeLayout.farAway, "absent lanes are far away")
        continue
      }
      children += 1
      checkTop(node, lane)
      let number = Int(child & TreeLayout.childMask)
      let parent = UInt32(truncatingIfNeeded: node << 4 | lane)
      if Self.isLeaf(child) {
        precondition(leafParents[number] == parent, "a leaf knows its parent")
        precondition(leavesSeen.insert(number).inserted, "a leaf has one parent")
        total += checkLeaf(
          number, boxes: boxes + [box], isPolygonal: child & TreeLayout.polygonFlag != 0)
      } else {
        precondition(nodeParents[number] == parent, "a node knows its parent")
        total += checkNode(number, boxes: boxes + [box], &nodesSeen, &leavesSeen)
      }
    }
    precondition(node == 0 || children > 0, "only the root may be empty")
    return total
  }

  /// What is known to come first below a lane bounds all that is there, and a lane that is said to have one
  /// centre has.
  private func checkTop(_ node: Int, _ lane: Int) {
    let top = unsafe tops.base[node << 4 | lane]
    var centers = Set<Coordinate>()
    var hasPolygons = false
    func visit(_ child: UInt32) {
      let number = Int(child & TreeLayout.childMask)
      for lane in 0..<Self.width {
        guard Self.isLeaf(child) else {
          if self.child(number, lane) != TreeLayout.absent { visit(self.child(number, lane)) }
          continue
        }
        let record = unsafe RegionRecord(UnsafeRawPointer(record(number, lane)))
        guard record.ordinal != TreeLayout.noOrdinal else { continue }
        precondition(record.radius <= top.radius, "no circle is larger than what comes first")
        precondition(record.ordinal >= top.ordinal, "no ordinal is less than what comes first")
        centers.insert(record.center)
        if record.isPolygon { hasPolygons = true }
      }
    }
    visit(child(node, lane))
    guard TreeView.hasOneCenter(child(node, lane)) else { return }
    precondition(centers.count <= 1 && !hasPolygons, "a node that is said to have one centre has one")
  }

  private func checkLeaf(_ leaf: Int, boxes: [LaneBox], isPolygonal: Bool) -> Int {
    var total = 0
    let lanes = unsafe leaves.block(leaf).assumingMemoryBound(to: Float.self)
    for lane in 0..<Self.width {
      let record = unsafe RegionRecord(UnsafeRawPointer(record(leaf, lane)))
      guard leafRows[leaf << 4 | lane] != Self.noRow else {
        precondition(record.ordinal == TreeLayout.noOrdinal, "an empty lane has no ordinal")
        unsafe precondition(lanes[lane] == TreeLayout.farAway, "an empty lane is far away")
        continue
      }
      total += 1
      precondition(record.isPolygon == isPolygonal, "circles and polygons never share a leaf")
      let place = ECEF(unchecked: record.center)
      let reach = Box.inflated(record.radius)
      unsafe precondition(lanes[48 + lane] == reach, "a lane's reach is its radius")
      let p = SIMD3(place.x, place.y, place.z)
      for box in boxes {
        let offset = p - SIMD3<Double>(box.center)
        for axis in 0..<3 {
          precondition(abs(offset[axis]) <= Double(box.half[axis]), "a box holds what is below")
        }
        precondition(reach <= box.largestRadius, "a reach covers what is below")
      }
      guard let origin = boxes.last?.center, !isPolygonal else { continue }
      let low = record.remainder
      let parts = unsafe SIMD3(
        Double(lanes[lane]) + low.x, Double(lanes[16 + lane]) + low.y,
        Double(lanes[32 + lane]) + low.z)
      let error = parts + SIMD3<Double>(origin) - p
      precondition((error * error).sum() < 1e-14, "a lane places its region")
    }
    precondition(total == Int(leafCounts[leaf]) && total > 0, "a leaf counts its regions")
    return total
  }
}
