import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("The rule by which positions decide")
struct DecisionRuleTests {
  /// What is decided of fixes that come every few seconds.
  private func reports(
    of fixes: [Fix], _ regions: [Region], by rule: DecisionRule, resumeAfter cut: Int? = nil
  ) throws -> [String] {
    let index = try RegionIndex(regions)
    let app = Replayed(index, rule)
    var scenario = PolicyStage()
    scenario.stand(for: 10)
    let track = try TrueTrack(scenario.fixes)
    _ = try Simulation.run(
      Scenario(
        track: track, surroundings: SurroundingsTimeline(), profile: try PolicyStage.profile(), seed: 1)
    ) {
      app.fixes = fixes
      app.cut = cut
      return app
    }
    return app.reports
  }

  /// Positions at rest near a boundary, whose errors wander across it, after an arrival from far outside.
  private func wandering(seed: UInt64, by deviation: Meters = 12) -> [Fix] {
    var random = RandomStream(seed: seed, "wandering")
    var fixes: [Fix] = []
    var error = 0.0
    for second in stride(from: 0.0, to: 3600, by: 5) {
      error = 0.9 * error + deviation * (1 - 0.81).squareRoot() * random.normal()
      // Driven in from a kilometre away, then standing 8 m within the boundary, which is at 100 m.
      let east = max(92, 1092 - 10 * second)
      fixes.append(
        Fix(
          time: PolicyStage.start.advanced(by: .seconds(second)), coordinate: PolicyStage.at(east + error, 0),
          horizontalAccuracy: 15))
    }
    return fixes
  }

  @Test(
    "Positions that wander across a boundary at rest make one entry by the monitor's rule, and several by the own one"
  )
  func wanders() throws {
    let regions = [PolicyStage.circle("shop", 0, radius: 100)]
    var own = 0
    for seed in 1...5 as ClosedRange<UInt64> {
      let monitor = try reports(of: wandering(seed: seed), regions, by: .monitor)
      #expect(monitor == ["+shop"], "seed \(seed)")
      own += try reports(of: wandering(seed: seed), regions, by: .own).count { $0 == "+shop" }
    }
    #expect(own > 10, "\(own)")
  }

  @Test("What was decided is known to the next process, and nothing is told twice")
  func resumes() throws {
    let regions = [PolicyStage.circle("shop", 0, radius: 100)]
    for cut in [50, 150, 400] {
      let told = try reports(of: wandering(seed: 2, by: 3), regions, by: .monitor, resumeAfter: cut)
      #expect(told == ["+shop"], "after \(cut)")
    }
  }

  @Test("Every policy that decides by positions has the parameter, with its own rule by default")
  func parameter() throws {
    let deciding = Policies.all.filter { $0.parameters.contains { $0.name == "decision" } }
    #expect(
      deciding.map(\.name) == [
        "always-best", "always-ten-meters", "always-hundred-meters", "always-kilometer", "front-and-behind",
        "fixed-interval", "distance-to-boundary", "rate-adaptive", "duty-cycled", "radar-continuous",
        "radar-responsive", "radar-efficient",
      ])
    for policy in deciding {
      let parameter = try #require(policy.parameters.first { $0.name == "decision" })
      #expect(parameter.value == "own" && parameter.choices == ["own", "monitor"])
      let other = try Policies.parse("\(policy.name):decision=monitor")
      #expect(other.label == "\(policy.name):decision=monitor")
      #expect(try Policies.parse("\(policy.name):decision=own").label == policy.name)
    }
    #expect(throws: PolicyError.self) { try Policies.parse("duty-cycled:decision=mine") }
  }
}

/// An app that is told of fixes when it is launched, and notes what it decides of them.
private final class Replayed: PortableApp {
  private let index: RegionIndex
  private let rule: DecisionRule
  var fixes: [Fix] = []
  /// The number of the fix after which another process goes on.
  var cut: Int?
  private(set) var reports: [String] = []

  init(_ index: RegionIndex, _ rule: DecisionRule) {
    self.index = index
    self.rule = rule
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    guard case .launched = event else { return }
    var decisions = FixDecisions(index, by: rule)
    var memory: FixDecisions.Memory?
    for (number, fix) in fixes.enumerated() {
      if number == cut { decisions = FixDecisions(index, by: rule, resuming: memory) }
      decisions.handle(fix, on: phone) { region, isInside, _ in
        reports.append((isInside ? "+" : "-") + region)
      }
      if decisions.hasNews { memory = decisions.memory() }
    }
  }
}
