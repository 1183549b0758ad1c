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
/// near a boundary, a hundred metres where no boundary is near. At rest it sleeps behind a sentinel of ``restRadius``, or, where
/// the latency is too short for a phone's slots and a boundary is near, requests a position every ``restLatency``. Far from all
/// boundaries it sleeps behind a sentinel that leaves room for overshoot and delay.
public struct AdaptiveStrategy: MonitoringStrategy, Hashable {
  /// How late a crossing may be noticed.
  public let latency: Duration
  /// How long after the first instant at which a boundary can have been crossed the next position is due, seconds.
  public var movingLatency: Double
  /// How long after that at rest, seconds.
  public var restLatency = 40.0
  /// Whether the app sleeps at rest, also where a boundary is near. A departure is then noticed when the phone notices that its
  /// sentinel was left, and what was passed meanwhile is told late.
  public var sleepsAtRest: Bool
  /// The radius of the sentinel around a device at rest, metres.
  public var restRadius: Meters = 100
  /// How fast speed may grow, m/s²: a car's acceleration in traffic.
  public var acceleration = 1.5
  /// From a position that decides nothing to the next, seconds.
  public var recheck: Double
  /// The greatest speed, metres a second.
  public var maximumSpeed: MetersPerSecond = 40
  /// What a sentinel that is far from all boundaries has to allow for: how far beyond its border its exit is noticed and how wrong
  /// the system may be about it, metres, and how late, seconds. Of the 16 region exits of MobilityNet's iPhones, half came within
  /// 85 s of the crossing, and 95 % within 161 s.
  public var overshoot: Meters = 300
  public var sentinelDelay = 180.0

  /// The knob's range.
  public static let latencies = Duration.seconds(10)...Duration.seconds(600)

  /// How long to search for satellites at a time, seconds, and how long to pause after a search. The pause doubles after each search
  /// in vain, as where there is no sky.
  private static let searchTime = 40.0
  private static let pauses = 60.0...1800
  /// Where no boundary is nearer than this, metres, a tier of a hundred metres is enough: three times its accuracy.
  private static let coarseClearance: Meters = 300
  /// The longest time from when a boundary can have been crossed to the next position, seconds. Visits of a minute are missed from about
  /// here on: with 53.5, 70 and 90 s, `vicinity compare` found 95.1, 94.2 and 93.0 % of the visits of Porto's taxis among 300 regions,
  /// and 95.1, 94.7 and 93.8 % among 10,000 (one seed).
  private static let longestMovingLatency = 53.5
  /// From this latency on the app sleeps at rest: a phone's sentinel is noticed to be left after one to three minutes, and in days of
  /// many short trips so many crossings come right after a departure that 95 % within half a minute need an app that stays awake.
  private static let leastLatencyAsleep = 30.0
  /// The least radius of a sentinel that is advised, metres (Android's *Create and monitor geofences*).
  private static let leastRadius: Meters = 100

  public init(latency: Duration) {
    let latency = min(max(latency, Self.latencies.lowerBound), Self.latencies.upperBound)
    self.latency = latency
    let seconds = latency / .seconds(1)
    movingLatency = min(
      seconds * (0.55 + 0.25 * min(1, (seconds - 10) / 50)), Self.longestMovingLatency)
    sleepsAtRest = seconds >= Self.leastLatencyAsleep
    recheck = sleepsAtRest ? 8 : 4
  }

  public var name: String { "adaptive" }
  public var needs: StrategyNeeds { .backgroundLocation }

  public func decide(_ situation: WatchSituation) -> WatchDecision {
    guard let fix = situation.fix, situation.isAwake else {
      return .locate(after: .zero, .best, because: "where is the device?")
    }
    if situation.isWithoutPosition {
      return .locate(after: .seconds(Self.searchTime), .best, because: "no position")
    }
    if situation.isBlind, !situation.isAtRest, searchesSatellites, situation.clearance < Self.coarseClearance,
      maySearch(situation)
    {
      return .search(.seconds(Self.searchTime), because: "no satellites near a boundary")
    }
    if situation.isSuspicious {
      return .locate(after: .seconds(recheck), .best, because: "the fix contradicts the ones before")
    }
    if situation.isAmbiguous, !(situation.isAtRest && sleepsAtRest) {
      return .locate(after: .seconds(recheck), .best, because: "too near a boundary to decide")
    }
    let clearance = max(0, situation.clearance - situation.accuracy)
    if let radius = sentinelRadius(clearance: clearance) {
      return .sleep(radius: radius, because: "no boundary near")
    }
    if situation.isAtRest, sleepsAtRest { return .sleep(radius: restRadius, because: "at rest") }
    let wait = (situation.isAtRest ? restLatency : movingLatency) + travelTime(clearance, at: fix.speed)
    let isNear = situation.clearance < Self.coarseClearance || situation.isAtRest
    return .locate(
      after: .seconds(wait), isNear ? .best : .hundredMeters, because: "a boundary may have been crossed then"
    )
  }

  /// Whether updates are left on until satellites are found: worth their energy where seconds count. On two rides among 300 to 100,000
  /// regions a day without takes 7 to 12 % less above idle, and its latency is the same.
  private var searchesSatellites: Bool { !sleepsAtRest }

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
