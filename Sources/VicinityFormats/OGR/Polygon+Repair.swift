public import VicinityPolygon

extension Polygon {
  /// A polygon, repaired by GEOS where its rings cross themselves or each other.
  ///
  ///     let (polygon, fault) = try Polygon.repairing(parts: [.init(exterior: bowTie)])
  ///     if let fault { print(fault) }  // invalid polygon: the ring crosses itself near 0.5,0.5 (part 1, exterior)
  ///
  /// GEOS makes each ring valid alone (`MakeValid`, structure method): bow ties become two parts, and rings
  /// that enclose nothing are dropped. Overlapping parts are joined, and each is what its exterior encloses
  /// and none of its holes does. Without the trait `GEOS` rings that cross are refused, and with it those
  /// that cross in more than 20,000 places.
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
    try repairing(parts: parts, meaning: meaning, by: repaired)
  }

  /// Planar parts made valid by GEOS; `nil` without the trait `GEOS`.
  static func repaired(_ parts: [PlanarPart]) throws(PolygonError) -> [PlanarPart]? {
    #if canImport(CGEOS)
      try GEOSContext().repaired(parts)
    #else
      nil
    #endif
  }
}
