public import VicinityGeodesy
public import VicinityIndex
internal import VicinityMonitor
public import VicinitySimulation

/// Positions of one tier, at all times; every region is watched in software.
public struct FollowingPolicy: MonitoringPolicy {
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

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FollowingApp(regions, accuracy: { _ in accuracy }, distanceFilter: { _ in distanceFilter })
  }
}

/// Best accuracy in front, a hundred metres behind: what Apple's *Energy Efficiency Guide for iOS Apps* advises ("Reduce
/// Location Accuracy and Duration", to lower the accuracy in the background).
public struct FrontAndBehindPolicy: MonitoringPolicy {
  /// The tier while the app is on the display.
  public var front: DesiredAccuracy
  /// The tier while it is not.
  public var behind: DesiredAccuracy

  /// A policy of two tiers.
  public init(front: DesiredAccuracy = .best, behind: DesiredAccuracy = .hundredMeters) {
    self.front = front
    self.behind = behind
  }

  public var name: String { "front-and-behind" }
  public var summary: String {
    "The standard location service, \(front.rawValue) while the app is in front and \(behind.rawValue) behind."
  }

  public func makeApp(watching regions: RegionIndex) -> any PhoneApp {
    FollowingApp(
      regions, accuracy: { $0 ? front : behind },
      distanceFilter: { $0 && front.tier.tolerance <= 10 ? 10 : nil })
  }
}

/// Decides from the standard location service's positions.
final class FollowingApp: PhoneApp {
  private let accuracy: (_ isInFront: Bool) -> DesiredAccuracy
  private let distanceFilter: (_ isInFront: Bool) -> Meters?
  private var decisions: FixDecisions

  init(
    _ regions: RegionIndex, accuracy: @escaping (Bool) -> DesiredAccuracy,
    distanceFilter: @escaping (Bool) -> Meters?
  ) {
    self.accuracy = accuracy
    self.distanceFilter = distanceFilter
    decisions = FixDecisions(regions)
  }

  func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
    switch event {
    case .launched, .becameActive, .enteredBackground: follow(phone)
    case .locationUpdatesPaused: phone.startUpdatingLocation()
    case .locations(let fixes, _):
      for fix in fixes {
        decisions.take(fix, on: phone) { region, isInside, time in
          phone.report(entry: isInside, region: region, at: time)
        }
      }
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
