/// Something that a policy is to reach: bounds of metrics, all of which must hold.
///
///     let requirement = try Requirement.parse("recall>=0.99,p95-latency<=60s")
public struct Requirement: Hashable, Sendable {
  /// A bound of one metric.
  public struct Bound: Hashable, Sendable {
    /// Of what.
    public var metric: Metric
    /// Whether ``limit`` is the least or the greatest that will do.
    public var isMinimum: Bool
    /// The bound, in the metric's unit.
    public var limit: Double

    /// A bound.
    public init(_ metric: Metric, isMinimum: Bool, limit: Double) {
      self.metric = metric
      self.isMinimum = isMinimum
      self.limit = limit
    }

    /// Whether a figure will do; none will not.
    public func isMet(by value: Double?) -> Bool {
      guard let value, !value.isNaN else { return false }
      return isMinimum ? value >= limit : value <= limit
    }
  }

  /// The bounds, in the order they were given.
  public var bounds: [Bound]

  /// A requirement.
  public init(_ bounds: [Bound]) { self.bounds = bounds }

  /// Whether a policy's headline meets every bound.
  public func isMet(by card: ScoreCard) -> Bool {
    bounds.allSatisfy { $0.isMet(by: card.value($0.metric)) }
  }
}
