internal import VicinityMonitor

/// The significant-change service, and visits.
struct SignificantChangeState {
  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func significantChangeNotices(_ change: SurroundingChange) {}
  func significantChangeIsDue() {}
  func visitIsDue() {}
}
