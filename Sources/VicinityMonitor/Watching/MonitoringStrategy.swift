public import VicinityCrossings
public import VicinityGeodesy

/// How a monitor watches its geographic conditions: what a device is asked for after each input.
///
/// A strategy is a value that decides from a situation; the monitor carries out what it decides. Two come
/// with the library, ``Strategy/slots`` and ``Strategy/adaptive(latency:)``. One of your own takes about
/// thirty lines:
///
///     struct EveryMinute: MonitoringStrategy {
///       var name: String { "every-minute" }
///       var needs: StrategyNeeds { .backgroundLocation }
///       func decide(_ situation: WatchSituation) -> WatchDecision {
///         situation.isAtRest
///           ? .sleep(radius: 100, because: "at rest")
///           : .locate(after: .seconds(60), .best, because: "a minute has passed")
///       }
///     }
///
///     options.strategy = .custom(EveryMinute())
public protocol MonitoringStrategy: Sendable {
  /// A short name, for logs.
  var name: String { get }
  /// What an app has to ask its user and declare for this strategy.
  var needs: StrategyNeeds { get }
  /// What to do next. Called when watching begins, when the app was woken, after each fix that counts or
  /// contradicts the ones before, after each request that no fix answered, and when permissions, the regions
  /// or what it takes to stay awake have changed.
  func decide(_ situation: WatchSituation) -> WatchDecision
  /// What can be promised among regions of a median radius, metres, where it takes so much to stay awake;
  /// nil, as by default, where nothing can.
  func forecast(radius: Meters, wakefulness: Wakefulness) -> LatencyForecast?
}

extension MonitoringStrategy {
  public func forecast(radius: Meters, wakefulness: Wakefulness) -> LatencyForecast? { nil }
}

/// What an app has to ask its user and declare.
public struct StrategyNeeds: Hashable, Sendable {
  /// Whether the user must allow location always; true for every strategy that works behind.
  public var isAlwaysAuthorized: Bool
  /// Whether the app needs the background mode `location`, which keeps it alive while it uses the standard
  /// location service.
  public var isLocationMode: Bool

  public init(isAlwaysAuthorized: Bool, isLocationMode: Bool) {
    self.isAlwaysAuthorized = isAlwaysAuthorized
    self.isLocationMode = isLocationMode
  }

  /// Permission always, and no background mode.
  public static let regionsOnly = StrategyNeeds(isAlwaysAuthorized: true, isLocationMode: false)
  /// Permission always, and the background mode `location`.
  public static let backgroundLocation = StrategyNeeds(isAlwaysAuthorized: true, isLocationMode: true)
}

/// What a monitor knows when it asks its strategy.
public struct WatchSituation: Hashable, Sendable {
  /// What conditions with a latency of their own ask for.
  public struct Wish: Hashable, Sendable {
    /// How late a crossing may be noticed.
    public var latency: Duration
    /// The distance from the last position to the nearest boundary of such a condition, metres.
    public var clearance: Meters

    public init(latency: Duration, clearance: Meters) {
      self.latency = latency
      self.clearance = clearance
    }
  }

  /// The present time.
  public var now: Timestamp
  /// The last fix that was accepted; nil before the first.
  public var fix: Fix?
  /// How accurate the last position is, metres; at rest, that of the mean of the positions there, whose
  /// errors are alike. Infinite before the first.
  public var accuracy: Meters
  /// The distance from the last position to the nearest boundary of any region, metres; infinite where there
  /// is none.
  public var clearance: Meters
  /// The wishes of conditions with a latency of their own, the shortest latency first; ``clearance`` counts
  /// their boundaries too.
  public var wishes: [Wish]
  /// Whether the last position lies too near a boundary to decide on which side of it the device is, or tells
  /// less than what the device has said of a slot.
  public var isAmbiguous: Bool
  /// For how long positions have left open whether a boundary has been crossed, seconds: since the last one
  /// that was as far from all boundaries as its error may be; 0 where the last one was.
  public var doubt: Double
  /// Whether the last fix contradicts the ones before, by a speed that the device cannot have or away from
  /// where it rests.
  public var isSuspicious: Bool
  /// Whether the device has stayed at one place for two minutes.
  public var isAtRest: Bool
  /// For how long it has stayed there, seconds; 0 while it is not at rest.
  public var restingTime: Double
  /// What was learned of the user and of the phone so far, in earlier processes too.
  public var history: CrossingHistory
  /// How late the latest crossings were told that did not follow a departure, seconds, oldest first, as far
  /// as positions show: up to 80, of this process.
  public var delays: [Double]
  /// Whether the app is kept alive. It is not when a slot's report has just woken it.
  public var isAwake: Bool
  /// Whether the last request was answered by no position.
  public var isWithoutPosition: Bool
  /// What it takes to stay awake. Where it is impossible, a decision for a position within ten seconds is
  /// carried out, and the app sleeps after any other; where it is not cheap, plans choose the sentinel too.
  public var wakefulness: Wakefulness

  public init(
    now: Timestamp, fix: Fix? = nil, accuracy: Meters = .infinity, clearance: Meters = .infinity,
    wishes: [Wish] = [], isAmbiguous: Bool = false, doubt: Double = 0, isSuspicious: Bool = false,
    isAtRest: Bool = false,
    restingTime: Double = 0,
    history: CrossingHistory = CrossingHistory(), delays: [Double] = [], isAwake: Bool = true,
    isWithoutPosition: Bool = false,
    wakefulness: Wakefulness = .cheap
  ) {
    self.now = now
    self.fix = fix
    self.accuracy = accuracy
    self.clearance = clearance
    self.wishes = wishes
    self.isAmbiguous = isAmbiguous
    self.doubt = doubt
    self.isSuspicious = isSuspicious
    self.isAtRest = isAtRest
    self.restingTime = restingTime
    self.history = history
    self.delays = delays
    self.isAwake = isAwake
    self.isWithoutPosition = isWithoutPosition
    self.wakefulness = wakefulness
  }
}

/// What a strategy decides, and why, in a few words for the log.
public enum WatchDecision: Hashable, Sendable {
  /// Stay alive, and request a single position of a tier after some time.
  case locate(after: Duration, DesiredAccuracy, because: String)
  /// Stay alive, with updates on at a tier. The strategy is asked after each position, and when none has come
  /// for this long, after one more. Positions come when the device has moved by the filter, metres, and all
  /// of them where it is 0.
  case update(DesiredAccuracy, distanceFilter: Meters, for: Duration, because: String)
  /// Let the system suspend the app. A sentinel of this radius, metres, around the last position wakes it.
  case sleep(radius: Meters, because: String)

  /// Why.
  public var reason: String {
    switch self {
    case .locate(_, _, let reason), .update(_, _, _, let reason), .sleep(_, let reason): reason
    }
  }
}

extension WatchDecision {
  /// Of two decisions, the one that looks sooner.
  func sooner(_ other: WatchDecision) -> WatchDecision {
    switch (self, other) {
    case (.update, _): self
    case (_, .update): other
    case (.locate(let mine, _, _), .locate(let its, _, _)): its < mine ? other : self
    case (.locate, .sleep): self
    case (.sleep, .locate): other
    case (.sleep(let mine, _), .sleep(let its, _)): its < mine ? other : self
    }
  }
}

/// Which strategy a monitor follows.
public enum Strategy: Sendable {
  /// Region monitoring alone: the nearest regions by boundary and a sentinel hold the slots, and each report
  /// of the device plans them anew. No background mode, nothing is kept alive; crossings are noticed when the
  /// system looks.
  case slots
  /// A position when a boundary may have been crossed, and none before; asleep behind a sentinel where it can
  /// be. One knob: how late a crossing may be noticed, nineteen times in twenty. <doc:ThePromise> shows where
  /// that aim is met, and what it costs.
  ///
  /// - Parameter latency: From ten seconds to ten minutes; a monitor is not opened with another.
  case adaptive(latency: Duration)
  case custom(any MonitoringStrategy)

  /// What an app has to ask its user and declare.
  public var needs: StrategyNeeds { watching()?.needs ?? .regionsOnly }

  /// The strategy's name: `slots`, `adaptive`, or that of a strategy of one's own.
  public var name: String { watching()?.name ?? "slots" }

  /// The strategy that decides what to do after each fix; nil for ``slots``, where plans decide.
  ///
  /// - Parameter shortestVisit: Shorter visits need not be noticed.
  func watching(shortestVisit: Duration = AdaptiveStrategy.usualVisit) -> (any MonitoringStrategy)? {
    switch self {
    case .slots: nil
    case .adaptive(let latency): AdaptiveStrategy(latency: latency, shortestVisit: shortestVisit)
    case .custom(let strategy): strategy
    }
  }
}
