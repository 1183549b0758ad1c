import Foundation

/// One line on standard error that says what runs; silent when that is no terminal.
struct Progress {
  private let isTerminal = isatty(2) != 0

  func show(_ text: String) {
    if isTerminal { write("\r\u{1B}[K\(text)") }
  }

  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
