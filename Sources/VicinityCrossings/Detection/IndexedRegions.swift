internal import VicinityGeodesy
internal import VicinityIndex

/// The index that a ``CrossingEngine`` reads: the packed one, or the updatable one.
enum IndexedRegions {
  case packed(RegionIndex)
  case updatable(UpdatableRegionIndex)

  /// The tree, to be used only while the index is alive and unchanged.
  var tree: TreeView {
    switch self {
    case .packed(let index): index.tree.view
    case .updatable(let index): index.treeView
    }
  }

  var polygonCount: Int {
    switch self {
    case .packed(let index): index.polygonCount
    case .updatable(let index): index.polygonCount
    }
  }

  /// Replaces `result` by the regions whose boundaries come within a distance of a position, and those that
  /// contain it.
  func find(
    within distance: Meters, of position: Coordinate, _ scratch: inout QueryScratch,
    into result: inout [Neighbor]
  ) {
    switch self {
    case .packed(let index):
      index.uncheckedWithin(distance, of: position, scratch: &scratch, into: &result)
    case .updatable(let index):
      index.uncheckedWithin(distance, of: position, scratch: &scratch, into: &result)
    }
  }

  /// The shape of the region with `ordinal`, a polygon's with its distance from a point; nil for ordinals
  /// that no region has, and where damaged bytes lead nowhere.
  ///
  /// - Complexity: O(1) for circles of a packed index, O(log n) for those of an updatable one; O(log edges)
  ///   more for polygons on spread data.
  func outline(of ordinal: UInt32, from coordinate: Coordinate, _ ecef: ECEF) -> RegionOutline? {
    let record: RegionRecord?
    switch self {
    case .packed(let index):
      record = ordinal < index.count ? index.tree.record(ofOrdinal: Int(ordinal)) : nil
    case .updatable(let index): record = index.record(ofOrdinal: Int(ordinal))
    }
    guard let record else { return nil }
    guard polygonCount > 0, record.isPolygon else {
      var circle = NearbyCircle(record)
      circle.ordinal = ordinal
      return .circle(circle)
    }
    guard let view = tree.polygon(record.polygonSlot) else { return nil }
    return .polygon(NearbyPolygon(ordinal: ordinal, view: view, from: coordinate, ecef))
  }
}
