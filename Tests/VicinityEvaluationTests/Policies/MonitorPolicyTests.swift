import Synchronization
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityTestSupport

@testable import VicinityEvaluation
@testable import VicinitySimulation

@Suite("The monitor on a simulated phone")
struct MonitorPolicyTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let frame = LocalFrame(Coordinate(latitude: 47, longitude: 8))

  private static func place(_ east: Double, _ north: Double = 0) -> Coordinate {
    frame.coordinate(at: Offset(east: east, north: north))
  }

  private static func circle(_ identifier: String, _ east: Double, _ radius: Double) -> Region {
    Region(identifier: identifier, center: place(east), radius: radius)
  }

  /// Times and places east of the middle; between them the phone goes straight.
  private static func scenario(
    _ way: [(seconds: Double, east: Double)], actions: [(Double, UserAction)] = [(60, .leaveApp)]
  ) throws -> Scenario {
    var fixes: [Fix] = []
    for (a, b) in zip(way, way.dropFirst()) {
      let steps = a.east == b.east ? 1 : max(1, Int(b.seconds - a.seconds))
      for step in 0..<steps {
        let share = Double(step) / Double(steps)
        let time = start.advanced(by: .seconds(a.seconds + (b.seconds - a.seconds) * share))
        fixes.append(Fix(time: time, coordinate: place(a.east + (b.east - a.east) * share)))
      }
    }
    if let last = way.last {
      fixes.append(Fix(time: start.advanced(by: .seconds(last.seconds)), coordinate: place(last.east)))
    }
    return Scenario(
      track: try TrueTrack(fixes),
      actions: actions.map { TimedAction(time: start.advanced(by: .seconds($0.0)), $0.1) },
      profile: try DeviceProfile.named("iphone-6").noiseless)
  }

  private static func run(
    _ scenario: Scenario, _ regions: RegionIndex, _ policy: MonitorAdaptivePolicy = MonitorAdaptivePolicy()
  ) throws -> SimulationResult {
    try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: regions) }
  }

  // MARK: The whole

  @Test("Far from everything the app sleeps behind a sentinel, and wakes in time")
  func sleeps() throws {
    let regions = try RegionIndex([Self.circle("a", 20_000, 300)])
    // An hour at rest, 20 km at 20 m/s, an hour at rest.
    let scenario = try Self.scenario([(0, 0), (3600, 0), (4600, 20_000), (8200, 20_000)])
    let result = try Self.run(scenario, regions)
    let reports = result.reports(of: regions)
    #expect(reports.map(\.isEntry) == [true])
    let crossing = try #require(try scenario.track.crossings(of: regions).first)
    let delay = try #require(reports.first).time.seconds(since: crossing.time)
    #expect(delay >= 0 && delay < 60, "\(delay) s")
    // Asleep for the first hour, in which there is nothing to ask.
    let asked = result.timeline.filter { entry in
      guard case .delivered(.locations(_, .single)) = entry.kind else { return false }
      return (10..<3600).contains(entry.time.seconds(since: Self.start))
    }
    #expect(asked.isEmpty)
    #expect(result.counts.backgroundSeconds < 4700)
  }

  @Test("An app that is killed on its way comes back by its sentinel, and reports what it missed")
  func killed() throws {
    let regions = try RegionIndex([Self.circle("a", 12_000, 500)])
    let scenario = try Self.scenario(
      [(0, 0), (1000, 0), (3400, 12_000), (5000, 12_000)],
      actions: [(60, .leaveApp), (900, .memoryPressure)])
    let result = try Self.run(scenario, regions)
    #expect(result.counts.relaunches >= 1)
    #expect(result.reports(of: regions).map(\.isEntry) == [true])
  }

  @Test("What it takes to ship a policy is what its app had: no background mode, no bar")
  func needsWithoutLocationMode() throws {
    var scenario = try Self.scenario([(0, 0), (60, 0)])
    let with = StudyConditions(of: scenario)
    #expect(
      with.needs(of: ContinuousTrackingPolicy(.best))
        == "a few lines around CLLocationManager: background mode location; its user sees a blue bar; permission always"
    )
    scenario.capabilities.hasLocationMode = false
    let without = StudyConditions(of: scenario)
    #expect(
      without.needs(of: MonitorAdaptivePolicy())
        == "Monitor with .adaptive(latency: .seconds(60)) and presence .indicator: no background mode; permission always"
    )
    #expect(
      without.needs(of: MonitorSlotsPolicy())
        == "Monitor with .slots and no background mode; permission always")
    // What its app shows, and says.
    #expect(FrontAndBehindPolicy().presence == .indicator)
  }

  /// Before iOS 17 the system refuses regions to an app that may use location in use only.
  @Test("Where regions are refused, the app looks now and then, and asks for them again after ten minutes")
  func refused() throws {
    // At rest far from its boundary, and within it: a strategy would sleep behind a sentinel.
    for radius in [300.0, 30_000] {
      let regions = try RegionIndex([Self.circle("a", 20_000, radius)])
      var scenario = try Self.scenario([(0, 0), (7200, 0), (8200, 20_000), (10_800, 20_000)])
      scenario.capabilities.authorization = .whenInUse
      scenario.rules = .iOS13
      let result = try Self.run(scenario, regions)
      let refusals = result.timeline.count {
        if case .delivered(.monitoringFailed) = $0.kind { true } else { false }
      }
      // Two at first, and then the sentinel and the region at most, every ten minutes of three hours.
      #expect((1...60).contains(refusals), "\(refusals) refusals")
      let positions = result.timeline.filter {
        if case .delivered(.locations(_, .single)) = $0.kind { true } else { false }
      }
      // It stays awake, and looks each minute.
      let atRest = positions.count { (3600..<7200).contains($0.time.seconds(since: Self.start)) }
      #expect((30...150).contains(atRest), "\(atRest) positions in an hour")
      // In the large one it is from the beginning on.
      #expect(result.reports(of: regions).map(\.isEntry) == (radius < 20_000 ? [true] : []))
    }
  }

  @Test(
    "Where other apps leave no room, plans go on asking for a sentinel, soon at first and not without end")
  func roomForPlans() throws {
    let regions = try RegionIndex((1...40).map { Self.circle("r\($0)", 2000 * Double($0), 300) })
    for policy in [MonitorSlotsPolicy(), MonitorAdaptivePolicy(.quiet)] as [any MonitoringPolicy] {
      // There is room just before the app is left; or never, with the app in front.
      for hasRoom in [true, false] {
        var scenario = try Self.scenario(
          [(0, 0), (3600, 0), (7600, 80_000), (8200, 80_000)],
          actions: hasRoom ? [(45, .otherAppsRegions(0)), (60, .leaveApp)] : [])
        scenario.otherAppsRegions = 100
        scenario.rules = .iOS26
        let result = try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: regions) }
        let reports = result.reports(of: regions).count
        #expect(reports > 60, "\(policy.name): \(reports) reports")
        let positions = result.timeline.count { entry in
          guard case .delivered(.locations(_, .single)) = entry.kind else { return false }
          return entry.time.seconds(since: Self.start) < 3600
        }
        // Asleep behind a sentinel, or awake without one.
        #expect((hasRoom ? 1...10 : 30...150).contains(positions), "\(policy.name): \(positions) positions")
      }
    }
  }

  /// Asks for a position when it is woken, and sleeps again behind a sentinel that is never left.
  private struct Sleeper: MonitoringStrategy {
    var name: String { "sleeper" }
    var needs: StrategyNeeds { .regionsOnly }
    func decide(_ situation: WatchSituation) -> WatchDecision {
      situation.isAwake
        ? .sleep(radius: 100_000, because: "looked") : .locate(after: .zero, .best, because: "woken")
    }
  }

  @Test("A monitor with an app's own options runs as in the app, and wrong options are a study's error")
  func ownOptions() throws {
    let regions = try RegionIndex([Self.circle("a", 6000, 600), Self.circle("b", 9000, 300)])
    let scenario = try Self.scenario([(0, 0), (600, 0), (1600, 10_000), (3000, 10_000)])
    func reports(_ policy: some MonitoringPolicy) throws -> [ReportedEvent] {
      try SimulatedRun(scenario, policy, watching: regions).matches.compactMap(\.report)
    }
    let own = MonitorOptions(strategy: .adaptive(latency: .seconds(120)), presence: .indicator)
    var named = MonitorAdaptivePolicy(.indicator)
    named.latency = 120
    let told = try reports(MonitorPolicy(own, name: "ours"))
    let alike = try reports(named)
    #expect(!told.isEmpty && told == alike)
    // A strategy that never looks tells nothing but what the first position does.
    let sleeper = MonitorPolicy(MonitorOptions(strategy: .custom(Sleeper())), name: "sleeper")
    let asleep = try reports(sleeper)
    #expect(asleep != told)
    #expect(sleeper.needs == "Monitor with strategy sleeper: no background mode")
    #expect(sleeper.presence == .quiet)
    #expect(
      MonitorPolicy(own).needs
        == "Monitor with strategy adaptive: background mode location; its user sees a blue bar")

    let track = scenario.track
    func study(_ options: MonitorOptions) -> Study {
      Study(
        of: [MonitorPolicy(options, name: "ours")], watching: regions, on: [StudyDevice(name: "a") { track }],
        seeds: [1], profile: scenario.profile)
    }
    #expect(try study(own).run().cards.map(\.policy) == ["ours"])
    let error = #expect(throws: StudyError.self) {
      try study(MonitorOptions(strategy: .adaptive(latency: .seconds(1)))).run()
    }
    #expect("\(try #require(error))".contains("ours: "), "\(error.map { "\($0)" } ?? "")")
    #expect("\(try #require(error))".contains("latency"))
  }

  @Test(
    "Significant changes and visits wake a sleeping monitor, and start one that was ended; without them nothing does",
    arguments: [WakeServices.significantChanges, .visits, []], [false, true])
  func wakeServices(services: WakeServices, isEnded: Bool) throws {
    // With nineteen others that are nearer, so that it has no slot.
    let regions = try RegionIndex(
      [Self.circle("a", 20_000, 3000)] + (1...19).map { Self.circle("west \($0)", -500 * Double($0), 100) })
    let scenario = try Self.scenario(
      [(0, 0), (3600, 0), (4600, 20_000), (8200, 20_000)],
      actions: [(60, .leaveApp)] + (isEnded ? [(1800, .memoryPressure)] : []))
    let options = MonitorOptions(strategy: .custom(Sleeper()), wakeServices: services)
    let result = try Simulation.run(scenario, recording: .all) {
      MonitoredApp(watching: regions, options)
    }
    #expect(result.reports(of: regions).map(\.isEntry) == (services.isEmpty ? [] : [true]))
    if !services.isEmpty { #expect((result.counts.relaunches > 0) == isEnded) }
  }

  /// Updates with a filter in motion, asked again after a while without one, and sleep at rest.
  private struct Filtered: MonitoringStrategy {
    var name: String { "filtered" }
    var needs: StrategyNeeds { .backgroundLocation }
    func decide(_ situation: WatchSituation) -> WatchDecision {
      situation.isAtRest
        ? .sleep(radius: 100, because: "at rest")
        : .update(.best, distanceFilter: 50, for: .seconds(60), because: "in motion")
    }
  }

  @Test(
    "A strategy of one's own with a distance filter: a position each 50 m, none asleep, and crossings within 50 m and an answer"
  )
  func updates() throws {
    let regions = try RegionIndex((0..<8).map { Self.circle("r\($0)", 2000 + Double($0) * 1000, 200) })
    let scenario = try Self.scenario(
      [(0, 0), (3600, 0), (4600, 10_000), (8200, 10_000)], actions: [(60, .leaveApp)])
    let log = Mutex<[WatchLogEntry]>([])
    var options = MonitorOptions(strategy: .custom(Filtered()))
    options.log = { entry in log.withLock { $0.append(entry) } }
    let result = try Simulation.run(scenario, recording: .all) { MonitoredApp(watching: regions, options) }
    #expect(result.reports(of: regions).count == 16)
    for (report, crossing) in zip(result.reports(of: regions), try scenario.track.crossings(of: regions)) {
      #expect(report.region == crossing.region)
      // 5 s for 50 m.
      #expect((0...12).contains(report.time.seconds(since: crossing.time)), "\(report)")
    }
    let updates = result.timeline.flatMap { entry -> [Fix] in
      guard case .delivered(.locations(let fixes, .standard)) = entry.kind else { return [] }
      return fixes
    }
    // 10 km, each at least 50 m from the one before.
    #expect((120...201).contains(updates.count), "\(updates.count)")
    // What keeps the app alive is a kilometre wrong.
    let moving = updates.filter {
      $0.horizontalAccuracy < 100 && (3700..<4600).contains($0.time.seconds(since: Self.start))
    }
    for (a, b) in zip(moving, moving.dropFirst()) {
      #expect(Geodesic.uncheckedDistance(a.coordinate, b.coordinate) > 49.999)
    }
    // Asleep in the first hour, and again in the last.
    #expect(!updates.contains { (600..<3500).contains($0.time.seconds(since: Self.start)) })
    #expect(result.counts.backgroundSeconds < 2500, "\(result.counts.backgroundSeconds)")
    #expect(
      log.withLock { log in
        log.contains { $0.reason == "at rest" } && log.contains { $0.reason == "in motion" }
      })
  }

  @Test(
    "Exact positions notice every stay of two minutes within the latency, and take less than twice the fewest fixes",
    arguments: 1...12)
  func promise(seed: UInt64) throws {
    let random = try RandomScenario(seed: seed)
    var policy = MonitorAdaptivePolicy()
    policy.latency = 60
    let result = try Simulation.run(random.scenario, recording: .reports) {
      policy.makeApp(watching: random.regions)
    }
    let reports = result.reports(of: random.regions)
    var entered: [Int: Timestamp] = [:]
    for crossing in random.crossings {
      if crossing.kind == .enter { entered[crossing.region] = crossing.time }
      guard crossing.kind == .exit, let entry = entered.removeValue(forKey: crossing.region),
        crossing.time.seconds(since: entry) > 120
      else { continue }
      // The latency, an answer, and one more where the first said too little.
      let isInTime = reports.contains {
        $0.region == crossing.region && $0.isEntry && abs($0.time.seconds(since: entry) - 40) <= 42
      }
      #expect(isInTime, "seed \(seed): region \(crossing.region) at \(entry)")
    }
    let bound = try SafeSamplingBound(maximumSpeed: 14.5, within: .seconds(60))
      .count(along: random.scenario.track, watching: random.regions)
    #expect(
      Double(result.counts.fixes) <= 2 * Double(bound) + 20, "seed \(seed): \(result.counts.fixes), \(bound)")
  }

  @Test("The same seed is the same run")
  func deterministic() throws {
    let random = try RandomScenario(seed: 3, profile: DeviceProfile.named("iphone-6"))
    let policy = MonitorAdaptivePolicy()
    func run() throws -> SimulationResult {
      try Simulation.run(random.scenario, recording: .all) { policy.makeApp(watching: random.regions) }
    }
    let (a, b) = (try run(), try run())
    #expect(a.timeline == b.timeline && a.joules == b.joules)
    #expect(a.counts.fixes > 20)
  }
}
