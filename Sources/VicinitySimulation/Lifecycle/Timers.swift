internal import VicinityCrossings
internal import VicinityMonitor

/// A timer of the app that has not fired yet.
struct AppTimer {
  var number: Int
  var due: Timestamp
  /// Whether its callback waits for the main thread.
  var isQueued = false
}

extension SimulatedPhone {
  /// Sets a timer: `PhoneEvent.timer` comes once, while the app runs. A timer that is due while the app is
  /// suspended fires when the app continues. Timers do not wake an app and end with its process.
  ///
  /// - Parameter delay: Counted from now; zero and less count as 0.1 ms, as for `Timer`.
  /// - Returns: The timer's number, for ``cancelTimer(_:)``; zero when the app does not run.
  /// - Complexity: O(n) in the number of pending timers.
  @discardableResult
  public func setTimer(after delay: Duration) -> Int {
    guard appRuns else { return 0 }
    lifecycle.lastTimer += 1
    let due = now.advanced(by: max(delay, .microseconds(100)))
    lifecycle.timers.append(AppTimer(number: lifecycle.lastTimer, due: due))
    scheduleTimers()
    return lifecycle.lastTimer
  }

  /// Cancels a timer; unknown numbers, and timers that have fired, are ignored.
  public func cancelTimer(_ number: Int) {
    if removeTimer(number) { scheduleTimers() }
  }

  /// Removes a timer. Returns false when there is none of this number.
  func removeTimer(_ number: Int) -> Bool {
    guard let index = lifecycle.timers.firstIndex(where: { $0.number == number }) else { return false }
    lifecycle.timers.remove(at: index)
    return true
  }

  func scheduleTimers() {
    var next = Timestamp.distantFuture
    if appRuns, !lifecycle.isAsleep {
      for timer in lifecycle.timers where !timer.isQueued { next = min(next, timer.due) }
    }
    timers[.appTimer] = next
  }

  func appTimerIsDue() {
    var due: [AppTimer] = []
    for index in lifecycle.timers.indices {
      guard lifecycle.timers[index].due <= now, !lifecycle.timers[index].isQueued else { continue }
      lifecycle.timers[index].isQueued = true
      due.append(lifecycle.timers[index])
    }
    due.sort { ($0.due, $0.number) < ($1.due, $1.number) }
    // The timers are queued: when the first one ends what kept the app running, the others wait until it runs
    // again.
    for timer in due { lifecycle.main.append(.timer(timer.number), isOwed: false) }
    settle()
    scheduleTimers()
  }
}
