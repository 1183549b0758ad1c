internal import CMath

/// Bounds of the geodesic distance between two points, from the chord: the straight line through the Earth
/// between them.
///
/// Let c be the chord between two points of the ellipsoid and s the length of the shortest path. With
/// R₋ = b²/a and R₊ = a²/b, the smallest and the largest radius of curvature of any normal section,
///
///     2 R₊ asin(c / 2R₊)  <=  s  <=  2 R₋ asin(c / 2R₋)
///
/// (the right side for c up to ``certainChord``).
///
/// **Proof.** Let γ be the geodesic from P, t its arc length, f(t) = |γ(t) - P|²/2. A geodesic's acceleration
/// is normal to the surface, γ'' = κN with N the inward unit normal, so f'' = 1 + κ (γ - P)·N = 1 - κh, where
/// h >= 0 is the depth of P below the tangent plane at γ(t). With the ellipsoid as xᵀMx = 1, M = diag(1/a²,
/// 1/a², 1/b²), and N = -Mγ/|Mγ|, both ends on the surface give h = ΔᵀMΔ / (2|Mγ|) for Δ = γ - P, and
/// the curvature is κ = TᵀMT / |Mγ|. Now 1/a² <= vᵀMv/|v|² <= 1/b² and 1/a <= |Mγ| <= 1/b, hence
///
///     1/R₊ <= κ <= 1/R₋,    f/R₊ <= h <= f/R₋,    1 - f/R₋² <= f'' <= 1 - f/R₊².
///
/// On a sphere of radius R, g = R² (1 - cos(t/R)) solves g'' = 1 - g/R² with the same start. The difference e
/// = g - f with R = R₊ obeys e'' + e/R² = q >= 0, e(0) = e'(0) = 0, so e(t) = R ∫ sin((t - u)/R) q(u) du >= 0
/// for t <= πR₊; a shortest path is never longer than half a meridian, 20 003 932 m < πR₊. So c² = 2f <= 4R₊²
/// sin²(s/2R₊): the left side. With R₋ the signs turn round, for t <= πR₋ = 19 903 370 m: the right side. A
/// longer path has c >= 2R₋ when it passes πR₋ and loses at most a metre per metre after that, so c >= 2R₋ -
/// (20 003 932 m - πR₋) = ``certainChord``. ∎
///
/// Both hold exactly in exact arithmetic. Against computed chords and the computed reference, allow
/// ``referenceSlack(inputError:)``. Measured in `GeodesicBoundsTests`; see <doc:Bounds>.
@usableFromInline
package enum GeodesicBounds {
  /// A lower bound of the distance between points with this chord, metres.
  ///
  /// - Parameter chord: The straight distance, metres, 0...2a; more is taken for 2a.
  /// - Complexity: O(1), one arcsine.
  package static func lowerBound(chord: Meters) -> Meters {
    let r2 = 2 * WGS84.maximumCurvatureRadius
    return r2 * asin(min(chord / r2, 1))
  }

  /// An upper bound of the distance between points with this chord, metres.
  ///
  /// - Parameter chord: The straight distance, metres; from ``certainChord`` on the bound is half a meridian.
  /// - Complexity: O(1), one arcsine.
  @usableFromInline
  package static func upperBound(chord: Meters) -> Meters {
    guard chord < certainChord else { return longestDistance }
    let r2 = 2 * WGS84.minimumCurvatureRadius
    return r2 * asin(chord / r2)
  }

  /// An upper bound of the distance that is cheaper than ``upperBound(chord:)`` and never less: up to 2000 km
  /// the arcsine's series c (1 + u/24 + 3u²/640 + 0.0008u³) with u = (c/R₋)² <= 0.1.
  ///
  /// The last coefficient is raised from 5/7168: the terms left out add up to less than (5/7168)(1 + 0.2u)
  /// u³.
  @inlinable
  package static func fastUpperBound(chord: Meters) -> Meters {
    guard chord <= 2e6 else { return upperBound(chord: chord) }
    let u = chord * chord * reciprocalMinimumRadius2
    return chord * (1 + u * (1.0 / 24 + u * (3.0 / 640 + u * 0.0008)))
  }

  /// The chord below which ``upperBound(chord:)`` is proved, 2R₋ - (half a meridian - πR₋), metres.
  @inlinable
  package static var certainChord: Meters {
    2 * WGS84.minimumCurvatureRadius
      - (longestDistance - .pi * WGS84.minimumCurvatureRadius)
  }

  /// Half a meridian, rounded up, metres: no two points are farther apart.
  ///
  /// Two points are joined by two paths along their meridians, one over each pole; the shorter is at most
  /// half a meridian.
  @inlinable package static var longestDistance: Meters { 20_003_931.459 }

  /// The tolerance for comparing a computed bound with the reference, metres.
  ///
  /// It covers the reference's own error (15 nm, Karney 2013), the rounding of two Earth-centred positions,
  /// and twice `inputError`, by which each end may be off, metres.
  @inlinable
  package static func referenceSlack(inputError: Meters = 0) -> Meters { 3e-8 + 2.1 * inputError }

  @inlinable static var reciprocalMinimumRadius2: Double {
    1 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)
  }
}
