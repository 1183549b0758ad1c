internal import CMath

/// The inverse problem between points up to about 158 degrees apart, in Earth-centred coordinates, without
/// latitudes or longitudes.
///
/// The inverse problem on the auxiliary sphere (Karney 2013, doi:10.1007/s00190-012-0578-z, sections 2
/// to 4; earlier Vincenty 1975), rearranged so that nothing degenerates at a pole, on the equator or along a
/// meridian:
///
/// - (x/a, y/a, z/b) is the point's unit vector on the auxiliary sphere, reduced latitude and all.
/// - The longitude difference λ on the ellipsoid is smaller than ω, the one on the sphere, by
///   f sin α₀ I₃(σ), equation (8). One Newton step with a first-order I₃ finds ω to about 1e-7.
/// - The second point is turned about the axis by ω - λ, the great circle solved again, and its length
///   taken from the series for I₁. What is left of the longitude, r, costs
///   a (r sin α₀ + r²/2 · d sin α₀/dλ), for ds/dλ = a sin α₀ exactly (Clairaut).
/// - Azimuths depend on r in the first order. Where it is not negligible, they take a second turn.
///
/// Measured error and its bound: <doc:SolverErrors>.
extension GeodesicSolver {
  /// How far ``distance(from:to:)`` may be from the reference, metres, for ends computed in `Double`.
  @inlinable
  package static var errorBound: Meters { 6e-8 }

  /// How far ``distance(from:to:)`` may be from the reference when each end may lie `inputError` metres
  /// from its place.
  ///
  /// An end off by e turns its unit vector by at most e/b, and the distance by at most a e/b.
  @inlinable
  package static func errorBound(inputError: Meters) -> Meters { errorBound + 2.1 * inputError }

  /// The distance between two points on the ellipsoid, metres.
  ///
  /// - Returns: The distance to within ``errorBound``; NaN where the points are more than about 158 degrees
  ///   apart, or not finite.
  /// - Complexity: O(1), one arctangent.
  @usableFromInline
  package static func nearDistance(from p: ECEF, to q: ECEF) -> Meters {
    nearDistance(SphereEnds(p, q))
  }

  /// The distance between two points on the ellipsoid, metres, however far apart.
  ///
  /// - Returns: The distance to within ``errorBound``; NaN where a point is not finite.
  /// - Complexity: O(1): one arctangent, and 0.3 µs more for points more than 158 degrees apart.
  @usableFromInline
  package static func distance(from p: ECEF, to q: ECEF) -> Meters {
    var ends = SphereEnds(p, q)
    let s12 = nearDistance(ends)
    guard s12.isNaN else { return s12 }
    // Squares of smaller ones underflow; on the Earth this is less than 1e-63 m.
    if abs(ends.z1) < 1e-70 { ends.z1 = 0 }
    if abs(ends.z2) < 1e-70 { ends.z2 = 0 }
    return InverseProblem(ends).farPath().length
  }

  /// The distance between the points of the ellipsoid that two unit vectors of the auxiliary sphere stand
  /// for, metres; NaN beyond about 158 degrees.
  @inline(__always)
  static func nearDistance(_ ends: SphereEnds) -> Meters {
    let circle = GreatCircle(ends)
    guard circle.cosine > leastCosine else { return .nan }
    guard circle.sine2 > leastSine2 else { return ends.chord }
    var turn = FirstTurn(circle)
    let turned = ends.turned(by: turn.angle)
    return turn.improve(GreatCircle(turned)).length
  }

  /// The same with the second point turned to within 1e-6 radians of where the geodesic's azimuths are those
  /// of a great circle; nil beyond about 158 degrees, and for coincident points.
  @inline(__always)
  static func nearArrival(_ ends: SphereEnds) -> (length: Meters, turned: SphereEnds)? {
    let circle = GreatCircle(ends)
    guard circle.cosine > leastCosine, circle.sine2 > leastSine2 else { return nil }
    var turn = FirstTurn(circle)
    let turned = ends.turned(by: turn.angle)
    return (turn.improve(GreatCircle(turned)).length, turned)
  }

  /// The second point turned to where the geodesic's azimuths are those of a great circle: by ω - λ. Nil
  /// where the points are more than about 158 degrees apart.
  @inline(__always)
  static func nearSolution(_ ends: SphereEnds) -> (length: Meters, turned: SphereEnds)? {
    let circle = GreatCircle(ends)
    guard circle.cosine > leastCosine else { return nil }
    guard circle.sine2 > leastSine2 else { return (ends.chord, ends) }
    var turn = FirstTurn(circle)
    var turned = ends.turned(by: turn.angle)
    var step = turn.improve(GreatCircle(turned))
    // The same length, to the last bit, that is computed without azimuths.
    let length = step.length
    // A step leaves a 1e-5th of r: nothing that azimuths would notice.
    if abs(step.rest) > 1e-10 {
      turn.angle += step.angle
      turned = ends.turned(by: turn.angle)
      step = turn.improve(GreatCircle(turned))
    }
    return (length, turned.turned(by: step.angle))
  }

  /// Points farther apart than this cosine, about 158 degrees, are for the solver of nearly antipodal points.
  package static var leastCosine: Double { -0.927 }

  /// Points nearer than this sine squared, 6 µm, are as far apart as the chord is long.
  package static var leastSine2: Double { 1e-24 }
}

/// The unit vectors of two points on the auxiliary sphere.
struct SphereEnds {
  var x1: Double
  var y1: Double
  var z1: Double
  var x2: Double
  var y2: Double
  var z2: Double

  @inline(__always)
  init(x1: Double, y1: Double, z1: Double, x2: Double, y2: Double, z2: Double) {
    self.x1 = x1
    self.y1 = y1
    self.z1 = z1
    self.x2 = x2
    self.y2 = y2
    self.z2 = z2
  }

  /// The vectors of two points of the ellipsoid.
  @inline(__always)
  init(_ p: ECEF, _ q: ECEF) {
    x1 = p.x * (1 / WGS84.a)
    y1 = p.y * (1 / WGS84.a)
    z1 = p.z * (1 / WGS84.b)
    x2 = q.x * (1 / WGS84.a)
    y2 = q.y * (1 / WGS84.a)
    z2 = q.z * (1 / WGS84.b)
  }

  /// The straight line between the points of the ellipsoid, metres; 0 where it is shorter than 1e-140 m, as
  /// between two names of a pole.
  @inline(__always)
  var chord: Meters {
    let dx = WGS84.a * (x1 - x2)
    let dy = WGS84.a * (y1 - y2)
    let dz = WGS84.b * (z1 - z2)
    let squared = dx * dx + dy * dy + dz * dz
    return squared < 1e-280 ? 0 : squared.squareRoot()
  }

  /// These ends with the second turned about the axis by a small angle, at most about 0.012 radians, away
  /// from the first.
  @inline(__always)
  func turned(by angle: Double) -> SphereEnds {
    let d2 = angle * angle
    let sine = angle * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120)))
    let cosine = 1 - d2 * (0.5 - d2 * (1.0 / 24 - d2 * (1.0 / 720)))
    let signed = x1 * y2 - y1 * x2 < 0 ? -sine : sine
    var turned = self
    turned.x2 = x2 * cosine - y2 * signed
    turned.y2 = x2 * signed + y2 * cosine
    return turned
  }
}

/// The great circle through two points of the auxiliary sphere.
struct GreatCircle {
  /// cos β₁ cos β₂ cos ω and sin β₁ sin β₂.
  let c: Double
  let zz: Double
  /// cos β₁ cos β₂ sin ω, at least 0.
  let s: Double
  /// The square of sin σ cos α₀.
  let w2: Double

  @inline(__always)
  init(_ ends: SphereEnds) {
    zz = ends.z1 * ends.z2
    c = ends.x1 * ends.x2 + ends.y1 * ends.y2
    s = abs(ends.x1 * ends.y2 - ends.y1 * ends.x2)
    let wx = ends.y1 * ends.z2 - ends.z1 * ends.y2
    let wy = ends.z1 * ends.x2 - ends.x1 * ends.z2
    w2 = wx * wx + wy * wy
  }

  /// sin² σ and cos σ.
  @inline(__always) var sine2: Double { w2 + s * s }
  @inline(__always) var cosine: Double { c + zz }
}

/// The turn ω - λ of the second point, found by Newton's method.
struct FirstTurn {
  /// ω - λ as known, radians.
  var angle: Double
  /// dλ/dω where the step began, to first order in f.
  let slopeOfLongitude: Double
  /// The last great circle's arc and its sine and cosine.
  private var sigma: Double
  private var sinSigma: Double
  private var cosSigma: Double

  /// One Newton step from ω = λ for ω = λ + f sin α₀ I₃(σ), with I₃ to first order.
  @inline(__always)
  init(_ circle: GreatCircle) {
    sinSigma = circle.sine2.squareRoot()
    cosSigma = circle.cosine
    sigma = Self.angle(sinSigma, cosSigma)
    let reciprocal = 1 / sinSigma
    let sinAlpha = circle.s * reciprocal
    let cos2Alpha = circle.w2 * (reciprocal * reciprocal)
    let ep2 = GeodesicSeries.ep2
    let p0 = (0.25 * ep2) * (cos2Alpha * cosSigma - 2 * circle.zz)
    let i3 =
      sigma + GeodesicSeries.c310 * (p0 * sinSigma - (0.25 * ep2) * cos2Alpha * sigma)
    let slope = (circle.c - sinAlpha * sinAlpha * cosSigma) * reciprocal
    slopeOfLongitude = 1 - WGS84.f * (slope * sigma + sinAlpha * sinAlpha)
    angle = WGS84.f * sinAlpha * i3 / slopeOfLongitude
  }

  /// The angle in 0...π of this sine and cosine: below 640 km by the arcsine's series, whose next term is
  /// below 1.4e-17 σ.
  @inline(__always)
  private static func angle(_ sine: Double, _ cosine: Double) -> Double {
    guard sine < 0.1, cosine > 0 else { return atan2(sine, cosine) }
    let z = sine * sine
    let z2 = z * z
    let low = 1.0 / 6 + z * (3.0 / 40)
    let middle = 5.0 / 112 + z * (35.0 / 1152)
    let high = 63.0 / 2816 + z * (231.0 / 13312)
    return sine + sine * z * (low + z2 * (middle + z2 * high))
  }

  /// What the great circle of the turned point says: the length put right for what is left of the longitude,
  /// what is left of it, and how far to turn for that, radians.
  @inline(__always)
  mutating func improve(_ circle: GreatCircle) -> (length: Meters, rest: Double, angle: Double) {
    let sin1 = circle.sine2.squareRoot()
    let cos1 = circle.cosine
    let reciprocal = 1 / sin1
    let sinAlpha = circle.s * reciprocal
    let cos2Alpha = circle.w2 * (reciprocal * reciprocal)

    // σ moved by the small angle between the two solutions: asin, to the ninth order.
    let t = sin1 * cosSigma - cos1 * sinSigma
    let t2 = t * t
    sigma = sigma + t * (1 + t2 * (1.0 / 6 + t2 * (3.0 / 40 + t2 * (15.0 / 336))))
    sinSigma = sin1
    cosSigma = cos1

    let integrals = ArcIntegrals(
      sigma: sigma, sine: sin1, cosine: cos1, cos2Alpha0: cos2Alpha, zz: circle.zz)
    let rest = WGS84.f * sinAlpha * integrals.longitude - angle
    let slope = (circle.c - sinAlpha * sinAlpha * cos1) * reciprocal
    // dω/dλ = 1/(1 - x) to 1e-5: x is to first order in f, and below 0.03.
    let x = WGS84.f * (slope * sigma + sinAlpha * sinAlpha)
    let stretch = 1 + x * (1 + x)
    let length = integrals.length + WGS84.a * rest * (sinAlpha + 0.5 * slope * stretch * rest)
    return (length, rest, rest * stretch)
  }
}
