public import VicinityGeodesy

/// The visits that a figure is about: not too short, not too soon after one another, and to regions that are
/// not too small.
///
/// Which crossings that leaves, and which reports tell them, ``CountedCrossings`` says.
public struct VisitFilter: Hashable, Sendable {
  /// The least ``RegionVisit/radius``, metres.
  public var minimumRadius: Meters
  /// The least time in a region that is a visit, and out of it that is an absence, seconds.
  public var minimumSeconds: Double

  /// By default, all visits pass.
  public init(minimumRadius: Meters = 0, minimumSeconds: Double = 0) {
    self.minimumRadius = minimumRadius
    self.minimumSeconds = minimumSeconds
  }

  public static let all = VisitFilter()
  /// Visits that a phone can be expected to notice: of a minute or more, to regions of 100 m or more.
  public static let minuteInHundredMeters = VisitFilter(minimumRadius: 100, minimumSeconds: 60)

  /// In words: `visits of 60 s or more, and as far apart, to regions of 100 m or more`.
  public var description: String {
    var words = "visits"
    if minimumSeconds > 0 { words += " of \(minimumSeconds.shortestText) s or more, and as far apart" }
    if minimumSeconds > 0, minimumRadius > 0 { words += "," }
    if minimumRadius > 0 { words += " to regions of \(minimumRadius.shortestText) m or more" }
    return minimumSeconds > 0 || minimumRadius > 0 ? words : "all visits"
  }
}
