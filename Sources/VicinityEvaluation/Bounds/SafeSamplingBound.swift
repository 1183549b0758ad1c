public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// The fewest fixes with which a policy that uses fixes alone can guarantee to notice every crossing in time.
///
/// The guarantee: whatever the phone does below a speed v, the first fix after a crossing comes at most L
/// seconds after it. Fixes are exact and take no time.
///
/// ## Why fewer are not enough
/// Let the last fix be at time t, at a distance d from the nearest boundary of any region. The phone may go
/// straight there at v and cross it at t + d/v. So the next fix must come no later than
///
///     t + d/v + L
///
/// and the first no later than L after the start, because nothing is known before. While the phone stays
/// below v, d changes by at most v each second, so this deadline does not fall as t grows: a later fix never
/// makes the next one due earlier. By induction from fix to fix, no schedule is ahead of the one that takes
/// each fix at its deadline. So its fixes are the fewest, and knowing the future does not help.
///
/// Where a track is faster than v, there is no guarantee, and a deadline may fall. The bound then takes the
/// latest deadline of any time up to the last deadline, or a later one, so that it holds there too.
///
/// d changes by no more than the phone moves: the reasoning of *safe periods* (B. Bamba, L. Liu, A. Iyengar,
/// P. S. Yu, *Distributed processing of spatial alarms: a safe region-based approach*, ICDCS 2009), with the
/// latency added.
public struct SafeSamplingBound: Hashable, Sendable {
  /// The speed cap v, metres a second.
  public let maximumSpeed: MetersPerSecond
  public let latency: Duration

  /// - Parameters:
  ///   - maximumSpeed: Metres a second, above zero; 40 by default, as for `PlanOptions.maximumSpeed`.
  ///   - latency: Above zero.
  public init(maximumSpeed: MetersPerSecond = 40, within latency: Duration = .seconds(60)) throws(BoundError)
  {
    guard maximumSpeed > 0, maximumSpeed < .infinity else { throw .outOfRange("maximumSpeed", maximumSpeed) }
    let seconds = latency / .seconds(1)
    guard seconds > 0 else { throw .outOfRange("latency", seconds) }
    self.maximumSpeed = maximumSpeed
    self.latency = latency
  }

  /// The fewest fixes from a track's start to its end.
  ///
  /// Between two fixes of the track that are far apart in time, the phone counts as being as far from all
  /// boundaries as it may get: the count is exact where it stands, and too low where it creeps.
  ///
  /// - Complexity: O(n + m q) for n fixes of the track, m of the bound between fixes that are not long apart,
  ///   and a query q.
  public func count(along track: TrueTrack, watching regions: RegionIndex) throws(BoundError) -> Int {
    var count = 0
    try walk(track, regions, inStrides: true) { _, fixes in count += fixes }
    return count
  }

  /// The times of the fewest fixes: the schedule that takes every fix at its deadline.
  ///
  /// - Complexity: O(n + m q) for n fixes of the track, m of the bound and a query q.
  public func times(
    along track: TrueTrack, watching regions: RegionIndex
  ) throws(BoundError) -> [Timestamp] {
    var times: [Timestamp] = []
    try walk(track, regions, inStrides: false) { time, _ in times.append(time) }
    return times
  }

  /// A stride replaces at least this many steps.
  private static let leastStride = 16.0

  /// Goes from deadline to deadline, or over many of them at once where they are alike.
  private func walk(
    _ track: TrueTrack, _ regions: RegionIndex, inStrides: Bool, _ take: (Timestamp, _ fixes: Int) -> Void
  ) throws(BoundError) {
    // Nothing to notice.
    guard regions.count > 0 else { return }
    let seconds = latency / .seconds(1)
    var reader = TruthCursor(track)
    var due = Self.time(track.start, plus: seconds)
    var fast = 0
    var piece = 0
    while due <= track.end {
      take(due, 1)
      var next = due
      do {
        let distance = try regions.distanceToBoundary(from: reader.position(at: due))
        next = deadline(after: due, distance)
        // Segments that are faster than the cap and have begun by now.
        while fast + 1 < track.count, track.fix(at: fast).time <= due {
          let (a, b) = (track.fix(at: fast), track.fix(at: fast + 1))
          fast += 1
          let length = Geodesic.uncheckedDistance(a.coordinate, b.coordinate)
          guard length > maximumSpeed * b.time.seconds(since: a.time) else { continue }
          next = max(
            next, deadline(after: b.time, try regions.distanceToBoundary(from: a.coordinate) + length))
        }
        while piece + 1 < track.count, track.fix(at: piece + 1).time <= next { piece += 1 }
        if inStrides, piece + 1 < track.count {
          // While the segment lasts, no fix is due later than a step of this length after the one before.
          let (a, b) = (track.fix(at: piece), track.fix(at: piece + 1))
          let far =
            try regions.distanceToBoundary(from: a.coordinate)
            + Geodesic.uncheckedDistance(a.coordinate, b.coordinate)
          let step = far / maximumSpeed + seconds
          let steps = (b.time.seconds(since: next) / step).rounded(.down)
          if steps >= Self.leastStride, a.time <= next, steps < 1e15 {
            take(next, Int(steps))
            next = Self.time(next, plus: steps * step)
          }
        }
      } catch {
        throw .query(error)
      }
      guard next < .distantFuture else { break }
      due = next
    }
  }

  private func deadline(after time: Timestamp, _ distance: Meters) -> Timestamp {
    Self.time(time, plus: distance / maximumSpeed + latency / .seconds(1))
  }

  private static func time(_ time: Timestamp, plus seconds: Double) -> Timestamp {
    // Rounded up to a microsecond: the bound may be late, never early.
    guard let step = Int64(exactly: (seconds * 1e6).rounded(.up)) else { return .distantFuture }
    let (sum, overflow) = time.microseconds.addingReportingOverflow(max(1, step))
    return overflow ? .distantFuture : Timestamp(microseconds: sum)
  }
}

/// Why a bound cannot be computed.
public enum BoundError: Error, Hashable, Sendable {
  /// A parameter is out of its range, or NaN; durations in seconds.
  case outOfRange(String, Double)
  case query(QueryError)
  /// The track or the phone is wrong.
  case simulation(SimulationError)
}

extension BoundError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .outOfRange(let name, let value): "\(name) cannot be \(value)"
    case .query(let error): "\(error)"
    case .simulation(let error): "\(error)"
    }
  }
}
