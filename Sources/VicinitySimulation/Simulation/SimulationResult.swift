public import VicinityCrossings

/// What a result contains besides its sums.
public struct Recording: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The timeline.
  public static let events = Recording(rawValue: 1)
  /// The steps of every component's power.
  public static let power = Recording(rawValue: 2)
  /// Of the timeline, the app's reports only.
  public static let reports = Recording(rawValue: 4)
  /// The energy of each hour of the day.
  public static let hours = Recording(rawValue: 8)
  /// All of the above except the hours, which are sums of the steps.
  public static let all: Recording = [.events, .power, .reports]
}

/// The result of a run.
public struct SimulationResult: Sendable {
  public var start: Timestamp
  public var end: Timestamp
  /// Joules by component.
  public var joules: [EnergyComponent: Double]
  /// The same joules by the figures that they are due to, in the order of ``EnergySource``.
  public var joulesBySource: [Double]
  public var counts: SimulationCounts
  /// The timeline, as far as it was recorded.
  public var timeline: [TimelineEntry]
  /// The steps of power, as far as they were recorded, ordered by time.
  public var power: [PowerStep]
  /// The energy of each hour of the day, UTC: 24 values, or none if not recorded. Except for rounding they
  /// add up to ``joules``.
  public var hours: [EnergyHour]

  /// The sum of all components, joules.
  public var totalJoules: Double {
    var sum = 0.0
    for component in EnergyComponent.allCases { sum += joules[component] ?? 0 }
    return sum
  }

  /// The mean drain in per cent of the battery an hour; zero for an empty run.
  public func percentAnHour(of profile: DeviceProfile) -> Double {
    let hours = end.seconds(since: start) / 3600
    guard hours > 0 else { return 0 }
    return totalJoules / 3.6 / profile.milliwattsPerPercentAnHour / hours
  }
}

/// Counts of a run's events.
public struct SimulationCounts: Hashable, Sendable {
  public var fixes = 0
  /// How often a suspended app was woken.
  public var wakes = 0
  /// How often the system started the app.
  public var relaunches = 0
  /// Regions that got a slot.
  public var registrations = 0
  /// Regions that lost their slot.
  public var unregistrations = 0
  /// Entries and exits delivered to the app.
  public var regionEvents = 0
  /// How often the app was killed for taking too long.
  public var kills = 0
  /// The app's time in the background, seconds.
  public var backgroundSeconds = 0.0

  package init() {}
}
