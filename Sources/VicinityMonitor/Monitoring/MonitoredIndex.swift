package import VicinityGeodesy
package import VicinityIndex

/// The regions of a monitor: the index that it was opened with as long as no region is added to it, an
/// updatable one from then on.
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
