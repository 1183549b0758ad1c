#if canImport(CoreLocation)
  internal import VicinityMonitor
  internal import VicinityCrossings
  internal import CoreLocation
  // Dates and UUIDs are what Core Location speaks of times and beacons in; nothing else in this module needs Foundation.
  internal import Foundation
  internal import VicinityGeodesy

  // Core Location's words and this library's. Checked against hand-written declarations only, not against Apple's SDK.

  extension Timestamp {
    /// To the microsecond; the present where that does not fit.
    init(_ date: Date) {
      self = Timestamp(seconds: date.timeIntervalSince1970) ?? SystemMonitorClock().now
    }
  }

  extension Fix {
    init(_ location: CLLocation) {
      self.init(
        time: Timestamp(location.timestamp), coordinate: Coordinate(location.coordinate),
        horizontalAccuracy: location.horizontalAccuracy, speed: location.speed, course: location.course)
    }
  }

  extension Coordinate {
    init(_ coordinate: CLLocationCoordinate2D) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }

  extension CLLocationCoordinate2D {
    init(_ coordinate: Coordinate) {
      self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
  }

  extension ProximityUUID {
    init(_ uuid: UUID) {
      let bytes = [
        uuid.uuid.0, uuid.uuid.1, uuid.uuid.2, uuid.uuid.3, uuid.uuid.4, uuid.uuid.5, uuid.uuid.6,
        uuid.uuid.7, uuid.uuid.8, uuid.uuid.9, uuid.uuid.10, uuid.uuid.11, uuid.uuid.12, uuid.uuid.13,
        uuid.uuid.14, uuid.uuid.15,
      ]
      self.init(
        high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
        low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  extension UUID {
    init(_ uuid: ProximityUUID) {
      func byte(_ half: UInt64, _ place: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: half >> (56 - 8 * place))
      }
      let (high, low) = (uuid.high, uuid.low)
      self.init(
        uuid: (
          byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
          byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
          byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
        ))
    }
  }

  extension BeaconIdentity {
    init(uuid: UUID, major: UInt16?, minor: UInt16?) {
      let uuid = ProximityUUID(uuid)
      switch (major, minor) {
      case (let major?, let minor?): self.init(uuid: uuid, major: major, minor: minor)
      case (let major?, nil): self.init(uuid: uuid, major: major)
      case (nil, _): self.init(uuid: uuid)
      }
    }

    /// The condition of Core Location's monitor.
    var condition: CLMonitor.BeaconIdentityCondition {
      switch (major, minor) {
      case (let major?, let minor?): .init(uuid: UUID(uuid), major: major, minor: minor)
      case (let major?, nil): .init(uuid: UUID(uuid), major: major)
      case (nil, _): .init(uuid: UUID(uuid))
      }
    }

    /// The constraint of Core Location's ranging.
    var constraint: CLBeaconIdentityConstraint {
      switch (major, minor) {
      case (let major?, let minor?): .init(uuid: UUID(uuid), major: major, minor: minor)
      case (let major?, nil): .init(uuid: UUID(uuid), major: major)
      case (nil, _): .init(uuid: UUID(uuid))
      }
    }
  }

  extension BeaconSighting {
    /// nil for a beacon that has not been heard since the last report.
    init?(_ beacon: CLBeacon) {
      guard beacon.rssi != 0 else { return nil }
      self.init(
        uuid: ProximityUUID(beacon.uuid), major: beacon.major.uint16Value, minor: beacon.minor.uint16Value,
        rssi: beacon.rssi,
        measuredPower: Self.measuredPower(rssi: beacon.rssi, accuracy: beacon.accuracy),
        time: Timestamp(beacon.timestamp))
    }
  }

  extension SlotWatch.Target {
    var condition: any CLCondition {
      switch self {
      case .circle(let center, let radius):
        CLMonitor.CircularGeographicCondition(center: CLLocationCoordinate2D(center), radius: radius)
      case .beacon(let identity): identity.condition
      }
    }

    /// nil for a condition of another kind.
    init?(_ condition: any CLCondition) {
      if let circle = condition as? CLMonitor.CircularGeographicCondition {
        self = .circle(center: Coordinate(circle.center), radius: circle.radius)
      } else if let beacon = condition as? CLMonitor.BeaconIdentityCondition {
        self = .beacon(BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor))
      } else {
        return nil
      }
    }
  }

  extension SlotReport {
    init(_ event: CLMonitor.Event) {
      let refinement = (event.refinement as? CLMonitor.BeaconIdentityCondition).map {
        BeaconIdentity(uuid: $0.uuid, major: $0.major, minor: $0.minor)
      }
      self.init(
        identifier: event.identifier, state: MonitoringState(event.state), date: Timestamp(event.date),
        refinement: refinement, diagnostics: Diagnostics(event))
    }
  }

  extension MonitoringState {
    init(_ state: CLMonitor.Event.State) {
      switch state {
      case .satisfied: self = .satisfied
      case .unsatisfied: self = .unsatisfied
      case .unmonitored: self = .unmonitored
      case .unknown: self = .unknown
      @unknown default: self = .unknown
      }
    }
  }

  extension Diagnostics {
    init(_ event: CLMonitor.Event) {
      self = []
      if event.authorizationDenied { insert(.authorizationDenied) }
      if event.authorizationDeniedGlobally { insert(.authorizationDeniedGlobally) }
      if event.authorizationRestricted { insert(.authorizationRestricted) }
      if event.insufficientlyInUse { insert(.insufficientlyInUse) }
      if event.accuracyLimited { insert(.accuracyLimited) }
      if event.conditionUnsupported { insert(.conditionUnsupported) }
      if event.conditionLimitExceeded { insert(.conditionLimitExceeded) }
      if event.persistenceUnavailable { insert(.persistenceUnavailable) }
      if event.serviceSessionRequired { insert(.serviceSessionRequired) }
      if event.authorizationRequestInProgress { insert(.authorizationRequestInProgress) }
    }
  }

  extension MonitorEnvironment.Authorization {
    /// By raw values, for not every platform's SDK has names for all.
    init(_ status: CLAuthorizationStatus) {
      switch status.rawValue {
      case 1: self = .restricted
      case 2: self = .denied
      case 3: self = .always
      case 4: self = .whenInUse
      default: self = .notDetermined
      }
    }
  }
#endif
