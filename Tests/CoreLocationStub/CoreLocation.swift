// The part of Core Location that Sources/VicinityCoreLocation uses, by Apple's documentation, with nothing behind it: enough
// to type-check the adapter where there is no Apple SDK (Scripts/nightly phone). Nothing links this.

public import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double
public typealias CLLocationSpeed = Double
public typealias CLLocationDirection = Double
public typealias CLBeaconMajorValue = UInt16
public typealias CLBeaconMinorValue = UInt16

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

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

public enum CLAuthorizationStatus: Int32, Sendable {
  case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

public enum CLAccuracyAuthorization: Int, Sendable { case fullAccuracy, reducedAccuracy }

open class CLRegion: NSObject {}
open class CLCircularRegion: CLRegion {}
open class CLBeaconRegion: CLRegion {}

open class CLBeaconIdentityConstraint: NSObject {
  public init(uuid: UUID) {}
  public init(uuid: UUID, major: CLBeaconMajorValue) {}
  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {}
}

open class CLBeacon: NSObject {
  public let uuid = UUID()
  public let major = NSNumber(value: 0)
  public let minor = NSNumber(value: 0)
  public let accuracy: CLLocationAccuracy = -1
  public let rssi = 0
  public let timestamp = Date()
}

public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint)
}

open class CLLocationManager: NSObject {
  public weak var delegate: (any CLLocationManagerDelegate)?
  public let authorizationStatus = CLAuthorizationStatus.notDetermined
  public let accuracyAuthorization = CLAccuracyAuthorization.fullAccuracy
  public let maximumRegionMonitoringDistance: CLLocationDistance = -1
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { false }
  public class func isRangingAvailable() -> Bool { false }
  public class func locationServicesEnabled() -> Bool { true }
  public var desiredAccuracy: Double = 0
  public var distanceFilter: Double = 0
  public var pausesLocationUpdatesAutomatically = true
  public var allowsBackgroundLocationUpdates = false
  public func requestLocation() {}
  public func startUpdatingLocation() {}
  public func stopUpdatingLocation() {}
  public func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}
  public func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}
}

public protocol CLCondition: Sendable {}

public actor CLMonitor {
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    public let radius: CLLocationDistance
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }
  }

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

  public struct Event: Sendable {
    public enum State: UInt, Sendable { case unknown, satisfied, unsatisfied, unmonitored }
    public let identifier: String
    public let refinement: (any CLCondition)?
    public let state: State
    public let date: Date
    public let authorizationDenied, authorizationDeniedGlobally, authorizationRestricted: Bool
    public let insufficientlyInUse, accuracyLimited, conditionUnsupported, conditionLimitExceeded: Bool
    public let persistenceUnavailable, serviceSessionRequired, authorizationRequestInProgress: Bool
  }

  public struct Record: Sendable {
    public let condition: any CLCondition
    public let lastEvent: Event
  }

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
