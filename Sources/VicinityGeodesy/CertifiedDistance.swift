extension Geodesic {
  /// The distance between two points on the ellipsoid and how far it may be from the reference, metres.
  ///
  /// The chord series where it is good to 1e-7 m, the solver beyond. For positions that are not finite the
  /// error is infinite and the distance NaN.
  ///
  /// - Parameter inputError: How far each end may lie from its place as computed in `Double`, metres.
  /// - Complexity: O(1); a tenth of the reference's cost, below 540 km a hundredth, near the antipode a
  ///   quarter.
  @inlinable
  package static func certifiedDistance(
    from p: ECEF, to q: ECEF, inputError: Meters = 0
  ) -> (distance: Meters, error: Meters) {
    let chord = p.chord(to: q)
    if chord <= ChordSeries.submicronChord {
      return (
        ChordSeries.distance(from: p, to: q),
        ChordSeries.errorBound(chord: chord, inputError: inputError)
      )
    }
    let s12 = GeodesicSolver.distance(from: p, to: q)
    return (s12, s12.isNaN ? .infinity : GeodesicSolver.errorBound(inputError: inputError))
  }
}
