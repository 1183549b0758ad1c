public import VicinityCrossings
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// The next position when the phone could have reached a boundary at the greatest speed; the app decides
/// about all regions from its positions.
///
/// The safe period of B. Bamba, L. Liu, P. S. Yu, G. Zhang and M. Doo, *Scalable Processing of Spatial
/// Alarms*, HiPC 2008, and the safe distance of A. Murugappan and L. Liu, *An Energy Efficient Middleware
/// Architecture for Processing Spatial Alarms on Mobile Clients*, 2008: wait for (d - a) / v, with d the
/// distance of the nearest boundary and a the position's accuracy.
public struct DistanceToBoundaryPolicy: AdjustablePolicy {
  /// The greatest speed, metres a second; 144 km/h by default, as `PlanOptions.maximumSpeed`.
  public var speed: MetersPerSecond = 40
  /// The least time between two positions, seconds.
  public var minimum = 15.0
  /// The longest time between two positions, seconds.
  public var maximum = 3600.0
  public var accuracy = DesiredAccuracy.hundredMeters
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init() {}

  public var name: String { "distance-to-boundary" }
  public var summary: String {
    "The next position, at \(accuracy.rawValue), when the phone could have reached a boundary at \(speed) m/s."
  }
  public var presence: Presence { .indicator }
  public var source: String {
    "Bamba et al., HiPC 2008: safe periods; Murugappan and Liu 2008: safe distances."
  }

  public static let adjustments: [PolicyAdjustment<DistanceToBoundaryPolicy>] = [
    .number("speed", \.speed, in: 0.1...1000, unit: "m/s", "The greatest speed.", tries: [2, 10, 20, 40]),
    .number(
      "minimum", \.minimum, in: 1...86_400, unit: "s", "The least time between two positions.",
      tries: [5, 15, 30, 60]),
    .number(
      "maximum", \.maximum, in: 1...86_400, unit: "s", "The longest time between two positions.",
      tries: [600, 3600]),
    .choice("accuracy", \.accuracy, "The tier of the positions.", tries: [.best, .hundredMeters]),
    .decision(\.decision),
  ]

  /// The seconds to wait after a fix.
  func wait(after fix: Fix, _ regions: RegionIndex) -> Double {
    guard let distance = try? regions.distanceToBoundary(from: fix.coordinate) else { return minimum }
    return max(minimum, min(maximum, (distance - fix.horizontalAccuracy) / speed))
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    SamplingApp(
      regions, accuracy, by: decision, next: { wait(after: $0, regions) }, withoutFix: { minimum })
  }
}
