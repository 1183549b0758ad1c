internal import VicinityGeodesy
internal import VicinityIndex

/// Makes the index's polygons of rings on WGS84.
enum PolygonAssembly {
  /// A polygon of `parts`: rings of coordinates with continuous longitudes, the exterior first.
  ///
  /// Repaired by GEOS where rings cross; the warning says what the fault was.
  ///
  /// - Throws: ``GeometryFault`` for what no repair makes a polygon, or, when `strict`, for what needs repair.
  static func polygon(
    parts: [[[Coordinate]]], strict: Bool
  ) throws(GeometryFault) -> (polygon: Polygon, warning: String?) {
    let all = parts.compactMap { rings -> Polygon.Part? in
      guard let exterior = rings.first else { return nil }
      return Polygon.Part(exterior: exterior, holes: Array(rings.dropFirst()))
    }
    do throws(PolygonError) {
      if strict { return (try Polygon(parts: all, meaning: .planar), nil) }
      let (polygon, fault) = try Polygon.repairing(parts: all, meaning: .planar)
      return (polygon, fault.map { "repaired: \($0)" })
    } catch {
      throw GeometryFault("\(error)")
    }
  }
}
