import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityIndex
import VicinityMonitor

@testable import VicinitySimulation

/// What the user allows and what the hardware can do: the questions an app asks, and changes during a run.
@Suite("Permissions and hardware")
struct PermissionTests {
  private let home = MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100)
  private let shop = MonitoredRegion(
    identifier: "shop", beacon: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))

  private func at(_ seconds: Double, _ action: UserAction) -> TimedAction {
    TimedAction(time: Route.time(seconds), action)
  }

  /// 999 m to the west until 500 s in, then past the place; in reach of home at 450 s to 550 s.
  private var passing: Route { Route(east: -999).going(east: 2, for: 1000) }

  @Test("What the hardware can do does not depend on what the user allows, nor the other way round")
  func twoQuestions() throws {
    for authorization in AppCapabilities.Authorization.allCases {
      for (hardware, regions, beacons) in [
        (PhoneHardware(), true, true), (PhoneHardware(monitorsRegions: false), false, false),
        (PhoneHardware(hasBluetoothLE: false), true, false),
      ] {
        let stage = try Stage(
          capabilities: AppCapabilities(authorization: authorization), hardware: hardware)
        #expect(stage.phone.isMonitoringAvailable(for: .geographic) == regions)
        #expect(stage.phone.isMonitoringAvailable(for: .beacon) == beacons)
        #expect(stage.phone.isRangingAvailable == hardware.hasBluetoothLE)
        #expect(stage.phone.authorization == authorization)
      }
    }
    let computer = try Stage(rules: .macOS)
    #expect(!computer.phone.isHeadingAvailable && !computer.phone.isSignificantChangeAvailable)
    // Beacons came with iOS 7, and the era of iOS 4 refuses what it did not have.
    for (rules, hasBeacons) in [(BackgroundRules.iOS4, false), (.iOS7, true), (.iOS26, true)] {
      let phone = try Stage(rules: rules).phone
      #expect(phone.isRangingAvailable == hasBeacons)
      #expect(phone.isMonitoringAvailable(for: .beacon) == hasBeacons)
      #expect(phone.isMonitoringAvailable(for: .geographic) && phone.isSignificantChangeAvailable)
    }
    let old = try Stage(
      rules: .iOS4,
      capabilities: AppCapabilities(areLocationServicesOn: false, allowsBackgroundRefresh: false),
      hardware: PhoneHardware(hasCompass: false, hasModem: false, supportsMultitasking: false))
    #expect(!old.phone.isHeadingAvailable && !old.phone.isSignificantChangeAvailable)
    #expect(!old.phone.isMultitaskingSupported && !old.phone.areLocationServicesOn)
    #expect(old.phone.authorization == .deniedGlobally)
    // There was no such setting before iOS 7.
    #expect(old.phone.isBackgroundRefreshAvailable)
    let off = try Stage(capabilities: AppCapabilities(allowsBackgroundRefresh: false))
    #expect(!off.phone.isBackgroundRefreshAvailable)
  }

  @Test(
    "A region is refused with Core Location's code for what stands against it",
    arguments: [
      (AppCapabilities(authorization: .notDetermined), Diagnostics.serviceSessionRequired, 4),
      (AppCapabilities(authorization: .restricted), .authorizationRestricted, 4),
      (AppCapabilities(areLocationServicesOn: false), .authorizationDeniedGlobally, 1),
    ])
  func refusedByTheUser(capabilities: AppCapabilities, diagnostics: Diagnostics, code: Int) throws {
    let stage = try Stage(capabilities: capabilities) { phone, event in
      if case .launched = event { phone.startMonitoring(home) }
    }
    stage.go(to: 10)
    #expect(failures(stage.phone) == [Failure("home", code, diagnostics)])
    #expect(stage.phone.monitoredRegions.isEmpty)
  }

  @Test(
    "In low power mode nothing wakes a suspended app, and no setting tells it why; what keeps it running goes on"
  )
  func lowPower() throws {
    for isOn in [false, true] {
      let stage = try Stage(
        capabilities: AppCapabilities(isLowPowerModeOn: isOn))
      #expect(stage.phone.isBackgroundRefreshAvailable && stage.phone.environment == MonitorEnvironment())
      let route = Route(east: 0).standing(for: 300).going(east: 20, for: 300).standing(for: 900)
      let result = try Simulation.run(
        route, actions: [TimedAction(time: Route.time(60), .leaveApp)],
        capabilities: AppCapabilities(isLowPowerModeOn: isOn)
      ) { phone, event in
        if case .launched = event { phone.startMonitoring(home) }
      }
      let isTold = result.told.contains { $0.event == .exited(region: "home") }
      #expect(isTold == !isOn)
    }
    let kept = try Simulation.run(
      Route(east: 0).standing(for: 600), actions: [TimedAction(time: Route.time(60), .leaveApp)],
      capabilities: AppCapabilities(isLowPowerModeOn: true)
    ) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(continuous: .best)
      phone.startUpdatingLocation()
    }
    #expect(kept.told.contains { $0.seconds > 500 })
  }

  private struct Failure: Equatable {
    var region: String
    var code: Int
    var diagnostics: Diagnostics
    init(_ region: String, _ code: Int, _ diagnostics: Diagnostics) {
      (self.region, self.code, self.diagnostics) = (region, code, diagnostics)
    }
  }

  private func failures(_ phone: SimulatedPhone) -> [Failure] {
    phone.timeline.compactMap {
      guard case .delivered(.monitoringFailed(let region, let error)) = $0.kind else { return nil }
      return Failure(region, error.code.rawValue, error.diagnostics)
    }
  }

  @Test("Missing hardware, airplane mode and Bluetooth refuse what needs them")
  func refusedByTheDevice() throws {
    func refused(
      _ surroundings: PhoneSurroundings = PhoneSurroundings(), _ hardware: PhoneHardware = PhoneHardware(),
      _ rules: BackgroundRules = .iOS13
    ) throws -> [String] {
      let stage = try Stage(
        rules: rules, hardware: hardware, surroundings: SurroundingsTimeline(surroundings)
      ) { phone, event in
        guard case .launched = event else { return }
        phone.startMonitoring(home)
        phone.startMonitoring(shop)
      }
      stage.go(to: 10)
      let failures = failures(stage.phone)
      #expect(failures.allSatisfy { $0.code == 5 && $0.diagnostics == .conditionUnsupported })
      #expect(stage.phone.monitoredRegions.count == 2 - failures.count)
      return failures.map(\.region)
    }
    #expect(try refused() == [])
    #expect(try refused(PhoneSurroundings(), PhoneHardware(monitorsRegions: false)) == ["home", "shop"])
    #expect(try refused(PhoneSurroundings(), PhoneHardware(hasBluetoothLE: false)) == ["shop"])
    #expect(try refused(PhoneSurroundings(hasBluetooth: false)) == ["shop"])
    // The guide's airplane mode ends monitoring; a modern phone's leaves Wi-Fi on.
    let inAir = PhoneSurroundings(isInAirplaneMode: true)
    #expect(try refused(inAir) == [])
    #expect(try refused(inAir, PhoneHardware(), .iOS7) == ["home"])
    #expect(try refused(PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)) == ["home"])
  }

  @Test(
    "A radio that goes off during a run ends watching, and the app is told; crossings are seen when it is on again"
  )
  func radiosDuringARun() throws {
    func told(_ change: PhoneSurroundings, _ rules: BackgroundRules = .iOS13) throws -> [String] {
      let surroundings = SurroundingsTimeline(
        PhoneSurroundings(),
        changes: [
          .init(time: Route.time(200), surroundings: change),
          .init(time: Route.time(800), surroundings: PhoneSurroundings()),
        ])
      let result = try Simulation.run(
        Route(east: -999).going(east: 2, for: 500).standing(for: 700),
        profile: RegionMonitoringTests.exactPhone, surroundings: surroundings, rules: rules
      ) { phone, event in
        switch event {
        case .launched:
          phone.startMonitoring(home)
          phone.startMonitoring(shop)
          _ = phone.setTimer(after: .seconds(300))
        case .timer: phone.requestState(identifier: "home")
        default: break
        }
      }
      return result.told.compactMap { told -> String? in
        switch told.event {
        case .monitoringFailed(let region, let error): "\(Int(told.seconds)) \(region) \(error.code.rawValue)"
        case .entered(let region): told.seconds < 800 ? "early \(region)" : "late \(region)"
        case .determined(let state, "home") where told.seconds == 300: "300 \(state)"
        case .settingsChanged: "\(Int(told.seconds)) settings"
        default: nil
        }
      }
    }
    let off = PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)
    let grounded = ["200 settings", "200 home 5", "300 unknown", "800 settings", "late home"]
    #expect(try told(off) == grounded)
    #expect(try told(PhoneSurroundings(isInAirplaneMode: true), .iOS7) == grounded)
    #expect(try told(PhoneSurroundings(isInAirplaneMode: true)) == ["300 outside", "early home"])
    #expect(
      try told(PhoneSurroundings(hasBluetooth: false)) == [
        "200 settings", "200 shop 5", "300 outside", "early home", "800 settings",
      ])
  }

  @Test("A region that was refused for a radio is watched by the monitor again once the radio is on")
  func refusedForTheRadio() throws {
    let off = PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true)
    let radios: [[(Double, PhoneSurroundings)]] = [
      [(1, off), (300, PhoneSurroundings())], [(300, PhoneSurroundings())],
    ]
    for changes in radios {
      let index = try RegionIndex([Region(identifier: "home", center: Route.place(0), radius: 200)])
      let scenario = Scenario(
        track: try Route(east: -3000).standing(for: 600).going(east: 5, for: 600).standing(for: 1200).track(),
        surroundings: SurroundingsTimeline(
          changes.count == 1 ? off : PhoneSurroundings(),
          changes: changes.map { .init(time: Route.time($0.0), surroundings: $0.1) }),
        profile: RegionMonitoringTests.exactPhone)
      let result = try Simulation.run(scenario, recording: .all) {
        MonitoredApp(watching: index, MonitorOptions())
      }
      let entries = result.timeline.compactMap { entry -> String? in
        if case .reported(true, let region, _) = entry.kind { region } else { nil }
      }
      #expect(entries == ["home"])
    }
  }

  @Test("Denied, a region that is monitored fails; starting it again is no success, and its state is unknown")
  func deniedMeanwhile() throws {
    let result = try Simulation.run(
      Route(east: 0).standing(for: 1000),
      actions: [at(100, .set(.authorization(.denied))), at(500, .set(.authorization(.always)))]
    ) { phone, event in
      switch event {
      case .launched:
        phone.startMonitoring(home)
        _ = phone.setTimer(after: .seconds(50))
        _ = phone.setTimer(after: .seconds(200))
        _ = phone.setTimer(after: .seconds(600))
      case .timer:
        phone.startMonitoring(home)
        phone.requestState(identifier: "home")
        #expect(phone.monitoredRegions == [home])
      default: break
      }
    }
    let told = result.told.compactMap { told -> String? in
      switch told.event {
      case .monitoringFailed(_, let error): "\(Int(told.seconds)) failed \(error.code.rawValue)"
      case .determined(let state, _): "\(Int(told.seconds)) \(state)"
      case .settingsChanged: "\(Int(told.seconds)) settings"
      default: nil
      }
    }
    #expect(
      told == [
        "50 inside", "100 settings", "100 failed 4", "200 failed 4", "200 unknown", "500 settings",
        "600 inside",
      ])
  }

  @Test("What happened while regions were not allowed is told afterwards, once; then crossings go on")
  func allowedAgain() throws {
    let profile = RegionMonitoringTests.exactPhone
    func crossings(_ actions: [TimedAction], _ rules: BackgroundRules = .iOS13) throws -> [String] {
      try Simulation.run(passing, profile: profile, actions: actions, rules: rules) { phone, event in
        if case .launched = event { phone.startMonitoring(home) }
      }.crossings.map { String($0.drop { $0 != " " }.dropFirst()) }
    }
    #expect(try crossings([]) == ["entered home", "exited home"])
    // Entered while denied: told when it is allowed again. Entered and left: nothing happened.
    let denied = at(300, .set(.authorization(.denied)))
    #expect(
      try crossings([denied, at(480, .set(.authorization(.always)))]) == ["entered home", "exited home"])
    #expect(try crossings([denied, at(800, .set(.authorization(.always)))]) == [])
    #expect(try crossings([denied]) == [])
    #expect(try crossings([at(300, .set(.locationServices(false)))]) == [])
    #expect(try crossings([at(300, .set(.reducedAccuracy(true)))]) == [])
  }

  @Test("With Background App Refresh off nothing wakes or starts the app, by the rules that know the setting")
  func backgroundRefresh() throws {
    for (rules, isWoken) in [(BackgroundRules.iOS4, true), (.iOS7, false), (.iOS13, false)] {
      for ends in [false, true] {
        let stage = try Stage(
          [(100, .leaveApp)] + (ends ? [(150, .memoryPressure)] : []), rules: rules,
          capabilities: AppCapabilities(allowsBackgroundRefresh: false))
        #expect(stage.event(.entered(region: "a"), at: 50))
        #expect(stage.event(.entered(region: "b"), at: 200) == isWoken, "\(rules.name) \(ends)")
      }
    }
    // Switched off and on again during the run.
    let stage = try Stage([
      (100, .leaveApp), (200, .set(.backgroundRefresh(false))), (400, .set(.backgroundRefresh(true))),
    ])
    #expect(stage.event(.entered(region: "a"), at: 150))
    #expect(!stage.event(.entered(region: "b"), at: 300))
    #expect(stage.event(.entered(region: "c"), at: 500))
    // It is told of the changes when it goes on, before anything else.
    #expect(stage.story.suffix(3) == ["500 BACKGROUND", "500 settingsChanged", "500 entered c"])
  }

  @Test("Updates stop when they are denied, and go on when they are allowed again")
  func updates() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 1, for: 600),
      actions: [at(200, .set(.authorization(.denied))), at(400, .set(.authorization(.whenInUse)))]
    ) { phone, event in
      if case .launched = event {
        phone.locationSettings.pausesAutomatically = false
        phone.startUpdatingLocation()
      }
    }
    let seconds = result.locations(.standard).map(\.seconds)
    #expect(seconds.contains { $0 < 200 } && seconds.contains { $0 > 400 })
    #expect(!seconds.contains { $0 > 200 && $0 < 400 })
    #expect(result.told.contains(Told(seconds: 200, event: .locationDenied)))
    // 250 mW for the 400 s in which they were allowed.
    #expect(abs(result.spent(.gnss) - 0.25 * 400) < 1e-6)
    // Asked for before the user has decided, they begin when the user has; denied, they are refused.
    let asked = try Simulation.run(
      Route(east: 0).going(east: 1, for: 300), actions: [at(100, .set(.authorization(.always)))],
      capabilities: AppCapabilities(authorization: .notDetermined)
    ) { phone, event in
      if case .launched = event { phone.startUpdatingLocation() }
    }
    let first = try #require(asked.locations(.standard).first)
    #expect(first.seconds >= 100)
    let refused = try Simulation.run(
      Route(east: 0).going(east: 1, for: 100), capabilities: AppCapabilities(authorization: .denied)
    ) { phone, event in
      if case .launched = event { phone.startUpdatingLocation() }
    }
    #expect(refused.told.contains(Told(seconds: 0, event: .locationDenied)))
  }

  @Test("In use only: refused before iOS 17; since then told in use, and what was missed when it is again")
  func whenInUse() throws {
    func crossings(_ rules: BackgroundRules, _ actions: [TimedAction]) throws -> [String] {
      try Simulation.run(
        passing, profile: RegionMonitoringTests.exactPhone, actions: actions, rules: rules,
        capabilities: AppCapabilities(authorization: .whenInUse)
      ) { phone, event in
        if case .launched = event { phone.startMonitoring(home) }
      }.crossings.map { String($0.drop { $0 != " " }.dropFirst()) }
    }
    #expect(try crossings(.iOS13, []) == [])
    #expect(try crossings(.iOS17, []) == ["entered home", "exited home"])
    #expect(try crossings(.iOS17, [at(300, .leaveApp)]) == [])
    #expect(
      try crossings(.iOS17, [at(300, .leaveApp), at(480, .openApp)]) == ["entered home", "exited home"])
  }

  @Test("A phone without multitasking ends the app that is left, and tells it")
  func multitasking() throws {
    let stage = try Stage(
      [(100, .leaveApp), (200, .openApp)], rules: .iOS4, hardware: PhoneHardware(supportsMultitasking: false))
    // Nothing but its user starts it: it cannot run in the background.
    #expect(!stage.event(.entered(region: "a"), at: 150))
    stage.go(to: 300)
    #expect(
      stage.story.dropFirst(3) == [
        "100 willTerminate", "100 NOTRUNNING", "200 FOREGROUND", "200 launched user", "200 becameActive",
      ])
  }

  @Test(
    "With iOS 7 Background App Refresh decides about updates in the background; on modern phones it does not")
  func refreshAndUpdates() throws {
    for (rules, isOn, state) in [
      (BackgroundRules.iOS7, true, AppState.background), (.iOS7, false, .suspended),
      (.iOS4, false, .background), (.iOS13, false, .background),
    ] {
      let stage = try Stage(
        [(100, .leaveApp)], rules: rules, capabilities: AppCapabilities(allowsBackgroundRefresh: isOn)
      ) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(continuous: .best)
        phone.startUpdatingLocation()
      }
      stage.go(to: 200)
      #expect(stage.phone.appState == state, "\(rules.name), \(isOn)")
      #expect(stage.phone.standard.isOn == (state == .background), "\(rules.name), \(isOn)")
    }
  }

  @Test(
    "Without satellites a phone is located by Wi-Fi and cells; airplane mode switches off an old one's receiver"
  )
  func withoutSatellites() throws {
    func fixes(
      _ rules: BackgroundRules, _ hardware: PhoneHardware, _ surroundings: PhoneSurroundings
    ) throws -> (accuracies: [Meters], joules: Double, isToldUnknown: Bool) {
      let result = try Simulation.run(
        Route(east: 0).going(east: 2, for: 600), surroundings: SurroundingsTimeline(surroundings),
        rules: rules, hardware: hardware
      ) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(continuous: .best)
        phone.startUpdatingLocation()
        phone.requestLocation(.best)
      }
      let fixes = result.told.flatMap { told -> [Fix] in
        if case .locations(let fixes, _) = told.event { fixes } else { [] }
      }
      return (
        fixes.map(\.horizontalAccuracy), result.spent(.gnss),
        result.told.contains { $0.event == .locationUnknown }
      )
    }
    let none = PhoneHardware(hasSatellites: false)
    let whole = try fixes(.iOS13, PhoneHardware(), PhoneSurroundings())
    #expect(whole.accuracies.contains { $0 < 16 } && whole.joules > 100)
    let tablet = try fixes(.iOS13, none, PhoneSurroundings())
    #expect(tablet.accuracies.count > 100 && tablet.accuracies.allSatisfy { $0 > 16 } && tablet.joules == 0)
    // Without Wi-Fi only cells are left, and without these nothing.
    var surroundings = PhoneSurroundings()
    surroundings.hasWiFi = false
    let cells = try fixes(.iOS13, none, surroundings)
    #expect(!cells.accuracies.isEmpty && cells.accuracies.allSatisfy { $0 > 100 })
    surroundings.isInAirplaneMode = true
    for (rules, hardware, isLocated) in [
      (BackgroundRules.iOS4, PhoneHardware(), false), (.iOS7, PhoneHardware(), false),
      (.iOS13, PhoneHardware(), true), (.iOS13, none, false),
    ] {
      let flight = try fixes(rules, hardware, surroundings)
      #expect(!flight.accuracies.isEmpty == isLocated, "\(rules.name)")
      #expect((flight.joules > 0) == isLocated, "\(rules.name)")
      // A cold receiver needs longer than the app waits.
      #expect(flight.isToldUnknown, "\(rules.name)")
    }
  }

  @Test("Without a compass, a modem or Bluetooth Low Energy the services that need them are refused")
  func missingHardware() throws {
    func lost(_ rules: BackgroundRules, _ hardware: PhoneHardware) throws -> [String] {
      let stage = try Stage(rules: rules, hardware: hardware) { phone, event in
        guard case .launched = event else { return }
        phone.startUpdatingHeading()
        phone.startMonitoringSignificantLocationChanges()
        phone.startRangingBeacons(BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))
        phone.startUpdatingLocation()
        phone.allowDeferredLocationUpdates(untilTraveled: 100, timeout: nil)
      }
      stage.go(to: 10)
      return stage.story.filter { $0.contains("lost") }.map { String($0.split(separator: ":")[0]) }
    }
    #expect(try lost(.iOS13, PhoneHardware()) == [])
    #expect(try lost(.macOS, PhoneHardware()) == ["0 lost heading", "0 lost significant changes"])
    #expect(
      try lost(.iOS4, PhoneHardware()).map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        == ["0 lost ranging", "0 lost deferred"])
    #expect(try lost(.iOS7, PhoneHardware()) == [])
    let nothing = PhoneHardware(hasBluetoothLE: false, hasCompass: false, hasModem: false)
    #expect(
      try lost(.iOS13, nothing).map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
        "0 lost heading", "0 lost significant", "0 lost ranging",
      ])
  }
}
