internal import VicinityCrossings
internal import VicinityMonitor

/// The state of the app, and what keeps it running.
struct LifecycleState: ~Copyable {
  var state = AppState.notRunning
  var actionIndex = 0
  /// True while several changes are made that are settled together.
  var isSettling = false
  /// Whether the app has been told that it will be ended.
  var isTerminating = false

  var main = MainThread()

  // What keeps the app running in the background.

  /// Until when the event that woke the app lets it run.
  var eventEnd = Timestamp.distantPast
  /// Whether a significant change has woken or started the app, or come since it was, in this time in the
  /// background.
  var isWokenByMove = false
  var tasks: [RunningTask] = []
  var lastTask = 0
  /// The task of a scenario's blocking loop; none once its expiration handler has set the loop's flag.
  var watchedTask = BackgroundTask.invalid
  /// When all tasks must have ended; nil while nothing limits them.
  var budgetEnd: Timestamp?
  /// The start of the time in the background that has not been counted yet.
  var backgroundSince: Timestamp?

  var concurrent: [RunningWork] = []
  var lastWork = 0
  /// How often the app has been called.
  var turn = 0
  var timers: [AppTimer] = []
  var lastTimer = 0
  var keepAliveInterval: Duration?
  /// How long each call of the keep-alive handler works, as a scenario has it.
  var keepAliveWork = Duration.zero
  var notifications: NotificationScheduler?
  var badge = 0
  var timeZoneOffset: Duration = .zero
  /// The last position that the app was told, and the one before the event that it is being told.
  var lastLocation: Fix?
  var previousLocation: Fix?

  // The system.

  /// Whether the user has force-quit the app and not opened it since.
  var isForceQuit = false
  var hasBeenInFront = false
  /// Whether the phone has not been unlocked since it started.
  var isLocked = false
  /// The events that wait for the first unlock.
  var waiting: [PhoneEvent] = []
  var hasBegun = false
  var hasEnded = false
  /// The radios that regions need.
  struct Radios: Hashable {
    var isGrounded: Bool
    var hasBluetooth: Bool
  }

  /// The radios as of the last change; nil before the first.
  var radios: Radios?
  /// Whether settings have changed that the app has not been told of.
  var hasUntoldSettings = false
  /// How many regions are monitored for other apps.
  var otherAppsRegions = 0
  /// The socket of the app's process: whether data on it wakes the app; nil while none is connected.
  var socketWakes: Bool?
  var isAsleep = false
}

/// How an event treats an app that does not run.
enum DeliveryKind {
  /// Only a running app gets the event; the service decides what to keep for later.
  case running
  /// The event wakes a suspended app for ``BackgroundRules/eventTime`` and starts an app that has no process:
  /// regions, significant changes, visits, beacons.
  case relaunching
}
