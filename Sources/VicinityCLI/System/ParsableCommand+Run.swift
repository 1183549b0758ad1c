import ArgumentParser
import VicinityFormats
import VicinityIndex
import VicinityRuns

extension ParsableCommand {
  /// Runs the command that `arguments` ask for.
  ///
  /// Help and versions go to standard output; errors, and what can be done about them, to standard error.
  ///
  /// - Parameters:
  ///   - usage: What is wrong with arguments that the parser refuses, where something says it better.
  ///   - advice: What to tell people after an error, of its text and its cures.
  /// - Returns: The exit code.
  static func run(
    _ arguments: [String], usage: ([String]) -> String? = { _ in nil },
    advice: (_ error: String, _ cures: [Cure]) -> [String] = { _, _ in [] }
  ) -> CInt {
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      return 0
    } catch is OutputClosed {
      return 0
    } catch let failure as CommandFailure {
      let message = ErrorText.message(failure)
      Notices.print("error", message)
      for line in advice(message, failure.cures) { Notices.print("note", line) }
      return 1
    } catch {
      let code = exitCode(for: error)
      let text = fullMessage(for: error)
      guard !code.isSuccess else { return printAnswer(text) }
      Notices.printLines("error", usage(arguments) ?? ErrorText.withoutPrefix(text))
      for line in advice(text, (error as? FormatError)?.cures ?? []) { Notices.print("note", line) }
      return code.rawValue
    }
  }

  private static func printAnswer(_ text: String) -> CInt {
    let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
    do throws(FileError) {
      try OpenFile(descriptor: System.standardOutput, name: "standard output").write(bytes)
    } catch {
      guard !error.isBrokenPipe else { return 0 }
      Notices.print("error", "cannot write: \(error.message) (standard output)")
      return 1
    }
    return 0
  }
}
