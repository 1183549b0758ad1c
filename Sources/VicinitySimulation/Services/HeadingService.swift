internal import VicinityMonitor

/// The compass.
struct HeadingState {
  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func headingNotices(_ change: SurroundingChange) {}
  func headingIsDue() {}
}
