import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// An app that a closure is.
private struct StageApp: PhoneApp {
  let isToldOfDeactivation: Bool
  let react: (SimulatedPhone, PhoneEvent) -> Void

  mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent) { react(phone, event) }
}

/// A phone that stands still for a day, an app, and what comes of them, by seconds from the beginning.
final class Stage {
  let phone: SimulatedPhone

  init(
    _ actions: [(Double, UserAction)] = [], rules: BackgroundRules = .iOS13,
    capabilities: AppCapabilities = AppCapabilities(), hardware: PhoneHardware = PhoneHardware(),
    surroundings: SurroundingsTimeline = .init(), hours: Double = 24, isToldOfDeactivation: Bool = false,
    react: @escaping (SimulatedPhone, PhoneEvent) -> Void = { _, _ in }
  ) throws {
    let place = Coordinate(latitude: 46.2, longitude: 6.15)
    let track = try TrueTrack([
      Fix(time: Stage.time(0), coordinate: place), Fix(time: Stage.time(hours * 3600), coordinate: place),
    ])
    let scenario = Scenario(
      track: track, surroundings: surroundings,
      actions: actions.map { TimedAction(time: Stage.time($0.0), $0.1) }, profile: SampleProfile.phone,
      rules: rules, capabilities: capabilities, hardware: hardware)
    phone = SimulatedPhone(scenario, recording: .all) {
      StageApp(isToldOfDeactivation: isToldOfDeactivation, react: react)
    }
    phone.begin()
  }

  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
  }

  /// Goes on to a time, everything due then included.
  func go(to seconds: Double) { phone.advance(to: Stage.time(seconds)) }

  /// At a time, after all else that is due then, a service has something for the app. Whether it is taken.
  @discardableResult
  func event(_ event: PhoneEvent, _ kind: DeliveryKind = .relaunching, at seconds: Double) -> Bool {
    go(to: seconds)
    return phone.deliver(event, kind)
  }

  func finish() -> SimulationResult {
    phone.advance(to: phone.scenario.track.end)
    return phone.finish()
  }

  /// What happened: states, what the app was told, tasks, notifications, losses.
  var story: [String] { phone.timeline.map(Stage.line) }

  static func line(_ entry: TimelineEntry) -> String {
    let seconds = entry.time.seconds
    let time = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    let what =
      switch entry.kind {
      case .delivered(.launched(let reason)): "launched \(reason.rawValue)"
      case .delivered(.taskExpires(let task)): "expires \(task.number)"
      case .delivered(.timer(let number)): "timer \(number)"
      case .delivered(.entered(let region)): "entered \(region)"
      case .delivered(.exited(let region)): "exited \(region)"
      case .delivered(.locations(let fixes, _)): "locations \(fixes.count)"
      case .delivered(let event): "\(event)"
      case .lifecycle(let state, _): state.rawValue.uppercased()
      case .taskBegan(let task, _): "task \(task.number)"
      case .taskEnded(let task): "ended \(task.number)"
      case .notified(let identifier): "notified \(identifier)"
      case .lost(let what): "lost \(what)"
      default: "\(entry.kind)"
      }
    return "\(time) \(what)"
  }
}

extension SimulationResult {
  /// Whether a component has used some joules, within a tolerance.
  func uses(_ joules: Double, of component: EnergyComponent, within tolerance: Double) -> Bool {
    abs((self.joules[component] ?? 0) - joules) < tolerance
  }
}
