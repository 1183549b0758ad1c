package import VicinityGeodesy

extension RegionIndex {
  /// ``containing(_:options:)`` for a position already known to be valid, with working memory and result kept.
  ///
  /// - Parameter result: Replaced by the answer.
  package func containing(
    unchecked position: Coordinate, scratch: inout QueryScratch, into result: inout [Neighbor]
  ) {
    result.removeAll(keepingCapacity: true)
    append(nil, position, QueryOptions(maximumDistance: 0), &scratch, &result)
  }
  /// ``within(_:of:options:)`` for a position and a distance already known to be valid, with working memory and result
  /// kept.
  ///
  /// - Parameter result: Replaced by the answer.
  package func within(
    unchecked distance: Meters, of position: Coordinate, scratch: inout QueryScratch,
    into result: inout [Neighbor]
  ) {
    result.removeAll(keepingCapacity: true)
    append(nil, position, QueryOptions(maximumDistance: distance), &scratch, &result)
  }
}
