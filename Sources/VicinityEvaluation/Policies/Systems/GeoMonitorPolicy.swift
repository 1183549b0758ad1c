public import VicinityGeodesy
public import VicinityIndex
public import VicinitySimulation

/// skedgo's GeoMonitor: entries alone, of nineteen regions, chosen by identifier among those near; and a circle of 2 km and the
/// fix's accuracy around the phone.
///
/// As at 170e4fd (2026-03-20): regions with centres beyond 10 km are left out; where there are too many, those within 5 km come
/// first, by identifier. Chosen anew when the circle is left, at visits and at entries, with a position of 100 m or better, and
/// not without. The circle stays while the phone is in it. An entry is not repeated within 120 s. Reported at once here, where
/// GeoMonitor first fetches a position; and exits, which it ignores, are missed.
public struct GeoMonitorPolicy: AdjustablePolicy {
  /// What is added to a fix's accuracy for the circle's radius, metres; 2500 altogether at most.
  public var radius: Meters
  /// How long an entry is not repeated, seconds.
  public var cooldown: Double

  /// The preset.
  public init(radius: Meters = 2000, cooldown: Double = 120) {
    self.radius = radius
    self.cooldown = cooldown
  }

  public var name: String { "geomonitor" }
  public var summary: String {
    "Entries of 19 regions, by identifier among those within 5 km, and a circle of \(radius) m and the accuracy."
  }
  public var source: String { "skedgo/GeoMonitor at 170e4fd: GeoMonitor.swift." }

  public static let adjustments: [PolicyAdjustment<GeoMonitorPolicy>] = [
    .number(
      "radius", \.radius, in: 1...2500, unit: "m", "What is added to the accuracy for the circle's radius.",
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
