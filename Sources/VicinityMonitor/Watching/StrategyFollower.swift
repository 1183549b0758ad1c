internal import VicinityCrossings
internal import VicinityGeodesy

/// Carries out what a strategy decides: what a device is asked for, from one input to the next.
struct StrategyFollower {
  /// The radius of the sentinel around a device that is followed, metres, and by how much a sentinel is wider
  /// than the last one that was left in vain: the least that works.
  private static let leastRadius = Assumptions.plan.minimumReliableRadius
  /// From a fix that decides nothing to the next request: as long as a position takes.
  private static let retryDelay = Duration.seconds(PhoneTimes.usual.position)

  private struct Updates: Hashable {
    var accuracy: DesiredAccuracy
    var distanceFilter: Meters
  }

  private let strategy: any MonitoringStrategy
  private let presence: Presence
  private let options: PlanOptions
  /// What it takes to stay awake. Where it is not cheap, whoever has the follower plans the slots, a sentinel
  /// among them.
  private(set) var wakefulness = Wakefulness.cheap
  /// The sentinel that the device has been told to watch.
  private(set) var sentinel: Slot?
  /// Whether the sentinel has been left, so that it wakes nobody any more.
  private var isSentinelLeft = false
  /// How often in this rest the system has said that the sentinel is left, and positions that the device is
  /// where it was. The two disagree about where that is, so the same sentinel would be left again at once:
  /// each next one is wider.
  private var vainExits = 0
  /// Whether the device is followed at all.
  private(set) var hasBegun = false
  /// Whether the app is kept alive.
  private(set) var isAwake = false
  /// The time of the last fix when the app was last let sleep.
  private var fixBeforeSleep: Timestamp?
  /// The tier and the filter of the updates that a strategy wants; nil where they are off.
  private var updates: Updates?
  /// Whether the last request has found no position.
  private var isWithoutPosition = false
  private var requestedFix: Timestamp?
  /// When the app was woken, until a position tells where.
  private var woken: Timestamp?
  /// How long before that the device had crossed the sentinel's border, seconds; nil where it had not.
  private var exitDelay: Double?
  /// What the device has said of slots since the last fix that told where it is.
  private var pendingReports: [SlotReport] = []
  /// What the device is to be asked, to be taken after each call.
  private var commands: [DeviceCommand] = []
  /// Decisions since they were last taken.
  private var log: [WatchLogEntry] = []
  /// When a stay has been long enough that is waited for; nil where there is none.
  var stayEnd: Timestamp?
  /// For no longer than this the app stays awake for the end of a stay.
  private static let longestWait = Duration.seconds(3600)

  /// An app that cannot stay awake waits no longer than this for a position: it is suspended some ten seconds
  /// after it was woken (*Location and Maps Programming Guide*).
  private static let longestWaitAsleep = Assumptions.plan.acquisitionTime

  init(_ strategy: any MonitoringStrategy, _ presence: Presence, _ options: PlanOptions) {
    self.strategy = strategy
    self.presence = presence
    self.options = options
  }

  /// Whether it has asked for a position, or will.
  var isLocating: Bool { isAwake || requestedFix != nil }

  /// What the device is to be asked since this was last taken.
  mutating func takeCommands() -> [DeviceCommand] {
    defer { commands.removeAll() }
    return commands
  }

  /// What was decided since this was last taken.
  mutating func takeLog() -> [WatchLogEntry] {
    defer { log.removeAll() }
    return log
  }

  /// What the device has said of slots, and no fix has told better, since this was last taken.
  mutating func takePendingReports() -> [SlotReport] {
    defer { pendingReports.removeAll() }
    return pendingReports
  }

  /// How long after its border was crossed the sentinel has woken the app, seconds, since this was last
  /// taken.
  mutating func takeExitDelay() -> Double? {
    defer { exitDelay = nil }
    return exitDelay
  }

  // MARK: Inputs

  /// Begins to follow the device, or goes on where the app has been woken: where is it?
  mutating func wake(_ tracker: borrowing FixTracker, at time: Timestamp, isTaken: (String) -> Bool) {
    if !hasBegun, presence != .quiet { commands.append(.show(presence)) }
    hasBegun = true
    decide(tracker, at: time, isAnswered: false, isTaken)
  }

  /// Regions have come or changed: where the device is among them, only a position tells.
  mutating func look(_ tracker: borrowing FixTracker, at time: Timestamp, isTaken: (String) -> Bool) {
    guard isAwake else { return wake(tracker, at: time, isTaken: isTaken) }
    request(at: time, .best)
  }

  /// Says what it takes to stay awake from now on. The next decision is to follow at once.
  mutating func setWakefulness(_ new: Wakefulness) {
    wakefulness = new
    if new != .cheap, let sentinel {
      commands.append(.unregister(identifier: sentinel.identifier))
      self.sentinel = nil
      isSentinelLeft = false
    }
    guard new == .impossible, isAwake else { return }
    isAwake = false
    updates = nil
    commands.append(.allowSleep)
  }

  /// The device has left the sentinel. While it is followed, its fixes tell as much.
  ///
  /// - Returns: Whether the app has to be woken.
  mutating func leftSentinel(at time: Timestamp) -> Bool {
    isSentinelLeft = true
    if !isAwake { woken = time }
    return !isAwake
  }

  /// The device says what a condition's state is. A good fix tells more, so its word counts only where none
  /// comes.
  ///
  /// - Parameter isNews: Whether the condition's state is another. Where it is what it was, nothing counts
  ///   any more that the device has said of it before.
  /// - Returns: Whether the app has to be woken.
  mutating func note(_ report: SlotReport, isNews: Bool, at time: Timestamp) -> Bool {
    guard isNews else {
      pendingReports.removeAll { $0.identifier == report.identifier }
      return false
    }
    guard !isAwake else { return false }
    woken = time
    pendingReports.append(report)
    return true
  }

  /// Decides what to do after a fix, accepted or contradicted.
  mutating func follow(
    _ tracker: borrowing FixTracker, at time: Timestamp, isTaken: (String) -> Bool
  ) {
    requestedFix = nil
    isWithoutPosition = false
    if !tracker.isSuspicious, !isVague(tracker) { pendingReports.removeAll() }
    let wasLeft = isSentinelLeft || sentinel == nil || isBeyondSentinel(tracker)
    if !tracker.isSuspicious { noteExit(tracker) }
    decide(tracker, at: time, isAnswered: true, isTaken)
    // Should the system end the app, a sentinel starts it again. Only a fix tells where to put it: one around
    // the position before would be found to be left at once.
    if wakefulness == .cheap, isAwake, wasLeft, !tracker.isSuspicious, let last = tracker.last {
      setSentinel(at: last.coordinate, radius: Self.leastRadius, isTaken)
    }
  }

  /// Whether the last position is of cells and has a boundary within its error: then the device's own word on
  /// its slots tells more.
  private func isVague(_ tracker: borrowing FixTracker) -> Bool {
    guard let last = tracker.last else { return true }
    return last.horizontalAccuracy > max(Assumptions.coarseAccuracy, tracker.evidence.clearance)
  }

  /// Notes how long after the device had crossed the sentinel's border the app was woken: at the speed that
  /// it has now, on the straight way. Whoever stands may have been there for long, and tells nothing.
  private mutating func noteExit(_ tracker: borrowing FixTracker) {
    guard let time = woken, let last = tracker.last, last.time >= time else { return }
    woken = nil
    // One that an earlier process has left has no place.
    guard case .circle(let center, let radius)? = sentinel?.condition, radius > 0 else { return }
    guard isBeyondSentinel(tracker), last.speed >= Assumptions.walkingSpeed else { return }
    let beyond = Geodesic.uncheckedDistance(center, last.coordinate) - radius
    exitDelay = beyond / last.speed - last.time.seconds(since: time)
  }

  /// Whether the last position is beyond the sentinel's border, whatever the system says of it.
  private func isBeyondSentinel(_ tracker: borrowing FixTracker) -> Bool {
    guard case .circle(let center, let radius)? = sentinel?.condition, let last = tracker.last else {
      return false
    }
    return Geodesic.uncheckedDistance(center, last.coordinate) > radius + last.horizontalAccuracy
  }

  /// A request was answered by a fix that decides nothing: another is needed.
  mutating func requestAgain(at time: Timestamp) {
    guard let requestedFix, requestedFix <= time else { return }
    request(at: time.advanced(by: Self.retryDelay), .best)
  }

  /// No position could be had. What the device has said of slots counts now (``takePendingReports()``).
  mutating func missFix(_ tracker: borrowing FixTracker, at time: Timestamp, isTaken: (String) -> Bool) {
    requestedFix = nil
    isWithoutPosition = true
    decide(tracker, at: time, isAnswered: true, isTaken)
  }

  /// Stops following the device: there is nothing to watch, or it is not allowed.
  mutating func end() {
    guard hasBegun else { return }
    stopUpdates()
    if let sentinel { commands.append(.unregister(identifier: sentinel.identifier)) }
    commands.append(.cancelFixRequest)
    commands.append(.allowSleep)
    if presence != .quiet { commands.append(.show(.quiet)) }
    let rest = (commands, log, wakefulness)
    self = StrategyFollower(strategy, presence, options)
    (commands, log, wakefulness) = rest
  }

  /// Takes over a sentinel that an earlier process has left. Whatever disc it had, the next decision replaces
  /// it.
  ///
  /// - Returns: Whether the identifier is a sentinel's, and there is none yet.
  mutating func adopt(_ identifier: String) -> Bool {
    guard sentinel == nil, identifier.hasPrefix(options.sentinelName + "-") else { return false }
    sentinel = Slot(
      identifier: identifier, condition: .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 0),
      isSentinel: true)
    isSentinelLeft = true
    return true
  }

  // MARK: Decisions

  /// - Parameter isAnswered: Whether a position has just come, or it has been said that there is none. Before
  ///   that an app that is not kept awake may be elsewhere.
  private mutating func decide(
    _ tracker: borrowing FixTracker, at time: Timestamp, isAnswered: Bool, _ isTaken: (String) -> Bool
  ) {
    let isAtRest = tracker.stop.isAtRest
    if !isAtRest { vainExits = 0 }
    var decision = strategy.decide(
      WatchSituation(
        now: time, fix: tracker.last, accuracy: tracker.accuracy, clearance: tracker.evidence.clearance,
        wishes: tracker.wishes.measured,
        isAmbiguous: tracker.evidence.isAmbiguous || isAnswered && !pendingReports.isEmpty,
        doubt: tracker.doubtSince.map { max(0, time.seconds(since: $0)) } ?? 0,
        isSuspicious: tracker.isSuspicious, isAtRest: isAtRest,
        restingTime: tracker.stop.restingTime(at: time), history: tracker.history, delays: tracker.delays,
        isAwake: isAwake || isAnswered && wakefulness == .impossible,
        isWithoutPosition: isWithoutPosition, wakefulness: wakefulness))
    // Woken, the device may be elsewhere: what holds where it was does not let the app sleep again.
    if !isAwake, case .sleep = decision, let fixBeforeSleep, tracker.last?.time == fixBeforeSleep {
      decision = .locate(after: .zero, .best, because: "the app was woken")
    }
    if case .sleep = decision, let stayEnd, tracker.last != nil,
      stayEnd <= time.advanced(by: Self.longestWait)
    {
      decision = .locate(
        after: max(.zero, time.duration(to: stayEnd)), .hundredMeters, because: "a stay is long enough then")
    }
    log.append(
      WatchLogEntry(
        time: time, fix: tracker.last?.time, clearance: tracker.evidence.clearance,
        accuracy: tracker.accuracy,
        isAtRest: isAtRest, decision: .watch(decision)))
    if wakefulness == .impossible { return decideAsleep(decision, tracker, at: time) }
    switch decision {
    case .locate(let delay, let accuracy, _):
      stayAwake()
      stopUpdates()
      request(at: time.advanced(by: max(.zero, delay)), accuracy)
    case .update(let accuracy, let distanceFilter, let duration, _):
      stayAwake()
      let wanted = Updates(accuracy: accuracy, distanceFilter: max(0, distanceFilter))
      if updates != wanted {
        updates = wanted
        commands.append(.startUpdates(accuracy, distanceFilter: wanted.distanceFilter))
      }
      request(at: time.advanced(by: max(.zero, duration)), accuracy)
    case .sleep(let radius, _):
      // Without a position there is nothing to put a sentinel around.
      guard let last = tracker.last else {
        stayAwake()
        return request(at: time.advanced(by: Self.retryDelay), .best)
      }
      if wakefulness == .cheap {
        if isAtRest, isSentinelLeft { vainExits += 1 }
        setSentinel(
          at: isAtRest ? tracker.stop.mean : last.coordinate,
          radius: min(radius + Double(max(1, vainExits) - 1) * Self.leastRadius, options.maximumRadius),
          isTaken)
      }
      isAwake = false
      fixBeforeSleep = last.time
      stopUpdates()
      if requestedFix != nil {
        requestedFix = nil
        commands.append(.cancelFixRequest)
      }
      // Last, because it may suspend the app.
      commands.append(.allowSleep)
    }
  }

  /// Carries out a decision of an app that cannot stay awake: a position soon, or sleep.
  private mutating func decideAsleep(
    _ decision: WatchDecision, _ tracker: borrowing FixTracker, at time: Timestamp
  ) {
    if case .locate(let delay, let accuracy, _) = decision, delay <= Self.longestWaitAsleep {
      // One that nobody could answer is not repeated at once.
      return request(at: time.advanced(by: max(isWithoutPosition ? Self.retryDelay : .zero, delay)), accuracy)
    }
    fixBeforeSleep = tracker.last?.time
    guard requestedFix != nil else { return }
    requestedFix = nil
    commands.append(.cancelFixRequest)
  }

  private mutating func stayAwake() {
    guard !isAwake else { return }
    isAwake = true
    commands.append(.stayAwake)
  }

  /// Requests a fix in place of any other request.
  private mutating func request(at time: Timestamp, _ accuracy: DesiredAccuracy) {
    requestedFix = time
    commands.append(.requestFix(by: time, accuracy: accuracy))
  }

  private mutating func stopUpdates() {
    guard updates != nil else { return }
    updates = nil
    commands.append(.stopUpdates)
  }

  /// Sets a sentinel. The new one comes first, under the other name, so that there always is one.
  private mutating func setSentinel(at center: Coordinate, radius: Meters, _ isTaken: (String) -> Bool) {
    let condition = Condition.circle(center: center, radius: radius)
    let old = sentinel
    if !isSentinelLeft, let old, old.condition == condition { return }
    let first = options.sentinelName + "-a"
    var name = old?.identifier == first ? options.sentinelName + "-b" : first
    while name == old?.identifier || isTaken(name) { name += "+" }
    let new = Slot(identifier: name, condition: condition, isSentinel: true)
    commands.append(.register(new))
    if let old { commands.append(.unregister(identifier: old.identifier)) }
    sentinel = new
    isSentinelLeft = false
  }
}
