import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("What positions ask the meter for")
struct PowerRequestTests: PowerRequests {
  // MARK: The standard service

  @Test(
    "The receiver is on as long as the service; the processor draws more on the move, and for each position")
  func standard() throws {
    let route = Route(east: 0).going(east: 20, for: 60).standing(for: 140).going(east: 20, for: 60)
    let result = try run(route, [starting(settings())])
    #expect(result.counts.fixes > 20)
    expect(
      result,
      [
        .init(.gnss, 0, 260, 200),
        .init(.cpu, 0, 60, 60), .init(.cpu, 60, 200, 40), .init(.cpu, 200, 260, 60),
      ] + callbacks(result) + fixes(result) { $0 > 60 && $0 <= 200 ? 540 : 560 })
  }

  @Test("Each tier has its own components, from the moment that it is asked for")
  func tiers() throws {
    let result = try run(
      standing(300),
      [
        starting(settings()), (102, { $0.locationSettings = settings(.hundredMeters) }),
        (204, { $0.locationSettings = settings(.kilometer) }),
      ])
    expect(
      result,
      [
        .init(.gnss, 0, 102, 200), .init(.wifi, 102, 204, 60), .init(.cell, 204, 300, 20),
        .init(.cpu, 0, 102, 40), .init(.cpu, 102, 204, 10), .init(.cpu, 204, 300, 2),
      ] + callbacks(result) + fixes(result) { $0 < 102 ? 540 : $0 < 204 ? 210 : 102 })
  }

  @Test("A filter spares the positions that it holds back, and nothing of the radio")
  func filter() throws {
    let route = Route(east: 0).going(east: 20, for: 100).standing(for: 300)
    let result = try run(route, [starting(settings(filter: 250))])
    // Measured at 0, 5 and then each 10 s: 250 m after the last one are at 300, 700, 1100, 1500 and 1900 m.
    #expect(result.locations(.standard).map(\.seconds) == [0, 15, 35, 55, 75, 95])
    expect(
      result,
      [.init(.gnss, 0, 400, 200), .init(.cpu, 0, 100, 60), .init(.cpu, 100, 400, 40)]
        + callbacks(result) + fixes(result) { _ in 560 })
  }

  @Test("Nothing is drawn while the service is stopped")
  func stopping() throws {
    let result = try run(
      standing(300),
      [
        starting(settings()), (102, { $0.stopUpdatingLocation() }), (202, { $0.startUpdatingLocation() }),
      ])
    expect(
      result,
      [
        .init(.gnss, 0, 102, 200), .init(.gnss, 202, 300, 200),
        .init(.cpu, 0, 102, 40), .init(.cpu, 202, 300, 40),
      ] + callbacks(result) + fixes(result) { _ in 540 })
  }

  @Test("A radio that is switched off draws nothing")
  func radios() throws {
    var silent = PhoneSurroundings()
    silent.hasWiFi = false
    var flying = PhoneSurroundings()
    flying.isInAirplaneMode = true
    let changes = [(102.0, silent), (204, PhoneSurroundings()), (252, flying)]
    let wifi = try run(standing(300), [starting(settings(.hundredMeters))], changes: changes)
    expect(
      wifi,
      [.init(.wifi, 0, 102, 60), .init(.wifi, 204, 300, 60), .init(.cpu, 0, 300, 10)]
        + callbacks(wifi) + fixes(wifi) { _ in 210 })
    let cell = try run(standing(300), [starting(settings(.kilometer))], changes: changes)
    expect(
      cell,
      [.init(.cell, 0, 252, 20), .init(.cpu, 0, 300, 2)] + callbacks(cell) + fixes(cell) { _ in 102 })
    let best = try run(standing(300), [starting(settings())], changes: changes)
    expect(
      best,
      [.init(.gnss, 0, 300, 200), .init(.cpu, 0, 300, 40)] + callbacks(best) + fixes(best) { _ in 540 })
  }

  @Test(
    "Behind, the service is on as long as the app runs and may",
    arguments: [
      // Nothing keeps it running: suspended at once.
      (AppCapabilities(), false, false, 102.0), (AppCapabilities(hasLocationMode: false), true, false, 102),
      // A background task does, for 20 s.
      (AppCapabilities(), false, true, 122),
      // That is no use without permission in the background.
      (AppCapabilities(authorization: .whenInUse), false, true, 102),
      // The service itself does.
      (AppCapabilities(), true, false, 302), (AppCapabilities(authorization: .whenInUse), true, false, 302),
    ])
  func behind(capabilities: AppCapabilities, isAllowed: Bool, hasTask: Bool, end: Double) throws {
    let task = PowerTimers()
    let result = try run(
      standing(400),
      [
        starting(settings(behind: isAllowed)),
        (122, { phone in task.steps[0]?(phone) }),
      ], actions: [(102, .leaveApp), (302, .openApp)], capabilities: capabilities
    ) { phone, event in
      guard hasTask, case .enteredBackground = event else { return }
      let number = phone.beginBackgroundTask("task")
      task.steps[0] = { $0.endBackgroundTask(number) }
    }
    expect(
      result,
      [
        .init(.gnss, 0, end, 200), .init(.gnss, 302, 400, 200),
        .init(.cpu, 0, end, 40), .init(.cpu, 302, 400, 40),
      ] + callbacks(result) + fixes(result) { _ in 540 })
  }

  @Test("A pause switches everything off until updates are started anew")
  func pauses() throws {
    let route = Route(east: 0).going(east: 20, for: 100).standing(for: 1100)
    var asked = settings(pauses: true)
    asked.activity = .automotiveNavigation
    let result = try run(route, [starting(asked), (802, { $0.startUpdatingLocation() })])
    // 450 s after the phone has come to rest; the next would be 450 s after 802.
    expect(
      result,
      [
        .init(.gnss, 0, 550, 200), .init(.gnss, 802, 1200, 200), .init(.cpu, 0, 100, 60),
        .init(.cpu, 100, 550, 40), .init(.cpu, 802, 1200, 40),
      ] + callbacks(result) + fixes(result) { $0 < 100 ? 560 : 540 })
    asked.activity = .airborne
    let flight = try run(route, [starting(asked)])
    expect(flight, [.init(.gnss, 0, 1200, 200)], of: [.gnss])
  }

  @Test("While positions are deferred the processor sleeps, and the receiver does not")
  func deferral() throws {
    let route = Route(east: 0).going(east: 20, for: 200)
    func deferred(untilTraveled distance: Meters, _ timeout: Duration?) throws -> SimulationResult {
      try run(route, [starting(settings(behind: true))], actions: [(20, .leaveApp)]) { phone, event in
        guard case .enteredBackground = event else { return }
        phone.allowDeferredLocationUpdates(untilTraveled: distance, timeout: timeout)
      }
    }
    let timed = try deferred(untilTraveled: .infinity, .seconds(60))
    let tens: [Double] = (5..<20).map { 10 * Double($0) + 5 }
    #expect(timed.locations(.standard).map(\.seconds) == [0, 5, 15, 80] + tens.dropFirst(3))
    expect(
      timed,
      [.init(.gnss, 0, 200, 200), .init(.cpu, 0, 20, 60), .init(.cpu, 80, 200, 60)]
        + callbacks(timed) + fixes(timed) { _ in 560 })
    // The first is held back at 25 s and 500 m; 500 m further, the one at 55 s is the first beyond.
    let far = try deferred(untilTraveled: 550, nil)
    #expect(far.locations(.standard).map(\.seconds) == [0, 5, 15] + tens)
    expect(
      far,
      [.init(.gnss, 0, 200, 200), .init(.cpu, 0, 20, 60), .init(.cpu, 55, 200, 60)]
        + callbacks(far) + fixes(far) { _ in 560 })
  }

  @Test("Where the app may not have positions nothing is asked for them")
  func refusals() throws {
    let steps: [PowerAction] = [
      starting(settings()), (0, { $0.requestLocation() }),
      (0, { $0.startMonitoringSignificantLocationChanges() }), (0, { $0.startMonitoringVisits() }),
      (0, { $0.startMonitoring(Self.farCircle("a")) }),
      (0, { $0.startRangingBeacons(Self.beacon) }),
    ]
    let route = Route(east: 0).going(east: 20, for: 100).standing(for: 900)
    let result = try run(route, steps, capabilities: AppCapabilities(authorization: .denied))
    expect(result, callbacks(result))
    // At reduced accuracy there is the reduced tier, which this phone has for nothing but the positions.
    let reduced = try run(
      route, [starting(settings())], capabilities: AppCapabilities(isReducedAccuracy: true))
    #expect(reduced.counts.fixes > 0)
    expect(reduced, callbacks(reduced) + fixes(reduced) { _ in 500 })
  }

  // MARK: A single position

  @Test("A single position of satellites takes the receiver until they are found, two seconds at least")
  func singleOfSatellites() throws {
    let result = try run(
      standing(100), [(10, { $0.requestLocation(.best) }), (50, { $0.requestLocation(.best) })])
    #expect(result.locations(.single).map(\.seconds) == [15, 51])
    expect(
      result,
      [
        .init(.gnss, 10, 15, 200), .init(.gnss, 50, 52, 200), .init(.cpu, 10, 15, 40),
        .init(.cpu, 50, 51, 40),
      ] + callbacks(result) + fixes(result) { _ in 500 })
    let indoors = try run(
      standing(100), [(10, { $0.requestLocation(.best) })], surroundings: PhoneSurroundings(isIndoors: true))
    #expect(indoors.locations(.single).map(\.seconds) == [10])
    expect(
      indoors, [.init(.gnss, 10, 12, 200)] + callbacks(indoors) + fixes(indoors) { _ in 500 })
  }

  @Test(
    "One of Wi-Fi or cells takes a scan of two seconds that costs as much as an interval of the tier, of 10 s at most"
  )
  func singleOfNetworks() throws {
    let steps: [PowerAction] = [
      (10, { $0.requestLocation(.hundredMeters) }), (50, { $0.requestLocation(.kilometer) }),
    ]
    let result = try run(standing(100), steps)
    let fixCosts = { (seconds: Double) in seconds < 50 ? 200.0 : 100 }
    expect(
      result,
      [.init(.wifi, 10, 12, 300), .init(.cell, 50, 52, 100)]
        + callbacks(result) + fixes(result, fixCosts))
    var dark = PhoneSurroundings()
    dark.hasWiFi = false
    let cells = try run(standing(100), steps, surroundings: dark)
    expect(cells, [.init(.cell, 50, 52, 100)] + callbacks(cells) + fixes(cells, fixCosts))
    dark.isInAirplaneMode = true
    let none = try run(standing(100), steps, surroundings: dark)
    #expect(none.locations(.single).isEmpty)
    expect(none, callbacks(none))
  }

  @Test("Beside the service, a single position leaves it what it has")
  func singleBesideStandard() throws {
    let result = try run(
      standing(100), [starting(settings()), (52, { $0.requestLocation(.hundredMeters) })])
    #expect(result.locations(.single).map(\.seconds) == [52])
    expect(
      result,
      [.init(.gnss, 0, 100, 200), .init(.wifi, 52, 54, 300), .init(.cpu, 0, 100, 40)]
        + callbacks(result) + fixes(result) { $0 == 52 ? 240 : 540 })
  }
}
