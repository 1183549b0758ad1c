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
}
