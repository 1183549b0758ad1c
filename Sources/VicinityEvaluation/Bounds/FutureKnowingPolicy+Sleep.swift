internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

extension FutureKnowingPolicy {
  /// How long it must take until a report is due for sleep to be worth a region, seconds.
  private static let leastSleep = 600.0
  /// The radii that are tried, metres: the least that is advised, and four times as much each.
  private static let radii = (0..<6).map { 100 * Double(1 << (2 * $0)) }
  /// What is allowed for at first between an exit and the app's being told: metres beyond the border, and then seconds.
  private static let cushion: Meters = 200
  private static let latency = 240.0

  /// The same policy, asleep where it can be: before a report that is long in coming the app is suspended, and woken by the exit
  /// of a region around where it is.
  ///
  /// Which exits come in time is found by trying: what made a report late is given a smaller region, then none. So it is cheap, and
  /// not the cheapest: it lies above ``LeastEnergyBound``, and never above the policy that stays awake.
  ///
  /// - Returns: The policy and its run, without a record of more than its reports.
  /// - Throws: ``BoundError/simulation(_:)``
  /// - Complexity: that of a run for each try, of which there are no more than two for a report.
  public func sleeping(
    in scenario: Scenario, watching regions: RegionIndex
  ) throws(BoundError) -> (policy: FutureKnowingPolicy, result: SimulationResult) {
    var awake = self
    awake.sentinels = sentinels.map { _ in nil }
    let awakeResult = try awake.run(scenario, regions)
    let choices = sleepChoices(along: scenario.track)
    var tries = choices.map { $0.isEmpty ? 2 : 0 }
    while tries.contains(where: { $0 < 2 }) {
      var policy = awake
      for (report, choice) in choices.enumerated() where tries[report] < 2 {
        policy.sentinels[report] = tries[report] == 0 ? choice.last : choice.first
      }
      let result = try policy.run(scenario, regions)
      let late = policy.lateReports(of: result)
      if late.isEmpty {
        return result.totalJoules < awakeResult.totalJoules ? (policy, result) : (awake, awakeResult)
      }
      // The sleep before a late report made it late, or the last one before that.
      var causes: Set<Int> = []
      for report in late {
        guard let cause = tries[...report].lastIndex(where: { $0 < 2 }) else { return (awake, awakeResult) }
        causes.insert(cause)
      }
      for cause in causes { tries[cause] += choices[cause].count > 1 ? 1 : 2 }
    }
    return (awake, awakeResult)
  }

  private func run(_ scenario: Scenario, _ regions: RegionIndex) throws(BoundError) -> SimulationResult {
    do {
      return try Simulation.run(scenario, recording: .reports) { makeApp(watching: regions) }
    } catch {
      throw .simulation(error)
    }
  }

  /// The regions that are left well before a report is due, by report; the smallest first.
  private func sleepChoices(along track: TrueTrack) -> [[MonitoredRegion]] {
    var reader = PlaceReader(track)
    var begin = track.start
    var index = 0
    return reports.map { report in
      let place = reader.place(at: begin)
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
          var circle = MonitoredRegion(identifier: "sentinel", center: place, radius: radius)
          circle.notifyOnEntry = false
          choices.append(circle)
        }
        fix += 1
      }
      begin = max(begin, report.time)
      return choices
    }
  }

  /// The reports that were not made when they are due.
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
