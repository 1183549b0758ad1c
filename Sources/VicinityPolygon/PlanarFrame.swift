internal import CMath
internal import VicinityGeodesy

/// A planar polygon's rings, closed, the exterior first.
package typealias PlanarPart = [[SIMD2<Double>]]

/// A polygon projected to the plane in which its rings are judged, and the projection's inverse.
///
/// Longitude and latitude, unwrapped across the antimeridian, for most polygons; the ellipsoid's azimuthal
/// equidistant projection for rings around a pole. Long geodesic edges are split first, so that straight
/// lines in the plane stay beside them. Original vertices come back to the last bit. Where a part crosses the antimeridian, all
/// are unwrapped from a meridian that none crosses, so that they lie beside each other as on the Earth; only where parts cross
/// every meridian does each stay where its own first vertex is.
struct PlanarFrame {
  private(set) var parts: [PlanarPart] = []
  /// The vertices behind the parts' points.
  private let rings: [[[Coordinate]]]
  /// The centre of the azimuthal projection; `nil` for longitude and latitude.
  private let center: Coordinate?

  /// - Precondition: every ring has passed ``CleanRing``.
  init(_ polygon: [Polygon.Part], meaning: RingMeaning) {
    let rings = polygon.map { part in
      ([part.exterior] + part.holes).map { ring in Self.prepared(ring, meaning: meaning) }
    }
    self.rings = rings
    let needsProjection = rings.contains { part in
      part.contains { ring in !Self.isPlanar(ring, meaning: meaning) }
    }
    center = needsProjection ? Self.center(of: rings) : nil
    for part in rings {
      var placed: PlanarPart = []
      var middle: Degrees = 0
      for (i, ring) in part.enumerated() {
        var points = center.map { c in ring.map { Self.project($0, c) } } ?? Self.unwrapped(ring)
        if center == nil {
          let own = Self.middle(points)
          if i == 0 { middle = own }
          // The hole may have been unwrapped on the other side of the antimeridian than its exterior.
          let shift = ((middle - own) / 360).rounded() * 360
          if i > 0 && shift != 0 { points = points.map { SIMD2($0.x + shift, $0.y) } }
        }
        placed.append(points)
      }
      parts.append(placed)
    }
    if center == nil { moveToOneTurn() }
  }

  /// Moves parts by whole turns so that none reaches across the meridian where the turn begins.
  private mutating func moveToOneTurn() {
    let extents = parts.map { Self.extent($0[0]) }
    guard parts.count > 1, extents.contains(where: { $0.lowerBound < -180 || $0.upperBound > 180 }) else {
      return
    }
    // Once around, starting where a part starts: the turn may begin there if no part that started before reaches so far.
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
      parts[i] = parts[i].map { ring in ring.map { SIMD2($0.x - 360 * turns, $0.y) } }
    }
  }

  /// The original coordinates by their points.
  func originals() -> [SIMD2<Double>: Coordinate] {
    var result: [SIMD2<Double>: Coordinate] = [:]
    for (part, ring) in zip(parts.joined(), rings.joined()) {
      for (point, vertex) in zip(part, ring) { result[point] = vertex }
    }
    return result
  }

  func coordinate(of point: SIMD2<Double>) -> Coordinate {
    guard let center else {
      return Coordinate(latitude: max(-90, min(90, point.y)), longitude: point.x)
    }
    return GeodesicSolver.direct(
      center, azimuth: atan2(point.x, point.y) * (180 / .pi),
      distance: (point.x * point.x + point.y * point.y).squareRoot()
    ).coordinate
  }

  /// The ring closed, and split where its edges are long geodesics.
  private static func prepared(_ ring: [Coordinate], meaning: RingMeaning) -> [Coordinate] {
    var result = [ring[0]]
    result.reserveCapacity(ring.count + 1)
    for next in ring.dropFirst() + [ring[0]] {
      let last = result[result.count - 1]
      if last == next { continue }
      // Nothing within 0.14 degrees either way is longer than a piece.
      if meaning == .geodesic,
        abs(next.latitude - last.latitude) > 0.1 || abs(next.longitude - last.longitude) > 0.1
      {
        result.append(contentsOf: PolygonBlob.splitPoints(last, next))
      }
      result.append(next)
    }
    return result
  }

  private static func isPlanar(_ ring: [Coordinate], meaning: RingMeaning) -> Bool {
    guard let side = CleanRing.planarSide(ring) else { return false }
    return meaning == .planar || side * CleanRing.geodesicSide(Array(ring.dropLast())) > 0
  }

  private static func unwrapped(_ ring: [Coordinate]) -> [SIMD2<Double>] {
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
    result[result.count - 1] = result[0]
    return result
  }

  private static func middle(_ ring: [SIMD2<Double>]) -> Degrees {
    let extent = extent(ring)
    return (extent.lowerBound + extent.upperBound) / 2
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

  /// The pole for a ring around one, otherwise the middle of everything.
  private static func center(of rings: [[[Coordinate]]]) -> Coordinate {
    var sum = Vector3(0, 0, 0)
    var turnsAroundPole = false
    for ring in rings.joined() {
      if CleanRing.planarSide(ring) == nil { turnsAroundPole = true }
      for vertex in ring { sum = sum + Vector3(unchecked: vertex) }
    }
    if turnsAroundPole { return Coordinate(latitude: sum.z < 0 ? -90 : 90, longitude: 0) }
    guard sum.length > 1e-3 else { return rings[0][0][0] }
    let scaled = (WGS84.b / sum.length) * sum
    return EdgeKernel.Surface(lifting: 0.999 * scaled).coordinate
  }

  private static func project(_ c: Coordinate, _ center: Coordinate) -> SIMD2<Double> {
    let line = GeodesicSolver.inverse(center, CleanRing.wrapped(c))
    let azimuth = line.azimuth1 * (.pi / 180)
    return SIMD2(line.distance * sin(azimuth), line.distance * cos(azimuth))
  }
}
