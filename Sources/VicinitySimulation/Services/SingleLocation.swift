internal import VicinityMonitor

/// A position that was asked for alone.
struct SingleRequest {
  let plan: StandardLocationState.Plan
  /// When it is given up for what there is.
  var deadline: Timestamp
  /// When it is answered.
  var time: Timestamp
}

extension SimulatedPhone {
  /// How long a single position is waited for, seconds. Not published; assumed (5 to 20 s).
  private static var patience: Double { 10 }

  /// Asks for one position, `requestLocation()`: of the quality of ``LocationSettings/desiredAccuracy``, or the best that there
  /// is after ten seconds. It comes as ``PhoneEvent/locations(_:from:)``, or ``PhoneEvent/locationUnknown`` does.
  ///
  /// A second request takes the place of one that has not been answered. One is given up when the app is suspended.
  public func requestLocation() {
    let isAllowed =
      switch scenario.capabilities.authorization {
      case .denied: false
      case .whenInUse: appState == .foreground || standardKeepsAppRunning
      case .always: true
      }
    guard isAllowed, let plan = standardPlan else {
      record(.lost("a single location: not allowed"))
      return standardTells(.locationUnknown)
    }
    record(.service(name: "single", setting: standard.settings.desiredAccuracy.rawValue))
    standard.single = SingleRequest(
      plan: plan, deadline: now.advanced(bySeconds: Self.patience), time: .distantFuture)
    searchSatellites()
    planSingle()
    holdStandardPower()
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
    standardTells([seen(measured.fix)], from: .single, single.plan)
  }
}
