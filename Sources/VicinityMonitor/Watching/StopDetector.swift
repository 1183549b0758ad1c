internal import VicinityCrossings
internal import VicinityGeodesy

/// Tells from positions whether a phone is at rest, and where: the mean of its positions.
struct StopDetector {
  /// A phone that stays near one place for this long is at rest, seconds: twice what the simulator's phones, and e-mission's of
  /// MobilityNet, take for a stop.
  private static let settlingTime = 120.0
  /// So is a phone whose positions are all inaccurate and stay near each other for this long, seconds. Two minutes would take a
  /// little less energy, and would make crossings late on days with trains: on MobilityNet's among 1,500 regions 95 % of the crossings were
  /// told within 70.0 s with two, and within 65.7 s with five, as without such rest.
  private static let coarseSettlingTime = 300.0
  /// Positions of a phone at rest lie within this distance of their mean, metres: from three times the iPhone's median error
  /// indoors, over twice their accuracy, up to a walk of half a minute.
  private static let radius: ClosedRange<Meters> = 30...60
  /// A phone at rest is slower than this, metres a second.
  private static let walking: MetersPerSecond = 2
  /// A position this many times less accurate than usual was measured somewhere else, or under another sky.
  private static let worseFactor = 3.0
  /// A position less accurate than this tells neither that the phone is here nor, unless it lies farther away than
  /// ``certainFactor`` times its accuracy, that it has left; metres.
  private static let worstAccuracy: Meters = 100
  private static let certainFactor = 2.0
  /// The mean is over about this many of the latest positions, because they drift.
  private static let maximumCount = 30

  /// The mean of the positions.
  private(set) var mean = Coordinate(latitude: 0, longitude: 0)
  /// The mean of their accuracies.
  private var accuracy: Meters = 0
  private var count = 0
  private var since = Timestamp(microseconds: 0)
  private(set) var isAtRest = false
  /// The first of the positions that are too inaccurate to tell whether the phone is at the mean, and that lie near each other.
  private var coarse: Fix?

  /// For how long the phone has been at rest, seconds; 0 while it is not.
  func restingTime(at time: Timestamp) -> Double { isAtRest ? max(0, time.seconds(since: since)) : 0 }

  /// The accuracy of the mean of positions with some accuracy, metres.
  func accuracy(of position: Meters) -> Meters { position / Double(max(1, count)).squareRoot() }

  /// Whether a position shows that the phone is no longer at rest here.
  func isLeft(at fix: Fix) -> Bool {
    isAtRest
      && (!isHere(fix) || fix.horizontalAccuracy > Self.worseFactor * max(10, accuracy))
  }

  private func isHere(_ fix: Fix) -> Bool {
    let radius = max(Self.radius.lowerBound, min(2 * fix.horizontalAccuracy, Self.radius.upperBound))
    return Geodesic.uncheckedDistance(mean, fix.coordinate) <= radius
  }

  mutating func handle(_ fix: Fix) {
    // Too inaccurate to tell whether the phone is here.
    if count > 0, fix.horizontalAccuracy > Self.worstAccuracy {
      let distance = Geodesic.uncheckedDistance(mean, fix.coordinate)
      guard distance > Self.radius.upperBound + Self.certainFactor * fix.horizontalAccuracy else {
        return settleCoarsely(at: fix)
      }
    }
    coarse = nil
    guard count > 0, isHere(fix), fix.speed < Self.walking else {
      self = StopDetector()
      mean = fix.coordinate
      accuracy = fix.horizontalAccuracy
      count = 1
      since = fix.time
      return
    }
    count = min(count + 1, Self.maximumCount)
    let share = 1 / Double(count)
    let east = (fix.coordinate.longitude - mean.longitude).remainder(dividingBy: 360)
    mean = Coordinate(
      latitude: mean.latitude + (fix.coordinate.latitude - mean.latitude) * share,
      longitude: (mean.longitude + east * share).remainder(dividingBy: 360))
    accuracy += (fix.horizontalAccuracy - accuracy) * share
    isAtRest = fix.time.seconds(since: since) >= Self.settlingTime
  }

  /// Positions of cells alone may be wrong by hundreds of metres, but move as the phone does: those that stay near each other for long
  /// are of a phone at rest.
  private mutating func settleCoarsely(at fix: Fix) {
    guard !isAtRest else { return }
    guard let first = coarse,
      Geodesic.uncheckedDistance(first.coordinate, fix.coordinate) <= Self.radius.upperBound
    else {
      coarse = fix
      return
    }
    guard fix.time.seconds(since: first.time) >= Self.coarseSettlingTime else { return }
    self = StopDetector()
    mean = first.coordinate
    accuracy = first.horizontalAccuracy
    count = 1
    since = first.time
    isAtRest = true
  }
}
