import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityIndex

/// `vicinity events`: every entry into and exit from regions along tracks.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "List every entry into and exit from regions along tracks.",
    usage: """
      vicinity events <regions> --tracks <file> ... [--output <file>] [--resume]
      vicinity events <regions> --tracks - --follow
      """,
    discussion: """
      Between two fixes a device moves along the geodesic at constant speed; an entry or exit is the instant at \
      which its distance to the boundary passes zero, and every one is listed, those between two fixes included. \
      The state at a device's first fix is no event. A gap longer than --max-gap splits a track: what has \
      changed across it is listed at the fix that ends it, as inferred.

      CSV has the columns device,time,region,kind,latitude,longitude,inferred: time in UTC to the millisecond, kind \
      enter, exit or dwell. NDJSON has an object per line, GeoJSON a point feature per event; both give the interval of \
      inferred events. --rule reports what a phone would, using one of these rules at its fixes, instead of exact \
      crossings. Events are ordered by time, device and region. The output does not depend on --jobs.

      Fixes of negative accuracy and exact repeats are dropped and counted. Fixes out of order are bad rows \
      unless --sort.

      With --output a run that takes long keeps what it has done beside that file, in FILE.partial; after an \
      interruption --resume goes on from there. On a finished file --resume changes nothing.

      EXAMPLES:
        vicinity events stores.csv --tracks monday.csv
        vicinity events stores.vicinity --tracks fleet/ --output events.csv --resume
        vicinity events zones.gpkg --tracks 'rides/*.gpx' --format ndjson --dwell 300
        vicinity events stores.csv --tracks monday.csv --rule core-location
        receiver | vicinity events zones.gpkg --tracks - --follow

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments
  @OptionGroup var tracks: TrackArguments

  @OptionGroup var rule: RuleArguments

  @Option(
    help: .value("seconds", "Gaps between fixes longer than this split a track, seconds."))
  var maxGap = 300.0

  @Option(
    help: .value(
      "seconds", "Also report a dwell event when a device has been inside a region for this long, seconds."))
  var dwell: Double?

  @Option(name: [.short, .long], help: .value("format", "Output format."))
  var format = EventFormatter.Format.csv

  @OptionGroup var target: FileOutputArguments

  @Flag(help: "Go on where an interrupted run stopped; needs --output.")
  var resume = false

  @Option(
    help: .value("seconds", "How often to save progress for --resume, seconds."))
  var keepEvery = 10.0

  @Flag(
    help: """
      Read fixes line by line and write each event as soon as it is certain, in that order; bad rows are skipped.
      """)
  var follow = false

  @OptionGroup var work: WorkArguments

  /// Beyond a thousand years a duration is a mistake.
  static let longestSeconds = 3.2e10

  func validate() throws {
    let longest = Self.longestSeconds
    guard maxGap >= 0, maxGap <= longest else {
      throw ValidationError("--max-gap must be 0 or more seconds; found \(maxGap)")
    }
    if let dwell, !(dwell > 0 && dwell <= longest) {
      throw ValidationError("--dwell must be more than 0 seconds; found \(dwell)")
    }
    guard keepEvery >= 0, keepEvery <= longest else {
      throw ValidationError("--keep-every must be 0 or more seconds; found \(keepEvery)")
    }
    if tracks.tracks.isEmpty { throw ValidationError("--tracks needs a file") }
    let readsStandardInput = tracks.tracks.contains("-")
    if resume {
      if output == "-" { throw ValidationError("--resume needs --output") }
      if readsStandardInput { throw ValidationError("--resume cannot read standard input again; name files") }
    }
    if follow {
      if tracks.reading.sort { throw ValidationError("--follow and --sort exclude each other") }
      if output != "-" { throw ValidationError("--follow writes to standard output, not to --output") }
      if resume { throw ValidationError("--follow and --resume exclude each other") }
    }
  }

  private var output: String { target.output }

  private var crossingOptions: CrossingOptions {
    CrossingOptions(
      maximumGap: .seconds(maxGap), dwell: dwell.map { .seconds($0) }, rule: rule.crossingRule)
  }

  func run() throws {
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    for path in tracks.tracks where path != "-" { try Self.check(path) }
    if follow { return try runFollowing(progress) }

    let reading = tracks.reading.readerOptions(skipInvalid: regions.skipInvalid)
    let files = try TrackReader(tracks.tracks, options: reading).paths
    let isFile = output != "-" && (System.file(at: output)?.kind ?? .regular) == .regular
    let inputs = [regions.path] + files
    // Before the work, so that a place that cannot be written is known at once. A file is staged again at the end: a run
    // killed in between leaves nothing of it behind.
    if isFile { _ = try StagedFile(for: output, inputs: inputs) }
    let isThere = System.file(at: output) != nil
    let pipe = isFile ? nil : try ByteWriter(path: output, inputs: inputs)
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress)
    var keeping: EventsRun.Keeping?
    if isFile, !files.contains("-") {
      keeping = EventsRun.Keeping(
        output: output,
        question: EventsQuestion(
          index: index, tracks: files, options: crossingOptions, format: format,
          reading: tracks.reading.summary + ["skip=\(regions.skipInvalid)"]),
        interval: .seconds(keepEvery))
    }
    if resume, isThere, let keeping, try isFinished(keeping) { return }
    let run = try CommandFailure.at(tracks.tracks.joined(separator: " ")) {
      try EventsRun(
        index, crossingOptions, tracks: tracks.tracks, reading: reading,
        threads: work.threads, keeping: keeping, resumes: resume, progress: progress)
    }
    try run.write(format, to: { try pipe ?? ByteWriter(path: output, inputs: inputs, stagingIn: $0) })
    progress.finish()
    Self.printSummary(
      run.totals, rate: Double(run.fixesRead) / max(run.seconds, 1e-3), devices: run.deviceCount,
      events: run.eventCount, seconds: run.seconds)
  }

  /// Whether the output is there already; an error where it answers another question.
  private func isFinished(_ keeping: EventsRun.Keeping) throws -> Bool {
    // An interrupted run in place of an older file.
    if System.file(at: RunDirectory.path(beside: output)) != nil { return false }
    switch keeping.question.isAnswered(by: output) {
    case false?:
      throw CommandFailure(
        "finished, but inputs or options have changed since; run without --resume", at: output)
    case true?:
      Notices.print("note", "finished already (\(output))")
    case nil:
      Notices.print(
        "note", "finished already; whether with these inputs and options is not recorded (\(output))")
    }
    return true
  }

  private func runFollowing(_ progress: ProgressMeter) throws {
    let reader = try TrackReader(
      tracks.tracks, options: tracks.reading.readerOptions(skipInvalid: true, follows: true))
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress)
    progress.finish()
    let start = ContinuousClock.now
    var follower = EventsFollower(index: index, options: crossingOptions, reader: reader)
    defer {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      Self.printSummary(
        EventTotals(reader.summary), rate: Double(reader.summary.fixes) / max(seconds, 1e-3),
        devices: reader.devices.count, events: follower.eventCount, seconds: seconds)
    }
    try follower.run(format, to: ByteWriter(path: "-", inputs: []))
  }

  /// Fails early, and in plain words, for a plain path that is not there.
  static func check(_ path: String) throws {
    guard !path.contains(where: { "*?[".contains($0) }), System.file(at: path) == nil else { return }
    throw CommandFailure("no such file", at: path)
  }

  /// `vicinity: 8,357 fixes of 1 device, 12 events in 0.1 s (83,570 fixes a second); dropped 3 repeats`
  static func printSummary(
    _ totals: EventTotals, rate: Double, devices: Int, events: Int, seconds: Double
  ) {
    var text =
      "\(DecimalText.grouped(totals.fixes)) fixes of \(DecimalText.grouped(devices)) "
      + "\(devices == 1 ? "device" : "devices"), \(DecimalText.grouped(events)) "
      + "\(events == 1 ? "event" : "events") in \(DecimalText.string(seconds, decimals: 1)) s "
      + "(\(DecimalText.grouped(Int(rate))) fixes a second)"
    text += dropped(totals)
    Notices.print("done", text)
  }

  /// `; dropped 3 repeats`, or nothing.
  static func dropped(_ totals: EventTotals) -> String {
    let dropped = [
      (totals.repeats, "repeats"), (totals.invalidFixes, "fixes of negative accuracy"),
      (totals.conflicts, "fixes at the time of another"), (totals.skipped, "bad rows"),
    ].filter { $0.0 > 0 }.map { "\(DecimalText.grouped($0.0)) \($0.1)" }
    return dropped.isEmpty ? "" : "; dropped " + dropped.joined(separator: ", ")
  }
}
