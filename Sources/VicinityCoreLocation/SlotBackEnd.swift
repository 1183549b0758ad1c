#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import VicinityCrossings
  internal import VicinityGeodesy
  internal import VicinityMonitor

  /// The service of a phone that watches slots, as `SlotKeeper` needs it. It decides nothing.
  @MainActor protocol SlotBackEnd: AnyObject {
    /// Begins. What the phone delivers at a launch comes from here on.
    func open() async
    /// What is monitored for this monitor, nil where that is not a slot's; and how many slots the app has for itself.
    func monitored() async -> (slots: [String: SlotWatch.Target?], others: Int)
    func add(_ addition: SlotKeeper.Addition) async
    func remove(_ identifier: String) async
    /// Has the state of a slot reported, as far as the phone knows it.
    func ask(_ identifier: String) async
  }

  /// What becomes of a back end's answers.
  struct SlotAnswers {
    var report: @MainActor (SlotReport) -> Void
    var failed: @MainActor (any Error) -> Void
    /// The display was turned on in a beacon's region that wants to be told.
    var displayTurnedOn: @MainActor () -> Void
  }

  /// `CLLocationManager`'s region monitoring. Its identifiers begin with the monitor's name, so that regions of the app's own stay as
  /// they are.
  @MainActor final class RegionSlots: NSObject, SlotBackEnd {
    private let prefix: String
    private let answers: SlotAnswers
    /// Made when the app is ready for what it has been started for.
    private var manager: CLLocationManager?
    /// When a state was last asked for or a crossing told: a determination soon after belongs to that. Another one comes because the
    /// display was turned on.
    private var told: [String: Timestamp] = [:]
    private static let answerTime = Duration.seconds(30)

    init(_ name: String, _ answers: SlotAnswers) {
      prefix = name + "/"
      self.answers = answers
    }

    func open() async {
      let manager = CLLocationManager()
      manager.delegate = self
      self.manager = manager
    }

    func monitored() async -> (slots: [String: SlotWatch.Target?], others: Int) {
      var slots: [String: SlotWatch.Target?] = [:]
      var others = 0
      for region in manager?.monitoredRegions ?? [] {
        if let identifier = identifier(region.identifier) {
          slots[identifier] = .some(SlotWatch.Target(region))
        } else {
          others += 1
        }
      }
      return (slots, others)
    }

    func add(_ addition: SlotKeeper.Addition) async {
      let region = addition.target.region(prefix + addition.identifier)
      if let region = region as? CLBeaconRegion {
        region.notifyEntryStateOnDisplay = addition.notifiesOnDisplay
      }
      manager?.startMonitoring(for: region)
    }

    func remove(_ identifier: String) async {
      if let region = region(identifier) { manager?.stopMonitoring(for: region) }
    }

    func ask(_ identifier: String) async {
      guard let region = region(identifier) else { return }
      told[identifier] = SystemMonitorClock().now
      manager?.requestState(for: region)
    }

    private func region(_ identifier: String) -> CLRegion? {
      manager?.monitoredRegions.first { $0.identifier == prefix + identifier }
    }

    /// The slot's identifier; nil for a region of the app's own.
    private func identifier(_ region: String) -> String? {
      region.hasPrefix(prefix) ? String(region.dropFirst(prefix.count)) : nil
    }

    private func report(_ region: String, _ state: MonitoringState, _ diagnostics: Diagnostics = []) {
      guard let identifier = identifier(region) else { return }
      answers.report(
        SlotReport(
          identifier: identifier, state: state, date: SystemMonitorClock().now, diagnostics: diagnostics))
    }

    private func crossed(_ region: String, _ state: MonitoringState) {
      if let identifier = identifier(region) { told[identifier] = SystemMonitorClock().now }
      report(region, state)
    }

    private func determined(_ region: String, _ state: MonitoringState, notifiesOnDisplay: Bool) {
      report(region, state)
      guard let identifier = identifier(region), notifiesOnDisplay, state == .satisfied else { return }
      let now = SystemMonitorClock().now
      if let told = told[identifier], told.advanced(by: Self.answerTime) > now { return }
      answers.displayTurnedOn()
    }

    private func failed(_ region: String?, _ error: any Error) {
      answers.failed(error)
      let code = (error as? CLError)?.code.rawValue ?? 0
      let count = manager?.monitoredRegions.count ?? 0
      guard let region, let diagnostics = Diagnostics(regionMonitoringError: code, monitoredCount: count)
      else { return }
      report(region, .unmonitored, diagnostics)
    }
  }

  // A manager calls its delegate on the thread that it was made on, here the main one.
  extension RegionSlots: CLLocationManagerDelegate {
    nonisolated func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      let identifier = region.identifier
      MainActor.assumeIsolated { crossed(identifier, .satisfied) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      let identifier = region.identifier
      MainActor.assumeIsolated { crossed(identifier, .unsatisfied) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
      let identifier = region.identifier
      let notifiesOnDisplay = (region as? CLBeaconRegion)?.notifyEntryStateOnDisplay == true
      let determined: MonitoringState
      switch state {
      case .inside: determined = .satisfied
      case .outside: determined = .unsatisfied
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
    private let name: String
    private let answers: SlotAnswers
    private var monitor: CLMonitor?
    private var listener: Task<Void, Never>?

    init(_ name: String, _ answers: SlotAnswers) {
      self.name = name
      self.answers = answers
    }

    deinit { listener?.cancel() }

    func open() async {
      let monitor = await CLMonitor(name)
      self.monitor = monitor
      let answers = answers
      listener = Task {
        do {
          for try await event in await monitor.events { answers.report(SlotReport(event)) }
        } catch {
          answers.failed(error)
        }
      }
    }

    func monitored() async -> (slots: [String: SlotWatch.Target?], others: Int) {
      guard let monitor else { return ([:], 0) }
      var slots: [String: SlotWatch.Target?] = [:]
      for identifier in await monitor.identifiers {
        if let record = await monitor.record(for: identifier) {
          slots[identifier] = .some(SlotWatch.Target(record.condition))
        }
      }
      return (slots, 0)
    }

    func add(_ addition: SlotKeeper.Addition) async {
      await monitor?.add(addition.target.condition, identifier: addition.identifier, assuming: .unknown)
    }

    func remove(_ identifier: String) async { await monitor?.remove(identifier) }

    /// The record's last event: what Core Location knew then.
    func ask(_ identifier: String) async {
      if let record = await monitor?.record(for: identifier) { answers.report(SlotReport(record.lastEvent)) }
    }
  }
#endif
