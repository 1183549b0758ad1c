public import VicinityCrossings
public import VicinityGeodesy

/// The visits that a figure is about: not too short, not too soon after one another, and to regions that are
/// not too small.
///
/// Whoever steps over a boundary for some seconds has not come, and has not left either. So a crossing counts
/// if its visit does, and if the absence on its other side is no shorter than a visit has to be. An unfounded
/// report belongs to no visit, so it counts by its region's size alone.
public struct VisitFilter: Hashable, Sendable {
  /// The least ``RegionVisit/radius``, metres.
  public var minimumRadius: Meters
  /// The least ``RegionVisit/seconds``, and the least absence between two visits to a region.
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

  /// Whether a visit's entry or exit counts.
  public func contains(_ kind: Crossing.Kind, of visit: RegionVisit) -> Bool {
    contains(visit) && (kind == .exit ? visit.absenceAfter : visit.absenceBefore) >= minimumSeconds
  }

  /// In words: `visits of 60 s or more, and as far apart, to regions of 100 m or more`.
  public var description: String {
    var words = "visits"
    if minimumSeconds > 0 { words += " of \(minimumSeconds.shortestText) s or more, and as far apart" }
    if minimumSeconds > 0, minimumRadius > 0 { words += "," }
    if minimumRadius > 0 { words += " to regions of \(minimumRadius.shortestText) m or more" }
    return minimumSeconds > 0 || minimumRadius > 0 ? words : "all visits"
  }
}
