import CPROJ
import VicinityGeodesy
import VicinityIndex

@testable import VicinityCrossings

/// Crossings by PROJ alone: the way is halved until the boundary distance, which changes by no more than the
/// way, leaves no room for a pass of a millimetre. Shares nothing with the detector.
struct CrossingOracle {
  /// The distance to a region's boundary, metres: negative inside circles, without a sign for polygons.
  typealias Distance = (Coordinate) -> Double

  struct Event: Hashable {
    var region: Int
    var isEntry: Bool
    /// Since the first fix.
    var seconds: Double
    /// The number of the fix that ends the way.
    var leg: Int
    /// How far along that way, metres.
    var along: Double
  }

  static let ellipsoid: geod_geodesic = {
    var g = geod_geodesic()
    unsafe geod_init(&g, 6_378_137, 1 / 298.257223563)
    return g
  }()

  static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
    var s12 = 0.0
    var g = ellipsoid
    unsafe geod_inverse(&g, a.latitude, a.longitude, b.latitude, b.longitude, &s12, nil, nil)
    return s12
  }

  /// The shortest way between two fixes.
  struct Way {
    private var line = geod_geodesicline()
    let length: Double

    init(_ a: Coordinate, _ b: Coordinate) {
      var g = CrossingOracle.ellipsoid
      unsafe geod_inverseline(&line, &g, a.latitude, a.longitude, b.latitude, b.longitude, 0)
      length = line.s13
    }

    func place(_ s: Double) -> Coordinate {
      var latitude = 0.0
      var longitude = 0.0
      unsafe withUnsafePointer(to: line) { unsafe geod_position($0, s, &latitude, &longitude, nil) }
      return Coordinate(latitude: latitude, longitude: longitude)
    }
  }

  static func circle(_ center: Coordinate, _ radius: Double) -> Distance {
    { distance($0, center) - radius }
  }

  /// Of circles. A polygon's comes from its `PolygonOracle`: here it is NaN, which no judge accepts.
  static func distances(_ regions: [Region]) -> [Distance] {
    regions.map { region in
      switch region.shape {
      case .circle(let center, let radius): circle(center, radius)
      case .polygon: { _ in .nan }
      }
    }
  }

  /// Changes of side on a way, as metres from its start.
  static func changes(_ way: Way, _ distance: Distance, from first: Double, to last: Double) -> [Double] {
    var result: [Double] = []
    func search(_ s1: Double, _ d1: Double, _ s2: Double, _ d2: Double) {
      let isChange = (d1 <= 0) != (d2 <= 0)
      if !isChange, abs(d1) + abs(d2) > s2 - s1 { return }
      if s2 - s1 < 2e-4 {
        if isChange {
          var (a, b) = (s1, s2)
          while b - a > 1e-9 {
            let m = 0.5 * (a + b)
            if m <= a || m >= b { break }
            if (distance(way.place(m)) <= 0) == (d1 <= 0) { a = m } else { b = m }
          }
          result.append(0.5 * (a + b))
        }
        return
      }
      let middle = 0.5 * (s1 + s2)
      let d = distance(way.place(middle))
      search(s1, d1, middle, d)
      search(middle, d, s2, d2)
    }
    search(0, first, way.length, last)
    return result
  }

  /// Everything that happens on a track without gaps.
  static func events(_ fixes: [Fix], _ distances: [Distance]) -> [Event] {
    var result: [Event] = []
    var last = distances.map { $0(fixes[0].coordinate) }
    for i in 1..<fixes.count {
      let (a, b) = (fixes[i - 1], fixes[i])
      let way = Way(a.coordinate, b.coordinate)
      for (region, distance) in distances.enumerated() {
        let (d1, d2) = (last[region], distance(b.coordinate))
        last[region] = d2
        var inside = d1 <= 0
        for s in changes(way, distance, from: d1, to: d2) {
          inside.toggle()
          let fraction = way.length > 0 ? s / way.length : 0
          result.append(
            Event(
              region: region, isEntry: inside,
              seconds: fraction * b.time.seconds(since: a.time) + a.time.seconds(since: fixes[0].time),
              leg: i, along: s))
        }
      }
    }
    return result
  }
}
