internal import VicinityCrossings
package import VicinityIndex

/// A state machine with its store, device and clock: what ``Monitor`` and ``RegionMonitoringService`` share.
package struct MonitorEngine: ~Copyable {
  package var machine: MonitorStateMachine
  let clock: any MonitorClock
  private let store: any RecordStore
  let device: any MonitoringDevice
  /// That the options give a larger capacity than the device has; nil where they do not.
  package let capacityError: MonitorError?
  /// Why the last commit failed; nil while changes are stored.
  private(set) var storeError: RecordStoreError?
  /// When the store is to be tried again; nil while changes are stored.
  private var retryTime: Timestamp?
  private(set) var isClosed = false
  /// The number of the last event that ``perform()`` has told of.
  private var lastToldNumber: UInt64
  /// Whether the device has been commanded.
  private var hasPerformed = false

  /// Opens a store, and goes on from what is in it.
  package init(
    _ name: String, _ records: some RecordStoreOpener, _ device: some MonitoringDevice,
    _ clock: some MonitorClock, _ options: MonitorOptions, _ environment: MonitorEnvironment,
    regions: RegionIndex? = nil, regionOptions: RegionOptions = RegionOptions()
  ) throws(MonitorError) {
    var options = options
    var capacityError: MonitorError?
    if let slots = device.slotCapacity {
      if let capacity = options.plan.givenCapacity, capacity > slots {
        capacityError = .capacityTooLarge(capacity, slots: slots)
      }
      options.plan = options.plan.fitted(toSlots: slots)
    }
    let store: any RecordStore
    do { store = try records.open(name) } catch { throw .store(error) }
    let machine: MonitorStateMachine
    let lastNumber: UInt64
    do throws(MonitorError) {
      let stored: StoredMonitor
      do { stored = try store.load() } catch { throw .store(error) }
      // A replay goes on where it ended, and does not begin anew.
      if let last = stored.lastFixTime { clock.observe(last) }
      lastNumber = stored.lastSequenceNumber
      machine = try MonitorStateMachine.restored(
        from: stored, regions: regions, regionOptions: regionOptions, options: options,
        environment: environment, now: clock.now)
    } catch {
      store.close()
      throw error
    }
    self.machine = machine
    self.capacityError = capacityError
    self.store = store
    self.device = device
    self.clock = clock
    lastToldNumber = lastNumber
    let slots = options.plan.slots
    device.monitorOpened(slots: options.limit == .perKind ? slots * Condition.Kind.allCases.count : slots)
  }

  // The device hears of it first: afterwards the name can be opened again.
  deinit {
    guard !isClosed else { return }
    device.monitorClosed()
    store.close()
  }

  /// Closes the store, so that its name can be opened again.
  package mutating func close() {
    guard !isClosed else { return }
    isClosed = true
    device.monitorClosed()
    store.close()
  }

  /// When time alone changes something: the time to call ``advance()``; nil when it will not.
  var nextDeadline: Timestamp? { [machine.nextDeadline, retryTime].compactMap { $0 }.min() }

  /// Lets the machine know the time.
  package mutating func advance() { machine.advance(to: clock.now) }

  package mutating func receive(_ input: MonitorInput) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    if let time = input.time { clock.observe(time) }
    try machine.receive(input, at: clock.now)
  }

  package mutating func add(_ conditions: [NewCondition]) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    try machine.add(conditions, at: clock.now)
  }

  /// Makes the conditions exactly these.
  package mutating func synchronize(_ conditions: [NewCondition]) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    try machine.synchronize(with: conditions, at: clock.now)
  }

  /// Replaces the index.
  package mutating func replace(
    regions: RegionIndex?, options: RegionOptions
  ) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    try machine.replace(regions: regions, options: options, at: clock.now)
  }

  /// Removes a condition.
  package mutating func remove(_ identifier: String) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    try machine.remove(identifier, at: clock.now)
  }

  /// Has the device do something that no decision of the machine asks for.
  package mutating func ask(_ command: DeviceCommand) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    device.perform([command])
  }

  /// Stores what has changed, then commands the device.
  ///
  /// - Returns: The events that have been made since the last time.
  @discardableResult
  package mutating func perform() -> [MonitoringEvent] {
    guard !isClosed else { return [] }
    let actions = machine.takeActions()
    commit(actions.changes)
    if let log = machine.options.log { for entry in actions.log { log(entry) } }
    if !actions.commands.isEmpty || !hasPerformed { device.perform(actions.commands) }
    hasPerformed = true
    device.stored(unhandledEvents: machine.stored.events.count)
    return newEvents(in: actions.changes)
  }

  private mutating func newEvents(in changes: [RecordChange]) -> [MonitoringEvent] {
    var events: [MonitoringEvent] = []
    for case .enqueue(var event) in changes where event.sequenceNumber > lastToldNumber {
      lastToldNumber = event.sequenceNumber
      if !machine.isPersistent { event.diagnostics.insert(.persistenceUnavailable) }
      events.append(event)
    }
    return events
  }

  /// Stores changes; after a failure, everything, once the store accepts it.
  private mutating func commit(_ changes: [RecordChange]) {
    let now = clock.now
    if machine.isPersistent, changes.isEmpty { return }
    if !machine.isPersistent, let retryTime, now < retryTime { return }
    do {
      try store.commit(machine.isPersistent ? changes : [.replaceAll(machine.stored)])
      machine.journal.didStore()
      storeError = nil
      retryTime = nil
    } catch {
      machine.journal.couldNotStore()
      storeError = error
      retryTime = now.advanced(by: machine.options.storeRetryInterval)
    }
  }
}
