public import VicinityGeodesy

/// Which regions are too small or too crowded to be noticed, and which radius would be enough.
public struct RadiusAdvice: Hashable, Sendable {
  public enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// No pass was far enough inside for long enough: one is reported only where a position errs inwards.
    /// That is rare for a drive past the region, and common for a long stay just inside the boundary.
    case undetectable
    /// Fewer passes are reported than are wanted.
    case unreliable
    /// Large enough, but most of its passes begin where more boundaries are within reach than there are
    /// slots.
    case crowded
    case fine
  }

  /// The findings for a region that was passed.
  public struct Row: Hashable, Sendable {
    public var region: Int
    public var identifier: String
    /// The region's radius, metres; for a polygon, that of the circle around it, which is what a system
    /// watches.
    public var radius: Meters
    /// How many times the region was truly entered.
    public var passes: Int
    /// How many passes were far enough inside for long enough to be reported without an error's help.
    public var possible: Int
    /// The share of passes that can be relied on to be reported, 0...1. It leaves out what errors of
    /// positions add (``RadiusDetection/reach(of:)``), which is much in regions as small as the errors.
    public var expected: Double
    /// How many passes began where more boundaries were within reach than there are slots.
    public var crowded: Int
    /// The median duration of the passes, seconds; a pass without an end counts up to the track's end.
    public var medianDuration: Double
    public var verdict: Verdict
    /// The least radius, to a metre, at which the wanted share would be reported: the present one where it is
    /// enough, nil where even the largest is too small.
    public var advisedRadius: Meters?
    /// How many times a region of the advised radius would be entered: more than ``passes`` where it also
    /// covers what passes by.
    public var passesAtAdvisedRadius: Int?
  }

  /// A square of 500 m in which more boundaries were within reach than there are slots.
  public struct CrowdedPlace: Hashable, Sendable {
    /// Where most regions were wanted.
    public var coordinate: Coordinate
    /// The most regions that were wanted at once.
    public var wanted: Int
    /// How many of these were left out.
    public var leftOut: Int
    /// How long all phones together were there, seconds.
    public var seconds: Double
  }

  /// What it takes to be noticed.
  public var detection: RadiusDetection
  /// The share of passes that should be reported, 0...1.
  public var share: Double
  /// The number of slots that were planned for: the phone's, or fewer where a smaller capacity was given.
  public var slots: Int
  /// The regions that were passed, the worst verdicts first, then by ordinal.
  public var rows: [Row]
  /// How many regions were never passed; nothing is known about them.
  public var unpassed: Int
  /// Where more boundaries are within reach than there are slots, most wanted first.
  public var crowdedPlaces: [CrowdedPlace]

  /// How many regions have each verdict.
  public var counts: [Verdict: Int] {
    rows.reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 }
  }

  /// The share of all passes that can be relied on to be reported (``Row/expected``); nil without passes.
  public var expectedShare: Double? {
    let passes = rows.reduce(0) { $0 + $1.passes }
    guard passes > 0 else { return nil }
    return rows.reduce(0) { $0 + $1.expected * Double($1.passes) } / Double(passes)
  }
}
