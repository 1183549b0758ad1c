package import VicinityGeodesy
package import VicinityIndex

/// The regions that devices are followed among: a packed index, or one that changes. A monitor has the index
/// that it was opened with as long as no region is added to it, an updatable one from then on.
package enum MonitoredIndex: SearchableRegions {
  case packed(RegionIndex)
  case updatable(UpdatableRegionIndex)

  /// The updatable index; a packed one becomes one.
  ///
  /// - Throws: ``RegionError/outOfMemory(byteCount:)``.
  /// - Complexity: O(n log n) the first time.
  package mutating func update<R>(
    _ change: (inout UpdatableRegionIndex) throws(RegionError) -> R
  ) throws(RegionError) -> R {
    var index: UpdatableRegionIndex
    switch self {
    case .updatable(let old): index = old
    case .packed(let packed):
      index = try UpdatableRegionIndex((0..<packed.count).map { packed.region(at: $0) })
    }
    // Only one reference may remain, or the change would copy everything.
    self = .packed(Self.none)
    defer { self = .updatable(index) }
    return try change(&index)
  }

  private static let none: RegionIndex = {
    do { return try RegionIndex([]) } catch {
      preconditionFailure("an empty index needs no memory: \(error)")
    }
  }()

  package var count: Int {
    switch self {
    case .packed(let index): index.count
    case .updatable(let index): index.count
    }
  }

  package var polygonCount: Int {
    switch self {
    case .packed(let index): index.polygonCount
    case .updatable(let index): index.polygonCount
    }
  }

  package func ordinal(of identifier: String) -> Int? {
    switch self {
    case .packed(let index): index.ordinal(of: identifier)
    case .updatable(let index): index.ordinal(of: identifier)
    }
  }

  package func knownIdentifier(of ordinal: Int) -> String? {
    switch self {
    case .packed(let index): index.knownIdentifier(of: ordinal)
    case .updatable(let index): index.knownIdentifier(of: ordinal)
    }
  }

  package func knownRegion(at ordinal: Int) -> Region? {
    switch self {
    case .packed(let index): index.knownRegion(at: ordinal)
    case .updatable(let index): index.knownRegion(at: ordinal)
    }
  }

  package func enclosingRadius(of ordinal: Int) -> Meters? {
    switch self {
    case .packed(let index): index.enclosingRadius(of: ordinal)
    case .updatable(let index): index.enclosingRadius(of: ordinal)
    }
  }

  package func run(
    _ query: CheckedQuery, scratch: inout QueryScratch, appendingTo result: inout [Neighbor]
  ) {
    switch self {
    case .packed(let index): index.run(query, scratch: &scratch, appendingTo: &result)
    case .updatable(let index): index.run(query, scratch: &scratch, appendingTo: &result)
    }
  }

  package func identified(_ neighbors: [Neighbor]) -> Neighbors {
    switch self {
    case .packed(let index): index.identified(neighbors)
    case .updatable(let index): index.identified(neighbors)
    }
  }
}

extension MonitoredIndex {
  // MARK: For the engine

  /// The tree, to be used only while the index is alive and unchanged.
  var tree: TreeView {
    switch self {
    case .packed(let index): index.tree.view
    case .updatable(let index): index.treeView
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
