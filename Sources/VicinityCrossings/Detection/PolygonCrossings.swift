internal import VicinityGeodesy

/// A polygon, compared with short paths.
///
/// The path is cut at every piece of edge it crosses. Between two cuts it is inside or outside, as its middle
/// is. So passes through notches are found however narrow, a path along an edge costs no more than any other,
/// and entries and exits alternate whatever rounding does. Every result depends on the polygon and the path
/// alone.
struct PolygonTarget: ~Copyable {
  /// Where the path crosses edges, metres from the start, ascending.
  private var cuts: [Meters] = []
  /// Where the path changes sides, metres from the start, ascending.
  private(set) var changes: [Meters] = []

  /// The tolerance of a change of side, metres.
  private static let tolerance: Meters = 1e-5
  /// Stretches no longer than this are not examined on their own, metres.
  private static let leastLength: Meters = 1e-3

  init() {}

  /// Finds where the path changes sides; the result is in ``changes``.
  mutating func find(
    _ polygon: NearbyPolygon, _ path: ShortPath, startsInside: Bool, endsInside: Bool
  ) {
    changes.removeAll(keepingCapacity: true)
    cut(polygon, path)
    if cuts.isEmpty, startsInside == endsInside { return }
    if cuts.count == 1, startsInside != endsInside {
      changes.append(cuts[0])
      return
    }
    // The sides of the stretches between cuts. A stretch no longer than a millimetre, and so no deeper, goes
    // with the one after it.
    var inside = startsInside
    var start = 0.0
    for i in 0...cuts.count {
      let end = i < cuts.count ? cuts[i] : path.length
      guard end - start > Self.leastLength else { continue }
      let middle = 0.5 * (start + end)
      if isInside(polygon, path, middle) != inside {
        changes.append(start > 0 ? start : change(polygon, path, 0, middle, inside))
        inside.toggle()
      }
      start = end
    }
    guard inside != endsInside else { return }
    // The last millimetre; or an edge that no cut was found for, though the end lies beyond it.
    let isLast = start < path.length && start > 0
    changes.append(
      isLast ? start : change(polygon, path, 0.5 * ((cuts.last ?? 0) + path.length), path.length, inside))
  }

  private func isInside(_ polygon: NearbyPolygon, _ path: ShortPath, _ s: Meters) -> Bool {
    let point = path.point(at: s)
    return polygon.boundaryDistance(from: point.surfaceCoordinate, point) <= 0
  }

  /// A change of side within a stretch without cuts, by bisection.
  private func change(
    _ polygon: NearbyPolygon, _ path: ShortPath, _ start: Meters, _ end: Meters, _ startsInside: Bool
  ) -> Meters {
    var low = start
    var high = end
    while high - low > Self.tolerance {
      let middle = 0.5 * (low + high)
      if isInside(polygon, path, middle) == startsInside { low = middle } else { high = middle }
    }
    return 0.5 * (low + high)
  }

  // MARK: Cuts

  private mutating func cut(_ polygon: NearbyPolygon, _ path: ShortPath) {
    cuts.removeAll(keepingCapacity: true)
    let middle = path.point(at: 0.5 * path.length)
    var found = cuts
    cuts = []
    polygon.forEachPiece(near: middle, radius: 0.5 * path.length + 0.01) { p1, p2 in
      if let s = Self.cut(path, p1, p2) { found.append(s) }
    }
    found.sort()
    cuts = found
  }

  /// Where the path crosses a piece of edge.
  ///
  /// The piece is its chord lifted along the ellipsoid's normal (42 µm from the geodesic at 16 km): a point X
  /// lies to its left when (p₂ − p₁) × (X − p₁) points up, along the normal at X. Along the path that changes
  /// almost linearly.
  private static func cut(_ path: ShortPath, _ p1: ECEF, _ p2: ECEF) -> Meters? {
    let edge = Edge(p1, p2)
    var low = 0.0
    var high = path.length
    var atLow = edge.side(of: path.start)
    var atHigh = edge.side(of: path.end)
    guard (atLow > 0) != (atHigh > 0) else { return nil }
    var s = low
    for round in 0..<60 {
      s = low - atLow * (high - low) / (atHigh - atLow)
      if !(s > low && s < high) || round % 4 == 3 { s = 0.5 * (low + high) }
      let here = edge.side(of: path.point(at: s))
      if abs(here) <= 1e-7 { break }
      if (here > 0) == (atLow > 0) {
        low = s
        atLow = here
      } else {
        high = s
        atHigh = here
      }
      if high - low < 1e-7 { break }
    }
    // A millimetre beyond either end still counts: at a vertex, rounding may miss the neighbouring piece, and
    // one cut too many does no harm.
    let along = edge.along(path.point(at: s))
    guard along >= -1e-3, along <= edge.length + 1e-3 else { return nil }
    return s
  }
}

private struct Edge {
  let start: ECEF
  let tx: Double
  let ty: Double
  let tz: Double
  let length: Meters

  init(_ p1: ECEF, _ p2: ECEF) {
    start = p1
    let dx = p2.x - p1.x
    let dy = p2.y - p1.y
    let dz = p2.z - p1.z
    length = (dx * dx + dy * dy + dz * dz).squareRoot()
    let reciprocal = length > 0 ? 1 / length : 0
    tx = dx * reciprocal
    ty = dy * reciprocal
    tz = dz * reciprocal
  }

  /// How far a point lies to the left, metres.
  func side(of p: ECEF) -> Double {
    let wx = p.x - start.x
    let wy = p.y - start.y
    let wz = p.z - start.z
    var gx = p.x * WGS84.reciprocalA2
    var gy = p.y * WGS84.reciprocalA2
    var gz = p.z * WGS84.reciprocalB2
    let scale = 1 / (gx * gx + gy * gy + gz * gz).squareRoot()
    gx *= scale
    gy *= scale
    gz *= scale
    return gx * (ty * wz - tz * wy) + gy * (tz * wx - tx * wz) + gz * (tx * wy - ty * wx)
  }

  /// How far along the chord a point lies, metres.
  func along(_ p: ECEF) -> Double {
    (p.x - start.x) * tx + (p.y - start.y) * ty + (p.z - start.z) * tz
  }
}
