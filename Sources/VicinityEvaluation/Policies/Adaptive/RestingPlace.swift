internal import VicinityCrossings
internal import VicinityGeodesy

/// Where a phone stays, by its positions: their mean, and whether it is there long enough to be at rest.
struct RestingPlace {
  /// After how many seconds about a place the phone is at rest: twice what the simulator's phones, and e-mission's of
  /// MobilityNet, take for a stop.
  private static let settling = 120.0
  /// Positions of a phone at rest lie within this of their mean: three times the iPhone's median indoors, or twice their
  /// accuracy, if that is no more than a walk of half a minute.
  private static let reach: ClosedRange<Meters> = 30...60
  /// A speed that is none of a phone at rest, metres a second.
  private static let walking: MetersPerSecond = 2
  /// A position so many times less accurate than is usual here was measured somewhere else, or under another sky.
  private static let worse = 3.0
  /// A position less accurate than this is no reason to think that the phone has left, metres.
  private static let worst: Meters = 100
  /// Positions beyond this count as one of them: places drift.
  private static let most = 30

  /// The mean of the positions.
  private(set) var mean = Coordinate(latitude: 0, longitude: 0)
  /// The mean of their accuracies.
  private var accuracy: Meters = 0
  private var count = 0
  private var since = Timestamp(microseconds: 0)
  /// Whether the phone is at rest.
  private(set) var isSettled = false

  /// How good the mean is, for positions of an accuracy, metres.
  func accuracy(of position: Meters) -> Meters { position / Double(max(1, count)).squareRoot() }

  /// Whether a position is not of a phone that rests here.
  func isLeft(at fix: Fix) -> Bool {
    isSettled
      && (!isHere(fix) || fix.horizontalAccuracy > Self.worse * max(10, accuracy))
  }

  private func isHere(_ fix: Fix) -> Bool {
    let reach = max(Self.reach.lowerBound, min(2 * fix.horizontalAccuracy, Self.reach.upperBound))
    return Geodesic.uncheckedDistance(mean, fix.coordinate) <= reach
  }

  /// Takes a position.
  mutating func take(_ fix: Fix) {
    // Says nothing, neither that the phone is here nor that it is not.
    if count > 0, fix.horizontalAccuracy > Self.worst { return }
    guard count > 0, isHere(fix), fix.speed < Self.walking else {
      self = RestingPlace()
      mean = fix.coordinate
      accuracy = fix.horizontalAccuracy
      count = 1
      since = fix.time
      return
    }
    count = min(count + 1, Self.most)
    let share = 1 / Double(count)
    let east = (fix.coordinate.longitude - mean.longitude).remainder(dividingBy: 360)
    mean = Coordinate(
      latitude: mean.latitude + (fix.coordinate.latitude - mean.latitude) * share,
      longitude: (mean.longitude + east * share).remainder(dividingBy: 360))
    accuracy += (fix.horizontalAccuracy - accuracy) * share
    isSettled = fix.time.seconds(since: since) >= Self.settling
  }
}
