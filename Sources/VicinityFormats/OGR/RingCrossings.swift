internal import VicinityPolygon

/// Counts where edges of rings cross, to refuse what would take minutes to repair.
enum RingCrossings {
  /// Comparisons of two edges up to which is counted. Beyond that the rings have many edges, of which few
  /// cross.
  private static let mostComparisons = 200_000_000

  private struct Edge {
    var low: SIMD2<Double>
    var high: SIMD2<Double>
    var a: SIMD2<Double>
    var b: SIMD2<Double>
  }

  /// Whether edges of `parts` cross each other in more than `limit` places.
  ///
  /// Rounding may miss or add a few, which does not matter here.
  ///
  /// - Complexity: O(n log n + pairs of edges whose longitudes overlap), with a bound
  static func exceed(_ limit: Int, _ parts: [PlanarPart]) -> Bool {
    var edges: [Edge] = []
    for ring in parts.joined() {
      for (a, b) in zip(ring, ring.dropFirst()) {
        edges.append(Edge(low: pointwiseMin(a, b), high: pointwiseMax(a, b), a: a, b: b))
      }
    }
    edges.sort { $0.low.x < $1.low.x }
    var count = 0
    var comparisons = 0
    for i in edges.indices {
      let edge = edges[i]
      var j = i + 1
      while j < edges.count, edges[j].low.x <= edge.high.x {
        if edges[j].low.y <= edge.high.y, edge.low.y <= edges[j].high.y, cross(edge, edges[j]) {
          count += 1
          if count > limit { return true }
        }
        j += 1
      }
      comparisons += j - i
      if comparisons > mostComparisons { return false }
    }
    return false
  }

  private static func cross(_ e: Edge, _ f: Edge) -> Bool {
    func side(_ p: SIMD2<Double>, _ e: Edge) -> Double {
      let (u, v) = (e.b - e.a, p - e.a)
      return u.x * v.y - u.y * v.x
    }
    return side(f.a, e) * side(f.b, e) < 0 && side(e.a, f) * side(e.b, f) < 0
  }
}
