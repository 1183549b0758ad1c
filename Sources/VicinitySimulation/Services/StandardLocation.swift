internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

/// The standard location service.
///
/// ## Positions
/// - The last position that the system knows comes at once, with the time it was measured at, when the service is started.
/// - A tier that uses satellites begins with a position of what else there is ("the initial event … may not have the accuracy
///   you requested", `CLLocationManager.desiredAccuracy`), then waits until they are found.
/// - On the move positions are measured at the tier's interval, and delivered after its delay: those that the distance filter
///   lets through. The first measured after a start is let through always.
/// - At rest, without a filter, that goes on. With one, a phone has nothing to say but errors that wander: it measures
///   ``TierProfile/strayFixes`` an hour, at the gaps of ``TierProfile/strayGaps``, and delivers what is beyond the filter.
/// - Under a roof the first positions after a start are poor and come one after another until they have settled
///   (``TierProfile/settling``); each that says that it is better than the last is delivered, whatever the filter.
/// - Where there is no position the app is told once (``PhoneEvent/locationUnknown``).
/// - At reduced accuracy positions are multiples of a hundredth of a degree, good to 1 to 20 km.
///
/// ## When it is on
/// In the foreground; in the background as long as the app runs and may, which the service sees to itself where the app has the
/// `location` mode and says so (``LocationSettings/allowsBackgroundUpdates``). Suspension switches it off: it never wakes an
/// app. What the system learns of positions meanwhile, for regions and significant changes, comes in one batch when the app is
/// in front again.
struct StandardLocationState {
  /// What is asked of the service for one tier.
  final class Plan {
    let tier: TierProfile
    let positions: TierPositions
    let delay: DeliveryDelay

    init(_ tier: TierProfile, of profile: DeviceProfile) {
      self.tier = tier
      delay = DeliveryDelay(tier.delay, interval: tier.interval.value(at: 0.5))
      positions = TierPositions(tier, of: profile)
    }
  }

  var settings = LocationSettings() {
    didSet { plan = nil }
  }
  /// The tier in use; nil where that is to be looked up.
  var plan: Plan?
  /// The tiers that were asked for so far.
  var plans: [DesiredAccuracy: Plan] = [:]

  /// Whether the app wants updates.
  var isStarted = false
  /// Whether that was, or has since been, in front: what an app that may use location only then needs to go on.
  var wasInFront = false
  var isPaused = false
  /// Whether positions are measured.
  var isOn = false
  /// When that was last switched on.
  var onTime = Timestamp.distantPast
  /// What the processor draws for that, milliwatts.
  var processor = 0.0
  var isAsleep = false

  var receiver: SatelliteReceiver
  var source: PositionSource
  var random: RandomStream
  /// Where the phone was when a position that is now delivered was measured.
  var cursor: TruthCursor
  /// When the position that is delivered next is, or was, measured.
  var measureTime = Timestamp.distantFuture
  /// When the last was delivered.
  var lastDelivery = Timestamp.distantPast
  /// The last that the filter let through.
  var lastDelivered: Fix?
  var isFirst = true
  var hasToldUnknown = false
  /// The last position that the system has come by, for whom ever.
  var lastKnown: Fix?
  /// What the system learned while the app was suspended.
  var held: [Fix] = []

  var deferral: Deferral?
  var single: SingleRequest?
  /// When updates pause.
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
  /// What the app asks of the service; may be changed while it is on. Begins anew with each process.
  public var locationSettings: LocationSettings {
    get { standard.settings }
    set {
      guard newValue != standard.settings else { return }
      endDeferral(.canceled)
      standard.settings = newValue
      guard standard.isStarted else { return }
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

  /// Starts updates: positions come as ``PhoneEvent/locations(_:from:)`` until ``stopUpdatingLocation()``.
  ///
  /// After a pause it starts them anew. An app that may use location only while in use cannot start them in the background.
  public func startUpdatingLocation() {
    guard scenario.capabilities.authorization != .denied else {
      return record(.lost("location updates: not allowed"))
    }
    guard appState == .foreground || scenario.capabilities.authorization == .always else {
      return record(.lost("location updates: not allowed in the background"))
    }
    guard !standard.isStarted || standard.isPaused else { return }
    record(.service(name: "standard", setting: "\(standard.settings)"))
    standard.isStarted = true
    standard.isPaused = false
    standard.wasInFront = appState == .foreground
    standard.isFirst = true
    standard.lastDelivered = nil
    planPause()
    if let fix = standard.lastKnown { standardTells([seen(fix)], from: .standard, standardPlan) }
    refreshStandard()
  }

  /// Stops updates.
  public func stopUpdatingLocation() {
    guard standard.isStarted else { return }
    record(.service(name: "standard", setting: "stopped"))
    endDeferral(.canceled)
    standard.isStarted = false
    standard.isPaused = false
    standard.held = []
    refreshStandard()
  }
}

// MARK: On and off

extension SimulatedPhone {
  /// The tier in use.
  var standardPlan: StandardLocationState.Plan? {
    if let plan = standard.plan { return plan }
    standard.plan = standardPlan(for: standard.settings.desiredAccuracy)
    return standard.plan
  }

  /// What is done for a tier, as far as the app may have it.
  func standardPlan(for accuracy: DesiredAccuracy) -> StandardLocationState.Plan? {
    let accuracy = scenario.capabilities.isReducedAccuracy ? .reduced : accuracy
    let plan = standard.plans[accuracy] ?? profile.tier(accuracy).map { .init($0, of: profile) }
    standard.plans[accuracy] = plan
    return plan
  }

  /// Whether updates may go on in the background, and keep the app running there.
  private var mayRunBehind: Bool {
    scenario.capabilities.hasLocationMode && standard.settings.allowsBackgroundUpdates
      && (scenario.capabilities.authorization == .always || standard.wasInFront)
  }

  /// Whether the service keeps the app from being suspended.
  var standardKeepsAppRunning: Bool { standard.isOn && mayRunBehind }

  /// Whether location is in use, so that the compass knows true north.
  var isLocationOn: Bool { standard.isOn || standard.single != nil }

  private var standardShouldBeOn: Bool {
    guard standard.isStarted, !standard.isPaused, !standard.isAsleep else { return false }
    return switch appState {
    case .foreground: true
    case .background:
      mayRunBehind || scenario.capabilities.authorization == .always || scenario.rules.platform == .macOS
    case .suspended, .notRunning: false
    }
  }

  /// Switches on or off by what holds now.
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
      // Where there is nothing but satellites, the first position is theirs.
      if !isTracking, let plan = standardPlan, plan.positions.usesSatellites,
        let found = standard.receiver.found,
        plan.positions.method(in: environment, isStill: truth.isStill(at: now), isTracking: false) == nil
      {
        scheduleStandard(at: max(now, found))
      }
    } else {
      agenda.cancel(.standard)
      standard.measureTime = .distantFuture
      standard.pauseTime = .distantFuture
      releaseSatellites()
    }
    holdStandardPower()
    armStandardState()
  }

  func standardNotices(_ change: SurroundingChange) {
    switch change {
    case .motion:
      planPause()
      rescheduleStandard()
      holdStandardPower()
    case .environment:
      if environment.isIndoors { standard.receiver.lose(at: now) } else { searchSatellites() }
      if environment.isIndoors { endDeferral(.notAvailable) }
      holdStandardPower()
      rescheduleStandard()
      singleNoticesEnvironment()
    case .app(let before): standardNoticesApp(before)
    case .sleep(let isAsleep):
      standard.isAsleep = isAsleep
      if isAsleep { cancelSingle() }
      refreshStandard()
      armStandardState()
    }
  }

  private func standardNoticesApp(_ before: AppState) {
    switch appState {
    case .notRunning:
      cancelSingle()
      standard.deferral = nil
      standard.isStarted = false
      standard.isPaused = false
      standard.settings = LocationSettings()
      standard.held = []
    case .suspended: cancelSingle()
    case .background: break
    case .foreground:
      endDeferral(.canceled)
      standard.wasInFront = true
      if !standard.held.isEmpty {
        let held = standard.held
        standard.held = []
        standard.lastDelivered = held.last
        standardTells(held, from: .standard, standardPlan)
      }
      if standard.isPaused {
        standard.isPaused = false
        standardTells(.locationUpdatesResumed)
      }
    }
    refreshStandard()
    holdStandardPower()
    armStandardState()
  }

  func searchSatellites() {
    let isWanted = standard.isOn && (standardPlan?.positions.usesSatellites ?? false)
    guard isWanted || (standard.single?.plan.positions.usesSatellites ?? false), !environment.isIndoors else {
      return
    }
    standard.receiver.search(at: now, in: environment, profile.firstFix)
  }

  /// Switches the receiver off when nobody needs it any more.
  func releaseSatellites() {
    let isWanted = standard.isOn && (standardPlan?.positions.usesSatellites ?? false)
    guard !isWanted, !(standard.single?.plan.positions.usesSatellites ?? false) else { return }
    standard.receiver.lose(at: now)
  }

  /// What the service draws now. A radio that is switched off, or a modem without cells, draws nothing for it.
  func holdStandardPower() {
    let isMoving = !truth.isStill(at: now)
    var (gnss, wifi, cell, processor) = (0.0, 0.0, 0.0, 0.0)
    func add(_ tier: TierProfile, isHolding: Bool) {
      gnss = max(gnss, tier.gnss.value)
      wifi = max(wifi, environment.hasWiFi ? tier.wifi.value : 0)
      cell = max(cell, environment.hasCells ? tier.cell.value : 0)
      if !isHolding { processor = max(processor, tier.processor.value + (isMoving ? tier.motion.value : 0)) }
    }
    if standard.isOn, let plan = standardPlan { add(plan.tier, isHolding: isDeferring) }
    if let single = standard.single { add(single.plan.tier, isHolding: false) }
    meter.hold(.gnss, gnss, by: .standard, at: now)
    meter.hold(.wifi, wifi, by: .standard, at: now)
    meter.hold(.cell, cell, by: .standard, at: now)
    meter.hold(.cpu, processor, by: .standard, at: now)
    standard.processor = processor
  }
}
