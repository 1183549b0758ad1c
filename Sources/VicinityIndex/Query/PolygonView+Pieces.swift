internal import VicinityGeodesy

extension PolygonView {
  /// Calls `body` with the ends of every piece of edge that may come within `radius` metres, in a straight line, of a
  /// place.
  ///
  /// A piece lies within the sagitta of its chord, and boxes cover pieces with that.
  ///
  /// - Complexity: O(log n + pieces found) for boundaries that do not double back on themselves.
  func forEachPiece(near q: Vector3, radius: Meters, _ body: (ECEF, ECEF) -> Void) {
    guard pointCount > 0 else { return }
    let layout = layout
    let relative = q - origin
    let local = SIMD3(Float(relative.x), Float(relative.y), Float(relative.z))
    let reach = (radius + relative.length * 0x1p-23 + 1e-3) * (1 + 1e-6)
    let limit = Float(min(reach * reach, 1e37)).nextUp
    if layout.groupCount == 1 { return visit(group: 0, layout, q, radius, body) }
    visit(node: 0, level: layout.rootLevel, layout, local, limit, q, radius, body)
  }

  private func visit(
    node: Int, level: Int, _ layout: PolygonLayout, _ local: SIMD3<Float>, _ limit: Float, _ q: Vector3,
    _ radius: Meters, _ body: (ECEF, ECEF) -> Void
  ) {
    let (offset, _) = layout.level(level)
    let childCount = level == 0 ? layout.groupCount : layout.level(level - 1).nodeCount
    let start = offset + node * PolygonLayout.nodeSize
    var sum = SIMD16<Float>()
    for axis in 0..<3 {
      let low = load(start + 64 * axis, as: SIMD16<Float>.self)
      let high = load(start + 192 + 64 * axis, as: SIMD16<Float>.self)
      let p = SIMD16<Float>(repeating: local[axis])
      var gap = low - p
      let above = p - high
      gap.replace(with: above, where: above .> gap)
      gap.replace(with: 0, where: gap .< 0)
      sum += gap * gap
    }
    for lane in 0..<min(16, childCount - node * 16) where sum[lane] <= limit {
      if level == 0 {
        visit(group: node * 16 + lane, layout, q, radius, body)
      } else {
        visit(node: node * 16 + lane, level: level - 1, layout, local, limit, q, radius, body)
      }
    }
  }

  private func visit(
    group: Int, _ layout: PolygonLayout, _ q: Vector3, _ radius: Meters, _ body: (ECEF, ECEF) -> Void
  ) {
    for i in 8 * group..<min(8 * group + 8, layout.pointCount - 1)
    where marks(of: i, layout) & PolygonLayout.endsChainMark == 0 {
      let p1 = place(of: i, layout)
      let p2 = place(of: i + 1, layout)
      let e = p2 - p1
      let w = q - p1
      let ee = e.squaredLength
      let t = ee > 0 ? max(0, min(1, w.dot(e) / ee)) : 0
      let sagitta = 1.001 * ee / (8 * WGS84.minimumCurvatureRadius) + 1e-3
      guard (w - t * e).squaredLength <= (radius + sagitta) * (radius + sagitta) else { continue }
      body(ECEF(x: p1.x, y: p1.y, z: p1.z), ECEF(x: p2.x, y: p2.y, z: p2.z))
    }
  }
}
