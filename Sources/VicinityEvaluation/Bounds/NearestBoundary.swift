internal import VicinityGeodesy
internal import VicinityIndex

/// Asks how far the nearest boundary of any region is, from inside or from outside, again and again.
struct NearestBoundary: ~Copyable {
  private let regions: RegionIndex
  private var scratch = QueryScratch()
  private var neighbors: [Neighbor] = []
  /// How many regions are asked for: more than contained the last position.
  private var count = 8

  init(_ regions: RegionIndex) { self.regions = regions }

  /// The distance to the nearest boundary, metres; infinite without a region.
  ///
  /// - Complexity: that of the query for one region more than contain the position.
  mutating func distance(from position: Coordinate) throws(QueryError) -> Meters {
    while true {
      try regions.nearest(count, to: position, scratch: &scratch, into: &neighbors)
      var nearest = Meters.infinity
      var isOutside = false
      for neighbor in neighbors {
        nearest = min(nearest, abs(neighbor.distance))
        // What comes after is farther.
        if neighbor.distance > 0 {
          isOutside = true
          break
        }
      }
      if isOutside || neighbors.count < count { return nearest }
      count *= 2
    }
  }
}
