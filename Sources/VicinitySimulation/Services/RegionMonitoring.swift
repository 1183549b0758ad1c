internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor

/// The regions that the system monitors for the app.
///
/// They belong to the system: they stay when the app's process ends, and their events start it again.
///
/// ## When the system checks the position
/// A *check* measures a position and decides which regions have been entered or left. There is one
/// - some time after the phone begins to move (``RegionMonitoringProfile/wakeDelay``), and then at intervals
///   while it moves (``RegionMonitoringProfile/interval``);
/// - when it comes to rest, and two more at intervals, so that pending decisions are completed. A phone that
///   moves on before then is checked without the wake delay;
/// - now and then while it stays at rest (``RegionMonitoringProfile/restInterval``): a phone scans for
///   networks whether it moves or not. Of what is published, only Android's guide is about this: the latency
///   of a phone that has been at rest for long is up to six minutes (*Create and monitor geofences*,
///   developer.android.com);
/// - when a network can be heard again, after airplane mode or where there was none;
/// - when the time to remain beyond a cushion is over;
/// - at once for a region of unknown state, unless the phone's position was known 10 s before;
/// - for every good position of the standard service, because the system has it anyway; not by the guides'
///   rules (``BackgroundRules/watchesRegionsApart``). Good means an accuracy of 100 m or better, and not from
///   cells alone.
///
/// After any check the next regular one follows an interval later.
///
/// So a phone that comes to rest 40 m inside a circle of 100 m is noticed at once or within some minutes, as
/// published tests of arrivals report: at a circle of 60 m, 95 of about 100 arrivals were told (*iOS 7.1
/// Background Ranging and Geofencing*, Radius Networks 2014).
///
/// While the phone has not moved since a region was registered, checks find the state that held then, and no
/// crossing: nothing is told. A position inside makes that state inside; none after it makes it outside,
/// since nobody leaves without moving. By the guide an event is a boundary that the user's position crosses
/// (*Location and Maps Programming Guide*, "Region Monitoring and iBeacon"); that a phone knows from its
/// motion sensors when it lies still is assumed. Once it has moved, an error of a position can tell a
/// crossing that was none, as phones do.
///
/// None of these limits is published, nor how much the system uses positions of other services; they are
/// assumed.
struct RegionMonitoringState: ~Copyable {
  enum Message {
    /// The new state of a registration; released after it was withheld.
    case crossed(number: Int, RegionState, isReleased: Bool = false)
    case determined(RegionState, region: String)
    /// The display was turned on inside a region that wants to be told.
    case displayed(number: Int)
    case failed(region: String, RegionMonitoringError)
  }

  struct Delivery {
    var time: Timestamp
    var message: Message
  }

  static let goodAccuracy: Meters = 100
  static let freshness = 10.0
  static let checksAtRest = 2

  let slots: RegionSlots
  /// What `CLMonitor` remembers: the last event of each condition that the app was told of.
  var records: [String: SlotReport] = [:]
  var source: PositionSource
  let positions: TierPositions
  var random: RandomStream
  /// What the app will be told, ordered by time.
  var deliveries: [Delivery] = []
  /// The next regular check; nil without circles.
  var nextCheck: Timestamp?
  /// How long after the last check the next regular one is due at the earliest, seconds.
  var leastInterval = 0.0
  /// The next check out of turn.
  var extraCheck: Timestamp?
  /// How many checks at the shorter interval of motion remain after the phone came to rest.
  var checksLeft = 0
  var lastCheck: Timestamp?
  /// The registrations whose entries are withheld, by ``BackgroundRules/withholdsEntries`` or
  /// ``PhoneFault/withheldEntries``.
  var withheld: [Int] = []
  /// The last callback in which a region was removed, the one in which regions were added, and those.
  var removalTurn = 0
  var additionTurn = 0
  var additions: [Int] = []
  /// What ``PhoneFault/lostAdditions`` draws.
  var faults: RandomStream
  /// Since when the phone lies still; nil while it moves.
  var stillSince: Timestamp?
  /// Why no region is watched now; empty while they are.
  var suspension: Diagnostics = []
  /// Why the device cannot watch regions of a kind now, as of the last change.
  var missing: [Condition.Kind: Diagnostics] = [:]

  func isWatching(_ kind: Condition.Kind) -> Bool { suspension.isEmpty && missing[kind, default: []].isEmpty }

  init(_ scenario: Scenario) {
    slots = RegionSlots(scenario.profile.regions, cushion: scenario.rules.regionCushion)
    source = PositionSource(seed: scenario.seed, "regions/positions")
    positions = TierPositions(
      scenario.profile.regions.positions, ways: scenario.profile.regions.ways, of: scenario.profile)
    random = RandomStream(seed: scenario.seed, "regions/times")
    faults = RandomStream(seed: scenario.seed, "faults/additions")
  }

  /// Queues a message. Crossings are delivered in the order in which they were decided.
  mutating func queue(_ message: Message, at time: Timestamp) {
    var time = time
    if case .crossed = message {
      for delivery in deliveries {
        if case .crossed = delivery.message { time = max(time, delivery.time) }
      }
    }
    let index = deliveries.firstIndex { $0.time > time } ?? deliveries.count
    deliveries.insert(Delivery(time: time, message: message), at: index)
  }

  /// Drops the crossings of regions of a kind that the app has not been told of.
  mutating func cancelCrossings(of kind: Condition.Kind) {
    deliveries.removeAll {
      if case .crossed(let number, _, _) = $0.message {
        slots.slot(number: number)?.region.kind == kind
      } else {
        false
      }
    }
  }
}

// MARK: What apps ask

extension SimulatedPhone {
  /// The monitored regions, circles and beacons, in order of registration.
  public var monitoredRegions: [MonitoredRegion] { regions.slots.slots.map(\.region) }

  /// Monitors a region until it is stopped, also while the app does not run. It replaces a region with the
  /// same identifier.
  ///
  /// The state at registration is not reported. Adding an equal region again has no effect. A region is
  /// refused, with `PhoneEvent.monitoringFailed`, when all ``RegionMonitoringProfile/slots`` are taken or
  /// other apps leave none of the system's (``BackgroundRules/systemRegionLimit``), with a radius above
  /// ``maximumRegionRadius``, without "always" authorization (see ``BackgroundRules/monitorsWhenInUse``), at
  /// reduced accuracy, without the hardware or with its radio switched off, and when it is invalid. A region
  /// that is monitored already is refused for the same reasons: it stays, and is watched again when they are
  /// gone.
  public func startMonitoring(_ region: MonitoredRegion) {
    let known = regions.slots.index(of: region.identifier)
    // What is added to a `CLMonitor` under an identifier that is in use is ignored.
    if slotService == .conditionMonitor, known != nil { return }
    if let error = refusal(of: region, isKnown: known != nil) {
      regions.queue(.failed(region: region.identifier, error), at: now)
      return armRegions()
    }
    if let known, regions.slots.slots[known].region == region { return }
    if known == nil, losesAddition(after: regions.removalTurn) {
      return record(.lost("\(region.identifier): the addition was lost"))
    }
    let wasCircle = known.map { regions.slots.slots[$0].isCircle }
    if known != nil { record(.unregistered(region: region.identifier)) }
    if known != nil { counts.unregistrations += 1 }
    let slot = regions.slots.add(region, at: now)
    counts.registrations += 1
    record(.registered(region))
    noteAddition(of: regions.slots.slots[slot].number)
    if wasCircle == false || region.kind == .beacon { beaconRegionsChanged() }
    if region.kind == .beacon {
      if wasCircle == true, regions.slots.circleCount == 0 { watchRegions() }
      return armRegions()
    }
    if !scenario.rules.watchesRegionsApart, let fix = standard.lastKnown,
      now.seconds(since: fix.time) <= RegionMonitoringState.freshness,
      fix.horizontalAccuracy <= RegionMonitoringState.goodAccuracy,
      case .circle(let center, let radius) = region.area
    {
      let distance = Geodesic.simulatedDistance(fix.coordinate, center) - radius
      regions.slots.setInside(distance <= 0, of: slot)
    } else {
      regions.extraCheck = now
    }
    if regions.slots.circleCount == 1 { watchRegions() }
    armRegions()
  }

  /// Stops monitoring the region with an identifier. Events that are not delivered yet are discarded.
  public func stopMonitoring(identifier: String) {
    regions.records[identifier] = nil
    remove(identifier)
    loseAdditions()
  }

  private func remove(_ identifier: String) {
    guard let removed = regions.slots.remove(identifier) else { return }
    regions.removalTurn = lifecycle.turn
    counts.unregistrations += 1
    record(.unregistered(region: identifier))
    if removed.isCircle {
      if regions.slots.circleCount == 0 { watchRegions() }
    } else {
      beaconRegionsChanged()
    }
    armRegions()
  }

  /// Requests `PhoneEvent.determined` with the state of a region. It comes as soon as the app has returned,
  /// or when the state becomes known. The state of a region that is not monitored, or not now, is unknown.
  public func requestState(identifier: String) {
    let slot = regions.slots.index(of: identifier)
    let isWatched = slot.map { regions.isWatching(regions.slots.slots[$0].region.kind) } ?? false
    let state = isWatched ? slot.map { regions.slots.slots[$0].state } ?? .unknown : .unknown
    if let slot, state == .unknown, isWatched {
      regions.slots.setAskedFor(true, slot)
    } else {
      regions.queue(.determined(state, region: identifier), at: now)
      armRegions()
    }
  }

  // MARK: Faults

  /// Whether an addition is lost because of a removal in the same callback.
  private func losesAddition(after removalTurn: Int) -> Bool {
    guard scenario.faults.contains(.lostAdditions), removalTurn == lifecycle.turn else { return false }
    return regions.faults.unit() < PhoneFault.lostShare
  }

  private func noteAddition(of number: Int) {
    if regions.additionTurn != lifecycle.turn { regions.additions = [] }
    regions.additionTurn = lifecycle.turn
    // What survived a removal is safe from others.
    if regions.removalTurn != lifecycle.turn { regions.additions.append(number) }
  }

  /// Loses additions that were made in the same callback before a removal.
  private func loseAdditions() {
    guard scenario.faults.contains(.lostAdditions), regions.removalTurn == lifecycle.turn,
      regions.additionTurn == lifecycle.turn
    else { return }
    let additions = regions.additions
    regions.additions = []
    for number in additions {
      guard let name = regions.slots.slot(number: number)?.region.identifier else { continue }
      if losesAddition(after: regions.removalTurn) {
        remove(name)
        record(.lost("\(name): the addition was lost"))
      }
    }
  }

  /// Whether an entry is withheld: since its process began, in the background, the app has not been in front.
  private func withholds(_ number: Int, _ state: RegionState) -> Bool {
    let isEra = scenario.rules.withholdsEntries && slotService == .conditionMonitor
    guard isEra || scenario.faults.contains(.withheldEntries) else { return false }
    regions.withheld.removeAll { $0 == number }
    guard state == .inside, !lifecycle.hasBeenInFront else { return false }
    regions.withheld.append(number)
    // The system shows notifications, and needs no app for that.
    if let name = regions.slots.slot(number: number)?.region.identifier {
      notificationsHandle(.entered(region: name))
    }
    // The system starts the app all the same.
    if appState == .notRunning, relaunches, !lifecycle.isLocked { launch(.location) }
    return true
  }

  /// Delivers the entries that were withheld: the app is in front.
  private func releaseWithheld() {
    guard !regions.withheld.isEmpty, appState == .foreground else { return }
    for number in regions.withheld {
      regions.queue(.crossed(number: number, .inside, isReleased: true), at: now)
    }
    regions.withheld = []
    armRegions()
  }

  private func refusal(of region: MonitoredRegion, isKnown: Bool) -> RegionMonitoringError? {
    if case .circle(let center, let radius) = region.area {
      guard center.isValid, radius >= 0 else {
        return RegionMonitoringError(
          .regionMonitoringFailure, "no circle: centre \(center), radius \(radius) m", .conditionUnsupported)
      }
      // The listing of the *Location and Maps Programming Guide* limits the radius first, because the
      // registration of one that is too large fails.
      guard radius <= maximumRegionRadius else {
        return RegionMonitoringError(
          .regionMonitoringFailure,
          "a radius of \(radius) m is more than \(maximumRegionRadius) m, the greatest that can be monitored",
          .conditionUnsupported)
      }
    }
    let suspension = monitoringSuspension.union(missingRadios(for: region.kind))
    guard suspension.isEmpty else { return RegionMonitoringError(suspension) }
    guard isKnown || regions.slots.slots.count < profile.regions.slots else {
      return RegionMonitoringError(
        .regionMonitoringFailure, "\(profile.regions.slots) regions are monitored, which is the limit",
        .conditionLimitExceeded)
    }
    let (limit, others) = (scenario.rules.systemRegionLimit, lifecycle.otherAppsRegions)
    guard isKnown || regions.slots.slots.count + others < limit else {
      return RegionMonitoringError(
        .regionMonitoringFailure,
        "\(limit) regions are monitored, the system's limit, \(others) of them for other apps",
        .conditionLimitExceeded)
    }
    return nil
  }
}

// MARK: Checks

extension SimulatedPhone {
  func regionsHandle(_ change: SurroundingChange) {
    switch change {
    case .motion(let isStill):
      regions.stillSince = isStill ? now : nil
      if isStill {
        regions.checksLeft = RegionMonitoringState.checksAtRest
        if regions.slots.circleCount > 0 {
          regions.extraCheck = now
          scheduleCheck(after: regionInterval())
        }
      } else if regions.slots.circleCount > 0, regions.checksLeft <= 0 {
        let delay = profile.regions.wakeDelay.value(at: regions.random.unit())
        // A check at rest that is due sooner stays.
        if now.advanced(bySeconds: delay) < regions.nextCheck ?? .distantFuture {
          scheduleCheck(after: delay)
        }
      }
      holdRegionPower()
    case .surroundings(let before):
      refreshMonitoring()
      if regions.slots.hasUnknownCircle { regions.extraCheck = now }
      if regions.slots.circleCount > 0, surroundings.hasNetwork, !before.hasNetwork {
        regions.extraCheck = now
      }
      holdRegionPower()
    // Checks that come due during sleep are made on waking.
    case .sleep: holdRegionPower()
    case .app, .settings:
      releaseWithheld()
      return refreshMonitoring()
    }
    armRegions()
  }

  /// Begins or ends watching, as the user's settings, the use of the app and the radios require. States are
  /// kept meanwhile: a crossing that happened in such a time is seen afterwards. The app is told of every
  /// region that the user no longer allows, or that the device cannot watch.
  private func refreshMonitoring() {
    let (suspension, missing) = (regions.suspension, regions.missing)
    regions.suspension = monitoringSuspension
    for kind in Condition.Kind.allCases { regions.missing[kind] = missingRadios(for: kind) }
    for kind in Condition.Kind.allCases {
      let isWatching = regions.isWatching(kind)
      guard
        regions.suspension != suspension
          || regions.missing[kind, default: []] != missing[kind, default: []]
      else { continue }
      if isWatching {
        resumeMonitoring(kind)
      } else {
        pauseMonitoring(kind, because: regions.suspension.union(regions.missing[kind, default: []]))
      }
    }
    tellRadios()
    armRegions()
  }

  private func resumeMonitoring(_ kind: Condition.Kind) {
    guard kind == .geographic else { return forgetSilence() }
    watchRegions()
    if regions.slots.circleCount > 0 { regions.extraCheck = now }
  }

  private func pauseMonitoring(_ kind: Condition.Kind, because diagnostics: Diagnostics) {
    if kind == .geographic { regions.slots.cancelPending() }
    regions.cancelCrossings(of: kind)
    holdRegionPower()
    guard !diagnostics.subtracting(.insufficientlyInUse).isEmpty else { return }
    for slot in regions.slots.slots where slot.region.kind == kind {
      regions.queue(.failed(region: slot.region.identifier, RegionMonitoringError(diagnostics)), at: now)
    }
  }

  /// Starts or stops the checks: the first circle has been added, or the last removed.
  func watchRegions() {
    regions.nextCheck = nil
    if regions.slots.circleCount > 0 {
      scheduleCheck(after: truth.isStill(at: now) ? regionRestInterval() : regionInterval())
    }
    if regions.slots.circleCount == 0 { regions.extraCheck = nil }
    holdRegionPower()
  }

  private func holdRegionPower() {
    let isWatching =
      regions.slots.circleCount > 0 && regions.isWatching(.geographic) && surroundings.hasCells
      && !lifecycle.isAsleep && !truth.isStill(at: now)
    meter.hold(
      .cell, isWatching ? profile.regions.watching.value : 0, due: .regionWatching, by: .regions, at: now)
  }

  private func regionInterval() -> Double { profile.regions.interval.value(at: regions.random.unit()) }

  private func regionRestInterval() -> Double {
    profile.regions.restInterval.value(at: regions.random.unit())
  }

  private func scheduleCheck(after seconds: Double) {
    regions.leastInterval = seconds
    regions.nextCheck = now.advanced(bySeconds: seconds)
  }

  /// Schedules the next check and the next delivery.
  func armRegions() {
    guard !lifecycle.isAsleep else {
      timers.cancel(.regionCheck)
      timers.cancel(.regionDelivery)
      return
    }
    var next = Timestamp.distantFuture
    if regions.slots.circleCount > 0, regions.isWatching(.geographic) {
      next = min(next, regions.nextCheck ?? next)
      next = min(next, regions.extraCheck ?? next)
      next = min(next, regions.slots.nextConfirmation ?? next)
    }
    timers[.regionCheck] = next
    timers[.regionDelivery] = regions.deliveries.first?.time ?? .distantFuture
  }

  func regionCheckIsDue() {
    guard regions.slots.circleCount > 0 else { return armRegions() }
    let isInTurn = regions.nextCheck.map { $0 <= now } ?? false
    let isOutOfTurn =
      min(regions.extraCheck ?? .distantFuture, regions.slots.nextConfirmation ?? .distantFuture) <= now
    if isInTurn, !isOutOfTurn, let last = regions.lastCheck,
      last.advanced(bySeconds: regions.leastInterval) > now
    {
      // Another position has been checked in the meantime.
      regions.nextCheck = last.advanced(bySeconds: regions.leastInterval)
      return armRegions()
    }
    if isInTurn {
      if !truth.isStill(at: now) {
        regions.checksLeft = 0
        scheduleCheck(after: regionInterval())
      } else {
        regions.checksLeft -= 1
        scheduleCheck(after: regions.checksLeft > 0 ? regionInterval() : regionRestInterval())
      }
    }
    regions.extraCheck = nil
    checkRegions()
    armRegions()
  }

  private func checkRegions() {
    let state = truth.state(at: now)
    guard
      let measured = regions.source.measure(
        state, at: now, by: regions.positions, in: surroundings, isTracking: false)
    else {
      regions.slots.cancelPending()
      return
    }
    // Two seconds: a scan of all channels.
    meter.pulse(
      surroundings.hasWiFi ? .wifi : .cell, profile.regions.look.value / 2, due: .regionChecks, seconds: 2,
      at: now)
    notePassiveFix(measured.fix)
    regionsDecide(
      measured.fix, at: ECEF(unchecked: measured.fix.coordinate), isFromCells: measured.isFromCells)
  }

  /// Checks a position that has just been measured for the standard service.
  func regionsHandle(_ fix: Fix, isFromCells: Bool) {
    guard regions.slots.circleCount > 0, regions.isWatching(.geographic), !isFromCells,
      !scenario.rules.watchesRegionsApart, fix.horizontalAccuracy <= RegionMonitoringState.goodAccuracy,
      !lifecycle.isAsleep
    else { return }
    regions.lastCheck = now
    let position = ECEF(unchecked: fix.coordinate)
    if regions.slots.isQuiet(at: position) { return }
    regionsDecide(fix, at: position, isFromCells: false)
    armRegions()
  }

  private func regionsDecide(_ fix: Fix, at position: ECEF, isFromCells: Bool) {
    regions.lastCheck = now
    for change in regions.slots.update(
      fix, at: position, isFromCells: isFromCells, stillSince: regions.stillSince)
    {
      regionChanged(change, after: profile.regions.delivery)
    }
  }

  /// Queues what the app has to be told about a region's new state.
  func regionChanged(_ change: RegionSlots.Change, after delay: Quantiles?) {
    let slot = regions.slots.slots[change.slot]
    if change.before != .unknown, !(slot.isCircle && slot.isUnmoved(since: regions.stillSince)) {
      record(.observed(change.state, region: slot.region.identifier))
      let seconds = delay.map { $0.value(at: regions.random.unit()) } ?? 0
      regions.queue(.crossed(number: slot.number, change.state), at: now.advanced(bySeconds: seconds))
    }
    if slot.isAskedFor {
      regions.slots.setAskedFor(false, change.slot)
      regions.queue(.determined(change.state, region: slot.region.identifier), at: now)
    }
  }

  func regionDeliveryIsDue() {
    // One at a time: the app may register and remove regions in between.
    while let first = regions.deliveries.first, first.time <= now {
      regions.deliveries.removeFirst()
      deliver(first.message)
    }
    armRegions()
  }

  private func deliver(_ message: RegionMonitoringState.Message) {
    switch message {
    case .failed(let region, let error): deliver(.monitoringFailed(region: region, error), .running)
    case .determined(let state, let region): deliver(.determined(state, region: region), .running)
    case .displayed(let number):
      guard let name = regions.slots.slot(number: number)?.region.identifier else { return }
      if !deliver(.determined(.inside, region: name), .relaunching) {
        record(.lost("the app was not told that it is in \(name)"))
      }
    case .crossed(let number, let state, let isReleased):
      guard let region = regions.slots.slot(number: number)?.region else { return }
      guard state == .inside ? region.notifyOnEntry : region.notifyOnExit else { return }
      let name = region.identifier
      if withholds(number, state) { return }
      guard
        deliver(
          state == .inside ? .entered(region: name) : .exited(region: name), .relaunching,
          isNotified: isReleased)
      else {
        return record(.lost("the app was not told that \(name) was \(state == .inside ? "entered" : "left")"))
      }
      counts.regionEvents += 1
      deliver(.determined(state, region: name), .running)
    }
  }
}

extension MonitoredRegion {
  /// The kind of region, as far as the phone's hardware tells kinds apart.
  var kind: Condition.Kind {
    if case .beacon = area { .beacon } else { .geographic }
  }
}
