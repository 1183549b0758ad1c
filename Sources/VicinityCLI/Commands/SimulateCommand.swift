import ArgumentParser
import VicinityEvaluation
import VicinityReports
import VicinityRuns
import VicinitySimulation

/// `vicinity simulate`: one policy on a simulated phone along one track.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Replay a track through a simulated phone, and see what a policy costs and reports.",
    usage: """
      vicinity simulate <regions> --track <file> [--policy <name>]
                        [--days] [--device <profile>] [--seed <n>]
                        [--output <directory>]
      """,
    discussion: """
      The track is where the phone truly was. The phone sees it through the errors, delays and rules of its \
      services: positions of the tier that the policy asks for, twenty monitored regions, an app that is \
      suspended, woken and killed. Energy is counted by component. The same seed gives the same run.

      POLICIES, with what can be set (fixed-interval:interval=120:accuracy=best):
      \(Policies.all.map(Self.entry).joined(separator: "\n"))

      --output DIRECTORY gets fixes.csv, registrations.csv, events.csv, lifecycle.csv, energy.csv, \
      summary.json, timeline.json and report.html, a page that works without a network: map, time slider, \
      states and energy. The sums go to standard output. Metres, degrees, seconds, milliwatts, joules and \
      UTC.

      Figures of the phones, their sources and what is only assumed: Data/devices; the page lists them.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity simulate Data/airports/airports.csv.gz --id-field icao \\
          --default-radius 2000 --track Data/rides/activity_4801048867.gpx.gz
        vicinity simulate stores.csv --track monday.csv --output monday
        vicinity simulate stores.vicinity --track ride.gpx --format json \\
          --policy always-best
        vicinity simulate stores.csv --track monday.csv \\
          --policy fixed-interval:interval=120:accuracy=best
        vicinity simulate stores.csv --track ride.gpx --days --output day
        vicinity simulate stores.csv --track monday.csv --device nexus-6 \\
          --no-wifi --actions actions.csv
        vicinity simulate stores.csv --track monday.csv \\
          --with 'fault withheld-entries' --with 'at +60 leave' \\
          --with 'at +600 memory-pressure'
        vicinity simulate stores.csv --track monday.csv \\
          --with 'phone friend along friend.csv'

      \(ExitCodes.help)
      """)

  /// A policy, what it does, and what can be set, as it is by default.
  static func entry(_ policy: any MonitoringPolicy) -> String {
    // Colons join them in a label; spaces are where lines can break.
    let parameters = policy.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    return HelpText.entry(policy.name, policy.summary + (parameters.isEmpty ? "" : " (\(parameters))"))
  }

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments

  @Option(
    help: .value(
      "file",
      """
      The true track of one device: \(HelpText.tracks). Packed or not.
      """),
    completion: .file())
  var track: String

  @Option(help: .value("name", "Which device of the track file, if it has several."))
  var of: String?

  @Flag(
    help: """
      Stretch the track to whole days of 24 hours: the phone stands at its first place before and at its last \
      place after it.
      """)
  var days = false

  @OptionGroup var reading: TrackReadingArguments

  @OptionGroup(title: "PHONE OPTIONS") var phone: PhoneArguments

  @Option(
    help: .value(
      "policy", "What the app does: a policy, and parameters that differ, as in fixed-interval:interval=120."),
    completion: .list(Policies.names))
  var policy = Policies.names[0]

  @Option(name: [.short, .long], help: .value("format", "The format on standard output."))
  var format = SummaryFormat.table

  @OptionGroup var target: DirectoryOutputArguments

  @OptionGroup var work: WorkArguments

  func validate() throws {
    do { _ = try Policies.parse(policy) } catch { throw ValidationError("\(error)") }
  }

  func run() throws {
    let policy = try Policies.parse(policy)
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    try EventsCommand.check(track)
    let profile = try phone.profile()
    // Before the work, so that a place that cannot be written is known at once.
    let folder = try target.output.map {
      try OutputFiles($0, files: SimulationFiles.names, inputs: [regions.path, track])
    }
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress)
    progress.stage("reading track")
    let options = try reading.readerOptions(skipInvalid: regions.skipInvalid, fields: regions.fields)
    var truth = try SingleTrack.read(track, device: of, options: options)
    var holes = TrackHoles()
    holes.add(of ?? track, truth)
    if let words = holes.words { Notices.print("note", words) }
    if let words = profile.missingTiersText { Notices.print("note", words) }
    if days { truth = truth.stretchedToDays() }
    progress.stage("simulating")
    let run = try CommandFailure.at(track) {
      let plan = try phone.plan(reading: options)
      try plan.script.check(truth)
      return try SimulatedRun(plan.scenario(truth, profile), policy, watching: index)
    }
    if let folder {
      progress.stage("writing")
      try folder.finish(with: SimulationFiles(run).contents())
    }
    progress.finish()
    let writer = try ByteWriter(output: "-")
    switch format {
    case .table:
      SimulationTable(run).write(
        to: &writer.buffer, style: .current(path: "-"))
    case .json: writer.buffer += SimulationFiles(run).summary()
    }
    try writer.finish()
    if let output = target.output { Notices.print("note", "\(output)/report.html shows the run") }
  }
}
