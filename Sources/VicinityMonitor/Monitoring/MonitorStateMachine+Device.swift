internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex

// What a monitor asks of its device: slots by plans, or what a strategy decides.
extension MonitorStateMachine {
  /// What the strategy can promise among the regions that hold the slots. Where there is no phone to say what
  /// it takes to stay awake, as in a replay, it is what it takes on phones of today: little where the user
  /// may be shown it.
  var forecast: LatencyForecast? {
    let radii = device.regions.compactMap { slot in
      planner.index.ordinal(of: slot.identifier).flatMap { planner.index.enclosingRadius(of: $0) }
    }.sorted()
    guard let strategy = options.watching, let follower, !radii.isEmpty else { return nil }
    let usual: Wakefulness = options.presence == .quiet ? .costly : .cheap
    let wakefulness = isOnPhone ? follower.wakefulness : usual
    return strategy.forecast(radius: radii[radii.count / 2], wakefulness: wakefulness)
  }

  /// Brings the device's slots in line with what is watched.
  mutating func reconcileSlots() {
    let met = budget.met
    updateGivenPins(met)
    var options = self.options.plan
    if self.options.limit == .total {
      options.reserved += met.count { $0.kind == .beacon }
    }
    if planner.options.reserved != options.reserved || planner.options.pinned != watchedRegions.pinned
      || planner.options.priorities != watchedRegions.priorities
    {
      options.pinned = watchedRegions.pinned
      options.priorities = watchedRegions.priorities
      // The options were valid, and what has changed cannot make them otherwise.
      do { try planner.setOptions(options) } catch { assertionFailure("\(error)") }
    }
    if !isWatchingRegions {
      follow { follower, _, _, _ in follower.end() }
      let geographic = device.slots.values.filter { $0.condition.kind == .geographic }.map(\.identifier)
      for identifier in geographic.sorted() { device.unregister(identifier) }
      planner.reset()
      device.cancelFixRequest()
    } else {
      if follower?.hasBegun == false { wake() }
      if !plansSlots {
        registerPinned(met)
      } else if let lastFix {
        if planner.plan == nil || planner.isInvalid { plan(at: lastFix) }
      } else {
        registerWithoutFix(options.slots)
      }
    }
    for claim in met where claim.kind == .beacon && device.slots[claim.identifier] == nil {
      guard states[claim.identifier]?.isActive == true,
        let record = stored.conditions[claim.identifier]?.record
      else { continue }
      device.register(slot(for: record.condition, record.options, as: claim.identifier))
    }
  }

  /// A condition in a slot, with what its options wish.
  ///
  /// A strategy that follows the device needs all that slots tell, and so does a dwell.
  func slot(for condition: Condition, _ options: ConditionOptions, as identifier: String) -> Slot {
    let isDecidedBySlot = follower == nil && options.dwell == .zero
    return Slot(
      identifier: identifier, condition: condition,
      notifiesOnDisplay: condition.kind == .beacon && options.notifyEntryStateOnDisplay,
      notifiesOnEntry: options.notifyOnEntry || !isDecidedBySlot,
      notifiesOnExit: options.notifyOnExit || !isDecidedBySlot)
  }

  /// Whether plans decide when the device is asked for its position, and their sentinel wakes the app:
  /// without a strategy that keeps the app awake, and with one where that is not cheap. Elsewhere the planner
  /// only chooses regions for the slots that the strategy leaves free.
  var plansSlots: Bool { follower?.wakefulness != .cheap }

  /// Gives the slots that a strategy leaves free to the nearest regions, at the last fix: an exit or an entry
  /// of one wakes the app as the strategy's sentinel does.
  private mutating func fillSlots() {
    guard let fix = decider.tracker.last else { return }
    planner.adopt(device.regions.map(\.identifier), sentinel: nil)
    do {
      guard case .planned(let diff) = try planner.advance(toValidated: fix, now: max(time, fix.time)) else {
        return
      }
      perform(diff, withSentinel: false)
    } catch {
      // Planning at a valid fix does not fail; if it did, the next sentinel would be another chance.
      planner.invalidate()
    }
  }

  /// Plans at a new fix, unless it is poor and there is a sentinel that wakes the app for a better one.
  mutating func plan(atNew fix: Fix) {
    if fix.horizontalAccuracy > Self.poorAccuracy, device.sentinel != nil, !sentinelRefusals.isRefused {
      requestNextFix(by: time)
    } else {
      plan(at: fix)
    }
    if decider.contradictsReport { requestNextFix(by: time) }
  }

  /// Plans at an accepted fix, or once more at the last one, whose age counts.
  mutating func plan(at fix: Fix) {
    do {
      let decision = try planner.advance(toValidated: fix, now: max(time, fix.time))
      if case .planned(let diff) = decision {
        perform(diff)
        explain([
          WatchLogEntry(
            time: time, fix: fix.time, clearance: decider.tracker.evidence.clearance,
            accuracy: fix.horizontalAccuracy,
            isAtRest: decider.isAtRest,
            decision: .plan(
              regions: planner.plan?.registrations.count ?? 0, sentinel: planner.plan?.sentinel?.disc.radius))
        ])
      }
      if let due = planner.nextFixDue {
        requestNextFix(by: due)
      } else {
        device.cancelFixRequest()
      }
    } catch {
      // Planning at a valid fix does not fail; if it did, another fix would help.
      planner.invalidate()
      requestFix(by: time)
    }
  }

  /// Before the first fix: registers everything if there is room. Otherwise keeps what is registered, and
  /// asks for a fix.
  mutating func registerWithoutFix(_ room: Int) {
    var kept: [(number: UInt64, identifier: String)] = []
    for slot in device.regions {
      if let condition = stored.conditions[slot.identifier], condition.record.condition == slot.condition,
        states[slot.identifier]?.isActive == true
      {
        kept.append((condition.number, slot.identifier))
      }
    }
    kept.sort { $0.number < $1.number }
    let sentinel = device.sentinel
    let staying = Set(kept.prefix(max(0, room - (sentinel == nil ? 0 : 1))).map(\.identifier))
    for slot in device.regions where !staying.contains(slot.identifier) { device.unregister(slot.identifier) }
    if watchedRegions.count <= room, given.count == 0 {
      if let sentinel { device.unregister(sentinel) }
      let conditions = stored.conditions.values.filter { condition in
        condition.record.condition.kind == .geographic && states[condition.identifier]?.isActive == true
          && device.slots[condition.identifier] == nil
      }
      for condition in conditions.sorted(by: { $0.number < $1.number }) where isRegistrable(condition) {
        device.register(
          slot(for: condition.record.condition, condition.record.options, as: condition.identifier))
      }
    } else {
      requestFix(by: time)
    }
    planner.adopt(device.regions.map(\.identifier), sentinel: device.sentinel)
  }

  /// Whether a region is small enough for a slot.
  func isRegistrable(_ condition: StoredCondition) -> Bool {
    guard let ordinal = planner.index.ordinal(of: condition.identifier),
      let radius = planner.index.enclosingRadius(of: ordinal)
    else { return false }
    return radius <= options.plan.maximumRegionRadius
  }

  /// Has the device go from one plan to the next.
  ///
  /// - Parameter withSentinel: Whether the plan's sentinel is registered too.
  mutating func perform(_ diff: PlanDiff, withSentinel: Bool = true) {
    for step in diff.steps {
      switch step {
      case .registerSentinel, .unregisterSentinel:
        if !withSentinel { continue }
      case .register, .unregister: break
      }
      switch step {
      case .registerSentinel(let sentinel):
        device.register(
          Slot(
            identifier: sentinel.identifier,
            condition: .circle(center: sentinel.disc.center, radius: sentinel.disc.radius),
            isSentinel: true))
      case .unregisterSentinel(let identifier): device.unregister(identifier)
      case .register(let registration):
        let identifier = registration.identifier
        if let record = stored.conditions[identifier]?.record {
          device.register(slot(for: record.condition, record.options, as: identifier))
        } else if let region = planner.index.knownRegion(at: registration.ordinal) {
          device.register(Slot(identifier: identifier, condition: Condition(region.shape)))
        }
      case .unregister(let identifier): device.unregister(identifier)
      }
    }
  }

  /// Has the device watch a condition that it has refused, by its own report.
  ///
  /// - Returns: Why it was refused; nil for a condition that was not.
  package mutating func askAgain(for identifier: String) -> Diagnostics? {
    guard let slot = device.slots[identifier], let refusal = states[identifier]?.refusal else { return nil }
    device.register(slot)
    return refusal
  }

  /// The device does not watch a plan's sentinel: the next plan asks for another. Nothing wakes the app until
  /// then, so that one that can stay awake does.
  mutating func planWithout(_ sentinel: Slot) {
    planner.adopt(device.regions.map(\.identifier), sentinel: sentinel.identifier)
    let next = sentinelRefusals.nextAttempt(at: time)
    switch follower?.wakefulness {
    case .costly: if follower?.isLocating == false { wake() }
    // It is suspended before that. Significant changes wake it, and the plan at that position asks again.
    case .impossible where next > time: return
    default: break
    }
    requestNextFix(by: next)
  }

  /// Asks for a fix by a time, or later where the last one is younger than ``leastFixInterval``.
  mutating func requestNextFix(by time: Timestamp) {
    requestFix(by: max(time, lastFix?.time.advanced(by: Self.leastFixInterval) ?? time))
  }

  /// The least time between two fixes that plans need. A woken app has ten seconds: there is time for the fix
  /// that it was woken for, and for one more just before they end. Of 2, 5 and 9 s, 9 s noticed most
  /// crossings, for less energy than 2 s (rides and MobilityNet's days among 1,500 and 10,000 regions).
  static let leastFixInterval = Duration.seconds(9)

  /// A fix that is worse than this, metres, comes from cells, and changes no plan: it may be ten kilometres
  /// off, and a sentinel there is not left. Wi-Fi reports 65 m, cells a kilometre and more; 200, 500 and 2000
  /// m did about the same.
  private static let poorAccuracy: Meters = 500

  /// Replaces a sentinel that was left by a wider one around the same place, which the next plan replaces.
  /// Should no fix come, or a poor one, leaving that one wakes the app again; without it nothing would.
  ///
  /// The device has gone by a few hundred metres more than the old radius when that is noticed. Of 500, 1000
  /// and 2000 m, 500 noticed some more crossings, with more false reports and more energy; 2000 fewer (rides
  /// and MobilityNet's days).
  mutating func widenSentinel(_ slot: Slot) {
    guard case .circle(let center, let radius) = slot.condition, radius > 0 else { return }
    let wider = min(options.plan.maximumRadius, radius + max(radius, 1000))
    guard wider > radius else { return }
    let name = planner.sentinelName(other: slot.identifier)
    // The old one is of no use any more, and its slot may be the only free one.
    device.unregister(slot.identifier)
    device.register(
      Slot(identifier: name, condition: .circle(center: center, radius: wider), isSentinel: true))
    planner.adopt(device.regions.map(\.identifier), sentinel: name)
  }

  /// Asks for a fix, unless one has been asked for that comes early enough.
  mutating func requestFix(by time: Timestamp) {
    // A strategy's request, or its next one, comes early enough.
    if follower?.isLocating == true { return }
    device.requestFix(by: time)
  }

  // MARK: Following a strategy

  /// Lets the follower act, and passes on what it asks of the device.
  mutating func follow(
    _ act: (inout StrategyFollower, borrowing FixTracker, Timestamp, (String) -> Bool) -> Void
  ) {
    guard var follower else { return }
    self.follower = nil
    // Nothing would wake an app that sleeps without a sentinel: it looks again instead, as for a stay.
    let isRefused = sentinelRefusals.stand(at: time)
    let look = isRefused ? time.advanced(by: SentinelRefusals.lookInterval) : nil
    follower.stayEnd = [stays.nextEnd, look].compactMap { $0 }.min()
    let (index, conditions) = (planner.index, stored.conditions)
    act(&follower, decider.tracker, time) { index.ordinal(of: $0) != nil || conditions[$0] != nil }
    if let delay = follower.takeExitDelay() { decider.learn(exitAfter: delay) }
    var asked = follower.takeCommands()
    if isRefused, asked.contains(where: { $0.isOfNewSentinel }) {
      asked.removeAll { $0.isOfNewSentinel }
      // So that the next one is asked for, wherever the device is then.
      if follower.isAwake { _ = follower.leftSentinel(at: time) }
    }
    let isForLook = look != nil && follower.stayEnd == look
    explain(follower.takeLog().map { isForLook ? $0.ofRefusal : $0 })
    // There is one request at a time.
    if follower.isLocating { device.endFixRequest() }
    self.follower = follower
    let isSentinelNew = asked.contains { $0.isOfNewSentinel }
    let sleeps = asked.last == .allowSleep
    if sleeps { asked.removeLast() }
    for command in asked { device.command(command) }
    if isSentinelNew { fillSlots() }
    // Last, because it may suspend the app.
    if sleeps { device.command(.allowSleep) }
  }

  /// What it takes to stay awake has changed: where that is not cheap, the slots are planned, and significant
  /// changes wake the app, since only then it can stay awake.
  mutating func handle(_ wakefulness: Wakefulness) {
    guard let old = follower?.wakefulness, old != wakefulness else { return }
    follow { follower, _, _, _ in follower.setWakefulness(wakefulness) }
    if (old == .cheap) != (wakefulness == .cheap) {
      var services = options.wakeServices
      if plansSlots {
        services.insert(.significantChanges)
      } else {
        if let sentinel = device.sentinel { device.unregister(sentinel) }
        planner.reset()
        device.cancelFixRequest()
      }
      device.command(.wake(by: services))
    }
    let follows = follower?.hasBegun == true
    reconcileSlots()
    if follows { wake() }
  }

  /// Begins to follow the device, or goes on where the app has been woken.
  mutating func wake() {
    guard isWatchingRegions else { return }
    if follower == nil { requestNextFix(by: time) }
    follow { $0.wake($1, at: $2, isTaken: $3) }
  }

  /// Regions have come or changed: where the device is among them, only a position tells a strategy.
  mutating func look() {
    guard isWatchingRegions else { return }
    follow { $0.look($1, at: $2, isTaken: $3) }
  }

  /// How long after a fix that could not be had another one is asked for. Assumed: a phone under a roof has
  /// moved, or found networks, by then.
  private static let missingFixInterval = Duration.seconds(10)

  /// No position could be had: what the device has said of its slots counts.
  mutating func handleMissingFix() {
    device.endFixRequest()
    guard isWatchingRegions else { return }
    for report in takeHeldReports() { decide(report, isInside: report.state == .satisfied) }
    // Without a fix there is no plan, and without a plan nothing else may ask.
    guard follower != nil else { return requestNextFix(by: time.advanced(by: Self.missingFixInterval)) }
    decidePendingReports()
    follow { $0.missFix($1, at: $2, isTaken: $3) }
  }

  /// Takes the device's word for what no fix has told better.
  mutating func decidePendingReports() {
    for report in follower?.takePendingReports() ?? [] {
      decide(report, isInside: report.state == .satisfied)
    }
  }

  /// Registers the pinned regions that have a claim to a slot.
  mutating func registerPinned(_ met: [SlotBudget.Claim]) {
    for claim in met where claim.kind == .geographic && device.slots[claim.identifier] == nil {
      guard states[claim.identifier]?.isActive == true,
        let condition = stored.conditions[claim.identifier], isRegistrable(condition)
      else { continue }
      device.register(slot(for: condition.record.condition, condition.record.options, as: claim.identifier))
    }
  }

  /// Takes over the slots that an earlier process has left: those of conditions stay, and so does a sentinel
  /// until the next one stands. What nobody wants any more goes.
  mutating func adopt(_ identifiers: [String]) {
    for identifier in identifiers where stored.conditions[identifier]?.record.condition.kind != .beacon {
      device.found(identifier, isSentinel: isSentinelName(identifier))
    }
    for identifier in identifiers
    where device.slots[identifier] == nil && follower?.sentinel?.identifier != identifier {
      if let slot = slot(leftAs: identifier) {
        device.adopt(slot)
      } else if !plansSlots, follower?.adopt(identifier) == true, let sentinel = follower?.sentinel {
        device.command(.adopt(sentinel))
      } else {
        device.command(.unregister(identifier: identifier))
      }
    }
    guard plansSlots else { return }
    planner.adopt(device.regions.map(\.identifier), sentinel: device.sentinel)
    // Whatever was missed while no process ran: where is the device?
    if isWatchingRegions { requestFix(by: time) }
  }

  /// What an earlier process had in a slot with an identifier; nil for what is not wanted now.
  func slot(leftAs identifier: String) -> Slot? {
    if states[identifier]?.isActive == true,
      let record = stored.conditions[identifier]?.record
    {
      return slot(for: record.condition, record.options, as: identifier)
    }
    if let ordinal = givenOrdinal(of: identifier), let region = planner.index.knownRegion(at: ordinal) {
      return Slot(identifier: identifier, condition: Condition(region.shape))
    }
    // Without a fix, all regions may have been registered already, and there may be no room for more.
    guard plansSlots, device.sentinel == nil, isSentinelName(identifier),
      device.regions.count < planner.options.slots
    else { return nil }
    // Whatever disc it had, the next plan replaces it.
    return Slot(
      identifier: identifier, condition: .circle(center: Coordinate(latitude: 0, longitude: 0), radius: 0),
      isSentinel: true)
  }

  private func isSentinelName(_ identifier: String) -> Bool {
    identifier.hasPrefix(options.plan.sentinelName + "-")
  }
}

extension DeviceCommand {
  fileprivate var isOfNewSentinel: Bool {
    if case .register(let slot) = self { slot.isSentinel } else { false }
  }
}
