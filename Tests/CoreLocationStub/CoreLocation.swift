// The part of Core Location that Sources/VicinityCoreLocation uses, by Apple's documentation as of iOS 18 and 26: enough to type-check the
// adapter where there is no Apple SDK, and to run it in the tests of Tests/PhoneAdapter (Scripts/nightly phone). Each declaration names the page
// that it follows, under https://developer.apple.com/documentation/. What is behind them is made up: it writes down what it is asked, and
// tells what `CoreLocationFake`, at the end, is told to tell. It is for one thread, except where a lock is named.

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
open class CLRegion: NSObject {
  public let identifier: String
  open var notifyOnEntry = true
  open var notifyOnExit = true
  init(named identifier: String) { self.identifier = identifier }
}

// corelocation/clcircularregion
open class CLCircularRegion: CLRegion {
  public let center: CLLocationCoordinate2D
  public let radius: CLLocationDistance
  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    (self.center, self.radius) = (center, radius)
    super.init(named: identifier)
  }
}

// corelocation/clbeaconregion
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
public enum CLRegionState: Int, Sendable { case unknown, inside, outside }

// corelocation/clerror
public struct CLError: Error {
  // corelocation/clerror/code
  public enum Code: Int, Sendable {
    case locationUnknown, denied, network, headingFailure, regionMonitoringDenied, regionMonitoringFailure
    case regionMonitoringSetupDelayed, regionMonitoringResponseDelayed
  }
  public let code: Code
  public init(_ code: Code) { self.code = code }
}

// corelocation/clbeaconidentityconstraint
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
public enum CLProximity: Int, Sendable { case unknown, immediate, near, far }

// corelocation/clbeacon
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

// corelocation/cllocationmanagerdelegate; every method is optional there, which Swift has for Objective-C's protocols only
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint)
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
}

extension CLLocationManagerDelegate {
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
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
}

// corelocation/clvisit
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

// corelocation/kcllocationaccuracybestfornavigation and the pages beside it, which give no figures but those in the names. The others are
// made up, so that nothing rests on them.
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
  public internal(set) var calls: [String] = []
  public override init() {
    super.init()
    CoreLocationFake.made.append(CoreLocationFake.Made(manager: self))
  }
  public var authorizationStatus: CLAuthorizationStatus { CoreLocationFake.authorization }
  public var accuracyAuthorization: CLAccuracyAuthorization { CoreLocationFake.accuracy }
  public var maximumRegionMonitoringDistance: CLLocationDistance { CoreLocationFake.maximumDistance }
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { true }
  public class func headingAvailable() -> Bool { false }
  public class func isRangingAvailable() -> Bool { true }
  public class func locationServicesEnabled() -> Bool { CoreLocationFake.areServicesEnabled }
  public var desiredAccuracy: Double = kCLLocationAccuracyBest
  public var distanceFilter: Double = kCLDistanceFilterNone
  public var pausesLocationUpdatesAutomatically = true
  public var activityType = CLActivityType.other
  // corelocation/cllocationmanager/allowsbackgroundlocationupdates: setting it without the background mode is a fatal error.
  public var allowsBackgroundLocationUpdates = false {
    didSet {
      if allowsBackgroundLocationUpdates, !CoreLocationFake.backgroundModes.contains("location") {
        CoreLocationFake.crashes.append("allowsBackgroundLocationUpdates without the background mode")
      }
    }
  }
  // corelocation/cllocationmanager/showsbackgroundlocationindicator; not on macOS
  public var showsBackgroundLocationIndicator = false
  public func requestWhenInUseAuthorization() { calls.append("whenInUse") }
  public func requestAlwaysAuthorization() { calls.append("always") }
  public func startMonitoringSignificantLocationChanges() { calls.append("startSignificant") }
  public func stopMonitoringSignificantLocationChanges() { calls.append("stopSignificant") }
  public func startMonitoringVisits() { calls.append("startVisits") }
  public func stopMonitoringVisits() { calls.append("stopVisits") }
  // corelocation/cllocationmanager/monitoredregions: "The set of shared regions monitored by all location-manager objects."
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
  public func requestLocation() {
    calls.append("requestLocation")
    guard let location = CoreLocationFake.position else { return }
    nonisolated(unsafe) let manager = self
    Task { @MainActor in manager.delegate?.locationManager(manager, didUpdateLocations: [location]) }
  }
  public func startUpdatingLocation() { calls.append("startUpdating") }
  public func stopUpdatingLocation() { calls.append("stopUpdating") }
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    calls.append("startRanging \(constraint.uuid)")
  }
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
    calls.append("stopRanging \(constraint.uuid)")
  }
}

// corelocation/clcondition
public protocol CLCondition: Sendable {}

// corelocation/clmonitor-6ynwz
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

  // corelocation/clmonitor-6ynwz/event; the Boolean values since iOS 18
  public struct Event: Sendable {
    public enum State: UInt, Sendable { case unknown, satisfied, unsatisfied, unmonitored }
    public internal(set) var identifier: String
    public internal(set) var refinement: (any CLCondition)?
    public internal(set) var state: State
    public internal(set) var date: Date
    public internal(set) var authorizationDenied = false, authorizationDeniedGlobally = false
    public internal(set) var authorizationRestricted = false, insufficientlyInUse = false
    public internal(set) var accuracyLimited = false, conditionUnsupported = false
    public internal(set) var conditionLimitExceeded = false, persistenceUnavailable = false
    public internal(set) var serviceSessionRequired = false, authorizationRequestInProgress = false
  }

  // corelocation/clmonitor-6ynwz/record
  public struct Record: Sendable {
    public internal(set) var condition: any CLCondition
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
  private var listeners: [AsyncStream<Event>.Continuation] = []
  // A second monitor of a name ends the process (corelocation/clmonitor-6ynwz/init(_:)).
  public init(_ name: String) async {
    self.name = name
    CoreLocationFake.locked {
      if !CoreLocationFake.openNames.insert(name).inserted {
        CoreLocationFake.crashes.append("a second CLMonitor named \(name)")
      }
      CoreLocationFake.monitors[name] = self
    }
  }
  private var records: [String: Record] {
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
    let event = Event(identifier: identifier, state: state, date: Date())
    records[identifier] = Record(condition: condition, lastEvent: event)
  }
  public func remove(_ identifier: String) { records[identifier] = nil }
  /// Has a condition's state change.
  public func tell(_ identifier: String, _ state: Event.State) {
    let event = Event(identifier: identifier, state: state, date: Date())
    records[identifier]?.lastEvent = event
    for listener in listeners { listener.yield(event) }
  }
}

// corelocation/cllocationupdate; taken not to be Sendable, which the page does not say
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
  // Since iOS 18.
  public let stationary, authorizationDenied, authorizationDeniedGlobally, authorizationRestricted: Bool
  public let authorizationRequestInProgress, accuracyLimited, insufficientlyInUse: Bool
  public let locationUnavailable, serviceSessionRequired: Bool
}

// corelocation/clservicesession-pt7n; iOS 18 and later, not on macOS
public final class CLServiceSession: Sendable {
  // corelocation/clservicesession-pt7n/authorizationrequirement
  public enum AuthorizationRequirement: Sendable { case none, whenInUse, always }

  // corelocation/clservicesession-pt7n/diagnostic
  public struct Diagnostic: Sendable {
    public var alwaysAuthorizationDenied = false, authorizationDenied = false
    public var authorizationDeniedGlobally = false, authorizationRequestInProgress = false
    public var authorizationRestricted = false, fullAccuracyDenied = false
    public var insufficientlyInUse = false, serviceSessionRequired = false
    public init() {}
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
  public func tell(_ diagnostic: Diagnostic) { diagnostics.teller.yield(diagnostic) }
}

// corelocation/clbackgroundactivitysession-3mzv3; iOS 17 and later, its diagnostics since iOS 18; not on macOS
public final class CLBackgroundActivitySession: Sendable {
  // corelocation/clbackgroundactivitysession-3mzv3/diagnostic
  public struct Diagnostic: Sendable {
    public var authorizationDenied = false, authorizationDeniedGlobally = false
    public var authorizationRequestInProgress = false, authorizationRestricted = false
    public var insufficientlyInUse = false, serviceSessionRequired = false
    public init() {}
  }

  // corelocation/clbackgroundactivitysession-3mzv3/diagnostics-swift.class
  public final class Diagnostics: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
      var iterator: AsyncStream<Diagnostic>.Iterator
      public mutating func next() async throws -> Diagnostic? { await iterator.next(isolation: nil) }
    }
    let (stream, teller) = AsyncStream.makeStream(of: Diagnostic.self)
    public func makeAsyncIterator() -> Iterator { Iterator(iterator: stream.makeAsyncIterator()) }
  }

  public init() { CoreLocationFake.locked { CoreLocationFake.activitySessions.append(self) } }
  public let diagnostics = Diagnostics()
  // corelocation/clbackgroundactivitysession-3mzv3/invalidate()
  public func invalidate() {
    CoreLocationFake.locked { CoreLocationFake.activitySessions.removeAll { $0 === self } }
  }
  public func tell(_ diagnostic: Diagnostic) { diagnostics.teller.yield(diagnostic) }
}

// MARK: The tests' end

/// What tests see of the phone, and have it tell. No part of Core Location.
public enum CoreLocationFake {
  struct Made { weak var manager: CLLocationManager? }

  /// Which managers' delegates hear of a region's crossing. Apple's pages do not say it of a launch.
  public enum Hearing: Sendable { case all, first }

  nonisolated(unsafe) public static var authorization = CLAuthorizationStatus.authorizedAlways
  nonisolated(unsafe) public static var accuracy = CLAccuracyAuthorization.fullAccuracy
  nonisolated(unsafe) public static var areServicesEnabled = true
  nonisolated(unsafe) public static var maximumDistance: CLLocationDistance = 1_000_000
  /// What the Info.plist has as `UIBackgroundModes`.
  nonisolated(unsafe) public static var backgroundModes: [String] = []
  /// What would have ended the process.
  nonisolated(unsafe) public static var crashes: [String] = []
  /// Whether what is added takes until ``finishAdding()`` to be monitored.
  nonisolated(unsafe) public static var isSlow = false
  nonisolated(unsafe) public static var hearing = Hearing.all
  /// Where the phone is, as an answer to each request for one position; nil for no answer.
  nonisolated(unsafe) public static var position: CLLocation?
  nonisolated(unsafe) public static var regions: [String: CLRegion] = [:]
  nonisolated(unsafe) static var underWay: [String: CLRegion] = [:]
  nonisolated(unsafe) static var made: [Made] = []
  // These are used by several threads.
  nonisolated(unsafe) static var openNames: Set<String> = []
  nonisolated(unsafe) static var records: [String: [String: CLMonitor.Record]] = [:]
  nonisolated(unsafe) static var monitors: [String: CLMonitor] = [:]
  nonisolated(unsafe) static var serviceSessions: [CLServiceSession] = []
  nonisolated(unsafe) static var activitySessions: [CLBackgroundActivitySession] = []
  nonisolated(unsafe) static var liveUpdateCount = 0

  private static let lock = NSLock()
  static func locked<R>(_ body: () throws -> R) rethrows -> R { try lock.withLock(body) }

  /// A phone as new. `CLMonitor`s of before stay open, as they do in a process.
  public static func reset() {
    (authorization, accuracy, areServicesEnabled) = (.authorizedAlways, .fullAccuracy, true)
    (maximumDistance, backgroundModes, crashes) = (1_000_000, [], [])
    (isSlow, hearing, position, regions, underWay, made) = (false, .all, nil, [:], [:], [])
    locked { (records, serviceSessions, activitySessions) = ([:], [], []) }
  }

  /// The managers that there are, in the order of making.
  public static var managers: [CLLocationManager] { made.compactMap(\.manager) }
  /// What has been asked of all of them.
  public static var calls: [String] { managers.flatMap(\.calls) }
  public static var heldServiceSessions: [CLServiceSession] { locked { serviceSessions } }
  public static var heldActivitySessions: [CLBackgroundActivitySession] { locked { activitySessions } }
  /// The open monitor of a name.
  public static func monitor(_ name: String) -> CLMonitor? { locked { monitors[name] } }
  /// The identifiers that a monitor of a name has.
  public static func conditions(_ name: String) -> [String] {
    locked { (records[name] ?? [:]).keys.sorted() }
  }

  /// What was added is monitored from now on.
  public static func finishAdding() {
    regions.merge(underWay) { $1 }
    underWay = [:]
  }

  private static var listeners: [CLLocationManager] {
    let heard = managers.filter { $0.delegate != nil }
    return hearing == .all ? heard : Array(heard.prefix(1))
  }

  public static func cross(_ identifier: String, entering: Bool) {
    guard let region = regions[identifier] else { return }
    for manager in listeners {
      if entering {
        manager.delegate?.locationManager(manager, didEnterRegion: region)
      } else {
        manager.delegate?.locationManager(manager, didExitRegion: region)
      }
    }
  }

  public static func determine(_ identifier: String, _ state: CLRegionState) {
    guard let region = regions[identifier] else { return }
    for manager in managers where manager.calls.contains("requestState \(identifier)") {
      manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
    }
  }

  /// Delivers a position by the managers that have been asked for a service by a call.
  public static func locate(_ location: CLLocation, askedBy call: String) {
    for manager in managers where manager.calls.contains(call) {
      manager.delegate?.locationManager(manager, didUpdateLocations: [location])
    }
  }

  public static func visit(_ latitude: Double, _ longitude: Double, departure: Date = .distantFuture) {
    let visit = CLVisit(
      CLLocationCoordinate2D(latitude: latitude, longitude: longitude), arrival: Date(), departure: departure)
    for manager in managers where manager.calls.contains("startVisits") {
      manager.delegate?.locationManager(manager, didVisit: visit)
    }
  }

  public static func range(_ uuid: UUID, major: Int, minor: Int, rssi: Int) {
    for manager in managers where manager.calls.contains("startRanging \(uuid)") {
      manager.delegate?.locationManager(
        manager,
        didRange: [CLBeacon(uuid, major: major, minor: minor, rssi: rssi, accuracy: 2, proximity: .near)],
        satisfying: CLBeaconIdentityConstraint(uuid: uuid))
    }
  }

  /// Changes what the user allows, and tells each manager.
  public static func authorize(_ status: CLAuthorizationStatus) {
    authorization = status
    for manager in managers { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
  }

  public static func fail(_ code: CLError.Code, askedBy call: String) {
    for manager in managers where manager.calls.contains(call) {
      manager.delegate?.locationManager(manager, didFailWithError: CLError(code))
    }
  }
}
