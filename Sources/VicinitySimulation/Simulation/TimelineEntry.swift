public import VicinityCrossings
public import VicinityGeodesy
public import VicinityMonitor

/// An entry of a run's timeline, which is in order of time.
public struct TimelineEntry: Hashable, Sendable {
  public var time: Timestamp
  public var kind: Kind

  public enum Kind: Hashable, Sendable {
    /// The app got an event.
    case delivered(PhoneEvent)
    case lifecycle(AppState, because: String)
    /// The app started, changed or stopped a service; the settings in words.
    case service(name: String, setting: String)
    /// A region got a slot.
    case registered(MonitoredRegion)
    case unregistered(region: String)
    /// The system saw an entry or exit. Whether and when the app is told is another entry.
    case observed(RegionState, region: String)
    case taskBegan(BackgroundTask, name: String)
    case taskEnded(BackgroundTask)
    /// The app reported an entry or exit at an instant: what its user would notice.
    case reported(isEntry: Bool, region: String, at: Timestamp)
    /// The app's safe disc changed: within it the app keeps its choice of regions.
    case safeDisc(center: Coordinate, radius: Meters)
    /// The app has no safe disc any more.
    case noSafeDisc
    case notified(identifier: String)
    /// Something was lost or refused, in words.
    case lost(String)
  }
}

public enum AppState: String, CaseIterable, Hashable, Sendable {
  case notRunning
  case foreground
  case background
  /// In memory, but not running.
  case suspended
}

extension PhoneEvent {
  /// Whether it is a report of a significant change.
  var isSignificantChange: Bool {
    if case .locations(_, from: .significantChange) = self { true } else { false }
  }

  /// The name in timelines, such as `entered_background`.
  package var name: String {
    let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
    return String(label.flatMap { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" })
  }
}
