/// Which reports count for which crossings, and what counts as flapping.
public struct MatchingRule: Hashable, Sendable {
  /// How much earlier than its crossing a report may come; a minute by default: a position's error of a hundred metres on
  /// foot, of a kilometre in a car.
  public var earliness: Duration
  /// How much later it may come; half an hour by default. What comes later is a report of nothing, and the crossing missed.
  public var lateness: Duration
  /// How close together two contradicting reports must be to be a flap; two minutes by default.
  public var flapTime: Duration

  /// A rule.
  public init(
    earliness: Duration = .seconds(60), lateness: Duration = .seconds(1800),
    flapTime: Duration = .seconds(120)
  ) {
    self.earliness = earliness
    self.lateness = lateness
    self.flapTime = flapTime
  }
}
