#if canImport(CoreLocation) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  internal import CoreLocation
  internal import VicinityCrossings
  public import VicinityMonitor

  /// The device of one monitor on a phone: its share of the slots, and what the phone tells it. A
  /// ``PhoneDevice`` has one for itself, and makes more for an app with several monitors, by
  /// ``PhoneDevice/channel(_:slots:)``.
  ///
  /// Each channel asks the phone as if it were alone. The phone has a service on as long as one channel wants
  /// it; a position or a visit that wakes the app is told to each. The same monitor may be closed and opened
  /// again.
  @MainActor
  public final class PhoneChannel: MonitoringDevice {
    /// The name of the `CLMonitor`, or what the identifiers of regions begin with.
    public nonisolated let name: String
    /// How many slots the monitor has.
    public nonisolated let slots: Int
    /// The same, for the monitor: it plans for them.
    public nonisolated var slotCapacity: Int? { slots }
    /// What the phone tells the monitor, for `Monitor.follow(_:)`.
    public nonisolated var inputs: PhoneInputs { PhoneInputs(queue: queue) }

    private enum Message: Sendable {
      case opened(slots: Int)
      case commands([DeviceCommand])
      /// The monitor has dealt with all that it was told.
      case caughtUp
      case closed
    }

    private enum Phase {
      /// No monitor has been open so far, or one is being opened: what the phone tells is kept for it.
      case early([PhoneEvent])
      case open
      /// Nobody wants to hear anything. At the next opening the state of each slot is asked for.
      case closed
    }

    private nonisolated let queue: InputQueue
    private nonisolated let messages: AsyncStream<Message>.Continuation
    private let services: PhoneServices
    private let phone: CoreLocationPhone
    private var driver: PhoneDriver
    /// How many slots the monitor uses at most.
    private var slotLimit: Int
    private var phase = Phase.early([])
    private var updates: Task<Void, Never>?
    /// What keeps the app running until the monitor has caught up.
    private var catchingUp: BackgroundTask?
    /// Whether there has been a task for what the phone tells a monitor that is not open yet. One is enough:
    /// of a channel that nobody opens, each event would keep the app running until the time is up.
    private var hasHeldEarly = false
    /// Whether the name is this channel's in this process.
    private nonisolated let hasName: Bool
    private nonisolated let service: SlotService

    /// So many events are kept for a monitor that is not open yet.
    private static let mostEarly = 1000

    init(_ name: String, slots: Int, _ services: PhoneServices) {
      let (stream, messages) = AsyncStream.makeStream(of: Message.self)
      (self.name, self.slots, self.services, self.messages) = (name, slots, services, messages)
      service = services.options.slots
      hasName = PhoneNames.claim(name, service)
      queue = InputQueue { messages.yield(.caughtUp) }
      let backEnd: any SlotBackEnd = hasName ? service.backEnd(name, services.waker) : NoSlots()
      phone = CoreLocationPhone(name, backEnd, services)
      driver = PhoneDriver(phone, pause: services.options.pause)
      slotLimit = slots
      phone.onEvent = { [weak self] in self?.handle($0) }
      if let regions = backEnd as? ClassicRegionSlots { services.watch(regions) }
      services.add(self)
      Task { [weak self] in
        for await message in stream { await self?.take(message) }
      }
    }

    deinit {
      messages.finish()
      queue.finish()
      updates?.cancel()
      Task { @MainActor [phone, name, service, hasName] in
        phone.stop()
        if hasName { PhoneNames.release(name, service) }
      }
    }

    /// Options for the monitor: a region larger than the phone can watch gets no slot.
    public var monitorOptions: MonitorOptions {
      var options = MonitorOptions()
      options.plan.maximumRegionRadius = phone.maximumRegionRadius
      return options
    }

    // MARK: What the monitor asks

    public nonisolated func monitorOpened(slots: Int) { messages.yield(.opened(slots: slots)) }

    public nonisolated func perform(_ commands: [DeviceCommand]) { messages.yield(.commands(commands)) }

    public nonisolated func stored(unhandledEvents: Int) { queue.stored(unhandledEvents: unhandledEvents) }

    public nonisolated func monitorClosed() { messages.yield(.closed) }

    private func take(_ message: Message) async {
      switch message {
      case .opened(let slots): slotLimit = slots
      case .commands(let commands):
        await open()
        driver.useSlots(atMost: slotLimit)
        driver.perform(commands)
        tell(driver.takeInputs())
        follow()
      case .caughtUp: catchUp()
      case .closed: close()
      }
    }

    private func open() async {
      switch phase {
      case .open: return
      case .early: break
      case .closed:
        phase = .early([])
        driver = PhoneDriver(phone, pause: services.options.pause)
      }
      if !hasName {
        services.note(PhoneNames.isValid(name) ? PhoneError.nameInUse(name) : .invalidName(name))
      }
      await phone.open()
      guard case .early(let events) = phase else { return }
      phase = .open
      hasHeldEarly = false
      handle(.launched(.location))
      for event in events { handle(event) }
    }

    private func close() {
      phase = .closed
      phone.stop()
      catchingUp = nil
      stopUpdates()
      queue.clear()
    }

    /// Lets the app sleep where the monitor has dealt with all that it was told, and nobody waits for a
    /// position.
    private func catchUp() {
      guard case .open = phase, queue.hasCaughtUp else { return }
      driver.finish()
      guard let task = catchingUp.take() else { return }
      phone.endBackgroundTask(task)
    }

    // MARK: What the phone tells

    /// Tells the monitor what an event means.
    ///
    /// - Returns: What it was told.
    @discardableResult
    func handle(_ event: PhoneEvent) -> [MonitorInput] {
      switch (phase, event) {
      case (.open, _): break
      case (.closed, _): return []
      // What is allowed, and whether the app is in front, is asked at the opening.
      case (.early, .settingsChanged), (.early, .becameActive), (.early, .enteredBackground): return []
      case (.early, .taskExpires(let task)):
        if task == catchingUp { catchingUp = nil }
        phone.endBackgroundTask(task)
        return []
      case (.early(let events), _):
        if events.count < Self.mostEarly { phase = .early(events + [event]) }
        // Opening the monitor takes time, which an app has that was launched for the event.
        if !hasHeldEarly { hasHeldEarly = stayAwake() }
        return []
      }
      if case .taskExpires(let task) = event, task == catchingUp { catchingUp = nil }
      let inputs = driver.inputs(event) + driver.takeInputs()
      tell(inputs)
      follow()
      if inputs.isEmpty { catchUp() }
      return inputs
    }

    /// The time of all background tasks is nearly up.
    func expireTasks() { for task in phone.tasks { handle(.taskExpires(task)) } }

    private func tell(_ inputs: [MonitorInput]) {
      guard !inputs.isEmpty else { return }
      queue.tell(inputs)
      if !queue.hasCaughtUp { stayAwake() }
    }

    /// Keeps the app running until the monitor has caught up, unless it is known to be in front, where it
    /// runs anyway.
    ///
    /// - Returns: Whether something keeps it running.
    @discardableResult
    private func stayAwake() -> Bool {
      guard services.front != true, catchingUp == nil else { return catchingUp != nil }
      catchingUp = phone.beginBackgroundTask("inputs")
      return true
    }

    // MARK: Live updates

    /// Begins or ends live updates, while only fixes can decide about a slot.
    private func follow() {
      guard driver.needsFixes else { return stopUpdates() }
      guard updates == nil else { return }
      updates = Task { [weak self, configuration = services.options.updates] in
        await Self.update(configuration) { [weak self] in
          await self?.arrived($0)
        } failed: { [weak self] in
          await self?.services.note($0)
        }
        // Cancelled, other updates may have taken their place.
        if !Task.isCancelled { self?.updates = nil }
      }
    }

    private func stopUpdates() {
      updates?.cancel()
      updates = nil
      services.reportUpdates(nil, of: name)
    }

    /// What a location update says.
    private struct Update: Sendable {
      var fix: Fix?
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
              fix: update.location.map { Fix($0) }, diagnostics: Diagnostics(update)))
        }
      } catch {
        await failed(error)
      }
    }

    private func arrived(_ update: Update) {
      // One that was under way when they ended.
      guard updates != nil else { return }
      services.reportUpdates(update.diagnostics.isEmpty ? nil : update.diagnostics, of: name)
      // Any fix fulfils a request.
      if let fix = update.fix { handle(.locations([fix], from: .single)) }
    }
  }
#endif
