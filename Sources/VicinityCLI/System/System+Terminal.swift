import CLibrary
import VicinityIndex
import VicinityRuns

/// What only a program does: it ends, and speaks to people.
extension System {
  static func leave(with code: CInt) -> Never { exit(code) }

  /// The columns of the terminal behind `descriptor`; `COLUMNS` overrides. `nil` when unknown.
  static func terminalWidth(_ descriptor: CInt) -> Int? {
    if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes `text` to standard error, whatever becomes of it.
  static func printError(_ text: String) {
    try? OpenFile(descriptor: standardError, name: "standard error").write(Array(text.utf8))
  }
}
