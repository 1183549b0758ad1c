public import VicinityGeodesy

/// An error in a region, or in a set of regions.
public enum RegionError: Error, Hashable, Sendable {
  /// The centre of region `identifier` has a latitude beyond ±90 or a component that is not finite.
  case invalidCenter(identifier: String, Coordinate)
  /// The radius of region `identifier` is negative, NaN or infinite.
  case invalidRadius(identifier: String, Meters)
  /// Two regions share `identifier`; their ordinals in the set.
  case duplicateIdentifier(String, first: Int, second: Int)
  /// The identifiers' text exceeds what the format can address.
  case identifiersTooLong(byteCount: Int, maximum: Int)
  /// More regions than the index can number.
  case tooManyRegions(count: Int, maximum: Int)
  /// An updatable index has given out every ordinal it has; a ``UpdatableRegionIndex/snapshot()`` of it
  /// numbers its regions afresh.
  case ordinalsExhausted(maximum: Int)
  /// The system has no memory for an index of this size.
  case outOfMemory(byteCount: Int)
}

extension RegionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidCenter(let identifier, _), .invalidRadius(let identifier, _):
      "region \"\(identifier)\": \(reason)"
    default: reason
    }
  }

  /// What is wrong, without the name of the region that it is wrong with.
  package var reason: String {
    switch self {
    case .invalidCenter(_, let center):
      "invalid centre: latitude \(center.latitude), longitude \(center.longitude)"
        + " (latitude must lie in -90...90, both must be finite)"
    case .invalidRadius(_, let radius): "invalid radius: \(radius) m (must be finite, 0 or more)"
    case .duplicateIdentifier(let identifier, let first, let second):
      "regions \(first) and \(second) share the identifier \"\(identifier)\""
    case .identifiersTooLong(let byteCount, let maximum):
      "identifiers of \(byteCount) bytes in total (at most \(maximum))"
    case .tooManyRegions(let count, let maximum):
      "\(count) regions (at most \(maximum))"
    case .ordinalsExhausted(let maximum):
      "all ordinals up to \(maximum) have been given out"
    case .outOfMemory(let byteCount):
      "no memory for an index of \(byteCount) bytes"
    }
  }
}
