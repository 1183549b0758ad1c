public import VicinityCrossings
public import VicinityGeodesy

/// The true track of a phone, and the times at which it stood still.
///
/// Between two fixes the phone moves along the geodesic at constant speed; before the first and after the
/// last fix it stands still. The coordinates are taken as exact. Speeds, courses and accuracies of the fixes
/// are ignored.
public struct TrueTrack: Sendable {
  /// A time during which the phone stays within ``StillnessRule/radius`` of its position at the beginning.
  public struct Stay: Hashable, Sendable {
    public var start: Timestamp
    /// The time of the last fix that is still within the radius.
    public var end: Timestamp
    public var position: Coordinate
  }

  /// Defines standing still.
  public struct StillnessRule: Hashable, Sendable {
    /// How far the phone may move from the beginning of a stay, metres; 15 by default: a room, and the noise
    /// of a recorded track.
    public var radius: Meters
    /// The shortest stay; 60 s by default.
    public var duration: Duration

    public init(radius: Meters = 15, duration: Duration = .seconds(60)) {
      self.radius = radius
      self.duration = duration
    }
  }

  /// The times of the fixes, microseconds since 1970, strictly ascending, and their positions.
  package let times: [Int64]
  package let positions: [Coordinate]
  /// The stays in order of time; they do not overlap.
  public let stays: [Stay]

  /// The longest track: 36 525 days, which are 100 years. A track also begins and ends at least as long from
  /// the earliest and the latest time that there is.
  public static let longest = Duration.seconds(36_525 * 86_400)
  /// The times that a track may have, microseconds since 1970.
  private static let allowed =
    Int64.min + Int64(longest / .microseconds(1))...Int64.max - Int64(longest / .microseconds(1))

  /// Makes a track of fixes in order of time. Exact repeats and fixes of negative accuracy are dropped.
  ///
  /// - Throws: An error with the number of the bad fix: an invalid coordinate or accuracy, time that runs
  ///   backwards, or two positions at one time. Also when no fix is left, for a track that lasts longer than
  ///   ``longest``, and for one so near the first or the last time there is: then times are wrong, and a run
  ///   would hardly end.
  /// - Complexity: O(n), except for tracks that creep along just slower than the rule allows.
  public init(_ fixes: [Fix], stillness: StillnessRule = StillnessRule()) throws(SimulationError) {
    var times: [Int64] = []
    var positions: [Coordinate] = []
    times.reserveCapacity(fixes.count)
    positions.reserveCapacity(fixes.count)
    var validator = FixValidator()
    for (index, fix) in fixes.enumerated() {
      do {
        guard try validator.accept(fix) else { continue }
      } catch {
        throw .track(LocatedTrackError(index: index, error: error))
      }
      times.append(fix.time.microseconds)
      positions.append(fix.coordinate)
    }
    guard let first = times.first, let last = times.last else { throw .emptyTrack }
    let (start, end) = (Timestamp(microseconds: first), Timestamp(microseconds: last))
    // Differences of times fit below.
    guard start.duration(to: end) <= Self.longest else { throw .tooLong(from: start, to: end) }
    // A phone's clock goes on behind the last fix, and may go ahead or behind: its times fit, too.
    guard first >= Self.allowed.lowerBound else { throw .tooFar(start) }
    guard last <= Self.allowed.upperBound else { throw .tooFar(end) }
    self.times = times
    self.positions = positions
    stays = Self.stays(times, positions, stillness)
  }

  /// A phone that stays at a place, which must be valid, as long as another track lasts.
  package init(at place: Coordinate, during other: TrueTrack) {
    let ends = [other.start.microseconds, other.end.microseconds]
    times = ends[0] == ends[1] ? [ends[0]] : ends
    positions = times.map { _ in place }
    stays = Self.stays(times, positions, StillnessRule())
  }

  private init(times: [Int64], positions: [Coordinate]) {
    (self.times, self.positions) = (times, positions)
    stays = Self.stays(times, positions, StillnessRule())
  }

  /// The track stretched to whole days of 24 hours, at least one: the phone stands at the first place before
  /// and at the last place after it, for equal times.
  ///
  /// - Complexity: O(n)
  package func stretchedToDays() -> TrueTrack {
    let day: Int64 = 86_400_000_000
    let (first, last) = (times[0], times[times.count - 1])
    let span = last - first
    let missing = max(1, (span + day - 1) / day) * day - span
    guard missing > 0 else { return self }
    let before = missing / 2
    let (start, end) = (first - before, last + missing - before)
    return TrueTrack(
      times: (before > 0 ? [start] : []) + times + [end],
      positions: (before > 0 ? [positions[0]] : []) + positions + [positions[positions.count - 1]])
  }

  /// The number of fixes, without repeats.
  public var count: Int { times.count }

  /// A fix; `index` must lie in 0 ..< ``count``.
  package func fix(at index: Int) -> Fix {
    Fix(time: Timestamp(microseconds: times[index]), coordinate: positions[index])
  }

  public var start: Timestamp { Timestamp(microseconds: times[0]) }
  public var end: Timestamp { Timestamp(microseconds: times[times.count - 1]) }

  private static func stays(_ times: [Int64], _ positions: [Coordinate], _ rule: StillnessRule) -> [Stay] {
    let (seconds, attoseconds) = rule.duration.components
    let least = seconds &* 1_000_000 &+ attoseconds / 1_000_000_000_000
    var stays: [Stay] = []
    var first = 0
    var probe = 0
    while first < times.count {
      // Most of a journey needs one test only: the position after the least duration of a stay that begins
      // here.
      probe = max(probe, first)
      while probe < times.count, times[probe] - times[first] < least { probe += 1 }
      guard probe < times.count else { break }
      let frame = LocalFrame(positions[first])
      // A phone that is at the same position at two fixes, however far apart in time, is taken to have stayed
      // there.
      guard frame.offset(of: positions[probe]).length <= rule.radius else {
        first += 1
        continue
      }
      var end = first
      while end + 1 < times.count, frame.offset(of: positions[end + 1]).length <= rule.radius { end += 1 }
      guard times[end] - times[first] >= least else {
        first += 1
        continue
      }
      stays.append(
        Stay(
          start: Timestamp(microseconds: times[first]), end: Timestamp(microseconds: times[end]),
          position: positions[first]))
      first = end + 1
    }
    return stays
  }
}
