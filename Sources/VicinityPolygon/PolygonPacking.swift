internal import VicinityGeodesy

extension PolygonBlob {
  /// Packs the chains of a boundary: splits long edges, orders chains by place, bounds the region.
  ///
  /// - Parameter mayBeOutside: Whether the region may be what lies outside a circle around its boundary.
  ///   Asked where the edges' directions say so: those of a ring that is thinner than its edges are exact
  ///   say nothing.
  /// - Complexity: O(n)
  init(
    chains: [[Coordinate]], mayBeOutside: (BoundingCircle) -> Bool = { _ in true }
  ) throws(PolygonError) {
    var points: [Point] = []
    for chain in Self.ordered(chains) { try Self.append(chain, to: &points) }
    guard !points.isEmpty else {
      self.init(
        points: [], center: Coordinate(latitude: 0, longitude: 0),
        radius: Polygon.unboundedRadius, origin: Vector3(0, 0, 0))
      return
    }
    let ball = BoundingCircle(points)
    self.init(points: points, center: ball.center, radius: ball.radius, origin: ball.origin)
    var ambiguous = AmbiguousEdges(points)
    let isOutside = ambiguous.isEmpty && isOutside(ball)
    if isOutside, !mayBeOutside(ball) { ambiguous.markAll() }
    guard ambiguous.isEmpty else {
      self.init(
        points: points, ball: ball, ambiguous: ambiguous, mayBeOutside: mayBeOutside, unmarked: self)
      return
    }
    if isOutside {
      self.init(
        points: points, center: ball.center, radius: Polygon.unboundedRadius, origin: ball.origin)
    }
  }

  /// Whether the region is what lies outside a circle around its boundary: a boundary within a circle smaller
  /// than a hemisphere bounds two regions, and of the larger one no circle is known.
  private func isOutside(_ ball: BoundingCircle) -> Bool {
    // Not `contains`: that relies on the circle's box, which is not known to be right yet.
    guard let outside = ball.placeOutside,
      let nearest = withView({ $0.nearestBoundaryPoint(to: outside, ecef: ECEF(unchecked: outside)) })
    else { return false }
    return nearest.signedDistance <= 0
  }

  /// Packs a boundary with ambiguous edges.
  private init(
    points: [Point], ball: BoundingCircle, ambiguous: AmbiguousEdges,
    mayBeOutside: (BoundingCircle) -> Bool, unmarked: PolygonBlob
  ) {
    var (radius, holdsReference, marked, blob) = (ball.radius, false, ambiguous, unmarked)
    let balance = radius < Polygon.unboundedRadius ? blob.withView { marked.markStretches($0) } : 1
    // Where nothing was tested the nearest edge must tell, marked or not.
    if balance < 0 || balance == 0 && blob.isOutside(ball), mayBeOutside(ball) {
      radius = Polygon.unboundedRadius
      marked = ambiguous
      blob = PolygonBlob(points: points, center: ball.center, radius: radius, origin: ball.origin)
    }
    if radius >= Polygon.unboundedRadius {
      holdsReference = blob.withView { $0.bruteForceContains(PolygonView.openReference) }
      blob = PolygonBlob(
        points: points, center: ball.center, radius: radius, origin: ball.origin,
        holdsReference: holdsReference)
      _ = blob.withView { marked.markStretches($0) }
    }
    var points = points
    for i in points.indices where marked.isAmbiguous[i] { points[i].marks |= PolygonLayout.ambiguousMark }
    self.init(
      points: points, center: ball.center, radius: radius, origin: ball.origin,
      holdsReference: holdsReference)
  }

  /// Chains in the order of a space-filling curve through their first vertices, so that neighbours share
  /// nodes.
  private static func ordered(_ chains: [[Coordinate]]) -> [[Coordinate]] {
    guard chains.count > 2 else { return chains }
    let keys = chains.map { chain in
      let p = Vector3(unchecked: chain[0])
      return spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2
    }
    return chains.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { chains[$0] }
  }

  /// 21 bits of a component, two zeros between any two (Morton order).
  private static func spread(_ component: Double) -> UInt64 {
    var v = UInt64(max(0, min(1, (component + 6.5e6) / 1.3e7)) * 0x1F_FFFF)
    v = (v | v << 32) & 0x1F_0000_0000_FFFF
    v = (v | v << 16) & 0x1F_0000_FF00_00FF
    v = (v | v << 8) & 0x100F_00F0_0F00_F00F
    v = (v | v << 4) & 0x10C3_0C30_C30C_30C3
    return (v | v << 2) & 0x1249_2492_4924_9249
  }

  private static func append(_ chain: [Coordinate], to points: inout [Point]) throws(PolygonError) {
    let maximum = PolygonLayout.maximumPointCount
    var previous = Point(chain[0], marks: PolygonLayout.vertexMark)
    points.append(previous)
    for vertex in chain.dropFirst() {
      let next = Point(vertex, marks: PolygonLayout.vertexMark)
      // The geodesic exceeds its chord by less than 5 mm at this length.
      if (next.place - previous.place).length > EdgeKernel.maximumLength - 0.1 {
        for coordinate in splitPoints(previous.coordinate, vertex) {
          points.append(Point(coordinate, marks: 0))
        }
      }
      points.append(next)
      guard points.count <= maximum else {
        throw .tooManyEdges(count: points.count, maximum: maximum)
      }
      previous = next
    }
    points[points.count - 1].marks |= PolygonLayout.endsChainMark
  }

  /// The points that split a geodesic edge into equal pieces no longer than `maximum`, ends left out.
  ///
  /// Here and below the package's own solver is asked also where PROJ is the reference: a polygon has the
  /// same bytes everywhere.
  static func splitPoints(
    _ a: Coordinate, _ b: Coordinate, maximum: Meters = EdgeKernel.maximumLength
  ) -> [Coordinate] {
    let edge = GeodesicSolver.inverse(a, b)
    let count = Int((edge.distance / maximum).rounded(.up))
    guard count > 1 else { return [] }
    return (1..<count).map { k in
      CleanRing.wrapped(
        GeodesicSolver.direct(
          a, azimuth: edge.azimuth1, distance: edge.distance * (Double(k) / Double(count))
        ).coordinate)
    }
  }
}

/// A circle around a region, from its boundary's points.
struct BoundingCircle {
  /// On the surface.
  let center: Coordinate
  /// Geodesic, rounded up; ``Polygon/unboundedRadius`` where no useful circle is certified.
  let radius: Meters
  /// The centre of the enclosing ball, to which packed boxes are relative.
  let origin: Vector3
  /// A place just outside the circle; `nil` for the unbounded one.
  let placeOutside: Coordinate?

  init(_ points: [PolygonBlob.Point]) {
    var low = points[0].place
    var high = low
    for point in points {
      let p = point.place
      low = Vector3(min(low.x, p.x), min(low.y, p.y), min(low.z, p.z))
      high = Vector3(max(high.x, p.x), max(high.y, p.y), max(high.z, p.z))
    }
    var ball = 0.5 * (low + high)
    // Approximate smallest enclosing ball: step towards the farthest point by 1/(i + 1)
    // (M. Bădoiu and K. L. Clarkson, Smaller core-sets for balls, SODA 2003).
    for i in 1...(points.count > 4096 ? 6 : 24) {
      ball = ball + (1 / Double(i + 2)) * (Self.farthest(from: ball, points).place - ball)
    }
    // Whole metres, so that differences of places are exact.
    origin = Vector3(ball.x.rounded(), ball.y.rounded(), ball.z.rounded())
    let surface = EdgeKernel.Surface(lifting: ball)
    guard ball.length > 1e5 else {
      center = Coordinate(latitude: 0, longitude: 0)
      radius = Polygon.unboundedRadius
      placeOutside = nil
      return
    }
    center = CleanRing.wrapped(surface.coordinate)
    let place = Vector3(unchecked: center)
    let farthest = Self.farthest(from: place, points)
    // Distance along a geodesic edge is convex this close to the centre, so its ends are its farthest points.
    let reach =
      EdgeKernel.longestGeodesic(overChord: (farthest.place - place).length) * (1 + 1e-9) + 1e-2
    guard reach < 9_000_000 else {
      radius = Polygon.unboundedRadius
      placeOutside = nil
      return
    }
    radius = reach
    let azimuth = GeodesicSolver.inverse(center, farthest.coordinate).azimuth1
    placeOutside =
      GeodesicSolver.direct(center, azimuth: azimuth, distance: reach * 1.001 + 10).coordinate
  }

  /// Places all around outside the circle, 20 km and more away from it; none for the unbounded one.
  var placesBeyond: [Coordinate] {
    guard radius < Polygon.unboundedRadius else { return [] }
    var places = [
      CleanRing.wrapped(Coordinate(latitude: -center.latitude, longitude: center.longitude + 180))
    ]
    for distance in [20_000, 200_000, 2_000_000] as [Meters] {
      for azimuth in stride(from: 20.0, to: 360, by: 45) {
        let direct = GeodesicSolver.direct(center, azimuth: azimuth, distance: radius + distance)
        places.append(CleanRing.wrapped(direct.coordinate))
      }
    }
    return places
  }

  private static func farthest(from c: Vector3, _ points: [PolygonBlob.Point]) -> PolygonBlob.Point {
    var best = points[0]
    var greatest = -1.0
    for point in points {
      let d = (point.place - c).squaredLength
      if d > greatest {
        greatest = d
        best = point
      }
    }
    return best
  }
}
