internal import CMath
internal import VicinityGeodesy

/// The point of one short geodesic edge that is nearest to a position.
struct EdgeFoot {
  /// Geodesic distance from the position to the foot, metres.
  var distance: Meters
  /// Positive when the position lies to the left of the edge at the foot; not normalised.
  var side: Double
  /// Where along the edge the foot lies, 0...1.
  var fraction: Double
}

/// The geometry of edges no longer than ``maximumLength``: distance, side and angles, from the ECEF
/// places of the two ends.
///
/// The edge is taken as its chord lifted along the ellipsoid's normal to the surface. The two normal
/// sections between points s apart are separated by at most e'² s³ / (16 N²) and the geodesic runs between
/// them (G. Bomford, *Geodesy*, 4th ed., section 2.10); for s = 16 km that is 42 µm.
enum EdgeKernel {
  /// Longer geodesic edges are split into pieces no longer than this, metres.
  static let maximumLength: Meters = 16_000
  /// Up to here the distance follows from the chord in closed form, within 16 µm; beyond, the reference
  /// decides.
  static let nearLimit: Meters = 150_000
  /// Beyond here distance along an edge may be concave: the minimum is then sought from the ends.
  static let convexLimit: Meters = 9_000_000
  /// Distances closer than this to each other count as tied when the side is decided, metres.
  static let tie: Meters = 2e-6

  /// A point of the surface with the ellipsoid's unit normal there.
  struct Surface {
    var point: Vector3
    var normal: Vector3

    /// The point where the ellipsoid's normal direction through `c`, just below the surface, meets it.
    @inline(__always)
    init(lifting c: Vector3) {
      let ia2 = 1 / (WGS84.a * WGS84.a)
      let ib2 = 1 / (WGS84.b * WGS84.b)
      let g = Vector3(c.x * ia2, c.y * ia2, c.z * ib2)
      let excess = c.dot(g) - 1
      // (c + λg) on the ellipsoid: k λ² + 2 g² λ + excess = 0.
      let g2 = g.squaredLength
      let k = (g.x * g.x + g.y * g.y) * ia2 + g.z * g.z * ib2
      let root = max(0, g2 * g2 - k * excess).squareRoot()
      let lambda = -excess / (g2 + root)
      point = c + lambda * g
      normal = (1 / g2.squareRoot()) * g
    }

    /// Geodetic latitude and longitude, degrees.
    var coordinate: Coordinate {
      let p = (point.x * point.x + point.y * point.y).squareRoot()
      return Coordinate(
        latitude: max(-90, min(90, atan2(point.z, (1 - WGS84.e2) * p) * (180 / .pi))),
        longitude: atan2(point.y, point.x) * (180 / .pi))
    }

    /// The unit tangent that leaves at `azimuth`, degrees clockwise from north at longitude `longitude`.
    func direction(azimuth: Degrees, longitude: Degrees) -> Vector3 {
      let lambda = longitude * (.pi / 180)
      let east = Vector3(-sin(lambda), cos(lambda), 0)
      let north = normal.cross(east)
      let alpha = azimuth * (.pi / 180)
      return sin(alpha) * east + cos(alpha) * north
    }
  }

  /// The point of the edge from `p1` to `p2` (metres) that is nearest to `q` by chords, and its fraction of
  /// the edge.
  @inline(__always)
  static func closestPoint(
    to q: Vector3, from p1: Vector3, to p2: Vector3
  ) -> (surface: Surface, fraction: Double) {
    let e = p2 - p1
    let ee = e.squaredLength
    let t = ee > 0 ? max(0, min(1, (q - p1).dot(e) / ee)) : 0
    let surface = Surface(lifting: p1 + t * e)
    let r = q - surface.point
    // The lift tilts the tangent: one Gauss-Newton step along the true one.
    let tangent = e - e.dot(surface.normal) * surface.normal
    let curvature = max(0.1, 1 + r.dot(surface.normal) * (1 / WGS84.a))
    let scale = tangent.squaredLength * curvature
    guard scale > 0 else { return (surface, t) }
    let moved = max(0, min(1, t + r.dot(tangent) / scale))
    let shift = moved - t
    guard shift * shift * ee > 1e-9 * r.length else { return (surface, t) }
    return (Surface(lifting: p1 + moved * e), moved)
  }

  /// The nearest point of the edge from `p1` to `p2` (metres) to the position `q`.
  ///
  /// - Returns: `nil` when the distance certainly exceeds `limit`.
  @inline(__always)
  static func foot(
    of q: Vector3, at coordinate: Coordinate, from p1: Vector3, to p2: Vector3, limit: Meters
  ) -> EdgeFoot? {
    let (surface, t) = closestPoint(to: q, from: p1, to: p2)
    let r = q - surface.point
    let s = ChordSeries.distance(dx: r.x, dy: r.y, dz: r.z, zSum: q.z + surface.point.z)
    if s < nearLimit {
      return EdgeFoot(distance: s, side: surface.normal.dot((p2 - p1).cross(r)), fraction: t)
    }
    // The closed form's error, half as much again, and 2 cm because the chord's nearest point is some metres
    // from the geodesic's.
    let u = s * 1e-6
    if u < 3 {
      if s - (0.3 * u * u * u * u * u + 0.02) > limit { return nil }
    } else if distantBound(from: q, to: p1, p2) > limit {
      return nil
    }
    return farFoot(at: coordinate, from: p1, to: p2, near: t)
  }

  /// The direction from one end of an edge to the position.
  struct Bearing {
    /// The angle between the edge, leaving that end, and the direction to the position: radians, 0...π.
    var angle: Double
    /// Positive when the position lies to the left of the edge.
    var side: Double
  }

  /// A vertex and the direction from it to the position.
  ///
  /// All edges that meet there share this direction, so their bearings are consistent in spite of rounding.
  struct Vertex {
    private let normal: Vector3
    private let direction: Vector3

    init(_ v: Vector3, to q: Vector3, at coordinate: Coordinate) {
      let surface = Surface(lifting: v)
      var u = q - v
      if u.squaredLength > nearLimit * nearLimit {
        let place = surface.coordinate
        u = surface.direction(
          azimuth: Geodesic.uncheckedInverse(place, coordinate).azimuth1, longitude: place.longitude)
      }
      normal = surface.normal
      direction = u - u.dot(surface.normal) * surface.normal
    }

    /// - Parameter isStart: whether the edge from `p1` to `p2` starts in this vertex, or ends there.
    func bearing(from p1: Vector3, to p2: Vector3, isStart: Bool) -> Bearing {
      let away = isStart ? p2 - p1 : p1 - p2
      let edge = away - away.dot(normal) * normal
      let sine = normal.dot(edge.cross(direction))
      return Bearing(angle: atan2(abs(sine), edge.dot(direction)), side: isStart ? sine : -sine)
    }
  }

  /// The longest chord of a geodesic no longer than `s` metres, rounded up.
  ///
  /// A geodesic's curvature is nowhere below 1/Rmax, Rmax = a²/b; the planar arc of that curvature has the
  /// longest chord, 2 Rmax sin(s / 2Rmax). sin x <= x - x³/6 + x⁵/120; one part in a thousand of the
  /// correction is given back for the geodesic's torsion.
  @inline(__always)
  static func longestChord(of s: Meters) -> Meters {
    let v = (s / WGS84.maximumCurvatureRadius) * (s / WGS84.maximumCurvatureRadius)
    // Past three quarters of the way to the antipode the polynomial tells nothing.
    guard v < 9 else { return .infinity }
    return s * (1 - 0.999 * v * (1.0 / 24 - v * (1.0 / 1920)))
  }

  /// The longest geodesic over a chord of `c` metres, rounded up; infinite where none is certified.
  ///
  /// Schur's comparison: a curve of curvature at most 1/Rmin, Rmin = b²/a, has a chord of at least
  /// 2 Rmin sin(s / 2Rmin).
  static func longestGeodesic(overChord c: Meters) -> Meters {
    let x = c / (2 * WGS84.minimumCurvatureRadius)
    return x < 0.99 ? 2 * WGS84.minimumCurvatureRadius * asin(x) * (1 + 1e-12) : .infinity
  }
}

/// Edges so far away that their chords do not give the distance.
extension EdgeKernel {
  /// A lower bound of the distance to an edge more than 2000 km away; minus infinity where none is certified.
  @inline(never)
  static func distantBound(from q: Vector3, to p1: Vector3, _ p2: Vector3) -> Meters {
    let s = min(lambert(q, p1), lambert(q, p2))
    // Lambert's error against PROJ over 4 million pairs stayed below 14 m to 10 000 km, 129 m to 16 500 km
    // and 490 m to 18 900 km; doubled here.
    let error = s < 9.9e6 ? 28.0 : s < 16.4e6 ? 260 : s < 18.8e6 ? 980 : .infinity
    // Between its ends a convex function falls below them by at most length² / 8 times its greatest second
    // derivative, here 1 / (R tan(s / R)) < 1 / 2000 km; a concave one does not.
    return s - error - (p2 - p1).squaredLength / (8 * 2e6)
  }

  /// Geodesic length by Lambert's formula, to first order in the flattening.
  ///
  /// W. D. Lambert, The distance between two widely separated points on the surface of the Earth, J.
  /// Washington Academy of Sciences 32 (5), 125-130, 1942. (x/a, y/a, z/b) is the point of the auxiliary
  /// sphere.
  private static func lambert(_ q: Vector3, _ p: Vector3) -> Meters {
    let x = (q.x - p.x) * (1 / WGS84.a)
    let y = (q.y - p.y) * (1 / WGS84.a)
    let z = (q.z - p.z) * (1 / WGS84.b)
    let sum = (q.z + p.z) * (1 / WGS84.b)
    let h2 = min(1 - 1e-12, 0.25 * (x * x + y * y + z * z))
    let sigma = 2 * asin(h2.squareRoot())
    let sine = 2 * (h2 * (1 - h2)).squareRoot()
    let correction =
      (sigma - sine) * sum * sum / (4 * (1 - h2)) + (sigma + sine) * z * z / (4 * max(h2, 1e-12))
    return WGS84.a * (sigma - 0.5 * WGS84.f * correction)
  }

  /// The distance from a point on an edge to the position, and its derivative along the edge, by the
  /// reference.
  private struct Probe {
    var distance: Meters
    /// d(distance)/d(metres along the edge).
    var slope: Double
    /// Sine of the angle from the edge to the position, positive to the left.
    var side: Double

    init(at t: Double, from p1: Vector3, along e: Vector3, to q: Coordinate) {
      let surface = Surface(lifting: p1 + t * e)
      let place = surface.coordinate
      let inverse = Geodesic.uncheckedInverse(place, q)
      let u = surface.direction(azimuth: inverse.azimuth1, longitude: place.longitude)
      let raw = e - e.dot(surface.normal) * surface.normal
      let length = raw.length
      let tangent = length > 0 ? (1 / length) * raw : raw
      distance = inverse.distance
      slope = -u.dot(tangent)
      side = surface.normal.dot(tangent.cross(u))
    }
  }

  /// ``foot(of:at:from:to:limit:)`` where the chord alone does not give the distance to a micrometre.
  @inline(never)
  static func farFoot(
    at q: Coordinate, from p1: Vector3, to p2: Vector3, near start: Double
  ) -> EdgeFoot {
    let e = p2 - p1
    let length = max(e.length, 1e-9)
    var t = start
    var probe = Probe(at: t, from: p1, along: e, to: q)
    if probe.distance > convexLimit { return distantFoot(at: q, from: p1, along: e) }
    // Newton on the slope; the second derivative is the spherical one, close enough to converge.
    for _ in 0..<8 {
      let angle = probe.distance / WGS84.a
      let bend = max(1e-12, probe.side * probe.side * cos(angle) / (WGS84.a * sin(angle)))
      let moved = max(0, min(1, t - probe.slope / (bend * length)))
      let shift = (moved - t) * length
      if shift * shift * bend < 1e-4 {
        // The parabola's own minimum, a few per cent of this correction away from the true one.
        probe.distance += shift * (probe.slope + 0.5 * bend * shift)
        break
      }
      t = moved
      probe = Probe(at: t, from: p1, along: e, to: q)
    }
    return EdgeFoot(distance: probe.distance, side: probe.side, fraction: t)
  }

  /// The distance to an edge too far away for its chord to give the nearest point, found near `start` without
  /// the reference; `nil` where that is not certain.
  ///
  /// The distance at three points h <= 500 m apart, and the least value of the parabola through them. On the
  /// sphere distance s along an edge has a third derivative of at most 3 max(sin² θ cos θ) / s² = 1.2 / s²;
  /// 750 m from the middle point the parabola leaves it by (1.5 · 1.25 / 6) h³ times that, from 900 km on
  /// less than 0.06 mm. Farther off only the edge's ends are taken.
  static func farDistance(
    from q: ECEF, from p1: Vector3, to p2: Vector3, near start: Double
  ) -> Meters? {
    let e = p2 - p1
    let length = e.length
    func distance(at t: Double) -> Meters {
      let p = Surface(lifting: p1 + t * e).point
      return GeodesicSolver.nearDistance(from: q, to: ECEF(x: p.x, y: p.y, z: p.z))
    }
    // On an edge this short every point is as near as an end or the middle, within length² / 32R.
    guard length > 100 else {
      let s = min(distance(at: 0), distance(at: 0.5), distance(at: 1))
      return s < convexLimit ? s : nil
    }
    let h = min(500, 0.5 * length) / length
    let middle = max(h, min(1 - h, start))
    let s0 = distance(at: middle)
    let before = distance(at: middle - h)
    let after = distance(at: middle + h)
    // Not a number near the antipode.
    guard s0 < convexLimit, before < convexLimit, after < convexLimit else { return nil }
    let slope = 0.5 * (after - before)
    let bend = after + before - 2 * s0
    // In steps of h from the middle, along the edge.
    let foot = bend > 1e-6 ? -slope / bend : slope > 0 ? -.infinity : .infinity
    let moved = max(-middle / h, min((1 - middle) / h, foot))
    if abs(moved) <= 1.5 { return s0 + moved * (slope + 0.5 * moved * bend) }
    guard moved != foot else { return nil }
    let end = distance(at: moved < 0 ? 0 : 1)
    return end < convexLimit ? end : nil
  }

  /// The nearest point where distance along the edge may be concave: an end, or the one stationary minimum
  /// between.
  private static func distantFoot(at q: Coordinate, from p1: Vector3, along e: Vector3) -> EdgeFoot {
    let length = max(e.length, 1e-9)
    let first = Probe(at: 0, from: p1, along: e, to: q)
    let last = Probe(at: 1, from: p1, along: e, to: q)
    guard first.slope < 0, last.slope > 0 else {
      return first.distance <= last.distance
        ? EdgeFoot(distance: first.distance, side: first.side, fraction: 0)
        : EdgeFoot(distance: last.distance, side: last.side, fraction: 1)
    }
    var low = (t: 0.0, slope: first.slope)
    var high = (t: 1.0, slope: last.slope)
    var best = first.distance <= last.distance ? (0.0, first) : (1.0, last)
    // Bisection mixed with the secant: the bracket shrinks by half at least every other step.
    for step in 0..<40 {
      var t = 0.5 * (low.t + high.t)
      if step % 2 == 0 { t = low.t - low.slope * (high.t - low.t) / (high.slope - low.slope) }
      let probe = Probe(at: t, from: p1, along: e, to: q)
      if probe.distance < best.1.distance { best = (t, probe) }
      if probe.slope < 0 { low = (t, probe.slope) } else { high = (t, probe.slope) }
      if (high.t - low.t) * length * abs(probe.slope) < 1e-7 { break }
    }
    return EdgeFoot(distance: best.1.distance, side: best.1.side, fraction: best.0)
  }
}
