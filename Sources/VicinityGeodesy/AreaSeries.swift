/// The series of the area between a geodesic and the equator: Karney 2013, section 6, equations (59) to (63).
///
/// I₄(σ) = C₄₀ cos σ + C₄₁ cos 3σ + ... + C₄₅ cos 11σ, with coefficients C₄ₗ in ε and n to the fifth order.
struct AreaSeries {
  private let c0: Double
  private let c1: Double
  private let c2: Double
  private let c3: Double
  private let c4: Double
  private let c5: Double

  init(eps: Double) {
    let e2 = eps * eps
    let e3 = e2 * eps
    c0 = Self.c00 + eps * (Self.c01 + eps * (Self.c02 + eps * (Self.c03 + eps * (Self.c04 + eps * Self.c05))))
    c1 = eps * (Self.c11 + eps * (Self.c12 + eps * (Self.c13 + eps * (Self.c14 + eps * Self.c15))))
    c2 = e2 * (Self.c22 + eps * (Self.c23 + eps * (Self.c24 + eps * Self.c25)))
    c3 = e3 * (Self.c33 + eps * (Self.c34 + eps * Self.c35))
    c4 = e2 * e2 * (Self.c44 + eps * Self.c45)
    c5 = e2 * e3 * Self.c55
  }

  /// I₄(σ₂) - I₄(σ₁) from the sines and cosines of σ₁ and σ₂.
  func difference(
    from first: (sine: Double, cosine: Double), to second: (sine: Double, cosine: Double)
  ) -> Double {
    sum(second.sine, second.cosine) - sum(first.sine, first.cosine)
  }

  /// Clenshaw's summation for odd multiples.
  private func sum(_ sine: Double, _ cosine: Double) -> Double {
    let y = 2 * (cosine - sine) * (cosine + sine)
    let b4 = c4 + y * c5
    let b3 = c3 + y * b4 - c5
    let b2 = c2 + y * b3 - b4
    let b1 = c1 + y * b2 - b3
    let b0 = c0 + y * b1 - b2
    return cosine * (b0 - b1)
  }

  // cij is the coefficient of ε^j in C₄ᵢ, a polynomial in the third flattening.
  private static var n: Double { GeodesicSeries.n }
  private static var c00: Double {
    2.0 / 3 - n * (4.0 / 15 - n * (8.0 / 105 + n * (4.0 / 315 + n * (16.0 / 3465 + n * (20.0 / 9009)))))
  }
  private static var c01: Double {
    -1.0 / 5 + n * (16.0 / 35 - n * (32.0 / 105 - n * (16.0 / 385 + n * (64.0 / 15015))))
  }
  private static var c02: Double {
    -2.0 / 105 - n * (32.0 / 315 - n * (1088.0 / 3465 - n * (1184.0 / 5005)))
  }
  private static var c03: Double { 11.0 / 315 - n * (368.0 / 3465 + n * (32.0 / 6435)) }
  private static var c04: Double { 4.0 / 1155 + n * (1088.0 / 45045) }
  private static var c05: Double { 97.0 / 15015 }
  private static var c11: Double {
    1.0 / 45 - n * (16.0 / 315 - n * (32.0 / 945 - n * (16.0 / 3465 + n * (64.0 / 135_135))))
  }
  private static var c12: Double { -2.0 / 105 + n * (64.0 / 945 - n * (128.0 / 1485 - n * (1984.0 / 45045))) }
  private static var c13: Double { -1.0 / 105 + n * (16.0 / 2079 + n * (5792.0 / 135_135)) }
  private static var c14: Double { 4.0 / 1155 - n * (2944.0 / 135_135) }
  private static var c15: Double { 1.0 / 9009 }
  private static var c22: Double { 4.0 / 525 - n * (32.0 / 1575 - n * (64.0 / 3465 - n * (32.0 / 5005))) }
  private static var c23: Double { -8.0 / 1575 + n * (128.0 / 5775 - n * (256.0 / 6825)) }
  private static var c24: Double { -8.0 / 1925 + n * (1856.0 / 225_225) }
  private static var c25: Double { 8.0 / 10725 }
  private static var c33: Double { 8.0 / 2205 - n * (256.0 / 24255 - n * (512.0 / 45045)) }
  private static var c34: Double { -16.0 / 8085 + n * (1024.0 / 105_105) }
  private static var c35: Double { -136.0 / 63063 }
  private static var c44: Double { 64.0 / 31185 - n * (512.0 / 81081) }
  private static var c45: Double { -128.0 / 135_135 }
  private static var c55: Double { 128.0 / 99099 }
}
