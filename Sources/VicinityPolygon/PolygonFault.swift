/// Why rings do not make a polygon, by the rules of the OGC's Simple Features (06-103r4, 6.1.11 and 6.1.14).
public enum PolygonFault: Hashable, Sendable, CaseIterable {
  /// A ring of fewer than three distinct vertices in the plane in which polygons are judged.
  case collapsedRing
  /// A ring crosses itself.
  case ringCrossesItself
  /// A ring runs along itself: a spike, or an edge traversed twice.
  case ringOverlapsItself
  /// A ring meets itself in a point without crossing.
  case ringTouchesItself
  /// Two rings cross each other.
  case ringsCross
  /// Two rings share a stretch of boundary.
  case ringsOverlap
  /// Two rings are the same.
  case duplicateRings
  /// A hole lies outside its part's exterior.
  case holeOutsideExterior
  /// A hole lies in another hole of its part.
  case nestedHoles
  /// A part's exterior lies inside another part.
  case nestedExteriors
  /// Holes that touch each other or the exterior cut the inside of a part in two.
  case disconnectedInterior
}

extension PolygonFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .collapsedRing: "the ring has fewer than 3 distinct vertices"
    case .ringCrossesItself: "the ring crosses itself"
    case .ringOverlapsItself: "the ring runs back along itself"
    case .ringTouchesItself: "the ring touches itself"
    case .ringsCross: "the ring crosses another ring"
    case .ringsOverlap: "the ring shares a stretch of boundary with another ring"
    case .duplicateRings: "the ring is there twice"
    case .holeOutsideExterior: "the hole lies outside its exterior"
    case .nestedHoles: "the hole lies in another hole"
    case .nestedExteriors: "the exterior lies inside another part"
    case .disconnectedInterior: "touching rings cut the inside in two"
    }
  }
}
