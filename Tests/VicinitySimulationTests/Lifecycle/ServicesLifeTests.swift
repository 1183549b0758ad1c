import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor
import VicinityTestSupport

@testable import VicinitySimulation

@Suite("App lifecycle: random lives with services")
struct ServicesLifeTests {
  /// A day of some hours on which everything happens: a phone that goes about, an app that does anything it
  /// can in any callback, a user who does anything at any time.
  private func play(seed: UInt64) throws -> (
    result: SimulationResult, actions: [TimedAction], rules: BackgroundRules
  ) {
    var random = SplitMix64(seed: seed)
    var route = Route(east: -2000)
    while route.seconds < 8 * 3600 {
      route =
        Bool.random(using: &random)
        ? route.standing(for: random.uniform(60...5000).rounded())
        : route.going(
          east: random.uniform(-15...15), north: random.uniform(-15...15),
          for: random.uniform(60...1200).rounded(), step: 10)
    }
    let track = try route.track()
    let kinds: [UserAction] = [
      .openApp, .openApp, .openApp, .leaveApp, .leaveApp, .leaveApp, .forceQuit, .memoryPressure, .terminate,
      .exit(status: 0), .exit(status: 1), .restart, .sleep, .wake, .wake, .socketData,
      .interrupt, .set(.authorization(.denied)), .set(.authorization(.always)),
      .set(.authorization(.whenInUse)),
      .set(.locationServices(false)), .set(.locationServices(true)), .set(.backgroundRefresh(false)),
      .set(.backgroundRefresh(true)), .set(.reducedAccuracy(true)), .set(.reducedAccuracy(false)),
      .setTimeZone(offset: .seconds(3600)),
    ]
    let end = route.seconds
    var actions: [TimedAction] = []
    for _ in 0..<Int.random(in: 0...120, using: &random) {
      let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
      actions.append(TimedAction(time: Route.time(random.uniform(0...end)), kind))
    }
    actions.sort { $0.time < $1.time }
    let eras = DeviceProfile.Era.allCases
    var rules = BackgroundRules(eras[Int.random(in: 0..<eras.count, using: &random)])
    rules.relaunchesForceQuit = Bool.random(using: &random)
    rules.tellsForceQuit = Bool.random(using: &random)
    let capabilities = AppCapabilities(
      authorization: Bool.random(using: &random) ? .always : .whenInUse,
      hasLocationMode: Bool.random(using: &random), requiresServiceSession: Bool.random(using: &random),
      isKeptAlive: Bool.random(using: &random))
    let scenario = Scenario(
      track: track, actions: actions, profile: SampleProfile.phone, rules: rules, capabilities: capabilities,
      hardware: PhoneHardware(supportsMultitasking: Int.random(in: 0..<8, using: &random) > 0),
      faults: Bool.random(using: &random) ? [.withheldEntries, .noRelaunch, .lostAdditions] : [], seed: seed)
    final class Mind {
      var random: SplitMix64
      var tasks: [BackgroundTask] = []
      init(seed: UInt64) { random = SplitMix64(seed: seed) }
    }
    let mind = Mind(seed: seed &+ 1)
    let result = try Simulation.run(scenario, recording: .all) {
      ScriptedApp { phone, event in
        if case .launched = event {
          phone.slotService = seed % 2 == 0 ? .conditionMonitor : .regionMonitoring
        }
        for _ in 0..<Int.random(in: 0...2, using: &mind.random) {
          let place = Route.place(mind.random.uniform(-4000...4000), mind.random.uniform(-4000...4000))
          switch Int.random(in: 0..<31, using: &mind.random) {
          case 22:
            phone.workConcurrently("work") { phone, work in
              work.slices < 20 && phone.backgroundTimeRemaining > .seconds(6) ? .seconds(3) : nil
            }
          case 24: phone.beginBackgroundActivity()
          case 25: phone.endBackgroundActivity()
          case 26: phone.beginServiceSession()
          case 27: phone.endServiceSession()
          case 28: phone.locationSettings.showsIndicator.toggle()
          case 29: phone.startLiveUpdates()
          case 30: phone.stopLiveUpdates()
          case 23: phone.startAdvertising(BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))
          case 0: mind.tasks.append(phone.beginBackgroundTask("task"))
          case 1, 2: if let task = mind.tasks.popLast() { phone.endBackgroundTask(task) }
          case 3: phone.setTimer(after: .seconds(mind.random.uniform(0...900)))
          case 4: phone.work(.seconds(mind.random.uniform(0...11)))
          case 5: phone.startUpdatingLocation()
          case 6: phone.stopUpdatingLocation()
          case 7: phone.locationSettings.allowsBackgroundUpdates.toggle()
          case 8: phone.locationSettings.distanceFilter = mind.random.uniform(0...200)
          case 9: phone.locationSettings.desiredAccuracy = .hundredMeters
          case 10: phone.setKeepAliveHandler(interval: .seconds(mind.random.uniform(500...2000)))
          case 11, 12:
            phone.startMonitoring(
              MonitoredRegion(
                identifier: "\(mind.random.below(30))", center: place, radius: 500))
          case 13: phone.requestState(identifier: "\(mind.random.below(30))")
          case 14: phone.requestLocation()
          case 15: phone.startMonitoringSignificantLocationChanges()
          case 16: phone.startMonitoringVisits()
          case 17: phone.stopMonitoringSignificantLocationChanges()
          case 18: phone.startUpdatingHeading()
          case 19: phone.stopUpdatingHeading()
          case 20: phone.work(.seconds(mind.random.uniform(0...40)))
          default: phone.stopMonitoring(identifier: "\(mind.random.below(30))")
          }
        }
      }
    }
    return (result, actions, rules)
  }

  @Test(
    "Nothing runs that should not, and energy is the integral of power, whatever services do",
    arguments: 0..<LifecycleModelTests.blocks)
  func lives(block: UInt64) throws {
    for seed in block * 5..<(block + 1) * 5 {
      let (result, actions, rules) = try play(seed: seed)
      var state = AppState.notRunning
      var isLaunched = false
      var last = result.start
      var events = 0
      var keptAlive: Timestamp?
      for entry in result.timeline {
        try #require(entry.time >= last, "seed \(seed): order")
        last = entry.time
        switch entry.kind {
        case .lifecycle(let new, _):
          #expect(new != .suspended || rules.platform == .iOS, "seed \(seed)")
          state = new
          if new == .notRunning {
            isLaunched = false
            keptAlive = nil
          }
        case .delivered(let event):
          events += 1
          #expect(state == .foreground || state == .background, "seed \(seed): \(event) while \(state)")
          if case .launched(let reason) = event {
            #expect(!isLaunched, "seed \(seed): two processes")
            #expect(reason == .user || rules.platform == .iOS, "seed \(seed)")
            isLaunched = true
          }
          #expect(isLaunched, "seed \(seed): \(event) to no process")
          if case .keptAlive = event {
            if let keptAlive {
              let shortest = rules.keepAliveInterval - rules.keepAliveLead
              #expect(keptAlive.duration(to: entry.time) >= shortest, "seed \(seed)")
            }
            keptAlive = entry.time
          }
        default: break
        }
      }
      // It is told that it was launched and that it is in front, unless it is gone before.
      let hasEnded = result.timeline.contains {
        if case .lifecycle(.notRunning, _) = $0.kind { true } else { false }
      }
      #expect(events >= 2 || events == 1 && hasEnded, "seed \(seed)")
      for component in EnergyComponent.allCases {
        let summed = integral(result.power, of: component, from: result.start, to: result.end)
        #expect(
          abs(summed - (result.joules[component] ?? -1)) < 1e-9 * max(1, summed), "seed \(seed), \(component)"
        )
      }
      try quiet(result, asleep: rules.platform == .macOS ? actions : [], seed)
    }
  }

  /// The app draws nothing while it does not run, and is told nothing while a computer sleeps.
  private func quiet(_ result: SimulationResult, asleep actions: [TimedAction], _ seed: UInt64) throws {
    var spans: [(from: Timestamp, to: Timestamp)] = []
    var since: Timestamp?
    for entry in result.timeline {
      guard case .lifecycle(let state, _) = entry.kind else { continue }
      if let since { spans.append((since, entry.time)) }
      since = state == .suspended || state == .notRunning ? entry.time : nil
    }
    if let since { spans.append((since, result.end)) }
    var sleepSince: Timestamp?
    for action in actions {
      switch action.action {
      case .sleep: sleepSince = sleepSince ?? action.time
      case .wake, .restart:
        if let from = sleepSince {
          spans.append((from, action.time))
          for entry in result.timeline where entry.time > from && entry.time < action.time {
            guard case .delivered(let event) = entry.kind else { continue }
            Issue.record("seed \(seed): \(event) while asleep")
          }
        }
        sleepSince = nil
      default: break
      }
    }
    let steps = result.power.filter { $0.component == .app }
    for (from, to) in spans where from < to {
      let power = steps.last { $0.time <= from }?.milliwatts ?? 0
      #expect(power == 0, "seed \(seed)")
      #expect(!steps.contains { $0.time > from && $0.time < to && $0.milliwatts > 0 }, "seed \(seed)")
    }
  }
}
