public import VicinityGeodesy

/// What a planner asks of an index: ``RegionIndex`` and ``UpdatableRegionIndex`` answer alike.
public protocol SearchableRegions: Sendable {
  /// How many regions.
  var count: Int { get }

  /// How many of them are polygons.
  var polygonCount: Int { get }

  /// The `count` nearest regions, by signed boundary distance; see ``RegionIndex/nearest(_:to:options:scratch:into:)``.
  func nearest(
    _ count: Int, to position: Coordinate, options: QueryOptions, scratch: inout QueryScratch,
    into result: inout [Neighbor]
  ) throws(QueryError)

  /// The regions within a boundary distance; see ``RegionIndex/within(_:of:options:scratch:into:)``.
  func within(
    _ distance: Meters, of position: Coordinate, options: QueryOptions, scratch: inout QueryScratch,
    into result: inout [Neighbor]
  ) throws(QueryError)

  /// The ordinal of the region called `identifier`; nil when there is none.
  func ordinal(of identifier: String) -> Int?

  /// The identifier of the region with `ordinal`; nil when there is none.
  func knownIdentifier(of ordinal: Int) -> String?

  /// The region with `ordinal`, as it was put in; nil when there is none.
  func knownRegion(at ordinal: Int) -> Region?

  /// The radius of the region with `ordinal`, a polygon's being that of a circle around it, metres; nil when there is
  /// no such region.
  func enclosingRadius(of ordinal: Int) -> Meters?
}

extension RegionIndex: SearchableRegions {
  public func knownIdentifier(of ordinal: Int) -> String? {
    ordinal >= 0 && ordinal < count ? identifier(of: ordinal) : nil
  }

  public func knownRegion(at ordinal: Int) -> Region? {
    ordinal >= 0 && ordinal < count ? region(at: ordinal) : nil
  }

  public func enclosingRadius(of ordinal: Int) -> Meters? {
    guard ordinal >= 0, ordinal < count else { return nil }
    defer { withExtendedLifetime(tree) {} }
    return tree.record(ofOrdinal: ordinal)?.radius
  }
}

extension UpdatableRegionIndex: SearchableRegions {
  public func knownIdentifier(of ordinal: Int) -> String? { identifier(of: ordinal) }

  public func knownRegion(at ordinal: Int) -> Region? { region(at: ordinal) }

  public func enclosingRadius(of ordinal: Int) -> Meters? {
    storage.names.row(ofOrdinal: ordinal).map { storage.tree.record(ofRow: $0).radius }
  }
}
