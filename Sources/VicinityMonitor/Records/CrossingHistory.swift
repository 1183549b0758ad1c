/// How many of a device's crossings come right after it has left a place where it was at rest: what a monitor
/// learns of its user's days, for its strategy.
///
/// Crossings that were only inferred are not counted, nor those within a hundred seconds of the start of a
/// process that goes on from an earlier one: it does not know for how long the device was at rest before.
public struct CrossingHistory: Hashable, Sendable {
  /// How many crossings positions have told.
  public var crossings: Int
  /// How many of these came within a hundred seconds of a departure.
  public var departureCrossings: Int
  /// How many of these came after a rest of ``longRest`` and more, and after how many such rests.
  public var longRestCrossings: Int
  public var longRests: Int

  public init(
    crossings: Int = 0, departureCrossings: Int = 0, longRestCrossings: Int = 0, longRests: Int = 0
  ) {
    self.crossings = crossings
    self.departureCrossings = departureCrossings
    self.longRestCrossings = longRestCrossings
    self.longRests = longRests
  }

  /// What counts as a long rest, seconds: nights, and days at work.
  public static let longRest = 7200.0
  private static let largest = 1 << 30

  /// Whether the counts can be those of a device.
  package var isValid: Bool {
    0 <= longRests && longRests <= longRestCrossings && longRestCrossings <= departureCrossings
      && departureCrossings <= crossings && crossings <= Self.largest
  }

  /// Counts crossings that a position has told.
  ///
  /// - Parameters:
  ///   - rest: How long the device was at rest before the departure that they come right after, seconds; nil
  ///     where they do not.
  ///   - isFirst: Whether these are the first crossings after that departure.
  mutating func count(_ changes: Int, after rest: Double?, isFirst: Bool) {
    crossings += changes
    if let rest {
      departureCrossings += changes
      if rest >= Self.longRest {
        longRestCrossings += changes
        if isFirst { longRests += 1 }
      }
    }
    // Old habits fade.
    guard longRests >= Assumptions.memory || crossings >= Self.largest else { return }
    crossings /= 2
    departureCrossings /= 2
    longRestCrossings /= 2
    longRests /= 2
  }
}
