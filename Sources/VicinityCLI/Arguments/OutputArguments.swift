import ArgumentParser

/// Where a command writes its answer.
struct FileOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value("file", "Where to write; - for standard output. Files appear whole or not at all."),
    completion: .file())
  var output = "-"
}

/// The directory that a command writes files to besides its answer.
struct DirectoryOutputArguments: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: .value("directory", "The directory for the files; made if it does not exist."),
    completion: .directory)
  var output: String?

  func validate() throws {
    if output?.isEmpty == true || output == "-" { throw ValidationError("--output must name a directory") }
  }
}

extension ArgumentHelp {
  static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}
