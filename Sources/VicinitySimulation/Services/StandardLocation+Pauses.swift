internal import VicinityCrossings
public import VicinityGeodesy

/// Positions held back, to spare the processor.
struct Deferral {
  var distance: Meters
  var deadline: Timestamp
  var held: [Fix] = []
}

extension SimulatedPhone {
  /// Has positions measured but not delivered while the app is in the background, until the phone has gone so far, or so much
  /// time is over: `allowDeferredLocationUpdates(untilTraveled:timeout:)` of iOS 6 to 12.
  ///
  /// They come in one batch, followed by ``PhoneEvent/deferredUpdatesFinished(reason:)``. The receiver computes them by itself:
  /// meanwhile the processor draws nothing for them. Only for ``DesiredAccuracy/best`` and
  /// ``DesiredAccuracy/bestForNavigation`` without a distance filter, where satellites can be heard.
  ///
  /// - Parameters:
  ///   - distance: Metres from the first position that is held back; infinite for any.
  ///   - timeout: nil for any time.
  public func allowDeferredLocationUpdates(untilTraveled distance: Meters, timeout: Duration?) {
    guard standard.deferral == nil else { return }
    let isBest = [.best, .bestForNavigation].contains(standard.settings.desiredAccuracy)
    guard standard.isOn, isBest, !scenario.capabilities.isReducedAccuracy, standard.receiver.found != nil,
      standard.settings.effectiveFilter == nil
    else { return standardTells(.deferredUpdatesFinished(reason: .notAvailable)) }
    record(
      .service(name: "standard", setting: "deferred: \(distance) m, \(timeout.map { "\($0)" } ?? "any time")")
    )
    standard.deferral = Deferral(
      distance: distance, deadline: timeout.map { now.advanced(by: $0) } ?? .distantFuture)
    holdStandardPower()
    armStandardState()
  }

  /// Has positions delivered as they come again.
  public func disallowDeferredLocationUpdates() { endDeferral(.canceled) }

  /// Whether positions are held back now.
  var isDeferring: Bool { standard.deferral != nil && appState == .background }

  func hold(_ fix: Fix) {
    standard.deferral?.held.append(fix)
    guard let deferral = standard.deferral, let first = deferral.held.first else { return }
    if Geodesic.simulatedDistance(first.coordinate, fix.coordinate) >= deferral.distance {
      endDeferral(.distance)
    }
  }

  func endDeferral(_ reason: DeferralEnd) {
    guard let deferral = standard.deferral else { return }
    standard.deferral = nil
    holdStandardPower()
    if let last = deferral.held.last {
      standard.lastDelivered = last
      standard.isFirst = false
      standardTells(deferral.held, from: .standard, standardPlan)
    }
    standardTells(.deferredUpdatesFinished(reason: reason))
  }

  /// Updates pause after some time at rest.
  func planPause() {
    standard.pauseTime = .distantFuture
    if standard.isOn, standard.settings.pausesAutomatically, truth.isStill(at: now),
      let delay = standard.settings.activity.pauseDelay
    {
      standard.pauseTime = now.advanced(bySeconds: delay)
    }
    armStandardState()
  }

  func armStandardState() {
    guard !standard.isAsleep else { return agenda.cancel(.standardState) }
    var next = min(standard.pauseTime, standard.deferral?.deadline ?? .distantFuture)
    next = min(next, standard.single?.time ?? next)
    agenda[.standardState] = next
  }

  func standardStateIsDue() {
    if standard.pauseTime <= now {
      standard.pauseTime = .distantFuture
      standard.isPaused = true
      endDeferral(.canceled)
      // Told before it is switched off, which may suspend the app.
      standardTells(.locationUpdatesPaused)
      refreshStandard()
    }
    if let deferral = standard.deferral, deferral.deadline <= now { endDeferral(.timeout) }
    if let single = standard.single, single.time <= now { finishSingle(single) }
    armStandardState()
  }
}
