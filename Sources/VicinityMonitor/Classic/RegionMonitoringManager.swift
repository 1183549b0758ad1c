public import VicinityGeodesy

/// The classic surface of region monitoring, for those who know `CLLocationManager`.
///
///     let service = try RegionMonitoringService("Zones", records: records, device: phone)
///     let manager = RegionMonitoringManager(service)
///     manager.delegate = self
///     manager.startMonitoring(for: MonitoredRegion(identifier: "home", center: home, radius: 150))
///
/// Managers are views of one ``RegionMonitoringService``: they share its regions and its slots, and the
/// delegate of each is told of everything. Regions outlive managers and, with a durable store, processes. See
/// <doc:ClassicSurface>.
///
/// As with Core Location, a manager belongs to the thread, or actor, that its service was made on.
public final class RegionMonitoringManager {
  /// What is watched and told is here.
  public let service: RegionMonitoringService

  /// Who is told. While no manager has a delegate nothing is told, and events wait.
  public weak var delegate: (any RegionMonitoringDelegate)? {
    didSet { if delegate != nil { service.perform() } }
  }

  public init(_ service: RegionMonitoringService) {
    self.service = service
    service.attach(self)
  }

  /// Watches a region, in place of one with the same identifier, also when the app does not run.
  ///
  /// The state that holds is not reported; crossings from then on are. A region that is watched already,
  /// alike in all, goes on being watched as if nothing had been asked: so an app may start its regions at
  /// each launch.
  ///
  /// The delegates are told ``RegionMonitoringDelegate/manager(_:didStartMonitoringFor:)`` or
  /// ``RegionMonitoringDelegate/manager(_:monitoringDidFailFor:withError:)``. It fails beyond
  /// ``RegionMonitoringService/limit`` regions, for a region that cannot be, and where there is a
  /// ``monitoringRefusal(for:)``; an earlier region of the identifier stays then. So does a region that is
  /// watched in principle, and not now: it fails, stays, and is watched again when the reason is gone. A
  /// radius greater than ``maximumRegionMonitoringDistance`` is reduced to it, with notice.
  public func startMonitoring(for region: MonitoredRegion) { service.start(region) }

  /// Watches the region with this one's identifier no longer. Nothing happens when there is none.
  public func stopMonitoring(for region: MonitoredRegion) { service.stop(region.identifier) }

  /// All regions that are watched, those of other managers and earlier processes included.
  public var monitoredRegions: Set<MonitoredRegion> { Set(service.regions) }

  /// Has the state of a region told to the delegate, at once, by
  /// ``RegionMonitoringDelegate/manager(_:didDetermineState:for:)``; again once it is determined, where it is
  /// unknown.
  ///
  /// - Parameter region: Known by its identifier; unknown when no such region is watched.
  public func requestState(for region: MonitoredRegion) { service.requestState(region, for: self) }

  /// The greatest radius of a region, metres.
  public var maximumRegionMonitoringDistance: Meters { service.maximumRegionMonitoringDistance }

  /// Whether the device can watch regions of a kind at all: the first of the two questions that an app should
  /// ask. What the user allows does not count, nor what is switched off for the moment; ``authorization`` and
  /// ``monitoringRefusal(for:)`` tell that.
  public func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
    service.environment.isMonitoringAvailable(for: kind)
  }

  /// Whether the device can range beacons.
  public var isRangingAvailable: Bool { service.environment.hasBeaconHardware }

  /// Has the device range the beacons that match an identity: what it hears comes to the service as
  /// sightings, and to any ``BeaconRanger``.
  ///
  /// - Throws: ``MonitorError/closed``.
  public func startRanging(_ identity: BeaconIdentity) throws(MonitorError) {
    try service.ask(.startRanging(identity))
  }

  /// Ends what ``startRanging(_:)`` began.
  ///
  /// - Throws: ``MonitorError/closed``.
  public func stopRanging(_ identity: BeaconIdentity) throws(MonitorError) {
    try service.ask(.stopRanging(identity))
  }

  /// Why starting a region of a kind would fail now, apart from the limit; nil where it would not.
  ///
  /// The reasons are those of Apple's *Location and Maps Programming Guide* ("Region Monitoring and
  /// iBeacon"): the hardware, the app's authorization, location services or background refresh being off, and
  /// airplane mode. With background refresh off regions are watched as long as the app is in use.
  public func monitoringRefusal(for kind: Condition.Kind) -> RegionMonitoringError? {
    let diagnostics = service.environment.diagnostics(for: kind)
    return diagnostics.isEmpty ? nil : RegionMonitoringError(diagnostics)
  }

  /// Whether the system wakes the app in the background.
  public var isBackgroundRefreshAvailable: Bool { service.environment.allowsBackgroundRefresh }

  /// What the user has decided.
  public var authorization: MonitorEnvironment.Authorization { service.environment.authorization }
}

/// Who is told what comes of monitoring: the part of `CLLocationManagerDelegate` that is about regions. All
/// are optional.
///
/// The regions handed over are those watched now; compare them by their identifiers.
public protocol RegionMonitoringDelegate: AnyObject {
  /// The device has entered a region whose entries are to be reported.
  func manager(_ manager: RegionMonitoringManager, didEnter region: MonitoredRegion)
  /// The device has left a region whose exits are to be reported.
  func manager(_ manager: RegionMonitoringManager, didExit region: MonitoredRegion)
  /// The device has entered a region, and the user has not been told of this stay: told once for a stay,
  /// after ``manager(_:didEnter:)``, for an app that notifies its user.
  ///
  /// A stay ends when the region is left, and with nothing else: after a time of not being watched it goes
  /// on. When the process ends before this call has returned, it is told again under the same identifier. A
  /// notification that is posted under that identifier takes the place of the first, so that there is one.
  ///
  /// - Parameters:
  ///   - manager: The manager that watches the region.
  ///   - region: The region that has been entered.
  ///   - identifier: The identifier for the notification; no other stay has it.
  func manager(
    _ manager: RegionMonitoringManager, didBeginStayIn region: MonitoredRegion,
    notification identifier: String)
  /// A region's state: after each report of an entry or exit, when it was asked for, and, for beacon regions
  /// that want it, when the display is turned on inside.
  func manager(
    _ manager: RegionMonitoringManager, didDetermineState state: RegionState, for region: MonitoredRegion)
  /// A region is watched from now on.
  func manager(_ manager: RegionMonitoringManager, didStartMonitoringFor region: MonitoredRegion)
  /// A region is not watched; when it was before, it is again once the reason is gone.
  func manager(
    _ manager: RegionMonitoringManager, monitoringDidFailFor region: MonitoredRegion,
    withError error: RegionMonitoringError)
  /// A region is watched with a smaller radius than was asked for; told before it is said to be watched.
  func manager(
    _ manager: RegionMonitoringManager, didReduceRadiusOf region: MonitoredRegion, to radius: Meters)
}

extension RegionMonitoringDelegate {
  public func manager(_ manager: RegionMonitoringManager, didEnter region: MonitoredRegion) {}
  public func manager(_ manager: RegionMonitoringManager, didExit region: MonitoredRegion) {}
  public func manager(
    _ manager: RegionMonitoringManager, didBeginStayIn region: MonitoredRegion,
    notification identifier: String
  ) {}
  public func manager(
    _ manager: RegionMonitoringManager, didDetermineState state: RegionState, for region: MonitoredRegion
  ) {}
  public func manager(_ manager: RegionMonitoringManager, didStartMonitoringFor region: MonitoredRegion) {}
  public func manager(
    _ manager: RegionMonitoringManager, monitoringDidFailFor region: MonitoredRegion,
    withError error: RegionMonitoringError
  ) {}
  public func manager(
    _ manager: RegionMonitoringManager, didReduceRadiusOf region: MonitoredRegion, to radius: Meters
  ) {}
}
