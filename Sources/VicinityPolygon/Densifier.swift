internal import CMath
package import VicinityGeodesy

/// Why a geometry cannot be read, as a message; the caller adds the place.
package struct GeometryFault: Error {
  package var message: String
  /// What a caller could decide, so that the geometry can be read; nil where nothing helps.
  package var decision: Decision?

  package enum Decision {
    /// Which way a wide edge goes.
    case wideEdges
    /// Whether to do without the shift between datums.
    case ballpark
  }

  package init(_ message: String, decision: Decision? = nil) {
    self.message = message
    self.decision = decision
  }
}

/// A position in a file's own coordinate reference system: easting and northing, or longitude and latitude.
package struct PlanarPoint: Equatable {
  package var x: Double
  package var y: Double

  package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// The way from a plane's coordinates to longitude and latitude on WGS84.
package protocol PlanarProjection {
  /// Whether the coordinates are longitude and latitude on WGS84 already.
  var isIdentity: Bool { get }
  /// A full turn in the plane's units when they are angles; `nil` for projected systems.
  var fullTurn: Double? { get }

  func coordinate(x: Double, y: Double) throws(GeometryFault) -> Coordinate
}

/// Coordinates that are longitude and latitude on WGS84.
package struct LongitudeLatitude: PlanarProjection {
  package var isIdentity: Bool { true }
  package var fullTurn: Double? { 360 }

  package init() {}

  package func coordinate(x: Double, y: Double) throws(GeometryFault) -> Coordinate {
    guard x.isFinite, y.isFinite else { throw GeometryFault("coordinate \(x), \(y) is not finite") }
    return Coordinate(latitude: y, longitude: x)
  }
}

/// Adds vertices to a file's rings until the geodesics between them follow the file's edges.
///
/// A file's edges are straight in its own coordinate reference system; the index's are geodesics. Every edge
/// is divided until the geodesic between neighbouring vertices stays within ``tolerance`` of the straight
/// edge brought to WGS84, half of what is promised; or, where a bound is at hand, of ``boundTolerance``.
///
/// For longitude and latitude the number of pieces follows from a bound. On a sphere of radius R the straight
/// edge, with heading α at latitude φ, has the geodesic curvature sin α (1 + cos² α) tan φ / R: its heading
/// turns by -sin α cos² α tan φ / R per metre because tan α = cos φ dλ/dφ, that of the geodesic by sin α tan
/// φ / R (Clairaut). A curve of geodesic curvature up to κ and length L leaves the geodesic between its ends
/// by at most κ L² / 8, on a sphere as in the plane for the short pieces made here. With east component E <=
/// L, sin α (1 + cos² α) <= min(1.089, 2 E / L). Near the poles, and in every other system, pieces are tried
/// and halved instead.
///
/// Checked against dense sampling in `DensifierTests`.
package struct Densifier {
  /// The least that can be promised, metres: below it the approximations made here count.
  package static let leastTolerance: Meters = 0.001
  /// How far the geodesic between neighbouring vertices may leave the file's edge, metres.
  let tolerance: Meters
  /// The same where the pieces follow from the bound, which holds between samples too, metres. The worst of 1
  /// 500 random edges comes within 2 % of it.
  let boundTolerance: Meters
  /// The longest piece, metres: up to here a normal section stands for the geodesic, within micrometres
  /// (G. Bomford, *Geodesy*, 4th ed., section 2.10).
  static let maximumPiece: Meters = 50_000
  /// The most vertices one polygon may have after densifying.
  package static let maximumVertices = 16_000_000
  /// Halving an edge more often than this means that it cannot be followed.
  private static let maximumDepth = 30
  /// Up to here, degrees, the bound decides; tan φ grows without limit towards the poles.
  private static let boundLatitude = 85.0

  /// How an edge across more than half a turn of longitude is read, unless it goes around the world
  /// (``isAround(_:_:_:)``).
  package enum WideEdges: Sendable {
    /// Across the antimeridian where the ring shows that this is meant; otherwise it is a fault.
    case evident
    /// As it is written.
    case straight
    /// The short way, across the antimeridian.
    case shortest
  }

  private let projection: any PlanarProjection
  private let maximumVertices: Int
  private let wideEdges: WideEdges
  /// Whether some edge was taken to cross the antimeridian, the short way.
  package private(set) var takesShortWay = false
  private var result: [Coordinate] = []
  /// Assumptions made about the ring.
  package private(set) var warnings: [String] = []

  /// A densifier for rings in `projection` that gives up beyond `maximumVertices`.
  ///
  /// - Parameter edgeTolerance: What is promised: how far a geodesic may leave the file's edge, metres.
  package init(
    _ projection: any PlanarProjection, maximumVertices: Int, edgeTolerance: Meters = 0.1,
    wideEdges: WideEdges = .evident
  ) {
    self.projection = projection
    self.wideEdges = wideEdges
    tolerance = edgeTolerance / 2
    boundTolerance = edgeTolerance * 0.8
    self.maximumVertices = maximumVertices
  }

  /// The ring of `vertices`, closed or not, as coordinates with continuous longitudes; the first is not
  /// repeated at the end.
  ///
  /// An edge that is taken to cross the antimeridian the short way is told in a warning.
  ///
  /// - Parameter exterior: Of a hole, whether the exterior takes the short way; `nil` for an exterior.
  package mutating func ring(
    _ vertices: [PlanarPoint], inExterior exterior: Bool? = nil
  ) throws(GeometryFault) -> [Coordinate] {
    var vertices = vertices
    if vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
    guard let first = vertices.first else { return [] }
    if projection.isIdentity,
      let beyond = vertices.first(where: { !(abs($0.x) <= CoordinateLimits.longitude) })
    {
      throw GeometryFault("longitude \(beyond.x) is not within ±\(CoordinateLimits.longitude)")
    }
    try chooseWay(vertices, inExterior: exterior)
    result = []
    result.reserveCapacity(vertices.count)
    try append(coordinate(first))
    var a = first
    for i in 1...vertices.count {
      let isClosing = i == vertices.count
      var b = isClosing ? first : vertices[i]
      if let turn = projection.fullTurn {
        b.x = continued(from: a.x, to: b.x, by: shifts[i - 1] ?? 0, turn: turn)
      }
      try edge(a, b, isClosing: isClosing)
      a = b
    }
    return result
  }

  /// Whether an edge of a ring spans more than half a turn, and does not go around the world.
  private static func isWide(_ vertices: [PlanarPoint], _ i: Int, _ turn: Double) -> Bool {
    let delta = vertices[(i + 1) % vertices.count].x - vertices[i].x
    return abs(delta) > turn / 2 && !isAround(vertices, i, turn)
  }

  /// Whether an edge is a whole turn around the world, as files clipped at the antimeridian have it: along a
  /// pole; along a parallel, with an edge along the antimeridian before or after it; or between two of these.
  ///
  /// Between other edges a step from 180 to -180 degrees hardly means a line around the world: it has the
  /// length 0, or runs along the antimeridian.
  private static func isAround(_ vertices: [PlanarPoint], _ i: Int, _ turn: Double) -> Bool {
    let count = vertices.count
    let (a, b) = (vertices[i], vertices[(i + 1) % count])
    func isNothing(_ delta: Double) -> Bool { abs(delta) <= turn * 1e-9 }
    guard isNothing(abs(b.x - a.x) - turn) else { return false }
    let sides = [vertices[(i + count - 1) % count].x - a.x, vertices[(i + 2) % count].x - b.x]
    let isLevel = isNothing(b.y - a.y)
    return isLevel && isNothing(abs(a.y) - turn / 4)
      || sides.count(where: isNothing) >= (isLevel ? 1 : 2)
  }

  /// Decides whether wide edges are straight or cross the antimeridian.
  ///
  /// A file that follows RFC 7946 means the first, and one whose program did not cut its polygons at 180
  /// degrees the second: the same numbers for a region and for the rest of its band around the Earth. The
  /// second is taken where the ring says so: straight it would enclose nothing; or all its wide edges are
  /// within 20 degrees of a whole turn, and the short way it is wound counterclockwise, as exteriors must be.
  /// A box, which may well go around nearly all of the Earth, must be no higher than wide, too. Holes follow
  /// their exterior.
  private mutating func chooseWay(
    _ vertices: [PlanarPoint], inExterior exterior: Bool?
  ) throws(GeometryFault) {
    takesShortWay = false
    shifts = [:]
    guard let turn = projection.fullTurn, wideEdges != .straight else { return }
    var wide: (from: Double, to: Double)?
    var isNearlyWhole = true
    var isBox = true
    // Twice the areas in the plane, straight and the short way, from the first vertex.
    var (straightArea, shortArea, magnitude) = (0.0, 0.0, 0.0)
    let origin = vertices[0]
    var x = 0.0
    var (west, east, south, north) = (0.0, 0.0, origin.y, origin.y)
    for (i, a) in vertices.enumerated() {
      let b = vertices[(i + 1) % vertices.count]
      let delta = b.x - a.x
      var step = delta
      if Self.isWide(vertices, i, turn) {
        wide = wide ?? (a.x, b.x)
        let turns = (delta / turn).rounded()
        shifts[i] = turns
        step -= turn * turns
        isNearlyWhole = isNearlyWhole && abs(step) <= turn / 18 * (1 + 1e-9)
      }
      isBox = isBox && (step == 0 || a.y == b.y)
      let term = (a.x - origin.x) * (b.y - origin.y) - (b.x - origin.x) * (a.y - origin.y)
      straightArea += term
      magnitude += abs(term)
      shortArea += x * (b.y - origin.y) - (x + step) * (a.y - origin.y)
      x += step
      (west, east) = (min(west, x), max(east, x))
      (south, north) = (min(south, b.y), max(north, b.y))
    }
    guard let wide else { return }
    let isClosed = abs(x) < turn / 2
    let isEvident =
      exterior
      ?? (abs(straightArea) <= magnitude * 1e-12
        || isClosed && isNearlyWhole && shortArea > 0
          && (!isBox || north - south <= (east - west) * (1 + 1e-9)))
    guard wideEdges == .shortest || isEvident else {
      throw GeometryFault(
        "the edge from longitude \(wide.from) to \(wide.to) spans more than half a turn, and may be meant straight or across the antimeridian: put"
          + " a vertex between if it is straight, or cut the polygon at 180 degrees", decision: .wideEdges)
    }
    takesShortWay = true
  }

  /// `x`, moved by whole turns: as earlier edges moved the ring, and by those less of this edge.
  private mutating func continued(
    from previous: Double, to x: Double, by turns: Double, turn: Double
  ) -> Double {
    if takesShortWay, turns != 0 {
      offset -= turns
      if warnings.isEmpty {
        warnings.append(
          "the edge from longitude \(previous) to \(x) spans more than half a turn and is taken to cross"
            + " the antimeridian")
      }
    }
    return x + offset * turn
  }

  /// By how many whole turns less wide edges span the short way, by their number in the ring.
  private var shifts: [Int: Double] = [:]
  /// Whole turns by which vertices are moved at present.
  private var offset = 0.0

  /// How far beyond ±90 a latitude may be through the rounding of other programs, degrees: 1 cm.
  private static let latitudeRounding = 1e-7

  private func coordinate(_ p: PlanarPoint) throws(GeometryFault) -> Coordinate {
    var coordinate = try projection.coordinate(x: p.x, y: p.y)
    if abs(coordinate.latitude) > 90, abs(coordinate.latitude) <= 90 + Self.latitudeRounding {
      coordinate.latitude = coordinate.latitude < 0 ? -90 : 90
    }
    guard coordinate.latitude >= -90, coordinate.latitude <= 90 else {
      throw GeometryFault(CoordinateLimits.latitudeFault(coordinate))
    }
    return coordinate
  }

  private mutating func append(_ c: Coordinate) throws(GeometryFault) {
    guard result.count < maximumVertices else {
      throw GeometryFault("more than \(Self.maximumVertices) vertices after densifying")
    }
    var next = c
    if !projection.isIdentity, let last = result.last {
      next.longitude -= 360 * ((next.longitude - last.longitude) / 360).rounded()
    }
    result.append(next)
  }

  /// Appends the vertices of an edge after `a`, up to and including `b` unless it closes the ring.
  private mutating func edge(
    _ a: PlanarPoint, _ b: PlanarPoint, isClosing: Bool
  ) throws(GeometryFault) {
    if projection.isIdentity, let pieces = Self.pieces(a, b, boundTolerance: boundTolerance) {
      guard pieces <= Double(maximumVertices) else {
        throw GeometryFault("more than \(Self.maximumVertices) vertices after densifying")
      }
      let count = Int(pieces)
      for i in 1..<max(count, 1) {
        try append(coordinate(Self.interpolate(a, b, Double(i) / pieces)))
      }
    } else {
      let start = try Ground(coordinate(a))
      let end = try Ground(coordinate(b))
      try halve(a, b, 0, 1, start, end, depth: 0)
    }
    if !isClosing { try append(coordinate(b)) }
  }

  /// The number of equal pieces into which to divide an edge in longitude and latitude; `nil` where the bound
  /// does not help.
  static func pieces(_ a: PlanarPoint, _ b: PlanarPoint, boundTolerance: Meters) -> Double? {
    let highest = max(abs(a.y), abs(b.y))
    guard highest <= boundLatitude else { return nil }
    let lowest = (a.y < 0) != (b.y < 0) ? 0 : min(abs(a.y), abs(b.y))
    // Metres per degree: no more than a π / 180 along parallels times cos φ (the prime vertical's radius
    // exceeds a by less than 0.34 %), and the longest degree's along meridians.
    let east = abs(b.x - a.x) * 111_320 * 1.0034 * cos(lowest * .pi / 180)
    let north = abs(b.y - a.y) * WGS84.longestDegree
    guard east > 0 else { return max(1, (north / 1_000_000).rounded(.up)) }
    let length = (east * east + north * north).squareRoot()
    let curvature = min(1.089, 2 * east / max(north, east)) * tan(highest * .pi / 180) / 6_335_000
    let deviation = curvature * length * length / 8
    // Up to 500 km the small-angle bound holds within its margin, whatever the curvature.
    return max(1, max((deviation / boundTolerance).squareRoot(), length / 500_000).rounded(.up))
  }

  private static func interpolate(_ a: PlanarPoint, _ b: PlanarPoint, _ t: Double) -> PlanarPoint {
    PlanarPoint(x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t)
  }

  /// Appends the vertices needed strictly between the parameters `t0` and `t1` of an edge.
  private mutating func halve(
    _ a: PlanarPoint, _ b: PlanarPoint, _ t0: Double, _ t1: Double, _ g0: Ground, _ g1: Ground,
    depth: Int
  ) throws(GeometryFault) {
    let middle = Self.interpolate(a, b, (t0 + t1) / 2)
    let gm = try Ground(coordinate(middle))
    var isStraight = gm.isOn(g0, g1, within: tolerance)
    if isStraight {
      // An edge that winds about its geodesic evenly can cross it in the middle.
      for t in [0.25, 0.75] where isStraight {
        let sample = Self.interpolate(a, b, t0 + (t1 - t0) * t)
        isStraight = try Ground(coordinate(sample)).isOn(g0, g1, within: tolerance)
      }
    }
    if isStraight { return }
    guard depth < Self.maximumDepth else {
      throw GeometryFault("an edge near \(gm.coordinate) cannot be followed on WGS84")
    }
    let tm = (t0 + t1) / 2
    try halve(a, b, t0, tm, g0, gm, depth: depth + 1)
    try append(gm.coordinate)
    try halve(a, b, tm, t1, gm, g1, depth: depth + 1)
  }

  /// A coordinate with its ECEF position and the direction up.
  private struct Ground {
    var coordinate: Coordinate
    var position: SIMD3<Double>
    var up: SIMD3<Double>

    init(_ c: Coordinate) {
      coordinate = c
      let phi = c.latitude * .pi / 180
      let lambda = c.longitude * .pi / 180
      up = SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
      let e2 = WGS84.f * (2 - WGS84.f)
      let n = WGS84.a / (1 - e2 * up.z * up.z).squareRoot()
      position = SIMD3(n * up.x, n * up.y, n * (1 - e2) * up.z)
    }

    /// Whether this position lies within `tolerance` of the geodesic between two others no farther apart than
    /// the longest piece.
    func isOn(_ g0: Ground, _ g1: Ground, within tolerance: Meters) -> Bool {
      let chord = g1.position - g0.position
      let own = position - g0.position
      let length = Self.dot(chord, chord).squareRoot()
      guard length <= Densifier.maximumPiece else { return false }
      if length < tolerance {
        return Self.dot(own, own).squareRoot() <= tolerance
      }
      let along = Self.dot(own, chord) / length
      guard along >= -tolerance, along <= length + tolerance else {
        return false
      }
      // The plane that holds the chord and the direction up between its ends.
      let normal = Self.cross(chord, g0.up + g1.up)
      let across = Self.dot(own, normal) / Self.dot(normal, normal).squareRoot()
      return abs(across) <= tolerance
    }

    private static func dot(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { (a * b).sum() }

    private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
  }
}
