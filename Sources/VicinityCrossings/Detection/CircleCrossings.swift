internal import VicinityGeodesy

/// Up to two points at which a short path crosses a boundary, in order, as metres from its start.
struct Roots {
  var count = 0
  var first = 0.0
  var second = 0.0

  @inline(__always)
  static func one(_ s: Double) -> Roots { Roots(count: 1, first: s) }
}

/// A circle, compared with points and short paths.
///
/// Every result depends on the circle and the point or path alone, never on how they were found.
struct CircleTarget {
  let center: Coordinate
  let ecef: ECEF
  let radius: Meters

  /// The greatest radius for which the series for near points is used, metres: chords stay within 540 km.
  private static let nearRadius: Meters = 500_000
  /// Discs no larger are strongly convex, metres: the shortest path between two points inside stays inside,
  /// and any other shortest path is inside on one stretch at most. The limit is 9985 km, half of π b: the
  /// largest Gaussian curvature is 1/b², at the equator, and no closed geodesic is shorter than the meridian
  /// (J. Cheeger, D. Ebin, *Comparison Theorems in Riemannian Geometry*, theorem 5.14).
  private static let convexRadius: Meters = 9_000_000
  /// Passes shallower than this are not told from misses, metres.
  private static let leastDepth: Meters = 1e-6
  /// How near to the boundary a root must be, metres.
  private static let tolerance: Meters = 2e-8

  @inline(__always)
  init(center: Coordinate, radius: Meters) {
    self.center = center
    ecef = ECEF(unchecked: center)
    self.radius = radius
  }

  // MARK: At a point

  /// The boundary distance, metres, within 2e-7 of the reference's.
  @inline(__always)
  func boundaryDistance(_ p: ECEF) -> Meters {
    if radius <= Self.nearRadius {
      let dx = ecef.x - p.x
      let dy = ecef.y - p.y
      let dz = ecef.z - p.z
      if dx * dx + dy * dy + dz * dz <= 2.9e11 {
        return ChordSeries.distance(dx: dx, dy: dy, dz: dz, zSum: p.z + ecef.z) - radius
      }
    }
    return farBoundaryDistance(p)
  }

  @inline(__always)
  func boundaryDistances(_ p: ECEF, _ q: ECEF) -> (Meters, Meters) {
    (boundaryDistance(p), boundaryDistance(q))
  }

  @inline(never)
  private func farBoundaryDistance(_ p: ECEF) -> Meters {
    let (distance, error) = Geodesic.certifiedDistance(from: p, to: ecef)
    if error < .infinity { return distance - radius }
    return Geodesic.uncheckedDistance(p.surfaceCoordinate, center) - radius
  }

  /// Whether a position is inside by the reference: geodesic − radius <= 0.
  ///
  /// - Parameter distance: ``boundaryDistance(_:)`` there.
  @inline(__always)
  func contains(_ position: Coordinate, distance: Meters) -> Bool {
    // Twice the largest error of the distance; and its rounding.
    let slack = 4e-7 + 4e-16 * radius
    if distance > slack { return false }
    if distance < -slack { return true }
    return Geodesic.uncheckedDistance(position, center) - radius <= 0
  }

  // MARK: Along a path

  /// Where a path crosses the boundary.
  ///
  /// - Parameters:
  ///   - startsInside, endsInside: Whether ``contains(_:distance:)`` holds at the ends.
  ///   - d1, d2: Boundary distances at the ends.
  @inline(__always)
  func crossings(
    of path: ShortPath, startsInside: Bool, endsInside: Bool, from d1: Meters, to d2: Meters
  ) -> Roots {
    if startsInside != endsInside {
      let guess = radius <= Self.nearRadius ? straightRoot(path, leaving: startsInside) : .nan
      return .one(root(path, 0, path.length, leaving: startsInside, guess: guess))
    }
    // Boundary distance changes by no more than the distance moved.
    if abs(d1) + abs(d2) > path.length + 1e-6 { return Roots() }
    if radius <= Self.convexRadius {
      return startsInside ? Roots() : passes(path, outward: false)
    }
    return passes(path, outward: startsInside)
  }

  /// A pass through the circle between two points outside, or out of it between two points inside.
  private func passes(_ path: ShortPath, outward: Bool) -> Roots {
    let s = radius <= Self.nearRadius ? nearestPoint(path) : extremePoint(path, outward: outward)
    guard s > 0, s < path.length else { return Roots() }
    let depth = boundaryDistance(path.point(at: s))
    guard (outward ? depth : -depth) > Self.leastDepth else { return Roots() }
    var result = Roots()
    result.count = 2
    if outward || radius > Self.nearRadius {
      result.first = root(path, 0, s, leaving: outward, guess: .nan)
      result.second = root(path, s, path.length, leaving: !outward, guess: .nan)
    } else {
      // Half a chord of the circle to either side.
      let half = max(0, -depth * (2 * radius + depth)).squareRoot()
      result.first = root(path, 0, s, leaving: false, guess: s - half)
      result.second = root(path, s, path.length, leaving: true, guess: s + half)
    }
    return result
  }

  /// Where the path is nearest to the centre of a circle that is not large.
  ///
  /// By chords: the chord's direction differs from the geodesic's by at most e′²(s/R)²/12 rad, 3e-6 at 500
  /// km, so that the point is off by 1.7 m there and the distance by 3e-6 m; at 50 km, by nothing.
  @inline(__always)
  private func nearestPoint(_ path: ShortPath) -> Meters {
    var s = path.foot(of: ecef).s
    for _ in 0..<3 {
      let (slope, growth) = path.slope(at: s, from: ecef, point: path.point(at: s))
      let step = slope / max(growth, 0.5)
      s -= step
      if abs(step) < 1e-6 { break }
    }
    return s
  }

  /// Where the path is nearest to the centre of a large circle, or farthest from it, by golden section.
  private func extremePoint(_ path: ShortPath, outward: Bool) -> Meters {
    let ratio = (5.0.squareRoot() - 1) / 2
    let sign: Double = outward ? -1 : 1
    var a = 0.0
    var b = path.length
    var c = b - ratio * (b - a)
    var d = a + ratio * (b - a)
    var fc = sign * boundaryDistance(path.point(at: c))
    var fd = sign * boundaryDistance(path.point(at: d))
    while b - a > 1e-3 {
      if fc < fd {
        (b, d, fd) = (d, c, fc)
        c = b - ratio * (b - a)
        fc = sign * boundaryDistance(path.point(at: c))
      } else {
        (a, c, fc) = (c, d, fd)
        d = a + ratio * (b - a)
        fd = sign * boundaryDistance(path.point(at: d))
      }
    }
    return 0.5 * (a + b)
  }

  /// Where the straight line crosses a sphere whose chord is the radius: at short distances within a few
  /// millimetres.
  @inline(__always)
  private func straightRoot(_ path: ShortPath, leaving: Bool) -> Meters {
    let (s, offset2) = path.foot(of: ecef)
    let v = radius * radius * (1 / (24 * WGS84.a * WGS84.b))
    let chord = radius * (1 - v)
    let half = max(0, chord * chord - offset2).squareRoot()
    return leaving ? s + half : s - half
  }

  /// The root of the boundary distance between two points, one inside and the other outside: Newton's method,
  /// kept within a bracket.
  ///
  /// Where rounding gives an end the wrong sign, the boundary is there, and the search ends there.
  @inline(__always)
  private func root(
    _ path: ShortPath, _ start: Meters, _ end: Meters, leaving: Bool, guess: Meters
  ) -> Meters {
    var low = start
    var high = end
    var s = guess > low && guess < high ? guess : 0.5 * (low + high)
    var width = high - low
    for round in 0..<100 {
      let p = path.point(at: s)
      let h = boundaryDistance(p)
      if abs(h) <= Self.tolerance { return s }
      if (h < 0) == leaving { low = s } else { high = s }
      if high - low <= 1e-9 { break }
      var next = Double.nan
      if radius <= Self.nearRadius {
        // d(distance) = slope / distance, to one part in a thousand at 500 km.
        next = s - h * (h + radius) / path.slope(at: s, from: ecef, point: p).0
      }
      // By halves when Newton's method leaves the bracket, or does not shorten it.
      if !(next > low && next < high) || (round % 4 == 3 && high - low > 0.5 * width) {
        next = 0.5 * (low + high)
      }
      if round % 4 == 3 { width = high - low }
      s = next
    }
    return s
  }
}
