internal import VicinityCrossings
internal import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// This library's `Monitor` with the options that an app opens it with, a strategy of your own among them.
///
/// The app reports the monitor's events. A study compares it with the other policies.
public struct MonitorPolicy: MonitoringPolicy {
  /// Tells it from the other policies of a study.
  public var name: String
  public var options: MonitorOptions

  /// - Parameters:
  ///   - options: As for a `Monitor`. Options that no monitor is opened with are an error of a study
  ///     (``PolicyError/invalidOptions(_:policy:)``). In a single run the app then does nothing, and the run's
  ///     timeline says why.
  ///   - name: Tells it from the other policies of a study, which must have other names.
  public init(_ options: MonitorOptions, name: String = "monitor") {
    (self.options, self.name) = (options, name)
  }

  public var summary: String { "The monitor with options of an app: strategy \(options.strategy.name)." }
  public var source: String { "Vicinity: Monitor, Strategy.\(options.strategy.name)." }
  public var presence: Presence { options.presence }
  public var needs: String {
    "Monitor with strategy \(options.strategy.name): "
      + LocationModeWords.words(options.strategy.needs.isLocationMode) + presence.needs
  }

  public func check() throws(PolicyError) {
    do { _ = try MonitorStateMachine.restored(options: options, now: Timestamp(microseconds: 0)) } catch {
      throw .invalidOptions("\(error)", policy: name)
    }
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    MonitoredApp(watching: regions, options)
  }
}

/// This library's `Monitor`, as it ships, with its strategy for region monitoring alone: `Strategy.slots`.
public struct MonitorSlotsPolicy: AdjustablePolicy {
  /// How plans are made; placed ahead of a phone whose course is known.
  public var plan = PlanOptions(strategy: .boundaryAhead())

  public init() {}

  public var name: String { "monitor-slots" }
  public var summary: String {
    "The monitor with region monitoring alone: the regions nearest by boundary and a circle around the phone, chosen anew when it leaves the circle."
  }
  public var source: String { "Vicinity: Monitor, Strategy.slots." }
  public var needs: String { "Monitor with .slots and \(LocationModeWords.none)" }

  public static let adjustments: [PolicyAdjustment<MonitorSlotsPolicy>] = [
    .number(
      "speed", \.plan.maximumSpeed, in: 0.1...1000, unit: "m/s",
      "The speed cap, on which the certificate rests.",
      tries: [20, 40]),
    .number(
      "overshoot", \.plan.overshoot, in: 0...10_000, unit: "m", "How far beyond a border an exit is noticed.",
      tries: [50, 100, 200]),
    .number(
      "minimum-radius", \.plan.minimumReliableRadius, in: 0...10_000, unit: "m",
      "The least radius of a sentinel.", tries: [100, 200]),
    .count(
      "capacity", orAll: \.plan.givenCapacity, in: 2...1000,
      "Slots, the sentinel's included; no more than the phone has.", tries: [nil]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    MonitoredApp(watching: regions, MonitorOptions(strategy: .slots, plan: plan))
  }
}

/// This library's `Monitor`, as it ships, with `Strategy.adaptive(latency:)`.
public struct MonitorAdaptivePolicy: AdjustablePolicy {
  /// How late a crossing may be noticed, seconds.
  public var latency = 60.0
  /// Shorter visits need not be noticed, seconds.
  public var shortestVisit = 60.0
  /// How many slots it has, the sentinel's included, and no more than the phone; nil for all of the phone's.
  public var capacity: Int?
  /// What the user may be shown.
  public let presence: Presence

  public init(_ presence: Presence = .indicator) { self.presence = presence }

  public var name: String {
    switch presence {
    case .indicator: "monitor-adaptive"
    case .quiet: "monitor-quiet"
    }
  }

  public var summary: String {
    switch presence {
    case .indicator:
      "The monitor with one setting, the latency, and a blue bar: a position when a boundary may have been crossed, asleep at rest; here \(latency) s."
    case .quiet:
      "The monitor with the same setting and no bar: since iOS 16.4 slots, and positions from a significant change until the phone rests; here \(latency) s."
    }
  }
  public var source: String {
    "Vicinity: Monitor, Strategy.adaptive; safe periods: Bamba, Liu, Iyengar, Yu (ICDCS 2009)."
  }
  public var needs: String {
    "Monitor with .adaptive(latency: .seconds(\(latency.shortestText))) and presence .\(presence.rawValue): "
      + LocationModeWords.needed + presence.needs
  }

  public static let adjustments: [PolicyAdjustment<MonitorAdaptivePolicy>] = [
    .number(
      "latency", \.latency, in: 10...600, unit: "s", "How late a crossing may be noticed.",
      tries: [10, 15, 30, 60, 120, 300]),
    .number(
      "shortest-visit", \.shortestVisit, in: 0...3600, unit: "s", "Shorter visits need not be noticed.",
      tries: [60]),
    .count(
      "capacity", orAll: \.capacity, in: 2...1000,
      "Slots, the sentinel's included; no more than the phone has.", tries: [nil]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    MonitoredApp(
      watching: regions,
      MonitorOptions(
        strategy: .adaptive(latency: .seconds(latency)), shortestVisit: .seconds(shortestVisit),
        presence: presence, plan: PlanOptions(capacity: capacity)))
  }
}
