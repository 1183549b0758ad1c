internal import VicinityCrossings

extension SimulatedPhone {
  /// Makes several changes that are one, and settles what follows from them when all are made.
  func change(_ body: () -> Void) {
    let isOuter = !lifecycle.isSettling
    lifecycle.isSettling = true
    body()
    guard isOuter else { return }
    lifecycle.isSettling = false
    settle()
  }

  /// Does what is due in the app's life, until nothing is, and asks to be woken for what comes next.
  func settle() {
    guard !lifecycle.isSettling, !lifecycle.main.isCalling else { return }
    lifecycle.isSettling = true
    while settlesStep() {}
    lifecycle.isSettling = false
    agenda[.lifecycle] = nextInLife()
  }

  func lifecycleIsDue() { settle() }

  /// One thing that is due; whether there was one.
  private func settlesStep() -> Bool {
    guard lifecycle.state == .foreground || lifecycle.state == .background, !lifecycle.isAsleep else {
      return false
    }
    if lifecycle.main.isBusy {
      if lifecycle.main.killTime < lifecycle.main.busyEnd, lifecycle.main.killTime <= now {
        kill(because: "main thread blocked")
        return true
      }
      if lifecycle.main.busyEnd <= now { becomeFree() }
    }
    if lifecycle.state == .background, expires() { return true }
    guard !lifecycle.main.isBusy else { return false }
    if lifecycle.state == .background, lifecycle.main.owed == 0, !hasReasonToRun, !lifecycle.isTerminating {
      suspend()
      return true
    }
    if let event = lifecycle.main.next() {
      call(event)
      return true
    }
    if lifecycle.isTerminating {
      end(because: "terminated")
      return true
    }
    return false
  }

  /// Whether anything keeps the app from being suspended, its main thread apart.
  private var hasReasonToRun: Bool {
    lifecycle.eventEnd > now || !lifecycle.tasks.isEmpty || scenario.rules.platform == .macOS
      || standardKeepsAppRunning
  }

  private func suspend() {
    setState(.suspended, because: "nothing keeps it running")
    appStateChanged(from: .background)
  }

  private func nextInLife() -> Timestamp {
    var next = Timestamp.distantFuture
    guard lifecycle.state == .foreground || lifecycle.state == .background, !lifecycle.isAsleep else {
      return next
    }
    if lifecycle.main.isBusy { next = min(lifecycle.main.busyEnd, lifecycle.main.killTime) }
    if lifecycle.state == .background {
      if lifecycle.eventEnd > now { next = min(next, lifecycle.eventEnd) }
      if let expiry = nextExpiry { next = min(next, expiry) }
    }
    return next
  }
}
