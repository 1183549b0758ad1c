internal import VicinityGeodesy

/// Draws rings of geodesics along the lines that stand for the poles in a plane of longitude and latitude.
///
/// An edge from or to a pole is a meridian, whatever longitude the pole's vertex is given. So a ring that has
/// a pole for a vertex, or leads over one, runs up its last meridian, along the pole's line and down its next
/// meridian.
struct PoleCorners {
  private var north: [ClosedRange<Degrees>] = []
  private var south: [ClosedRange<Degrees>] = []

  /// Puts two points into the closed ring for each visit to a pole.
  mutating func draw(_ ring: inout [SIMD2<Double>]) {
    let visits = ring.indices.dropFirst().contains { i in
      Self.isPole(ring[i]) || abs(ring[i].x - ring[i - 1].x) == 180
    }
    guard visits, let first = ring.firstIndex(where: { !Self.isPole($0) }) else { return }
    let open = ring.dropLast()
    var result = [ring[first]]
    // From a vertex elsewhere around to itself.
    var previous = ring[first]
    var pole: SIMD2<Double>?
    for k in 1...open.count {
      let next = open[(first + k) % open.count]
      if Self.isPole(next) {
        if let pole, pole.y != next.y { result.append(pole) }
        if pole?.y != next.y { result.append(pole == nil ? SIMD2(previous.x, next.y) : next) }
        pole = next
        continue
      }
      if let pole {
        add(result[result.count - 1], SIMD2(next.x, pole.y), &result)
      } else if let latitude = Self.poleBetween(previous, next) {
        result.append(SIMD2(previous.x, latitude))
        add(result[result.count - 1], SIMD2(next.x, latitude), &result)
      }
      result.append(next)
      previous = next
      pole = nil
    }
    ring = result
  }

  private mutating func add(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ ring: inout [SIMD2<Double>]
  ) {
    ring.append(end)
    let range = min(start.x, end.x)...max(start.x, end.x)
    if end.y > 0 { north.append(range) } else { south.append(range) }
  }

  private static func isPole(_ point: SIMD2<Double>) -> Bool { abs(point.y) == 90 }

  /// The latitude of the pole that the geodesic leads over.
  private static func poleBetween(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Degrees? {
    guard abs(b.x - a.x) == 180 else { return nil }
    let azimuth = abs(
      GeodesicSolver.inverse(
        Coordinate(latitude: a.y, longitude: a.x), Coordinate(latitude: b.y, longitude: b.x)
      ).azimuth1)
    return azimuth == 0 ? 90 : azimuth == 180 ? -90 : nil
  }

  /// Whether corners at one pole overlap: there the line for the pole would tell nothing.
  var overlap: Bool { Self.overlap(north) || Self.overlap(south) }

  private static func overlap(_ ranges: [ClosedRange<Degrees>]) -> Bool {
    guard ranges.count > 1 else { return false }
    let turned = ranges.map { range in
      let start = range.lowerBound - (range.lowerBound / 360).rounded(.down) * 360
      return (start: start, end: start + range.upperBound - range.lowerBound)
    }.sorted { $0.start < $1.start }
    // Once around, and to the first again.
    for (i, range) in turned.enumerated() {
      let next = i + 1 < turned.count ? turned[i + 1].start : turned[0].start + 360
      if range.end > next + 1e-9 { return true }
    }
    return false
  }
}
