public import VicinityGeodesy
public import VicinityIndex
public import VicinityMonitor
public import VicinitySimulation

/// Positions of one tier at all times; the app decides about all regions from them.
///
/// An app that is killed runs again only when its user opens it: the standard service starts no processes.
public struct ContinuousTrackingPolicy: AdjustablePolicy {
  public var accuracy: DesiredAccuracy
  /// How far the phone must go between two positions, metres; nil for every position.
  public var distanceFilter: Meters?
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  /// Tracks at a tier, with a filter of 10 m for the finest tiers and none for coarser ones.
  public init(_ accuracy: DesiredAccuracy) {
    self.accuracy = accuracy
    distanceFilter = accuracy.tier.tolerance <= 10 ? 10 : nil
  }

  public var name: String {
    switch accuracy {
    case .bestForNavigation: "always-best-for-navigation"
    case .best: "always-best"
    case .nearestTenMeters: "always-ten-meters"
    case .hundredMeters: "always-hundred-meters"
    case .kilometer: "always-kilometer"
    case .threeKilometers: "always-three-kilometers"
    case .reduced: "always-reduced"
    }
  }

  public var summary: String {
    "The standard location service at \(accuracy.rawValue), always on; regions are decided from its fixes."
  }

  public var needs: String {
    "a few lines around CLLocationManager: " + LocationModeWords.needed + presence.needs
  }
  public var presence: Presence { .indicator }
  public var source: String { "Apple, Location and Maps Programming Guide: the standard location service." }

  public static let adjustments: [PolicyAdjustment<ContinuousTrackingPolicy>] = [
    .number(
      "filter", orNone: \.distanceFilter, in: 0...100_000, unit: "m",
      "How far the phone must go between two positions.", tries: [nil, 10, 30, 100]),
    .decision(\.decision),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    TrackingApp(
      regions, by: decision, accuracy: { _ in accuracy }, distanceFilter: { _ in distanceFilter })
  }
}

/// Continuous tracking at best accuracy while the app is in front, and at a hundred metres behind.
public struct FrontAndBehindPolicy: AdjustablePolicy {
  /// The tier while the app is on the display.
  public var front = DesiredAccuracy.best
  /// The tier while the app is not on the display.
  public var behind = DesiredAccuracy.hundredMeters
  /// How far the phone must go between two positions while the app is in front, metres; nil for every
  /// position.
  public var frontFilter: Meters? = 10
  /// The same while the app is behind.
  public var behindFilter: Meters?
  /// How positions decide about regions.
  public var decision = DecisionRule.own

  public init() {}

  public var name: String { "front-and-behind" }
  public var summary: String {
    "The standard location service, \(front.rawValue) while the app is in front and \(behind.rawValue) in the background."
  }

  public var presence: Presence { .indicator }
  public var source: String {
    "Apple, Energy Efficiency Guide for iOS Apps, Reduce Location Accuracy and Duration: a lower accuracy behind."
  }

  public static let adjustments: [PolicyAdjustment<FrontAndBehindPolicy>] = [
    .choice("front", \.front, "The tier in front.", tries: [.best, .nearestTenMeters]),
    .choice("behind", \.behind, "The tier behind.", tries: [.hundredMeters, .kilometer]),
    .number(
      "front-filter", orNone: \.frontFilter, in: 0...100_000, unit: "m",
      "How far the phone must go between two positions, in front.", tries: [10]),
    .number(
      "behind-filter", orNone: \.behindFilter, in: 0...100_000, unit: "m",
      "How far the phone must go between two positions, behind.", tries: [nil, 30, 100]),
    .decision(\.decision),
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    TrackingApp(
      regions, by: decision, accuracy: { $0 ? front : behind },
      distanceFilter: { $0 ? frontFilter : behindFilter })
  }
}

/// An app that decides from the positions of the standard location service.
final class TrackingApp: PortableApp {
  private let accuracy: (_ isInFront: Bool) -> DesiredAccuracy
  private let distanceFilter: (_ isInFront: Bool) -> Meters?
  private let regions: RegionIndex
  private let rule: DecisionRule
  private var decisions: FixDecisions

  init(
    _ regions: RegionIndex, by rule: DecisionRule, accuracy: @escaping (Bool) -> DesiredAccuracy,
    distanceFilter: @escaping (Bool) -> Meters?
  ) {
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
    self.regions = regions
    self.rule = rule
    decisions = FixDecisions(regions, by: rule)
  }

  func handle(_ event: PhoneEvent, on phone: any StudiedPhone) {
    switch event {
    case .launched:
      decisions = FixDecisions(regions, by: rule, resuming: phone.saved as? FixDecisions.Memory)
      updateSettings(phone)
    case .becameActive, .enteredBackground: updateSettings(phone)
    case .locationUpdatesPaused: phone.startUpdatingLocation()
    case .locations(let fixes, _):
      for fix in fixes { decisions.report(fix, on: phone) }
      if decisions.hasNews { phone.saved = decisions.memory() }
    default: break
    }
  }

  private func updateSettings(_ phone: any StudiedPhone) {
    let isInFront = phone.isInFront
    phone.update(accuracy(isInFront), distanceFilter: distanceFilter(isInFront), showing: .indicator)
  }
}
