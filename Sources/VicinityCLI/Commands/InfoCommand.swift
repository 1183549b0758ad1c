import ArgumentParser
import VicinityIndex
import VicinityRuns

/// `vicinity info`: what an index file holds, and whether it is sound.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Describe an index file and verify it.",
    usage: "vicinity info <file.vicinity> [<options>]",
    discussion: """
      Prints the version of the file's format, its size, how many circles and polygons it holds, where \
      their centres lie, how large the circles are, and the bytes of each section of the file. It checks \
      the checksums and everything else that answers depend on: a verified file gives right answers, \
      whoever made it. A file that is damaged, or whose contents do not fit together, is reported on \
      standard error, and the exit code is 1.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity index Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --output airports.vicinity
        vicinity info airports.vicinity
        vicinity info airports.vicinity --format json
        vicinity info airports.vicinity --no-verify

      \(ExitCodes.help)
      """)

  @Argument(
    help: .value("file.vicinity", "The index file."),
    completion: .file(extensions: ["vicinity"]))
  var path: String

  @Flag(inversion: .prefixedNo, help: "Read the whole file, and check its checksums and contents.")
  var verify = true

  @Option(name: [.short, .long], help: .value("format", "Output format."))
  var format = SummaryFormat.table

  func run() throws {
    try RegionSource.checkIsFile(path)
    guard RegionSource.isIndex(path) else {
      throw CommandFailure("not an index file; vicinity index makes one", at: path)
    }
    let progress = ProgressMeter("reading index")
    defer { progress.finish() }
    let index = try RegionSource.open(path, verifying: .structure)
    let damage = verify ? damage(of: index) : nil
    let description = IndexDescription(
      path: path, details: index.details(),
      checksums: verify ? damage.map { .damaged($0.what) } ?? .verified : .notChecked)
    progress.finish()
    let writer = try ByteWriter(output: "-")
    switch format {
    case .table: writer.buffer += description.table(style: .current(path: "-"))
    case .json: writer.buffer += description.json()
    }
    try writer.finish()
    if let damage { throw damage }
  }

  private func damage(of index: RegionIndex) -> CommandFailure? {
    do {
      try index.verify(contents: true)
      return nil
    } catch {
      return CommandFailure(error, at: path)
    }
  }
}
