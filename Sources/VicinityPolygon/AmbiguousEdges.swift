internal import VicinityGeodesy

/// Finds the split edges whose direction does not tell on which side the interior lies.
///
/// A file's straight lines are split along geodesics, which leave them a little. Two edges closer together
/// than that may have changed sides: a spike 20 nm wide turns inside out when its sides are split at
/// different points. These edges are marked. So is every stretch between them if counting crossings shows
/// that the interior is not on its left.
struct AmbiguousEdges {
  private let points: [PolygonBlob.Point]
  /// One entry for each point: whether the edge from it is ambiguous. False where a chain ends.
  private(set) var isAmbiguous: [Bool]
  private(set) var isEmpty = true

  /// Twice what readers let split edges leave the straight line; see ``tolerance(_:at:)``.
  private static let greatestTolerance: Meters = 0.2
  /// The most pairs of edges, and the most stretches times edges, that are tested: some seconds. Beyond this
  /// all edges are marked without a test.
  private static let effort = 200_000_000

  /// Finds edges that come within ``tolerance(_:at:)`` of each other without being neighbours, and neighbours
  /// whose angle is so small that they stay as close.
  ///
  /// - Complexity: O(n log n) for boundaries that are not crowded along the longest side of their box. Where
  ///   they are, as with the teeth of a comb, work ends after ``effort`` pairs and 256 for each edge.
  init(_ points: [PolygonBlob.Point]) {
    self.points = points
    isAmbiguous = [Bool](repeating: false, count: points.count)
    let boxes = Self.boxes(points)
    guard var low = boxes.first?.low, var high = boxes.first?.high else { return }
    for box in boxes {
      low = pointwiseMin(low, box.low)
      high = pointwiseMax(high, box.high)
    }
    let size = high - low
    let axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
    let order = boxes.indices.sorted { (boxes[$0].low[axis], $0) < (boxes[$1].low[axis], $1) }
    var remaining = Self.effort + 256 * points.count
    for (rank, g) in order.enumerated() {
      let box = boxes[g]
      compare(group: g, with: g)
      for h in order[(rank + 1)...] {
        if boxes[h].low[axis] > box.high[axis] { break }
        remaining -= 1
        if all(boxes[h].low .<= box.high), all(box.low .<= boxes[h].high) {
          compare(group: g, with: h)
          remaining -= 64
        }
      }
      guard remaining > 0 else {
        markAll()
        return
      }
    }
  }

  /// Marks all edges.
  mutating func markAll() {
    for i in points.indices { isAmbiguous[i] = points[i].marks & PolygonLayout.endsChainMark == 0 }
    isEmpty = false
  }

  // MARK: Edges close together

  private struct Box {
    var low = SIMD3<Double>(repeating: .infinity)
    var high = SIMD3<Double>(repeating: -.infinity)
  }

  /// The boxes of the balls around eight edges each. An arc of less than half a circle lies in the ball over
  /// its chord.
  private static func boxes(_ points: [PolygonBlob.Point]) -> [Box] {
    stride(from: 0, to: points.count, by: 8).map { start in
      var box = Box()
      for i in start..<min(start + 8, points.count - 1)
      where points[i].marks & PolygonLayout.endsChainMark == 0 {
        let a = points[i].place
        let b = points[i + 1].place
        let m = SIMD3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z))
        let r = 0.5 * (b - a).length + greatestTolerance
        box.low = pointwiseMin(box.low, m - r)
        box.high = pointwiseMax(box.high, m + r)
      }
      return box
    }
  }

  private mutating func compare(group g: Int, with h: Int) {
    let last = points.count - 1
    for i in 8 * g..<min(8 * g + 8, last) where points[i].marks & PolygonLayout.endsChainMark == 0 {
      let a = points[i].place
      let b = points[i + 1].place
      let length = (b - a).length
      for j in (g == h ? i + 1 : 8 * h)..<max(g == h ? i + 1 : 8 * h, min(8 * h + 8, last))
      where points[j].marks & PolygonLayout.endsChainMark == 0 {
        let c = points[j].place
        let d = points[j + 1].place
        let between = 0.5 * ((a + b) - (c + d))
        let other = (d - c).length
        let reach = 0.5 * (length + other) + Self.greatestTolerance
        guard between.squaredLength <= reach * reach else { continue }
        let tolerance = Self.tolerance(max(length, other), at: a)
        guard between.length <= 0.5 * (length + other) + tolerance,
          Self.areClose(a, b, c, d, length, other, tolerance)
        else { continue }
        isAmbiguous[i] = true
        isAmbiguous[j] = true
        isEmpty = false
      }
    }
  }

  /// How far two geodesic edges of this length may cross over each other although the file's straight lines
  /// do not, metres, rounded up.
  ///
  /// A parallel, the worst case, leaves the geodesic by L² tan φ / 8R; sections through the centre leave it
  /// by less than 0.0034 L² / 8R. Both for either edge, and 2 µm for rounding. Readers split edges until 0.1
  /// m is kept.
  private static func tolerance(_ length: Meters, at p: Vector3) -> Meters {
    let tangent = abs(p.z) / max(1, (p.x * p.x + p.y * p.y).squareRoot())
    return min(greatestTolerance, (tangent + 0.01) * length * length / (4 * WGS84.b) + 2e-6)
  }

  private static func areClose(
    _ a: Vector3, _ b: Vector3, _ c: Vector3, _ d: Vector3, _ ab: Meters, _ cd: Meters, _ tolerance: Meters
  ) -> Bool {
    // True where they share a vertex, too.
    guard straddle(a, b, c, d, ab, tolerance) && straddle(c, d, a, b, cd, tolerance) else { return false }
    func isSame(_ p: Vector3, _ q: Vector3) -> Bool { (p - q).squaredLength < 1e-12 }
    let shared = [(a, c, b, d), (a, d, b, c), (b, c, a, d), (b, d, a, c)].filter { isSame($0.0, $0.1) }
    if let (vertex, _, e, f) = shared.first {
      if shared.count > 1 { return true }
      let u = e - vertex
      let w = f - vertex
      guard u.dot(w) > 0 else { return false }
      return abs(vertex.dot(u.cross(w))) < tolerance * vertex.length * max(ab, cd)
    }
    return true
  }

  /// Whether `c` and `d` do not lie on the same side of the edge from `a` to `b`, `tolerance` metres away
  /// from it.
  private static func straddle(
    _ a: Vector3, _ b: Vector3, _ c: Vector3, _ d: Vector3, _ length: Meters, _ tolerance: Meters
  ) -> Bool {
    let e = b - a
    let first = a.dot(e.cross(c - a))
    let second = a.dot(e.cross(d - a))
    let limit = tolerance * a.length * length
    return !(first > limit && second > limit) && !(first < -limit && second < -limit)
  }

  // MARK: Stretches between them

  /// Marks the stretches that do not have the interior on their left.
  ///
  /// - Returns: the length of boundary with the interior on its left less the length with the interior on its
  ///   right, metres; zero when nothing was tested.
  mutating func markStretches(_ view: PolygonView) -> Meters {
    var stretches: [Range<Int>] = []
    var start = 0
    for i in points.indices where isAmbiguous[i] || points[i].marks & PolygonLayout.endsChainMark != 0 {
      if start < i { stretches.append(start..<i) }
      start = i + 1
    }
    guard stretches.count * points.count < Self.effort else {
      for stretch in stretches { mark(stretch) }
      return 0
    }
    var balance = 0.0
    for stretch in stretches {
      let length = stretch.reduce(0) { $0 + (points[$1 + 1].place - points[$1].place).length }
      switch isInteriorOnLeft(stretch, view) {
      case true?: balance += length
      case false?:
        balance -= length
        mark(stretch)
      case nil: mark(stretch)
      }
    }
    return balance
  }

  private mutating func mark(_ stretch: Range<Int>) {
    for i in stretch { isAmbiguous[i] = true }
  }

  /// `nil` where the path to the reference runs along the edges.
  private func isInteriorOnLeft(_ stretch: Range<Int>, _ view: PolygonView) -> Bool? {
    let reference = view.reference
    var best = (edge: -1, sine: 1e-3, middle: reference)
    for i in stride(from: stretch.lowerBound, to: stretch.upperBound, by: max(1, stretch.count / 16)) {
      let a = points[i].place
      let b = points[i + 1].place
      let middle = 0.5 * (a + b)
      // To the left of the path from the middle to the reference.
      let left = middle.cross(reference)
      let sine = left.dot(b - a) / max(1e-9, left.length * (b - a).length)
      if abs(sine) > abs(best.sine) { best = (i, sine, middle) }
    }
    guard best.edge >= 0 else { return nil }
    let isInside =
      view.isDivided(fromReference: best.middle, excluding: best.edge) != view.holdsReference
    return isInside == (best.sine < 0)
  }
}
