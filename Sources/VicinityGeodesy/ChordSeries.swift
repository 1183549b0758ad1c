/// The geodesic distance between near points, from the chord alone: no trigonometry, about 50 flops.
///
/// A geodesic leaves its chord as a circular arc of its own curvature does, to fourth order. The curvature is
/// that of the quadric xᵀMx = 1, M = diag(1/a², 1/a², 1/b²), in the direction of the chord Δ, at the
/// middle of the chord: κ = A / (g c²), where A = ΔᵀMΔ, c = |Δ|, and g = |Mm| for the surface
/// point m at the chord's mean height. Then with w = (κ c)²,
///
///     s = (2/κ) asin(κ c / 2) - ... = c (1 + w/24 + 3w²/640 + 5w³/7168 - r)
///
/// What curvature does along the way is r, of order c⁴ and of order e'² = (a² - b²)/b². With v = dz/c and
/// z the mean height over a, it is, both orders in e'² that matter kept,
///
///     r = (c/2a)⁴ (e'² (3v² + 2z²)/30 + e'⁴ (26v⁴ - 16v²z² + v² - 18z⁴ + 12z²)/90)
///
/// Derivation, error and bound: <doc:ChordProofs>.
@usableFromInline
package enum ChordSeries {
  /// The distance between two points, metres, to within ``errorBound(chord:inputError:)``.
  @inlinable @inline(__always)
  package static func distance(from p: ECEF, to q: ECEF) -> Meters {
    distance(dx: q.x - p.x, dy: q.y - p.y, dz: q.z - p.z, zSum: p.z + q.z)
  }

  /// The distance over a chord (dx, dy, dz) whose ends' z add up to `zSum`, all metres.
  @inlinable @inline(__always)
  package static func distance(dx: Double, dy: Double, dz: Double, zSum: Double) -> Double {
    let xy = dx * dx + dy * dy
    let zz = dz * dz
    let c2 = xy + zz
    let h2 = zSum * zSum
    let q = xy * WGS84.reciprocalA2 + zz * WGS84.reciprocalB2
    // The addend keeps coincident points at 0 / 1e-300 = 0.
    let w = q * q * WGS84.a2 / ((c2 + 1e-300) * (1 + h2 * gradientSlope))
    let y = c2 * h2
    let r = c2 * ((r10 + s10 * c2) * zz + (r01 + s01 * c2) * y) + (zz * (r20 * zz + r11 * y) + r02 * y * y)
    return c2.squareRoot() * (1 + w * (t1 + w * (t2 + w * (t3 + w * t4))) - r)
  }

  /// How far ``distance(from:to:)`` may be from the reference, metres.
  ///
  /// The floor is the reference's own error and the rounding of the coordinates; the term of seventh
  /// order is the series' (<doc:Bounds>, measured by `SweepTests`).
  ///
  /// - Parameters:
  ///   - chord: The chord's length, metres.
  ///   - inputError: How far each end may lie from its place as computed in `Double`, metres.
  /// - Returns: The bound; infinity beyond ``maximumChord`` and for NaN.
  @inlinable
  package static func errorBound(chord: Meters, inputError: Meters = 0) -> Meters {
    guard chord <= maximumChord else { return .infinity }
    let c = chord * 1e-6
    let c2 = c * c
    return 3e-8 + 5e-6 * (c2 * c2 * c2 * c) + 2.1 * inputError
  }

  /// The longest chord for which the series carries a bound: 1500 km.
  @inlinable package static var maximumChord: Meters { 1.5e6 }

  /// The longest chord whose distance is within 1e-7 m of the reference: 540 km.
  @inlinable package static var submicronChord: Meters { 5.4e5 }

  @inlinable package static var t1: Double { 1.0 / 24 }
  @inlinable package static var t2: Double { 3.0 / 640 }
  @inlinable package static var t3: Double { 5.0 / 7168 }

  /// a²|Mm|² = 1 + zm² (a² - b²) / b⁴, with zm half of the z sum.
  @inlinable package static var gradientSlope: Double {
    (WGS84.a2 - WGS84.b2) / (4 * WGS84.b2 * WGS84.b2)
  }

  @inlinable package static var t4: Double { 35.0 / 294912 }

  // r's coefficients: rij belongs to (dz²)^i (c² zSum²)^j, sij to c² times that. The powers of c/2a and of z
  // = zSum/2a are taken in. The e'⁶ terms are of third degree in v², z²; best fits of second degree stand in
  // for them, as do ones of first degree for the e'⁴ terms of s.
  @inlinable package static var r10: Double { e1 * (270 + e1 * (30 - 15 * e1)) / 2700 * a4 }
  @inlinable package static var r01: Double { e1 * (180 + e1 * (360 - 399 * e1)) / 2700 * a4 * z2 }
  @inlinable package static var r20: Double { e1 * e1 * (26 + 25 * e1) / 90 * a4 }
  @inlinable package static var r11: Double { -e1 * e1 * (160 + 474 * e1) / 900 * a4 * z2 }
  @inlinable package static var r02: Double { -e1 * e1 * (180 - 28 * e1) / 900 * a4 * z2 * z2 }
  @inlinable package static var s10: Double { e1 * (135 + 476 * e1) / 1260 * a6 }
  @inlinable package static var s01: Double { e1 * (138 - 215 * e1) / 1260 * a6 * z2 }
  /// e'² = (a² - b²)/b².
  @inlinable static var e1: Double { WGS84.a2 * WGS84.reciprocalB2 - 1 }
  /// (1/2a)⁴, (1/2a)⁶ and (z / zSum)².
  @inlinable static var a4: Double { z2 * z2 }
  @inlinable static var a6: Double { z2 * z2 * z2 }
  @inlinable static var z2: Double { WGS84.reciprocalA2 / 4 }
}

extension WGS84 {
  @inlinable package static var a2: Double { a * a }
  @inlinable package static var b2: Double { b * b }
  @inlinable package static var reciprocalA2: Double { 1 / (a * a) }
  @inlinable package static var reciprocalB2: Double { 1 / (b * b) }
}
