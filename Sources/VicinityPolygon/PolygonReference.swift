internal import CMath
public import VicinityGeodesy

extension Polygon {
  /// Signed boundary distance by asking the reference about every edge: the reference for
  /// ``signedBoundaryDistance(from:)``.
  ///
  /// Shares nothing with the fast path but the vertices. Distance: the minimum of `geod_inverse` over each
  /// geodesic edge, by golden section. Sign: the geodesic from the position to the middle of one edge is
  /// followed back, and the edges it crosses are counted; or, where the region lies in a circle, those on the
  /// way out of that.
  ///
  /// ## Units
  /// - Returns: metres, negative inside, within 1e-6 m; for the whole Earth, minus half a meridian.
  ///
  /// - Throws: `GeodesyError.invalidCoordinate`.
  /// - Complexity: O(n), about 2 µs an edge.
  public func bruteForceSignedBoundaryDistance(
    from position: Coordinate
  ) throws(GeodesyError) -> Meters {
    guard position.isValid else { throw .invalidCoordinate(position) }
    return blob.withView { $0.bruteForceSignedBoundaryDistance(from: position) }
  }
}

extension PolygonView {
  /// ``Polygon/bruteForceSignedBoundaryDistance(from:)`` for a position already known to be valid.
  package func bruteForceSignedBoundaryDistance(from position: Coordinate) -> Meters {
    let reference = PolygonReference(chains: chains, position: position)
    guard !reference.edges.isEmpty else { return Self.wholeEarthDistance }
    let distance = reference.distance()
    return isInside(reference) ? -distance : distance
  }
}

extension PolygonView {
  /// Whether a valid position lies inside, by the reference's count of crossings.
  func bruteForceContains(_ position: Coordinate) -> Bool {
    let reference = PolygonReference(chains: chains, position: position)
    return reference.edges.isEmpty || isInside(reference)
  }

  /// Where a circle bounds the region, crossings are counted on the way out of it: that asks for no direction
  /// of any edge. Elsewhere one edge must tell.
  private func isInside(_ reference: PolygonReference) -> Bool {
    guard boundingRadius < 9_000_000 else { return reference.isInside() }
    let center = boundingCenter
    let inverse = Geodesic.uncheckedInverse(center, reference.position)
    if inverse.distance > boundingRadius { return false }
    // Not straight away from the centre: less likely to be lined up with a vertex in regular shapes.
    let outside = Geodesic.uncheckedDirect(
      center, azimuth: inverse.azimuth1 + 7.3137, distance: boundingRadius * 1.01 + 10)
    return reference.isDivided(from: outside.coordinate)
  }
}

/// The unaccelerated evaluation of one position against one boundary.
private struct PolygonReference {
  struct Edge {
    var start: Coordinate
    var end: Coordinate
    /// From the position to the two ends.
    var toStart: Geodesic.Inverse
    var toEnd: Geodesic.Inverse
  }

  let position: Coordinate
  let edges: [Edge]

  init(chains: [[Coordinate]], position: Coordinate) {
    self.position = position
    var edges: [Edge] = []
    for chain in chains {
      var previous = chain[0]
      var toPrevious = Geodesic.uncheckedInverse(position, previous)
      for vertex in chain.dropFirst() {
        let toVertex = Geodesic.uncheckedInverse(position, vertex)
        edges.append(Edge(start: previous, end: vertex, toStart: toPrevious, toEnd: toVertex))
        previous = vertex
        toPrevious = toVertex
      }
    }
    self.edges = edges
  }

  // MARK: Distance

  func distance() -> Meters {
    var best = edges.reduce(Double.infinity) { min($0, $1.toStart.distance, $1.toEnd.distance) }
    for edge in edges {
      let line = Geodesic.uncheckedInverse(edge.start, edge.end)
      // No point of the edge is nearer than this, by the triangle inequality.
      let bound = (edge.toStart.distance + edge.toEnd.distance - line.distance) / 2
      if bound < best { best = min(best, distance(to: edge, line)) }
    }
    return best
  }

  private func distance(to edge: Edge, _ line: Geodesic.Inverse) -> Meters {
    func distance(at s: Meters) -> Meters {
      Geodesic.uncheckedDistance(
        position,
        Geodesic.uncheckedDirect(edge.start, azimuth: line.azimuth1, distance: s).coordinate)
    }
    // Pieces short enough to hold one minimum each.
    let pieces = max(1, Int((line.distance / 200_000).rounded(.up)))
    let width = line.distance / Double(pieces)
    let samples = (0...pieces).map { distance(at: width * Double($0)) }
    var best = min(samples[0], samples[pieces])
    for i in 0...pieces {
      let before = i > 0 ? samples[i - 1] : .infinity
      let after = i < pieces ? samples[i + 1] : .infinity
      guard samples[i] <= before, samples[i] <= after else { continue }
      best = min(best, samples[i])
      let low = width * Double(max(0, i - 1))
      let high = width * Double(min(pieces, i + 1))
      best = min(best, Self.minimum(of: distance, low, high))
    }
    return best
  }

  /// Golden-section search.
  private static func minimum(of f: (Double) -> Double, _ low: Double, _ high: Double) -> Double {
    let ratio = (5.0.squareRoot() - 1) / 2
    var a = low
    var b = high
    var c = b - ratio * (b - a)
    var d = a + ratio * (b - a)
    var fc = f(c)
    var fd = f(d)
    var best = min(fc, fd)
    for _ in 0..<80 where b - a > 1e-7 {
      if fc < fd {
        b = d
        d = c
        fd = fc
        c = b - ratio * (b - a)
        fc = f(c)
      } else {
        a = c
        c = d
        fc = fd
        d = a + ratio * (b - a)
        fd = f(d)
      }
      best = min(best, fc, fd)
    }
    return best
  }

  // MARK: Side

  /// Where the geodesic to the middle of an edge arrives.
  private struct Target {
    var edge: Int
    var azimuth: Degrees
    var distance: Meters
    /// Sine of the edge's azimuth less the ray's: negative when the edge is met from its left.
    var sine: Double
  }

  func isInside() -> Bool {
    let target = target()
    return (target.sine < 0) != isDivided(from: target)
  }

  /// Whether an odd number of edges lies between the position and another.
  func isDivided(from other: Coordinate) -> Bool {
    let ray = Geodesic.uncheckedInverse(position, other)
    return isDivided(
      from: Target(edge: -1, azimuth: ray.azimuth1, distance: ray.distance, sine: 0))
  }

  private func isDivided(from target: Target) -> Bool {
    var isOdd = false
    for (i, edge) in edges.enumerated() where i != target.edge {
      let from = offset(edge.toStart.azimuth1, target.azimuth)
      let to = offset(edge.toEnd.azimuth1, target.azimuth)
      // The edge meets the ray, or the ray's continuation behind the position.
      guard (from >= 0) != (to >= 0), abs(from - to) < 180 else { continue }
      if crossing(of: edge, azimuth: target.azimuth, fromIsLeft: from < 0) < target.distance {
        isOdd.toggle()
      }
    }
    return isOdd
  }

  /// The difference of two azimuths, -180 ..< 180.
  private func offset(_ azimuth: Degrees, _ reference: Degrees) -> Degrees {
    let d = (azimuth - reference).remainder(dividingBy: 360)
    return d == 180 ? -180 : d
  }

  /// Of some edges, the one whose middle is met at the best angle.
  private func target() -> Target {
    var best = Target(edge: 0, azimuth: 0, distance: 0, sine: 0)
    var quality = -1.0
    let step = max(1, edges.count / 24)
    for i in stride(from: 0, to: edges.count, by: step) {
      let edge = edges[i]
      let line = Geodesic.uncheckedInverse(edge.start, edge.end)
      // Not quite the middle: less likely to be lined up with a vertex in regular shapes.
      let middle = Geodesic.uncheckedDirect(
        edge.start, azimuth: line.azimuth1, distance: 0.4837 * line.distance)
      let ray = Geodesic.uncheckedInverse(position, middle.coordinate)
      let sine = sin((middle.azimuth - ray.azimuth2) * (.pi / 180))
      // Near the antipode azimuths say little.
      let penalty = ray.distance > 15_000_000 ? 0.01 : 1
      if abs(sine) * penalty > quality {
        quality = abs(sine) * penalty
        best = Target(edge: i, azimuth: ray.azimuth1, distance: ray.distance, sine: sine)
      }
    }
    return best
  }

  /// How far along the ray from the position an edge crosses it, by bisection.
  private func crossing(of edge: Edge, azimuth: Degrees, fromIsLeft: Bool) -> Meters {
    let line = Geodesic.uncheckedInverse(edge.start, edge.end)
    var low = 0.0
    var high = line.distance
    var distance = min(edge.toStart.distance, edge.toEnd.distance)
    for _ in 0..<60 where high - low > 1e-8 {
      let s = (low + high) / 2
      let point = Geodesic.uncheckedDirect(edge.start, azimuth: line.azimuth1, distance: s)
      let toPoint = Geodesic.uncheckedInverse(position, point.coordinate)
      distance = toPoint.distance
      if (offset(toPoint.azimuth1, azimuth) < 0) == fromIsLeft { low = s } else { high = s }
    }
    return distance
  }
}
