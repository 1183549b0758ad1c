import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// A power that something is to draw: written by hand, from what is said of the service.
struct PowerDemand {
  var component: EnergyComponent
  /// Seconds since the beginning.
  var from: Double
  var to: Double
  var milliwatts: Double

  init(_ component: EnergyComponent, _ from: Double, _ to: Double, _ milliwatts: Double) {
    (self.component, self.from, self.to, self.milliwatts) = (component, from, to, milliwatts)
  }
}

/// From when to when services ask the meter for what: each run's power, step by step, against demands written by hand.
///
/// The phone is one of round numbers without chance: satellites are found after 5 s, then after 1 s. A callback wakes the
/// processor for a second (100 mW); positions have a cost of their own instead, drawn in a tenth of a second.
@Suite("What services ask the meter for")
struct PowerRequestTests {
  private static let phone: DeviceProfile = {
    var phone = SampleProfile.phone.noiseless
    func set(
      _ accuracy: DesiredAccuracy, interval: Double, processor: Double, motion: Double, fix: Double
    ) {
      phone.tiers[accuracy]?.interval = SampleProfile.always(interval)
      phone.tiers[accuracy]?.processor = SampleProfile.figure(processor)
      phone.tiers[accuracy]?.motion = SampleProfile.figure(motion)
      phone.tiers[accuracy]?.fix = SampleProfile.figure(fix)
    }
    phone.tiers[.best]?.gnss = SampleProfile.figure(200)
    set(.best, interval: 10, processor: 40, motion: 20, fix: 50)
    set(.hundredMeters, interval: 10, processor: 10, motion: 5, fix: 20)
    set(.kilometer, interval: 20, processor: 2, motion: 1, fix: 10)
    phone.significantChange.cellChange = SampleProfile.always(900)
    phone.heading.rate = SampleProfile.figure(1)
    return phone
  }()

  /// What is done at some seconds: at 0 when the app has been launched, later on a timer, which rings while the app runs.
  private typealias Step = (seconds: Double, act: (SimulatedPhone) -> Void)

  private final class Timers {
    var steps: [Int: (SimulatedPhone) -> Void] = [:]
  }

  private func run(
    _ route: Route, _ steps: [Step], environment: Environment = Environment(),
    changes: [(Double, Environment)] = [], actions: [(Double, UserAction)] = [],
    rules: BackgroundRules = .iOS13, capabilities: AppCapabilities = AppCapabilities(),
    profile: DeviceProfile = phone, _ react: @escaping (SimulatedPhone, PhoneEvent) -> Void = { _, _ in }
  ) throws -> SimulationResult {
    let timers = Timers()
    let timeline = EnvironmentTimeline(
      environment, changes: changes.map { .init(time: Route.time($0.0), environment: $0.1) })
    return try Simulation.run(
      route, profile: profile, environment: timeline,
      actions: actions.map { TimedAction(time: Route.time($0.0), $0.1) }, rules: rules,
      capabilities: capabilities
    ) { phone, event in
      switch event {
      case .launched(.user):
        for step in steps {
          if step.seconds == 0 {
            step.act(phone)
          } else {
            timers.steps[phone.setTimer(after: .milliseconds(Int64(step.seconds * 1000)))] = step.act
          }
        }
      case .timer(let number): timers.steps[number]?(phone)
      default: break
      }
      react(phone, event)
    }
  }

  /// Milliwatts from some time on, in units of 10 µs: stays end a microsecond after the fix that is still there.
  private struct Level: Hashable {
    var from: Int
    var milliwatts: Double
  }

  private static func tick(_ seconds: Double) -> Int { Int((seconds * 1e5).rounded()) }

  /// The greatest of some demands, at all times.
  private func levels(_ demands: [PowerDemand], to end: Double) -> [Level] {
    let spans = demands.map {
      (from: Self.tick($0.from), to: min(Self.tick($0.to), Self.tick(end)), milliwatts: $0.milliwatts)
    }
    var levels: [Level] = []
    for time in Set(spans.flatMap { [$0.from, $0.to] } + [0]).sorted() where time < Self.tick(end) {
      let power = spans.reduce(0) { $1.from <= time && time < $1.to ? max($0, $1.milliwatts) : $0 }
      if levels.last?.milliwatts != power { levels.append(Level(from: time, milliwatts: power)) }
    }
    return levels
  }

  private func levels(_ result: SimulationResult, _ component: EnergyComponent, to end: Double) -> [Level] {
    var levels = [Level(from: 0, milliwatts: 0)]
    for step in result.power where step.component == component {
      let time = Self.tick(step.time.seconds(since: result.start))
      guard time < Self.tick(end) else { break }
      if levels[levels.count - 1].from == time { levels.removeLast() }
      if levels.last?.milliwatts != step.milliwatts {
        levels.append(Level(from: time, milliwatts: step.milliwatts))
      }
    }
    return levels
  }

  /// Each component's power is the greatest of what is demanded of it at all times, and nothing else; and its energy is that.
  private func expect(
    _ result: SimulationResult, _ demands: [PowerDemand],
    of components: [EnergyComponent] = EnergyComponent.allCases,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let end = result.end.seconds(since: result.start)
    let all = demands + [PowerDemand(.idle, 0, end, 20)]
    for component in components {
      let expected = levels(all.filter { $0.component == component }, to: end)
      #expect(
        levels(result, component, to: end) == expected, "\(component)", sourceLocation: sourceLocation)
      var joules = 0.0
      for (index, level) in expected.enumerated() {
        let next = index + 1 < expected.count ? expected[index + 1].from : Self.tick(end)
        joules += level.milliwatts * Double(next - level.from) * 1e-8
      }
      #expect(
        abs(result.spent(component) - joules) < 1e-4, "\(component)", sourceLocation: sourceLocation)
    }
  }

  /// What positions cost: so much when each is delivered.
  private func fixes(_ result: SimulationResult, _ milliwatts: (Double) -> Double) -> [PowerDemand] {
    result.told.compactMap { told in
      switch told.event {
      case .locations(_, .standard), .locations(_, .single):
        PowerDemand(.cpu, told.seconds, told.seconds + 0.1, milliwatts(told.seconds))
      default: nil
      }
    }
  }

  /// What other callbacks cost: a second of the processor.
  private func callbacks(_ result: SimulationResult) -> [PowerDemand] {
    result.told.compactMap { told in
      switch told.event {
      case .locations(_, .standard), .locations(_, .single): nil
      default: PowerDemand(.cpu, told.seconds, told.seconds + 1, 100)
      }
    }
  }

  private func standing(_ seconds: Double) -> Route { Route(east: 0).standing(for: seconds) }

  private func settings(
    _ accuracy: DesiredAccuracy = .best, filter: Meters? = nil, pauses: Bool = false, behind: Bool = false
  ) -> LocationSettings {
    LocationSettings(
      desiredAccuracy: accuracy, distanceFilter: filter, pausesAutomatically: pauses,
      allowsBackgroundUpdates: behind)
  }

  private func starting(_ settings: LocationSettings) -> Step {
    (
      0,
      { phone in
        phone.locationSettings = settings
        phone.startUpdatingLocation()
      }
    )
  }

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
    var silent = Environment()
    silent.hasWiFi = false
    var flying = Environment()
    flying.isInAirplaneMode = true
    let changes = [(102.0, silent), (204, Environment()), (252, flying)]
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
    let task = Timers()
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
    #expect(
      timed.locations(.standard).map(\.seconds) == [0, 5, 15, 80] + (8..<20).map { 10 * Double($0) + 5 })
    expect(
      timed,
      [.init(.gnss, 0, 200, 200), .init(.cpu, 0, 20, 60), .init(.cpu, 80, 200, 60)]
        + callbacks(timed) + fixes(timed) { _ in 560 })
    // The first is held back at 25 s and 500 m; 500 m further, the one at 55 s is the first beyond.
    let far = try deferred(untilTraveled: 550, nil)
    #expect(far.locations(.standard).map(\.seconds) == [0, 5, 15] + (5..<20).map { 10 * Double($0) + 5 })
    expect(
      far,
      [.init(.gnss, 0, 200, 200), .init(.cpu, 0, 20, 60), .init(.cpu, 55, 200, 60)]
        + callbacks(far) + fixes(far) { _ in 560 })
  }

  @Test("Where the app may not have positions nothing is asked for them")
  func refusals() throws {
    let steps: [Step] = [
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
      standing(100), [(10, { $0.requestLocation(.best) })], environment: Environment(isIndoors: true))
    #expect(indoors.locations(.single).map(\.seconds) == [10])
    expect(
      indoors, [.init(.gnss, 10, 12, 200)] + callbacks(indoors) + fixes(indoors) { _ in 500 })
  }

  @Test(
    "One of Wi-Fi or cells takes a scan of two seconds that costs as much as an interval of the tier, of 10 s at most"
  )
  func singleOfNetworks() throws {
    let steps: [Step] = [
      (10, { $0.requestLocation(.hundredMeters) }), (50, { $0.requestLocation(.kilometer) }),
    ]
    let result = try run(standing(100), steps)
    let fixCosts = { (seconds: Double) in seconds < 50 ? 200.0 : 100 }
    expect(
      result,
      [.init(.wifi, 10, 12, 300), .init(.cell, 50, 52, 100)]
        + callbacks(result) + fixes(result, fixCosts))
    var dark = Environment()
    dark.hasWiFi = false
    let cells = try run(standing(100), steps, environment: dark)
    expect(cells, [.init(.cell, 50, 52, 100)] + callbacks(cells) + fixes(cells, fixCosts))
    dark.isInAirplaneMode = true
    let none = try run(standing(100), steps, environment: dark)
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

  // MARK: What the system does

  private static func farCircle(_ identifier: String) -> MonitoredRegion {
    MonitoredRegion(identifier: identifier, center: Route.place(100_000), radius: 100)
  }

  private static let beacon = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2))

  private let outing = Route(east: 0).standing(for: 100).going(east: 20, for: 100).standing(for: 200)

  @Test(
    "Significant changes: the modem listens on the move where there are cells, and works two seconds for a report"
  )
  func significantChange() throws {
    let start: Step = (0, { $0.startMonitoringSignificantLocationChanges() })
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
      outing, [start], changes: [(120, Environment(isInAirplaneMode: true)), (160, Environment())])
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
      route, [(0, { $0.startMonitoringVisits() })], environment: Environment(isInAirplaneMode: true))
    expect(flying, [.init(.wifi, 400, 402, 500), .init(.wifi, 1200, 1202, 500)] + callbacks(flying))
  }

  @Test(
    "Regions: looks of two seconds, when registered, on the move and twice at rest; the modem watches on the move"
  )
  func regions() throws {
    func looks(_ times: [Double], _ component: EnergyComponent = .wifi) -> [PowerDemand] {
      times.map { PowerDemand(component, $0, $0 + 2, 250) }
    }
    let start: Step = (0, { $0.startMonitoring(Self.farCircle("a")) })
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

  @Test("Looks are the modem's without Wi-Fi; without both there are none, and the modem watches nothing")
  func regionsWithoutRadios() throws {
    let start: Step = (0, { $0.startMonitoring(Self.farCircle("a")) })
    let times: [Double] = [0, 110, 140, 170, 200, 230, 260]
    var environment = Environment()
    environment.hasWiFi = false
    let cells = try run(outing, [start], environment: environment)
    expect(
      cells,
      times.map { PowerDemand(.cell, $0, $0 + 2, 250) } + [.init(.cell, 100, 200, 5)] + callbacks(cells))
    environment.isInAirplaneMode = true
    let none = try run(outing, [start], environment: environment)
    expect(none, callbacks(none))
    let landing = try run(
      outing, [start], environment: environment, changes: [(150, Environment())])
    // There is a look when radios return, as nothing is known of the region; the next in turn is 30 s after that.
    expect(
      landing,
      [150, 180, 200, 230, 260].map { PowerDemand(.wifi, $0, $0 + 2, 250) } + [.init(.cell, 150, 200, 5)]
        + callbacks(landing))
  }

  @Test("Beacons: scans while a region is registered and Bluetooth on; ranging while the app runs")
  func beacons() throws {
    let region = MonitoredRegion(identifier: "beacon", beacon: Self.beacon)
    let monitoring: [Step] = [
      (10, { $0.startMonitoring(region) }), (200, { $0.stopMonitoring(identifier: "beacon") }),
    ]
    let result = try run(
      standing(300),
      monitoring + [
        (100, { $0.startRangingBeacons(Self.beacon) }), (150, { $0.stopRangingBeacons(Self.beacon) }),
      ], changes: [(50, Environment(hasBluetooth: false)), (80, Environment())])
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
      changes: [(50, Environment(hasBluetooth: false)), (80, Environment())],
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
      changes: [(50, Environment(isScreenOn: true)), (60, Environment())])
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
        starting(settings()), (0, { $0.startMonitoring(region) }), (0, { $0.startUpdatingHeading() }),
        (97, { $0.work(.seconds(8)) }),
      ], actions: actions, rules: .macOS)
    expect(
      services,
      [(0.0, 102.0), (202, 300)].flatMap {
        [
          PowerDemand(.gnss, $0.0, $0.1, 200), PowerDemand(.bluetooth, $0.0, $0.1, 2),
          PowerDemand(.sensors, $0.0, $0.1, 10),
        ]
      } + [.init(.app, 97, 102, 500), .init(.app, 202, 205, 500)],
      of: [.gnss, .wifi, .cell, .bluetooth, .sensors, .app])
    let system = try run(
      route,
      [
        (0, { $0.startMonitoring(Self.farCircle("a")) }),
        (0, { $0.startMonitoringSignificantLocationChanges() }),
      ], actions: actions, rules: .macOS)
    // Reports at 0 and at 300 s, where the run ends.
    expect(
      system,
      [
        .init(.cell, 0, 2, 500), .init(.cell, 0, 102, 5), .init(.cell, 202, 300, 5),
      ] + [0, 30, 60, 90, 202, 232, 262, 292].map { .init(.wifi, $0, $0 + 2, 250) } + callbacks(system))
  }
}
