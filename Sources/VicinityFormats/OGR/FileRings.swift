internal import VicinityPolygon

/// What a polygon is made of: the rings of one feature, or of several, in the coordinates in which their
/// edges are straight.
enum FileRings {
  /// In longitude and latitude, continuous across the antimeridian.
  case coordinates([Polygon.Part])
  /// In the plane of a projected system, and the way from there to WGS84.
  case planar([PlanarPart], ShapeConverter)

  /// The polygon of the rings, and what was repaired, if anything.
  ///
  /// - Parameter strict: Whether rings that need repair are refused.
  /// - Throws: ``GeometryFault`` also for rings that cannot be repaired.
  func polygon(strict: Bool) throws(GeometryFault) -> (polygon: Polygon, warning: String?) {
    switch self {
    case .planar(let planes, let converter):
      return try converter.polygon(ofPlanes: planes, strict: strict)
    case .coordinates(let parts):
      do throws(PolygonError) {
        if strict { return (try Polygon(parts: parts, meaning: .planar), nil) }
        let (polygon, fault) = try Polygon.repairing(parts: parts, meaning: .planar)
        return (polygon, fault.map { "repaired: \($0)" })
      } catch {
        throw GeometryFault("\(error)")
      }
    }
  }

  /// The rings of all; in longitude and latitude unless they are of one projected system.
  static func joined(_ all: [FileRings]) throws(GeometryFault) -> FileRings {
    if case .planar(_, let converter)? = all.first {
      let planes = all.compactMap { rings in
        if case .planar(let planes, let its) = rings, its === converter {
          planes
        } else {
          nil as [PlanarPart]?
        }
      }
      if planes.count == all.count { return .planar(Array(planes.joined()), converter) }
    }
    var parts: [Polygon.Part] = []
    for rings in all { parts += try rings.parts() }
    return .coordinates(parts)
  }

  private func parts() throws(GeometryFault) -> [Polygon.Part] {
    switch self {
    case .coordinates(let parts): parts
    case .planar(let planes, let converter): try converter.coordinates(ofPlanes: planes)
    }
  }
}
