import Testing
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Services side by side")
struct ServicesTests {
  private let uuid = ProximityUUID(high: 1, low: 2)

  private var regions: [MonitoredRegion] {
    (0..<19).map {
      MonitoredRegion(identifier: "\($0)", center: Route.place(Double($0) * 300), radius: 100)
    } + [MonitoredRegion(identifier: "beacon", beacon: BeaconIdentity(uuid: uuid))]
  }

  private var beacon: PlacedBeacon {
    PlacedBeacon(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1), coordinate: Route.place(1500))
  }

  private func all(_ phone: SimulatedPhone, _ event: PhoneEvent) {
    guard case .launched(.user) = event else { return }
    for region in regions { phone.startMonitoring(region) }
    phone.locationSettings = LocationSettings(distanceFilter: 20, allowsBackgroundUpdates: true)
    phone.startUpdatingLocation()
    phone.startMonitoringSignificantLocationChanges()
    phone.startMonitoringVisits()
    phone.startUpdatingHeading()
    phone.startRangingBeacons(BeaconIdentity(uuid: uuid))
  }

  @Test("The same seed gives the same timeline, another another")
  func determinism() throws {
    let route = Route(east: 0).going(east: 5, for: 600).standing(for: 1200).going(east: 3, for: 600)
    func run(_ seed: UInt64) throws -> SimulationResult {
      try Simulation.run(
        route, surroundings: .inferred(from: try route.track()), beacons: [beacon], seed: seed, all)
    }
    let (one, again, other) = (try run(1), try run(1), try run(2))
    #expect(one.timeline.count > 1000)
    #expect(one.timeline == again.timeline)
    #expect(one.power == again.power)
    #expect(one.joules == again.joules)
    #expect(one.timeline != other.timeline)
  }

  @Test("What one service draws by lot moves no other")
  func streams() throws {
    let route = Route(east: 0).going(east: 5, for: 900).standing(for: 1200).going(east: 3, for: 600)
    func fixes(_ others: @escaping (SimulatedPhone) -> Void) throws -> [Told] {
      let result = try Simulation.run(route, beacons: [beacon]) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(desiredAccuracy: .hundredMeters, pausesAutomatically: false)
        phone.startUpdatingLocation()
        others(phone)
      }
      return result.told.filter { if case .locations(_, .standard) = $0.event { true } else { false } }
    }
    let alone = try fixes { _ in }
    #expect(alone.count > 100)
    let company = try fixes { phone in
      for region in regions { phone.startMonitoring(region) }
      phone.startMonitoringSignificantLocationChanges()
      phone.startMonitoringVisits()
      phone.startUpdatingHeading()
      phone.startRangingBeacons(BeaconIdentity(uuid: uuid))
    }
    #expect(alone == company)
  }

  @Test("While a phone stands, nothing at all is due")
  func stillness() throws {
    var profile = SampleProfile.phone
    profile.tiers[.best]?.strayFixes = SampleProfile.figure(0)
    let track = try Route(east: 0).going(east: 5, for: 300).standing(for: 100_000).going(east: 5, for: 300)
      .track()
    let scenario = Scenario(
      track: track, surroundings: SurroundingsTimeline(),
      actions: [TimedAction(time: Route.time(10), .leaveApp)], beacons: [beacon],
      profile: profile)
    let phone = SimulatedPhone(scenario, recording: .all) { ScriptedApp(react: all) }
    phone.begin()
    phone.advance(to: Route.time(4000))
    let stay = try #require(track.stays.first)
    let before = phone.timeline.count
    let (kind, time) = phone.timers.next()
    #expect(kind == .motion)
    #expect(time > stay.end)
    phone.advance(to: stay.end)
    #expect(phone.timeline.count == before)
    phone.advance(to: track.end)
    #expect(phone.timeline.count > before)
  }

  @Test("Nothing is lost when a computer sleeps: inside at the wake is told, in and out meanwhile is not")
  func sleep() throws {
    let home = MonitoredRegion(identifier: "home", center: Route.place(0), radius: 200)
    func told(wake: Double) throws -> [String] {
      let result = try Simulation.run(
        Route(east: -2000).going(east: 2, for: 2000), profile: RegionMonitoringTests.exactPhone,
        actions: [TimedAction(time: Route.time(700), .sleep), TimedAction(time: Route.time(wake), .wake)],
        rules: .macOS
      ) { phone, event in
        if case .launched = event { phone.startMonitoring(home) }
      }
      return result.told.compactMap {
        switch $0.event {
        case .entered: "entered"
        case .exited: "exited"
        default: nil
        }
      }
    }
    // Within the inward cushion from 950 to 1050 s, beyond the outward one from 1150 s on.
    #expect(try told(wake: 960) == ["entered", "exited"])
    #expect(try told(wake: 1500) == [])
  }
}
