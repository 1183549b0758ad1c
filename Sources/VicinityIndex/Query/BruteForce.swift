internal import VicinityGeodesy

/// The scan of every region with the authority: PROJ for circles, every edge for polygons. The oracle
/// that every other path is held to, kept in the product behind ``QueryOptions/usesBruteForce``.
enum BruteForce {
  /// Makes every live region a finalist.
  static func scan(
    _ trees: UnsafeBufferPointer<TreeView>, _ position: Coordinate,
    _ scratch: inout QueryScratch
  ) {
    scratch.reset()
    for t in 0..<trees.count {
      let tree = unsafe trees[t]
      for n in 0..<tree.nodeCount {
        for lane in 0..<TreeLayout.width {
          let child = unsafe tree.node(n).load(
            fromByteOffset: TreeLayout.child + 4 * lane, as: UInt32.self)
          guard child != TreeLayout.absent, child & TreeLayout.leafFlag != 0 else { continue }
          scanLeaf(
            tree, Int(child & TreeLayout.childMask),
            isPolygonal: child & TreeLayout.polygonFlag != 0, position, &scratch)
        }
      }
    }
  }

  private static func scanLeaf(
    _ tree: TreeView, _ number: Int, isPolygonal: Bool, _ position: Coordinate,
    _ scratch: inout QueryScratch
  ) {
    let live = unsafe tree.live.map { unsafe UInt32($0[number]) } ?? 0xffff
    for lane in 0..<TreeLayout.width where live & (1 << UInt32(lane)) != 0 {
      let record = unsafe RegionRecord(
        tree.leaf(number) + TreeLayout.recordOffset + TreeLayout.recordSize * lane)
      guard record.ordinal < tree.ordinalLimit else { continue }
      if isPolygonal {
        guard let polygon = tree.polygon(record.polygonSlot) else { continue }
        unsafe scratch.append(
          QueryScratch.Finalist(
            distance: polygon.bruteForceSignedBoundaryDistance(from: position), error: 0,
            center: .nan, record: record.base))
      } else {
        let s12 = Geodesic.uncheckedDistance(position, record.center)
        unsafe scratch.append(
          QueryScratch.Finalist(
            distance: s12 - record.radius, error: 0, center: s12, record: record.base))
      }
    }
  }
}
