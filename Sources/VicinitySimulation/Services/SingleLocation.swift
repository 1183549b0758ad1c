internal import VicinityCrossings
public import VicinityMonitor

struct SingleRequest {
  let plan: StandardLocationState.Plan
  /// Whether reduced accuracy was requested.
  let isReduced: Bool
  /// When the best available position is delivered instead of the requested one.
  var deadline: Timestamp
  /// When the request is answered.
  var time: Timestamp
}

extension SimulatedPhone {
  /// How long a request waits for its position, seconds. Not published; assumed (5 to 20 s).
  private static var patience: Double { 10 }
  /// How long the radios scan, seconds: all channels, as in a check of regions.
  private static var scanTime: Double { 2 }

  /// Requests one position, as `requestLocation()` does: of the quality of
  /// `LocationSettings.desiredAccuracy`, or the best that is available after ten seconds. The answer is
  /// `PhoneEvent.locations` or `PhoneEvent.locationUnknown`.
  ///
  /// A second request replaces one that has not been answered. Suspension of the app cancels the request.
  ///
  /// Wi-Fi and cells scan for two seconds. That costs as much as one position does in continuous use of the
  /// tier: its power times its interval, of which ten seconds count at most. The satellite receiver is on for
  /// as long, and until satellites are found.
  ///
  /// - Parameter accuracy: The requested accuracy; nil for that of the settings. An app with a second
  ///   location manager can ask for another one.
  public func requestLocation(_ accuracy: DesiredAccuracy? = nil) {
    let isAllowed =
      switch authorization {
      case .notDetermined, .restricted, .denied, .deniedGlobally: false
      case .whenInUse: appState == .foreground || standardKeepsAppRunning
      case .always: true
      }
    let wanted = accuracy ?? standard.settings.desiredAccuracy
    guard isAllowed, let plan = standardPlan(for: wanted) else {
      record(.lost("a single location: not allowed"))
      deliver(.locationUnknown, .running)
      return
    }
    record(.service(name: "single", setting: wanted.rawValue))
    standard.single = SingleRequest(
      plan: plan, isReduced: wanted == .reduced, deadline: now.advanced(bySeconds: Self.patience),
      time: .distantFuture)
    searchSatellites()
    planSingle()
    holdStandardPower()
    scanForSingle(plan)
  }

  private func scanForSingle(_ plan: StandardLocationState.Plan) {
    let tier = plan.tier
    let seconds = min(tier.interval.value(at: 0.5), Self.patience)
    let wifi = surroundings.hasWiFi ? tier.wifi.value : 0
    let cell = surroundings.hasCells ? tier.cell.value : 0
    func scan(_ component: EnergyComponent, _ milliwatts: Double, _ figure: TierFigure) {
      meter.pulse(component, DuePower(milliwatts, plan.accuracy, figure), seconds: Self.scanTime, at: now)
    }
    scan(.gnss, satellitePower(of: tier), .gnss)
    scan(.wifi, wifi * seconds / Self.scanTime, .wifi)
    scan(.cell, cell * seconds / Self.scanTime, .cell)
  }

  private func planSingle() {
    guard let single = standard.single else { return }
    var ready = now
    if single.plan.positions.usesSatellites, !surroundings.isIndoors, let found = standard.receiver.found {
      ready = max(now, min(found, single.deadline))
    }
    let delay = single.plan.delay.draw(&standard.random)
    standard.single?.time = min(ready.advanced(bySeconds: delay), max(now, single.deadline))
    armStandardState()
  }

  func singleHandlesSurroundings() {
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
      truth.state(at: now), at: now, by: single.plan.positions, in: surroundings,
      isTracking: standard.receiver.isTracking(at: now))
    cancelSingle()
    guard let measured else {
      deliver(.locationUnknown, .running)
      return
    }
    standard.lastKnown = measured.fix
    regionsHandle(measured.fix, isFromCells: measured.isFromCells)
    let isReduced = single.isReduced || capabilities.isReducedAccuracy
    deliverFixes([isReduced ? measured.fix.reduced : measured.fix], from: .single, single.plan)
  }
}
