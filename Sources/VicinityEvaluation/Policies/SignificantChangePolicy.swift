public import VicinityIndex
public import VicinitySimulation

/// The recipe of most tutorials: at each significant change, all regions are torn down and the nearest twenty by their
/// centres registered.
///
/// As of plotprojects' *iOS geofencing: how to monitor more than 20 regions* (2014), and of the answers that repeat it. What is
/// wrong with it is what it is here for: centres in the place of boundaries, no proof, and states that are lost with the slots.
public struct CommonRecipePolicy: AdjustablePolicy {
  /// How many regions are registered.
  public var count: Int

  /// The recipe.
  public init(count: Int = 20) { self.count = count }

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
