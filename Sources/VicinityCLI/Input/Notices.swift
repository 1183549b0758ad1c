import VicinityCrossings
import VicinityFormats

/// Messages for people, on standard error.
enum Notices {
  /// Prints `vicinity: <kind>: <message>`.
  static func print(_ kind: String, _ message: String) {
    ProgressMeter.clearLine()
    System.printError("vicinity: \(kind): \(message)\n")
  }

  /// Prints what a reader found: the first diagnostics of each kind, then how many more there were.
  static func print(warnings: DiagnosticList, skipped: DiagnosticList) {
    for warning in warnings.examples { print("warning", warning.description) }
    let others = warnings.count - warnings.examples.count
    if others > 0 { print("warning", "\(DecimalText.grouped(others)) more warnings") }
    guard !skipped.isEmpty else { return }
    for diagnostic in skipped.examples { print("skipped", diagnostic.description) }
    let noun = skipped.count == 1 ? "bad row or feature" : "bad rows or features"
    print("note", "skipped \(DecimalText.grouped(skipped.count)) \(noun)")
  }

  /// Prints what a reader of tracks found.
  static func print(_ summary: TrackSummary) {
    print(warnings: summary.warnings, skipped: summary.skipped)
  }
}
