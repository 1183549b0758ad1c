import Foundation
import VicinityGeodesy
import VicinityPolygon
import VicinityTestSupport

/// Whether polygons of geodesic edges are valid, from points along the edges that PROJ has computed.
///
/// Every pair of edges is compared in pieces of up to 1 km, in the plane that touches the ellipsoid beside
/// them; which ring lies in which follows from how the azimuth turns along a ring. Nothing of the product's
/// projections, sweep or predicates takes part.
struct GeodesicPolygonOracle {
  struct Verdict {
    var isValid: Bool
    /// The least distance of a vertex from an edge that it does not belong to, metres: with less than errors
    /// of the arithmetic, the verdict would mean nothing.
    var clearance: Double
  }

  private struct Edge {
    var ends: (Coordinate, Coordinate)
    var points: [SIMD3<Double>]
    var coordinates: [Coordinate]
    /// Balls around runs of pieces.
    var runs: [(range: Range<Int>, center: SIMD3<Double>, radius: Double)]

    init(_ a: Coordinate, _ b: Coordinate) {
      ends = (a, b)
      let path = PROJ.path(a, b)
      let line = PROJ.Line(from: a, azimuth: path.azimuth1)
      let count = max(1, Int((path.distance / 1000).rounded(.up)))
      coordinates =
        [a] + (1..<count).map { line.place(path.distance * Double($0) / Double(count)).coordinate } + [b]
      points = coordinates.map(Self.place)
      runs = []
      for start in stride(from: 0, to: count, by: 24) {
        let range = start..<min(start + 24, count)
        let center = 0.5 * (points[range.lowerBound] + points[range.upperBound])
        let radius = points[range.lowerBound...range.upperBound].map { length($0 - center) }.max() ?? 0
        runs.append((range, center, radius))
      }
    }

    /// EPSG guidance note 7-2, 4.1.1.
    static func place(_ c: Coordinate) -> SIMD3<Double> {
      let (phi, lambda) = (c.latitude * .pi / 180, c.longitude * .pi / 180)
      let e2 = (2 - 1 / 298.257223563) / 298.257223563
      let n = 6_378_137 / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
      return SIMD3(n * cos(phi) * cos(lambda), n * cos(phi) * sin(lambda), n * (1 - e2) * sin(phi))
    }

    func owns(_ c: Coordinate) -> Bool { c == ends.0 || c == ends.1 }

    /// The distance along the ground, for distances up to some metres.
    func distance(to place: SIMD3<Double>) -> Double {
      var least = Double.infinity
      for run in runs where length(place - run.center) <= run.radius + min(least, 1e5) {
        for i in run.range {
          let along = points[i + 1] - points[i]
          let own = place - points[i]
          let share = max(0, min(1, dot(own, along) / dot(along, along)))
          let up = normal(place)
          let off = own - share * along
          // Piece and place are not equally high.
          let level = off - dot(off, up) * up
          least = min(least, length(off) < 1e4 ? length(level) : length(off))
        }
      }
      return least
    }

    func crosses(_ other: Edge) -> Bool {
      for run in runs {
        for otherRun in other.runs
        where length(run.center - otherRun.center) <= run.radius + otherRun.radius + 10 {
          for i in run.range {
            for k in otherRun.range
            where cross(points[i], points[i + 1], other.points[k], other.points[k + 1]) {
              return true
            }
          }
        }
      }
      return false
    }

    private func cross(
      _ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>, _ d: SIMD3<Double>
    ) -> Bool {
      guard length(a + b - c - d) <= length(b - a) + length(d - c) + 1 else { return false }
      let up = normal(a + b)
      func isLeft(_ p: SIMD3<Double>, _ q: SIMD3<Double>, _ r: SIMD3<Double>) -> Bool {
        dot(product(q - p, r - p), up) > 0
      }
      return isLeft(a, b, c) != isLeft(a, b, d) && isLeft(c, d, a) != isLeft(c, d, b)
    }
  }

  static func verdict(_ parts: [Polygon.Part]) -> Verdict {
    let rings = parts.map { part in
      ([part.exterior] + part.holes).map { ring in
        ring.indices.map { Edge(ring[$0], ring[($0 + 1) % ring.count]) }
      }
    }
    let edges = Array(rings.joined().joined())
    var clearance = Double.infinity
    for edge in edges {
      let place = edge.points[0]
      for other in edges where !other.owns(edge.ends.0) {
        clearance = min(clearance, other.distance(to: place))
      }
    }
    for i in edges.indices {
      for k in edges.indices.dropFirst(i + 1)
      where !edges[k].owns(edges[i].ends.0) && !edges[k].owns(edges[i].ends.1) && edges[i].crosses(edges[k]) {
        return Verdict(isValid: false, clearance: clearance)
      }
    }
    var isValid = true
    for (p, part) in rings.enumerated() {
      for (h, hole) in part.enumerated().dropFirst() {
        if !isInside(hole, part[0]) { isValid = false }
        for (k, other) in part.enumerated().dropFirst() where k != h && isInside(hole, other) {
          isValid = false
        }
      }
      for (q, other) in rings.enumerated() where q != p {
        let isInHole = other.dropFirst().contains { isInside(part[0], $0) }
        if isInside(part[0], other[0]) && !isInHole { isValid = false }
      }
    }
    return Verdict(isValid: isValid, clearance: clearance)
  }

  /// Whether a ring that does not cross another one lies inside: seen from inside, a ring turns once around.
  private static func isInside(_ ring: [Edge], _ other: [Edge]) -> Bool {
    let position = ring[0].ends.0
    var turn = 0.0
    for edge in other {
      var previous = PROJ.path(position, edge.coordinates[0]).azimuth1
      for next in edge.coordinates.dropFirst() {
        let azimuth = PROJ.path(position, next).azimuth1
        turn += (azimuth - previous).remainder(dividingBy: 360)
        previous = azimuth
      }
    }
    return abs(turn) > 180
  }
}

private func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { (a * b).sum() }

private func length(_ a: SIMD3<Double>) -> Double { dot(a, a).squareRoot() }

private func product(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// The direction up near `place`.
private func normal(_ place: SIMD3<Double>) -> SIMD3<Double> {
  let b2 = (1 - 1 / 298.257223563) * (1 - 1 / 298.257223563)
  let up = SIMD3(place.x, place.y, place.z / b2)
  return up / length(up)
}
