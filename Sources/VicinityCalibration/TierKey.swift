internal import VicinitySimulation

/// What a phone was asked for, as far as it makes a difference.
struct TierKey: Hashable, Sendable {
  /// An Android request for a fix in so many seconds or more is another thing than one for a fix a second. Profiles know the
  /// latter, as Core Location has no intervals; the former is fitted to be validated.
  static let slowInterval = 10.0

  var accuracy: DesiredAccuracy
  var isSlow: Bool

  /// In words.
  var name: String { isSlow ? accuracy.rawValue + " at long intervals" : accuracy.rawValue }
}

extension MeasuredRange {
  /// What the phone was asked for; nil for nothing.
  var tierKey: TierKey? {
    accuracy.map { TierKey(accuracy: $0, isSlow: (requestedInterval ?? 0) >= TierKey.slowInterval) }
  }

  /// Whether its fixes went into the reference that errors are taken against: its own errors mean nothing then.
  var isControl: Bool { !isStationary && !isDutyCycled && accuracy == .best }
}
