public import VicinityGeodesy

/// The visits that a figure is about: not too short, and to regions that are not too small.
///
/// A crossing counts if its visit does. An unfounded report belongs to no visit, so it counts by its region's
/// size alone.
public struct VisitFilter: Hashable, Sendable {
  /// The least ``RegionVisit/radius``, metres.
  public var minimumRadius: Meters
  /// The least ``RegionVisit/seconds``.
  public var minimumSeconds: Double

  /// By default, all visits pass.
  public init(minimumRadius: Meters = 0, minimumSeconds: Double = 0) {
    self.minimumRadius = minimumRadius
    self.minimumSeconds = minimumSeconds
  }

  public static let all = VisitFilter()
  /// Visits that a phone can be expected to notice: of a minute or more, to regions of 100 m or more.
  public static let minuteInHundredMeters = VisitFilter(minimumRadius: 100, minimumSeconds: 60)

  public func contains(_ visit: RegionVisit) -> Bool {
    visit.radius >= minimumRadius && visit.seconds >= minimumSeconds
  }

  /// In words: `visits of 60 s or more to regions of 100 m or more`.
  public var description: String {
    switch (minimumRadius > 0, minimumSeconds > 0) {
    case (false, false): "all visits"
    case (true, false): "visits to regions of \(minimumRadius.shortestText) m or more"
    case (false, true): "visits of \(minimumSeconds.shortestText) s or more"
    case (true, true):
      "visits of \(minimumSeconds.shortestText) s or more to regions of \(minimumRadius.shortestText) m or more"
    }
  }
}
