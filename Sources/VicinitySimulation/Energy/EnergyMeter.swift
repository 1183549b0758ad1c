public import VicinityCrossings

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
/// A component's power is a step function: the greatest of what its consumers hold, and of the tails that outlive what
/// caused them (a woken processor, a modem that lingers). Its integral is what the meter says, exactly but for rounding.
struct EnergyMeter {
  private static let componentCount = EnergyComponent.allCases.count
  private static let consumerCount = PowerConsumer.allCases.count

  /// What lasts for a while.
  private struct Tail {
    var milliwatts: Double
    var end: Int64
  }

  /// Milliwatts that consumers hold, by component and consumer.
  private var held = [Double](repeating: 0, count: componentCount * consumerCount)
  private var holding = [Double](repeating: 0, count: componentCount)
  /// By component, ends ascending and powers descending: of two tails the one that is both weaker and shorter says nothing.
  private var tails = [[Tail]](repeating: [], count: componentCount)
  private var since: [Int64]
  private var energy = [Double](repeating: 0, count: componentCount)
  /// The power of the last step that was kept.
  private var recorded = [Double](repeating: 0, count: componentCount)
  private var steps: [PowerStep] = []
  private let keepsSteps: Bool

  init(start: Timestamp, keepsSteps: Bool) {
    since = [Int64](repeating: start.microseconds, count: Self.componentCount)
    self.keepsSteps = keepsSteps
  }

  /// Joules of a component up to the time it was last settled.
  func joules(_ component: EnergyComponent) -> Double { energy[component.rawValue] * 1e-9 }

  /// The steps that were kept, ordered by time; of several of a component at one time the last holds.
  ///
  /// A tail's end is known when it is next looked at: each component's steps are in order, but not all together.
  var orderedSteps: [PowerStep] { steps.sorted { $0.time < $1.time } }

  /// What a component draws from a time on that is not before the last change, milliwatts.
  func milliwatts(_ component: EnergyComponent, at time: Timestamp) -> Double {
    let c = component.rawValue
    for tail in tails[c] where tail.end > time.microseconds { return max(holding[c], tail.milliwatts) }
    return holding[c]
  }

  /// Counts what a component has drawn up to a time. Times do not go back; one that does counts as the last.
  mutating func settle(_ component: EnergyComponent, at time: Timestamp) {
    let c = component.rawValue
    let now = max(time.microseconds, since[c])
    if !tails[c].isEmpty {
      var over = 0
      for tail in tails[c] {
        let end = min(tail.end, now)
        if tail.milliwatts > holding[c], end > since[c] {
          energy[c] += tail.milliwatts * Double(end - since[c])
          since[c] = end
        }
        guard tail.end <= now else { break }
        over += 1
        if keepsSteps {
          let next = over < tails[c].count ? tails[c][over].milliwatts : 0
          record(component, Timestamp(microseconds: tail.end), max(holding[c], next))
        }
      }
      if over > 0 { tails[c].removeFirst(over) }
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
    held[slot] = milliwatts
    var greatest = 0.0
    for other in 0..<Self.consumerCount { greatest = max(greatest, held[c * Self.consumerCount + other]) }
    guard greatest != holding[c] else { return }
    settle(component, at: time)
    holding[c] = greatest
    record(component, Timestamp(microseconds: since[c]), self.milliwatts(component, at: time))
  }

  /// What a consumer holds goes away.
  mutating func release(_ consumer: PowerConsumer, at time: Timestamp) {
    for component in EnergyComponent.allCases { hold(component, 0, by: consumer, at: time) }
  }

  /// From now on, for a while, a component draws at least so much.
  ///
  /// While several such whiles last, the greatest of their powers holds, each until its own end.
  mutating func pulse(_ component: EnergyComponent, _ milliwatts: Double, seconds: Double, at time: Timestamp)
  {
    let c = component.rawValue
    guard seconds > 0, milliwatts > 0 else { return }
    // A century is for ever.
    let length = Int64((min(seconds, 3.2e9) * 1e6).rounded())
    settle(component, at: time)
    let (end, overflow) = since[c].addingReportingOverflow(length)
    insert(Tail(milliwatts: milliwatts, end: overflow ? .max : end), c)
    record(component, Timestamp(microseconds: since[c]), self.milliwatts(component, at: time))
  }

  private mutating func insert(_ tail: Tail, _ c: Int) {
    // The first that ends no earlier: stronger ones end before it.
    let place = tails[c].firstIndex { $0.end >= tail.end } ?? tails[c].count
    if place < tails[c].count, tails[c][place].milliwatts >= tail.milliwatts { return }
    // Those that end no later, and are no stronger, say nothing any more.
    let first = tails[c].firstIndex { $0.milliwatts <= tail.milliwatts } ?? place
    let last = place < tails[c].count && tails[c][place].end == tail.end ? place + 1 : place
    tails[c].replaceSubrange(first..<last, with: CollectionOfOne(tail))
  }

  private mutating func record(_ component: EnergyComponent, _ time: Timestamp, _ milliwatts: Double) {
    guard keepsSteps, recorded[component.rawValue] != milliwatts else { return }
    recorded[component.rawValue] = milliwatts
    steps.append(PowerStep(time: time, component: component, milliwatts: milliwatts))
  }
}
