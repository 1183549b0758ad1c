internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

/// Follows one device by its fixes: whether a fix can be believed, whether the device rests, and which
/// boundaries it has crossed.
///
/// At rest the mean of the positions there counts (``StopDetector``). A fix that contradicts the earlier
/// ones, by a speed that the device cannot have or by being away from where it rests, counts when the next
/// one agrees with it. Of fixes that come every few seconds the next one always agrees, as their errors are
/// alike: with these the device must have gone away (``MotionDetector``). Of fixes without satellites, which
/// tell no speed, even those agree that come a minute apart: with these it must have gone farther than errors
/// do, or stay away for long (``StopDetector``).
struct FixTracker: ~Copyable {
  /// What became of a fix.
  enum Outcome: Hashable {
    /// It decides nothing: of negative or infinite accuracy, an exact repeat, or from before the monitor was
    /// opened.
    case dropped
    /// It contradicts the ones before, and waits for another that agrees with it.
    case contradicted
    case accepted
  }

  /// How far beyond a boundary a position decides by itself, in accuracies. On the move the device is soon
  /// elsewhere, so what is probable decides: an exit where it is likelier than not, an entry, of which users
  /// are told, where it is as likely as two in three. That a normal error is less than 0.43 times its
  /// standard deviation is as likely, and an accuracy, the radius that holds two in three, is √(2 ln 3) of
  /// these.
  private static let movingMargins = BoundaryEvidence.Margins(
    entry: 0.4307 / (2 * log(3)).squareRoot(), exit: 0)
  /// At rest it can wait for another.
  private static let restMargins = BoundaryEvidence.Margins(entry: 1, exit: 1)
  /// A fix from before the monitor was opened is dropped when it is older than the shortest visit that
  /// counts, seconds: it comes from a cache.
  private static let cacheAge = AdaptiveStrategy.usualVisit / .seconds(1)

  private(set) var evidence = BoundaryEvidence()
  private(set) var stop = StopDetector()
  private var motion = MotionDetector()
  /// The last fix that was accepted.
  private(set) var last: Fix?
  /// Whether the last fix contradicted the ones before, so that it was not accepted.
  private(set) var isSuspicious = false
  /// The crossings that positions have told, in earlier processes too; the first state that is known of a
  /// region is none.
  private(set) var history: CrossingHistory
  /// When the device last left a place where it was at rest, by the distance from there and its speed; for
  /// how long it had been there then, seconds; and whether a crossing has come right after.
  private var departure: (time: Timestamp, place: Coordinate, rest: Double, isCounted: Bool)?
  /// Regions on whose other side positions have been, but not by far enough to decide: since when, halfway to
  /// the position before.
  private var disagreement: [Int: Timestamp] = [:]
  /// How late the latest crossings were told, by positions of an app that was awake: seconds, oldest first.
  /// Until a position was on the other side nobody knows better than that a crossing was halfway between it
  /// and the one before.
  private(set) var delays: [Double] = []
  /// How accurate the last position is, metres; at rest, that of the mean.
  private(set) var accuracy = Meters.infinity
  /// When the fix before the last was made.
  private var earlierTime: Timestamp?
  /// Since when positions have left open whether a boundary has been crossed; nil where the last one does
  /// not.
  private(set) var doubtSince: Timestamp?
  /// The way to the last fix, where nothing was known on it for so long that regions may have been passed;
  /// nil otherwise.
  private(set) var way: (start: Fix, end: Fix)?
  /// The conditions with a latency of their own.
  var wishes = LatencyWishes()
  private var validator = FixValidator()
  private let opened: Timestamp
  private let isResumed: Bool
  private let maximumSpeed: MetersPerSecond

  /// - Parameters:
  ///   - opened: When the monitor was opened.
  ///   - lastTime: When the last fix of an earlier process was made; nil where there has been none.
  ///   - history: What an earlier process has counted.
  ///   - maximumSpeed: The greatest speed of the device.
  init(
    opened: Timestamp, lastTime: Timestamp?, history: CrossingHistory = CrossingHistory(),
    maximumSpeed: MetersPerSecond
  ) {
    self.opened = opened
    self.history = history.isValid ? history : CrossingHistory()
    self.maximumSpeed = maximumSpeed
    validator.lastTime = lastTime
    isResumed = lastTime != nil
    if isResumed { evidence.resume() }
  }

  /// Within these lengths of a way, metres, regions may have been passed: from what errors may be to what a
  /// car goes in the time that makes a rest. On longer ways a straight line tells little.
  private static let wayLengths =
    Assumptions.wandering.upperBound...Assumptions.plan.maximumSpeed * Assumptions.shortestRest

  /// Fixes accepted and dropped.
  var counts: FixCounts { validator.counts }

  /// The clock has been set back: what follows is later all the same.
  mutating func setClock() {
    validator.lastTime = nil
    last = nil
    stop = StopDetector()
    motion = MotionDetector()
    departure = nil
    disagreement = [:]
    doubtSince = nil
  }

  mutating func insert(_ ordinal: Int, isInside: Bool?) { evidence.insert(ordinal, isInside: isInside) }

  /// Says that the device is taken to be outside of regions of which no position has told it.
  mutating func expectNewRegions() { evidence.expectNewRegions() }

  /// Says how far beyond its boundary an exit from a region is decided, metres.
  mutating func setHysteresis(_ hysteresis: Meters, of ordinal: Int) {
    evidence.setHysteresis(hysteresis, of: ordinal)
  }

  /// Says the same of all regions with ordinals below a count, of which nothing else has been said.
  mutating func setUsualHysteresis(_ hysteresis: Meters, ofFirst count: Int) {
    evidence.setUsualHysteresis(hysteresis, ofFirst: count)
  }

  mutating func remove(_ ordinal: Int) {
    evidence.remove(ordinal)
    disagreement[ordinal] = nil
  }

  /// Gives regions the ordinals that they have in another index, and forgets those that are not in it, and
  /// all hysteresis.
  mutating func renumber(_ ordinal: (Int) -> Int?) {
    evidence.renumber(ordinal)
    disagreement = [:]
  }

  mutating func report(_ ordinal: Int, isInside: Bool) { evidence.report(ordinal, isInside: isInside) }

  /// Handles a fix; what it decides is in `evidence.changes`.
  ///
  /// - Parameters:
  ///   - now: The present time, by which a cached fix is known.
  ///   - isVouched: Whether the device itself has just said that it crossed a boundary.
  ///   - regions: The regions that are watched.
  /// - Throws: ``TrackError`` for a fix that cannot follow the last one; nothing has changed then.
  mutating func handle(
    _ fix: Fix, now: Timestamp, isVouched: Bool = false, in regions: some SearchableRegions
  ) throws(TrackError) -> Outcome {
    // It is nowhere.
    guard fix.horizontalAccuracy < .infinity else { return .dropped }
    // One that is older than the last is refused below, whatever its age.
    let isNew = validator.lastTime.map { fix.time > $0 } ?? true
    if isNew, fix.time < opened, now.seconds(since: fix.time) > Self.cacheAge { return .dropped }
    guard try validator.accept(fix) else { return .dropped }
    // No position is better than a metre; and where they are said to be better than ten, their errors wander
    // farther all the same.
    let usual = max(Assumptions.leastAccuracy, fix.horizontalAccuracy, stop.usualAccuracy ?? 0)
    let isMoving =
      fix.horizontalAccuracy > Assumptions.coarseAccuracy
      || motion.isMoving(to: fix, accuracy: usual, isAtRest: stop.isAtRest)
    let isDense = last.map { fix.time.seconds(since: $0.time) < Assumptions.denseInterval } ?? false
    let isWandering = !isVouched && (isDense ? !isMoving : fix.speed < 0) && wanders(to: fix)
    if !isSuspicious, !isWandering, contradicts(fix) {
      isSuspicious = true
      return .contradicted
    }
    isSuspicious = false
    way = way(to: fix)
    let middle = last.map { $0.time.advanced(by: .seconds(fix.time.seconds(since: $0.time) / 2)) }
    let lastTime = last?.time
    let isStream = earlierTime.map { fix.time.seconds(since: $0) < Assumptions.denseInterval } ?? false
    earlierTime = lastTime
    last = fix
    let before = stop
    stop.handle(fix, isWandering: isWandering)
    if before.isAtRest, !stop.isAtRest, before.meanAccuracy <= Assumptions.coarseAccuracy {
      let distance = Geodesic.uncheckedDistance(before.mean, fix.coordinate)
      let time = fix.time.advanced(by: .seconds(-min(distance / max(1, fix.speed), Self.departureTime)))
      departure = (time, before.mean, before.restingTime(at: time), false)
    }
    // Between positions that are far apart in time the device may have gone to another place unseen.
    let isStill = stop.isAtRest || !isMoving && (isDense || before.isHere(fix))
    accuracy = stop.isAtRest ? stop.meanAccuracy : max(1, fix.horizontalAccuracy)
    // While positions jump nothing is decided: but no longer than that, since there are devices that say that
    // they stand whatever they do.
    let isDoubtful = isStream && !isVouched && motion.isImplausible
    let since = disagreement
    func isHeld(_ ordinal: Int) -> Bool {
      isDoubtful
        && since[ordinal].map { fix.time.seconds(since: $0) < MotionDetector.jumpTime } ?? true
    }
    do {
      try evidence.handle(
        stop.isAtRest ? stop.mean : fix.coordinate,
        accuracy: isStill && !stop.isAtRest ? usual : accuracy, usualAccuracy: usual,
        margins: stop.isAtRest ? Self.restMargins : Self.movingMargins, isStill: isStill,
        isHeld: isHeld, in: regions)
      try wishes.measure(at: stop.isAtRest ? stop.mean : fix.coordinate)
    } catch {
      throw .invalidCoordinate(fix.coordinate, at: fix.time)
    }
    if evidence.clearance >= accuracy, evidence.disagreeing.isEmpty {
      doubtSince = nil
    } else if doubtSince == nil {
      doubtSince = lastTime ?? fix.time
    }
    let crossings = evidence.changes.filter(\.isCrossing)
    count(crossings.count, exits: crossings.count { !$0.isInside }, at: fix.time)
    noteDelays(of: crossings, at: fix.time, since: middle ?? fix.time)
    return .accepted
  }

  /// - Parameter middle: When a crossing between the last position and the one before is taken to have been.
  private mutating func noteDelays(
    of crossings: [BoundaryEvidence.Change], at time: Timestamp, since middle: Timestamp
  ) {
    // What follows a departure depends on whether the app slept, and is counted by itself.
    if !isAfterDeparture(time) {
      for change in crossings {
        delays.append(time.seconds(since: disagreement[change.region] ?? middle))
      }
      if delays.count > Assumptions.memory { delays.removeFirst(delays.count - Assumptions.memory) }
    }
    let before = disagreement
    disagreement = [:]
    for region in evidence.disagreeing { disagreement[region] = before[region] ?? middle }
  }

  private func isAfterDeparture(_ time: Timestamp) -> Bool {
    if isResumed, time.seconds(since: opened) <= Self.departureTime { return true }
    return departure.map { time.seconds(since: $0.time) <= Self.departureTime } ?? false
  }

  /// How long after a departure a crossing comes right after it, seconds: the sentinel of a phone at rest is
  /// mostly found to be left within that time.
  private static let departureTime = PhoneTimes.usual.medianExit

  /// Counts crossings that the way to the last fix tells: what came right after a departure, and was seen by
  /// no position, counts above all.
  mutating func count(inferred crossings: Int, at time: Timestamp) {
    count(crossings, exits: crossings / 2, at: time)
  }

  /// The place of the rest that a departure has just ended, and when that was; nil where there was none
  /// within the last hundred seconds.
  func departure(before fix: Fix) -> Fix? {
    guard let departure, departure.time < fix.time, isAfterDeparture(fix.time) else { return nil }
    return Fix(time: departure.time, coordinate: departure.place)
  }

  /// Counts a crossing right after a departure, so much later than the sentinel's border, seconds.
  mutating func count(headStart: Double) { history.count(headStart: headStart) }

  /// Counts an exit of a sentinel that has woken the app so many seconds after its border was crossed.
  mutating func count(exitAfter delay: Double) { history.count(exitAfter: delay) }

  private mutating func count(_ changes: Int, exits: Int, at time: Timestamp) {
    guard changes > 0 else { return }
    if isResumed, time.seconds(since: opened) <= Self.departureTime { return }
    guard let departure, time.seconds(since: departure.time) <= Self.departureTime else {
      return history.count(changes, exits: exits, after: nil, isFirst: false)
    }
    history.count(changes, exits: exits, after: departure.rest, isFirst: !departure.isCounted)
    self.departure?.isCounted = true
  }

  /// The way to a fix from the last position, if regions may have been passed on it. A device that was at
  /// rest has left when it must have, at the speed that it has now.
  private func way(to fix: Fix) -> (start: Fix, end: Fix)? {
    guard var start = last, fix.time.seconds(since: start.time) >= Assumptions.systemWait else { return nil }
    if stop.isAtRest {
      start.coordinate = stop.mean
      start.horizontalAccuracy = stop.meanAccuracy
    }
    let distance = Geodesic.uncheckedDistance(start.coordinate, fix.coordinate)
    guard Self.wayLengths.contains(distance - fix.horizontalAccuracy) else { return nil }
    if stop.isAtRest {
      let seconds = min(distance / max(1, fix.speed), fix.time.seconds(since: start.time))
      start.time = fix.time.advanced(by: .seconds(-seconds))
    }
    return (start, fix)
  }

  /// Whether a position away from where the device rests may be of that place, its error being larger than
  /// those before. Under roofs errors of tens of metres last for minutes (MobilityNet's phones,
  /// `Data/devices`), and somebody who goes out is soon seen by satellites.
  private func wanders(to fix: Fix) -> Bool {
    stop.isAtRest && stop.isLeft(at: fix) && fix.horizontalAccuracy <= Assumptions.coarseAccuracy
      && fix.speed < Assumptions.surelyMoving
      && Geodesic.uncheckedDistance(stop.mean, fix.coordinate) <= Assumptions.coarseAccuracy
  }

  private func contradicts(_ fix: Fix) -> Bool {
    guard let last else { return false }
    if stop.isAtRest { return stop.isLeft(at: fix) }
    let distance = Geodesic.uncheckedDistance(last.coordinate, fix.coordinate)
    let least = distance - fix.horizontalAccuracy - last.horizontalAccuracy
    return least > maximumSpeed * fix.time.seconds(since: last.time)
  }
}
