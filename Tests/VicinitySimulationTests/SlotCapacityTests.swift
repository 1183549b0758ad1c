import Testing
import VicinityCrossings
import VicinityIndex
import VicinityMonitor

@testable import VicinitySimulation

/// A monitor on phones of few slots, of an iPhone's and of an Android phone's, from the plan to the events.
@Suite("A monitor uses the slots that its phone has")
struct SlotCapacityTests {
  private static let spacing = 3000.0

  /// 225 circles in a square, so far apart that four slots are enough for a plan that proves something.
  private static func regions() throws -> RegionIndex {
    try RegionIndex(
      (-7...7).flatMap { row in
        (-7...7).map { column in
          Region(
            identifier: "r\(column) \(row)",
            center: Route.place(spacing * Double(column), spacing * Double(row)),
            radius: 300)
        }
      })
  }

  /// Some time in the middle of a circle, and on to the next one at 10 m/s, six times, with a turn in the
  /// middle of each.
  private static func scenario(slots: Int) throws -> Scenario {
    var route = Route(east: 0).standing(for: 900)
    for (east, north) in [(1.0, 0.0), (0, 1), (1, 0), (0, 1), (-1, 0), (0, 1)] {
      route = route.going(east: 10 * east, north: 10 * north, for: spacing / 10, step: 5).standing(for: 900)
    }
    var profile = RegionMonitoringTests.exactPhone
    profile.regions.slots = slots
    return Scenario(
      track: try route.track(), actions: [TimedAction(time: Route.time(30), .leaveApp)], profile: profile)
  }

  /// What the app told of: `+r1 0`.
  private struct Report: Hashable {
    var what: String
    var seconds: Double
  }

  private struct Outcome {
    var reports: [Report] = []
    /// The most slots in use at a time, and those in use at the end.
    var mostRegistered = 0
    var lastRegistered = 0
    /// What the app says that it has lost.
    var complaints: [String] = []

    init(_ result: SimulationResult) {
      for entry in result.timeline {
        switch entry.kind {
        case .reported(let isEntry, let region, _):
          reports.append(
            Report(what: (isEntry ? "+" : "-") + region, seconds: entry.time.seconds(since: result.start)))
        case .registered: lastRegistered += 1
        case .unregistered: lastRegistered -= 1
        case .lost(let what): complaints.append(what)
        default: break
        }
        mostRegistered = max(mostRegistered, lastRegistered)
      }
    }
  }

  /// Each entry and exit of a track, as it was.
  private static func truth(of track: TrueTrack) throws -> [Report] {
    let regions = try regions()
    var detector = try CrossingDetector(regions, options: CrossingOptions(maximumGap: .seconds(3600)))
    var crossings: [Crossing] = []
    for number in 0..<track.count { try detector.advance(to: track.fix(at: number), into: &crossings) }
    return crossings.map { crossing in
      Report(
        what: (crossing.kind == .enter ? "+" : "-") + regions.identifier(of: crossing.region),
        seconds: crossing.time.seconds(since: Route.start))
    }
  }

  private static func run(
    slots: Int, capacity: Int? = nil, strategy: Strategy = .slots, by service: SlotService = .regionMonitoring
  ) throws -> Outcome {
    let regions = try regions()
    let options = MonitorOptions(strategy: strategy, plan: PlanOptions(capacity: capacity))
    return Outcome(
      try Simulation.run(try scenario(slots: slots), recording: .all) {
        MonitoredApp(watching: regions, options, by: service)
      })
  }

  @Test(
    "On a phone of 5, 20 or 100 slots all are in use and no more, and each crossing is told once and in time",
    arguments: [5, 20, 100], [Strategy.slots, .adaptive(latency: .seconds(60))])
  func allSlots(slots: Int, strategy: Strategy) throws {
    let truth = try Self.truth(of: try Self.scenario(slots: slots).track)
    #expect(truth.count == 12)
    for service in SlotService.allCases {
      let outcome = try Self.run(slots: slots, strategy: strategy, by: service)
      #expect(outcome.mostRegistered == slots && outcome.lastRegistered == slots, "\(service)")
      #expect(outcome.reports.map(\.what) == truth.map(\.what), "\(service)")
      for (report, crossing) in zip(outcome.reports, truth) {
        // The phone's own rule: a cushion of 100 m, looks every 30 s and 20 s to remain.
        #expect((-5...120).contains(report.seconds - crossing.seconds), "\(service): \(report), \(crossing)")
      }
      #expect(outcome.complaints.isEmpty, "\(service): \(outcome.complaints.prefix(3))")
    }
  }

  @Test(
    "A smaller capacity is kept to; a larger one is cut to the phone's slots, and the phone's log tells it",
    arguments: [(20, 8, 8), (100, 20, 20), (20, 20, 20), (5, 20, 5), (100, 150, 100)])
  func givenCapacity(slots: Int, capacity: Int, used: Int) throws {
    let outcome = try Self.run(slots: slots, capacity: capacity)
    #expect(outcome.mostRegistered == used && outcome.lastRegistered == used)
    let told = "a capacity of \(capacity): the device has \(slots) slots, and the monitor plans for these"
    #expect(outcome.complaints == (capacity > slots ? [told] : []))
  }
}
