import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("What the system's services and the app's life ask the meter for")
struct SystemPowerRequestTests: PowerRequests {
  // MARK: What the system does

  private let outing = Route(east: 0).standing(for: 100).going(east: 20, for: 100).standing(for: 200)

  @Test(
    "Significant changes: the modem listens on the move where there are cells, and works two seconds for a report"
  )
  func significantChange() throws {
    let start: PowerAction = (0, { $0.startMonitoringSignificantLocationChanges() })
    let result = try run(outing, [start])
    // One at once. The change at 900 m comes too soon, and is reported 300 s after the first.
    #expect(result.locations(.significantChange).map(\.seconds) == [0, 300])
    expect(
      result,
      [.init(.cell, 0, 2, 500), .init(.cell, 100, 200, 2), .init(.cell, 300, 302, 500)] + callbacks(result))
    let behind = try run(outing, [start], actions: [(10, .leaveApp)])
    expect(
      behind, [.init(.cell, 0, 2, 500), .init(.cell, 100, 200, 2), .init(.cell, 300, 302, 500)], of: [.cell])
    let stopped = try run(outing, [start, (150, { $0.stopMonitoringSignificantLocationChanges() })])
    expect(stopped, [.init(.cell, 0, 2, 500), .init(.cell, 100, 150, 2)] + callbacks(stopped))
    let flying = try run(
      outing, [start],
      changes: [(120, PhoneSurroundings(isInAirplaneMode: true)), (160, PhoneSurroundings())])
    expect(
      flying,
      [
        .init(.cell, 0, 2, 500), .init(.cell, 100, 120, 2), .init(.cell, 160, 200, 2),
        .init(.cell, 300, 302, 500),
      ] + callbacks(flying))
  }

  @Test("Visits: two seconds of the modem when an arrival or a departure is reported")
  func visits() throws {
    let route = Route(east: 0).going(east: 20, for: 100).standing(for: 900).going(east: 20, for: 500)
    let result = try run(
      route, [(0, { $0.startMonitoringVisits() })], actions: [(10, .leaveApp)])
    // 300 s after it came, 200 s after it left.
    expect(result, [.init(.cell, 400, 402, 500), .init(.cell, 1200, 1202, 500)] + callbacks(result))
    // Without the modem Wi-Fi has to do.
    let flying = try run(
      route, [(0, { $0.startMonitoringVisits() })], surroundings: PhoneSurroundings(isInAirplaneMode: true))
    expect(flying, [.init(.wifi, 400, 402, 500), .init(.wifi, 1200, 1202, 500)] + callbacks(flying))
  }

  @Test(
    "Regions: looks of two seconds, when registered, on the move and twice at rest; the modem watches on the move"
  )
  func regions() throws {
    func looks(_ times: [Double], _ component: EnergyComponent = .wifi) -> [PowerDemand] {
      times.map { PowerDemand(component, $0, $0 + 2, 250) }
    }
    let start: PowerAction = (0, { $0.startMonitoring(Self.farCircle("a")) })
    let watching = PowerDemand(.cell, 100, 200, 5)
    // 10 s after it sets out, each 30 s, when it comes to rest, and 30 and 60 s after that.
    let times: [Double] = [0, 110, 140, 170, 200, 230, 260]
    let result = try run(outing, [start])
    expect(result, looks(times) + [watching] + callbacks(result))
    // Regions belong to the system: in front or suspended is the same.
    let behind = try run(outing, [start], actions: [(10, .leaveApp)])
    expect(behind, looks(times) + [watching] + callbacks(behind))
    // A second region costs a look of its own when it is registered, and nothing after.
    let two = try run(outing, [start, (50, { $0.startMonitoring(Self.farCircle("b")) })])
    expect(two, looks(times + [50]) + [watching] + callbacks(two))
    let one = try run(
      outing,
      [
        start, (0, { $0.startMonitoring(Self.farCircle("b")) }),
        (150, { $0.stopMonitoring(identifier: "a") }),
      ])
    expect(one, looks(times) + [watching] + callbacks(one))
    let stopped = try run(outing, [start, (150, { $0.stopMonitoring(identifier: "a") })])
    expect(stopped, looks([0, 110, 140]) + [.init(.cell, 100, 150, 5)] + callbacks(stopped))
    let resting = try run(outing, [start, (240, { $0.stopMonitoring(identifier: "a") })])
    expect(resting, looks(times.dropLast()) + [watching] + callbacks(resting))
  }

  @Test(
    "Looks are the modem's without Wi-Fi; without both regions are refused, and the modem watches nothing")
  func regionsWithoutRadios() throws {
    let start: PowerAction = (0, { $0.startMonitoring(Self.farCircle("a")) })
    let times: [Double] = [0, 110, 140, 170, 200, 230, 260]
    var surroundings = PhoneSurroundings()
    surroundings.hasWiFi = false
    let cells = try run(outing, [start], surroundings: surroundings)
    expect(
      cells,
      times.map { PowerDemand(.cell, $0, $0 + 2, 250) } + [.init(.cell, 100, 200, 5)] + callbacks(cells))
    surroundings.isInAirplaneMode = true
    let none = try run(outing, [start], surroundings: surroundings)
    expect(none, callbacks(none))
    let landing = try run(
      outing, [start, (150, start.1)], surroundings: surroundings, changes: [(150, PhoneSurroundings())])
    // Airplane mode with Wi-Fi: looks go on, and the modem watches no more.
    let flying = try run(outing, [start], changes: [(130, PhoneSurroundings(isInAirplaneMode: true))])
    expect(
      flying,
      times.map { PowerDemand(.wifi, $0, $0 + 2, 250) } + [.init(.cell, 100, 130, 5)] + callbacks(flying))
    // Accepted when radios return, there is a look at once; the next in turn is 30 s after that.
    expect(
      landing,
      [150, 180, 200, 230, 260].map { PowerDemand(.wifi, $0, $0 + 2, 250) } + [.init(.cell, 150, 200, 5)]
        + callbacks(landing))
  }

  @Test("Beacons: scans while a region is registered and Bluetooth on; ranging while the app runs")
  func beacons() throws {
    let region = MonitoredRegion(identifier: "beacon", beacon: Self.beacon)
    let monitoring: [PowerAction] = [
      (10, { $0.startMonitoring(region) }), (200, { $0.stopMonitoring(identifier: "beacon") }),
    ]
    let result = try run(
      standing(300),
      monitoring + [
        (100, { $0.startRangingBeacons(Self.beacon) }), (150, { $0.stopRangingBeacons(Self.beacon) }),
      ], changes: [(50, PhoneSurroundings(hasBluetooth: false)), (80, PhoneSurroundings())])
    // A scan of 20 mJ each 10 s.
    expect(
      result,
      [.init(.bluetooth, 10, 50, 2), .init(.bluetooth, 80, 200, 2), .init(.bluetooth, 100, 150, 50)]
        + callbacks(result))
    let behind = try run(
      standing(300),
      [(0, { $0.startMonitoring(region) }), (0, { $0.startRangingBeacons(Self.beacon) })],
      actions: [(102, .leaveApp), (202, .openApp)])
    expect(
      behind,
      [.init(.bluetooth, 0, 300, 2), .init(.bluetooth, 0, 102, 50), .init(.bluetooth, 202, 300, 50)]
        + callbacks(behind))
  }

  @Test("Advertising: in front, while Bluetooth is on")
  func advertising() throws {
    let complete = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 1)
    let result = try run(
      standing(400), [(0, { $0.startAdvertising(complete) }), (350, { $0.stopAdvertising() })],
      changes: [(50, PhoneSurroundings(hasBluetooth: false)), (80, PhoneSurroundings())],
      actions: [(102, .leaveApp), (202, .openApp)])
    expect(
      result,
      [.init(.bluetooth, 0, 50, 5), .init(.bluetooth, 80, 102, 5), .init(.bluetooth, 202, 350, 5)]
        + callbacks(result))
  }

  @Test("The compass: while headings are on and the app runs")
  func heading() throws {
    let result = try run(
      standing(400),
      [
        (0, { $0.startUpdatingHeading() }), (102, { $0.stopUpdatingHeading() }),
        (152, { $0.startUpdatingHeading() }),
      ], actions: [(202, .leaveApp), (302, .openApp)])
    expect(
      result,
      [.init(.sensors, 0, 102, 10), .init(.sensors, 152, 202, 10), .init(.sensors, 302, 400, 10)]
        + callbacks(result))
  }

  @Test("A component that several ask for draws for the greatest, and what one gives up the others keep")
  func several() throws {
    let result = try run(
      Route(east: 0).going(east: 20, for: 400),
      [
        (0, { $0.startMonitoring(Self.farCircle("a")) }),
        (0, { $0.startMonitoringSignificantLocationChanges() }), starting(settings(.kilometer)),
        (100, { $0.stopUpdatingLocation() }), (200, { $0.stopMonitoring(identifier: "a") }),
        (290, { $0.stopMonitoringSignificantLocationChanges() }),
      ])
    expect(
      result,
      [
        // The first report.
        .init(.cell, 0, 2, 500), .init(.cell, 0, 100, 20), .init(.cell, 0, 200, 5), .init(.cell, 0, 290, 2),
      ], of: [.cell])
  }

  // MARK: The app's life

  @Test("Work draws the app's power and holds the processor; the display draws while it is lit")
  func work() throws {
    let result = try run(
      standing(200), [(0, { $0.work(.seconds(3)) }), (100, { $0.work(.seconds(5)) })],
      changes: [(50, PhoneSurroundings(isScreenOn: true)), (60, PhoneSurroundings())])
    expect(
      result,
      [
        .init(.app, 0, 3, 500), .init(.app, 100, 105, 500), .init(.cpu, 0, 4, 100),
        .init(.cpu, 100, 106, 100), .init(.screen, 50, 60, 400),
      ] + callbacks(result))
  }

  @Test("What is killed at work draws no more, but for the processor's tail")
  func watchdog() throws {
    let result = try run(
      standing(200), [starting(settings()), (50, { $0.work(.seconds(20)) })])
    #expect(result.counts.kills == 1)
    expect(
      result,
      [
        .init(.gnss, 0, 60, 200), .init(.cpu, 0, 60, 40), .init(.app, 50, 60, 500), .init(.cpu, 50, 61, 100),
      ] + callbacks(result) + fixes(result) { _ in 540 }
        // One that was measured while the app was at work, and came to nobody.
        + [.init(.cpu, 55, 55.1, 540)])
  }

  @Test("An app that is kept alive wakes for its work alone")
  func keepAlive() throws {
    let result = try run(
      standing(2000),
      [(0, { #expect($0.setKeepAliveHandler(interval: .seconds(600))) })], actions: [(10, .leaveApp)],
      capabilities: AppCapabilities(isKeptAlive: true)
    ) { phone, event in
      if case .keptAlive = event { phone.work(.seconds(5)) }
    }
    expect(
      result,
      [600.0, 1200, 1800].flatMap {
        [PowerDemand(.app, $0, $0 + 5, 500), PowerDemand(.cpu, $0, $0 + 6, 100)]
      } + callbacks(result))
  }

  @Test("A background task draws nothing of its own, and keeps services on until its time is up")
  func backgroundTask() throws {
    let result = try run(
      standing(200), [starting(settings())], actions: [(12, .leaveApp)]
    ) { phone, event in
      switch event {
      case .enteredBackground: _ = phone.beginBackgroundTask("task")
      case .taskExpires(let task): phone.endBackgroundTask(task)
      default: break
      }
    }
    // Of 30 s the last 5 are a warning.
    expect(
      result,
      [.init(.gnss, 0, 37, 200), .init(.cpu, 0, 37, 40)] + callbacks(result) + fixes(result) { _ in 540 })
  }

  @Test("A computer that sleeps draws for no service, and goes on when it wakes")
  func sleep() throws {
    let region = MonitoredRegion(identifier: "beacon", beacon: Self.beacon)
    let route = Route(east: 0).going(east: 20, for: 300)
    let actions: [(Double, UserAction)] = [(102, .sleep), (202, .wake)]
    let services = try run(
      route,
      [
        starting(settings()), (0, { $0.startMonitoring(region) }),
        // A computer has no compass.
        (0, { $0.startUpdatingHeading() }), (97, { $0.work(.seconds(8)) }),
      ], actions: actions, rules: .macOS)
    expect(
      services,
      [(0.0, 102.0), (202, 300)].flatMap {
        [
          PowerDemand(.gnss, $0.0, $0.1, 200), PowerDemand(.bluetooth, $0.0, $0.1, 2),
        ]
      } + [.init(.app, 97, 102, 500), .init(.app, 202, 205, 500)],
      of: [.gnss, .wifi, .cell, .bluetooth, .sensors, .app])
    let system = try run(
      route,
      [
        (0, { $0.startMonitoring(Self.farCircle("a")) }),
        // Nor has it significant changes.
        (0, { $0.startMonitoringSignificantLocationChanges() }),
      ], actions: actions, rules: .macOS)
    expect(
      system,
      [
        .init(.cell, 0, 102, 5), .init(.cell, 202, 300, 5),
      ] + [0, 30, 60, 90, 202, 232, 262, 292].map { .init(.wifi, $0, $0 + 2, 250) } + callbacks(system))
  }
}
