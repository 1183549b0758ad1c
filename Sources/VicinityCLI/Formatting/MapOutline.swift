import VicinityGeodesy

/// A region's outline as the rings of RFC 7946: cut at the antimeridian, exteriors counterclockwise, holes
/// clockwise, the first position repeated at the end.
///
/// The boundary has the region on its left. Where it leaves the map, the outline follows the map's edge
/// counterclockwise to where the boundary comes in again, so rings around a pole close through it.
struct MapOutline: Equatable {
  /// Each an exterior followed by its holes.
  private(set) var polygons: [[[Coordinate]]] = []

  /// The outline of the region bounded by `chains`; `nil` where they bound none.
  ///
  /// No chains bound the whole Earth.
  ///
  /// - Complexity: O(n log n) in vertices, and O(holes × vertices) to place the holes.
  init?(chains: [[Coordinate]]) {
    var cutter = ChainCutter()
    for chain in chains { cutter.add(chain) }
    guard cutter.strays.isEmpty else { return nil }
    var exteriors = Self.stitched(cutter.pieces)
    var holes: [[Coordinate]] = []
    for ring in cutter.rings {
      if Self.doubleArea(of: ring) > 0 { exteriors.append(ring) } else { holes.append(ring) }
    }
    if exteriors.isEmpty { exteriors = [Self.wholeMap] }
    polygons = exteriors.map { [$0] }
    let areas = exteriors.map { Self.doubleArea(of: $0) }
    for hole in holes {
      let around = exteriors.indices.filter { Self.contains(exteriors[$0], hole[0]) }
      guard let smallest = around.min(by: { areas[$0] < areas[$1] }) else { return nil }
      polygons[smallest].append(hole)
    }
  }

  private static let wholeMap: [Coordinate] = [
    Coordinate(latitude: -90, longitude: -180), Coordinate(latitude: -90, longitude: 180),
    Coordinate(latitude: 90, longitude: 180), Coordinate(latitude: 90, longitude: -180),
    Coordinate(latitude: -90, longitude: -180),
  ]

  /// The corners by their place along the map's edge (see `place`).
  private static let corners: [(place: Degrees, position: Coordinate)] = [
    (180, Coordinate(latitude: 90, longitude: 180)), (540, Coordinate(latitude: 90, longitude: -180)),
    (720, Coordinate(latitude: -90, longitude: -180)), (1080, Coordinate(latitude: -90, longitude: 180)),
  ]

  /// How far along the map's edge a position on it lies, counterclockwise from the south-east corner,
  /// degrees, 0 ..< 1080.
  private static func place(of position: Coordinate) -> Degrees {
    if position.longitude == 180, position.latitude > -90 { return position.latitude + 90 }
    if position.latitude == 90 { return 360 - position.longitude }
    if position.longitude == -180 { return 630 - position.latitude }
    return position.longitude == 180 ? 0 : 900 + position.longitude
  }

  /// Pieces joined into rings along the map's edge.
  private static func stitched(_ pieces: [[Coordinate]]) -> [[Coordinate]] {
    guard !pieces.isEmpty else { return [] }
    let starts = pieces.enumerated()
      .map { (place: place(of: $0.element.first ?? $0.element[0]), piece: $0.offset) }
      .sorted { ($0.place, $0.piece) < ($1.place, $1.piece) }
    var isUsed = [Bool](repeating: false, count: pieces.count)
    var rings: [[Coordinate]] = []
    for first in pieces.indices where !isUsed[first] {
      var ring: [Coordinate] = []
      var current = first
      while !isUsed[current] {
        isUsed[current] = true
        ring += pieces[current]
        guard let last = pieces[current].last else { break }
        let end = place(of: last)
        // The next start counterclockwise that still waits, or the ring's own.
        var offset = starts.partitioningIndex { $0.place >= end }
        var passed = 0
        while passed < starts.count {
          let candidate = starts[offset % starts.count].piece
          if !isUsed[candidate] || candidate == first { break }
          offset += 1
          passed += 1
        }
        let next = starts[offset % starts.count]
        let target = next.place < end ? next.place + 1080 : next.place
        for lap in [0.0, 1080.0] {
          for corner in corners where corner.place + lap > end && corner.place + lap < target {
            ring.append(corner.position)
          }
        }
        current = next.piece
      }
      if let start = ring.first { ring.append(start) }
      rings.append(withoutRepeats(ring))
    }
    return rings
  }

  private static func withoutRepeats(_ ring: [Coordinate]) -> [Coordinate] {
    var result: [Coordinate] = []
    for position in ring where position != result.last { result.append(position) }
    return result
  }

  /// Twice the signed area on the map, square degrees; positive counterclockwise.
  private static func doubleArea(of ring: [Coordinate]) -> Double {
    zip(ring, ring.dropFirst()).reduce(0) { sum, edge in
      sum + (edge.0.longitude * edge.1.latitude - edge.1.longitude * edge.0.latitude)
    }
  }

  /// Whether `position` lies in `ring`, by the parity of crossings.
  private static func contains(_ ring: [Coordinate], _ position: Coordinate) -> Bool {
    var isInside = false
    for (a, b) in zip(ring, ring.dropFirst())
    where (a.latitude > position.latitude) != (b.latitude > position.latitude) {
      let part = (position.latitude - a.latitude) / (b.latitude - a.latitude)
      if position.longitude < a.longitude + part * (b.longitude - a.longitude) { isInside.toggle() }
    }
    return isInside
  }
}
