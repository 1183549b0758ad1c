internal import CMath

/// The geodesic distance between two points in Earth-centred coordinates, without latitudes or longitudes.
///
/// The inverse problem on the auxiliary sphere (Karney 2013, doi:10.1007/s00190-012-0578-z, sections 2
/// to 4; earlier Vincenty 1975), rearranged so that nothing degenerates at a pole, on the equator or along a
/// meridian:
///
/// - (x/a, y/a, z/b) is the point's unit vector on the auxiliary sphere, reduced latitude and all.
/// - The longitude difference λ on the ellipsoid is smaller than ω, the one on the sphere, by
///   f sin α₀ I₃(σ). One Newton step with a first-order I₃ finds ω to about 1e-7.
/// - The second point is turned about the axis by ω - λ, the great circle solved again, and its length
///   taken from the series for I₁. What is left of the longitude, r, costs
///   a (r sin α₀ + r²/2 · d sin α₀/dλ), for ds/dλ = a sin α₀ exactly (Clairaut).
/// - Every ε^l cos 2lσm is carried as one number, a Chebyshev polynomial in p = ε cos 2σm and ε², and
///   cos² α₀ cos 2σm = cos² α₀ cos σ - 2 sin β₁ sin β₂ divides by nothing.
///
/// Measured error and its bound: <doc:Bounds>.
@usableFromInline
package enum FastInverse {
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
  ///   apart, or not finite: those go to the reference.
  /// - Complexity: O(1), one arctangent.
  @usableFromInline
  package static func distance(from p: ECEF, to q: ECEF) -> Meters {
    let x1 = p.x * (1 / WGS84.a)
    let y1 = p.y * (1 / WGS84.a)
    let z1 = p.z * (1 / WGS84.b)
    let x2 = q.x * (1 / WGS84.a)
    let y2 = q.y * (1 / WGS84.a)
    let z2 = q.z * (1 / WGS84.b)

    // The great circle at ω = λ. `c` and `s` are cos β₁ cos β₂ times the cosine and sine of ω.
    let zz = z1 * z2
    let c = x1 * x2 + y1 * y2
    let turn = x1 * y2 - y1 * x2
    let s = abs(turn)
    let wx = y1 * z2 - z1 * y2
    let wy = z1 * x2 - x1 * z2
    let w2 = wx * wx + wy * wy
    let sinSquared = w2 + s * s
    let cosSigma = c + zz
    guard cosSigma > leastCosine else { return .nan }
    guard sinSquared > 1e-24 else { return p.chord(to: q) }
    let sinSigma = sinSquared.squareRoot()
    let sigma = atan2(sinSigma, cosSigma)
    let reciprocal = 1 / sinSigma

    // One Newton step for ω = λ + f sin α₀ I₃(σ).
    let sinAlpha = s * reciprocal
    let cos2Alpha = w2 * (reciprocal * reciprocal)
    let p0 = (0.25 * ep2) * (cos2Alpha * cosSigma - 2 * zz)
    let i3 = sigma + (0.5 - 0.5 * n) * (p0 * sinSigma - (0.25 * ep2) * cos2Alpha * sigma)
    let slope = (c - sinAlpha * sinAlpha * cosSigma) * reciprocal
    let delta = WGS84.f * sinAlpha * i3 / (1 - WGS84.f * (slope * sigma + sinAlpha * sinAlpha))

    // Turn the second point by `delta`, away from the first; `delta` is at most about 0.012.
    let d2 = delta * delta
    let sinDelta = delta * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120)))
    let cosDelta = 1 - d2 * (0.5 - d2 * (1.0 / 24 - d2 * (1.0 / 720)))
    let sinTurn = turn < 0 ? -sinDelta : sinDelta
    return length(
      x1, y1, z1, x2 * cosDelta - y2 * sinTurn, x2 * sinTurn + y2 * cosDelta, z2,
      zz: zz, c: c * cosDelta - s * sinDelta, s: s * cosDelta + c * sinDelta,
      sigma: sigma, sinSigma0: sinSigma, cosSigma0: cosSigma, delta: delta)
  }

  /// The length over the great circle at ω = λ + delta, near one of length `sigma`, put right for what
  /// is left of the longitude.
  @inline(__always)
  private static func length(
    _ x1: Double, _ y1: Double, _ z1: Double, _ x2: Double, _ y2: Double, _ z2: Double,
    zz: Double, c: Double, s: Double,
    sigma sigma0: Double, sinSigma0: Double, cosSigma0: Double, delta: Double
  ) -> Meters {
    let wx = y1 * z2 - z1 * y2
    let wy = z1 * x2 - x1 * z2
    let w2 = wx * wx + wy * wy
    let sin1 = (w2 + s * s).squareRoot()
    let cos1 = c + zz
    let reciprocal = 1 / sin1
    let sinAlpha = s * reciprocal
    let cos2Alpha = w2 * (reciprocal * reciprocal)

    // σ moved by the small angle between the two solutions: asin, to the ninth order.
    let t = sin1 * cosSigma0 - cos1 * sinSigma0
    let t2 = t * t
    let sigma = sigma0 + t * (1 + t2 * (1.0 / 6 + t2 * (3.0 / 40 + t2 * (15.0 / 336))))

    let k2 = ep2 * cos2Alpha
    let h = ep2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
    let eps = h * cos2Alpha
    let e2 = eps * eps
    let p1 = h * (cos2Alpha * cos1 - 2 * zz)
    let p2 = 2 * p1 * p1 - e2
    let p3 = 2 * p1 * p2 - e2 * p1
    let p4 = 2 * p1 * p3 - e2 * p2
    let twoCos = 2 * cos1
    let sin2 = twoCos * sin1
    let sin3 = twoCos * sin2 - sin1
    let sin4 = twoCos * sin3 - sin2
    let q1 = p1 * sin1
    let q2 = p2 * sin2
    let q3 = p3 * sin3
    let q4 = p4 * sin4

    // Karney (17) and (18): I₁ = A₁ (σ + Σ C₁ₗ 2 cos 2lσm sin lσ); ε⁵ is 1 nm.
    let b1 =
      q1 * (-1 + e2 * (3.0 / 8 - e2 * (1.0 / 16))) + q2 * (-1.0 / 8 + e2 * (1.0 / 16))
      + q3 * (-1.0 / 24 + e2 * (3.0 / 128)) - q4 * (5.0 / 256)
    let a1 = WGS84.b * (1 + e2 * (0.25 + e2 * (1.0 / 64))) / (1 - eps)

    // Karney (23) to (25): I₃ = A₃ (σ + Σ C₃ₗ 2 cos 2lσm sin lσ).
    let b3 =
      q1 * (c310 + eps * (c311 + eps * (c312 + eps * (5.0 / 64 + n / 32))))
      + q2 * (c320 + eps * (c321 + eps * (3.0 / 64))) + q3 * (c330 + eps * (3.0 / 64))
      + q4 * (7.0 / 256)
    let a3 = 1 - eps * (a31 + eps * (a32 + eps * (a33 + eps * (3.0 / 64 + n / 32))))

    let rest = WGS84.f * sinAlpha * a3 * (sigma + b3) - delta
    let slope = (c - sinAlpha * sinAlpha * cos1) * reciprocal
    // dω/dλ, to first order in f.
    let stretch = 1 + WGS84.f * (slope * sigma + sinAlpha * sinAlpha)
    return a1 * (sigma + b1) + WGS84.a * rest * (sinAlpha + 0.5 * slope * stretch * rest)
  }

  /// Points farther apart than this cosine go to the reference.
  private static var leastCosine: Double { -0.927 }

  /// The second eccentricity squared, (a² - b²)/b².
  private static var ep2: Double { WGS84.e2 / (1 - WGS84.e2) }
  /// The third flattening, (a - b)/(a + b).
  private static var n: Double { WGS84.f / (2 - WGS84.f) }
  private static var a31: Double { 0.5 - n / 2 }
  private static var a32: Double { 0.25 + n / 8 - 3 * n * n / 8 }
  private static var a33: Double { 1.0 / 16 + 3 * n / 16 + n * n / 16 }
  // Twice Karney's C₃ₗ, the sum's factor 2 taken in.
  private static var c310: Double { 0.5 - n / 2 }
  private static var c311: Double { 0.25 - n * n / 4 }
  private static var c312: Double { 3.0 / 32 + 3 * n / 32 - n * n / 32 }
  private static var c320: Double { 1.0 / 8 - 3 * n / 16 + n * n / 16 }
  private static var c321: Double { 3.0 / 32 - n / 16 - 3 * n * n / 32 }
  private static var c330: Double { 5.0 / 96 - 3 * n / 32 + 5 * n * n / 96 }
}
