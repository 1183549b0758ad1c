import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityTestSupport

@testable import VicinityEvaluation
@testable import VicinitySimulation

@Suite("The adaptive policy")
struct AdaptivePolicyTests {
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
    _ scenario: Scenario, _ regions: RegionIndex, _ policy: AdaptivePolicy = AdaptivePolicy()
  ) throws -> SimulationResult {
    try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: regions) }
  }

  // MARK: The parts

  private static let one = BoundaryEvidence.Margins(entry: 1, exit: 1)

  @Test("A phone that stands, or goes at some speed, takes so long for a distance")
  func travelTime() {
    var policy = AdaptivePolicy()
    policy.acceleration = 2
    policy.options.maximumSpeed = 40
    // s = a t² / 2; up to 40 m/s after 20 s and 400 m.
    #expect(abs(policy.travelTime(100, at: -1) - 10) < 1e-12)
    #expect(abs(policy.travelTime(400, at: 0) - 20) < 1e-12)
    #expect(abs(policy.travelTime(800, at: 0) - 30) < 1e-12)
    // 30 m/s: five seconds and 175 m to 40.
    #expect(abs(policy.travelTime(175, at: 30) - 5) < 1e-12)
    #expect(abs(policy.travelTime(575, at: 30) - 15) < 1e-12)
    #expect(abs(policy.travelTime(400, at: 60) - 10) < 1e-12)
    #expect(policy.travelTime(0, at: 10) == 0)
  }

  @Test("A sentinel leaves room for overshoot, latency and error, and is no smaller than what works")
  func sentinel() {
    var policy = AdaptivePolicy()
    policy.options.latency = .seconds(20)
    // 200 m, 20 s at 40 m/s, 100 m.
    #expect(policy.sentinelRadius(clearance: 5000) == 3900)
    #expect(policy.sentinelRadius(clearance: 1200) == 100)
    #expect(policy.sentinelRadius(clearance: 1199) == nil)
    #expect(policy.sentinelRadius(clearance: 0) == nil)
  }

  @Test("What is beyond the margin decides, what is nearer when it is said twice")
  func evidence() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100), Self.circle("b", 1000, 100)])
    var evidence = BoundaryEvidence(regions)
    try evidence.handle(Self.place(500), accuracy: 10, margins: Self.one)
    #expect(evidence.changes.isEmpty && abs(evidence.clearance - 400) < 0.5)
    // 5 m within, of 10: in doubt, then decided.
    try evidence.handle(Self.place(95), accuracy: 10, margins: Self.one)
    #expect(evidence.changes.isEmpty && evidence.isAmbiguous)
    try evidence.handle(Self.place(96), accuracy: 10, margins: Self.one)
    #expect(evidence.changes == [.init(region: 0, isInside: true)] && !evidence.isAmbiguous)
    // 5 m beyond and back: nothing.
    try evidence.handle(Self.place(105), accuracy: 10, margins: Self.one)
    try evidence.handle(Self.place(95), accuracy: 10, margins: Self.one)
    #expect(evidence.changes.isEmpty && !evidence.isAmbiguous)
    // Far beyond: left at once, and the other entered.
    try evidence.handle(Self.place(1000), accuracy: 10, margins: Self.one)
    #expect(evidence.changes == [.init(region: 1, isInside: true), .init(region: 0, isInside: false)])
    // A coarse one decides nothing near, however often.
    for _ in 0..<5 {
      try evidence.handle(Self.place(1200), accuracy: 400, margins: Self.one)
      #expect(evidence.changes.isEmpty && evidence.isAmbiguous)
    }
  }

  @Test("Entries and exits have their own margins")
  func margins() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    let margins = BoundaryEvidence.Margins(entry: 0.5, exit: 0)
    var evidence = BoundaryEvidence(regions)
    try evidence.handle(Self.place(500), accuracy: 10, margins: margins)
    // 4 m within, of 5.
    try evidence.handle(Self.place(96), accuracy: 10, margins: margins)
    #expect(evidence.changes.isEmpty && evidence.isAmbiguous)
    // Outside, and 6 m within.
    try evidence.handle(Self.place(101), accuracy: 10, margins: margins)
    #expect(evidence.changes.isEmpty && !evidence.isAmbiguous)
    try evidence.handle(Self.place(94), accuracy: 10, margins: margins)
    #expect(evidence.changes == [.init(region: 0, isInside: true)] && !evidence.isAmbiguous)
    try evidence.handle(Self.place(101), accuracy: 10, margins: margins)
    #expect(evidence.changes == [.init(region: 0, isInside: false)] && !evidence.isAmbiguous)
    let policy = AdaptivePolicy()
    #expect(policy.margins(atRest: false) == .init(entry: policy.entryMargin, exit: policy.exitMargin))
    #expect(policy.margins(atRest: true) == .init(entry: policy.restMargin, exit: policy.restMargin))
  }

  @Test("What the first position is in is no news")
  func initial() throws {
    let regions = try RegionIndex([Self.circle("a", 0, 100)])
    var evidence = BoundaryEvidence(regions)
    try evidence.handle(Self.place(99), accuracy: 10, margins: Self.one)
    #expect(evidence.changes.isEmpty && evidence.memory.inside == [0])
    // A later process goes on from there.
    var later = BoundaryEvidence(regions, resuming: evidence.memory)
    try later.handle(Self.place(300), accuracy: 10, margins: Self.one)
    #expect(later.changes == [.init(region: 0, isInside: false)])
  }

  @Test("Two minutes about a place are rest; one bad position ends it no more than one without accuracy")
  func rest() {
    func fix(_ seconds: Double, _ east: Double, accuracy: Double = 10) -> Fix {
      Fix(
        time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place(east),
        horizontalAccuracy: accuracy)
    }
    var place = StopDetector()
    for second in stride(from: 0.0, through: 120, by: 20) {
      #expect(!place.isAtRest)
      place.handle(fix(second, second.truncatingRemainder(dividingBy: 40) == 0 ? 5 : -5))
    }
    #expect(place.isAtRest)
    #expect(Geodesic.uncheckedDistance(place.mean, Self.place(0)) < 3)
    #expect(abs(place.accuracy(of: 10) - 10 / 7.0.squareRoot()) < 1e-9)
    #expect(!place.isLeft(at: fix(140, 25)))
    #expect(place.isLeft(at: fix(140, 40)))
    // Good to 50 m where 10 is usual.
    #expect(place.isLeft(at: fix(140, 0, accuracy: 50)))
    place.handle(fix(140, 500, accuracy: 500))
    #expect(place.isAtRest)
    place.handle(fix(160, 80))
    #expect(!place.isAtRest)
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
    #expect(delay >= 0 && delay < 30, "\(delay) s")
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

  @Test(
    "Exact positions notice every stay of two minutes within the latency, and take less than twice the fewest fixes",
    arguments: 1...12)
  func promise(seed: UInt64) throws {
    let random = try RandomScenario(seed: seed)
    var policy = AdaptivePolicy()
    policy.options.maximumSpeed = 14.5
    policy.acceleration = 100
    policy.latency = 60
    policy.restLatency = 60
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
    let policy = AdaptivePolicy()
    func run() throws -> SimulationResult {
      try Simulation.run(random.scenario, recording: .all) { policy.makeApp(watching: random.regions) }
    }
    let (a, b) = (try run(), try run())
    #expect(a.timeline == b.timeline && a.joules == b.joules)
    #expect(a.counts.fixes > 20)
  }
}
