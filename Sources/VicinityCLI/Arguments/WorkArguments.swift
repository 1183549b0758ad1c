import ArgumentParser
import VicinityIndex

/// How many cores to use.
struct WorkArguments: ParsableArguments {
  @Option(
    help: .value("n", "Threads to use (default: one per core). The output does not depend on it."))
  var jobs: Int?

  var threads: Int { jobs ?? Parallel.coreCount }

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more; found \(jobs)") }
  }
}
