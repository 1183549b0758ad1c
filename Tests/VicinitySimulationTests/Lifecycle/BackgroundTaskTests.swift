import Testing
import VicinityMonitor

@testable import VicinitySimulation

@Suite("App lifecycle: background tasks")
struct BackgroundTaskTests {
  /// An app that begins tasks when it goes behind, and ends each when a timer says so, or when it expires.
  private func stage(
    ending: [Double?], endsExpired: Bool = false, rules: BackgroundRules = .iOS13
  ) throws -> Stage {
    final class Memory { var tasks: [Int: BackgroundTask] = [:] }
    let memory = Memory()
    return try Stage([(100, .leaveApp)], rules: rules) { phone, event in
      switch event {
      case .enteredBackground:
        for end in ending {
          let task = phone.beginBackgroundTask("task")
          if let end { memory.tasks[phone.setTimer(after: .seconds(end))] = task }
        }
      case .timer(let number):
        if let task = memory.tasks[number] { phone.endBackgroundTask(task) }
      case .taskExpires(let task):
        if endsExpired { phone.endBackgroundTask(task) }
      default: break
      }
    }
  }

  @Test("The app runs until the last task has ended")
  func lastOne() throws {
    let stage = try stage(ending: [3, 8, 5])
    stage.go(to: 200)
    #expect(
      stage.story.dropFirst(5) == [
        "100 task 1", "100 task 2", "100 task 3", "103 timer 1", "103 ended 1", "105 timer 3", "105 ended 3",
        "108 timer 2", "108 ended 2", "108 SUSPENDED",
      ])
  }

  @Test(
    "Each task's handler is called before the end of the era's time; an app that does not end them is killed",
    arguments: [BackgroundRules.iOS4, .iOS7, .iOS13])
  func expiry(rules: BackgroundRules) throws {
    let budget = Int(rules.backgroundTaskTime.components.seconds)
    let obedient = try stage(ending: [nil, 2, nil], endsExpired: true, rules: rules)
    obedient.go(to: 1000)
    let warning = 100 + budget - 5
    #expect(
      obedient.story.dropFirst(10) == [
        "\(warning) expires 1", "\(warning) ended 1", "\(warning) expires 3", "\(warning) ended 3",
        "\(warning) SUSPENDED",
      ])
    #expect(obedient.phone.counts.kills == 0)

    let stubborn = try stage(ending: [nil, 2], rules: rules)
    stubborn.go(to: 1000)
    #expect(stubborn.story.suffix(2) == ["\(warning) expires 1", "\(100 + budget) NOTRUNNING"])
    #expect(stubborn.phone.counts.kills == 1)
    #expect(stubborn.phone.counts.backgroundSeconds == Double(budget))
  }

  @Test("The time that remains")
  func remaining() throws {
    let stage = try stage(ending: [nil])
    #expect(stage.phone.backgroundTimeRemaining == SimulatedPhone.unlimitedTime)
    stage.go(to: 100)
    #expect(stage.phone.backgroundTimeRemaining == .seconds(30))
    stage.go(to: 112)
    #expect(stage.phone.backgroundTimeRemaining == .seconds(18))
    stage.event(.entered(region: "a"), at: 112)
    // An event gives time to run, not to tasks.
    #expect(stage.phone.backgroundTimeRemaining == .seconds(18))
    stage.go(to: 200)
    #expect(stage.phone.backgroundTimeRemaining == .zero)
  }

  @Test("On returning to the front tasks have all the time, and a new budget when it is left again")
  func renewal() throws {
    final class Memory { var isFirst = true }
    let memory = Memory()
    let stage = try Stage([(100, .leaveApp), (127, .openApp), (200, .leaveApp)]) { phone, event in
      guard event == .enteredBackground, memory.isFirst else { return }
      memory.isFirst = false
      _ = phone.beginBackgroundTask("task")
    }
    stage.go(to: 300)
    #expect(stage.story.contains("125 expires 1"))
    #expect(stage.story.suffix(2) == ["225 expires 1", "230 NOTRUNNING"])
  }

  @Test("A task may be ended twice, and what is no task at all")
  func harmless() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      guard event == .enteredBackground else { return }
      let task = phone.beginBackgroundTask("task")
      phone.endBackgroundTask(task)
      phone.endBackgroundTask(task)
      phone.endBackgroundTask(.invalid)
    }
    stage.go(to: 200)
    #expect(stage.story.suffix(3) == ["100 task 1", "100 ended 1", "100 SUSPENDED"])
  }

  @Test("A task begun when the warning is past is warned of at once; one begun when time is up is none")
  func late() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      switch event {
      case .enteredBackground:
        phone.setTimer(after: .seconds(27))
        phone.setTimer(after: .seconds(31))
      case .timer: phone.saved = phone.beginBackgroundTask("late")
      case .taskExpires(let task): phone.endBackgroundTask(task)
      default: break
      }
    }
    // Events keep it running past its tasks' time.
    for second in [100.0, 109, 118, 127] { stage.event(.entered(region: "a"), at: second) }
    stage.go(to: 200)
    #expect(stage.phone.saved as? BackgroundTask == .invalid)
    let end = Array(stage.story.suffix(7))
    #expect(
      end == [
        "127 task 1", "127 expires 1", "127 ended 1", "127 entered a", "131 timer 2",
        "131 lost background task late: no time left", "137 SUSPENDED",
      ], "\(end)")
  }

  @Test("Two phones of an app are two apps: numbers are never used twice")
  func numbers() throws {
    let stage = try Stage([(100, .forceQuit), (200, .openApp)]) { phone, event in
      if case .launched = event { _ = phone.beginBackgroundTask("launch") }
    }
    stage.go(to: 300)
    #expect(stage.story.filter { $0.contains("task") } == ["0 task 1", "200 task 2"])
  }
}
