public import VicinityCrossings

/// What surrounds a phone, and what its user has switched on.
public struct PhoneSurroundings: Hashable, Sendable {
  /// How many cells the phone can hear. It decides how well and how often cells can locate the phone.
  public enum CellDensity: String, CaseIterable, Hashable, Sendable {
    case urban
    case suburban
    case rural
    /// No cell in reach: at sea, or underground.
    case none
  }

  /// Whether the phone is under a roof: it then receives no satellites, and Wi-Fi positions are better.
  public var isIndoors: Bool
  public var cells: CellDensity
  /// Whether Wi-Fi is on and networks are in reach.
  public var hasWiFi: Bool
  public var hasBluetooth: Bool
  /// Airplane mode: no cells. Satellites work; Wi-Fi and Bluetooth follow their own properties.
  public var isInAirplaneMode: Bool
  public var isScreenOn: Bool
  public var isCharging: Bool

  /// By default: outdoors in a city, everything on except the display.
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

/// The surroundings of a phone over time.
public struct SurroundingsTimeline: Hashable, Sendable {
  public struct Change: Hashable, Sendable {
    /// The new surroundings hold from this time on.
    public var time: Timestamp
    public var surroundings: PhoneSurroundings

    public init(time: Timestamp, surroundings: PhoneSurroundings) {
      self.time = time
      self.surroundings = surroundings
    }
  }

  /// The surroundings before the first change.
  public var initial: PhoneSurroundings
  /// The changes, ordered by time; of several at one time the last one holds.
  public let changes: [Change]

  /// The changes may come in any order.
  public init(_ initial: PhoneSurroundings = PhoneSurroundings(), changes: [Change] = []) {
    self.initial = initial
    // Sorting is stable.
    self.changes = changes.sorted { $0.time < $1.time }
  }

  /// Indoors during the long stays of a track, outdoors otherwise.
  ///
  /// - Parameters:
  ///   - track: The phone's track.
  ///   - base: The surroundings apart from the roof.
  ///   - indoorsAfter: The shortest stay that counts as indoors; 10 minutes by default, longer than the stops of a bus or at
  ///     traffic lights.
  public static func inferred(
    from track: TrueTrack, base: PhoneSurroundings = PhoneSurroundings(),
    indoorsAfter: Duration = .seconds(600)
  ) -> SurroundingsTimeline {
    var changes: [Change] = []
    for stay in track.stays where stay.start.duration(to: stay.end) >= indoorsAfter {
      var inside = base
      inside.isIndoors = true
      changes.append(Change(time: stay.start, surroundings: inside))
      changes.append(Change(time: stay.end, surroundings: base))
    }
    return SurroundingsTimeline(base, changes: changes)
  }
}
