internal import VicinityCrossings
public import VicinityGeodesy
internal import VicinityMonitor

/// Deferred updates: positions that are held back to spare the processor.
struct Deferral {
  var distance: Meters
  var deadline: Timestamp
  var held: [Fix] = []
}

extension SimulatedPhone {
  /// Holds measured positions back while the app is in the background, until the phone has travelled a
  /// distance or a time has passed: `allowDeferredLocationUpdates(untilTraveled:timeout:)`, since iOS 6,
  /// deprecated in iOS 13.
  ///
  /// They come in one batch, followed by `PhoneEvent.deferredUpdatesFinished`. The receiver computes them
  /// without the processor, which draws nothing for them. Deferral needs `DesiredAccuracy.best` or
  /// `DesiredAccuracy.bestForNavigation`, no distance filter, and satellites.
  ///
  /// - Parameters:
  ///   - distance: Metres from the first held position; infinite for no limit.
  ///   - timeout: nil for no limit.
  public func allowDeferredLocationUpdates(untilTraveled distance: Meters, timeout: Duration?) {
    guard standard.deferral == nil else { return }
    guard scenario.rules.hasDeferredUpdates else {
      return record(.lost("deferred updates: rules \(scenario.rules.name) know none"))
    }
    let isBest = [.best, .bestForNavigation].contains(standard.settings.desiredAccuracy)
    guard standard.isOn, isBest, !capabilities.isReducedAccuracy, standard.receiver.found != nil,
      standard.settings.effectiveFilter == nil
    else {
      deliver(.deferredUpdatesFinished(reason: .notAvailable), .running)
      return
    }
    record(
      .service(name: "standard", setting: "deferred: \(distance) m, \(timeout.map { "\($0)" } ?? "any time")")
    )
    standard.deferral = Deferral(
      distance: distance, deadline: timeout.map { now.advanced(by: $0) } ?? .distantFuture)
    holdStandardPower()
    armStandardState()
  }

  /// Ends deferral: positions are delivered as they come.
  public func disallowDeferredLocationUpdates() { endDeferral(.canceled) }

  /// Whether positions are being held back.
  var isDeferring: Bool { standard.deferral != nil && appState == .background }

  func deferFix(_ fix: Fix) {
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
      deliverFixes(deferral.held, from: .standard, standardPlan)
    }
    deliver(.deferredUpdatesFinished(reason: reason), .running)
  }

  /// Schedules the pause after some time at rest.
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
    guard !lifecycle.isAsleep else { return timers.cancel(.standardState) }
    var next = min(standard.pauseTime, standard.deferral?.deadline ?? .distantFuture)
    next = min(next, standard.single?.time ?? next)
    next = min(next, standard.liveTime)
    timers[.standardState] = next
  }

  func standardStateIsDue() {
    if standard.pauseTime <= now {
      standard.pauseTime = .distantFuture
      standard.isPaused = true
      endDeferral(.canceled)
      // The app is told before the service is switched off, because that may suspend the app.
      deliver(.locationUpdatesPaused, .running)
      refreshStandard()
    }
    if let deferral = standard.deferral, deferral.deadline <= now { endDeferral(.timeout) }
    if let single = standard.single, single.time <= now { finishSingle(single) }
    if standard.liveTime <= now { liveIsDue() }
    armStandardState()
  }
}

extension LocationSettings.Activity {
  /// After how many seconds at rest updates pause; nil for never.
  ///
  /// Not published. Assumed: a quarter of an hour (5 to 30 minutes), and half of that for a car, which stops
  /// for less time.
  var pauseDelay: Double? {
    switch self {
    case .other, .fitness, .otherNavigation: 900
    case .automotiveNavigation: 450
    case .airborne: nil
    }
  }
}
