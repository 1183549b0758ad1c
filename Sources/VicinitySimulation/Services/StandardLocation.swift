public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor

/// The state of the standard location service.
///
/// ## Positions
/// - When the service is started, the last known position is delivered at once, with its own time.
/// - A tier that uses satellites starts with a position from other sources ("the initial event … may not have
///   the accuracy you requested", `CLLocationManager.desiredAccuracy`), then waits for satellites.
/// - While the phone moves, positions are measured at the tier's interval and delivered after its delay, if
///   they pass the distance filter. The first position measured after a start always passes.
/// - At rest without a filter this continues. With a filter only wandering errors can pass it: the phone
///   measures ``TierProfile/strayFixes`` an hour, at the gaps of ``TierProfile/strayGaps``.
/// - Under a roof the first positions after a start are poor and follow each other quickly until they have
///   settled (``TierProfile/settling``); each that reports a better accuracy than the last is delivered,
///   whatever the filter.
/// - When there is no position, the app is told once (`PhoneEvent.locationUnknown`).
/// - At reduced accuracy coordinates are rounded to a hundredth of a degree, and accuracies are 1 to 20 km.
///
/// ## When it is on
/// The service is on in the foreground, and in the background while the app runs and is allowed to. With the
/// `location` mode and `LocationSettings.allowsBackgroundUpdates` the service itself keeps the app running;
/// before iOS 9 the mode alone does (``BackgroundRules/needsBackgroundUpdatesAllowed``). Since iOS 16.4 not
/// all updates do (``BackgroundRules/backgroundUpdates``):
///
/// - Of updates that are not shown to the user, only those without a filter and of a hundred metres or
///   better. With permission in use only the system always shows them, so that all of theirs count (assumed).
/// - Updates that were begun in the background do not, unless a significant change has woken or started the
///   app, or a background activity session is in force. The app is then suspended when what woke it lets go
///   of it, some seconds later. Those that are on when the app comes to the front count as begun there.
/// - After a suspension updates must be begun again, by another call (assumed).
///
/// Live updates are another way to the same service, with rules of their own
/// (``SimulatedPhone/startLiveUpdates(_:)``).
///
/// It never wakes an app. Suspension switches it off; positions that the system gets in the meantime for
/// regions and significant changes are delivered in one batch when the app runs again, in front or behind
/// (Apple, *Handling location updates in the background*). By the guides the service goes on, and all that it
/// gets comes then (``BackgroundRules/holdsUpdatesWhileSuspended``).
struct StandardLocationState: ~Copyable {
  /// How the service works for one tier.
  final class Plan {
    let tier: TierProfile
    let positions: TierPositions
    let delay: DeliveryDelay
    /// The tier whose figures these are: the one asked for, or the next better one.
    let accuracy: DesiredAccuracy

    /// - Parameter accuracy: The tier's accuracy.
    init(_ tier: TierProfile, _ accuracy: DesiredAccuracy, of profile: DeviceProfile) {
      self.tier = tier
      self.accuracy = profile.knownTier(for: accuracy)
      delay = DeliveryDelay(tier.delay, interval: tier.interval.value(at: 0.5))
      positions = TierPositions(tier, of: profile)
    }
  }

  /// The settings that the app has made.
  var ownSettings = LocationSettings() {
    didSet { plan = nil }
  }
  /// What live updates are followed for; nil while they are not. They have no other settings.
  var live: LocationSettings.Activity? {
    didSet { plan = nil }
  }
  /// The settings in force.
  var settings: LocationSettings { live.map { LocationSettings(activity: $0) } ?? ownSettings }
  /// Whether a process has ended that followed live updates, and when it is started again.
  var isLiveOwed = false
  var liveTime = Timestamp.distantFuture
  /// The plan of the current settings; nil when it has to be looked up.
  var plan: Plan?
  /// The plans of all tiers used so far.
  var plans: [DesiredAccuracy: Plan] = [:]

  var isStarted = false
  /// Whether the app was in the foreground then or later. With "when in use" they continue only then.
  var wasInForeground = false
  /// Whether they were begun where updates that keep an app running have to be, and the app has not been
  /// suspended since.
  var isBegunInOrder = false
  var isPaused = false
  /// Whether the service is on.
  var isOn = false
  /// When it was last switched on.
  var onTime = Timestamp.distantPast
  /// The processor's power for the service, milliwatts.
  var processor = DuePower.none

  var receiver: SatelliteReceiver
  var source: PositionSource
  var random: RandomStream
  /// The truth at the time of the measurement, which is before its delivery.
  var cursor: TruthCursor
  /// The time of the measurement that is delivered next.
  var measureTime = Timestamp.distantFuture
  var lastDelivery = Timestamp.distantPast
  /// The last position that passed the filter.
  var lastDelivered: Fix?
  var isFirst = true
  var hasToldUnknown = false
  /// The last position known to the system, from any service.
  var lastKnown: Fix?
  /// Positions that the system got while the app was suspended.
  var held: [Fix] = []

  var deferral: Deferral?
  var single: SingleRequest?
  var pauseTime = Timestamp.distantFuture

  init(_ scenario: Scenario) {
    receiver = SatelliteReceiver(seed: scenario.seed)
    source = PositionSource(seed: scenario.seed, "standard/positions")
    random = RandomStream(seed: scenario.seed, "standard/times")
    cursor = TruthCursor(scenario.track)
  }
}

// MARK: What apps ask

extension SimulatedPhone {
  /// The settings of the service; they may change while it is on. Each process starts with the defaults. Live
  /// updates have none.
  public var locationSettings: LocationSettings {
    get { standard.ownSettings }
    set {
      guard newValue != standard.ownSettings else { return }
      endDeferral(.canceled)
      standard.ownSettings = newValue
      guard standard.isStarted, standard.live == nil else { return }
      record(.service(name: "standard", setting: "\(newValue)"))
      refreshStandard()
      guard standard.isOn else { return }
      releaseSatellites()
      searchSatellites()
      planPause()
      rescheduleStandard()
      holdStandardPower()
    }
  }

  /// The last position that the app was told of before the `PhoneEvent.locations` that it is being told now;
  /// nil for the first of a process: `fromLocation` of `locationManager(_:didUpdateTo:from:)`, which iOS 6
  /// replaced.
  public var fromLocation: Fix? { lifecycle.previousLocation }

  /// Starts updates: `PhoneEvent.locations` until ``stopUpdatingLocation()``.
  ///
  /// After a pause this resumes them. Before the user has decided, they begin when the user allows them;
  /// where the user has denied them, the app is told `PhoneEvent.locationDenied`. With "when in use"
  /// authorization an app cannot start updates in the background unless it holds a background activity
  /// session.
  public func startUpdatingLocation() {
    guard mayLocate || authorization == .notDetermined else {
      record(.lost("location updates: not allowed"))
      deliver(.locationDenied, .running)
      return
    }
    guard appState == .foreground || authorization != .whenInUse || hasBackgroundActivity else {
      return record(.lost("location updates: not allowed in the background"))
    }
    standard.isBegunInOrder = standard.isBegunInOrder || beginsUpdatesInOrder
    guard !standard.isStarted || standard.isPaused || standard.live != nil else { return }
    standard.live = nil
    record(.service(name: "standard", setting: "\(standard.settings)"))
    beginUpdates()
  }

  func beginUpdates() {
    standard.isStarted = true
    standard.isPaused = false
    standard.wasInForeground = appState == .foreground
    standard.isFirst = true
    standard.lastDelivered = nil
    planPause()
    if mayLocate, let fix = standard.lastKnown {
      deliverFixes([visible(fix)], from: .standard, standardPlan)
    }
    refreshStandard()
  }

  public func stopUpdatingLocation() {
    guard standard.isStarted, standard.live == nil else { return }
    record(.service(name: "standard", setting: "stopped"))
    endUpdates()
  }

  func endUpdates() {
    endDeferral(.canceled)
    standard.live = nil
    standard.isStarted = false
    standard.isPaused = false
    standard.isBegunInOrder = false
    standard.held = []
    refreshStandard()
  }
}

// MARK: On and off

extension SimulatedPhone {
  /// The plan of the current settings.
  var standardPlan: StandardLocationState.Plan? {
    if let plan = standard.plan { return plan }
    standard.plan = standardPlan(for: standard.settings.desiredAccuracy)
    return standard.plan
  }

  /// The plan of a tier, within what the app is allowed.
  func standardPlan(for accuracy: DesiredAccuracy) -> StandardLocationState.Plan? {
    let accuracy = capabilities.isReducedAccuracy ? .reduced : accuracy
    let plan =
      standard.plans[accuracy]
      ?? profile.tier(accuracy).map {
        StandardLocationState.Plan($0, profile.knownTier(for: accuracy), of: profile)
      }
    standard.plans[accuracy] = plan
    return plan
  }

  private var refreshAllowsUpdates: Bool {
    isBackgroundRefreshAvailable || !scenario.rules.refreshDecidesUpdates
  }

  /// Whether updates may continue in the background.
  var mayRunInBackground: Bool {
    guard standard.live == nil else {
      return capabilities.hasLocationMode && (authorization == .always || hasBackgroundActivity)
    }
    return capabilities.hasLocationMode
      && refreshAllowsUpdates
      && (standard.settings.allowsBackgroundUpdates || !scenario.rules.needsBackgroundUpdatesAllowed)
      && (authorization == .always || standard.wasInForeground || hasBackgroundActivity)
  }

  /// Whether updates that are begun now may keep the app running in the background.
  private var beginsUpdatesInOrder: Bool {
    !backgroundUpdates.needsBeginningInFront || appState == .foreground || lifecycle.isWokenByMove
      || hasBackgroundActivity
  }

  var standardKeepsAppRunning: Bool {
    guard standard.isOn, mayRunInBackground else { return false }
    guard standard.live == nil else { return true }
    guard standard.isBegunInOrder else { return false }
    guard scenario.rules.needsBackgroundUpdatesAllowed else { return true }
    var settings = standard.settings
    if authorization == .whenInUse { settings.showsIndicator = true }
    return backgroundUpdates.keepsRunning(settings, hasActivity: hasBackgroundActivity)
  }

  /// Whether location is in use; the compass then knows true north.
  var isLocationOn: Bool { standard.isOn || standard.single != nil }

  private var standardShouldBeOn: Bool {
    guard standard.isStarted, !standard.isPaused, !lifecycle.isAsleep, mayLocate, !liveLacksSession else {
      return false
    }
    return switch appState {
    case .foreground: true
    case .background:
      mayRunInBackground || authorization == .always && refreshAllowsUpdates
        || scenario.rules.platform == .macOS
    // By the guides the system goes on for an app that is suspended, and keeps what it gets.
    case .suspended:
      scenario.rules.holdsUpdatesWhileSuspended && authorization == .always && refreshAllowsUpdates
    case .notRunning: false
    }
  }

  /// Switches the service on or off, as the current state requires.
  func refreshStandard() {
    let isOn = standardShouldBeOn
    guard isOn != standard.isOn else { return }
    standard.isOn = isOn
    if isOn {
      standard.hasToldUnknown = false
      standard.onTime = now
      let isTracking = standard.receiver.isTracking(at: now)
      searchSatellites()
      planPause()
      scheduleStandard(at: now)
      // Where only satellites can locate the phone, the first position is theirs.
      if !isTracking, let plan = standardPlan, plan.positions.usesSatellites,
        let found = standard.receiver.found,
        plan.positions.method(in: surroundings, isStill: truth.isStill(at: now), isTracking: false) == nil
      {
        scheduleStandard(at: max(now, found))
      }
    } else {
      timers.cancel(.standard)
      standard.measureTime = .distantFuture
      standard.pauseTime = .distantFuture
      releaseSatellites()
    }
    holdStandardPower()
    armStandardState()
  }

  func standardHandles(_ change: SurroundingChange) {
    switch change {
    case .motion(let isStill):
      if !isStill { resumeLive() }
      planPause()
      rescheduleStandard()
      holdStandardPower()
    case .surroundings:
      if surroundings.isIndoors || !hasSatellites {
        standard.receiver.lose(at: now)
      } else {
        searchSatellites()
      }
      if surroundings.isIndoors || !hasSatellites { endDeferral(.notAvailable) }
      holdStandardPower()
      rescheduleStandard()
      singleHandlesSurroundings()
    case .app(let before): standardHandlesApp(before)
    case .sleep:
      if lifecycle.isAsleep { cancelSingle() }
      refreshStandard()
      armStandardState()
    case .settings: standardHandlesSettings()
    }
  }

  /// The user has changed what the app may do. Updates that are no longer allowed stop until they are again.
  private func standardHandlesSettings() {
    standard.plan = nil
    let wasLocating = standard.isOn || standard.single != nil
    if !mayLocate {
      endDeferral(.canceled)
      cancelSingle()
      standard.held = []
    }
    refreshStandard()
    if wasLocating, !mayLocate { deliver(.locationDenied, .running) }
    if standard.isOn {
      releaseSatellites()
      searchSatellites()
      rescheduleStandard()
    }
    holdStandardPower()
  }

  /// Delivers what was kept while the app was suspended, before anything newer.
  private func deliverHeld() {
    guard !standard.held.isEmpty else { return }
    let held = standard.held
    standard.held = []
    standard.lastDelivered = held.last
    deliverFixes(held, from: .standard, standardPlan)
  }

  private func standardHandlesApp(_ before: AppState) {
    if before == .notRunning {
      standard.isLiveOwed = false
      standard.liveTime = .distantFuture
    }
    switch appState {
    case .notRunning:
      oweLive()
      cancelSingle()
      standard.deferral = nil
      standard.isStarted = false
      standard.isPaused = false
      standard.isBegunInOrder = false
      standard.ownSettings = LocationSettings()
      standard.live = nil
      standard.held = []
    case .suspended:
      cancelSingle()
      if backgroundUpdates.needsBeginningInFront { standard.isBegunInOrder = false }
    // What was kept must come before what the service delivers now.
    case .background: deliverHeld()
    case .foreground:
      endDeferral(.canceled)
      standard.wasInForeground = true
      standard.isBegunInOrder = standard.isStarted
      deliverHeld()
      if standard.isPaused, standard.live == nil {
        standard.isPaused = false
        deliver(.locationUpdatesResumed, .running)
      }
    }
    refreshStandard()
    holdStandardPower()
    armStandardState()
  }

  private var needsSatellites: Bool {
    standard.isOn && standardPlan?.positions.usesSatellites == true
      || standard.single?.plan.positions.usesSatellites == true
  }

  /// Whether the phone has a satellite receiver, and it is not switched off.
  private var hasSatellites: Bool {
    scenario.hardware.hasSatellites
      && !(surroundings.isInAirplaneMode && scenario.rules.airplaneModeEndsSatellites)
  }

  /// What the receiver draws for a tier, milliwatts.
  func satellitePower(of tier: TierProfile) -> Double { hasSatellites ? tier.gnss.value : 0 }

  func searchSatellites() {
    guard needsSatellites, hasSatellites, !surroundings.isIndoors else { return }
    standard.receiver.search(at: now, in: surroundings, profile.firstFix)
  }

  /// Switches the receiver off when nothing needs it any more.
  func releaseSatellites() {
    if !needsSatellites { standard.receiver.lose(at: now) }
  }

  /// Sets the power that the service draws now. A radio that is off, or a modem without cells, draws none.
  func holdStandardPower() {
    let isMoving = !truth.isStill(at: now)
    var (gnss, wifi, cell, processor) = (DuePower.none, DuePower.none, DuePower.none, DuePower.none)
    func add(_ plan: StandardLocationState.Plan, isHolding: Bool) {
      func raise(_ power: inout DuePower, to other: DuePower) {
        if other.milliwatts > power.milliwatts { power = other }
      }
      let tier = plan.tier
      raise(&gnss, to: DuePower(satellitePower(of: tier), plan.accuracy, .gnss))
      raise(&wifi, to: DuePower(surroundings.hasWiFi ? tier.wifi.value : 0, plan.accuracy, .wifi))
      raise(&cell, to: DuePower(surroundings.hasCells ? tier.cell.value : 0, plan.accuracy, .cell))
      if !isHolding {
        let standing = DuePower(tier.processor.value, plan.accuracy, .processor)
        raise(
          &processor, to: isMoving ? standing.adding(tier.motion.value, plan.accuracy, .motion) : standing)
      }
    }
    if standard.isOn, let plan = standardPlan { add(plan, isHolding: isDeferring) }
    if let single = standard.single { add(single.plan, isHolding: false) }
    meter.hold(.gnss, gnss, by: .standard, at: now)
    meter.hold(.wifi, wifi, by: .standard, at: now)
    meter.hold(.cell, cell, by: .standard, at: now)
    meter.hold(.cpu, processor, by: .standard, at: now)
    standard.processor = processor
  }
}

// MARK: Positions

extension SimulatedPhone {
  /// Schedules the delivery of a position that is measured at a time: after the tier's delay, or together
  /// with the position before it if that still waits.
  func scheduleStandard(at time: Timestamp) {
    standard.measureTime = time
    guard time < .distantFuture, let plan = standardPlan else { return timers.cancel(.standard) }
    timers[.standard] = plan.delay.delivery(of: time, after: standard.lastDelivery, &standard.random)
  }

  /// Reschedules the next measurement after a change of surroundings or motion. One that is under way stays.
  func rescheduleStandard() {
    guard standard.isOn, standard.measureTime > now else { return }
    guard let plan = standardPlan else { return }
    let isStill = truth.isStill(at: now)
    if !standard.hasToldUnknown, !canLocate(plan, isStill) {
      // Soon, to tell the app that there is no position.
      return scheduleStandard(at: now)
    }
    if standard.hasToldUnknown || standard.measureTime == .distantFuture, canLocate(plan, isStill) {
      standard.hasToldUnknown = false
      if !isSeeking(plan, at: now) { return scheduleStandard(at: now) }
    }
    scheduleStandard(at: nextMeasureTime(plan, after: now, isStill: isStill))
  }

  private func canLocate(_ plan: StandardLocationState.Plan, _ isStill: Bool) -> Bool {
    plan.positions.method(in: surroundings, isStill: isStill, isTracking: standard.receiver.found != nil)
      != nil
  }

  /// Whether satellites are searched for at a time, and not found yet.
  private func isSeeking(_ plan: StandardLocationState.Plan, at time: Timestamp) -> Bool {
    guard plan.positions.usesSatellites, let found = standard.receiver.found else { return false }
    return found > time
  }

  private func nextMeasureTime(
    _ plan: StandardLocationState.Plan, after time: Timestamp, isStill: Bool
  ) -> Timestamp {
    guard canLocate(plan, isStill) else { return .distantFuture }
    if isSeeking(plan, at: time), let found = standard.receiver.found { return found }
    if isSettling(plan, at: time), let interval = plan.tier.settling?.interval {
      let next = time.advanced(bySeconds: max(0.1, interval.value(at: standard.random.unit())))
      if isSettling(plan, at: next) || !isStill { return next }
    }
    if isStill, standard.settings.effectiveFilter != nil, standard.deferral == nil {
      return nextStrayTime(plan.tier, after: time)
    }
    // At least a tenth of a second, so that time passes.
    return time.advanced(bySeconds: max(0.1, plan.tier.interval.value(at: standard.random.unit())))
  }

  private func nextStrayTime(_ tier: TierProfile, after time: Timestamp) -> Timestamp {
    let rate = tier.strayFixes.value
    guard rate > 0 else { return .distantFuture }
    let mean = 3600 / rate
    guard let gaps = tier.strayGaps else {
      return time.advanced(bySeconds: standard.random.exponential(mean: mean))
    }
    // At least a tenth of a second, so that time passes.
    return time.advanced(bySeconds: max(0.1, mean * gaps.value(at: standard.random.unit())))
  }

  /// Whether positions under a roof are still getting better.
  private func isSettling(_ plan: StandardLocationState.Plan, at time: Timestamp) -> Bool {
    surroundings.isIndoors && surroundings.hasWiFi
      && time < standard.onTime.advanced(bySeconds: plan.positions.settlingTime)
  }

  func standardFixIsDue() {
    guard standard.isOn, let plan = standardPlan else { return }
    let time = standard.measureTime
    standard.lastDelivery = now
    let state = standard.cursor.state(at: time)
    let measured = standard.source.measure(
      state, at: time, by: plan.positions, in: surroundings,
      isTracking: standard.receiver.isTracking(at: time),
      settling: isSettling(plan, at: time)
        ? plan.positions.settling(at: time.seconds(since: standard.onTime)) : nil)
    scheduleStandard(at: nextMeasureTime(plan, after: time, isStill: state.isStill))
    guard let measured else {
      guard !standard.hasToldUnknown else { return }
      standard.hasToldUnknown = true
      deliver(.locationUnknown, .running)
      return
    }
    standard.hasToldUnknown = false
    standard.lastKnown = measured.fix
    regionsHandle(measured.fix, isFromCells: measured.isFromCells)
    handle(measured.fix, plan)
  }

  private func handle(_ fix: Fix, _ plan: StandardLocationState.Plan) {
    if appState == .suspended { return holdUntilReturn(visible(fix)) }
    if isDeferring { return deferFix(fix) }
    let fix = visible(fix)
    guard passesFilter(fix) || isBetter(fix, plan) else { return }
    standard.lastDelivered = fix
    standard.isFirst = false
    deliverFixes([fix], from: .standard, plan)
  }

  /// Delivers positions, and counts their energy.
  func deliverFixes(_ fixes: [Fix], from source: LocationSource, _ plan: StandardLocationState.Plan?) {
    if let plan {
      // For a tenth of a second of the processor, on top of the service's constant power.
      let power = standard.processor.adding(plan.tier.fix.value / 0.1, plan.accuracy, .fix)
      meter.pulse(.cpu, power, seconds: 0.1, at: now)
    }
    if deliver(.locations(fixes, from: source), .running) { counts.fixes += fixes.count }
  }

  private func passesFilter(_ fix: Fix) -> Bool {
    guard !standard.isFirst, let filter = standard.settings.effectiveFilter, let last = standard.lastDelivered
    else {
      return true
    }
    return Geodesic.simulatedDistance(last.coordinate, fix.coordinate) >= filter
  }

  /// Whether a position, while positions settle, reports a better accuracy than the last one.
  private func isBetter(_ fix: Fix, _ plan: StandardLocationState.Plan) -> Bool {
    guard let last = standard.lastDelivered else { return true }
    return isSettling(plan, at: fix.time) && fix.horizontalAccuracy < last.horizontalAccuracy
  }

  /// A position as the app may see it: at reduced accuracy if required.
  func visible(_ fix: Fix) -> Fix {
    let isReduced = capabilities.isReducedAccuracy || standard.settings.desiredAccuracy == .reduced
    return isReduced ? fix.reduced : fix
  }

  /// Notes a position that the system got for another service.
  func notePassiveFix(_ fix: Fix) {
    standard.lastKnown = fix
    guard standard.isStarted, !standard.isOn, appState == .suspended, authorization == .always else {
      return
    }
    holdUntilReturn(visible(fix))
  }

  private func holdUntilReturn(_ fix: Fix) {
    if let filter = standard.settings.effectiveFilter,
      let last = standard.held.last ?? standard.lastDelivered,
      Geodesic.simulatedDistance(last.coordinate, fix.coordinate) < filter
    {
      return
    }
    standard.held.append(fix)
  }
}

extension Fix {
  /// The position at reduced accuracy: rounded to a hundredth of a degree (a kilometre), with an accuracy of
  /// 1 to 20 km.
  var reduced: Fix {
    Fix(
      time: time,
      coordinate: Coordinate(
        latitude: (coordinate.latitude * 100).rounded() / 100,
        longitude: (coordinate.longitude * 100).rounded() / 100),
      horizontalAccuracy: min(20_000, max(1000, horizontalAccuracy)))
  }
}
