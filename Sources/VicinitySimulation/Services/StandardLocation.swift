internal import VicinityMonitor

/// The standard location service.
struct StandardLocationState {
  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func standardNotices(_ change: SurroundingChange) {}
  func standardFixIsDue() {}
  func standardStateIsDue() {}
}
