import ArgumentParser

/// How many cores to use.
struct WorkArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Threads to use (default: one per core). The output is the same whatever it is.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more; found \(jobs)") }
  }
}
