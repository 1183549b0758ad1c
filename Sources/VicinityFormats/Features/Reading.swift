public import VicinityText

/// What a reader found in a file, with its warnings.
public struct Reading<Content: Sendable>: Sendable {
  /// The regions or points, in the file's order.
  public internal(set) var content: Content
  /// Warnings, such as repaired polygons or layers that were not read.
  public internal(set) var warnings: DiagnosticList
  /// The rows or features skipped; only with `ReadingOptions/skipInvalid`.
  public internal(set) var skipped: DiagnosticList
  /// The columns or fields that were taken where another choice was possible.
  public internal(set) var notes: DiagnosticList
}
