public import VicinityGeodesy

/// Which regions are too small or too crowded to be noticed, and what radius would do.
public struct RadiusAdvice: Hashable, Sendable {
  /// What is to be thought of a region.
  public enum Verdict: String, CaseIterable, Hashable, Sendable {
    /// No pass lasted long enough for the system's monitoring to report it, but by a rare error of a position.
    case undetectable
    /// Passes are reported now and then, but fewer than are wanted.
    case unreliable
    /// Large enough, but most of its passes begin where more boundaries are within reach than there are slots.
    case crowded
    /// As it should be.
    case fine
  }

  /// What was found for a region that was passed.
  public struct Row: Hashable, Sendable {
    /// The region's ordinal.
    public var region: Int
    /// The region's identifier.
    public var identifier: String
    /// Its radius, metres; of a polygon that of the circle around it, which is what a system watches.
    public var radius: Meters
    /// How many times it was truly entered.
    public var passes: Int
    /// Of these, how many lasted long enough to be reported at all.
    public var possible: Int
    /// The share of its passes that is expected to be reported, 0...1.
    public var expected: Double
    /// How many passes began where more boundaries were within reach than there are slots.
    public var crowded: Int
    /// The median of how long the passes lasted, seconds; of those without an end, until the track's.
    public var medianDuration: Double
    /// What is to be thought of it.
    public var verdict: Verdict
    /// The least radius, to a metre, at which the share that is wanted would be reported; the present one where that does, nil
    /// where none does up to the largest.
    public var advisedRadius: Meters?
    /// How many times a region of that radius would be entered: more than ``passes`` where it also covers what passes by.
    public var passesAtAdvisedRadius: Int?
  }

  /// A square of 500 m in which more boundaries were within reach than there are slots.
  public struct CrowdedPlace: Hashable, Sendable {
    /// Where it was worst.
    public var coordinate: Coordinate
    /// The most regions that were wanted at once there.
    public var wanted: Int
    /// How many of these were left out.
    public var leftOut: Int
    /// How long the phones were there, seconds, summed over all of them.
    public var seconds: Double
  }

  /// What it takes to be noticed.
  public var detection: RadiusDetection
  /// The share of passes that is wanted, 0...1.
  public var share: Double
  /// How many slots there are.
  public var slots: Int
  /// The regions that were passed, the worst verdicts first, then by ordinal.
  public var rows: [Row]
  /// How many regions were not passed, of which nothing is known.
  public var unpassed: Int
  /// Where more boundaries are within reach than there are slots, most wanted first.
  public var crowdedPlaces: [CrowdedPlace]

  /// How many regions there are of each verdict.
  public var counts: [Verdict: Int] {
    rows.reduce(into: [:]) { $0[$1.verdict, default: 0] += 1 }
  }

  /// The share of all passes that is expected to be reported; nil without any.
  public var expectedShare: Double? {
    let passes = rows.reduce(0) { $0 + $1.passes }
    guard passes > 0 else { return nil }
    return rows.reduce(0) { $0 + $1.expected * Double($1.passes) } / Double(passes)
  }
}
