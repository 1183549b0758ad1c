// The part of Core Location that Sources/VicinityCoreLocation uses, with the systems that have it, for Scripts/availability. Each declaration
// names Apple's page, under https://developer.apple.com/documentation/, whose list of systems it follows, where it is not that of all
// systems before iOS 17. Of three members of CLLocationManager no page could be read: headingAvailable(), requestAlwaysAuthorization() and
// startMonitoringSignificantLocationChanges(); there CLLocationManager.h is followed as others quote it.

public import Foundation

// corelocation/cllocationdegrees, and likewise for the other numbers
public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double
public typealias CLLocationSpeed = Double
public typealias CLLocationDirection = Double
public typealias CLBeaconMajorValue = UInt16
public typealias CLBeaconMinorValue = UInt16

// corelocation/cllocationcoordinate2d
public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

// corelocation/cllocation
open class CLLocation: NSObject, @unchecked Sendable {
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {}
  public let coordinate = CLLocationCoordinate2D(latitude: 0, longitude: 0)
  public let horizontalAccuracy: CLLocationAccuracy = -1
  public let speed: CLLocationSpeed = -1
  public let course: CLLocationDirection = -1
  public let timestamp = Date()
}

// corelocation/clauthorizationstatus
public enum CLAuthorizationStatus: Int32, Sendable {
  case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

// corelocation/claccuracyauthorization
public enum CLAccuracyAuthorization: Int, Sendable { case fullAccuracy, reducedAccuracy }

// corelocation/clregion
@available(visionOS, unavailable)
open class CLRegion: NSObject {
  public let identifier: String
  open var notifyOnEntry = true
  open var notifyOnExit = true
  init(named identifier: String) { self.identifier = identifier }
}

// corelocation/clcircularregion
@available(visionOS, unavailable)
open class CLCircularRegion: CLRegion {
  public let center: CLLocationCoordinate2D
  public let radius: CLLocationDistance
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    (self.center, self.radius) = (center, radius)
    super.init(named: identifier)
  }
}

// corelocation/clbeaconregion
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
open class CLBeaconRegion: CLRegion {
  public let uuid: UUID
  public let major: NSNumber?
  public let minor: NSNumber?
  open var notifyEntryStateOnDisplay = false
  public init(uuid: UUID, identifier: String) {
    (self.uuid, major, minor) = (uuid, nil, nil)
    super.init(named: identifier)
  }
  public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    (self.uuid, self.major, minor) = (uuid, NSNumber(value: major), nil)
    super.init(named: identifier)
  }
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
    (self.uuid, self.major, self.minor) = (uuid, NSNumber(value: major), NSNumber(value: minor))
    super.init(named: identifier)
  }
  // corelocation/clbeaconregion/peripheraldata(withmeasuredpower:)
  open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
    NSMutableDictionary()
  }
}

// corelocation/clregionstate
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
public enum CLRegionState: Int, Sendable { case unknown, inside, outside }

// corelocation/clerror
public struct CLError: Error {
  // corelocation/clerror/code
  public enum Code: Int, Sendable {
    case locationUnknown, denied, network, headingFailure, regionMonitoringDenied, regionMonitoringFailure
    case regionMonitoringSetupDelayed, regionMonitoringResponseDelayed
  }
  public let code: Code
}

// corelocation/clbeaconidentityconstraint
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
open class CLBeaconIdentityConstraint: NSObject {
  public var uuid: UUID { UUID() }
  public var major: UInt16? { nil }
  public var minor: UInt16? { nil }
  public init(uuid: UUID) {}
  public init(uuid: UUID, major: CLBeaconMajorValue) {}
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {}
}

// corelocation/clproximity
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
public enum CLProximity: Int, Sendable { case unknown, immediate, near, far }

// corelocation/clbeacon
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
open class CLBeacon: NSObject {
  public let proximity = CLProximity.unknown
  public let uuid = UUID()
  public let major = NSNumber(value: 0)
  public let minor = NSNumber(value: 0)
  public let accuracy: CLLocationAccuracy = -1
  public let rssi = 0
  public let timestamp = Date()
}

// corelocation/cllocationmanagerdelegate; every method is optional there, which Swift has for Objective-C's protocols only
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  #if !os(watchOS) && !os(tvOS) && !os(visionOS)
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
    func locationManager(
      _ manager: CLLocationManager, didRange beacons: [CLBeacon],
      satisfying beaconConstraint: CLBeaconIdentityConstraint)
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
  #endif
}

extension CLLocationManagerDelegate {
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
  #if !os(watchOS) && !os(tvOS) && !os(visionOS)
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
    public func locationManager(
      _ manager: CLLocationManager, didRange beacons: [CLBeacon],
      satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    public func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}
    public func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}
  #endif
}

// corelocation/clvisit
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
open class CLVisit: NSObject {
  public let coordinate = CLLocationCoordinate2D(latitude: 0, longitude: 0)
  public let horizontalAccuracy: CLLocationAccuracy = -1
  public let arrivalDate = Date.distantPast
  public let departureDate = Date.distantFuture
}

// corelocation/clactivitytype
public enum CLActivityType: Int, Sendable {
  case other = 1
  case automotiveNavigation, fitness, otherNavigation, airborne
}

// corelocation/kcldistancefilternone
public let kCLDistanceFilterNone: CLLocationDistance = -1

// corelocation/kcllocationaccuracybestfornavigation and the pages beside it
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = 0
public let kCLLocationAccuracyBest: CLLocationAccuracy = 0
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 0
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 0
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 0
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 0
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 0

// corelocation/cllocationmanager
open class CLLocationManager: NSObject {
  public weak var delegate: (any CLLocationManagerDelegate)?
  public let authorizationStatus = CLAuthorizationStatus.notDetermined
  public let accuracyAuthorization = CLAccuracyAuthorization.fullAccuracy
  public class func locationServicesEnabled() -> Bool { true }
  public var desiredAccuracy: Double = 0
  public var distanceFilter: Double = 0
  public func requestWhenInUseAuthorization() {}
  public func requestLocation() {}
  public func stopUpdatingLocation() {}
}

@available(tvOS, unavailable)
extension CLLocationManager {
  public class func headingAvailable() -> Bool { false }
  public var activityType: CLActivityType {
    get { .other }
    set {}
  }
  @available(watchOS, unavailable)
  public var pausesLocationUpdatesAutomatically: Bool {
    get { true }
    set {}
  }
  @available(visionOS, unavailable)
  public var allowsBackgroundLocationUpdates: Bool {
    get { false }
    set {}
  }
  public func requestAlwaysAuthorization() {}
  public func startUpdatingLocation() {}
}

@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
extension CLLocationManager {
  // corelocation/cllocationmanager/showsbackgroundlocationindicator
  @available(macOS, unavailable)
  public var showsBackgroundLocationIndicator: Bool {
    get { false }
    set {}
  }
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { false }
  public class func isRangingAvailable() -> Bool { false }
  public var maximumRegionMonitoringDistance: CLLocationDistance { -1 }
  public func startMonitoringSignificantLocationChanges() {}
  public func stopMonitoringSignificantLocationChanges() {}
  public func startMonitoringVisits() {}
  public func stopMonitoringVisits() {}
  // corelocation/cllocationmanager/monitoredregions: "The set of shared regions monitored by all location-manager objects."
  public var monitoredRegions: Set<CLRegion> { [] }
  // The next three are deprecated from iOS 27 on.
  public func startMonitoring(for region: CLRegion) {}
  public func stopMonitoring(for region: CLRegion) {}
  public func requestState(for region: CLRegion) {}
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}
}

// corelocation/clcondition
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
public protocol CLCondition: Sendable {}

// corelocation/clmonitor-6ynwz
@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
@available(iOS 17, macOS 14, *)
public actor CLMonitor {
  // corelocation/clmonitor-6ynwz/circulargeographiccondition
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    public let radius: CLLocationDistance
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }
  }

  // corelocation/clmonitor-6ynwz/beaconidentitycondition
  public struct BeaconIdentityCondition: CLCondition {
    public let uuid: UUID
    public let major: CLBeaconMajorValue?
    public let minor: CLBeaconMinorValue?
    public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }
    public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
      (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }
  }

  // corelocation/clmonitor-6ynwz/event
  public struct Event: Sendable {
    public enum State: UInt, Sendable {
      case unknown, satisfied, unsatisfied
      @available(iOS 17.2, macOS 14.2, *)
      case unmonitored
    }
    public let identifier: String
    public let refinement: (any CLCondition)?
    public let state: State
    public let date: Date
  }

  // corelocation/clmonitor-6ynwz/record
  public struct Record: Sendable {
    public let condition: any CLCondition
    public let lastEvent: Event
  }

  // corelocation/clmonitor-6ynwz/events-swift.struct
  public struct Events: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> Event? { nil }
    }
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }

  public init(_ name: String) async {}
  public var identifiers: [String] { [] }
  public var events: Events { Events() }
  public func record(for identifier: String) -> Record? { nil }
  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {}
  public func remove(_ identifier: String) {}
}

@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
@available(iOS 18, macOS 15, *)
extension CLMonitor.Event {
  public var authorizationDenied: Bool { false }
  public var authorizationDeniedGlobally: Bool { false }
  public var authorizationRestricted: Bool { false }
  public var insufficientlyInUse: Bool { false }
  public var accuracyLimited: Bool { false }
  public var conditionUnsupported: Bool { false }
  public var conditionLimitExceeded: Bool { false }
  public var persistenceUnavailable: Bool { false }
  public var serviceSessionRequired: Bool { false }
  public var authorizationRequestInProgress: Bool { false }
}

// corelocation/cllocationupdate; taken not to be Sendable, which the page does not say
@available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
public struct CLLocationUpdate {
  // corelocation/cllocationupdate/liveconfiguration
  public enum LiveConfiguration: Sendable {
    case `default`, automotiveNavigation, otherNavigation, fitness, airborne
  }

  // corelocation/cllocationupdate/updates
  public struct Updates: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> CLLocationUpdate? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
  }

  // corelocation/cllocationupdate/liveupdates(_:)
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates { Updates() }

  public let location: CLLocation?
}

@available(iOS 18, macOS 15, watchOS 11, tvOS 18, visionOS 1, *)
extension CLLocationUpdate {
  public var stationary: Bool { false }
  public var authorizationDenied: Bool { false }
  public var authorizationDeniedGlobally: Bool { false }
  public var authorizationRestricted: Bool { false }
  public var authorizationRequestInProgress: Bool { false }
  public var accuracyLimited: Bool { false }
  public var insufficientlyInUse: Bool { false }
  public var locationUnavailable: Bool { false }
  public var serviceSessionRequired: Bool { false }
}

// corelocation/clservicesession-pt7n; `always` by CLServiceSession.h on phones and watches only
@available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
@available(macOS, unavailable)
public final class CLServiceSession: Sendable {
  // corelocation/clservicesession-pt7n/authorizationrequirement
  public enum AuthorizationRequirement: Sendable {
    case none, whenInUse
    #if !os(tvOS) && !os(visionOS)
      case always
    #endif
  }

  // corelocation/clservicesession-pt7n/diagnostic
  public struct Diagnostic: Sendable {
    public let alwaysAuthorizationDenied, authorizationDenied, authorizationDeniedGlobally: Bool
    public let authorizationRequestInProgress, authorizationRestricted, fullAccuracyDenied: Bool
    public let insufficientlyInUse, serviceSessionRequired: Bool
  }

  // corelocation/clservicesession-pt7n/diagnostics-swift.class
  public final class Diagnostics: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> Diagnostic? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
  }

  public init(authorization: AuthorizationRequirement) {}
  public init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {}
  public var diagnostics: Diagnostics { Diagnostics() }
  public func invalidate() {}
}

// corelocation/clbackgroundactivitysession-3mzv3
@available(iOS 17, watchOS 10, tvOS 17, visionOS 1, *)
@available(macOS, unavailable)
public final class CLBackgroundActivitySession: Sendable {
  // corelocation/clbackgroundactivitysession-3mzv3/diagnostic
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public struct Diagnostic: Sendable {
    public let authorizationDenied, authorizationDeniedGlobally, authorizationRequestInProgress: Bool
    public let authorizationRestricted, insufficientlyInUse, serviceSessionRequired: Bool
  }

  // corelocation/clbackgroundactivitysession-3mzv3/diagnostics-swift.class
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public final class Diagnostics: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> Diagnostic? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
  }

  public init() {}
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public var diagnostics: Diagnostics { Diagnostics() }
  // corelocation/clbackgroundactivitysession-3mzv3/invalidate()
  public func invalidate() {}
}

// corelocation/clbodyidentifiable: newer than anything that is used, so that Planted/Phone.swift has something to fail on
@available(iOS 27, *)
public protocol CLBodyIdentifiable {}
