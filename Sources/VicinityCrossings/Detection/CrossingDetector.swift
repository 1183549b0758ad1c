public import VicinityGeodesy
public import VicinityIndex

/// Every entry into and exit from the regions of an index, for one device.
///
///     var detector = try CrossingDetector(index)
///     for fix in track {
///       for crossing in try detector.advance(to: fix) { print(crossing) }
///     }
///
/// All crossings up to a fix are certain once the detector has been given that fix, and are reported then, in the order of
/// time and, at equal times, of region ordinals. Nothing becomes certain only later, so there is nothing to finish: a
/// dwell event after the last fix is not known to happen.
///
/// - The state at the first fix causes no event.
/// - Entries and exits of a region alternate.
/// - Excursions over a boundary no deeper than 1 mm may be omitted.
/// - An exact repeat of the last fix is dropped, as is a fix of negative accuracy.
///
/// Under other rules than the geometric one (``CrossingOptions/rule``), crossings are decided at fixes: see <doc:Rules>.
/// For many devices in one stream, see ``Fleet``: the same crossings.
public struct CrossingDetector: ~Copyable {
  public var index: RegionIndex { engine.index }
  /// How crossings are decided.
  public let options: CrossingOptions
  /// Fixes taken and dropped.
  public private(set) var counts = FixCounts()

  private let engine: CrossingEngine
  private var state = DeviceState()
  private var neighborhood = Neighborhood()
  private var scratch = DetectorScratch()

  /// A detector for a device that has not been seen yet.
  ///
  /// - Throws: ``CrossingOptionsError``.
  public init(
    _ index: RegionIndex, options: CrossingOptions = CrossingOptions()
  ) throws(CrossingOptionsError) {
    engine = try CrossingEngine(index, options)
    self.options = options
  }

  deinit {
    var state = state
    state.deallocate()
  }

  /// The ordinals of the regions that the device is in at its last fix by the rule, ascending.
  public var occupied: [Int] { state.occupied }

  /// When the device was last seen; `nil` before the first fix.
  public var lastTime: Timestamp? { state.isSeen ? Timestamp(microseconds: state.time) : nil }

  /// Where the device was last seen; `nil` before the first fix.
  public var lastCoordinate: Coordinate? { state.isSeen ? state.coordinate : nil }

  /// Forgets the device, for the beginning of another track. Counts go on, and memory is kept.
  public mutating func reset() { state.deallocate() }

  /// Moves the device to its next fix.
  ///
  /// - Returns: The crossings on the leg, in order.
  /// - Throws: ``TrackError``; the detector stays as it was then.
  /// - Complexity: O(1) while no boundary can have been reached, O(log n + regions nearby) otherwise.
  public mutating func advance(to fix: Fix) throws(TrackError) -> [Crossing] {
    var crossings: [Crossing] = []
    try advance(to: fix, into: &crossings)
    return crossings
  }

  /// Moves the device to its next fix and appends the crossings.
  ///
  /// A warm detector allocates nothing beyond what `crossings` needs.
  ///
  /// - Throws: ``TrackError``; the detector stays as it was then.
  public mutating func advance(to fix: Fix, into crossings: inout [Crossing]) throws(TrackError) {
    if state.skipIfUnaffected(fix, usesDisc: engine.usesDisc) {
      counts.fixes += 1
      return
    }
    try engine.advance(to: fix, &state, &counts, &neighborhood, &scratch, &crossings)
  }

  /// ``advance(to:into:)`` for a fix that a ``FixValidator`` has accepted.
  package mutating func advance(toValidated fix: Fix, into crossings: inout [Crossing]) {
    counts.fixes += 1
    if state.skipIfUnaffected(fix, usesDisc: engine.usesDisc) { return }
    engine.advance(toValidated: fix, &state, &neighborhood, &scratch, &crossings)
  }

  /// Moves the device along many fixes and appends the crossings.
  ///
  /// - Throws: ``LocatedTrackError`` for the first fix that is refused; the fixes before it have been taken, and their
  ///   crossings appended.
  public mutating func advance(
    through fixes: Span<Fix>, into crossings: inout [Crossing]
  ) throws(LocatedTrackError) {
    var i = 0
    while i < fixes.count {
      let skipped =
        engine.usesDisc
        ? state.skipUnaffected(fixes, from: i, usesDisc: true)
        : state.skipUnaffected(fixes, from: i, usesDisc: false)
      counts.fixes += skipped
      i += skipped
      if engine.fixRule == nil {
        let followed = engine.follow(fixes, from: i, &state, &neighborhood, &scratch, &crossings)
        counts.fixes += followed
        i += followed
        if followed > 0 { continue }
      }
      guard i < fixes.count else { return }
      do {
        try engine.advance(to: fixes[i], &state, &counts, &neighborhood, &scratch, &crossings)
      } catch {
        throw LocatedTrackError(index: i, error: error)
      }
      i += 1
    }
  }

  // MARK: States

  /// What another detector needs to go on from here; nil before the first fix.
  package var detectorState: DetectorState? {
    guard state.isSeen else { return nil }
    var result = DetectorState(
      time: state.time, coordinate: state.coordinate, isBegun: state.nextDue != .min)
    var (i, k) = (0, 0)
    while i < state.occupiedCount || k < state.watchCount {
      let occupied = i < state.occupiedCount ? state.ordinal(at: i) : .max
      let watch =
        k < state.watchCount ? state.watch(at: k, hasDues: false) : WatchedRegion(ordinal: .max, since: .max)
      let ordinal = min(occupied, watch.ordinal)
      let since = watch.ordinal == ordinal ? watch.since : RuleState.notPending
      result.regions.append((ordinal, RuleState(isInside: occupied == ordinal, since: since)))
      if occupied == ordinal { i += 1 }
      if watch.ordinal == ordinal { k += 1 }
    }
    return result
  }

  /// A detector that goes on from another's state, without dwell events.
  ///
  /// - Precondition: `options.dwell` is nil.
  package init(
    _ index: RegionIndex, options: CrossingOptions, continuing other: DetectorState
  ) throws(CrossingOptionsError) {
    precondition(options.dwell == nil, "a detector with dwell events cannot be continued")
    try self.init(index, options: options)
    state.move(to: other.coordinate, at: other.time)
    if !other.isBegun { state.nextDue = .min }
    var watches: [WatchedRegion] = []
    for (ordinal, region) in other.regions {
      if region.isInside { state.insert(ordinal, due: nil) }
      // The geometric rule watches nothing.
      if region.since != RuleState.notPending, engine.fixRule != nil {
        watches.append(WatchedRegion(ordinal: ordinal, since: region.since))
      }
    }
    state.setWatches(watches, hasDues: false)
  }

  /// A detector for a device of which only the regions are known that it was reported to be in: the next fix reports what
  /// has changed since.
  ///
  /// - Parameters:
  ///   - occupied: The regions' ordinals; those that the index does not have are left out.
  ///   - time: A time that no later fix is before.
  package init(
    _ index: RegionIndex, options: CrossingOptions, occupied: [Int], at coordinate: Coordinate,
    time: Timestamp
  ) throws(CrossingOptionsError) {
    var last = DetectorState(time: time.microseconds, coordinate: coordinate)
    last.regions = Set(occupied).filter { $0 >= 0 && $0 < index.count }.sorted().map {
      (UInt32($0), RuleState(isInside: true))
    }
    try self.init(index, options: options, continuing: last)
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

  /// Sets on which side of a region's boundary the device is, as reported from elsewhere.
  ///
  /// - Returns: Whether the rule can go on from there. The geometric rule cannot: it knows from its fixes alone.
  package mutating func set(_ ordinal: UInt32, isInside: Bool) -> Bool {
    guard engine.fixRule != nil, state.isSeen, state.nextDue != .min else { return false }
    if isInside != state.occupies(ordinal) {
      if isInside {
        state.insert(ordinal, due: nil)
      } else {
        state.remove(at: state.lowerBound(of: ordinal), hasDues: false)
      }
    }
    // Watched, because the last fix may have been on the other side.
    var watches = (0..<Int(state.watchCount)).map { state.watch(at: $0, hasDues: false) }
    watches.removeAll { $0.ordinal == ordinal }
    let position = watches.firstIndex { $0.ordinal > ordinal } ?? watches.count
    watches.insert(WatchedRegion(ordinal: ordinal, since: RuleState.notPending), at: position)
    state.setWatches(watches, hasDues: false)
    state.invalidate()
    return true
  }

  /// Sets when the last fix was made, microseconds, for a clock that has been set.
  package mutating func setLastTime(_ time: Int64) {
    state.time = time
    state.invalidate()
  }
}

/// The states of a device with the regions of an index: what one detector needs to go on where another stopped.
package struct DetectorState {
  /// When the last fix was made, microseconds.
  package var time: Int64
  /// Where the last fix was made.
  package var coordinate: Coordinate
  /// Whether a fix has begun the track yet.
  package var isBegun = true
  /// The regions that are reported inside, or watched, by ascending ordinals.
  package var regions: [(ordinal: UInt32, state: RuleState)] = []

  package init(time: Int64, coordinate: Coordinate, isBegun: Bool = true) {
    self.time = time
    self.coordinate = coordinate
    self.isBegun = isBegun
  }
}
