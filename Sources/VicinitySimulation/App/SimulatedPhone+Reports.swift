public import VicinityCrossings
public import VicinityMonitor

extension SimulatedPhone {
  /// The app reports that a region was entered or left: what its user would notice.
  ///
  /// - Parameters:
  ///   - isEntry: Whether it was entered.
  ///   - region: The region's identifier.
  ///   - time: When the app says that it happened; not after now.
  public func report(entry isEntry: Bool, region: String, at time: Timestamp) {
    guard recording.contains(.reports) else { return }
    timeline.append(TimelineEntry(time: now, kind: .reported(isEntry: isEntry, region: region, at: time)))
  }

  /// The app shows where it need not choose its regions again; nil for nowhere.
  public func show(vicinity: Plan.Disc?) {
    if let vicinity {
      record(.vicinity(center: vicinity.center, radius: vicinity.radius))
    } else {
      record(.noVicinity)
    }
  }

  /// The app says that something was lost: what, in words.
  public func lose(_ what: String) { record(.lost(what)) }
}
