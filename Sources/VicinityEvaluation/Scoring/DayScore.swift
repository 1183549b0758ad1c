public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// How a true crossing was reported.
public struct CrossingOutcome: Hashable, Sendable {
  /// When the report came.
  public var reported: Timestamp
  /// When the crossing happened, according to the app.
  public var claimed: Timestamp
  /// Seconds from the crossing to the report; negative for an early report, which a position error can cause.
  public var delay: Double
  /// The distance from the crossing to where the phone truly was when the report came, metres.
  public var distance: Meters

  /// How late the report was, seconds: the delay, or zero if it was early.
  public var latency: Double { max(0, delay) }
}

/// A report of something that did not happen.
public struct UnfoundedReport: Hashable, Sendable {
  public var time: Timestamp
  /// Whether the app reported an entry.
  public var isEntry: Bool
  /// The region's ordinal; nil for a region that is not in the index.
  public var region: Int?
  /// The region's size as ``RegionVisit/radius``, metres; NaN for a region that is not in the index.
  public var radius: Meters
  /// Where the phone truly was.
  public var place: Coordinate
}

/// How far a reported dwell time is from the true one.
public struct DwellError: Hashable, Sendable {
  /// An index into ``DeviceTruth/visits``.
  public var visit: Int
  /// The reported dwell time, by the times that the app claims, minus the true one, seconds.
  public var seconds: Double
}

/// What one policy did on one device along one track with one seed: everything that a ``ScoreCard`` adds up.
public struct DayScore: Sendable {
  /// An index into ``StudyResult/policies``.
  public var policy: Int
  /// An index into ``StudyResult/devices``.
  public var device: Int
  public var seed: UInt64
  /// How long the run was, hours.
  public var hours: Double

  /// For each true crossing of the device, in order: how it was reported; nil if it was missed.
  public var outcomes: [CrossingOutcome?]
  /// The reports that match no crossing, ordered by time.
  public var unfounded: [UnfoundedReport]
  /// Reports of the same region and kind as the region's report before: entered twice, or left twice.
  public var duplicates: Int
  /// Pairs of reports of one region, of different kinds, within ``MatchingRule/flapTime`` of each other, with
  /// no true crossing of the region in between, and at least one of them unfounded. No report is in two
  /// pairs.
  public var flaps: Int
  /// The errors of the reported dwell times, for visits with both ends reported.
  public var dwellErrors: [DwellError]

  /// Fixes, wake-ups, registrations, time in the background.
  public var counts: SimulationCounts
  /// Joules by component, in the order of `EnergyComponent`'s raw values.
  public var joules: [Double]
  /// The same joules by the figures that they are due to, in the order of `EnergySource`.
  public var joulesBySource: [Double]
  /// Joules by hour of the day and component: 24 times as many as ``joules``. The hour is that of the zone of
  /// 15 degrees that the track's first longitude lies in.
  public var hourlyJoules: [Double]
  /// How much of the run fell into each of the 24 hours of the day, seconds.
  public var hourlySeconds: [Double]
  /// The share of the battery that a joule is, per cent.
  public var percentPerJoule: Double

  public var totalJoules: Double { joules.reduce(0, +) }
  /// Joules above idle.
  public var netJoules: Double { totalJoules - joules[EnergyComponent.idle.rawValue] }
}

extension DayScore {
  /// Scores a run.
  ///
  /// - Parameters:
  ///   - result: The run, recorded with reports, and with hours if the score should have them.
  ///   - truth: What happened along the run's track.
  ///   - track: The run's track.
  ///   - regions: The regions of the run.
  ///   - policy: The policy's number in its study.
  ///   - device: The device's number in its study.
  ///   - seed: The seed that the run was made with.
  ///   - rule: How reports are matched with crossings.
  ///   - profile: The run's phone.
  /// - Throws: An invalid position of a crossing or of the track; never for a track that has been made.
  /// - Complexity: O(n log n) for crossings and reports, plus the track's fixes where there are reports.
  public init(
    _ result: SimulationResult, truth: DeviceTruth, track: TrueTrack, regions: RegionIndex, policy: Int = 0,
    device: Int = 0, seed: UInt64, rule: MatchingRule = MatchingRule(), profile: DeviceProfile
  ) throws(GeodesyError) {
    let reports = result.reports(of: regions)
    // In the order of time, as they were recorded.
    let places = reports.isEmpty ? [] : track.positions(at: reports.map(\.time))
    try self.init(
      reports: reports, places: places, truth: truth, rule: rule, size: { regions.size(of: $0) })
    self.policy = policy
    self.device = device
    self.seed = seed
    hours = result.end.seconds(since: result.start) / 3600
    counts = result.counts
    joules = EnergyComponent.allCases.map { result.joules[$0] ?? 0 }
    joulesBySource = result.joulesBySource
    percentPerJoule = profile.percentPerJoule
    addHours(of: result, longitude: track.fix(at: 0).coordinate.longitude)
  }

  /// Scores reports alone.
  ///
  /// - Parameters:
  ///   - reports: Ordered by time.
  ///   - places: Where the phone truly was at each report.
  init(
    reports: [ReportedEvent], places: [Coordinate], truth: DeviceTruth, rule: MatchingRule,
    size: (Int) -> Meters
  ) throws(GeodesyError) {
    let crossings = truth.crossings.map(\.crossing)
    let reportOf = EventMatching.assign(crossings, reports, rule)
    var isFounded = [Bool](repeating: false, count: reports.count)
    var outcomes: [CrossingOutcome?] = []
    outcomes.reserveCapacity(crossings.count)
    for (crossing, match) in zip(crossings, reportOf) {
      guard let match else {
        outcomes.append(nil)
        continue
      }
      isFounded[match] = true
      let report = reports[match]
      outcomes.append(
        CrossingOutcome(
          reported: report.time, claimed: report.claimed, delay: report.time.seconds(since: crossing.time),
          distance: try Geodesic.distance(from: crossing.coordinate, to: places[match])))
    }
    let repeats = Repeats(reports, isFounded, truth, rule)
    var sizes: [Int: Meters] = [:]
    var unfounded: [UnfoundedReport] = []
    for (index, report) in reports.enumerated() where !isFounded[index] {
      var radius = Meters.nan
      if let region = report.region {
        radius = sizes[region] ?? size(region)
        sizes[region] = radius
      }
      unfounded.append(
        UnfoundedReport(
          time: report.time, isEntry: report.isEntry, region: report.region, radius: radius,
          place: places[index]))
    }
    self.init(
      policy: 0, device: 0, seed: 0, hours: truth.hours, outcomes: outcomes, unfounded: unfounded,
      duplicates: repeats.duplicates, flaps: repeats.flaps,
      dwellErrors: Self.dwellErrors(truth, outcomes), counts: SimulationCounts(),
      joules: [Double](repeating: 0, count: EnergyComponent.allCases.count),
      joulesBySource: [Double](repeating: 0, count: EnergySource.allCases.count),
      hourlyJoules: [Double](repeating: 0, count: 24 * EnergyComponent.allCases.count),
      hourlySeconds: [Double](repeating: 0, count: 24), percentPerJoule: 0)
  }

  private static func dwellErrors(_ truth: DeviceTruth, _ outcomes: [CrossingOutcome?]) -> [DwellError] {
    var entries: [Int: CrossingOutcome] = [:]
    var errors: [DwellError] = []
    for (crossing, outcome) in zip(truth.crossings, outcomes) {
      guard let outcome else { continue }
      if crossing.crossing.kind == .enter {
        entries[crossing.visit] = outcome
      } else if let entry = entries[crossing.visit] {
        let dwell = outcome.claimed.seconds(since: entry.claimed)
        let visit = crossing.visit
        errors.append(DwellError(visit: visit, seconds: dwell - truth.visits[visit].seconds))
      }
    }
    return errors
  }

  private mutating func addHours(of result: SimulationResult, longitude: Degrees) {
    // The nautical zone: 15 degrees wide, centred on a multiple of 15.
    let zone = Int((longitude / 15).rounded())
    for (utc, hour) in result.hours.enumerated() {
      let local = (utc + zone + 24) % 24
      hourlySeconds[local] = hour.seconds
      for (component, joules) in hour.joules.enumerated() {
        hourlyJoules[local * hour.joules.count + component] = joules
      }
    }
  }
}

/// Counts reports that repeat or contradict the report before of their region.
private struct Repeats {
  var duplicates = 0
  var flaps = 0

  init(_ reports: [ReportedEvent], _ isFounded: [Bool], _ truth: DeviceTruth, _ rule: MatchingRule) {
    // Each region's last report, and whether it is in a pair already.
    var last: [Int: (report: Int, isPaired: Bool)] = [:]
    var crossings: [Int: [Timestamp]] = [:]
    for crossing in truth.crossings {
      crossings[crossing.crossing.region, default: []].append(crossing.crossing.time)
    }
    for (index, report) in reports.enumerated() {
      guard let region = report.region else { continue }
      var isPaired = false
      if let before = last[region] {
        let earlier = reports[before.report]
        if earlier.isEntry == report.isEntry {
          duplicates += 1
        } else if !before.isPaired, !(isFounded[before.report] && isFounded[index]),
          earlier.time.advanced(by: rule.flapTime) >= report.time,
          Self.hasNone(crossings[region] ?? [], after: earlier.time, to: report.time)
        {
          flaps += 1
          isPaired = true
        }
      }
      last[region] = (index, isPaired)
    }
  }

  /// Whether none of some ascending times lies after `first` and up to `last`.
  private static func hasNone(_ times: [Timestamp], after first: Timestamp, to last: Timestamp) -> Bool {
    let next = times.partitioningIndex { $0 > first }
    return next == times.count || times[next] > last
  }
}
