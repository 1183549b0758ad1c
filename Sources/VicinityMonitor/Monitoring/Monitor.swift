public import VicinityCrossings
public import VicinityIndex

/// Watches any number of conditions and reports every change of their states: durably, in order, and once
/// under its number. The semantics are those of Core Location's `CLMonitor`, its budget of slots included.
///
///     let monitor = try await Monitor("Zones", records: InMemoryRecords(), device: phone)
///     try await monitor.add(.circle(center: home, radius: 100), identifier: "home")
///     await monitor.follow(fixes)
///     for try await event in monitor.events where event.state == .satisfied {
///       print("entered", event.identifier)
///     }
///
/// Conditions, records and undelivered events are stored before anything is reported, so a process that ends
/// at any instruction loses none. An event counts as handled when the next one is asked for. Until then its
/// record holds the event before, and after a crash the event is delivered again under its number.
///
/// `MonitorStateMachine` makes all decisions; the monitor stores, commands the device and delivers. See
/// <doc:MonitorSemantics>.
public actor Monitor {
  /// The name. Of all monitors with one store, at most one of a name is open at a time, in any process.
  public nonisolated let name: String

  private var engine: MonitorEngine

  private var sources: [Int: Task<Void, Never>] = [:]
  private var lastSource = 0
  private var timer: (deadline: Timestamp, task: Task<Void, Never>)?
  /// The iterator that events go to, and what it waits with.
  let consumers = EventConsumers()
  private var waiter: CheckedContinuation<Void, Never>?
  private let eventListeners = Broadcast<MonitoringEvent>()
  private let statusListeners = Broadcast<Void>()

  /// What has gone wrong where no caller could be told.
  public struct Faults: Sendable {
    /// That the options give a larger capacity than the device has slots
    /// (``MonitorError/capacityTooLarge(_:slots:)``); nil where they do not.
    public internal(set) var capacity: MonitorError?
    /// How many records there are of regions of an index that the monitor was opened without: nothing watches
    /// these regions, and their records wait for the index. 0 as it should be.
    public internal(set) var recordsWithoutRegions = 0
    /// Why the last commit failed; nil while changes are stored.
    public internal(set) var store: RecordStoreError?
    /// The number of inputs from sources that have been refused, such as fixes that cannot follow those
    /// before them.
    public internal(set) var refusedInputCount = 0
    /// Why the last of these was refused.
    public internal(set) var lastRefusal: MonitorError?
    /// What the last source that failed threw; nil when none has.
    public internal(set) var source: (any Error)?

    /// Nothing has gone wrong.
    public init() {}
  }

  private var sourceFaults = Faults()
  /// What has gone wrong where no caller could be told: with the capacity, with the store, and with sources
  /// of inputs.
  public var faults: Faults {
    var faults = sourceFaults
    faults.capacity = engine.capacityError
    faults.store = engine.storeError
    faults.recordsWithoutRegions = engine.machine.recordsWithoutRegions
    return faults
  }

  /// Opens a monitor, with what it knew when it was closed or its process ended.
  ///
  /// Reading the store, and watching a million regions, may take a while. It is done elsewhere, and not where
  /// this is called: a main actor that waits for it goes on meanwhile. So are all later changes to the store.
  ///
  /// - Parameters:
  ///   - name: One to 200 ASCII letters and digits.
  ///   - records: Where conditions, records and undelivered events are stored.
  ///   - regions: Regions to watch beside the conditions that are added: any number, from a file or not. They
  ///     are assumed not to contain the device, and are not stored; only those that have had an event have a
  ///     record. To be given at each opening; the records of regions that are no longer in it, or have
  ///     another shape, are removed. A stored condition whose identifier a region has becomes that region,
  ///     and keeps its record where the shape is the same. ``replace(regions:options:)`` replaces them.
  ///   - regionOptions: How these regions are treated. To be given at each opening.
  ///   - device: The device that has the slots.
  ///   - clock: The time of day.
  ///   - options: How the monitor works; checked here.
  ///   - environment: What is allowed now.
  /// - Throws: ``MonitorError``; in particular `store(.alreadyOpen)` and `store(.invalidName)`.
  public init(
    _ name: String, records: some RecordStoreOpener = InMemoryRecords(), regions: RegionIndex? = nil,
    regionOptions: RegionOptions = RegionOptions(), device: some MonitoringDevice = NoDevice(),
    clock: some MonitorClock = SystemMonitorClock(),
    options: MonitorOptions = MonitorOptions(), environment: MonitorEnvironment = MonitorEnvironment()
  ) async throws(MonitorError) {
    self.name = name
    engine = try await Self.opened(
      name, records, device, clock, options, environment, regions, regionOptions)
    perform()
  }

  /// Opens the engine, on no actor.
  @concurrent
  private static func opened(
    _ name: String, _ records: some RecordStoreOpener, _ device: some MonitoringDevice,
    _ clock: some MonitorClock, _ options: MonitorOptions, _ environment: MonitorEnvironment,
    _ regions: RegionIndex?, _ regionOptions: RegionOptions
  ) async throws(MonitorError) -> sending MonitorEngine {
    try MonitorEngine(
      name, records, device, clock, options, environment, regions: regions, regionOptions: regionOptions)
  }

  deinit {
    for source in sources.values { source.cancel() }
    timer?.task.cancel()
  }

  /// Closes the monitor: it follows no more sources, the sequence of events ends, and the name can be opened
  /// again. The next monitor of the name delivers what is undelivered.
  public func close() {
    guard !engine.isClosed else { return }
    for source in sources.values { source.cancel() }
    sources = [:]
    timer?.task.cancel()
    timer = nil
    engine.close()
    wake()
    eventListeners.finish()
    statusListeners.finish()
  }

  // MARK: Conditions

  /// Adds a condition.
  ///
  /// Under an identifier that is in use, the same condition stays as it is, with its record and its
  /// undelivered events; only its options are replaced. So an app may add its conditions at every launch.
  /// Another condition replaces the one before, whose record and undelivered events go.
  ///
  /// - Parameters:
  ///   - condition: The condition to watch.
  ///   - identifier: Its name in events and records.
  ///   - state: The assumed state: an event is made by the first determination that differs. By default
  ///     nothing is assumed, and the first determination makes an event.
  ///   - options: How it is treated.
  /// - Throws: ``MonitorError/condition(identifier:_:)``, ``MonitorError/closed``.
  public func add(
    _ condition: Condition, identifier: String, assuming state: MonitoringState = .unknown,
    options: ConditionOptions = ConditionOptions()
  ) throws(MonitorError) {
    try add([NewCondition(condition, identifier: identifier, assuming: state, options: options)])
  }

  /// Adds the condition of being in a region, such as one of an index, under the region's identifier.
  ///
  /// - Throws: As ``add(_:identifier:assuming:options:)``.
  public func add(
    _ region: Region, assuming state: MonitoringState = .unknown,
    options: ConditionOptions = ConditionOptions()
  ) throws(MonitorError) {
    try add([NewCondition(region, assuming: state, options: options)])
  }

  /// Adds conditions as ``add(_:identifier:assuming:options:)`` does: all of them or none, in one commit.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)``, ``MonitorError/duplicate(identifier:)``,
  ///   ``MonitorError/closed``.
  public func add(_ conditions: [NewCondition]) throws(MonitorError) {
    defer { perform() }
    try engine.add(conditions)
  }

  /// Makes the conditions exactly those of a list, in one commit: conditions that are not in it are removed,
  /// with their records and undelivered events; those that are there already, unchanged, stay as they are;
  /// the others are added. For an app that gets its list from somewhere else at each launch.
  ///
  /// - Throws: As ``add(_:)``; nothing has changed where a condition is not valid.
  public func synchronize(with conditions: [NewCondition]) throws(MonitorError) {
    defer { perform() }
    try engine.synchronize(conditions)
  }

  /// Makes the conditions exactly the regions of an index, as ``synchronize(with:)-(_)`` does for a list. All
  /// are stored; for more than some thousands open the monitor with the index instead.
  ///
  /// - Parameters:
  ///   - regions: The index; each region's identifier is that of its condition.
  ///   - state: What is assumed of those that are new.
  ///   - options: How each is treated.
  public func synchronize(
    with regions: RegionIndex, assuming state: MonitoringState = .unsatisfied,
    options: ConditionOptions = ConditionOptions()
  ) throws(MonitorError) {
    try synchronize(
      with: (0..<regions.count).map {
        NewCondition(regions.region(at: $0), assuming: state, options: options)
      })
  }

  /// Replaces the regions that the monitor was opened with, while it watches.
  ///
  /// Regions that stay as they are, by identifier and shape, keep their states, records and undelivered
  /// events. Those that are gone, or have another shape, lose them, without an event. New ones are assumed
  /// not to contain the device. A condition that has been added, and whose identifier a region has now,
  /// becomes that region, and keeps its record where the shape is the same. Slots that stay are not torn
  /// down. Under a crossing rule, waits beyond boundaries begin anew.
  ///
  /// - Parameters:
  ///   - regions: The regions from now on; nil for none.
  ///   - options: How they are treated from now on.
  /// - Throws: ``MonitorError/conditionOption(identifier:option:reason:)``, ``MonitorError/closed``; nothing
  ///   has changed then.
  /// - Complexity: O(records), and O(n log n) for n regions where conditions have been added beside them or a
  ///   rule decides.
  public func replace(
    regions: RegionIndex?, options: RegionOptions = RegionOptions()
  ) throws(MonitorError) {
    defer { perform() }
    try engine.replace(regions: regions, options: options)
  }

  /// Removes a condition, its record and its undelivered events. Nothing happens where there is none.
  ///
  /// - Throws: ``MonitorError/closed``; ``MonitorError/condition(identifier:_:)`` for another condition that
  ///   gets the slot.
  public func remove(_ identifier: String) throws(MonitorError) {
    defer { perform() }
    try engine.remove(identifier)
  }

  /// The record of a condition; nil where there is none.
  public func record(for identifier: String) -> MonitoringRecord? {
    engine.machine.stored.conditions[identifier]?.record
  }

  /// The identifiers of all conditions that were added, in the order of adding. Regions of the index are not
  /// among them.
  ///
  /// - Complexity: O(n log n)
  public var identifiers: [String] { engine.machine.addedIdentifiers }

  /// The conditions, and regions of the index, that the device is in, or in range of: those whose last event
  /// says that they are satisfied, handled or not, with that event's date. What is only assumed does not
  /// count.
  ///
  /// - Complexity: O(1); O(answer) to read it.
  public var currentlyInside: [String: Timestamp] { engine.machine.inside }

  /// What suspends the regions of the index, such as that the user has not allowed the app to use location,
  /// or only coarse positions: then no position decides anything about them, and only regions that the device
  /// was in have an event that says so. Empty while they are watched.
  public var suspension: Diagnostics { engine.machine.given.suspension }

  /// What suspends a condition or a region of the index; empty while it is watched, nil where there is none.
  public func suspension(of identifier: String) -> Diagnostics? { engine.machine.suspension(of: identifier) }

  /// What is allowed, as the monitor has been told last.
  public var environment: MonitorEnvironment { engine.machine.environment }

  /// The plan in force; nil before the first fix, and while no region is watched.
  public var plan: Plan? { engine.machine.plan }

  /// What the strategy can promise among the regions that hold the slots, and with what the user may be shown
  /// now: compare it with the latency that you set. Nil before the first position, where the median radius is
  /// less than 100 m, and for ``Strategy/slots`` and strategies that promise nothing.
  public var forecast: LatencyForecast? { engine.machine.forecast }

  /// How many slots the monitor plans for, reserved ones included: the device's, or fewer where the options
  /// give a smaller capacity.
  public var slotCapacity: Int { engine.machine.options.plan.capacity }

  /// The contents of the device's slots, in the order of identifiers.
  public var slots: [Slot] { engine.machine.device.slots.values.sorted { $0.identifier < $1.identifier } }

  /// Fixes accepted and dropped.
  public var fixCounts: FixCounts { engine.machine.fixCounts }

  // MARK: Inputs

  /// Handles a fix, a sighting, a report of the device, or a change of what is allowed.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it,
  ///   ``MonitorError/fixAhead(_:now:)``, ``MonitorError/closed``.
  public func receive(_ input: MonitorInput) throws(MonitorError) {
    defer { perform() }
    try engine.receive(input)
  }

  /// Follows a source of inputs until it ends or the monitor is closed; several can be followed.
  ///
  /// Inputs that are refused are counted in ``faults``.
  ///
  /// - Returns: The task, which ends with the source and may be cancelled.
  @discardableResult
  public func follow<S: AsyncSequence & Sendable>(_ inputs: S) -> Task<Void, Never>
  where S.Element == MonitorInput {
    lastSource += 1
    let number = lastSource
    let task = Task { [weak self] in
      do {
        for try await input in inputs {
          guard let self, !Task.isCancelled else { break }
          await self.receiveFromSource(input)
        }
      } catch {
        await self?.sourceFailed(error)
      }
      await self?.end(number)
    }
    sources[number] = task
    return task
  }

  /// Follows a source of fixes until it ends.
  @discardableResult
  public func follow<S: AsyncSequence & Sendable>(_ fixes: S) -> Task<Void, Never> where S.Element == Fix {
    follow(fixes.map { MonitorInput.fix($0) })
  }

  /// Follows a source of sightings until it ends.
  @discardableResult
  public func follow<S: AsyncSequence & Sendable>(_ sightings: S) -> Task<Void, Never>
  where S.Element == BeaconSighting {
    follow(sightings.map { MonitorInput.sighting($0) })
  }

  private func receiveFromSource(_ input: MonitorInput) {
    guard !engine.isClosed else { return }
    do { try receive(input) } catch {
      sourceFaults.refusedInputCount += 1
      sourceFaults.lastRefusal = error
      statusListeners.send(())
    }
  }

  private func sourceFailed(_ error: any Error) {
    if error is CancellationError { return }
    sourceFaults.source = error
    statusListeners.send(())
  }

  private func end(_ number: Int) { sources[number] = nil }

  // MARK: Events

  /// The events, in the order of their numbers; first those that an earlier monitor of the name did not
  /// deliver. The events of one input are numbered by date; with equal dates regions of the index come first,
  /// in its order, and then conditions in the order in which they were added.
  ///
  /// For one consumer, which handles them: a second iterator throws ``MonitorError/hasConsumer`` while the
  /// first has not ended. An event that was not handled when its consumer ended is delivered again to the
  /// next.
  public nonisolated var events: Events { Events(monitor: self) }

  /// How many events have not been handled, the one that is being handled included.
  public var pendingEventCount: Int { engine.machine.stored.events.count }

  /// Events as they are made, for any number of listeners, such as views: each gets all that are made from
  /// the moment on at which it asks for this, once they are stored; what it does not take waits for it. Ends
  /// when the monitor is closed.
  ///
  /// Listening handles nothing: ``events`` delivers the same events to the one consumer that handles them,
  /// before or after. What was made before, and what is made while nobody listens, is not told here;
  /// ``currentlyInside`` says where the device is.
  public nonisolated var changes: AsyncStream<MonitoringEvent> { eventListeners.stream() }

  /// Says that ``status`` may have changed: once at the beginning, and then at least once after each change.
  package nonisolated var statusChanges: AsyncStream<Void> {
    let stream = statusListeners.stream(buffering: .bufferingNewest(1))
    statusListeners.send(())
    return stream
  }

  package var status: MonitorStatus {
    MonitorStatus(
      inside: currentlyInside, environment: environment, faults: faults,
      pendingEventCount: pendingEventCount)
  }

  /// The event after the one that has just been handled; nil once the monitor is closed, and when cancelled.
  func next(for consumer: EventConsumer) async throws(MonitorError) -> MonitoringEvent? {
    guard !engine.isClosed else { return nil }
    if let event = try nextPending(for: consumer) { return event }
    while !Task.isCancelled, consumers.isCurrent(consumer), !engine.isClosed {
      if let event = engine.machine.journal.nextEvent() { return event }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // The cancellation handler runs after this, since it is on the actor too.
          waiter?.resume()
          waiter = continuation
          if Task.isCancelled { wake() }
        }
      } onCancel: {
        // At once, so that a task that begins as this one is cancelled gets the events.
        consumer.release()
        Task { await self.wake() }
      }
    }
    consumer.release()
    return nil
  }

  /// The event after the one that has just been handled; nil where there is none yet, and once the monitor is
  /// closed.
  func nextPending(for consumer: EventConsumer) throws(MonitorError) -> MonitoringEvent? {
    guard !engine.isClosed else { return nil }
    guard let isNew = consumers.claim(consumer) else { throw .hasConsumer }
    if isNew { engine.machine.journal.putBack() } else { engine.machine.journal.handled() }
    perform()
    return engine.machine.journal.nextEvent()
  }

  /// Whether an iterator waits for an event.
  var isWaiting: Bool { waiter != nil }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  // MARK: Entries

  /// Reports an entry to the user, if the event is one and the user has not been told: once for a stay. See
  /// `EntryNotifier`.
  ///
  /// To be called for every event, before the next is asked for: events that are no entries say when stays
  /// end.
  ///
  /// - Parameters:
  ///   - event: The event that is being handled. Nothing happens for one whose condition is gone.
  ///   - post: Posts a notification under an identifier, in place of one that has it. When it throws, the
  ///     user counts as not told; a later satisfied event of the same stay is tried again.
  /// - Throws: What `post` throws, and ``MonitorError/closed``.
  public func notifyOfEntry(
    _ event: MonitoringEvent,
    post: @Sendable (_ event: MonitoringEvent, _ identifier: String) async throws -> Void
  ) async throws {
    guard let condition = engine.machine.stored.conditions[event.identifier] else { return }
    for step in EntryNotifier.steps(for: event, told: condition.notifiedSequenceNumber) {
      switch step {
      case .post(let entry): try await post(entry, EntryNotifier.identifier(entry, in: name))
      case .remember(let number):
        // The condition may have been replaced while the notification was posted.
        guard engine.machine.stored.conditions[event.identifier]?.number == condition.number else { return }
        guard !engine.isClosed else { throw MonitorError.closed }
        engine.machine.notified(event.identifier, sequenceNumber: number)
        perform()
      }
    }
  }

  /// Reports an entry to the user, once for a stay, by a notification that the device posts.
  ///
  /// - Parameters:
  ///   - event: As in ``notifyOfEntry(_:post:)``.
  ///   - title: The notification's first line.
  ///   - body: The text below.
  ///   - sound: The name of the sound that is played; nil for none.
  /// - Throws: What the device's ``MonitoringDevice/post(_:)`` throws, and ``MonitorError/closed``.
  public func notifyOfEntry(
    _ event: MonitoringEvent, title: String, body: String = "", sound: String? = nil
  ) async throws {
    let device = engine.device
    try await notifyOfEntry(event) { _, identifier in
      try await device.post(
        NotificationRequest(identifier: identifier, title: title, body: body, sound: sound))
    }
  }

  // MARK: Ranging

  /// Has the device range the beacons that match an identity. What it hears comes as sightings, of which
  /// conditions are decided and a ``BeaconRanger`` makes distances.
  ///
  /// - Throws: ``MonitorError/closed``.
  public func startRanging(_ identity: BeaconIdentity) throws(MonitorError) {
    try engine.ask(.startRanging(identity))
  }

  /// Ends what ``startRanging(_:)`` began.
  ///
  /// - Throws: ``MonitorError/closed``.
  public func stopRanging(_ identity: BeaconIdentity) throws(MonitorError) {
    try engine.ask(.stopRanging(identity))
  }

  // MARK: Performing

  /// Stores changes, commands the device and delivers events, in this order.
  private func perform() {
    guard !engine.isClosed else { return }
    for event in engine.perform() { eventListeners.send(event) }
    statusListeners.send(())
    if engine.machine.journal.mayHaveEvent { wake() }
    setTimer()
  }

  private func setTimer() {
    guard let deadline = engine.nextDeadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if timer?.deadline == deadline { return }
    timer?.task.cancel()
    let clock = engine.clock
    timer = (
      deadline,
      Task { [weak self] in
        do { try await clock.sleep(until: deadline) } catch { return }
        await self?.timePassed()
      }
    )
  }

  private func timePassed() {
    guard !engine.isClosed else { return }
    timer = nil
    engine.advance()
    perform()
  }
}
