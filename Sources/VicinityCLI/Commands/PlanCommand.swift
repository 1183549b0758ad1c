import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityIndex
import VicinityMonitor
import VicinityReports
import VicinityRuns

/// `vicinity plan`: which regions a device registers along its track.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract:
      "List the regions that a device with few slots registers along a track, and how long each choice holds.",
    usage: """
      vicinity plan <regions> --track <file> [--capacity <n>]
                    [--format <format>] [--map <file>] [--check]
      """,
    discussion: """
      A plan registers the regions nearest by boundary distance, and one sentinel: the safe disc, inside \
      which no unregistered region can be reached. A plan holds until the device may have left that disc. \
      Where no such disc can be guaranteed the plan is saturated: it says why, which regions are left out, \
      and when the next fix is due. Each device of a track file is followed on its own. See --followed for \
      apps that track the position continuously.

      CSV has a row per plan, with the columns device, time, latitude, longitude, error, registered, \
      vicinity_latitude, vicinity_longitude, vicinity_radius, certificate, saturated, left_out, \
      unprovable_exits, next_fix_due, slots_in_use, sentinel_gap, regions, register and unregister. The last \
      three are lists separated by semicolons; registered, left_out and unprovable_exits are counts; the \
      certificate is inf when every region is registered. JSON has an object per plan with all lists in full \
      and the steps from the previous plan, in order. Metres, degrees and UTC.

      --map draws a page that works without a network. It shows the regions, the registered ones among \
      them, the safe disc, and a slider along the track.

      --check compares the plan in force with every exact crossing between the fixes. If the device enters \
      an unregistered region while it is within the certificate, that is an error, with exit code 1. For \
      strategies without a certificate --check counts the missed entries.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity plan Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --track Data/rides/activity_4801048867.gpx.gz
        vicinity plan stores.csv --track monday.csv --map plan.html
        vicinity plan stores.csv --track monday.csv --check
        vicinity plan stores.vicinity --track ride.gpx --followed > plans.csv
        vicinity plan stores.csv --track monday.csv --format json \\
          --strategy boundary-ahead
        vicinity plan stores.csv --track monday.csv --check \\
          --strategy constant-radius --radius 2000

      \(ExitCodes.help)
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv, json
  }

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments

  @Option(
    help: .value(
      "file",
      """
      A track: \(HelpText.tracks). Packed or not; - for standard input.
      """),
    completion: .file())
  var track: String

  @OptionGroup var reading: TrackReadingArguments

  @OptionGroup(title: "PLANNING OPTIONS") var plan: PlanArguments

  @Flag(help: "Compare every plan with the track's crossings, and exit with 1 if a certificate is wrong.")
  var check = false

  @Option(
    help: .value(
      "seconds",
      "With --check: if fixes are farther apart than this, seconds, crossings between them count at the later fix."
    ))
  var maxGap = 300.0

  @Option(
    name: [.short, .long],
    help: .value(
      "format", "Output format; without it the ending of --output decides, and otherwise it is csv."))
  var format: Format?

  @OptionGroup var target: FileOutputArguments

  @Option(
    help: .value(
      "file.html",
      "Also draw the plans of the first 20 devices on a map, a page that needs only a browser."),
    completion: .file(extensions: ["html"]))
  var map: String?

  @OptionGroup var work: WorkArguments

  func validate() throws {
    guard maxGap >= 0, maxGap <= OptionFault.longestSeconds else {
      throw ValidationError("--max-gap must be 0 or more seconds; found \(maxGap)")
    }
    try target.checkEnding(format)
    if map?.isEmpty == true { throw ValidationError("--map must name a file, or be -") }
    if let map, OutputPlace(map) == OutputPlace(target.output) {
      throw ValidationError("--map and --output need a place each; found \(map) for both")
    }
  }

  func run() throws {
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    if track != "-" { try EventsCommand.check(track) }
    let reader = try TrackReader(
      [track], options: reading.readerOptions(skipInvalid: regions.skipInvalid, fields: regions.fields))
    // Before the work, so that a place that cannot be written is known at once.
    let writer = try ByteWriter(output: target.output, inputs: [regions.path] + reader.paths)
    let mapWriter = try map.map { try ByteWriter(output: $0, inputs: [regions.path] + reader.paths) }
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress)
    let planCheck = check ? PlanCheck(index, maximumGap: .seconds(maxGap)) : nil
    let options = try plan.options()
    try checkPins(options, in: index)
    let page = map == nil ? nil : PlanPage(index, slots: options.slots)
    let run = PlanRun(index, options, planCheck, reader, page: page, progress: progress)
    do {
      switch target.format(format, usual: .csv) {
      case .csv: try run.write(PlanCSV(), to: writer)
      case .json: try run.write(PlanJSON(), to: writer)
      }
      if let mapWriter, let page = run.page {
        mapWriter.buffer += page.html(title: "Plans along \(Self.name(of: track))")
        try mapWriter.finish()
      }
    } catch let closed as OutputClosed {
      throw closed
    } catch {
      throw CommandFailure(error, at: track)
    }
    progress.finish()
    printSummary(run)
    try planCheck?.judge(isCertified: options.strategy.isCertified, at: track)
  }

  /// Refuses pinned names that no region has, and says which regions never get the slot.
  private func checkPins(_ options: PlanOptions, in index: RegionIndex) throws {
    let warning: String?
    do throws(OptionFault) { warning = try options.checkPins(in: index) } catch {
      throw CommandFailure(error.usage.message, at: regions.path)
    }
    if let warning { Notices.print("warning", warning) }
  }

  /// A file's name without its folders.
  private static func name(of path: String) -> String {
    path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
  }

  /// `vicinity: done: 8,357 fixes of 1 device, 42 plans (3 saturated) in 0.1 s; dropped 3 repeats`
  private func printSummary(_ run: PlanRun) {
    var text =
      "\(DecimalText.count(run.summary.fixes, "fix", "fixes")) of "
      + "\(DecimalText.count(run.deviceCount, "device", "devices")), "
      + "\(DecimalText.count(run.planCount, "plan", "plans")) "
      + "(\(DecimalText.grouped(run.saturatedCount)) saturated) "
      + "in \(DecimalText.string(run.seconds, decimals: 1)) s"
    text += EventsSummary.dropped(EventTotals(run.summary))
    Notices.print("done", text)
  }
}
