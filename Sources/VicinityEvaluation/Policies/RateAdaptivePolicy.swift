public import VicinityCrossings
public import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// The next position when the phone's position has become too uncertain, or could be beyond a boundary; the
/// app decides about all regions from its positions.
///
/// The uncertainty is the last position's accuracy plus the distance covered since, at the last known speed
/// times a margin. After M. B. Kjærgaard, J. Langdal, T. Godsk and T. Toftkjær, *EnTracked*, MobiSys 2009
/// (the threshold is the application's error limit), and J. Paek, J. Kim and R. Govindan, *Energy-Efficient
/// Rate-Adaptive GPS-based Positioning for Smartphones* (RAPS), MobiSys 2010. Both detect stillness with an
/// accelerometer; here only positions show it.
public struct RateAdaptivePolicy: AdjustablePolicy {
  /// The greatest uncertainty, metres; the default is EnTracked's largest threshold.
  public var threshold: Meters = 200
  /// The factor that the last known speed is multiplied by.
  public var margin = 1.5
  /// The least speed to assume, metres a second.
  public var slowest: MetersPerSecond = 0.5
  /// The least time between two positions, seconds.
  public var minimum = 5.0
  /// The longest time between two positions, seconds.
  public var maximum = 600.0
  public var accuracy = DesiredAccuracy.best
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init() {}

  public var name: String { "rate-adaptive" }
  public var summary: String {
    "The next position, at \(accuracy.rawValue), when the last is uncertain to \(threshold) m or could be beyond a boundary."
  }
  public var presence: Presence { .indicator }
  public var source: String {
    "EnTracked (Kjærgaard et al., MobiSys 2009); RAPS (Paek et al., MobiSys 2010)."
  }

  public static let adjustments: [PolicyAdjustment<RateAdaptivePolicy>] = [
    .number(
      "threshold", \.threshold, in: 1...1_000_000, unit: "m", "The greatest uncertainty.",
      tries: [100, 200, 500, 2000]),
    .number(
      "margin", \.margin, in: 1...100, unit: "", "The factor that the last known speed is multiplied by.",
      tries: [1.5, 3]),
    .number(
      "slowest", \.slowest, in: 0.01...100, unit: "m/s", "The least speed to assume.",
      tries: [0.2, 0.5, 1.5]),
    .number(
      "minimum", \.minimum, in: 1...86_400, unit: "s", "The least time between two positions.",
      tries: [5, 15, 30]),
    .number(
      "maximum", \.maximum, in: 1...86_400, unit: "s", "The longest time between two positions.",
      tries: [120, 300, 600]),
    .choice("accuracy", \.accuracy, "The tier of the positions.", tries: [.best, .hundredMeters]),
    .decision(\.decision),
  ]

  /// The seconds to wait after a fix.
  func wait(after fix: Fix, since last: Fix?, _ regions: RegionIndex) -> Double {
    let speed = max(slowest, margin * Self.speed(at: fix, since: last))
    let boundary = (try? regions.distanceToBoundary(from: fix.coordinate)) ?? 0
    let seconds = (min(threshold, boundary) - fix.horizontalAccuracy) / speed
    return max(minimum, min(maximum, seconds))
  }

  /// The speed at a fix: its own where known; otherwise the distance to the last fix, less the larger error,
  /// over the time.
  private static func speed(at fix: Fix, since last: Fix?) -> MetersPerSecond {
    if fix.speed >= 0 { return fix.speed }
    guard let last, fix.time > last.time,
      let distance = try? Geodesic.distance(from: last.coordinate, to: fix.coordinate)
    else { return 0 }
    return max(0, distance - max(fix.horizontalAccuracy, last.horizontalAccuracy))
      / fix.time.seconds(since: last.time)
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    var last: Fix?
    return SamplingApp(regions, accuracy, by: decision) { fix in
      defer { last = fix }
      return wait(after: fix, since: last, regions)
    } withoutFix: {
      minimum
    }
  }
}
