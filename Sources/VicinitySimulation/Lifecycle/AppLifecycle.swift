internal import VicinityCrossings
internal import VicinityMonitor

// The states and what leads from one to another, in the order in which `UIApplicationDelegate` tells of it
// (*App Programming Guide for iOS*, "The App Life Cycle" and "Strategies for Handling App State Transitions").
extension SimulatedPhone {
  /// What the app is doing.
  public var appState: AppState { lifecycle.state }

  /// The user has opened the app when the run begins.
  func lifecycleBegins() {
    scheduleAction()
    launch(.user)
  }

  func lifecycleEnds() {
    if lifecycle.state == .background { countBackground() }
  }

  /// Makes a state the app's. Services are told by whoever knows what else the app is told.
  func setState(_ state: AppState, because reason: String) {
    if lifecycle.state == .background { countBackground() }
    lifecycle.state = state
    lifecycle.eventEnd = .distantPast
    lifecycle.backgroundSince = state == .background ? now : nil
    renewBudget()
    record(.lifecycle(state, because: reason))
    scheduleTimers()
  }

  /// Adds the time in the background up to now.
  func countBackground() {
    if let since = lifecycle.backgroundSince { counts.backgroundSeconds += now.seconds(since: since) }
    lifecycle.backgroundSince = now
  }

  /// Starts a process. In front: `didFinishLaunching`, `didBecomeActive`. By the system: `didFinishLaunching` alone, and
  /// then ``BackgroundRules/eventTime`` to go on.
  func launch(_ reason: LaunchReason) {
    change {
      setState(reason == .user ? .foreground : .background, because: "launched: \(reason.rawValue)")
      app = makeApp()
      if reason != .user {
        counts.relaunches += 1
        lifecycle.eventEnd = now.advanced(by: scenario.rules.eventTime)
      }
      hand(.launched(reason), isOwed: true)
      appStateChanged(from: .notRunning)
      if reason == .user { hand(.becameActive, isOwed: true) }
    }
  }

  /// Goes to the front: `willEnterForeground`, what services have held back, `didBecomeActive`. Queued notifications reach
  /// an app that resumes "before any touch events or other user input".
  func comeToFront() {
    change {
      let old = lifecycle.state
      setState(.foreground, because: "opened")
      hand(.willEnterForeground, isOwed: true)
      appStateChanged(from: old)
      hand(.becameActive, isOwed: true)
    }
  }

  /// Goes behind: `didEnterBackground`; when that has returned and nothing keeps the app running, it is suspended.
  func goBehind() {
    change {
      setState(.background, because: "left")
      hand(.enteredBackground, isOwed: true)
      appStateChanged(from: .foreground)
    }
  }

  /// Resumes a suspended app for an event. What waited in its main thread's queue comes before it.
  func wake(for event: PhoneEvent, time: Duration, because reason: String) {
    change {
      setState(.background, because: "woken: \(reason)")
      counts.wakes += 1
      lifecycle.eventEnd = now.advanced(by: time)
      appStateChanged(from: .suspended)
      hand(event, isOwed: true)
    }
  }

  /// The process is gone, and with it everything that was the app's own: tasks, timers, what waited to be told.
  func end(because reason: String) {
    guard lifecycle.state != .notRunning else { return }
    change {
      becomeFree()
      let untold = lifecycle.main.waitingCount(unless: isOver)
      if untold > 0 { record(.lost("\(untold) events that the app had not been told")) }
      lifecycle.main.removeAll()
      lifecycle.tasks.removeAll()
      lifecycle.timers.removeAll()
      lifecycle.isTerminating = false
      lifecycle.main.asleepSince = nil
      clearKeepAliveHandler()
      app = nil
      let old = lifecycle.state
      setState(.notRunning, because: reason)
      appStateChanged(from: old)
    }
  }

  /// Ends the app for taking too long.
  func kill(because reason: String) {
    counts.kills += 1
    end(because: "killed: \(reason)")
    restartIfKeptAlive()
  }
}
