public import VicinityGeodesy
public import VicinityPolygon

/// An identified area: a circle or a polygon.
///
///     let home = Region(identifier: "home", center: Coordinate(latitude: 48.2, longitude: 16.4), radius: 100)
public struct Region: Hashable, Identifiable, Sendable {
  /// The name by which the region is found, replaced and removed; unique within an index.
  public var identifier: String
  /// The area that the region covers.
  public var shape: Shape

  public var id: String { identifier }

  /// The area that a region covers.
  public enum Shape: Hashable, Sendable {
    /// All points within `radius` metres, by geodesic distance, of `center`.
    case circle(center: Coordinate, radius: Meters)
    /// A polygon with geodesic edges; possibly of several parts, possibly with holes.
    case polygon(Polygon)
  }

  /// A region of any shape.
  public init(identifier: String, shape: Shape) {
    self.identifier = identifier
    self.shape = shape
  }

  /// A circular region.
  ///
  /// ## Units
  /// - `radius`: metres, 0 or more, finite.
  public init(identifier: String, center: Coordinate, radius: Meters) {
    self.init(identifier: identifier, shape: .circle(center: center, radius: radius))
  }

  /// A polygonal region.
  public init(identifier: String, polygon: Polygon) {
    self.init(identifier: identifier, shape: .polygon(polygon))
  }
}
