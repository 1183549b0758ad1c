internal import VicinityGeodesy

/// The packed box tree over groups of sixteen edges, made level by level.
struct PolygonTree {
  /// An axis-parallel box relative to the polygon's origin, metres, rounded outward.
  struct Box {
    var low = SIMD3<Float>(repeating: .infinity)
    var high = SIMD3<Float>(repeating: -.infinity)

    @inline(__always)
    mutating func formUnion(_ other: Box) {
      low.replace(with: other.low, where: other.low .< low)
      high.replace(with: other.high, where: other.high .> high)
    }

    @inline(__always)
    mutating func formUnion(_ p: Vector3, margin: Double) {
      let q = SIMD3<Double>(p.x, p.y, p.z)
      let (from, to) = (q - margin, q + margin)
      var other = Box()
      other.low = SIMD3<Float>(from)
      other.high = SIMD3<Float>(to)
      // Rounded outwards.
      for i in 0..<3 {
        if Double(other.low[i]) > from[i] { other.low[i] = other.low[i].nextDown }
        if Double(other.high[i]) < to[i] { other.high[i] = other.high[i].nextUp }
      }
      formUnion(other)
    }
  }

  /// The boxes of the children of each level's nodes; level 0 has the groups.
  private(set) var levels: [[Box]] = []
  /// The box of everything: low x, y, z, high x, y, z.
  private(set) var root: [Float]

  init(points: [PolygonBlob.Point], layout: PolygonLayout, origin: Vector3) {
    var boxes = [Box](repeating: Box(), count: layout.groupCount)
    for i in points.indices.dropLast() where points[i].marks & PolygonLayout.endsChainMark == 0 {
      let p1 = points[i].place
      let p2 = points[i + 1].place
      let margin = Self.sagitta((p2 - p1).squaredLength)
      boxes[i / PolygonLayout.groupWidth].formUnion(p1 - origin, margin: margin)
      boxes[i / PolygonLayout.groupWidth].formUnion(p2 - origin, margin: margin)
    }
    var all = Box()
    for box in boxes { all.formUnion(box) }
    root = [all.low.x, all.low.y, all.low.z, all.high.x, all.high.y, all.high.z]
    guard !boxes.isEmpty else {
      root = [Float](repeating: 0, count: 6)
      return
    }
    while true {
      levels.append(boxes)
      if boxes.count <= PolygonLayout.nodeCapacity { return }
      boxes = stride(from: 0, to: boxes.count, by: PolygonLayout.nodeCapacity).map { start in
        var parent = Box()
        for box in boxes[start..<min(start + PolygonLayout.nodeCapacity, boxes.count)] {
          parent.formUnion(box)
        }
        return parent
      }
    }
  }

  /// How far a surface arc may leave a chord of this squared length, metres, rounded up.
  ///
  /// An arc over a chord of length c in a section of radius R rises at most c² / 8R above it (to first order;
  /// a thousandth more, and a millimetre, covers the rest), R at least the least radius of curvature.
  @inline(__always)
  static func sagitta(_ squaredChord: Double) -> Double {
    1.001 * squaredChord / (8 * WGS84.minimumCurvatureRadius) + 1e-3
  }

  /// The nodes of one level, each six rows of sixteen: low x, y, z, high x, y, z in 65535ths of `box`.
  ///
  /// Every box is a whole count wider than necessary, because single precision places a position in the box
  /// only to within a hundredth of a count. Lanes without a child hold an empty box.
  func codes(level: Int, box: [Float]) -> [UInt16] {
    let children = levels[level]
    let nodeCount = (children.count + PolygonLayout.nodeCapacity - 1) / PolygonLayout.nodeCapacity
    var codes = [UInt16](repeating: 0, count: nodeCount * PolygonLayout.nodeSize / 2)
    for lane in 0..<nodeCount * PolygonLayout.nodeCapacity {
      let start = lane / 16 * (PolygonLayout.nodeSize / 2) + lane % 16
      for axis in 0..<3 {
        guard lane < children.count, children[lane].low[axis] <= children[lane].high[axis] else {
          codes[start + 16 * axis] = .max
          continue
        }
        let low = Double(box[axis])
        let step = (Double(box[axis + 3]) - low) / 65535
        let first = ((Double(children[lane].low[axis]) - low) / step).rounded(.down) - 1
        let last = ((Double(children[lane].high[axis]) - low) / step).rounded(.up) + 1
        codes[start + 16 * axis] = UInt16(max(0, min(65535, first)))
        codes[start + 48 + 16 * axis] = UInt16(max(0, min(65535, last)))
      }
    }
    return codes
  }
}
