internal import VicinityMonitor

/// Beacon monitoring, ranging and advertising.
struct BeaconState {
  init(_ scenario: Scenario) {}
}

extension SimulatedPhone {
  func beaconsNotice(_ change: SurroundingChange) {}
  func beaconsAreDue() {}
  func rangingIsDue() {}
  func beaconRegionsChanged() {}
}
