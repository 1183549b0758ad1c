internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

struct TrackPass: Sendable {
  var region: Int
  /// Seconds; up to the track's end where the phone stays.
  var duration: Double
  /// Whether the plan in force at the entry was saturated.
  var isCrowded = false
  var profile: PassProfile
}

/// All true passes of one track, and where its plans were saturated.
///
/// A pass begins with an entry, so there is none of a region that the track begins in.
struct TrackPasses: Sendable {
  private(set) var passes: [TrackPass] = []
  private(set) var cells = CrowdedCells()

  /// - Parameters:
  ///   - number: The track's number, for errors.
  ///   - plan: The planner's options; nil where crowding does not matter.
  init(
    _ track: TrueTrack, number: Int, _ regions: RegionIndex, _ detection: RadiusDetection, plan: PlanOptions?
  ) throws(AdviceError) {
    let visits: [RegionVisit]
    do {
      visits = try DeviceTruth(device: "", track: track, regions: regions).visits.filter { $0.entry != nil }
    } catch {
      throw .track(number: number, reason: "\(error)")
    }
    guard !visits.isEmpty || plan != nil else { return }
    let lengths = detection.lengths
    let steps = lengths.map { Int(($0 / Self.step).rounded(.up)) }
    let margin = Double(steps[steps.count - 1])
    // A phone that has noticed nothing for hours will not notice anything later in the same visit.
    let longest = Self.longestVisit
    let spans = visits.map { visit in
      (start: visit.start, end: min(visit.end, visit.start.advanced(by: .seconds(longest))))
    }
    let path = SampledPath(track, spans, margin: margin, step: Self.step)
    // Every eighth position is enough for long visits: they are noticed, or stay near the edge for long.
    let coarse = Self.coarsening
    let coarseSteps = steps.map { ($0 + coarse - 1) / coarse }
    for (visit, span) in zip(visits, spans) {
      guard let center = regions.enclosingCircle(of: visit.region)?.center else { continue }
      let seconds = visit.seconds
      let isLong = seconds > Self.longVisit
      let (distances, core) = path.distances(
        from: center, span.start, span.end, every: isLong ? coarse : 1)
      passes.append(
        TrackPass(
          region: visit.region, duration: seconds,
          profile: PassProfile(distances, steps: isLong ? coarseSteps : steps, core: core)))
    }
    guard let plan else { return }
    let crowding = try Crowding(track, number: number, regions, plan)
    cells = crowding.cells
    for (index, visit) in visits.enumerated() {
      passes[index].isCrowded = crowding.isCrowded(at: visit.start)
    }
  }

  static let step = 0.5
  /// Visits longer than this, seconds, are sampled `coarsening` times as coarsely.
  private static let longVisit = 1200.0
  private static let coarsening = 8
  /// Only the first four hours of a visit are sampled, in seconds: many times what the system needs.
  private static let longestVisit = 14_400.0
}

/// Positions of a track at equal steps of time, within some spans of time.
private struct SampledPath {
  private let start: Timestamp
  private let step: Double
  private let margin: Int
  private let last: Int
  /// Runs of steps, ascending, and the index of the first position of each.
  private var runs: [(steps: ClosedRange<Int>, offset: Int)] = []
  private let coordinates: [Coordinate]
  private let positions: [ECEF]

  init(
    _ track: TrueTrack, _ spans: [(start: Timestamp, end: Timestamp)], margin seconds: Double, step: Double
  ) {
    start = track.start
    self.step = step
    margin = Int(seconds)
    last = Int(track.end.seconds(since: track.start) / step)
    var times: [Timestamp] = []
    var reached = -1
    for span in spans {
      let wanted = Self.steps(span.start, span.end, from: start, step: step, margin: margin, last: last)
      let low = max(wanted.lowerBound, reached + 1)
      guard low <= wanted.upperBound else { continue }
      if let run = runs.last, run.steps.upperBound + 1 == low {
        runs[runs.count - 1].steps = run.steps.lowerBound...wanted.upperBound
      } else {
        runs.append((low...wanted.upperBound, times.count))
      }
      for index in low...wanted.upperBound {
        times.append(start.advanced(by: .seconds(Double(index) * step)))
      }
      reached = wanted.upperBound
    }
    coordinates = track.positions(at: times)
    positions = coordinates.map { ECEF(unchecked: $0) }
  }

  /// The steps around a span of time, within the track.
  private static func steps(
    _ from: Timestamp, _ to: Timestamp, from start: Timestamp, step: Double, margin: Int, last: Int
  ) -> ClosedRange<Int> {
    let low = min(last, max(0, Int(from.seconds(since: start) / step) - margin))
    let high = min(last, max(0, Int((to.seconds(since: start) / step).rounded(.up)) + margin))
    return low...max(low, high)
  }

  /// The distances from a position, metres, at every `stride`-th step around a span of time; `core` are the
  /// span's own.
  func distances(
    from center: Coordinate, _ from: Timestamp, _ to: Timestamp, every stride: Int
  ) -> (distances: [Meters], core: ClosedRange<Int>) {
    let wanted = Self.steps(from, to, from: start, step: step, margin: margin, last: last)
    let core = Self.steps(from, to, from: start, step: step, margin: 0, last: last)
    let middle = ECEF(unchecked: center)
    let run = runs.partitioningIndex { $0.steps.upperBound >= wanted.lowerBound }
    var distances: [Meters] = []
    guard run < runs.count else { return ([.infinity], 0...0) }
    let offset = runs[run].offset - runs[run].steps.lowerBound
    distances.reserveCapacity(wanted.count / stride + 1)
    for index in Swift.stride(from: wanted.lowerBound, through: wanted.upperBound, by: stride) {
      let (distance, error) = Geodesic.certifiedDistance(from: positions[offset + index], to: middle)
      distances.append(
        error < 1 ? distance : Geodesic.uncheckedDistance(coordinates[offset + index], center))
    }
    let first = (core.lowerBound - wanted.lowerBound) / stride
    return (distances, first...max(first, (core.upperBound - wanted.lowerBound) / stride))
  }
}

/// When and where the plans of a phone along a track are saturated.
private struct Crowding {
  private(set) var cells = CrowdedCells()
  private var times: [Timestamp] = []
  private var isSaturated: [Bool] = []

  /// The planner gets a fix whenever the phone has moved this far, metres: a fifth of a square's width.
  private static let step: Meters = 100

  init(
    _ track: TrueTrack, number: Int, _ regions: RegionIndex, _ options: PlanOptions
  ) throws(AdviceError) {
    var planner: RegistrationPlanner<RegionIndex>
    do { planner = try RegistrationPlanner(regions, options: options) } catch { throw .options(error) }
    var last: (time: Timestamp, place: ECEF)?
    var pending: RadiusAdvice.CrowdedPlace?
    for index in 0..<track.count {
      let fix = track.fix(at: index)
      let place = ECEF(unchecked: fix.coordinate)
      if let last {
        guard place.chord(to: last.place) >= Self.step || index == track.count - 1 else { continue }
        pending?.seconds = fix.time.seconds(since: last.time)
      }
      if let place = pending { cells.add(place) }
      do { _ = try planner.advance(to: fix) } catch {
        throw .track(number: number, reason: "\(LocatedTrackError(index: index, error: error))")
      }
      last = (fix.time, place)
      let saturation = planner.plan?.saturation
      pending = saturation.map { saturation in
        RadiusAdvice.CrowdedPlace(
          coordinate: fix.coordinate,
          wanted: (planner.plan?.registrations.count ?? 0) + saturation.leftOut.count,
          leftOut: saturation.leftOut.count, seconds: 0)
      }
      if isSaturated.last != (saturation != nil) {
        times.append(fix.time)
        isSaturated.append(saturation != nil)
      }
    }
    if let place = pending { cells.add(place) }
  }

  /// Whether the plan in force at a time was saturated.
  func isCrowded(at time: Timestamp) -> Bool {
    let next = times.partitioningIndex { $0 > time }
    return next > 0 && isSaturated[next - 1]
  }
}

/// How near to a region's centre the phone stayed in one true pass, and for how long.
struct PassProfile: Sendable {
  /// For each length of time, the smallest radius around the centre within which the phone stayed that long
  /// without a break, metres; infinite where the track is shorter. Ascending.
  var radii: [Meters]

  /// Takes the profile from distances to a region's centre at equal steps of time.
  ///
  /// The smallest disc that holds a stretch of n steps has the greatest distance on it as its radius. So the
  /// result is the least of the sliding maxima, which a queue of candidates in descending order finds in
  /// amortised O(1) (D. Lemire, *Streaming Maximum-Minimum Filter Using No More than Three Comparisons per
  /// Element*, Nordic J. Computing 13, 2006).
  ///
  /// - Parameters:
  ///   - distances: Metres, one for each step.
  ///   - steps: The lengths of time, in steps, ascending; zero gives the nearest single position.
  ///   - core: The steps of the pass itself; a stretch counts if it contains one of them.
  /// - Complexity: O(distances × steps)
  init(_ distances: [Meters], steps: [Int], core: ClosedRange<Int>) {
    radii = []
    var queue: [Int] = []
    for length in steps {
      var least = Meters.infinity
      queue.removeAll(keepingCapacity: true)
      var head = 0
      for end in distances.indices {
        while queue.count > head, let last = queue.last, distances[last] <= distances[end] {
          queue.removeLast()
        }
        queue.append(end)
        let start = end - length
        guard start >= 0 else { continue }
        while queue[head] < start { head += 1 }
        if start <= core.upperBound, end >= core.lowerBound { least = min(least, distances[queue[head]]) }
      }
      radii.append(least)
    }
  }

  /// How long the phone stayed within a radius, in the unit of `lengths`; nil where it never came that near.
  ///
  /// Interpolates linearly between the lengths; never more than the last.
  func duration(within radius: Meters, lengths: [Double]) -> Double? {
    guard let last = radii.lastIndex(where: { $0 <= radius }) else { return nil }
    guard last + 1 < radii.count, radii[last + 1] < .infinity else { return lengths[last] }
    let share = (radius - radii[last]) / (radii[last + 1] - radii[last])
    return lengths[last] + (lengths[last + 1] - lengths[last]) * share
  }
}
