public import VicinityCrossings

/// Everything that happens to a phone from outside, and which phone it is.
public struct Scenario: Sendable {
  /// Where the phone truly goes.
  public var track: TrueTrack
  /// What surrounds it meanwhile.
  public var environment: EnvironmentTimeline
  /// What its user does to the app and the phone, in the order of time.
  public var actions: [TimedAction]
  /// The beacons that stand about.
  public var beacons: [PlacedBeacon]
  /// The phone.
  public var profile: DeviceProfile
  /// What the system lets an app in the background do.
  public var rules: BackgroundRules
  /// How the app was declared and what it may.
  public var capabilities: AppCapabilities
  /// What decides everything that is left to chance.
  public var seed: UInt64

  /// A scenario.
  public init(
    track: TrueTrack, environment: EnvironmentTimeline? = nil, actions: [TimedAction] = [],
    beacons: [PlacedBeacon] = [], profile: DeviceProfile, rules: BackgroundRules = .iOS13,
    capabilities: AppCapabilities = AppCapabilities(), seed: UInt64 = 1
  ) {
    self.track = track
    self.environment = environment ?? .inferred(from: track)
    self.actions = actions.sorted { $0.time < $1.time }
    self.beacons = beacons
    self.profile = profile
    self.rules = rules
    self.capabilities = capabilities
    self.seed = seed
  }
}

/// What a user, or the system of its own accord, does at some time.
public struct TimedAction: Hashable, Sendable {
  /// When.
  public var time: Timestamp
  /// What.
  public var action: UserAction

  /// An action at a time.
  public init(time: Timestamp, _ action: UserAction) {
    self.time = time
    self.action = action
  }
}

/// What a user, or the system of its own accord, can do to an app and its phone.
public enum UserAction: Hashable, Sendable {
  /// Brings the app to the front, starting it if it does not run.
  case openApp
  /// Goes to another app or the home screen.
  case leaveApp
  /// Removes the app from the list of recent ones: it is killed without a word.
  case forceQuit
  /// The system is short of memory: a suspended app is killed without a word, another is warned.
  case memoryPressure
  /// The system ends the app for reasons of its own: one that runs is told, a suspended one is not.
  case terminate
  /// The app crashes, or ends of its own with a status.
  case exit(status: Int32)
  /// The phone is switched off and on again.
  case restart
  /// A computer goes to sleep (macOS): nothing runs and nothing is received.
  case sleep
  /// A computer wakes.
  case wake
  /// Data comes on a socket that a keep-alive app listens on.
  case socketData
}

/// How an app was declared and what its user has allowed.
public struct AppCapabilities: Hashable, Sendable {
  /// What the user has allowed.
  public enum Authorization: String, CaseIterable, Hashable, Sendable {
    /// Nothing.
    case denied
    /// Location while the app is in use.
    case whenInUse
    /// Location at all times, relaunch included.
    case always
  }

  /// What the user has allowed; always, by default.
  public var authorization: Authorization
  /// Whether the user has allowed only a coarse position: services then deliver the reduced tier, and neither regions are
  /// monitored nor beacons ranged.
  public var isReducedAccuracy: Bool
  /// The `location` background mode.
  public var hasLocationMode: Bool
  /// The `bluetooth-central` mode.
  public var hasBluetoothMode: Bool
  /// The `voip` mode of old: started at boot, kept alive, woken by data and by a handler every 600 s or more.
  public var isKeptAlive: Bool

  /// Capabilities: always allowed, with the `location` mode.
  public init(
    authorization: Authorization = .always, isReducedAccuracy: Bool = false, hasLocationMode: Bool = true,
    hasBluetoothMode: Bool = false, isKeptAlive: Bool = false
  ) {
    self.authorization = authorization
    self.isReducedAccuracy = isReducedAccuracy
    self.hasLocationMode = hasLocationMode
    self.hasBluetoothMode = hasBluetoothMode
    self.isKeptAlive = isKeptAlive
  }
}
