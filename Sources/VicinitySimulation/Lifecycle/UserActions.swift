internal import VicinityCrossings
internal import VicinityMonitor

extension SimulatedPhone {
  func scheduleAction() {
    let actions = scenario.actions
    timers[.action] =
      lifecycle.actionIndex < actions.count ? actions[lifecycle.actionIndex].time : .distantFuture
  }

  func actionIsDue() {
    let action = scenario.actions[lifecycle.actionIndex].action
    lifecycle.actionIndex += 1
    scheduleAction()
    if lifecycle.isAsleep, action != .wake, action != .restart {
      record(.lost("\(action), while asleep"))
      return
    }
    switch action {
    case .openApp: open()
    case .leaveApp: leave()
    case .interrupt: interrupt()
    case .forceQuit: forceQuit()
    case .memoryPressure: pressMemory()
    case .terminate: terminate()
    case .exit(let status): exit(status)
    case .restart:
      wakeComputer()
      restart()
    case .sleep: sleepComputer()
    case .wake: wakeComputer()
    case .socketData: socketDataArrives()
    case .set(let setting): apply(setting)
    case .setTimeZone(let offset): setTimeZone(offset: offset)
    case .otherAppsRegions(let count): lifecycle.otherAppsRegions = max(0, count)
    case .app(let request): perform(request)
    }
  }

  /// A phone without multitasking ends the app that is left, and tells it before.
  private func leave() {
    guard lifecycle.state == .foreground else { return }
    if isMultitaskingSupported { enterBackground() } else { terminate() }
  }

  private func open() {
    change {
      // A user who opens an app has unlocked the phone.
      if lifecycle.isTerminating { end(because: "terminated") }
      lifecycle.isForceQuit = false
      switch lifecycle.state {
      case .notRunning: launch(.user)
      case .background, .suspended: enterForeground()
      case .foreground: endInterruption()
      }
      unlock()
    }
  }

  /// "User-initiated termination has the same effect as terminating a suspended app. The app's process is
  /// killed and no notification is sent to the app" (*App Programming Guide for iOS*, "App Termination").
  private func forceQuit() {
    lifecycle.isForceQuit = true
    if scenario.rules.tellsForceQuit, appRuns { terminate() } else { end(because: "force-quit") }
  }

  /// "Suspended apps receive no notification when they are terminated" (*App Programming Guide for iOS*, "App
  /// Termination"); other apps get `didReceiveMemoryWarning`.
  private func pressMemory() {
    switch lifecycle.state {
    case .suspended:
      end(because: "memory pressure")
      restartIfKeptAlive()
    case .foreground, .background: deliver(.memoryWarning, .running)
    case .notRunning: break
    }
  }

  /// "If your app is currently running in the background and not suspended, the system calls the
  /// `applicationWillTerminate` of its app delegate prior to termination" (*App Programming Guide for iOS*,
  /// "App Termination"). The call has ``BackgroundRules/watchdogTime``; then the app is ended.
  private func terminate() {
    switch lifecycle.state {
    case .suspended: end(because: "terminated")
    case .foreground, .background:
      guard !lifecycle.isTerminating else { return }
      change {
        lifecycle.main.removeAll()
        lifecycle.isTerminating = true
        dispatch(.willTerminate, isOwed: true)
      }
    case .notRunning: break
    }
  }

  /// A crash or `exit()`, after which "`applicationWillTerminate` and similar methods will not be invoked"
  /// (Apple, Technical Q&A QA1561). A suspended app cannot exit.
  private func exit(_ status: Int32) {
    guard appRuns else { return }
    end(because: "exit \(status)")
    if status != 0 { restartIfKeptAlive() }
  }
}
