public import VicinityCrossings
public import VicinityGeodesy
public import VicinityMonitor

/// What happened on a phone, in the order in which it did.
public struct TimelineEntry: Hashable, Sendable {
  /// When.
  public var time: Timestamp
  /// What.
  public var kind: Kind

  /// An entry.
  public init(time: Timestamp, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// What can happen.
  public enum Kind: Hashable, Sendable {
    /// The app was told something.
    case delivered(PhoneEvent)
    /// The app's state changed.
    case lifecycle(AppState, because: String)
    /// A service was started, changed or stopped by the app; its settings in words.
    case service(name: String, setting: String)
    /// A region was given a slot.
    case registered(MonitoredRegion)
    /// A region lost its slot.
    case unregistered(region: String)
    /// The system sees a region entered or left; whether and when the app is told is another entry.
    case observed(RegionState, region: String)
    /// A background task began.
    case taskBegan(BackgroundTask, name: String)
    /// A background task ended.
    case taskEnded(BackgroundTask)
    /// The app reports that a region was entered or left: what its user gets to see. At which instant it says.
    case reported(isEntry: Bool, region: String, at: Timestamp)
    /// The app's vicinity: outside it, it will choose its regions again. nil when it has none.
    case vicinity(center: Coordinate, radius: Meters)
    /// The app has no vicinity now.
    case noVicinity
    /// A local notification was shown.
    case notified(identifier: String)
    /// Something was lost or refused: what, in words.
    case lost(String)
  }
}

/// What an app is doing.
public enum AppState: String, CaseIterable, Hashable, Sendable {
  /// It has no process.
  case notRunning
  /// In front, on the display.
  case foreground
  /// Behind, and running.
  case background
  /// Behind, in memory, and not running.
  case suspended
}

/// What a run keeps besides its sums.
public struct Recording: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Everything that happens.
  public static let events = Recording(rawValue: 1)
  /// Every step of every component's power.
  public static let power = Recording(rawValue: 2)
  /// What the app reports, alone.
  public static let reports = Recording(rawValue: 4)
  /// What was drawn in each hour of the day.
  public static let hours = Recording(rawValue: 8)
  /// Everything that happens, with the power's steps: the hours are sums of those.
  public static let all: Recording = [.events, .power, .reports]
}

/// What came of a run.
public struct SimulationResult: Sendable {
  /// When it began and ended.
  public var start: Timestamp
  public var end: Timestamp
  /// Joules by component.
  public var joules: [EnergyComponent: Double]
  /// The app's callbacks, by what they were for.
  public var counts: SimulationCounts
  /// What happened, as far as it was recorded.
  public var timeline: [TimelineEntry]
  /// The steps of power, as far as they were recorded, ordered by time.
  public var power: [PowerStep]
  /// What was drawn in each hour of the day, UTC: 24, or none where that was not recorded. They add up to ``joules``, but for
  /// rounding.
  public var hours: [EnergyHour]

  /// Joules altogether.
  public var totalJoules: Double {
    var sum = 0.0
    for component in EnergyComponent.allCases { sum += joules[component] ?? 0 }
    return sum
  }

  /// Per cent of a battery that an hour of this takes on average; zero for no time at all.
  public func percentAnHour(of profile: DeviceProfile) -> Double {
    let hours = end.seconds(since: start) / 3600
    guard hours > 0 else { return 0 }
    return totalJoules / 3.6 / profile.milliwattsPerPercentAnHour / hours
  }
}

/// How often things happened.
public struct SimulationCounts: Hashable, Sendable {
  /// Positions delivered.
  public var fixes = 0
  /// Times that a suspended app was woken.
  public var wakes = 0
  /// Times that the app was started by the system.
  public var relaunches = 0
  /// Regions given a slot.
  public var registrations = 0
  /// Regions whose slot was taken away.
  public var unregistrations = 0
  /// Entries and exits that the app was told of.
  public var regionEvents = 0
  /// Times that the app was killed for taking too long.
  public var kills = 0
  /// Seconds that the app ran in the background.
  public var backgroundSeconds = 0.0

  /// None.
  public init() {}
}
