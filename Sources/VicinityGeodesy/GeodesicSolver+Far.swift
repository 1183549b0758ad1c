internal import CMath

/// The inverse problem between points far apart, nearly antipodal ones included (Karney 2013, sections 4
/// and 5).
///
/// For an azimuth α₁ at the first point the geodesic reaches the second's latitude at a longitude λ(α₁) that
/// rises from 0 to π with α₁ from 0 to π, once the points are arranged so that the first lies in the south
/// and no nearer to the equator than the second. The root of λ(α₁) = λ₁₂ is found by Newton's method inside a
/// bracket.
extension InverseProblem {
  /// The problem between two unit vectors, or vectors of nearly that length, at any longitudes.
  init(_ vectors: SphereEnds) {
    let (x1, y1, z1) = (vectors.x1, vectors.y1, vectors.z1)
    let (x2, y2, z2) = (vectors.x2, vectors.y2, vectors.z2)
    let axial1 = x1 * x1 + y1 * y1
    let axial2 = x2 * x2 + y2 * y2
    let norm1 = 1 / (axial1 + z1 * z1).squareRoot()
    let norm2 = 1 / (axial2 + z2 * z2).squareRoot()
    let east = x1 * y2 - y1 * x2
    let difference = Azimuth(direction: abs(east), x1 * x2 + y1 * y2)
    sinLambda = difference.sine
    cosLambda = difference.cosine
    supplement = atan2(sinLambda, -cosLambda)
    isWestward = east < 0
    cosBeta2 = max(axial2.squareRoot() * norm2, Self.leastCosBeta)
    ends = SphereEnds(
      x1: max(axial1.squareRoot() * norm1, Self.leastCosBeta), y1: 0, z1: z1 * norm1,
      x2: cosBeta2 * cosLambda, y2: cosBeta2 * sinLambda, z2: z2 * norm2)
  }

  /// The shortest path, for any pair of points.
  ///
  /// - Complexity: O(1): two to four steps of about 60 ns as a rule, a dozen around the astroid's cusps (37
  ///   at most in 5·10⁶ hostile pairs), never more than ``FarProblem/stepLimit``.
  @inline(never)
  func farPath() -> GeodesicPath {
    // Swapping the points, and turning the Earth upside down, mirror the path; both turn its azimuths α into
    // π - α. Which is nearer to the equator, by the function that tells latitudes apart there.
    let isSwapped = ends.x1 < 0.5 ? ends.x1 > cosBeta2 : abs(ends.z1) < abs(ends.z2)
    var (sinBeta1, cosBeta1) = (ends.z1, ends.x1)
    var (sinBeta2, cosBeta2) = (ends.z2, cosBeta2)
    if isSwapped { (sinBeta1, cosBeta1, sinBeta2, cosBeta2) = (sinBeta2, cosBeta2, sinBeta1, cosBeta1) }
    let isFlipped = sinBeta1 > 0
    if isFlipped { (sinBeta1, sinBeta2) = (-sinBeta1, -sinBeta2) }
    let problem = FarProblem(
      sinBeta1: sinBeta1, cosBeta1: cosBeta1, sinBeta2: sinBeta2, cosBeta2: cosBeta2,
      sinLambda: sinLambda, cosLambda: cosLambda, supplement: supplement)
    var path = problem.solve()
    if isSwapped {
      (path.sinAlpha1, path.sinAlpha2) = (path.sinAlpha2, path.sinAlpha1)
      (path.cosAlpha1, path.cosAlpha2) = (path.cosAlpha2, path.cosAlpha1)
    }
    if isSwapped != isFlipped {
      path.cosAlpha1 = -path.cosAlpha1
      path.cosAlpha2 = -path.cosAlpha2
    }
    return path
  }
}

/// The inverse problem with β₁ <= 0, |β₂| <= |β₁| and 0 <= λ₁₂ <= π.
struct FarProblem {
  let sinBeta1: Double
  let cosBeta1: Double
  let sinBeta2: Double
  let cosBeta2: Double
  let sinLambda: Double
  let cosLambda: Double
  /// π - λ₁₂, radians.
  let supplement: Double

  /// The most steps that any pair takes: the first twelve are Newton's where they fall into the bracket;
  /// after that every second one halves the bracket.
  static var stepLimit: Int { 130 }

  @inline(__always)
  func solve() -> GeodesicPath {
    let isPolar = cosBeta1 <= InverseProblem.leastCosBeta
    // One meridian: straight on to the second point, over the nearer pole where they lie on opposite sides of
    // it.
    if sinLambda == 0 || isPolar {
      let arc = FarArc(self, alpha1: Azimuth(sine: 0, cosine: cosLambda < 0 ? -1 : 1))
      var path = arc.path(length: arc.length)
      // From a pole the path leaves along the meridian of the second point.
      if isPolar { (path.sinAlpha1, path.cosAlpha1) = (sinLambda, cosLambda) }
      return path
    }
    // Along the equator, as far as that is shortest.
    if sinBeta1 == 0, supplement >= .pi * WGS84.f {
      return GeodesicPath(
        length: WGS84.a * (.pi - supplement), sinAlpha1: 1, cosAlpha1: 0, sinAlpha2: 1, cosAlpha2: 0)
    }
    var alpha1 = firstAzimuth()
    var lower = Azimuth(sine: 1e-150, cosine: 1)
    var upper = Azimuth(sine: 1e-150, cosine: -1)
    var step = 0
    while true {
      // On the equator, due east would never leave it.
      if sinBeta1 == 0, alpha1.cosine == 0 { alpha1.cosine = -1e-150 }
      let arc = FarArc(self, alpha1: alpha1)
      let excess = arc.longitudeExcess(self)
      let slope = arc.longitudeSlope
      let change = -excess / slope
      step += 1
      // The step misses by its square times λ''/2λ', which grows with 1/λ' and 1/cos α₂: so that is below
      // 1e-16.
      if abs(excess) < 1e-7, change * change < 1e-16 * min(1, slope, arc.northward2) {
        // Where the step leads, without going there: ds/dλ = a sin α₀ (Clairaut), and
        // d(sin α₀) = cos β₁ cos α₁ dα₁.
        let length =
          arc.length
          - WGS84.a * excess * (arc.sinAlpha0 + 0.5 * cosBeta1 * alpha1.cosine * change)
        return FarArc(self, alpha1: alpha1.turned(by: change)).path(length: length)
      }
      if !(abs(excess) > 5e-16) || step == Self.stepLimit { return arc.path(excess: excess) }
      if excess > 0 { upper = alpha1 } else { lower = alpha1 }
      if slope > 0, abs(change) < 1.5, step <= 12 || step % 2 == 0 {
        let next = alpha1.turned(by: change)
        if lower.isLess(than: next), next.isLess(than: upper) {
          alpha1 = next
          continue
        }
      }
      alpha1 = lower.middle(to: upper)
      if alpha1 == lower || alpha1 == upper { return arc.path(excess: excess) }
    }
  }

  /// Where Newton's method begins.
  @inline(__always)
  private func firstAzimuth() -> Azimuth {
    let ends = SphereEnds(
      x1: cosBeta1, y1: 0, z1: sinBeta1, x2: cosBeta2 * cosLambda, y2: cosBeta2 * sinLambda, z2: sinBeta2)
    let turn = FirstTurn(GreatCircle(ends))
    let turned = ends.turned(by: turn.angle)
    // Away from the astroid the sphere is a good first guess: the longitude depends on ω nearly as on a
    // sphere, and the second point is not turned beyond the antimeridian.
    if turn.slopeOfLongitude < 4.0 / 3, turned.y2 > 0 {
      return Azimuth(direction: turned.y2, turned.x1 * turned.z2 - turned.z1 * turned.x2)
    }
    return azimuthNearAntipode()
  }

  /// The first guess near the antipode, from the astroid that the geodesics' envelope is there, equations
  /// (53) to (57).
  ///
  /// In units of the astroid's size, with X west of the antipode and Y from it in latitude, both at least 0,
  /// the azimuth's angle θ from the south solves X cos θ - Y sin θ = sin θ cos θ: equation (55) in its
  /// parametric form, X = (1 + κ) sin θ and Y = κ cos θ, κ >= 0. As a function of T = tan θ, X - YT - T/√(1 +
  /// T²) is convex and falls, so that Newton's method rises to the root from any lower bound of it; max((X
  /// - 1)/Y, X/(1 + Y)) is one, for T/√(1 + T²) < min(1, T).
  @inline(__always)
  private func azimuthNearAntipode() -> Azimuth {
    let h = GeodesicSeries.epsilonFactor(cos2Alpha0: sinBeta1 * sinBeta1)
    let scale =
      WGS84.f * cosBeta1 * .pi * SineSeries.longitudeFactor(h * sinBeta1 * sinBeta1)
    let sinBetaSum = sinBeta1 * cosBeta2 + cosBeta1 * sinBeta2
    let x = supplement / scale
    let y = -sinBetaSum / (scale * cosBeta1)
    guard y > 1e-100 else {
      return x < 1 ? Azimuth(sine: x, cosine: -(1 - x * x).squareRoot()) : Azimuth(sine: 1, cosine: 0)
    }
    var t = max((x - 1) / y, x / (1 + y))
    // Near the cusp X = 1, Y = 0 that bound is poor, for the root is large: X - 1 - YT + 1/2T² = 0, nearly.
    if y < 0.1, abs(x - 1) < 0.1 {
      let root = cbrt(0.25 / y)
      t = max(t, x < 1 ? min(root, 0.5 / (1 - x).squareRoot()) : root)
    }
    for _ in 0..<4 {
      let r = 1 / (1 + t * t).squareRoot()
      t += (x - t * (y + r)) / (y + r * r * r)
    }
    let cosine = 1 / (1 + t * t).squareRoot()
    let sine = t * cosine
    let kappa = x * sine + y * cosine - sine * sine
    guard kappa > 0.3 else { return Azimuth(sine: sine, cosine: -cosine) }
    // π - ω₁₂ = (π - λ₁₂) κ / (1 + κ), and the great circle that goes there.
    let u = scale * kappa * sine
    let u2 = u * u
    let sinU = u * (1 - u2 * (1.0 / 6 - u2 * (1.0 / 120)))
    let versine = u2 * (0.5 - u2 * (1.0 / 24))
    return Azimuth(direction: cosBeta2 * sinU, sinBetaSum - sinBeta1 * cosBeta2 * versine)
  }
}

/// The geodesic that leaves the first point at an azimuth, as far as the second's latitude, where it heads
/// north.
struct FarArc {
  let alpha1: Azimuth
  let sinAlpha0: Double
  private let integrals: ArcIntegrals
  private let sinSigma1: Double
  private let cosSigma1: Double
  private let sinSigma2: Double
  private let cosSigma2: Double
  private let sinSigma12: Double
  /// π - σ₁₂.
  private let supplement: Double
  private let k2: Double
  /// cos α₂ cos β₂.
  let northward2: Double

  @inline(__always)
  init(_ problem: FarProblem, alpha1: Azimuth) {
    self.alpha1 = alpha1
    let (sinBeta1, cosBeta1) = (problem.sinBeta1, problem.cosBeta1)
    let (sinBeta2, cosBeta2) = (problem.sinBeta2, problem.cosBeta2)
    // Equations (5), (11) and (45).
    sinAlpha0 = alpha1.sine * cosBeta1
    let cos2Alpha0 = alpha1.cosine * alpha1.cosine + (alpha1.sine * sinBeta1) * (alpha1.sine * sinBeta1)
    let northward1 = alpha1.cosine * cosBeta1
    // cos² β₂ - cos² β₁, by the functions that are small.
    let difference =
      cosBeta1 < -sinBeta1
      ? (cosBeta2 - cosBeta1) * (cosBeta2 + cosBeta1) : (sinBeta1 - sinBeta2) * (sinBeta1 + sinBeta2)
    northward2 = max(0, northward1 * northward1 + difference).squareRoot()
    let reciprocal = 1 / cos2Alpha0.squareRoot()
    sinSigma1 = sinBeta1 * reciprocal
    cosSigma1 = northward1 * reciprocal
    sinSigma2 = sinBeta2 * reciprocal
    cosSigma2 = northward2 * reciprocal
    let sine = cosSigma1 * sinSigma2 - sinSigma1 * cosSigma2
    // Not `max`, which may give -0: σ₁₂ lies in 0...π.
    sinSigma12 = sine > 0 ? sine : 0
    let cosSigma12 = cosSigma1 * cosSigma2 + sinSigma1 * sinSigma2
    k2 = GeodesicSeries.ep2 * cos2Alpha0
    supplement = atan2(sinSigma12, -cosSigma12)
    integrals = ArcIntegrals(
      sigma: .pi - supplement, sine: sinSigma12, cosine: cosSigma12,
      cos2Alpha0: cos2Alpha0, zz: sinBeta1 * sinBeta2)
  }

  /// λ(α₁) - λ₁₂ by equations (8) and (12), radians.
  @inline(__always)
  func longitudeExcess(_ problem: FarProblem) -> Double {
    let sinOmega = sinAlpha0 * sinSigma12
    let cosOmega = cosSigma1 * cosSigma2 + sinAlpha0 * sinAlpha0 * (sinSigma1 * sinSigma2)
    let y = sinOmega * problem.cosLambda - cosOmega * problem.sinLambda
    let x = cosOmega * problem.cosLambda + sinOmega * problem.sinLambda
    return smallArctangent(y, x) - WGS84.f * sinAlpha0 * integrals.longitude
  }

  /// dλ/dα₁ = m₁₂ / (a cos α₂ cos β₂), equations (38) and (46). Infinite or NaN where the geodesic only
  /// touches the second's latitude.
  @inline(__always)
  var longitudeSlope: Double {
    let dn1 = (1 + k2 * (sinSigma1 * sinSigma1)).squareRoot()
    let dn2 = (1 + k2 * (sinSigma2 * sinSigma2)).squareRoot()
    let m12 =
      dn2 * (cosSigma1 * sinSigma2) - dn1 * (sinSigma1 * cosSigma2)
      - cosSigma1 * cosSigma2 * integrals.reducedLengthTerm
    return (1 - WGS84.f) * m12 / northward2
  }

  /// The length, metres.
  @inline(__always) var length: Meters { integrals.length(supplement: supplement) }

  /// The path that this arc is, of a length that is known.
  @inline(__always)
  func path(length: Meters) -> GeodesicPath {
    GeodesicPath(
      length: length, sinAlpha1: alpha1.sine, cosAlpha1: alpha1.cosine, sinAlpha2: sinAlpha0,
      cosAlpha2: northward2)
  }

  /// The path next to this arc which ends at the second point's longitude: ds/dλ = a sin α₀.
  @inline(__always)
  func path(excess: Double) -> GeodesicPath {
    path(length: length - WGS84.a * excess * sinAlpha0)
  }
}

/// The arctangent of y / x, as `atan2` has it, quickly where that is a small angle.
@inline(__always)
private func smallArctangent(_ y: Double, _ x: Double) -> Double {
  guard abs(y) < 0.02 * x else { return atan2(y, x) }
  let t = y / x
  let t2 = t * t
  // What is left out is below 0.02¹¹/11 = 2e-20.
  return t * (1 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7 - t2 * (1.0 / 9)))))
}

/// An azimuth in 0...π, by its sine and cosine.
struct Azimuth: Equatable {
  var sine: Double
  var cosine: Double

  @inline(__always)
  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// The azimuth of this direction; north where it has no length.
  @inline(__always)
  init(direction east: Double, _ north: Double) {
    let squared = east * east + north * north
    let reciprocal = 1 / squared.squareRoot()
    sine = squared > 0 ? east * reciprocal : 0
    cosine = squared > 0 ? north * reciprocal : 1
  }

  /// This azimuth and `angle` radians more.
  @inline(__always)
  func turned(by angle: Double) -> Azimuth {
    let s: Double
    let c: Double
    if abs(angle) < 0.01 {
      let d2 = angle * angle
      // What is left out is below 0.01⁸/8! = 3e-21.
      s = angle * (1 - d2 * (1.0 / 6 - d2 * (1.0 / 120 - d2 * (1.0 / 5040))))
      c = 1 - d2 * (0.5 - d2 * (1.0 / 24 - d2 * (1.0 / 720)))
    } else {
      s = sin(angle)
      c = cos(angle)
    }
    return Azimuth(direction: sine * c + cosine * s, cosine * c - sine * s)
  }

  @inline(__always)
  func isLess(than other: Azimuth) -> Bool { other.sine * cosine - other.cosine * sine > 0 }

  /// The azimuth in the middle between this and a greater one.
  @inline(__always)
  func middle(to other: Azimuth) -> Azimuth {
    Azimuth(direction: sine + other.sine, cosine + other.cosine)
  }
}
