public import VicinityCrossings
public import VicinityGeodesy

/// What all ``RegionMonitoringManager``s of an app share: the regions, the device's slots, and what is to be told.
///
/// It runs on the ``MonitorStateMachine`` that ``Monitor`` runs on; it differs in what it tells, and in refusing what is beyond
/// the limit. Everything happens in the calls made to it, on the thread or actor that they are made on.
public final class RegionMonitoringService {
  /// How many regions may be watched: as many as the device has slots for the app, 20 by default.
  public var limit: Int { machine.options.plan.slots }
  /// The greatest radius of a region, metres. Core Location does not publish its own.
  public let maximumRegionMonitoringDistance: Meters
  /// What is allowed now; to be changed by ``receive(_:)``.
  public var environment: MonitorEnvironment { machine.environment }
  /// Why the last commit failed; nil while what happens is stored.
  public var storeError: RecordStoreError? { keeper.error }

  /// What went wrong last where no region was to be told of; nil when nothing has.
  public private(set) var lastError: MonitorError?

  private var machine: MonitorStateMachine
  private var keeper: StoreKeeper
  private let device: any MonitoringDevice
  let clock: any MonitorClock
  private(set) var isClosed = false

  private struct Attached { weak var manager: RegionMonitoringManager? }
  private var attached: [Attached] = []
  /// What was last determined of each region, over times of not being watched too.
  private var states: [String: RegionState] = [:]
  /// Managers that have asked for a state that is unknown.
  private var questions: [String: [Attached]] = [:]
  /// Called when the next deadline may be another.
  var deadlineChanged: (() -> Void)?

  /// Opens the service, with the regions that were watched when it was closed or its process ended.
  ///
  /// - Parameters:
  ///   - name: One to 200 ASCII letters and digits.
  ///   - records: Where regions and undelivered reports are kept.
  ///   - device: What has the slots.
  ///   - clock: The time of day.
  ///   - options: How crossings are decided, and how many slots there are.
  ///   - maximumRegionMonitoringDistance: Metres; 1000 km by default.
  ///   - environment: What is allowed now.
  /// - Throws: ``MonitorError``; in particular `store(.alreadyOpen)` and `store(.invalidName)`.
  public init(
    _ name: String, records: some RecordStoreOpener = InMemoryRecords(),
    device: some MonitoringDevice = NoDevice(), clock: some MonitorClock = SystemMonitorClock(),
    options: MonitorOptions = MonitorOptions(), maximumRegionMonitoringDistance: Meters = 1_000_000,
    environment: MonitorEnvironment = MonitorEnvironment()
  ) throws(MonitorError) {
    self.device = device
    self.clock = clock
    self.maximumRegionMonitoringDistance = max(0, maximumRegionMonitoringDistance)
    var stored = StoredMonitor()
    keeper = try StoreKeeper(name, in: records, stored: &stored)
    do {
      machine = try MonitorStateMachine.restored(
        from: stored, options: options, environment: environment, now: clock.now)
    } catch {
      keeper.close()
      throw error
    }
    states = stored.conditions.compactMapValues { RegionState($0.record.lastEvent.state) }
    perform()
  }

  deinit { keeper.close() }

  /// Ends: nothing more is told, and the name can be opened again.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    keeper.close()
    deadlineChanged?()
  }

  func attach(_ manager: RegionMonitoringManager) {
    attached.removeAll { $0.manager == nil }
    attached.append(Attached(manager: manager))
  }

  // MARK: Inputs

  /// Takes a fix, a sighting, a report of the device, or a change of what is allowed.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it, ``MonitorError/closed``.
  public func receive(_ input: MonitorInput) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    defer { perform() }
    try machine.receive(input, at: clock.now)
  }

  /// When something happens unless something is told: the time to call ``timePassed()``; nil when nothing will.
  public var nextDeadline: Timestamp? {
    isClosed ? nil : [machine.nextDeadline, keeper.retryTime].compactMap { $0 }.min()
  }

  /// Lets time pass.
  public func timePassed() {
    guard !isClosed else { return }
    machine.pass(to: clock.now)
    perform()
  }

  /// The display was turned on: the state of beacon regions that want it, and that the device is in, is told.
  public func displayTurnedOn() {
    timePassed()
    for region in regions where region.notifyEntryStateOnDisplay && states[region.identifier] == .inside {
      if case .beacon = region.area { tell { $0.manager($1, didDetermineState: .inside, for: region) } }
    }
  }

  // MARK: Regions

  var regions: [MonitoredRegion] {
    machine.stored.conditions.values.sorted { $0.number < $1.number }.compactMap { MonitoredRegion($0) }
  }

  private func region(_ identifier: String) -> MonitoredRegion? {
    machine.stored.conditions[identifier].flatMap { MonitoredRegion($0) }
  }

  func start(_ wanted: MonitoredRegion) {
    guard !isClosed else { return }
    var region = wanted
    if case .circle(let center, let radius) = region.area, radius > maximumRegionMonitoringDistance {
      region.area = .circle(center: center, radius: maximumRegionMonitoringDistance)
    }
    let known = self.region(region.identifier)
    if known != region {
      let suspension = environment.diagnostics(for: region.condition.kind)
      guard suspension.isEmpty else { return fail(wanted, RegionMonitoringError(suspension)) }
      guard known != nil || machine.stored.conditions.count < limit else {
        return fail(
          wanted,
          RegionMonitoringError(
            .regionMonitoringFailure, "\(limit) regions are monitored, which is the limit",
            .conditionLimitExceeded))
      }
      do {
        try machine.add(
          region.condition, identifier: region.identifier, options: region.options, at: clock.now)
      } catch {
        return fail(wanted, RegionMonitoringError(.regionMonitoringFailure, "\(error)"))
      }
      states[region.identifier] = nil
      questions[region.identifier] = nil
    }
    if case .circle(_, let radius) = region.area, region != wanted {
      tell { $0.manager($1, didReduceRadiusOf: wanted, to: radius) }
    }
    tell { $0.manager($1, didStartMonitoringFor: region) }
    perform()
  }

  func stop(_ identifier: String) {
    guard !isClosed else { return }
    do { try machine.remove(identifier, at: clock.now) } catch { lastError = error }
    states[identifier] = nil
    questions[identifier] = nil
    perform()
  }

  func requestState(_ region: MonitoredRegion, for manager: RegionMonitoringManager) {
    timePassed()
    let identifier = region.identifier
    let state = states[identifier] ?? .unknown
    let known = self.region(identifier)
    if state == .unknown, known != nil {
      questions[identifier, default: []].append(Attached(manager: manager))
    }
    manager.delegate?.manager(manager, didDetermineState: state, for: known ?? region)
  }

  // MARK: Telling

  private func tell(_ call: (any RegionMonitoringDelegate, RegionMonitoringManager) -> Void) {
    for manager in attached.compactMap(\.manager) {
      if let delegate = manager.delegate { call(delegate, manager) }
    }
  }

  private func fail(_ region: MonitoredRegion, _ error: RegionMonitoringError) {
    tell { $0.manager($1, monitoringDidFailFor: region, withError: error) }
  }

  /// Stores, commands, tells; in this order.
  func perform() {
    guard !isClosed else { return }
    store(machine.takeActions())
    // While a delegate is told something, the machine has no other event: what it asks for is told after that.
    while !isClosed, attached.contains(where: { $0.manager?.delegate != nil }),
      let event = machine.nextEvent()
    {
      tell(event)
      machine.handled()
      store(machine.takeActions())
    }
    deadlineChanged?()
  }

  private func tell(_ event: MonitoringEvent) {
    guard let region = region(event.identifier) else { return }
    guard let state = RegionState(event.state) else {
      if event.state == .unmonitored { fail(region, RegionMonitoringError(event.diagnostics)) }
      return
    }
    let before = states.updateValue(state, forKey: event.identifier)
    let isWanted = state == .inside ? region.notifyOnEntry : region.notifyOnExit
    // The first determination is of the state that held at registration.
    if let before, before != state, isWanted {
      tell { delegate, manager in
        if state == .inside {
          delegate.manager(manager, didEnter: region)
        } else {
          delegate.manager(manager, didExit: region)
        }
        delegate.manager(manager, didDetermineState: state, for: region)
      }
    }
    for asking in questions.removeValue(forKey: event.identifier) ?? [] {
      guard let manager = asking.manager else { continue }
      manager.delegate?.manager(manager, didDetermineState: state, for: region)
    }
  }

  private func store(_ actions: MonitorStateMachine.Actions) {
    guard !isClosed else { return }
    keeper.commit(actions.changes, of: &machine, at: clock.now)
    if !actions.commands.isEmpty { device.perform(actions.commands) }
  }
}
