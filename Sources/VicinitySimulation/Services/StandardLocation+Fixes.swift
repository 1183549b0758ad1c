internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityMonitor

extension SimulatedPhone {
  /// The position that is measured at a time is delivered after the tier's delay, or at once where it was measured while the
  /// one before waited.
  func scheduleStandard(at time: Timestamp) {
    standard.measureTime = time
    guard time < .distantFuture, let plan = standardPlan else { return agenda.cancel(.standard) }
    agenda[.standard] = plan.delay.delivery(of: time, after: standard.lastDelivery, &standard.random)
  }

  /// What surrounds the phone has changed: the next position may be due at another time. One that was measured before is
  /// still delivered.
  func rescheduleStandard() {
    guard standard.isOn, standard.measureTime > now else { return }
    guard let plan = standardPlan else { return }
    let isStill = truth.isStill(at: now)
    if !standard.hasToldUnknown, !canLocate(plan, isStill) {
      // To be told that there is none.
      return scheduleStandard(at: now)
    }
    if standard.hasToldUnknown || standard.measureTime == .distantFuture, canLocate(plan, isStill) {
      standard.hasToldUnknown = false
      if !isSeeking(plan, at: now) { return scheduleStandard(at: now) }
    }
    scheduleStandard(at: nextMeasureTime(plan, after: now, isStill: isStill))
  }

  private func canLocate(_ plan: StandardLocationState.Plan, _ isStill: Bool) -> Bool {
    plan.positions.method(in: environment, isStill: isStill, isTracking: standard.receiver.found != nil)
      != nil
  }

  /// Whether satellites are searched for that have not been found by a time.
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
    // A tenth of a second is the least, so that time passes.
    return time.advanced(bySeconds: max(0.1, plan.tier.interval.value(at: standard.random.unit())))
  }

  private func nextStrayTime(_ tier: TierProfile, after time: Timestamp) -> Timestamp {
    let rate = tier.strayFixes.value
    guard rate > 0 else { return .distantFuture }
    let mean = 3600 / rate
    guard let gaps = tier.strayGaps else {
      return time.advanced(bySeconds: standard.random.exponential(mean: mean))
    }
    // A tenth of a second is the least, so that time passes.
    return time.advanced(bySeconds: max(0.1, mean * gaps.value(at: standard.random.unit())))
  }

  /// Whether positions under a roof get better still.
  private func isSettling(_ plan: StandardLocationState.Plan, at time: Timestamp) -> Bool {
    environment.isIndoors && environment.hasWiFi
      && time < standard.onTime.advanced(bySeconds: plan.positions.settlingTime)
  }

  func standardFixIsDue() {
    guard standard.isOn, let plan = standardPlan else { return }
    let time = standard.measureTime
    standard.lastDelivery = now
    let state = standard.cursor.state(at: time)
    let measured = standard.source.measure(
      state, at: time, by: plan.positions, in: environment,
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
    regionsSee(measured.fix, isOfCells: measured.isOfCells)
    take(measured.fix, plan)
  }

  private func take(_ fix: Fix, _ plan: StandardLocationState.Plan) {
    if isDeferring { return hold(fix) }
    let fix = seen(fix)
    guard passesFilter(fix) || isBetter(fix, plan) else { return }
    standard.lastDelivered = fix
    standard.isFirst = false
    standardTells([fix], from: .standard, plan)
  }

  /// Delivers positions, and counts what that takes.
  func standardTells(_ fixes: [Fix], from source: LocationSource, _ plan: StandardLocationState.Plan?) {
    if let plan {
      // A tenth of a second of the processor, on top of what the service holds.
      meter.pulse(.cpu, standard.processor + plan.tier.fix.value / 0.1, seconds: 0.1, at: now)
    }
    if deliver(.locations(fixes, from: source), .running) { counts.fixes += fixes.count }
  }

  /// Tells the app; while it is at something, when it has finished that.
  func standardTells(_ event: PhoneEvent) { deliver(event, .running) }

  private func passesFilter(_ fix: Fix) -> Bool {
    guard !standard.isFirst, let filter = standard.settings.effectiveFilter, let last = standard.lastDelivered
    else {
      return true
    }
    return Geodesic.simulatedDistance(last.coordinate, fix.coordinate) >= filter
  }

  /// Whether a position says, while they settle, that it is better than the last.
  private func isBetter(_ fix: Fix, _ plan: StandardLocationState.Plan) -> Bool {
    guard let last = standard.lastDelivered else { return true }
    return isSettling(plan, at: fix.time) && fix.horizontalAccuracy < last.horizontalAccuracy
  }

  /// A position as the app may see it.
  func seen(_ fix: Fix) -> Fix {
    let isReduced = scenario.capabilities.isReducedAccuracy || standard.settings.desiredAccuracy == .reduced
    return isReduced ? fix.reduced : fix
  }

  /// The system has come by a position without the service.
  func standardNotesPassive(_ fix: Fix) {
    standard.lastKnown = fix
    guard standard.isStarted, appState == .suspended, scenario.capabilities.authorization == .always else {
      return
    }
    let fix = seen(fix)
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
  /// The position at reduced accuracy: to a hundredth of a degree, a kilometre, and saying that it is off by 1 to 20 km.
  var reduced: Fix {
    Fix(
      time: time,
      coordinate: Coordinate(
        latitude: (coordinate.latitude * 100).rounded() / 100,
        longitude: (coordinate.longitude * 100).rounded() / 100),
      horizontalAccuracy: min(20_000, max(1000, horizontalAccuracy)))
  }
}

extension Geodesic {
  /// The distance between two valid places, to 1e-6 m, at a tenth of the authority's cost.
  static func simulatedDistance(_ a: Coordinate, _ b: Coordinate) -> Meters {
    let (distance, error) = certifiedDistance(from: ECEF(unchecked: a), to: ECEF(unchecked: b))
    return error < 1e-6 ? distance : uncheckedDistance(a, b)
  }
}
