public import VicinityText

/// What a ``TrackReader`` has read, dropped and skipped so far.
public struct TrackSummary: Hashable, Sendable {
  /// Fixes handed out.
  public internal(set) var fixes = 0
  /// Fixes that repeat the previous one: same device, time and coordinate. Dropped.
  public internal(set) var repeats = 0
  /// Fixes whose accuracy is negative, which means that the coordinate is invalid. Dropped.
  public internal(set) var invalidFixes = 0
  /// With sorting: fixes of a device at the time of another but at another place. All but the first are
  /// dropped.
  public internal(set) var conflicts = 0
  /// Fixes of a stream that an earlier run has read already. Dropped.
  package internal(set) var known = 0
  /// Bad rows or features that were skipped.
  public internal(set) var skipped: DiagnosticList
  /// What was assumed about the files.
  public internal(set) var warnings: DiagnosticList
  /// The columns or fields that the caller chose, and what the values read make suspect: times before 1980,
  /// no accuracy where the rule needs one, places at 0, 0, values taken for unknown.
  public internal(set) var notes = DiagnosticList(maximum: 0)
}
