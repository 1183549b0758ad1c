public import VicinityCrossings

/// A phone, and everything that happens to it from outside.
public struct Scenario: Sendable {
  public var track: TrueTrack
  public var surroundings: SurroundingsTimeline
  /// The user's actions, in order of time.
  public var actions: [TimedAction]
  public var beacons: [PlacedBeacon]
  /// Other phones, which run at the same time and are heard where they are beacons. Their apps do what their
  /// scenarios ask for, and nothing else; phones near these have no effect.
  public var companions: [Scenario] = []
  /// What the app asks of the phone at each launch, after it has been told of it, beside what it does by
  /// itself.
  public var atLaunch: [AppRequest]
  /// What the app asks for each time that it is told that its user has left it, within that callback.
  public var whenLeft: [AppRequest] = []
  /// How many regions are monitored for other apps; they take from ``BackgroundRules/systemRegionLimit``.
  public var otherAppsRegions = 0
  public var profile: DeviceProfile
  /// What the operating system allows apps in the background.
  public var rules: BackgroundRules
  /// How the app is declared, and what its user allows at the beginning; ``UserAction/set(_:)`` changes it.
  public var capabilities: AppCapabilities
  /// What the phone is equipped with.
  public var hardware: PhoneHardware
  /// What is wrong with the phone; nothing by default.
  public var faults: Set<PhoneFault>
  /// The seed of all random numbers.
  public var seed: UInt64

  /// The surroundings are inferred from the track by default; the actions may come in any order. The rules
  /// are those of the profile's era by default.
  public init(
    track: TrueTrack, surroundings: SurroundingsTimeline? = nil, actions: [TimedAction] = [],
    beacons: [PlacedBeacon] = [], atLaunch: [AppRequest] = [], profile: DeviceProfile,
    rules: BackgroundRules? = nil,
    capabilities: AppCapabilities = AppCapabilities(), hardware: PhoneHardware = PhoneHardware(),
    faults: Set<PhoneFault> = [], seed: UInt64 = 1
  ) {
    self.track = track
    self.surroundings = surroundings ?? .inferred(from: track)
    self.actions = actions.sorted { $0.time < $1.time }
    self.beacons = beacons
    self.atLaunch = atLaunch
    self.profile = profile
    self.rules = rules ?? BackgroundRules(of: profile)
    self.capabilities = capabilities
    self.hardware = hardware
    self.faults = faults
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
  /// The user goes to another app or to the home screen. An app on a phone without multitasking ends then.
  case leaveApp
  /// Something covers the app while it stays in front, such as a call that rings: it resigns being active.
  /// ``openApp`` ends the interruption, and ``leaveApp`` goes on from it.
  case interrupt
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
  /// Data arrives on the app's socket.
  case socketData
  /// The user changes a setting.
  case set(SettingChange)
  /// The phone has come to another time zone: its offset from UTC, positive in the east.
  case setTimeZone(offset: Duration)
  /// From now on so many regions are monitored for other apps.
  case otherAppsRegions(Int)
  /// The app asks the phone for something, if it runs.
  case app(AppRequest)
}
