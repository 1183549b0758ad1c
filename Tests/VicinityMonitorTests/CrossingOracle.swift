import CPROJ
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor

/// Crossings by PROJ alone: the way is halved until the boundary distance, which changes by no more than the way, leaves
/// no room for a pass of a millimetre. Shares nothing with the detector.
struct CrossingOracle {
  /// Boundary distance, metres.
  typealias Distance = (Coordinate) -> Double

  struct Event: Hashable {
    var region: Int
    var isEntry: Bool
    var seconds: Double
    /// Of the whole way, 0...1.
    var leg: Int
    var fraction: Double
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

  /// The signed distance to polygons' boundary, from geodesic rings: sampled edges, crossings counted on a meridian's
  /// worth of samples; in `PolygonOracle`.
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
              leg: i,
              fraction: fraction))
        }
      }
    }
    return result
  }
}

/// Whether crossings are those of the oracle; excursions no deeper than a millimetre may be missing on either side.
func disagreement(
  _ crossings: [Crossing], _ oracle: [CrossingOracle.Event], _ fixes: [Fix],
  _ distances: [CrossingOracle.Distance], tolerance: Double = 1e-6, shallow: Double = 1.1e-3
) -> String? {
  var found: [Int: [Crossing]] = [:]
  for crossing in crossings { found[crossing.region, default: []].append(crossing) }
  var expected: [Int: [CrossingOracle.Event]] = [:]
  for event in oracle { expected[event.region, default: []].append(event) }
  func seconds(_ c: Crossing) -> Double { c.time.seconds(since: fixes[0].time) }
  func leg(_ seconds: Double) -> (Fix, Fix) {
    var (low, high) = (1, fixes.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if fixes[middle].time.seconds(since: fixes[0].time) < seconds {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (fixes[low - 1], fixes[low])
  }
  // Times are whole microseconds.
  func slack(_ seconds: Double) -> Double {
    let (a, b) = leg(seconds)
    return 2e-6 + 1.5e-6 * CrossingOracle.distance(a.coordinate, b.coordinate) / b.time.seconds(since: a.time)
  }
  func place(_ seconds: Double) -> Coordinate {
    let (a, b) = leg(seconds)
    let way = CrossingOracle.Way(a.coordinate, b.coordinate)
    let f = (seconds - a.time.seconds(since: fixes[0].time)) / b.time.seconds(since: a.time)
    return way.place(f * way.length)
  }
  for region in Set(found.keys).union(expected.keys) {
    var a = (found[region] ?? []).map { (isEntry: $0.kind == .enter, seconds: seconds($0)) }
    var b = (expected[region] ?? []).map { (isEntry: $0.isEntry, seconds: $0.seconds) }
    for (x, y) in zip(a, a.dropFirst()) where x.isEntry == y.isEntry {
      return "region \(region) does not alternate"
    }
    // How deep what lies between two events is.
    func isShallow(_ x: Double, _ y: Double) -> Bool {
      (1..<8).allSatisfy { abs(distances[region](place(x + (y - x) * Double($0) / 8))) < shallow }
    }
    func drop(_ list: inout [(isEntry: Bool, seconds: Double)]) {
      var i = 0
      while i + 1 < list.count {
        if isShallow(list[i].seconds, list[i + 1].seconds) {
          list.removeSubrange(i...i + 1)
          i = max(0, i - 1)
        } else {
          i += 1
        }
      }
    }
    if a.count != b.count {
      drop(&a)
      drop(&b)
    }
    guard a.count == b.count else {
      return "region \(region): \(a.count) crossings \(a), oracle \(b.count) \(b)"
    }
    for (x, y) in zip(a, b) {
      guard x.isEntry == y.isEntry else { return "region \(region): another kind at \(x.seconds)" }
      // The way between the two instants, or both next to the boundary.
      let apart = CrossingOracle.distance(place(x.seconds), place(y.seconds))
      let near = abs(distances[region](place(x.seconds)))
      guard apart < 1e-3 + slack(y.seconds) || near < max(shallow, 10 * tolerance) else {
        return "region \(region): at \(x.seconds) s, oracle \(y.seconds) s, \(apart) m apart"
      }
    }
  }
  for crossing in crossings {
    let off = distances[crossing.region](crossing.coordinate)
    guard abs(off) <= tolerance else { return "\(crossing): \(off) m off the boundary" }
    let drift = CrossingOracle.distance(crossing.coordinate, place(seconds(crossing)))
    guard drift <= slack(seconds(crossing)) else { return "\(crossing): \(drift) m off the way" }
  }
  for (x, y) in zip(crossings, crossings.dropFirst()) where x.time > y.time {
    return "out of order: \(x), \(y)"
  }
  return nil
}
