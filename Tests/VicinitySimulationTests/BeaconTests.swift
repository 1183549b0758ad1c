import Synchronization
import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Beacons on a simulated phone")
struct BeaconTests {
  private let family = ProximityUUID(high: 1, low: 2)
  private var shop: PlacedBeacon {
    PlacedBeacon(
      identity: BeaconIdentity(uuid: family, major: 1, minor: 1), coordinate: Route.place(0), range: 50)
  }

  private func monitoring(_ phone: SimulatedPhone, _ event: PhoneEvent) {
    if case .launched(.user) = event {
      phone.startMonitoring(MonitoredRegion(identifier: "shop", beacon: BeaconIdentity(uuid: family)))
    }
  }

  @Test("A walk past a beacon, worked out by hand")
  func walk() throws {
    // At 1 m/s from 1005 m west, scans every 10 s. In range from 955 to 1055 s; far off it is looked at as
    // often as a phone at 100 m/s would have to: never more than 10 s apart. Heard at 960, last at 1050; left
    // 30 s after.
    let result = try Simulation.run(
      Route(east: -1005).going(east: 1, for: 2000), beacons: [shop], monitoring)
    #expect(result.crossings == ["960.0 entered shop", "1080.0 exited shop"])
    // 20 mJ every 10 s.
    #expect(abs(result.spent(.bluetooth) - 2 * 2) < 1e-9)
  }

  @Test("At rest nothing is looked at, in range or out of it")
  func rest() throws {
    for hours in [1.0, 100] {
      let near = try Simulation.run(
        Route(east: -205).going(east: 1, for: 200).standing(for: hours * 3600).going(east: 1, for: 200),
        beacons: [shop], monitoring)
      #expect(near.crossings.count == 2)
      #expect(near.crossings.first == "160.0 entered shop")
    }
  }

  @Test("Without a beacon region nothing is scanned for, and one takes a slot")
  func slots() throws {
    let result = try Simulation.run(Route(east: 0).going(east: 1, for: 100), beacons: [shop]) {
      phone, event in
      guard case .launched = event else { return }
      monitoring(phone, event)
      for index in 0..<20 {
        phone.startMonitoring(MonitoredRegion(identifier: "\(index)", center: Route.place(0), radius: 100))
      }
      #expect(phone.monitoredRegions.count == 20)
      phone.stopMonitoring(identifier: "shop")
    }
    #expect(result.joules[.bluetooth] == 0)
    #expect(result.counts.unregistrations == 1)
  }

  @Test("A circle that replaces a beacon region is watched in its place, and a beacon region in a circle's")
  func replacing() throws {
    func run(_ first: MonitoredRegion, _ second: MonitoredRegion) throws -> SimulationResult {
      try Simulation.run(Route(east: -1005).going(east: 1, for: 2000), beacons: [shop]) { phone, event in
        guard case .launched(.user) = event else { return }
        phone.startMonitoring(first)
        phone.startMonitoring(second)
        #expect(phone.monitoredRegions == [second])
      }
    }
    let circle = MonitoredRegion(identifier: "shop", center: Route.place(0), radius: 100)
    let beacon = MonitoredRegion(identifier: "shop", beacon: BeaconIdentity(uuid: family))
    let watching = try run(beacon, circle)
    #expect(watching.joules[.bluetooth] == 0 && !watching.crossings.isEmpty)
    let scanning = try run(circle, beacon)
    #expect(scanning.crossings == ["960.0 entered shop", "1080.0 exited shop"])
    #expect(
      scanning.joules
        == (try Simulation.run(
          Route(east: -1005).going(east: 1, for: 2000), beacons: [shop], monitoring)).joules)
  }

  @Test("Bluetooth switched off is no exit, and starts the app when it is one")
  func bluetooth() throws {
    let off = SurroundingsTimeline(
      PhoneSurroundings(),
      changes: [
        .init(time: Route.time(1000), surroundings: PhoneSurroundings(hasBluetooth: false)),
        .init(time: Route.time(1500), surroundings: PhoneSurroundings()),
      ])
    let result = try Simulation.run(
      Route(east: -1005).going(east: 1, for: 2000), surroundings: off,
      actions: [
        TimedAction(time: Route.time(970), .leaveApp), TimedAction(time: Route.time(1200), .terminate),
      ],
      beacons: [shop], monitoring)
    #expect(result.crossings == ["960.0 entered shop", "1530.0 exited shop"])
    #expect(result.counts.relaunches == 1)
    #expect(abs(result.spent(.bluetooth) - 2 * 1.5) < 1e-9)
  }

  @Test("The display turned on inside tells the state, where it is wanted")
  func display() throws {
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(),
      changes: [.init(time: Route.time(100), surroundings: PhoneSurroundings(isScreenOn: true))])
    var region = MonitoredRegion(identifier: "shop", beacon: shop.identity)
    region.notifyEntryStateOnDisplay = true
    let result = try Simulation.run(
      Route(east: 0).standing(for: 200), surroundings: surroundings, beacons: [shop]
    ) { phone, event in
      if case .launched = event { phone.startMonitoring(region) }
    }
    #expect(result.told.contains(Told(seconds: 100, event: .determined(.inside, region: "shop"))))
    #expect(result.crossings.isEmpty)
  }

  @Test("Ranging tells the distance once a second while the app runs, and falls silent out of range")
  func ranging() throws {
    let result = try Simulation.run(
      Route(east: -300).going(east: 1, for: 290).standing(for: 300).going(east: -10, for: 100),
      beacons: [shop]
    ) { phone, event in
      if case .launched = event { phone.startRangingBeacons(BeaconIdentity(uuid: family)) }
    }
    let reports = result.told.compactMap { told -> (seconds: Double, report: BeaconRanging)? in
      if case .ranged(let report) = told.event { (told.seconds, report) } else { nil }
    }
    // One that nothing is there, and none until there is.
    #expect(reports[0].report.beacons.isEmpty)
    #expect(reports[1].seconds > 250)
    let close = reports.filter { $0.seconds > 310 && $0.seconds < 580 }
    #expect(close.count == 269)
    let distances = close.compactMap { $0.report.beacons.first?.accuracy }.sorted()
    // 10 m; the mean of five levels of 4 dB each is known to 1.8 dB, which is 23 %, at n = 2.
    #expect(abs(distances[distances.count / 2] - 10) < 2)
    let final = try #require(reports.last)
    #expect(final.report.beacons.isEmpty)
    #expect(abs(result.spent(.bluetooth) - 0.05 * 690) < 1e-6)
    let behind = try Simulation.run(
      Route(east: 0).standing(for: 600), actions: [TimedAction(time: Route.time(100), .leaveApp)],
      beacons: [shop]
    ) { phone, event in
      if case .launched = event { phone.startRangingBeacons(BeaconIdentity(uuid: family)) }
    }
    let seconds = behind.told.compactMap { told -> Double? in
      if case .ranged = told.event { told.seconds } else { nil }
    }
    let last = try #require(seconds.max())
    #expect(last <= 100)
    #expect(abs(behind.spent(.bluetooth) - 5) < 1e-6)
  }

  @Test("What ranging hears reaches a monitor as sightings, with the power that gives the phone's distance")
  func rangingOfAMonitor() throws {
    let heard = Mutex<[BeaconSighting]>([])
    _ = try Simulation.run(
      Route(east: -10).standing(for: 60), beacons: [shop]
    ) { phone, event in
      let driver = PhoneDriver(phone)
      if case .launched = event { driver.perform([.startRanging(BeaconIdentity(uuid: family))]) }
      for case .sighting(let sighting) in driver.inputs(event) { heard.withLock { $0.append(sighting) } }
      if phone.now > Route.time(30) { driver.perform([.stopRanging(BeaconIdentity(uuid: family))]) }
    }
    let sightings = heard.withLock { $0 }
    #expect((25...32).contains(sightings.count))
    #expect(sightings.allSatisfy { $0.beacon == shop.identity && $0.time <= Route.time(32) })
    // The level and the power that a sighting says are of one distance.
    for sighting in sightings.dropFirst(5) {
      let distance = BeaconDistanceModel().distance(loss: Double(sighting.measuredPower - sighting.rssi))
      #expect((5...20).contains(distance), "\(distance)")
    }
  }

  @Test("Advertising draws power in front, and nothing behind")
  func advertising() throws {
    let result = try Simulation.run(
      Route(east: 0).standing(for: 600),
      actions: [TimedAction(time: Route.time(100), .leaveApp), TimedAction(time: Route.time(400), .openApp)]
    ) { phone, event in
      if case .launched = event {
        phone.startAdvertising(shop.identity, measuredPower: 128)
        #expect(phone.advertisement == nil)
        phone.startAdvertising(BeaconIdentity(uuid: family))
        #expect(phone.advertisedBeacon == BeaconIdentity(uuid: family, major: 0, minor: 0))
        #expect(phone.advertisement?.measuredPower == -59)
        phone.startAdvertising(shop.identity)
        #expect(phone.advertisedBeacon == shop.identity)
      }
    }
    #expect(abs(result.spent(.bluetooth) - 0.005 * 300) < 1e-9)
  }

  // MARK: Phones that are beacons

  /// A phone that stands and is a beacon while its app is in front, beside one that another scenario moves.
  private func pair(
    beacon: BeaconIdentity, measuredPower: Int? = nil, actions: [TimedAction] = [], hearer route: Route,
    carrier: Route = Route(east: 0).standing(for: 2000),
    _ react: @escaping (SimulatedPhone, PhoneEvent) -> Void
  ) throws -> (hearer: SimulationResult, carrier: SimulationResult) {
    let carrierRun = PhoneRun(
      Scenario(
        track: try carrier.track(), surroundings: SurroundingsTimeline(), actions: actions,
        profile: SampleProfile.phone), recording: .all
    ) {
      ScriptedApp { phone, event in
        if case .launched = event { phone.startAdvertising(beacon, measuredPower: measuredPower) }
      }
    }
    let hearer = PhoneRun(
      Scenario(
        track: try route.track(), surroundings: SurroundingsTimeline(), profile: SampleProfile.phone),
      recording: .all
    ) { ScriptedApp(react: react) }
    let results = try Simulation.run(together: [hearer, carrierRun])
    return (results[0], results[1])
  }

  @Test("A phone that is a beacon by a UUID alone is heard by another as a beacon at its place would be")
  func heard() throws {
    let walk = Route(east: -1005).going(east: 1, for: 2000)
    let result = try pair(beacon: BeaconIdentity(uuid: family), hearer: walk, monitoring)
    #expect(result.hearer.crossings == ["960.0 entered shop", "1080.0 exited shop"])
    #expect(abs(result.carrier.spent(.bluetooth) - 0.005 * 2000) < 1e-9)
    // Not itself, and not when its app has been left.
    let left = try pair(
      beacon: BeaconIdentity(uuid: family),
      actions: [
        TimedAction(time: Route.time(1000), .leaveApp), TimedAction(time: Route.time(1500), .openApp),
      ],
      hearer: Route(east: 10).standing(for: 2000), monitoring)
    #expect(left.hearer.crossings == ["0.0 entered shop", "1020.0 exited shop", "1500.0 entered shop"])
  }

  @Test("A UUID alone is enough for a beacon at a place: it sends zeros, and is monitored and ranged")
  func placedByUUID() throws {
    let beacon = PlacedBeacon(identity: BeaconIdentity(uuid: family), coordinate: Route.place(0))
    #expect(beacon.identity == BeaconIdentity(uuid: family, major: 0, minor: 0))
    let result = try Simulation.run(Route(east: 10).standing(for: 60), beacons: [beacon]) { phone, event in
      guard case .launched = event else { return }
      phone.startMonitoring(MonitoredRegion(identifier: "shop", beacon: BeaconIdentity(uuid: family)))
      phone.requestState(identifier: "shop")
      phone.startRangingBeacons(BeaconIdentity(uuid: family))
    }
    #expect(result.told.contains { $0.event == .determined(.inside, region: "shop") })
    let ranged = result.told.compactMap { told -> BeaconRanging? in
      if case .ranged(let report) = told.event { report } else { nil }
    }
    #expect(ranged.contains { report in report.beacons.contains { $0.beacon == beacon.identity } })
  }

  @Test("It is heard where it goes, by a phone that stands")
  func moving() throws {
    let result = try pair(
      beacon: BeaconIdentity(uuid: family), hearer: Route(east: 0).standing(for: 2000),
      carrier: Route(east: -1005).standing(for: 300).going(east: 1, for: 1700), monitoring)
    // In reach from 1255 s to 1355 s.
    #expect(result.hearer.crossings.count == 2)
    let seconds = result.hearer.crossings.compactMap { Double($0.split(separator: " ")[0]) }
    #expect((1255...1265).contains(seconds[0]) && (1375...1385).contains(seconds[1]))
  }

  @Test("Its distance is told by the measured power that it sends")
  func measuredPower() throws {
    for power in [-59, -50] {
      let result = try pair(
        beacon: shop.identity, measuredPower: power, hearer: Route(east: 10).standing(for: 300)
      ) { phone, event in
        if case .launched = event { phone.startRangingBeacons(BeaconIdentity(uuid: family)) }
      }
      let reports = result.hearer.told.compactMap { told -> RangedBeacon? in
        if case .ranged(let report) = told.event { report.beacons.first } else { nil }
      }
      #expect(reports.count > 250 && reports.allSatisfy { $0.beacon == shop.identity })
      let distances = reports.map(\.accuracy).sorted()
      let levels = reports.map(\.rssi).sorted()
      #expect(abs(distances[distances.count / 2] - 10) < 2)
      // 20 dB below that at one metre.
      #expect(abs(levels[levels.count / 2] - (power - 20)) <= 1)
    }
  }

  @Test("A scenario's companions run beside its phone, and their apps do what their scenarios ask for")
  func companions() throws {
    var scenario = Scenario(
      track: try Route(east: -1005).going(east: 1, for: 2000).track(), surroundings: SurroundingsTimeline(),
      profile: SampleProfile.phone)
    var companion = Scenario(
      track: try Route(east: 0).standing(for: 2000).track(), surroundings: SurroundingsTimeline(),
      profile: SampleProfile.phone)
    for isBeacon in [true, false] {
      companion.atLaunch = isBeacon ? [.advertise(BeaconIdentity(uuid: family), measuredPower: nil)] : []
      scenario.companions = [companion]
      let result = try Simulation.run(scenario, recording: .all) { ScriptedApp(react: monitoring) }
      #expect(result.crossings == (isBeacon ? ["960.0 entered shop", "1080.0 exited shop"] : []))
    }
  }

  @Test("Phones that run together and are no beacons run as alone")
  func independent() throws {
    let route = Route(east: -300).going(east: 1, for: 600)
    let scenario = Scenario(
      track: try route.track(), surroundings: SurroundingsTimeline(), beacons: [shop],
      profile: SampleProfile.phone)
    let alone = try Simulation.run(scenario, recording: .all) { ScriptedApp(react: monitoring) }
    let together = try Simulation.run(together: [
      PhoneRun(scenario, recording: .all) { ScriptedApp(react: monitoring) },
      PhoneRun(scenario, recording: .all) { ScriptedApp { _, _ in } },
    ])
    #expect(together.count == 2)
    #expect(together[0].timeline == alone.timeline && together[0].power == alone.power)
    #expect(together[0].joules == alone.joules)
  }
}
