internal import VicinityGeodesy

extension PolygonView {
  /// How far recomputed places may be from those in the bytes, metres: another system's sine may differ in its
  /// last bit.
  private static let slack = 1e-7

  /// Compares what searches go by with what it follows from: places with coordinates, split points with their
  /// edges, boxes with the edges below them, the bounding circle with the points.
  ///
  /// That rings do not cross, and which side is inside, are what the polygon states; they are not checked.
  ///
  /// - Precondition: the bytes have passed ``validate(_:)``.
  /// - Throws: ``PolygonBlobError/invalidValue(field:index:)``.
  /// - Complexity: O(n)
  func checkContents() throws(PolygonBlobError) {
    let layout = layout
    guard layout.pointCount > 0 else {
      guard boundingRadius == Polygon.unboundedRadius else {
        throw .invalidValue(field: "bounding radius", index: 0)
      }
      return
    }
    for i in 0..<layout.pointCount {
      let error = place(of: i, layout) - Vector3(unchecked: coordinate(of: i, layout))
      guard error.squaredLength <= Self.slack * Self.slack else {
        throw .invalidValue(field: "place", index: i)
      }
    }
    try checkEdges(layout)
    try checkBoxes(layout)
    try checkCircle(layout)
  }

  /// Long edges are split where geodesics go, and nothing else is.
  private func checkEdges(_ layout: PolygonLayout) throws(PolygonBlobError) {
    var start = 0
    var length = 0.0
    for i in 1..<layout.pointCount {
      if marks(of: i - 1, layout) & PolygonLayout.endsChainMark != 0 {
        start = i
        length = 0
        continue
      }
      let chord = (place(of: i, layout) - place(of: i - 1, layout)).length
      guard chord <= EdgeKernel.maximumLength else {
        throw .invalidValue(field: "edge", index: i - 1)
      }
      // Different coordinates may share a place: searches pass over an edge of no length, whose ends are its
      // neighbours', but a chain of nothing else would not be found.
      length += chord
      let mark = marks(of: i, layout)
      guard length > 0 || mark & PolygonLayout.endsChainMark == 0 else {
        throw .invalidValue(field: "chain", index: i)
      }
      if mark & PolygonLayout.vertexMark != 0 {
        try checkSplit(from: start, to: i, layout)
        start = i
      }
    }
  }

  private func checkSplit(
    from start: Int, to end: Int, _ layout: PolygonLayout
  ) throws(PolygonBlobError) {
    guard end - start > 1 else { return }
    let points = PolygonBlob.splitPoints(coordinate(of: start, layout), coordinate(of: end, layout))
    guard points.count == end - start - 1 else {
      throw .invalidValue(field: "split point", index: start + 1)
    }
    for (k, point) in points.enumerated() {
      let error = place(of: start + 1 + k, layout) - Vector3(unchecked: point)
      guard error.squaredLength <= 1e-12 else {
        throw .invalidValue(field: "split point", index: start + 1 + k)
      }
    }
  }

  private typealias Bounds = (low: SIMD3<Double>, high: SIMD3<Double>)

  /// Every box covers what is below it, from the groups of edges to the root.
  private func checkBoxes(_ layout: PolygonLayout) throws(PolygonBlobError) {
    var boxes = [Bounds](
      repeating: (SIMD3(repeating: .infinity), SIMD3(repeating: -.infinity)), count: layout.groupCount)
    for i in 0..<layout.pointCount - 1 where marks(of: i, layout) & PolygonLayout.endsChainMark == 0 {
      let p1 = place(of: i, layout) - origin
      let p2 = place(of: i + 1, layout) - origin
      let margin = 1.001 * (p2 - p1).squaredLength / (8 * WGS84.minimumCurvatureRadius) + 1e-3
      for p in [p1, p2] {
        let p = SIMD3(p.x, p.y, p.z)
        boxes[i / 8].low = pointwiseMin(boxes[i / 8].low, p - margin)
        boxes[i / 8].high = pointwiseMax(boxes[i / 8].high, p + margin)
      }
    }
    var level = 0
    while true {
      let (offset, nodeCount) = layout.level(level)
      var parents = [Bounds](
        repeating: (SIMD3(repeating: .infinity), SIMD3(repeating: -.infinity)), count: nodeCount)
      for (i, box) in boxes.enumerated() {
        let lane = offset + i / 16 * PolygonLayout.nodeSize + i % 16 * 4
        for axis in 0..<3 {
          let low = Double(load(lane + 64 * axis, as: Float.self))
          let high = Double(load(lane + 192 + 64 * axis, as: Float.self))
          guard low <= box.low[axis] + Self.slack, high >= box.high[axis] - Self.slack else {
            throw .invalidValue(field: "tree box", index: lane + 64 * axis)
          }
        }
        parents[i / 16].low = pointwiseMin(parents[i / 16].low, box.low)
        parents[i / 16].high = pointwiseMax(parents[i / 16].high, box.high)
      }
      if nodeCount == 1 { return }
      boxes = parents
      level += 1
    }
  }

  /// No point is beyond the bounding circle; and the region is the inside of its boundary, not the outside.
  private func checkCircle(_ layout: PolygonLayout) throws(PolygonBlobError) {
    guard boundingRadius < Polygon.unboundedRadius else { return }
    guard boundingRadius < 9_000_000 else {
      throw .invalidValue(field: "bounding radius", index: 0)
    }
    let center = Vector3(unchecked: boundingCenter)
    var farthest = (chord: 0.0, point: 0)
    for i in 0..<layout.pointCount {
      let chord = (place(of: i, layout) - center).length
      if chord > farthest.chord { farthest = (chord, i) }
    }
    guard EdgeKernel.longestGeodesic(overChord: farthest.chord) <= boundingRadius else {
      throw .invalidValue(field: "bounding radius", index: farthest.point)
    }
    let azimuth = Geodesic.uncheckedInverse(
      boundingCenter, coordinate(of: farthest.point, layout)
    ).azimuth1
    let outside = Geodesic.uncheckedDirect(
      boundingCenter, azimuth: azimuth, distance: boundingRadius * 1.001 + 10
    ).coordinate
    guard !contains(outside, ecef: ECEF(unchecked: outside)) else {
      throw .invalidValue(field: "bounding circle", index: 0)
    }
  }
}
