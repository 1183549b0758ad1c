import CPROJ
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Crossings of polygons by PROJ alone: every geodesic edge is intersected with every way, and sides are told
/// by counting.
struct PolygonOracle {
  /// All rings, whatever their sense; closed.
  let rings: [[Coordinate]]
  /// Some place that is not inside.
  let outside: Coordinate

  private struct Inverse {
    var distance = 0.0
    var azimuth = 0.0
  }

  private static func inverse(_ a: Coordinate, _ b: Coordinate) -> Inverse {
    var result = Inverse()
    var g = CrossingOracle.ellipsoid
    unsafe geod_inverse(
      &g, a.latitude, a.longitude, b.latitude, b.longitude, &result.distance, &result.azimuth, nil)
    return result
  }

  /// Where a way crosses an edge, metres from its start.
  private static func crossing(_ way: CrossingOracle.Way, _ a: Coordinate, _ b: Coordinate) -> [Double] {
    let edge = inverse(a, b)
    func side(_ s: Double) -> (sine: Double, along: Double) {
      let to = inverse(a, way.place(s))
      let angle = (to.azimuth - edge.azimuth) * .pi / 180
      return (sin(angle), to.distance * cos(angle))
    }
    // Ways of some kilometres: one change of side each.
    let pieces = max(1, Int(way.length / 5000) + 1)
    var result: [Double] = []
    for k in 0..<pieces {
      var (low, high) = (way.length * Double(k) / Double(pieces), way.length * Double(k + 1) / Double(pieces))
      let isLeft = side(low).sine < 0
      guard (side(high).sine < 0) != isLeft else { continue }
      for _ in 0..<60 where high - low > 1e-8 {
        let middle = 0.5 * (low + high)
        if (side(middle).sine < 0) == isLeft { low = middle } else { high = middle }
      }
      let along = side(low).along
      if along >= 0, along < edge.distance { result.append(low) }
    }
    return result
  }

  func crossings(_ way: CrossingOracle.Way) -> [Double] {
    var result: [Double] = []
    for ring in rings {
      for (a, b) in zip(ring, ring.dropFirst()) {
        // Neither end may be nearer than the way and the edge are long.
        let reach = way.length + CrossingOracle.distance(a, b)
        guard CrossingOracle.distance(way.place(0), a) <= reach else { continue }
        result += Self.crossing(way, a, b)
      }
    }
    return result.sorted()
  }

  /// How far the boundary is.
  var distance: CrossingOracle.Distance {
    let boundary = PolygonBoundary(rings)
    return { boundary.distance(from: $0) }
  }

  func contains(_ place: Coordinate) -> Bool {
    crossings(CrossingOracle.Way(place, outside)).count % 2 == 1
  }

  /// Everything that happens on a track without gaps.
  static func events(_ fixes: [Fix], _ polygons: [PolygonOracle]) -> [CrossingOracle.Event] {
    var result: [CrossingOracle.Event] = []
    for (region, polygon) in polygons.enumerated() {
      var inside = polygon.contains(fixes[0].coordinate)
      for i in 1..<fixes.count {
        let (a, b) = (fixes[i - 1], fixes[i])
        let way = CrossingOracle.Way(a.coordinate, b.coordinate)
        for s in polygon.crossings(way) {
          inside.toggle()
          let fraction = s / way.length
          result.append(
            CrossingOracle.Event(
              region: region, isEntry: inside,
              seconds: fraction * b.time.seconds(since: a.time) + a.time.seconds(since: fixes[0].time),
              leg: i, along: s))
        }
      }
    }
    return result
  }
}
