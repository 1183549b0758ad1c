internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityMonitor
internal import VicinitySimulation

/// The circle that a system watches for a region: itself, or one around a polygon.
struct RegionCircle {
  var center: Coordinate
  var radius: Meters

  init(_ ordinal: Int, of regions: RegionIndex) {
    switch regions.region(at: ordinal).shape {
    case .circle(let center, let radius): (self.center, self.radius) = (center, radius)
    case .polygon(let polygon): (center, radius) = (polygon.boundingCenter, polygon.boundingRadius)
    }
  }
}

/// A true pass through a region.
struct TrackPass: Sendable {
  var region: Int
  /// Seconds; until the track's end where the phone stays.
  var duration: Double
  /// Whether the plan in force at the entry was saturated.
  var isCrowded = false
  var profile: PassProfile
}

/// All true passes of one track, and where its plans were saturated.
///
/// A pass begins with an entry; the region that a track begins in is not entered. Passes with an end that a gap in the track
/// hides are left out.
struct TrackPasses: Sendable {
  private(set) var passes: [TrackPass] = []
  private(set) var cells = CrowdedCells()

  /// - Parameters:
  ///   - number: The track's, for errors.
  ///   - plan: The planner's options; nil where crowding does not matter.
  init(
    _ track: TrueTrack, number: Int, _ regions: RegionIndex, _ detection: RadiusDetection, plan: PlanOptions?
  ) throws(AdviceError) {
    let visits: [(region: Int, entry: Timestamp, exit: Timestamp)]
    do { visits = Self.visits(try track.crossings(of: regions), until: track.end) } catch {
      throw .track(number: number, reason: "\(error)")
    }
    guard !visits.isEmpty || plan != nil else { return }
    let lengths = detection.lengths
    let steps = lengths.map { Int(($0 / Self.step).rounded(.up)) }
    let margin = Double(steps[steps.count - 1])
    // What a phone has not noticed in hours it is not going to notice for what comes after.
    let longest = Self.longestVisit
    let looked = visits.map { visit in
      (start: visit.entry, end: min(visit.exit, visit.entry.advanced(by: .seconds(longest))))
    }
    let way = SampledWay(track, looked, margin: margin, step: Self.step)
    // Of long visits every eighth place is enough: what lasts that long is noticed, or keeps to the edge for long.
    let coarse = Self.coarsening
    let coarseSteps = steps.map { ($0 + coarse - 1) / coarse }
    for (visit, span) in zip(visits, looked) {
      let center = RegionCircle(visit.region, of: regions).center
      let seconds = visit.exit.seconds(since: visit.entry)
      let isLong = seconds > Self.longVisit
      let (distances, core) = way.distances(
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
      passes[index].isCrowded = crowding.isCrowded(at: visit.entry)
    }
  }

  /// Seconds between two places that are looked at.
  static let step = 0.5
  /// Visits of more seconds are looked at less often.
  private static let longVisit = 1200.0
  private static let coarsening = 8
  /// No more than the first so many seconds of a visit are looked at: four hours, many times what the system needs.
  private static let longestVisit = 14_400.0

  private static func visits(
    _ crossings: [Crossing], until end: Timestamp
  ) -> [(region: Int, entry: Timestamp, exit: Timestamp)] {
    var visits: [(region: Int, entry: Timestamp, exit: Timestamp)] = []
    var open: [Int: Crossing] = [:]
    for crossing in crossings {
      switch crossing.kind {
      case .enter: open[crossing.region] = crossing
      case .exit:
        guard let entry = open.removeValue(forKey: crossing.region) else { continue }
        if !entry.isInferred, !crossing.isInferred {
          visits.append((crossing.region, entry.time, crossing.time))
        }
      case .dwell: continue
      }
    }
    for entry in open.values where !entry.isInferred { visits.append((entry.region, entry.time, end)) }
    return visits.sorted { ($0.entry, $0.region) < ($1.entry, $1.region) }
  }
}

/// The places of a track a step apart, where they are wanted.
private struct SampledWay {
  private let start: Timestamp
  private let step: Double
  private let margin: Int
  private let last: Int
  /// Runs of steps, ascending, and where the places of each begin.
  private var runs: [(steps: ClosedRange<Int>, offset: Int)] = []
  private let coordinates: [Coordinate]
  private let places: [ECEF]

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
    coordinates = track.places(at: times)
    places = coordinates.map { ECEF(unchecked: $0) }
  }

  /// The steps around a span of time, within the track.
  private static func steps(
    _ from: Timestamp, _ to: Timestamp, from start: Timestamp, step: Double, margin: Int, last: Int
  ) -> ClosedRange<Int> {
    let low = min(last, max(0, Int(from.seconds(since: start) / step) - margin))
    let high = min(last, max(0, Int((to.seconds(since: start) / step).rounded(.up)) + margin))
    return low...max(low, high)
  }

  /// Metres from a place at each step, or each of several, around a span of time, and which of them are the span's own.
  func distances(
    from center: Coordinate, _ from: Timestamp, _ to: Timestamp, every stride: Int
  ) -> (distances: [Meters], core: ClosedRange<Int>) {
    let wanted = Self.steps(from, to, from: start, step: step, margin: margin, last: last)
    let core = Self.steps(from, to, from: start, step: step, margin: 0, last: last)
    let middle = ECEF(unchecked: center)
    var low = 0
    var high = runs.count
    while low < high {
      let probe = (low + high) / 2
      if runs[probe].steps.upperBound < wanted.lowerBound { low = probe + 1 } else { high = probe }
    }
    var distances: [Meters] = []
    guard low < runs.count else { return ([.infinity], 0...0) }
    let offset = runs[low].offset - runs[low].steps.lowerBound
    distances.reserveCapacity(wanted.count / stride + 1)
    for index in Swift.stride(from: wanted.lowerBound, through: wanted.upperBound, by: stride) {
      let (distance, error) = Geodesic.certifiedDistance(from: places[offset + index], to: middle)
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

  /// A phone that has gone this far, metres, is told to the planner: a fifth of the squares' width.
  private static let way: Meters = 100

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
        guard place.chord(to: last.place) >= Self.way || index == track.count - 1 else { continue }
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
    var low = 0
    var high = times.count
    while low < high {
      let probe = (low + high) / 2
      if times[probe] <= time { low = probe + 1 } else { high = probe }
    }
    return low > 0 && isSaturated[low - 1]
  }
}
