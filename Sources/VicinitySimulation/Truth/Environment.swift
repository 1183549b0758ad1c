public import VicinityCrossings

/// What surrounds a phone and what its user has switched, for as long as it does not change.
public struct Environment: Hashable, Sendable {
  /// How many cells there are to be heard: it sets how well and how often a phone places itself by them.
  public enum CellDensity: String, CaseIterable, Hashable, Sendable {
    /// A city.
    case urban
    /// A town.
    case suburban
    /// Open country.
    case rural
    /// No cell in reach: at sea, underground.
    case none
  }

  /// Whether there is a roof overhead: satellites are lost, Wi-Fi is better.
  public var isIndoors: Bool
  /// How many cells there are.
  public var cells: CellDensity
  /// Whether Wi-Fi is on, and there is any.
  public var hasWiFi: Bool
  /// Whether Bluetooth is on.
  public var hasBluetooth: Bool
  /// Airplane mode: no cell; Wi-Fi and Bluetooth as said by the others; satellites work.
  public var isInAirplaneMode: Bool
  /// Whether the display is on.
  public var isScreenOn: Bool
  /// Whether the phone is on a charger.
  public var isCharging: Bool

  /// An environment: outdoors in a city, everything on but the display.
  public init(
    isIndoors: Bool = false, cells: CellDensity = .urban, hasWiFi: Bool = true, hasBluetooth: Bool = true,
    isInAirplaneMode: Bool = false, isScreenOn: Bool = false, isCharging: Bool = false
  ) {
    self.isIndoors = isIndoors
    self.cells = cells
    self.hasWiFi = hasWiFi
    self.hasBluetooth = hasBluetooth
    self.isInAirplaneMode = isInAirplaneMode
    self.isScreenOn = isScreenOn
    self.isCharging = isCharging
  }

  /// Whether a cell can be heard.
  public var hasCells: Bool { cells != .none && !isInAirplaneMode }
}

/// How a phone's environment changes in time.
public struct EnvironmentTimeline: Hashable, Sendable {
  /// A change.
  public struct Change: Hashable, Sendable {
    /// From when on.
    public var time: Timestamp
    /// What it is then.
    public var environment: Environment

    /// A change.
    public init(time: Timestamp, environment: Environment) {
      self.time = time
      self.environment = environment
    }
  }

  /// What it is before the first change.
  public var initial: Environment
  /// The changes, ordered by time; of several at one time the last holds.
  public let changes: [Change]

  /// An environment and its changes, in any order.
  public init(_ initial: Environment = Environment(), changes: [Change] = []) {
    self.initial = initial
    // Sorting is stable.
    self.changes = changes.sorted { $0.time < $1.time }
  }

  /// Indoors while a track stands still for a while, outdoors otherwise.
  ///
  /// - Parameters:
  ///   - track: Where the phone goes.
  ///   - base: Everything but the roof.
  ///   - indoorsAfter: How long a stay must be to be one under a roof; 10 minutes by default: longer than traffic lights and
  ///     stops of a bus.
  public static func inferred(
    from track: TrueTrack, base: Environment = Environment(), indoorsAfter: Duration = .seconds(600)
  ) -> EnvironmentTimeline {
    var changes: [Change] = []
    for stay in track.stays where stay.start.duration(to: stay.end) >= indoorsAfter {
      var inside = base
      inside.isIndoors = true
      changes.append(Change(time: stay.start, environment: inside))
      changes.append(Change(time: stay.end, environment: base))
    }
    return EnvironmentTimeline(base, changes: changes)
  }
}
