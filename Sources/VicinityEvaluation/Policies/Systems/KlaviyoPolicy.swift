public import VicinityIndex
public import VicinitySimulation

/// Klaviyo's SDK for iOS: the nearest twenty regions by centre, chosen anew at each start of the app, and not
/// as the user moves.
///
/// As in `KlaviyoLocationManager.swift`, with `GeofenceDistanceCalculator.swift` at 7820c81 and
/// `GeofenceCooldownTracker.swift` at 324beaa: at each start of the process, also by a region's event, the
/// SDK fetches the account's geofences and keeps those with the nearest centres, as many as there are free
/// slots of twenty. It registers and unregisters only what has changed. The system's entries and exits are
/// reported, each kind of a region's at most once in 60 s.
///
/// Assumed: the SDK takes the last position that the system knows; here the app requests one of a hundred
/// metres, since the simulated phone tells no last one. Without a position it keeps what is registered, where
/// the SDK registers what it fetched. Distances are on the ellipsoid, not on a sphere. Left out: fetches,
/// which cost nothing here; dwell timers; and the significant-change service, which the SDK starts when a
/// running app is told that it will be terminated.
public struct KlaviyoPolicy: AdjustablePolicy {
  /// How many regions are registered.
  public var count = 20
  /// How long a report is not repeated, seconds.
  public var cooldown = 60.0

  public init() {}

  public var name: String { "klaviyo" }
  public var summary: String {
    "The nearest \(count) regions by centre, chosen anew only when the app starts; no report twice in \(cooldown) s."
  }
  public var source: String {
    "klaviyo/klaviyo-swift-sdk at 7820c81: KlaviyoLocationManager, GeofenceDistanceCalculator, GeofenceCooldownTracker."
  }

  public static let adjustments: [PolicyAdjustment<KlaviyoPolicy>] = [
    .count("count", \.count, in: 1...1000, "How many regions are registered.", tries: [10, 20]),
    .number(
      "cooldown", \.cooldown, in: 0...1_000_000, unit: "s", "How long a report is not repeated.",
      tries: [0, 60]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions, SlotRecipe(ranking: .center, count: count, triggers: .everyLaunch, cooldown: cooldown))
  }
}
