internal import VicinityGeodesy

extension PolygonView {
  /// How far recomputed places may be from those in the bytes, metres: these are rounded to 6e-8 m on each
  /// axis, and another system's sine may differ in its last bit.
  private static let slack = 1e-7

  /// Checks derived data against their sources: places against coordinates, split points against their edges,
  /// boxes against the edges below them, the bounding circle against the points.
  ///
  /// Whether rings cross, and which side is inside, is not checked.
  ///
  /// - Precondition: the bytes have passed ``validate(_:)``.
  /// - Throws: ``PolygonBlobError/invalidValue(field:index:)``.
  /// - Complexity: O(n)
  package func checkContents() throws(PolygonBlobError) {
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
    try checkGroups(layout)
    try checkBoxes(layout)
    try checkCircle(layout)
  }

  /// Checks that long edges are split along geodesics, and short ones not at all.
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

  /// Checks that the remainders, size and slack of groups hold what traversals rely on.
  private func checkGroups(_ layout: PolygonLayout) throws(PolygonBlobError) {
    typealias Group = PolygonLayout.Group
    for group in 0..<layout.groupCount {
      let base = layout.groupsOffset + group * PolygonLayout.groupSize
      let step = Double(float(base + Group.step))
      let center = center(group: base, origin: origin)
      var greatest = SIMD3<Double>()
      for lane in 0...PolygonLayout.groupWidth {
        for axis in 0..<3 {
          let remainder = Int32(
            littleEndian: load(base + Group.remainders + 12 * lane + 4 * axis, as: Int32.self))
          guard abs(Double(remainder)) * PolygonLayout.remainderUnit <= 0.5 * step else {
            throw .invalidValue(field: "remainder", index: 16 * group + lane)
          }
        }
        let offset = place(group: base, lane: lane, origin: origin) - center
        let reach = SIMD3(abs(offset.x), abs(offset.y), abs(offset.z))
        greatest = pointwiseMax(greatest, reach)
      }
      let size = greatest.x + greatest.y + greatest.z
      guard Double(float(base + Group.size)) >= size else {
        throw .invalidValue(field: "group size", index: group)
      }
      let first = group * PolygonLayout.groupWidth
      for i in first..<min(first + PolygonLayout.groupWidth, layout.pointCount - 1)
      where marks(of: i, layout) & PolygonLayout.endsChainMark == 0 {
        let chord = place(of: i + 1, layout) - place(of: i, layout)
        let slack = PolygonTree.sagitta(chord.squaredLength) + PolygonLayout.stepSlack * step
        guard Double(float(base + Group.slack)) >= slack else {
          throw .invalidValue(field: "group slack", index: group)
        }
      }
    }
  }

  /// Checks that every box covers what is below it, from the groups of edges to the root.
  private func checkBoxes(_ layout: PolygonLayout) throws(PolygonBlobError) {
    var boxes = [Bounds](
      repeating: (SIMD3(repeating: .infinity), SIMD3(repeating: -.infinity)), count: layout.groupCount)
    for i in 0..<layout.pointCount - 1 where marks(of: i, layout) & PolygonLayout.endsChainMark == 0 {
      let p1 = place(of: i, layout) - origin
      let p2 = place(of: i + 1, layout) - origin
      let margin = PolygonTree.sagitta((p2 - p1).squaredLength)
      let group = i / PolygonLayout.groupWidth
      for p in [p1, p2] {
        let p = SIMD3(p.x, p.y, p.z)
        boxes[group].low = pointwiseMin(boxes[group].low, p - margin)
        boxes[group].high = pointwiseMax(boxes[group].high, p + margin)
      }
    }
    let frame = (0..<6).map { Double(float(PolygonLayout.Field.box + 4 * $0)) }
    for level in 0...layout.rootLevel {
      let offset = layout.nodeOffset(level)
      var parents = [Bounds](
        repeating: (SIMD3(repeating: .infinity), SIMD3(repeating: -.infinity)),
        count: layout.nodeCount(level))
      for (i, box) in boxes.enumerated() {
        let lane = offset + i / 16 * PolygonLayout.nodeSize + i % 16 * 2
        for axis in 0..<3 {
          let step = (frame[axis + 3] - frame[axis]) / 65535
          let low = Double(UInt16(littleEndian: load(lane + 32 * axis, as: UInt16.self)))
          let high = Double(UInt16(littleEndian: load(lane + 96 + 32 * axis, as: UInt16.self)))
          // One count is the search's; at the frame's own faces it needs none.
          guard
            low == 0
              ? frame[axis] <= box.low[axis] : frame[axis] + (low + 1) * step <= box.low[axis] + Self.slack,
            high == 65535
              ? frame[axis + 3] >= box.high[axis]
              : frame[axis] + (high - 1) * step >= box.high[axis] - Self.slack
          else {
            throw .invalidValue(field: "tree box", index: lane + 32 * axis)
          }
        }
        parents[i / 16].low = pointwiseMin(parents[i / 16].low, box.low)
        parents[i / 16].high = pointwiseMax(parents[i / 16].high, box.high)
      }
      boxes = parents
    }
  }

  /// Checks that no point lies beyond the bounding circle, and no interior beyond the box; and that the
  /// region is the inside of its boundary, not the outside.
  private func checkCircle(_ layout: PolygonLayout) throws(PolygonBlobError) {
    guard boundingRadius < Polygon.unboundedRadius else { return }
    guard boundingRadius < 9_000_000 else {
      throw .invalidValue(field: "bounding radius", index: 0)
    }
    let box = (0..<6).map { float(PolygonLayout.Field.box + 4 * $0) }
    guard
      PolygonBlob.regionBox(box, center: boundingCenter, radius: boundingRadius, origin: origin) == box
    else {
      throw .invalidValue(field: "box", index: 0)
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
