public import VicinityMonitor

/// What in a phone draws power.
public enum EnergyComponent: Int, CaseIterable, Hashable, Sendable {
  /// The satellite receiver.
  case gnss
  /// The Wi-Fi radio, scanning.
  case wifi
  /// The cell modem, measuring and fetching.
  case cell
  /// The Bluetooth radio.
  case bluetooth
  /// Compass and motion sensors.
  case sensors
  /// The processor and the system, woken.
  case cpu
  /// The app's own work.
  case app
  /// The display.
  case screen
  /// Everything that goes on regardless.
  case idle

  /// What it is called in files.
  public var name: String {
    switch self {
    case .gnss: "gnss"
    case .wifi: "wifi"
    case .cell: "cell"
    case .bluetooth: "bluetooth"
    case .sensors: "sensors"
    case .cpu: "cpu"
    case .app: "app"
    case .screen: "screen"
    case .idle: "idle"
    }
  }
}

/// Who asks for power. A component that several ask draws what the greatest asks, as a radio that is on for one is on for
/// all.
enum PowerConsumer: Int, CaseIterable {
  case base, standard, significant, regions, visits, beacons, heading, advertising, lifecycle
}

/// A component's power from some time on.
public struct PowerStep: Hashable, Sendable {
  /// From when on.
  public var time: Timestamp
  /// Of what.
  public var component: EnergyComponent
  /// How much, milliwatts.
  public var milliwatts: Double
}

/// Integrates power over time, by component.
///
/// A component's power is a step function: the greatest of what its consumers hold, and of a tail that outlives what
/// caused it (a woken processor, a modem that lingers). Its integral is what the meter says, exactly but for rounding.
struct EnergyMeter {
  private static let componentCount = EnergyComponent.allCases.count
  private static let consumerCount = PowerConsumer.allCases.count

  /// Milliwatts that consumers hold, by component and consumer.
  private var held = [Double](repeating: 0, count: componentCount * consumerCount)
  private var holding = [Double](repeating: 0, count: componentCount)
  private var tail = [Double](repeating: 0, count: componentCount)
  private var tailEnd = [Int64](repeating: .min, count: componentCount)
  private var since: [Int64]
  private var energy = [Double](repeating: 0, count: componentCount)
  /// The steps, when they are kept.
  private(set) var steps: [PowerStep] = []
  private let keepsSteps: Bool

  init(start: Timestamp, keepsSteps: Bool) {
    since = [Int64](repeating: start.microseconds, count: Self.componentCount)
    self.keepsSteps = keepsSteps
  }

  /// Joules of a component up to the time it was last settled.
  func joules(_ component: EnergyComponent) -> Double { energy[component.rawValue] * 1e-9 }

  /// What a component draws at a time, milliwatts.
  func milliwatts(_ component: EnergyComponent, at time: Timestamp) -> Double {
    let c = component.rawValue
    return tailEnd[c] > time.microseconds ? max(holding[c], tail[c]) : holding[c]
  }

  /// Counts what a component has drawn up to a time.
  mutating func settle(_ component: EnergyComponent, at time: Timestamp) {
    let c = component.rawValue
    let now = time.microseconds
    if tailEnd[c] > since[c], tail[c] > holding[c] {
      let end = min(tailEnd[c], now)
      energy[c] += tail[c] * Double(end - since[c])
      since[c] = end
      if tailEnd[c] <= now {
        record(component, Timestamp(microseconds: end), holding[c])
      }
    }
    energy[c] += holding[c] * Double(now - since[c])
    since[c] = now
  }

  /// Counts everything up to a time.
  mutating func settle(at time: Timestamp) {
    for component in EnergyComponent.allCases { settle(component, at: time) }
  }

  /// From now on a consumer holds so much of a component.
  mutating func hold(
    _ component: EnergyComponent, _ milliwatts: Double, by consumer: PowerConsumer, at time: Timestamp
  ) {
    let c = component.rawValue
    let slot = c * Self.consumerCount + consumer.rawValue
    guard held[slot] != milliwatts else { return }
    settle(component, at: time)
    held[slot] = milliwatts
    var greatest = 0.0
    for other in 0..<Self.consumerCount { greatest = max(greatest, held[c * Self.consumerCount + other]) }
    guard greatest != holding[c] else { return }
    holding[c] = greatest
    record(component, time, self.milliwatts(component, at: time))
  }

  /// What a consumer holds goes away.
  mutating func release(_ consumer: PowerConsumer, at time: Timestamp) {
    for component in EnergyComponent.allCases { hold(component, 0, by: consumer, at: time) }
  }

  /// From now on, for a while, a component draws at least so much.
  ///
  /// While an earlier tail lasts, the greater power and the later end hold of both.
  mutating func pulse(_ component: EnergyComponent, _ milliwatts: Double, seconds: Double, at time: Timestamp) {
    let c = component.rawValue
    settle(component, at: time)
    let end = time.microseconds + Int64((seconds * 1e6).rounded())
    if tailEnd[c] > time.microseconds {
      tail[c] = max(tail[c], milliwatts)
      tailEnd[c] = max(tailEnd[c], end)
    } else {
      tail[c] = milliwatts
      tailEnd[c] = end
    }
    record(component, time, self.milliwatts(component, at: time))
  }

  private mutating func record(_ component: EnergyComponent, _ time: Timestamp, _ milliwatts: Double) {
    guard keepsSteps else { return }
    steps.append(PowerStep(time: time, component: component, milliwatts: milliwatts))
  }
}
