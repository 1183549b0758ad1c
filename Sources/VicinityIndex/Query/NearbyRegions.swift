package import VicinityGeodesy

/// A circle of a neighbourhood.
package struct NearbyCircle {
  package var ordinal: UInt32
  package var center: Coordinate
  package var radius: Meters

  package init(ordinal: UInt32, center: Coordinate, radius: Meters) {
    self.ordinal = ordinal
    self.center = center
    self.radius = radius
  }
}

/// A polygon of a neighbourhood, and its boundary distance where it was last asked for.
@safe package struct NearbyPolygon {
  package let ordinal: UInt32
  let view: PolygonView
  /// Where the boundary distance was last asked for.
  package fileprivate(set) var place: ECEF
  /// The signed boundary distance there, metres.
  package fileprivate(set) var distance: Meters

  /// How far a boundary distance may be from the truth, metres.
  package static let error: Meters = 1e-3

  /// A lower bound of the distance from a place to the boundary, by what is known elsewhere, metres.
  @inline(__always)
  package func clearance(at place: ECEF) -> Meters {
    let chord = place.chord(to: self.place)
    return abs(distance) - GeodesicBounds.fastUpperBound(chord: chord) - Self.error
  }

  /// The signed boundary distance, metres.
  package func boundaryDistance(from coordinate: Coordinate, _ place: ECEF) -> Meters {
    view.signedBoundaryDistance(from: coordinate, ecef: place)
  }

  /// Asks for the boundary distance at another place.
  package mutating func move(to coordinate: Coordinate, _ place: ECEF) {
    distance = view.signedBoundaryDistance(from: coordinate, ecef: place)
    self.place = place
  }

  /// Calls `body` with the ends of every piece of edge that may come within `radius` metres, in a straight line, of a
  /// place.
  package func forEachPiece(near place: ECEF, radius: Meters, _ body: (ECEF, ECEF) -> Void) {
    view.forEachPiece(near: Vector3(place), radius: radius, body)
  }
}

/// A growing list of circles that keeps its memory.
@safe package struct NearbyCircles: ~Copyable {
  private var elements: UnsafeMutablePointer<NearbyCircle>
  private var capacity = 64
  package private(set) var count = 0

  package init() { unsafe elements = .allocate(capacity: capacity) }

  deinit { unsafe elements.deallocate() }

  package subscript(i: Int) -> NearbyCircle {
    assert(i >= 0 && i < count)
    return unsafe elements[i]
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ element: NearbyCircle) {
    if count == capacity { grow() }
    unsafe elements[count] = element
    count += 1
  }

  private mutating func grow() {
    let new = UnsafeMutablePointer<NearbyCircle>.allocate(capacity: 2 * capacity)
    unsafe new.update(from: elements, count: count)
    unsafe elements.deallocate()
    unsafe elements = new
    capacity *= 2
  }
}
