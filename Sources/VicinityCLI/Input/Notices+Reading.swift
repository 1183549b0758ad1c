import VicinityCrossings
import VicinityFormats

/// Messages about what a reader found.
extension Notices {
  /// How many bad rows are printed; a file of them may have all.
  private static let mostSkipped = ReadingOptions().maximumDiagnostics

  /// Prints what a reader found: the first diagnostics of each kind, then how many more there were.
  ///
  /// - Parameter before: How many bad rows were skipped before this run went on.
  static func print(warnings: DiagnosticList, skipped: DiagnosticList, skippedBefore before: Int = 0) {
    for warning in warnings.examples { print("warning", warning.description) }
    let others = warnings.count - warnings.examples.count
    if others > 0 { print("warning", "\(DecimalText.grouped(others)) more warnings") }
    guard skipped.count + before > 0 else { return }
    for line in Diagnostic.lines(Array(skipped.examples.prefix(mostSkipped))) { print("skipped", line) }
    let count = skipped.count + before
    let noun = count == 1 ? "bad row or feature" : "bad rows or features"
    let share = before > 0 ? ", \(DecimalText.grouped(before)) of them before the interruption" : ""
    print("note", "skipped \(DecimalText.grouped(count)) \(noun)\(share)")
  }

  /// Prints what a reader of regions or points found.
  ///
  /// - Parameter identifierOption: The option that says what holds the identifiers; told where nothing was
  ///   found that does.
  static func print<Content>(_ reading: Reading<Content>, identifierOption: String? = nil) {
    print(notes: reading.notes)
    print(warnings: reading.warnings, skipped: reading.skipped)
    if let identifierOption, reading.warnings.examples.contains(where: { $0.cure == .unnamed }) {
      print("note", Cure.advice(unnamed: identifierOption))
    }
  }

  /// Prints which columns were taken, for the first few files.
  static func print(notes: DiagnosticList) {
    for note in notes.examples { print("note", note.description) }
  }

  static func print(_ summary: TrackSummary, skippedBefore before: Int = 0) {
    print(notes: summary.notes)
    if summary.notes.examples.contains(where: { $0.cure == .timeUnit }) {
      print("note", Cure.timeUnit.advice)
    }
    print(warnings: summary.warnings, skipped: summary.skipped, skippedBefore: before)
  }
}
