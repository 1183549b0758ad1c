import Testing
import VicinityMonitor

@testable import VicinitySimulation

@Suite("App lifecycle: the location mode")
struct LocationModeTests {
  private func stage(
    hasMode: Bool = true, pauses: Bool = false, _ actions: [(Double, UserAction)] = [(100, .leaveApp)],
    react: @escaping (SimulatedPhone, PhoneEvent) -> Void = { _, _ in }
  ) throws -> Stage {
    try Stage(actions, capabilities: AppCapabilities(hasLocationMode: hasMode)) { phone, event in
      if case .launched = event {
        phone.locationSettings.desiredAccuracy = .best
        phone.locationSettings.allowsBackgroundUpdates = true
        phone.locationSettings.pausesAutomatically = pauses
        phone.startUpdatingLocation()
      }
      react(phone, event)
    }
  }

  @Test("Updates keep an app with the mode running, and one without is suspended")
  func mode() throws {
    let stage = try stage()
    stage.go(to: 5000)
    #expect(stage.phone.appState == .background)
    #expect(stage.phone.backgroundTimeRemaining == SimulatedPhone.unlimitedTime)
    #expect(stage.phone.counts.fixes > 4000)
    let other = try self.stage(hasMode: false)
    other.go(to: 5000)
    #expect(other.phone.appState == .suspended)
    #expect(other.phone.counts.fixes < 200)
  }

  @Test("When updates stop, tasks have their time from then on")
  func stops() throws {
    let stage = try stage { phone, event in
      switch event {
      case .enteredBackground:
        _ = phone.beginBackgroundTask("kept")
        phone.setTimer(after: .seconds(900))
      case .timer: phone.stopUpdatingLocation()
      default: break
      }
    }
    stage.go(to: 2000)
    let story = stage.story.filter { !$0.contains("locations") && !$0.contains("service") }
    #expect(
      story.suffix(5) == [
        "100 enteredBackground", "100 task 1", "1000 timer 1", "1025 expires 1", "1030 NOTRUNNING",
      ])
  }

  @Test("When updates pause, the app is suspended")
  func pauses() throws {
    let stage = try stage(pauses: true)
    stage.go(to: 20_000)
    #expect(stage.phone.appState == .suspended)
    let last = stage.phone.timeline.suffix(2).map(\.kind)
    #expect(last[0] == .delivered(.locationUpdatesPaused))
    guard case .lifecycle(.suspended, _) = last[1] else {
      Issue.record("\(last[1])")
      return
    }
  }

  @Test("Best in front, a hundred metres behind: satellites are on while it is in front")
  func pattern() throws {
    let stage = try stage(pauses: false, [(100, .leaveApp), (1000, .openApp), (1400, .leaveApp)]) {
      phone, event in
      switch event {
      case .becameActive: phone.locationSettings.desiredAccuracy = .best
      case .enteredBackground: phone.locationSettings.desiredAccuracy = .hundredMeters
      default: break
      }
    }
    let result = stage.finish()
    // 100 s and 400 s in front of 250 mW, and 60 mW the rest of the day.
    #expect(result.uses(0.25 * 500, of: .gnss, within: 1e-6))
    #expect(result.uses(0.06 * (86_400 - 500), of: .wifi, within: 1e-6))
    #expect(result.counts.backgroundSeconds == 86_400 - 500)
  }

}
