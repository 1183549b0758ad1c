#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  public import CoreLocation
  internal import VicinityCrossings
  public import VicinityMonitor

  /// A phone by Core Location: region monitoring or `CLMonitor` for the slots, `CLLocationUpdate` and `CLLocationManager` for fixes and
  /// ranging.
  ///
  ///     let phone = PhoneDevice("Zones")
  ///     let monitor = try Monitor("Zones", records: records, device: phone, options: phone.monitorOptions)
  ///     await monitor.follow(phone.inputs)
  ///
  /// A `PhoneDriver` carries out what the monitor asks, the same as on the simulated phone. The adapter decides nothing about what to watch:
  /// it passes calls to Core Location, and tells what comes of them. <doc:OnAPhone> says what an app must add.
  ///
  /// - Important: Where this library is developed there is no Apple SDK. The adapter is type-checked against hand-written
  ///   declarations of the part of Core Location it uses, and has not been run on a phone. <doc:DeviceChecklist> lists what to try.
  @MainActor
  public final class PhoneDevice: MonitoringDevice {
    /// How a phone is used.
    public struct Options: Sendable {
      /// What watches the slots; ``SlotService/regionMonitoring`` by default, which delivers entries in the background too.
      public var slots = SlotService.regionMonitoring
      /// How location updates are made while they run.
      public var updates = CLLocationUpdate.LiveConfiguration.default
      /// Whether the app's Info.plist says that it holds a session for each of its uses (`NSLocationRequireExplicitServiceSession`).
      public var requiresServiceSession = false
      /// Between two turns of requests about slots, and before what was added is compared with what is monitored; a millisecond at least.
      public var pause = PhoneDriver.pause

      public init() {}
    }

    /// What the phone reports, for ``Monitor/follow(_:)``: one consumer.
    public nonisolated let inputs: AsyncStream<MonitorInput>
    /// What ranging hears, for any number of consumers, a `BeaconRanger` among them; the monitor gets the same from ``inputs``.
    public nonisolated let sightings = BeaconSightings()
    /// What is allowed. Authorization, accuracy, hardware and what sessions report are kept up to date; background refresh is for the app
    /// to set.
    public internal(set) var environment = MonitorEnvironment() {
      didSet {
        guard environment != oldValue else { return }
        phone.environment = environment
        onEnvironmentChanged?(environment)
        handle(.settingsChanged)
      }
    }
    /// Whether the app is in front: for the app to set. In front the phone says where it is, so that what was withheld in the background is
    /// found out.
    public var isInFront = true {
      didSet {
        phone.isInFront = isInFront
        updateUse()
        if isInFront != oldValue, isOpen { handle(isInFront ? .becameActive : .enteredBackground) }
      }
    }
    /// Told of what is allowed when that changes, as for a view.
    public var onEnvironmentChanged: ((MonitorEnvironment) -> Void)?
    /// Told when the phone begins to need time in the background, and when it needs it no longer: an app begins and ends a background task,
    /// and calls ``backgroundTimeExpires()`` when the task's time is nearly up.
    public var onBusy: ((_ isBusy: Bool) -> Void)?
    /// Told when the display is turned on in the region of a beacon condition with `notifyEntryStateOnDisplay`; for
    /// `RegionMonitoringService.displayTurnedOn()`. By region monitoring only.
    public var onDisplayTurnedOn: (() -> Void)?
    /// The last error of Core Location; nil when there has been none.
    public private(set) var lastError: (any Error)?

    private nonisolated let reports: AsyncStream<MonitorInput>.Continuation
    private nonisolated let batches: AsyncStream<[DeviceCommand]>.Continuation
    private let options: Options
    private let phone: CoreLocationPhone
    private let driver: PhoneDriver
    /// Whether the monitor is open.
    private var isOpen = false
    private var updates: Task<Void, Never>?
    var serviceSession: HeldSession?
    var backgroundActivity: HeldSession?
    /// Whether background activity keeps the app in use.
    var hasBackgroundActivity = false {
      didSet { updateUse() }
    }

    /// A phone. Core Location is asked nothing about slots until a monitor with this device is open: then what is stored is loaded, and
    /// events of before the launch find their conditions.
    ///
    /// - Parameters:
    ///   - name: Letters and digits, one for each phone of an app: the name of the `CLMonitor`, or what the identifiers of regions begin
    ///     with.
    ///   - options: How the phone is used.
    public init(_ name: String, options: Options = Options()) {
      (inputs, reports) = AsyncStream.makeStream(of: MonitorInput.self)
      let (commands, batches) = AsyncStream.makeStream(of: [DeviceCommand].self)
      self.batches = batches
      self.options = options
      phone = CoreLocationPhone(name, options.slots)
      driver = PhoneDriver(phone, pause: max(options.pause, .milliseconds(1)))
      environment.requiresServiceSession = options.requiresServiceSession
      phone.environment = environment
      phone.onEvent = { [weak self] in self?.handle($0) }
      phone.onError = { [weak self] in self?.note($0) }
      phone.onAuthorization = { [weak self] in self?.authorizationChanged($0, $1) }
      phone.onBusy = { [weak self] in self?.onBusy?($0) }
      phone.onDisplayTurnedOn = { [weak self] in self?.onDisplayTurnedOn?() }
      authorizationChanged(phone.authorizationStatus, phone.accuracyAuthorization)
      Task { [weak self] in
        for await batch in commands { await self?.perform(batch) }
      }
    }

    deinit {
      batches.finish()
      reports.finish()
      sightings.finish()
      updates?.cancel()
    }

    /// Options for a monitor on this phone: a region larger than it can watch gets no slot.
    public var monitorOptions: MonitorOptions {
      var options = MonitorOptions()
      options.plan.maximumRegionRadius = max(0, phone.maximumRegionRadius)
      return options
    }

    // MARK: What the phone can do

    /// Whether the phone can range beacons.
    public nonisolated static var isRangingAvailable: Bool { CLLocationManager.isRangingAvailable() }

    /// Whether the phone has a compass.
    public nonisolated static var isHeadingAvailable: Bool { CLLocationManager.headingAvailable() }

    /// Whether the phone can monitor conditions of a kind at all, whatever the user allows.
    public nonisolated static func isMonitoringAvailable(for kind: Condition.Kind) -> Bool {
      switch kind {
      case .geographic: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self)
      case .beacon: CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self)
      }
    }

    /// Has the user asked for permission to use location while the app is in use; ``requestAlways()`` comes after that.
    public func requestWhenInUse() { phone.requestWhenInUseAuthorization() }

    public func requestAlways() { phone.requestAlwaysAuthorization() }

    /// Whether the system wakes the app in the background: for the app to set, from `UIApplication.backgroundRefreshStatus`.
    public func setBackgroundRefresh(_ isOn: Bool) { environment.allowsBackgroundRefresh = isOn }

    /// The background task that the app has begun for ``onBusy`` has nearly no time left: ends what it was for. `onBusy` tells that.
    public func backgroundTimeExpires() { phone.expireTasks() }

    // MARK: Commands

    public nonisolated func perform(_ commands: [DeviceCommand]) { batches.yield(commands) }

    private func perform(_ batch: [DeviceCommand]) async {
      if !isOpen {
        await phone.open()
        isOpen = true
        handle(.launched(.location))
      }
      driver.perform(batch)
      tell(driver.takeInputs())
      follow()
    }

    // MARK: What the phone tells

    private func handle(_ event: PhoneEvent) {
      let inputs = driver.inputs(event)
      for case .sighting(let sighting) in inputs { sightings.yield(sighting) }
      tell(inputs + driver.takeInputs())
      follow()
      // The monitor acts on what it was told in a task of its own.
      Task { [weak self, pause = options.pause] in
        // Cancelled by nobody.
        do { try await Task.sleep(for: pause) } catch { return }
        self?.driver.finish()
      }
    }

    private func tell(_ inputs: [MonitorInput]) { for input in inputs { reports.yield(input) } }

    /// Has a service monitor nothing more under a name: once, in the version of an app that changes from one ``Options/slots`` to the
    /// other. Both at once would take twice the slots.
    public static func removeSlots(of service: SlotService, named name: String) async {
      let backEnd = service.backEnd(name)
      await backEnd.open()
      for region in backEnd.monitored { backEnd.remove(region.identifier) }
      await backEnd.settle()
    }

    // MARK: Live updates

    /// Begins or ends live updates, while only fixes can decide about a slot.
    private func follow() {
      guard driver.needsFixes else {
        updates?.cancel()
        updates = nil
        environment.reported[.locationUpdates] = nil
        return
      }
      guard updates == nil else { return }
      updates = Task { [weak self, configuration = options.updates] in
        await Self.update(configuration) { [weak self] in
          await self?.arrived($0)
        } failed: { [weak self] in
          await self?.note($0)
        }
        // Cancelled, other updates may have taken their place.
        if !Task.isCancelled { self?.updates = nil }
      }
    }

    /// What a location update says.
    private struct Update: Sendable {
      var fix: Fix?
      var diagnostics: Diagnostics
    }

    private nonisolated static func update(
      _ configuration: CLLocationUpdate.LiveConfiguration, _ body: @Sendable (Update) async -> Void,
      failed: @Sendable (any Error) async -> Void
    ) async {
      do {
        for try await update in CLLocationUpdate.liveUpdates(configuration) {
          guard !Task.isCancelled else { return }
          await body(
            Update(
              fix: update.location.map { Fix($0) }, diagnostics: Diagnostics(update)))
        }
      } catch {
        await failed(error)
      }
    }

    private func arrived(_ update: Update) {
      // One that was under way when they ended.
      guard updates != nil else { return }
      environment.reported[.locationUpdates] = update.diagnostics.isEmpty ? nil : update.diagnostics
      // Any fix fulfils a request.
      if let fix = update.fix { handle(.locations([fix], from: .single)) }
    }

    func note(_ error: any Error) { if !(error is CancellationError) { lastError = error } }

    // MARK: What is allowed

    private func updateUse() { environment.isInUse = isInFront || hasBackgroundActivity }

    private func authorizationChanged(_ status: CLAuthorizationStatus, _ accuracy: CLAccuracyAuthorization) {
      let authorization = MonitorEnvironment.Authorization(status)
      var new = environment
      new.authorization = authorization
      new.hasFullAccuracy = accuracy == .fullAccuracy
      new.hasLocationHardware = Self.isMonitoringAvailable(for: .geographic)
      new.hasBeaconHardware = Self.isMonitoringAvailable(for: .beacon)
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

  /// A session of Core Location's, with what listens to its diagnostics.
  struct HeldSession {
    let task: Task<Void, Never>
    let invalidate: () -> Void

    func end() {
      task.cancel()
      invalidate()
    }
  }
#endif
