public import VicinityCrossings

/// How conditions share the slots.
public enum ConditionLimit: String, CaseIterable, Hashable, Sendable {
  /// All conditions together have the device's slots, as Apple's article on condition monitoring says.
  case total
  /// Conditions of each kind have as many, as the header of `CLMonitoringEvent` says.
  case perKind
}

/// What the user may be shown of an app that watches in the background.
///
/// It decides how an app can stay awake since iOS 16.4 (``BackgroundUpdateRules``), and so what
/// ``Strategy/adaptive(latency:)`` can do: <doc:StayingAwake>.
public enum Presence: String, CaseIterable, Hashable, Sendable {
  /// Nothing but the arrow in the status bar that every use of location shows. Regions and significant
  /// changes wake the app; awake it stays only by updates of a hundred metres, and only from the time on when
  /// it is in front or significant changes have woken it.
  case quiet
  /// A blue bar or pill, for as long as a strategy that decides by positions watches a region. The app stays
  /// awake at little cost whenever it needs to.
  case indicator
}

/// How a monitor works. A plain value, checked when a monitor is opened.
public struct MonitorOptions: Sendable {
  /// How the device is watched; ``Strategy/slots`` by default, which needs no background mode.
  public var strategy: Strategy
  /// Shorter visits, and shorter absences between two visits to a region, need not be noticed; a minute by
  /// default. ``Strategy/adaptive(latency:)`` asks for positions often enough that few of the longer visits,
  /// 1.25 %, fall between two of them: a shorter time costs energy, and where only long visits matter it
  /// takes less. From zero to a day.
  public var shortestVisit: Duration
  /// What the user may be shown while the app watches in the background; ``Presence/quiet`` by default.
  /// Strategies that keep the app awake depend on it on every phone since iOS 16.4.
  public var presence: Presence
  /// What else wakes the app, whatever the strategy: none by default. A move by some hundred metres is
  /// noticed by significant changes where a sentinel's exit is missed, and a long stay ends by a visit's
  /// departure. Each wake-up costs a position. Services go on after the process ends: an app that no longer
  /// wants them has its device perform `wake(by: [])` once.
  public var wakeServices: WakeServices
  /// How slots are planned, and what the certificate must allow for. Their number is the device's
  /// (``MonitoringDevice/slotCapacity``), or `capacity` where one is given and the device has no fewer. A
  /// monitor itself sets `pinned` and `priorities`, and adds the slots of beacons to `reserved`.
  public var plan: PlanOptions
  /// A crossing rule by which crossings are decided at fixes, such as Core Location's, which waits for a
  /// cushion and twenty seconds and so is silent on a drive through small regions. By default there is none:
  /// a fix beyond a boundary by a share of its accuracy decides, or two in a row, and at rest the mean of the
  /// fixes there (<doc:DecidingFixes>). `notifyOnEntry` and `notifyOnExit` are not used. Dwell events are
  /// not supported, nor a rule with another strategy than ``Strategy/slots``.
  public var crossings: CrossingOptions?
  /// How conditions share the slots; ``ConditionLimit/total`` by default.
  public var limit: ConditionLimit
  /// How long after its last sighting a beacon still counts as in range.
  public var beaconTimeout: Duration
  /// Gets an entry for each decision about what to ask the device for, and why; none by default. Called by
  /// the monitor itself, between two inputs, so it must not wait.
  public var log: (@Sendable (WatchLogEntry) -> Void)?
  /// How long after a failure the store is tried again, at the latest; 10 s by default.
  public var storeRetryInterval: Duration

  public init(
    strategy: Strategy = .slots, shortestVisit: Duration = .seconds(60), presence: Presence = .quiet,
    wakeServices: WakeServices = [], plan: PlanOptions = PlanOptions(),
    crossings: CrossingOptions? = nil,
    limit: ConditionLimit = .total, beaconTimeout: Duration = .seconds(30),
    storeRetryInterval: Duration = .seconds(10), log: (@Sendable (WatchLogEntry) -> Void)? = nil
  ) {
    self.strategy = strategy
    self.shortestVisit = shortestVisit
    self.presence = presence
    self.wakeServices = wakeServices
    self.plan = plan
    self.crossings = crossings
    self.limit = limit
    self.beaconTimeout = beaconTimeout
    self.storeRetryInterval = storeRetryInterval
    self.log = log
  }

  /// Whoever stays for a day has visited.
  private static let visits = Duration.zero...Duration.seconds(86_400)

  /// - Throws: ``MonitorError/outOfRange(option:value:allowed:)``.
  func check() throws(MonitorError) {
    if case .adaptive(let latency) = strategy, !AdaptiveStrategy.latencies.contains(latency) {
      throw .outOfRange(option: "latency", value: latency, allowed: AdaptiveStrategy.latencies)
    }
    guard Self.visits.contains(shortestVisit) else {
      throw .outOfRange(option: "shortestVisit", value: shortestVisit, allowed: Self.visits)
    }
  }

  /// The strategy that decides what to do after each fix; nil where plans decide.
  var watching: (any MonitoringStrategy)? { strategy.watching(shortestVisit: shortestVisit) }
}
