import Testing
import VicinityMonitor
import VicinitySimulation

@testable import VicinityEvaluation

@Suite("Policies that watch in software")
struct SamplingPolicyTests {
  /// Home, a shop that is passed, and an office.
  private let regions = [
    PolicyStage.circle("home", 0, radius: 150), PolicyStage.circle("shop", 3000, radius: 200),
    PolicyStage.circle("office", 6000, radius: 150),
  ]

  private var day: PolicyStage {
    var stage = PolicyStage()
    stage.stand(for: 3600)
    stage.go(toEast: 6000)
    stage.stand(for: 3600)
    return stage
  }

  private let truth = ["-home", "+shop", "-shop", "+office"]

  @Test(
    "Whoever follows the phone closely reports every crossing, once",
    arguments: [
      "always-best", "always-ten-meters", "always-hundred-meters", "front-and-behind", "duty-cycled",
      "fixed-interval:interval=15", "distance-to-boundary", "radar-continuous",
    ])
  func complete(label: String) throws {
    #expect(try day.play(try Policies.parse(label), regions).reports == truth, "\(label)")
  }

  @Test("At a kilometre nothing can be told of regions that small")
  func coarse() throws {
    #expect(try day.play(ContinuousTrackingPolicy(.kilometer), regions).reports.isEmpty)
  }

  @Test(
    "By the monitor's rule, too, whoever follows the phone closely reports every crossing, once",
    arguments: [
      "always-best", "always-hundred-meters", "front-and-behind", "duty-cycled", "fixed-interval:interval=15",
      "distance-to-boundary", "rate-adaptive", "radar-continuous",
    ])
  func completeAsMonitor(label: String) throws {
    let policy = try Policies.parse(label + ":decision=monitor")
    #expect(policy.label == label + ":decision=monitor")
    #expect(try day.play(policy, regions).reports == truth, "\(label)")
  }

  @Test("By the monitor's rule what was decided survives the process as well")
  func resumedAsMonitor() throws {
    for label in ["always-best", "fixed-interval:interval=15"] {
      let play = try day.play(
        try Policies.parse(label + ":decision=monitor"), regions,
        actions: [(3500, .forceQuit), (4500, .openApp), (4520, .leaveApp)])
      #expect(play.reports == ["-home", "+office"], "\(label)")
    }
  }

  @Test("A fixed interval is kept, by an app that is never suspended")
  func fixedInterval() throws {
    let play = try day.play(FixedIntervalPolicy().setting(\.interval, to: 100), regions)
    let gaps = zip(play.samples, play.samples.dropFirst()).map { $1 - $0 }
    #expect(play.samples.count > 70)
    #expect(gaps.allSatisfy { $0 >= 100 && $0 < 101 })
    let states = play.result.timeline.compactMap { entry -> AppState? in
      guard case .lifecycle(let state, _) = entry.kind else { return nil }
      return state
    }
    #expect(states == [.foreground, .background])
    // What it keeps itself alive with tells nothing: a first position and no more.
    #expect(play.followed.count <= 2)
  }

  @Test("A safe period is the way to the boundary at the greatest speed")
  func safePeriod() throws {
    var stage = PolicyStage()
    stage.stand(for: 3600)
    let policy = DistanceToBoundaryPolicy().setting(\.speed, to: 10).setting(\.minimum, to: 15).setting(
      \.maximum, to: 1000)
    // 3 km of 20 m are known: 298 s.
    let play = try stage.play(policy, [PolicyStage.circle("far", 3100, radius: 100)])
    let gaps = zip(play.samples, play.samples.dropFirst()).map { $1 - $0 }
    #expect(gaps.count == 12 && gaps.allSatisfy { abs($0 - 298) < 1 })
    let near = try stage.play(policy, [PolicyStage.circle("around", 0, radius: 100)])
    #expect(abs(near.samples[1] - near.samples[0] - 15) < 1)
    let none = try stage.play(policy, [PolicyStage.circle("elsewhere", 90_000, radius: 100)])
    #expect(abs(none.samples[1] - none.samples[0] - 1000) < 1)
  }

  @Test("Positions are as far apart as uncertainty needs to grow to the threshold")
  func rateAdaptive() throws {
    let policy = RateAdaptivePolicy().setting(\.threshold, to: 205).setting(\.margin, to: 2).setting(
      \.slowest, to: 0.5
    ).setting(\.minimum, to: 5).setting(\.maximum, to: 1000)
    var stage = PolicyStage()
    stage.stand(for: 3600)
    // (205 m - 5 m) / 0.5 m/s at rest.
    let still = try stage.play(policy, [PolicyStage.circle("far", 90_000, radius: 100)])
    let gaps = zip(still.samples.dropFirst(2), still.samples.dropFirst(3)).map { $1 - $0 }
    #expect(gaps.allSatisfy { abs($0 - 400) < 3 })
    // And at 10 m/s, counted twice: 10 s.
    var drive = PolicyStage()
    drive.go(toEast: 20_000)
    let moving = try drive.play(policy, [PolicyStage.circle("far", 90_000, radius: 100)]).samples
    let steps = zip(moving.dropFirst(2), moving.dropFirst(3)).map { $1 - $0 }
    #expect(steps.count > 150 && steps.allSatisfy { abs($0 - 10) < 3 })
  }

  @Test("A duty-cycled phone at rest has no positions, and a region for its exit")
  func dutyCycled() throws {
    let play = try day.play(DutyCycledPolicy(), regions)
    #expect(play.followed.allSatisfy { $0 < 320 || $0 > 3600 })
    #expect(play.followed.contains { $0 > 3600 && $0 < 4200 })
    #expect(play.registered(at: 3500) == ["at-rest"])
    #expect(play.registered(at: 4000).isEmpty)
    #expect(play.registered(at: 7700) == ["at-rest"])
    #expect(play.result.counts.fixes < 2000)
  }

  @Test("The presets of Radar's SDK: positions at their intervals, registrations all made anew")
  func radar() throws {
    let continuous = try day.play(RadarPolicy(.continuous), regions)
    let gaps = zip(continuous.samples, continuous.samples.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= 29 && $0 < 42 })
    #expect(continuous.result.counts.registrations == 3 * continuous.samples.count)
    let responsive = try day.play(RadarPolicy(.responsive), regions)
    #expect(responsive.registered(at: 3000) == ["home", "shop", "office", "radar"])
    #expect(responsive.samples.filter { $0 > 600 && $0 < 3600 }.isEmpty)
    let efficient = try day.play(RadarPolicy(.efficient), regions)
    #expect(efficient.samples.count < 15)
    #expect(efficient.reports.contains("+office"))
  }

  @Test(
    "What was decided survives the process: an exit on the way to a relaunch is reported late, and nothing twice"
  )
  func resumed() throws {
    let stage = day
    let actions: [(Double, UserAction)] = [
      (3500, .forceQuit), (4500, .openApp), (4520, .leaveApp),
    ]
    for label in ["always-best", "fixed-interval:interval=15", "front-and-behind"] {
      let play = try stage.play(try Policies.parse(label), regions, actions: actions)
      // Home was left, and the shop passed, while there was no process.
      #expect(play.reports == ["-home", "+office"], "\(label)")
    }
  }
}
