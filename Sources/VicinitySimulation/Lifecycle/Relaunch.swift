internal import VicinityCrossings
internal import VicinityMonitor

// Which apps the system starts: "If a region boundary is crossed while an app isn’t running, that app is
// relaunched into the background to handle the event"; "In OS X, … the system doesn’t launch apps" (*Location
// and Maps Programming Guide*, "Region Monitoring and iBeacon"). The app needs "always" authorization and
// Background App Refresh, and a phone on which apps can run in the background. After a restart events wait
// for the first unlock, because Core Location's records are protected until then.
extension SimulatedPhone {
  /// Whether region, significant-change, visit and beacon events start the app.
  var relaunches: Bool {
    scenario.rules.platform == .iOS && wakesApp && isMultitaskingSupported
      && (!lifecycle.isForceQuit
        || scenario.rules.relaunchesForceQuit && !scenario.faults.contains(.noRelaunch))
  }

  /// Starts the app for an event: `UIApplicationLaunchOptionsLocationKey`, then the event. Before the first
  /// unlock the event waits.
  func relaunch(for event: PhoneEvent) {
    guard !lifecycle.isLocked else {
      lifecycle.waiting.append(event)
      return
    }
    change {
      let isEarly = scenario.faults.contains(.earlyEvents)
      launch(.location, for: event, isEarly: isEarly)
      if !isEarly { dispatch(event, isOwed: true) }
    }
  }

  /// Unlocks the phone and delivers the events that waited for it.
  func unlock() {
    guard lifecycle.isLocked else { return }
    lifecycle.isLocked = false
    let waiting = lifecycle.waiting
    lifecycle.waiting = []
    change {
      for event in waiting where !deliver(event, .relaunching) {
        record(.lost("an event before the first unlock"))
      }
    }
  }

  /// A lit display means that the user has unlocked the phone.
  func lifecycleHandlesSurroundings() {
    if lifecycle.isLocked, surroundings.isScreenOn { unlock() }
  }

  /// Restarts the phone. Processes end without notice (`applicationWillTerminate` is not called "when the
  /// device reboots"; *App Programming Guide for iOS*, "App Termination"); registered regions and
  /// notifications stay. A force quit no longer counts, and sessions and live updates end.
  func restart() {
    end(because: "restart")
    if !lifecycle.waiting.isEmpty {
      let events = DecimalText.count(lifecycle.waiting.count, "event", "events")
      record(.lost("\(events) before the first unlock"))
    }
    lifecycle.waiting = []
    lifecycle.isForceQuit = false
    endSessions()
    standard.isLiveOwed = false
    lifecycle.isLocked = scenario.rules.needsFirstUnlock && scenario.rules.platform == .iOS
    restartIfKeptAlive()
    lifecycleHandlesSurroundings()
  }
}
