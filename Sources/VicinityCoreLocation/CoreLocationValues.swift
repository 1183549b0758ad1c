#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  internal import VicinityMonitor

  // Conversions between Core Location's types and this library's, beside those of positions
  // (LocationValues.swift). Type-checked against hand-written declarations only, not against Apple's SDK.

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

  extension BeaconIdentity {
    init(_ constraint: CLBeaconIdentityConstraint) {
      self.init(uuid: constraint.uuid, major: constraint.major, minor: constraint.minor)
    }
  }

  extension RangedBeacon {
    init(_ beacon: CLBeacon) {
      self.init(
        beacon: BeaconIdentity(
          uuid: beacon.uuid, major: beacon.major.uint16Value, minor: beacon.minor.uint16Value),
        proximity: UInt8(exactly: beacon.proximity.rawValue).flatMap { BeaconProximity(rawValue: $0) }
          ?? .unknown,
        accuracy: beacon.accuracy, rssi: beacon.rssi, time: Timestamp(reported: beacon.timestamp))
    }
  }

  extension Visit {
    /// `distantFuture` stands for a departure that has not come, `distantPast` for an arrival that nobody
    /// knows; then the visit begins when it ends.
    init(_ visit: CLVisit) {
      let departure = visit.departureDate == .distantFuture ? nil : visit.departureDate
      let arrival = visit.arrivalDate == .distantPast ? departure ?? Date() : visit.arrivalDate
      self.init(
        fix: Fix(
          time: Timestamp(reported: departure ?? arrival), coordinate: Coordinate(visit.coordinate),
          horizontalAccuracy: visit.horizontalAccuracy),
        arrival: Timestamp(reported: arrival), departure: departure.map { Timestamp(reported: $0) })
    }
  }

  extension DesiredAccuracy {
    var coreLocation: CLLocationAccuracy {
      switch self {
      case .bestForNavigation: kCLLocationAccuracyBestForNavigation
      case .best: kCLLocationAccuracyBest
      case .nearestTenMeters: kCLLocationAccuracyNearestTenMeters
      case .hundredMeters: kCLLocationAccuracyHundredMeters
      case .kilometer: kCLLocationAccuracyKilometer
      case .threeKilometers: kCLLocationAccuracyThreeKilometers
      case .reduced: kCLLocationAccuracyReduced
      }
    }
  }

  extension LocationSettings.Activity {
    var type: CLActivityType {
      switch self {
      case .other: .other
      case .automotiveNavigation: .automotiveNavigation
      case .fitness: .fitness
      case .otherNavigation: .otherNavigation
      case .airborne: .airborne
      }
    }
  }

  extension MonitoredRegion {
    /// The condition of Core Location's monitor.
    var coreCondition: any CLCondition {
      switch area {
      case .circle(let center, let radius):
        CLMonitor.CircularGeographicCondition(center: CLLocationCoordinate2D(center), radius: radius)
      case .beacon(let identity): identity.condition
      }
    }

    /// nil for a condition of another kind.
    init?(_ condition: any CLCondition, identifier: String) {
      if let circle = condition as? CLMonitor.CircularGeographicCondition {
        self.init(identifier: identifier, center: Coordinate(circle.center), radius: circle.radius)
      } else if let beacon = condition as? CLMonitor.BeaconIdentityCondition {
        self.init(
          identifier: identifier,
          beacon: BeaconIdentity(uuid: beacon.uuid, major: beacon.major, minor: beacon.minor))
      } else {
        return nil
      }
    }
  }

  extension BeaconIdentity {
    /// The region of the classic service.
    func region(_ identifier: String) -> CLBeaconRegion {
      switch (major, minor) {
      case (let major?, let minor?):
        CLBeaconRegion(uuid: UUID(uuid), major: major, minor: minor, identifier: identifier)
      case (let major?, nil): CLBeaconRegion(uuid: UUID(uuid), major: major, identifier: identifier)
      case (nil, _): CLBeaconRegion(uuid: UUID(uuid), identifier: identifier)
      }
    }
  }

  extension MonitoredRegion {
    /// The region of the classic service.
    func region(_ identifier: String) -> CLRegion {
      let region: CLRegion
      switch area {
      case .circle(let center, let radius):
        region = CLCircularRegion(
          center: CLLocationCoordinate2D(center), radius: radius, identifier: identifier)
      case .beacon(let identity):
        let beacon = identity.region(identifier)
        beacon.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
        region = beacon
      }
      region.notifyOnEntry = notifyOnEntry
      region.notifyOnExit = notifyOnExit
      return region
    }

    /// nil for a region of another kind.
    init?(_ region: CLRegion, identifier: String) {
      if let circle = region as? CLCircularRegion {
        self.init(identifier: identifier, center: Coordinate(circle.center), radius: circle.radius)
      } else if let beacon = region as? CLBeaconRegion {
        self.init(
          identifier: identifier,
          beacon: BeaconIdentity(
            uuid: beacon.uuid, major: beacon.major?.uint16Value, minor: beacon.minor?.uint16Value))
        notifyEntryStateOnDisplay = beacon.notifyEntryStateOnDisplay
      } else {
        return nil
      }
      notifyOnEntry = region.notifyOnEntry
      notifyOnExit = region.notifyOnExit
    }
  }

  extension RegionMonitoringError {
    /// What an error of the classic service says of a region; nil where it only says that an answer is late.
    init?(coreLocation code: Int, monitoredCount: Int) {
      guard
        let diagnostics = Diagnostics(
          regionMonitoringError: code, monitoredCount: monitoredCount, capacity: PhoneDevice.slotCapacity)
      else { return nil }
      self.init(diagnostics)
    }
  }

  extension SlotReport {
    init(_ event: CLMonitor.Event) {
      let refinement = (event.refinement as? CLMonitor.BeaconIdentityCondition).map {
        BeaconIdentity(uuid: $0.uuid, major: $0.major, minor: $0.minor)
      }
      self.init(
        identifier: event.identifier, state: MonitoringState(event.state),
        date: Timestamp(reported: event.date),
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

  extension Diagnostics {
    init(_ update: CLLocationUpdate) {
      self = []
      if update.authorizationDenied { insert(.authorizationDenied) }
      if update.authorizationDeniedGlobally { insert(.authorizationDeniedGlobally) }
      if update.authorizationRestricted { insert(.authorizationRestricted) }
      if update.authorizationRequestInProgress { insert(.authorizationRequestInProgress) }
      if update.accuracyLimited { insert(.accuracyLimited) }
      if update.insufficientlyInUse { insert(.insufficientlyInUse) }
      if update.serviceSessionRequired { insert(.serviceSessionRequired) }
    }
  }

  extension MonitorEnvironment.Authorization {
    /// By raw values, because not every platform's SDK has names for all.
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
