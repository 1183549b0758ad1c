import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// An app that does what a test says.
struct ScriptedApp: PhoneApp {
  let react: (SimulatedPhone, PhoneEvent) -> Void

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) { react(phone, event) }
}

/// A way on a plane around a place, in legs.
struct Route {
  static let start = Timestamp(microseconds: 1_600_000_000_000_000)
  static let frame = LocalFrame(Coordinate(latitude: 46.2, longitude: 6.15))

  private(set) var fixes: [Fix] = []
  private(set) var seconds = 0.0
  private var at: Offset

  /// It begins east and north of the place.
  init(east: Double, north: Double = 0) {
    at = Offset(east: east, north: north)
    note()
  }

  static func place(_ east: Double, _ north: Double = 0) -> Coordinate {
    frame.coordinate(at: Offset(east: east, north: north))
  }

  static func time(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

  private mutating func note() {
    fixes.append(Fix(time: Self.time(seconds), coordinate: Self.frame.coordinate(at: at)))
  }

  /// Goes on for some seconds, with a fix every so many.
  func going(east: Double = 0, north: Double = 0, for duration: Double, step: Double = 1) -> Route {
    var route = self
    let count = Int((duration / step).rounded())
    for _ in 0..<max(count, 1) {
      route.at.east += east * step
      route.at.north += north * step
      route.seconds += step
      route.note()
    }
    return route
  }

  /// Stands for a while.
  func standing(for duration: Double) -> Route { going(for: duration, step: duration) }

  func track() throws -> TrueTrack { try TrueTrack(fixes) }
}

/// What an app was told, and when: seconds since the route began.
struct Told: Hashable {
  var seconds: Double
  var event: PhoneEvent
}

extension SimulationResult {
  var told: [Told] {
    timeline.compactMap { entry in
      guard case .delivered(let event) = entry.kind else { return nil }
      return Told(seconds: entry.time.seconds(since: start), event: event)
    }
  }

  /// The entries and exits that the app was told of: `501.0 entered home`.
  var crossings: [String] {
    told.compactMap { told in
      switch told.event {
      case .entered(let region): "\(told.seconds) entered \(region)"
      case .exited(let region): "\(told.seconds) exited \(region)"
      default: nil
      }
    }
  }

  /// Joules of a component.
  func spent(_ component: EnergyComponent) -> Double { joules[component] ?? 0 }

  /// The positions of a service, with the seconds of their delivery.
  func locations(_ wanted: LocationSource) -> [(seconds: Double, fixes: [Fix])] {
    told.compactMap { told in
      guard case .locations(let fixes, wanted) = told.event else { return nil }
      return (told.seconds, fixes)
    }
  }
}

extension Simulation {
  /// Runs a script over a route, with everything recorded.
  static func run(
    _ route: Route, profile: DeviceProfile = SampleProfile.phone, surroundings: SurroundingsTimeline? = nil,
    actions: [TimedAction] = [], beacons: [PlacedBeacon] = [], rules: BackgroundRules = .iOS13,
    capabilities: AppCapabilities = AppCapabilities(), hardware: PhoneHardware = PhoneHardware(),
    seed: UInt64 = 1, _ script: @escaping (SimulatedPhone, PhoneEvent) -> Void
  ) throws -> SimulationResult {
    let scenario = Scenario(
      track: try route.track(), surroundings: surroundings ?? SurroundingsTimeline(), actions: actions,
      beacons: beacons, profile: profile, rules: rules, capabilities: capabilities, hardware: hardware,
      seed: seed)
    return try run(scenario, recording: .all) { ScriptedApp(react: script) }
  }
}
