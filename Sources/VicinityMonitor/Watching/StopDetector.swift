internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// Tells from positions whether a phone is at rest, and where: the mean of its positions since it came there.
///
/// ## The mean, and how accurate it is
/// Errors of positions one after the other are much alike, so a hundred positions in a hundred seconds tell
/// hardly more than one. They are taken as a Gauss-Markov process, whose correlation after the time d is
/// exp(-d/τ), with τ = ``correlationTime``. Its best linear estimate counts the first position once, and each
/// later one by tanh(d/2τ), where d is the time since the one before: about d/2τ where positions are close,
/// and once where they are far apart. The sum of these counts, n, is the number of positions with errors of
/// their own that would tell as much, and the mean's accuracy is that of a position divided by √n: after ten
/// minutes, 1/√2 (C. E. Leith, *The Standard Error of Time-Average Estimates of Climatic Means*, Journal of
/// Applied Meteorology 12, 1973; G. E. P. Box, G. M. Jenkins, *Time Series Analysis*, on means of
/// autoregressive processes). n ends at ``largestCount``, so that the mean forgets what is hours old: whoever
/// moves within a building is found at the new place in the end.
struct StopDetector {
  /// A phone that stays near one place for this long is at rest, seconds: twice what the simulator's phones,
  /// and e-mission's of MobilityNet, take for a stop.
  private static let settlingTime = 120.0
  /// So is a phone whose positions are all inaccurate and stay near each other for this long, seconds. Two
  /// minutes would take a little less energy, and would make crossings late on days with trains: on
  /// MobilityNet's among 1,500 regions 95 % of the crossings were told within 70.0 s with two, and
  /// within 65.7 s with five, as without such rest.
  private static let coarseSettlingTime = 300.0
  /// Positions of a phone at rest lie within this distance of their mean, metres: from three times the
  /// iPhone's median error indoors, over twice their accuracy, up to a walk of half a minute.
  private static let radius: ClosedRange<Meters> = 30...60
  /// A position this many times less accurate than usual was measured somewhere else, or under another sky.
  private static let worseFactor = 3.0
  /// A position less accurate than this tells neither that the phone is here nor, unless it lies farther away
  /// than ``certainFactor`` times its accuracy, that it has left; metres.
  private static let worstAccuracy: Meters = 100
  private static let certainFactor = 2.0
  /// The time after which the correlation of errors is 1/e, seconds: that of the phones' profiles under a
  /// roof where it is assumed. Measured under roofs, with MobilityNet's phones, errors persist for hours
  /// (`Data/devices`), and then no mean is better than a position; outdoors for one to five minutes.
  private static let correlationTime = 300.0
  /// The greatest n: five hours at rest.
  private static let largestCount = 30.0
  /// The mean of accuracies is over about this many of the latest positions.
  private static let accuracyCount = 30

  /// The mean of the positions.
  private(set) var mean = Coordinate(latitude: 0, longitude: 0)
  /// The mean of their accuracies.
  private var accuracy: Meters = 0
  private var count = 0
  /// How many positions with errors of their own would tell as much.
  private var effectiveCount = 0.0
  /// The latest of the positions.
  private var latest = Fix(
    time: Timestamp(microseconds: 0), coordinate: Coordinate(latitude: 0, longitude: 0))
  private var since = Timestamp(microseconds: 0)
  private(set) var isAtRest = false
  /// The first of the positions that are too inaccurate to tell whether the phone is at the mean, and that
  /// lie near each other.
  private var coarse: Fix?
  /// The first of the positions that are away from the mean, near each other, and may be so by their errors.
  private var away: Fix?
  /// Positions that are away for this long are of another place, seconds: errors that are as old have nothing
  /// to do with each other.
  private static let awayTime = 4 * correlationTime

  /// For how long the phone has been at rest, seconds; 0 while it is not.
  func restingTime(at time: Timestamp) -> Double { isAtRest ? max(0, time.seconds(since: since)) : 0 }

  /// The accuracy of the mean, metres.
  var meanAccuracy: Meters { max(1, accuracy) / max(1, effectiveCount).squareRoot() }

  /// How accurate the positions here are, metres; nil where there has been one at most.
  var usualAccuracy: Meters? { count > 1 ? accuracy : nil }

  /// Whether a position shows that the phone is no longer at rest here.
  func isLeft(at fix: Fix) -> Bool {
    isAtRest
      && (!isNear(fix) || fix.horizontalAccuracy > Self.worseFactor * max(10, accuracy))
  }

  /// Whether a position is of the place of the mean.
  func isHere(_ fix: Fix) -> Bool { count > 0 && fix.speed < MotionDetector.walking && isNear(fix) }

  private func isNear(_ fix: Fix) -> Bool {
    let radius = max(Self.radius.lowerBound, min(2 * fix.horizontalAccuracy, Self.radius.upperBound))
    return Geodesic.uncheckedDistance(mean, fix.coordinate) <= radius
  }

  /// Handles a position.
  ///
  /// - Parameter isWandering: Whether a position that is not of this place counts as one all the same,
  ///   because it is the errors that have moved: until it has been away for ``awayTime``.
  mutating func handle(_ fix: Fix, isWandering: Bool = false) {
    // Too inaccurate to tell whether the phone is here.
    if count > 0, fix.horizontalAccuracy > Self.worstAccuracy {
      let distance = Geodesic.uncheckedDistance(mean, fix.coordinate)
      guard distance > Self.radius.upperBound + Self.certainFactor * fix.horizontalAccuracy else {
        return settleCoarsely(at: fix)
      }
    }
    coarse = nil
    guard isHere(fix) || isWandering && count > 0 else { return begin(at: fix) }
    if isHere(fix) {
      away = nil
    } else if let first = away,
      Geodesic.uncheckedDistance(first.coordinate, fix.coordinate) <= Self.radius.upperBound
    {
      if fix.time.seconds(since: first.time) >= Self.awayTime {
        let wasAtRest = isAtRest
        begin(at: first)
        isAtRest = wasAtRest
      }
    } else {
      away = fix
    }
    count = min(count + 1, Self.accuracyCount)
    accuracy += (fix.horizontalAccuracy - accuracy) / Double(count)
    addToMean(fix)
    isAtRest = isAtRest || fix.time.seconds(since: since) >= Self.settlingTime
  }

  private mutating func begin(at fix: Fix) {
    self = StopDetector()
    mean = fix.coordinate
    accuracy = fix.horizontalAccuracy
    count = 1
    effectiveCount = 1
    latest = fix
    since = fix.time
  }

  private mutating func addToMean(_ fix: Fix) {
    let steps = fix.time.seconds(since: latest.time) / Self.correlationTime
    effectiveCount = min(effectiveCount + tanh(steps / 2), Self.largestCount)
    // What is new in the position: it without the part of the last one that is still in it.
    let kept = exp(-steps)
    let share = 1 / (1 + kept) / effectiveCount
    func east(_ position: Coordinate) -> Degrees {
      (position.longitude - mean.longitude).remainder(dividingBy: 360)
    }
    let north =
      fix.coordinate.latitude - mean.latitude - kept * (latest.coordinate.latitude - mean.latitude)
    let away = east(fix.coordinate) - kept * east(latest.coordinate)
    mean = Coordinate(
      latitude: max(-90, min(mean.latitude + north * share, 90)),
      longitude: (mean.longitude + away * share).remainder(dividingBy: 360))
    latest = fix
  }

  /// Positions of cells alone may be wrong by hundreds of metres, but move as the phone does: those that stay
  /// near each other for long are of a phone at rest.
  private mutating func settleCoarsely(at fix: Fix) {
    guard !isAtRest else { return }
    guard let first = coarse,
      Geodesic.uncheckedDistance(first.coordinate, fix.coordinate) <= Self.radius.upperBound
    else {
      coarse = fix
      return
    }
    guard fix.time.seconds(since: first.time) >= Self.coarseSettlingTime else { return }
    begin(at: first)
    isAtRest = true
  }
}
