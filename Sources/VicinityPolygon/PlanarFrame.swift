internal import VicinityGeodesy

/// A planar polygon's rings, closed, the exterior first.
package typealias PlanarPart = [[SIMD2<Double>]]

/// How the edges of a plane's rings run between their ends.
enum PlanarEdges {
  case straight
  /// As geodesics, in a plane of longitude and latitude.
  case geodesic
}

/// A polygon brought to a plane in which its rings are judged, and the way back.
///
/// Longitude and latitude, unwrapped across the antimeridian, for most polygons: there a geodesic is a curve
/// over an interval of longitudes, and ``SweepStatus/Segment`` knows on which side of it a point lies. A
/// ``PerspectivePlane`` for rings around a pole, for rings whose inside is not what they enclose in longitude
/// and latitude, and for several corners at one pole; geodesics are split there, so that straight lines
/// follow them.
///
/// Original vertices come back to the last bit. Where a part crosses the antimeridian, all are unwrapped from
/// a meridian that none crosses, so that they lie beside each other as on the Earth; only where parts cross
/// every meridian does each stay where its own first vertex is.
struct PlanarFrame {
  private(set) var parts: [PlanarPart] = []
  let edges: PlanarEdges
  /// The closed rings.
  private let rings: [[[Coordinate]]]
  /// `nil` for longitude and latitude.
  private let plane: PerspectivePlane?

  /// - Parameter isProjected: Project the rings also where longitude and latitude would do.
  /// - Precondition: every ring has passed ``CleanRing``.
  init(_ polygon: [Polygon.Part], meaning: RingMeaning, isProjected: Bool = false) {
    rings = polygon.map { part in ([part.exterior] + part.holes).map(Self.closed) }
    if !isProjected, let parts = Self.unwrapped(rings, meaning: meaning) {
      self.parts = parts
      edges = meaning == .planar ? .straight : .geodesic
      plane = nil
      return
    }
    let plane = PerspectivePlane(around: rings, meaning: meaning)
    self.plane = plane
    edges = .straight
    parts = rings.map { part in
      part.map { ring in
        var points = plane.pieces(of: ring).map(plane.point(of:))
        points[points.count - 1] = points[0]
        return points
      }
    }
  }

  // MARK: Back to coordinates

  /// The coordinates of rings in the plane, such as a repair has made of the parts.
  func coordinates(of parts: [PlanarPart]) -> [Polygon.Part] {
    var originals: [SIMD2<Double>: Coordinate] = [:]
    for (points, ring) in zip(self.parts.joined(), rings.joined()) {
      if let plane {
        for vertex in ring { originals[plane.point(of: vertex)] = vertex }
      } else {
        for (point, vertex) in zip(points, ring) { originals[point] = vertex }
      }
    }
    return parts.compactMap { part in
      let rings = part.map { ring in
        withoutPassedPoints(ring, originals).map { originals[$0] ?? coordinate(of: $0) }
      }
      guard let exterior = rings.first else { return nil }
      return Polygon.Part(exterior: exterior, holes: Array(rings.dropFirst()))
    }
  }

  /// A closed ring less the points that only split an edge.
  private func withoutPassedPoints(
    _ ring: [SIMD2<Double>], _ originals: [SIMD2<Double>: Coordinate]
  ) -> [SIMD2<Double>] {
    guard let plane, ring.count > 3 else { return ring }
    let open = ring.dropLast()
    return open.indices.compactMap { i in
      if originals[open[i]] != nil { return open[i] }
      let previous = open[i == 0 ? open.count - 1 : i - 1]
      let next = open[i + 1 == open.count ? 0 : i + 1]
      return plane.isPassed(open[i], from: previous, to: next) ? nil : open[i]
    }
  }

  func coordinate(of point: SIMD2<Double>) -> Coordinate {
    plane?.coordinate(of: point)
      ?? Coordinate(latitude: max(-90, min(90, point.y)), longitude: point.x)
  }

  // MARK: Longitude and latitude

  private static func closed(_ ring: [Coordinate]) -> [Coordinate] {
    var result: [Coordinate] = []
    result.reserveCapacity(ring.count + 1)
    for vertex in ring where result.last != vertex { result.append(vertex) }
    if result[0] != result[result.count - 1] { result.append(result[0]) }
    return result
  }

  /// The rings in longitude and latitude; `nil` where they cannot be judged there.
  private static func unwrapped(_ rings: [[[Coordinate]]], meaning: RingMeaning) -> [PlanarPart]? {
    var parts: [PlanarPart] = []
    for part in rings {
      var placed: PlanarPart = []
      var middle: Degrees = 0
      for (i, ring) in part.enumerated() {
        guard let points = unwrapped(ring) else { return nil }
        let extent = extent(points)
        // Within half a turn a ring encloses less than a hemisphere.
        if meaning == .geodesic, extent.upperBound - extent.lowerBound > 180, !enclosesInside(ring) {
          return nil
        }
        let own = (extent.lowerBound + extent.upperBound) / 2
        if i == 0 { middle = own }
        // The hole may have been unwrapped on the other side of the antimeridian than its exterior.
        placed.append(moved(points, of: ring, by: i == 0 ? 0 : ((middle - own) / 360).rounded()))
      }
      parts.append(placed)
    }
    moveToOneTurn(&parts, rings)
    guard meaning == .geodesic else { return parts }
    var corners = PoleCorners()
    for i in parts.indices {
      for k in parts[i].indices { corners.draw(&parts[i][k]) }
    }
    return corners.overlap ? nil : parts
  }

  /// The points of a ring, moved by whole turns.
  ///
  /// Each longitude is the vertex's own and a multiple of 360 in one sum: rings that share a vertex have one
  /// point there.
  private static func moved(
    _ points: [SIMD2<Double>], of ring: [Coordinate], by turns: Double
  ) -> [SIMD2<Double>] {
    guard turns != 0 else { return points }
    return zip(points, ring).map { point, vertex in
      SIMD2(vertex.longitude + (((point.x - vertex.longitude) / 360).rounded() + turns) * 360, point.y)
    }
  }

  /// Moves parts by whole turns so that none reaches across the meridian where the turn begins.
  private static func moveToOneTurn(_ parts: inout [PlanarPart], _ rings: [[[Coordinate]]]) {
    let extents = parts.map { extent($0[0]) }
    guard parts.count > 1, extents.contains(where: { $0.lowerBound < -180 || $0.upperBound > 180 }) else {
      return
    }
    // Once around, starting where a part starts: the turn may begin there if no part that started before
    // reaches so far.
    func turned(_ longitude: Degrees) -> Degrees { longitude - (longitude / 360).rounded(.down) * 360 }
    let arcs = extents.map { (start: turned($0.lowerBound), width: $0.upperBound - $0.lowerBound) }
      .sorted { $0.start < $1.start }
    var reached = (arcs.map { $0.start + $0.width }.max() ?? 0) - 360
    var start: Degrees?
    for arc in arcs {
      if reached <= arc.start { start = arc.start }
      reached = max(reached, arc.start + arc.width)
    }
    guard let start else { return }
    for i in parts.indices {
      let turns = ((extents[i].lowerBound - start) / 360).rounded(.down)
      if turns == 0 { continue }
      for k in parts[i].indices { parts[i][k] = moved(parts[i][k], of: rings[i][k], by: -turns) }
    }
  }

  /// Whether a closed ring of geodesics encloses its inside, the smaller side, in longitude and latitude too.
  private static func enclosesInside(_ ring: [Coordinate]) -> Bool {
    var split: [Coordinate] = []
    for (vertex, next) in zip(ring, ring.dropFirst()) {
      split.append(vertex)
      split.append(contentsOf: PolygonBlob.splitPoints(vertex, next, maximum: 100_000))
    }
    guard let side = CleanRing.planarSide(split) else { return false }
    return side * CleanRing.geodesicSide(Array(ring.dropLast())) > 0
  }

  /// The closed ring with continuous longitudes; `nil` for a ring around a pole.
  private static func unwrapped(_ ring: [Coordinate]) -> [SIMD2<Double>]? {
    var x = ring[0].longitude
    var previous = ring[0]
    var result: [SIMD2<Double>] = []
    result.reserveCapacity(ring.count)
    for vertex in ring {
      let step = CleanRing.step(previous, vertex)
      // Without a wrap the longitude itself, free of the rounding of a running sum.
      x =
        step == vertex.longitude - previous.longitude && x == previous.longitude
        ? vertex.longitude : vertex.longitude + ((x + step - vertex.longitude) / 360).rounded() * 360
      result.append(SIMD2(x, vertex.latitude))
      previous = vertex
    }
    guard abs(x - ring[0].longitude) <= 180 else { return nil }
    result[result.count - 1] = result[0]
    return result
  }

  private static func extent(_ ring: [SIMD2<Double>]) -> ClosedRange<Degrees> {
    var low = Double.infinity
    var high = -Double.infinity
    for point in ring {
      low = min(low, point.x)
      high = max(high, point.x)
    }
    return low...max(low, high)
  }
}
