internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityMonitor
internal import VicinityPolygon

/// Commits to a record store, made up: the same ones for the same seed, and what is stored after each.
public struct RecordScript: Sequence, IteratorProtocol {
  private var random: SplitMix64
  private let polygons: [Polygon]
  /// What is stored after all commits so far.
  public private(set) var stored = StoredMonitor()
  /// How often everything is replaced.
  private let replaces: Bool

  /// A script without end.
  public init(seed: UInt64, replaces: Bool = true) {
    random = SplitMix64(seed: seed)
    polygons = RecordScript.polygons
    self.replaces = replaces
  }

  public mutating func next() -> [RecordChange]? {
    let count = [1, 1, 1, 2, 5][random.below(5)]
    var changes: [RecordChange] = []
    for _ in 0..<count {
      let change = change()
      stored.apply(change)
      changes.append(change)
    }
    return changes
  }

  /// What is stored after each of the first `count` commits, nothing first.
  public static func states(_ count: Int, seed: UInt64) -> [StoredMonitor] {
    var script = RecordScript(seed: seed)
    var states = [script.stored]
    for _ in 0..<count {
      _ = script.next()
      states.append(script.stored)
    }
    return states
  }

  /// Names that are hard for somebody: of equal text in different scalars, with a NUL in them, of no length,
  /// long.
  private static let names =
    [
      "", "caf\u{E9}", "cafe\u{301}", "\u{1100}\u{1161}", "\u{AC00}", "a\0b", "a\0c", "a", "A",
      "'; DROP TABLE x",
      String(repeating: "long ", count: 2000),
    ] + (0..<12).map { "place \($0)" }

  private mutating func name() -> String { Self.names[random.below(Self.names.count)] }

  /// A condition that there is, mostly.
  private mutating func known() -> String {
    let names = stored.conditions.values.sorted { $0.number < $1.number }.map(\.identifier)
    return names.isEmpty || random.below(8) == 0 ? name() : names[random.below(names.count)]
  }

  /// An undelivered event, mostly.
  private mutating func eventNumber() -> UInt64 {
    let numbers = stored.events.keys.sorted()
    return numbers.isEmpty || random.below(8) == 0
      ? UInt64(random.below(1000)) : numbers[random.below(numbers.count)]
  }

  private mutating func change() -> RecordChange {
    switch random.below(replaces ? 109 : 108) {
    case 100..<104: .counted(history())
    case 104..<108: .seen(Timestamp(microseconds: Int64(truncatingIfNeeded: random.next())))
    case 0..<25: .put(condition())
    case 25..<33: .remove(identifier: known())
    case 33..<65: .enqueue(event(known(), stored.lastSequenceNumber + 1 + UInt64(random.below(3))))
    case 65..<90: .handled(sequenceNumber: eventNumber())
    case 90..<100: .notified(identifier: known(), sequenceNumber: eventNumber())
    default: .replaceAll(replacement())
    }
  }

  private mutating func history() -> CrossingHistory {
    let counts = (0..<4).map { _ in random.below(5) }
    let exits = random.below(3)
    return CrossingHistory(
      crossings: counts[0] + counts[1] + counts[2] + counts[3],
      departureCrossings: counts[1] + counts[2] + counts[3], departureExits: random.below(2) * counts[2],
      headStarts: (0..<8).map { _ in random.below(3) * random.below(20) },
      longRestCrossings: counts[2] + counts[3], longRests: counts[3], exits: exits,
      meanExit: exits == 0 ? 0 : 1 + random.unit() * 1000)
  }

  private mutating func condition() -> StoredCondition {
    let name = name()
    return StoredCondition(
      identifier: name, number: stored.lastNumber + 1 + UInt64(random.below(3)),
      record: MonitoringRecord(
        condition: shape(),
        options: ConditionOptions(
          isPinned: random.below(2) == 0, priority: Int(truncatingIfNeeded: random.next()),
          notifyOnEntry: random.below(2) == 0, notifyOnExit: random.below(2) == 0,
          notifyEntryStateOnDisplay: random.below(2) == 0,
          latency: random.below(3) == 0 ? .milliseconds(10_000 + random.below(590_001)) : nil,
          hysteresis: random.below(3) == 0 ? random.unit() * 500 : 0,
          dwell: random.below(3) == 0 ? .milliseconds(random.below(86_400_001)) : .zero),
        lastEvent: event(name, 0)))
  }

  private mutating func shape() -> Condition {
    switch random.below(5) {
    case 0: .polygon(polygons[random.below(polygons.count)])
    case 1: .beacon(beacon())
    default:
      .circle(
        center: Coordinate(
          latitude: [-0.0, 0, 90, -90, 0.1, random.uniform(-90...90)][random.below(6)],
          longitude: [-0.0, 180, 1e300, -1e-300, random.uniform(-360...360)][random.below(5)]),
        radius: [0, -0.0, 1, 1e-300, .greatestFiniteMagnitude, random.logUniform(1...1e6)][random.below(6)])
    }
  }

  private mutating func beacon() -> BeaconIdentity {
    let uuid = ProximityUUID(high: random.next(), low: random.next() % 3)
    let number = UInt16(truncatingIfNeeded: random.next())
    switch random.below(3) {
    case 0: return BeaconIdentity(uuid: uuid)
    case 1: return BeaconIdentity(uuid: uuid, major: number)
    default: return BeaconIdentity(uuid: uuid, major: number, minor: 0xFFFF)
    }
  }

  private mutating func event(_ identifier: String, _ number: UInt64) -> MonitoringEvent {
    MonitoringEvent(
      identifier: identifier, state: MonitoringState.allCases[random.below(4)],
      date: Timestamp(microseconds: Int64(truncatingIfNeeded: random.next())),
      refinement: random.below(4) == 0 ? beacon() : nil,
      diagnostics: Diagnostics(rawValue: UInt16(truncatingIfNeeded: random.next())), sequenceNumber: number)
  }

  /// About half of what is stored.
  private mutating func replacement() -> StoredMonitor {
    var conditions = stored.conditions.values.sorted { $0.number < $1.number }
    conditions.removeAll { _ in random.below(2) == 0 }
    return StoredMonitor(
      conditions: conditions, events: stored.events.values.sorted { $0.sequenceNumber < $1.sequenceNumber },
      lastSequenceNumber: stored.lastSequenceNumber, lastNumber: stored.lastNumber,
      lastFixTime: stored.lastFixTime, history: stored.history)
  }

  /// A triangle, one with a hole across the antimeridian, one around a pole, one with long edges.
  private static let polygons: [Polygon] = {
    func ring(_ latitudes: [Degrees], _ longitudes: [Degrees]) -> [Coordinate] {
      zip(latitudes, longitudes).map { Coordinate(latitude: $0, longitude: $1) }
    }
    let rings: [[[Coordinate]]] = [
      [ring([48, 48.1, 48.05], [16, 16.1, 16.3])],
      [
        ring([-18, -17, -17, -18], [179, 179, -179, -179]),
        ring([-17.5, -17.4, -17.4], [179.9, 179.9, -179.9]),
      ],
      [ring([80, 81, 82, 80], [0, 90, 180, -90])],
      [ring([0, 10, -20], [0, 60, 30])],
    ]
    return rings.compactMap { try? Polygon(exterior: $0[0], holes: Array($0.dropFirst())) }
  }()
}
