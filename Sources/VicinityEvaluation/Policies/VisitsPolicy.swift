public import VicinityIndex
public import VicinitySimulation

/// The nearest regions by centre, chosen again at visits only: while the phone drives without staying
/// anywhere, nothing changes.
///
/// IFTTT's ConnectSDK for iOS does so with all twenty slots; it registers nothing before the first visit.
public struct VisitsPolicy: AdjustablePolicy {
  public enum Preset: String, CaseIterable, Hashable, Sendable {
    /// The app requests a position at the first launch.
    case visitsOnly = "visits-only"
    /// The app does nothing before the first visit.
    case ifttt
  }

  public let preset: Preset
  /// How many regions are registered.
  public var count = 20

  public init(_ preset: Preset = .visitsOnly) { self.preset = preset }

  public var name: String { preset.rawValue }
  public var summary: String {
    switch preset {
    case .visitsOnly:
      "Visits; at each, and at the beginning, the nearest \(count) regions by centre are registered."
    case .ifttt:
      "Visits; at each the nearest \(count) regions by centre are registered, and nothing before the first."
    }
  }
  public var source: String { "IFTTT ConnectSDK-iOS at bf1b3a7: 20 of 20, by centre, refreshed at visits." }

  public static let adjustments: [PolicyAdjustment<VisitsPolicy>] = [
    .count("count", \.count, in: 1...1000, "How many regions are registered.", tries: [10, 20])
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SlotApp(
      regions,
      SlotRecipe(
        ranking: .center, count: count,
        triggers: preset == .visitsOnly ? [.visits, .launch] : .visits))
  }
}
