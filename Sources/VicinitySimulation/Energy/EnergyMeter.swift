public import VicinityCrossings

/// The parts of a phone that draw power.
public enum EnergyComponent: Int, CaseIterable, Hashable, Sendable {
  case gnss
  case wifi
  case cell
  case bluetooth
  case sensors
  /// The processor and the operating system while they are awake.
  case cpu
  case app
  case screen
  /// The power that is always drawn.
  case idle

  /// The name in files.
  package var name: String { "\(self)" }
}

/// A service that requests power. A component draws the greatest of the requested powers: a radio that is on
/// for one service is on for all.
enum PowerConsumer: Int, CaseIterable {
  case base, standard, significant, regions, visits, beacons, heading, advertising, lifecycle, otherThreads
}

/// The power of a component from a time on.
public struct PowerStep: Hashable, Sendable {
  public var time: Timestamp
  public var component: EnergyComponent
  public var milliwatts: Double
}

/// Integrates power over time, by component.
///
/// The power of a component is a step function: the greatest of the powers that its consumers hold and of its
/// tails, which last for a fixed time (a processor or modem that stays awake). The integral is exact except
/// for rounding.
struct EnergyMeter {
  private static let componentCount = EnergyComponent.allCases.count
  private static let consumerCount = PowerConsumer.allCases.count

  /// A power that lasts until a time.
  private struct Tail {
    var power: DuePower
    var end: Int64
    var milliwatts: Double { power.milliwatts }
  }

  /// The held powers, by component and consumer.
  private var held = [DuePower](repeating: .none, count: componentCount * consumerCount)
  /// The greatest of them, by component.
  private var holding = [DuePower](repeating: .none, count: componentCount)
  /// By component, ends ascending and powers descending. A tail that is weaker and shorter than another one
  /// is dropped.
  private var tails = [[Tail]](repeating: [], count: componentCount)
  private var since: [Int64]
  private var energy = [Double](repeating: 0, count: componentCount)
  private var energyOfSources = [Double](repeating: 0, count: EnergySource.allCases.count)
  /// The power of the last recorded step.
  private var recorded = [Double](repeating: 0, count: componentCount)
  private var steps: [PowerStep] = []
  private let keepsSteps: Bool

  init(start: Timestamp, keepsSteps: Bool) {
    since = [Int64](repeating: start.microseconds, count: Self.componentCount)
    self.keepsSteps = keepsSteps
  }

  /// Joules of a component up to the time of its last settlement.
  func joules(_ component: EnergyComponent) -> Double { energy[component.rawValue] * 1e-9 }

  /// Joules by the figures that they are due to, in the order of ``EnergySource``, up to the time of the last
  /// settlement.
  var joulesBySource: [Double] { energyOfSources.map { $0 * 1e-9 } }

  /// The recorded steps, ordered by time; of several steps of a component at one time the last one holds.
  ///
  /// The end of a tail is recorded at the next settlement, so only the steps of each component are in order.
  var orderedSteps: [PowerStep] { steps.sorted { $0.time < $1.time } }

  /// The power of a component at a time not before its last change, milliwatts.
  func milliwatts(_ component: EnergyComponent, at time: Timestamp) -> Double {
    let c = component.rawValue
    for tail in tails[c] where tail.end > time.microseconds {
      return max(holding[c].milliwatts, tail.milliwatts)
    }
    return holding[c].milliwatts
  }

  /// Adds the energy of a component up to a time. A time before the last one counts as the last one.
  mutating func settle(_ component: EnergyComponent, at time: Timestamp) {
    let c = component.rawValue
    let now = max(time.microseconds, since[c])
    if !tails[c].isEmpty {
      var over = 0
      for tail in tails[c] {
        let end = min(tail.end, now)
        if tail.milliwatts > holding[c].milliwatts, end > since[c] {
          add(tail.power, Double(end - since[c]), c)
          since[c] = end
        }
        guard tail.end <= now else { break }
        over += 1
        if keepsSteps {
          let next = over < tails[c].count ? tails[c][over].milliwatts : 0
          record(component, Timestamp(microseconds: tail.end), max(holding[c].milliwatts, next))
        }
      }
      if over > 0 { tails[c].removeFirst(over) }
    }
    add(holding[c], Double(now - since[c]), c)
    since[c] = now
  }

  private mutating func add(_ power: DuePower, _ microseconds: Double, _ component: Int) {
    energy[component] += power.milliwatts * microseconds
    power.add(microseconds, to: &energyOfSources)
  }

  /// Adds the energy of all components up to a time.
  mutating func settle(at time: Timestamp) {
    for component in EnergyComponent.allCases { settle(component, at: time) }
  }

  /// Sets the power that a consumer holds of a component from now on.
  ///
  /// - Parameter source: The figure that the power is due to.
  mutating func hold(
    _ component: EnergyComponent, _ milliwatts: Double, due source: EnergySource, by consumer: PowerConsumer,
    at time: Timestamp
  ) {
    hold(component, DuePower(milliwatts, source), by: consumer, at: time)
  }

  /// The same for a power of several parts. Of equal powers the first consumer's counts.
  mutating func hold(
    _ component: EnergyComponent, _ power: DuePower, by consumer: PowerConsumer, at time: Timestamp
  ) {
    let c = component.rawValue
    let slot = c * Self.consumerCount + consumer.rawValue
    guard held[slot] != power else { return }
    held[slot] = power
    var greatest = DuePower.none
    for other in (c * Self.consumerCount)..<((c + 1) * Self.consumerCount)
    where held[other].milliwatts > greatest.milliwatts {
      greatest = held[other]
    }
    guard greatest != holding[c] else { return }
    settle(component, at: time)
    holding[c] = greatest
    record(component, Timestamp(microseconds: since[c]), milliwatts(component, at: time))
  }

  /// Adds a tail: for some seconds a component draws at least this power.
  ///
  /// Where tails overlap the greatest power holds, each until its own end.
  mutating func pulse(
    _ component: EnergyComponent, _ milliwatts: Double, due source: EnergySource, seconds: Double,
    at time: Timestamp
  ) {
    pulse(component, DuePower(milliwatts, source), seconds: seconds, at: time)
  }

  /// The same for a power of several parts.
  mutating func pulse(
    _ component: EnergyComponent, _ power: DuePower, seconds: Double, at time: Timestamp
  ) {
    let c = component.rawValue
    guard seconds > 0, power.milliwatts > 0 else { return }
    // More than a century counts as a century.
    let length = Int64((min(seconds, 3.2e9) * 1e6).rounded())
    settle(component, at: time)
    let (end, overflow) = since[c].addingReportingOverflow(length)
    insert(Tail(power: power, end: overflow ? .max : end), c)
    record(component, Timestamp(microseconds: since[c]), milliwatts(component, at: time))
  }

  private mutating func insert(_ tail: Tail, _ c: Int) {
    // The first tail that ends no earlier; stronger ones end before it.
    let index = tails[c].firstIndex { $0.end >= tail.end } ?? tails[c].count
    if index < tails[c].count, tails[c][index].milliwatts >= tail.milliwatts { return }
    // Drop those that end no later and are no stronger.
    let first = tails[c].firstIndex { $0.milliwatts <= tail.milliwatts } ?? index
    let last = index < tails[c].count && tails[c][index].end == tail.end ? index + 1 : index
    tails[c].replaceSubrange(first..<last, with: CollectionOfOne(tail))
  }

  private mutating func record(_ component: EnergyComponent, _ time: Timestamp, _ milliwatts: Double) {
    guard keepsSteps, recorded[component.rawValue] != milliwatts else { return }
    recorded[component.rawValue] = milliwatts
    steps.append(PowerStep(time: time, component: component, milliwatts: milliwatts))
  }
}
