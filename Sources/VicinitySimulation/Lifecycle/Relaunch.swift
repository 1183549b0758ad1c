internal import VicinityMonitor

// Which apps the system starts: "If a region boundary is crossed while an app isn’t running, that app is relaunched into the
// background to handle the event"; "In OS X, … the system doesn’t launch apps" (*Location and Maps Programming Guide*, "Region
// Monitoring and iBeacon"). It needs to be allowed "always". After a restart events come after the first unlock only, as
// Core Location's records are protected data until then.
extension SimulatedPhone {
  /// Whether region, significant-change, visit and beacon events start the app.
  var relaunches: Bool {
    scenario.rules.platform == .iOS && scenario.capabilities.authorization == .always
      && (!lifecycle.isForceQuit || scenario.rules.relaunchesForceQuit)
  }

  /// Starts the app for an event: `UIApplicationLaunchOptionsLocationKey`, then the event. Before the first unlock the event
  /// waits.
  func relaunch(for event: PhoneEvent) {
    guard !lifecycle.isLocked else {
      lifecycle.waiting.append(event)
      return
    }
    change {
      launch(.location)
      hand(event, isOwed: true)
    }
  }

  /// The phone is unlocked: what waited for that, comes.
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

  /// A display that is lit is one that somebody looks at who has unlocked the phone.
  func lifecycleNoticesEnvironment() {
    if lifecycle.isLocked, environment.isScreenOn { unlock() }
  }

  /// The phone is switched off and on: processes are gone, without a word (`applicationWillTerminate` is not called "when the
  /// device reboots"; *App Programming Guide for iOS*, "App Termination"), registered regions and notifications stay. An app
  /// that was ended with force counts as any other from then on.
  func restart() {
    end(because: "restart")
    if !lifecycle.waiting.isEmpty {
      record(.lost("\(lifecycle.waiting.count) events before the first unlock"))
    }
    lifecycle.waiting = []
    lifecycle.isForceQuit = false
    lifecycle.isLocked = scenario.rules.needsFirstUnlock && scenario.rules.platform == .iOS
    restartIfKeptAlive()
    lifecycleNoticesEnvironment()
  }
}
