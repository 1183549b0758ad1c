internal import VicinityCrossings

/// What was drawn in one hour of the day, over all days of a run.
public struct EnergyHour: Hashable, Sendable {
  /// How much of the run fell into it, seconds.
  public var seconds = 0.0
  /// Joules by component, in the order of ``EnergyComponent``'s raw values.
  public var joules = [Double](repeating: 0, count: EnergyComponent.allCases.count)
}

/// Reads the meter at every whole hour.
struct HourlyEnergy {
  private static let hour: Int64 = 3_600_000_000

  /// When it is next to be read.
  private(set) var next: Int64 = .max
  private var since: Timestamp
  private var before = EnergyHour().joules
  /// By hour of the day, UTC; none where they are not kept.
  private(set) var hours: [EnergyHour] = []

  init(start: Timestamp, isKept: Bool) {
    since = start
    guard isKept else { return }
    hours = [EnergyHour](repeating: EnergyHour(), count: 24)
    setNext()
  }

  /// The next whole hour; none at the end of time.
  private mutating func setNext() {
    let (end, overflow) = ((since.microseconds / Self.hour) * Self.hour).addingReportingOverflow(
      since.microseconds < 0 && since.microseconds % Self.hour != 0 ? 0 : Self.hour)
    next = overflow ? .max : end
  }

  /// Reads a meter that nothing has happened to since some time, at every whole hour up to then.
  mutating func read(_ meter: EnergyMeter, upTo time: Timestamp) {
    while next != .max, time.microseconds >= next {
      take(meter, at: Timestamp(microseconds: next))
      setNext()
    }
  }

  /// Reads it for the last time.
  mutating func finish(_ meter: EnergyMeter, at end: Timestamp) {
    guard !hours.isEmpty else { return }
    read(meter, upTo: end)
    take(meter, at: end)
  }

  private mutating func take(_ meter: EnergyMeter, at time: Timestamp) {
    guard time > since else { return }
    // A copy is settled: the meter's own sums do not depend on who reads them.
    var meter = meter
    meter.settle(at: time)
    // The middle lies within the hour, whichever end it begins or ends at.
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
