import ArgumentParser
import VicinityRuns

/// Where a command writes its answer.
struct FileOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value(
      "file",
      """
      Where to write (default: -, which is standard output). A file appears whole or not at all, and \
      replaces a file of that name.
      """
    ),
    completion: .file(),
    transform: { OutputPlace($0) == .standardOutput ? "-" : $0 })
  var output = "-"

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output must name a file, or be -") }
  }

  /// The format of the answer: the one that was asked for, or that of the file's ending, or the usual one.
  func format<Format: RawRepresentable<String>>(_ asked: Format?, usual: Format) -> Format {
    let ending = output.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
    return asked ?? Format(rawValue: ending.lowercased()) ?? usual
  }
}

/// The directory that a command writes files to besides its answer.
struct DirectoryOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value(
      "directory",
      "The directory for the files; made if it does not exist. Files of the same names are replaced, each as a whole."
    ),
    completion: .directory)
  var output: String?

  func validate() throws {
    if output?.isEmpty == true || output == "-" { throw ValidationError("--output must name a directory") }
  }
}
