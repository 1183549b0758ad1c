#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  internal import VicinityMonitor

  /// Core Location as the ``VicinityMonitor/Phone`` of one channel: each call is one of Core Location's, and
  /// each answer becomes an event. Its managers are for what runs only while the app does. What wakes the app
  /// is `PhoneServices`'.
  @MainActor final class CoreLocationPhone: NSObject {
    let name: String
    var locationSettings = LocationSettings() {
      didSet { if locationSettings != oldValue { apply(locationSettings) } }
    }

    /// What hears of events; set once, before the phone is opened.
    var onEvent: (PhoneEvent) -> Void = { _ in }

    private let services: PhoneServices
    private let slots: any SlotBackEnd
    /// Delivers single positions.
    private let locator = CLLocationManager()
    /// The standard service.
    private let updater = CLLocationManager()
    private var timers: [Int: Task<Void, Never>] = [:]
    private var lastTimer = 0
    private(set) var tasks: Set<BackgroundTask> = []

    /// Nothing is asked about slots until ``open()``.
    init(_ name: String, _ slots: any SlotBackEnd, _ services: PhoneServices) {
      (self.name, self.slots, self.services) = (name, slots, services)
      super.init()
      slots.answers = SlotAnswers(
        tell: { [weak self] in self?.onEvent($0) }, failed: { [weak services] in services?.note($0) },
        displayTurnedOn: { [weak services] in services?.onDisplayTurnedOn?() })
      for manager in [locator, updater] { manager.delegate = self }
    }

    /// Begins: finds out what is monitored.
    func open() async { await slots.open() }

    /// Ends what runs only while the app does. What wakes it stays.
    func stop() {
      for timer in timers.values { timer.cancel() }
      timers = [:]
      updater.stopUpdatingLocation()
      locator.stopUpdatingLocation()
      locationSettings = LocationSettings()
      services.stopRanging(for: name)
      endBackgroundActivity()
      for task in tasks { services.endTask(task) }
      tasks = []
    }

    private func apply(_ settings: LocationSettings) {
      updater.desiredAccuracy = settings.desiredAccuracy.coreLocation
      updater.distanceFilter = settings.effectiveFilter ?? kCLDistanceFilterNone
      updater.pausesLocationUpdatesAutomatically = settings.pausesAutomatically
      updater.activityType = settings.activity.type
      if settings.allowsBackgroundUpdates, !services.options.hasBackgroundMode {
        services.note(PhoneError.noBackgroundMode)
      } else {
        updater.allowsBackgroundLocationUpdates = settings.allowsBackgroundUpdates
      }
      #if !os(macOS)
        updater.showsBackgroundLocationIndicator = settings.showsIndicator
      #endif
    }

    private func fire(_ timer: Int) async {
      // What was asked about slots before has been done.
      await slots.settle()
      guard timers.removeValue(forKey: timer) != nil else { return }
      onEvent(.timer(timer))
    }
  }

  extension CoreLocationPhone: @MainActor Phone {
    var now: Timestamp { SystemMonitorClock().now }
    /// Not until the app has said so: updates that are begun behind end within seconds, and a driver that is
    /// told later that the app is in front makes up for it.
    var isInFront: Bool { services.front == true }
    var environment: MonitorEnvironment { services.environment }
    /// Always true: whoever asks is told what is allowed.
    var isLimited: Bool { true }

    /// The oldest system that the library runs on has all rules of a phone's. Computers have none.
    var backgroundUpdates: BackgroundUpdateRules {
      #if os(macOS)
        .anyUpdates
      #else
        .iOS17
      #endif
    }

    var hasBackgroundActivity: Bool { services.hasBackgroundActivity }
    func beginBackgroundActivity() { services.beginActivity(for: name) }
    func endBackgroundActivity() { services.endActivity(for: name) }

    func startUpdatingLocation() { updater.startUpdatingLocation() }
    func stopUpdatingLocation() { updater.stopUpdatingLocation() }

    func requestLocation(_ accuracy: DesiredAccuracy?) {
      locator.desiredAccuracy = (accuracy ?? locationSettings.desiredAccuracy).coreLocation
      // There can be one request at a time, which this cancels.
      locator.stopUpdatingLocation()
      locator.requestLocation()
    }

    func startMonitoringSignificantLocationChanges() { services.monitorChanges(true, for: name) }
    func stopMonitoringSignificantLocationChanges() { services.monitorChanges(false, for: name) }
    func startMonitoringVisits() { services.monitorVisits(true, for: name) }
    func stopMonitoringVisits() { services.monitorVisits(false, for: name) }

    var slotService: SlotService { services.options.slots }
    var slotCapacity: Int { PhoneDevice.slotCapacity }

    /// Core Location says -1 where it monitors no regions, which may be for want of permission only. A phone
    /// that can monitor them has no known limit then; a region beyond it is refused one by one.
    var maximumRegionRadius: Meters {
      let limit = locator.maximumRegionMonitoringDistance
      if limit > 0 { return limit }
      return PhoneDevice.isMonitoringAvailable(for: .geographic) ? .infinity : 0
    }

    var monitoredRegions: [MonitoredRegion] { slots.monitored }
    var otherRegionCount: Int { slots.otherCount }
    func startMonitoring(_ region: MonitoredRegion) { slots.add(region) }
    func stopMonitoring(identifier: String) { slots.remove(identifier) }
    func requestState(identifier: String) { slots.ask(identifier) }
    func lastReport(of identifier: String) -> SlotReport? { slots.lastReport(of: identifier) }

    func startRangingBeacons(_ identity: BeaconIdentity) { services.range(identity, true, for: name) }
    func stopRangingBeacons(_ identity: BeaconIdentity) { services.range(identity, false, for: name) }

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

    /// The app begins and ends one task of UIKit's for all of these, by `PhoneDevice.onBusy`.
    func beginBackgroundTask(_ name: String) -> BackgroundTask {
      let task = services.beginTask()
      tasks.insert(task)
      return task
    }

    func endBackgroundTask(_ task: BackgroundTask) {
      tasks.remove(task)
      services.endTask(task)
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one. A delegate hears of
  // regions that other managers watch; those are not for this one.
  extension CoreLocationPhone: CLLocationManagerDelegate {
    nonisolated func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      let fixes = locations.map { Fix($0) }
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        onEvent(.locations(fixes, from: manager == ObjectIdentifier(updater) ? .standard : .single))
      }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        services.note(error)
        // The standard service goes on by itself.
        if manager == ObjectIdentifier(locator) { onEvent(.locationUnknown) }
      }
    }
  }
#endif
