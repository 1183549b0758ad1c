import Testing
import VicinityCrossings
import VicinityIndex
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Policies that use the monitor have the phone's slots")
struct PolicyCapacityTests {
  /// An hour at one place, with 225 small regions around it.
  private func play(_ label: String, on phone: String) throws -> PolicyPlay {
    var stage = PolicyStage()
    stage.stand(for: 3600)
    let index = try RegionIndex(
      (0..<225).map { number in
        PolicyStage.circle(
          "r\(number)", Double(number % 15) * 600 - 4200, Double(number / 15) * 600 - 4200, radius: 60)
      })
    let policy = try Policies.parse(label)
    let scenario = Scenario(
      track: try TrueTrack(stage.fixes),
      actions: [TimedAction(time: PolicyStage.start.advanced(by: .seconds(60)), .leaveApp)],
      profile: try DeviceProfile.named(phone), seed: 7)
    return PolicyPlay(
      result: try Simulation.run(scenario, recording: .all) { policy.makeApp(watching: index) })
  }

  @Test(
    "All of the phone's by default, a smaller capacity where one is set, and never more than the phone has",
    arguments: ["monitor-slots", "monitor-adaptive", "monitor-quiet", "constant-sentinel"])
  func capacity(policy: String) throws {
    for (phone, slots) in [("iphone-6", 20), ("modern-phone", 20), ("nexus-6", 100)] {
      for (setting, used) in [("", slots), (":capacity=12", 12), (":capacity=150", slots)] {
        let play = try play(policy + setting, on: phone)
        #expect(play.mostRegistered == used, "\(policy)\(setting) on \(phone)")
        #expect(play.registered(at: 3500).count == used, "\(policy)\(setting) on \(phone)")
        let told = play.result.timeline.count { entry in
          if case .lost(let what) = entry.kind { what.hasPrefix("a capacity of 150: ") } else { false }
        }
        #expect((told > 0) == (setting == ":capacity=150"), "\(policy)\(setting) on \(phone)")
      }
    }
  }

  @Test("A label says a capacity only where one is set; 20 is one")
  func labels() throws {
    #expect(try Policies.parse("monitor-adaptive:capacity=all").label == "monitor-adaptive")
    #expect(try Policies.parse("monitor-adaptive:capacity=20").label == "monitor-adaptive:capacity=20")
    #expect(
      try Policies.parse("constant-sentinel:capacity=20").summary.hasPrefix("The nearest 19 regions by"))
    for wrong in ["1", "1001", "none", ""] {
      #expect(
        throws: PolicyError.invalidValue(
          wrong, parameter: "capacity", policy: "monitor-slots", allowed: "a whole number, 2 to 1000, or all")
      ) { try Policies.parse("monitor-slots:capacity=\(wrong)") }
    }
  }
}
