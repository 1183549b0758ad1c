internal import VicinityMonitor

/// The standard location service.
struct StandardLocationState {
  /// The last position that the system has come by.
  var lastKnown: Fix?

  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func standardNotices(_ change: SurroundingChange) {}
  func standardFixIsDue() {}
  func standardStateIsDue() {}
  func standardNotesPassive(_ fix: Fix) { standard.lastKnown = fix }
}
