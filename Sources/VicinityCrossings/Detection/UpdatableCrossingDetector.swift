internal import VicinityGeodesy
package import VicinityIndex

/// Finds on which side of each region's boundary one device is, while regions come and go: a
/// ``CrossingDetector`` over an ``UpdatableRegionIndex``.
///
/// The index belongs to the caller, who hands it to every ``advance(to:in:into:)`` and tells of every change
/// by ``insert(_:isInside:)`` and ``remove(_:)``. Regions are known by their ordinals, which an index never
/// uses twice.
///
///     let ordinal = try index.insert(region)
///     detector.insert(ordinal, isInside: nil)
///     try detector.advance(to: fix, in: index, into: &findings)
package struct UpdatableCrossingDetector: ~Copyable {
  /// What has been found of a region at a fix.
  package struct Finding: Hashable, Sendable {
    package var ordinal: Int
    package var isInside: Bool
    package var time: Timestamp
  }

  /// A region inserted since the last fix.
  private struct Newcomer {
    var ordinal: UInt32
    /// On which side of its boundary the device was known to be last; nil when that is not known.
    var isInside: Bool?
    var isRemoved = false
  }

  private let options: CrossingOptions
  private let usesFixRule: Bool
  private let usesDisc: Bool
  private var validator = FixValidator()
  private var isClockSet = false
  private var state = DeviceState()
  private var neighborhood = Neighborhood()
  private var scratch = DetectorScratch()
  /// The state of the index that the neighbourhood was gathered from.
  private var revision: UInt64 = 0
  /// How many regions there are.
  private var count = 0
  /// In the order of ordinals.
  private var newcomers: [Newcomer] = []
  /// Ordinals of regions of which no finding has told yet, and perhaps of removed ones.
  private var undetermined: [UInt32] = []
  private var crossings: [Crossing] = []

  /// A detector without regions, for a device that has not been seen.
  ///
  /// - Throws: ``CrossingOptionsError``.
  /// - Precondition: `options.dwell` is nil.
  package init(_ options: CrossingOptions) throws(CrossingOptionsError) {
    precondition(options.dwell == nil, "a detector of changing regions has no dwell events")
    self.options = try options.validated()
    let fixRule = FixRule(options.rule)
    usesFixRule = fixRule != nil
    usesDisc = fixRule?.kind == .overlap
  }

  deinit {
    var state = state
    state.deallocate()
  }

  package var counts: FixCounts { validator.counts }

  /// Whether a fix has told on which sides of boundaries the device is. Rules that use accuracies wait for
  /// one that is accurate enough.
  private var isBegun: Bool { state.isSeen && state.nextDue != .min }

  // MARK: Regions

  /// Says that a region has been inserted into the index.
  ///
  /// - Parameters:
  ///   - ordinal: Greater than those of all regions that are there.
  ///   - isInside: On which side of its boundary the device was last known to be, from which the rule goes
  ///     on; nil when that is to be found out.
  package mutating func insert(_ ordinal: Int, isInside: Bool?) {
    count += 1
    newcomers.append(Newcomer(ordinal: UInt32(ordinal), isInside: isInside))
  }

  /// Says that a region has been removed from the index.
  package mutating func remove(_ ordinal: Int) {
    guard count > 1 else { return removeAll() }
    count -= 1
    let ordinal = UInt32(ordinal)
    if let i = newcomerIndex(of: ordinal) {
      newcomers[i].isRemoved = true
      return
    }
    scratch.rooms[ordinal] = nil
    setOccupied(ordinal, false)
    setWatch(ordinal, since: nil)
  }

  /// Says that all regions have been removed, as where another index is used from now on.
  package mutating func removeAll() {
    count = 0
    newcomers.removeAll()
    undetermined.removeAll()
    scratch.rooms.removeAll()
    state.removeAll()
    state.setWatches([], hasDues: false)
    neighborhood.forget()
    state.invalidate()
  }

  /// Sets on which side of a region's boundary the device is, as the device itself reports it.
  package mutating func report(_ ordinal: Int, isInside: Bool) {
    let ordinal = UInt32(ordinal)
    if let i = newcomerIndex(of: ordinal) {
      newcomers[i].isInside = isInside
    } else if usesFixRule, isBegun {
      setOccupied(ordinal, isInside)
      // Watched, because the last fix may have been on the other side.
      setWatch(ordinal, since: RuleState.notPending)
      state.invalidate()
    } else if !undetermined.contains(ordinal) {
      // The next fix will tell.
      undetermined.append(ordinal)
    }
  }

  private func newcomerIndex(of ordinal: UInt32) -> Int? {
    guard let first = newcomers.first, ordinal >= first.ordinal else { return nil }
    let i = newcomers.partitioningIndex { $0.ordinal >= ordinal }
    return i < newcomers.count && newcomers[i].ordinal == ordinal ? i : nil
  }

  private mutating func setOccupied(_ ordinal: UInt32, _ isInside: Bool) {
    guard isInside != state.occupies(ordinal) else { return }
    if isInside {
      state.insert(ordinal, due: nil)
    } else {
      state.remove(at: state.lowerBound(of: ordinal), hasDues: false)
    }
  }

  /// Watches a region, or with nil no longer.
  private mutating func setWatch(_ ordinal: UInt32, since: Int64?) {
    if state.watchCount == 0, since == nil { return }
    var watches = watches
    let i = watches.partitioningIndex { $0.ordinal >= ordinal }
    if i < watches.count, watches[i].ordinal == ordinal {
      watches.remove(at: i)
    } else if since == nil {
      return
    }
    if let since { watches.insert(WatchedRegion(ordinal: ordinal, since: since), at: i) }
    state.setWatches(watches, hasDues: false)
  }

  private var watches: [WatchedRegion] {
    (0..<Int(state.watchCount)).map { state.watch(at: $0, hasDues: false) }
  }

  // MARK: Fixes

  /// Goes on after an earlier detector whose last fix was made at a time: no fix of that time or before
  /// counts.
  package mutating func resume(after time: Timestamp) { validator.lastTime = time }

  /// Says that the clock has been set back: the next fix counts as later whatever its time, after a gap.
  package mutating func setClock() { isClockSet = true }

  /// Moves the device to its next fix, and appends every crossing on the way and every state that has become
  /// known.
  ///
  /// The findings of one region are in the order of time; the order among regions means nothing.
  ///
  /// - Parameter index: The index with all changes that this detector was told of, and no others.
  /// - Returns: Whether the fix was accepted, which an exact repeat and a fix of negative accuracy are not.
  /// - Throws: ``TrackError`` for a fix that cannot follow the last one, which changes nothing.
  /// - Complexity: O(1) while no boundary can have been reached, O(log n + regions nearby) otherwise; O(log
  ///   n) more for each region inserted since the last fix.
  package mutating func advance(
    to fix: Fix, in index: UpdatableRegionIndex, into findings: inout [Finding]
  ) throws(TrackError) -> Bool {
    if isClockSet { setLastTime(before: fix) }
    guard try validator.accept(fix) else { return false }
    if newcomers.isEmpty, undetermined.isEmpty, state.skipIfUnaffected(fix, usesDisc: usesDisc) {
      return true
    }
    if revision != index.revision {
      // The neighbourhood refers to the index's memory.
      neighborhood.forget()
      revision = index.revision
    }
    // Made for each fix, as it shares the index, which could otherwise not be changed without copying it.
    let engine = CrossingEngine(.updatable(index), validated: options)
    let firstNewcomer = newcomers.first?.ordinal ?? .max
    admitNewcomers(at: fix, engine)
    crossings.removeAll(keepingCapacity: true)
    engine.advance(toValidated: fix, &state, &neighborhood, &scratch, &crossings)
    // By the geometric rule nothing is known of newcomers before this fix.
    for crossing in crossings where usesFixRule || crossing.region < Int(firstNewcomer) {
      findings.append(
        Finding(ordinal: crossing.region, isInside: crossing.kind == .enter, time: crossing.time))
    }
    determine(at: fix.time, in: index, into: &findings)
    return true
  }

  /// Gives newcomers the states from which the rule goes on.
  private mutating func admitNewcomers(at fix: Fix, _ engine: borrowing CrossingEngine) {
    guard !newcomers.isEmpty else { return }
    newcomers.removeAll { $0.isRemoved }
    defer { newcomers.removeAll(keepingCapacity: newcomers.count < 64) }
    guard usesFixRule else {
      undetermined += newcomers.lazy.map(\.ordinal)
      if state.isSeen {
        engine.findContaining(state.coordinate, &scratch)
        for ordinal in scratch.containing where newcomerIndex(of: ordinal) != nil {
          state.insert(ordinal, due: nil)
        }
        state.invalidate()
      }
      return
    }
    let isKnown = newcomers.contains { $0.isInside != nil }
    let unknown = newcomers.lazy.filter { $0.isInside == nil }.map(\.ordinal)
    guard isBegun || isKnown else {
      // The track's beginning will tell of all regions.
      undetermined += unknown
      return
    }
    var watches = watches
    if !isBegun {
      // A state is known, so the track has begun before the fix; the states of regions that were there
      // already are open.
      state.move(to: fix.coordinate, at: time(before: fix))
      state.nextDue = .max
      watches = undetermined.sorted().map { WatchedRegion(ordinal: $0, since: RuleState.unknown) }
    }
    watches += unknown.map { WatchedRegion(ordinal: $0, since: RuleState.unknown) }
    undetermined += unknown
    state.setWatches(watches, hasDues: false)
    for newcomer in newcomers where newcomer.isInside == true { state.insert(newcomer.ordinal, due: nil) }
    // No scan has examined the newcomers.
    state.forgetAnchor()
  }

  /// Appends the states of regions that have become known at the last fix.
  private mutating func determine(
    at time: Timestamp, in index: UpdatableRegionIndex, into findings: inout [Finding]
  ) {
    guard !undetermined.isEmpty, isBegun else { return }
    let open = watches.filter { $0.since == RuleState.unknown }
    undetermined.removeAll { ordinal in
      guard index.record(ofOrdinal: Int(ordinal)) != nil else { return true }
      let i = open.partitioningIndex { $0.ordinal >= ordinal }
      if i < open.count, open[i].ordinal == ordinal { return false }
      findings.append(Finding(ordinal: Int(ordinal), isInside: state.occupies(ordinal), time: time))
      return true
    }
  }

  /// Places the last fix before the next one, with a gap in between.
  private mutating func setLastTime(before fix: Fix) {
    isClockSet = false
    guard validator.lastTime != nil else { return }
    let time = time(before: fix)
    validator.lastTime = Timestamp(microseconds: time)
    if state.isSeen { state.time = time }
    state.invalidate()
  }

  /// A time so long before a fix that there is a gap, microseconds.
  private func time(before fix: Fix) -> Int64 {
    let gap = options.maximumGap.microseconds
    let (time, overflow) = fix.time.microseconds.subtractingReportingOverflow(
      gap > .max - 1_000_000 ? gap : gap + 1_000_000)
    return overflow ? .min : time
  }
}
