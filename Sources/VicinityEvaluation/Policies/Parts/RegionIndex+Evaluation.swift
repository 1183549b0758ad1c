package import VicinityGeodesy
package import VicinityIndex
internal import VicinityPolygon

extension RegionIndex {
  /// The distance to the nearest boundary, from inside or from outside, metres; infinite for an index without
  /// regions.
  ///
  /// - Complexity: that of the nearest m + 8 regions, for m that contain the position.
  func distanceToBoundary(from position: Coordinate) throws(QueryError) -> Meters {
    var count = 8
    while true {
      let found = try nearest(min(count, self.count), to: position)
      // Deepest first: beyond the first region that does not contain the position, none is nearer.
      if let last = found.last, last.distance <= 0, found.count < self.count {
        count *= 4
        continue
      }
      return found.lazy.map { abs($0.distance) }.min() ?? .infinity
    }
  }

  /// The circle that a system monitors for a region: the region itself, or the circle around a polygon; nil
  /// for an ordinal that the index does not have.
  package func enclosingCircle(of ordinal: Int) -> (center: Coordinate, radius: Meters)? {
    guard let region = knownRegion(at: ordinal) else { return nil }
    switch region.shape {
    case .circle(let center, let radius): return (center, radius)
    case .polygon(let polygon): return (polygon.boundingCenter, polygon.boundingRadius)
    }
  }

  /// An identifier that no region has: `name`, with as many `'` appended as it takes.
  func unusedIdentifier(like name: String) -> String {
    var name = name
    while ordinal(of: name) != nil { name += "'" }
    return name
  }
}
