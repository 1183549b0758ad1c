internal import VicinityGeodesy

/// Moves devices under the rules that decide at fixes.
///
/// A device's state lists the regions it is reported to be in, and those to be watched (``WatchedRegion``).
///
/// **Which regions a scan must examine.** For every region that is not watched, the last scan, at a position
/// q, found the device on the reported side: d(q) <= 0 if it is reported inside, d(q) > 0 if not. At a
/// position p no farther from q than R, the device is still on that side of any such region with |d(p)| > R,
/// because boundary distance changes by no more than the distance moved. On the reported side no rule changes
/// anything, provided that under the overlap rule the disc does not reach the boundary. So it is enough to
/// examine the watched regions and those whose boundaries lie within R, or within the accuracy, of p.
extension CrossingEngine {
  private struct RegionScan {
    let fixRule: FixRule
    let position: Position
    let accuracy: Meters
    let time: Int64
    var isBeginning = false
    /// How far the device may move before a region can matter, metres.
    var safeRadius = Double.infinity
    /// The first time at which a pending decision can be made, microseconds.
    var due = Int64.max
    /// The number of regions whose states are open.
    var openCount = 0

    init(_ fixRule: FixRule, _ fix: Fix) {
      self.fixRule = fixRule
      position = Position(fix.coordinate)
      accuracy = fix.horizontalAccuracy
      time = fix.time.microseconds
    }
  }

  /// A fix less accurate than this does not begin a track under the rules that use accuracies, metres:
  /// Apple's reduced accuracy, with which Core Location monitors no regions, goes up to it.
  static let coarsestBeginning: Meters = 20_000
  /// A fix that leaves more regions open than this does not begin a track either.
  static let mostOpen = 1000
  /// After a longer movement than this, metres, the index is asked for the regions that contain the device.
  private static let farthestScan: Meters = 5000

  // MARK: Fixes

  /// Begins a track with its first fix, or with the first one that is accurate enough.
  func begin(
    _ fixRule: FixRule, _ fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ scratch: inout DetectorScratch
  ) {
    var scan = RegionScan(fixRule, fix)
    scan.isBeginning = true
    state.move(to: fix.coordinate, at: scan.time)
    scratch.watches.removeAll(keepingCapacity: true)
    scratch.scanned.removeAll(keepingCapacity: true)
    if !fixRule.usesAccuracy {
      findContaining(fix.coordinate, &scratch)
    } else if scan.accuracy <= Self.coarsestBeginning {
      find(within: scan.accuracy, of: fix.coordinate, &scratch)
    } else {
      state.nextDue = .min
      return
    }
    swap(&scratch.scanned, &scratch.containing)
    let known = scratch.beginnings.count
    for i in scratch.scanned.indices {
      inspect(
        scratch.scanned[i], fixRule.usesAccuracy ? .open : RuleState(isInside: false), &scan, &state, &scratch
      )
    }
    if scan.openCount > Self.mostOpen {
      state.removeAll()
      state.nextDue = .min
      scratch.beginnings.removeSubrange(known...)
      return
    }
    finish(&scan, within: 0, &state, &neighborhood, &scratch)
  }

  /// Moves a device to its next fix.
  func decide(
    _ fixRule: FixRule, _ fix: Fix, _ leg: Leg, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) {
    // No fix has begun the track yet.
    if state.nextDue == .min { return begin(fixRule, fix, &state, &neighborhood, &scratch) }
    var scan = RegionScan(fixRule, fix)
    scratch.watches.removeAll(keepingCapacity: true)
    scratch.scanned.removeAll(keepingCapacity: true)
    var radius = moved(to: scan.position, state, scratch)
    if fixRule.kind == .overlap { radius = max(radius, scan.accuracy) }
    let hasDues = delay != nil
    let isNear = radius <= Self.farthestScan
    if !isNear {
      findContaining(fix.coordinate, &scratch)
      scratch.occupied.removeAll(keepingCapacity: true)
      for i in 0..<Int(state.occupiedCount) { scratch.occupied.append(state.ordinal(at: i)) }
    }
    for i in 0..<Int(state.watchCount) {
      let watch = state.watch(at: i, hasDues: hasDues)
      scratch.scanned.append(watch.ordinal)
      var regionState = RuleState(isInside: state.occupies(watch.ordinal), since: watch.since)
      if leg.isGap, regionState.isPending { regionState.since = RuleState.notPending }
      inspect(watch.ordinal, regionState, &scan, &state, &scratch)
    }
    if !isNear {
      scanFarRegions(&scan, &state, &scratch)
      radius = 0
    }
    state.move(to: fix.coordinate, at: scan.time)
    finish(&scan, within: radius, &state, &neighborhood, &scratch)
  }

  /// Examines every region that the device is reported to be in and every region that contains it, unless it
  /// has been examined already.
  private func scanFarRegions(
    _ scan: inout RegionScan, _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) {
    let watchedCount = scratch.scanned.count
    for i in scratch.occupied.indices where !scratch.hasScanned(scratch.occupied[i], among: watchedCount) {
      inspect(scratch.occupied[i], RuleState(isInside: true), &scan, &state, &scratch)
      scratch.scanned.append(scratch.occupied[i])
    }
    var i = 0
    for k in scratch.containing.indices {
      let ordinal = scratch.containing[k]
      while i < scratch.occupied.count, scratch.occupied[i] < ordinal { i += 1 }
      if i < scratch.occupied.count, scratch.occupied[i] == ordinal { continue }
      if scratch.hasScanned(ordinal, among: watchedCount) { continue }
      inspect(ordinal, RuleState(isInside: false), &scan, &state, &scratch)
      scratch.scanned.append(ordinal)
    }
    scratch.scanned.sort()
  }

  /// An upper bound of the distance from the position of the last scan, metres; infinite where there has been
  /// none.
  private func moved(to position: Position, _ state: DeviceState, _ scratch: borrowing DetectorScratch)
    -> Meters
  {
    guard !state.anchorLatitude.isNaN else { return .infinity }
    let anchor = scratch.position(
      of: Coordinate(latitude: state.anchorLatitude, longitude: state.anchorLongitude))
    return GeodesicBounds.fastUpperBound(chord: anchor.ecef.chord(to: position.ecef)) + 1e-6
  }

  // MARK: Examining regions

  /// Examines the remaining regions whose boundaries lie within some distance, and writes the results into
  /// the state.
  private func finish(
    _ scan: inout RegionScan, within radius: Meters, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) {
    scanNearbyRegions(&scan, within: max(radius, leastScanRadius), &state, &neighborhood, &scratch)
    let hasDues = delay != nil
    if scratch.watches.count > 1 { scratch.watches.sort { $0.ordinal < $1.ordinal } }
    state.setWatches(scratch.watches, hasDues: hasDues)
    if hasDues { scan.due = min(scan.due, reportStays(scan, &state, &scratch)) }
    state.nextDue = scan.due
    scratch.lastPosition = scan.position
    // The quick test knows nothing of gaps, which end pending decisions. Where a gap may fit into the time to
    // remain, the test must not skip fixes while a decision is pending.
    let isBlind = scan.due != .max && maximumGap < scan.fixRule.cushionRule.timeToRemain
    state.setSafeRadius(isBlind ? -1 : scan.safeRadius, at: scan.position.coordinate, scan.position.ecef)
  }

  /// Boundaries nearer than this are always examined, metres: most do not matter between the cushions, and
  /// the safe radius is then larger. Best of 0, 10, 25, 50, 100 and 200 among 10k overlapping circles within
  /// 10 km, a fix a second, at 1.4 and at 14 m/s, with the cushion of Core Location's guide.
  private var leastScanRadius: Meters {
    fixRule.map { $0.kind == .coreLocation } ?? false ? 50 : 0
  }

  private func scanNearbyRegions(
    _ scan: inout RegionScan, within radius: Meters, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ scratch: inout DetectorScratch
  ) {
    let position = scan.position
    let margin = neighborhood.margin(at: position.ecef)
    if margin <= radius || margin < 0.3 * neighborhood.limit {
      let least = 1.5 * radius + 20
      var isFitting = false
      while !isFitting {
        let limit = max(Double(state.margin), least)
        isFitting = gather(around: position, limit, least: least, &state, &neighborhood)
      }
    }
    let clear = neighborhood.findCircles(within: radius, of: position.ecef, into: &scratch.near)
    scan.safeRadius = min(scan.safeRadius, clear ?? -1)
    let scannedCount = scratch.scanned.count
    var k = 0
    while k < scratch.near.count {
      let circle = scratch.near[k]
      k += 1
      if scratch.hasScanned(circle.ordinal, among: scannedCount) { continue }
      let regionState = RuleState(isInside: state.occupies(circle.ordinal))
      inspect(circle, regionState, &scan, &state, &scratch)
    }
    for i in 0..<neighborhood.polygonCount {
      let clear = neighborhood[polygon: i].clearance(at: position.ecef)
      if clear > radius {
        scan.safeRadius = min(scan.safeRadius, clear)
        continue
      }
      let ordinal = neighborhood[polygon: i].ordinal
      if scratch.hasScanned(ordinal, among: scannedCount) { continue }
      neighborhood[polygon: i].move(to: position.coordinate, position.ecef)
      inspect(
        neighborhood[polygon: i], RuleState(isInside: state.occupies(ordinal)), &scan, &state, &scratch)
    }
  }

  /// Examines the region with an ordinal.
  private func inspect(
    _ ordinal: UInt32, _ regionState: RuleState, _ scan: inout RegionScan, _ state: inout DeviceState,
    _ scratch: inout DetectorScratch
  ) {
    switch regions.outline(of: ordinal, from: scan.position.coordinate, scan.position.ecef) {
    case .circle(let circle): inspect(circle, regionState, &scan, &state, &scratch)
    case .polygon(let polygon): inspect(polygon, regionState, &scan, &state, &scratch)
    case nil: break
    }
  }

  @inline(__always)
  private func inspect(
    _ circle: NearbyCircle, _ regionState: RuleState, _ scan: inout RegionScan, _ state: inout DeviceState,
    _ scratch: inout DetectorScratch
  ) {
    let target = CircleTarget(center: circle.center, radius: circle.radius)
    var seen = FixRule.Observation(
      distance: target.boundaryDistance(scan.position.ecef), radius: circle.radius, room: circle.radius)
    // As for a circle that contains a position (``CircleTarget/contains(_:distance:)``).
    let slack = 4e-7 + 4e-16 * circle.radius
    if scan.fixRule.isAmbiguous(seen, accuracy: scan.accuracy, slack: slack) {
      seen.distance =
        Geodesic.uncheckedDistance(scan.position.coordinate, circle.center) - circle.radius
    }
    apply(circle.ordinal, regionState, seen, slack: 1e-6 + slack, &scan, &state, &scratch)
  }

  private func inspect(
    _ polygon: NearbyPolygon, _ regionState: RuleState, _ scan: inout RegionScan, _ state: inout DeviceState,
    _ scratch: inout DetectorScratch
  ) {
    var room = 0.0
    if let enough = scan.fixRule.sufficientRoom {
      if let known = scratch.rooms[polygon.ordinal] {
        room = known
      } else {
        room = polygon.inradius(enough: enough)
        scratch.rooms[polygon.ordinal] = room
      }
    }
    let seen = FixRule.Observation(distance: polygon.distance, radius: nil, room: room)
    apply(polygon.ordinal, regionState, seen, slack: NearbyPolygon.error, &scan, &state, &scratch)
  }

  /// Applies the rule to a region.
  @inline(__always)
  private func apply(
    _ ordinal: UInt32, _ before: RuleState, _ seen: FixRule.Observation, slack: Meters,
    _ scan: inout RegionScan,
    _ state: inout DeviceState, _ scratch: inout DetectorScratch
  ) {
    let after = scan.fixRule.decide(before, seen, accuracy: scan.accuracy, time: scan.time)
    if after.isInside != before.isInside {
      if after.isInside {
        state.insert(ordinal, due: due(after: scan.time))
      } else {
        state.remove(at: state.lowerBound(of: ordinal), hasDues: delay != nil)
      }
      // No event for the state at the first determination.
      if before.isOpen || scan.isBeginning {
        if after.isInside { scratch.addBeginning(ordinal, scan.position.coordinate, time: scan.time) }
      } else {
        scratch.add(
          1, ordinal, after.isInside ? .enter : .exit, scan.position.coordinate, time: scan.time)
      }
    }
    if after.since != RuleState.notPending || after.isInside != (seen.distance <= 0) {
      scratch.watches.append(WatchedRegion(ordinal: ordinal, since: after.since))
      if after.isOpen { scan.openCount += 1 }
      if let due = scan.fixRule.cushionRule.decisionTime(after) { scan.due = min(scan.due, due) }
    }
    scan.safeRadius = min(scan.safeRadius, scan.fixRule.clearance(after, seen) - slack)
  }

  // MARK: Stays

  /// Reports the stays that have lasted for the delay at a fix.
  ///
  /// - Returns: When the delay of the next stay ends, microseconds.
  private func reportStays(_ scan: RegionScan, _ state: inout DeviceState, _ scratch: inout DetectorScratch)
    -> Int64
  {
    var next = Int64.max
    for i in 0..<Int(state.occupiedCount) {
      let due = state.due(at: i)
      if due <= scan.time {
        scratch.add(1, state.ordinal(at: i), .dwell, scan.position.coordinate, time: scan.time)
        state.setDue(.max, at: i)
      } else {
        next = min(next, due)
      }
    }
    return next
  }
}
