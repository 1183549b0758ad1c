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
    var milliwatts: Double
    var end: Int64
    var source: EnergySource
  }

  /// The held milliwatts, by component and consumer.
  private var held = [Double](repeating: 0, count: componentCount * consumerCount)
  private var heldSources = [EnergySource](repeating: .idle, count: componentCount * consumerCount)
  private var holding = [Double](repeating: 0, count: componentCount)
  private var holdingSources = [EnergySource](repeating: .idle, count: componentCount)
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
    for tail in tails[c] where tail.end > time.microseconds { return max(holding[c], tail.milliwatts) }
    return holding[c]
  }

  /// Adds the energy of a component up to a time. A time before the last one counts as the last one.
  mutating func settle(_ component: EnergyComponent, at time: Timestamp) {
    let c = component.rawValue
    let now = max(time.microseconds, since[c])
    if !tails[c].isEmpty {
      var over = 0
      for tail in tails[c] {
        let end = min(tail.end, now)
        if tail.milliwatts > holding[c], end > since[c] {
          let drawn = tail.milliwatts * Double(end - since[c])
          energy[c] += drawn
          energyOfSources[tail.source.rawValue] += drawn
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
    let drawn = holding[c] * Double(now - since[c])
    energy[c] += drawn
    energyOfSources[holdingSources[c].rawValue] += drawn
    since[c] = now
  }

  /// Adds the energy of all components up to a time.
  mutating func settle(at time: Timestamp) {
    for component in EnergyComponent.allCases { settle(component, at: time) }
  }

  /// Sets the power that a consumer holds of a component from now on.
  ///
  /// - Parameter source: The figure that the power is due to. Of equal powers the first consumer's counts.
  mutating func hold(
    _ component: EnergyComponent, _ milliwatts: Double, due source: EnergySource, by consumer: PowerConsumer,
    at time: Timestamp
  ) {
    let c = component.rawValue
    let slot = c * Self.consumerCount + consumer.rawValue
    guard held[slot] != milliwatts || heldSources[slot] != source else { return }
    held[slot] = milliwatts
    heldSources[slot] = source
    var greatest = 0.0
    var greatestSource = EnergySource.idle
    for other in (c * Self.consumerCount)..<((c + 1) * Self.consumerCount) where held[other] > greatest {
      (greatest, greatestSource) = (held[other], heldSources[other])
    }
    guard greatest != holding[c] || greatestSource != holdingSources[c] else { return }
    settle(component, at: time)
    holding[c] = greatest
    holdingSources[c] = greatestSource
    record(component, Timestamp(microseconds: since[c]), self.milliwatts(component, at: time))
  }

  /// Adds a tail: for some seconds a component draws at least this power.
  ///
  /// Where tails overlap the greatest power holds, each until its own end.
  mutating func pulse(
    _ component: EnergyComponent, _ milliwatts: Double, due source: EnergySource, seconds: Double,
    at time: Timestamp
  ) {
    let c = component.rawValue
    guard seconds > 0, milliwatts > 0 else { return }
    // More than a century counts as a century.
    let length = Int64((min(seconds, 3.2e9) * 1e6).rounded())
    settle(component, at: time)
    let (end, overflow) = since[c].addingReportingOverflow(length)
    insert(Tail(milliwatts: milliwatts, end: overflow ? .max : end, source: source), c)
    record(component, Timestamp(microseconds: since[c]), self.milliwatts(component, at: time))
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
