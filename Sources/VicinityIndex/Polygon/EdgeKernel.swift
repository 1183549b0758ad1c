internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The nearest point of one short geodesic edge to a position.
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
  /// Up to here the distance follows from the chord in closed form, within 16 µm; beyond, PROJ decides.
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

  /// The geodesic length of a chord between surface points with vertical mean `zMean`.
  ///
  /// The arc over a chord of length c in a normal section of curvature κ: s = c (1 + w/24 + 3w²/640 +
  /// 5w³/7168) with w = κ²c², the series of 2 asin(κc/2)/κ; κ from the ellipsoid's second fundamental
  /// form along the chord. Within 2.5e-8 + 0.2 (c / 1e6)^5 m (checked against PROJ in the tests).
  @inline(__always)
  static func geodesic(chord r: Vector3, zMean: Double) -> Meters {
    let c2 = r.squaredLength
    guard c2 > 0 else { return 0 }
    let a2 = WGS84.a * WGS84.a
    let b2 = WGS84.b * WGS84.b
    let form = (r.x * r.x + r.y * r.y) * (1 / a2) + r.z * r.z * (1 / b2)
    let g2 = (1 + zMean * zMean * ((a2 - b2) / (b2 * b2))) * (1 / a2)
    let w = form * form / (g2 * c2)
    return c2.squareRoot() * (1 + w * (1.0 / 24 + w * (3.0 / 640 + w * (5.0 / 7168))))
  }

  /// The nearest point of the edge from `p1` to `p2` (metres) to the position `q`.
  ///
  /// - Returns: `nil` when the distance certainly exceeds `limit`.
  @inline(__always)
  static func foot(
    of q: Vector3, at coordinate: Coordinate, from p1: Vector3, to p2: Vector3, limit: Meters
  ) -> EdgeFoot? {
    let e = p2 - p1
    let ee = e.squaredLength
    var t = ee > 0 ? max(0, min(1, (q - p1).dot(e) / ee)) : 0
    var surface = Surface(lifting: p1 + t * e)
    var r = q - surface.point
    // The lift tilts the tangent: one Gauss-Newton step along the true one.
    let tangent = e - e.dot(surface.normal) * surface.normal
    let curvature = max(0.1, 1 + r.dot(surface.normal) * (1 / WGS84.a))
    let scale = tangent.squaredLength * curvature
    if scale > 0 {
      let moved = max(0, min(1, t + r.dot(tangent) / scale))
      let shift = moved - t
      if shift * shift * ee > 1e-9 * r.length {
        t = moved
        surface = Surface(lifting: p1 + t * e)
        r = q - surface.point
      }
    }
    let s = geodesic(chord: r, zMean: 0.5 * (q.z + surface.point.z))
    if s < nearLimit {
      return EdgeFoot(distance: s, side: surface.normal.dot(e.cross(r)), fraction: t)
    }
    // The closed form's error, half as much again, and 2 cm because the chord's nearest point is some metres from
    // the geodesic's.
    let u = s * 1e-6
    if u < 3, s - (0.3 * u * u * u * u * u + 0.02) > limit { return nil }
    return farFoot(at: coordinate, from: p1, to: p2, near: t)
  }

  /// How distance from a place on an edge to the position behaves, solved by PROJ.
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

  /// ``foot(of:at:from:to:)`` where the chord alone cannot tell the distance to a micrometre.
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

  /// Where distance along the edge may be concave: an end, or the one stationary minimum between.
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

  /// How the direction to the position lies to one end of an edge.
  struct Bearing {
    /// Between the edge, going away from that end, and the direction to the position: radians, 0...π.
    var angle: Double
    /// Positive when the position lies to the left of the edge.
    var side: Double
  }

  /// Edges that meet in a vertex get the very same direction to the position, so that their bearings are
  /// consistent even where rounding blurs each of them.
  static func bearing(
    of q: Vector3, at coordinate: Coordinate, from p1: Vector3, to p2: Vector3, atStart: Bool
  ) -> Bearing {
    let v = atStart ? p1 : p2
    let away = atStart ? p2 - p1 : p1 - p2
    let surface = Surface(lifting: v)
    let edge = away - away.dot(surface.normal) * surface.normal
    var u = q - v
    if u.squaredLength > nearLimit * nearLimit {
      let place = surface.coordinate
      u = surface.direction(
        azimuth: Geodesic.uncheckedInverse(place, coordinate).azimuth1, longitude: place.longitude)
    }
    let flat = u - u.dot(surface.normal) * surface.normal
    let sine = surface.normal.dot(edge.cross(flat))
    return Bearing(angle: atan2(abs(sine), edge.dot(flat)), side: atStart ? sine : -sine)
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
