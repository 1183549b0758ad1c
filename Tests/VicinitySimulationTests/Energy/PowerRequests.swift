import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

/// A power that something is to draw: written by hand, from what is said of the service.
struct PowerDemand {
  var component: EnergyComponent
  /// Seconds since the beginning.
  var from: Double
  var to: Double
  var milliwatts: Double

  init(_ component: EnergyComponent, _ from: Double, _ to: Double, _ milliwatts: Double) {
    (self.component, self.from, self.to, self.milliwatts) = (component, from, to, milliwatts)
  }
}

/// What is done at some seconds: at 0 when the app has been launched, later on a timer, which rings while the
/// app runs.
typealias PowerAction = (seconds: Double, act: (SimulatedPhone) -> Void)

final class PowerTimers {
  var steps: [Int: (SimulatedPhone) -> Void] = [:]
}

/// Milliwatts from some time on, in units of 10 µs: stays end a microsecond after the fix that is still
/// there.
private struct PowerLevel: Hashable {
  var from: Int
  var milliwatts: Double
}

/// Runs whose power is expected to be what is demanded: each run's power, step by step, against demands
/// written by hand.
///
/// The phone is one of round numbers without chance: satellites are found after 5 s, then after 1 s. A
/// callback wakes the processor for a second (100 mW); positions have a cost of their own instead, drawn in a
/// tenth of a second.
protocol PowerRequests {}

extension PowerRequests {
  static var phone: DeviceProfile {
    var phone = SampleProfile.phone.noiseless
    func set(
      _ accuracy: DesiredAccuracy, interval: Double, processor: Double, motion: Double, fix: Double
    ) {
      phone.tiers[accuracy]?.interval = SampleProfile.always(interval)
      phone.tiers[accuracy]?.processor = SampleProfile.figure(processor)
      phone.tiers[accuracy]?.motion = SampleProfile.figure(motion)
      phone.tiers[accuracy]?.fix = SampleProfile.figure(fix)
    }
    phone.tiers[.best]?.gnss = SampleProfile.figure(200)
    set(.best, interval: 10, processor: 40, motion: 20, fix: 50)
    set(.hundredMeters, interval: 10, processor: 10, motion: 5, fix: 20)
    set(.kilometer, interval: 20, processor: 2, motion: 1, fix: 10)
    phone.significantChange.cellChange = SampleProfile.always(900)
    phone.heading.rate = SampleProfile.figure(1)
    return phone
  }

  func run(
    _ route: Route, _ steps: [PowerAction], surroundings: PhoneSurroundings = PhoneSurroundings(),
    changes: [(Double, PhoneSurroundings)] = [], actions: [(Double, UserAction)] = [],
    rules: BackgroundRules = .iOS13, capabilities: AppCapabilities = AppCapabilities(),
    profile: DeviceProfile = Self.phone, _ react: @escaping (SimulatedPhone, PhoneEvent) -> Void = { _, _ in }
  ) throws -> SimulationResult {
    let timers = PowerTimers()
    let timeline = SurroundingsTimeline(
      surroundings, changes: changes.map { .init(time: Route.time($0.0), surroundings: $0.1) })
    return try Simulation.run(
      route, profile: profile, surroundings: timeline,
      actions: actions.map { TimedAction(time: Route.time($0.0), $0.1) }, rules: rules,
      capabilities: capabilities
    ) { phone, event in
      switch event {
      case .launched(.user):
        for step in steps {
          if step.seconds == 0 {
            step.act(phone)
          } else {
            timers.steps[phone.setTimer(after: .milliseconds(Int64(step.seconds * 1000)))] = step.act
          }
        }
      case .timer(let number): timers.steps[number]?(phone)
      default: break
      }
      react(phone, event)
    }
  }

  private static func tick(_ seconds: Double) -> Int { Int((seconds * 1e5).rounded()) }

  /// The greatest of some demands, at all times.
  private func levels(_ demands: [PowerDemand], to end: Double) -> [PowerLevel] {
    let spans = demands.map {
      (from: Self.tick($0.from), to: min(Self.tick($0.to), Self.tick(end)), milliwatts: $0.milliwatts)
    }
    var levels: [PowerLevel] = []
    for time in Set(spans.flatMap { [$0.from, $0.to] } + [0]).sorted() where time < Self.tick(end) {
      let power = spans.reduce(0) { $1.from <= time && time < $1.to ? max($0, $1.milliwatts) : $0 }
      if levels.last?.milliwatts != power { levels.append(PowerLevel(from: time, milliwatts: power)) }
    }
    return levels
  }

  private func levels(_ result: SimulationResult, _ component: EnergyComponent, to end: Double)
    -> [PowerLevel]
  {
    var levels = [PowerLevel(from: 0, milliwatts: 0)]
    for step in result.power where step.component == component {
      let time = Self.tick(step.time.seconds(since: result.start))
      guard time < Self.tick(end) else { break }
      if levels[levels.count - 1].from == time { levels.removeLast() }
      if levels.last?.milliwatts != step.milliwatts {
        levels.append(PowerLevel(from: time, milliwatts: step.milliwatts))
      }
    }
    return levels
  }

  /// Each component's power is the greatest of what is demanded of it at all times, and nothing else; and its
  /// energy is that.
  func expect(
    _ result: SimulationResult, _ demands: [PowerDemand],
    of components: [EnergyComponent] = EnergyComponent.allCases,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let end = result.end.seconds(since: result.start)
    let all = demands + [PowerDemand(.idle, 0, end, 20)]
    for component in components {
      let expected = levels(all.filter { $0.component == component }, to: end)
      #expect(
        levels(result, component, to: end) == expected, "\(component)", sourceLocation: sourceLocation)
      var joules = 0.0
      for (index, level) in expected.enumerated() {
        let next = index + 1 < expected.count ? expected[index + 1].from : Self.tick(end)
        joules += level.milliwatts * Double(next - level.from) * 1e-8
      }
      #expect(
        abs(result.spent(component) - joules) < 1e-4, "\(component)", sourceLocation: sourceLocation)
    }
  }

  /// What positions cost: so much when each is delivered.
  func fixes(_ result: SimulationResult, _ milliwatts: (Double) -> Double) -> [PowerDemand] {
    result.told.compactMap { told in
      switch told.event {
      case .locations(_, .standard), .locations(_, .single):
        PowerDemand(.cpu, told.seconds, told.seconds + 0.1, milliwatts(told.seconds))
      default: nil
      }
    }
  }

  /// What other callbacks cost: a second of the processor.
  func callbacks(_ result: SimulationResult) -> [PowerDemand] {
    result.told.compactMap { told in
      switch told.event {
      case .locations(_, .standard), .locations(_, .single): nil
      default: PowerDemand(.cpu, told.seconds, told.seconds + 1, 100)
      }
    }
  }

  func standing(_ seconds: Double) -> Route { Route(east: 0).standing(for: seconds) }

  func settings(
    _ accuracy: DesiredAccuracy = .best, filter: Meters? = nil, pauses: Bool = false, behind: Bool = false
  ) -> LocationSettings {
    LocationSettings(
      desiredAccuracy: accuracy, distanceFilter: filter, pausesAutomatically: pauses,
      allowsBackgroundUpdates: behind)
  }

  func starting(_ settings: LocationSettings) -> PowerAction {
    (
      0,
      { phone in
        phone.locationSettings = settings
        phone.startUpdatingLocation()
      }
    )
  }

  static func farCircle(_ identifier: String) -> MonitoredRegion {
    MonitoredRegion(identifier: identifier, center: Route.place(100_000), radius: 100)
  }

  static var beacon: BeaconIdentity { BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)) }
}
