package import VicinityCrossings
package import VicinityFormats
internal import VicinityIndex

/// A run that follows a stream of fixes: events are written as soon as they are certain, in that order. With
/// a state, a run goes on where the one before ended, however that ended.
///
/// Every so often the outputs are flushed to the disk, and then the state takes its place. It says how long
/// the outputs are and how far the files of tracks have been read. The next run cuts off what is behind that,
/// and reads from there. So nothing is lost and nothing comes twice in a file, as long as whoever sends a
/// stream sends its end again; what goes to a pipe may come twice.
package final class FollowingRun {
  package struct Setup {
    var regions: BatchRegions
    var options: CrossingOptions
    var tracks: [String]
    var reading: ReadingOptions
    var format: EventFormatter.Format
    var paths: EventsOutputs.Paths
    /// The bad rows of the regions, to be listed before those of the tracks.
    var regionRejects: [Diagnostic]
    /// Whether to record what devices are in at their first fix, and to write it.
    var recordsInitial: Bool
    var writesInitial: Bool
    /// Whether to write what devices were in that is no longer among the regions.
    var writesRemoved: Bool
    /// Whether stays without an end are written at the end.
    var writesOpenStays: Bool
    /// Where the run goes on from, and what must be the same in all runs; nil for a run of its own.
    var keeping: (file: StateFile, question: EventsQuestion, interval: Duration)?

    package init(
      regions: BatchRegions, options: CrossingOptions, tracks: [String], reading: ReadingOptions,
      format: EventFormatter.Format, paths: EventsOutputs.Paths, regionRejects: [Diagnostic],
      recordsInitial: Bool, writesInitial: Bool,
      writesRemoved: Bool, writesOpenStays: Bool,
      keeping: (file: StateFile, question: EventsQuestion, interval: Duration)?
    ) {
      self.regions = regions
      self.options = options
      self.tracks = tracks
      self.reading = reading
      self.format = format
      self.paths = paths
      self.regionRejects = regionRejects
      self.recordsInitial = recordsInitial
      self.writesInitial = writesInitial
      self.writesRemoved = writesRemoved
      self.writesOpenStays = writesOpenStays
      self.keeping = keeping
    }
  }

  private let setup: Setup
  private let reader: TrackReader
  private let fleets: FleetRunner
  private var book: StayBook
  private let eventsWriter: ByteWriter
  private var events: EventWriter
  private let visitsWriter: ByteWriter?
  private var visits: VisitText
  private let rejectsWriter: ByteWriter?
  /// What the state says, or will.
  private var followed: FollowedInput
  private let isStream: Bool
  private var kept = ContinuousClock.now
  private var isKept = true
  package private(set) var eventCount = 0

  /// - Parameter pipe: The writer of events that go elsewhere than to a regular file.
  /// - Throws: ``CommandFailure``, `FormatError`.
  package init(_ setup: Setup, pipe: ByteWriter?) throws {
    self.setup = setup
    let state = setup.keeping?.file.state
    try setup.keeping?.file.checkIsFinished()
    let files = try TrackFiles(setup.tracks).paths
    isStream = files.contains("-")
    followed = try setup.keeping == nil ? FollowedInput() : Self.input(files, after: state?.followed)
    var reading = setup.reading
    reading.follows = true
    reading.keepsAllRejected = setup.paths.rejects != nil
    reading.leavesUnfinishedLine = setup.keeping != nil
    reading.isSentAgain = setup.keeping != nil && isStream
    fleets = try FleetRunner(
      setup.regions, setup.options, shardCount: EventsRun.shardCount, recordsInitial: setup.recordsInitial,
      from: state?.states)
    reader = try TrackReader(
      setup.tracks, options: reading, from: followed.position,
      devices: state?.states.devices ?? DeviceNames(), order: state?.states.order ?? TrackOrder())

    var stays: [StayBook.Key: StayBook.Beginning] = [:]
    for (key, beginning) in state?.stays ?? [:] {
      guard let region = setup.regions.number(key.region) else { throw EventsRun.damagedState }
      stays[StayBook.Key(device: key.device, region: region)] = beginning
    }
    if setup.recordsInitial { stays.merge(fleets.begunStays()) { known, _ in known } }
    book = StayBook(open: stays)
    let known = followed.outputs
    eventsWriter = try pipe ?? Self.writer(setup.paths.events, known)
    visitsWriter = try setup.paths.visits.map { try Self.writer($0, known) }
    rejectsWriter = try setup.paths.rejects.map { try Self.writer($0, known) }
    events = EventWriter(
      setup.format, to: eventsWriter, isContinued: eventsWriter.byteCount > 0,
      region: setup.regions.identifier)
    visits = VisitText(
      devices: reader.devices, to: visitsWriter, isContinued: visitsWriter.map { $0.byteCount > 0 } ?? false,
      region: setup.regions.identifier)
    if let rejectsWriter, rejectsWriter.byteCount == 0 {
      rejectsWriter.buffer += EventRejects.header
      for row in setup.regionRejects { EventRejects.append(row, to: &rejectsWriter.buffer) }
    }
    reader.onRejected = { [unowned self] row in
      guard let rejectsWriter else { return }
      EventRejects.append(row, to: &rejectsWriter.buffer)
      try rejectsWriter.flushIfFull()
    }
    try keepOutputs()
    try writeEarlier(state)
    noteKept()
  }

  deinit { UnfinishedWork.lastWords = nil }

  /// What is said when a signal ends the run: how much is saved.
  private func noteKept() {
    guard setup.keeping != nil else { return }
    UnfinishedWork.lastWords =
      isStream
      ? "the state has the first \(DecimalText.grouped(reader.summary.fixes)) fixes of this run; those after them are to be sent again"
      : "the state is saved: the same command goes on from there"
  }

  /// Where to go on reading.
  private static func input(_ files: [String], after earlier: FollowedInput?) throws -> FollowedInput {
    var input = FollowedInput()
    input.outputs = earlier?.outputs ?? []
    if files == ["-"] { return input }
    for path in files {
      guard let part = FollowedInput.input(FileSystem.absolute(path)) else {
        throw CommandFailure("--follow with --state reads regular files, or standard input alone", at: path)
      }
      input.files.append(part)
    }
    guard let earlier else { return input }
    let count = min(earlier.position.file + 1, earlier.files.count)
    let read = earlier.files.prefix(count)
    guard input.files.map(\.path).starts(with: read.map(\.path)) else {
      // Other files are read from their start; but what has been read must not be read again.
      if let again = input.files.first(where: { file in read.contains { $0.path == file.path } }) {
        throw CommandFailure(
          "this file has been read before, with others in front of it or behind it: "
            + "name the same ones, in the same order, and new ones behind them", at: again.path)
      }
      return input
    }
    if let changed = read.first(where: { !FollowedInput.begins($0) }) {
      throw CommandFailure(
        "this file has been read before, and does not begin as it did; give another file another name",
        at: changed.path)
    }
    input.position = earlier.position
    return input
  }

  /// The writer of a file that the runs before have written to, or that there is not yet.
  private static func writer(_ path: String, _ known: [FollowedInput.Part]) throws -> ByteWriter {
    let absolute = FileSystem.absolute(path)
    guard let part = known.first(where: { $0.path == absolute }) else {
      if let there = FileSystem.status(of: absolute), there.byteCount > 0 {
        throw CommandFailure(
          "there is something in it that the state does not know of; name another file", at: path)
      }
      return try ByteWriter(appendingTo: absolute, after: 0)
    }
    guard FollowedInput.output(absolute, part.byteCount) == part else {
      throw CommandFailure(
        "the \(DecimalText.grouped(part.byteCount)) bytes that were written to it are gone or have changed; "
          + "put them back, or name another file", at: path)
    }
    return try ByteWriter(appendingTo: absolute, after: part.byteCount)
  }

  /// Writes what a batch before has held back, and what ends because its region is gone.
  private func writeEarlier(_ state: EventsState?) throws {
    guard let ended = fleets.ended() else { throw EventsRun.damagedState }
    for var event in state?.held ?? [] {
      guard let region = setup.regions.number(event.region), event.device < reader.devices.count else {
        throw EventsRun.damagedState
      }
      event.region = region
      try write(event)
    }
    for event in ended { try write(event) }
    isKept = setup.keeping == nil || state?.held.isEmpty ?? true && ended.isEmpty
    // At once, so that a reader sees that the run has begun.
    try events.flush()
  }

  /// How the regions differ from those of the run before, in words; nil where they do not.
  package var regionChanges: String? { setup.regions.moves?.changes.words }

  package var summary: TrackSummary { reader.summary }
  package var totals: EventTotals { EventTotals(reader.summary, fleets.tally) }
  package var deviceCount: Int { reader.devices.count }

  // MARK: Following

  /// Waits for the next fixes, and writes the events that these make certain.
  ///
  /// - Returns: The batch that was read; nil at the end.
  package func next() throws -> TrackBatch? {
    try keepIfDue()
    guard let batch = try reader.next() else { return nil }
    isKept = false
    visits.devices = reader.devices
    try fleets.advanceInOrder(through: batch, deviceCount: reader.devices.count) { try write($0) }
    followed.position = isStream ? followed.position : batch.end
    try flush()
    return batch
  }

  private func write(_ event: EventRecord) throws {
    if setup.recordsInitial, let stay = book.take(event) { try visits.append(stay) }
    if !event.isState {
      eventCount += 1
    } else if !(event.kind == EventRecord.initial ? setup.writesInitial : setup.writesRemoved) {
      return
    }
    try events.write(event, devices: reader.devices)
  }

  private func flush() throws {
    try events.flush()
    try visitsWriter?.flush()
    try rejectsWriter?.flush()
  }

  /// Ends the run: what is pending stays pending for the next one, if there is a state.
  package func finish() throws {
    if setup.writesOpenStays {
      for stay in book.openStays(devices: reader.devices, lastTime: fleets.lastTime) {
        try visits.append(stay)
      }
      book = StayBook()
    }
    try events.end()
    try flush()
    try keep()
    for writer in [eventsWriter, visitsWriter, rejectsWriter] { try writer?.finish() }
  }

  // MARK: Keeping

  /// Saves the state when that is due, also while nothing comes.
  private func keepIfDue() throws {
    guard let keeping = setup.keeping, !isKept else { return }
    let left = (keeping.interval - (ContinuousClock.now - kept)) / .seconds(1)
    if left <= 0 || isStream && !System.waitForInput(seconds: left) { try keep() }
  }

  private func keep() throws {
    guard let keeping = setup.keeping else { return }
    for writer in [eventsWriter, visitsWriter, rejectsWriter] { try writer?.synchronize() }
    try noteOutputs()
    // It may have grown since it was opened.
    if followed.files.indices.contains(followed.position.file),
      let part = FollowedInput.input(followed.files[followed.position.file].path)
    {
      followed.files[followed.position.file] = part
    }
    var state = self.state(after: keeping.file.state, keeping.question)
    state.followed = followed
    try keeping.file.commit(state)
    (kept, isKept) = (.now, true)
    noteKept()
  }

  private func state(after earlier: EventsState?, _ question: EventsQuestion) -> EventsState {
    let named = fleets.occupied.union(book.open.keys.map { Int($0.region) })
    return EventsState(
      question: question, states: fleets.states(reader.devices, reader.order, naming: named),
      stays: book.open, held: [], batches: earlier?.batches ?? [], last: earlier?.last ?? 0,
      outputs: earlier?.outputs ?? [])
  }

  /// Notes how long the files of output are.
  private func noteOutputs() throws {
    let paths = [setup.paths.events, setup.paths.visits, setup.paths.rejects]
    for (path, writer) in zip(paths, [eventsWriter, visitsWriter, rejectsWriter]) {
      guard let path, let writer, OutputPlace(path).isFile else { continue }
      let absolute = FileSystem.absolute(path)
      guard let part = FollowedInput.output(absolute, writer.byteCount) else {
        throw CommandFailure("it was cut while it was written", at: path)
      }
      followed.outputs.removeAll { $0.path == absolute }
      followed.outputs.append(part)
    }
  }

  /// Says in the state which files are written from now on, before anything is: should the run end before it
  /// saves the state, the next one knows them. All else stays as it was.
  private func keepOutputs() throws {
    guard let keeping = setup.keeping else { return }
    let before = followed.outputs
    try noteOutputs()
    guard followed.outputs.count > before.count else { return }
    var state = keeping.file.state ?? state(after: nil, keeping.question)
    state.followed = followed
    try keeping.file.commit(state)
  }
}
