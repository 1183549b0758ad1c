package import VicinityGeodesy

extension SearchableRegions {
  /// The `count` regions whose centres are nearest, nearest first; equals in the order of insertion. What is done elsewhere, to
  /// be compared against: a large region that contains the position may not be among them.
  ///
  /// A polygon's boundary stands for its centre. No centre is nearer than its boundary, so that farther boundaries have
  /// farther centres.
  ///
  /// - Parameter result: Replaced by the answer.
  /// - Throws: ``QueryError`` for an invalid position or a negative count.
  package func nearestByCenter(
    _ count: Int, to position: Coordinate, scratch: inout QueryScratch, into result: inout [Neighbor]
  ) throws(QueryError) {
    guard count >= 0 else { throw .invalidCount(count) }
    let n = self.count
    var looked = count >= n / 2 ? n : min(n, 2 * count + 16)
    while true {
      try nearest(looked, to: position, options: QueryOptions(), scratch: &scratch, into: &result)
      let reach = result.last?.distance ?? .infinity
      result.sort {
        let (a, b) = ($0.distanceToMiddle, $1.distanceToMiddle)
        return a != b ? a < b : $0.ordinal < $1.ordinal
      }
      if result.count > count { result.removeSubrange(count...) }
      if looked == n || result.last?.distanceToMiddle ?? 0 <= reach { return }
      looked = looked > n / 4 ? n : 4 * looked
    }
  }
}

extension Neighbor {
  /// The distance to a circle's centre, and to a polygon's boundary, metres.
  package var distanceToMiddle: Meters { distanceToCenter ?? gap }
}
