/// The geodesic distance between near points, from the chord alone: no trigonometry, about 30 flops.
///
/// A geodesic leaves the chord as a circular arc of its own curvature does, to within a term of fifth
/// order. The curvature is that of the quadric xᵀMx = 1, M = diag(1/a², 1/a², 1/b²), in the direction
/// of the chord Δ, taken at the middle of the chord: κ = A / (g c²), where A = ΔᵀMΔ, c = |Δ|,
/// and g = |Mm| with m the surface point at the chord's mean height. Then with w = (κ c)²,
///
///     s = (2/κ) asin(κ c / 2) = c (1 + w/24 + 3w²/640 + 5w³/7168 + ...)
///
/// The error and its bound are derived and measured in <doc:Bounds>.
@usableFromInline
package enum ChordSeries {
  /// The distance between two points, metres, to within ``errorBound(chord:inputError:)``.
  @inlinable
  package static func distance(from p: ECEF, to q: ECEF) -> Meters {
    distance(dx: q.x - p.x, dy: q.y - p.y, dz: q.z - p.z, zSum: p.z + q.z)
  }

  /// The distance over a chord (dx, dy, dz) whose ends' z add up to `zSum`, all metres.
  @inlinable
  package static func distance(dx: Double, dy: Double, dz: Double, zSum: Double) -> Double {
    let xy = dx * dx + dy * dy
    let zz = dz * dz
    let c2 = xy + zz
    // The floor keeps coincident points at 0 / 1e-300 = 0.
    let w = Self.w(xy: xy, zz: zz, zSum: zSum, squaredChord: max(c2, 1e-300))
    return c2.squareRoot() * (1 + w * (t1 + w * (t2 + w * t3)))
  }

  /// ``distance(dx:dy:dz:zSum:)`` on two lanes.
  @inlinable
  package static func distance(
    dx: SIMD2<Double>, dy: SIMD2<Double>, dz: SIMD2<Double>, zSum: SIMD2<Double>
  ) -> SIMD2<Double> {
    let xy = dx * dx + dy * dy
    let zz = dz * dz
    let c2 = xy + zz
    let safe = pointwiseMax(c2, SIMD2(repeating: 1e-300))
    let q = xy * WGS84.reciprocalA2 + zz * WGS84.reciprocalB2
    let w = q * q * WGS84.a2 / (safe * (1 + zSum * zSum * gradientSlope))
    return c2.squareRoot() * (1 + w * (t1 + w * (t2 + w * t3)))
  }

  /// ``distance(dx:dy:dz:zSum:)`` on four lanes.
  @inlinable
  package static func distance(
    dx: SIMD4<Double>, dy: SIMD4<Double>, dz: SIMD4<Double>, zSum: SIMD4<Double>
  ) -> SIMD4<Double> {
    let xy = dx * dx + dy * dy
    let zz = dz * dz
    let c2 = xy + zz
    let safe = pointwiseMax(c2, SIMD4(repeating: 1e-300))
    let q = xy * WGS84.reciprocalA2 + zz * WGS84.reciprocalB2
    let w = q * q * WGS84.a2 / (safe * (1 + zSum * zSum * gradientSlope))
    return c2.squareRoot() * (1 + w * (t1 + w * (t2 + w * t3)))
  }

  /// How far ``distance(from:to:)`` may be from the authority, metres.
  ///
  /// - Parameters:
  ///   - chord: The chord's length, metres, at most ``maximumChord``.
  ///   - inputError: How far each end may lie from its place as computed in `Double`, metres.
  /// - Returns: The bound; infinity beyond ``maximumChord`` and for NaN.
  ///
  /// The floor is the authority's own error and the rounding of the coordinates; the term of fifth order
  /// is the series' (<doc:Bounds>, measured by `ChordSeriesTests`).
  @inlinable
  package static func errorBound(chord: Meters, inputError: Meters = 0) -> Meters {
    guard chord <= maximumChord else { return .infinity }
    let c = chord * 1e-6
    let c2 = c * c
    return 3e-8 + 0.06 * (c2 * c2 * c) + 2.1 * inputError
  }

  /// The longest chord for which the series carries a bound: 2000 km.
  @inlinable
  package static var maximumChord: Meters { 2e6 }

  /// The longest chord whose distance is within 1e-7 m of the authority: 64 km.
  @inlinable
  package static var submicronChord: Meters { 6.4e4 }

  @inlinable static var t1: Double { 1.0 / 24 }
  @inlinable static var t2: Double { 3.0 / 640 }
  @inlinable static var t3: Double { 5.0 / 7168 }

  /// a²|Mm|² = 1 + zm² (a² - b²) / b⁴, with zm half of the z sum.
  @inlinable static var gradientSlope: Double {
    (WGS84.a2 - WGS84.b2) / (4 * WGS84.b2 * WGS84.b2)
  }

  @inlinable
  static func w(xy: Double, zz: Double, zSum: Double, squaredChord c2: Double) -> Double {
    let q = xy * WGS84.reciprocalA2 + zz * WGS84.reciprocalB2
    return q * q * WGS84.a2 / (c2 * (1 + zSum * zSum * gradientSlope))
  }
}

extension WGS84 {
  @inlinable package static var a2: Double { a * a }
  @inlinable package static var b2: Double { b * b }
  @inlinable package static var reciprocalA2: Double { 1 / (a * a) }
  @inlinable package static var reciprocalB2: Double { 1 / (b * b) }
}
