internal import VicinityMonitor

// Which apps the system starts (*Location and Maps Programming Guide*, "Starting the Significant-Change Location Service" and
// "Handling Boundary-Crossing Events": "if your app is not running, it is launched in the background"; `startMonitoring`
// needs "always" for that). On a computer, none. Protected data, which is where Core Location keeps its records, can be
// read only after the first unlock.
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

  /// The phone is switched off and on: processes are gone, without a word (the system "does not call
  /// `applicationWillTerminate` when the device reboots"), registered regions and notifications stay. An app that was
  /// ended with force counts as any other from then on.
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
