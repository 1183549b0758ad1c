import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// What versions since iOS 16.4 have changed.
@Suite("Eras of the phone since iOS 16.4")
struct ModernEraTests {
  private static let filtered = LocationSettings(
    distanceFilter: 10, pausesAutomatically: false, allowsBackgroundUpdates: true)
  private static let qualifying = LocationSettings(continuous: .hundredMeters)

  /// A report of a significant change.
  private static let move = PhoneEvent.locations(
    [Fix(time: Stage.time(0), coordinate: Coordinate(latitude: 46, longitude: 6))], from: .significantChange)
  private static let entry = PhoneEvent.entered(region: "home")

  private static func start(_ phone: SimulatedPhone, _ settings: LocationSettings) {
    phone.locationSettings = settings
    phone.startUpdatingLocation()
  }

  // MARK: Names

  @Test("Each era has rules of its name, and a profile's era is a scenario's unless it says otherwise")
  func names() throws {
    for era in DeviceProfile.Era.allCases {
      #expect(BackgroundRules(era).name == era.rawValue)
      #expect((BackgroundRules(era).platform == .macOS) == (era == .macOS))
    }
    let track = try Route(east: 0).standing(for: 100).track()
    var profile = SampleProfile.phone
    #expect(Scenario(track: track, profile: profile).rules == .iOS13)
    profile.era = .iOS18
    #expect(Scenario(track: track, profile: profile).rules == .iOS18)
    #expect(Scenario(track: track, profile: profile, rules: .iOS4).rules == .iOS4)
    #expect(try DeviceProfile.named("modern-phone").era == .iOS26)
    #expect(try DeviceProfile.named("iphone-6").era == .iOS13)
  }

  @Test("The page of the eras has a row for each change, in the order of the list")
  func page() throws {
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Sources/VicinitySimulation/VicinitySimulation.docc/Eras.md"), encoding: .utf8
    )
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    #expect(
      rows
        == BackgroundRules.changes.map {
          "| `\($0.era.rawValue)` | \($0.what) | \($0.source) | \($0.certainty.rawValue) |"
        })
    let order = DeviceProfile.Era.allCases
    let eras = BackgroundRules.changes.compactMap { order.firstIndex(of: $0.era) }
    #expect(eras == eras.sorted())
  }

  // MARK: Updates that keep an app running

  @Test(
    "Since iOS 16.4 updates with a filter or of a coarse tier keep an app running only while they are shown",
    arguments: [
      (BackgroundRules.iOS13, filtered, true), (.iOS16_4, filtered, false), (.iOS26, filtered, false),
      (.iOS16_4, qualifying, true), (.iOS26, qualifying, true),
      (.iOS16_4, LocationSettings(continuous: .hundredMeters, distanceFilter: 0), true),
      (.iOS16_4, LocationSettings(continuous: .hundredMeters, distanceFilter: 1), false),
      (.iOS13, LocationSettings(continuous: .kilometer), true),
      (.iOS16_4, LocationSettings(continuous: .kilometer), false),
    ])
  func qualifyingUpdates(rules: BackgroundRules, settings: LocationSettings, goesOn: Bool) throws {
    for (isShown, authorization) in [
      (false, AppCapabilities.Authorization.always), (true, .always), (false, .whenInUse),
    ] {
      let stage = try Stage(
        [(100, .leaveApp)], rules: rules, capabilities: AppCapabilities(authorization: authorization)
      ) { phone, event in
        var settings = settings
        settings.showsIndicator = isShown
        if case .launched = event { Self.start(phone, settings) }
      }
      stage.go(to: 5000)
      // With permission in use only the system always shows them.
      let isKept = goesOn || isShown || authorization == .whenInUse
      #expect(stage.phone.appState == (isKept ? .background : .suspended))
    }
  }

  @Test("Suspended updates have no positions, and come again when the app runs")
  func suspendedUpdates() throws {
    let stage = try Stage([(100, .leaveApp), (5000, .openApp)], rules: .iOS16_4) { phone, event in
      if case .launched = event {
        Self.start(phone, LocationSettings(continuous: .best, distanceFilter: 10))
      }
    }
    stage.go(to: 4999)
    let count = stage.phone.counts.fixes
    #expect(count < 10 && stage.phone.appState == .suspended)
    #expect(stage.phone.meter.joules(.gnss) < 0.25 * 101)
    stage.go(to: 5200)
    #expect(stage.phone.standard.isOn && stage.phone.counts.fixes > count)
  }

  @Test("An app that makes its updates coarse in the background is suspended then")
  func changedInTheBackground() throws {
    let stage = try Stage(
      [(100, .leaveApp), (500, .app(.startUpdates(LocationSettings(continuous: .reduced))))], rules: .iOS16_4
    ) { phone, event in
      if case .launched = event { Self.start(phone, Self.qualifying) }
    }
    stage.go(to: 499)
    #expect(stage.phone.appState == .background)
    stage.go(to: 501)
    #expect(stage.phone.appState == .suspended)
  }

  // MARK: Begun in the background

  /// The state of an app some time after it has begun updates in the background.
  private func begunInTheBackground(
    _ rules: BackgroundRules, _ events: [PhoneEvent], ends: Bool = false, on wanted: PhoneEvent? = nil
  ) throws -> AppState {
    var actions: [(Double, UserAction)] = [(100, .leaveApp)]
    if ends { actions.append((150, .memoryPressure)) }
    let stage = try Stage(actions, rules: rules) { phone, event in
      if case .launched = event { phone.startMonitoringSignificantLocationChanges() }
      if phone.now > Stage.time(160), event == wanted ?? events[0] || event == .launched(.location) {
        Self.start(phone, Self.qualifying)
      }
    }
    for (index, event) in events.enumerated() {
      #expect(stage.event(event, at: 200 + 4 * Double(index)))
    }
    stage.go(to: 206)
    #expect(stage.phone.appState == .background && stage.phone.standard.isOn)
    stage.go(to: 1000)
    return stage.phone.appState
  }

  @Test(
    "Updates that are begun in the background stop within seconds, unless a significant change woke the app")
  func begunInTheBackground() throws {
    for ends in [false, true] {
      #expect(try begunInTheBackground(.iOS13, [Self.entry], ends: ends) == .background)
      for rules in [BackgroundRules.iOS16_4, .iOS17, .iOS26] {
        #expect(try begunInTheBackground(rules, [Self.entry], ends: ends) == .suspended)
        #expect(try begunInTheBackground(rules, [Self.move], ends: ends) == .background)
        let later = try begunInTheBackground(rules, [Self.entry, Self.move], ends: ends, on: Self.move)
        #expect(later == .background)
      }
    }
  }

  @Test("What a significant change has allowed is over with the next suspension")
  func nextWake() throws {
    let stage = try Stage([(100, .leaveApp)], rules: .iOS16_4) { phone, event in
      if event == Self.entry { Self.start(phone, Self.qualifying) }
    }
    stage.event(Self.move, at: 200)
    stage.go(to: 220)
    #expect(stage.phone.appState == .suspended)
    stage.event(Self.entry, at: 300)
    stage.go(to: 320)
    #expect(stage.phone.appState == .suspended)
  }

  @Test("What a significant change has allowed is over when the app has been in front since, and is left")
  func leftAgain() throws {
    let stage = try Stage([(100, .leaveApp), (203, .openApp), (205, .leaveApp)], rules: .iOS16_4) {
      phone, event in
      if event == .enteredBackground, phone.now > Stage.time(200) { Self.start(phone, Self.qualifying) }
    }
    stage.event(Self.move, at: 200)
    stage.go(to: 220)
    #expect(stage.phone.appState == .suspended)
  }

  @Test("Updates that are on when the app comes to the front are as begun there; a suspension ends that")
  func broughtToTheFront() throws {
    let stage = try Stage([(100, .leaveApp), (205, .openApp), (210, .leaveApp)], rules: .iOS16_4) {
      phone, event in
      if event == Self.entry { Self.start(phone, Self.qualifying) }
    }
    stage.event(Self.entry, at: 200)
    stage.go(to: 1000)
    #expect(stage.phone.appState == .background)
    // Suspended by its own coarse settings, the app is woken and goes back to good ones.
    stage.phone.perform(.startUpdates(LocationSettings(continuous: .reduced)))
    stage.go(to: 2000)
    #expect(stage.phone.appState == .suspended)
    stage.event(Self.entry, at: 2100)
    stage.go(to: 2111)
    #expect(stage.phone.appState == .suspended)
  }

  // MARK: Background activity

  private func activity(
    _ rules: BackgroundRules, _ actions: [(Double, UserAction)] = [(100, .leaveApp)],
    capabilities: AppCapabilities = AppCapabilities(),
    react: @escaping (SimulatedPhone, PhoneEvent) -> Void = { _, _ in }
  ) throws -> Stage {
    try Stage(actions, rules: rules, capabilities: capabilities) { phone, event in
      if case .launched(.user) = event { phone.beginBackgroundActivity() }
      react(phone, event)
    }
  }

  @Test("Updates of any settings keep an app with a background activity session running, until it ends that")
  func activityKeeps() throws {
    for (rules, goesOn) in [(BackgroundRules.iOS16_4, false), (.iOS17, true), (.iOS26, true)] {
      let stage = try activity(rules) { phone, event in
        if case .launched = event { Self.start(phone, Self.filtered) }
      }
      stage.go(to: 20_000)
      #expect(stage.phone.appState == (goesOn ? .background : .suspended))
      #expect(stage.phone.hasBackgroundActivity == goesOn)
      // Nothing but its end ends it.
      stage.phone.perform(.endBackgroundActivity)
      stage.go(to: 20_001)
      #expect(stage.phone.appState == .suspended && !stage.phone.hasBackgroundActivity)
    }
  }

  @Test("A session alone does not keep an app running, but in use")
  func activityAlone() throws {
    let stage = try activity(.iOS17, capabilities: AppCapabilities(authorization: .whenInUse))
    stage.go(to: 1000)
    #expect(stage.phone.appState == .suspended && stage.phone.isInUse)
    #expect(stage.phone.monitoringSuspension.isEmpty)
    #expect(stage.event(Self.entry, at: 1100))
    #expect(stage.phone.appState == .background)
    // Which lets it begin updates there, too.
    Self.start(stage.phone, Self.filtered)
    stage.go(to: 1200)
    #expect(stage.phone.appState == .background)
    let without = try Stage(
      [(100, .leaveApp)], rules: .iOS17, capabilities: AppCapabilities(authorization: .whenInUse))
    without.go(to: 1000)
    #expect(without.phone.monitoringSuspension == .insufficientlyInUse)
    #expect(!without.event(Self.entry, at: 1100))
  }

  @Test("A session that is begun in the background is refused, and counts when the app comes to the front")
  func activityRefused() throws {
    let stage = try Stage([(100, .leaveApp), (500, .openApp), (600, .leaveApp)], rules: .iOS17) {
      phone, event in
      if event == Self.entry { phone.beginBackgroundActivity() }
    }
    stage.event(Self.entry, at: 200)
    #expect(!stage.phone.hasBackgroundActivity)
    #expect(stage.phone.environment.reported[.backgroundActivity] == .insufficientlyInUse)
    #expect(stage.story.contains { $0 == "200 lost background activity: begun in the background" })
    stage.go(to: 700)
    #expect(stage.phone.hasBackgroundActivity)
    #expect(stage.phone.environment.reported[.backgroundActivity] == nil)
  }

  @Test(
    "A session goes on through a launch in the background if the app begins it again at once",
    arguments: [(0.0, true), (4, true), (6, false), (nil, false)] as [(Double?, Bool)])
  func activityThroughALaunch(after: Double?, goesOn: Bool) throws {
    let stage = try activity(.iOS17, [(100, .leaveApp), (200, .memoryPressure)]) { phone, event in
      switch event {
      case .launched(.location):
        guard let after else { return }
        if after == 0 { phone.beginBackgroundActivity() } else { phone.setTimer(after: .seconds(after)) }
      case .timer: phone.beginBackgroundActivity()
      default: break
      }
    }
    stage.go(to: 250)
    #expect(stage.phone.appState == .notRunning && stage.phone.hasBackgroundActivity)
    stage.event(Self.entry, at: 300)
    stage.go(to: 304.9)
    #expect(stage.phone.hasBackgroundActivity)
    stage.go(to: 400)
    #expect(stage.phone.hasBackgroundActivity == goesOn)
  }

  @Test("A session needs the mode and the permission, and a restart ends it")
  func activityNeeds() throws {
    let modeless = try activity(.iOS17, capabilities: AppCapabilities(hasLocationMode: false))
    #expect(!modeless.phone.hasBackgroundActivity)
    let stage = try activity(
      .iOS17,
      [
        (100, .leaveApp), (200, .set(.authorization(.denied))), (300, .set(.authorization(.always))),
        (400, .restart),
      ])
    for (time, isInForce) in [(150.0, true), (250, false), (350, true), (450, false)] {
      stage.go(to: time)
      #expect(stage.phone.hasBackgroundActivity == isInForce, "\(time)")
    }
  }

  // MARK: Service sessions

  private func service(
    _ rules: BackgroundRules, requires: Bool = true, by slots: SlotService = .conditionMonitor,
    _ actions: [(Double, UserAction)] = [(100, .leaveApp), (200, .memoryPressure)],
    begins: @escaping (PhoneEvent) -> Bool
  ) throws -> Stage {
    try Stage(actions, rules: rules, capabilities: AppCapabilities(requiresServiceSession: requires)) {
      phone, event in
      if case .launched = event { phone.slotService = slots }
      if begins(event) { phone.beginServiceSession() }
    }
  }

  private static func isLaunch(_ event: PhoneEvent) -> Bool {
    if case .launched = event { true } else { false }
  }

  @Test("An app that declares sessions is told of nothing without one; all others have one by themselves")
  func serviceSessions() throws {
    func suspension(
      _ rules: BackgroundRules, requires: Bool, holds: Bool, by slots: SlotService = .conditionMonitor
    ) throws -> Diagnostics {
      let stage = try service(rules, requires: requires, by: slots) { holds && Self.isLaunch($0) }
      stage.go(to: 50)
      #expect(stage.phone.environment.diagnostics(for: .geographic) == stage.phone.monitoringSuspension)
      return stage.phone.monitoringSuspension
    }
    #expect(try suspension(.iOS18, requires: true, holds: false) == .serviceSessionRequired)
    #expect(try suspension(.iOS26, requires: true, holds: false) == .serviceSessionRequired)
    #expect(try suspension(.iOS18, requires: true, holds: true).isEmpty)
    #expect(try suspension(.iOS18, requires: false, holds: false).isEmpty)
    #expect(try suspension(.iOS17, requires: true, holds: false).isEmpty)
    #expect(try suspension(.iOS18, requires: true, holds: false, by: .regionMonitoring).isEmpty)
  }

  @Test("A service session goes on through a launch that begins it again, and ends with one that does not")
  func serviceThroughALaunch() throws {
    let kept = try service(.iOS18, begins: Self.isLaunch)
    kept.go(to: 250)
    #expect(kept.phone.monitoringSuspension.isEmpty)
    #expect(kept.event(Self.entry, at: 300))
    kept.go(to: 400)
    #expect(kept.phone.monitoringSuspension.isEmpty)
    let dropped = try service(.iOS18) { $0 == .launched(.user) }
    #expect(dropped.event(Self.entry, at: 300))
    dropped.go(to: 304)
    #expect(dropped.phone.monitoringSuspension.isEmpty)
    dropped.go(to: 306)
    #expect(dropped.phone.monitoringSuspension == .serviceSessionRequired)
  }

  @Test("A service session that is begun in the background is refused, and the app is told so")
  func serviceRefused() throws {
    let stage = try service(.iOS18, [(100, .leaveApp), (500, .openApp)]) { $0 == Self.entry }
    stage.event(Self.entry, at: 200)
    #expect(stage.phone.monitoringSuspension == .insufficientlyInUse)
    #expect(stage.phone.environment.diagnostics(for: .geographic) == .insufficientlyInUse)
    #expect(stage.story.contains("200 settingsChanged"))
    stage.go(to: 600)
    #expect(stage.phone.monitoringSuspension.isEmpty)
    stage.phone.perform(.endServiceSession)
    #expect(stage.phone.monitoringSuspension == .serviceSessionRequired)
  }

  // MARK: CLMonitor

  @Test(
    "Since iOS 17 CLMonitor withholds entries after a launch in the background, and the classic service does not"
  )
  func withheldEntries() throws {
    func crossings(_ rules: BackgroundRules, _ service: SlotService) throws -> [String] {
      let scenario = Scenario(
        track: try Route(east: -1999).going(east: 2, for: 1000).standing(for: 1000).going(east: 5, for: 600)
          .track(),
        surroundings: SurroundingsTimeline(),
        actions: [(50.0, UserAction.leaveApp), (100, .memoryPressure), (1500, .openApp), (1600, .leaveApp)]
          .map { TimedAction(time: Route.time($0.0), $0.1) },
        profile: RegionMonitoringTests.exactPhone, rules: rules)
      return try Simulation.run(scenario, recording: .all) {
        ScriptedApp { phone, event in
          guard case .launched(let reason) = event else { return }
          phone.slotService = service
          if reason == .user {
            phone.startMonitoring(MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100))
          }
        }
      }.crossings.compactMap { $0.split(separator: " ").first.flatMap { Double($0) } }
        .map { $0 == 1500 ? "in front" : "at once" }
    }
    for rules in [BackgroundRules.iOS17, .iOS18, .iOS26] {
      #expect(try crossings(rules, .conditionMonitor) == ["in front", "at once"])
      #expect(try crossings(rules, .regionMonitoring) == ["at once", "at once"])
    }
    #expect(try crossings(.iOS16_4, .conditionMonitor) == ["at once", "at once"])
  }

  // MARK: Force quit

  @Test(
    "iOS 26 does not start an app that its user has force-quit; it wakes and starts all others",
    arguments: [(BackgroundRules.iOS18, true), (.iOS26, false)])
  func forceQuit(rules: BackgroundRules, starts: Bool) throws {
    for event in [Self.entry, Self.move, .exited(region: "home")] {
      func isTold(_ actions: [(Double, UserAction)]) throws -> Bool {
        let stage = try Stage([(100, .leaveApp)] + actions, rules: rules)
        return stage.event(event, at: 300)
      }
      #expect(try isTold([(200, .forceQuit)]) == starts)
      #expect(try isTold([]))
      #expect(try isTold([(200, .memoryPressure)]))
      #expect(try isTold([(200, .forceQuit), (210, .openApp), (220, .leaveApp)]))
      #expect(try isTold([(200, .forceQuit), (210, .restart), (220, .openApp), (230, .leaveApp)]))
    }
  }
}

/// `CLLocationUpdate.liveUpdates(_:)`.
@Suite("Live updates")
struct LiveUpdateTests {
  /// Half an hour at rest, then ten minutes of going, then rest.
  private static let route = Route(east: 0).standing(for: 1800).going(east: 5, for: 600).standing(for: 600)

  /// Whether the phone has begun to go, by the metres that it takes to notice that.
  private static func isMotion(_ seconds: Double) -> Bool { (1800...1830).contains(seconds) }

  private func run(
    _ actions: [(Double, UserAction)], rules: BackgroundRules = .iOS26,
    authorization: AppCapabilities.Authorization = .always, requiresSession: Bool = false,
    hasLocationMode: Bool = true, onLaunch: @escaping (SimulatedPhone, LaunchReason) -> Void
  ) throws -> SimulationResult {
    try Simulation.run(
      Self.route, actions: actions.map { TimedAction(time: Route.time($0.0), $0.1) }, rules: rules,
      capabilities: AppCapabilities(
        authorization: authorization, hasLocationMode: hasLocationMode,
        requiresServiceSession: requiresSession)
    ) { phone, event in
      if case .launched(let reason) = event { onLaunch(phone, reason) }
    }
  }

  /// How many positions came from one second to another.
  private func count(_ result: SimulationResult, _ from: Double, _ to: Double) -> Int {
    result.locations(.standard).filter { $0.seconds > from && $0.seconds <= to }.map(\.fixes.count).reduce(
      0, +)
  }

  @Test("They pause at rest, which suspends the app, and wake it as the phone moves on")
  func pauses() throws {
    let result = try run([(100, .leaveApp)]) { phone, _ in phone.startLiveUpdates() }
    #expect(count(result, 100, 800) > 600)
    #expect(count(result, 1000, 1800) == 0)
    #expect(count(result, 1830, 2400) > 500)
    let told = result.told.filter {
      $0.event == .locationUpdatesPaused || $0.event == .locationUpdatesResumed
    }
    try #require(told.count >= 2)
    #expect(told.map(\.event).prefix(2) == [.locationUpdatesPaused, .locationUpdatesResumed])
    #expect(told[0].seconds == 900 && Self.isMotion(told[1].seconds))
    #expect(result.counts.wakes == 1 && result.spent(.gnss) < 0.25 * (900 + 600 + 631))
    // Nobody flies at rest.
    let airborne = try run([(100, .leaveApp)]) { phone, _ in phone.startLiveUpdates(.airborne) }
    #expect(count(airborne, 1000, 1800) > 700)
  }

  @Test("In the background they need the mode, and always or a background activity session")
  func background() throws {
    for (authorization, session, hasMode, goesOn) in [
      (AppCapabilities.Authorization.always, false, true, true), (.whenInUse, false, true, false),
      (.whenInUse, true, true, true), (.always, true, false, false),
    ] {
      let result = try run([(100, .leaveApp)], authorization: authorization, hasLocationMode: hasMode) {
        phone, _ in
        if session { phone.beginBackgroundActivity() }
        phone.startLiveUpdates()
      }
      #expect(count(result, 0, 100) > 90)
      #expect((count(result, 110, 800) > 600) == goesOn, "\(authorization) \(session) \(hasMode)")
      #expect((count(result, 1900, 2400) > 400) == goesOn, "\(authorization) \(session) \(hasMode)")
    }
  }

  @Test("An app that declares sessions gets them while it holds one")
  func serviceSession() throws {
    for (rules, holds, count) in [(BackgroundRules.iOS18, false, 0), (.iOS18, true, 90), (.iOS17, false, 90)]
    {
      let result = try run([], rules: rules, requiresSession: true) { phone, _ in
        if holds { phone.beginServiceSession() }
        phone.startLiveUpdates()
      }
      #expect(count == 0 ? self.count(result, 0, 900) == 0 : self.count(result, 0, 100) > count)
    }
  }

  @Test("They start an app that has ended, as soon as there is a position, unless its user has force-quit it")
  func relaunch() throws {
    func launches(_ rules: BackgroundRules, _ end: UserAction, at seconds: Double) throws -> [Double] {
      let result = try run([(100, .leaveApp), (seconds, end)], rules: rules) { phone, _ in
        phone.startLiveUpdates()
      }
      #expect(count(result, 2000, 2400) > 300 || result.counts.relaunches == 0)
      return result.told.compactMap { $0.event == .launched(.location) ? $0.seconds.rounded() : nil }
    }
    #expect(try launches(.iOS26, .terminate, at: 500) == [501])
    // While they pause, when it moves on.
    #expect(try launches(.iOS26, .memoryPressure, at: 1500).map(Self.isMotion) == [true])
    #expect(try launches(.iOS18, .forceQuit, at: 1500).map(Self.isMotion) == [true])
    #expect(try launches(.iOS26, .forceQuit, at: 1500).isEmpty)
    var unlocked = BackgroundRules.iOS26
    unlocked.needsFirstUnlock = false
    #expect(try launches(unlocked, .restart, at: 1500).isEmpty)
    #expect(try launches(.iOS16_4, .terminate, at: 500).isEmpty)
  }

  @Test("They and the standard service take each other's place, and leave the app's settings alone")
  func inPlace() throws {
    let stage = try Stage([(100, .leaveApp)], rules: .iOS17) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(continuous: .hundredMeters)
      phone.startUpdatingLocation()
      phone.startLiveUpdates(.fitness)
    }
    stage.go(to: 50)
    let live = stage.phone.standard.settings
    #expect(live.desiredAccuracy == .best)
    #expect(stage.phone.locationSettings.desiredAccuracy == .hundredMeters)
    stage.phone.stopUpdatingLocation()
    #expect(stage.phone.isLocationOn)
    stage.phone.startUpdatingLocation()
    let own = stage.phone.standard.settings
    #expect(own == stage.phone.locationSettings)
    stage.phone.stopLiveUpdates()
    #expect(stage.phone.isLocationOn)
    stage.phone.startLiveUpdates()
    stage.phone.stopLiveUpdates()
    #expect(!stage.phone.isLocationOn)
  }
}
