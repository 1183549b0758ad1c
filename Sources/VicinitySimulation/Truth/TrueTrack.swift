public import VicinityCrossings
public import VicinityGeodesy
internal import VicinityMonitor

/// Where a phone truly was, and when it stood still.
///
/// Between two fixes it moves along the geodesic at constant speed; before the first and after the last it stands. Speeds,
/// courses and accuracies of the fixes are not looked at: what is given is taken to be exact.
public struct TrueTrack: Sendable {
  /// A time during which the phone keeps within ``StillnessRule/radius`` of where it was at the beginning.
  public struct Stay: Hashable, Sendable {
    /// When it began.
    public var start: Timestamp
    /// When it ended: the last fix that is still there.
    public var end: Timestamp
    /// Where the phone was at the beginning.
    public var place: Coordinate
  }

  /// What counts as standing still.
  public struct StillnessRule: Hashable, Sendable {
    /// How far from where a stay began the phone may go, metres; 15 by default: a room, and a recorded track's noise.
    public var radius: Meters
    /// How long it must stay there; 60 s by default.
    public var duration: Duration

    /// A rule.
    public init(radius: Meters = 15, duration: Duration = .seconds(60)) {
      self.radius = radius
      self.duration = duration
    }
  }

  /// Microseconds since 1970, ascending without repeats, and the places then.
  package let times: [Int64]
  package let places: [Coordinate]
  /// The stays, in their order; no two overlap.
  public let stays: [Stay]

  /// The track of some fixes, in the order of their times. Exact repeats and fixes of negative accuracy are dropped.
  ///
  /// - Throws: What is wrong with which fix: an invalid coordinate or accuracy, time that runs backwards, two places at
  ///   one time, or no fix at all.
  /// - Complexity: O(n) but for tracks that creep about just slower than the rule's speed.
  public init(_ fixes: [Fix], stillness: StillnessRule = StillnessRule()) throws(SimulationError) {
    var times: [Int64] = []
    var places: [Coordinate] = []
    times.reserveCapacity(fixes.count)
    places.reserveCapacity(fixes.count)
    var last: Int64?
    for index in fixes.indices {
      let fix = fixes[index]
      func fail(_ error: TrackError) -> SimulationError {
        .track(LocatedTrackError(index: index, error: error))
      }
      if fix.horizontalAccuracy < 0 { continue }
      guard !fix.horizontalAccuracy.isNaN else {
        throw fail(.invalidAccuracy(fix.horizontalAccuracy, at: fix.time))
      }
      guard fix.coordinate.isValid else { throw fail(.invalidCoordinate(fix.coordinate, at: fix.time)) }
      if let last, fix.time.microseconds <= last {
        guard fix.time.microseconds == last else {
          throw fail(.timeBackwards(fix.time, after: Timestamp(microseconds: last)))
        }
        let before = places[places.count - 1]
        guard before == fix.coordinate else { throw fail(.twoPlaces(before, fix.coordinate, at: fix.time)) }
        continue
      }
      last = fix.time.microseconds
      times.append(fix.time.microseconds)
      places.append(fix.coordinate)
    }
    guard !times.isEmpty else { throw .emptyTrack }
    self.times = times
    self.places = places
    stays = Self.stays(times, places, stillness)
  }

  /// How many fixes there are, repeats left out.
  public var count: Int { times.count }

  /// One of the fixes, exact; `index` must lie in 0 ..< ``count``.
  public func fix(at index: Int) -> Fix {
    Fix(time: Timestamp(microseconds: times[index]), coordinate: places[index])
  }

  /// When the track begins.
  public var start: Timestamp { Timestamp(microseconds: times[0]) }
  /// When it ends.
  public var end: Timestamp { Timestamp(microseconds: times[times.count - 1]) }

  private static func stays(_ times: [Int64], _ places: [Coordinate], _ rule: StillnessRule) -> [Stay] {
    let (seconds, attoseconds) = rule.duration.components
    let least = seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
    var stays: [Stay] = []
    var first = 0
    var probe = 0
    while first < times.count {
      // Most of a journey is told apart by one look: where was it when a stay from here would have lasted long enough?
      probe = max(probe, first)
      while probe < times.count, times[probe] - times[first] < least { probe += 1 }
      guard probe < times.count else { break }
      let frame = LocalFrame(places[first])
      // Between two fixes far apart in time a phone that is at the same place at both is taken to have stayed.
      guard frame.offset(of: places[probe]).length <= rule.radius else {
        first += 1
        continue
      }
      var end = first
      while end + 1 < times.count, frame.offset(of: places[end + 1]).length <= rule.radius { end += 1 }
      guard times[end] - times[first] >= least else {
        first += 1
        continue
      }
      stays.append(
        Stay(
          start: Timestamp(microseconds: times[first]), end: Timestamp(microseconds: times[end]),
          place: places[first]))
      first = end + 1
    }
    return stays
  }
}
