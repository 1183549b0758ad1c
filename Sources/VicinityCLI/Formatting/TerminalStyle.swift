import VicinityRuns

/// What the place that text goes to can show.
struct TerminalStyle: Equatable {
  var isTerminal = false
  var usesColor = false
  /// The columns of the terminal; `nil` for files and pipes, where nothing is cut.
  var width: Int?

  /// Neither terminal nor colour.
  static let plain = TerminalStyle()

  /// The style of an output: standard output where `path` is `-`. `NO_COLOR` (no-color.org) is respected.
  static func current(path: String) -> TerminalStyle {
    guard path == "-", System.isTerminal(System.standardOutput) else { return plain }
    let isDumb = System.environment("TERM") == "dumb"
    let forbidsColor = System.environment("NO_COLOR").map { !$0.isEmpty } ?? false
    return TerminalStyle(
      isTerminal: true, usesColor: !isDumb && !forbidsColor,
      width: System.terminalWidth(System.standardOutput))
  }
}
