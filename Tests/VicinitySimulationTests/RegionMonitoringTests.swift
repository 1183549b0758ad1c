import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("Region monitoring")
struct RegionMonitoringTests {
  /// The sample phone with looks that are exactly right.
  static var exactPhone: DeviceProfile {
    var phone = SampleProfile.phone
    phone.regions.positions = SampleProfile.positions(error: 0, reported: 65)
    phone.tiers[.hundredMeters]?.still = phone.regions.positions
    return phone
  }

  private let home = MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100)

  private func monitoring(_ regions: [MonitoredRegion]) -> (SimulatedPhone, PhoneEvent) -> Void {
    { phone, event in
      if case .launched = event { for region in regions { phone.startMonitoring(region) } }
    }
  }

  @Test("A walk through a circle, worked out by hand")
  func walk() throws {
    // At 2 m/s from 999 m west. Looks at 0, 30, 60 ... s. Within 50 m of the centre, the inward cushion,
    // from 474.5 s on: seen at 480, confirmed at 500, told a second later. Looks from then on at 530, 560 ...
    // More than 200 m from the centre from 599.5 s on: seen at 620, confirmed at 640.
    let result = try Simulation.run(
      Route(east: -999).going(east: 2, for: 1000), profile: Self.exactPhone, monitoring([home]))
    #expect(result.crossings == ["501.0 entered home", "641.0 exited home"])
    let observed = result.timeline.compactMap { entry -> Double? in
      if case .observed = entry.kind { entry.time.seconds(since: result.start) } else { nil }
    }
    #expect(observed == [500, 640])
    // Looks at 0, 30 ... 480, 500, 530 ... 620, 640, 670 ... 970, half a joule each; what the one at 1000 s
    // draws comes after the end. 1000 s of watching at 5 mW.
    #expect(abs(result.spent(.wifi) - 0.5 * (17 + 1 + 4 + 1 + 11)) < 1e-6)
    #expect(abs(result.spent(.cell) - 5) < 1e-6)
    #expect(result.counts.registrations == 1)
    #expect(result.counts.regionEvents == 2)
  }

  @Test("What does not last for the time to remain is no crossing")
  func grazing() throws {
    // At 5 m/s: within the inward cushion at 210 s, beyond the boundary again when that would be confirmed.
    let result = try Simulation.run(
      Route(east: -1000).going(east: 5, for: 250), profile: Self.exactPhone, monitoring([home]))
    #expect(result.crossings == [])
  }

  @Test("The first look comes some time after the phone moves off")
  func wakeDelay() throws {
    // Off at 600 s at 5 m/s, out of the stay when 15 m on: 603 s and a microsecond. Looks 10 s later and
    // every 30 s: 613, 643, when it is 215 m from the centre and so beyond the cushion; confirmed at 663.
    let result = try Simulation.run(
      Route(east: 0).standing(for: 600).going(east: 5, for: 300), profile: Self.exactPhone,
      monitoring([home]))
    let told = try #require(result.crossings.first)
    #expect(told.hasSuffix("exited home"))
    let seconds = try #require(Double(told.split(separator: " ")[0]))
    #expect(abs(seconds - 664) < 0.01)
  }

  @Test("What happens as the phone comes to rest is decided there, and then no check follows for long")
  func rest() throws {
    func run(_ rest: Double) throws -> SimulationResult {
      try Simulation.run(
        Route(east: -304).going(east: 2, for: 150).standing(for: rest), profile: Self.exactPhone,
        monitoring([home]))
    }
    // In the stay from the fix at 143 s on: seen there, confirmed 20 s later.
    let short = try run(3600)
    #expect(short.crossings == ["164.0 entered home"])
    let long = try run(36_000)
    #expect(long.joules[.wifi] == short.joules[.wifi])
    #expect(long.joules[.cell] == short.joules[.cell])
    // Looks at 0, 30 ... 120, at rest at 143, to confirm at 163, and at 193 and 223.
    #expect(abs(short.spent(.wifi) - 0.5 * 9) < 1e-6)
  }

  /// Radius Networks' test of 2014 told 95 of about 100 arrivals at 60 m.
  @Test(
    "The shipped iPhones tell arrivals as a published test did", arguments: ["iphone-6", "modern-phone"])
  func arrivals(name: String) throws {
    let phone = try DeviceProfile.named(name)
    for (radius, least) in [(60.0, 0.9), (100, 0.95), (200, 0.95)] {
      let circle = MonitoredRegion(identifier: "home", center: Route.place(0), radius: radius)
      var told = 0
      var count = 0
      for (speed, seeds) in [(1.4, 1...30), (12.0, 31...60)] {
        let way = 2500 / speed
        let route = Route(east: -2500).standing(for: 600).going(east: speed, for: way, step: way / 500)
          .standing(for: 1800)
        for seed in seeds {
          let result = try Simulation.run(
            route, profile: phone, surroundings: .inferred(from: try route.track()), seed: UInt64(seed),
            monitoring([circle]))
          count += 1
          let entered = result.told.first { $0.event == .entered(region: "home") }
          if let entered, entered.seconds <= 600 + way + 240 { told += 1 }
        }
      }
      #expect(Double(told) >= least * Double(count), "\(radius) m: \(told) of \(count)")
    }
  }

  @Test("A strategy is told a phone's times, worked out by hand")
  func phoneTimes() throws {
    // On foot the border is crossed after 71.4 s, and the cushion after 142.9. Out of the stay when 15 m on,
    // after 10.7; looks 10 s later and every 30: at 170.7, confirmed at 190.7 and told a second later. At 8
    // m/s: 12.5, 25 and 1.9; at 41.9, confirmed at 61.9.
    let times = try PhoneTimes(simulating: Self.exactPhone, exits: 10)
    #expect(abs(times.medianExit - (191.7 - 71.4)) < 1, "\(times)")
    #expect(times.lateExit == 1.01 * times.medianExit)
    #expect(times.position == SampleProfile.phone.firstFix.hot.value(at: 0.95))
    // The usual ones are of iPhones, and no Android phone is as slow.
    for name in ["iphone-6", "modern-phone"] {
      let times = try PhoneTimes(simulating: DeviceProfile.named(name))
      #expect(abs(times.medianExit - PhoneTimes.usual.medianExit) < 40, "\(name): \(times)")
      #expect(abs(times.lateExit - PhoneTimes.usual.lateExit) < 80, "\(name): \(times)")
    }
    #expect(try PhoneTimes(simulating: DeviceProfile.named("nexus-6")).medianExit < 40)
  }

  @Test("At rest a check follows each rest interval, and finds what was missed on the way")
  func checksAtRest() throws {
    var phone = Self.exactPhone
    phone.regions.restInterval = SampleProfile.always(600)
    let result = try Simulation.run(
      Route(east: -304).going(east: 2, for: 150).standing(for: 36_000), profile: phone, monitoring([home]))
    // Nine checks until 223 s, as without; then one each 600 s until 36,150 s, half a joule each.
    #expect(abs(result.spent(.wifi) - 0.5 * (9 + 59)) < 1e-6)
    #expect(result.crossings == ["164.0 entered home"])
  }

  @Test("A check at rest does not delay the one that motion causes")
  func wakeAfterCheck() throws {
    var phone = Self.exactPhone
    phone.regions.restInterval = SampleProfile.always(100)
    phone.regions.interval = SampleProfile.always(90)
    // Checks at rest at 0, 100 ... 600. Off at 601 s, out of the stay at 604: the next is ten seconds later,
    // not 90 s after the one before; it finds the phone 65 m away, and the one after it, 90 s later, beyond
    // the cushion.
    let result = try Simulation.run(
      Route(east: 0).standing(for: 601).going(east: 5, for: 300), profile: phone, monitoring([home]))
    let told = try #require(result.crossings.first)
    let seconds = try #require(Double(told.split(separator: " ")[0]))
    #expect(abs(seconds - 725) < 1)
  }

  @Test("Regions are checked when a network is back: a flight ends in a region")
  func landing() throws {
    let phone = Self.exactPhone
    var inTheAir = PhoneSurroundings()
    (inTheAir.isInAirplaneMode, inTheAir.hasWiFi) = (true, false)
    func run(_ changes: [SurroundingsTimeline.Change]) throws -> [String] {
      try Simulation.run(
        Route(east: -30_000).standing(for: 600).going(east: 100, for: 300).standing(for: 3600),
        profile: phone, surroundings: SurroundingsTimeline(changes: changes), monitoring([home])
      ).crossings
    }
    // The phone is in airplane mode from 100 s on, lands in the region at 900 s, and hears networks again at
    // 2000 s. A check then, and the time to remain.
    let landing = try run([
      .init(time: Route.time(100), surroundings: inTheAir),
      .init(time: Route.time(2000), surroundings: PhoneSurroundings()),
    ])
    #expect(landing == ["2021.0 entered home"])
    #expect(try run([.init(time: Route.time(100), surroundings: inTheAir)]) == [])
  }

  @Test("The twenty-first region is refused, and room is made by stopping another")
  func limit() throws {
    let regions = (0...20).map {
      MonitoredRegion(identifier: "\($0)", center: Route.place(Double($0) * 1000), radius: 100)
    }
    let result = try Simulation.run(Route(east: 0).going(east: 1, for: 100)) { phone, event in
      switch event {
      case .launched: for region in regions { phone.startMonitoring(region) }
      case .monitoringFailed(region: "20", let error):
        #expect(error.code == .regionMonitoringFailure)
        #expect(error.diagnostics == .conditionLimitExceeded)
        #expect(phone.monitoredRegions.map(\.identifier) == (0..<20).map(String.init))
        // Another of a known identifier is no twenty-first.
        phone.startMonitoring(MonitoredRegion(identifier: "3", center: Route.place(0), radius: 50))
        phone.stopMonitoring(identifier: "5")
        phone.startMonitoring(regions[20])
      default: break
      }
    }
    let failures = result.told.filter { if case .monitoringFailed = $0.event { true } else { false } }
    #expect(failures.count == 1)
    #expect(failures.first?.seconds == 0)
    #expect(result.counts.registrations == 22)
    #expect(result.counts.unregistrations == 2)
  }

  @Test(
    "Without permission nothing is watched",
    arguments: [
      (AppCapabilities(authorization: .whenInUse), Diagnostics.insufficientlyInUse),
      (AppCapabilities(authorization: .denied), .authorizationDenied),
      (AppCapabilities(isReducedAccuracy: true), .accuracyLimited),
    ])
  func permission(capabilities: AppCapabilities, diagnostics: Diagnostics) throws {
    let result = try Simulation.run(
      Route(east: -999).going(east: 2, for: 1000), capabilities: capabilities, monitoring([home]))
    guard case .monitoringFailed(_, let error)? = result.told.last?.event else {
      Issue.record("not refused")
      return
    }
    #expect(error.diagnostics == diagnostics)
    #expect(error.code == .regionMonitoringDenied)
    #expect(result.counts.registrations == 0)
    #expect(result.joules[.wifi] == 0)
  }

  @Test("Only what is wanted is told, and what cannot be watched is refused")
  func options() throws {
    var quiet = home
    quiet.notifyOnEntry = false
    let large = MonitoredRegion(identifier: "large", center: Route.place(0), radius: 1e9)
    let nowhere = MonitoredRegion(
      identifier: "nowhere", center: Coordinate(latitude: .nan, longitude: 0), radius: 100)
    let negative = MonitoredRegion(identifier: "negative", center: Route.place(0), radius: -1)
    let unknown = MonitoredRegion(identifier: "unknown", center: Route.place(0), radius: .nan)
    let result = try Simulation.run(
      Route(east: -999).going(east: 2, for: 1000), profile: Self.exactPhone
    ) { phone, event in
      guard case .launched = event else { return }
      for region in [quiet, large, nowhere, negative, unknown] { phone.startMonitoring(region) }
      #expect(phone.monitoredRegions == [quiet])
    }
    #expect(result.crossings == ["641.0 exited home"])
    let failures = result.told.filter { if case .monitoringFailed = $0.event { true } else { false } }
    #expect(failures.count == 4)
  }

  @Test("A region stopped before its crossing has been told is not told of")
  func stopped() throws {
    var phone = Self.exactPhone
    phone.regions.delivery = SampleProfile.always(60)
    let result = try Simulation.run(Route(east: -999).going(east: 2, for: 800), profile: phone) {
      phone, event in
      switch event {
      case .launched:
        phone.startMonitoring(home)
        phone.startMonitoring(MonitoredRegion(identifier: "other", center: Route.place(0), radius: 100))
      case .entered(region: "home"): phone.stopMonitoring(identifier: "other")
      default: break
      }
    }
    #expect(result.crossings == ["560.0 entered home", "700.0 exited home"])
  }

  @Test("Crossings are told in the order in which they were decided, however long each takes")
  func order() throws {
    var phone = Self.exactPhone
    phone.regions.delivery = SampleProfile.uniform(0...2000)
    for seed in 1...10 as ClosedRange<UInt64> {
      let result = try Simulation.run(
        Route(east: -999).going(east: 2, for: 1000).standing(for: 6000), profile: phone, seed: seed,
        monitoring([home]))
      let told = result.crossings.map { $0.split(separator: " ")[1] }
      #expect(told == ["entered", "exited"], "seed \(seed)")
    }
  }

  @Test("A region alike in all to one that is watched changes nothing")
  func repeated() throws {
    let result = try Simulation.run(
      Route(east: -999).going(east: 2, for: 1000), profile: Self.exactPhone
    ) { phone, event in
      switch event {
      case .launched:
        phone.startMonitoring(home)
        phone.setTimer(after: .seconds(490))
      // Seen within the cushion ten seconds before: that stands.
      case .timer: phone.startMonitoring(home)
      default: break
      }
    }
    #expect(result.crossings == ["501.0 entered home", "641.0 exited home"])
    #expect(result.counts.registrations == 1)
  }

  @Test("The state is told when it is asked for, as soon as it is known")
  func state() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 2, for: 60), profile: Self.exactPhone
    ) { phone, event in
      guard case .launched = event else { return }
      phone.startMonitoring(home)
      phone.requestState(identifier: "home")
      phone.requestState(identifier: "nowhere")
    }
    let states = result.told.compactMap { told -> String? in
      if case .determined(let state, let region) = told.event { "\(region) \(state)" } else { nil }
    }
    #expect(states.sorted() == ["home inside", "nowhere unknown"])
  }

  @Test("Without Wi-Fi and cells nothing is decided, and cells decide only what is far off")
  func networks() throws {
    let route = Route(east: -999).going(east: 2, for: 1000)
    let nothing = PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)
    let blind = try Simulation.run(
      route, profile: Self.exactPhone, surroundings: SurroundingsTimeline(nothing), monitoring([home]))
    #expect(blind.crossings == [])
    #expect(blind.joules[.wifi] == 0)
    let cells = PhoneSurroundings(hasWiFi: false)
    var phone = Self.exactPhone
    phone.significantChange.positions = SampleProfile.positions(error: 0, reported: 1000)
    let slow = try Simulation.run(
      route, profile: phone, surroundings: SurroundingsTimeline(cells), monitoring([home]))
    #expect(slow.crossings == [])
    // Reported accuracies are 500 m and more: a circle of 100 m is never entered by them, one of 10 km may
    // be.
    let wide = MonitoredRegion(identifier: "wide", center: Route.place(9500), radius: 8000)
    let coarse = try Simulation.run(
      Route(east: -999).going(east: 10, for: 1500), profile: phone, surroundings: SurroundingsTimeline(cells),
      monitoring([home, wide]))
    #expect(coarse.crossings.count == 1)
    #expect(coarse.crossings.first?.hasSuffix("entered wide") == true)
  }

  @Test(
    "Crossings of a region alternate, and are seen beyond the cushion",
    arguments: 1...20 as ClosedRange<UInt64>)
  func alternation(seed: UInt64) throws {
    var random = RandomStream(seed: seed, "routes")
    var route = Route(east: 0)
    for _ in 0..<30 {
      let speed = random.unit() * 15
      let angle = random.unit() * 2 * .pi
      if random.unit() < 0.3 { route = route.standing(for: 60 + random.unit() * 600) }
      route = route.going(
        east: speed * angle.cosine, north: speed * angle.sine, for: 20 + (random.unit() * 200).rounded())
    }
    let regions = (0..<20).map { index in
      MonitoredRegion(
        identifier: "\(index)",
        center: Route.place((random.unit() - 0.5) * 4000, (random.unit() - 0.5) * 4000),
        radius: 50 + random.unit() * 500)
    }
    let track = try route.track()
    let result = try Simulation.run(route, profile: Self.exactPhone, seed: seed, monitoring(regions))
    var cursor = TruthCursor(track)
    var last: [String: RegionState] = [:]
    for entry in result.timeline {
      guard case .observed(let state, let identifier) = entry.kind else { continue }
      #expect(last.updateValue(state, forKey: identifier) != state, "seed \(seed)")
      let region = try #require(regions.first { $0.identifier == identifier })
      guard case .circle(let center, let radius) = region.area else { continue }
      let place = cursor.state(at: entry.time).position
      let distance = try Geodesic.distance(from: place, to: center) - radius
      #expect(state == .inside ? distance <= -min(100, radius / 2) : distance >= 100, "seed \(seed)")
    }
  }
}
