public import VicinityCrossings

/// Watches any number of conditions and tells of every change of their states: durably, in order, and once under its number. An event
/// is delivered again, under the same number, if the process ends while it is handled. The semantics are those of Core
/// Location's `CLMonitor`, its budget of slots included.
///
///     let monitor = try Monitor("Zones", records: InMemoryRecords(), device: phone)
///     try await monitor.add(.circle(center: home, radius: 100), identifier: "home")
///     await monitor.follow(fixes)
///     for await event in monitor.events where event.state == .satisfied {
///       print("entered", event.identifier)
///     }
///
/// Conditions, records and undelivered events are in the store before anything is told: a process that ends at any
/// instruction loses none. An event counts as handled when the next one is asked for; until then its record holds the one
/// before, and after a crash it is delivered again under its number.
///
/// What is decided, and when, is the business of ``MonitorStateMachine``; see <doc:MonitorSemantics>.
public actor Monitor {
  /// The name: at most one monitor of a name is open at a time, in any process.
  public nonisolated let name: String

  private var machine: MonitorStateMachine
  private var keeper: StoreKeeper
  private let device: any MonitoringDevice
  private let clock: any MonitorClock
  private var isClosed = false

  private var sources: [Int: Task<Void, Never>] = [:]
  private var lastSource = 0
  private var timer: (deadline: Timestamp, task: Task<Void, Never>)?
  /// The iterator that events go to, and what it waits with.
  private var consumer = 0
  private var waiter: CheckedContinuation<Void, Never>?

  /// Why the last commit failed; nil while what happens is stored.
  public var storeError: RecordStoreError? { keeper.error }
  /// How many fixes that came from sources have been refused, and why the last one was.
  public private(set) var refusals: (count: Int, last: MonitorError?) = (0, nil)

  /// Opens a monitor, with what it knew when it was closed or its process ended.
  ///
  /// - Parameters:
  ///   - name: One to 200 ASCII letters and digits.
  ///   - records: Where it keeps what it knows.
  ///   - device: What has the slots.
  ///   - clock: The time of day.
  ///   - options: How it works; checked here.
  ///   - environment: What is allowed now.
  /// - Throws: ``MonitorError``; in particular `store(.alreadyOpen)` and `store(.invalidName)`.
  public init(
    _ name: String, records: some RecordStoreOpener = InMemoryRecords(),
    device: some MonitoringDevice = NoDevice(), clock: some MonitorClock = SystemMonitorClock(),
    options: MonitorOptions = MonitorOptions(), environment: MonitorEnvironment = MonitorEnvironment()
  ) throws(MonitorError) {
    self.name = name
    self.device = device
    self.clock = clock
    var stored = StoredMonitor()
    keeper = try StoreKeeper(name, in: records, stored: &stored)
    do {
      machine = try MonitorStateMachine.restored(
        from: stored, options: options, environment: environment, now: clock.now)
    } catch {
      keeper.close()
      throw error
    }
    Task { await self.perform() }
  }

  deinit {
    for source in sources.values { source.cancel() }
    timer?.task.cancel()
    keeper.close()
  }

  /// Ends: sources are followed no longer, the sequence of events ends, and the name can be opened again. What is
  /// undelivered is delivered by the next monitor of the name.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    for source in sources.values { source.cancel() }
    sources = [:]
    timer?.task.cancel()
    timer = nil
    keeper.close()
    wake()
  }

  // MARK: Conditions

  /// Puts in a condition about which nothing is known: the first determination makes an event.
  ///
  /// Under an identifier that is taken, it replaces the condition and restarts its record.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)``, ``MonitorError/closed``.
  public func add(
    _ condition: Condition, identifier: String, options: ConditionOptions = ConditionOptions()
  ) throws(MonitorError) {
    try add(condition, identifier: identifier, assuming: .unknown, options: options)
  }

  /// Puts in a condition with an assumed state: an event is made by the first determination that differs.
  ///
  /// - Throws: ``MonitorError/condition(identifier:_:)``, ``MonitorError/closed``.
  public func add(
    _ condition: Condition, identifier: String, assuming state: MonitoringState,
    options: ConditionOptions = ConditionOptions()
  ) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    defer { perform() }
    try machine.add(
      condition, identifier: identifier, options: options, assuming: state, at: clock.now)
  }

  /// Takes out a condition, its record and its undelivered events. Nothing happens where there is none.
  ///
  /// - Throws: ``MonitorError/closed``; ``MonitorError/condition(identifier:_:)`` for another that gets its slot.
  public func remove(_ identifier: String) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    defer { perform() }
    try machine.remove(identifier, at: clock.now)
  }

  /// What is held of a condition; nil where there is none.
  public func record(for identifier: String) -> MonitoringRecord? {
    machine.stored.conditions[identifier]?.record
  }

  /// The identifiers of all conditions, in the order of adding.
  ///
  /// - Complexity: O(n log n)
  public var identifiers: [String] {
    machine.stored.conditions.values.sorted { $0.number < $1.number }.map(\.identifier)
  }

  /// What suspends a condition; empty while it is watched, nil where there is none.
  public func suspension(of identifier: String) -> Diagnostics? {
    machine.watched[identifier]?.suspension
  }

  /// Which regions are registered, and how far that does; nil before the first fix, and while no region is watched.
  public var plan: Plan? { machine.plan }

  /// What occupies the device's slots, in the order of identifiers.
  public var slots: [Slot] { machine.slots.values.sorted { $0.identifier < $1.identifier } }

  /// Fixes taken and dropped.
  public var fixCounts: FixCounts { machine.fixCounts }

  // MARK: Inputs

  /// Takes a fix, a sighting, a report of the device, or a change of what is allowed.
  ///
  /// - Throws: ``MonitorError/fix(_:)`` for a fix that cannot follow those before it, ``MonitorError/closed``.
  public func receive(_ input: MonitorInput) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    defer { perform() }
    try machine.receive(input, at: clock.now)
  }

  /// Follows a source of inputs until it ends or the monitor is closed; several can be followed.
  ///
  /// Fixes that cannot follow those before them are counted (``refusals``).
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
    guard !isClosed else { return }
    do { try receive(input) } catch { refusals = (refusals.count + 1, error) }
  }

  /// What the last source that failed threw; nil when none has.
  public private(set) var sourceError: (any Error)?

  private func sourceFailed(_ error: any Error) {
    if !(error is CancellationError) { sourceError = error }
  }

  private func end(_ number: Int) { sources[number] = nil }

  // MARK: Events

  /// The events, in the order of their numbers, those first that an earlier monitor of the name did not deliver. Events of
  /// the same fix, or of one other input, are numbered by date, then in the order in which their conditions were added.
  ///
  /// For one consumer: a new iterator ends the one before, and what that one did not finish handling is delivered again.
  public nonisolated var events: Events { Events(monitor: self) }

  /// How many events have not been handled, the one that is being handled included.
  public var pendingEventCount: Int { machine.stored.events.count }

  func makeConsumer() -> Int {
    consumer += 1
    machine.putBack()
    wake()
    return consumer
  }

  /// The event after the one that has just been handled; nil at the end, for one who has been followed by another
  /// consumer, and when cancelled.
  func next(for number: Int) async -> MonitoringEvent? {
    guard number == consumer, !isClosed else { return nil }
    machine.handled()
    perform()
    while !Task.isCancelled, number == consumer, !isClosed {
      if let event = machine.nextEvent() { return event }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // Cancelled or ended meanwhile? The handler comes after this, being on the actor too.
          waiter?.resume()
          waiter = continuation
          if Task.isCancelled { wake() }
        }
      } onCancel: {
        Task { await self.wake() }
      }
    }
    return nil
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  /// A condition as it is stored; nil where there is none.
  func condition(_ identifier: String) -> StoredCondition? { machine.stored.conditions[identifier] }

  /// Stores which event began the stay in progress, the user having been told of it; 0 for none.
  ///
  /// ``notifyOfEntry(_:post:)`` does so when it should.
  func remember(_ number: UInt64, toldOf identifier: String) throws(MonitorError) {
    guard !isClosed else { throw .closed }
    machine.notified(identifier, sequenceNumber: number)
    perform()
  }

  // MARK: Performing

  /// Stores, commands, delivers; in this order.
  private func perform() {
    guard !isClosed else { return }
    let actions = machine.takeActions()
    keeper.commit(actions.changes, of: &machine, at: clock.now)
    if !actions.commands.isEmpty { device.perform(actions.commands) }
    wake()
    setTimer()
  }

  private func setTimer() {
    let deadlines = [machine.nextDeadline, keeper.retryTime].compactMap { $0 }
    guard let deadline = deadlines.min() else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if timer?.deadline == deadline { return }
    timer?.task.cancel()
    let clock = clock
    timer = (
      deadline,
      Task { [weak self] in
        do { try await clock.sleep(until: deadline) } catch { return }
        await self?.timePassed()
      }
    )
  }

  private func timePassed() {
    guard !isClosed else { return }
    timer = nil
    machine.pass(to: clock.now)
    perform()
  }
}
