public import VicinityGeodesy
public import VicinityMonitor

// The rest of what a `Phone` has is in the files of the services.
extension SimulatedPhone: StudiedPhone {
  public var isInFront: Bool { appState == .foreground }
  public var slotCapacity: Int { profile.regions.slots }
  public var maximumRegionRadius: Meters { profile.regions.maximumRadius.value }
  /// Always 0: all regions are the app's under study.
  public var otherRegionCount: Int { 0 }

  public func notify(_ request: NotificationRequest) throws(NotificationError) { try schedule(request) }

  /// What `CLMonitor` remembers of a condition: its last event, as the app was told of it.
  public func lastReport(of identifier: String) -> SlotReport? { regions.records[identifier] }
}

extension SimulatedPhone {
  /// Notes what the app is told of a slot, where `CLMonitor` watches it.
  func remember(_ event: PhoneEvent) {
    let (region, state): (String, MonitoringState)
    switch event {
    case .entered(let identifier), .determined(.inside, let identifier):
      (region, state) = (identifier, .satisfied)
    case .exited(let identifier), .determined(.outside, let identifier):
      (region, state) = (identifier, .unsatisfied)
    default: return
    }
    guard regions.slots.index(of: region) != nil else { return }
    regions.records[region] = SlotReport(identifier: region, state: state, date: now)
  }
}
