internal import CVicinityKernels
package import VicinityGeodesy

extension PolygonView {
  /// Calls `body` with the ends of every piece of edge that may come within `radius` metres of a point, in a straight line.
  ///
  /// A piece lies within the sagitta of its chord, and the boxes cover pieces including the sagitta.
  ///
  /// - Complexity: O(log n + pieces found) for boundaries that do not double back on themselves.
  package func forEachPiece(near ecef: ECEF, radius: Meters, _ body: (ECEF, ECEF) -> Void) {
    guard pointCount > 0 else { return }
    let q = Vector3(ecef)
    let layout = layout
    if layout.groupCount == 1 { return visit(group: 0, layout, q, radius, body) }
    var frame = SearchFrame(self, q)
    // The gaps' own rounding, and their lane numbers, as in ``BoundarySearch``.
    let reach = (Float(min(radius, 1e9)).nextUp + frame.boxError) * (1 + 0x1p-19)
    visit(
      node: 0, at: PolygonLayout.rootOffset, level: layout.rootLevel, layout, &frame, reach * reach, q,
      radius, body)
  }

  private func visit(
    node: Int, at offset: Int, level: Int, _ layout: PolygonLayout, _ frame: inout SearchFrame,
    _ limit: Float, _ q: Vector3, _ radius: Meters, _ body: (ECEF, ECEF) -> Void
  ) {
    let childCount = level == 0 ? layout.groupCount : layout.nodeCount(level - 1)
    let present = min(16, childCount - node * 16)
    var gaps = InlineArray<16, Float>(repeating: .infinity)
    var span = gaps.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let gaps = buffer.baseAddress else { return }
      _ = unsafe boxGaps(at: offset, &frame, count: present, gaps)
    }
    for lane in 0..<max(0, present) where gaps[lane] <= limit {
      let child = node * 16 + lane
      if level == 0 {
        visit(group: child, layout, q, radius, body)
      } else {
        visit(
          node: child, at: layout.nodeOffset(level - 1) + child * PolygonLayout.nodeSize, level: level - 1,
          layout, &frame, limit, q, radius, body)
      }
    }
  }

  private func visit(
    group: Int, _ layout: PolygonLayout, _ q: Vector3, _ radius: Meters, _ body: (ECEF, ECEF) -> Void
  ) {
    let first = group * PolygonLayout.groupWidth
    let offset = layout.groupsOffset + group * PolygonLayout.groupSize
    let origin = origin
    for lane in 0..<min(PolygonLayout.groupWidth, layout.pointCount - 1 - first)
    where marks(of: first + lane, layout) & PolygonLayout.endsChainMark == 0 {
      let p1 = place(group: offset, lane: lane, origin: origin)
      let p2 = place(group: offset, lane: lane + 1, origin: origin)
      let e = p2 - p1
      let w = q - p1
      let ee = e.squaredLength
      let t = ee > 0 ? max(0, min(1, w.dot(e) / ee)) : 0
      let limit = radius + PolygonTree.sagitta(ee)
      guard (w - t * e).squaredLength <= limit * limit else { continue }
      body(ECEF(x: p1.x, y: p1.y, z: p1.z), ECEF(x: p2.x, y: p2.y, z: p2.z))
    }
  }
}
