public import VicinityGeodesy

/// A region found by a query, and how far away its boundary is.
public struct Neighbor: Hashable, Sendable {
  /// The region's place in the order of insertion.
  public var ordinal: Int
  /// Signed geodesic distance to the boundary, metres: negative inside, zero on it.
  public var distance: Meters
  /// Geodesic distance to the centre; NaN where there is none.
  @usableFromInline var centerDistance: Meters

  /// Geodesic distance to a circle's centre, metres; nil for polygons.
  @inlinable
  public var distanceToCenter: Meters? { centerDistance.isNaN ? nil : centerDistance }

  /// How far the position must move, at least, before it can be inside: `max(0, distance)`, metres.
  @inlinable
  public var gap: Meters { max(0, distance) }

  @inlinable
  package init(ordinal: Int, distance: Meters, centerDistance: Meters) {
    self.ordinal = ordinal
    self.distance = distance
    self.centerDistance = centerDistance
  }

  public static func == (a: Neighbor, b: Neighbor) -> Bool {
    a.ordinal == b.ordinal && a.distance == b.distance && a.distanceToCenter == b.distanceToCenter
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ordinal)
    hasher.combine(distance)
  }
}
