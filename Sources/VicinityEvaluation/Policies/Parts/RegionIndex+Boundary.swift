internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor

extension RegionIndex {
  /// How far the nearest boundary is, from within or from without, metres; infinite where there is no region.
  ///
  /// - Complexity: that of the nearest m + 8 regions, for m that contain the position.
  func distanceToBoundary(from position: Coordinate) throws(QueryError) -> Meters {
    var count = 8
    while true {
      let found = try nearest(min(count, self.count), to: position)
      // Deepest first: beyond the first that does not contain the position none is nearer.
      if let last = found.last, last.distance <= 0, found.count < self.count {
        count *= 4
        continue
      }
      return found.lazy.map { abs($0.distance) }.min() ?? .infinity
    }
  }
}

extension MonitoredRegion {
  /// The circle that a system watches for a region: itself, or one around a polygon. nil where there is no such region.
  init?(enclosing ordinal: Int, of regions: RegionIndex) {
    guard let region = regions.knownRegion(at: ordinal) else { return nil }
    switch region.shape {
    case .circle(let center, let radius):
      self.init(identifier: region.identifier, center: center, radius: radius)
    case .polygon(let polygon):
      self.init(identifier: region.identifier, center: polygon.boundingCenter, radius: polygon.boundingRadius)
    }
  }
}
