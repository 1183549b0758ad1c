internal import VicinityCrossings

/// A background task that has not ended.
struct RunningTask {
  var task: BackgroundTask
  /// Whether its expiration handler has been called.
  var isWarned = false
}

extension BackgroundTask {
  /// No task: what is begun when there is no time left. `UIBackgroundTaskIdentifier.invalid`.
  public static let invalid = BackgroundTask(number: 0)
}

// Background tasks, as `UIApplication` has them (*App Programming Guide for iOS*, "Executing Finite-Length Tasks"): any
// number at a time, each with an identifier of its own, all within one budget that begins when the app enters the
// background or is woken. Expiration handlers are called shortly before its end; an app with a task that has not ended by
// then is killed. The eras' budgets are in ``BackgroundRules``.
extension SimulatedPhone {
  /// What ``backgroundTimeRemaining`` is while nothing limits it: UIKit's is the greatest double.
  public static let unlimitedTime = Duration.seconds(Int64.max)

  /// Asks for time to go on in the background. Every task is to be ended by ``endBackgroundTask(_:)``.
  ///
  /// - Parameter name: What it is called in timelines; several tasks may share one.
  /// - Returns: The task; ``BackgroundTask/invalid`` when there is no time left, or no app.
  /// - Complexity: O(1)
  public func beginBackgroundTask(_ name: String) -> BackgroundTask {
    guard appRuns else { return .invalid }
    guard backgroundTimeRemaining > .zero else {
      record(.lost("background task \(name): no time left"))
      return .invalid
    }
    lifecycle.lastTask += 1
    let task = BackgroundTask(number: lifecycle.lastTask)
    lifecycle.tasks.append(RunningTask(task: task))
    record(.taskBegan(task, name: name))
    settle()
    return task
  }

  /// Ends a task: without another, and without anything else that keeps it running, the app is suspended. A task that has
  /// ended, or never was, is ignored.
  public func endBackgroundTask(_ task: BackgroundTask) {
    guard let index = lifecycle.tasks.firstIndex(where: { $0.task == task }) else { return }
    lifecycle.tasks.remove(at: index)
    record(.taskEnded(task))
    settle()
  }

  /// How long background tasks keep the app running: ``unlimitedTime`` in the foreground, on a computer, and while the
  /// standard service keeps it running, whose end gives tasks a new budget; zero for an app that does not run.
  public var backgroundTimeRemaining: Duration {
    guard appRuns else { return .zero }
    guard let end = lifecycle.budgetEnd else { return Self.unlimitedTime }
    return max(.zero, now.duration(to: end))
  }

  /// Whether the app has a process that is not suspended.
  var appRuns: Bool { lifecycle.state == .foreground || lifecycle.state == .background }

  /// Begins the tasks' time anew.
  func renewBudget() {
    let isLimited = lifecycle.state == .background && scenario.rules.platform == .iOS
    lifecycle.budgetEnd = isLimited ? now.advanced(by: scenario.rules.backgroundTaskTime) : nil
    for index in lifecycle.tasks.indices { lifecycle.tasks[index].isWarned = false }
  }

  /// Calls expiration handlers and ends the app, as they come due; whether the app has been ended.
  func expires() -> Bool {
    if standardKeepsAppRunning {
      lifecycle.budgetEnd = nil
    } else if lifecycle.budgetEnd == nil {
      renewBudget()
    }
    guard !lifecycle.tasks.isEmpty, let end = lifecycle.budgetEnd else { return false }
    guard end > now else {
      kill(because: "background task not ended")
      return true
    }
    guard warning(before: end) <= now else { return false }
    for index in lifecycle.tasks.indices where !lifecycle.tasks[index].isWarned {
      lifecycle.tasks[index].isWarned = true
      lifecycle.main.append(.taskExpires(lifecycle.tasks[index].task), isOwed: true)
    }
    return false
  }

  /// When ``expires()`` next has something to do.
  var nextExpiry: Timestamp? {
    guard !lifecycle.tasks.isEmpty, let end = lifecycle.budgetEnd else { return nil }
    let warning = warning(before: end)
    return warning > now ? warning : end
  }

  private func warning(before end: Timestamp) -> Timestamp {
    end.advanced(by: .zero - scenario.rules.expirationWarning)
  }
}
