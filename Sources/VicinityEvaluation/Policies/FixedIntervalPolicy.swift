public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// A position at a fixed interval; the app decides about all regions from it.
public struct FixedIntervalPolicy: AdjustablePolicy {
  /// Seconds from a position to the request for the next.
  public var interval = 60.0
  public var accuracy = DesiredAccuracy.hundredMeters
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init() {}

  public var name: String { "fixed-interval" }
  public var summary: String {
    "A position at \(accuracy.rawValue) every \(interval) s by an app that keeps itself alive; regions are decided from them."
  }
  public var presence: Presence { .indicator }
  public var source: String {
    "What apps do with a timer; kept alive as by the Radar SDK for iOS (RadarLocationManager.m)."
  }

  public static let adjustments: [PolicyAdjustment<FixedIntervalPolicy>] = [
    .number(
      "interval", \.interval, in: 1...86_400, unit: "s", "Time from a position to the request for the next.",
      tries: [15, 30, 60, 120, 300, 600]),
    .choice(
      "accuracy", \.accuracy, "The tier of the positions.", tries: [.best, .hundredMeters, .kilometer]),
    .decision(\.decision),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    let interval = interval
    return SamplingApp(
      regions, accuracy, by: decision, next: { _ in interval }, withoutFix: { interval })
  }
}
