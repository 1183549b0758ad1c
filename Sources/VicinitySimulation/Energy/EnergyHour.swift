internal import VicinityCrossings

/// The energy of one hour of the day, over all days of a run.
public struct EnergyHour: Hashable, Sendable {
  /// How much of the run was in this hour, seconds.
  public var seconds = 0.0
  /// Joules by component, in the order of ``EnergyComponent``.
  public var joules = [Double](repeating: 0, count: EnergyComponent.allCases.count)
}

/// Sums the energy by hour of the day: reads the meter at every whole hour.
struct HourlyEnergy {
  private static let hour: Int64 = 3_600_000_000

  /// When the meter is read next, microseconds since 1970.
  private(set) var next: Int64 = .max
  private var since: Timestamp
  private var before = EnergyHour().joules
  /// By hour of the day, UTC; empty when hours are not recorded.
  private(set) var hours: [EnergyHour] = []

  init(start: Timestamp, isKept: Bool) {
    since = start
    guard isKept else { return }
    hours = [EnergyHour](repeating: EnergyHour(), count: 24)
    setNext()
  }

  /// Sets ``next`` to the next whole hour; to the greatest number when that overflows.
  private mutating func setNext() {
    let (end, overflow) = ((since.microseconds / Self.hour) * Self.hour).addingReportingOverflow(
      since.microseconds < 0 && since.microseconds % Self.hour != 0 ? 0 : Self.hour)
    next = overflow ? .max : end
  }

  /// Reads the meter at every whole hour up to a time. Nothing may have changed in the meter since the first
  /// of them.
  mutating func read(_ meter: EnergyMeter, upTo time: Timestamp) {
    while next != .max, time.microseconds >= next {
      settle(meter, at: Timestamp(microseconds: next))
      setNext()
    }
  }

  /// Reads the meter for the last time.
  mutating func finish(_ meter: EnergyMeter, at end: Timestamp) {
    guard !hours.isEmpty else { return }
    read(meter, upTo: end)
    settle(meter, at: end)
  }

  private mutating func settle(_ meter: EnergyMeter, at time: Timestamp) {
    guard time > since else { return }
    // A copy is settled, so that the meter's own sums do not depend on when it is read.
    var meter = meter
    meter.settle(at: time)
    // The middle of the interval lies within its hour.
    let middle = since.microseconds / 2 + time.microseconds / 2
    let hour = Int(((middle % (24 * Self.hour)) + 24 * Self.hour) % (24 * Self.hour) / Self.hour)
    hours[hour].seconds += time.seconds(since: since)
    for component in EnergyComponent.allCases {
      let joules = meter.joules(component)
      hours[hour].joules[component.rawValue] += joules - before[component.rawValue]
      before[component.rawValue] = joules
    }
    since = time
  }
}
