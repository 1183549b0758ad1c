public import VicinityCrossings

/// A phone, and everything that happens to it from outside.
public struct Scenario: Sendable {
  public var track: TrueTrack
  public var surroundings: SurroundingsTimeline
  /// The user's actions, in order of time.
  public var actions: [TimedAction]
  public var beacons: [PlacedBeacon]
  public var profile: DeviceProfile
  /// What the operating system allows apps in the background.
  public var rules: BackgroundRules
  public var capabilities: AppCapabilities
  /// The seed of all random numbers.
  public var seed: UInt64

  /// The surroundings are inferred from the track by default; the actions may come in any order.
  public init(
    track: TrueTrack, surroundings: SurroundingsTimeline? = nil, actions: [TimedAction] = [],
    beacons: [PlacedBeacon] = [], profile: DeviceProfile, rules: BackgroundRules = .iOS13,
    capabilities: AppCapabilities = AppCapabilities(), seed: UInt64 = 1
  ) {
    self.track = track
    self.surroundings = surroundings ?? .inferred(from: track)
    self.actions = actions.sorted { $0.time < $1.time }
    self.beacons = beacons
    self.profile = profile
    self.rules = rules
    self.capabilities = capabilities
    self.seed = seed
  }
}

/// A user action at a time.
public struct TimedAction: Hashable, Sendable {
  public var time: Timestamp
  public var action: UserAction

  public init(time: Timestamp, _ action: UserAction) {
    self.time = time
    self.action = action
  }
}

/// An action of the user, or of the operating system, that concerns the app or the phone.
public enum UserAction: Hashable, Sendable {
  /// The user brings the app to the foreground, which starts it if it does not run.
  case openApp
  /// The user goes to another app or to the home screen.
  case leaveApp
  /// The user removes the app from the list of recent apps: it is killed without notice.
  case forceQuit
  /// Memory is short: a suspended app is killed without notice, a running one is warned.
  case memoryPressure
  /// The system ends the app: a running app is told, a suspended one is not.
  case terminate
  /// The app exits or crashes with a status.
  case exit(status: Int32)
  case restart
  /// A computer goes to sleep (macOS): nothing runs and nothing is received.
  case sleep
  case wake
  /// Data arrives on the socket of a keep-alive app.
  case socketData
}

/// How an app is declared, and what its user has allowed.
public struct AppCapabilities: Hashable, Sendable {
  /// The user's permission to use location.
  public enum Authorization: String, CaseIterable, Hashable, Sendable {
    case denied
    case whenInUse
    /// At all times; events may start the app.
    case always
  }

  /// `always` by default.
  public var authorization: Authorization
  /// Whether the user has allowed only approximate positions. Services then deliver the reduced tier, and neither regions nor
  /// beacons are available.
  public var isReducedAccuracy: Bool
  public var hasLocationMode: Bool
  public var hasBluetoothMode: Bool
  /// The former `voip` mode: the app is started at boot, kept alive, and woken by data and by a handler every 600 s or more.
  public var isKeptAlive: Bool

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
