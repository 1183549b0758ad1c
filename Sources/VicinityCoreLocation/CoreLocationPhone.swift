#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  internal import VicinityMonitor

  /// Core Location as a ``VicinityMonitor/Phone``: each call is one of Core Location's, and each answer becomes an event. All its managers
  /// are its own.
  @MainActor final class CoreLocationPhone: NSObject {
    let slotService: SlotService
    /// What is allowed, as its owner knows it.
    var environment = MonitorEnvironment()
    var isInFront = true
    var locationSettings = LocationSettings() {
      didSet { if locationSettings != oldValue { apply(locationSettings) } }
    }

    /// What hears of events; set once, before the phone is opened.
    var onEvent: (PhoneEvent) -> Void = { _ in }
    /// What hears of errors that Core Location tells.
    var onError: (any Error) -> Void = { _ in }
    /// What hears of authorizations.
    var onAuthorization: (CLAuthorizationStatus, CLAccuracyAuthorization) -> Void = { _, _ in }
    /// What hears whether the app needs time in the background.
    var onBusy: (Bool) -> Void = { _ in }
    /// Told when the display is turned on in the region of a beacon that wants to be told.
    var onDisplayTurnedOn: () -> Void = {}

    private let slots: any SlotBackEnd
    /// Delivers single positions and ranges beacons.
    private let locator = CLLocationManager()
    /// Wakes the app by significant changes and visits.
    private let waker = CLLocationManager()
    /// The standard service.
    private let updater = CLLocationManager()
    private var timers: [Int: Task<Void, Never>] = [:]
    private var lastTimer = 0
    private var tasks: Set<BackgroundTask> = []
    private var lastTask = 0

    /// Nothing is asked about slots until ``open()``.
    init(_ name: String, _ service: SlotService) {
      slotService = service
      slots = service.backEnd(name)
      super.init()
      slots.answers = SlotAnswers(
        tell: { [weak self] in self?.onEvent($0) }, failed: { [weak self] in self?.onError($0) },
        displayTurnedOn: { [weak self] in self?.onDisplayTurnedOn() })
      for manager in [locator, waker, updater] { manager.delegate = self }
    }

    /// Begins: finds out what is monitored. What the phone delivers at a launch comes from here on.
    func open() async { await slots.open() }

    var authorizationStatus: CLAuthorizationStatus { locator.authorizationStatus }
    var accuracyAuthorization: CLAccuracyAuthorization { locator.accuracyAuthorization }
    func requestWhenInUseAuthorization() { locator.requestWhenInUseAuthorization() }
    func requestAlwaysAuthorization() { locator.requestAlwaysAuthorization() }

    private func apply(_ settings: LocationSettings) {
      updater.desiredAccuracy = settings.desiredAccuracy.constant
      updater.distanceFilter = settings.effectiveFilter ?? kCLDistanceFilterNone
      updater.pausesLocationUpdatesAutomatically = settings.pausesAutomatically
      updater.activityType = settings.activity.type
      // Allowed only with the background mode `location`, which the strategies that ask for this need.
      updater.allowsBackgroundLocationUpdates = settings.allowsBackgroundUpdates
    }

    private func fire(_ timer: Int) async {
      // What was asked about slots before has been done.
      await slots.settle()
      guard timers.removeValue(forKey: timer) != nil else { return }
      onEvent(.timer(timer))
    }

    /// The time of all background tasks is nearly up.
    func expireTasks() { for task in tasks { onEvent(.taskExpires(task)) } }

    private func tasksChanged(from wasBusy: Bool) {
      if tasks.isEmpty == wasBusy { onBusy(!wasBusy) }
    }
  }

  extension CoreLocationPhone: @MainActor Phone {
    var now: Timestamp { SystemMonitorClock().now }
    /// Always true: whoever asks is told what is allowed.
    var isLimited: Bool { true }

    /// The oldest system that the library runs on has all of them.
    var backgroundUpdates: BackgroundUpdateRules { .iOS17 }
    var hasBackgroundActivity: Bool { false }
    func beginBackgroundActivity() {}
    func endBackgroundActivity() {}

    func startUpdatingLocation() { updater.startUpdatingLocation() }
    func stopUpdatingLocation() { updater.stopUpdatingLocation() }

    func requestLocation(_ accuracy: DesiredAccuracy?) {
      locator.desiredAccuracy = (accuracy ?? locationSettings.desiredAccuracy).constant
      // There can be one request at a time, which this cancels.
      locator.stopUpdatingLocation()
      locator.requestLocation()
    }

    func startMonitoringSignificantLocationChanges() { waker.startMonitoringSignificantLocationChanges() }
    func stopMonitoringSignificantLocationChanges() { waker.stopMonitoringSignificantLocationChanges() }
    func startMonitoringVisits() { waker.startMonitoringVisits() }
    func stopMonitoringVisits() { waker.stopMonitoringVisits() }

    var slotCapacity: Int { 20 }
    var maximumRegionRadius: Meters { locator.maximumRegionMonitoringDistance }
    var monitoredRegions: [MonitoredRegion] { slots.monitored }
    var otherRegionCount: Int { slots.otherCount }
    func startMonitoring(_ region: MonitoredRegion) { slots.add(region) }
    func stopMonitoring(identifier: String) { slots.remove(identifier) }
    func requestState(identifier: String) { slots.ask(identifier) }
    func lastReport(of identifier: String) -> SlotReport? { slots.lastReport(of: identifier) }

    func startRangingBeacons(_ identity: BeaconIdentity) {
      locator.startRangingBeacons(satisfying: identity.constraint)
    }

    func stopRangingBeacons(_ identity: BeaconIdentity) {
      locator.stopRangingBeacons(satisfying: identity.constraint)
    }

    func setTimer(after delay: Duration) -> Int {
      lastTimer += 1
      let number = lastTimer
      timers[number] = Task { [weak self] in
        // Cancelled with the timer.
        do { try await Task.sleep(for: max(.zero, delay)) } catch { return }
        await self?.fire(number)
      }
      return number
    }

    func cancelTimer(_ number: Int) { timers.removeValue(forKey: number)?.cancel() }

    /// Whoever has the phone begins and ends one task of UIKit's for all of these, by ``onBusy``.
    func beginBackgroundTask(_ name: String) -> BackgroundTask {
      let wasBusy = !tasks.isEmpty
      lastTask += 1
      let task = BackgroundTask(number: lastTask)
      tasks.insert(task)
      tasksChanged(from: wasBusy)
      return task
    }

    func endBackgroundTask(_ task: BackgroundTask) {
      let wasBusy = !tasks.isEmpty
      tasks.remove(task)
      tasksChanged(from: wasBusy)
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension CoreLocationPhone: CLLocationManagerDelegate {
    nonisolated func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      let fixes = locations.map { Fix($0) }
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        let source: LocationSource =
          switch manager {
          case ObjectIdentifier(updater): .standard
          case ObjectIdentifier(waker): .significantChange
          default: .single
          }
        onEvent(.locations(fixes, from: source))
      }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
      let visit = Visit(visit)
      MainActor.assumeIsolated { onEvent(.visited(visit)) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        onError(error)
        // The other services go on by themselves.
        if manager == ObjectIdentifier(locator) { onEvent(.locationUnknown) }
      }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let (status, accuracy) = (manager.authorizationStatus, manager.accuracyAuthorization)
      MainActor.assumeIsolated { onAuthorization(status, accuracy) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didRange beacons: [CLBeacon],
      satisfying constraint: CLBeaconIdentityConstraint
    ) {
      let ranging = BeaconRanging(
        constraint: BeaconIdentity(constraint), beacons: beacons.map { RangedBeacon($0) },
        time: SystemMonitorClock().now)
      MainActor.assumeIsolated { onEvent(.ranged(ranging)) }
    }
  }
#endif
