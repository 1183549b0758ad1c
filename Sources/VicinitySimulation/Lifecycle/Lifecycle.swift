internal import VicinityCrossings
internal import VicinityMonitor

/// What the app is doing and what keeps it running.
struct LifecycleState {
  var state = AppState.notRunning
  /// The next of the scenario's actions.
  var actionIndex = 0
  /// Whether changes are being made, to be settled when they are complete.
  var isSettling = false
  /// Whether the app has been told that it is about to be ended.
  var isTerminating = false

  var main = MainThread()

  // What keeps the app running in the background.

  /// Until when what woke it does.
  var eventEnd = Timestamp.distantPast
  var tasks: [RunningTask] = []
  var lastTask = 0
  /// When all tasks must have ended; nil while nothing limits them.
  var budgetEnd: Timestamp?
  /// Since when it has run in the background, as far as that has not been counted.
  var backgroundSince: Timestamp?

  var timers: [AppTimer] = []
  var lastTimer = 0
  var keepAliveInterval: Duration?
  var notifications: NotificationScheduler?

  // The system.

  /// Whether the user has ended the app with force, and not opened it since.
  var isForceQuit = false
  /// Whether the phone has not been unlocked since it started.
  var isLocked = false
  /// What the app will be told when it is.
  var waiting: [PhoneEvent] = []
  /// A computer asleep.
  var isAsleep = false

  init(_ scenario: Scenario) {}
}

extension Timestamp {
  /// Earlier than everything.
  static let distantPast = Timestamp(microseconds: .min)
}

/// What an event does to an app that does not run.
enum DeliveryKind {
  /// Only an app that runs gets it; what is held back for one that does not is the service's affair.
  case running
  /// Wakes a suspended app for ``BackgroundRules/eventTime``, and starts one that has no process: regions, significant
  /// changes, visits, beacons.
  case relaunching
}
