#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  public import CoreLocation
  public import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  public import VicinityMonitor

  /// A phone by Core Location: region monitoring or `CLMonitor` for the slots, `CLLocationUpdate` and `CLLocationManager` for fixes and
  /// ranging. All its managers are its own.
  ///
  ///     let phone = PhoneDevice("Zones")
  ///     let monitor = try Monitor("Zones", records: records, device: phone, options: phone.monitorOptions)
  ///     await monitor.follow(phone.inputs)
  ///
  /// The adapter decides nothing: it passes commands to Core Location, and reports back. <doc:OnAPhone> says what an app
  /// must add.
  ///
  /// - Important: Where this library is developed there is no Apple SDK. The adapter is type-checked against hand-written
  ///   declarations of the part of Core Location it uses, and has not been run on a phone. <doc:DeviceChecklist> lists what to try.
  @MainActor
  public final class PhoneDevice: NSObject, MonitoringDevice {
    /// How a phone is used.
    public struct Options: Sendable {
      /// What watches the slots; ``SlotService/regionMonitoring`` by default, which delivers entries in the background too.
      public var slots = SlotService.regionMonitoring
      /// How location updates are made while they run.
      public var updates = CLLocationUpdate.LiveConfiguration.default
      /// Whether the app's Info.plist says that it holds a session for each of its uses (`NSLocationRequireExplicitServiceSession`).
      public var requiresServiceSession = false
      /// Between two turns of requests about slots, and before what was added is compared with what is monitored.
      public var pause = Duration.milliseconds(300)

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
        reports.yield(.environment(environment))
        onEnvironmentChanged?(environment)
        // What was refused may be possible now.
        keeper.retry()
        takeTurns()
      }
    }
    /// Whether the app is in front: for the app to set. In front the phone says where it is, so that what was withheld in the background is
    /// found out.
    public var isInFront = true {
      didSet {
        updateUse()
        if isInFront, !oldValue, backEnd != nil { locate() }
      }
    }
    /// Told of what is allowed when that changes, as for a view.
    public var onEnvironmentChanged: ((MonitorEnvironment) -> Void)?
    /// Told when the phone begins to need time in the background, and when it needs it no longer: an app begins and ends a background task.
    public var onBusy: ((_ isBusy: Bool) -> Void)?
    /// Told when the display is turned on in the region of a beacon condition with `notifyEntryStateOnDisplay`; for
    /// `RegionMonitoringService.displayTurnedOn()`. By region monitoring only.
    public var onDisplayTurnedOn: (() -> Void)?
    /// The last error of Core Location; nil when there has been none.
    public private(set) var lastError: (any Error)?

    private nonisolated let reports: AsyncStream<MonitorInput>.Continuation
    private nonisolated let batches: AsyncStream<[DeviceCommand]>.Continuation
    private let name: String
    private let options: Options
    private let locator = CLLocationManager()
    /// Wakes the app by significant changes and visits. Of its positions only those of significant changes come here.
    private let waker = CLLocationManager()
    /// The standard service: delivers positions of a tier while a strategy wants them, and keeps the app alive otherwise, at the coarsest
    /// accuracy, which nobody reads.
    private let updater = CLLocationManager()
    /// nil until the monitor is open.
    private var backEnd: (any SlotBackEnd)?
    private var keeper: SlotKeeper
    private var turns: Task<Void, Never>?
    private var updates: Task<Void, Never>?
    private var fixRequest: Task<Void, Never>?
    private var isFixNeeded = false
    /// Whether a position has been requested and has not come.
    private var isLocating = false {
      didSet { updateBusy() }
    }
    private var isUpdating = false
    private var isBusy = false {
      didSet { if isBusy != oldValue { onBusy?(isBusy) } }
    }
    var serviceSession: HeldSession?
    var backgroundActivity: HeldSession?
    /// Whether background activity keeps the app in use.
    var hasBackgroundActivity = false {
      didSet { updateUse() }
    }

    /// How long a fix takes. One is requested this long before it is due, and again this long after a failure.
    private static let acquisitionTime = Duration.seconds(10)

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
      self.name = name
      self.options = options
      keeper = SlotKeeper(maximumRadius: locator.maximumRegionMonitoringDistance)
      super.init()
      environment.requiresServiceSession = options.requiresServiceSession
      locator.delegate = self
      waker.delegate = self
      updater.delegate = self
      authorizationChanged(
        MonitorEnvironment.Authorization(locator.authorizationStatus),
        hasFullAccuracy: locator.accuracyAuthorization == .fullAccuracy)
      Task { [weak self] in
        for await batch in commands { await self?.perform(batch) }
      }
    }

    deinit {
      batches.finish()
      reports.finish()
      sightings.finish()
      turns?.cancel()
      updates?.cancel()
      fixRequest?.cancel()
    }

    /// Options for a monitor on this phone: a region larger than it can watch gets no slot.
    public var monitorOptions: MonitorOptions {
      var options = MonitorOptions()
      options.plan.maximumRegionRadius = max(0, locator.maximumRegionMonitoringDistance)
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
    public func requestWhenInUse() { locator.requestWhenInUseAuthorization() }

    public func requestAlways() { locator.requestAlwaysAuthorization() }

    /// Whether the system wakes the app in the background: for the app to set, from `UIApplication.backgroundRefreshStatus`.
    public func setBackgroundRefresh(_ isOn: Bool) { environment.allowsBackgroundRefresh = isOn }

    // MARK: Commands

    public nonisolated func perform(_ commands: [DeviceCommand]) { batches.yield(commands) }

    private func perform(_ batch: [DeviceCommand]) async {
      if backEnd == nil { await open() }
      for command in batch {
        switch command {
        case .register, .adopt, .unregister: keeper.perform(command, at: SystemMonitorClock().now)
        case .requestFix(let time, let accuracy):
          locator.desiredAccuracy = accuracy.constant
          requestFix(by: time)
        case .cancelFixRequest:
          fixRequest?.cancel()
          isFixNeeded = false
          isLocating = false
        case .startUpdates(let accuracy, let filter):
          isUpdating = true
          update(accuracy, filter: filter > 0 ? filter : kCLDistanceFilterNone)
        case .stopUpdates, .stayAwake: stayAwake()
        case .allowSleep:
          isUpdating = false
          updater.stopUpdatingLocation()
        case .wake(let services): wake(by: services)
        case .startRanging(let identity): locator.startRangingBeacons(satisfying: identity.constraint)
        case .stopRanging(let identity): locator.stopRangingBeacons(satisfying: identity.constraint)
        }
      }
      follow()
      takeTurns()
    }

    private func wake(by services: WakeServices) {
      if services.contains(.significantChanges) {
        waker.startMonitoringSignificantLocationChanges()
      } else {
        waker.stopMonitoringSignificantLocationChanges()
      }
      if services.contains(.visits) { waker.startMonitoringVisits() } else { waker.stopMonitoringVisits() }
    }

    // MARK: Slots

    private func open() async {
      let answers = SlotAnswers(
        report: { [weak self] in self?.handle($0) }, failed: { [weak self] in self?.note($0) },
        displayTurnedOn: { [weak self] in self?.onDisplayTurnedOn?() })
      let backEnd = Self.backEnd(options.slots, name, answers)
      self.backEnd = backEnd
      await backEnd.open()
      keeper.open(monitored: await backEnd.monitored().slots.keys, at: SystemMonitorClock().now)
      report()
    }

    private static func backEnd(_ service: SlotService, _ name: String, _ answers: SlotAnswers)
      -> any SlotBackEnd
    {
      switch service {
      case .regionMonitoring: RegionSlots(name, answers)
      case .conditionMonitor: ConditionSlots(name, answers)
      }
    }

    /// Has a service monitor nothing more under a name: once, in the version of an app that changes from one ``Options/slots`` to the
    /// other. Both at once would take twice the slots.
    public static func removeSlots(of service: SlotService, named name: String) async {
      let backEnd = backEnd(
        service, name, SlotAnswers(report: { _ in }, failed: { _ in }, displayTurnedOn: {}))
      await backEnd.open()
      for identifier in await backEnd.monitored().slots.keys.sorted() { await backEnd.remove(identifier) }
    }

    private func handle(_ slot: SlotReport) {
      keeper.handle(slot)
      report()
      follow()
    }

    /// Tells the monitor what the keeper has for it.
    private func report() { for input in keeper.takeInputs() { reports.yield(input) } }

    /// Makes the phone monitor what is wanted, in turns. Turns that are under way see what has changed meanwhile.
    private func takeTurns() {
      guard turns == nil, backEnd != nil else { return }
      updateBusy()
      turns = Task { [weak self, pause = options.pause] in
        while await self?.takeTurn() == true {
          // Cancelled with the phone.
          do { try await Task.sleep(for: pause) } catch { return }
        }
      }
      updateBusy()
    }

    /// - Returns: Whether there was something to ask for.
    private func takeTurn() async -> Bool {
      guard let backEnd else { return false }
      let (monitored, others) = await backEnd.monitored()
      let turn = keeper.nextTurn(monitored: monitored, others: others, at: SystemMonitorClock().now)
      let questions = keeper.takeQuestions()
      report()
      if turn == nil, questions.isEmpty {
        turns = nil
        updateBusy()
        return false
      }
      switch turn {
      case .add(let additions): for addition in additions { await backEnd.add(addition) }
      case .remove(let identifiers): for identifier in identifiers { await backEnd.remove(identifier) }
      case nil: break
      }
      for identifier in questions { await backEnd.ask(identifier) }
      return true
    }

    private func updateBusy() { isBusy = turns != nil || isLocating }

    // MARK: Fixes

    private func stayAwake() {
      isUpdating = false
      // A filter that no position passes.
      update(.reduced, filter: 1e7)
    }

    private func update(_ accuracy: DesiredAccuracy, filter: CLLocationDistance) {
      updater.desiredAccuracy = accuracy.constant
      updater.distanceFilter = filter
      updater.pausesLocationUpdatesAutomatically = false
      // Allowed only with the background mode `location`, which the strategies that ask for this need.
      updater.allowsBackgroundLocationUpdates = true
      updater.startUpdatingLocation()
    }

    /// Begins or ends live updates, while only fixes can decide about a slot.
    private func follow() {
      guard keeper.needsFixes else {
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
      var isUnavailable: Bool
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
              fix: update.location.map { Fix($0) }, isUnavailable: update.locationUnavailable,
              diagnostics: Diagnostics(update)))
        }
      } catch {
        await failed(error)
      }
    }

    private func arrived(_ update: Update) {
      environment.reported[.locationUpdates] = update.diagnostics.isEmpty ? nil : update.diagnostics
      if let fix = update.fix {
        arrived([fix])
      } else if update.isUnavailable {
        missed()
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
        self?.locate()
      }
    }

    private func locate() {
      isLocating = true
      locator.requestLocation()
    }

    private func arrived(_ fixes: [Fix]) {
      isFixNeeded = false
      isLocating = false
      for fix in fixes { reports.yield(.fix(fix)) }
    }

    /// There is no position now: the monitor is told, and another is requested.
    private func missed() {
      isLocating = false
      guard isFixNeeded else { return }
      reports.yield(.noFix)
      requestFix(after: Self.acquisitionTime)
    }

    func note(_ error: any Error) { if !(error is CancellationError) { lastError = error } }

    // MARK: What is allowed

    private func updateUse() { environment.isInUse = isInFront || hasBackgroundActivity }

    private func authorizationChanged(
      _ authorization: MonitorEnvironment.Authorization, hasFullAccuracy: Bool
    ) {
      var new = environment
      new.authorization = authorization
      new.hasFullAccuracy = hasFullAccuracy
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

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension PhoneDevice: CLLocationManagerDelegate {
    public nonisolated func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      let fixes = locations.map { Fix($0) }
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        // One that only keeps the app alive.
        guard isUpdating || manager != ObjectIdentifier(updater) else { return }
        arrived(fixes)
        if manager == ObjectIdentifier(waker) { reports.yield(.woken) }
      }
    }

    public nonisolated func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
      reports.yield(.woken)
    }

    public nonisolated func locationManager(
      _ manager: CLLocationManager, didFailWithError error: any Error
    ) {
      let manager = ObjectIdentifier(manager)
      MainActor.assumeIsolated {
        note(error)
        // Updates go on by themselves.
        if manager != ObjectIdentifier(updater) { missed() }
      }
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
