import VicinityFormats

/// What a person should know beside the data: on standard error.
enum Notices {
  /// Prints `vicinity: <kind>: <message>`.
  static func print(_ kind: String, _ message: String) {
    ProgressMeter.clearLine()
    System.printError("vicinity: \(kind): \(message)\n")
  }

  /// Prints what a reader found: the first of each kind, then how many more there were.
  static func print(
    warnings: [Diagnostic], warningCount: Int, skipped: [Diagnostic], skippedCount: Int
  ) {
    for warning in warnings { print("warning", warning.description) }
    if warningCount > warnings.count {
      print("warning", "\(DecimalText.grouped(warningCount - warnings.count)) more warnings")
    }
    guard skippedCount > 0 else { return }
    for diagnostic in skipped { print("skipped", diagnostic.description) }
    let noun = skippedCount == 1 ? "bad row or feature" : "bad rows or features"
    print("note", "skipped \(DecimalText.grouped(skippedCount)) \(noun)")
  }
}
