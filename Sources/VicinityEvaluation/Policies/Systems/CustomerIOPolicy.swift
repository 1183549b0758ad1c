public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// customer.io's SDK for iOS: nineteen regions by boundary distance, and a circle whose exit makes the app
/// choose again; it reports an entry or exit of a region at most once an hour.
///
/// As at 8b9ee36 (2026-08-21): distances in whole metres, equals by identifier; only changes are registered
/// and unregistered; the app chooses among the hundred regions that were nearest at the last fetch, and
/// fetches again after 5 km; the circle, of 1000 m (100 to 5000), ends before the nearest polygon. Fetches
/// cost nothing here.
public struct CustomerIOPolicy: AdjustablePolicy {
  /// The circle's radius, metres.
  public var radius: Meters = 1000
  /// How many regions are fetched.
  public var cache = 100
  /// The distance from the last fetch at which the app fetches again, metres.
  public var refetch: Meters = 5000
  /// How long a report is not repeated, seconds.
  public var cooldown = 3600.0

  public init() {}

  public var name: String { "customer-io" }
  public var summary: String {
    "19 of the \(cache) regions fetched, by boundary distance, and a circle of \(radius) m; no report twice in \(cooldown) s."
  }
  public var source: String {
    "customerio/customerio-ios at 8b9ee36: GeofenceSyncCoordinator, GeofenceEventTracker."
  }

  public static let adjustments: [PolicyAdjustment<CustomerIOPolicy>] = [
    .number("radius", \.radius, in: 100...5000, unit: "m", "The circle's radius.", tries: [300, 1000, 2000]),
    .count("cache", \.cache, in: 1...10_000, "How many regions are fetched.", tries: [100]),
    .number(
      "refetch", \.refetch, in: 1...1_000_000, unit: "m", "How far from there the app fetches again.",
      tries: [5000]),
    .number(
      "cooldown", \.cooldown, in: 0...1_000_000, unit: "s", "How long a report is not repeated.",
      tries: [0, 3600]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions,
      SlotRecipe(
        ranking: .roundedBoundary(cache: cache, refetch: refetch), count: 19,
        sentinel: .init(name: "cio_movement_trigger", radius: radius, endsBeforePolygons: true),
        triggers: .launch,
        cooldown: cooldown))
  }
}
