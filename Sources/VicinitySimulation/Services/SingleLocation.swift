internal import VicinityCrossings
internal import VicinityMonitor

/// A position that was asked for alone.
struct SingleRequest {
  let plan: StandardLocationState.Plan
  /// Whether a coarse position was asked for.
  let isReduced: Bool
  /// When it is given up for what there is.
  var deadline: Timestamp
  /// When it is answered.
  var time: Timestamp
}

extension SimulatedPhone {
  /// How long a single position is waited for, seconds. Not published; assumed (5 to 20 s).
  private static var patience: Double { 10 }
  /// How long the radios scan for one, seconds: all channels, as for a look at regions.
  private static var scanTime: Double { 2 }

  /// Asks for one position, `requestLocation()`: of the quality of ``LocationSettings/desiredAccuracy``, or the best that there
  /// is after ten seconds. It comes as ``PhoneEvent/locations(_:from:)``, or ``PhoneEvent/locationUnknown`` does.
  ///
  /// A second request takes the place of one that has not been answered. One is given up when the app is suspended.
  ///
  /// Wi-Fi and cells scan for it, for two seconds: that costs what a position costs them while the tier is on without a break,
  /// its power times its interval (ten seconds of it at most). The satellite receiver is on for as long as that too, and until
  /// satellites are found.
  ///
  /// - Parameter accuracy: What is asked for; nil for the settings' accuracy. An app with a second location manager has another
  ///   for single positions.
  public func requestLocation(_ accuracy: DesiredAccuracy? = nil) {
    let isAllowed =
      switch scenario.capabilities.authorization {
      case .denied: false
      case .whenInUse: appState == .foreground || standardKeepsAppRunning
      case .always: true
      }
    let wanted = accuracy ?? standard.settings.desiredAccuracy
    guard isAllowed, let plan = standardPlan(for: wanted) else {
      record(.lost("a single location: not allowed"))
      return standardTells(.locationUnknown)
    }
    record(.service(name: "single", setting: wanted.rawValue))
    standard.single = SingleRequest(
      plan: plan, isReduced: wanted == .reduced, deadline: now.advanced(bySeconds: Self.patience),
      time: .distantFuture)
    searchSatellites()
    planSingle()
    holdStandardPower()
    scanForSingle(plan.tier)
  }

  private func scanForSingle(_ tier: TierProfile) {
    let seconds = min(tier.interval.value(at: 0.5), Self.patience)
    let wifi = environment.hasWiFi ? tier.wifi.value : 0
    let cell = environment.hasCells ? tier.cell.value : 0
    meter.pulse(.gnss, tier.gnss.value, seconds: Self.scanTime, at: now)
    meter.pulse(.wifi, wifi * seconds / Self.scanTime, seconds: Self.scanTime, at: now)
    meter.pulse(.cell, cell * seconds / Self.scanTime, seconds: Self.scanTime, at: now)
  }

  private func planSingle() {
    guard let single = standard.single else { return }
    var ready = now
    if single.plan.positions.usesSatellites, !environment.isIndoors, let found = standard.receiver.found {
      ready = max(now, min(found, single.deadline))
    }
    let delay = single.plan.delay.draw(&standard.random)
    standard.single?.time = min(ready.advanced(bySeconds: delay), max(now, single.deadline))
    armStandardState()
  }

  func singleNoticesEnvironment() {
    guard standard.single != nil else { return }
    searchSatellites()
    planSingle()
  }

  func cancelSingle() {
    guard standard.single != nil else { return }
    standard.single = nil
    releaseSatellites()
    holdStandardPower()
    armStandardState()
  }

  func finishSingle(_ single: SingleRequest) {
    let measured = standard.source.measure(
      truth.state(at: now), at: now, by: single.plan.positions, in: environment,
      isTracking: standard.receiver.isTracking(at: now))
    cancelSingle()
    guard let measured else {
      deliver(.locationUnknown, .running)
      return
    }
    standard.lastKnown = measured.fix
    regionsSee(measured.fix, isOfCells: measured.isOfCells)
    let isReduced = single.isReduced || scenario.capabilities.isReducedAccuracy
    standardTells([isReduced ? measured.fix.reduced : measured.fix], from: .single, single.plan)
  }
}
