/// A ring's fault, and where it is.
struct PlanarFault {
  var reason: PolygonFault
  var part: Int
  /// 0 is the part's exterior.
  var ring: Int
  /// A point of the fault; rounded where edges cross.
  var point: SIMD2<Double>
}

/// The rings of planar polygons as one list of vertices, in which none repeats the one before it.
struct PlanarRings {
  struct Ring {
    var part: Int
    /// Within the part; 0 is the exterior.
    var ring: Int
    var vertices: Range<Int>
  }

  private(set) var points: [SIMD2<Double>] = []
  private(set) var rings: [Ring] = []
  private(set) var ringOfVertex: [Int32] = []

  /// - Precondition: finite coordinates.
  init(_ parts: [PlanarPart]) {
    var count = 0
    var ringCount = 0
    for part in parts {
      ringCount += part.count
      for ring in part { count += ring.count }
    }
    points.reserveCapacity(count)
    ringOfVertex.reserveCapacity(count)
    rings.reserveCapacity(ringCount)
    for (i, part) in parts.enumerated() {
      for (k, ring) in part.enumerated() {
        let start = points.count
        for point in ring where points.count == start || points[points.count - 1] != point {
          points.append(point)
        }
        // The vertex that closes the ring.
        while points.count > start + 1 && points[points.count - 1] == points[start] {
          points.removeLast()
        }
        while ringOfVertex.count < points.count { ringOfVertex.append(Int32(rings.count)) }
        rings.append(Ring(part: i, ring: k, vertices: start..<points.count))
      }
    }
  }

  @inline(__always)
  func next(_ vertex: Int) -> Int {
    let range = rings[Int(ringOfVertex[vertex])].vertices
    return vertex + 1 == range.upperBound ? range.lowerBound : vertex + 1
  }

  @inline(__always)
  func previous(_ vertex: Int) -> Int {
    let range = rings[Int(ringOfVertex[vertex])].vertices
    return vertex == range.lowerBound ? range.upperBound - 1 : vertex - 1
  }

  /// Whether `a` comes before `b` in the sweep: by x, then by y.
  @inline(__always)
  static func isBefore(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Bool {
    a.x < b.x || (a.x == b.x && a.y < b.y)
  }

  func fault(_ reason: PolygonFault, ring: Int, at point: SIMD2<Double>) -> PlanarFault {
    PlanarFault(reason: reason, part: rings[ring].part, ring: rings[ring].ring, point: point)
  }

  /// Whether two rings have the same vertices in the same order, wherever they start and however they are
  /// wound.
  func areEqual(_ a: Int, _ b: Int) -> Bool {
    let first = rings[a].vertices
    let second = rings[b].vertices
    let count = first.count
    guard count == second.count, count > 0 else { return false }
    // Vertices may repeat in a ring that touches itself. Its least vertices are tried, a few at most.
    let start = points[first.lowerBound]
    for offset in second.lazy.filter({ points[$0] == start }).prefix(4) {
      let shift = offset - second.lowerBound
      func matches(_ step: Int) -> Bool {
        (0..<count).allSatisfy { i in
          let k = (shift + step * i) % count
          return points[first.lowerBound + i] == points[second.lowerBound + (k < 0 ? k + count : k)]
        }
      }
      if matches(1) || matches(-1) { return true }
    }
    return false
  }
}
