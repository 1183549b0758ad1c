import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// Scenarios that each show some of the phone's rules at work.
struct GoldenScenario {
  let name: String
  let run: () throws -> SimulationResult

  /// Ten minutes at a place, four minutes on foot to the east, ten there.
  private static var errand: Route {
    Route(east: 0).standing(for: 600).going(east: 1.5, for: 240).standing(for: 600)
  }

  /// Five minutes at a place, ten on the road east at 12 m/s, five there.
  private static var drive: Route {
    Route(east: 0).standing(for: 300).going(east: 12, for: 600).standing(for: 300)
  }

  private static func at(_ seconds: Double, _ action: UserAction) -> TimedAction {
    TimedAction(time: Route.time(seconds), action)
  }

  private static func circle(_ name: String, _ east: Double, _ radius: Double = 100) -> MonitoredRegion {
    MonitoredRegion(identifier: name, center: Route.place(east), radius: radius)
  }

  static var all: [GoldenScenario] {
    [
      bestInFront, withoutTheMode, relaunched, expired, inAirplane, refused, computer, deferred,
      significantChange,
      beacons, compass, keptAlive,
    ]
  }

  /// Best accuracy in front, a hundred metres behind; a filter of 50 m in front.
  private static var bestInFront: GoldenScenario {
    GoldenScenario(name: "best-in-front") {
      try Simulation.run(errand, actions: [at(660, .leaveApp), at(1200, .openApp)]) { phone, event in
        switch event {
        case .becameActive:
          phone.locationSettings = LocationSettings(
            distanceFilter: 50, pausesAutomatically: false, allowsBackgroundUpdates: true)
          phone.startUpdatingLocation()
        case .enteredBackground:
          phone.locationSettings.desiredAccuracy = .hundredMeters
        default: break
        }
      }
    }
  }

  /// Without the location mode positions stop with the app, and what the system learned meanwhile comes on
  /// return.
  private static var withoutTheMode: GoldenScenario {
    GoldenScenario(name: "without-location-mode") {
      try Simulation.run(
        errand, actions: [at(620, .leaveApp), at(1000, .openApp)],
        capabilities: AppCapabilities(hasLocationMode: false)
      ) { phone, event in
        if case .launched = event {
          phone.startMonitoring(circle("office", 360))
          phone.locationSettings = LocationSettings(
            desiredAccuracy: .hundredMeters, distanceFilter: 20, allowsBackgroundUpdates: true)
          phone.startUpdatingLocation()
        }
      }
    }
  }

  /// The system kills the suspended app; leaving home and coming to the office start it again.
  private static var relaunched: GoldenScenario {
    GoldenScenario(name: "relaunched-by-regions") {
      try Simulation.run(drive, actions: [at(30, .leaveApp), at(200, .memoryPressure)]) { phone, event in
        switch event {
        case .launched(.user):
          phone.startMonitoring(circle("home", 0))
          phone.startMonitoring(circle("office", 7200, 300))
          phone.requestState(identifier: "home")
        case .exited(let region), .entered(let region):
          phone.report(entry: event == .entered(region: region), region: region, at: phone.now)
        default: break
        }
      }
    }
  }

  /// A background task that is not ended when it expires takes the app with it; one that is ends in time.
  private static var expired: GoldenScenario {
    GoldenScenario(name: "task-expires") {
      try Simulation.run(errand, actions: [at(10, .leaveApp), at(700, .openApp), at(720, .leaveApp)]) {
        phone, event in
        switch event {
        case .enteredBackground:
          _ = phone.beginBackgroundTask(phone.now < Route.time(100) ? "endless" : "tidy")
        case .taskExpires(let task): if phone.now > Route.time(100) { phone.endBackgroundTask(task) }
        default: break
        }
      }
    }
  }

  /// Without cells and Wi-Fi only satellites are left, found cold.
  private static var inAirplane: GoldenScenario {
    GoldenScenario(name: "airplane-mode") {
      try Simulation.run(
        Route(east: 0).going(east: 1.5, for: 120),
        surroundings: SurroundingsTimeline(PhoneSurroundings(hasWiFi: false, isInAirplaneMode: true))
      ) { phone, event in
        guard case .launched = event else { return }
        phone.locationSettings = LocationSettings(desiredAccuracy: .best, distanceFilter: 30)
        phone.startUpdatingLocation()
        phone.requestLocation()
      }
    }
  }

  /// What is refused, and why: the twenty-first region, and any at reduced accuracy.
  private static var refused: GoldenScenario {
    GoldenScenario(name: "refused") {
      try Simulation.run(Route(east: 0).standing(for: 30)) { phone, event in
        guard case .launched = event else { return }
        for i in 0..<21 { phone.startMonitoring(circle("r\(i)", 500 * Double(i))) }
        phone.requestState(identifier: "r0")
        phone.requestState(identifier: "nobody")
      }
    }
  }

  /// A computer that sleeps on the way out and wakes at the office: the entry is told on waking, the exit
  /// slept through as well.
  private static var computer: GoldenScenario {
    GoldenScenario(name: "computer-asleep") {
      try Simulation.run(
        drive, actions: [at(250, .sleep), at(1000, .wake)], rules: .macOS
      ) { phone, event in
        guard case .launched = event else { return }
        phone.startMonitoring(circle("home", 0))
        phone.startMonitoring(circle("café", 3600))
        phone.startMonitoring(circle("office", 7200, 300))
      }
    }
  }

  /// Positions deferred until 2 km or five minutes: batches, and a processor that rests.
  private static var deferred: GoldenScenario {
    GoldenScenario(name: "deferred") {
      try Simulation.run(
        Route(east: 0).going(east: 12, for: 420, step: 10), actions: [at(20, .leaveApp)]
      ) { phone, event in
        switch event {
        case .launched:
          phone.locationSettings = LocationSettings(
            pausesAutomatically: false, allowsBackgroundUpdates: true)
          phone.startUpdatingLocation()
        case .enteredBackground, .deferredUpdatesFinished:
          phone.allowDeferredLocationUpdates(untilTraveled: 2000, timeout: .seconds(300))
        default: break
        }
      }
    }
  }

  /// Significant changes and visits start an app that its user has removed.
  private static var significantChange: GoldenScenario {
    GoldenScenario(name: "significant-changes") {
      try Simulation.run(
        Route(east: 0).standing(for: 900).going(east: 12, for: 900, step: 5).standing(for: 1800),
        actions: [at(30, .leaveApp), at(60, .forceQuit)]
      ) { phone, event in
        guard case .launched = event else { return }
        phone.startMonitoringSignificantLocationChanges()
        phone.startMonitoringVisits()
      }
    }
  }

  private static let shop = BeaconIdentity(
    uuid: ProximityUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 1, minor: 7)

  /// A walk past a beacon: its region, ranging while in it, and a phone that is a beacon itself only while in
  /// front.
  private static var beacons: GoldenScenario {
    GoldenScenario(name: "beacons") {
      try Simulation.run(
        Route(east: 0).standing(for: 120).going(east: 1.5, for: 160).standing(for: 120),
        actions: [at(60, .leaveApp), at(300, .openApp)],
        beacons: [PlacedBeacon(identity: shop, coordinate: Route.place(120), range: 30)]
      ) { phone, event in
        switch event {
        case .launched:
          phone.startMonitoring(
            MonitoredRegion(identifier: "shop", beacon: BeaconIdentity(uuid: shop.uuid, major: 1)))
          phone.startAdvertising(BeaconIdentity(uuid: shop.uuid, major: 9, minor: 9))
        case .entered: phone.startRangingBeacons(BeaconIdentity(uuid: shop.uuid))
        case .exited: phone.stopRangingBeacons(BeaconIdentity(uuid: shop.uuid))
        default: break
        }
      }
    }
  }

  /// The compass: true north only once positions are on.
  private static var compass: GoldenScenario {
    GoldenScenario(name: "compass") {
      try Simulation.run(Route(east: 0).going(east: 1.5, for: 60).going(north: 1.5, for: 60)) {
        phone, event in
        switch event {
        case .launched:
          phone.headingFilter = 20
          phone.startUpdatingHeading()
          _ = phone.setTimer(after: .seconds(30))
        case .timer:
          phone.locationSettings = LocationSettings(desiredAccuracy: .hundredMeters, distanceFilter: 50)
          phone.startUpdatingLocation()
        default: break
        }
      }
    }
  }

  /// A kept-alive app: started at boot, woken by data and by its handler, started anew after a crash and not
  /// after an exit.
  private static var keptAlive: GoldenScenario {
    GoldenScenario(name: "kept-alive") {
      try Simulation.run(
        Route(east: 0).standing(for: 3600),
        actions: [
          at(10, .leaveApp), at(100, .socketData), at(1500, .restart), at(1600, .openApp),
          at(1610, .leaveApp),
          at(2000, .openApp), at(2010, .exit(status: 1)), at(2500, .openApp), at(2510, .exit(status: 0)),
        ], capabilities: AppCapabilities(isKeptAlive: true)
      ) { phone, event in
        guard case .launched = event else { return }
        _ = phone.setKeepAliveHandler(interval: .seconds(600))
        phone.connectSocket(wakesApp: true)
      }
    }
  }
}
