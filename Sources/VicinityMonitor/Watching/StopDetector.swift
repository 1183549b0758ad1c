internal import CMath
internal import VicinityCrossings
internal import VicinityGeodesy

/// Tells from positions whether a phone is at rest, and where: the mean of its positions since it came there.
///
/// ## The mean, and how accurate it is
/// Errors of positions one after the other are much alike, so a hundred positions in a hundred seconds tell
/// hardly more than one. They are taken as a Gauss-Markov process, whose correlation after the time d is
/// exp(-d/τ), with τ = `Assumptions.errorTime`. Its best linear estimate counts the first position once, and
/// each later one by tanh(d/2τ), where d is the time since the one before: about d/2τ where positions are
/// close, and once where they are far apart. The sum of these counts, n, is the number of positions with
/// errors of their own that would tell as much, and the mean's accuracy is that of a position divided by √n:
/// after ten minutes, 1/√2 (C. E. Leith, *The Standard Error of Time-Average Estimates of Climatic Means*,
/// Journal of Applied Meteorology 12, 1973; G. E. P. Box, G. M. Jenkins, *Time Series Analysis*, on means of
/// autoregressive processes). n ends at ``largestCount``, so that the mean forgets what is hours old: whoever
/// moves within a building is found at the new place in the end.
struct StopDetector {
  /// The greatest n: as many as times of correlation in a long rest, so that of four hours.
  private static let largestCount = CrossingHistory.longRest / Assumptions.errorTime
  /// The mean of accuracies is over about as many of the latest positions.
  private static let accuracyCount = Int(largestCount)

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
  private static let awayTime = 4 * Assumptions.errorTime

  /// For how long the phone has been at rest, seconds; 0 while it is not.
  func restingTime(at time: Timestamp) -> Double { isAtRest ? max(0, time.seconds(since: since)) : 0 }

  /// The accuracy of the mean, metres.
  var meanAccuracy: Meters { max(1, accuracy) / max(1, effectiveCount).squareRoot() }

  /// How accurate the positions here are, metres; nil where there has been one at most.
  var usualAccuracy: Meters? { count > 1 ? accuracy : nil }

  /// Whether a position shows that the phone is no longer at rest here: it is somewhere else, or so much less
  /// accurate than usual that it was measured under another sky.
  func isLeft(at fix: Fix) -> Bool {
    isAtRest
      && (!isNear(fix)
        || fix.horizontalAccuracy > Assumptions.proofOfTwo * max(Assumptions.leastAccuracy, accuracy))
  }

  /// Whether a position is of the place of the mean.
  func isHere(_ fix: Fix) -> Bool { count > 0 && fix.speed < Assumptions.surelyMoving && isNear(fix) }

  /// Whether cells alone have told where this place is.
  private var isCoarse: Bool { count > 0 && accuracy > Assumptions.coarseAccuracy }

  private func isNear(_ fix: Fix) -> Bool {
    let distance = Geodesic.uncheckedDistance(mean, fix.coordinate)
    if isCoarse, fix.horizontalAccuracy <= Assumptions.coarseAccuracy,
      distance <= Assumptions.proof * accuracy
    {
      return true
    }
    return distance <= Assumptions.wandering(Assumptions.proof * fix.horizontalAccuracy)
  }

  /// Handles a position.
  ///
  /// - Parameter isWandering: Whether a position that is not of this place counts as one all the same,
  ///   because it is the errors that have moved: until it has been away for ``awayTime``.
  mutating func handle(_ fix: Fix, isWandering: Bool = false) {
    // Too inaccurate to tell that the phone is here or, unless it lies far enough away, that it has left.
    if count > 0, fix.horizontalAccuracy > Assumptions.coarseAccuracy {
      let distance = Geodesic.uncheckedDistance(mean, fix.coordinate)
      guard distance > Assumptions.wandering.upperBound + Assumptions.proof * fix.horizontalAccuracy else {
        return settleCoarsely(at: fix)
      }
    }
    coarse = nil
    // Of a place that cells alone have told, the first better position tells more than their mean.
    if isCoarse, isHere(fix) {
      let (wasAtRest, start) = (isAtRest, since)
      begin(at: fix)
      if wasAtRest { (isAtRest, since) = (true, start) }
      return
    }
    guard isHere(fix) || isWandering && count > 0 else { return begin(at: fix) }
    if isHere(fix) {
      away = nil
    } else if let first = away,
      Geodesic.uncheckedDistance(first.coordinate, fix.coordinate) <= Assumptions.wandering.upperBound
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
    isAtRest = isAtRest || fix.time.seconds(since: since) >= Assumptions.shortestRest
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
    let steps = fix.time.seconds(since: latest.time) / Assumptions.errorTime
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
  /// near each other for as long as errors last are of a phone at rest.
  private mutating func settleCoarsely(at fix: Fix) {
    guard !isAtRest else { return }
    guard let first = coarse,
      Geodesic.uncheckedDistance(first.coordinate, fix.coordinate) <= Assumptions.wandering.upperBound
    else {
      coarse = fix
      return
    }
    guard fix.time.seconds(since: first.time) >= Assumptions.errorTime else { return }
    begin(at: first)
    isAtRest = true
  }
}
