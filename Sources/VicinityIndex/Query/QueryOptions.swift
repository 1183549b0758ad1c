public import VicinityGeodesy

/// How exact a query's answer has to be, how far it reaches, and how it is found.
public struct QueryOptions: Hashable, Sendable {
  /// How exact the answer to a query for the nearest has to be, metres, 0 or more. The i-th region told is at
  /// most this much farther away than the exact i-th, and each distance told is within it of the true one;
  /// the answer says how far (``Neighbors/distanceError``). No region that is not told is nearer than the
  /// last one told less the tolerance and that error. What is not needed for that is not computed: circles
  /// are estimated from 4 m on, polygons from 50 m on, unless the position may lie inside, since the side is
  /// told right. 0, the default, is the exact answer; queries for all within a distance are always exact.
  public var tolerance: Meters = 0
  /// Regions whose boundary distance exceeds this are left out, metres; may be negative (only regions
  /// containing the position that deeply). Default infinity.
  public var maximumDistance: Meters = .infinity
  /// Whether to measure every region with the reference (PROJ, or `GeodesicSolver` where PROJ is not there)
  /// instead of searching. All other paths are tested against this one.
  public var usesBruteForce = false

  /// Options; by default those of the exact answer without a limit.
  public init(
    tolerance: Meters = 0, maximumDistance: Meters = .infinity, usesBruteForce: Bool = false
  ) {
    self.tolerance = tolerance
    self.maximumDistance = maximumDistance
    self.usesBruteForce = usesBruteForce
  }

  /// Options with the tolerance of `tier`.
  public init(tier: Tier) { self.init(tolerance: tier.tolerance) }

  /// Throws when the tolerance or the distance is out of range.
  package func check() throws(QueryError) {
    guard tolerance >= 0, tolerance.isFinite else { throw .invalidTolerance(tolerance) }
    guard !maximumDistance.isNaN else { throw .invalidDistance(maximumDistance) }
  }

  /// These options with a maximum distance of no more than `distance`.
  func limited(to distance: Meters) throws(QueryError) -> QueryOptions {
    guard !distance.isNaN else { throw .invalidDistance(distance) }
    var options = self
    options.maximumDistance = min(options.maximumDistance, distance)
    return options
  }
}
