public import VicinityIndex
public import VicinitySimulation

/// The recipe of most tutorials: at each significant change, the app unregisters all regions and registers
/// the twenty with the nearest centres.
///
/// As in plotprojects' *iOS geofencing: how to monitor more than 20 regions* (2014), and the answers that
/// repeat it. It is here for its faults: centres instead of boundaries, no proof, and states that are lost
/// with the slots.
public struct CommonRecipePolicy: AdjustablePolicy {
  /// How many regions are registered.
  public var count = 20

  public init() {}

  public var name: String { "significant-change" }
  public var summary: String {
    "The significant-change service; at each, the nearest \(count) regions by centre are registered anew."
  }
  public var source: String {
    "plotprojects, iOS geofencing: how to monitor more than 20 regions, 2014; Stack Overflow 5430949, 14232712."
  }

  public static let adjustments: [PolicyAdjustment<CommonRecipePolicy>] = [
    .count("count", \.count, in: 1...1000, "How many regions are registered.", tries: [10, 20])
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions, SlotRecipe(ranking: .center, count: count, triggers: .significantChanges, replacesAll: true))
  }
}
