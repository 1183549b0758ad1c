#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  internal import VicinityMonitor

  /// The service of a phone that watches slots. It decides nothing.
  @MainActor protocol SlotBackEnd: AnyObject {
    /// What becomes of what it tells; set before ``open()``.
    var answers: SlotAnswers { get set }
    /// Begins. What the phone delivers at a launch comes from here on.
    func open() async
    /// Waits until what was asked for has been done, and ``monitored`` shows it.
    func settle() async
    /// What is monitored for this monitor, as far as it is a slot's.
    var monitored: [MonitoredRegion] { get }
    /// How many slots the app has for itself.
    var otherCount: Int { get }
    func add(_ region: MonitoredRegion)
    func remove(_ identifier: String)
    /// Has the state of a slot told.
    func ask(_ identifier: String)
    /// What the service remembers to have told last of a slot; nil for one that remembers nothing.
    func lastReport(of identifier: String) -> SlotReport?
  }

  extension SlotService {
    @MainActor func backEnd(_ name: String) -> any SlotBackEnd {
      switch self {
      case .regionMonitoring: RegionSlots(name)
      case .conditionMonitor: ConditionSlots(name)
      }
    }
  }

  /// What becomes of what a back end tells.
  struct SlotAnswers {
    var tell: @MainActor (PhoneEvent) -> Void = { _ in }
    var failed: @MainActor (any Error) -> Void = { _ in }
    /// The display was turned on in a beacon's region that wants to be told.
    var displayTurnedOn: @MainActor () -> Void = {}
  }

  /// `CLLocationManager`'s region monitoring. Its identifiers begin with the monitor's name, so that regions of the app's own stay as
  /// they are.
  @MainActor final class RegionSlots: NSObject, SlotBackEnd {
    var answers = SlotAnswers()
    private let prefix: String
    /// Made when the app is ready for what it has been started for.
    private var manager: CLLocationManager?
    /// When a state was last asked for or a crossing told: a determination soon after belongs to that. Another one comes because the
    /// display was turned on.
    private var told: [String: Timestamp] = [:]
    private static let answerTime = Duration.seconds(30)

    init(_ name: String) { prefix = name + "/" }

    func open() async {
      let manager = CLLocationManager()
      manager.delegate = self
      self.manager = manager
    }

    func settle() async {}

    private var regions: Set<CLRegion> { manager?.monitoredRegions ?? [] }

    var monitored: [MonitoredRegion] {
      regions.compactMap { region in
        identifier(region.identifier).flatMap { MonitoredRegion(region, identifier: $0) }
      }
    }

    var otherCount: Int { regions.count - monitored.count }

    func add(_ region: MonitoredRegion) {
      manager?.startMonitoring(for: region.region(prefix + region.identifier))
    }

    func remove(_ identifier: String) {
      if let region = region(identifier) { manager?.stopMonitoring(for: region) }
    }

    func ask(_ identifier: String) {
      guard let region = region(identifier) else { return }
      told[identifier] = SystemMonitorClock().now
      manager?.requestState(for: region)
    }

    func lastReport(of identifier: String) -> SlotReport? { nil }

    private func region(_ identifier: String) -> CLRegion? {
      regions.first { $0.identifier == prefix + identifier }
    }

    /// The slot's identifier; nil for a region of the app's own.
    private func identifier(_ region: String) -> String? {
      region.hasPrefix(prefix) ? String(region.dropFirst(prefix.count)) : nil
    }

    private func crossed(_ region: String, isEntry: Bool) {
      guard let identifier = identifier(region) else { return }
      told[identifier] = SystemMonitorClock().now
      answers.tell(isEntry ? .entered(region: identifier) : .exited(region: identifier))
    }

    private func determined(_ region: String, _ state: RegionState, notifiesOnDisplay: Bool) {
      guard let identifier = identifier(region) else { return }
      answers.tell(.determined(state, region: identifier))
      guard notifiesOnDisplay, state == .inside else { return }
      let now = SystemMonitorClock().now
      if let told = told[identifier], told.advanced(by: Self.answerTime) > now { return }
      answers.displayTurnedOn()
    }

    private func failed(_ region: String?, _ error: any Error) {
      answers.failed(error)
      let code = (error as? CLError)?.code.rawValue ?? 0
      guard let region, let identifier = identifier(region),
        let error = RegionMonitoringError(coreLocation: code, monitoredCount: regions.count)
      else { return }
      answers.tell(.monitoringFailed(region: identifier, error))
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension RegionSlots: CLLocationManagerDelegate {
    nonisolated func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      let identifier = region.identifier
      MainActor.assumeIsolated { crossed(identifier, isEntry: true) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      let identifier = region.identifier
      MainActor.assumeIsolated { crossed(identifier, isEntry: false) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
      let identifier = region.identifier
      let notifiesOnDisplay = (region as? CLBeaconRegion)?.notifyEntryStateOnDisplay == true
      let determined: RegionState
      switch state {
      case .inside: determined = .inside
      case .outside: determined = .outside
      case .unknown: determined = .unknown
      @unknown default: determined = .unknown
      }
      MainActor.assumeIsolated {
        self.determined(identifier, determined, notifiesOnDisplay: notifiesOnDisplay)
      }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
      let identifier = region?.identifier
      MainActor.assumeIsolated { failed(identifier, error) }
    }
  }

  /// `CLMonitor`. All its conditions are this monitor's.
  @MainActor final class ConditionSlots: SlotBackEnd {
    var answers = SlotAnswers()
    private let name: String
    private var monitor: CLMonitor?
    private var listener: Task<Void, Never>?
    /// What has been asked for and is not done yet.
    private var work: Task<Void, Never>?
    /// What the monitor has, as of the last time that all was done.
    private(set) var monitored: [MonitoredRegion] = []
    let otherCount = 0
    private var lastReports: [String: SlotReport] = [:]

    init(_ name: String) { self.name = name }

    deinit { listener?.cancel() }

    func open() async {
      let monitor = await CLMonitor(name)
      self.monitor = monitor
      await read(monitor)
      listener = Task { [weak self, answers] in
        do {
          for try await event in await monitor.events {
            let report = SlotReport(event)
            self?.lastReports[report.identifier] = report
            answers.tell(.conditionChanged(report))
          }
        } catch {
          answers.failed(error)
        }
      }
    }

    /// Finds out what the monitor has. What is no slot's is no longer wanted.
    private func read(_ monitor: CLMonitor) async {
      var (monitored, reports): ([MonitoredRegion], [String: SlotReport]) = ([], [:])
      for identifier in await monitor.identifiers {
        guard let record = await monitor.record(for: identifier) else { continue }
        if let region = MonitoredRegion(record.condition, identifier: identifier) {
          monitored.append(region)
          reports[identifier] = SlotReport(record.lastEvent)
        } else {
          await monitor.remove(identifier)
        }
      }
      (self.monitored, lastReports) = (monitored, reports)
    }

    /// Does something after all that was asked for before.
    private func afterwards(_ body: @escaping @MainActor (CLMonitor) async -> Void) {
      guard let monitor else { return }
      work = Task { [work] in
        await work?.value
        await body(monitor)
      }
    }

    func settle() async {
      guard work != nil else { return }
      afterwards { [weak self] in await self?.read($0) }
      await work?.value
    }

    func add(_ region: MonitoredRegion) {
      afterwards { await $0.add(region.coreCondition, identifier: region.identifier, assuming: .unknown) }
    }

    func remove(_ identifier: String) { afterwards { await $0.remove(identifier) } }

    /// Nothing: a `CLMonitor` tells of what was added by itself, and has a record of the rest.
    func ask(_ identifier: String) {}

    func lastReport(of identifier: String) -> SlotReport? { lastReports[identifier] }
  }
#endif
