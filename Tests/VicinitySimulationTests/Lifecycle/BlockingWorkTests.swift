import Testing
import VicinityCrossings
import VicinityMonitor

@testable import VicinitySimulation

/// The guide's two ways to finish work when an app is left: a blocking call under a background task, and
/// slices on another thread.
@Suite("App lifecycle: blocking and concurrent work")
struct BlockingWorkTests {
  /// The listing that begins a task, saves with a blocking call and ends the task, all in
  /// `applicationDidEnterBackground`.
  private func saving(_ seconds: Int, _ rules: BackgroundRules, holdsTask: Bool = true) throws -> [String] {
    let stage = try Stage([(100, .leaveApp)], rules: rules) { phone, event in
      guard event == .enteredBackground else { return }
      let task = holdsTask ? phone.beginBackgroundTask("save") : .invalid
      phone.work(.seconds(seconds))
      phone.endBackgroundTask(task)
    }
    stage.go(to: 2000)
    return Array(stage.story.dropFirst(5))
  }

  @Test("By the guides a task protects a blocking call for its own time; on modern phones it does not")
  func savingUnderATask() throws {
    #expect(try saving(60, .iOS7) == ["100 task 1", "160 ended 1", "160 SUSPENDED"])
    #expect(try saving(500, .iOS4) == ["100 task 1", "600 ended 1", "600 SUSPENDED"])
    // The task's own time ends it: its handler is called beside the blocked thread, and does nothing here.
    #expect(try saving(400, .iOS7) == ["100 task 1", "275 expires 1", "280 NOTRUNNING"])
    #expect(try saving(60, .iOS7, holdsTask: false) == ["110 NOTRUNNING"])
    #expect(try saving(60, .iOS13) == ["100 task 1", "110 NOTRUNNING"])
    #expect(try saving(9, .iOS13) == ["100 task 1", "109 ended 1", "109 SUSPENDED"])
  }

  @Test("When the protection ends, the thread has the watchdog's time from then on")
  func protectionEnds() throws {
    for (rest, end) in [(9, "169 SUSPENDED"), (11, "170 NOTRUNNING")] {
      let stage = try Stage([(100, .leaveApp)], rules: .iOS7) { phone, event in
        guard event == .enteredBackground else { return }
        let task = phone.beginBackgroundTask("save")
        phone.work(.seconds(60))
        phone.endBackgroundTask(task)
        phone.work(.seconds(rest))
      }
      stage.go(to: 400)
      #expect(stage.story.last == end)
    }
  }

  @Test(
    "The last call has the watchdog's time, whatever tasks are held",
    arguments: [BackgroundRules.iOS7, .iOS13])
  func terminating(rules: BackgroundRules) throws {
    let stage = try Stage([(100, .terminate)], rules: rules) { phone, event in
      if case .launched = event { _ = phone.beginBackgroundTask("save") }
      if event == .willTerminate { phone.work(.seconds(300)) }
    }
    stage.go(to: 1000)
    #expect(stage.story.last == "110 NOTRUNNING")
    #expect(stage.phone.counts.kills == 1)
  }

  @Test("By the guides a blocked thread in front is no end; on modern phones it is")
  func inFront() throws {
    for (rules, kills) in [(BackgroundRules.iOS7, 0), (.iOS13, 1)] {
      let stage = try Stage(rules: rules) { phone, event in
        if event == .entered(region: "a") { phone.work(.seconds(30)) }
      }
      stage.event(.entered(region: "a"), at: 100)
      stage.go(to: 300)
      #expect(stage.phone.counts.kills == kills)
    }
  }

  /// In front nothing ends a blocked thread; from leaving on there are ten seconds, whenever the work began.
  @Test("A main thread that is blocked as the user leaves has ten seconds more; other threads go on")
  func leftWhileBlocked() throws {
    for (begun, length, left, end) in [
      (10.0, 200, 60.0, "70 NOTRUNNING"), (1, 200, 5, "15 NOTRUNNING"), (55, 12, 60, "67 SUSPENDED"),
    ] {
      var work: ConcurrentWork?
      let stage = try Stage([(left, .leaveApp)], rules: .iOS7) { phone, event in
        guard event == .entered(region: "a") else { return }
        work = phone.workConcurrently("beside") { _, _ in .seconds(1) }
        phone.work(.seconds(length))
      }
      stage.event(.entered(region: "a"), at: begun)
      stage.go(to: 300)
      #expect(stage.story.last == end)
      let last = try #require(Double(end.split(separator: " ")[0]))
      let slices = try #require(work?.slices)
      #expect((last - begun - 1...last - begun).contains(Double(slices)), "\(slices) slices")
    }
    // Whoever comes back in time saves the app.
    let back = try Stage([(60, .leaveApp), (65, .openApp)], rules: .iOS7) { phone, event in
      if event == .entered(region: "a") { phone.work(.seconds(200)) }
    }
    back.event(.entered(region: "a"), at: 10)
    back.go(to: 300)
    #expect(back.phone.counts.kills == 0 && back.phone.appState == .foreground)
  }

  @Test("An expiration handler sets a flag that a blocking loop sees; on modern phones it has to wait")
  func flagOfALoop() throws {
    func story(_ rules: BackgroundRules) throws -> [String] {
      var isCancelled = false
      let stage = try Stage([(100, .leaveApp)], rules: rules) { phone, event in
        switch event {
        case .enteredBackground:
          let task = phone.beginBackgroundTask("save")
          phone.work(.milliseconds(500))
          phone.work(inTurns: { phone in
            guard !isCancelled else {
              phone.endBackgroundTask(task)
              return nil
            }
            return .seconds(1)
          })
        case .taskExpires:
          isCancelled = true
          // Another thread: it takes nothing of the main thread's time.
          phone.work(.seconds(1000))
        default: break
        }
      }
      stage.go(to: 2000)
      return Array(stage.story.dropFirst(6))
    }
    #expect(try story(.iOS4) == ["695 expires 1", "695.5 ended 1", "695.5 SUSPENDED"])
    #expect(try story(.iOS7) == ["275 expires 1", "275.5 ended 1", "275.5 SUSPENDED"])
    #expect(try story(.iOS13) == ["110 NOTRUNNING"])
    // Without the watchdog the loop goes on to the end of the task's time: nobody sets its flag.
    var patient = BackgroundRules.iOS13
    patient.watchdogTime = .seconds(1000)
    #expect(
      try story(patient) == ["130 lost 1 event that the app had not been told", "130 NOTRUNNING"])
  }

  @Test("The two messages of leaving share ten seconds by the guides, and have ten each on modern phones")
  func twoMessages() throws {
    for (rules, end) in [(BackgroundRules.iOS7, "110 NOTRUNNING"), (.iOS13, "112 SUSPENDED")] {
      let stage = try Stage([(100, .leaveApp)], rules: rules, isToldOfDeactivation: true) { phone, event in
        if event == .willResignActive || event == .enteredBackground { phone.work(.seconds(6)) }
      }
      stage.go(to: 300)
      #expect(
        stage.story.dropFirst(3) == [
          "100 willResignActive", "100 BACKGROUND", "106 enteredBackground", end,
        ])
    }
    // Nothing of it for an app that does not ask.
    let other = try Stage([(100, .leaveApp)])
    other.go(to: 300)
    #expect(!other.story.contains("100 willResignActive"))
  }

  @Test("A call that rings resigns the app from being active, and no more; leaving goes on from there")
  func interruption() throws {
    let stage = try Stage(
      [(100, .interrupt), (110, .interrupt), (150, .openApp), (200, .interrupt), (250, .leaveApp)],
      isToldOfDeactivation: true)
    stage.go(to: 300)
    #expect(
      stage.story.dropFirst(3) == [
        "100 willResignActive", "150 becameActive", "200 willResignActive", "250 BACKGROUND",
        "250 enteredBackground", "250 SUSPENDED",
      ])
  }

  /// What happened, without the lines about the work itself.
  private func story(_ stage: Stage) -> [String] { stage.story.filter { !$0.contains("service") } }

  /// The listing that works on a global queue, and looks at the remaining time and at a flag.
  private final class Upload {
    var task = BackgroundTask.invalid
    var work: ConcurrentWork?
    var remaining: [Int] = []

    func begin(_ phone: SimulatedPhone, slices: Int, looksAtTime: Bool) {
      task = phone.beginBackgroundTask("upload")
      work = phone.workConcurrently("upload") { phone, work in
        let remaining = phone.backgroundTimeRemaining
        self.remaining.append(Int(remaining.components.seconds))
        guard work.slices < slices, !work.isCancelled, !looksAtTime || remaining > .seconds(8) else {
          phone.endBackgroundTask(self.task)
          return nil
        }
        return .seconds(4)
      }
    }
  }

  @Test("Concurrent work sees the remaining time in each slice, and stops in time")
  func seesTheTime() throws {
    let upload = Upload()
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      if event == .enteredBackground { upload.begin(phone, slices: 100, looksAtTime: true) }
    }
    stage.go(to: 300)
    #expect(upload.remaining == [30, 26, 22, 18, 14, 10, 6])
    #expect(upload.work?.slices == 6 && upload.work?.isFinished == true)
    #expect(story(stage).suffix(2) == ["124 ended 1", "124 SUSPENDED"])
    #expect(stage.phone.counts.kills == 0)
  }

  @Test("The expiration handler sets the flag, and the work stops before its next slice")
  func cancelled() throws {
    let upload = Upload()
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      switch event {
      case .enteredBackground: upload.begin(phone, slices: 100, looksAtTime: false)
      case .taskExpires: upload.work?.isCancelled = true
      default: break
      }
    }
    stage.go(to: 300)
    // Warned at 125 s, at the end of the slice at 128 s it sees the flag.
    #expect(story(stage).suffix(2) == ["128 ended 1", "128 SUSPENDED"])
    #expect(upload.work?.slices == 7)
    let stubborn = Upload()
    let other = try Stage([(100, .leaveApp)]) { phone, event in
      if event == .enteredBackground { stubborn.begin(phone, slices: 100, looksAtTime: false) }
    }
    other.go(to: 300)
    #expect(other.story.last == "130 NOTRUNNING" && stubborn.work?.isFinished == false)
  }

  @Test("While the main thread is blocked other threads go on and timers do not")
  func beside() throws {
    let upload = Upload()
    let stage = try Stage { phone, event in
      if case .launched = event {
        phone.setTimer(after: .seconds(12))
        upload.begin(phone, slices: 3, looksAtTime: false)
      }
      if event == .entered(region: "a") { phone.work(.seconds(9)) }
    }
    stage.event(.entered(region: "a"), at: 5)
    stage.go(to: 13)
    #expect(upload.work?.isFinished == true)
    #expect(!stage.story.contains { $0.hasSuffix("timer 1") })
    let result = stage.finish()
    #expect(stage.story.contains("14 timer 1"))
    // 500 mW while one or both threads work: 0 to 14 s.
    #expect(result.uses(0.5 * 14, of: .app, within: 1e-9))
  }

  @Test("Without a task concurrent work stands still while the app is suspended, and goes on where it was")
  func frozen() throws {
    final class Box { var ends: [Double] = [] }
    let box = Box()
    let stage = try Stage([(2, .leaveApp), (500, .openApp), (503, .forceQuit)]) { phone, event in
      guard case .launched = event else { return }
      phone.workConcurrently("work") { phone, work in
        box.ends.append(phone.now.seconds)
        return work.slices < 10 ? .seconds(3) : nil
      }
    }
    stage.go(to: 1000)
    // 2 s of the first slice are done when the app is suspended; the process ends in the second but one.
    #expect(box.ends == [0, 501])
    #expect(try Stage().phone.lifecycle.concurrent.isEmpty)
  }

  @Test("What a callback does after some work, it does then: the time that remains, and the end of a task")
  func inOrder() throws {
    final class Box { var remaining: [Int] = [] }
    let box = Box()
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      guard event == .enteredBackground else { return }
      let task = phone.beginBackgroundTask("save")
      box.remaining.append(Int(phone.backgroundTimeRemaining.components.seconds))
      phone.work(.seconds(4))
      box.remaining.append(Int(phone.backgroundTimeRemaining.components.seconds))
      phone.endBackgroundTask(task)
      phone.work(.seconds(2))
    }
    stage.go(to: 200)
    #expect(box.remaining == [30, 26])
    #expect(stage.story.suffix(3) == ["100 task 1", "104 ended 1", "106 SUSPENDED"])
  }
}
