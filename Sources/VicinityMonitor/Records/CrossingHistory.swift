internal import CMath

/// What a monitor learns of its user's days and of the phone, for its strategy: how many crossings come right
/// after the device has left a place where it was at rest, and how late the app is woken there.
///
/// Crossings within a hundred seconds of the start of a process that goes on from an earlier one are not
/// counted: it does not know for how long the device was at rest before.
public struct CrossingHistory: Hashable, Sendable {
  /// How many crossings have been told.
  public var crossings: Int
  /// How many of these came within a hundred seconds of a departure.
  public var departureCrossings: Int
  /// How many of these were exits.
  public var departureExits: Int
  /// How much later than the border of a sentinel at the place of the rest boundaries were crossed right
  /// after departures: how many less than 75 s before that border, up to 50 s before, and so on; eight
  /// counts, the last of 75 s after and later. As far as the straight way there tells; the latest 80 or so.
  public var headStarts: [Int]
  /// How many came after a rest of ``longRest`` and more, and after how many such rests.
  public var longRestCrossings: Int
  public var longRests: Int
  /// How often an app that slept was found beyond the sentinel's border when it was woken, up to 80 times.
  public var exits: Int
  /// How long before that the border was crossed, seconds, as far as position and speed tell: the geometric
  /// mean, of about the last 80 times. 0 where there has been none.
  public var meanExit: Double

  public init(
    crossings: Int = 0, departureCrossings: Int = 0, departureExits: Int = 0,
    headStarts: [Int] = Array(repeating: 0, count: 8), longRestCrossings: Int = 0,
    longRests: Int = 0, exits: Int = 0, meanExit: Double = 0
  ) {
    self.crossings = crossings
    self.departureCrossings = departureCrossings
    self.departureExits = departureExits
    self.headStarts = headStarts
    self.longRestCrossings = longRestCrossings
    self.longRests = longRests
    self.exits = exits
    self.meanExit = meanExit
  }

  /// What counts as a long rest, seconds: nights, and days at work.
  public static let longRest = 7200.0
  private static let largest = 1 << 30
  /// Exits are taken to be no sooner and no later, seconds.
  private static let exitDelays = 1.0...3600

  /// Whether the counts can be those of a device.
  package var isValid: Bool {
    0 <= longRests && longRests <= longRestCrossings && longRestCrossings <= departureCrossings
      && departureCrossings <= crossings && crossings <= Self.largest
      && 0 <= departureExits && departureExits <= departureCrossings
      && headStarts.count == Self.headStartCount
      && headStarts.allSatisfy { (0...Assumptions.memory).contains($0) }
      && 0 <= exits && exits <= Assumptions.memory
      && (exits == 0 ? meanExit == 0 : Self.exitDelays.contains(meanExit))
  }

  /// Counts crossings that a position has told.
  ///
  /// - Parameters:
  ///   - exits: How many of the changes are exits.
  ///   - rest: How long the device was at rest before the departure that they come right after, seconds; nil
  ///     where they do not.
  ///   - isFirst: Whether these are the first crossings after that departure.
  mutating func count(_ changes: Int, exits: Int, after rest: Double?, isFirst: Bool) {
    crossings += changes
    if let rest {
      departureCrossings += changes
      departureExits += exits
      if rest >= Self.longRest {
        longRestCrossings += changes
        if isFirst { longRests += 1 }
      }
    }
    // Old habits fade.
    guard longRests >= Assumptions.memory || crossings >= Self.largest else { return }
    crossings /= 2
    departureCrossings /= 2
    departureExits /= 2
    longRestCrossings /= 2
    longRests /= 2
  }

  /// Counts a crossing right after a departure.
  ///
  /// - Parameter headStart: How much later than the sentinel's border the boundary was crossed, seconds.
  mutating func count(headStart: Double) {
    let place = (headStart / Self.headStartWidth).rounded(.down) + Double(Self.headStartCount / 2)
    headStarts[Int(max(0, min(place, Double(Self.headStartCount - 1))))] += 1
    if headStarts.reduce(0, +) > Assumptions.memory {
      for i in headStarts.indices { headStarts[i] /= 2 }
    }
  }

  /// The least of each of the ``headStarts``, seconds.
  static let headStartTimes = (0..<headStartCount).map {
    Double($0 - headStartCount / 2) * headStartWidth
  }
  static let headStartCount = 8
  private static let headStartWidth = 25.0

  /// Counts an exit of a sentinel.
  ///
  /// - Parameter delay: How long after the border was crossed the app was woken, seconds.
  mutating func count(exitAfter delay: Double) {
    let delay = min(max(delay, Self.exitDelays.lowerBound), Self.exitDelays.upperBound)
    exits = min(exits + 1, Assumptions.memory)
    meanExit = exits == 1 ? delay : meanExit * pow(delay / meanExit, 1 / Double(exits))
  }
}
