internal import VicinityGeodesy
internal import VicinityIndex

/// What moves a device under the rules that decide at fixes.
///
/// A device's state lists the regions it is reported to be in, and those to be watched (``WatchedRegion``). **What a look must
/// see.** Of every region not watched, the last look, at a place q, saw the device on the side that is reported: d(q) <= 0
/// if it is reported inside, d(q) > 0 if not. At a place p no farther from q than R, any such region with |d(p)| > R has
/// the device on the same side still, as boundary distance changes by no more than the way; and on that side no rule
/// changes anything, provided that, under the overlap rule, the disc does not reach the boundary either. So it is enough to
/// look at the watched regions and at those whose boundaries lie within R, or the accuracy, of p.
extension CrossingEngine {
  /// One look at the regions around a fix.
  private struct Look {
    let decision: FixRule
    let place: Place
    let accuracy: Meters
    let time: Int64
    var isBeginning = false
    /// How far the device may go before anything can happen, metres.
    var reach = Double.infinity
    /// The first time at which something that is pending can be decided.
    var due = Int64.max
    /// How many regions are open.
    var openCount = 0

    init(_ decision: FixRule, _ fix: Fix) {
      self.decision = decision
      place = Place(fix.coordinate)
      accuracy = fix.horizontalAccuracy
      time = fix.time.microseconds
    }
  }

  /// A fix coarser than this does not begin a track under the rules that use accuracies, metres: Apple's reduced accuracy,
  /// with which Core Location monitors no regions, goes as far.
  static let coarsestBeginning: Meters = 20_000
  /// Nor does one that leaves more regions open than this.
  static let mostOpen = 1000
  /// Beyond so much movement the tree is asked for the regions that contain the device, metres.
  private static let farthestLook: Meters = 5000

  // MARK: Fixes

  /// Takes the first fix; or the first that can tell enough.
  func begin(
    _ decision: FixRule, _ fix: Fix, _ state: inout DeviceState, _ neighborhood: inout Neighborhood,
    _ bench: inout Workbench
  ) {
    var look = Look(decision, fix)
    look.isBeginning = true
    state.move(to: fix.coordinate, at: look.time)
    bench.watches.removeAll(keepingCapacity: true)
    bench.looked.removeAll(keepingCapacity: true)
    if !decision.usesAccuracy {
      findContaining(fix.coordinate, &bench)
    } else if look.accuracy <= Self.coarsestBeginning {
      find(within: look.accuracy, of: fix.coordinate, &bench)
    } else {
      state.nextDue = .min
      return
    }
    swap(&bench.looked, &bench.containing)
    for i in bench.looked.indices {
      inspect(
        bench.looked[i], decision.usesAccuracy ? .open : RuleState(isInside: false), &look, &state, &bench)
    }
    if look.openCount > Self.mostOpen {
      state.removeAll()
      state.nextDue = .min
      return
    }
    finish(&look, within: 0, &state, &neighborhood, &bench)
  }

  /// Moves a device to its next fix.
  func decide(
    _ decision: FixRule, _ fix: Fix, _ leg: Leg, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    // No fix has begun the track yet.
    if state.nextDue == .min { return begin(decision, fix, &state, &neighborhood, &bench) }
    var look = Look(decision, fix)
    bench.watches.removeAll(keepingCapacity: true)
    bench.looked.removeAll(keepingCapacity: true)
    var radius = moved(to: look.place, state, bench)
    if decision.kind == .overlap { radius = max(radius, look.accuracy) }
    let hasDues = delay != nil
    let isNear = radius <= Self.farthestLook
    if !isNear {
      findContaining(fix.coordinate, &bench)
      bench.occupied.removeAll(keepingCapacity: true)
      for i in 0..<Int(state.occupiedCount) { bench.occupied.append(state.ordinal(at: i)) }
    }
    for i in 0..<Int(state.watchCount) {
      let watch = state.watch(at: i, hasDues: hasDues)
      bench.looked.append(watch.ordinal)
      var standing = RuleState(isInside: state.occupies(watch.ordinal), since: watch.since)
      if leg.isGap, standing.isPending { standing.since = RuleState.notPending }
      inspect(watch.ordinal, standing, &look, &state, &bench)
    }
    if !isNear {
      lookFar(&look, &state, &bench)
      radius = 0
    }
    state.move(to: fix.coordinate, at: look.time)
    finish(&look, within: radius, &state, &neighborhood, &bench)
  }

  /// Looks at every region that the device is reported to be in and at every one that contains it, but for those that have
  /// been looked at.
  private func lookFar(_ look: inout Look, _ state: inout DeviceState, _ bench: inout Workbench) {
    let watchedCount = bench.looked.count
    for i in bench.occupied.indices where !bench.hasLooked(at: bench.occupied[i], among: watchedCount) {
      inspect(bench.occupied[i], RuleState(isInside: true), &look, &state, &bench)
      bench.looked.append(bench.occupied[i])
    }
    var i = 0
    for k in bench.containing.indices {
      let ordinal = bench.containing[k]
      while i < bench.occupied.count, bench.occupied[i] < ordinal { i += 1 }
      if i < bench.occupied.count, bench.occupied[i] == ordinal { continue }
      if bench.hasLooked(at: ordinal, among: watchedCount) { continue }
      inspect(ordinal, RuleState(isInside: false), &look, &state, &bench)
      bench.looked.append(ordinal)
    }
    bench.looked.sort()
  }

  /// An upper bound of the distance from where the regions around were last looked at, metres; infinite where they were
  /// not.
  private func moved(to place: Place, _ state: DeviceState, _ bench: borrowing Workbench) -> Meters {
    guard !state.anchorLatitude.isNaN else { return .infinity }
    let anchor = bench.place(
      of: Coordinate(latitude: state.anchorLatitude, longitude: state.anchorLongitude))
    return GeodesicBounds.fastUpperBound(chord: anchor.ecef.chord(to: place.ecef)) + 1e-6
  }

  // MARK: Looking

  /// Looks at the rest of the regions whose boundaries lie within some distance, and writes what has been found into the
  /// state.
  private func finish(
    _ look: inout Look, within radius: Meters, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    lookAround(&look, within: max(radius, leastLook), &state, &neighborhood, &bench)
    let hasDues = delay != nil
    if bench.watches.count > 1 { bench.watches.sort { $0.ordinal < $1.ordinal } }
    state.setWatches(bench.watches, hasDues: hasDues)
    if hasDues { look.due = min(look.due, reportStays(look, &state, &bench)) }
    state.nextDue = look.due
    bench.place = look.place
    // The quick test knows nothing of gaps, which end what is pending: none fits in while it waits, or it must not.
    let isBlind = look.due != .max && maximumGap < look.decision.cushionRule.timeToRemain
    state.setSafeRadius(isBlind ? -1 : look.reach, at: look.place.coordinate, look.place.ecef)
  }

  /// Boundaries so near are always looked at, metres: most do not stand in the way between the cushions, and the device
  /// may then go farther. Best of 0, 10, 25, 50, 100 and 200 among 10k overlapping circles within 10 km, a fix a second, at
  /// 1.4 and at 14 m/s, with the cushion of Core Location's guide.
  private var leastLook: Meters {
    decision.map { $0.kind == .coreLocation } ?? false ? 50 : 0
  }

  private func lookAround(
    _ look: inout Look, within radius: Meters, _ state: inout DeviceState,
    _ neighborhood: inout Neighborhood, _ bench: inout Workbench
  ) {
    let place = look.place
    let margin = neighborhood.margin(at: place.ecef)
    if margin <= radius || margin < 0.3 * neighborhood.limit {
      let least = 1.5 * radius + 20
      var isFitting = false
      while !isFitting {
        let limit = max(Double(state.margin), least)
        isFitting = gather(around: place, limit, &state, &neighborhood) || limit <= least
      }
    }
    let clear = neighborhood.findCircles(within: radius, of: place.ecef, into: &bench.near)
    look.reach = min(look.reach, clear ?? -1)
    let lookedCount = bench.looked.count
    var k = 0
    while k < bench.near.count {
      let circle = bench.near[k]
      k += 1
      if bench.hasLooked(at: circle.ordinal, among: lookedCount) { continue }
      let standing = RuleState(isInside: state.occupies(circle.ordinal))
      inspect(circle, standing, &look, &state, &bench)
    }
    for i in 0..<neighborhood.polygonCount {
      let clear = neighborhood[polygon: i].clearance(at: place.ecef)
      if clear > radius {
        look.reach = min(look.reach, clear)
        continue
      }
      let ordinal = neighborhood[polygon: i].ordinal
      if bench.hasLooked(at: ordinal, among: lookedCount) { continue }
      neighborhood[polygon: i].move(to: place.coordinate, place.ecef)
      inspect(
        neighborhood[polygon: i], RuleState(isInside: state.occupies(ordinal)), &look, &state, &bench)
    }
  }

  /// Looks at the region with an ordinal.
  private func inspect(
    _ ordinal: UInt32, _ standing: RuleState, _ look: inout Look, _ state: inout DeviceState,
    _ bench: inout Workbench
  ) {
    switch index.outline(of: ordinal, from: look.place.coordinate, look.place.ecef) {
    case .circle(let circle): inspect(circle, standing, &look, &state, &bench)
    case .polygon(let polygon): inspect(polygon, standing, &look, &state, &bench)
    case nil: break
    }
  }

  @inline(__always)
  private func inspect(
    _ circle: NearbyCircle, _ standing: RuleState, _ look: inout Look, _ state: inout DeviceState,
    _ bench: inout Workbench
  ) {
    let target = CircleTarget(center: circle.center, radius: circle.radius)
    var sight = FixRule.Observation(
      distance: target.boundaryDistance(look.place.ecef), radius: circle.radius, room: circle.radius)
    // As for a circle that contains a position (``CircleTarget/contains(_:distance:)``).
    let slack = 4e-7 + 4e-16 * circle.radius
    if look.decision.isAmbiguous(sight, accuracy: look.accuracy, slack: slack) {
      sight.distance =
        Geodesic.uncheckedDistance(look.place.coordinate, circle.center) - circle.radius
    }
    take(circle.ordinal, standing, sight, slack: 1e-6 + slack, &look, &state, &bench)
  }

  private func inspect(
    _ polygon: NearbyPolygon, _ standing: RuleState, _ look: inout Look, _ state: inout DeviceState,
    _ bench: inout Workbench
  ) {
    var room = 0.0
    if let enough = look.decision.sufficientRoom {
      if let known = bench.rooms[polygon.ordinal] {
        room = known
      } else {
        room = polygon.inradius(enough: enough)
        bench.rooms[polygon.ordinal] = room
      }
    }
    let sight = FixRule.Observation(distance: polygon.distance, radius: nil, room: room)
    take(polygon.ordinal, standing, sight, slack: NearbyPolygon.error, &look, &state, &bench)
  }

  /// Takes what the rule makes of a region.
  @inline(__always)
  private func take(
    _ ordinal: UInt32, _ before: RuleState, _ sight: FixRule.Observation, slack: Meters, _ look: inout Look,
    _ state: inout DeviceState, _ bench: inout Workbench
  ) {
    let after = look.decision.decide(before, sight, accuracy: look.accuracy, time: look.time)
    if after.isInside != before.isInside {
      if after.isInside {
        state.insert(ordinal, due: due(after: look.time))
      } else {
        state.remove(at: state.place(of: ordinal), hasDues: delay != nil)
      }
      // No event for the state that holds at the first determination.
      if !before.isOpen, !look.isBeginning {
        bench.add(
          1, ordinal, after.isInside ? .enter : .exit, look.place.coordinate, time: look.time)
      }
    }
    if after.since != RuleState.notPending || after.isInside != (sight.distance <= 0) {
      bench.watches.append(WatchedRegion(ordinal: ordinal, since: after.since))
      if after.isOpen { look.openCount += 1 }
      if let due = look.decision.cushionRule.decisionTime(after) { look.due = min(look.due, due) }
    }
    look.reach = min(look.reach, look.decision.clearance(after, sight) - slack)
  }

  // MARK: Stays

  /// Reports the stays that have lasted for the delay at a fix.
  ///
  /// - Returns: When the next has.
  private func reportStays(_ look: Look, _ state: inout DeviceState, _ bench: inout Workbench) -> Int64 {
    var next = Int64.max
    for i in 0..<Int(state.occupiedCount) {
      let due = state.due(at: i)
      if due <= look.time {
        bench.add(1, state.ordinal(at: i), .dwell, look.place.coordinate, time: look.time)
        state.setDue(.max, at: i)
      } else {
        next = min(next, due)
      }
    }
    return next
  }
}
