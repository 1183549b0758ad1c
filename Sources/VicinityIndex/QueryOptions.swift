public import VicinityGeodesy

/// What a query may skip, and how it works.
public struct QueryOptions: Hashable, Sendable {
  /// How far above the exact i-th distance the i-th returned may lie, metres, 0 or more; distances
  /// returned are exact whatever it is. Default 0: the exact answer.
  public var tolerance: Meters = 0
  /// Regions whose boundary distance exceeds this are left out, metres; may be negative (only regions
  /// containing the position that deeply). Default infinity.
  public var maximumDistance: Meters = .infinity
  /// Whether to scan every region with PROJ instead of searching: the oracle for every other path.
  public var usesBruteForce = false

  /// Options that ask for the exact answer, unlimited.
  public init() {}

  /// Options with every part stated.
  public init(
    tolerance: Meters = 0, maximumDistance: Meters = .infinity, usesBruteForce: Bool = false
  ) {
    self.tolerance = tolerance
    self.maximumDistance = maximumDistance
    self.usesBruteForce = usesBruteForce
  }

  /// Options with the tolerance of `tier`.
  public init(tier: Tier) {
    self.tolerance = tier.tolerance
  }

  /// These options, or what is wrong with them.
  package func check() throws(QueryError) {
    guard tolerance >= 0, tolerance.isFinite else { throw .invalidTolerance(tolerance) }
    guard !maximumDistance.isNaN else { throw .invalidDistance(maximumDistance) }
  }
}
