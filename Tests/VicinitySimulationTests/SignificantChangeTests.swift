import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Significant changes and visits")
struct SignificantChangeTests {
  private func starting(_ phone: SimulatedPhone, _ event: PhoneEvent) {
    if case .launched = event { phone.startMonitoringSignificantLocationChanges() }
  }

  @Test("Never nearer than 500 m and never sooner than 5 min", arguments: 1...20 as ClosedRange<UInt64>)
  func limits(seed: UInt64) throws {
    var random = RandomStream(seed: seed, "routes")
    var route = Route(east: 0)
    for _ in 0..<20 {
      let speed = random.unit() * 40
      let angle = random.unit() * 2 * .pi
      if random.unit() < 0.3 { route = route.standing(for: 60 + random.unit() * 1800) }
      route = route.going(
        east: speed * angle.cosine, north: speed * angle.sine, for: 60 + (random.unit() * 600).rounded(),
        step: 10)
    }
    let result = try Simulation.run(route, seed: seed, starting)
    let reports = result.locations(.significantChange)
    #expect(reports.count > 3, "seed \(seed)")
    #expect(result.counts.fixes == reports.count)
    for (before, after) in zip(reports, reports.dropFirst()) {
      #expect(after.fixes[0].time >= before.fixes[0].time.advanced(by: .seconds(300)), "seed \(seed)")
      let distance = try Geodesic.distance(
        from: before.fixes[0].coordinate, to: after.fixes[0].coordinate)
      #expect(distance >= 500 - 1e-5, "seed \(seed)")
    }
  }

  @Test("Reports start and wake the app, and the service outlives its process")
  func relaunch() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 20, for: 3600, step: 10),
      actions: [
        TimedAction(time: Route.time(5), .leaveApp), TimedAction(time: Route.time(1200), .terminate),
      ], starting)
    #expect(result.locations(.significantChange).count > 5)
    #expect(result.counts.wakes >= 2)
    #expect(result.counts.relaunches >= 1)
    // An app that may use location only in use gets none behind.
    let inUse = try Simulation.run(
      Route(east: 0).going(east: 20, for: 3600, step: 10),
      actions: [TimedAction(time: Route.time(5), .leaveApp)],
      capabilities: AppCapabilities(authorization: .whenInUse), starting)
    #expect(inUse.locations(.significantChange).map(\.seconds) == [0])
    // Nor does one that the standard service keeps running.
    let kept = try Simulation.run(
      Route(east: 0).going(east: 20, for: 3600, step: 10),
      actions: [TimedAction(time: Route.time(5), .leaveApp)],
      capabilities: AppCapabilities(authorization: .whenInUse)
    ) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings.allowsBackgroundUpdates = true
      phone.startUpdatingLocation()
      starting(phone, event)
    }
    #expect(kept.locations(.standard).count > 3000)
    #expect(kept.locations(.significantChange).map(\.seconds) == [0])
  }

  @Test("At reduced accuracy reports are coarse")
  func reduced() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 20, for: 3600, step: 10),
      capabilities: AppCapabilities(isReducedAccuracy: true), starting)
    let fixes = result.locations(.significantChange).flatMap(\.fixes)
    #expect(fixes.count > 3)
    #expect(fixes.allSatisfy { $0.horizontalAccuracy >= 1000 })
  }

  @Test("Without cells there is nothing, whatever Wi-Fi there is")
  func cells() throws {
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(isInAirplaneMode: true),
      changes: [.init(time: Route.time(1800), surroundings: PhoneSurroundings())])
    let result = try Simulation.run(
      Route(east: 0).going(east: 20, for: 3600, step: 10), surroundings: surroundings, starting)
    let seconds = result.locations(.significantChange).map(\.seconds)
    #expect(seconds.first == 1800)
    #expect(seconds.count > 2)
  }

  @Test("A standing phone is not looked at, and a report's energy is its figure")
  func rest() throws {
    for hours in [1.0, 100] {
      let result = try Simulation.run(Route(east: 0).standing(for: hours * 3600), starting)
      #expect(result.locations(.significantChange).map(\.seconds) == [0])
      #expect(abs(result.spent(.cell) - 1) < 1e-9)
    }
    let moving = try Simulation.run(Route(east: 0).going(east: 0.5, for: 900, step: 10), starting)
    #expect(moving.locations(.significantChange).count == 1)
    // A report of 500 mW for 2 s, and 2 mW of listening else.
    #expect(abs(moving.spent(.cell) - 2.796) < 1e-6)
  }

  // MARK: Visits

  private func visits(
    _ route: Route, profile: DeviceProfile = SampleProfile.phone
  ) throws -> [(seconds: Double, visit: Visit)] {
    let result = try Simulation.run(route, profile: profile) { phone, event in
      if case .launched = event { phone.startMonitoringVisits() }
    }
    return result.told.compactMap {
      if case .visited(let visit) = $0.event { ($0.seconds, visit) } else { nil }
    }
  }

  @Test("A stay is reported once it has lasted, and its end some time after")
  func visit() throws {
    let told = try visits(
      Route(east: 0).going(east: 10, for: 300).standing(for: 1000).going(east: 10, for: 600))
    #expect(told.count == 2)
    let arrival = try #require(told.first)
    // At rest from the fix at 299 s on, 10 m before the end.
    #expect(arrival.seconds == 599)
    #expect(arrival.visit.arrival == Route.time(299))
    #expect(arrival.visit.departure == nil)
    let departure = try #require(told.last)
    #expect(departure.visit.arrival == Route.time(299))
    let left = try #require(departure.visit.departure)
    #expect(abs(left.seconds(since: Route.start) - 1300) < 0.01)
    #expect(abs(departure.seconds - 1500) < 0.01)
    #expect(departure.visit.fix == arrival.visit.fix)
  }

  @Test("A short stay is none, and a short way out and back ends none")
  func noVisit() throws {
    #expect(
      try visits(Route(east: 0).going(east: 10, for: 300).standing(for: 200).going(east: 10, for: 600))
        .isEmpty)
    let back = try visits(
      Route(east: 0).going(east: 10, for: 300).standing(for: 1000)
        .going(north: 1, for: 60).going(north: -1, for: 60).standing(for: 1000))
    #expect(back.count == 1)
    // Somewhere else, sooner than the departure is told: that comes first.
    var slow = SampleProfile.phone
    slow.significantChange.departure = SampleProfile.always(600)
    let two = try visits(
      Route(east: 0).going(east: 10, for: 300).standing(for: 1000).going(east: 10, for: 60).standing(
        for: 1000),
      profile: slow)
    let open = two.map { $0.visit.departure == nil }
    #expect(open == [true, false, true])
  }
}
