// What a test sees and sets of the fake in CoreLocation.swift. None of this is Apple's.

public import Foundation

/// What tests see of the phone, and have it tell.
public enum CoreLocationFake {
  struct Made { weak var manager: CLLocationManager? }

  /// Which managers' delegates hear of a region's crossing. Apple's pages do not say it of a launch.
  public enum Hearing: Sendable { case all, first }

  nonisolated(unsafe) public static var authorization = CLAuthorizationStatus.authorizedAlways
  nonisolated(unsafe) public static var accuracy = CLAccuracyAuthorization.fullAccuracy
  nonisolated(unsafe) public static var areServicesEnabled = true
  nonisolated(unsafe) public static var maximumDistance: CLLocationDistance = 1_000_000
  nonisolated(unsafe) public static var isMonitoringAvailable = true
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
    (maximumDistance, isMonitoringAvailable, backgroundModes, crashes) = (1_000_000, true, [], [])
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

  /// Has a region refused.
  public static func refuse(_ identifier: String, _ code: CLError.Code) {
    guard let region = regions.removeValue(forKey: identifier) else { return }
    for manager in managers where manager.calls.contains("startMonitoring \(identifier)") {
      manager.delegate?.locationManager(
        manager, monitoringDidFailFor: region, withError: CLError(code: code))
    }
  }

  public static func fail(_ code: CLError.Code, askedBy call: String) {
    for manager in managers where manager.calls.contains(call) {
      manager.delegate?.locationManager(manager, didFailWithError: CLError(code: code))
    }
  }
}

extension CLMonitor {
  /// Has a condition's state change.
  public func tell(_ identifier: String, _ state: Event.State) {
    let event = Event(identifier: identifier, refinement: nil, state: state, date: Date())
    records[identifier]?.lastEvent = event
    for listener in listeners { listener.yield(event) }
  }
}

extension CLServiceSession {
  public func tell(_ diagnostic: Diagnostic) { diagnostics.teller.yield(diagnostic) }
}

extension CLBackgroundActivitySession {
  public func tell(_ diagnostic: Diagnostic) { diagnostics.teller.yield(diagnostic) }
}
