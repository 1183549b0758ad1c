public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// The fewest fixes with which a policy that has nothing but fixes can promise to notice every crossing in time.
///
/// The promise: whatever the phone does, as long as it keeps below a speed v, the first fix after a crossing comes no more than
/// L seconds after it. Fixes are exact and take no time.
///
/// ## Why fewer do not do
/// Let the last fix have been at time t, at a distance d from the nearest boundary of any region. The phone may go there
/// straight, at v, and cross it at t + d/v. So the next fix must come no later than
///
///     t + d/v + L
///
/// and the first no later than L after the start, as nothing is known before. Where the phone keeps below v, d changes by no
/// more than v each second, so that this deadline does not fall as t grows: a fix that comes later never makes the next one due
/// earlier. So no schedule is ahead of the one that takes each fix at its deadline (by induction from fix to fix), and its fixes
/// are the fewest; knowing the future does not help.
///
/// Where a track is faster than v, the promise is void, but a deadline may then fall. The bound takes the latest deadline that
/// any time up to the last deadline gives, or more, so that it holds there too.
///
/// d is a distance that moves by no more than the phone does: the reasoning of *safe periods* (B. Bamba, L. Liu, A. Iyengar,
/// P. S. Yu, *Distributed processing of spatial alarms: a safe region-based approach*, ICDCS 2009), with the latency added.
public struct SafeSamplingBound: Hashable, Sendable {
  /// The speed cap v, metres a second.
  public let maximumSpeed: MetersPerSecond
  /// The latency L.
  public let latency: Duration

  /// A promise.
  ///
  /// - Parameters:
  ///   - maximumSpeed: Metres a second, above zero; 40 by default, as for `PlanOptions.maximumSpeed`.
  ///   - latency: Above zero; a minute by default.
  public init(maximumSpeed: MetersPerSecond = 40, within latency: Duration = .seconds(60)) throws(BoundError)
  {
    guard maximumSpeed > 0, maximumSpeed < .infinity else { throw .outOfRange("maximumSpeed", maximumSpeed) }
    let seconds = latency / .seconds(1)
    guard seconds > 0 else { throw .outOfRange("latency", seconds) }
    self.maximumSpeed = maximumSpeed
    self.latency = latency
  }

  /// How many fixes there are at least, from a track's start to its end.
  ///
  /// Where two fixes of the track are long apart, the phone is taken to be as far from all boundaries as it may get in between:
  /// exact where it stands, less than there are at least where it creeps.
  ///
  /// - Complexity: O(n + m q) for n fixes of the track, m of the bound between fixes that are not long apart, and a query q.
  public func count(along track: TrueTrack, watching regions: RegionIndex) throws(BoundError) -> Int {
    var count = 0
    try walk(track, regions, inStrides: true) { _, fixes in count += fixes }
    return count
  }

  /// When each of them is due: the schedule that takes every fix as late as it may.
  ///
  /// - Complexity: O(n + m q) for n fixes of the track, m of the bound and a query q.
  public func times(
    along track: TrueTrack, watching regions: RegionIndex
  ) throws(BoundError) -> [Timestamp] {
    var times: [Timestamp] = []
    try walk(track, regions, inStrides: false) { time, _ in times.append(time) }
    return times
  }

  /// How many fixes a stride is worth at least.
  private static let leastStride = 16.0

  /// Goes from fix to fix, or over many of them where they are alike.
  private func walk(
    _ track: TrueTrack, _ regions: RegionIndex, inStrides: Bool, _ take: (Timestamp, _ fixes: Int) -> Void
  ) throws(BoundError) {
    // Nothing to notice.
    guard regions.count > 0 else { return }
    let seconds = latency / .seconds(1)
    var reader = PlaceReader(track)
    var due = Self.time(track.start, plus: seconds)
    var fast = 0
    var piece = 0
    while due <= track.end {
      take(due, 1)
      var next = due
      do {
        let distance = try regions.distanceToBoundary(from: reader.place(at: due))
        next = deadline(after: due, distance)
        // Pieces that are faster than the cap, begun by now.
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
          // From the next fix on, as long as the piece lasts: none is due later than a step of this length.
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
    // Up to the next microsecond: a bound may be late, never early.
    guard let step = Int64(exactly: (seconds * 1e6).rounded(.up)) else { return .distantFuture }
    let (sum, overflow) = time.microseconds.addingReportingOverflow(max(1, step))
    return overflow ? .distantFuture : Timestamp(microseconds: sum)
  }
}

/// What is wrong with what a bound is asked for.
public enum BoundError: Error, Hashable, Sendable {
  /// A parameter is out of its range, or NaN; durations in seconds.
  case outOfRange(String, Double)
  /// A query failed.
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
