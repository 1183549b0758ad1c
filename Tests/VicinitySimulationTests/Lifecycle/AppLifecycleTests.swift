import Testing
import VicinityMonitor

@testable import VicinitySimulation

@Suite("App lifecycle: states and their order")
struct AppLifecycleTests {
  static let opening = ["0 FOREGROUND", "0 launched user", "0 becameActive"]

  @Test("Left with nothing to do, an app is suspended at once; opened again, it is told in UIKit's order")
  func leaveAndReturn() throws {
    let stage = try Stage([(100, .leaveApp), (200, .openApp), (300, .openApp)])
    stage.go(to: 400)
    #expect(
      stage.story == Self.opening + [
        "100 BACKGROUND", "100 enteredBackground", "100 SUSPENDED",
        "200 FOREGROUND", "200 willEnterForeground", "200 becameActive",
      ])
    #expect(stage.phone.counts == SimulationCounts())
  }

  @Test("A region event wakes a suspended app for ten seconds, and more of them extend the time")
  func eventTime() throws {
    let stage = try Stage([(100, .leaveApp)])
    #expect(stage.event(.entered(region: "a"), at: 200))
    #expect(stage.event(.exited(region: "a"), at: 207))
    stage.go(to: 300)
    #expect(
      stage.story.dropFirst(6) == [
        "200 BACKGROUND", "200 entered a", "207 exited a", "217 SUSPENDED",
      ])
    #expect(stage.phone.counts.wakes == 1)
    #expect(stage.phone.counts.backgroundSeconds == 17)
  }

  @Test("What does not wake is not told to a suspended app, nor to none")
  func running() throws {
    let stage = try Stage([(100, .leaveApp), (200, .forceQuit)])
    #expect(stage.event(.locationUnknown, .running, at: 50))
    #expect(!stage.event(.locationUnknown, .running, at: 150))
    #expect(!stage.event(.locationUnknown, .running, at: 250))
    #expect(stage.story.filter { $0.hasSuffix("locationUnknown") } == ["50 locationUnknown"])
  }

  @Test("Without “always”, nothing wakes or starts the app", arguments: [true, false])
  func whenInUse(quits: Bool) throws {
    let stage = try Stage(
      [(100, .leaveApp)] + (quits ? [(150, .memoryPressure)] : []),
      capabilities: AppCapabilities(authorization: .whenInUse))
    #expect(stage.event(.entered(region: "a"), at: 50))
    #expect(!stage.event(.entered(region: "b"), at: 200))
    #expect(stage.phone.appState == (quits ? .notRunning : .suspended))
  }

  @Test("A process's memory dies with it; what it saved does not")
  func freshProcess() throws {
    final class Box { var processes = 0 }
    struct Counting: PhoneApp {
      var calls = 0
      mutating func phone(_ phone: SimulatedPhone, did event: PhoneEvent) {
        calls += 1
        var log = phone.saved as? [Int] ?? []
        log.append(calls)
        phone.saved = log
      }
    }
    let box = Box()
    let stage = try Stage([(100, .forceQuit), (200, .openApp)])
    let phone = SimulatedPhone(stage.phone.scenario, recording: []) {
      box.processes += 1
      return Counting()
    }
    phone.begin()
    phone.advance(to: Stage.time(300))
    #expect(box.processes == 2)
    #expect(phone.saved as? [Int] == [1, 2, 1, 2])
  }

  @Test("Under memory pressure a suspended app is killed without a word, another is warned")
  func memoryPressure() throws {
    let stage = try Stage([(50, .memoryPressure), (100, .leaveApp), (150, .memoryPressure)])
    stage.go(to: 200)
    #expect(
      stage.story.dropFirst(3) == [
        "50 memoryWarning", "100 BACKGROUND", "100 enteredBackground", "100 SUSPENDED", "150 NOTRUNNING",
      ])
    #expect(stage.phone.counts.kills == 0)
  }

  @Test("The user's force is silent; the system tells an app that runs, and one that is suspended not")
  func endings() throws {
    for (action, lines) in [
      (UserAction.forceQuit, ["50 NOTRUNNING"]), (.terminate, ["50 willTerminate", "50 NOTRUNNING"]),
      (.exit(status: 0), ["50 NOTRUNNING"]), (.restart, ["50 NOTRUNNING"]),
    ] {
      let stage = try Stage([(50, action)])
      stage.go(to: 60)
      #expect(stage.story.dropFirst(3) == lines[...], "\(action)")
    }
    for action in [UserAction.forceQuit, .terminate, .restart] {
      let stage = try Stage([(40, .leaveApp), (50, action)])
      stage.go(to: 60)
      #expect(stage.story.dropFirst(6) == ["50 NOTRUNNING"], "\(action)")
    }
    var rules = BackgroundRules.iOS13
    rules.tellsForceQuit = true
    let told = try Stage([(50, .forceQuit), (60, .openApp), (70, .leaveApp), (80, .forceQuit)], rules: rules)
    told.go(to: 90)
    #expect(told.story.dropFirst(3).prefix(2) == ["50 willTerminate", "50 NOTRUNNING"])
    #expect(told.story.suffix(2) == ["70 SUSPENDED", "80 NOTRUNNING"])
    let asleep = try Stage([(40, .leaveApp), (50, .exit(status: 1))])
    asleep.go(to: 60)
    #expect(asleep.phone.appState == .suspended)
  }

  @Test("An app that is told of its end has until it returns, and no more than the watchdog's time")
  func willTerminateWorks() throws {
    for (work, end) in [(3, 53), (30, 60)] {
      let stage = try Stage([(50, .terminate)]) { phone, event in
        if event == .willTerminate { phone.work(.seconds(work)) }
      }
      #expect(!stage.event(.entered(region: "a"), at: 52))
      stage.go(to: 100)
      #expect(stage.story.dropFirst(3) == ["50 willTerminate", "\(end) NOTRUNNING"])
      #expect(stage.phone.counts.kills == (work > 10 ? 1 : 0))
    }
  }

  @Test("What is delivered while the app comes to the front is told before it is active")
  func heldBack() throws {
    let stage = try Stage([(100, .leaveApp), (200, .openApp)]) { phone, event in
      if event == .willEnterForeground { phone.deliver(.locationUpdatesResumed, .running) }
    }
    stage.go(to: 300)
    #expect(
      stage.story.suffix(3) == [
        "200 willEnterForeground", "200 locationUpdatesResumed", "200 becameActive",
      ])
  }
}
