internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

extension DeviceTruth {
  /// What truly happens along a track.
  ///
  /// - Throws: What is wrong with the track; nothing for one that has been made.
  /// - Complexity: as `CrossingDetector`'s along the track.
  public init(
    device: String, track: TrueTrack, regions: RegionIndex
  ) throws(SimulationError) {
    // A century: whatever the gaps, the simulated phone goes through them.
    let found = try track.crossings(of: regions, maximumGap: .seconds(3_200_000_000))
    let motions = track.motions(at: found.map(\.time))
    var sizes: [Int: Meters] = [:]
    var current: [Int: Int] = [:]
    self.init(device: device, start: track.start, end: track.end, crossings: [], visits: [])
    crossings.reserveCapacity(found.count)
    for (crossing, motion) in zip(found, motions) where crossing.kind != .dwell {
      let region = crossing.region
      let visit: Int
      if crossing.kind == .exit, let open = current.removeValue(forKey: region) {
        visits[open].exit = crossing
        visits[open].end = crossing.time
        visit = open
      } else {
        let radius = sizes[region] ?? regions.size(of: region)
        sizes[region] = radius
        let isEntry = crossing.kind == .enter
        visit = visits.count
        visits.append(
          RegionVisit(
            region: region, radius: radius, entry: isEntry ? crossing : nil, exit: isEntry ? nil : crossing,
            start: isEntry ? crossing.time : track.start, end: isEntry ? track.end : crossing.time))
        if isEntry { current[region] = visit }
      }
      crossings.append(TrueCrossing(crossing: crossing, visit: visit, speed: motion.speed))
    }
  }
}

extension RegionIndex {
  /// A region's size as scores tell it: a circle's radius; of a polygon, that of the circle of its area. Where that cannot be
  /// told, as of a boundary with seams, that of the circle around it. NaN for a region that is not there.
  func size(of ordinal: Int) -> Meters {
    guard let region = knownRegion(at: ordinal) else { return .nan }
    switch region.shape {
    case .circle(_, let radius): return radius
    case .polygon(let polygon):
      var area = 0.0
      for chain in polygon.chains {
        guard chain.count > 3, chain.first == chain.last else { return polygon.boundingRadius }
        // The region lies to the left: holes count as less.
        area += Geodesic.uncheckedSignedArea(ofRing: Array(chain.dropLast()))
      }
      let radius = (area / .pi).squareRoot()
      return radius > 0 && radius < polygon.boundingRadius ? radius : polygon.boundingRadius
    }
  }
}
