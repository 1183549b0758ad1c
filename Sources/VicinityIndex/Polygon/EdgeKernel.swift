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
    if u < 3 {
      if s - (0.3 * u * u * u * u * u + 0.02) > limit { return nil }
    } else if distantBound(from: q, to: p1, p2) > limit {
      return nil
    }
    return farFoot(at: coordinate, from: p1, to: p2, near: t)
  }

  /// The surface point of the edge from `p1` to `p2` nearest to `q`, by chords, when `t` is where along the edge's own
  /// chord the nearest point lies.
  ///
  /// The lift tilts the tangent, so that the nearest point is farther along by one Gauss-Newton step. Where that
  /// would change the distance by less than a micrometre, shift² / 2r, it is left out. The lift is that of ``Surface`` to
  /// the second order in its height: 0.25 h³/R² more, nothing for the 5 m of the longest edge.
  @inline(__always)
  static func refined(_ t: Double, of q: Vector3, from p1: Vector3, to p2: Vector3) -> Vector3 {
    let e = p2 - p1
    let c = p1 + t * e
    let ia2 = 1 / (WGS84.a * WGS84.a)
    let ib2 = 1 / (WGS84.b * WGS84.b)
    let g = Vector3(c.x * ia2, c.y * ia2, c.z * ib2)
    let excess = c.dot(g) - 1
    let ig2 = 1 / g.squaredLength
    let k = (g.x * g.x + g.y * g.y) * ia2 + g.z * g.z * ib2
    let p = c + (-0.5 * excess * ig2 * (1 + 0.25 * k * excess * ig2 * ig2)) * g
    let r = q - p
    let slope = e.dot(g) * ig2
    let tangent = e - slope * g
    let rg = r.dot(g)
    // g is nearly the unit normal over a.
    let curvature = max(0.1, 1 + rg)
    let scale = tangent.squaredLength * curvature
    let along = r.dot(tangent)
    // (shift |e|)² against 2e-6 |r|, all times scale².
    guard along * along * e.squaredLength > 2e-6 * scale * scale * r.length else { return p }
    return Surface(lifting: p1 + max(0, min(1, t + along / scale)) * e).point
  }

  /// How the direction to the position lies to one end of an edge.
  struct Bearing {
    /// Between the edge, going away from that end, and the direction to the position: radians, 0...π.
    var angle: Double
    /// Positive when the position lies to the left of the edge.
    var side: Double
  }

  /// A vertex and the direction from it to the position.
  ///
  /// Edges that meet there get the very same direction, so that their bearings are consistent even where
  /// rounding blurs each of them.
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
