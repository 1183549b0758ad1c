public import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// The nearest regions by boundary distance, and one slot for a circle of a constant radius around the phone, whose exit is the
/// time to choose again.
///
/// The best that can be made of 19 + 1 without a certificate: where more than nineteen boundaries lie within the radius, a region
/// left out can be entered before the circle is left. 1 km is customer.io's radius, 2 km GeoMonitor's.
public struct ConstantSentinelPolicy: AdjustablePolicy {
  /// The circle's radius, metres.
  public var radius: Meters
  /// How many slots there are, the circle's included.
  public var capacity: Int
  /// The tier of the positions at which regions are chosen.
  public var accuracy: DesiredAccuracy

  /// A policy.
  public init(radius: Meters = 1000, capacity: Int = 20, accuracy: DesiredAccuracy = .hundredMeters) {
    self.radius = radius
    self.capacity = capacity
    self.accuracy = accuracy
  }

  public var name: String { "constant-sentinel" }
  public var summary: String {
    "The nearest \(capacity - 1) regions by boundary distance, chosen anew when a circle of \(radius) m is left."
  }
  public var source: String {
    "customerio-ios at 8b9ee36 (1000 m) and skedgo/GeoMonitor at 170e4fd (2000 m), idealised."
  }

  public static let adjustments: [PolicyAdjustment<ConstantSentinelPolicy>] = [
    .number(
      "radius", \.radius, in: 1...1_000_000, unit: "m", "The circle's radius.", tries: [300, 1000, 2000]),
    .count("capacity", \.capacity, in: 2...1000, "Slots, the circle's included.", tries: [20]),
    .choice(
      "accuracy", \.accuracy, "The tier of the positions at which regions are chosen.",
      tries: [.best, .hundredMeters]),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    RotatingApp(
      regions, PlanOptions(capacity: capacity, strategy: .constantRadius(radius), minimumReliableRadius: 0),
      accuracy)
  }
}
