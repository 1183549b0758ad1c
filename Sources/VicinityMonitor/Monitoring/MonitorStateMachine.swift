package import VicinityCrossings
package import VicinityIndex

/// What a monitor decides, without a clock, a store or a device. Conditions, fixes, sightings and times go
/// in; changes for the store, commands for the device and events come out.
///
/// Deterministic: the same calls make the same events, commands and changes. ``Monitor`` and
/// ``RegionMonitoringService`` carry them out.
///
/// ## Deciding
/// The state of a region is what was decided last: by the crossing rule at a fix, or by the device for a
/// slot. The state of a beacon follows from sightings. An event is made when the state differs from that of
/// the last event made. Every event gets the next number and is stored before it is delivered; all are
/// delivered, in the order of their numbers.
///
/// ## Order
/// The events that one input makes are numbered by date. Of the same date, those of regions of the index come
/// first, in its order, and then those of conditions, in the order in which they were added. The order does
/// not depend on which conditions have been suspended in between, or on when the process was started.
package struct MonitorStateMachine: ~Copyable {
  /// What is to be done, in this order: store the changes, all or none; then have the device perform the
  /// commands.
  package struct Actions: Hashable, Sendable {
    package var changes: [RecordChange] = []
    package var commands: [DeviceCommand] = []
    /// Why.
    package var log: [WatchLogEntry] = []
  }

  /// What has been determined of a condition: an event without a number.
  typealias Determination = MonitoringEvent

  package let options: MonitorOptions
  /// What is allowed now.
  package private(set) var environment: MonitorEnvironment
  /// What is stored, and the events to be delivered.
  package var journal: EventJournal
  package var stored: StoredMonitor { journal.stored }
  /// Whether the store accepts changes.
  package var isPersistent: Bool { journal.isPersistent }

  /// The conditions whose last event says that they are satisfied, with the dates of these events.
  package var inside: [String: Timestamp] {
    isWithoutRegions ? states.inside.filter { !isWithoutRegion($0.key) } : states.inside
  }
  /// Whether the monitor was opened without the index that some of its records are of.
  var isWithoutRegions = false

  // Parts with states of their own, which change only by what they offer. The rest changes in this file
  // alone.
  var states = ConditionStates()
  /// Holds the index of all regions that are watched.
  var planner: RegistrationPlanner<MonitoredIndex>
  var given: GivenRegions
  /// Decides which regions the device is in.
  var decider: RegionDecider
  /// Carries out the strategy, where it is not one of plans.
  var follower: StrategyFollower?
  var beacons: BeaconConditions
  var watchedRegions: WatchedRegions
  var budget: SlotBudget
  var device = DeviceSlots()
  var sentinelRefusals = SentinelRefusals()
  /// Stays that are not yet long enough for their events.
  var stays = PendingStays()
  /// What the device has said of slots against what is known, where it was at rest: the next fix tells
  /// whether it still is.
  private var heldReports: [SlotReport] = []
  /// The regions of which the device has reported a visit, or the end of one, since the last accepted fix.
  private var toldBySlot: Set<String> = []
  /// The regions whose entry the device has reported, and not yet the exit.
  private var enteredBySlot: Set<String> = []
  /// The last accepted fix; nil after the clock has been set back.
  private(set) var lastFix: Fix?
  /// Whether there is a phone that says so where staying awake takes more than little.
  private(set) var isOnPhone = false
  private var log: [WatchLogEntry] = []
  private(set) var time: Timestamp

  /// A machine that goes on from what is stored.
  ///
  /// - Parameters:
  ///   - stored: What a store has loaded; empty for a new monitor.
  ///   - regions: Regions that are watched beside those that are added, and not stored; the device is assumed
  ///     to be in none.
  ///   - regionOptions: How these are treated.
  ///   - options: How the monitor works.
  ///   - environment: What is allowed now.
  ///   - now: The present time.
  /// - Throws: ``MonitorError`` for options out of their ranges, and for stored conditions that are not
  ///   valid.
  /// - Complexity: O(n log n) for n stored conditions, and as much for the regions where a rule decides; O(1)
  ///   for them otherwise.
  package static func restored(
    from stored: StoredMonitor = StoredMonitor(), regions: RegionIndex? = nil,
    regionOptions: RegionOptions = RegionOptions(),
    options: MonitorOptions = MonitorOptions(),
    environment: MonitorEnvironment = MonitorEnvironment(), now: Timestamp
  ) throws(MonitorError) -> MonitorStateMachine {
    try regionOptions.check()
    try options.check()
    if let dwell = options.crossings?.dwell { throw .dwellNotSupported(dwell) }
    if options.crossings != nil, let strategy = options.watching {
      throw .ruleNotSupported(strategy: strategy.name)
    }
    guard options.storeRetryInterval > .zero else {
      throw .intervalNotPositive(option: "store retry interval", value: options.storeRetryInterval)
    }
    let beacons: BeaconConditions
    do { beacons = try BeaconConditions(timeout: options.beaconTimeout) } catch {
      throw .beaconOptions(error)
    }
    let decider: RegionDecider
    do {
      decider = try RegionDecider(
        rule: options.crossings,
        tracker: FixTracker(
          opened: now, lastTime: stored.lastFixTime, history: stored.history,
          maximumSpeed: options.plan.maximumSpeed))
    } catch {
      throw .crossingOptions(error)
    }
    var index: MonitoredIndex
    do throws(RegionError) {
      if let regions { index = .packed(regions) } else { index = .updatable(try UpdatableRegionIndex()) }
      if options.crossings != nil { try index.update { _ throws(RegionError) in } }
    } catch {
      throw .condition(identifier: "", error)
    }
    var options = options
    // An app that slots alone wake has nothing else to wake it where a plan is saturated.
    options.plan.wakesWhenSaturated = true
    let planner: RegistrationPlanner<MonitoredIndex>
    do { planner = try RegistrationPlanner(index, options: options.plan) } catch {
      throw .planOptions(error)
    }
    let given = GivenRegions(count: planner.index.count, options: regionOptions)
    var machine = MonitorStateMachine(stored, given, options, environment, now, beacons, decider, planner)
    if !options.wakeServices.isEmpty { machine.device.command(.wake(by: options.wakeServices)) }
    if let regions { machine.admitRecords(of: regions) }
    machine.isWithoutRegions = regions == nil && machine.stored.conditions.values.contains(where: \.isGiven)
    let conditions = machine.stored.conditions.values.sorted { $0.number < $1.number }
    for condition in conditions {
      let event = condition.record.lastEvent
      machine.states.begin(condition.identifier, assuming: event.state)
      if event.sequenceNumber > 0 { machine.states.decide(event) }
      if condition.isGiven {
        guard given.count > 0 else { continue }
        machine.states.setActive(true, condition.identifier)
        if let claim = condition.claim { machine.budget.insert(claim) }
      } else {
        machine.requestSlot(for: condition)
      }
    }
    for number in stored.events.keys.sorted() {
      if let event = stored.events[number] { machine.states.decide(event) }
    }
    machine.admitGiven(conditions)
    try machine.applyGivenOptions(regions)
    try machine.updateSuspensions(of: conditions, isKnown: true)
    machine.reconcileSlots()
    return machine
  }

  private init(
    _ stored: StoredMonitor, _ given: GivenRegions, _ options: MonitorOptions,
    _ environment: MonitorEnvironment, _ now: Timestamp, _ beacons: BeaconConditions,
    _ decider: consuming RegionDecider,
    _ planner: consuming RegistrationPlanner<MonitoredIndex>
  ) {
    journal = EventJournal(stored)
    self.options = options
    self.environment = environment
    self.beacons = beacons
    self.decider = decider
    self.given = given
    watchedRegions = WatchedRegions(count: given.count)
    self.planner = planner
    follower = options.watching.map { StrategyFollower($0, options.presence, options.plan) }
    if let last = stored.lastFixTime {
      if now.duration(to: last) > Self.relaunchTolerance {
        // The clock was set back while no process ran: what follows is later all the same.
        self.decider.setClock()
      } else {
        self.decider.resume(after: last)
      }
    }
    time = now
    budget = SlotBudget(options.limit, slots: options.plan.slots, sharing: given.count)
  }

  // MARK: Inputs

  /// Lets time pass. The clock may have been set back.
  package mutating func advance(to now: Timestamp) {
    if now < time { setClock(to: now) }
    time = now
    makeEvents(determinations(beacons.advance(to: now)))
    for stay in inOrder(stays.take(until: now)) { announce(stay) }
  }

  /// When time alone changes something: the time to call ``advance(to:)``; nil when it will not.
  package var nextDeadline: Timestamp? {
    [beacons.nextDeadline, stays.nextEnd].compactMap { $0 }.min()
  }

  /// A clock may go back by this much without having been set.
  private static let clockTolerance = Duration.seconds(1)
  /// The last stored fix may be ahead of the clock of the next process by this much: fixes that are fed in
  /// faster than they were made are. People set clocks by hours.
  private static let relaunchTolerance = Duration.seconds(300)

  /// The clock has been set back: what follows is later all the same.
  private mutating func setClock(to now: Timestamp) {
    guard now.duration(to: time) > Self.clockTolerance else { return }
    decider.setClock()
    lastFix = nil
    // For the next process, too, which may begin before there is another fix.
    if let last = stored.lastFixTime, last > now { change(.seen(now)) }
    planner.reset()
    planner.adopt(device.regions.map(\.identifier), sentinel: device.sentinel)
    beacons.setClock(to: now)
    stays.setClock(to: now)
  }

  /// Handles what a monitor is told.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it, which changes nothing;
  ///   ``MonitorError/condition(identifier:_:)`` where there is no memory.
  package mutating func receive(_ input: MonitorInput, at now: Timestamp) throws(MonitorError) {
    advance(to: now)
    switch input {
    case .fix(let fix): try handle(fix)
    case .noFix: handleMissingFix()
    case .existingSlots(let identifiers):
      isOnPhone = true
      adopt(identifiers)
    case .sighting(let sighting): makeEvents(determinations(beacons.see(sighting)))
    case .slot(let report): handle(report)
    case .environment(let environment):
      sentinelRefusals.end()
      try handle(environment)
    case .woken: wake()
    case .wakefulness(let wakefulness):
      isOnPhone = true
      handle(wakefulness)
    }
  }

  /// How far ahead of the clock a fix may be: more than any time zone, and less than what receivers get wrong
  /// where they count weeks.
  private static let farthestAhead = Duration.seconds(86_400)

  private mutating func handle(_ fix: Fix) throws(MonitorError) {
    guard time.duration(to: fix.time) <= Self.farthestAhead else {
      requestAgain()
      throw .fixAhead(fix.time, now: time)
    }
    // What is not watched must not be decided. A rule sees where the device is all the same, as long as it
    // knows the regions that are in the index.
    guard decider.isByRule ? given.suspension.isEmpty : isWatchingRegions else { return }
    let wasAtRest = decider.isAtRest
    let outcome: FixTracker.Outcome
    do {
      outcome = try decider.handle(fix, now: time, isVouched: !heldReports.isEmpty, in: planner.index)
    } catch {
      requestAgain()
      throw .fix(error)
    }
    guard outcome != .dropped else { return requestAgain() }
    defer { if outcome == .accepted { toldBySlot.removeAll() } }
    // The fix that was asked for has come.
    device.endFixRequest()
    if outcome == .accepted {
      note(fix)
      let history = decider.tracker.history
      if history != stored.history { change(.counted(history)) }
      let index = planner.index
      let decided = decider.decisions.compactMap { Self.determination($0, in: index) }
      // What was passed on the way and reported by its slot has been told.
      makeEvents(
        decided.filter { !$0.diagnostics.contains(.inferred) || !toldBySlot.contains($0.identifier) })
      settleHeldReports(wasAtRest: wasAtRest)
    }
    if follower != nil {
      follow { $0.follow($1, at: $2, isTaken: $3) }
      // No better one is to come.
      if follower?.isLocating == false { decidePendingReports() }
      if !plansSlots { return }
    }
    // One that contradicts those before changes no plan until another agrees with it.
    guard outcome == .accepted else { return requestFix(by: fix.time.advanced(by: Self.leastFixInterval)) }
    if isWatchingRegions, let lastFix { plan(atNew: lastFix) }
  }

  /// What was decided of a region that is known.
  private static func determination(
    _ decision: RegionDecider.Decision, in index: MonitoredIndex
  ) -> Determination? {
    index.knownIdentifier(of: decision.region).map {
      Determination(
        identifier: $0, state: decision.isInside ? .satisfied : .unsatisfied, date: decision.time,
        diagnostics: decision.isInferred ? .inferred : [])
    }
  }

  /// A request was answered by a fix that decides nothing: another is needed.
  private mutating func requestAgain() { follow { follower, _, time, _ in follower.requestAgain(at: time) } }

  private mutating func note(_ fix: Fix) {
    lastFix = fix
    change(.seen(fix.time))
  }

  private mutating func handle(_ report: SlotReport) {
    if follower?.sentinel?.identifier == report.identifier {
      sentinelRefusals.note(report.state, at: time)
      if report.state != .satisfied, follower?.leftSentinel(at: time) == true { wake() }
      return
    }
    // Reports may still come of what has left its slot; they no longer count.
    guard let slot = device.slots[report.identifier] else { return }
    if slot.isSentinel {
      sentinelRefusals.note(report.state, at: time)
      guard report.state != .satisfied else { return }
      if report.state == .unsatisfied { widenSentinel(slot) }
      planner.invalidate()
      if report.state == .unmonitored { return planWithout(slot) }
      if follower?.isLocating == false { wake() }
      requestNextFix(by: time)
      return
    }
    guard report.state != .unknown, !isOutdated(report) else { return }
    let isInside = report.state == .satisfied
    // A region that has its slot only because it was free is watched by positions all the same. The device
    // gives it up too: where it accepted the region later, nobody would want what it watches.
    if report.state == .unmonitored, !plansSlots, slot.condition.kind == .geographic,
      !watchedRegions.pinned.contains(report.identifier)
    {
      device.unregister(report.identifier)
      return
    }
    if follower != nil, slot.condition.kind == .geographic, report.state != .unmonitored {
      let isIn = stays.contains(report.identifier) || state(of: report.identifier)?.isInside == true
      if follower?.note(report, isNews: isIn != isInside, at: time) == true { wake() }
      return
    }
    dropHeldReport(of: report.identifier)
    if isHeld(report, isInside: isInside) {
      heldReports.append(report)
      return requestFix(by: time)
    }
    decide(report, isInside: isInside)
    // The app is awake, and where the plan does not hold that is a chance to make a better one.
    if follower == nil, planner.isInvalid || planner.plan?.saturation != nil {
      requestNextFix(by: sentinelRefusals.nextAttempt(at: time))
    }
  }

  /// Whether a report must wait for a fix: where the device was last known to rest, its own regions are left
  /// and entered again by errors that wander, as positions are.
  private func isHeld(_ report: SlotReport, isInside: Bool) -> Bool {
    guard follower == nil, decider.isAtRest, report.state != .unmonitored,
      planner.index.ordinal(of: report.identifier) != nil, let last = state(of: report.identifier)
    else { return false }
    return last.isInside == !isInside
  }

  /// Decides about held reports at an accepted fix. Where the device still rests, the mean of its positions
  /// has decided, and so it has where it has gone and its position agrees with what was known; otherwise the
  /// report counts.
  private mutating func settleHeldReports(wasAtRest: Bool) {
    guard !heldReports.isEmpty else { return }
    let reports = takeHeldReports()
    if wasAtRest, decider.isAtRest { return }
    for report in reports {
      guard let ordinal = planner.index.ordinal(of: report.identifier),
        decider.disagrees(ordinal)
      else { continue }
      decide(report, isInside: report.state == .satisfied)
    }
  }

  mutating func takeHeldReports() -> [SlotReport] {
    defer { heldReports = [] }
    return heldReports
  }

  mutating func dropHeldReport(of identifier: String) {
    heldReports.removeAll { $0.identifier == identifier }
  }

  /// Whether a device's memory of a condition is older than what is known of it.
  private func isOutdated(_ report: SlotReport) -> Bool {
    guard report.isRecalled, let condition = stored.conditions[report.identifier] else { return false }
    let waiting = stored.events.values.lazy.filter { $0.identifier == report.identifier }.map(\.date).max()
    let last = condition.record.lastEvent
    return [waiting, last.sequenceNumber > 0 ? last.date : nil].compactMap { $0 }.contains {
      report.date <= $0
    }
  }

  /// Takes a device's word for the state of a condition.
  mutating func decide(_ report: SlotReport, isInside: Bool) {
    let wasInside = state(of: report.identifier)?.isInside == true
    makeEvents([
      Determination(
        identifier: report.identifier, state: report.state, date: report.date,
        refinement: isInside ? report.refinement : nil,
        diagnostics: report.state == .unmonitored ? report.diagnostics : [])
    ])
    states.setRefusal(report.state == .unmonitored ? report.diagnostics : nil, of: report.identifier)
    guard report.state != .unmonitored else { return }
    // An exit from where the device was not known to be tells no visit, unless a slot had told its entry and
    // a fix its end.
    let wasEntered =
      isInside
      ? enteredBySlot.insert(report.identifier).inserted
      : enteredBySlot.remove(report.identifier) != nil
    if isInside || wasInside || wasEntered { toldBySlot.insert(report.identifier) }
    if let ordinal = planner.index.ordinal(of: report.identifier) {
      decider.report(ordinal, isInside: isInside)
    } else {
      states.setVouched(isInside, report.identifier)
    }
  }

  /// The state of the last event made of a condition.
  private func state(of identifier: String) -> MonitoringState? {
    if let known = states[identifier] { return known.state }
    return givenOrdinal(of: identifier) == nil ? nil : .unsatisfied
  }

  private mutating func handle(_ new: MonitorEnvironment) throws(MonitorError) {
    guard new != environment else { return }
    let changed = Condition.Kind.allCases.filter {
      environment.diagnostics(for: $0) != new.diagnostics(for: $0)
    }
    environment = new
    guard !changed.isEmpty else { return }
    let conditions = stored.conditions.values.filter { changed.contains($0.record.condition.kind) }
    try updateSuspensions(of: conditions.sorted { $0.number < $1.number }, isKnown: false)
    let follows = follower?.hasBegun == true
    reconcileSlots()
    // A strategy that begins to follow the device with this has asked where it is.
    if changed.contains(.geographic), follower == nil || follows { wake() }
  }

  /// Whether regions are watched: there are some, and nothing suspends them.
  var isWatchingRegions: Bool {
    watchedRegions.count > 0 && environment.diagnostics(for: .geographic).isEmpty
  }

  /// What changes of beacon identities mean to the conditions about them.
  func determinations(_ changes: [BeaconPresence.Change]) -> [Determination] {
    var result: [Determination] = []
    for change in changes {
      // A phone reports its slots, and need not report sightings.
      if change.state == .unsatisfied, isVouched(change.identity) { continue }
      for identifier in beacons[change.identity] {
        result.append(
          Determination(
            identifier: identifier, state: change.state, date: change.date, refinement: change.refinement))
      }
    }
    return result
  }

  /// Whether the device says that a beacon of an identity is in range.
  func isVouched(_ identity: BeaconIdentity) -> Bool {
    beacons[identity].contains { states[$0]?.isVouched == true }
  }

  package var fixCounts: FixCounts { decider.counts }

  /// The plan in force; nil before the first fix, and while no region is watched.
  package var plan: Plan? { planner.plan }

  // MARK: Events

  /// What is to be done since this was last asked.
  package mutating func takeActions() -> Actions {
    defer { log = [] }
    return Actions(
      changes: journal.takeChanges(), commands: device.takeCommands(room: planner.options.slots), log: log)
  }

  /// Says why, in the log.
  mutating func explain(_ entries: [WatchLogEntry]) { log += entries }

  mutating func change(_ change: RecordChange) { journal.change(change) }

  /// Makes events of what one input has determined: in the order of the dates, then in that in which the
  /// conditions were added, then as given, which is the order in time for one condition.
  mutating func makeEvents(_ determinations: [Determination]) {
    for determination in inOrder(determinations) { makeEvent(determination) }
  }

  /// Determinations in the order in which events are numbered.
  private func inOrder(_ determinations: [Determination]) -> [Determination] {
    guard determinations.count > 1 else { return determinations }
    let numbers = determinations.map { determination -> UInt64 in
      if let ordinal = givenOrdinal(of: determination.identifier) { return UInt64(ordinal) }
      return UInt64(given.count) + (stored.conditions[determination.identifier]?.number ?? 0)
    }
    let order = determinations.indices.sorted { a, b in
      (determinations[a].date, numbers[a], a) < (determinations[b].date, numbers[b], b)
    }
    return order.map { determinations[$0] }
  }

  /// Makes an event where the state differs from that of the last event.
  private mutating func makeEvent(_ determination: Determination) {
    let identifier = determination.identifier
    if determination.state == .satisfied, let dwell = dwell(of: identifier) {
      if state(of: identifier) != .satisfied { stays.begin(determination, for: dwell) }
      return
    }
    if let stay = stays.end(identifier, at: determination.date) { announce(stay) }
    announce(determination)
  }

  /// How long the device must stay for an entry; nil where it need not.
  private func dwell(of identifier: String) -> Duration? {
    let options = stored.conditions[identifier]?.record.options ?? given.options.options(of: identifier)
    return options.dwell > .zero ? options.dwell : nil
  }

  /// Makes an event where the state differs from that of the last event, whatever the dwell time.
  private mutating func announce(_ determination: Determination) {
    let identifier = determination.identifier
    guard let last = state(of: identifier), last != determination.state else { return }
    if states[identifier] == nil { store(givenRegion: identifier) }
    states.decide(determination)
    journal.enqueue(determination)
  }

  /// What suspends a condition; empty while it is watched, nil where there is none.
  package func suspension(of identifier: String) -> Diagnostics? {
    if givenOrdinal(of: identifier) != nil { return given.suspension }
    return isWithoutRegion(identifier) ? nil : states[identifier]?.suspension
  }

  /// Whether a record is of a region of an index that the monitor was opened without, so that nothing watches
  /// it.
  private func isWithoutRegion(_ identifier: String) -> Bool {
    isWithoutRegions && stored.conditions[identifier]?.isGiven == true
  }

  /// How many records there are of regions of an index that the monitor was opened without.
  ///
  /// - Complexity: O(records) where there are some; O(1) otherwise
  package var recordsWithoutRegions: Int {
    isWithoutRegions ? stored.conditions.values.count(where: \.isGiven) : 0
  }

  /// The identifiers of the conditions that were added, in the order of adding.
  package var addedIdentifiers: [String] {
    stored.conditions.values.filter { !$0.isGiven }.sorted { $0.number < $1.number }.map(\.identifier)
  }

  /// Stores a condition anew, with its undelivered events, which storing it drops.
  mutating func restore(_ condition: StoredCondition) {
    let events = stored.events.values.filter { $0.identifier == condition.identifier }
    change(.put(condition))
    for event in events.sorted(by: { $0.sequenceNumber < $1.sequenceNumber }) { change(.enqueue(event)) }
  }

  /// The user has been told of the stay in progress, which an event began; 0 for not.
  package mutating func notified(_ identifier: String, sequenceNumber: UInt64) {
    guard stored.conditions[identifier] != nil else { return }
    change(.notified(identifier: identifier, sequenceNumber: sequenceNumber))
  }
}
