internal import CMath
internal import VicinityGeodesy

/// A plane onto which the ellipsoid is projected from its centre, or from the point opposite to the plane's
/// middle.
///
/// From the centre (gnomonic), great ellipses become straight lines, and geodesics nearly so: the ellipsoid's
/// normal leaves the direction to its centre by at most f, so the geodesic curvature of a great ellipse is at
/// most 1.02 f / R. It shows less than a hemisphere. From the opposite point (stereographic), all but that
/// point is shown; a line at an angle r from the middle is the image of a circle whose geodesic curvature is
/// at most tan(r / 2) / R. A curve of geodesic curvature κ and length L leaves the geodesic between its ends
/// by κ L² / 8, which gives the longest piece that may be drawn straight.
struct PerspectivePlane {
  /// How far a straight line in the plane may leave the geodesic between its ends, metres.
  static let tolerance: Meters = 1e-3
  /// From the centre, the plane shows what lies within 75 degrees of its middle: cos 75° = 0.26.
  private static let leastGnomonicCosine = 0.26
  /// Up to here, of -1...1, the opposite point counts as out of the way.
  private static let leastCosine = -0.9999
  /// With more pieces than this, the longest piece is made longer.
  private static let maximumPieces = 2_097_152.0

  /// Unit vectors: to the plane's axes and to its middle; right-handed, so that turns keep their sense.
  private let right: Vector3
  private let up: Vector3
  private let middle: Vector3
  private let isGnomonic: Bool
  /// The longest piece of a geodesic that may be drawn straight, metres.
  private let maximumPiece: Meters

  /// The plane around closed rings in which the inside of each is what it encloses.
  ///
  /// - Parameter meaning: what the rings' insides are.
  init(around rings: [[[Coordinate]]], meaning: RingMeaning) {
    let directions = rings.joined().joined().map(Self.direction)
    var sum = Vector3(0, 0, 0)
    for direction in directions { sum = sum + direction }
    let mean = sum.length > 1e-6 ? (1 / sum.length) * sum : Vector3(0, 0, sum.z < 0 ? -1 : 1)
    let least = directions.reduce(1) { min($0, $1.dot(mean)) }
    if least >= Self.leastGnomonicCosine {
      self.init(middle: mean, isGnomonic: true, curvature: 1.02 * WGS84.f, length: Self.length(of: rings))
      return
    }
    self = Self.stereographic(around: rings, mean: mean, meaning: meaning)
  }

  private init(middle: Vector3, isGnomonic: Bool, curvature: Double, length: Meters) {
    self.middle = middle
    self.isGnomonic = isGnomonic
    // The axis farthest from the middle, less its part along the middle.
    let size = SIMD3(abs(middle.x), abs(middle.y), abs(middle.z))
    let axis =
      size.x == size.min() ? Vector3(1, 0, 0) : size.y == size.min() ? Vector3(0, 1, 0) : Vector3(0, 0, 1)
    let across = axis - axis.dot(middle) * middle
    right = (1 / across.length) * across
    up = middle.cross(right)
    let piece = (8 * WGS84.minimumCurvatureRadius * Self.tolerance / curvature).squareRoot()
    maximumPiece = max(piece, length / Self.maximumPieces)
  }

  /// The first of some planes that has every ring's inside within the ring.
  private static func stereographic(
    around rings: [[[Coordinate]]], mean: Vector3, meaning: RingMeaning
  ) -> PerspectivePlane {
    // Coarse pieces tell as much as is asked here.
    let split = rings.map { $0.map { ring in pieces(of: ring, maximum: 100_000) } }
    let sides = rings.joined().map { ring in
      meaning == .planar
        ? CleanRing.planarSide(ring) ?? CleanRing.geodesicSide(Array(ring.dropLast()))
        : CleanRing.geodesicSide(Array(ring.dropLast()))
    }
    let length = Self.length(of: rings)
    let axes = [
      mean, Vector3(0, 0, 1), Vector3(0, 0, -1), -1 * mean, Vector3(1, 0, 0), Vector3(-1, 0, 0),
      Vector3(0, 1, 0), Vector3(0, -1, 0),
    ]
    var fallback: PerspectivePlane?
    var farthest = -2.0
    for axis in axes {
      let least = split.joined().joined().reduce(1) { min($0, direction($1).dot(axis)) }
      let cosine = max(least, leastCosine)
      let plane = PerspectivePlane(
        middle: axis, isGnomonic: false,
        curvature: 1.02 * WGS84.f + ((1 - cosine) / (1 + cosine)).squareRoot(), length: length)
      if least > leastCosine,
        zip(split.joined(), sides).allSatisfy({ plane.doubledArea(of: $0) * $1 > 0 })
      {
        return plane
      }
      if least > farthest {
        farthest = least
        fallback = plane
      }
    }
    return fallback
      ?? PerspectivePlane(middle: mean, isGnomonic: false, curvature: 1, length: length)
  }

  private func doubledArea(of ring: [Coordinate]) -> Double {
    var area = 0.0
    var previous = point(of: ring[ring.count - 1])
    for vertex in ring {
      let next = point(of: vertex)
      area += previous.x * next.y - next.x * previous.y
      previous = next
    }
    return area
  }

  // MARK: To the plane and back

  private static func direction(_ c: Coordinate) -> Vector3 {
    let place = Vector3(unchecked: c)
    return (1 / place.length) * place
  }

  func point(of c: Coordinate) -> SIMD2<Double> {
    let direction = Self.direction(c)
    let depth = direction.dot(middle)
    // Far from zero but for the opposite point, which is put very far away.
    let divisor = max(isGnomonic ? depth : 1 + depth, 1e-9)
    return SIMD2(direction.dot(right) / divisor, direction.dot(up) / divisor)
  }

  func coordinate(of point: SIMD2<Double>) -> Coordinate {
    let square = (point * point).sum()
    let across = point.x * right + point.y * up
    let direction = isGnomonic ? middle + across : (0.5 * (1 - square)) * middle + across
    let equatorial = (direction.x * direction.x + direction.y * direction.y).squareRoot()
    return Coordinate(
      latitude: max(-90, min(90, atan2(direction.z, (1 - WGS84.e2) * equatorial) * (180 / .pi))),
      longitude: atan2(direction.y, direction.x) * (180 / .pi))
  }

  // MARK: Pieces

  /// The closed ring with points between its vertices, so that straight lines in the plane follow its
  /// geodesic edges.
  func pieces(of ring: [Coordinate]) -> [Coordinate] { Self.pieces(of: ring, maximum: maximumPiece) }

  private static func pieces(of ring: [Coordinate], maximum: Meters) -> [Coordinate] {
    var result = [ring[0]]
    result.reserveCapacity(ring.count)
    var place = Vector3(unchecked: ring[0])
    for (vertex, next) in zip(ring, ring.dropFirst()) {
      let nextPlace = Vector3(unchecked: next)
      // A geodesic is longer than its chord by less than 5 mm at 16 km.
      if (nextPlace - place).length > maximum - 0.1 {
        // From the same end whichever way the edge is traversed, so that rings that share it share its
        // points.
        let isForward = (vertex.latitude, place.x, place.y) < (next.latitude, nextPlace.x, nextPlace.y)
        let points = PolygonBlob.splitPoints(
          isForward ? vertex : next, isForward ? next : vertex, maximum: maximum)
        if isForward {
          result.append(contentsOf: points)
        } else {
          result.append(contentsOf: points.reversed())
        }
      }
      result.append(next)
      place = nextPlace
    }
    return result
  }

  private static func length(of rings: [[[Coordinate]]]) -> Meters {
    var length = 0.0
    for ring in rings.joined() {
      for (a, b) in zip(ring, ring.dropFirst()) {
        length += (Vector3(unchecked: b) - Vector3(unchecked: a)).length
      }
    }
    // A geodesic is up to π / 2 times as long as its chord.
    return 1.6 * length
  }

  /// Whether `point` lies on the line between two others of a ring, as far as the plane is exact.
  func isPassed(_ point: SIMD2<Double>, from previous: SIMD2<Double>, to next: SIMD2<Double>) -> Bool {
    let along = next - previous
    let own = point - previous
    let length = (along * along).sum().squareRoot()
    guard length > 0 else { return false }
    let share = (own * along).sum() / length
    let off = abs(along.x * own.y - along.y * own.x) / length
    // Two pieces of an edge bulge four times as far as one. The scale is at most 1 + |p|² from the centre,
    // half of that else.
    let allowed = 4 * Self.tolerance / WGS84.b * (1 + (point * point).sum())
    return share > 0 && share < length && off <= allowed
  }
}
