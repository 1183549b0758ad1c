public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
internal import VicinityPolygon
public import VicinitySimulation

/// What truly happened to one device: its entries and exits by the geometric rule, and the visits that they
/// bound.
///
/// This is the one ground truth: simulations, studies, bounds and the advice on radii all use it. The
/// simulated phone moves from fix to fix along the geodesic at constant speed, however long the gap between
/// two fixes. So gaps hide nothing: every crossing has an instant, none is inferred, and the phone could have
/// noticed each.
public struct DeviceTruth: Sendable {
  public var device: String
  /// When the device's track begins.
  public var start: Timestamp
  /// When the device's track ends.
  public var end: Timestamp
  /// Every entry and exit, ordered by time.
  public var crossings: [TrueCrossing]
  /// The visits that the crossings begin and end, ordered by their first crossing.
  public var visits: [RegionVisit]

  /// How long the track is, hours.
  public var hours: Double { end.seconds(since: start) / 3600 }

  /// Finds what truly happens along a track.
  ///
  /// - Throws: What is wrong with the track; nothing for one that has been made.
  /// - Complexity: as `CrossingDetector`'s along the track.
  public init(device: String, track: TrueTrack, regions: RegionIndex) throws(SimulationError) {
    let found = try track.crossings(of: regions)
    let motions = track.motions(at: found.map(\.time))
    var sizes: [Int: Meters] = [:]
    var current: [Int: Int] = [:]
    self.init(device: device, start: track.start, end: track.end, crossings: [], visits: [])
    crossings.reserveCapacity(found.count)
    for (crossing, motion) in zip(found, motions) {
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

  init(
    device: String, start: Timestamp, end: Timestamp, crossings: [TrueCrossing], visits: [RegionVisit]
  ) {
    (self.device, self.start, self.end) = (device, start, end)
    (self.crossings, self.visits) = (crossings, visits)
  }
}

/// An entry or exit that truly happened.
public struct TrueCrossing: Hashable, Sendable {
  public var crossing: Crossing
  /// The visit that it begins or ends: an index into ``DeviceTruth/visits``.
  public var visit: Int
  /// The device's speed at the crossing, metres a second; 0 in a stay.
  public var speed: MetersPerSecond
}

/// One true stay of a device in a region, from its entry to its exit.
///
/// A stay that holds when the track begins has no entry; one that holds when it ends has no exit. A region
/// that the device is in all the time has no visit, because nothing is to be reported of it.
public struct RegionVisit: Hashable, Sendable {
  /// The region's ordinal in the index.
  public var region: Int
  /// The region's size, metres: a circle's radius; for a polygon, the radius of the circle of equal area.
  public var radius: Meters
  /// The entry; nil where the device was inside at the beginning.
  public var entry: Crossing?
  /// The exit; nil where the device was inside at the end.
  public var exit: Crossing?
  /// The entry's time; the track's beginning where there is none.
  public var start: Timestamp
  /// The exit's time; the track's end where there is none.
  public var end: Timestamp

  /// How long the visit lasted, as far as the track shows, seconds.
  public var seconds: Double { end.seconds(since: start) }
}

extension TrueTrack {
  /// Every entry and exit by the geometric rule, ordered by time. Gaps are crossed, however long they are.
  ///
  /// - Complexity: as `CrossingDetector`'s.
  package func crossings(of regions: RegionIndex) throws(SimulationError) -> [Crossing] {
    // A century: longer than any gap.
    let options = CrossingOptions(maximumGap: .seconds(3_200_000_000))
    var detector: CrossingDetector
    do { detector = try CrossingDetector(regions, options: options) } catch { throw .crossings(error) }
    var crossings: [Crossing] = []
    for index in 0..<count {
      do { try detector.advance(to: fix(at: index), into: &crossings) } catch {
        throw .track(LocatedTrackError(index: index, error: error))
      }
    }
    return crossings
  }
}

extension RegionIndex {
  /// A region's size for scores: a circle's radius; for a polygon, the radius of the circle of equal area, or
  /// of the circle around it where the area cannot be told, as with seams. NaN for an ordinal that the index
  /// does not have.
  func size(of ordinal: Int) -> Meters {
    guard let region = knownRegion(at: ordinal) else { return .nan }
    switch region.shape {
    case .circle(_, let radius): return radius
    case .polygon(let polygon):
      var area = 0.0
      for chain in polygon.chains {
        guard chain.count > 3, chain.first == chain.last else { return polygon.boundingRadius }
        // Positive where the region lies to the left, so holes count negative.
        area += Geodesic.uncheckedSignedArea(ofRing: Array(chain.dropLast()))
      }
      let radius = (area / .pi).squareRoot()
      return radius > 0 && radius < polygon.boundingRadius ? radius : polygon.boundingRadius
    }
  }
}
