public import VicinityGeodesy

/// Which visits a figure is about: of regions not too small, and not too short.
///
/// Of crossings those count whose visit does. Reports of nothing belong to no visit; they count by their region's size alone.
public struct VisitFilter: Hashable, Sendable {
  /// The least ``RegionVisit/radius``, metres.
  public var minimumRadius: Meters
  /// The least ``RegionVisit/seconds``.
  public var minimumSeconds: Double

  /// A filter; by default everything passes.
  public init(minimumRadius: Meters = 0, minimumSeconds: Double = 0) {
    self.minimumRadius = minimumRadius
    self.minimumSeconds = minimumSeconds
  }

  /// Every visit.
  public static let all = VisitFilter()
  /// Visits that a phone can be asked to notice: of a minute or more, in regions of 100 m or more.
  public static let minuteInHundredMeters = VisitFilter(minimumRadius: 100, minimumSeconds: 60)

  /// Whether a visit passes.
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
