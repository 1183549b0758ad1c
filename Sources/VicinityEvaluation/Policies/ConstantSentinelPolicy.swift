public import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// The nearest regions by boundary distance, and one slot for a circle of constant radius around the phone;
/// when the phone leaves it, the app chooses again.
///
/// This is the best use of the slots without a certificate: where more boundaries lie within the radius than
/// there are slots beside the circle's, nineteen on an iPhone, the phone can enter a region that has no slot
/// before it leaves the circle. customer.io uses 1 km, GeoMonitor 2 km.
public struct ConstantSentinelPolicy: AdjustablePolicy {
  /// The circle's radius, metres.
  public var radius: Meters = 1000
  /// The number of slots, including the circle's, and no more than the phone's; nil for all of these.
  public var capacity: Int?

  public init() {}

  public var name: String { "constant-sentinel" }
  public var summary: String {
    if let capacity {
      "The nearest \(capacity - 1) regions by boundary distance, chosen anew when a circle of \(radius) m is left."
    } else {
      "The nearest regions by boundary distance in all slots but one, chosen anew when a circle of \(radius) m is left."
    }
  }
  public var source: String {
    "customerio-ios at 8b9ee36 (1000 m) and skedgo/GeoMonitor at 170e4fd (2000 m), idealised."
  }

  public static let adjustments: [PolicyAdjustment<ConstantSentinelPolicy>] = [
    .number(
      "radius", \.radius, in: 1...1_000_000, unit: "m", "The circle's radius.", tries: [300, 1000, 2000]),
    .count(
      "capacity", orAll: \.capacity, in: 2...1000,
      "Slots, the circle's included; no more than the phone has.", tries: [nil]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    let plan = PlanOptions(
      capacity: capacity, strategy: .constantRadius(radius), minimumReliableRadius: 0)
    return MonitoredApp(watching: regions, MonitorOptions(strategy: .slots, plan: plan))
  }
}
