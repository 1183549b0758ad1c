import VicinityGeodesy

/// Boundary chains on the sphere cut at the edge of the map: the meridians ±180 and the poles.
///
/// The map is the rectangle of longitudes -180...180 and latitudes -90...90. Each chain, the region on its
/// left, becomes a closed ring that stays inside, or pieces that begin and end on the rectangle's edge. Parts
/// of chains that run along the edge are left out: the edge itself stands for them. Longitudes must lie in
/// -180...180.
struct ChainCutter {
  /// Closed rings, the first vertex repeated at the end.
  private(set) var rings: [[Coordinate]] = []
  /// Pieces from edge to edge.
  private(set) var pieces: [[Coordinate]] = []
  /// Chains with an end inside the map, as no region has them.
  private(set) var strays: [[Coordinate]] = []

  private var piece: [Coordinate] = []
  /// A position on the edge that the next piece begins at, its longitude not known yet.
  private var pending: Coordinate?

  /// Adds one chain of vertices.
  ///
  /// - Complexity: O(vertices)
  mutating func add(_ chain: [Coordinate]) {
    guard let first = chain.first, let last = chain.last, chain.count > 1 else { return }
    let startsOnEdge = Self.isOnEdge(first)
    let isClosed = first == last
    if !isClosed, !startsOnEdge || !Self.isOnEdge(last) {
      strays.append(chain)
      return
    }
    let firstPiece = pieces.count
    piece = startsOnEdge ? [] : [first]
    pending = startsOnEdge ? first : nil
    for vertex in chain.dropFirst() { extend(to: vertex) }
    guard !startsOnEdge, !piece.isEmpty else { return }
    if pieces.count == firstPiece {
      rings.append(piece)
    } else {
      // The chain began between two cuts: its tail continues in its head.
      pieces[firstPiece] = piece + pieces[firstPiece].dropFirst()
    }
  }

  private static func isPole(_ position: Coordinate) -> Bool { position.latitude.magnitude == 90 }

  private static func isOnEdge(_ position: Coordinate) -> Bool {
    isPole(position) || position.longitude.magnitude == 180
  }

  private static func pole(between a: Coordinate, _ b: Coordinate) -> Coordinate {
    Coordinate(latitude: a.latitude + b.latitude >= 0 ? 90 : -90, longitude: 0)
  }

  private mutating func extend(to vertex: Coordinate) {
    if let start = pending {
      begin(from: start, to: vertex)
    } else if let current = piece.last {
      continuePiece(from: current, to: vertex)
    }
  }

  /// Begins a piece at the edge, on the side that `vertex` is on; waits where the chain follows the edge.
  private mutating func begin(from start: Coordinate, to vertex: Coordinate) {
    guard !Self.isOnEdge(vertex) else {
      pending = vertex
      return
    }
    // From the edge to the meridian of Greenwich an edge passes over the nearer pole.
    let start =
      vertex.longitude == 0 && !Self.isPole(start) ? Self.pole(between: start, vertex) : start
    pending = nil
    if Self.isPole(start) {
      piece = [Coordinate(latitude: start.latitude, longitude: vertex.longitude), vertex]
    } else {
      // An edge takes the shorter way: a vertex in the east is reached from +180.
      let side: Degrees = vertex.longitude > 0 ? 180 : -180
      piece = [Coordinate(latitude: start.latitude, longitude: side), vertex]
    }
  }

  private mutating func continuePiece(from current: Coordinate, to vertex: Coordinate) {
    if Self.isPole(vertex) {
      end(at: Coordinate(latitude: vertex.latitude, longitude: current.longitude), pending: vertex)
      return
    }
    let step = (vertex.longitude - current.longitude).remainder(dividingBy: 360)
    if step.magnitude == 180 {
      // Half way round: the geodesic passes over the nearer pole.
      let pole = Self.pole(between: current, vertex)
      end(at: Coordinate(latitude: pole.latitude, longitude: current.longitude), pending: pole)
      begin(from: pole, to: vertex)
      return
    }
    let side: Degrees = step > 0 ? 180 : -180
    if vertex.longitude.magnitude == 180 {
      end(at: Coordinate(latitude: vertex.latitude, longitude: side), pending: vertex)
      return
    }
    guard (vertex.longitude - current.longitude).magnitude > 180 else {
      piece.append(vertex)
      return
    }
    let part = (side - current.longitude) / step
    let latitude = current.latitude + part * (vertex.latitude - current.latitude)
    end(at: Coordinate(latitude: latitude, longitude: side), pending: nil)
    piece = [Coordinate(latitude: latitude, longitude: -side), vertex]
  }

  private mutating func end(at position: Coordinate, pending next: Coordinate?) {
    piece.append(position)
    pieces.append(piece)
    piece = []
    pending = next
  }
}
