/// How many fixes have been accepted, and how many dropped.
public struct FixCounts: Hashable, Sendable {
  /// Fixes that moved the device: all but the dropped and the refused.
  public var fixes = 0
  /// Exact repeats of the fix before, time and place: dropped.
  public var repeats = 0
  /// Fixes of negative accuracy: dropped, whatever else they say.
  public var invalid = 0

  @inlinable
  public init() {}

  @inlinable
  public static func + (a: FixCounts, b: FixCounts) -> FixCounts {
    var sum = a
    sum.fixes += b.fixes
    sum.repeats += b.repeats
    sum.invalid += b.invalid
    return sum
  }

  package mutating func count(_ verdict: FixValidator.Verdict) {
    switch verdict {
    case .accepted: fixes += 1
    case .repeated: repeats += 1
    case .invalid: invalid += 1
    }
  }
}
