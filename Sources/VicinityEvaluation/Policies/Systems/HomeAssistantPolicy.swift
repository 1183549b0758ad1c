public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// Home Assistant's app for iOS: the nearest zones by centre, as many as fit twenty circles, without a
/// sentinel.
///
/// As in `ZoneManager` and `ZoneManagerRegionFilter`: three circles of 100 m monitor a zone below 100 m, and
/// any of them decides; at significant changes and region events, the app registers and unregisters what has
/// changed since the last position.
public struct HomeAssistantPolicy: AdjustablePolicy {
  /// How many circles are registered.
  public var count = 20
  /// Three circles of this radius monitor a zone that is smaller, metres.
  public var smallest: Meters = 100

  public init() {}

  public var name: String { "home-assistant" }
  public var summary: String {
    "The nearest zones by centre, \(count) circles, at significant changes and region events; a zone below \(smallest) m has three circles."
  }
  public var source: String { "home-assistant/iOS: ZoneManagerRegionFilter.swift, issues 784, 785, 800." }

  public static let adjustments: [PolicyAdjustment<HomeAssistantPolicy>] = [
    .count("count", \.count, in: 3...1000, "How many circles are registered.", tries: [20]),
    .number(
      "smallest", \.smallest, in: 0...1000, unit: "m", "The radius below which a zone has three circles.",
      tries: [0, 100]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions,
      SlotRecipe(
        ranking: .center, count: count, triggers: [.significantChanges, .regionEvents, .launch],
        avoidsRepeats: true, takesStatesFromFix: true, smallestRadius: smallest))
  }
}
