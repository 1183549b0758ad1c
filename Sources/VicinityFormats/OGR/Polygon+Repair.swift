public import VicinityPolygon

extension Polygon {
  /// A polygon, repaired by GEOS where its rings cross themselves or each other.
  ///
  ///     let (polygon, fault) = try Polygon.repairing(parts: [.init(exterior: bowTie)])
  ///     if let fault { print(fault) }  // invalid polygon: the ring crosses itself near 0.5,0.5 (part 1, exterior)
  ///
  /// GEOS's `MakeValid`, structure method: bow ties become two parts, overlapping parts are joined, holes outside
  /// their exterior and rings that enclose nothing are dropped. Without the trait `GEOS` rings that cross are refused.
  ///
  /// - Returns: the polygon, and the first fault that was repaired; `nil` when there was none.
  /// - Throws: `PolygonError` for invalid coordinates, and where nothing with an inside remains.
  /// - Complexity: O(n log n)
  public static func repairing(
    parts: [Part]
  ) throws(PolygonError) -> (polygon: Polygon, fault: PolygonError?) {
    try repairing(parts: parts, meaning: .geodesic)
  }

  /// ``repairing(parts:)`` for rings of either meaning.
  package static func repairing(
    parts: [Part], meaning: RingMeaning
  ) throws(PolygonError) -> (polygon: Polygon, fault: PolygonError?) {
    try repairing(parts: parts, meaning: meaning) { parts throws(PolygonError) in
      #if canImport(CGEOS)
        try GEOSContext().repaired(parts)
      #else
        nil
      #endif
    }
  }
}
