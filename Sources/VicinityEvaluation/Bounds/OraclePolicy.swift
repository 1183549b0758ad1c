public import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// A policy that knows the future: it reports every crossing of one track in time, with as few reports as
/// possible.
///
/// Between reports the coarsest tier keeps the app running, or the app sleeps until the system tells it that
/// it left a region (``sleeping(in:watching:)``). It is not for use: it shows an energy that can be achieved.
/// The least energy of all lies between ``LeastEnergyBound`` and this policy's.
public struct OraclePolicy: MonitoringPolicy {
  /// The reports: when each is made, and of which crossings.
  let reports: [(time: Timestamp, crossings: [Crossing])]
  /// For each report, the region whose exit wakes the app before it; nil where the app stays awake.
  var sentinels: [MonitoredRegion?]

  /// Makes the policy for the crossings of a track, which must be in the order of time.
  ///
  /// Each report is put off until one of its crossings must be reported, and contains all crossings up to
  /// then. So there are as few reports as possible: each is for a crossing that the report before came too
  /// early for.
  ///
  /// - Parameters:
  ///   - crossings: In the order of time; dwell events are ignored.
  ///   - latency: How late a crossing may be reported.
  ///   - end: When the track ends; crossings shortly before must be reported by then.
  /// - Complexity: O(n)
  public init(_ crossings: [Crossing], within latency: Duration, until end: Timestamp) {
    var reports: [(time: Timestamp, crossings: [Crossing])] = []
    for crossing in crossings where crossing.kind != .dwell {
      if let last = reports.last, crossing.time <= last.time {
        reports[reports.count - 1].crossings.append(crossing)
      } else {
        let deadline = max(crossing.time, min(crossing.time.advanced(by: latency), end))
        reports.append((deadline, [crossing]))
      }
    }
    self.reports = reports
    sentinels = [MonitoredRegion?](repeating: nil, count: reports.count)
  }

  public var name: String { "future-knowing" }
  public var summary: String {
    "Knows the future, and reports every crossing in time with as few reports as possible."
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    OracleApp(self, regions)
  }
}

extension OraclePolicy {
  /// The app sleeps only if the next report is at least this far off, seconds.
  private static let leastSleep = 600.0
  /// The radii to try, metres: from the least that is advised, each four times the one before.
  private static let radii = (0..<6).map { 100 * Double(1 << (2 * $0)) }
  /// What to allow for at first between an exit and its report to the app: metres beyond the border, and then
  /// seconds.
  private static let cushion: Meters = 200
  private static let latency = 240.0

  /// The same policy, but asleep where possible: the app is suspended before a report that is far off, and
  /// the exit of a region around it wakes it.
  ///
  /// Trial runs find which exits come in time: a sleep that made a report late gets a smaller region, then
  /// none. The result is cheap but not the cheapest: its energy is above ``LeastEnergyBound``, and never
  /// above that of the policy that stays awake.
  ///
  /// - Returns: The policy and its run, which records reports only.
  /// - Throws: ``BoundError/simulation(_:)``
  /// - Complexity: one run for each try; at most two tries for a report.
  public func sleeping(
    in scenario: Scenario, watching regions: RegionIndex
  ) throws(BoundError) -> (policy: OraclePolicy, result: SimulationResult) {
    guard let found = try sleeping(in: scenario, watching: regions, isStopped: { false }) else {
      preconditionFailure("runs that nobody stops have results")
    }
    return found
  }

  /// The same; nil where it was stopped.
  ///
  /// - Parameter isStopped: Asked before each run, and every some milliseconds in it, whether to stop.
  func sleeping(
    in scenario: Scenario, watching regions: RegionIndex, isStopped: () -> Bool
  ) throws(BoundError) -> (policy: OraclePolicy, result: SimulationResult)? {
    var awake = self
    awake.sentinels = sentinels.map { _ in nil }
    guard let awakeResult = try awake.run(scenario, regions, isStopped) else { return nil }
    let choices = sleepChoices(along: scenario.track)
    var tries = choices.map { $0.isEmpty ? 2 : 0 }
    while tries.contains(where: { $0 < 2 }) {
      var policy = awake
      for (report, choice) in choices.enumerated() where tries[report] < 2 {
        policy.sentinels[report] = tries[report] == 0 ? choice.last : choice.first
      }
      guard let result = try policy.run(scenario, regions, isStopped) else { return nil }
      let late = policy.lateReports(of: result)
      if late.isEmpty {
        return result.totalJoules < awakeResult.totalJoules ? (policy, result) : (awake, awakeResult)
      }
      // The cause is the sleep before the late report, or else the last sleep before that.
      var causes: Set<Int> = []
      for report in late {
        guard let cause = tries[...report].lastIndex(where: { $0 < 2 }) else { return (awake, awakeResult) }
        causes.insert(cause)
      }
      for cause in causes { tries[cause] += choices[cause].count > 1 ? 1 : 2 }
    }
    return (awake, awakeResult)
  }

  private func run(
    _ scenario: Scenario, _ regions: RegionIndex, _ isStopped: () -> Bool
  ) throws(BoundError) -> SimulationResult? {
    if isStopped() { return nil }
    do {
      return try Simulation.run(
        scenario, recording: .reports, isStopped: isStopped, app: { makeApp(watching: regions) })
    } catch {
      throw .simulation(error)
    }
  }

  /// For each report, the regions that the phone leaves well before the report is due, the smallest first.
  private func sleepChoices(along track: TrueTrack) -> [[MonitoredRegion]] {
    var reader = TruthCursor(track)
    var begin = track.start
    var index = 0
    return reports.map { report in
      let place = reader.position(at: begin)
      while index + 1 < track.count, track.fix(at: index).time <= begin { index += 1 }
      var choices: [MonitoredRegion] = []
      var radii = Self.radii[...]
      var fix = index
      while fix < track.count, !radii.isEmpty {
        let passed = track.fix(at: fix)
        guard passed.time.advanced(by: .seconds(Self.latency)) <= report.time else { break }
        let distance = Geodesic.uncheckedDistance(place, passed.coordinate)
        while let radius = radii.first, distance > radius + Self.cushion {
          radii.removeFirst()
          if passed.time.seconds(since: begin) < Self.leastSleep { continue }
          choices.append(MonitoredRegion(exitOnly: "sentinel", center: place, radius: radius))
        }
        fix += 1
      }
      begin = max(begin, report.time)
      return choices
    }
  }

  /// How many crossings a run did not report in time.
  func lateCrossings(of result: SimulationResult) -> Int {
    lateReports(of: result).reduce(0) { $0 + reports[$1].crossings.count }
  }

  /// The reports that came later than they were due.
  private func lateReports(of result: SimulationResult) -> [Int] {
    var late: [Int] = []
    var report = 0
    var left = reports.first?.crossings.count ?? 0
    for entry in result.timeline {
      guard case .reported = entry.kind, report < reports.count else { continue }
      if entry.time > reports[report].time, late.last != report { late.append(report) }
      left -= 1
      if left == 0 {
        report += 1
        left = report < reports.count ? reports[report].crossings.count : 0
      }
    }
    return late + Array(report..<reports.count)
  }
}

private final class OracleApp: PortableApp {
  private let reports: [(time: Timestamp, crossings: [Crossing])]
  private let sentinels: [MonitoredRegion?]
  private let regions: RegionIndex
  private var next = 0

  init(_ policy: OraclePolicy, _ regions: RegionIndex) {
    reports = policy.reports
    sentinels = policy.sentinels
    self.regions = regions
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    switch event {
    case .launched:
      next = phone.saved as? Int ?? 0
      goOn(phone)
    case .timer:
      report(phone)
      goOn(phone)
    case .exited(let region):
      phone.stopMonitoring(identifier: region)
      report(phone)
      stayAwake(phone)
    default: break
    }
  }

  private func report(_ phone: any StudiedPhone) {
    while next < reports.count, reports[next].time <= phone.now {
      for crossing in reports[next].crossings {
        phone.report(
          entry: crossing.kind == .enter, region: regions.identifier(of: crossing.region), at: crossing.time)
      }
      next += 1
    }
    phone.saved = next
  }

  private func goOn(_ phone: any StudiedPhone) {
    guard next < reports.count, let sentinel = sentinels[next] else { return stayAwake(phone) }
    phone.startMonitoring(sentinel.clamped(to: phone.maximumRegionRadius))
    // Last, because it may suspend the app.
    phone.stopUpdatingLocation()
  }

  private func stayAwake(_ phone: any StudiedPhone) {
    guard next < reports.count else { return phone.stopUpdatingLocation() }
    phone.update(.reduced, distanceFilter: 1e7, showing: .indicator)
    phone.setTimer(after: phone.now.duration(to: reports[next].time))
  }
}
