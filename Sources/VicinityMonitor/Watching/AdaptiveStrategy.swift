internal import CMath
public import VicinityCrossings
public import VicinityGeodesy

/// A position when a boundary may have been crossed, and none before.
///
/// ## When the next position is due
/// Let the last position be at a distance d from the nearest boundary of any region, with an error of at most e. Then the device
/// crosses no boundary before it has moved by d - e (the safe periods of Bamba, Liu, Iyengar, Yu, ICDCS 2009), and the next
/// position is due ``movingLatency`` after that. How long the device takes depends on its speed now, which grows by
/// ``acceleration`` up to ``maximumSpeed``.
///
/// ## What it costs
/// The app keeps itself alive while the device moves, and requests single positions of the tier that can decide: best accuracy
/// near a boundary, a hundred metres where no boundary is near. At rest it goes on for `wakefulTime(_:)`, with positions ever farther
/// apart (`restLatency(after:)`), and then sleeps behind a sentinel of ``restRadius``; at once where no boundary is within reach before the
/// sentinel is noticed to be left. Far from all boundaries it sleeps behind a sentinel that leaves room for overshoot and delay.
public struct AdaptiveStrategy: MonitoringStrategy, Hashable {
  /// How late a crossing may be noticed.
  public let latency: Duration
  /// How long after the first instant at which a boundary can have been crossed the next position is due, seconds.
  public var movingLatency: Double
  /// At rest, the time from one position to the next grows with the square root of the time at rest: this many seconds after a
  /// minute. The longer a rest has lasted, the less likely it ends in the next minute; where that likelihood falls as 1/t, the square
  /// root costs the fewest positions for the delay of departures.
  public var restCoefficient: Double
  /// The least and the longest time from one position to the next at rest, seconds.
  public var restLatencies: ClosedRange<Double>
  /// How long the app stays awake at rest at most, seconds, where few crossings come after long rests; infinite where it never sleeps at rest.
  /// A departure from rest is noticed by the phone's sentinel a minute or three late, which counts where departures bring a good part of all
  /// crossings, as on a taxi's day, and hardly where a few go with dozens: see `wakefulTime(_:)`.
  public var wakefulness: Double
  /// The radius of the sentinel around a device at rest, metres.
  public var restRadius: Meters = 100
  /// How fast speed may grow, m/s²: a car's acceleration in traffic.
  public var acceleration = 1.5
  /// From a position that decides nothing to the next, seconds; at rest no less than from one that decides.
  public var recheck: Double
  /// The greatest speed, metres a second.
  public var maximumSpeed: MetersPerSecond = 40
  /// What a sentinel that is far from all boundaries has to allow for: how far beyond its border its exit is noticed and how wrong
  /// the system may be about it, metres, and how late, seconds: 180 s, of which a latency of more than 120 s takes what it has over
  /// these. Of the 16 region exits of MobilityNet's iPhones, half came within 85 s of the crossing, and 95 % within 161 s.
  public var overshoot: Meters = 300
  public var sentinelDelay: Double

  /// The knob's range.
  public static let latencies = Duration.seconds(10)...Duration.seconds(600)

  /// How long to search for satellites at a time, seconds, and how long to pause after a search. The pause doubles after each search
  /// in vain, as where there is no sky.
  private static let searchTime = 40.0
  private static let pauses = 60.0...1800
  /// Where no boundary is nearer than this, metres, a tier of a hundred metres is enough: three times its accuracy.
  private static let coarseClearance: Meters = 300
  /// The longest time from when a boundary can have been crossed to the next position, seconds. Longer ones miss visits of a minute:
  /// with 45, 70, 90 and 120 s, `vicinity compare` found 94.0, 94.2, 93.0 and 89.7 % of the crossings of Porto's taxis among 300 regions,
  /// and 95.8, 94.7, 93.8 and 91.2 % among 10,000 (one seed), for 0.053, 0.043, 0.043 and 0.038 %/h above idle. So it is 45 s, and from a
  /// latency of 150 s on this share of the latency, up to 90 s.
  private static let longestMovingLatencies = 45.0...90
  private static let longMovingShare = 0.3
  /// For shorter ones it is this share of the latency less some seconds, as a single position at the best tier takes about eight to come after
  /// a pause. With 0.7 less 5.6 s, 0.76 less 7 s and 0.82 less 9 s a knob of a minute takes 0.098, 0.095 and 0.093 %/h above idle on
  /// the rides among 100,000 regions, and tells 95 % of the crossings within 37.5, 39.5 and 41.2 s; elsewhere the differences are alike.
  private static let (movingShare, positionTime) = (0.76, 7.0)
  /// Up to this latency the app never sleeps at rest where a boundary is near: a phone's sentinel is noticed to be left after one to three
  /// minutes, and on days of many short trips so many crossings come right after a departure that 95 % within half a minute need an
  /// app that stays awake. From the second latency on it sleeps at once.
  private static let latenciesOfWakefulness = 30.0..<150.0
  /// ``restCoefficient`` at a latency of ten seconds, and the longest time from one position to the next at rest: for latencies below
  /// those of ``latenciesOfWakefulness``, and for all others. With those of the others a knob of 15 s told 95 % of the crossings among 1,500 regions on
  /// MobilityNet's days within 15.4 s (ten seeds), and those of Porto's taxis among 300 within 15.1 s (five): the late ones are departures. With
  /// the same coefficient and 32 s it is 13.5 and 15.1 s, with 0.75 of it and 36 s 13.9 and 14.0 s, with 0.75 of it and 32 s 13.1 and 14.1 s, for 9, 7 and 12 %
  /// more above idle. What ships differs from 0.75 and 36 s by a fortieth of the coefficient: 14.3 and 14.8 s.
  private static let shortLatencyRest = (coefficient: 3.0, longest: 36.0)
  private static let longLatencyRest = (coefficient: 4.0, longest: 40.0)
  /// ``recheck`` where it is not four seconds: this share of the latency, within these bounds, seconds. With 8, 12, 15 and 18 s a knob of two minutes takes
  /// 0.081, 0.080, 0.079 and 0.078 %/h above idle on the rides among 100,000 regions, and tells 95 % of the taxis' crossings among 300 within 87, 90,
  /// 94 and 97 s; recall is the same, and elsewhere the differences are smaller.
  private static let (recheckShare, longRechecks) = (0.125, 8.0...15)
  /// The share of crossings that may be noticed later than asked for. How many crossings, with that share right after departures, are
  /// taken to have been before the first. From what share on the app stays awake for as long as it may: 4 and 0.1, from a sweep over 4 to
  /// 10 and 0.05 to 0.2.
  private static let (lateShare, priorCrossings, wakefulShare) = (0.05, 4.0, 0.1)
  /// For each second by which the latency is shorter than the longest of ``latenciesOfWakefulness`` the app stays awake for this long at most:
  /// 12,150 s at a minute, 4050 s at two; less by the square of the share of crossings after departures. Among made-up regions of three seeds besides the front's,
  /// 300, 1,500 and 10,000 about the rides, MobilityNet's days and a third of the taxis', at a minute 23 of 27 requirements (recall of at least 0.95, or that no
  /// other policy meets) are met with 12,150 and 15,000 s, 24 with 18,000 s, and 21 with 7200 s and the share itself; 22, 21, 22
  /// and 19 for no more energy than ten settings of other policies take.
  private static let wakefulnessGrowth = 135.0
  /// From how many long rests on it is known how many crossings come right after them. With 2, 3 and never, at a minute and 7200 s awake at most, 95 % of the
  /// crossings of twelve made-up people are told within 57, 68 and 142 s among 1,500 regions, and 55, 71 and 114 s among 10,000, for
  /// 0.169, 0.163 and 0.102, and 0.210, 0.212 and 0.126 %/h above idle. MobilityNet's days are the same; with rests of an hour and
  /// more for long ones they would take a fifth more among 100,000.
  private static let knownRests = 2
  /// Delays of a phone's sentinel are taken to be spread evenly up to this, seconds: of the 16 region exits of MobilityNet's iPhones half came
  /// within 85 s, and 95 % within 161 s.
  private static let longestSentinelDelay = 170.0
  /// A boundary within this distance can be crossed before a phone notices that it has left a sentinel, metres: by a car that sets off, within
  /// a minute. A knob of a minute that slept nowhere at once would take 9 to 12 % more above idle on MobilityNet's days among 300 and
  /// 1,500 regions, 7 % more on the taxis' among 300, and a quarter more on made-up people's among 1,500. With 300 m 95 % of the taxis' crossings among 300
  /// are told within 66 s, with 500 and 1000 m within 57 and 49; MobilityNet's days among 10,000 take 0.090, 0.090 and 0.097 %/h.
  private static let reach: Meters = 500
  /// The least radius of a sentinel that is advised, metres (Android's *Create and monitor geofences*).
  private static let leastRadius: Meters = 100

  public init(latency: Duration) {
    let latency = min(max(latency, Self.latencies.lowerBound), Self.latencies.upperBound)
    self.latency = latency
    let seconds = latency / .seconds(1)
    let isShort = seconds < Self.latenciesOfWakefulness.lowerBound
    let longest = min(
      max(Self.longestMovingLatencies.lowerBound, Self.longMovingShare * seconds),
      Self.longestMovingLatencies.upperBound)
    movingLatency = min(max(4, Self.movingShare * seconds - Self.positionTime), longest)
    let rest = isShort ? Self.shortLatencyRest : Self.longLatencyRest
    restCoefficient = rest.coefficient + 0.06 * (seconds - 10)
    restLatencies = max(8, movingLatency / 2)...max(rest.longest, seconds)
    wakefulness =
      isShort ? .infinity : Self.wakefulnessGrowth * max(0, Self.latenciesOfWakefulness.upperBound - seconds)
    sentinelDelay = min(max(0, 300 - seconds), 180)
    recheck =
      isShort
      ? 4 : min(max(Self.longRechecks.lowerBound, Self.recheckShare * seconds), Self.longRechecks.upperBound)
  }

  public var name: String { "adaptive" }
  public var needs: StrategyNeeds { .backgroundLocation }

  /// Decides for all regions, and for conditions with a shorter latency of their own as a strategy of that latency would among these
  /// alone; what looks sooner counts.
  public func decide(_ situation: WatchSituation) -> WatchDecision {
    var decision = decideAlone(situation)
    for wish in situation.wishes where wish.latency < latency {
      var own = situation
      own.clearance = wish.clearance
      decision = decision.sooner(AdaptiveStrategy(latency: wish.latency).decideAlone(own))
    }
    return decision
  }

  private func decideAlone(_ situation: WatchSituation) -> WatchDecision {
    if situation.isAwake, situation.isWithoutPosition {
      return .locate(after: .seconds(Self.searchTime), .best, because: "no position")
    }
    guard let fix = situation.fix, situation.isAwake else {
      return .locate(after: .zero, .best, because: "where is the device?")
    }
    if situation.isBlind, !situation.isAtRest, searchesSatellites, situation.clearance < Self.coarseClearance,
      maySearch(situation)
    {
      return .search(.seconds(Self.searchTime), because: "no satellites near a boundary")
    }
    if situation.isSuspicious {
      return .locate(after: .seconds(recheck), .best, because: "the fix contradicts the ones before")
    }
    if situation.isAmbiguous, !maySleep(situation) {
      // A device that rests there will hardly be told to be elsewhere by the next position.
      let wait = situation.isAtRest ? max(recheck, restLatency(after: situation.restingTime)) : recheck
      return .locate(after: .seconds(wait), .best, because: "too near a boundary to decide")
    }
    let clearance = max(0, situation.clearance - situation.accuracy)
    if let radius = sentinelRadius(clearance: clearance) {
      return .sleep(radius: radius, because: "no boundary near")
    }
    if maySleep(situation) { return .sleep(radius: restRadius, because: "at rest") }
    let latency = situation.isAtRest ? restLatency(after: situation.restingTime) : movingLatency
    let wait = latency + travelTime(clearance, at: fix.speed)
    let isNear = situation.clearance < Self.coarseClearance || situation.isAtRest
    return .locate(
      after: .seconds(wait), isNear ? .best : .hundredMeters, because: "a boundary may have been crossed then"
    )
  }

  /// Whether updates are left on until satellites are found: worth their energy where seconds count. On two rides among 300 to 100,000
  /// regions a day without takes 7 to 12 % less above idle, and its latency is the same.
  private var searchesSatellites: Bool { wakefulness == .infinity }

  /// Whether the device has been at rest for so long that the app may sleep, also where a boundary is near. What is passed until its
  /// departure is noticed is told late.
  ///
  /// It sleeps at once where no boundary is within ``reach``.
  private func maySleep(_ situation: WatchSituation) -> Bool {
    guard situation.isAtRest else { return false }
    if situation.wakefulness != .cheap { return true }
    if wakefulness < .infinity, situation.clearance > Self.reach { return true }
    return situation.restingTime >= wakefulTime(situation)
  }

  /// How long the app stays awake at rest, seconds: none before the first crossing, then a share of ``wakefulness`` that grows with the
  /// square of the share of crossings that came right after a departure; all the time where so many come after long rests that too many would be
  /// late.
  func wakefulTime(_ situation: WatchSituation) -> Double {
    guard wakefulness < .infinity else { return .infinity }
    let history = situation.history
    guard wakefulness > 0, history.crossings > 0 else { return 0 }
    func share(_ count: Int) -> Double {
      (Double(count) + Self.lateShare * Self.priorCrossings)
        / (Double(history.crossings) + Self.priorCrossings)
    }
    if history.longRests >= Self.knownRests, share(history.longRestCrossings) >= toleratedShare {
      return .infinity
    }
    let departures = min(1, share(history.departureCrossings) / Self.wakefulShare)
    return wakefulness * departures * departures
  }

  /// Up to this share of crossings that come right after the departure of a sleeping phone, no more than ``lateShare`` of all are later
  /// than asked for; infinite for latencies that no sentinel exceeds.
  private var toleratedShare: Double {
    Self.lateShare / max(0, 1 - latency / .seconds(1) / Self.longestSentinelDelay)
  }

  /// How long after a position the next one is due at rest, seconds, where a boundary is near.
  ///
  /// - Parameter time: For how long the device has been at rest, seconds.
  func restLatency(after time: Double) -> Double {
    min(
      max(restCoefficient * (max(0, time) / 60).squareRoot(), restLatencies.lowerBound),
      restLatencies.upperBound)
  }

  /// Whether enough time has passed since the last search in vain.
  private func maySearch(_ situation: WatchSituation) -> Bool {
    guard let end = situation.lastSearchEnd else { return true }
    let pause = min(
      Self.pauses.lowerBound * pow(2, Double(max(0, situation.failedSearches - 1))), Self.pauses.upperBound)
    return situation.now.seconds(since: end) >= pause
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

  /// The radius of the sentinel behind which the app may sleep, for the distance to the nearest boundary; nil where the
  /// boundary is too near.
  func sentinelRadius(clearance: Meters) -> Meters? {
    let radius = clearance - overshoot - maximumSpeed * sentinelDelay
    return radius >= Self.leastRadius ? radius : nil
  }
}
