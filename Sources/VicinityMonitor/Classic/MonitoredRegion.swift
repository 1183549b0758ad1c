public import VicinityGeodesy

/// What the classic surface watches: a circle or a beacon identity under an identifier, Core Location's
/// `CLCircularRegion` and `CLBeaconRegion`.
public struct MonitoredRegion: Hashable, Sendable {
  /// What is watched.
  public enum Area: Hashable, Sendable {
    /// Being within `radius` metres of `center`.
    case circle(center: Coordinate, radius: Meters)
    /// Being in range of a beacon that matches an identity.
    case beacon(BeaconIdentity)
  }

  /// Names the region within the app; regions are compared by it alone where Core Location's are.
  public var identifier: String
  /// What is watched.
  public var area: Area
  /// Whether entries are reported; true by default.
  public var notifyOnEntry: Bool
  /// Whether exits are reported; true by default.
  public var notifyOnExit: Bool
  /// Whether the state of a beacon region that the device is in is reported when the display is turned on;
  /// false by default.
  public var notifyEntryStateOnDisplay: Bool

  @inlinable
  public init(
    identifier: String, area: Area, notifyOnEntry: Bool = true, notifyOnExit: Bool = true,
    notifyEntryStateOnDisplay: Bool = false
  ) {
    self.identifier = identifier
    self.area = area
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
    self.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
  }

  @inlinable
  public init(identifier: String, center: Coordinate, radius: Meters) {
    self.init(identifier: identifier, area: .circle(center: center, radius: radius))
  }

  @inlinable
  public init(identifier: String, beacon: BeaconIdentity) {
    self.init(identifier: identifier, area: .beacon(beacon))
  }

  /// The region, its radius no greater than a limit in metres: what Apple's guide has apps do before they
  /// register a region (*Location and Maps Programming Guide*, "Monitoring Shape-Based Regions").
  package func clamped(to limit: Meters) -> MonitoredRegion {
    guard case .circle(let center, let radius) = area, radius > limit else { return self }
    var region = self
    region.area = .circle(center: center, radius: limit)
    return region
  }

  var condition: Condition {
    switch area {
    case .circle(let center, let radius): .circle(center: center, radius: radius)
    case .beacon(let identity): .beacon(identity)
    }
  }

  var options: ConditionOptions {
    ConditionOptions(
      notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
      notifyEntryStateOnDisplay: notifyEntryStateOnDisplay)
  }

  /// nil for a condition that the classic surface has not put in.
  init?(_ stored: StoredCondition) {
    let area: Area
    switch stored.record.condition {
    case .circle(let center, let radius): area = .circle(center: center, radius: radius)
    case .beacon(let identity): area = .beacon(identity)
    case .polygon: return nil
    }
    let options = stored.record.options
    self.init(
      identifier: stored.identifier, area: area, notifyOnEntry: options.notifyOnEntry,
      notifyOnExit: options.notifyOnExit, notifyEntryStateOnDisplay: options.notifyEntryStateOnDisplay)
  }
}

/// Where the device is with respect to a region: Core Location's `CLRegionState`, with its raw values.
public enum RegionState: UInt8, CaseIterable, Hashable, Sendable {
  /// Not determined yet.
  case unknown = 0
  /// In it, or in range of a beacon.
  case inside = 1
  case outside = 2

  /// nil for a state that determines nothing.
  init?(_ state: MonitoringState) {
    switch state {
    case .satisfied: self = .inside
    case .unsatisfied: self = .outside
    case .unknown, .unmonitored: return nil
    }
  }
}

/// Why a region is not, or not now, monitored.
public struct RegionMonitoringError: Error, Hashable, Sendable {
  /// Core Location's codes, `CLError.Code`, with their raw values.
  public enum Code: Int, CaseIterable, Hashable, Sendable {
    /// Location services are off for all apps: `kCLErrorDenied`.
    case denied = 1
    /// The user or the device's rules do not allow it: `kCLErrorRegionMonitoringDenied`.
    case regionMonitoringDenied = 4
    /// There is no room, no hardware, or no such region: `kCLErrorRegionMonitoringFailure`.
    case regionMonitoringFailure = 5
  }

  /// What Core Location would say.
  public var code: Code
  /// What stands against it, in a sentence.
  public var reason: String
  /// The same as diagnostics; empty for a region that cannot be.
  public var diagnostics: Diagnostics

  package init(_ code: Code, _ reason: String, _ diagnostics: Diagnostics = []) {
    self.code = code
    self.reason = reason
    self.diagnostics = diagnostics
  }

  /// What diagnostics come to.
  package init(_ diagnostics: Diagnostics) {
    let permissions: Diagnostics = [
      .authorizationDenied, .authorizationRestricted, .insufficientlyInUse, .accuracyLimited,
      .serviceSessionRequired, .authorizationRequestInProgress,
    ]
    let code: Code =
      if diagnostics.contains(.authorizationDeniedGlobally) {
        .denied
      } else if !diagnostics.isDisjoint(with: permissions) {
        .regionMonitoringDenied
      } else {
        .regionMonitoringFailure
      }
    self.init(code, "not monitored: \(diagnostics)", diagnostics)
  }
}

extension RegionMonitoringError: CustomStringConvertible {
  public var description: String { "\(code) (\(code.rawValue)): \(reason)" }
}
