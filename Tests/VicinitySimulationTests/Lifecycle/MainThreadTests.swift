import Testing
import VicinityCrossings
import VicinityGeodesy
import VicinityMonitor

@testable import VicinitySimulation

@Suite("App lifecycle: the main thread")
struct MainThreadTests {
  @Test("While a callback works, events wait in order; positions that wait come together")
  func queue() throws {
    let stage = try Stage { phone, event in
      if event == .entered(region: "a") { phone.work(.seconds(6)) }
    }
    let fixes = [11.0, 12, 13].map { Fix(time: Stage.time($0), coordinate: .init(latitude: 1, longitude: 2)) }
    stage.event(.entered(region: "a"), at: 10)
    stage.event(.locations([fixes[0]], from: .standard), .running, at: 11)
    stage.event(.locations([fixes[1]], from: .standard), .running, at: 12)
    stage.event(.exited(region: "a"), at: 13)
    stage.event(.locations([fixes[2]], from: .standard), .running, at: 13)
    stage.go(to: 20)
    #expect(
      stage.story.dropFirst(3) == [
        "10 entered a", "16 locations 2", "16 exited a", "16 locations 1",
      ])
  }

  @Test("A blocked main thread is the app's end after ten seconds, not before")
  func watchdog() throws {
    for (work, isKilled) in [(10, false), (11, true), (4000, true)] {
      let stage = try Stage { phone, event in
        if event == .entered(region: "a") { phone.work(.seconds(work)) }
      }
      stage.event(.entered(region: "a"), at: 100)
      stage.event(.exited(region: "a"), at: 101)
      stage.go(to: 5000)
      #expect(stage.phone.counts.kills == (isKilled ? 1 : 0))
      let end = [
        "110 lost 1 event that the app had not been told", "110 NOTRUNNING",
      ]
      #expect(stage.story.dropFirst(4) == (isKilled ? end : ["110 exited a"])[...])
    }
  }

  @Test("The handler of entering the background has ten seconds, whatever tasks there are")
  func enteringBackground() throws {
    for (work, lines) in [
      (9, ["109 ended 1", "109 SUSPENDED"]), (12, ["110 NOTRUNNING"]),
    ] {
      let stage = try Stage([(100, .leaveApp)]) { phone, event in
        switch event {
        case .enteredBackground:
          let task = phone.beginBackgroundTask("save")
          phone.saved = task
          phone.work(.seconds(work))
          phone.setTimer(after: .seconds(work))
        case .timer:
          if let task = phone.saved as? BackgroundTask { phone.endBackgroundTask(task) }
        default: break
        }
      }
      stage.go(to: 200)
      #expect(Array(stage.story.suffix(lines.count)) == lines)
    }
  }

  @Test("An app at work when it is left has its handler called afterwards, and is suspended only then")
  func leftAtWork() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      if event == .entered(region: "a") { phone.work(.seconds(8)) }
    }
    stage.event(.entered(region: "a"), at: 95)
    stage.go(to: 200)
    #expect(
      stage.story.dropFirst(3) == [
        "95 entered a", "100 BACKGROUND", "103 enteredBackground", "103 SUSPENDED",
      ])
    #expect(stage.phone.counts.backgroundSeconds == 3)
  }

  @Test("Work that nothing owes the app waits through suspension, and comes before what wakes it")
  func frozenQueue() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      if event == .enteredBackground { phone.work(.seconds(4)) }
    }
    stage.event(.locationUnknown, .running, at: 102)
    stage.event(.entered(region: "a"), at: 200)
    stage.go(to: 300)
    #expect(
      stage.story.dropFirst(5) == [
        "104 SUSPENDED", "200 BACKGROUND", "200 locationUnknown", "200 entered a", "210 SUSPENDED",
      ])
  }

  @Test("Work outside a callback is none")
  func outside() throws {
    let stage = try Stage()
    stage.phone.work(.seconds(5))
    stage.event(.locationUnknown, .running, at: 1)
    #expect(stage.story.last == "1 locationUnknown")
  }

  @Test("Callbacks cost a woken processor and its tail, work costs the app's power, suspension nothing")
  func energy() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      if event == .entered(region: "a") { phone.work(.seconds(4)) }
    }
    stage.event(.entered(region: "a"), at: 200)
    let result = stage.finish()
    // 100 mW for 1 s after launching and after leaving, for 4 s and 1 s after the event.
    #expect(result.uses(0.1 * 7, of: .cpu, within: 1e-12))
    #expect(result.uses(0.5 * 4, of: .app, within: 1e-12))
    #expect(result.uses(0.02 * 86_400, of: .idle, within: 1e-9))
  }
}
