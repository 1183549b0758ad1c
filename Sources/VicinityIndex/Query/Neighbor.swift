public import VicinityGeodesy

/// A region found by a query, and how far away its boundary is.
public struct Neighbor: Hashable, Sendable {
  /// The region's number in the order of insertion.
  public var ordinal: Int
  /// Signed geodesic distance to the boundary, metres: negative inside, zero on it.
  public var distance: Meters
  /// Geodesic distance to the centre; NaN where there is none.
  @usableFromInline var centerDistance: Meters

  /// Geodesic distance to a circle's centre, metres; nil for polygons.
  @inlinable
  public var distanceToCenter: Meters? { centerDistance.isNaN ? nil : centerDistance }

  /// The least distance that the position must move before it can be inside: `max(0, distance)`, metres.
  @inlinable
  public var gap: Meters { max(0, distance) }

  /// The distance to a circle's centre, and to a polygon's boundary, metres.
  package var distanceToMiddle: Meters { distanceToCenter ?? gap }

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

/// A neighbour with its region's identifier.
public struct IdentifiedNeighbor: Hashable, Identifiable, Sendable {
  /// The neighbour without its identifier.
  public let neighbor: Neighbor
  /// Its place in the array that the answer is a part of.
  private let position: Int
  private let identifiers: Neighbors.Identifiers

  fileprivate init(_ neighbor: Neighbor, _ position: Int, _ identifiers: Neighbors.Identifiers) {
    self.neighbor = neighbor
    self.position = position
    self.identifiers = identifiers
  }

  /// The region's identifier.
  ///
  /// - Complexity: O(length)
  public var identifier: String {
    switch identifiers {
    case .index(let index): index.identifier(of: neighbor.ordinal)
    case .list(let list): list[position]
    }
  }

  /// The region's number in the order of insertion.
  public var id: Int { neighbor.ordinal }
  /// The region's number in the order of insertion.
  public var ordinal: Int { neighbor.ordinal }
  /// ``Neighbor/distance``
  public var distance: Meters { neighbor.distance }
  /// ``Neighbor/distanceToCenter``
  public var distanceToCenter: Meters? { neighbor.distanceToCenter }
  /// ``Neighbor/gap``
  public var gap: Meters { neighbor.gap }

  public static func == (a: IdentifiedNeighbor, b: IdentifiedNeighbor) -> Bool {
    a.neighbor == b.neighbor && a.identifier == b.identifier
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(neighbor) }
}

extension IdentifiedNeighbor: CustomStringConvertible {
  /// The region's identifier and the distance, as in `airport: 124.7 m`.
  public var description: String { "\(identifier): \(distance) m" }
}

/// The regions that a query found, in order, each with its identifier.
///
///     for neighbor in try index.nearest(20, to: here) {
///       print(neighbor.identifier, neighbor.distance)
///     }
///
/// Identifiers of a ``RegionIndex`` are read when they are asked for; a query costs no more for them.
public struct Neighbors: RandomAccessCollection, Hashable, Sendable {
  /// The neighbours without identifiers.
  public let withoutIdentifiers: ArraySlice<Neighbor>
  /// The most by which the distances differ from the true ones, metres, and no more than the tolerance that
  /// was asked for; 0 where the answer is exact. Distances to centres may be off by 2e-7 of the radius
  /// besides.
  public internal(set) var distanceError: Meters = 0
  let identifiers: Identifiers

  enum Identifiers: Sendable {
    case index(RegionIndex)
    /// Those of the whole array that the neighbours are a part of, in its order.
    case list([String])
  }

  init(_ neighbors: ArraySlice<Neighbor>, _ identifiers: Identifiers) {
    withoutIdentifiers = neighbors
    self.identifiers = identifiers
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { withoutIdentifiers.count }

  /// The neighbour at `position`, nearest first.
  ///
  /// - Precondition: `0 <= position < count`.
  public subscript(position: Int) -> IdentifiedNeighbor {
    let place = withoutIdentifiers.startIndex + position
    return IdentifiedNeighbor(withoutIdentifiers[place], place, identifiers)
  }

  public static func == (a: Neighbors, b: Neighbors) -> Bool {
    a.withoutIdentifiers == b.withoutIdentifiers
      && a.indices.allSatisfy { a[$0].identifier == b[$0].identifier }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(withoutIdentifiers) }
}
