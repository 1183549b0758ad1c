import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinitySimulation
import VicinityTestSupport

@testable import VicinityEvaluation
@testable import VicinitySynthesis

@Suite("Policies through random lives")
struct PolicyLifeTests {
  static let lifeCount: UInt64 = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1" ? 60 : 3

  /// A day with kills, restarts and relaunches.
  private func scenario(_ seed: UInt64) throws -> (Scenario, RegionIndex) {
    var random = SplitMix64(seed: seed)
    let center = Coordinate(latitude: 48.2, longitude: 16.4)
    let fixes = DayOfMovement(around: center, start: PolicyStage.start, interval: 20, seed: seed).fixes()
    let choices: [UserAction] = [
      .openApp, .leaveApp, .leaveApp, .forceQuit, .memoryPressure, .terminate, .exit(status: 1), .restart,
    ]
    var actions = [TimedAction(time: PolicyStage.start.advanced(by: .seconds(30)), .leaveApp)]
    for _ in 0..<random.below(25) {
      actions.append(
        TimedAction(
          time: PolicyStage.start.advanced(by: .seconds(random.uniform(60...86_000))),
          choices[random.below(choices.count)]))
    }
    // Of 100 slots, and of 20.
    let profile = try DeviceProfile.named(seed % 3 == 0 ? "nexus-6" : "iphone-6")
    let rules: [BackgroundRules] = [.iOS4, .iOS7, .iOS13, .iOS16_4, .iOS26]
    var regions: [Region] = []
    for number in 0..<1500 {
      let place = Coordinate(
        latitude: center.latitude + random.uniform(-0.12...0.12),
        longitude: center.longitude + random.uniform(-0.18...0.18))
      regions.append(
        Region(identifier: "r\(number)", center: place, radius: random.logUniform(30...2000)))
    }
    let scenario = Scenario(
      track: try TrueTrack(fixes), actions: actions, profile: profile,
      rules: rules[random.below(rules.count)],
      seed: seed)
    return (scenario, try RegionIndex(regions))
  }

  @Test(
    "No policy traps, complains or takes more than its slots; the same seed gives the same run",
    arguments: 0..<Self.lifeCount)
  func lives(seed: UInt64) throws {
    let (scenario, index) = try scenario(seed)
    for policy in Policies.all {
      func run() throws -> SimulationResult {
        try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: index) }
      }
      let result = try run()
      let play = PolicyPlay(result: result)
      #expect(play.complaints.isEmpty, "seed \(seed), \(policy.name): \(play.complaints.prefix(3))")
      #expect(
        play.mostRegistered <= scenario.profile.regions.slots, "seed \(seed), \(policy.name)")
      for report in result.reports(of: index) {
        #expect(report.region != nil, "seed \(seed), \(policy.name): \(report.identifier)")
        #expect(report.claimed <= report.time, "seed \(seed), \(policy.name)")
      }
      let again = try run()
      #expect(
        result.timeline == again.timeline && result.joules == again.joules, "seed \(seed), \(policy.name)")
    }
  }

  @Test(
    "What never asks the system for regions alternates entries and exits, whatever kills it",
    arguments: 0..<Self.lifeCount)
  func alternation(seed: UInt64) throws {
    let (scenario, index) = try scenario(seed &+ 1000)
    for label in ["always-hundred-meters", "fixed-interval", "duty-cycled", "monitor-slots"] {
      let policy = try Policies.parse(label)
      let result = try Simulation.run(scenario, recording: .reports) { policy.makeApp(watching: index) }
      var isInside: [String: Bool] = [:]
      for report in result.reports(of: index) {
        if let before = isInside[report.identifier] {
          #expect(before != report.isEntry, "seed \(seed), \(label): \(report.identifier)")
        }
        isInside[report.identifier] = report.isEntry
      }
    }
  }
}
