public import CVicinityKernels
public import VicinityGeodesy

@usableFromInline
package enum KernelConstants {
  /// The coefficients of `ChordSeries`. Computed, as the compiler folds them into constants: a stored
  /// property would be initialized lazily, and every query would ask whether it has been.
  @inlinable @inline(__always)
  package static var chordSeries: vk_chord_series {
    vk_chord_series(
      reciprocal_a2: WGS84.reciprocalA2, reciprocal_b2: WGS84.reciprocalB2, a2: WGS84.a2,
      gradient_slope: ChordSeries.gradientSlope, t1: ChordSeries.t1, t2: ChordSeries.t2, t3: ChordSeries.t3,
      t4: ChordSeries.t4, r10: ChordSeries.r10, r01: ChordSeries.r01, s10: ChordSeries.s10,
      s01: ChordSeries.s01, r20: ChordSeries.r20, r11: ChordSeries.r11, r02: ChordSeries.r02)
  }

  /// The coefficients of `GeodesicSeries` and the limits of `GeodesicSolver.nearDistance`.
  package static let geodesicSeries = vk_geodesic_series(
    a: WGS84.a, b: WGS84.b, reciprocal_a: 1 / WGS84.a, reciprocal_b: 1 / WGS84.b, f: WGS84.f,
    ep2: GeodesicSeries.ep2, least_cosine: GeodesicSolver.leastCosine,
    least_sine2: GeodesicSolver.leastSine2, i3: GeodesicSeries.c310, a31: GeodesicSeries.a31,
    a32: GeodesicSeries.a32, a33: GeodesicSeries.a33, a34: GeodesicSeries.a34, c310: GeodesicSeries.c310,
    c311: GeodesicSeries.c311, c312: GeodesicSeries.c312, c313: GeodesicSeries.c313,
    c320: GeodesicSeries.c320, c321: GeodesicSeries.c321, c330: GeodesicSeries.c330)
}
