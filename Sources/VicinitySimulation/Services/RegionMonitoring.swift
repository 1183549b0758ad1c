internal import VicinityMonitor

/// The regions that the system watches for the app.
struct RegionMonitoringState {
  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func regionsNotice(_ change: SurroundingChange) {}
  func regionLookIsDue() {}
  func regionDeliveryIsDue() {}
}
