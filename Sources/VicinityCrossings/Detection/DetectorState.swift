package import VicinityGeodesy
package import VicinityIndex

/// Where a device stands with the regions of an index: what one detector needs to go on where another stopped.
package struct DetectorState {
  /// Microseconds.
  package var time: Int64
  package var coordinate: Coordinate
  /// Whether a fix has begun the track yet.
  package var isBegun = true
  /// Of the regions that are reported inside, or watched, by ascending ordinals.
  package var regions: [(ordinal: UInt32, standing: RuleState)] = []

  package init(time: Int64, coordinate: Coordinate, isBegun: Bool = true) {
    self.time = time
    self.coordinate = coordinate
    self.isBegun = isBegun
  }
}

extension CrossingDetector {
  /// Where the device stands; nil before the first fix.
  package var standings: DetectorState? {
    guard state.isSeen else { return nil }
    var standings = DetectorState(
      time: state.time, coordinate: state.coordinate, isBegun: state.nextDue != .min)
    var (i, k) = (0, 0)
    while i < state.occupiedCount || k < state.watchCount {
      let occupied = i < state.occupiedCount ? state.ordinal(at: i) : .max
      let watch =
        k < state.watchCount ? state.watch(at: k, hasDues: false) : WatchedRegion(ordinal: .max, since: .max)
      let ordinal = min(occupied, watch.ordinal)
      standings.regions.append(
        (
          ordinal,
          RuleState(
            isInside: occupied == ordinal,
            since: watch.ordinal == ordinal ? watch.since : RuleState.notPending)
        ))
      if occupied == ordinal { i += 1 }
      if watch.ordinal == ordinal { k += 1 }
    }
    return standings
  }

  /// A detector that goes on from where a device stands, without dwell events.
  ///
  /// - Precondition: `options.dwell` is nil.
  package init(
    _ index: RegionIndex, options: CrossingOptions, continuing standings: DetectorState
  ) throws(CrossingOptionsError) {
    precondition(options.dwell == nil, "a detector with dwell events cannot be continued")
    try self.init(index, options: options)
    state.move(to: standings.coordinate, at: standings.time)
    if !standings.isBegun { state.nextDue = .min }
    var watches: [WatchedRegion] = []
    for (ordinal, standing) in standings.regions {
      if standing.isInside { state.insert(ordinal, due: nil) }
      // The geometric rule watches nothing.
      if standing.since != RuleState.notPending, engine.decision != nil {
        watches.append(WatchedRegion(ordinal: ordinal, since: standing.since))
      }
    }
    state.setWatches(watches, hasDues: false)
  }

  /// A detector that goes on where another stopped, of which nothing is known but the regions that the device was reported
  /// to be in: the next fix reports what differs.
  ///
  /// - Parameters:
  ///   - occupied: The regions' ordinals; those that the index does not have are left out.
  ///   - time: A time that no later fix is before.
  package init(
    _ index: RegionIndex, options: CrossingOptions, occupied: [Int], at coordinate: Coordinate,
    time: Timestamp
  ) throws(CrossingOptionsError) {
    var standings = DetectorState(time: time.microseconds, coordinate: coordinate)
    standings.regions = Set(occupied).filter { $0 >= 0 && $0 < index.count }.sorted().map {
      (UInt32($0), RuleState(isInside: true))
    }
    try self.init(index, options: options, continuing: standings)
  }

  /// How many regions the device is reported to be in.
  package var occupiedCount: Int { Int(state.occupiedCount) }

  /// Whether it is known of every region on which side of its boundary the device is reported to be.
  package var isSettled: Bool {
    guard state.isSeen, state.nextDue != .min else { return false }
    return !(0..<Int(state.watchCount)).contains {
      state.watch(at: $0, hasDues: options.dwell != nil).since == RuleState.unknown
    }
  }

  /// Whether the device is reported to be in a region; nil as long as no fix could tell.
  package func isInside(_ ordinal: UInt32) -> Bool? {
    guard state.isSeen, state.nextDue != .min else { return nil }
    for i in 0..<Int(state.watchCount) {
      let watch = state.watch(at: i, hasDues: false)
      if watch.ordinal == ordinal, watch.since == RuleState.unknown { return nil }
    }
    return state.occupies(ordinal)
  }

  /// Takes it from elsewhere on which side of a region's boundary the device is.
  ///
  /// - Returns: Whether the rule can take it so: the geometric one knows from its fixes alone.
  package mutating func set(_ ordinal: UInt32, isInside: Bool) -> Bool {
    guard engine.decision != nil, state.isSeen, state.nextDue != .min else { return false }
    if isInside != state.occupies(ordinal) {
      if isInside {
        state.insert(ordinal, due: nil)
      } else {
        state.remove(at: state.place(of: ordinal), hasDues: false)
      }
    }
    // Watched, because the last look may have seen the device on the other side.
    var watches = (0..<Int(state.watchCount)).map { state.watch(at: $0, hasDues: false) }
    watches.removeAll { $0.ordinal == ordinal }
    let place = watches.firstIndex { $0.ordinal > ordinal } ?? watches.count
    watches.insert(WatchedRegion(ordinal: ordinal, since: RuleState.notPending), at: place)
    state.setWatches(watches, hasDues: false)
    state.reach2 = -1
    return true
  }

  /// Says that the last fix was made at another time, for a clock that has been set.
  package mutating func retime(to time: Int64) {
    state.time = time
    state.reach2 = -1
  }
}
