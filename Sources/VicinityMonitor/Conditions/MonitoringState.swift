/// What is known of a condition: the states of Core Location's `CLMonitor`.
///
/// The raw values are Core Location's and are stored.
public enum MonitoringState: UInt8, CaseIterable, Hashable, Sendable {
  /// Nothing has been determined.
  case unknown = 0
  /// The device is in the region, or in range of a beacon.
  case satisfied = 1
  /// The device is outside the region, or in range of no beacon.
  case unsatisfied = 2
  /// The condition is not watched: the event's diagnostics say why.
  case unmonitored = 3

  /// Whether the device is inside; nil where that is not known.
  var isInside: Bool? {
    switch self {
    case .satisfied: true
    case .unsatisfied: false
    case .unknown, .unmonitored: nil
    }
  }
}

extension MonitoringState: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .satisfied: "satisfied"
    case .unsatisfied: "unsatisfied"
    case .unmonitored: "unmonitored"
    }
  }
}
