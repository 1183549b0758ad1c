/// How crossings are decided.
///
/// A plain value: what takes it checks it (``validated()``).
public struct CrossingOptions: Hashable, Sendable {
  /// The longest time between two fixes over which the device is taken to move along the geodesic; 300 s by
  /// default.
  ///
  /// A longer one splits the track: the state is established anew at the next fix, and what has changed is
  /// marked inferred (``Crossing/inferred``). Zero or more.
  public var maximumGap: Duration
  /// The loitering delay: how long a device must be inside a region to be said to dwell there; `nil` for no
  /// such events.
  ///
  /// One event a stay, at the time of entry and this together, also where that lies between two fixes. A
  /// device inside at its first fix is taken to have entered then. More than zero.
  ///
  /// A stay goes on over a gap between two fixes inside; where the delay ends within the gap, the event is
  /// inferred. A stay that begins in a gap begins at the fix that ended it; of one that ends in a gap, a
  /// delay that would have ended in it too is not reported.
  public var dwell: Duration?
  /// How it is decided that a device has entered or left; ``CrossingRule/geometric`` by default. Under the
  /// others the above holds as <doc:Rules> says.
  public var rule: CrossingRule
  /// Of which regions entries are reported; of all by default. What a device occupies, and dwell events, do
  /// not depend on it.
  public var notifyOnEntry: RegionChoice
  /// Of which regions exits are reported; of all by default.
  public var notifyOnExit: RegionChoice

  @inlinable
  public init(
    maximumGap: Duration = .seconds(300), dwell: Duration? = nil, rule: CrossingRule = .geometric,
    notifyOnEntry: RegionChoice = .all, notifyOnExit: RegionChoice = .all
  ) {
    self.maximumGap = maximumGap
    self.dwell = dwell
    self.rule = rule
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
  }

  /// These options, once checked.
  ///
  /// - Throws: ``CrossingOptionsError`` for a negative gap, a delay that is not positive, or a rule's
  ///   parameter out of its range.
  public func validated() throws(CrossingOptionsError) -> CrossingOptions {
    guard maximumGap >= .zero else { throw .negativeGap(maximumGap) }
    if let dwell, dwell <= .zero { throw .delayNotPositive(dwell) }
    try rule.check()
    return self
  }
}

/// What is wrong with options for crossings.
public enum CrossingOptionsError: Error, Hashable, Sendable {
  /// The longest gap is negative.
  case negativeGap(Duration)
  /// The loitering delay is zero or negative.
  case delayNotPositive(Duration)
  /// A rule's parameter is out of its range, or NaN; of durations, whole seconds.
  case parameterOutOfRange(rule: String, parameter: String, value: Double)
}

extension CrossingOptionsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .negativeGap(let gap): "a longest gap of \(gap): it must not be negative"
    case .delayNotPositive(let delay): "a loitering delay of \(delay): it must be more than zero"
    case .parameterOutOfRange(let rule, let parameter, let value):
      "the \(rule) rule's \(parameter) cannot be \(value)"
    }
  }
}

extension Duration {
  /// Whole microseconds, rounded down; the nearest there are where they do not fit.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflow2) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflow || overflow2 ? (seconds < 0 ? .min : .max) : sum
  }
}
