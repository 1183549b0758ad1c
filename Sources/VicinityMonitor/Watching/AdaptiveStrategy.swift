internal import CMath
public import VicinityCrossings
public import VicinityGeodesy

/// A position when a boundary may have been crossed, and none before.
///
/// Everything follows from how late a crossing may be noticed (``latency``), from the shortest visit that
/// counts, from the phone (``PhoneTimes``), from the limits of motion, and from what the monitor has learned
/// of its user (``CrossingHistory``).
///
/// ## On the move
/// Let the last position be at a distance d from the nearest boundary of any region, with an error of at most
/// e. Then the device crosses no boundary before it has moved by d - e (the safe periods of Bamba, Liu,
/// Iyengar, Yu, ICDCS 2009). How long it takes depends on its speed now, which grows by ``acceleration`` up
/// to ``maximumSpeed``. The next position is due ``movingInterval`` after that. The first position beyond a
/// boundary may not decide, but for the second one: with p for the time that a position takes, two of them
/// and the pause between them take 3 p. So the interval is min(latency, x) - 3 p: a crossing is told in time
/// by two positions, and of the visits that count no more than 1.25 % fall between them, with x as
/// `unmissedInterval` has it. It counts from the last position that left no doubt: one that is nearer to a
/// boundary than its error may be does not say whether that was crossed.
///
/// ## At rest
/// An app that stays awake tells a departure in time with positions every latency - 3 p seconds; one that
/// sleeps behind a sentinel tells it when the system has noticed the exit. Fewer positions would cost less
/// and tell fewer departures in time, but both by the same measure: the energy that an interval x costs is
/// proportional to 1/x, and so is the share of departures that are told in time. Therefore nothing between
/// the two is ever better, and the only question is from when on the app sleeps. The hazard of a departure
/// falls as a rest goes on, so it is best to be awake first, and to sleep from a time t on that is just so
/// long that the probability of an exit later than is allowed, times the share of crossings that follow
/// rests of at least t, is no more than 5 % less the share that positions tell late, and less a quarter of
/// 5 % for chance. Both shares are learned: what was late is fed back, so that the share that is late in all
/// converges to what is allowed. Learned is also how late the phone wakes the app at a sentinel
/// (``PhoneTimes/after(exits:meanExit:)``), and how long after the sentinel's border boundaries are crossed
/// (``CrossingHistory/headStarts``): most are farther away than the nearest one, and are told in time.
///
/// Somebody who leaves may also be in the next region and out of it before anybody looks, however late that
/// may be told. Its probability (`missProbability`), times the same share without the exits from the place of
/// the rest, times the part of such visits that is not inferred afterwards, is the share that is missed. The
/// app sleeps only where that is at most 2.5 %: of the 5 % that may be missed the errors of positions take
/// the other half. Positions at rest are no farther apart than 1.25 % allow (`unmissedInterval`).
///
/// ## Far from all boundaries
/// The app sleeps behind a sentinel that leaves room for an exit that is noticed late.
public struct AdaptiveStrategy: MonitoringStrategy, Hashable {
  /// How late a crossing may be noticed.
  public let latency: Duration
  /// Shorter visits need not be noticed, seconds.
  public var shortestVisit: Double
  /// The phone.
  public var phone: PhoneTimes
  /// How fast speed may grow, m/s²: a car's acceleration in traffic.
  public var acceleration = Assumptions.acceleration
  /// The greatest speed, metres a second: by default the planner's.
  public var maximumSpeed = Assumptions.plan.maximumSpeed
  /// The radius of the sentinel around a device at rest, metres: the least that is advised (Android's *Create
  /// and monitor geofences*).
  public var restRadius = Assumptions.plan.minimumReliableRadius
  /// How far beyond a sentinel's border an exit is noticed, and how wrong the system may be about it, metres:
  /// a cushion of a hundred metres (*Location and Maps Programming Guide*) and the errors of Wi-Fi positions.
  public var overshoot = Assumptions.plan.overshoot + Assumptions.plan.sentinelError

  /// The knob's range.
  public static let latencies = Duration.seconds(10)...Duration.seconds(600)

  /// Where no boundary is nearer than this, metres, the tier of a hundred metres is enough.
  private static let coarseClearance = Assumptions.proofOfTwo * Assumptions.coarseAccuracy

  public init(latency: Duration, shortestVisit: Duration = usualVisit, phone: PhoneTimes = .usual) {
    self.latency = min(max(latency, Self.latencies.lowerBound), Self.latencies.upperBound)
    self.shortestVisit = max(0, shortestVisit / .seconds(1))
    self.phone = phone
  }

  /// The shortest visit that counts where nothing else is said: a minute.
  public static let usualVisit = Duration.seconds(60)

  public var name: String { "adaptive" }
  public var needs: StrategyNeeds { .backgroundLocation }

  private var seconds: Double { latency / .seconds(1) }

  /// How long after the first instant at which a boundary can have been crossed the next position is due,
  /// seconds.
  public var movingInterval: Double {
    max(phone.position, min(seconds, unmissedInterval(share: 1)) - 3 * phone.position)
  }

  /// From one position at rest to the next, seconds.
  ///
  /// - Parameter history: What is known of the share of crossings that come right after a rest.
  public func restInterval(_ history: CrossingHistory) -> Double {
    let share = Self.departureShare(after: 0, history)
    return max(phone.position, min(seconds - 3 * phone.position, unmissedInterval(share: share)))
  }

  /// Decides for all regions, and for conditions with a shorter latency of their own as a strategy of that
  /// latency would among these alone; what looks sooner counts.
  public func decide(_ situation: WatchSituation) -> WatchDecision {
    var known = self
    known.phone = phone.after(exits: situation.history.exits, meanExit: situation.history.meanExit)
    var decision = known.decideAlone(situation)
    for wish in situation.wishes where wish.latency < latency {
      var own = situation
      own.clearance = wish.clearance
      var strategy = AdaptiveStrategy(latency: wish.latency, phone: known.phone)
      strategy.shortestVisit = shortestVisit
      decision = decision.sooner(strategy.decideAlone(own))
    }
    return decision
  }

  private func decideAlone(_ situation: WatchSituation) -> WatchDecision {
    if situation.isAwake, situation.isWithoutPosition {
      return .locate(after: .seconds(movingInterval), .best, because: "no position")
    }
    guard let fix = situation.fix, situation.isAwake else {
      return .locate(after: .zero, .best, because: "where is the device?")
    }
    if situation.isSuspicious {
      return .locate(after: .seconds(phone.position), .best, because: "the fix contradicts the ones before")
    }
    let clearance = max(0, situation.clearance - situation.accuracy)
    if situation.isAmbiguous, !maySleep(situation, clearance) {
      // A device that rests there will hardly be told to be elsewhere by the next position.
      let wait = situation.isAtRest ? restInterval(situation.history) : phone.position
      return .locate(after: .seconds(wait), .best, because: "too near a boundary to decide")
    }
    if let radius = sentinelRadius(clearance: clearance) {
      return .sleep(radius: radius, because: "no boundary near")
    }
    if maySleep(situation, clearance) { return .sleep(radius: restRadius, because: "at rest") }
    let interval = situation.isAtRest ? restInterval(situation.history) : movingInterval
    let wait =
      situation.doubt > 0
      ? patience(interval, situation.doubt) : interval + travelTime(clearance, at: fix.speed)
    let isNear = situation.clearance < Self.coarseClearance || situation.isAtRest
    return .locate(
      after: .seconds(wait), isNear ? .best : .hundredMeters, because: "a boundary may have been crossed then"
    )
  }

  /// How long to wait for the next position when the last ones have left open for some time whether a
  /// boundary was crossed, seconds.
  ///
  /// The interval counts from when that began. Where it has passed, another position may still tell nothing:
  /// each wait is then as long as the time since, so that a doubt of hours costs few positions more, and what
  /// ends it is told at most twice as late.
  private func patience(_ interval: Double, _ doubt: Double) -> Double {
    max(phone.position, min(abs(interval - doubt), interval))
  }

  /// Whether the device has been at rest for so long that the app may sleep, also where a boundary is near:
  /// few enough crossings will be noticed too late.
  private func maySleep(_ situation: WatchSituation, _ clearance: Meters) -> Bool {
    guard situation.isAtRest else { return false }
    if situation.wakefulness != .cheap { return true }
    let share = Self.departureShare(after: situation.restingTime, situation.history)
    return maySleep(
      share, clearance: clearance, history: situation.history, delays: situation.delays)
  }

  /// Whether the app may sleep where this share of all crossings comes right after it.
  func maySleep(_ share: Double, clearance: Meters, history: CrossingHistory, delays: [Double]) -> Bool {
    let late = lateProbability(clearance: clearance, history) * share
    guard late <= Assumptions.lateShare - Assumptions.chance - lateShare(of: delays) else { return false }
    let missed = missProbability(clearance: clearance, history) * (1 - Assumptions.inferredShare)
    return missed * share * Self.missableShare(history) <= Assumptions.asleepMissShare
  }

  /// The shortest visit that counts, as the model of the lengths of visits takes it, seconds.
  private var leastVisit: Double { min(max(shortestVisit, phone.position), CrossingHistory.longRest / 2) }

  /// How probable it is that a visit is over before an app that sleeps behind a sentinel of ``restRadius``
  /// can tell.
  ///
  /// The lengths of visits, from the shortest that counts to ``CrossingHistory/longRest``, are taken to be
  /// spread evenly on a logarithmic scale.
  func missProbability(clearance: Meters, _ history: CrossingHistory = CrossingHistory()) -> Double {
    let steps = 32
    let ratio = CrossingHistory.longRest / leastVisit
    let starts = headStarts(clearance: clearance, history)
    let sum = (0..<steps).reduce(0) { sum, step in
      let visit = leastVisit * pow(ratio, (Double(step) + 0.5) / Double(steps))
      return sum
        + starts.reduce(0) {
          $0 + $1.share * phone.probabilityOfExit(laterThan: visit - phone.position + $1.time)
        }
    }
    return sum / Double(steps)
  }

  /// The longest interval between positions with which few enough visits fall between two of them, seconds.
  ///
  /// A visit of the length v falls between two positions that are x apart with the probability 1 - v/x. With
  /// lengths as in `missProbability`, from s to l, so do (ln(x/s) - 1 + s/x) / ln(l/s) of all.
  ///
  /// - Parameter share: The share of all crossings that are of such visits, 0 to 1: at rest, of those right
  ///   after a departure.
  func unmissedInterval(share: Double) -> Double {
    let allowed =
      Assumptions.missShare / max(share, Assumptions.missShare) * log(CrossingHistory.longRest / leastVisit)
    var low = 1.0
    var high = exp(allowed + 1)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if log(middle) - 1 + 1 / middle < allowed { low = middle } else { high = middle }
    }
    return low * leastVisit
  }

  /// The share of crossings that positions tell too late, as far as is known: where boundaries are dense, or
  /// positions poor, it takes several of them to decide. What it leaves of ``lateShare`` may be spent on
  /// sleep.
  ///
  /// Where nothing is known it is half of what is allowed, if there is time for two positions, as with
  /// latencies up to those with which visits would be missed; and less, in proportion, where there is time
  /// for more.
  func lateShare(of delays: [Double]) -> Double {
    let prior = Assumptions.lateShare / 2 * min(1, (movingInterval + 3 * phone.position) / seconds)
    return (prior * Assumptions.priorCrossings + Double(delays.count { $0 > seconds }))
      / (Assumptions.priorCrossings + Double(delays.count))
  }

  /// How probable it is that a boundary is crossed longer than ``latency`` before an app that sleeps behind a
  /// sentinel of ``restRadius`` can tell.
  ///
  /// A boundary within the sentinel is crossed before its exit begins, by somebody who walks; one beyond it
  /// afterwards, by a car.
  func lateProbability(clearance: Meters, _ history: CrossingHistory = CrossingHistory()) -> Double {
    headStarts(clearance: clearance, history).reduce(0) {
      $0 + $1.share * phone.probabilityOfExit(laterThan: seconds - phone.position + $1.time)
    }
  }

  /// How much later than the sentinel's border boundaries are crossed after a departure, seconds, and the
  /// share of the crossings of which that is to be expected.
  ///
  /// Where nothing is known it is the nearest boundary that is crossed, as early as can be; what was seen at
  /// other departures counts as it was, but as no earlier than that.
  private func headStarts(
    clearance: Meters, _ history: CrossingHistory
  ) -> [(share: Double, time: Double)] {
    let earliest = headStart(clearance)
    let prior = Assumptions.priorShare * Assumptions.priorCrossings
    let sum = prior + Double(history.headStarts.reduce(0, +))
    var found = [(share: prior / sum, time: earliest)]
    for (count, time) in zip(history.headStarts, CrossingHistory.headStartTimes) where count > 0 {
      found.append((Double(count) / sum, max(time, earliest)))
    }
    return found
  }

  /// How much later than the sentinel's border a boundary is crossed, seconds.
  private func headStart(_ clearance: Meters) -> Double {
    clearance < restRadius
      ? (clearance - restRadius) / Assumptions.walkingSpeed
      : travelTime(clearance, at: 0) - travelTime(restRadius, at: 0)
  }

  /// The share of all crossings that come right after the end of a rest of at least this time, as far as is
  /// known: 0 to 1.
  ///
  /// Counted are crossings right after any rest, and those after rests of ``CrossingHistory/longRest``:
  /// nights and days at work, whose end their length does not tell. The lengths of shorter rests are taken to
  /// be spread evenly on a logarithmic scale: the hazard of a departure then falls as 1/t.
  ///
  /// - Parameter time: Seconds.
  static func departureShare(after time: Double, _ history: CrossingHistory) -> Double {
    let long = Assumptions.priorShare * Assumptions.priorCrossings + Double(history.longRestCrossings)
    let short = Double(history.departureCrossings - history.longRestCrossings)
    let time = min(max(time, Assumptions.shortestRest), CrossingHistory.longRest)
    let shortShare =
      log(CrossingHistory.longRest / time) / log(CrossingHistory.longRest / Assumptions.shortestRest)
    return (long + short * shortShare) / (Assumptions.priorCrossings + Double(history.crossings))
  }

  /// The share of the crossings right after departures that are of visits which begin then, as far as is
  /// known, 0 to 1: twice the share of entries, as each of these visits ends. The exits from where the device
  /// was at rest can be late, but cannot be missed. Where nothing is known it is all of them.
  static func missableShare(_ history: CrossingHistory) -> Double {
    let prior = Assumptions.priorShare * Assumptions.priorCrossings
    let entries = Double(history.departureCrossings - history.departureExits)
    return min(1, (prior + 2 * entries) / (prior + Double(history.departureCrossings)))
  }

  /// The least time in which a device can cover a distance, seconds.
  ///
  /// - Parameter speed: Its speed now, metres a second; negative where unknown, which counts as standing.
  func travelTime(_ distance: Meters, at speed: MetersPerSecond) -> Double {
    let now = min(max(0, speed), maximumSpeed)
    // v² = u² + 2 a s.
    let spurt = (maximumSpeed * maximumSpeed - now * now) / (2 * acceleration)
    guard distance > spurt else {
      return ((now * now + 2 * acceleration * distance).squareRoot() - now) / acceleration
    }
    return (maximumSpeed - now) / acceleration + (distance - spurt) / maximumSpeed
  }

  /// The radius of the sentinel behind which the app may sleep, for the distance to the nearest boundary; nil
  /// where the boundary is too near.
  func sentinelRadius(clearance: Meters) -> Meters? {
    let radius =
      clearance - overshoot - maximumSpeed * max(0, phone.lateExit + phone.position - seconds)
    return radius >= restRadius ? radius : nil
  }
}
