#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import Foundation
  internal import Synchronization
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
    /// - Parameter manager: Watches regions, and says which there are.
    @MainActor func backEnd(_ name: String, _ manager: CLLocationManager) -> any SlotBackEnd {
      switch self {
      case .regionMonitoring: ClassicRegionSlots(name, manager)
      case .conditionMonitor: ConditionSlots(name, manager)
      }
    }
  }

  /// The names of the phones and channels of this process, by service.
  enum PhoneNames {
    private static let names = Mutex<[SlotService: Set<String>]>([:])

    /// Takes a name.
    ///
    /// - Returns: Whether it was free, and is a name.
    static func claim(_ name: String, _ service: SlotService) -> Bool {
      isValid(name) && names.withLock { $0[service, default: []].insert(name).inserted }
    }

    static func release(_ name: String, _ service: SlotService) {
      names.withLock { _ = $0[service]?.remove(name) }
    }

    static func isInUse(_ name: String, _ service: SlotService) -> Bool {
      names.withLock { $0[service]?.contains(name) == true }
    }

    /// Whether it has letters and digits only, which is what a `CLMonitor` takes, and what a slash ends.
    static func isValid(_ name: String) -> Bool {
      !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
  }

  /// What becomes of what a back end tells.
  struct SlotAnswers {
    var tell: @MainActor (PhoneEvent) -> Void = { _ in }
    var failed: @MainActor (any Error) -> Void = { _ in }
    /// The display was turned on in a beacon's region that wants to be told.
    var displayTurnedOn: @MainActor () -> Void = {}
  }

  /// Slots that watch nothing: what is asked for is missing, so that each slot counts as refused after some
  /// attempts.
  @MainActor final class NoSlots: SlotBackEnd {
    var answers = SlotAnswers()
    let monitored: [MonitoredRegion] = []
    let otherCount = 0
    func open() async {}
    func settle() async {}
    func add(_ region: MonitoredRegion) {}
    func remove(_ identifier: String) {}
    func ask(_ identifier: String) {}
    func lastReport(of identifier: String) -> SlotReport? { nil }
  }

  /// `CLLocationManager`'s region monitoring. Its identifiers begin with the monitor's name, so that regions
  /// of the app's own stay as they are. The manager's delegate passes on what is told of them.
  @MainActor final class ClassicRegionSlots: SlotBackEnd {
    var answers = SlotAnswers()
    let name: String
    private let manager: CLLocationManager
    /// What has been asked for: a manager may not show yet that it monitors it.
    private var asked: [String: CLRegion] = [:]
    /// When a state was last asked for or a crossing told: a determination soon after belongs to that.
    /// Another one comes because the display was turned on.
    private var told: [String: Timestamp] = [:]
    private static let answerTime = Duration.seconds(30)

    init(_ name: String, _ manager: CLLocationManager) { (self.name, self.manager) = (name, manager) }

    /// The name and the slot that a region's identifier is made of; nil for one that is made otherwise.
    static func parts(of region: String) -> (name: String, slot: String)? {
      guard let slash = region.firstIndex(of: "/") else { return nil }
      return (String(region[..<slash]), String(region[region.index(after: slash)...]))
    }

    func open() async {}
    func settle() async {}

    private var regions: Set<CLRegion> { manager.monitoredRegions }

    var monitored: [MonitoredRegion] {
      regions.compactMap { region in
        guard let (name, slot) = Self.parts(of: region.identifier), name == self.name else { return nil }
        return MonitoredRegion(region, identifier: slot)
      }
    }

    /// Both services share the twenty.
    var otherCount: Int { regions.count - monitored.count + ConditionMonitor.conditions().count }

    func add(_ region: MonitoredRegion) {
      let region = (region.identifier, region.region("\(name)/\(region.identifier)"))
      asked[region.0] = region.1
      manager.startMonitoring(for: region.1)
    }

    func remove(_ identifier: String) {
      if let region = region(identifier) { manager.stopMonitoring(for: region) }
      asked[identifier] = nil
      told[identifier] = nil
    }

    func ask(_ identifier: String) {
      guard let region = region(identifier) else { return }
      told[identifier] = SystemMonitorClock().now
      manager.requestState(for: region)
    }

    func lastReport(of identifier: String) -> SlotReport? { nil }

    private func region(_ identifier: String) -> CLRegion? {
      regions.first { $0.identifier == "\(name)/\(identifier)" } ?? asked[identifier]
    }

    // MARK: What the manager's delegate hears

    func crossed(_ identifier: String, isEntry: Bool) {
      told[identifier] = SystemMonitorClock().now
      answers.tell(isEntry ? .entered(region: identifier) : .exited(region: identifier))
    }

    func determined(_ identifier: String, _ state: RegionState, notifiesOnDisplay: Bool) {
      answers.tell(.determined(state, region: identifier))
      guard notifiesOnDisplay, state == .inside else { return }
      let now = SystemMonitorClock().now
      if let told = told[identifier], told.advanced(by: Self.answerTime) > now { return }
      answers.displayTurnedOn()
    }

    func failed(_ identifier: String, _ error: any Error) {
      let code = (error as? CLError)?.code.rawValue ?? 0
      guard let error = RegionMonitoringError(coreLocation: code, monitoredCount: regions.count) else {
        return
      }
      answers.tell(.monitoringFailed(region: identifier, error))
    }
  }

  /// A `CLMonitor`. There is one for each name as long as the process runs, which nothing closes: a second
  /// one of a name would end the process, and conditions whose events nobody takes are stopped.
  ///
  /// Apple asks to make one only while protected data are available, which they are not whenever the phone is
  /// locked. A phone makes it when its monitor is opened, so also locked, at a launch behind: the event that
  /// the app was launched for reaches it by nothing else.
  @MainActor final class ConditionMonitor {
    private static var opened: [String: Task<ConditionMonitor, Never>] = [:]
    /// The identifiers of each one's conditions, as of the last time that they were read.
    private static var identifiers: [String: Set<String>] = [:]

    let core: CLMonitor
    private let name: String
    /// What its events are told.
    weak var slots: ConditionSlots?

    /// The monitor of a name.
    static func named(_ name: String) async -> ConditionMonitor {
      let opening =
        opened[name]
        ?? Task {
          let monitor = ConditionMonitor(name, await CLMonitor(name))
          monitor.listen()
          return monitor
        }
      opened[name] = opening
      return await opening.value
    }

    /// The conditions of all monitors of this process, one excepted.
    static func conditions(besides name: String? = nil) -> [String] {
      identifiers.filter { $0.key != name }.flatMap(\.value)
    }

    private init(_ name: String, _ core: CLMonitor) { (self.name, self.core) = (name, core) }

    private func listen() {
      Task {
        do {
          for try await event in await core.events { slots?.tell(SlotReport(event)) }
        } catch {
          slots?.answers.failed(error)
        }
      }
    }

    /// Finds out what the monitor has. What is no slot's is no longer wanted.
    func read() async -> [(region: MonitoredRegion, last: SlotReport)] {
      var found: [(region: MonitoredRegion, last: SlotReport)] = []
      for identifier in await core.identifiers {
        guard let record = await core.record(for: identifier) else { continue }
        if let region = MonitoredRegion(record.condition, identifier: identifier) {
          found.append((region, SlotReport(record.lastEvent)))
        } else {
          await core.remove(identifier)
        }
      }
      Self.identifiers[name] = Set(found.map(\.region.identifier))
      return found
    }
  }

  /// The slots of a ``ConditionMonitor``. All its conditions are one monitor's.
  @MainActor final class ConditionSlots: SlotBackEnd {
    var answers = SlotAnswers()
    private let name: String
    /// Says which regions the app has.
    private let manager: CLLocationManager
    private var monitor: ConditionMonitor?
    /// What has been asked for and is not done yet.
    private var work: Task<Void, Never>?
    /// What the monitor has, as of the last time that all was done.
    private(set) var monitored: [MonitoredRegion] = []
    private var lastReports: [String: SlotReport] = [:]

    init(_ name: String, _ manager: CLLocationManager) { (self.name, self.manager) = (name, manager) }

    /// Regions and the conditions of other monitors take slots too. Nobody has written down whether a
    /// manager's regions have a monitor's conditions among them; so those of their names do not count twice.
    var otherCount: Int {
      let others = ConditionMonitor.conditions(besides: name)
      let conditions = Set(others).union(monitored.map(\.identifier))
      return others.count + manager.monitoredRegions.count { !conditions.contains($0.identifier) }
    }

    func open() async {
      let monitor = await ConditionMonitor.named(name)
      monitor.slots = self
      self.monitor = monitor
      await read(monitor)
    }

    fileprivate func tell(_ report: SlotReport) {
      lastReports[report.identifier] = report
      answers.tell(.conditionChanged(report))
    }

    private func read(_ monitor: ConditionMonitor) async {
      let found = await monitor.read()
      monitored = found.map(\.region)
      lastReports = Dictionary(
        found.map { ($0.region.identifier, $0.last) }, uniquingKeysWith: { $1 })
    }

    /// Does something after all that was asked for before.
    private func afterwards(_ body: @escaping @MainActor (ConditionMonitor) async -> Void) {
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
      afterwards {
        await $0.core.add(region.coreCondition, identifier: region.identifier, assuming: .unknown)
      }
    }

    func remove(_ identifier: String) { afterwards { await $0.core.remove(identifier) } }

    /// Nothing: a `CLMonitor` tells of what was added by itself, and has a record of the rest.
    func ask(_ identifier: String) {}

    func lastReport(of identifier: String) -> SlotReport? { lastReports[identifier] }
  }
#endif
