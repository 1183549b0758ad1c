package import VicinityGeodesy

/// A region's shape, read in place.
package enum RegionOutline {
  case circle(NearbyCircle)
  /// With its boundary distance where it was asked for.
  case polygon(NearbyPolygon)
}

extension RegionIndex {
  /// The shape of the region with `ordinal`, seen from a place; nil where damaged bytes lead nowhere, and for ordinals
  /// that no region has.
  ///
  /// - Complexity: O(1) for circles, a boundary distance for polygons.
  package func outline(of ordinal: UInt32, from coordinate: Coordinate, _ place: ECEF) -> RegionOutline? {
    guard ordinal < count, let record = tree.record(ofOrdinal: Int(ordinal)) else { return nil }
    defer { withExtendedLifetime(tree) {} }
    guard tree.layout.polygonCount > 0, record.isPolygon else {
      return .circle(NearbyCircle(ordinal: ordinal, center: record.center, radius: record.radius))
    }
    guard let view = tree.view.polygon(record.polygonSlot) else { return nil }
    return .polygon(
      NearbyPolygon(
        ordinal: ordinal, view: view, place: place,
        distance: view.signedBoundaryDistance(from: coordinate, ecef: place)))
  }
}

extension NearbyPolygon {
  /// The radius of the largest circle in it, metres; see ``PolygonView/inradius(enough:)``.
  package func inradius(enough: Meters) -> Meters { view.inradius(enough: enough) }
}
