package import VicinityCrossings
package import VicinityFormats
package import VicinityGeodesy
internal import VicinityIndex

/// One run over files of tracks: reads fixes, finds events, sorts and writes them. Memory does not depend on
/// the length of the tracks. A run with an output file saves checkpoints, from which it can be resumed.
package final class EventsRun {
  private let setup: Setup
  private let progress: any RunProgress
  private let start = ContinuousClock.now

  private let regions: BatchRegions
  private var reader: TrackReader
  private let fleets: FleetRunner
  private var sorter: EventSorter
  private var rejects: EventRejects?
  /// What the run had read before it was resumed.
  private let before: EventTotals
  private var directory: RunDirectory?
  /// Whether there is a checkpoint, and what it holds, in words.
  private(set) var hasKept = false
  private var kept = ""

  /// Few, as each takes up to three megabytes of neighbourhoods, and reading keeps the cores busy, too.
  static let shardCount = 16

  /// What to find, and where to begin.
  package struct Setup {
    var regions: BatchRegions
    var options: CrossingOptions
    var tracks: [String]
    var reading: ReadingOptions
    var threads: Int
    /// Whether to record the regions that a device is in at its first fix, or at the first one that shows it.
    var recordsInitial: Bool
    /// The bad rows of the regions, to be listed before those of the tracks; `nil` where none are listed.
    var regionRejects: [Diagnostic]?
    /// `nil` for a run that cannot be resumed.
    var keeping: Keeping?
    /// What the batches before have left; `nil` for none.
    var state: EventsState?

    package init(
      regions: BatchRegions, options: CrossingOptions, tracks: [String], reading: ReadingOptions,
      threads: Int,
      recordsInitial: Bool, regionRejects: [Diagnostic]?, keeping: Keeping?, state: EventsState?
    ) {
      self.regions = regions
      self.options = options
      self.tracks = tracks
      self.reading = reading
      self.threads = threads
      self.recordsInitial = recordsInitial
      self.regionRejects = regionRejects
      self.keeping = keeping
      self.state = state
    }
  }

  /// Where and how often a run saves checkpoints.
  package struct Keeping {
    var output: String
    var question: EventsQuestion
    var interval: Duration

    package init(output: String, question: EventsQuestion, interval: Duration) {
      self.output = output
      self.question = question
      self.interval = interval
    }
  }

  package init(_ setup: Setup, from checkpoint: Checkpoint?, progress: any RunProgress) throws {
    self.setup = setup
    self.progress = progress
    var reading = setup.reading
    reading.keepsAllRejected = setup.regionRejects != nil
    let known = checkpoint?.states ?? setup.state?.states
    regions = setup.regions
    do {
      fleets = try FleetRunner(
        regions, setup.options, shardCount: Self.shardCount, recordsInitial: setup.recordsInitial,
        from: known)
    } catch {
      throw checkpoint == nil ? error : PieceReader.failure("has damaged devices", at: Checkpoint.name)
    }
    if let state = setup.state {
      let earlier =
        checkpoint == nil
        ? fleets
        : try FleetRunner(
          regions, setup.options, shardCount: Self.shardCount, recordsInitial: false, from: state.states)
      writtenUpTo = earlier.watermark?.milliseconds
    }
    let devices = known?.devices ?? DeviceNames()
    reader = try TrackReader(
      setup.tracks, options: reading,
      from: checkpoint?.position ?? TrackPosition(file: 0, offset: 0, line: 1), devices: devices,
      order: known?.order ?? TrackOrder())
    sorter = EventSorter(
      runs: checkpoint?.runs ?? [], count: checkpoint?.eventCount ?? 0, threads: setup.threads)
    before = checkpoint?.totals ?? EventTotals()
    if checkpoint == nil {
      // Those of a run that goes on are among its events.
      guard let ended = fleets.ended() else { throw Self.damagedState }
      sorter.append(ended)
    }
    rejects = setup.regionRejects.map { EventRejects(regions: $0, pieces: checkpoint?.rejects ?? []) }
    if let keeping = setup.keeping {
      if let checkpoint {
        directory = try RunDirectory(beside: keeping.output)
        try check(checkpoint)
        noteKept(checkpoint.totals)
      } else {
        try RunDirectory.discard(beside: keeping.output)
        UnfinishedWork.lastWords =
          "no progress has been kept yet; the first is after \(keeping.interval) (--keep-every)"
      }
    }
    reader.onRejected = { [unowned self] in try self.reject($0) }
  }

  deinit { UnfinishedWork.lastWords = nil }

  /// Compares all that a checkpoint refers to with its checksums, before hours of work build on it.
  private func check(_ checkpoint: Checkpoint) throws {
    guard let directory else { return }
    progress.stage("checking what was kept")
    for (i, run) in checkpoint.runs.enumerated() {
      try PieceReader.check(run, EventSorter.name(i), in: directory)
    }
    for (i, piece) in (checkpoint.rejects ?? []).enumerated() where rejects != nil {
      try PieceReader.check(piece, EventRejects.name(i), in: directory)
    }
    guard rejects != nil, checkpoint.rejects == nil, checkpoint.totals.skipped > 0 else { return }
    throw CommandFailure(
      "the \(DecimalText.grouped(checkpoint.totals.skipped)) bad rows skipped before the interruption were not kept: "
        + "go on without --rejects, or begin anew with --restart", at: directory.path)
  }

  static var damagedState: CommandFailure { CommandFailure("damaged state of earlier batches") }

  /// The number of a region by the one that it had in the batches before.
  private func number(_ before: UInt32) throws -> UInt32 {
    guard let number = regions.number(before) else { throw Self.damagedState }
    return number
  }

  /// How the regions differ from those of the batches before, in words; `nil` where they do not.
  package var regionChanges: String? { regions.moves?.changes.words }

  /// What the reader has found since the run began or was resumed.
  package var summary: TrackSummary { reader.summary }

  /// How many bad rows were skipped before the run was resumed.
  package var skippedBefore: Int { before.skipped }

  /// How many fixes have been read since the run began or was resumed.
  package var fixesRead: Int { reader.summary.fixes }

  /// What the run has read so far, and dropped.
  package var totals: EventTotals { before + EventTotals(reader.summary, fleets.tally) }

  /// How long the run has been going on, seconds.
  package var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  package var deviceCount: Int { reader.devices.count }
  /// How many events have been written, without those that only say where a device was at its first fix.
  package private(set) var eventCount = 0
  package private(set) var inferredCount = 0
  /// How many events are held back for the next batch.
  package private(set) var heldCount = 0
  /// How many of those written are earlier than what batches in order (`--in-order`) may have written before.
  package private(set) var lateCount = 0
  /// Up to when batches in order have written events, milliseconds since 1970; nil before the first.
  private var writtenUpTo: Int64?
  /// How many stays go on and were not written: the next batch has them.
  package private(set) var openStayCount = 0

  /// Where the devices were last seen, the first `count` of them.
  package func lastCoordinates(_ count: Int) -> [Coordinate] { fleets.lastCoordinates(count) }

  // MARK: Finding

  /// Finds all events.
  package func find() throws {
    progress.stage("finding events")
    var kept = ContinuousClock.now
    var last: TrackPosition?
    while true {
      let batches: [TrackBatch]
      do {
        batches = try reader.nextBatches(2 * setup.threads, threads: setup.threads)
      } catch {
        // What has been done so far is not lost; where even that cannot be written, the first failure is the
        // one to tell.
        if let keeping = setup.keeping, let last { try? keep(keeping, last) }
        throw explained(error)
      }
      guard let end = batches.last?.end else { return try reader.checkHasFixes(isBatch: setup.state != nil) }
      for batch in batches {
        try fleets.advance(through: batch, deviceCount: deviceCount, threads: setup.threads)
        sorter.append(fleets.takeEvents())
      }
      last = end
      showProgress()
      if let keeping = setup.keeping {
        guard ContinuousClock.now - kept >= keeping.interval || sorter.isFull else { continue }
        try keep(keeping, end)
        (kept, last) = (.now, nil)
      } else if sorter.isFull {
        try sorter.spill(to: runDirectory(), devices: reader.devices)
      }
    }
  }

  /// An error of the reader; one about bad rows says what can be done.
  private func explained(_ error: any Error) -> any Error {
    guard case FormatError.invalidTrackRows(let path, _, _) = error else { return error }
    var failure = CommandFailure(error, at: path)
    failure.what +=
      "\n  --skip-invalid-tracks skips and counts them, --rejects FILE lists them"
    if hasKept { failure.what += "; with --resume they may be added: \(kept)" }
    return failure
  }

  private func reject(_ row: Diagnostic) throws {
    rejects?.append(row)
    if rejects?.isFull == true { try rejects?.spill(to: runDirectory()) }
  }

  /// Saves a checkpoint.
  private func keep(_ keeping: Keeping, _ position: TrackPosition) throws {
    let directory = try runDirectory()
    try sorter.spill(to: directory, devices: reader.devices)
    try rejects?.spill(to: directory)
    let totals = totals
    let checkpoint = Checkpoint(
      question: keeping.question, position: position,
      states: fleets.states(reader.devices, reader.order), runs: sorter.runs,
      eventCount: sorter.count, rejects: rejects?.pieces, totals: totals)
    try directory.write(checkpoint.bytes, to: Checkpoint.name)
    noteKept(totals)
  }

  private func noteKept(_ totals: EventTotals) {
    guard let directory else { return }
    hasKept = true
    let fixes = totals.fixes == 1 ? "fix is" : "\(DecimalText.grouped(totals.fixes)) fixes are"
    kept = "the first \(fixes) done and kept in \(directory.path)"
    UnfinishedWork.lastWords = "\(kept): the same command with --resume goes on from there"
  }

  private func runDirectory() throws -> RunDirectory {
    if let directory { return directory }
    let made = try setup.keeping.map { try RunDirectory(beside: $0.output) } ?? RunDirectory()
    directory = made
    return made
  }

  private func showProgress() {
    let rate = Int(Double(fixesRead) / max(seconds, 1e-3))
    progress.update(
      fraction: reader.progress.fraction,
      detail: DecimalText.count(before.fixes + fixesRead, "fix", "fixes")
        + ", \(DecimalText.grouped(rate)) a second")
  }

  // MARK: Writing

  /// How the events found are written.
  package struct Writing {
    var format: EventFormatter.Format
    /// Whether to write what devices are in at their first fix.
    var writesInitial: Bool
    /// Whether to write what devices were in that is no longer there.
    var writesRemoved: Bool
    /// Whether events are held back that the next batch may precede.
    var holdsBack: Bool
    /// Whether stays without an end are written.
    var writesOpenStays: Bool

    package init(
      format: EventFormatter.Format, writesInitial: Bool, writesRemoved: Bool, holdsBack: Bool,
      writesOpenStays: Bool
    ) {
      self.format = format
      self.writesInitial = writesInitial
      self.writesRemoved = writesRemoved
      self.holdsBack = holdsBack
      self.writesOpenStays = writesOpenStays
    }
  }

  /// Writes all events in order, and the files that go with them; puts nothing in its place yet.
  ///
  /// - Parameter open: Opens the outputs; its argument is where to stage them.
  /// - Returns: the outputs, and what is to be kept for the next batch.
  package func write(
    _ writing: Writing, to open: (_ stagingIn: String?) throws -> EventsOutputs
  ) throws -> (outputs: EventsOutputs, stays: [StayBook.Key: StayBook.Beginning], held: [EventRecord]) {
    progress.stage("writing events", total: sorter.count)
    let outputs = try open(setup.keeping == nil ? nil : runDirectory().path)
    let devices = reader.devices
    var stays: [StayBook.Key: StayBook.Beginning] = [:]
    for (key, beginning) in setup.state?.stays ?? [:] {
      stays[StayBook.Key(device: key.device, region: try number(key.region))] = beginning
    }
    if setup.recordsInitial, let state = setup.state, regions.moves?.changes.added ?? 0 > 0 {
      // From the state itself: a run that was resumed has gone on from another one.
      let before = try FleetRunner(
        regions, setup.options, shardCount: Self.shardCount, recordsInitial: false, from: state.states)
      stays.merge(before.begunStays()) { known, _ in known }
    }
    let earlier = try (setup.state?.held ?? []).map { event in
      var event = event
      event.region = try number(event.region)
      return event
    }
    var events = EventWriter(
      writing.format, to: outputs.events, threads: setup.threads, region: regions.identifier)
    var visits = VisitText(devices: devices, to: outputs.visits, region: regions.identifier)
    var book = StayBook(open: stays)
    let limit = writing.holdsBack ? fleets.watermark?.milliseconds : nil
    // The last batch of some in order has what they held back.
    let isInOrder = writing.holdsBack || !earlier.isEmpty
    var held: [EventRecord] = []
    var done = 0
    try sorter.drain(from: directory, after: earlier, devices: devices) { event in
      // The state of earlier batches is only as good as who wrote it.
      guard event.region < regions.count, event.device < devices.count else {
        throw Self.damagedState
      }
      done += 1
      if done & 0xffff == 0 { progress.update(done) }
      if let limit, event.milliseconds >= limit {
        held.append(event)
        return
      }
      if setup.recordsInitial {
        if let stay = book.take(event) { try visits.append(stay) }
      }
      if !event.isState {
        eventCount += 1
        if event.gapStart != EventRecord.notInferred { inferredCount += 1 }
        if let writtenUpTo, isInOrder, event.milliseconds < writtenUpTo { lateCount += 1 }
      } else if !(event.kind == EventRecord.initial ? writing.writesInitial : writing.writesRemoved) {
        return
      }
      try events.write(event, devices: devices)
    }
    heldCount = held.count
    try events.end()
    if outputs.visits != nil, !writing.writesOpenStays {
      openStayCount = book.open.count
    } else if outputs.visits != nil {
      for stay in book.openStays(devices: devices, lastTime: fleets.lastTime) { try visits.append(stay) }
    }
    if let writer = outputs.rejects { try rejects?.write(from: directory, to: writer) }
    try outputs.close()
    return (outputs, book.open, held)
  }

  /// The devices and where they are, for the next batch, which may have other regions.
  package func states(
    with stays: [StayBook.Key: StayBook.Beginning], _ held: [EventRecord]
  ) -> DeviceStates {
    let named = fleets.occupied.union(stays.keys.map { Int($0.region) }).union(held.map { Int($0.region) })
    return fleets.states(reader.devices, reader.order, naming: named)
  }

  /// Forgets all that was kept: the outputs are in place.
  package func finish() {
    UnfinishedWork.lastWords = nil
    if let keeping = setup.keeping { FileSystem.removeDirectory(RunDirectory.path(beside: keeping.output)) }
  }
}
