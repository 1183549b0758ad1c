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

  /// Whether the phone is under a roof: it then receives no satellites.
  public var isIndoors: Bool
  /// How the phone travels; nil where that is not known. It counts outdoors only.
  public var way: TravelMode?
  /// Whether the roof is that of the one house in which phones were measured at rest. Its positions hold
  /// there; under another roof they are not taken to be better than outdoors.
  package var isAtMeasuredSite = false
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
    isInAirplaneMode: Bool = false, isScreenOn: Bool = false, isCharging: Bool = false, way: TravelMode? = nil
  ) {
    self.isIndoors = isIndoors
    self.way = way
    self.cells = cells
    self.hasWiFi = hasWiFi
    self.hasBluetooth = hasBluetooth
    self.isInAirplaneMode = isInAirplaneMode
    self.isScreenOn = isScreenOn
    self.isCharging = isCharging
  }

  /// Whether a cell can be heard.
  public var hasCells: Bool { cells != .none && !isInAirplaneMode }

  /// Whether a network can locate the phone: Wi-Fi, or a cell.
  public var hasNetwork: Bool { hasWiFi || hasCells }
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

  /// Indoors during the long stays of a track, outdoors otherwise, on foot or on a road by the track's speed
  /// (``withWays(of:)``).
  ///
  /// - Parameters:
  ///   - track: The phone's track.
  ///   - base: The surroundings apart from the roof.
  ///   - indoorsAfter: The shortest stay that counts as indoors; 10 minutes by default, longer than the stops
  ///     of a bus or at traffic lights.
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
    let timeline = SurroundingsTimeline(base, changes: changes)
    return base.way == nil ? timeline.withWays(of: track) : timeline
  }

  /// The same surroundings, with the ways that the speed of a track tells: on foot or on a road. Rails are
  /// not told from roads by speed, so they are never found here.
  ///
  /// The track is cut into pieces of a minute or more, between fixes. A piece is on a road if its ends are
  /// further apart than `fastestWalk` allows. Slower pieces of three minutes together between two such pieces
  /// belong to the journey: traffic lights, stops, a jam.
  ///
  /// - Complexity: O(fixes + changes)
  public func withWays(of track: TrueTrack) -> SurroundingsTimeline { withWays(track.ways) }

  /// The same surroundings with other ways, each from its start on; the first one also before.
  package func withWays(
    _ ways: [(start: Timestamp, way: TravelMode?)]
  ) -> SurroundingsTimeline {
    guard let first = ways.first else { return self }
    var current = initial
    current.way = first.way
    let start = current
    var merged: [Change] = []
    var rest = ways.dropFirst()
    for change in changes {
      while let next = rest.first, next.start < change.time {
        current.way = next.way
        merged.append(Change(time: next.start, surroundings: current))
        rest.removeFirst()
      }
      let way = current.way
      current = change.surroundings
      current.way = way
      merged.append(Change(time: change.time, surroundings: current))
    }
    for next in rest {
      current.way = next.way
      merged.append(Change(time: next.start, surroundings: current))
    }
    return SurroundingsTimeline(start, changes: merged)
  }
}

extension TrueTrack {
  /// The greatest speed on foot: people walk at 1.4 m/s, and at up to 2.5 m/s in haste (R. W.
  /// Bohannon, *Comfortable and maximum walking speed of adults aged 20-79 years*, Age and Ageing 26, 1997).
  static let fastestWalk: MetersPerSecond = 2.5
  /// The least duration of a piece that has a way of its own, and the longest slow part of a journey,
  /// microseconds.
  private static let shortestPiece: Int64 = 60_000_000
  private static let longestStop: Int64 = 180_000_000

  /// The ways that the speed tells, each with its beginning; no two neighbours are alike.
  package var ways: [(start: Timestamp, way: TravelMode?)] {
    var pieces: [(start: Int64, end: Int64, isFast: Bool)] = []
    var first = 0
    for last in times.indices.dropFirst() {
      let duration = times[last] - times[first]
      guard duration >= Self.shortestPiece || last + 1 == times.count else { continue }
      let distance = LocalFrame(positions[first]).offset(of: positions[last]).length
      pieces.append((times[first], times[last], distance > Self.fastestWalk * Double(duration) * 1e-6))
      first = last
    }
    var place = 0
    while place < pieces.count {
      var end = place
      while end < pieces.count, pieces[end].isFast == pieces[place].isFast { end += 1 }
      if !pieces[place].isFast, place > 0, end < pieces.count,
        pieces[end - 1].end - pieces[place].start <= Self.longestStop
      {
        for index in place..<end { pieces[index].isFast = true }
      }
      place = end
    }
    var ways: [(start: Timestamp, way: TravelMode?)] = []
    for piece in pieces {
      let way: TravelMode = piece.isFast ? .road : .foot
      if ways.last?.way != way { ways.append((Timestamp(microseconds: piece.start), way)) }
    }
    return ways
  }
}
