import VicinityFormats
import VicinityRuns

/// Messages for people, on standard error.
enum Notices {
  /// Prints `<program>: <kind>: <message>`, with control characters made visible: names from files must not
  /// steer the terminal, nor look like another message. Lines that go on are indented.
  static func print(_ kind: String, _ message: String) {
    printLines(kind, VisibleText.ofIndentedLines(message))
  }

  /// Prints a message with lines of its own, such as the usage of a command.
  static func printLines(_ kind: String, _ message: String) {
    ProgressMeter.clearLine()
    System.printError("\(programName): \(kind): \(VisibleText.ofLines(message))\n")
  }
}
