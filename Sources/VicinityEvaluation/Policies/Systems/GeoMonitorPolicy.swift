public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// skedgo's GeoMonitor: only entries, of nineteen near regions chosen by identifier; and a circle of 2 km
/// plus the fix's accuracy around the phone.
///
/// As at 170e4fd (2026-03-20): regions with centres beyond 10 km are left out; where there are too many,
/// those within 5 km come first, by identifier. The app chooses again when it leaves the circle, at visits
/// and at entries, if it gets a position of 100 m or better. The circle stays in place while the phone is
/// inside. An entry is not repeated within 120 s. Here the app reports at once, where GeoMonitor first
/// fetches a position. It ignores exits, so they are missed.
public struct GeoMonitorPolicy: AdjustablePolicy {
  /// The circle's radius is this plus the fix's accuracy, metres; at most 2500 altogether.
  public var radius: Meters = 2000
  /// How long an entry is not repeated, seconds.
  public var cooldown = 120.0

  public init() {}

  public var name: String { "geomonitor" }
  public var summary: String {
    "Entries of 19 regions, the first by identifier of those within 5 km, and a circle of \(radius) m plus the accuracy."
  }
  public var source: String { "skedgo/GeoMonitor at 170e4fd: GeoMonitor.swift." }

  public static let adjustments: [PolicyAdjustment<GeoMonitorPolicy>] = [
    .number(
      "radius", \.radius, in: 1...2500, unit: "m", "The circle's radius is this plus the accuracy.",
      tries: [500, 2000]),
    .number(
      "cooldown", \.cooldown, in: 0...1_000_000, unit: "s", "How long an entry is not repeated.", tries: [120]
    ),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions,
      SlotRecipe(
        ranking: .identifier(near: 5000, far: 10_000), count: 19,
        sentinel: .init(
          name: "current-location", radius: radius, accuracyShare: 1, maximumRadius: 2500,
          staysWhileInside: true),
        triggers: [.launch, .visits, .regionEvents], usesTriggersPosition: false, worstAccuracy: 100,
        reportsExits: false, cooldown: cooldown, cooldownIsByKind: false))
  }
}
