import ArgumentParser
import VicinityCrossings
import VicinityIndex
import VicinityRuns

/// `vicinity index`: a file of regions made into an index, which opens sooner than the file is read.
struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Build an index file from a file of regions.",
    usage: "vicinity index <regions> --output <file.vicinity> [<options>]",
    discussion: """
      An index opens much sooner than the regions of a file are read, and gives the same answers as the \
      file it was built from. It appears whole or not at all: an interrupted or failed run leaves an earlier \
      file as it was.

      A summary goes to standard error. Circles from CSV take 65 to 95 bytes of memory each: a hundred \
      million take 6.5 GB on Linux. Elsewhere the index is in memory too.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity index Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --output airports.vicinity
        vicinity index stores.csv --output stores.vicinity
        vicinity index messy.csv --skip-invalid --output clean.vicinity

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments

  @Option(
    name: [.short, .long],
    help: .value(
      "file.vicinity",
      "The index file to write. It appears whole or not at all, and replaces a file of that name."),
    completion: .file(extensions: ["vicinity"]))
  var output: String

  @OptionGroup var work: WorkArguments

  func validate() throws {
    if output.isEmpty { throw ValidationError("--output must name a file") }
    if OutputPlace(output) == .standardOutput {
      throw ValidationError("an index is opened by mapping, so it cannot go to standard output; name a file")
    }
  }

  func run() throws {
    let start = ContinuousClock.now
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    // Before the work, so that a place that cannot be written is known at once.
    let staged = try StagedFile(for: output, inputs: [regions.path])
    let written: (regions: Int, bytes: Int)
    do {
      written = try RegionSource.writeIndex(
        over: regions, to: staged.path, threads: work.threads, progress: progress)
    } catch let error as IndexFormatError {
      // The writer names the staged file; people know the one they asked for.
      let message = String(describing: error).replacing(staged.path, with: output)
      let (what, place) = ErrorText.split(message, path: output)
      throw CommandFailure(what, at: place)
    }
    try staged.commit()
    progress.finish()
    let elapsed = ContinuousClock.now - start
    Notices.print(
      "note",
      Self.writtenLine(path: output, regions: written.regions, bytes: written.bytes, elapsed: elapsed))
  }

  /// `wrote o.vicinity: 1 region, 4,096 bytes, 1.24 s`
  static func writtenLine(path: String, regions: Int, bytes: Int, elapsed: Duration) -> String {
    "wrote \(path): \(DecimalText.count(regions, "region", "regions")),"
      + " \(DecimalText.grouped(bytes)) bytes, \(DecimalText.string(elapsed / .seconds(1), decimals: 2)) s"
  }
}
