/// How confidence intervals are found: by the percentile bootstrap over devices.
///
/// Devices are drawn with replacement, as many as there are, each with all its seeds and crossings: what one person does is
/// not independent, what two do is taken to be. (B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters
/// 8 and 13.)
public struct Resampling: Hashable, Sendable {
  /// How many resamples; 1000 by default. None: no intervals.
  public var count: Int
  /// What decides which devices are drawn.
  public var seed: UInt64
  /// The share of resamples that lie in an interval; 0.95 by default.
  public var level: Double

  /// A way of finding intervals.
  public init(count: Int = 1000, seed: UInt64 = 1, level: Double = 0.95) {
    self.count = count
    self.seed = seed
    self.level = level
  }
}
