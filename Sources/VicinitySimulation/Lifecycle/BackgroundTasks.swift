internal import VicinityCrossings
public import VicinityMonitor

/// A background task that has not ended.
struct RunningTask {
  var task: BackgroundTask
  /// Whether its expiration handler has been called.
  var isWarned = false
}

// Background tasks work as in `UIApplication` (*App Programming Guide for iOS*, "Executing Finite-Length
// Tasks"). An app can have any number at a time, each with its own identifier. They share one budget of time,
// which starts when the app enters the background or is woken. Expiration handlers are called shortly before
// the budget ends; if a task has not ended by then, the app is killed. The budgets of the eras are in
// ``BackgroundRules``.
extension SimulatedPhone {
  /// The value of ``backgroundTimeRemaining`` while nothing limits it; UIKit uses the greatest double.
  public static let unlimitedTime = Duration.seconds(Int64.max)

  /// Asks for time in the background. Every task must be ended with ``endBackgroundTask(_:)``.
  ///
  /// - Parameter name: The name in timelines; several tasks may share one.
  /// - Returns: The task; `BackgroundTask.invalid` when no time is left or the app does not run.
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

  /// Ends a task. The app is suspended when nothing else keeps it running. A task that has already ended, or
  /// never began, is ignored.
  ///
  /// In a callback that has asked for work before, the task ends when that work is done: what a callback
  /// does, it does in order.
  public func endBackgroundTask(_ task: BackgroundTask) {
    guard lifecycle.tasks.contains(where: { $0.task == task }) else { return }
    if mainThreadTime > now {
      lifecycle.main.taskEnds.append((mainThreadTime, task))
    } else {
      removeTask(task)
    }
    settle()
  }

  func removeTask(_ task: BackgroundTask) {
    guard let index = lifecycle.tasks.firstIndex(where: { $0.task == task }) else { return }
    lifecycle.tasks.remove(at: index)
    record(.taskEnded(task))
    guard scenario.rules.watchdog == .leaving, lifecycle.tasks.isEmpty, lifecycle.main.isBusy,
      !lifecycle.isTerminating
    else { return }
    // The main thread is no longer protected.
    let limit = max(scenario.rules.watchdogTime, .milliseconds(1))
    lifecycle.main.killTime = max(lifecycle.main.killTime, now.advanced(by: limit))
  }

  /// How long background tasks can keep the app running. ``unlimitedTime`` in the foreground, on a computer,
  /// and while the standard service keeps the app running; when that service stops, a new budget starts. Zero
  /// when the app does not run. In a callback, the time that remains after the work that it has asked for.
  public var backgroundTimeRemaining: Duration {
    guard appRuns else { return .zero }
    guard let end = lifecycle.budgetEnd else { return Self.unlimitedTime }
    return max(.zero, mainThreadTime.duration(to: end))
  }

  /// Whether the app has a process that is not suspended.
  var appRuns: Bool { lifecycle.state == .foreground || lifecycle.state == .background }

  /// Starts a new budget of background time.
  func renewBudget() {
    let isLimited = lifecycle.state == .background && scenario.rules.platform == .iOS
    lifecycle.budgetEnd = isLimited ? now.advanced(by: scenario.rules.backgroundTaskTime) : nil
    for index in lifecycle.tasks.indices { lifecycle.tasks[index].isWarned = false }
  }

  /// Calls expiration handlers and kills the app when they are due. Returns true when the app was killed.
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
    var expiring: [BackgroundTask] = []
    for index in lifecycle.tasks.indices where !lifecycle.tasks[index].isWarned {
      lifecycle.tasks[index].isWarned = true
      expiring.append(lifecycle.tasks[index].task)
    }
    for task in expiring {
      if scenario.rules.expiresBesideMainThread, lifecycle.main.isBusy {
        callBeside(.taskExpires(task))
      } else {
        lifecycle.main.append(.taskExpires(task), isOwed: true)
      }
    }
    return false
  }

  /// When ``expires()`` has something to do next.
  var nextExpiry: Timestamp? {
    guard !lifecycle.tasks.isEmpty, let end = lifecycle.budgetEnd else { return nil }
    let warning = warning(before: end)
    return warning > now ? warning : end
  }

  private func warning(before end: Timestamp) -> Timestamp {
    end.advanced(by: .zero - scenario.rules.expirationWarning)
  }
}
