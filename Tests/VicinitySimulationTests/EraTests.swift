import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// Where Apple's guides and modern phones disagree, and what neither leaves out.
@Suite("Eras of the phone")
struct EraTests {
  private func at(_ seconds: Double, _ action: UserAction) -> TimedAction {
    TimedAction(time: Route.time(seconds), action)
  }

  // MARK: Location in the background

  @Test(
    "Before iOS 9 the mode alone keeps updates on; since then the app must ask",
    arguments: [
      (BackgroundRules.iOS4, false, true), (.iOS7, false, true), (.iOS13, false, false), (.iOS13, true, true),
    ])
  func theMode(rules: BackgroundRules, asks: Bool, goesOn: Bool) throws {
    let stage = try Stage([(100, .leaveApp)], rules: rules) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(pausesAutomatically: false, allowsBackgroundUpdates: asks)
      phone.startUpdatingLocation()
    }
    stage.go(to: 5000)
    #expect(stage.phone.appState == (goesOn ? .background : .suspended))
    #expect((stage.phone.counts.fixes > 4000) == goesOn)
  }

  @Test("Without the mode the guides' phone goes on, and the updates come in one packet on return")
  func packet() throws {
    func run(_ rules: BackgroundRules) throws -> SimulationResult {
      try Simulation.run(
        Route(east: 0).going(east: 2, for: 600), actions: [at(100, .leaveApp), at(400, .openApp)],
        rules: rules, capabilities: AppCapabilities(hasLocationMode: false)
      ) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(pausesAutomatically: false)
        phone.startUpdatingLocation()
      }
    }
    let guide = try run(.iOS7)
    let packet = try #require(guide.locations(.standard).first { $0.seconds > 100 })
    #expect(packet.seconds == 400)
    let times = packet.fixes.map { $0.time.seconds(since: Route.start) }
    #expect(times == times.sorted() && times.count >= 298)
    #expect(times.allSatisfy { $0 >= 100 && $0 <= 400 })
    // The receiver is on all the time; the app is not called meanwhile.
    #expect(abs(guide.spent(.gnss) - 0.25 * 600) < 1e-6)
    #expect(!guide.told.contains { $0.seconds > 100 && $0.seconds < 400 })
    let modern = try run(.iOS13)
    #expect(abs(modern.spent(.gnss) - 0.25 * 300) < 1e-6)
    let first = try #require(modern.locations(.standard).first { $0.seconds >= 400 })
    #expect(first.fixes.count <= 1)
  }

  @Test("The packet comes before anything newer, also where an event and not the user has the app run again")
  func packetInTheBackground() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 2, for: 600), profile: RegionMonitoringTests.exactPhone,
      actions: [at(100, .leaveApp)], rules: .iOS7, capabilities: AppCapabilities(hasLocationMode: false)
    ) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(pausesAutomatically: false)
      phone.startUpdatingLocation()
      phone.startMonitoring(MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100))
    }
    let exit = try #require(result.told.first { $0.event == .exited(region: "home") })
    let packet = try #require(result.locations(.standard).first { $0.seconds > 110 })
    #expect(packet.seconds == exit.seconds && packet.fixes.count > 15)
    let times = result.locations(.standard).flatMap { $0.fixes.map(\.time) }
    #expect(times == times.sorted())
  }

  @Test(
    "On a modern phone what other services got meanwhile comes when the app runs again, in the background too"
  )
  func queued() throws {
    for rules in [BackgroundRules.iOS13, .iOS26] {
      let result = try Simulation.run(
        Route(east: 0).going(east: 10, for: 3000), actions: [at(100, .leaveApp)], rules: rules
      ) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(pausesAutomatically: false)
        phone.startUpdatingLocation()
        phone.startMonitoringSignificantLocationChanges()
      }
      let moves = result.locations(.significantChange).filter { $0.seconds > 120 }
      #expect(moves.count > 2)
      for move in moves {
        let queued = result.locations(.standard).first { $0.seconds == move.seconds }
        #expect(queued?.fixes.first == move.fixes.first, "\(move.seconds)")
      }
    }
  }

  @Test("The packet keeps to the filter")
  func packetFilter() throws {
    let result = try Simulation.run(
      Route(east: 0).going(east: 2, for: 600), actions: [at(100, .leaveApp), at(500, .openApp)], rules: .iOS7,
      capabilities: AppCapabilities(hasLocationMode: false)
    ) { phone, event in
      guard case .launched = event else { return }
      phone.locationSettings = LocationSettings(distanceFilter: 100, pausesAutomatically: false)
      phone.startUpdatingLocation()
    }
    let packet = try #require(result.locations(.standard).first { $0.seconds > 100 })
    #expect(packet.seconds == 500 && (6...9).contains(packet.fixes.count))
  }

  @Test("With each position the one before it can be asked for, within a process")
  func fromLocation() throws {
    final class Box { var pairs: [(from: Fix?, to: Fix?)] = [] }
    let box = Box()
    _ = try Simulation.run(
      Route(east: 0).going(east: 2, for: 300), actions: [at(100, .forceQuit), at(200, .openApp)]
    ) { phone, event in
      if case .launched = event { phone.startUpdatingLocation() }
      if case .locations(let fixes, _) = event { box.pairs.append((phone.fromLocation, fixes.last)) }
    }
    #expect(box.pairs.count > 100)
    #expect(box.pairs.count { $0.from == nil } == 2)
    for (one, next) in zip(box.pairs, box.pairs.dropFirst()) where next.from != nil {
      #expect(next.from == one.to)
    }
  }

  // MARK: The display

  @Test("The display turned on in a beacon region wakes a suspended app, and starts one that has ended")
  func display() throws {
    let identity = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 1)
    var region = MonitoredRegion(identifier: "shop", beacon: identity)
    region.notifyEntryStateOnDisplay = true
    let surroundings = SurroundingsTimeline(
      PhoneSurroundings(),
      changes: [.init(time: Route.time(500), surroundings: PhoneSurroundings(isScreenOn: true))])
    func told(_ actions: [TimedAction], east: Double = 0) throws -> [String] {
      let result = try Simulation.run(
        Route(east: east).standing(for: 1000), surroundings: surroundings, actions: actions,
        beacons: [PlacedBeacon(identity: identity, coordinate: Route.place(0))]
      ) { phone, event in
        if case .launched(.user) = event { phone.startMonitoring(region) }
      }
      return result.timeline.filter { $0.time >= Route.time(500) }.compactMap {
        switch $0.kind {
        case .delivered(.determined(let state, let region)): "\(state) \(region)"
        case .delivered(.launched(let reason)): "launched \(reason.rawValue)"
        case .lifecycle(let state, _): state.rawValue
        default: nil
        }
      }
    }
    #expect(try told([]) == ["inside shop"])
    #expect(try told([at(100, .leaveApp)]) == ["background", "inside shop", "suspended"])
    #expect(
      try told([at(100, .leaveApp), at(200, .memoryPressure)]) == [
        "background", "launched location", "inside shop", "suspended",
      ])
    #expect(try told([at(100, .leaveApp)], east: 200) == [])
  }

  // MARK: Notifications

  @Test(
    "An app in front is told of a notification and nothing is shown; behind it is shown, with sound and badge"
  )
  func inFront() throws {
    let stage = try Stage([(150, .leaveApp), (250, .set(.notifications(false)))]) { phone, event in
      guard case .launched = event else { return }
      do {
        for number in 1...3 {
          try phone.schedule(
            NotificationRequest(
              identifier: "\(number)", title: "", trigger: .timeInterval(.seconds(100 * number)),
              sound: "chime", badge: number))
        }
      } catch {
        Issue.record(error)
      }
    }
    stage.go(to: 120)
    #expect(stage.phone.badge == 0 && stage.phone.shownNotifications.isEmpty)
    stage.go(to: 220)
    #expect(stage.phone.badge == 2)
    #expect(stage.phone.shownNotifications.map(\.request.sound) == ["chime"])
    stage.go(to: 400)
    #expect(stage.phone.badge == 2)
    let told = stage.phone.timeline.compactMap { entry -> String? in
      switch entry.kind {
      case .delivered(.notificationReceived(let request)):
        "\(Int(entry.time.seconds)) told \(request.identifier)"
      case .notified(let identifier): "\(Int(entry.time.seconds)) shown \(identifier)"
      default: nil
      }
    }
    #expect(told == ["100 told 1", "200 shown 2"])
  }

  @Test(
    "The system shows the notification for an entry that it withholds from the app, which gets none in front")
  func withheldEntry() throws {
    let scenario = Scenario(
      track: try Route(east: -1999).going(east: 2, for: 1000).standing(for: 2000).track(),
      surroundings: SurroundingsTimeline(),
      actions: [at(50, .leaveApp), at(100, .memoryPressure), at(2000, .openApp)],
      profile: RegionMonitoringTests.exactPhone, faults: [.withheldEntries])
    let result = try Simulation.run(scenario, recording: .all) {
      ScriptedApp { phone, event in
        guard case .launched(.user) = event else { return }
        phone.startMonitoring(MonitoredRegion(identifier: "home", center: Route.place(0), radius: 100))
        do {
          try phone.schedule(
            NotificationRequest(
              identifier: "hello", title: "", trigger: .region("home", repeats: true)))
        } catch {
          Issue.record(error)
        }
      }
    }
    let shown = result.timeline.compactMap { entry -> Double? in
      if case .notified = entry.kind { entry.time.seconds(since: result.start) } else { nil }
    }
    #expect(shown.count == 1 && shown.allSatisfy { $0 < 1100 })
    #expect(result.crossings.count == 1)
    #expect(!result.told.contains { if case .notificationReceived = $0.event { true } else { false } })
  }

  @Test("A time on the wall moves with the time zone; an instant does not")
  func timeZone() throws {
    let stage = try Stage([
      (1, .leaveApp), (1000, .setTimeZone(offset: .seconds(3600))),
      (1100, .setTimeZone(offset: .seconds(-600))),
    ]) { phone, event in
      guard case .launched = event else { return }
      do {
        for follows in [true, false] {
          for (name, seconds) in [("soon", 3000.0), ("later", 7000)] {
            try phone.schedule(
              NotificationRequest(
                identifier: "\(name) \(follows)", title: "", trigger: .date(Stage.time(seconds)),
                followsTimeZone: follows))
          }
        }
      } catch {
        Issue.record(error)
      }
    }
    stage.go(to: 10_000)
    // An hour to the east at 1000 s: what is due at 3000 s on the wall is past. Then 4200 s to the west.
    #expect(
      stage.story.filter { $0.contains("notified") } == [
        "1000 notified soon true", "3000 notified soon false", "7000 notified later false",
        "7600 notified later true",
      ])
    #expect(stage.phone.timeZoneOffset == .seconds(-600))
  }
}
