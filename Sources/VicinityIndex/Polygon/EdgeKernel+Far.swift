internal import VicinityGeodesy

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Edges so far away that PROJ tells the distance.
extension EdgeKernel {
  /// A lower bound of the distance to an edge more than 2000 km away; minus infinity where none is certified.
  @inline(never)
  static func distantBound(from q: Vector3, to p1: Vector3, _ p2: Vector3) -> Meters {
    let s = min(lambert(q, p1), lambert(q, p2))
    // Lambert's error against PROJ over 4 million pairs stayed below 14 m to 10 000 km, 129 m to 16 500 km and
    // 490 m to 18 900 km; doubled here.
    let error = s < 9.9e6 ? 28.0 : s < 16.4e6 ? 260 : s < 18.8e6 ? 980 : .infinity
    // Between its ends a convex function falls below them by at most length² / 8 times its greatest second
    // derivative, here 1 / (R tan(s / R)) < 1 / 2000 km; a concave one does not.
    return s - error - (p2 - p1).squaredLength / (8 * 2e6)
  }

  /// Geodesic length by Lambert's formula, to first order in the flattening.
  ///
  /// W. D. Lambert, The distance between two widely separated points on the surface of the Earth, J. Washington
  /// Academy of Sciences 32 (5), 125-130, 1942. (x/a, y/a, z/b) is the point of the auxiliary sphere.
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

  /// The distance to an edge too far away for its chord to tell the nearest point, near enough to `start` to find it
  /// without PROJ; `nil` where that is not certain.
  ///
  /// The fast inverse at three points h <= 500 m apart, and the least value of the parabola through them. On the sphere
  /// distance s along an edge has a third derivative of at most 3 max(sin² θ cos θ) / s² = 1.2 / s²; 750 m from the
  /// middle point the parabola leaves it by (1.5 · 1.25 / 6) h³ times that, from 900 km on less than 0.06 mm. Farther off
  /// only the edge's ends are taken.
  static func farDistance(
    from q: ECEF, from p1: Vector3, to p2: Vector3, near start: Double
  ) -> Meters? {
    let e = p2 - p1
    let length = e.length
    func distance(at t: Double) -> Meters {
      let p = Surface(lifting: p1 + t * e).point
      return FastInverse.distance(from: q, to: ECEF(x: p.x, y: p.y, z: p.z))
    }
    // So short that its ends and its middle are near enough to any point: length² / 32R.
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
}
