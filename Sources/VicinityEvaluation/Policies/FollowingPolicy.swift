public import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// Positions of one tier, at all times; every region is watched in software.
///
/// An app that is killed comes back only when its user opens it: the standard service starts no processes.
public struct FollowingPolicy: AdjustablePolicy {
  /// The tier.
  public var accuracy: DesiredAccuracy
  /// How far the phone must go between two positions, metres; nil for every position there is.
  public var distanceFilter: Meters?

  /// Follows a tier; with a filter of 10 m for the finest tiers and none for coarser ones, unless it is said.
  public init(_ accuracy: DesiredAccuracy, distanceFilter: Meters?? = .none) {
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter ?? (accuracy.tier.tolerance <= 10 ? 10 : nil)
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

  public var source: String { "Apple, Location and Maps Programming Guide: the standard location service." }

  public static let adjustments: [PolicyAdjustment<FollowingPolicy>] = [
    .number(
      "filter", orNone: \.distanceFilter, in: 0...100_000, unit: "m",
      "How far the phone must go between two positions.", tries: [nil, 10, 30, 100])
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FollowingApp(regions, accuracy: { _ in accuracy }, distanceFilter: { _ in distanceFilter })
  }
}

/// Best accuracy in front, a hundred metres behind.
public struct FrontAndBehindPolicy: AdjustablePolicy {
  /// The tier while the app is on the display.
  public var front: DesiredAccuracy
  /// The tier while it is not.
  public var behind: DesiredAccuracy
  /// How far the phone must go between two positions while the app is in front, metres; nil for every position there is.
  public var frontFilter: Meters?
  /// The same while it is behind.
  public var behindFilter: Meters?

  /// A policy of two tiers.
  public init(
    front: DesiredAccuracy = .best, behind: DesiredAccuracy = .hundredMeters, frontFilter: Meters? = 10,
    behindFilter: Meters? = nil
  ) {
    self.front = front
    self.behind = behind
    self.frontFilter = frontFilter
    self.behindFilter = behindFilter
  }

  public var name: String { "front-and-behind" }
  public var summary: String {
    "The standard location service, \(front.rawValue) while the app is in front and \(behind.rawValue) behind."
  }

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
  ]

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FollowingApp(
      regions, accuracy: { $0 ? front : behind }, distanceFilter: { $0 ? frontFilter : behindFilter })
  }
}

/// Decides from the standard location service's positions.
final class FollowingApp: PhoneApp {
  private let accuracy: (_ isInFront: Bool) -> DesiredAccuracy
  private let distanceFilter: (_ isInFront: Bool) -> Meters?
  private let regions: RegionIndex
  private var decisions: FixDecisions

  init(
    _ regions: RegionIndex, accuracy: @escaping (Bool) -> DesiredAccuracy,
    distanceFilter: @escaping (Bool) -> Meters?
  ) {
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
    self.regions = regions
    decisions = FixDecisions(regions)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched:
      decisions = FixDecisions(regions, resuming: phone.saved as? FixDecisions.Memory)
      follow(phone)
    case .becameActive, .enteredBackground: follow(phone)
    case .locationUpdatesPaused: phone.startUpdatingLocation()
    case .locations(let fixes, _):
      for fix in fixes { decisions.report(fix, on: phone) }
      if decisions.hasNews { phone.saved = decisions.memory() }
    default: break
    }
  }

  private func follow(_ phone: SimulatedPhone) {
    let isInFront = phone.appState == .foreground
    phone.locationSettings = LocationSettings(
      desiredAccuracy: accuracy(isInFront), distanceFilter: distanceFilter(isInFront),
      pausesAutomatically: false,
      allowsBackgroundUpdates: true)
    phone.startUpdatingLocation()
  }
}
