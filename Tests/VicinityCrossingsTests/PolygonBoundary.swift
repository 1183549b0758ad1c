import VicinityGeodesy

/// The edges of a polygon as geodesics, and how far they are, by PROJ alone.
final class PolygonBoundary {
  private struct Edge {
    var start: Coordinate
    var end: Coordinate
    var way: CrossingOracle.Way
  }

  private let edges: [Edge]
  /// Where distances to all edges were measured last, and the edges from there, nearest first: another place
  /// is nearer to an edge by no more than it is away from this one.
  private var anchor: Coordinate?
  private var nearest: [(distance: Double, edge: Int)] = []

  /// The edges of closed rings.
  init(_ rings: [[Coordinate]]) {
    edges = rings.flatMap { ring in
      zip(ring, ring.dropFirst()).map { Edge(start: $0, end: $1, way: CrossingOracle.Way($0, $1)) }
    }
  }

  /// The distance to the nearest edge, metres, to a tenth of a micrometre where it is less than a kilometre.
  func distance(from place: Coordinate) -> Double {
    var moved = anchor.map { CrossingOracle.distance($0, place) } ?? .infinity
    if moved > 5 {
      anchor = place
      moved = 0
      nearest = edges.indices.map { (Self.distance(from: place, to: edges[$0]), $0) }.sorted {
        $0.distance < $1.distance
      }
    }
    var least = Double.infinity
    for (distance, edge) in nearest {
      if distance - moved >= least { break }
      least = min(least, Self.distance(from: place, to: edges[edge]))
    }
    return least
  }

  /// From the triangle of place, start and end, as if flat; then along the edge until two places beside the
  /// nearest one are equally far.
  private static func distance(from place: Coordinate, to edge: Edge) -> Double {
    let length = edge.way.length
    guard length > 0 else { return CrossingOracle.distance(place, edge.start) }
    let (a, b) = (CrossingOracle.distance(place, edge.start), CrossingOracle.distance(place, edge.end))
    var s = min(max(0, (a * a - b * b + length * length) / (2 * length)), length)
    for _ in 0..<8 {
      let step = edge.way.step(towards: place, from: s)
      let next = min(max(0, s + step), length)
      let moved = abs(next - s)
      s = next
      if moved < 1e-6 { break }
    }
    return CrossingOracle.distance(edge.way.place(s), place)
  }
}

extension CrossingOracle.Way {
  /// How far along from `s` the way is nearest to a place, as if flat: from the distances a metre before and
  /// after.
  func step(towards there: Coordinate, from s: Double) -> Double {
    let before = CrossingOracle.distance(place(s - 1), there)
    let after = CrossingOracle.distance(place(s + 1), there)
    return 0.25 * (before * before - after * after)
  }

  /// Where the way is nearest to a place, metres from its start, and how far from there the place is.
  func foot(of there: Coordinate, near s: Double) -> (along: Double, beside: Double) {
    var s = s
    for _ in 0..<8 {
      let step = step(towards: there, from: s)
      s += step
      if abs(step) < 1e-9 { break }
    }
    return (s, CrossingOracle.distance(place(s), there))
  }
}
