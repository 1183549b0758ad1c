package import VicinityGeodesy
package import VicinityIndex

/// Finds the regions that a device has passed through on its way from one position to the next, if it went
/// straight.
package struct PassFinder: ~Copyable {
  /// A region that the way enters and leaves.
  package struct Pass: Hashable, Sendable {
    package var region: Int
    package var entry: Timestamp
    package var exit: Timestamp
    /// How far inside the region the middle of the way through it lies, metres.
    package var depth: Meters
  }

  private var neighborhood = Neighborhood()
  private var scratch = DetectorScratch()
  private var crossings: [Crossing] = []

  package init() {}

  /// The passes between two fixes, along the geodesic and at constant speed, in the order of entries.
  ///
  /// - Complexity: O(log n + regions near the way), with what a detector allocates for a device.
  package mutating func passes(from a: Fix, to b: Fix, in index: RegionIndex) -> [Pass] {
    passes(from: a, to: b, .packed(index))
  }

  package mutating func passes(from a: Fix, to b: Fix, in index: UpdatableRegionIndex) -> [Pass] {
    passes(from: a, to: b, .updatable(index))
  }

  private mutating func passes(from a: Fix, to b: Fix, _ regions: MonitoredIndex) -> [Pass] {
    var entries: [Int: Crossing] = [:]
    var passes: [Pass] = []
    for crossing in self.crossings(from: a, to: b, in: regions) {
      switch crossing.kind {
      case .enter: entries[crossing.region] = crossing
      case .exit:
        guard let entry = entries.removeValue(forKey: crossing.region) else { continue }
        let depth = depth(of: crossing.region, between: entry.coordinate, crossing.coordinate, in: regions)
        passes.append(
          Pass(region: crossing.region, entry: entry.time, exit: crossing.time, depth: depth))
      case .dwell: break
      }
    }
    return passes
  }

  /// How far inside a region the middle between two places lies, metres; negative where it is outside.
  private func depth(
    of region: Int, between a: Coordinate, _ b: Coordinate, in regions: MonitoredIndex
  ) -> Meters {
    let line = Geodesic.uncheckedInverse(a, b)
    guard
      let middle = try? Geodesic.direct(from: a, azimuth: line.azimuth1, distance: line.distance / 2)
        .coordinate
    else { return 0 }
    switch regions.outline(of: UInt32(region), from: middle, ECEF(unchecked: middle)) {
    case nil: return 0
    case .circle(let circle)?:
      return circle.radius - Geodesic.uncheckedDistance(circle.center, middle)
    case .polygon(let polygon)?: return -polygon.distance
    }
  }

  /// All entries and exits between two fixes, along the geodesic and at constant speed, in the order of time.
  ///
  /// - Complexity: O(log n + regions near the way), with what a detector allocates for a device.
  package mutating func crossings(from a: Fix, to b: Fix, in regions: MonitoredIndex) -> [Crossing] {
    let engine = CrossingEngine(regions, validated: CrossingOptions(maximumGap: .seconds(1e9)))
    neighborhood.forget()
    var state = DeviceState()
    defer { state.deallocate() }
    crossings.removeAll(keepingCapacity: true)
    engine.advance(toValidated: a, &state, &neighborhood, &scratch, &crossings)
    engine.advance(toValidated: b, &state, &neighborhood, &scratch, &crossings)
    return crossings
  }
}
