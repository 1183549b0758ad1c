import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinityTestSupport

@testable import VicinityEvaluation
@testable import VicinitySimulation

@Suite("The least-energy bound")
struct LeastEnergyBoundTests {
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private static let place = Coordinate(latitude: 47, longitude: 8)
  private let phone: DeviceProfile

  init() throws { phone = try DeviceProfile.named("iphone-6").noiseless }

  private func scenario(hours: Double, leavingAt seconds: Double = 60) throws -> Scenario {
    let track = try TrueTrack([
      Fix(time: Self.start, coordinate: Self.place),
      Fix(time: Self.start.advanced(by: .seconds(hours * 3600)), coordinate: Self.place),
    ])
    return Scenario(
      track: track, actions: [TimedAction(time: Self.start.advanced(by: .seconds(seconds)), .leaveApp)],
      profile: phone)
  }

  private func crossing(_ seconds: Double, region: Int = 0, _ kind: Crossing.Kind = .enter) -> Crossing {
    Crossing(
      region: region, kind: kind, time: Self.start.advanced(by: .seconds(seconds)), coordinate: Self.place)
  }

  @Test("Nothing to report costs what the phone draws anyway")
  func nothing() throws {
    let bound = try LeastEnergyBound(scenario(hours: 2), [], within: .seconds(60))
    #expect(bound.netJoules == 0 && bound.seconds.isEmpty)
    #expect(abs(bound.joules - phone.idle.value / 1000 * 7200) < 1e-9)
  }

  @Test(
    "A crossing hours after the app was left costs a look, or the radio for as long, or callbacks, whichever is least"
  )
  func one() throws {
    let bound = try LeastEnergyBound(scenario(hours: 3), [crossing(7200)], within: .seconds(60))
    let radio = phone.tiers.values.map { $0.gnss.value + $0.wifi.value + $0.cell.value }.min() ?? 0
    let fix = phone.tiers.values.map(\.fix.value).min() ?? 0
    // Thirty seconds of a background task are had for nothing, and the earliest second counts as one before
    // the crossing.
    let rest = 7199.0 - 60 - 30
    let callbacks = min(fix, phone.awake.value * phone.awakeTail.value) / 30
    let expected = min(phone.regions.look.value, min(radio, callbacks) * rest)
    #expect(abs(bound.netJoules - expected / 1000) < 1e-9)
    #expect(bound.seconds.count == 1)
  }

  @Test("Two crossings within the latency need one callback, farther apart two")
  func two() throws {
    for (gap, count) in [(50.0, 1), (59, 1), (70, 2), (3000, 2)] {
      let bound = try LeastEnergyBound(
        scenario(hours: 3), [crossing(7200), crossing(7200 + gap, region: 1)], within: .seconds(60))
      #expect(bound.seconds.count == count, "\(gap) s")
    }
  }

  @Test("What is done before the track begins, in whatever order, is no reason to trap")
  func before() throws {
    var scenario = try scenario(hours: 3)
    scenario.actions = [
      TimedAction(time: Self.start.advanced(by: .seconds(60)), .leaveApp),
      TimedAction(time: Self.start.advanced(by: .seconds(-1e6)), .leaveApp),
      TimedAction(time: Self.start.advanced(by: .seconds(-2e6)), .openApp),
    ]
    let bound = try LeastEnergyBound(scenario, [crossing(7200)], within: .seconds(60))
    #expect(bound.netJoules > 0)
  }

  @Test("While the app is in front, callbacks alone cost")
  func inFront() throws {
    let crossings = (1...5).map { crossing(Double($0) * 1000, region: $0) }
    let bound = try LeastEnergyBound(scenario(hours: 3, leavingAt: 10_000), crossings, within: .seconds(60))
    let fix = phone.tiers.values.map(\.fix.value).min() ?? 0
    let callback = min(fix, phone.awake.value * phone.awakeTail.value) / 1000
    // What the last costs may lie beyond the track's end.
    #expect(abs(bound.netJoules - 4 * callback) < 1e-9)
  }

  /// Whether every crossing has a report of its own, from its time to so much later.
  private func reportsAll(_ random: RandomScenario, _ result: SimulationResult, within limit: Duration)
    -> Bool
  {
    var reports = result.reports(of: random.regions)
    return random.crossings.allSatisfy { crossing in
      let found = reports.firstIndex {
        $0.region == crossing.region && $0.isEntry == (crossing.kind == .enter) && $0.time >= crossing.time
          && $0.time <= crossing.time.advanced(by: limit)
      }
      if let found { reports.remove(at: found) }
      return found != nil
    }
  }

  @Test(
    "No policy that reports every crossing in time takes less; one that knows the future always can",
    arguments: 1...24)
  func neverBeaten(seed: UInt64) throws {
    let random = try RandomScenario(seed: seed)
    let scenario = random.scenario
    for latency in [20.0, 90, 600] {
      let limit = Duration.seconds(latency)
      let bound = try LeastEnergyBound(scenario, random.crossings, within: limit)
      let knowing = OraclePolicy(random.crossings, within: limit, until: scenario.track.end)
      let best = ContinuousTrackingPolicy(.best).setting(\.distanceFilter, to: nil)
      let sleeping = try knowing.sleeping(in: scenario, watching: random.regions).policy
      let policies: [any MonitoringPolicy] = [
        knowing, sleeping, best, MonitorAdaptivePolicy(), MonitorSlotsPolicy(),
      ]
      for policy in policies {
        let result = try Simulation.run(scenario, recording: .reports) {
          policy.makeApp(watching: random.regions)
        }
        let isComplete = reportsAll(random, result, within: limit)
        if policy.name == knowing.name { #expect(isComplete, "seed \(seed), \(latency) s") }
        guard isComplete else { continue }
        #expect(
          result.totalJoules >= bound.joules - 1e-9,
          "seed \(seed), \(latency) s, \(policy.name): \(result.totalJoules) J < \(bound.joules) J")
      }
    }
  }

  @Test("Before a report hours away the app sleeps behind a region, and is awake again in time")
  func sleeps() throws {
    // Two hours at a place, ten minutes' walk, and an hour at another.
    let frame = LocalFrame(Self.place)
    var fixes = [Fix(time: Self.start, coordinate: Self.place)]
    for second in stride(from: 0.0, through: 600, by: 10) {
      fixes.append(
        Fix(
          time: Self.start.advanced(by: .seconds(7200 + second)),
          coordinate: frame.coordinate(at: Offset(east: 2 * second, north: 0))))
    }
    fixes.append(
      Fix(time: Self.start.advanced(by: .seconds(11_400)), coordinate: fixes[fixes.count - 1].coordinate))
    let scenario = Scenario(
      track: try TrueTrack(fixes),
      actions: [TimedAction(time: Self.start.advanced(by: .seconds(60)), .leaveApp)], profile: phone)
    let regions = try RegionIndex([
      Region(identifier: "shop", center: frame.coordinate(at: Offset(east: 1200, north: 0)), radius: 150)
    ])
    let crossings = try scenario.track.crossings(of: regions)
    #expect(crossings.count == 1)
    let knowing = OraclePolicy(crossings, within: .seconds(60), until: scenario.track.end)
    let (policy, result) = try knowing.sleeping(in: scenario, watching: regions)
    #expect(policy.sentinels.count { $0 != nil } == 1)
    let awake = try Simulation.run(scenario, recording: .reports) { knowing.makeApp(watching: regions) }
    let idle = try #require(result.joules[.idle])
    // The sentinel is checked now and then at rest, which is what most of the rest costs.
    let asleep = result.totalJoules - idle
    let checks = 10_800 / phone.regions.restInterval.value(at: 0.5) * phone.regions.look.value / 1000
    #expect(asleep - checks < (awake.totalJoules - idle) / 4)
    #expect(asleep < awake.totalJoules - idle)
    #expect(result.totalJoules >= (try LeastEnergyBound(scenario, crossings, within: .seconds(60))).joules)
    #expect(result.reports(of: regions).map(\.time) == awake.reports(of: regions).map(\.time))
    // What is too near to be woken in time is waited for.
    let near = try RegionIndex([
      Region(identifier: "door", center: frame.coordinate(at: Offset(east: 150, north: 0)), radius: 100)
    ])
    let soon = try scenario.track.crossings(of: near)
    let waiting = try OraclePolicy(soon, within: .seconds(5), until: scenario.track.end)
      .sleeping(in: scenario, watching: near)
    #expect(waiting.policy.sentinels.allSatisfy { $0 == nil } && waiting.result.reports(of: near).count == 2)
  }

  @Test(
    "Others than the one that knows the future report every crossing too, so that the bound is put to a test")
  func tested() throws {
    var complete = 0
    for seed: UInt64 in 1...12 {
      let random = try RandomScenario(seed: seed)
      let policy = ContinuousTrackingPolicy(.best).setting(\.distanceFilter, to: nil)
      let result = try Simulation.run(random.scenario, recording: .reports) {
        policy.makeApp(watching: random.regions)
      }
      if reportsAll(random, result, within: .seconds(90)), !random.crossings.isEmpty { complete += 1 }
    }
    #expect(complete >= 3, "\(complete) of 12")
  }

  @Test("Later reports never cost more, and another crossing never less", arguments: 1...6)
  func monotone(seed: UInt64) throws {
    let random = try RandomScenario(seed: seed)
    var last = Double.infinity
    for latency in [10, 60, 300, 1200] {
      let bound = try LeastEnergyBound(random.scenario, random.crossings, within: .seconds(latency)).netJoules
      #expect(bound <= last + 1e-9, "seed \(seed), \(latency) s")
      last = bound
    }
    let half = random.crossings.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let all = try LeastEnergyBound(random.scenario, random.crossings, within: .seconds(60)).netJoules
    #expect(try LeastEnergyBound(random.scenario, half, within: .seconds(60)).netJoules <= all + 1e-9)
  }
}
