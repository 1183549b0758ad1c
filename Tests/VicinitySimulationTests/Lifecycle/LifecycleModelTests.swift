import Foundation
import Testing
import VicinityCrossings
import VicinityMonitor
import VicinityTestSupport

@testable import VicinitySimulation

@Suite("App lifecycle: random lives")
struct LifecycleModelTests {
  /// Of a hundred lives each.
  static let blocks: UInt64 = ProcessInfo.processInfo.environment["VICINITY_LONG_TESTS"] == "1" ? 500 : 12

  /// A random life: what happens, what the app does, under which rules.
  struct Life {
    var script: [(second: Int, what: Stimulus)] = []
    var reactions: [Reaction] = []
    var rules = BackgroundRules.iOS13
    static let end = 900

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      rules.relaunchesForceQuit = Bool.random(using: &random)
      rules.needsFirstUnlock = Bool.random(using: &random)
      rules.backgroundTaskTime = .seconds(Int.random(in: 1...40, using: &random))
      rules.expirationWarning = .seconds(Int.random(in: 0...6, using: &random))
      rules.eventTime = .seconds(Int.random(in: 1...12, using: &random))
      let actions: [UserAction] = [
        .openApp, .leaveApp, .openApp, .leaveApp, .leaveApp, .forceQuit, .memoryPressure, .terminate,
        .exit(status: 1), .restart,
      ]
      for number in 0..<Int.random(in: 5...80, using: &random) {
        let second = Int.random(in: 0..<Self.end, using: &random)
        let what: Stimulus =
          Bool.random(using: &random)
          ? .action(actions[Int.random(in: 0..<actions.count, using: &random)])
          : .event("entered \(number)", wakes: Int.random(in: 0..<3, using: &random) > 0)
        script.append((second, what))
      }
      script.sort { $0.second < $1.second }
      let isBusy = Bool.random(using: &random)
      for number in 0..<400 {
        var reaction = Reaction()
        if isBusy, Int.random(in: 0..<4, using: &random) == 0 {
          reaction.work = Int.random(in: 1...11, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          reaction.begins = Int.random(in: 1...3, using: &random)
        }
        if Bool.random(using: &random) {
          reaction.ends = Int.random(in: 0...(number / 3 + 1), using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
          reaction.timer = Int.random(in: 1...40, using: &random)
        }
        reactions.append(reaction)
      }
    }

    func play() throws -> (result: SimulationResult, story: [String]) {
      final class Counter { var calls = 0 }
      let counter = Counter()
      let reactions = reactions
      let actions = script.compactMap { step -> (Double, UserAction)? in
        guard case .action(let action) = step.what else { return nil }
        return (Double(step.second), action)
      }
      let stage = try Stage(actions, rules: rules, hours: Double(Self.end) / 3600) { phone, _ in
        let reaction = counter.calls < reactions.count ? reactions[counter.calls] : Reaction()
        counter.calls += 1
        for _ in 0..<reaction.begins { _ = phone.beginBackgroundTask("script") }
        if let number = reaction.ends { phone.endBackgroundTask(BackgroundTask(number: number)) }
        if let delay = reaction.timer { phone.setTimer(after: .seconds(delay)) }
        phone.work(.seconds(reaction.work))
      }
      for step in script {
        guard case .event(let name, let wakes) = step.what else { continue }
        let region = String(name.dropFirst("entered ".count))
        stage.event(.entered(region: region), wakes ? .relaunching : .running, at: Double(step.second))
      }
      let result = stage.finish()
      return (result, result.timeline.map(Stage.line))
    }
  }

  @Test(
    "A life is what the rules, said once more and played second by second, make of it",
    arguments: 0..<Self.blocks)
  func model(block: UInt64) throws {
    for seed in block * 100..<(block + 1) * 100 {
      let life = Life(seed: seed)
      var model = LifecycleModel(rules: life.rules, reactions: life.reactions)
      model.run(life.script, to: Life.end)
      let (result, story) = try life.play()
      if let place = zip(story, model.story).enumerated().first(where: { $1.0 != $1.1 })?.offset {
        Issue.record(
          "seed \(seed): \(story[place]) where \(model.story[place]) is due, after \(story[..<place].suffix(8))"
        )
        return
      }
      try #require(story.count == model.story.count, "seed \(seed)")
      #expect(result.counts.kills == model.kills, "seed \(seed)")
      #expect(result.counts.wakes == model.wakes, "seed \(seed)")
      #expect(result.counts.relaunches == model.relaunches, "seed \(seed)")
      #expect(abs(result.counts.backgroundSeconds - Double(model.backgroundSeconds)) < 1e-6, "seed \(seed)")
    }
  }

  @Test(
    "Nothing runs while suspended, limits hold, and there is one process at most",
    arguments: 0..<10 as Range<UInt64>)
  func invariants(block: UInt64) throws {
    for seed in 5000 + block * 50..<5050 + block * 50 {
      let life = Life(seed: seed)
      let (result, _) = try life.play()
      var state = AppState.notRunning
      var states: [(time: Timestamp, state: AppState)] = []
      var isLaunched = false
      var last = result.start
      var tasks: Set<BackgroundTask> = []
      /// Since when all tasks' time runs.
      var budgetStart: Timestamp?
      for entry in result.timeline {
        try #require(entry.time >= last, "seed \(seed): order")
        last = entry.time
        switch entry.kind {
        case .lifecycle(let new, _):
          if new == .notRunning {
            isLaunched = false
            tasks = []
          }
          // What was suspended held no task.
          if new == .suspended { #expect(tasks.isEmpty, "seed \(seed)") }
          budgetStart = new == .background ? entry.time : nil
          state = new
          states.append((entry.time, new))
        case .delivered(let event):
          #expect(state == .foreground || state == .background, "seed \(seed): \(event) while \(state)")
          if case .launched = event {
            #expect(!isLaunched, "seed \(seed): two processes")
            isLaunched = true
          }
          #expect(isLaunched, "seed \(seed): \(event) to no process")
        case .taskBegan(let task, _): tasks.insert(task)
        case .taskEnded(let task): tasks.remove(task)
        default: break
        }
        if let budgetStart, !tasks.isEmpty {
          #expect(budgetStart.duration(to: entry.time) <= life.rules.backgroundTaskTime, "seed \(seed)")
        }
      }
      try power(result, states, seed)
    }
  }

  /// Energy is the integral of power, and the app has none while it does not run: the processor's tail apart.
  private func power(
    _ result: SimulationResult, _ states: [(time: Timestamp, state: AppState)], _ seed: UInt64
  ) throws {
    for component in EnergyComponent.allCases {
      let summed = integral(result.power, of: component, from: result.start, to: result.end)
      #expect(abs(summed - (result.joules[component] ?? -1)) < 1e-9 * max(1, summed), "seed \(seed)")
    }
    let spans = zip(states, states.dropFirst().map(\.time) + [result.end])
    for ((from, state), to) in spans where state == .suspended || state == .notRunning {
      #expect(spent(result.power, .app, from, to) == 0, "seed \(seed)")
      let settled = min(to, from.advanced(by: .seconds(1)))
      #expect(spent(result.power, .cpu, settled, to) == 0, "seed \(seed)")
    }
  }

  /// The integral over a part of the time.
  private func spent(
    _ steps: [PowerStep], _ component: EnergyComponent, _ from: Timestamp, _ to: Timestamp
  ) -> Double {
    let start = Stage.time(0)
    return integral(steps, of: component, from: start, to: to)
      - integral(steps, of: component, from: start, to: from)
  }
}
