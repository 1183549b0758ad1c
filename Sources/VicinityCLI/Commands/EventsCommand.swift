import ArgumentParser
import VicinityCrossings
import VicinityFormats
import VicinityIndex
import VicinityRuns

/// `vicinity events`: every entry into and exit from regions along tracks.
struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events",
    abstract: "List every entry into and exit from regions along tracks.",
    usage: """
      vicinity events <regions> --tracks <file> ... [--state <file>]
                      [--output <file> [--resume]]
      vicinity events <regions> --tracks - --follow
                      [--state <file> [--output <file>]]
      """,
    discussion: """
      Between two fixes a device moves along the geodesic at constant speed. An entry or exit is the \
      instant at which its distance to the boundary passes zero. All are listed, also those between two \
      fixes. The state at a device's first fix is no event. A gap longer than --max-gap splits a track: if \
      a device is on another side of a boundary after the gap, the event is listed at the first fix after \
      the gap, as inferred.

      CSV has the columns \(TableColumns.events.header): time in UTC to the millisecond, kind enter, exit, \
      dwell, (--initial) initial or (--removed) removed. NDJSON has an object per line, GeoJSON a point \
      feature per event; both give the interval of inferred events. With --rule, events are not exact \
      crossings, but those that a phone would report by that rule at its fixes. Events are ordered by \
      time, device and region. The output does not depend on --jobs.

      What happens within a gap is not known: a visit that begins and ends within one is missed. If there \
      are more than a few gaps, a note says how many.

      Fixes of negative accuracy and exact repeats are dropped and counted. Fixes out of order are bad \
      rows, unless --sort is given. If times contradict each other, as few rows as possible count as bad. \
      A bad row ends the run, unless bad rows are skipped; --rejects lists them.

      With --output a long run keeps its progress beside that file, in FILE.partial. After an \
      interruption, or a bad row, --resume goes on from there and --restart begins anew; without either \
      the run is refused. --skip-invalid-tracks and --rejects may be added on resuming. FILE.partial has \
      checksums, and damage is an error. On a finished file --resume changes nothing.

      Batches that come one after the other, hour by hour, share a --state: a device goes on from its last \
      fix, with the regions that it was in and its pending decisions. Its fixes must not go back in time. \
      (But if the last fix had a wrong time, and enough later rows contradict it, time goes back.) Output \
      and state appear together: after a crash run the same batch again. A batch that has been applied is \
      not applied twice.

      Regions may change from batch to batch; a note says how many have. A region with the same identifier \
      and shape goes on as it was. A device that is inside a new region counts as inside, without an \
      entry. A stay in a region that is gone ends, open, at the device's last fix; --removed lists these \
      stays as rows.

      --follow with --state goes on where the run before ended, also after a kill. Then --output, --visits \
      and --rejects are written behind what is there. The state is saved every --keep-every seconds, and \
      says how long these files are and how far the tracks have been read. The next run cuts off what is \
      behind that, and reads on. Files of tracks may grow meanwhile, and new ones may be named behind them. \
      Whoever sends a stream on standard input sends what has not been saved again, or all of it: fixes up \
      to a device's last one are taken to have been read. So in files nothing is lost and nothing comes \
      twice; on standard output the latest events may, and so may bad rows of a stream in --rejects.

      Data, in the examples, is the folder of data that comes with the program.

      EXAMPLES:
        vicinity events Data/naturalearth_lowres/naturalearth_lowres.shp \\
          --id-field name --tracks Data/rides/*.gpx.gz --initial
        vicinity events stores.csv --tracks monday.csv
        vicinity events stores.vicinity --tracks fleet/ --output events.csv --resume
        vicinity events stores.csv --tracks 14.csv --state fleet.state \\
          --output events-14.csv --visits visits-14.csv
        vicinity events zones.geojson --tracks 'rides/*.gpx' --format ndjson \\
          --dwell 300
        vicinity events stores.csv --tracks monday.csv --rule core-location
        receiver | vicinity events stores.csv --tracks - --follow
        receiver | vicinity events stores.csv --tracks - --follow \\
          --state live.state --output live.csv --visits live-stays.csv

      \(ExitCodes.help)
      """)

  @OptionGroup(title: "READING OPTIONS") var regions: RegionArguments
  @OptionGroup var tracks: TrackArguments

  @OptionGroup var rule: RuleArguments

  @Option(
    name: [.short, .long],
    help: .value(
      "format", "Output format; without it the ending of --output decides, and otherwise it is csv."))
  var format: EventFormatter.Format?

  private var written: EventFormatter.Format { target.format(format, usual: .csv) }

  @OptionGroup var target: FileOutputArguments

  @Flag(
    help: """
      Go on where an interrupted run stopped, with the same inputs and options; needs --output. Only the \
      treatment of bad rows, the format and --jobs may change.
      """)
  var resume = false

  @Flag(help: "Discard what an interrupted run has kept beside --output, and begin anew.")
  var restart = false

  @Option(
    help: .value(
      "seconds", "How often to save progress for --resume, or the state with --follow, seconds."))
  var keepEvery = 10.0

  @Flag(help: "Like --skip-invalid, for the rows of the tracks alone.")
  var skipInvalidTracks = false

  @Flag(help: "Like --skip-invalid, for the regions alone.")
  var skipInvalidRegions = false

  @Option(
    help: .value(
      "file",
      """
      Skip bad rows of the tracks and write them to this file, as CSV: file,line,reason. If bad rows of \
      the regions are skipped too, they come first.
      """),
    completion: .file())
  var rejects: String?

  @Flag(
    help: """
      Also list the regions that each device is in at its first fix, as rows of the kind initial. Where a rule \
      uses accuracies, the row comes at the first fix that shows it.
      """)
  var initial = false

  @Option(
    help: .value(
      "file",
      """
      Also write stays to this file, as CSV: \(TableColumns.stays.header); duration is in seconds. open is \
      start if the device was inside at its first fix, end if it was still inside at its last fix, both or \
      no; enter or exit is then the time of that fix. inferred is no, enter, exit or both.
      """),
    completion: .file())
  var visits: String?

  @Option(
    help: .value(
      "file",
      """
      Begin from the state of the batch before, which is in this file, and write the state of this batch \
      into it. The first batch makes the file. Needs --output, unless --follow is given. A batch is \
      refused if it would replace rows that the run before wrote. FILE.lock beside FILE keeps a second \
      process out.
      """),
    completion: .file())
  var state: String?

  @Flag(
    help: """
      With --state: hold an event back as long as the next batch may bring an earlier one. Then the rows \
      of all batches, one after the other, are those of a single run. A note says if a fix came too late for \
      that. Do not give it with the last batch.
      """)
  var inOrder = false

  @Flag(
    help: """
      With --state: also list the regions that devices were in and that are no longer among the regions, as \
      rows of the kind removed.
      """)
  var removed = false

  @Flag(
    help: """
      With --state: this is the last batch, or run with --follow; --visits also gets the stays that have no \
      end.
      """)
  var last = false

  @Flag(
    help: """
      Read fixes line by line, and write each event as soon as it is certain. Events come in the order in \
      which they become certain. Bad rows are skipped. With --state the next run goes on where this one \
      ends.
      """)
  var follow = false

  @OptionGroup var work: WorkArguments

  func validate() throws {
    guard keepEvery >= 0, keepEvery <= OptionFault.longestSeconds else {
      throw ValidationError("--keep-every must be 0 or more seconds; found \(keepEvery)")
    }
    try target.checkEnding(format)
    if tracks.tracks.isEmpty { throw ValidationError("--tracks needs a file") }
    let readsStandardInput = tracks.tracks.contains("-")
    for (option, isGiven) in [("--resume", resume), ("--restart", restart), ("--state", state != nil)]
    where isGiven {
      if follow, option == "--state" { continue }
      if output == "-" { throw ValidationError("\(option) needs --output") }
      if readsStandardInput {
        throw ValidationError("\(option) cannot read standard input again; name files")
      }
    }
    if resume, restart { throw ValidationError("--resume and --restart exclude each other") }
    for (option, isGiven) in [("--in-order", inOrder), ("--last", last), ("--removed", removed)]
    where isGiven && state == nil {
      throw ValidationError("\(option) needs --state")
    }
    if inOrder, last { throw ValidationError("--in-order and --last exclude each other") }
    for (option, path) in [("--visits", visits), ("--rejects", rejects), ("--state", state)] {
      if path == "-" || path?.isEmpty == true { throw ValidationError("\(option) must name a file") }
    }
    if let state, !OutputPlace(state).isFile { throw ValidationError("--state must name a regular file") }
    if follow { try validateFollowing() }
  }

  private func validateFollowing() throws {
    for (option, isGiven) in [
      ("--sort", tracks.reading.sort), ("--resume", resume), ("--restart", restart), ("--in-order", inOrder),
    ] where isGiven {
      throw ValidationError("--follow and \(option) exclude each other")
    }
    let isToFile = OutputPlace(output).isFile
    for (option, isGiven) in [
      ("--output", isToFile), ("--visits", visits != nil), ("--rejects", rejects != nil),
    ] where isGiven && state == nil {
      throw ValidationError("--follow with \(option) needs --state, which says where to go on writing")
    }
    for (option, path) in [("--visits", visits), ("--rejects", rejects)] {
      if let path, !OutputPlace(path).isFile {
        throw ValidationError("--follow with \(option) needs a regular file")
      }
    }
    if isToFile, written == .geojson {
      throw ValidationError("--follow writes csv or ndjson to a file, which the next run goes on writing")
    }
  }

  private var output: String { target.output }

  private var crossingOptions: CrossingOptions { get throws { try rule.options() } }

  /// Whether bad rows of the tracks are skipped.
  private var skipsInvalidTracks: Bool { regions.skipInvalid || skipInvalidTracks || rejects != nil }

  /// The regions, and what is wrong with those skipped, if that is to be listed.
  private func readIndex(_ progress: ProgressMeter) throws -> (RegionIndex, rejected: [Diagnostic]?) {
    var regions = regions
    if skipInvalidRegions { regions.skipInvalid = true }
    guard rejects != nil else {
      return (try RegionSource.index(regions, threads: work.threads, progress: progress), nil)
    }
    var rejected: [Diagnostic] = []
    let index = try RegionSource.index(regions, threads: work.threads, progress: progress) {
      rejected.append($0)
    }
    return (index, rejected)
  }

  func run() throws {
    let progress = ProgressMeter("reading regions")
    defer { progress.finish() }
    try RegionSource.checkIsFile(regions.path)
    for path in tracks.tracks where path != "-" { try Self.check(path) }
    if follow { return try runFollowing(progress) }

    let reading = try tracks.reading.readerOptions(
      skipInvalid: skipsInvalidTracks, fields: regions.fields, rule: try crossingOptions.rule)
    let files = try TrackReader(tracks.tracks, options: reading).paths
    let isFile = OutputPlace(output).isFile
    let paths = EventsOutputs.Paths(
      events: output, visits: visits, rejects: rejects, inputs: [regions.path] + files)
    // Before the work, so that a place that cannot be written is known at once.
    try paths.check(besides: state.map { [$0] } ?? [])
    if isFile, !resume, !restart, RunDirectory.holdsProgress(beside: output) {
      throw CommandFailure(
        "an interrupted run has kept its progress: --resume goes on from there, --restart discards it",
        at: RunDirectory.path(beside: output))
    }
    for (option, isGiven) in [("--state", state != nil), ("--resume", resume), ("--restart", restart)]
    where isGiven && !isFile {
      throw CommandFailure("\(option) needs a regular file as --output", at: output)
    }
    let pipe = isFile ? nil : try ByteWriter(output: output, inputs: paths.inputs)
    let (index, rejected) = try readIndex(progress)
    let stateFile = try state.map { try StateFile($0) }
    let batch = try batch(of: files, stateFile, index, paths)
    if case .applied = batch { return }

    guard let regions = BatchRegions(index, after: stateFile?.state?.states.regions) else {
      throw Self.otherRegions(stateFile)
    }
    let question = try question(index, files, stateFile)
    if resume, stateFile == nil, try isFinished(question, paths) { return }
    let checkpoint = resume ? try checkpoint(question) : nil
    let setup = EventsRun.Setup(
      regions: regions, options: try crossingOptions, tracks: tracks.tracks, reading: reading,
      threads: work.threads,
      recordsInitial: recordsInitial, regionRejects: rejected,
      keeping: isFile && !files.contains("-")
        ? EventsRun.Keeping(output: output, question: question, interval: .seconds(keepEvery)) : nil,
      state: stateFile?.state)
    let run = try CommandFailure.at(tracks.tracks.joined(separator: " ")) {
      try EventsRun(setup, from: checkpoint, progress: progress)
    }
    if let changes = run.regionChanges { Notices.print("note", "since the batch before: \(changes)") }
    do {
      defer { Notices.print(run.summary, skippedBefore: run.skippedBefore) }
      try run.find()
    }
    let writing = EventsRun.Writing(
      format: written, writesInitial: initial, writesRemoved: removed, holdsBack: inOrder,
      writesOpenStays: state == nil || last)
    let (outputs, stays, held) = try telling {
      try run.write(writing) { try EventsOutputs(paths, pipe: pipe, stagingIn: $0) }
    }
    if let stateFile, case .new(let number) = batch {
      try stateFile.commit(
        newState(run, stateFile.state, number, stays, held, outputs, paths, index), outputs: outputs.commit)
    } else {
      try outputs.commit()
    }
    if isFile { finishedQuestion(question).mark(output) }
    run.finish()
    progress.finish()
    EventsSummary(
      totals: run.totals, devices: run.deviceCount, events: run.eventCount, inferred: run.inferredCount,
      held: run.heldCount, late: run.lateCount, openStays: run.openStayCount, seconds: run.seconds,
      fixesRead: run.fixesRead
    ).print(
      index: index, maximumGap: try crossingOptions.maximumGap / .seconds(1),
      lastCoordinates: run.lastCoordinates(1000))
  }

  /// Writes, and says which files are missing where the reader of the events leaves early.
  private func telling<Written>(_ write: () throws -> Written) throws -> Written {
    do { return try write() } catch let closed as OutputClosed {
      let others = [("--visits", visits), ("--rejects", rejects)].filter { $0.1 != nil }.map(\.0)
      if !others.isEmpty {
        Notices.print(
          "note",
          "the reader of the events left early: nothing was written for \(others.joined(separator: " and "))")
      }
      throw closed
    }
  }

  /// Whether first fixes matter: for their rows, for stays, or for those of a later batch.
  private var recordsInitial: Bool { initial || visits != nil || state != nil }

  private func question(_ index: RegionIndex, _ files: [String], _ state: StateFile?) throws -> EventsQuestion
  {
    try EventsQuestion(
      index: index, options: crossingOptions, reading: tracks.reading.summary + regions.fields.summary,
      others: [
        ("--initial or --visits", "\(recordsInitial)"),
        ("--state", state.map { String($0.checksum, radix: 16) } ?? "none"),
      ], tracks: files)
  }

  /// The question that a finished file answers, with how it is written.
  private func finishedQuestion(_ question: EventsQuestion) -> EventsQuestion {
    var question = question
    question.parts.insert(
      contentsOf: [("--format", written.rawValue), ("--initial", "\(initial)")].map {
        EventsQuestion.Part(kind: .option, name: $0.0, value: $0.1)
      }, at: 1)
    return question
  }

  /// The progress of an interrupted run, if there is any.
  private func checkpoint(_ question: EventsQuestion) throws -> Checkpoint? {
    guard let checkpoint = try Checkpoint.kept(beside: output) else { return nil }
    guard let difference = question.difference(from: checkpoint.question) else { return checkpoint }
    throw CommandFailure(
      "inputs or options have changed since: \(difference); --restart discards what is kept and begins anew",
      at: RunDirectory.path(beside: output))
  }

  /// Whether the output is there already; an error where it answers another question.
  private func isFinished(_ question: EventsQuestion, _ paths: EventsOutputs.Paths) throws -> Bool {
    // An interrupted run in place of an older file.
    if FileSystem.exists(RunDirectory.path(beside: output)) { return false }
    guard paths.files.allSatisfy({ FileSystem.exists($0) }) else { return false }
    switch finishedQuestion(question).answer(of: output) {
    case .other(let difference):
      throw CommandFailure(
        "finished, but inputs or options have changed since: \(difference); run without --resume", at: output)
    case .this:
      Notices.print("note", "finished already (\(output))")
    case .unknown:
      Notices.print(
        "note", "finished already; whether with these inputs and options is not recorded (\(output))")
    }
    return true
  }

  // MARK: Batches

  /// What is known of the tracks as a batch.
  private enum Batch {
    /// There is no state.
    case none
    /// The state does not know it yet.
    case new(UInt64)
    /// It is part of the state, and its outputs are there.
    case applied
  }

  private func batch(
    of files: [String], _ state: StateFile?, _ index: RegionIndex, _ paths: EventsOutputs.Paths
  ) throws -> Batch {
    guard let state else { return .none }
    try checkQuestion(state, index)
    guard let number = EventsState.batch(of: files) else {
      throw CommandFailure("--state needs regular files as tracks", at: files.joined(separator: " "))
    }
    guard try state.hasApplied(number, outputs: paths.files) else { return .new(number) }
    try RunDirectory.discard(beside: output)
    Notices.print("note", "these tracks have been applied already (\(state.path))")
    return .applied
  }

  private func checkQuestion(_ state: StateFile, _ index: RegionIndex) throws {
    guard let earlier = state.state?.question else { return }
    let question = try stateQuestion(index)
    if let difference = question.difference(from: earlier) {
      throw CommandFailure("the batches before had other inputs or options: \(difference)", at: state.path)
    }
    if let change = question.otherReading(than: earlier) {
      Notices.print("note", "times are read otherwise than in the batch before: \(change)")
    }
  }

  private static func otherRegions(_ state: StateFile?) -> CommandFailure {
    CommandFailure(
      "the batches before had \(BatchRegions.noneKept)", at: state?.path ?? "")
  }

  /// What must be the same in all batches: all but the regions.
  private func stateQuestion(_ index: RegionIndex) throws -> EventsQuestion {
    var question = try EventsQuestion(
      index: index, options: crossingOptions, reading: [], others: [], tracks: [])
    question.parts.removeAll { $0.kind == .regions }
    question.parts += tracks.reading.timeSummary.map {
      EventsQuestion.Part(kind: .reading, name: "--\($0.name)", value: $0.value)
    }
    return question
  }

  private func newState(
    _ run: EventsRun, _ earlier: EventsState?, _ batch: UInt64,
    _ stays: [StayBook.Key: StayBook.Beginning], _ held: [EventRecord], _ outputs: EventsOutputs,
    _ paths: EventsOutputs.Paths, _ index: RegionIndex
  ) throws -> EventsState {
    let written = try zip(paths.files, outputs.staged).map { path, staged in
      guard let content = FileContent(of: staged) else {
        throw CommandFailure("cannot read again", at: staged)
      }
      return EventsState.Output(path: FileSystem.absolute(path), content: content)
    }
    return EventsState(
      question: try stateQuestion(index), states: run.states(with: stays, held), stays: stays, held: held,
      batches: (earlier?.batches ?? []) + (run.totals.fixes > 0 ? [batch] : []), last: batch,
      outputs: written,
      after: earlier)
  }

  private func runFollowing(_ progress: ProgressMeter) throws {
    let reading = try tracks.reading.readerOptions(
      skipInvalid: true, follows: true, fields: regions.fields, rule: try crossingOptions.rule)
    let inputs = [regions.path] + (try TrackFiles(tracks.tracks).paths)
    let paths = EventsOutputs.Paths(events: output, visits: visits, rejects: rejects, inputs: inputs)
    try paths.check(besides: state.map { [$0] } ?? [])
    let pipe = OutputPlace(output).isFile ? nil : try ByteWriter(output: output, inputs: inputs)
    let (index, rejected) = try readIndex(progress)
    progress.finish()
    let stateFile = try state.map { try StateFile($0) }
    if let stateFile { try checkQuestion(stateFile, index) }
    guard let regions = BatchRegions(index, after: stateFile?.state?.states.regions) else {
      throw Self.otherRegions(stateFile)
    }
    let start = ContinuousClock.now
    let run = try FollowingRun(
      FollowingRun.Setup(
        regions: regions, options: crossingOptions, tracks: tracks.tracks, reading: reading, format: written,
        paths: paths, regionRejects: rejected ?? [], recordsInitial: recordsInitial, writesInitial: initial,
        writesRemoved: removed,
        writesOpenStays: last,
        keeping: stateFile.map { ($0, try stateQuestion(index), .seconds(keepEvery)) }), pipe: pipe)
    if let changes = run.regionChanges { Notices.print("note", "since the run before: \(changes)") }
    defer {
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let summary = EventsSummary(
        totals: run.totals, devices: run.deviceCount, events: run.eventCount, known: run.summary.known,
        seconds: seconds, fixesRead: run.summary.fixes)
      Notices.print("done", summary.done)
    }
    var (notes, warnings) = (0, 0)
    func printNews(_ summary: TrackSummary) {
      for note in summary.notes.examples.dropFirst(notes) { Notices.print("note", note.description) }
      for warning in summary.warnings.examples.dropFirst(warnings) {
        Notices.print("warning", warning.description)
      }
      (notes, warnings) = (summary.notes.examples.count, summary.warnings.examples.count)
    }
    while let batch = try run.next() {
      printNews(run.summary)
      for bad in batch.skipped where rejects == nil { Notices.print("skipped", bad.description) }
    }
    printNews(run.summary)
    try run.finish()
  }

  /// Fails early, and in plain words, for a plain path that is not there.
  static func check(_ path: String) throws {
    guard !path.contains(where: { "*?[".contains($0) }), !FileSystem.exists(path) else { return }
    throw CommandFailure("no such file", at: path)
  }
}
