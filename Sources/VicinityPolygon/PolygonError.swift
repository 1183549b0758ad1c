public import VicinityGeodesy

/// A polygon that cannot be what it claims.
public enum PolygonError: Error, Hashable, Sendable {
  /// Where in a polygon something is: all three count from 0; ring 0 is a part's exterior, its holes follow.
  public struct Place: Hashable, Sendable {
    /// The part.
    public var part: Int
    /// The ring of the part: 0 is the exterior, 1 the first hole.
    public var ring: Int
    /// The vertex of the ring; `nil` when the whole ring is meant.
    public var vertex: Int?

    package init(part: Int, ring: Int, vertex: Int? = nil) {
      self.part = part
      self.ring = ring
      self.vertex = vertex
    }
  }

  /// No parts at all.
  case empty
  /// A vertex with a latitude beyond ±90 or a component that is not finite.
  case invalidCoordinate(Coordinate, Place)
  /// A ring of fewer than three distinct vertices.
  case tooFewVertices(distinct: Int, Place)
  /// A ring that encloses nothing.
  case zeroArea(Place)
  /// Rings that do not make a polygon: why, which ring, and a coordinate at the fault.
  case invalid(PolygonFault, Place, near: Coordinate)
  /// Stored chains that no polygon has.
  case damaged(reason: String)
  /// GEOS failed, in its own words.
  case repairFailed(reason: String)
  /// More edges, after splitting the long ones, than a polygon can hold.
  case tooManyEdges(count: Int, maximum: Int)
}

extension PolygonError.Place: CustomStringConvertible {
  public var description: String {
    let ringText = ring == 0 ? "exterior" : "hole \(ring)"
    guard let vertex else { return "part \(part + 1), \(ringText)" }
    return "part \(part + 1), \(ringText), vertex \(vertex + 1)"
  }
}

extension PolygonError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty: "polygon without parts"
    case .invalidCoordinate(let c, let place):
      "invalid coordinate: latitude \(c.latitude), longitude \(c.longitude)"
        + " (latitude must lie in -90...90, both must be finite) at \(place)"
    case .tooFewVertices(let distinct, let place):
      "a ring needs 3 distinct vertices, this one has \(distinct) (\(place))"
    case .zeroArea(let place): "a ring that encloses nothing (\(place))"
    case .invalid(let fault, let place, let near): "invalid polygon: \(fault) near \(near) (\(place))"
    case .damaged(let reason): "not a polygon's chains: \(reason)"
    case .repairFailed(let reason): "the polygon could not be repaired: \(reason)"
    case .tooManyEdges(let count, let maximum): "\(count) edges (at most \(maximum))"
    }
  }
}
