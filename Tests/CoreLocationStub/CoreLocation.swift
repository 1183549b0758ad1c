// The part of Core Location that Sources/VicinityCoreLocation uses, with the systems that have it, by Apple's
// documentation as of iOS 18 and
// 26. It stands in for Apple's module where there is no SDK: Scripts/nightly phone runs the adapter on it
//     (Tests/PhoneAdapter),
// Scripts/check-examples compiles examples with it, and Scripts/availability checks the adapter for the
// oldest systems.
//
// Each declaration names Apple's page, under https://developer.apple.com/documentation/. What has no
// @available and no #if, all systems have had since before iOS 17. Of three members of CLLocationManager no
// page could be read: headingAvailable(), requestAlwaysAuthorization() and
// startMonitoringSignificantLocationChanges(); there CLLocationManager.h is followed as others quote it.
//
// What is public is Apple's. The rest, and all bodies, are a fake: it writes down what it is asked, and tells
// what a test has `CoreLocationFake` (CoreLocationFake.swift) tell. It is for one thread, except where a lock
// is named. Only bodies may use CoreLocationFake: Scripts/availability leaves that file out and skips bodies.

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
  ) {
    (self.coordinate, self.horizontalAccuracy) = (coordinate, horizontalAccuracy)
    (self.speed, self.course, self.timestamp) = (speed, course, timestamp)
  }
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy
  public let speed: CLLocationSpeed
  public let course: CLLocationDirection
  public let timestamp: Date
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
  public let uuid: UUID
  public let major: UInt16?
  public let minor: UInt16?
  public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }
  public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    (self.uuid, self.major, self.minor) = (uuid, major, minor)
  }
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
  public let proximity: CLProximity
  public let uuid: UUID
  public let major: NSNumber
  public let minor: NSNumber
  public let accuracy: CLLocationAccuracy
  public let rssi: Int
  public let timestamp: Date
  init(
    _ uuid: UUID, major: Int, minor: Int, rssi: Int, accuracy: CLLocationAccuracy, proximity: CLProximity
  ) {
    (self.uuid, self.major, self.minor) = (uuid, NSNumber(value: major), NSNumber(value: minor))
    (self.rssi, self.accuracy, self.proximity, timestamp) = (rssi, accuracy, proximity, Date())
  }
}

// corelocation/cllocationmanagerdelegate; every method is optional there, which Swift has for Objective-C's
// protocols only
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
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy = 50
  public let arrivalDate: Date
  public let departureDate: Date
  init(_ coordinate: CLLocationCoordinate2D, arrival: Date, departure: Date) {
    (self.coordinate, arrivalDate, departureDate) = (coordinate, arrival, departure)
  }
}

// corelocation/clactivitytype
public enum CLActivityType: Int, Sendable {
  case other = 1
  case automotiveNavigation, fitness, otherNavigation, airborne
}

// corelocation/kcldistancefilternone
public let kCLDistanceFilterNone: CLLocationDistance = -1

// corelocation/kcllocationaccuracybestfornavigation and the pages beside it, which give no figures but those
// in the names. The others are made up, so that nothing rests on them.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2.5
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1.5
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 123_456

// corelocation/cllocationmanager
open class CLLocationManager: NSObject {
  public weak var delegate: (any CLLocationManagerDelegate)?
  /// What has been asked of it, in order.
  var calls: [String] = []
  // What the computed properties below store: no stored property may be unavailable on a system.
  private var activity = CLActivityType.other
  private var pauses = true
  private var isAllowedInBackground = false
  private var showsIndicator = false
  public override init() {
    super.init()
    CoreLocationFake.made.append(CoreLocationFake.Made(manager: self))
  }
  public var authorizationStatus: CLAuthorizationStatus { CoreLocationFake.authorization }
  public var accuracyAuthorization: CLAccuracyAuthorization { CoreLocationFake.accuracy }
  public class func locationServicesEnabled() -> Bool { CoreLocationFake.areServicesEnabled }
  public var desiredAccuracy: Double = kCLLocationAccuracyBest
  public var distanceFilter: Double = kCLDistanceFilterNone
  public func requestWhenInUseAuthorization() { calls.append("whenInUse") }
  public func requestLocation() {
    calls.append("requestLocation")
    guard let location = CoreLocationFake.position else { return }
    nonisolated(unsafe) let manager = self
    Task { @MainActor in manager.delegate?.locationManager(manager, didUpdateLocations: [location]) }
  }
  public func stopUpdatingLocation() { calls.append("stopUpdating") }
}

@available(tvOS, unavailable)
extension CLLocationManager {
  public class func headingAvailable() -> Bool { false }
  public var activityType: CLActivityType {
    get { activity }
    set { activity = newValue }
  }
  @available(watchOS, unavailable)
  public var pausesLocationUpdatesAutomatically: Bool {
    get { pauses }
    set { pauses = newValue }
  }
  // corelocation/cllocationmanager/allowsbackgroundlocationupdates: setting it without the background mode is
  // a fatal error.
  @available(visionOS, unavailable)
  public var allowsBackgroundLocationUpdates: Bool {
    get { isAllowedInBackground }
    set {
      isAllowedInBackground = newValue
      if newValue, !CoreLocationFake.backgroundModes.contains("location") {
        CoreLocationFake.crashes.append("allowsBackgroundLocationUpdates without the background mode")
      }
    }
  }
  public func requestAlwaysAuthorization() { calls.append("always") }
  public func startUpdatingLocation() { calls.append("startUpdating") }
}

@available(watchOS, unavailable)
@available(tvOS, unavailable)
@available(visionOS, unavailable)
extension CLLocationManager {
  // corelocation/cllocationmanager/showsbackgroundlocationindicator
  @available(macOS, unavailable)
  public var showsBackgroundLocationIndicator: Bool {
    get { showsIndicator }
    set { showsIndicator = newValue }
  }
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    CoreLocationFake.isMonitoringAvailable
  }
  public class func isRangingAvailable() -> Bool { true }
  public var maximumRegionMonitoringDistance: CLLocationDistance { CoreLocationFake.maximumDistance }
  public func startMonitoringSignificantLocationChanges() { calls.append("startSignificant") }
  public func stopMonitoringSignificantLocationChanges() { calls.append("stopSignificant") }
  public func startMonitoringVisits() { calls.append("startVisits") }
  public func stopMonitoringVisits() { calls.append("stopVisits") }
  // corelocation/cllocationmanager/monitoredregions: "The set of shared regions monitored by all
  // location-manager objects."
  public var monitoredRegions: Set<CLRegion> { Set(CoreLocationFake.regions.values) }
  // The next three are deprecated from iOS 27 on.
  public func startMonitoring(for region: CLRegion) {
    calls.append("startMonitoring \(region.identifier)")
    if CoreLocationFake.isSlow {
      CoreLocationFake.underWay[region.identifier] = region
    } else {
      CoreLocationFake.regions[region.identifier] = region
    }
  }
  public func stopMonitoring(for region: CLRegion) {
    calls.append("stopMonitoring \(region.identifier)")
    CoreLocationFake.underWay[region.identifier] = nil
    CoreLocationFake.regions[region.identifier] = nil
  }
  public func requestState(for region: CLRegion) { calls.append("requestState \(region.identifier)") }
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    calls.append("startRanging \(constraint.uuid)")
  }
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    calls.append("stopRanging \(constraint.uuid)")
  }
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
    public internal(set) var lastEvent: Event
  }

  // corelocation/clmonitor-6ynwz/events-swift.struct
  public struct Events: AsyncSequence, Sendable {
    public struct AsyncIterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<Event>.Iterator
      public mutating func next() async throws -> Event? { await iterator.next(isolation: nil) }
    }
    let stream: AsyncStream<Event>
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(iterator: stream.makeAsyncIterator()) }
  }

  private let name: String
  var listeners: [AsyncStream<Event>.Continuation] = []
  // The body of an actor's initializer is never skipped.
  public init(_ name: String) async {
    self.name = name
    open()
  }
  // A second monitor of a name ends the process (corelocation/clmonitor-6ynwz/init(_:)).
  private func open() {
    CoreLocationFake.locked {
      if !CoreLocationFake.openNames.insert(name).inserted {
        CoreLocationFake.crashes.append("a second CLMonitor named \(name)")
      }
      CoreLocationFake.monitors[name] = self
    }
  }
  var records: [String: Record] {
    get { CoreLocationFake.locked { CoreLocationFake.records[name] ?? [:] } }
    set { CoreLocationFake.locked { CoreLocationFake.records[name] = newValue } }
  }
  public var identifiers: [String] { records.keys.sorted() }
  public var events: Events {
    let (stream, listener) = AsyncStream.makeStream(of: Event.self)
    listeners.append(listener)
    return Events(stream: stream)
  }
  public func record(for identifier: String) -> Record? { records[identifier] }
  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
    let event = Event(identifier: identifier, refinement: nil, state: state, date: Date())
    records[identifier] = Record(condition: condition, lastEvent: event)
  }
  public func remove(_ identifier: String) { records[identifier] = nil }
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
      public mutating func next() async throws -> CLLocationUpdate? {
        CoreLocationFake.locked { CoreLocationFake.liveUpdateCount += 1 }
        // Until the task is cancelled.
        try await Task.sleep(for: .seconds(3600))
        return nil
      }
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
    public internal(set) var alwaysAuthorizationDenied = false, authorizationDenied = false
    public internal(set) var authorizationDeniedGlobally = false, authorizationRequestInProgress = false
    public internal(set) var authorizationRestricted = false, fullAccuracyDenied = false
    public internal(set) var insufficientlyInUse = false, serviceSessionRequired = false
  }

  // corelocation/clservicesession-pt7n/diagnostics-swift.class
  public final class Diagnostics: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<Diagnostic>.Iterator
      public mutating func next() async throws -> Diagnostic? { await iterator.next(isolation: nil) }
    }
    let (stream, teller) = AsyncStream.makeStream(of: Diagnostic.self)
    public func makeAsyncIterator() -> Iterator { Iterator(iterator: stream.makeAsyncIterator()) }
  }

  public init(authorization: AuthorizationRequirement) {
    CoreLocationFake.locked { CoreLocationFake.serviceSessions.append(self) }
  }
  public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
    self.init(authorization: authorization)
  }
  public let diagnostics = Diagnostics()
  public func invalidate() {
    CoreLocationFake.locked { CoreLocationFake.serviceSessions.removeAll { $0 === self } }
  }
}

// corelocation/clbackgroundactivitysession-3mzv3
@available(iOS 17, watchOS 10, tvOS 17, visionOS 1, *)
@available(macOS, unavailable)
public final class CLBackgroundActivitySession: Sendable {
  // corelocation/clbackgroundactivitysession-3mzv3/diagnostic
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public struct Diagnostic: Sendable {
    public internal(set) var authorizationDenied = false, authorizationDeniedGlobally = false
    public internal(set) var authorizationRequestInProgress = false, authorizationRestricted = false
    public internal(set) var insufficientlyInUse = false, serviceSessionRequired = false
  }

  // corelocation/clbackgroundactivitysession-3mzv3/diagnostics-swift.class
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public final class Diagnostics: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<Diagnostic>.Iterator
      public mutating func next() async throws -> Diagnostic? { await iterator.next(isolation: nil) }
    }
    let (stream, teller) = AsyncStream.makeStream(of: Diagnostic.self)
    public func makeAsyncIterator() -> Iterator { Iterator(iterator: stream.makeAsyncIterator()) }
  }

  // The diagnostics. Their type is newer than the session's, which no stored property may be.
  private let held: any Sendable
  public init() {
    held = Diagnostics()
    CoreLocationFake.locked { CoreLocationFake.activitySessions.append(self) }
  }
  @available(iOS 18, watchOS 11, tvOS 18, visionOS 2, *)
  public var diagnostics: Diagnostics { held as! Diagnostics }
  // corelocation/clbackgroundactivitysession-3mzv3/invalidate()
  public func invalidate() {
    CoreLocationFake.locked { CoreLocationFake.activitySessions.removeAll { $0 === self } }
  }
}

// corelocation/clbodyidentifiable: newer than anything that is used, so that Planted/Phone.swift has
// something to fail on
@available(iOS 27, *)
public protocol CLBodyIdentifiable {}
