#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What the straight line through the Earth says about the way over its surface.
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
/// On a sphere of radius R, g = R² (1 - cos(t/R)) solves g'' = 1 - g/R² with the same start. The difference
/// e = g - f with R = R₊ obeys e'' + e/R² = q >= 0, e(0) = e'(0) = 0, so e(t) = R ∫ sin((t - u)/R) q(u) du >= 0
/// for t <= πR₊; a shortest path is never longer than half a meridian, 20 003 932 m < πR₊. So c² = 2f <= 4R₊²
/// sin²(s/2R₊): the left side. With R₋ the signs turn round, for t <= πR₋ = 19 903 368 m: the right side.
/// A longer path has c >= 2R₋ when it passes πR₋ and loses at most a metre per metre after that, so
/// c >= 2R₋ - (20 003 932 m - πR₋) = ``certainChord``. ∎
///
/// Both hold exactly in exact arithmetic. Against computed chords and the computed authority, allow
/// `authoritySlack(inputError:)`. Measured in `GeodesicBoundsTests`; see <doc:Bounds>.
public enum GeodesicBounds {
  /// A length no geodesic between points with this chord falls below, metres.
  ///
  /// - Parameter chord: The straight distance, metres, 0...2a; more is taken for 2a.
  /// - Complexity: O(1), one arcsine.
  public static func lowerBound(chord: Meters) -> Meters {
    let r2 = 2 * WGS84.maximumCurvatureRadius
    return r2 * asin(min(chord / r2, 1))
  }

  /// A length no shortest path between points with this chord exceeds, metres.
  ///
  /// - Parameter chord: The straight distance, metres; from ``certainChord`` on, the answer is half a meridian.
  /// - Complexity: O(1), one arcsine.
  public static func upperBound(chord: Meters) -> Meters {
    guard chord < certainChord else { return longestDistance }
    let r2 = 2 * WGS84.minimumCurvatureRadius
    return r2 * asin(chord / r2)
  }

  /// The first terms of ``lowerBound(chord:)``, c (1 + u/24 + 3u²/640) with u = (c/R₊)²: no greater, since
  /// every further term is positive, and within 1e-6 of it (relative) up to 1500 km.
  @inlinable
  public static func fastLowerBound(chord: Meters) -> Meters {
    let u = chord * chord * reciprocalMaximumRadius2
    return chord * (1 + u * (1.0 / 24 + u * (3.0 / 640)))
  }

  /// ``fastLowerBound(chord:)`` on two lanes.
  @inlinable @inline(__always)
  package static func fastLowerBound(chord: SIMD2<Double>) -> SIMD2<Double> {
    let u = chord * chord * reciprocalMaximumRadius2
    return chord * (1 + u * (1.0 / 24 + u * (3.0 / 640)))
  }

  /// ``fastLowerBound(chord:)`` on four lanes.
  @inlinable @inline(__always)
  package static func fastLowerBound(chord: SIMD4<Double>) -> SIMD4<Double> {
    let u = chord * chord * reciprocalMaximumRadius2
    return chord * (1 + u * (1.0 / 24 + u * (3.0 / 640)))
  }

  /// ``upperBound(chord:)`` without the arcsine up to 2000 km, where c (1 + u/24 + 3u²/640 + 0.0008u³) with
  /// u = (c/R₋)² <= 0.1 is no less: the terms left out add up to less than (5/7168)(1 + 0.2u) u³.
  @inlinable
  public static func fastUpperBound(chord: Meters) -> Meters {
    guard chord <= 2e6 else { return upperBound(chord: chord) }
    let u = chord * chord * reciprocalMinimumRadius2
    return chord * (1 + u * (1.0 / 24 + u * (3.0 / 640 + u * 0.0008)))
  }

  /// The longest chord between points no farther apart than `distance`, metres: ``lowerBound(chord:)`` read
  /// backwards. A longer chord proves a longer distance.
  public static func longestChord(distance: Meters) -> Meters {
    let r2 = 2 * WGS84.maximumCurvatureRadius
    guard distance < longestDistance else { return 2 * WGS84.a }
    return min(r2 * sin(distance / r2), 2 * WGS84.a)
  }

  /// The shortest chord between points no nearer than `distance`, metres: ``upperBound(chord:)`` read backwards.
  /// A shorter chord proves a shorter distance.
  public static func shortestChord(distance: Meters) -> Meters {
    let r2 = 2 * WGS84.minimumCurvatureRadius
    guard distance < .pi / 2 * r2 else { return certainChord }
    return min(r2 * sin(distance / r2), certainChord)
  }

  /// Bounds from the angle σ between two points on the auxiliary sphere, at their reduced latitudes and
  /// their own longitudes: bσ <= s <= aσ, metres.
  ///
  /// **Proof.** On the ellipsoid ds² = (a² sin²β + b² cos²β) dβ² + a² cos²β dλ², on the unit sphere
  /// dσ² = dβ² + cos²β dλ²; so b dσ <= ds <= a dσ along every path, hence for the shortest. ∎
  ///
  /// Narrower than the chord's bounds beyond about 10 800 km.
  public static func bounds(from p: ECEF, to q: ECEF) -> ClosedRange<Meters> {
    // Cross and dot product of (x/a, y/a, z/b), times a²: well conditioned at every angle, which an
    // arcsine of the half chord is not.
    let ratio = WGS84.a / WGS84.b
    let (z1, z2) = (p.z * ratio, q.z * ratio)
    let x = p.y * z2 - z1 * q.y
    let y = z1 * q.x - p.x * z2
    let z = p.x * q.y - p.y * q.x
    let sigma = atan2((x * x + y * y + z * z).squareRoot(), p.x * q.x + p.y * q.y + z1 * z2)
    return WGS84.b * sigma...WGS84.a * sigma
  }

  /// Bounds from the angle θ between two points taken for points of a sphere with their geodetic latitudes:
  /// R₋θ <= s <= R₊θ, metres. `sphericalAngle` in radians.
  ///
  /// **Proof.** ds² = M² dφ² + N² cos²φ dλ², and both radii of curvature lie in [R₋, R₊]. ∎
  @inlinable
  public static func bounds(sphericalAngle theta: Double) -> ClosedRange<Meters> {
    WGS84.minimumCurvatureRadius * theta...WGS84.maximumCurvatureRadius * theta
  }

  /// The chord below which ``upperBound(chord:)`` is proved, 2R₋ - (half a meridian - πR₋), metres.
  @inlinable
  public static var certainChord: Meters {
    2 * WGS84.minimumCurvatureRadius
      - (longestDistance - .pi * WGS84.minimumCurvatureRadius)
  }

  /// Half a meridian, rounded up, metres: no two points are farther apart.
  ///
  /// Of the two ways between two points over the two poles, one is at most half of the meridian's length.
  @inlinable public static var longestDistance: Meters { 20_003_931.459 }

  /// What a comparison of a computed bound with the authority must allow, metres.
  ///
  /// The authority's own error (15 nm, Karney 2013) and the rounding of two Earth-centred positions; plus
  /// twice what each end may be off by, `inputError`, metres.
  @inlinable
  package static func authoritySlack(inputError: Meters = 0) -> Meters { 3e-8 + 2.1 * inputError }

  @inlinable static var reciprocalMaximumRadius2: Double {
    1 / (WGS84.maximumCurvatureRadius * WGS84.maximumCurvatureRadius)
  }
  @inlinable static var reciprocalMinimumRadius2: Double {
    1 / (WGS84.minimumCurvatureRadius * WGS84.minimumCurvatureRadius)
  }
}
