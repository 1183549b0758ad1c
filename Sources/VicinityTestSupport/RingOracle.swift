internal import CMath
package import VicinityGeodesy
package import VicinityPolygon

/// A polygon's boundary as the rings that a test put in describe it, measured with PROJ alone.
///
/// Shares nothing with the product, neither its packed form nor its authority: the rings are the input's, the
/// nearest point of an edge is where the derivative of the distance along it changes its sign, and a ring
/// contains a position when the azimuths to its vertices go once around.
package struct RingOracle {
  private struct Ring {
    /// Without vertices that repeat the one before.
    var vertices: [Coordinate] = []
    /// Edge i leads from vertex i to the next.
    var edges: [PROJ.Path] = []
    /// A circle around the ring.
    var center = Coordinate(latitude: 0, longitude: 0)
    var reach = 0.0
  }

  private var parts: [(exterior: Ring, holes: [Ring])] = []

  /// Rings that reach farther than this around their middle are not judged: which side is the smaller one
  /// must be plain, and a circle so large is still convex.
  package static let largestReach = 9_500_000.0

  /// The oracle of a polygon's parts; nil where a ring is too large for it.
  package init?(_ parts: [Polygon.Part]) {
    for part in parts {
      guard let exterior = Self.ring(part.exterior) else { return nil }
      var holes: [Ring] = []
      for hole in part.holes {
        guard let ring = Self.ring(hole) else { return nil }
        holes.append(ring)
      }
      self.parts.append((exterior, holes))
    }
  }

  package init?(exterior: [Coordinate], holes: [[Coordinate]] = []) {
    self.init([Polygon.Part(exterior: exterior, holes: holes)])
  }

  private static func ring(_ input: [Coordinate]) -> Ring? {
    var ring = Ring()
    for vertex in input where ring.vertices.last.map({ PROJ.distance($0, vertex) > 0 }) ?? true {
      ring.vertices.append(vertex)
    }
    while let first = ring.vertices.first, let last = ring.vertices.last, ring.vertices.count > 1,
      PROJ.distance(first, last) == 0
    {
      ring.vertices.removeLast()
    }
    var sum = (x: 0.0, y: 0.0, z: 0.0)
    for (i, vertex) in ring.vertices.enumerated() {
      ring.edges.append(PROJ.path(vertex, ring.vertices[(i + 1) % ring.vertices.count]))
      let (phi, lambda) = (vertex.latitude * .pi / 180, vertex.longitude * .pi / 180)
      sum.x += cos(phi) * cos(lambda)
      sum.y += cos(phi) * sin(lambda)
      sum.z += sin(phi)
    }
    ring.center = Coordinate(
      latitude: atan2(sum.z, (sum.x * sum.x + sum.y * sum.y).squareRoot()) * 180 / .pi,
      longitude: atan2(sum.y, sum.x) * 180 / .pi)
    ring.reach = ring.vertices.reduce(0) { max($0, PROJ.distance(ring.center, $1)) }
    return ring.reach < largestReach ? ring : nil
  }

  /// The signed distance from `position` to the boundary, metres: negative inside.
  package func signedDistance(from position: Coordinate) -> Double {
    var best = Double.infinity
    var isInside = false
    for part in parts {
      var isInPart = Self.measure(part.exterior, position, &best)
      for hole in part.holes where Self.measure(hole, position, &best) { isInPart = false }
      if isInPart { isInside = true }
    }
    return isInside ? -best : best
  }

  /// Lowers `best` to the distance to a ring where that is nearer.
  ///
  /// - Returns: Whether the ring contains the position.
  private static func measure(_ ring: Ring, _ position: Coordinate, _ best: inout Double) -> Bool {
    let rays = ring.vertices.map { PROJ.path(position, $0) }
    for ray in rays { best = min(best, ray.distance) }
    var turn = 0.0
    for i in ring.edges.indices {
      let (a, b) = (rays[i], rays[(i + 1) % rays.count])
      turn += (b.azimuth1 - a.azimuth1).remainder(dividingBy: 360)
      let edge = ring.edges[i]
      // No point of the edge is nearer than this, by the triangle inequality.
      guard 0.5 * (a.distance + b.distance - edge.distance) < best else { continue }
      measure(ring.vertices[i], edge, position, a, b, &best)
    }
    // From the outside, and from the antipode of the inside, where the circle is not, azimuths go around too.
    return abs(turn) > 180 && PROJ.distance(position, ring.center) <= ring.reach
  }

  /// Lowers `best` to the distance to an edge where that is nearer.
  private static func measure(
    _ start: Coordinate, _ edge: PROJ.Path, _ position: Coordinate, _ a: PROJ.Path, _ b: PROJ.Path,
    _ best: inout Double
  ) {
    let line = PROJ.Line(from: start, azimuth: edge.azimuth1)
    /// The distance from the position, and its derivative times it: how far along the edge the foot lies
    /// behind.
    func measured(_ s: Double) -> (distance: Double, along: Double) {
      let place = line.place(s)
      let ray = PROJ.path(position, place.coordinate)
      return (ray.distance, ray.distance * cosine(ray.azimuth2 - place.azimuth))
    }
    // Near the antipode the distance may fall and rise more than once.
    let pieces = max(a.distance, b.distance) > 19_600_000 ? 64 : 1
    var low = (s: 0.0, along: a.distance * cosine(a.azimuth2 - edge.azimuth1))
    for piece in 1...pieces {
      let s = edge.distance * Double(piece) / Double(pieces)
      let next: (distance: Double, along: Double) =
        piece < pieces
        ? measured(s) : (b.distance, b.distance * cosine(b.azimuth2 - edge.azimuth2))
      best = min(best, next.distance)
      if low.along < 0, next.along > 0 {
        best = min(best, least(between: low, (s, next.along), measured))
      }
      low = (s, next.along)
    }
  }

  /// The least distance between two places on an edge, before the foot and behind it: by false position (the
  /// Illinois method), every third step by halving.
  private static func least(
    between low: (s: Double, along: Double), _ high: (s: Double, along: Double),
    _ measured: (Double) -> (distance: Double, along: Double)
  ) -> Double {
    var (low, high) = (low, high)
    var best = Double.infinity
    var side = 0
    for step in 1...200 {
      let share = step % 3 == 0 ? 0.5 : low.along / (low.along - high.along)
      let s = low.s + share * (high.s - low.s)
      let (distance, along) = measured(s)
      best = min(best, distance)
      if abs(along) < 1e-8 || high.s - low.s < 1e-8 { return best }
      if along < 0 {
        low = (s, along)
        if side == -1 { high.along *= 0.5 }
        side = -1
      } else {
        high = (s, along)
        if side == 1 { low.along *= 0.5 }
        side = 1
      }
    }
    return best
  }

  private static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
