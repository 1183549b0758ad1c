internal import VicinityGeodesy

/// How a ring's coordinates are to be understood.
package enum RingMeaning: Sendable, Hashable {
  /// Edges are geodesics, and a ring's inside is its smaller side.
  case geodesic
  /// Edges are straight lines in a file's longitude and latitude, and so is the inside. Edges along longitude
  /// ±180 or along a pole may be the seams of a clipped polygon.
  case planar
  /// Edges are geodesics, and the inside is to the left of each ring, exterior or hole.
  case wound
}

/// A ring ready for assembly: finite, in range, without repeated vertices.
struct CleanRing {
  /// Longitudes in -180 ..< 180; the closing vertex is not repeated.
  private(set) var vertices: [Coordinate]
  /// Positive when the inside lies to the left, negative when to the right, zero when nothing is enclosed.
  let side: Double
  /// Of a circle around the ring that is smaller than a hemisphere: no smaller than the area that is inside
  /// the ring and outside the circle, square metres. Infinite where the edges' directions alone tell it.
  let areaBeyond: Double
  let place: PolygonError.Place

  /// - Throws: ``PolygonError`` for an invalid coordinate or fewer than three distinct vertices.
  init(
    _ ring: [Coordinate], meaning: RingMeaning, place: PolygonError.Place
  ) throws(PolygonError) {
    self.place = place
    vertices = []
    vertices.reserveCapacity(ring.count)
    for (i, vertex) in ring.enumerated() {
      guard vertex.isValid else {
        throw .invalidCoordinate(
          vertex, PolygonError.Place(part: place.part, ring: place.ring, vertex: i))
      }
      let wrapped = Self.wrapped(vertex)
      if let last = vertices.last {
        if Self.isSamePlace(last, wrapped) { continue }
        if meaning == .planar, abs(wrapped.latitude) == 90, last.latitude == -wrapped.latitude {
          // From pole to pole: along which meridian, only the file's longitude says.
          vertices.append(Coordinate(latitude: 0, longitude: wrapped.longitude))
        }
      }
      vertices.append(wrapped)
    }
    if meaning == .planar, let first = vertices.first, let last = ring.last, abs(last.latitude) == 90,
      last.latitude == -first.latitude
    {
      vertices.append(Coordinate(latitude: 0, longitude: Self.wrapped(last).longitude))
    }
    while vertices.count > 1, Self.isSamePlace(vertices[0], vertices[vertices.count - 1]) {
      vertices.removeLast()
    }
    var distinct = vertices.count
    if distinct >= 3 && distinct < 16 { distinct = Set(vertices).count }
    // The whole Earth, clipped: up and down the antimeridian.
    let isPoleToPole =
      meaning == .planar && vertices.count == 4 && vertices.contains { abs($0.latitude) == 90 }
    guard distinct >= 3 || isPoleToPole else { throw .tooFewVertices(distinct: distinct, place) }
    if Self.isPoint(vertices) {
      (side, areaBeyond) = (0, 0)
      return
    }
    if meaning == .wound {
      (side, areaBeyond) = (place.ring == 0 ? 1 : -1, .infinity)
    } else if meaning == .planar, let doubled = Self.planarSide(ring) {
      // No degree is longer than one of longitude on the equator or of latitude at a pole.
      (side, areaBeyond) = (doubled, abs(doubled) / 2 * WGS84.longestDegree * WGS84.longestDegree)
    } else {
      // The smaller side of a ring in such a circle is the one in it.
      (side, areaBeyond) = (Self.geodesicSide(vertices), 0)
    }
  }

  /// Whether all vertices lie within about a micrometre: near zero degrees, coordinates differ that are the
  /// same point.
  private static func isPoint(_ vertices: [Coordinate]) -> Bool {
    guard let first = vertices.first else { return true }
    return vertices.allSatisfy {
      abs($0.latitude - first.latitude) < 1e-11 && abs($0.longitude - first.longitude) < 1e-11
    }
  }

  /// The vertices, wound with the region on the left.
  ///
  /// - Parameter interiorOnLeft: true for exteriors, false for holes.
  /// - Throws: ``PolygonError/zeroArea(_:)``.
  func wound(interiorOnLeft: Bool) throws(PolygonError) -> [Coordinate] {
    guard side != 0 else { throw .zeroArea(place) }
    return (side > 0) == interiorOnLeft ? vertices : vertices.reversed()
  }

  static func wrapped(_ c: Coordinate) -> Coordinate {
    // Adding zero turns -0 into 0, so that equal places have equal bits.
    if c.longitude >= -180 && c.longitude < 180 {
      return Coordinate(latitude: c.latitude + 0, longitude: c.longitude + 0)
    }
    let lon = c.longitude.remainder(dividingBy: 360)
    return Coordinate(latitude: c.latitude + 0, longitude: lon == 180 ? -180 : lon + 0)
  }

  static func isSamePlace(_ a: Coordinate, _ b: Coordinate) -> Bool {
    a == b || (abs(a.latitude) == 90 && a.latitude == b.latitude)
  }

  /// Positive when the smaller side lies to the left; zero when the ring encloses nothing.
  static func geodesicSide(_ ring: [Coordinate]) -> Double {
    // Twice the area as seen from the mean of the vertices, from chords: exact enough to tell the side of all
    // but slivers, and the better way for rings too small for PROJ's 0.1 m².
    let places = ring.map { Vector3(unchecked: $0) }
    let first = places[0]
    var area = Vector3(0, 0, 0)
    var middle = first
    var perimeter = 0.0
    var reach = 0.0
    var longest = 0.0
    for i in 1..<places.count {
      let a = places[i - 1] - first
      let b = places[i] - first
      let length = (b - a).length
      area = area + a.cross(b)
      middle = middle + places[i]
      perimeter += length
      longest = max(longest, length)
      reach = max(reach, b.squaredLength)
    }
    longest = max(longest, (places[places.count - 1] - first).length)
    perimeter += (places[places.count - 1] - first).length
    let length = middle.length
    let doubled = length > 0 ? area.dot(middle) / length : 0
    let certain = longest * longest / WGS84.minimumCurvatureRadius * perimeter
    if reach < 1e10 && abs(doubled) > certain { return doubled }
    if perimeter < 1000 { return abs(doubled) > 1e-9 * perimeter ? doubled : 0 }
    let signed = GeodesicSolver.measure(ofRing: ring).area
    return abs(signed) > 1e-3 ? signed : 0
  }

  /// Positive when counter-clockwise in longitude and latitude, unwrapped; `nil` for a ring around a pole.
  static func planarSide(_ ring: [Coordinate]) -> Double? {
    guard let first = ring.first else { return 0 }
    var doubled = 0.0
    var x = 0.0
    var y = 0.0
    for i in 1...ring.count {
      let a = ring[i - 1]
      let b = i < ring.count ? ring[i] : first
      let nextX = x + step(a, b)
      let nextY = b.latitude - first.latitude
      doubled += x * nextY - nextX * y
      x = nextX
      y = nextY
    }
    return abs(x) > 180 ? nil : doubled
  }

  /// The change of longitude along an edge, degrees: the short way round, except along a pole.
  static func step(_ a: Coordinate, _ b: Coordinate) -> Degrees {
    let raw = b.longitude - a.longitude
    if abs(raw) <= 180 || (abs(a.latitude) == 90 && a.latitude == b.latitude) { return raw }
    return raw.remainder(dividingBy: 360)
  }
}
