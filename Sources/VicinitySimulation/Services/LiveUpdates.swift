internal import VicinityCrossings
public import VicinityMonitor

// Live updates, `CLLocationUpdate.liveUpdates(_:)`, since iOS 17. The rules are those of WWDC23 10180:
//
// - They are the standard service's best positions without a filter. The phone has one of both at a time (a
//   simplification).
// - In the background they need the mode `location`, and "always" or a background activity session; they then
//   keep the app running. Where an app declares that it holds service sessions, they need one as well
//   (WWDC24 10212).
// - When the phone has stood still for a while they pause, which suspends an app in the background. When it
//   moves on they come again, and wake the app. No setting keeps them from pausing (an engineer of Apple's,
//   Apple Developer Forums, thread 763696). How long a while is is assumed, as for the standard service; the
//   thread speaks of ten minutes.
// - An app whose process has ended meanwhile is started when there is a position again, and has to begin them
//   again. It is not by the rules by which no event starts it (``SimulatedPhone/relaunches``), nor after a
//   restart of the phone (assumed).
extension SimulatedPhone {
  /// Follows live updates, in place of the standard service: `PhoneEvent.locations` until
  /// ``stopLiveUpdates()``, `PhoneEvent.locationUpdatesPaused` for one that says that the phone is
  /// stationary, `PhoneEvent.locationUpdatesResumed` for the first after it.
  ///
  /// In the background an app with "when in use" authorization needs a background activity session.
  public func startLiveUpdates(_ activity: LocationSettings.Activity = .other) {
    guard scenario.rules.hasLiveUpdates else { return record(.lost("live updates: the system has none")) }
    guard mayLocate || authorization == .notDetermined else {
      record(.lost("live updates: not allowed"))
      deliver(.locationDenied, .running)
      return
    }
    guard appState == .foreground || authorization != .whenInUse || hasBackgroundActivity else {
      return record(.lost("live updates: insufficiently in use"))
    }
    guard standard.live != activity else { return }
    endDeferral(.canceled)
    record(.service(name: "live", setting: activity.rawValue))
    standard.live = activity
    beginUpdates()
  }

  public func stopLiveUpdates() {
    guard standard.live != nil else { return }
    record(.service(name: "live", setting: "stopped"))
    endUpdates()
  }

  /// Whether live updates wait for a service session.
  var liveLacksSession: Bool {
    standard.live != nil && declaresServiceSessions && !sessions.service.isInForce
  }

  /// The phone moves on: what has paused comes again, and wakes the app.
  func resumeLive() {
    if standard.isLiveOwed { planLaunchForLive(at: now) }
    guard standard.live != nil, standard.isPaused else { return }
    standard.isPaused = false
    deliver(.locationUpdatesResumed, mayRunInBackground ? .relaunching : .running)
    refreshStandard()
  }

  /// The process ends: what it followed is outstanding.
  func oweLive() {
    standard.isLiveOwed = standard.live != nil && mayRunInBackground
    guard standard.isLiveOwed, !standard.isPaused, let plan = standardPlan else { return }
    planLaunchForLive(at: now.advanced(bySeconds: max(0.1, plan.tier.interval.value(at: 0.5))))
  }

  private func planLaunchForLive(at time: Timestamp) {
    standard.liveTime = time
    armStandardState()
  }

  func liveIsDue() {
    standard.liveTime = .distantFuture
    guard standard.isLiveOwed, appState == .notRunning, relaunches else { return }
    // A minute later, because nothing tells of the first unlock.
    if lifecycle.isLocked {
      standard.liveTime = now.advanced(bySeconds: 60)
      return
    }
    launch(.location)
  }
}
