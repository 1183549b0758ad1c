#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityMonitor

  /// What all channels of a phone share: the manager that wakes the app, what is allowed, whether the app is
  /// in front, its sessions and its time in the background.
  @MainActor final class PhoneServices: NSObject {
    let options: PhoneDevice.Options
    /// The manager of all services that the system starts an app for: regions, significant changes and
    /// visits. It is made before the other managers, and it alone is asked for these services and listened to
    /// about them: whichever manager's delegate hears what the app has been launched for (Apple's pages do
    /// not say), the first of the process or all of them, this one does, once. It asks for authorization and
    /// ranges too.
    let waker = CLLocationManager()
    let sightings = BeaconSightings()

    var environment = MonitorEnvironment() {
      didSet {
        guard environment != oldValue else { return }
        onEnvironmentChanged?(environment)
        send(.settingsChanged)
      }
    }
    /// Whether the app is in front; nil until it has said so. An app that has scenes is launched in the
    /// background state, whatever for, so that nobody can know before.
    ///
    /// Until then the app counts as in use, so that no condition is suspended for a moment at each launch;
    /// and for all that a wrong "in front" would lose or spend, as in the background: events get a background
    /// task, no updates are begun, which would end within seconds, and nothing is ranged, which would go on
    /// as long as the app is kept awake.
    var front: Bool? {
      didSet {
        guard front != oldValue else { return }
        updateUse()
        if front == true || oldValue == true { updateRanging() }
        send(front == true ? .becameActive : .enteredBackground)
      }
    }
    var onEnvironmentChanged: ((MonitorEnvironment) -> Void)?
    var onBusy: ((Bool) -> Void)? {
      didSet { if !tasks.isEmpty { onBusy?(true) } }
    }
    var onDisplayTurnedOn: (() -> Void)?
    var onError: ((any Error) -> Void)?
    private(set) var lastError: (any Error)?

    private struct Attached { weak var channel: PhoneChannel? }
    private var attached: [Attached] = []
    private struct Watched { weak var regions: ClassicRegionSlots? }
    private var watched: [String: Watched] = [:]
    /// The channels that want each service.
    private var wantsChanges: Set<String> = []
    private var wantsVisits: Set<String> = []
    private var wantsRanging: [BeaconIdentity: Set<String>] = [:]
    private var updateReports: [String: Diagnostics] = [:]
    private var tasks: Set<BackgroundTask> = []
    private var lastTask = 0
    /// What the manager says of authorization.
    private var status = MonitorEnvironment.Authorization.notDetermined
    // For `PhoneSessions.swift`.
    var serviceSession: HeldSession?
    /// What the service session says; nil where there is none, and before the first one says anything. Until
    /// a session that has taken the place of another says something, what that one said of the user counts.
    var serviceReport: ServiceReport?
    var activitySession: HeldSession?
    /// Who wants background activity: the channels, and nil for the app.
    var wantsActivity: Set<String?> = []
    /// Whether background activity keeps the app in use.
    var hasBackgroundActivity = false {
      didSet { if hasBackgroundActivity != oldValue { updateUse() } }
    }

    init(_ options: PhoneDevice.Options) {
      self.options = options
      super.init()
      waker.delegate = self
      authorizationChanged(waker.authorizationStatus, waker.accuracyAuthorization)
    }

    deinit {
      sightings.finish()
      // What listens to a session holds it, and dropping one does not end it.
      Task { @MainActor [serviceSession, activitySession] in
        serviceSession?.end()
        activitySession?.end()
      }
    }

    // MARK: Channels

    var channels: [PhoneChannel] { attached.compactMap(\.channel) }

    func add(_ channel: PhoneChannel) {
      attached.removeAll { $0.channel == nil }
      attached.append(Attached(channel: channel))
    }

    /// Has region slots hear of their regions.
    func watch(_ regions: ClassicRegionSlots) { watched[regions.name] = Watched(regions: regions) }

    private func send(_ event: PhoneEvent) { for channel in channels { channel.handle(event) } }

    /// The slots that a region's identifier names, if it is one of a channel's, and the identifier there.
    private func slots(of region: String) -> (ClassicRegionSlots, String)? {
      guard let (name, identifier) = ClassicRegionSlots.parts(of: region), let slots = watched[name]?.regions
      else {
        return nil
      }
      return (slots, identifier)
    }

    func note(_ error: any Error) {
      guard !(error is CancellationError) else { return }
      lastError = error
      // The developer has to see this one. A name in it may hold what would be a format.
      if let error = error as? PhoneError {
        let parts = "\(error)".split(separator: "%", omittingEmptySubsequences: false)
        NSLog("Vicinity: " + parts.joined(separator: "%%"))
      }
      onError?(error)
    }

    // MARK: Services of several channels

    func monitorChanges(_ isWanted: Bool, for channel: String) {
      let change = Self.set(channel, isWanted, in: &wantsChanges)
      if change == true { waker.startMonitoringSignificantLocationChanges() }
      guard change == false else { return }
      endSoon { if $0.wantsChanges.isEmpty { $0.waker.stopMonitoringSignificantLocationChanges() } }
    }

    func monitorVisits(_ isWanted: Bool, for channel: String) {
      let change = Self.set(channel, isWanted, in: &wantsVisits)
      if change == true { waker.startMonitoringVisits() }
      guard change == false else { return }
      endSoon { if $0.wantsVisits.isEmpty { $0.waker.stopMonitoringVisits() } }
    }

    /// Ends a service a moment later, if nobody wants it then: at a launch one channel may say that it does
    /// not, before another says that it does.
    private func endSoon(_ end: @escaping @MainActor (PhoneServices) -> Void) {
      Task { [weak self, pause = options.pause] in
        // Cancelled by nobody.
        do { try await Task.sleep(for: pause) } catch { return }
        if let self { end(self) }
      }
    }

    func range(_ identity: BeaconIdentity, _ isWanted: Bool, for channel: String) {
      let change = Self.set(channel, isWanted, in: &wantsRanging[identity, default: []])
      if change == true, front == true { waker.startRangingBeacons(satisfying: identity.constraint) }
      if change == false { waker.stopRangingBeacons(satisfying: identity.constraint) }
      if wantsRanging[identity]?.isEmpty == true { wantsRanging[identity] = nil }
    }

    /// Ranges only while the app is in front.
    private func updateRanging() {
      for identity in wantsRanging.keys {
        if front == true {
          waker.startRangingBeacons(satisfying: identity.constraint)
        } else {
          waker.stopRangingBeacons(satisfying: identity.constraint)
        }
      }
    }

    /// A channel wants no more to be ranged.
    func stopRanging(for channel: String) {
      for (identity, channels) in wantsRanging where channels.contains(channel) {
        range(identity, false, for: channel)
      }
    }

    /// Notes what a channel wants.
    ///
    /// - Returns: Whether the service is to be on from now on; nil where it stays as it is. One that nobody
    ///   has wanted in this process may still be on from an earlier one, so that it is ended when the last
    ///   says that it does not want it.
    private static func set(_ channel: String, _ isWanted: Bool, in channels: inout Set<String>) -> Bool? {
      if isWanted {
        let isFirst = channels.isEmpty
        channels.insert(channel)
        return isFirst ? true : nil
      }
      channels.remove(channel)
      return channels.isEmpty ? false : nil
    }

    /// What a channel's location updates say of the phone; nil for nothing.
    func reportUpdates(_ diagnostics: Diagnostics?, of channel: String) {
      updateReports[channel] = diagnostics
      environment.reported[.locationUpdates] =
        updateReports.isEmpty ? nil : updateReports.values.reduce([]) { $0.union($1) }
    }

    // MARK: Time in the background

    func beginTask() -> BackgroundTask {
      lastTask += 1
      let task = BackgroundTask(number: lastTask)
      tasks.insert(task)
      if tasks.count == 1 { onBusy?(true) }
      return task
    }

    func endTask(_ task: BackgroundTask) {
      if tasks.remove(task) != nil, tasks.isEmpty { onBusy?(false) }
    }

    /// The time of all tasks is up. None may be left, whatever its channel does: the system would end the
    /// app.
    func expireTasks() {
      for channel in channels { channel.expireTasks() }
      for task in tasks { endTask(task) }
    }

    // MARK: What is allowed

    func updateUse() { environment.isInUse = front != false || hasBackgroundActivity }

    /// Makes what is allowed of what the manager and the service session say.
    ///
    /// With "always" the classic services go on without a service session. What it says at a launch in the
    /// background, as after a restart of the phone, must not end region monitoring then: nothing would wake
    /// the app any more.
    func setAllowed(in new: inout MonitorEnvironment) {
      let isAlwaysDenied = serviceReport?.isAlwaysDenied == true
      new.authorization = status == .always && isAlwaysDenied ? .whenInUse : status
      let needsSession = options.slots != .regionMonitoring || new.authorization != .always
      new.requiresServiceSession = options.requiresServiceSession && needsSession
      var diagnostics = serviceReport?.diagnostics
      if !needsSession { diagnostics?.subtract([.insufficientlyInUse, .serviceSessionRequired]) }
      new.reported[.serviceSession] = diagnostics
      new.isRequestInProgress = diagnostics?.contains(.authorizationRequestInProgress) == true
    }

    private func authorizationChanged(_ status: CLAuthorizationStatus, _ accuracy: CLAccuracyAuthorization) {
      let before = self.status
      self.status = MonitorEnvironment.Authorization(status)
      // The user has changed from another decision, of which the session spoke. A first decision may have
      // reached the session earlier, which then says that this "always" is none.
      if self.status == .always, before != .always, before != .notDetermined {
        serviceReport?.isAlwaysDenied = false
      }
      var new = environment
      setAllowed(in: &new)
      new.hasFullAccuracy = accuracy == .fullAccuracy
      new.hasLocationHardware = PhoneDevice.isMonitoringAvailable(for: .geographic)
      new.hasBeaconHardware = PhoneDevice.isMonitoringAvailable(for: .beacon)
      environment = new
      if self.status == .denied { findOutWhetherServicesAreOff() }
    }

    /// "Denied" is also what an app is told while location services are off for all apps. Asking for that may
    /// block, so it is not asked on the main thread.
    private func findOutWhetherServicesAreOff() {
      Task { [weak self] in
        let areOn = await Task.detached { CLLocationManager.locationServicesEnabled() }.value
        guard let self, !areOn, status == .denied else { return }
        status = .deniedGlobally
        var new = environment
        setAllowed(in: &new)
        environment = new
      }
    }
  }

  /// What a service session says.
  struct ServiceReport {
    var diagnostics: Diagnostics
    /// Whether the user has not allowed "always", whatever the manager says.
    var isAlwaysDenied: Bool

    /// Drops what is true of the session that said it, and not of the one that takes its place.
    mutating func forgetSession() {
      isAlwaysDenied = false
      diagnostics.subtract([.insufficientlyInUse, .serviceSessionRequired])
    }
  }

  /// A session of Core Location's, with what listens to its diagnostics.
  @MainActor final class HeldSession {
    var task: Task<Void, Never>?
    private let invalidate: () -> Void

    init(invalidate: @escaping () -> Void) { self.invalidate = invalidate }

    func end() {
      task?.cancel()
      invalidate()
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension PhoneServices: CLLocationManagerDelegate {
    nonisolated func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      let fixes = locations.map { Fix($0) }
      MainActor.assumeIsolated { send(.locations(fixes, from: .significantChange)) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
      let visit = Visit(visit)
      MainActor.assumeIsolated { send(.visited(visit)) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      MainActor.assumeIsolated { note(error) }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let (status, accuracy) = (manager.authorizationStatus, manager.accuracyAuthorization)
      MainActor.assumeIsolated { authorizationChanged(status, accuracy) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didRange beacons: [CLBeacon],
      satisfying constraint: CLBeaconIdentityConstraint
    ) {
      let ranging = BeaconRanging(
        constraint: BeaconIdentity(constraint), beacons: beacons.map { RangedBeacon($0) },
        time: SystemMonitorClock().now)
      MainActor.assumeIsolated {
        // Each channel hears the same; whoever takes the phone's sightings, once.
        let told = channels.map { $0.handle(.ranged(ranging)) }
        for case .sighting(let sighting) in told.first(where: { !$0.isEmpty }) ?? [] {
          sightings.yield(sighting)
        }
      }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      let region = region.identifier
      MainActor.assumeIsolated {
        if let (slots, identifier) = slots(of: region) { slots.crossed(identifier, isEntry: true) }
      }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      let region = region.identifier
      MainActor.assumeIsolated {
        if let (slots, identifier) = slots(of: region) { slots.crossed(identifier, isEntry: false) }
      }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
      let notifiesOnDisplay = (region as? CLBeaconRegion)?.notifyEntryStateOnDisplay == true
      let region = region.identifier
      let determined: RegionState
      switch state {
      case .inside: determined = .inside
      case .outside: determined = .outside
      case .unknown: determined = .unknown
      @unknown default: determined = .unknown
      }
      MainActor.assumeIsolated {
        if let (slots, identifier) = slots(of: region) {
          slots.determined(identifier, determined, notifiesOnDisplay: notifiesOnDisplay)
        }
      }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
      let region = region?.identifier
      MainActor.assumeIsolated {
        note(error)
        if let region, let (slots, identifier) = slots(of: region) { slots.failed(identifier, error) }
      }
    }
  }
#endif
