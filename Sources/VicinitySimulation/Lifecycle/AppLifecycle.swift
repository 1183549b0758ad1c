internal import VicinityCrossings
internal import VicinityMonitor

// The states of an app and the transitions between them, in the order in which `UIApplicationDelegate`
// reports them (*App Programming Guide for iOS*, "The App Life Cycle" and "Strategies for Handling App State
// Transitions").
extension SimulatedPhone {
  /// What the app is doing.
  public var appState: AppState { lifecycle.state }

  /// Starts the run: the user has just opened the app.
  func lifecycleBegins() {
    scheduleAction()
    launch(.user)
  }

  func lifecycleEnds() {
    if lifecycle.state == .background { countBackground() }
  }

  /// Sets the state of the app. The caller informs the services, because it knows in which order the app gets
  /// its events.
  func setState(_ state: AppState, because reason: String) {
    if lifecycle.state == .background { countBackground() }
    lifecycle.state = state
    if state == .foreground { lifecycle.hasBeenInFront = true }
    if state == .notRunning { lifecycle.hasBeenInFront = false }
    lifecycle.eventEnd = .distantPast
    lifecycle.isWokenByMove = false
    lifecycle.backgroundSince = state == .background ? now : nil
    renewBudget()
    record(.lifecycle(state, because: reason))
    scheduleTimers()
    scheduleConcurrentWork()
  }

  func countBackground() {
    if let since = lifecycle.backgroundSince { counts.backgroundSeconds += now.seconds(since: since) }
    lifecycle.backgroundSince = now
  }

  /// Starts a process. In the foreground the app gets `didFinishLaunching` and `didBecomeActive`. When the
  /// system starts it, it gets `didFinishLaunching` only and may run for ``BackgroundRules/eventTime``.
  ///
  /// - Parameters:
  ///   - event: What the app is started for.
  ///   - isEarly: Whether it is told of that before all else, by ``PhoneFault/earlyEvents``.
  func launch(_ reason: LaunchReason, for event: PhoneEvent? = nil, isEarly: Bool = false) {
    change {
      setState(reason == .user ? .foreground : .background, because: "launched: \(reason.rawValue)")
      app = makeApp()
      if reason != .user {
        counts.relaunches += 1
        lifecycle.eventEnd = now.advanced(by: scenario.rules.eventTime)
        lifecycle.isWokenByMove = event?.isSignificantChange == true
      }
      if let event, isEarly { dispatch(event, isOwed: true) }
      dispatch(.launched(reason), isOwed: true)
      appStateChanged(from: .notRunning)
      if reason == .user { dispatch(.becameActive, isOwed: true) }
    }
  }

  /// Brings the app to the foreground: `willEnterForeground`, then what the services have held back, then
  /// `didBecomeActive`. Queued notifications reach an app that resumes "before any touch events or other user
  /// input".
  func enterForeground() {
    change {
      let old = lifecycle.state
      lifecycle.main.leavingSince = nil
      setState(.foreground, because: "opened")
      dispatch(.willEnterForeground, isOwed: true)
      tellSettings()
      appStateChanged(from: old)
      dispatch(.becameActive, isOwed: true)
    }
  }

  /// Sends the app to the background: `willResignActive` for an app that asks for it, then
  /// `didEnterBackground`. When that has returned and nothing keeps it running, it is suspended.
  func enterBackground() {
    change {
      lifecycle.main.leavingSince = now
      if scenario.rules.watchdog == .leaving, lifecycle.main.isBusy {
        // In front nothing ended the callback; now it has the time that leaving has.
        lifecycle.main.killTime = now.advanced(by: max(scenario.rules.watchdogTime, .milliseconds(1)))
      }
      if !lifecycle.main.isInterrupted { resignActive() }
      lifecycle.main.isInterrupted = false
      setState(.background, because: "left")
      dispatch(.enteredBackground, isOwed: true)
      appStateChanged(from: .foreground)
    }
  }

  private func resignActive() {
    if app?.isToldOfDeactivation == true || capabilities.isToldOfDeactivation {
      dispatch(.willResignActive, isOwed: true)
    }
  }

  /// Something covers the app in front.
  func interrupt() {
    guard lifecycle.state == .foreground, !lifecycle.main.isInterrupted, !lifecycle.isTerminating else {
      return
    }
    change {
      lifecycle.main.isInterrupted = true
      resignActive()
    }
  }

  /// What covered the app has gone.
  func endInterruption() {
    guard lifecycle.main.isInterrupted else { return }
    change {
      lifecycle.main.isInterrupted = false
      dispatch(.becameActive, isOwed: true)
    }
  }

  /// Resumes a suspended app for an event. Events already in its queue come first.
  func wake(for event: PhoneEvent, time: Duration, because reason: String) {
    change {
      setState(.background, because: "woken: \(reason)")
      counts.wakes += 1
      lifecycle.eventEnd = now.advanced(by: time)
      lifecycle.isWokenByMove = event.isSignificantChange
      appStateChanged(from: .suspended)
      tellSettings()
      dispatch(event, isOwed: true)
    }
  }

  /// Ends the process and discards what belonged to it: tasks, timers, undelivered events.
  func end(because reason: String) {
    guard lifecycle.state != .notRunning else { return }
    change {
      becomeFree()
      let untold = lifecycle.main.waitingCount(unless: isObsolete)
      if untold > 0 {
        record(.lost("\(DecimalText.count(untold, "event", "events")) that the app had not been told"))
      }
      lifecycle.main.removeAll()
      lifecycle.main.taskEnds.removeAll()
      lifecycle.main.leavingSince = nil
      lifecycle.main.isEndingLeave = false
      lifecycle.main.isInterrupted = false
      lifecycle.hasUntoldSettings = false
      lifecycle.lastLocation = nil
      lifecycle.previousLocation = nil
      endConcurrentWork()
      lifecycle.tasks.removeAll()
      lifecycle.timers.removeAll()
      lifecycle.isTerminating = false
      lifecycle.main.asleepSince = nil
      lifecycle.socketWakes = nil
      clearKeepAliveHandler()
      app = nil
      let old = lifecycle.state
      setState(.notRunning, because: reason)
      appStateChanged(from: old)
    }
  }

  func kill(because reason: String) {
    counts.kills += 1
    end(because: "killed: \(reason)")
    restartIfKeptAlive()
  }
}

extension SimulatedPhone {
  /// Makes several changes as one, then settles their consequences.
  func change(_ body: () -> Void) {
    let isOuter = !lifecycle.isSettling
    lifecycle.isSettling = true
    body()
    guard isOuter else { return }
    lifecycle.isSettling = false
    settle()
  }

  /// Does everything that is due in the app's life, and schedules the next time.
  func settle() {
    guard !lifecycle.isSettling, !lifecycle.main.isCalling else { return }
    lifecycle.isSettling = true
    while settleStep() {}
    lifecycle.isSettling = false
    timers[.lifecycle] = nextLifecycleTime()
  }

  func lifecycleIsDue() { settle() }

  /// Does one thing that is due. Returns false when there was none.
  private func settleStep() -> Bool {
    guard lifecycle.state == .foreground || lifecycle.state == .background, !lifecycle.isAsleep else {
      return false
    }
    if lifecycle.main.isBusy {
      endTasksInOrder(upTo: now)
      if currentKillTime < lifecycle.main.busyEnd, currentKillTime <= now {
        kill(because: "main thread blocked")
        return true
      }
      if lifecycle.main.busyEnd <= now, !goOnWithLoop() {
        becomeFree()
        if lifecycle.main.isEndingLeave { lifecycle.main.leavingSince = nil }
        lifecycle.main.isEndingLeave = false
      }
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

  /// Whether anything but its main thread keeps the app from being suspended.
  private var hasReasonToRun: Bool {
    lifecycle.eventEnd > now || !lifecycle.tasks.isEmpty || scenario.rules.platform == .macOS
      || standardKeepsAppRunning
  }

  private func suspend() {
    setState(.suspended, because: "nothing keeps it running")
    appStateChanged(from: .background)
  }

  private func nextLifecycleTime() -> Timestamp {
    var next = Timestamp.distantFuture
    guard lifecycle.state == .foreground || lifecycle.state == .background, !lifecycle.isAsleep else {
      return next
    }
    if lifecycle.main.isBusy {
      next = min(lifecycle.main.busyEnd, currentKillTime)
      for end in lifecycle.main.taskEnds { next = min(next, end.time) }
    }
    if lifecycle.state == .background {
      if lifecycle.eventEnd > now { next = min(next, lifecycle.eventEnd) }
      if let expiry = nextExpiry { next = min(next, expiry) }
    }
    return next
  }
}

// Sleep of a computer: "In OS X, region monitoring works only while the app is running … and the user’s
// system is awake" (*Location and Maps Programming Guide*, "Region Monitoring and iBeacon"). The process
// stands still and continues on waking. Services find out at their next check what happened to regions in the
// meantime.
extension SimulatedPhone {
  func sleepComputer() {
    guard scenario.rules.platform == .macOS, !lifecycle.isAsleep else { return }
    if lifecycle.state == .background { countBackground() }
    lifecycle.isAsleep = true
    if lifecycle.main.isBusy {
      lifecycle.main.asleepSince = now
      meter.hold(.app, 0, due: .work, by: .lifecycle, at: now)
      meter.hold(.cpu, 0, due: .awake, by: .lifecycle, at: now)
    }
    timers.cancel(.lifecycle)
    scheduleTimers()
    scheduleConcurrentWork()
    notifyServices(.sleep)
  }

  func wakeComputer() {
    guard lifecycle.isAsleep else { return }
    lifecycle.isAsleep = false
    if lifecycle.state == .background { lifecycle.backgroundSince = now }
    if let since = lifecycle.main.asleepSince {
      lifecycle.main.asleepSince = nil
      lifecycle.main.busyEnd = lifecycle.main.busyEnd.advanced(by: since.duration(to: now))
      lifecycle.main.killTime = lifecycle.main.killTime.advanced(by: since.duration(to: now))
      for index in lifecycle.main.taskEnds.indices {
        let end = lifecycle.main.taskEnds[index].time
        lifecycle.main.taskEnds[index].time = end.advanced(by: since.duration(to: now))
      }
      meter.hold(.cpu, profile.awake.value, due: .awake, by: .lifecycle, at: now)
      meter.hold(.app, profile.work.value, due: .work, by: .lifecycle, at: now)
    }
    change {
      scheduleTimers()
      scheduleConcurrentWork()
      notifyServices(.sleep)
    }
  }
}
