internal import VicinityCrossings
internal import VicinityMonitor

/// The app's main thread: it handles one callback at a time; further events wait.
struct MainThread {
  struct Waiting {
    var event: PhoneEvent
    /// Whether the app must get this event before it is suspended.
    var isOwed: Bool
  }

  /// Whether the app is being called at this moment.
  var isCalling = false
  /// Whether the last callback is still working.
  var isBusy = false
  /// When the callback has finished.
  var busyEnd = Timestamp.distantPast
  /// When the app is killed if the callback has not finished, where nothing protects it.
  var killTime = Timestamp.distantFuture
  /// A blocking loop of the current callback: how long its next turn takes; nil when it is done.
  var loop: ((SimulatedPhone) -> Duration?)?
  /// Whether the app is being called on another thread, beside the main thread's callback.
  var isBeside = false
  /// Since when the app resigns being active and enters the background; nil outside that.
  var leavingSince: Timestamp?
  /// Whether the current callback is the last message of leaving the app.
  var isEndingLeave = false
  /// Whether the app has resigned being active in front, as in a call that rings.
  var isInterrupted = false
  /// The tasks that the current callback ends after some of its work, and when.
  var taskEnds: [(time: Timestamp, task: BackgroundTask)] = []
  /// When the computer went to sleep during a callback.
  var asleepSince: Timestamp?
  private var queue: [Waiting] = []
  private var head = 0
  /// How many of the waiting events the app must get before it is suspended.
  private(set) var owed = 0

  var isFree: Bool { !isCalling && !isBusy && head == queue.count }

  /// How many waiting events still matter.
  func waitingCount(unless isObsolete: (PhoneEvent) -> Bool) -> Int {
    queue[head...].count { !isObsolete($0.event) }
  }

  /// Adds an event at the end of the queue.
  ///
  /// Positions that arrive while earlier ones wait are delivered together with them in one callback
  /// (`locationManager(_:didUpdateLocations:)`: "if multiple locations arrived before they could be
  /// delivered, the array may contain additional entries").
  mutating func append(_ event: PhoneEvent, isOwed: Bool) {
    if isOwed { owed += 1 }
    if !isOwed, head < queue.count, case .locations(let later, let source) = event,
      case .locations(let earlier, source) = queue[queue.count - 1].event
    {
      queue[queue.count - 1].event = .locations(earlier + later, from: source)
      return
    }
    queue.append(Waiting(event: event, isOwed: isOwed))
  }

  mutating func next() -> PhoneEvent? {
    guard head < queue.count else { return nil }
    let waiting = queue[head]
    head += 1
    if waiting.isOwed { owed -= 1 }
    if head == queue.count {
      queue.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return waiting.event
  }

  mutating func removeAll() {
    queue.removeAll()
    head = 0
    owed = 0
  }
}

extension SimulatedPhone {
  /// Delivers an event to the app. Returns false when the app will never get it.
  ///
  /// - A running app gets it at once, or when its main thread is free.
  /// - A suspended app is woken by ``DeliveryKind/relaunching`` events, for ``BackgroundRules/eventTime``:
  ///   "if the app is suspended when the event occurs, it’s woken up and given a short amount of time (around
  ///   10 seconds) to handle the event" (*Location and Maps Programming Guide*, "Region Monitoring and
  ///   iBeacon"). Further events extend the time.
  /// - An app without a process is started by them; see ``relaunches``.
  ///
  /// Nothing is delivered while a computer sleeps.
  ///
  /// - Parameter isNotified: Whether the notifications for the event have been shown before.
  @discardableResult
  func deliver(_ event: PhoneEvent, _ kind: DeliveryKind, isNotified: Bool = false) -> Bool {
    if lifecycle.notifications != nil, !isNotified { notificationsHandle(event) }
    guard !lifecycle.isAsleep, !lifecycle.isTerminating else { return false }
    switch lifecycle.state {
    case .foreground:
      dispatch(event)
    case .background:
      if kind == .relaunching {
        lifecycle.eventEnd = now.advanced(by: scenario.rules.eventTime)
        if event.isSignificantChange { lifecycle.isWokenByMove = true }
      }
      dispatch(event)
    case .suspended:
      guard kind == .relaunching, wakesApp else { return false }
      wake(for: event, time: scenario.rules.eventTime, because: "event")
    case .notRunning:
      guard kind == .relaunching, relaunches else { return false }
      relaunch(for: event)
    }
    return true
  }

  /// Calls the app if its main thread is free, and queues the event otherwise.
  func dispatch(_ event: PhoneEvent, isOwed: Bool = false) {
    if lifecycle.main.isFree {
      call(event)
    } else {
      lifecycle.main.append(event, isOwed: isOwed)
    }
    settle()
  }

  func call(_ event: PhoneEvent) {
    guard !dropIfObsolete(event), var process = app.take() else { return }
    record(.delivered(event))
    if case .keptAlive = event { nextKeepAlive() }
    if case .locations(let fixes, _) = event {
      lifecycle.previousLocation = lifecycle.lastLocation
      lifecycle.lastLocation = fixes.last
    }
    lifecycle.turn += 1
    lifecycle.main.isCalling = true
    lifecycle.main.busyEnd = now
    if slotService == .conditionMonitor { remember(event) }
    process.phone(self, did: event)
    performAdditions(to: event)
    app = process
    lifecycle.main.isCalling = false
    if lifecycle.main.busyEnd <= now { goOnWithLoop() }
    if case .enteredBackground = event {
      lifecycle.main.isEndingLeave = lifecycle.main.busyEnd > now
      if !lifecycle.main.isEndingLeave { lifecycle.main.leavingSince = nil }
    }
    if lifecycle.main.busyEnd > now {
      becomeBusy(until: killTime(of: event))
    } else if !hasPowerOfItsOwn(event) {
      meter.pulse(.cpu, profile.awake.value, due: .awake, seconds: profile.awakeTail.value, at: now)
    }
  }

  /// Has the app do what the scenario adds to a callback.
  private func performAdditions(to event: PhoneEvent) {
    switch event {
    case .launched: for request in scenario.atLaunch { perform(request) }
    case .enteredBackground: for request in scenario.whenLeft { perform(request) }
    case .keptAlive: work(lifecycle.keepAliveWork)
    case .taskExpires(let task): if lifecycle.watchedTask == task { lifecycle.watchedTask = .invalid }
    default: break
    }
  }

  /// The current callback works on; the app is killed if it does so at a time, where nothing protects it.
  private func becomeBusy(until killTime: Timestamp) {
    lifecycle.main.isBusy = true
    lifecycle.main.killTime = killTime
    meter.hold(.cpu, profile.awake.value, due: .awake, by: .lifecycle, at: now)
    meter.hold(.app, profile.work.value, due: .work, by: .lifecycle, at: now)
  }

  /// Has the app do something on its main thread, that a scenario adds: within the callback that goes on, if
  /// there is one, and in one of its own otherwise.
  func callInOrder(_ body: () -> Void) {
    if lifecycle.main.isCalling { return body() }
    lifecycle.turn += 1
    lifecycle.main.isCalling = true
    if !lifecycle.main.isBusy { lifecycle.main.busyEnd = now }
    body()
    lifecycle.main.isCalling = false
    if !lifecycle.main.isBusy, lifecycle.main.busyEnd <= now { goOnWithLoop() }
    if !lifecycle.main.isBusy, lifecycle.main.busyEnd > now {
      becomeBusy(until: now.advanced(by: max(scenario.rules.watchdogTime, .milliseconds(1))))
    }
    settle()
  }

  /// Calls the app on another thread, whatever its main thread does.
  func callBeside(_ event: PhoneEvent) {
    guard var process = app.take() else { return }
    record(.delivered(event))
    (lifecycle.main.isCalling, lifecycle.main.isBeside) = (true, true)
    process.phone(self, did: event)
    performAdditions(to: event)
    (lifecycle.main.isCalling, lifecycle.main.isBeside) = (false, false)
    app = process
  }

  /// Asks the callback's blocking loop for its next turn. Returns whether there is one.
  @discardableResult
  func goOnWithLoop() -> Bool {
    guard let loop = lifecycle.main.loop else { return false }
    lifecycle.main.isCalling = true
    lifecycle.main.busyEnd = now
    let length = loop(self)
    lifecycle.main.isCalling = false
    if let length {
      lifecycle.main.busyEnd = lifecycle.main.busyEnd.advanced(by: max(length, .milliseconds(1)))
    } else {
      lifecycle.main.loop = nil
    }
    return lifecycle.main.busyEnd > now
  }

  /// Ends the work of the main thread: the callback has returned, or its process is gone.
  func becomeFree() {
    guard lifecycle.main.isBusy else { return }
    lifecycle.main.isBusy = false
    lifecycle.main.loop = nil
    lifecycle.main.killTime = .distantFuture
    endTasksInOrder(upTo: now)
    meter.hold(.app, 0, due: .work, by: .lifecycle, at: now)
    meter.hold(.cpu, 0, due: .awake, by: .lifecycle, at: now)
    meter.pulse(.cpu, profile.awake.value, due: .awake, seconds: profile.awakeTail.value, at: now)
  }

  /// Whether an event became obsolete while it waited: its timer was cancelled, or its task ended.
  func isObsolete(_ event: PhoneEvent) -> Bool {
    switch event {
    case .timer(let number): !lifecycle.timers.contains { $0.number == number }
    case .taskExpires(let task): !lifecycle.tasks.contains { $0.task == task }
    default: false
    }
  }

  /// Whether an event is obsolete, or nothing in the app's process is there to get it. Also removes the timer
  /// of a timer event, which now fires.
  private func dropIfObsolete(_ event: PhoneEvent) -> Bool {
    if case .timer(let number) = event { return !removeTimer(number) }
    if event.isSignificantChange, !significant.isFollowed, !scenario.faults.contains(.earlyEvents) {
      record(.lost("a significant change: the app has not started the service since its launch"))
      return true
    }
    return isObsolete(event)
  }

  /// When a callback that begins now ends the app: after ``BackgroundRules/keepAliveTime`` for the keep-alive
  /// handler, after ``BackgroundRules/watchdogTime`` for all others. By the guides' rules the messages of
  /// leaving the app share that time.
  private func killTime(of event: PhoneEvent) -> Timestamp {
    // At least a millisecond, so that time passes whatever the rules say.
    if case .keptAlive = event {
      return now.advanced(by: max(scenario.rules.keepAliveTime, .milliseconds(1)))
    }
    let limit = max(scenario.rules.watchdogTime, .milliseconds(1))
    guard scenario.rules.watchdog == .leaving else { return now.advanced(by: limit) }
    switch event {
    case .willResignActive, .enteredBackground:
      return max((lifecycle.main.leavingSince ?? now).advanced(by: limit), now.advanced(by: .milliseconds(1)))
    default: return now.advanced(by: limit)
    }
  }

  /// When the current callback ends the app; not while something protects it.
  var currentKillTime: Timestamp {
    // The last call has its time, whatever tasks are held.
    guard scenario.rules.watchdog == .leaving, !lifecycle.isTerminating else {
      return lifecycle.main.killTime
    }
    let isLeaving = lifecycle.main.leavingSince != nil
    if !lifecycle.tasks.isEmpty || lifecycle.state == .foreground && !isLeaving {
      return .distantFuture
    }
    return lifecycle.main.killTime
  }

  /// Ends the tasks that the current callback has come to end by a time. When the last protection goes while
  /// the callback works on, it has the watchdog's time again.
  func endTasksInOrder(upTo time: Timestamp) {
    let due = lifecycle.main.taskEnds.filter { $0.time <= time }
    guard !due.isEmpty else { return }
    lifecycle.main.taskEnds.removeAll { $0.time <= time }
    for (_, task) in due { removeTask(task) }
  }

  /// What an app's main thread takes for the time: in a callback, when the work that it has asked for is
  /// done.
  var mainThreadTime: Timestamp {
    lifecycle.main.isCalling && !lifecycle.main.isBeside ? max(now, lifecycle.main.busyEnd) : now
  }

  /// Whether the energy of the callback is part of its service's figures: ``TierProfile/fix`` covers
  /// positions.
  private func hasPowerOfItsOwn(_ event: PhoneEvent) -> Bool {
    switch event {
    case .locations(_, .standard), .locations(_, .single): true
    default: false
    }
  }

  /// Keeps the app's main thread busy, as part of the current callback. Nothing else reaches the app until
  /// the work is done. Several calls add up.
  ///
  /// An app that blocks its main thread for too long is killed: see ``BackgroundRules/watchdog``. Other
  /// threads go on meanwhile (``workConcurrently(_:_:)``), timers do not. A call outside a callback, or with
  /// no duration, has no effect.
  public func work(_ duration: Duration) {
    guard lifecycle.main.isCalling, !lifecycle.main.isBeside, duration > .zero else { return }
    lifecycle.main.busyEnd = lifecycle.main.busyEnd.advanced(by: duration)
  }

  /// Keeps the app's main thread busy with a loop, as the last part of the current callback, after what
  /// ``work(_:)`` has asked for: a blocking loop that looks at the remaining time and at flags.
  ///
  ///     let task = phone.beginBackgroundTask("save")
  ///     phone.work(inTurns: { phone in
  ///       guard !isCancelled, !parts.isEmpty else {
  ///         phone.endBackgroundTask(task)
  ///         return nil
  ///       }
  ///       parts.removeFirst()
  ///       return .seconds(1)
  ///     })
  ///     // In `taskExpires`, which comes meanwhile by the guides' rules:
  ///     isCancelled = true
  ///
  /// Where the rules call expiration handlers on the main thread
  /// (``BackgroundRules/expiresBesideMainThread``), the handler waits until the loop is done.
  ///
  /// - Parameter turn: Called before each turn; how long it takes, at least a millisecond, and nil when the
  ///   loop is done. A later call in the same callback takes the place of an earlier one.
  public func work(inTurns turn: @escaping (SimulatedPhone) -> Duration?) {
    guard lifecycle.main.isCalling, !lifecycle.main.isBeside else { return }
    lifecycle.main.loop = turn
  }
}
