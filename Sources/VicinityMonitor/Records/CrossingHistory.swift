/// How many of a device's crossings come right after it has left a place where it was at rest: what a monitor learns of its user's days,
/// for its strategy.
public struct CrossingHistory: Hashable, Sendable {
  /// How many entries and exits positions have told.
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

  /// What counts as a long rest, seconds: about as long as ``AdaptiveStrategy`` stays awake in any case (``AdaptiveStrategy/wakefulness``).
  public static let longRest = 7200.0
  /// From so many long rests on, what was before counts half: who moves house has other days after some weeks.
  private static let memory = 64

  /// Counts crossings that a position has told.
  ///
  /// - Parameters:
  ///   - rest: How long the device was at rest before the departure that they come right after, seconds; nil where they do not.
  ///   - isFirst: Whether these are the first crossings after that departure.
  mutating func count(_ changes: Int, after rest: Double?, isFirst: Bool) {
    crossings += changes
    guard let rest else { return }
    departureCrossings += changes
    guard rest >= Self.longRest else { return }
    longRestCrossings += changes
    guard isFirst else { return }
    longRests += 1
    guard longRests >= Self.memory else { return }
    crossings /= 2
    departureCrossings /= 2
    longRestCrossings /= 2
    longRests /= 2
  }
}
