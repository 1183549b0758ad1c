import ArgumentParser
import VicinityRuns

/// `vicinity demo`: the main job, from region sets to policies compared, on the data that comes with the
/// program.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the main commands on the data that comes with the program.",
    discussion: """
      Makes index files from sets of regions, and lists the regions nearest to some places. Then takes two \
      bicycle rides through thousands of made-up regions: every entry and exit, the twenty regions that a \
      phone should watch at each moment, and what watching costs and misses under each policy. A policy is \
      a way to ask for positions and to sleep. Each step shows its command, so that you can run it on your \
      own files.

      The files stay in the directory of --output; the last line is the path of report.html.

      EXAMPLES:
        vicinity demo
        vicinity demo --data Data --output shown

      \(ExitCodes.help)
      """)

  @Option(
    help: .value(
      "directory",
      "The directory of the data (default: Data here, in a directory above the program, or in share/vicinity beside its bin)."
    ),
    completion: .directory)
  var data: String?

  @Option(
    name: [.short, .long],
    help: .value(
      "directory", "The directory for the files. Files of the same names are replaced, each as a whole."),
    completion: .directory)
  var output = "vicinity-demo"

  func validate() throws {
    if output.isEmpty || output == "-" { throw ValidationError("--output must name a directory") }
  }

  func run() throws {
    let data = try DemoData.find(data)
    let directory = try OutputDirectory(output)
    try withExtendedLifetime(directory) { try Demo(data: data, output: directory.path).run() }
  }
}
