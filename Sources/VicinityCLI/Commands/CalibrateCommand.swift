import ArgumentParser
import VicinityCalibration
import VicinityCrossings
import VicinitySimulation

/// `vicinity calibrate`: simulated phones fitted to measured ones, and judged on days they were not fitted on.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Fit simulated phones to measurements of real ones, and say how well they predict.",
    usage: "vicinity calibrate <folder> --output <folder> [--seed <n>]",
    discussion: """
      Reads measurements of phones that were carried together, each asked for another accuracy, with battery levels and \
      the truth: a folder laid out as MobilityNet's extract, with ranges.csv, battery.csv, errors.csv, reference.csv, \
      transitions.csv, exit_latency.csv and fixes/<range>.csv, each plain or gzipped.

      Writes a profile for each kind of phone, with all that was measured in place of what the shipped profile says, \
      fitted to all days; and validation.md, validation.csv and validation.json. For these each day is replayed through \
      the simulator with profiles fitted on all the others: true error, reported accuracy, interval, drain and latency of \
      region exits, predicted against measured, with 95 % intervals, and whether and how the goals are met; and what \
      a distance filter does to errors, of phones that had none. What was not measured is listed with its range.

      The same folder and seed give the same bytes.

      EXAMPLES:
        vicinity calibrate mobilitynet --output fitted
        vicinity calibrate mobilitynet --output fitted --seed 7

      \(ExitCodes.help)
      """)

  @Argument(help: .value("folder", "The folder of measurements."), completion: .directory)
  var folder: String

  @Option(
    name: [.short, .long],
    help: .value(
      "folder", "The folder to write to; made if it does not exist. Files appear whole or not at all."),
    completion: .directory)
  var output: String

  @Option(help: .value("n", "The seed of all random choices."))
  var seed: UInt64 = 1

  func validate() throws {
    if output.isEmpty || output == "-" { throw ValidationError("--output must name a folder") }
  }

  func run() throws {
    guard System.file(at: folder)?.kind == .directory else {
      throw CommandFailure("no such folder", at: folder)
    }
    let progress = ProgressMeter("reading measurements")
    defer { progress.finish() }
    let measurements = try CommandFailure.at(folder) { try MeasurementFolder(path: folder).read() }
    let patterns = try ["iphone-6", "nexus-6"].map { try DeviceProfile.named($0) }
      .filter { pattern in measurements.ranges.contains { $0.platform == pattern.platform } }
    guard !patterns.isEmpty else { throw CommandFailure("no ranges", at: "\(folder)/ranges.csv") }
    // Before the work, so that a place that cannot be written is known at once.
    let names = ["validation.md", "validation.csv", "validation.json"] + patterns.map { "\($0.name).json" }
    let target = try OutputFiles(output, files: names, inputs: [])
    progress.stage("fitting and judging")
    let fit = try ProfileFit(measurements, seed: seed)
    let (validation, profiles) = try fit.validate(patterns) { progress.update(fraction: $0) }
    let text = ValidationText(validation: validation, profiles: profiles)
    let contents = try [text.markdown, text.csv, text.json] + profiles.map { try $0.encoded() }
    try target.finish(with: contents)
    progress.finish()
    Notices.print(
      "done",
      "\(DecimalText.grouped(measurements.ranges.count)) ranges; \(ValidationText.phrase(validation.goals)); "
        + "see \(output)/validation.md")
  }
}
