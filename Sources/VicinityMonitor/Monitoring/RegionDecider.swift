internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// Decides which regions of an index a device is in: at fixes by evidence (``FixTracker``), or by a crossing
/// rule where one is given, and by the device's own reports.
///
/// Regions are known by their ordinals in the index, which belongs to the caller.
struct RegionDecider: ~Copyable {
  /// What was decided of a region.
  struct Decision: Hashable {
    /// The region's ordinal.
    var region: Int
    var isInside: Bool
    var time: Timestamp
    /// Whether it was passed between two fixes, and no fix was in it.
    var isInferred = false
  }

  /// Whether a rule decides. The tracker sees no fix then.
  let isByRule: Bool
  /// Decides where no rule does.
  private(set) var tracker: FixTracker
  private var rule: UpdatableCrossingDetector
  private var passFinder = PassFinder()
  private var findings: [UpdatableCrossingDetector.Finding] = []
  /// What the last fix has decided.
  private(set) var decisions: [Decision] = []

  /// - Parameter rule: Nil where the tracker decides.
  /// - Throws: ``CrossingOptionsError``.
  init(rule: CrossingOptions?, tracker: consuming FixTracker) throws(CrossingOptionsError) {
    isByRule = rule != nil
    self.rule = try UpdatableCrossingDetector(rule ?? CrossingOptions())
    self.tracker = tracker
  }

  /// Fixes accepted and dropped.
  var counts: FixCounts { isByRule ? rule.counts : tracker.counts }

  /// Whether the device rests, as far as is known.
  var isAtRest: Bool { !isByRule && tracker.stop.isAtRest }

  /// Whether the last fix contradicts what the device had reported since the one before.
  var contradictsReport: Bool { !isByRule && tracker.evidence.contradictsReport }

  /// Whether the last fix was on the other side of a region's boundary than what is known, whatever its
  /// accuracy.
  func disagrees(_ region: Int) -> Bool { tracker.evidence.disagreeing.contains(region) }

  /// Goes on after an earlier process, whose last fix was made at this time.
  mutating func resume(after time: Timestamp) { rule.resume(after: time) }

  /// The clock has been set back: what follows is later all the same.
  mutating func setClock() {
    rule.setClock()
    tracker.setClock()
  }

  // MARK: Regions

  /// Says that a region has been inserted into the index.
  ///
  /// - Parameters:
  ///   - region: By a rule, greater than those of all that are there.
  ///   - isInside: Whether the device was last known to be in it; nil when that is to be found out.
  mutating func insert(_ region: Int, isInside: Bool?) {
    if isByRule {
      rule.insert(region, isInside: isInside)
    } else {
      tracker.insert(region, isInside: isInside)
    }
  }

  /// Says that there are regions with all ordinals below a count, in none of which the device was last known
  /// to be but for some, of which that is to be found out.
  ///
  /// - Complexity: O(regions) by a rule, which keeps a state of each; O(unknown ones) otherwise.
  mutating func insert(first count: Int, unknown: Set<Int> = []) {
    if isByRule {
      for region in 0..<count { rule.insert(region, isInside: unknown.contains(region) ? nil : false) }
    } else {
      for region in unknown { tracker.insert(region, isInside: nil) }
      tracker.expectNewRegions()
    }
  }

  /// Says that a region has been removed from the index.
  mutating func remove(_ region: Int) {
    if isByRule { rule.remove(region) } else { tracker.remove(region) }
  }

  /// Says that the regions with all ordinals below a count are watched no longer, nor any others by a rule.
  ///
  /// - Returns: Those that fixes have shown the device to be in.
  mutating func remove(first count: Int) -> [Int] {
    guard !isByRule else {
      rule.removeAll()
      return []
    }
    let regions = tracker.evidence.inside.filter { $0 < count }.sorted()
    for region in regions { tracker.remove(region) }
    return regions
  }

  /// Gives regions the ordinals that they have in another index, and forgets those that are not in it; by a
  /// rule, waits beyond boundaries begin anew, and all are to be inserted again.
  mutating func renumber(_ ordinal: (Int) -> Int?) {
    if isByRule { rule.removeAll() } else { tracker.renumber(ordinal) }
  }

  /// Takes a device's word for whether it is in a region.
  mutating func report(_ region: Int, isInside: Bool) {
    if isByRule {
      rule.report(region, isInside: isInside)
    } else {
      tracker.report(region, isInside: isInside)
    }
  }

  // MARK: How regions are treated

  /// Says how far beyond its boundary an exit from a region is decided, metres. Rules have their own.
  mutating func setHysteresis(_ hysteresis: Meters, of region: Int) {
    if !isByRule { tracker.setHysteresis(hysteresis, of: region) }
  }

  /// Says the same of all regions with ordinals below a count, of which nothing else has been said.
  mutating func setUsualHysteresis(_ hysteresis: Meters, ofFirst count: Int) {
    if !isByRule { tracker.setUsualHysteresis(hysteresis, ofFirst: count) }
  }

  /// Watches a region with a latency of its own; nil for none.
  mutating func setLatency(_ latency: Duration?, of region: Region) throws(RegionError) {
    guard !isByRule else { return }
    if let latency {
      try tracker.wishes.insert(region, latency: latency)
    } else {
      try tracker.wishes.remove(region.identifier)
    }
  }

  /// Forgets a region's latency.
  mutating func removeLatency(of identifier: String) {
    // Removing fails only where a copy of the index has to be made; nothing shares this one.
    try? tracker.wishes.remove(identifier)
  }

  /// Watches all regions of an index with a latency of their own but for some, in place of those of the index
  /// before.
  mutating func setUsualLatency(_ latency: Duration?, of index: RegionIndex?, except exceptions: [String]) {
    if !isByRule { tracker.wishes.setAll(of: index, latency: latency, except: exceptions) }
  }

  // MARK: Fixes

  /// Handles a fix; what it decides is in ``decisions``.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - isVouched: Whether the device itself has just said that it crossed a boundary.
  ///   - index: The index with all changes that this was told of, and no others.
  /// - Throws: ``TrackError`` for a fix that cannot follow the last one; nothing has changed then.
  mutating func handle(
    _ fix: Fix, now: Timestamp, isVouched: Bool, in index: MonitoredIndex
  ) throws(TrackError) -> FixTracker.Outcome {
    decisions.removeAll(keepingCapacity: true)
    guard isByRule else { return try track(fix, now: now, isVouched: isVouched, in: index) }
    guard case .updatable(let regions) = index else { return .dropped }
    findings.removeAll(keepingCapacity: true)
    guard try rule.advance(to: fix, in: regions, into: &findings) else { return .dropped }
    for finding in findings {
      decisions.append(Decision(region: finding.ordinal, isInside: finding.isInside, time: finding.time))
    }
    return .accepted
  }

  /// Counts when the boundaries that the last fix has decided about were crossed, right after a departure:
  /// if the device went straight and at the same speed from where it was at rest.
  private mutating func countHeadStarts(_ fix: Fix, in index: MonitoredIndex) {
    let changes = tracker.evidence.changes.filter(\.isCrossing)
    guard !changes.isEmpty, let start = tracker.departure(before: fix) else { return }
    let distance = Geodesic.uncheckedDistance(start.coordinate, fix.coordinate)
    guard distance > 0 else { return }
    let seconds = fix.time.seconds(since: start.time)
    let border = Assumptions.plan.minimumReliableRadius / distance * seconds
    for crossing in passFinder.crossings(from: start, to: fix, in: index) {
      guard
        changes.contains(where: { $0.region == crossing.region && $0.isInside == (crossing.kind == .enter) })
      else { continue }
      tracker.count(headStart: crossing.time.seconds(since: start.time) - border)
    }
  }

  /// Learns that a sentinel's exit has woken the app so many seconds after its border was crossed.
  mutating func learn(exitAfter delay: Double) { tracker.count(exitAfter: delay) }

  private mutating func track(
    _ fix: Fix, now: Timestamp, isVouched: Bool, in index: MonitoredIndex
  ) throws(TrackError) -> FixTracker.Outcome {
    let outcome = try tracker.handle(fix, now: now, isVouched: isVouched, in: index)
    guard outcome == .accepted else { return outcome }
    // Passed if the device went straight: entered and left unseen, so told late.
    for pass in tracker.passes(in: index, &passFinder) {
      decisions.append(Decision(region: pass.region, isInside: true, time: pass.entry, isInferred: true))
      decisions.append(Decision(region: pass.region, isInside: false, time: pass.exit, isInferred: true))
    }
    tracker.count(inferred: decisions.count, at: fix.time)
    countHeadStarts(fix, in: index)
    for change in tracker.evidence.changes {
      decisions.append(Decision(region: change.region, isInside: change.isInside, time: fix.time))
    }
    return outcome
  }
}
