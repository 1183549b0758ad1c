internal import VicinityCrossings

/// The app's main thread: callbacks come one after another, and while one works, others wait.
struct MainThread {
  /// An event that waits for the thread.
  struct Waiting {
    var event: PhoneEvent
    /// Whether the app is not suspended before it has had this one.
    var isOwed: Bool
  }

  /// Whether a callback is being made at this moment.
  var isCalling = false
  /// Whether a callback that has been made is still at work.
  var isBusy = false
  /// Until when it works.
  var busyEnd = Timestamp.distantPast
  /// When the app is killed unless it has finished.
  var killTime = Timestamp.distantFuture
  /// Since when the computer sleeps in the midst of it.
  var asleepSince: Timestamp?
  private var queue: [Waiting] = []
  private var head = 0
  /// How many of those that wait the app is owed.
  private(set) var owed = 0

  var isFree: Bool { !isCalling && !isBusy && head == queue.count }

  /// How many of those that wait are still of use.
  func waitingCount(unless isOver: (PhoneEvent) -> Bool) -> Int { queue[head...].count { !isOver($0.event) } }

  /// Puts an event behind the others.
  ///
  /// Positions that arrive before earlier ones could be delivered come with these in one callback
  /// (`locationManager(_:didUpdateLocations:)`: "if multiple locations arrived before they could be delivered, the array may
  /// contain additional entries").
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
  /// Tells the app. Says whether it was told, or will be as soon as it can listen.
  ///
  /// - An app that runs is told at once, or when its main thread has finished what it is at.
  /// - A suspended app is woken for ``DeliveryKind/relaunching`` events, for ``BackgroundRules/eventTime``: "if the app is
  ///   suspended when the event occurs, it’s woken up and given a short amount of time (around 10 seconds) to handle the
  ///   event" (*Location and Maps Programming Guide*, "Region Monitoring and iBeacon"). More events extend the time.
  /// - An app without a process is started for them; see ``relaunches``.
  ///
  /// Anything else is not told, and neither is anything while a computer sleeps.
  @discardableResult
  func deliver(_ event: PhoneEvent, _ kind: DeliveryKind) -> Bool {
    if lifecycle.notifications != nil { notificationsNotice(event) }
    guard !lifecycle.isAsleep, !lifecycle.isTerminating else { return false }
    switch lifecycle.state {
    case .foreground:
      hand(event)
    case .background:
      if kind == .relaunching { lifecycle.eventEnd = now.advanced(by: scenario.rules.eventTime) }
      hand(event)
    case .suspended:
      guard kind == .relaunching, scenario.capabilities.authorization == .always else { return false }
      wake(for: event, time: scenario.rules.eventTime, because: "event")
    case .notRunning:
      guard kind == .relaunching, relaunches else { return false }
      relaunch(for: event)
    }
    return true
  }

  /// Gives an event to the main thread.
  func hand(_ event: PhoneEvent, isOwed: Bool = false) {
    if lifecycle.main.isFree {
      call(event)
    } else {
      lifecycle.main.append(event, isOwed: isOwed)
    }
    settle()
  }

  /// Makes a callback, now.
  func call(_ event: PhoneEvent) {
    guard !dropsAsOver(event), var process = app.take() else { return }
    record(.delivered(event))
    if case .keptAlive = event { nextKeepAlive() }
    lifecycle.main.isCalling = true
    lifecycle.main.busyEnd = now
    process.phone(self, did: event)
    app = process
    lifecycle.main.isCalling = false
    if lifecycle.main.busyEnd > now {
      lifecycle.main.isBusy = true
      lifecycle.main.killTime = now.advanced(by: timeLimit(of: event))
      meter.hold(.cpu, profile.awake.value, by: .lifecycle, at: now)
      meter.hold(.app, profile.work.value, by: .lifecycle, at: now)
    } else if !hasPowerOfItsOwn(event) {
      meter.pulse(.cpu, profile.awake.value, seconds: profile.awakeTail.value, at: now)
    }
  }

  /// The callback that worked has returned, or its process is gone.
  func becomeFree() {
    guard lifecycle.main.isBusy else { return }
    lifecycle.main.isBusy = false
    lifecycle.main.killTime = .distantFuture
    meter.hold(.app, 0, by: .lifecycle, at: now)
    meter.hold(.cpu, 0, by: .lifecycle, at: now)
    meter.pulse(.cpu, profile.awake.value, seconds: profile.awakeTail.value, at: now)
  }

  /// Whether an event has lost its object while it waited: a timer cancelled, a task ended.
  func isOver(_ event: PhoneEvent) -> Bool {
    switch event {
    case .timer(let number): !lifecycle.timers.contains { $0.number == number }
    case .taskExpires(let task): !lifecycle.tasks.contains { $0.task == task }
    default: false
    }
  }

  /// Whether an event is over; a timer is, once it fires.
  private func dropsAsOver(_ event: PhoneEvent) -> Bool {
    if case .timer(let number) = event { return !removeTimer(number) }
    return isOver(event)
  }

  /// How long a callback may take: ``BackgroundRules/keepAliveTime`` for the keep-alive handler, and for all others
  /// ``BackgroundRules/watchdogTime``.
  private func timeLimit(of event: PhoneEvent) -> Duration {
    // A thousandth of a second at least, so that time passes whatever the rules say.
    if case .keptAlive = event { return max(scenario.rules.keepAliveTime, .milliseconds(1)) }
    return max(scenario.rules.watchdogTime, .milliseconds(1))
  }

  /// Whether what a callback costs is in its service's figures: ``TierProfile/fix`` has it for positions.
  private func hasPowerOfItsOwn(_ event: PhoneEvent) -> Bool {
    switch event {
    case .locations(_, .standard), .locations(_, .single): true
    default: false
    }
  }

  /// The app's main thread works for a while, as part of the callback that is being made: nothing else reaches the app until
  /// it has finished. Several calls add up.
  ///
  /// An app whose main thread is blocked for longer than ``BackgroundRules/watchdogTime`` is killed then
  /// (Apple, *Addressing watchdog terminations*; that it is 10 s, and in front as behind, is simplified).
  /// Outside a callback, or for no time, nothing happens.
  public func work(_ duration: Duration) {
    guard lifecycle.main.isCalling, duration > .zero else { return }
    lifecycle.main.busyEnd = lifecycle.main.busyEnd.advanced(by: duration)
  }
}
