import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("The standard location service")
struct StandardLocationTests {
  /// East at 10 m/s, for some seconds.
  private func drive(_ seconds: Double) -> Route { Route(east: 0).going(east: 10, for: seconds) }

  private func starting(_ settings: LocationSettings) -> (SimulatedPhone, PhoneEvent) -> Void {
    { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = settings
      phone.startUpdatingLocation()
    }
  }

  private func action(_ seconds: Double, _ action: UserAction) -> TimedAction {
    TimedAction(time: Route.time(seconds), action)
  }

  private static let behind = LocationSettings(pausesAutomatically: false, allowsBackgroundUpdates: true)
  private static let alone = SurroundingsTimeline(PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true))

  // MARK: First positions

  @Test("A start begins with what else there is, and goes on when satellites are found")
  func firstFix() throws {
    let warm = try Simulation.run(drive(20), starting(LocationSettings())).locations(.standard)
    let expected: [Double] = [0] + (5...20).map(Double.init)
    #expect(warm.map(\.seconds) == expected)
    let accuracies = warm.map { $0.fixes[0].horizontalAccuracy }
    // By Wi-Fi 32.5 to 97.5 m, by satellites 5 to 15 m.
    #expect(accuracies[0] > 30)
    #expect(accuracies.dropFirst().allSatisfy { $0 <= 15 })
    #expect(warm[0].fixes[0].speed == -1)
    #expect(abs(warm[1].fixes[0].speed - 10) < 0.01)
    #expect(abs(warm[1].fixes[0].course - 90) < 0.01)
    // With nothing to help it the receiver starts cold, and there is nothing before.
    let cold = try Simulation.run(drive(40), surroundings: Self.alone, starting(LocationSettings()))
    #expect(cold.locations(.standard).map(\.seconds) == (30...40).map(Double.init))
  }

  @Test("A second start is hot, and begins with the last position and its old time")
  func cached() throws {
    let result = try Simulation.run(drive(200)) { phone, event in
      switch event {
      case .launched:
        phone.startUpdatingLocation()
        phone.setTimer(after: .seconds(50))
        phone.setTimer(after: .seconds(100))
      case .timer:
        if phone.isLocationOn { phone.stopUpdatingLocation() } else { phone.startUpdatingLocation() }
      default: break
      }
    }
    let again = result.locations(.standard).filter { $0.seconds >= 100 }
    #expect(Array(again.map(\.seconds).prefix(4)) == [100, 100, 101, 102])
    let cached = try #require(again.first?.fixes.first)
    // The timer at 50 s comes before the position.
    #expect(cached.time == Route.time(49))
    #expect(again[1].fixes[0].time == Route.time(100))
    #expect(again[1].fixes[0].horizontalAccuracy > 30)
    #expect(again[2].fixes[0].horizontalAccuracy <= 15)
  }

  @Test("Positions are delivered after their delay, with the time they were measured at")
  func delay() throws {
    var phone = SampleProfile.phone
    phone.tiers[.hundredMeters]?.delay = SampleProfile.always(2.5)
    let result = try Simulation.run(
      drive(60), profile: phone, starting(LocationSettings(desiredAccuracy: .hundredMeters)))
    let locations = result.locations(.standard)
    let expected: [Double] = (0...9).map { 2.5 + 6 * Double($0) }
    #expect(locations.map(\.seconds) == expected)
    for (seconds, fixes) in locations { #expect(fixes[0].time == Route.time(seconds - 2.5)) }
  }

  @Test("Where there is no position, the app is told once, and has one when there is")
  func unknown() throws {
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(isIndoors: true, hasWiFi: false, isInAirplaneMode: true),
      changes: [.init(time: Route.time(500), surroundings: PhoneSurroundings(isIndoors: true))])
    let result = try Simulation.run(
      drive(600), surroundings: surroundings, starting(LocationSettings(desiredAccuracy: .hundredMeters)))
    #expect(result.told.filter { $0.event == .locationUnknown }.map(\.seconds) == [0])
    let expected: [Double] = (0...16).map { 500 + 6 * Double($0) }
    #expect(result.locations(.standard).map(\.seconds) == expected)
  }

  @Test("A position that goes away is told to be unknown, once")
  func lost() throws {
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true),
      changes: [
        .init(
          time: Route.time(100),
          surroundings: PhoneSurroundings(isIndoors: true, hasWiFi: false, isInAirplaneMode: true))
      ])
    let result = try Simulation.run(drive(300), surroundings: surroundings, starting(LocationSettings()))
    #expect(result.told.filter { $0.event == .locationUnknown }.map(\.seconds) == [100])
    #expect(result.locations(.standard).map(\.seconds).max() == 99)
  }

  @Test("Under a roof satellites are lost, and found again in the open")
  func roof() throws {
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(),
      changes: [
        .init(time: Route.time(50), surroundings: PhoneSurroundings(isIndoors: true)),
        .init(time: Route.time(80), surroundings: PhoneSurroundings()),
      ])
    var phone = SampleProfile.phone
    phone.tiers[.best]?.indoors = SampleProfile.positions(error: 20, reported: 200)
    let result = try Simulation.run(
      drive(100), profile: phone, surroundings: surroundings, starting(LocationSettings()))
    for (seconds, fixes) in result.locations(.standard) where seconds > 5 && seconds != 50 && seconds != 80 {
      let isInside = seconds > 50 && seconds < 80
      #expect((fixes[0].horizontalAccuracy > 90) == isInside, "\(seconds)")
    }
    // Lost: by Wi-Fi, and hot a second later.
    let first = try #require(result.locations(.standard).first { $0.seconds == 80 })
    #expect(first.fixes[0].horizontalAccuracy > 30)
    #expect(result.locations(.standard).contains { $0.seconds == 81 })
  }

  // MARK: The filter

  @Test("No position is delivered against the filter", arguments: 1...20 as ClosedRange<UInt64>)
  func filter(seed: UInt64) throws {
    var random = RandomStream(seed: seed, "routes")
    var route = Route(east: 0)
    for _ in 0..<10 {
      let speed = random.unit() * 10
      let angle = random.unit() * 2 * .pi
      if random.unit() < 0.5 { route = route.standing(for: 60 + random.unit() * 3600) }
      route = route.going(
        east: speed * angle.cosine, north: speed * angle.sine, for: 20 + (random.unit() * 200).rounded())
    }
    let filter = 1 + random.unit() * 100
    let accuracy = DesiredAccuracy.allCases[Int(random.unit() * 5)]
    var phone = SampleProfile.phone
    phone.tiers[accuracy]?.strayFixes = SampleProfile.figure(60)
    let result = try Simulation.run(
      route, profile: phone, seed: seed,
      starting(
        LocationSettings(desiredAccuracy: accuracy, distanceFilter: filter, pausesAutomatically: false)))
    let fixes = result.locations(.standard).flatMap(\.fixes)
    #expect(!fixes.isEmpty)
    for (before, after) in zip(fixes, fixes.dropFirst()) {
      #expect(before.time < after.time, "seed \(seed)")
      let distance = try Geodesic.distance(from: before.coordinate, to: after.coordinate)
      #expect(distance >= filter - 1e-5, "seed \(seed)")
    }
    #expect(result.counts.fixes == fixes.count)
  }

  @Test("At rest a filter lets nothing through but strays, at their rate")
  func strays() throws {
    var phone = SampleProfile.phone
    phone.tiers[.hundredMeters]?.strayFixes = SampleProfile.figure(6)
    func count(hours: Double) throws -> Int {
      let result = try Simulation.run(
        Route(east: 0).standing(for: hours * 3600), profile: phone,
        starting(
          LocationSettings(desiredAccuracy: .hundredMeters, distanceFilter: 1e-6, pausesAutomatically: false))
      )
      return result.counts.fixes
    }
    // A Poisson number of mean 600, and the first; four standard deviations.
    #expect(abs(Double(try count(hours: 100)) - 601) < 4 * 600.0.squareRoot())
    phone.tiers[.hundredMeters]?.strayFixes = SampleProfile.figure(0)
    #expect(try count(hours: 100) == 1)
  }

  @Test("At rest without a filter, positions go on")
  func still() throws {
    let result = try Simulation.run(
      Route(east: 0).standing(for: 3600),
      starting(LocationSettings(desiredAccuracy: .hundredMeters, pausesAutomatically: false)))
    #expect(result.counts.fixes == 601)
  }

  // MARK: Energy

  @Test("An hour at rest, worked out by hand")
  func energy() throws {
    let result = try Simulation.run(
      Route(east: 0).standing(for: 3600), starting(LocationSettings(pausesAutomatically: false)))
    // 250 mW of the receiver and 20 mW of everything else.
    #expect(abs(result.spent(.gnss) - 900) < 1e-6)
    #expect(abs(result.spent(.idle) - 72) < 1e-6)
    #expect(result.joules[.wifi] == 0)
    // Positions at 0, 5, 6 ... 3600 s, 50 mJ each, the last after the end; and 100 mW for the second in which
    // the app begins, but for the tenth in which it has its first.
    #expect(result.counts.fixes == 3597)
    #expect(abs(result.spent(.cpu) - (3596 * 0.05 + 0.09)) < 1e-6)
    // 10 Wh are 360 J for each per cent.
    let hourly = result.totalJoules / 360
    #expect(abs(result.percentAnHour(of: SampleProfile.phone) - hourly) < 1e-9)
  }

  @Test("Coarser tiers draw theirs, and motion costs more")
  func tierPower() throws {
    var phone = SampleProfile.phone
    phone.tiers[.hundredMeters]?.processor = SampleProfile.figure(15)
    phone.tiers[.hundredMeters]?.motion = SampleProfile.figure(30)
    phone.tiers[.hundredMeters]?.fix = SampleProfile.figure(0)
    let settings = LocationSettings(desiredAccuracy: .hundredMeters, pausesAutomatically: false)
    let rest = try Simulation.run(Route(east: 0).standing(for: 3600), profile: phone, starting(settings))
    #expect(abs(rest.spent(.wifi) - 60 * 3.6) < 1e-6)
    #expect(abs(rest.spent(.cpu) - 15 * 3.6 - 0.085) < 1e-6)
    #expect(rest.joules[.gnss] == 0)
    let moving = try Simulation.run(drive(3600), profile: phone, starting(settings))
    #expect(abs(moving.spent(.cpu) - 45 * 3.6 - 0.055) < 1e-6)
    // Positions come on top: at 6, 12 ... 3594 s. For the tenth of a second of the first, which costs 500 mW
    // more than what is held, the app's 100 mW are covered.
    phone.tiers[.hundredMeters]?.fix = SampleProfile.figure(50)
    let fixes = try Simulation.run(drive(3600), profile: phone, starting(settings))
    #expect(abs(fixes.spent(.cpu) - 45 * 3.6 - 600 * 0.05 - 0.9 * 0.055) < 1e-6)
  }

  // MARK: Pauses

  @Test("Updates pause at rest, draw nothing, and go on when the app is in front again")
  func pause() throws {
    let result = try Simulation.run(
      drive(100).standing(for: 3600), actions: [action(50, .leaveApp), action(2000, .openApp)],
      starting(LocationSettings(allowsBackgroundUpdates: true)))
    let paused = result.told.filter { $0.event == .locationUpdatesPaused }.map(\.seconds)
    // At rest from the fix at 99 s on, 10 m before the end; a quarter of an hour later; and as long after the
    // return.
    #expect(paused == [999, 2900])
    #expect(result.told.filter { $0.event == .locationUpdatesResumed }.map(\.seconds) == [2000])
    let seconds = result.locations(.standard).map(\.seconds)
    #expect(!seconds.contains { $0 > 999 && $0 < 2000 })
    #expect(seconds.contains { $0 > 2000 })
    // 250 mW to the pause, and from the return to the next.
    #expect(abs(result.spent(.gnss) - 0.25 * (999 + 900)) < 1e-6)
    // Nothing keeps it running any more.
    #expect(
      result.timeline.contains { $0.kind == .lifecycle(.suspended, because: "nothing keeps it running") })
  }

  @Test("Nothing pauses what must not, and flying is never at rest")
  func noPause() throws {
    for settings in [LocationSettings(pausesAutomatically: false), LocationSettings(activity: .airborne)] {
      let result = try Simulation.run(Route(east: 0).standing(for: 7200), starting(settings))
      #expect(!result.told.contains { $0.event == .locationUpdatesPaused })
    }
    let driving = try Simulation.run(
      Route(east: 0).standing(for: 7200), starting(LocationSettings(activity: .automotiveNavigation)))
    #expect(driving.told.filter { $0.event == .locationUpdatesPaused }.map(\.seconds) == [450])
  }

  // MARK: In the background

  @Test("With the location mode positions go on behind, without it they end with the app's time")
  func background() throws {
    let actions = [action(50, .leaveApp), action(500, .openApp)]
    let kept = try Simulation.run(drive(600), actions: actions, starting(Self.behind))
    let expected: [Double] = [0] + (5...600).map(Double.init)
    #expect(kept.locations(.standard).map(\.seconds) == expected)
    for (capabilities, settings) in [
      (AppCapabilities(hasLocationMode: false), Self.behind), (AppCapabilities(), LocationSettings()),
      (AppCapabilities(authorization: .whenInUse), LocationSettings()),
    ] {
      let lost = try Simulation.run(
        drive(600), actions: actions, capabilities: capabilities, starting(settings))
      let seconds = lost.locations(.standard).map(\.seconds)
      #expect(!seconds.contains { $0 > 51 && $0 < 500 })
      // Hot again at the return.
      #expect(seconds.contains(501))
      #expect(abs(lost.spent(.gnss) - 0.25 * 150) < 0.3)
    }
  }

  @Test("What the system learned meanwhile comes in one batch on return")
  func batch() throws {
    let result = try Simulation.run(
      drive(600), actions: [action(50, .leaveApp), action(500, .openApp)],
      capabilities: AppCapabilities(hasLocationMode: false)
    ) { phone, event in
      guard case .launched = event else { return }
      phone.startMonitoring(MonitoredRegion(identifier: "far", center: Route.place(0, 50_000), radius: 100))
      phone.locationSettings.distanceFilter = 400
      phone.startUpdatingLocation()
    }
    let batch = try #require(result.locations(.standard).first { $0.fixes.count > 1 })
    #expect(batch.seconds == 500)
    let times = batch.fixes.map { $0.time.seconds(since: result.start) }
    #expect(times.allSatisfy { $0 > 50 && $0 < 500 })
    #expect(times == times.sorted())
    // 4.5 km in steps of 400 m and more.
    #expect(batch.fixes.count >= 5 && batch.fixes.count <= 11)
  }

  @Test("An app that may use location only while in use starts nothing behind")
  func whenInUse() throws {
    let result = try Simulation.run(
      drive(100), actions: [action(50, .leaveApp)], capabilities: AppCapabilities(authorization: .whenInUse)
    ) { phone, event in
      guard case .enteredBackground = event else { return }
      phone.locationSettings = Self.behind
      phone.startUpdatingLocation()
      phone.requestLocation()
    }
    #expect(result.locations(.standard).isEmpty)
    #expect(result.joules[.gnss] == 0)
    let denied = try Simulation.run(
      drive(100), capabilities: AppCapabilities(authorization: .denied), starting(LocationSettings()))
    #expect(denied.counts.fixes == 0)
  }

  // MARK: Deferral

  @Test("Deferred positions come in one batch, without the processor")
  func deferral() throws {
    var profile = SampleProfile.phone
    profile.tiers[.best]?.processor = SampleProfile.figure(40)
    func run(distance: Double, timeout: Duration?) throws -> SimulationResult {
      try Simulation.run(drive(400), profile: profile, actions: [action(50, .leaveApp)]) { phone, event in
        switch event {
        case .launched: self.starting(Self.behind)(phone, event)
        case .enteredBackground: phone.allowDeferredLocationUpdates(untilTraveled: distance, timeout: timeout)
        default: break
        }
      }
    }
    let result = try run(distance: 1e9, timeout: .seconds(200))
    let batch = try #require(result.locations(.standard).first { $0.fixes.count > 1 })
    #expect(batch.seconds == 250)
    #expect(batch.fixes.map { $0.time.seconds(since: result.start) } == (50...250).map(Double.init))
    #expect(result.told.contains(Told(seconds: 250, event: .deferredUpdatesFinished(reason: .timeout))))
    let always = try Simulation.run(
      drive(400), profile: profile, actions: [action(50, .leaveApp)], starting(Self.behind))
    #expect(always.counts.fixes == result.counts.fixes)
    // 200 callbacks of 50 mJ fewer, and 40 mW for 200 s.
    #expect(abs(always.spent(.cpu) - result.spent(.cpu) - 18) < 0.5)
    #expect(always.joules[.gnss] == result.joules[.gnss])
    // 1000 m at 10 m/s, give or take the errors.
    let far = try run(distance: 1000, timeout: nil)
    let ended = try #require(
      far.told.first { $0.event == .deferredUpdatesFinished(reason: .distance) }?.seconds)
    #expect(abs(ended - 150) <= 2)
  }

  @Test("Deferral ends with a return, a stop and a roof, and is not for coarse tiers")
  func deferralEnds() throws {
    func reasons(
      _ settings: LocationSettings = Self.behind, actions: [TimedAction] = [],
      surroundings: SurroundingsTimeline? = nil, stopsAt: Double = 1e6
    ) throws -> [DeferralEnd] {
      let result = try Simulation.run(
        drive(400), surroundings: surroundings, actions: [action(50, .leaveApp)] + actions
      ) { phone, event in
        switch event {
        case .launched:
          self.starting(settings)(phone, event)
          phone.setTimer(after: .seconds(stopsAt))
        case .enteredBackground: phone.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: nil)
        case .timer:
          _ = phone.beginBackgroundTask("to hear of it")
          phone.stopUpdatingLocation()
        default: break
        }
      }
      return result.told.compactMap {
        if case .deferredUpdatesFinished(let reason) = $0.event { reason } else { nil }
      }
    }
    #expect(try reasons() == [])
    #expect(try reasons(actions: [action(100, .openApp)]) == [.canceled])
    #expect(try reasons(stopsAt: 100) == [.canceled])
    let roof = SurroundingsTimeline(
      PhoneSurroundings(),
      changes: [.init(time: Route.time(100), surroundings: PhoneSurroundings(isIndoors: true))])
    #expect(try reasons(surroundings: roof) == [.notAvailable])
    var coarse = Self.behind
    coarse.desiredAccuracy = .hundredMeters
    #expect(try reasons(coarse) == [.notAvailable])
    var filtered = Self.behind
    filtered.distanceFilter = 10
    #expect(try reasons(filtered) == [.notAvailable])
  }

  // MARK: Reduced accuracy

  @Test("At reduced accuracy positions are coarse and few")
  func reduced() throws {
    let result = try Simulation.run(
      drive(3600), capabilities: AppCapabilities(isReducedAccuracy: true), starting(LocationSettings()))
    let fixes = result.locations(.standard).flatMap(\.fixes)
    #expect(fixes.count == 5)
    for fix in fixes {
      #expect((1000...20_000).contains(fix.horizontalAccuracy))
      #expect(abs((fix.coordinate.latitude * 100).remainder(dividingBy: 1)) < 1e-9)
    }
    #expect(result.joules[.gnss] == 0)
  }

  @Test("A change of tier takes effect while it is on")
  func change() throws {
    let result = try Simulation.run(drive(100), actions: [action(50, .leaveApp)]) { phone, event in
      switch event {
      case .launched: self.starting(Self.behind)(phone, event)
      case .enteredBackground: phone.locationSettings.desiredAccuracy = .hundredMeters
      default: break
      }
    }
    let seconds = result.locations(.standard).map(\.seconds)
    let later: [Double] = (1...8).map { 50 + 6 * Double($0) }
    #expect(seconds.filter { $0 > 50 } == later)
    #expect(abs(result.spent(.gnss) - 12.5) < 1e-9)
    #expect(abs(result.spent(.wifi) - 3) < 1e-9)
  }

  @Test("Regions are decided by the service's positions too")
  func regions() throws {
    var phone = RegionMonitoringTests.exactPhone
    phone.regions.interval = SampleProfile.always(1000)
    let home = MonitoredRegion(identifier: "home", center: Route.place(1000), radius: 400)
    func told(_ accuracy: DesiredAccuracy?) throws -> [Double] {
      let result = try Simulation.run(drive(400), profile: phone) { phone, event in
        guard case .launched = event else { return }
        phone.startMonitoring(home)
        guard let accuracy else { return }
        phone.locationSettings = LocationSettings(desiredAccuracy: accuracy)
        phone.startUpdatingLocation()
      }
      return result.told.compactMap {
        switch $0.event {
        case .entered, .exited: $0.seconds
        default: nil
        }
      }
    }
    #expect(try told(nil).isEmpty)
    #expect(try told(.threeKilometers).isEmpty)
    // 100 m within the boundary at 70 s, confirmed 20 s later, told after a second more; 100 m beyond it at
    // 150 s.
    let best = try told(.best)
    #expect(best.count == 2)
    #expect(abs((best.first ?? 0) - 91) <= 3)
    #expect(abs((best.last ?? 0) - 171) <= 3)
  }
}
