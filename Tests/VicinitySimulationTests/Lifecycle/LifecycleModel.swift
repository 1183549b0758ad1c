import VicinityMonitor

@testable import VicinitySimulation

/// What the app of a random script does in its n-th callback.
struct Reaction {
  /// Seconds.
  var work = 0
  var begins = 0
  /// Ends the task with this number, if it is one.
  var ends: Int?
  /// Seconds.
  var timer: Int?
}

/// Something from outside, at a whole second.
enum Stimulus: Equatable {
  case action(UserAction)
  /// An event from a service, after everything else of its second.
  case event(String, wakes: Bool)
}

/// The rules of an app's life, said once more: second by second, with nothing to be remembered but lists, and
/// no alarms.
///
/// Only whole seconds; no `location` mode, keep-alive or sleep.
struct LifecycleModel {
  var story: [String] = []
  var kills = 0
  var wakes = 0
  var relaunches = 0
  var backgroundSeconds = 0

  private let rules: BackgroundRules
  private let reactions: [Reaction]
  private var t = 0
  private var state = "NOTRUNNING"
  private var calls = 0
  private var tasks: [(number: Int, isWarned: Bool)] = []
  private var taskCount = 0
  private var timers: [(number: Int, due: Int, isQueued: Bool)] = []
  private var timerCount = 0
  private var awakeUntil = 0
  private var budgetEnd = 0
  /// A callback that works: from, to.
  private var working: (from: Int, to: Int)?
  private var queue: [(line: String, isOwed: Bool)] = []
  private var isTerminating = false
  private var isLocked = false
  private var forceQuit = false
  private var waiting: [String] = []

  init(rules: BackgroundRules, reactions: [Reaction]) {
    self.rules = rules
    self.reactions = reactions
  }

  private func seconds(_ duration: Duration) -> Int { Int(duration.components.seconds) }
  private var runs: Bool { state == "FOREGROUND" || state == "BACKGROUND" }
  private mutating func say(_ what: String) { story.append("\(t) \(what)") }
  private func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

  mutating func run(_ script: [(second: Int, what: Stimulus)], to end: Int) {
    start("user")
    for second in 0...end {
      if second > t, state == "BACKGROUND" { backgroundSeconds += 1 }
      t = second
      let now = script.filter { $0.second == second }.map(\.what)
      settle()
      for case .action(let action) in now {
        act(action)
        // Those that are late are not the last.
        fire(dueBy: t - 1)
      }
      fire(dueBy: t)
      for case .event(let line, let wakes) in now {
        tell(line, wakes)
        fire(dueBy: t)
      }
    }
  }

  private mutating func become(_ new: String) {
    state = new
    awakeUntil = 0
    budgetEnd = t + seconds(rules.backgroundTaskTime)
    for i in tasks.indices { tasks[i].isWarned = false }
    say(new)
  }

  private mutating func start(_ reason: String) {
    become(reason == "user" ? "FOREGROUND" : "BACKGROUND")
    if reason != "user" {
      relaunches += 1
      awakeUntil = t + seconds(rules.eventTime)
    }
    queue.append(("launched \(reason)", true))
    if reason == "user" {
      queue.append(("becameActive", true))
      settle()
    }
  }

  private mutating func act(_ action: UserAction) {
    switch action {
    case .openApp:
      if isTerminating { die() }
      forceQuit = false
      if state == "NOTRUNNING" {
        start("user")
      } else if state != "FOREGROUND" {
        become("FOREGROUND")
        queue += [("willEnterForeground", true), ("becameActive", true)]
      }
      settle()
      unlock()
    case .leaveApp:
      guard state == "FOREGROUND" else { return }
      become("BACKGROUND")
      queue.append(("enteredBackground", true))
    case .forceQuit:
      die()
      forceQuit = true
    case .memoryPressure:
      if state == "SUSPENDED" { die() } else { tell("memoryWarning", false) }
    case .terminate:
      if state == "SUSPENDED" {
        die()
      } else if runs, !isTerminating {
        queue = [("willTerminate", true)]
        isTerminating = true
      }
    case .exit: if runs { die() }
    case .restart:
      die()
      if !waiting.isEmpty { say("lost \(events(waiting.count)) before the first unlock") }
      waiting = []
      forceQuit = false
      isLocked = rules.needsFirstUnlock
    default: break
    }
    settle()
  }

  private mutating func unlock() {
    isLocked = false
    let lines = waiting
    waiting = []
    for line in lines { tell(line, true) }
  }

  private mutating func tell(_ line: String, _ isWaking: Bool) {
    guard !isTerminating else { return }
    if isWaking, state == "NOTRUNNING" {
      if forceQuit, !rules.relaunchesForceQuit { return }
      if isLocked {
        waiting.append(line)
        return
      }
      start("location")
      queue.append((line, true))
    } else if isWaking, state == "SUSPENDED" {
      become("BACKGROUND")
      wakes += 1
      awakeUntil = t + seconds(rules.eventTime)
      queue.append((line, true))
    } else if runs {
      if isWaking, state == "BACKGROUND" { awakeUntil = t + seconds(rules.eventTime) }
      queue.append((line, false))
    }
    settle()
  }

  private mutating func die() {
    guard state != "NOTRUNNING" else { return }
    let untold = queue.count { !isObsolete($0.0) }
    if untold > 0 { say("lost \(events(untold)) that the app had not been told") }
    (queue, tasks, timers, working, isTerminating) = ([], [], [], nil, false)
    become("NOTRUNNING")
  }

  private mutating func fire(dueBy last: Int) {
    guard runs else { return }
    let due = timers.filter { $0.due <= last && !$0.isQueued }.sorted {
      ($0.due, $0.number) < ($1.due, $1.number)
    }
    for i in timers.indices where timers[i].due <= last { timers[i].isQueued = true }
    for timer in due { queue.append(("timer \(timer.number)", false)) }
    settle()
  }

  /// Everything that happens at this second of its own.
  private mutating func settle() {
    while runs {
      if let (from, to) = working {
        if to - from > seconds(rules.watchdogTime), t >= from + seconds(rules.watchdogTime) {
          kills += 1
          die()
          return
        }
        if t >= to { working = nil }
      }
      if state == "BACKGROUND", !tasks.isEmpty {
        if t >= budgetEnd {
          kills += 1
          die()
          return
        }
        if t >= budgetEnd - seconds(rules.expirationWarning) {
          for i in tasks.indices where !tasks[i].isWarned {
            tasks[i].isWarned = true
            queue.append(("expires \(tasks[i].number)", true))
          }
        }
      }
      if working != nil { return }
      let isOwed = queue.contains { $0.isOwed }
      if state == "BACKGROUND", !isOwed, tasks.isEmpty, awakeUntil <= t, !isTerminating {
        become("SUSPENDED")
        return
      }
      if !queue.isEmpty {
        call(queue.removeFirst().line)
      } else if isTerminating {
        die()
      } else {
        return
      }
    }
  }

  /// Whether what a line is of has gone while it waited: a task that has ended, a timer that is no more.
  private func isObsolete(_ line: String) -> Bool {
    let words = line.split(separator: " ")
    return switch words[0] {
    case "timer": !timers.contains { "\($0.number)" == words[1] }
    case "expires": !tasks.contains { "\($0.number)" == words[1] }
    default: false
    }
  }

  private mutating func call(_ line: String) {
    let words = line.split(separator: " ")
    if words[0] == "timer" {
      guard let i = timers.firstIndex(where: { "\($0.number)" == words[1] }) else { return }
      timers.remove(at: i)
    }
    if words[0] == "expires", !tasks.contains(where: { "\($0.number)" == words[1] }) { return }
    say(line)
    let reaction = calls < reactions.count ? reactions[calls] : Reaction()
    calls += 1
    for _ in 0..<reaction.begins {
      if state == "BACKGROUND", t >= budgetEnd {
        say("lost background task script: no time left")
      } else {
        taskCount += 1
        tasks.append((taskCount, false))
        say("task \(taskCount)")
      }
    }
    if let number = reaction.ends, let i = tasks.firstIndex(where: { $0.number == number }) {
      tasks.remove(at: i)
      say("ended \(number)")
    }
    if let delay = reaction.timer {
      timerCount += 1
      timers.append((timerCount, t + delay, false))
    }
    if reaction.work > 0 { working = (t, t + reaction.work) }
  }
}
