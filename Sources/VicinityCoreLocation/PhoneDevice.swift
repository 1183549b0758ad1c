#if canImport(CoreLocation)
  public import VicinityMonitor
  internal import VicinityCrossings
  public import CoreLocation
  public import Foundation
  internal import VicinityGeodesy

  /// A phone by Core Location: `CLMonitor` for the slots, `CLLocationManager` for fixes and ranging.
  ///
  ///     let phone = PhoneDevice("Zones", manager: manager)
  ///     let monitor = try Monitor("Zones", records: records, device: phone, options: phone.options)
  ///     await monitor.follow(phone.inputs)
  ///
  /// The adapter decides nothing: it passes commands to Core Location, and reports back. <doc:OnAPhone> says what an app
  /// must add.
  ///
  /// - Important: Where this library is developed there is no Apple SDK. The adapter is type-checked against hand-written
  ///   declarations of the part of Core Location it uses, and has not been run on a phone.
  @MainActor
  public final class PhoneDevice: NSObject, MonitoringDevice {
    /// What the phone reports, for ``Monitor/follow(_:)``.
    public nonisolated let inputs: AsyncStream<MonitorInput>
    /// What is allowed. Authorization, accuracy and hardware are kept up to date; whether the app is in use, background
    /// refresh and service sessions are for the app to set.
    public var environment = MonitorEnvironment() {
      didSet { if environment != oldValue { reports.yield(.environment(environment)) } }
    }
    /// The last error of Core Location; nil when there has been none.
    public private(set) var lastError: (any Error)?

    private nonisolated let reports: AsyncStream<MonitorInput>.Continuation
    private nonisolated let batches: AsyncStream<[DeviceCommand]>.Continuation
    private let manager: CLLocationManager
    /// Keeps the app alive: updates at the coarsest accuracy, which nobody reads, so that the manager's own settings stay free for
    /// requests.
    private let keeper = CLLocationManager()
    private var watches: [String: SlotWatch] = [:]
    /// Slots whose conditions only fixes can decide.
    private var undecided: Set<String> = []
    private var fixRequest: Task<Void, Never>?
    private var isFixNeeded = false
    private var isUpdating = false

    /// How long a fix takes. One is requested this long before it is due, and again this long after a failure.
    private static let acquisitionTime = Duration.seconds(10)

    /// A phone, with a monitor of Core Location's of its own.
    ///
    /// - Parameters:
    ///   - name: The name of the `CLMonitor`: letters and digits; no other may be open under it.
    ///   - manager: The app's manager, whose delegate this becomes. Its settings are the app's.
    public init(_ name: String, manager: CLLocationManager) {
      (inputs, reports) = AsyncStream.makeStream(of: MonitorInput.self)
      let (commands, batches) = AsyncStream.makeStream(of: [DeviceCommand].self)
      self.batches = batches
      self.manager = manager
      super.init()
      manager.delegate = self
      Task { [weak self] in
        let monitor = await CLMonitor(name)
        let listener = Task { [weak self] in
          do {
            for try await event in await monitor.events { self?.handle(SlotReport(event)) }
          } catch {
            self?.lastError = error
          }
        }
        for await batch in commands { await self?.perform(batch, on: monitor) }
        listener.cancel()
      }
    }

    deinit {
      batches.finish()
      reports.finish()
      sightings.finish()
    }

    /// Options for this phone: a region larger than it can watch gets no slot.
    public var options: MonitorOptions {
      var options = MonitorOptions()
      options.plan.maximumRegionRadius = max(0, manager.maximumRegionMonitoringDistance)
      return options
    }

    /// What ranging hears, for any number of consumers, a `BeaconRanger` among them; the monitor gets the same from ``inputs``.
    public nonisolated let sightings = BeaconSightings()

    /// Whether the phone can range beacons.
    public nonisolated static var isRangingAvailable: Bool { CLLocationManager.isRangingAvailable() }

    /// Has Core Location range beacons, which become sightings. Only in the foreground, and not for long: it costs power.
    public func startRanging(_ identity: BeaconIdentity) {
      manager.startRangingBeacons(satisfying: identity.constraint)
    }

    public func stopRanging(_ identity: BeaconIdentity) {
      manager.stopRangingBeacons(satisfying: identity.constraint)
    }

    // MARK: Commands

    public nonisolated func perform(_ commands: [DeviceCommand]) { batches.yield(commands) }

    private func perform(_ batch: [DeviceCommand], on monitor: CLMonitor) async {
      var hasRegions = false
      for command in batch {
        switch command {
        case .register(let slot):
          if slot.condition.kind == .geographic { hasRegions = true }
          await register(slot, on: monitor)
        case .unregister(let identifier):
          watches[identifier] = nil
          undecided.remove(identifier)
          await monitor.remove(identifier)
        case .requestFix(let time, let accuracy):
          manager.desiredAccuracy = accuracy.constant
          requestFix(by: time)
        case .cancelFixRequest:
          fixRequest?.cancel()
          isFixNeeded = false
        case .startUpdates(let accuracy):
          manager.desiredAccuracy = accuracy.constant
          isUpdating = true
        case .stopUpdates: isUpdating = false
        case .stayAwake: stayAwake()
        case .allowSleep:
          isUpdating = false
          keeper.stopUpdatingLocation()
        }
      }
      // Conditions that an earlier process left stay until there are others in their place.
      if hasRegions {
        for identifier in await monitor.identifiers where watches[identifier] == nil {
          await monitor.remove(identifier)
        }
      }
      follow()
    }

    private func register(_ slot: Slot, on monitor: CLMonitor) async {
      let identifier = slot.identifier
      undecided.remove(identifier)
      guard let watch = SlotWatch(slot, maximumRadius: manager.maximumRegionMonitoringDistance) else {
        reports.yield(
          .slot(
            SlotReport(
              identifier: identifier, state: .unmonitored, date: SystemMonitorClock().now,
              diagnostics: .conditionUnsupported)))
        return
      }
      watches[identifier] = watch
      if let record = await monitor.record(for: identifier) {
        if SlotWatch.Target(record.condition) == watch.target {
          // Watched since an earlier process, and perhaps reported before this one knew of it.
          handle(SlotReport(record.lastEvent))
          return
        }
        // Adding under a live identifier would be ignored.
        await monitor.remove(identifier)
      }
      await monitor.add(watch.target.condition, identifier: identifier, assuming: .unknown)
    }

    private func handle(_ report: SlotReport) {
      guard let watch = watches[report.identifier] else { return }
      switch watch.consequence(of: report) {
      case .tell(let report):
        undecided.remove(report.identifier)
        reports.yield(.slot(report))
      case .followFixes: undecided.insert(report.identifier)
      }
      follow()
    }

    // MARK: Fixes

    private func stayAwake() {
      keeper.desiredAccuracy = DesiredAccuracy.reduced.constant
      // A filter that no position passes.
      keeper.distanceFilter = 1e7
      keeper.pausesLocationUpdatesAutomatically = false
      // Allowed only with the background mode `location`, which the strategies that ask for this need.
      keeper.allowsBackgroundLocationUpdates = true
      keeper.startUpdatingLocation()
    }

    private func follow() {
      if undecided.isEmpty, !isUpdating {
        manager.stopUpdatingLocation()
      } else {
        manager.startUpdatingLocation()
      }
    }

    private func requestFix(by time: Timestamp) {
      isFixNeeded = true
      requestFix(after: SystemMonitorClock().now.duration(to: time) - Self.acquisitionTime)
    }

    private func requestFix(after delay: Duration) {
      fixRequest?.cancel()
      fixRequest = Task { [weak self] in
        do { try await Task.sleep(for: max(.zero, delay)) } catch { return }
        self?.manager.requestLocation()
      }
    }

    private func arrived(_ fixes: [Fix]) {
      isFixNeeded = false
      for fix in fixes { reports.yield(.fix(fix)) }
    }

    private func failed(_ error: any Error) {
      lastError = error
      if isFixNeeded { reports.yield(.noFix) }
      if isFixNeeded { requestFix(after: Self.acquisitionTime) }
    }

    private func authorizationChanged(
      _ authorization: MonitorEnvironment.Authorization, hasFullAccuracy: Bool
    ) {
      var new = environment
      new.authorization = authorization
      new.hasFullAccuracy = hasFullAccuracy
      new.hasLocationHardware = CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self)
      new.hasBeaconHardware = CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self)
      environment = new
      if authorization == .denied { findOutWhetherServicesAreOff() }
    }

    /// "Denied" is also what an app is told while location services are off for all apps. Asking for that may block, so it is not asked
    /// on the main thread.
    private func findOutWhetherServicesAreOff() {
      Task { [weak self] in
        let areOn = await Task.detached { CLLocationManager.locationServicesEnabled() }.value
        guard let self, !areOn, environment.authorization == .denied else { return }
        environment.authorization = .deniedGlobally
      }
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension PhoneDevice: CLLocationManagerDelegate {
    public nonisolated func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      let fixes = locations.map { Fix($0) }
      MainActor.assumeIsolated { arrived(fixes) }
    }

    public nonisolated func locationManager(
      _ manager: CLLocationManager, didFailWithError error: any Error
    ) {
      MainActor.assumeIsolated { failed(error) }
    }

    public nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let authorization = MonitorEnvironment.Authorization(manager.authorizationStatus)
      let hasFullAccuracy = manager.accuracyAuthorization == .fullAccuracy
      MainActor.assumeIsolated { authorizationChanged(authorization, hasFullAccuracy: hasFullAccuracy) }
    }

    public nonisolated func locationManager(
      _ manager: CLLocationManager, didRange beacons: [CLBeacon],
      satisfying constraint: CLBeaconIdentityConstraint
    ) {
      for sighting in beacons.compactMap({ BeaconSighting($0) }) {
        sightings.yield(sighting)
        reports.yield(.sighting(sighting))
      }
    }
  }
#endif
