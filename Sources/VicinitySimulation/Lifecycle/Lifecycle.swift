internal import VicinityMonitor

/// What the app is doing and what keeps it running.
struct LifecycleState {
  var state = AppState.notRunning
  var actionIndex = 0

  init(_ scenario: Scenario) {}
}

/// What an event does to an app that does not run.
enum DeliveryKind {
  /// Only an app that runs gets it; what is held back for one that does not is the service's affair.
  case running
  /// Wakes a suspended app for ``BackgroundRules/eventTime``, and starts one that has no process: regions, significant
  /// changes, visits, beacons.
  case relaunching
}

extension SimulatedPhone {
  /// What the app is doing.
  public var appState: AppState { lifecycle.state }

  /// Tells the app. Says whether it was told.
  @discardableResult
  func deliver(_ event: PhoneEvent, _ kind: DeliveryKind) -> Bool {
    guard app != nil else { return false }
    record(.delivered(event))
    app?.phone(self, did: event)
    return true
  }

  func lifecycleBegins() {
    lifecycle.state = .foreground
    app = makeApp()
    deliver(.launched(.user), .running)
    deliver(.becameActive, .running)
  }
  func lifecycleEnds() {}
  func actionIsDue() {}
  func lifecycleIsDue() {}
  func keepAliveIsDue() {}
  func appTimerIsDue() {}
}
