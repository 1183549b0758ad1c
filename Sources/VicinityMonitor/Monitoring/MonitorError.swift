public import VicinityCrossings
public import VicinityIndex

/// Why a monitor has not done what it was asked.
public enum MonitorError: Error, Hashable, Sendable {
  /// The store cannot be opened, or does not open a second time.
  case store(RecordStoreError)
  /// The options for plans are out of their ranges.
  case planOptions(PlanOptionsError)
  /// The options give a capacity that the device does not have. The monitor plans for the device's slots:
  /// this is told by ``Monitor/faults`` and ``RegionMonitoringService/lastError``, and not thrown.
  case capacityTooLarge(Int, slots: Int)
  /// The options for crossings are out of their ranges.
  case crossingOptions(CrossingOptionsError)
  /// The options for crossings ask for dwell events, which a monitor has no state for.
  case dwellNotSupported(Duration)
  /// The options have a crossing rule beside a strategy other than ``Strategy/slots``: strategies rest on
  /// what positions tell as evidence.
  case ruleNotSupported(strategy: String)
  /// The options for beacons are out of their ranges.
  case beaconOptions(BeaconOptionsError)
  /// An interval is not more than zero.
  case intervalNotPositive(option: String, value: Duration)
  /// A time that the options give is out of its range.
  case outOfRange(option: String, value: Duration, allowed: ClosedRange<Duration>)
  /// A geographic condition is not a region that there can be, or there is no room for it.
  case condition(identifier: String, RegionError)
  /// Two conditions of a list have the same identifier; nothing has changed.
  case duplicate(identifier: String)
  /// An option of a condition is out of its range.
  case conditionOption(identifier: String, option: String, reason: String)
  /// The identifier is that of a region of the monitor's index, which can be neither replaced nor removed by
  /// itself: ``Monitor/replace(regions:options:)`` replaces the index.
  case given(identifier: String)
  /// Another iterator gets the events of ``Monitor/events``, and has not ended.
  case hasConsumer
  /// A fix cannot follow those before it; nothing has changed.
  case fix(TrackError)
  /// A fix was made more than a day after the time that the clock shows: its time is wrong, or it is replayed
  /// without a ``ReplayClock``. Nothing has changed.
  case fixAhead(Timestamp, now: Timestamp)
  /// The monitor has been closed.
  case closed
}

extension MonitorError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .store(let error): "\(error)"
    case .planOptions(let error): "\(error)"
    case .capacityTooLarge(let capacity, let slots):
      "a capacity of \(capacity): the device has \(slots) slots, and the monitor plans for these"
    case .crossingOptions(let error): "\(error)"
    case .dwellNotSupported(let delay):
      "a loitering delay of \(delay): a monitor has no dwell events"
    case .ruleNotSupported(let strategy):
      "a crossing rule: with the strategy “\(strategy)” the monitor decides by evidence, without a rule"
    case .beaconOptions(let error): "\(error)"
    case .intervalNotPositive(let option, let value): "\(option): \(value) is not more than zero"
    case .outOfRange(let option, let value, let allowed):
      "\(option): \(value) is not within \(allowed.lowerBound)...\(allowed.upperBound)"
    case .condition(let identifier, let error): "condition “\(identifier)”: \(error.reason)"
    case .duplicate(let identifier): "two conditions have the identifier “\(identifier)”"
    case .conditionOption(let identifier, let option, let reason):
      "condition “\(identifier)”: \(option): \(reason)"
    case .given(let identifier): "“\(identifier)” is a region of the monitor's index"
    case .hasConsumer:
      "another loop handles the monitor's events: `changes` tells any number of listeners of them"
    case .fix(let error): "\(error)"
    case .fixAhead(let time, let now):
      "a fix of \(time) is more than a day ahead of the clock, which shows \(now); a replay needs a ReplayClock"
    case .closed: "the monitor has been closed"
    }
  }
}
