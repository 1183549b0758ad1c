internal import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

extension DayScore {
  /// The score of a run.
  ///
  /// - Parameters:
  ///   - result: Recorded with reports, and with hours if they are to be told.
  ///   - truth: What happened along the track that was run.
  ///   - track: That track.
  ///   - regions: The regions of both.
  ///   - policy: The policy's place in its study.
  ///   - device: The device's place.
  ///   - seed: The run's seed.
  ///   - rule: Which reports count for which crossings.
  ///   - profile: The phone that was run.
  /// - Throws: A place that is none, of a crossing or on the track: never, for a track that has been made.
  /// - Complexity: O(n log n) of crossings and reports, and of the track's fixes once where there are reports.
  public init(
    _ result: SimulationResult, truth: DeviceTruth, track: TrueTrack, regions: RegionIndex, policy: Int = 0,
    device: Int = 0, seed: UInt64, rule: MatchingRule = MatchingRule(), profile: DeviceProfile
  ) throws(GeodesyError) {
    let reports = result.reports(of: regions)
    // Recorded as they came, so already in order.
    let places = reports.isEmpty ? [] : track.places(at: reports.map(\.time))
    try self.init(
      reports: reports, places: places, truth: truth, rule: rule, size: { regions.size(of: $0) })
    self.policy = policy
    self.device = device
    self.seed = seed
    hours = result.end.seconds(since: result.start) / 3600
    counts = result.counts
    joules = EnergyComponent.allCases.map { result.joules[$0] ?? 0 }
    percentPerJoule = profile.percentPerJoule
    addHours(of: result, longitude: track.fix(at: 0).coordinate.longitude)
  }

  /// The part that is about reports.
  ///
  /// - Parameters:
  ///   - reports: Ordered by time.
  ///   - places: Where the phone truly was at each.
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
    // The nautical zone: 15 degrees wide, its middle a multiple of 15.
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

/// Reports that repeat or contradict the one before of their region.
private struct Repeats {
  var duplicates = 0
  var flaps = 0

  init(_ reports: [ReportedEvent], _ isFounded: [Bool], _ truth: DeviceTruth, _ rule: MatchingRule) {
    // The region's last report, and whether it is in a pair already.
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
          Self.isQuiet(crossings[region] ?? [], from: earlier.time, to: report.time)
        {
          flaps += 1
          isPaired = true
        }
      }
      last[region] = (index, isPaired)
    }
  }
  /// Whether none of some ascending times is after the first and not after the second of two.
  private static func isQuiet(_ times: [Timestamp], from first: Timestamp, to second: Timestamp) -> Bool {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] > first { high = middle } else { low = middle + 1 }
    }
    return low == times.count || times[low] > second
  }
}
