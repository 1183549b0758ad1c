public import VicinityCrossings
public import VicinityGeodesy

/// What all ``RegionMonitoringManager``s of an app share: the regions, the device's slots, and the reports to
/// be made.
///
/// It runs on the same state machine as ``Monitor``; it differs in what it reports, and it refuses regions
/// beyond the limit. Everything happens in the calls made to it, on the thread or actor that they are made
/// on.
public final class RegionMonitoringService {
  /// How many regions may be watched: as many as the device has slots, or fewer where the options give a
  /// smaller capacity. 20 on a device that does not say, unless the options do.
  public var limit: Int { engine.machine.options.plan.slots }
  /// The greatest radius of a region, metres. Core Location does not publish its own.
  public let maximumRegionMonitoringDistance: Meters
  /// What is allowed now; to be changed by ``receive(_:)``.
  public var environment: MonitorEnvironment { engine.machine.environment }
  /// Why the last commit failed; nil while what happens is stored.
  public var storeError: RecordStoreError? { engine.storeError }

  /// What went wrong last where no region was to be told of, a capacity beyond the device's slots included;
  /// nil when nothing has.
  public private(set) var lastError: MonitorError?

  private var engine: MonitorEngine
  private let name: String

  private struct Attached { weak var manager: RegionMonitoringManager? }
  private var attached: [Attached] = []
  /// What was last determined of each region, over times of not being watched too.
  private var states: [String: RegionState] = [:]
  /// Managers that have asked for a state that is unknown.
  private var questions: [String: [Attached]] = [:]
  /// Called when the next deadline may be another.
  private var deadlineChanged: (() -> Void)?

  /// Opens the service, with the regions that were watched when it was closed or its process ended.
  ///
  /// - Parameters:
  ///   - name: One to 200 ASCII letters and digits.
  ///   - records: Where regions and undelivered reports are kept.
  ///   - device: What has the slots.
  ///   - clock: The time of day.
  ///   - options: How crossings are decided, and how many of the device's slots are used.
  ///   - maximumRegionMonitoringDistance: Metres; 1000 km by default.
  ///   - environment: What is allowed now.
  /// - Throws: ``MonitorError``; in particular `store(.alreadyOpen)` and `store(.invalidName)`.
  public init(
    _ name: String, records: some RecordStoreOpener = InMemoryRecords(),
    device: some MonitoringDevice = NoDevice(), clock: some MonitorClock = SystemMonitorClock(),
    options: MonitorOptions = MonitorOptions(crossings: CrossingOptions(rule: .coreLocation())),
    maximumRegionMonitoringDistance: Meters = 1_000_000,
    environment: MonitorEnvironment = MonitorEnvironment()
  ) throws(MonitorError) {
    self.maximumRegionMonitoringDistance = max(0, maximumRegionMonitoringDistance)
    self.name = name
    engine = try MonitorEngine(name, records, device, clock, options, environment)
    lastError = engine.capacityError
    states = engine.machine.stored.conditions.compactMapValues { RegionState($0.record.lastEvent.state) }
    perform()
  }

  /// Ends: nothing more is told, and the name can be opened again.
  public func close() {
    guard !engine.isClosed else { return }
    engine.close()
    deadlineChanged?()
  }

  func attach(_ manager: RegionMonitoringManager) {
    attached.removeAll { $0.manager == nil }
    attached.append(Attached(manager: manager))
  }

  // MARK: Inputs

  /// Handles a fix, a sighting, a report of the device, or a change of what is allowed.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it,
  ///   ``MonitorError/closed``.
  public func receive(_ input: MonitorInput) throws(MonitorError) {
    defer { perform() }
    guard case .slot(let report) = input, report.state == .unmonitored,
      engine.machine.states[report.identifier]?.state == .unmonitored
    else { return try engine.receive(input) }
    // Refused again, which is no event: a region that was started again, or in another process, is still not
    // watched.
    try engine.receive(input)
    if let region = region(report.identifier), engine.machine.states[report.identifier]?.refusal != nil {
      fail(region, RegionMonitoringError(report.diagnostics))
    }
  }

  /// When time alone changes something: the time to call ``timePassed()``; nil when it will not.
  public var nextDeadline: Timestamp? {
    engine.isClosed ? nil : engine.nextDeadline
  }

  func ask(_ command: DeviceCommand) throws(MonitorError) { try engine.ask(command) }

  /// Lets time pass.
  public func timePassed() {
    guard !engine.isClosed else { return }
    engine.advance()
    perform()
  }

  /// The display was turned on: the state of beacon regions that want it, and that the device is in, is told.
  ///
  /// Where a region wants no entries, this is when its user is told of the stay, once for each: the display
  /// pattern of `CLBeaconRegion.notifyEntryStateOnDisplay`.
  public func displayTurnedOn() {
    timePassed()
    // Without a delegate nobody is told, so no stay counts as told either.
    for region in regions
    where hasDelegate && region.notifyEntryStateOnDisplay && state(of: region.identifier) == .inside {
      guard case .beacon = region.area else { continue }
      tell { $0.manager($1, didDetermineState: .inside, for: region) }
      // The state that held at registration is a stay, too: the user sees it now for the first time.
      if !region.notifyOnEntry, let stored = engine.machine.stored.conditions[region.identifier] {
        noteStay(stored.record.lastEvent, of: region, isTold: true)
      }
    }
    perform()
  }

  /// Handles inputs, and lets time pass when it is due, until the inputs end, the service is closed or the
  /// task is cancelled.
  ///
  /// Runs on the caller's actor, where the service lives; other calls may be made in between. One at a time.
  ///
  /// - Parameters:
  ///   - inputs: Fixes, sightings, what the device says of its slots, and what is allowed.
  ///   - isolation: The caller's actor.
  ///   - onRefusal: Told of inputs that were refused: fixes that cannot follow those before them.
  /// - Throws: What the source throws.
  public func run<S: AsyncSequence & Sendable>(
    _ inputs: S, isolation: isolated (any Actor)? = #isolation,
    onRefusal: (MonitorError) -> Void = { _ in }
  ) async throws where S.Element == MonitorInput {
    // Inputs, and nil when time has passed.
    let (steps, continuation) = AsyncThrowingStream.makeStream(of: MonitorInput?.self)
    let reader = Task {
      do {
        for try await input in inputs { continuation.yield(input) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    var timer: (deadline: Timestamp, task: Task<Void, Never>)?
    let clock = engine.clock
    deadlineChanged = { [unowned self] in
      if engine.isClosed { continuation.finish() }
      guard nextDeadline != timer?.deadline else { return }
      timer?.task.cancel()
      timer = nextDeadline.map { deadline in
        let task = Task {
          // Cancelled: another deadline has taken its place.
          do { try await clock.sleep(until: deadline) } catch { return }
          continuation.yield(nil)
        }
        return (deadline, task)
      }
    }
    defer {
      reader.cancel()
      timer?.task.cancel()
      deadlineChanged = nil
    }
    deadlineChanged?()
    var iterator = steps.makeAsyncIterator()
    while !engine.isClosed, let step = try await iterator.next(isolation: isolation) {
      guard let input = step else {
        timer = nil
        timePassed()
        continue
      }
      do throws(MonitorError) { try receive(input) } catch { onRefusal(error) }
    }
  }

  // MARK: Regions

  var regions: [MonitoredRegion] {
    engine.machine.stored.conditions.values.sorted { $0.number < $1.number }.compactMap {
      MonitoredRegion($0)
    }
  }

  private func region(_ identifier: String) -> MonitoredRegion? {
    engine.machine.stored.conditions[identifier].flatMap { MonitoredRegion($0) }
  }

  func start(_ wanted: MonitoredRegion) {
    guard !engine.isClosed else { return }
    let region = wanted.clamped(to: maximumRegionMonitoringDistance)
    let known = self.region(region.identifier)
    // Also where the region is known: it is not watched now, and saying that it is would be wrong.
    let suspension = environment.diagnostics(for: region.condition.kind)
    guard suspension.isEmpty else { return fail(wanted, RegionMonitoringError(suspension)) }
    if known == region, let refusal = engine.machine.askAgain(for: region.identifier) {
      // The device has refused it. It is asked again, and an event tells when it has begun to watch.
      fail(wanted, RegionMonitoringError(refusal))
      return perform()
    }
    if known != region {
      guard known != nil || engine.machine.stored.conditions.count < limit else {
        return fail(
          wanted,
          RegionMonitoringError(
            .regionMonitoringFailure, "\(limit) regions are monitored, which is the limit",
            .conditionLimitExceeded))
      }
      do {
        let new = NewCondition(
          region.condition, identifier: region.identifier, options: region.options)
        try engine.add([new])
      } catch {
        return fail(wanted, RegionMonitoringError(.regionMonitoringFailure, "\(error)"))
      }
      // The same area with other options keeps its state.
      if known?.area != region.area {
        states[region.identifier] = nil
        questions[region.identifier] = nil
      }
    }
    if case .circle(_, let radius) = region.area, region != wanted {
      tell { $0.manager($1, didReduceRadiusOf: wanted, to: radius) }
    }
    tell { $0.manager($1, didStartMonitoringFor: region) }
    perform()
  }

  func stop(_ identifier: String) {
    guard !engine.isClosed else { return }
    do { try engine.remove(identifier) } catch { lastError = error }
    states[identifier] = nil
    questions[identifier] = nil
    perform()
  }

  func requestState(_ region: MonitoredRegion, for manager: RegionMonitoringManager) {
    timePassed()
    let identifier = region.identifier
    let state = state(of: identifier)
    let known = self.region(identifier)
    if state == .unknown, known != nil {
      questions[identifier, default: []].append(Attached(manager: manager))
    }
    manager.delegate?.manager(manager, didDetermineState: state, for: known ?? region)
  }

  /// What is known of a region now: nothing while it is not watched, nor after that until it is determined
  /// again.
  private func state(of identifier: String) -> RegionState {
    guard let stored = engine.machine.stored.conditions[identifier],
      environment.diagnostics(for: stored.record.condition.kind).isEmpty
    else { return .unknown }
    let waiting = engine.machine.stored.events.values.filter { $0.identifier == identifier }
    let last = waiting.max { $0.sequenceNumber < $1.sequenceNumber } ?? stored.record.lastEvent
    return last.state == .unmonitored ? .unknown : states[identifier] ?? .unknown
  }

  // MARK: Telling

  /// Whether there is anybody to tell.
  private var hasDelegate: Bool { attached.contains { $0.manager?.delegate != nil } }

  private func tell(_ call: (any RegionMonitoringDelegate, RegionMonitoringManager) -> Void) {
    for manager in attached.compactMap(\.manager) {
      if let delegate = manager.delegate { call(delegate, manager) }
    }
  }

  private func fail(_ region: MonitoredRegion, _ error: RegionMonitoringError) {
    tell { $0.manager($1, monitoringDidFailFor: region, withError: error) }
  }

  /// Stores changes, commands the device and reports events, in this order.
  func perform() {
    guard !engine.isClosed else { return }
    engine.perform()
    // While a delegate is told something, the machine has no other event: what it asks for is told after
    // that.
    while !engine.isClosed, hasDelegate, let event = engine.machine.journal.nextEvent() {
      tell(event)
      engine.machine.journal.handled()
      engine.perform()
    }
    deadlineChanged?()
  }

  /// Tells of the stay that an event begins, once, and remembers that it was told or was not to be.
  private func noteStay(_ event: MonitoringEvent, of region: MonitoredRegion, isTold: Bool) {
    guard let condition = engine.machine.stored.conditions[region.identifier] else { return }
    for step in EntryNotifier.steps(for: event, told: condition.notifiedSequenceNumber) {
      switch step {
      case .post(let entry):
        guard isTold else { continue }
        let identifier = EntryNotifier.identifier(entry, in: name)
        tell { $0.manager($1, didBeginStayIn: region, notification: identifier) }
      case .remember(let number):
        // The region may have been replaced or stopped meanwhile.
        guard engine.machine.stored.conditions[region.identifier]?.number == condition.number else { return }
        engine.machine.notified(region.identifier, sequenceNumber: number)
      }
    }
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
    let isCrossing = before != nil && before != state
    if isCrossing, isWanted {
      tell { delegate, manager in
        if state == .inside {
          delegate.manager(manager, didEnter: region)
        } else {
          delegate.manager(manager, didExit: region)
        }
        delegate.manager(manager, didDetermineState: state, for: region)
      }
    }
    // Where only the display tells of entries, a stay is told when the display is turned on. A stay that
    // holds at registration is not told.
    if event.state != .satisfied || !region.notifyEntryStateOnDisplay || region.notifyOnEntry {
      noteStay(event, of: region, isTold: isCrossing && isWanted)
    }
    for asking in questions.removeValue(forKey: event.identifier) ?? [] {
      guard let manager = asking.manager else { continue }
      manager.delegate?.manager(manager, didDetermineState: state, for: region)
    }
  }
}
