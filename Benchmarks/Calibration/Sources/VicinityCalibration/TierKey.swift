internal import VicinityMonitor
internal import VicinitySimulation

/// A request to the location service, as far as the fits distinguish requests.
struct TierKey: Hashable, Sendable {
  /// An Android request for a fix in this many seconds or more is slow, and fitted apart. Profiles describe
  /// fast requests, because Core Location has no intervals. Slow ones are fitted for validation only.
  static let slowInterval = 10.0

  var accuracy: DesiredAccuracy
  var isSlow: Bool

  var name: String { isSlow ? accuracy.rawValue + " at long intervals" : accuracy.rawValue }
}

extension MeasuredRange {
  /// The request; nil when tracking was off.
  var tierKey: TierKey? {
    accuracy.map { TierKey(accuracy: $0, isSlow: (requestedInterval ?? 0) >= TierKey.slowInterval) }
  }

  /// Whether the reference was made from its fixes; its own errors are then meaningless.
  var isControl: Bool { !isStationary && !isDutyCycled && accuracy == .best }
}
