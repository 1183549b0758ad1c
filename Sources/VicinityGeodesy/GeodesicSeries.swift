// The series of C. F. F. Karney, *Algorithms for geodesics*, J. Geodesy 87, 43-55, 2013,
// doi:10.1007/s00190-012-0578-z, and its addenda. Equation numbers are the paper's. σ is the arc length on
// the auxiliary sphere from the northward crossing of the equator, α₀ the azimuth there, k = e' cos α₀, and ε
// = (√(1 + k²) - 1) / (√(1 + k²) + 1), equation (16): 0...0.00168 on WGS84.

/// What the series share: the ellipsoid's other numbers, ε, and the coefficients of the integral I₃.
package enum GeodesicSeries {
  /// The second eccentricity squared, e'² = (a² - b²)/b².
  package static var ep2: Double { WGS84.e2 / (1 - WGS84.e2) }
  /// The third flattening, (a - b)/(a + b).
  static var n: Double { WGS84.f / (2 - WGS84.f) }

  // A₃ and twice C₃ₗ, the sum's factor 2 taken in: equations (24) and (25).
  package static var a31: Double { 0.5 - n / 2 }
  package static var a32: Double { 0.25 + n / 8 - 3 * n * n / 8 }
  package static var a33: Double { 1.0 / 16 + 3 * n / 16 + n * n / 16 }
  package static var a34: Double { 3.0 / 64 + n / 32 }
  package static var c310: Double { 0.5 - n / 2 }
  package static var c311: Double { 0.25 - n * n / 4 }
  package static var c312: Double { 3.0 / 32 + 3 * n / 32 - n * n / 32 }
  package static var c313: Double { 5.0 / 64 + n / 32 }
  package static var c320: Double { 1.0 / 8 - 3 * n / 16 + n * n / 16 }
  package static var c321: Double { 3.0 / 32 - n / 16 - 3 * n * n / 32 }
  package static var c330: Double { 5.0 / 96 - 3 * n / 32 + 5 * n * n / 96 }

  /// ε / cos² α₀, without the cancellation of equation (16): e'² / (2 (1 + √(1 + k²)) + k²).
  @inline(__always)
  static func epsilonFactor(cos2Alpha0: Double) -> Double {
    let k2 = ep2 * cos2Alpha0
    return ep2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }
}

/// The integrals I₁, I₃ and J between two points of a geodesic.
///
/// Each is A (σ₁₂ + Σ Cₗ (sin 2lσ₂ - sin 2lσ₁)), and sin 2lσ₂ - sin 2lσ₁ = 2 cos 2lσₘ sin lσ₁₂ with σₘ the
/// middle. Every ε^l cos 2lσₘ is carried as one number, a Chebyshev polynomial in p = ε cos 2σₘ and ε², and
/// cos² α₀ cos 2σₘ = cos² α₀ cos σ₁₂ - 2 sin β₁ sin β₂ divides by nothing, so that nothing degenerates at a
/// pole or on the equator.
///
/// What is left out (ε⁶ in I₁, fε⁵ in I₃) is below 1e-11 m on WGS84.
struct ArcIntegrals {
  private let sigma: Double
  private let eps: Double
  private let e2: Double
  // qₗ = ε^l cos 2lσₘ sin lσ₁₂.
  private let q1: Double
  private let q2: Double
  private let q3: Double
  private let q4: Double
  private let q5: Double

  /// The integrals over an arc of `sigma` radians, of this sine and cosine, on the geodesic with this cos²
  /// α₀; `zz` is sin β₁ sin β₂.
  @inline(__always)
  init(sigma: Double, sine: Double, cosine: Double, cos2Alpha0: Double, zz: Double) {
    self.sigma = sigma
    let h = GeodesicSeries.epsilonFactor(cos2Alpha0: cos2Alpha0)
    eps = h * cos2Alpha0
    e2 = eps * eps
    let p1 = h * (cos2Alpha0 * cosine - 2 * zz)
    let p2 = 2 * p1 * p1 - e2
    let p3 = 2 * p1 * p2 - e2 * p1
    let p4 = 2 * p1 * p3 - e2 * p2
    let p5 = 2 * p1 * p4 - e2 * p3
    let twoCos = 2 * cosine
    let sin2 = twoCos * sine
    let sin3 = twoCos * sin2 - sine
    let sin4 = twoCos * sin3 - sin2
    let sin5 = twoCos * sin4 - sin3
    q1 = p1 * sine
    q2 = p2 * sin2
    q3 = p3 * sin3
    q4 = p4 * sin4
    q5 = p5 * sin5
  }

  /// The length of the arc on the ellipsoid, metres: b (I₁(σ₂) - I₁(σ₁)), equations (7), (15), (17) and (18).
  @inline(__always)
  var length: Meters { WGS84.b * sigma + lengthBeyondSphere }

  /// ``length``, rounded less, for an arc of π - `supplement`.
  @inline(__always)
  func length(supplement: Double) -> Meters {
    // As computed, bπ is 1.1e-10 m too short.
    WGS84.b * Double.pi + (lengthBeyondSphere - WGS84.b * supplement)
  }

  /// How much longer the arc is than on a sphere of radius b, metres; in this way the large term is rounded
  /// once.
  @inline(__always)
  private var lengthBeyondSphere: Meters {
    let b1 =
      q1 * (-1 + e2 * (3.0 / 8 - e2 * (1.0 / 16))) + q2 * (-1.0 / 8 + e2 * (1.0 / 16))
      + q3 * (-1.0 / 24 + e2 * (3.0 / 128)) - q4 * (5.0 / 256) - q5 * (7.0 / 640)
    // A₁ - 1.
    let a1 = (eps + e2 * (0.25 + e2 * (1.0 / 64))) / (1 - eps)
    return WGS84.b * (a1 * sigma + (b1 + a1 * b1))
  }

  /// I₃(σ₂) - I₃(σ₁), equations (8) and (23) to (25).
  @inline(__always)
  var longitude: Double {
    typealias C = GeodesicSeries
    let b3 =
      q1 * (C.c310 + eps * (C.c311 + eps * (C.c312 + eps * C.c313)))
      + q2 * (C.c320 + eps * (C.c321 + eps * (3.0 / 64))) + q3 * (C.c330 + eps * (3.0 / 64))
      + q4 * (7.0 / 256)
    let a3 = 1 - eps * (C.a31 + eps * (C.a32 + eps * (C.a33 + eps * C.a34)))
    return a3 * (sigma + b3)
  }

  /// J(σ₂) - J(σ₁) with J = I₁ - I₂, equations (39) to (43): what the reduced length needs. Within 3e-11.
  @inline(__always)
  var reducedLengthTerm: Double {
    eps * (2 + eps * (1 + eps * 1.5)) * sigma
      - q1 * (2 + e2 * 1.25) - q2 * (0.5 - eps * 0.25) - q3 * 0.25
  }
}

/// c₁ sin 2θ + c₂ sin 4θ + ... + c₆ sin 12θ.
struct SineSeries {
  var c1: Double
  var c2: Double
  var c3: Double
  var c4: Double
  var c5: Double
  var c6: Double

  /// The sum at the angle of this sine and cosine (C. W. Clenshaw, *A note on the summation of Chebyshev
  /// series*, 1955).
  @inline(__always)
  func sum(sine: Double, cosine: Double) -> Double {
    let y = 2 * (cosine - sine) * (cosine + sine)
    let b5 = c5 + y * c6
    let b4 = c4 + y * b5 - c6
    let b3 = c3 + y * b4 - b5
    let b2 = c2 + y * b3 - b4
    let b1 = c1 + y * b2 - b3
    return 2 * sine * cosine * b1
  }

  /// C₁ₗ of the distance's series, equation (18).
  @inline(__always)
  static func length(_ eps: Double) -> SineSeries {
    let e2 = eps * eps
    let e3 = e2 * eps
    return SineSeries(
      c1: eps * (-1.0 / 2 + e2 * (3.0 / 16 - e2 * (1.0 / 32))),
      c2: e2 * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * (9.0 / 2048))),
      c3: e3 * (-1.0 / 48 + e2 * (3.0 / 256)),
      c4: e2 * e2 * (-5.0 / 512 + e2 * (3.0 / 512)),
      c5: e3 * e2 * (-7.0 / 1280),
      c6: e3 * e3 * (-7.0 / 2048))
  }

  /// C'₁ₗ of the series that finds σ from the distance, equation (21).
  @inline(__always)
  static func revertedLength(_ eps: Double) -> SineSeries {
    let e2 = eps * eps
    let e3 = e2 * eps
    return SineSeries(
      c1: eps * (1.0 / 2 + e2 * (-9.0 / 32 + e2 * (205.0 / 1536))),
      c2: e2 * (5.0 / 16 + e2 * (-37.0 / 96 + e2 * (1335.0 / 4096))),
      c3: e3 * (29.0 / 96 - e2 * (75.0 / 128)),
      c4: e2 * e2 * (539.0 / 1536 - e2 * (2391.0 / 2560)),
      c5: e3 * e2 * (3467.0 / 7680),
      c6: e3 * e3 * (38081.0 / 61440))
  }

  /// C₃ₗ of the longitude's series, equation (25).
  @inline(__always)
  static func longitude(_ eps: Double) -> SineSeries {
    let n = GeodesicSeries.n
    let e2 = eps * eps
    let e3 = e2 * eps
    return SineSeries(
      c1: eps
        * ((1.0 / 4 - n / 4) + eps
          * ((1.0 / 8 - n * n / 8) + eps
            * ((3.0 / 64 + 3 * n / 64 - n * n / 64) + eps * ((5.0 / 128 + n / 64) + eps * (3.0 / 128))))),
      c2: e2
        * ((1.0 / 16 - 3 * n / 32 + n * n / 32) + eps
          * ((3.0 / 64 - n / 32 - 3 * n * n / 64) + eps * ((3.0 / 128 + n / 128) + eps * (5.0 / 256)))),
      c3: e3
        * ((5.0 / 192 - 3 * n / 64 + 5 * n * n / 192) + eps
          * ((3.0 / 128 - 5 * n / 192) + eps * (7.0 / 512))),
      c4: e2 * e2 * ((7.0 / 512 - 7 * n / 256) + eps * (7.0 / 512)),
      c5: e3 * e2 * (21.0 / 2560),
      c6: 0)
  }

  /// A₁, equation (17).
  @inline(__always)
  static func lengthFactor(_ eps: Double) -> Double {
    let e2 = eps * eps
    return (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 * (1.0 / 256)))) / (1 - eps)
  }

  /// A₃, equation (24).
  @inline(__always)
  static func longitudeFactor(_ eps: Double) -> Double {
    let n = GeodesicSeries.n
    return 1 - eps
      * ((1.0 / 2 - n / 2) + eps
        * ((1.0 / 4 + n / 8 - 3 * n * n / 8) + eps
          * ((1.0 / 16 + 3 * n / 16 + n * n / 16) + eps * ((3.0 / 64 + n / 32) + eps * (3.0 / 128)))))
  }
}
