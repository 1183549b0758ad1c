import VicinityCrossings
import VicinityFormats
import VicinityIndex

/// One run of `vicinity events` over files: reads fixes, finds events, sorts and writes them. Memory does not depend on the
/// length of the tracks. A run with an output file saves checkpoints, from which it can be resumed.
final class EventsRun {
  private let index: RegionIndex
  private let options: CrossingOptions
  private let threads: Int
  private let progress: ProgressMeter
  private let start = ContinuousClock.now

  private var reader: TrackReader
  private let shards: Shards
  private var sorter: EventSorter
  /// What the run had read before it was resumed.
  private let before: EventTotals
  private var directory: RunDirectory?
  private let keeping: Keeping?

  /// Where and how often a run saves checkpoints.
  struct Keeping {
    var output: String
    var question: EventsQuestion
    var interval: Duration
  }

  /// A run from the beginning, or from its last checkpoint.
  ///
  /// - Parameters:
  ///   - keeping: `nil` for a run that cannot be resumed.
  ///   - resumes: Whether to continue from a checkpoint if there is one.
  init(
    _ index: RegionIndex, _ options: CrossingOptions, tracks: [String], reading: ReadingOptions,
    threads: Int, keeping: Keeping?, resumes: Bool, progress: ProgressMeter
  ) throws {
    self.index = index
    self.options = options
    self.threads = threads
    self.progress = progress
    self.keeping = keeping
    if resumes, let keeping, let checkpoint = try Self.checkpoint(keeping) {
      do {
        shards = try Shards(index, snapshots: checkpoint.fleets, threads: threads)
      } catch {
        throw CommandFailure(
          "damaged checkpoint; run without --resume", at: RunDirectory.path(beside: keeping.output))
      }
      reader = try TrackReader(
        tracks, options: reading, from: checkpoint.position, devices: checkpoint.devices,
        order: checkpoint.order)
      sorter = EventSorter(runCount: checkpoint.runCount, count: checkpoint.eventCount)
      before = checkpoint.totals
      directory = try RunDirectory(beside: keeping.output)
    } else {
      shards = try Shards(index, options, threads: threads)
      reader = try TrackReader(tracks, options: reading)
      sorter = EventSorter()
      before = EventTotals()
      // Removes what an abandoned run left.
      if let keeping { System.removeDirectory(RunDirectory.path(beside: keeping.output)) }
    }
  }

  /// The checkpoint of an earlier run; `nil` where there is none.
  private static func checkpoint(_ keeping: Keeping) throws -> Checkpoint? {
    let path = RunDirectory.path(beside: keeping.output)
    let file = "\(path)/\(Checkpoint.name)"
    guard System.file(at: file) != nil else { return nil }
    do {
      let checkpoint = try Checkpoint(InputFile.bytes(of: file))
      guard checkpoint.question == keeping.question.fingerprint else {
        throw CommandFailure("inputs or options have changed since; run without --resume", at: path)
      }
      return checkpoint
    } catch is Checkpoint.Damaged {
      throw CommandFailure("damaged checkpoint; run without --resume", at: path)
    }
  }

  /// How many fixes have been read since the run began or was resumed.
  var fixesRead: Int { reader.summary.fixes }

  /// What the run has read so far, and dropped.
  var totals: EventTotals { before + EventTotals(reader.summary) }

  /// How long the run has been going on, seconds.
  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// How many devices there are, and events.
  var deviceCount: Int { reader.devices.count }
  var eventCount: Int { sorter.count }

  /// Finds all events and writes them in order.
  ///
  /// - Parameter open: Makes the writer, after all events have been found. Its argument is the run's directory, if that
  ///   stays after a kill: an output staged there leaves nothing else behind.
  func write(
    _ format: EventFormatter.Format, to open: (_ stagingIn: String?) throws -> ByteWriter
  ) throws {
    do {
      defer { Notices.print(reader.summary) }
      try find()
    }
    progress.stage("writing events", total: sorter.count)
    var events = EventWriter(format, index, to: try open(keeping == nil ? nil : directory?.path))
    let devices = reader.devices
    var done = 0
    try sorter.drain(from: directory, devices: devices) { event in
      try events.write(event, devices: devices)
      done += 1
      if done & 0xffff == 0 { progress.update(done) }
    }
    try events.finish()
    if let keeping {
      keeping.question.mark(keeping.output)
      System.removeDirectory(RunDirectory.path(beside: keeping.output))
    }
  }

  private func find() throws {
    progress.stage("finding events")
    var kept = ContinuousClock.now
    while true {
      let batches = try reader.nextBatches(2 * threads, threads: threads)
      guard let last = batches.last else { return }
      for batch in batches {
        try shards.advance(through: batch, deviceCount: reader.devices.count, into: &sorter)
      }
      showProgress()
      if let keeping, ContinuousClock.now - kept >= keeping.interval {
        try keep(keeping, last.end)
        kept = .now
      } else if sorter.isFull {
        if let keeping {
          try keep(keeping, last.end)
          kept = .now
        } else {
          try sorter.spill(to: runDirectory(), devices: reader.devices)
        }
      }
    }
  }

  /// Saves a checkpoint.
  private func keep(_ keeping: Keeping, _ position: TrackPosition) throws {
    let directory = try runDirectory()
    try sorter.spill(to: directory, devices: reader.devices)
    let checkpoint = Checkpoint(
      question: keeping.question.fingerprint, position: position, devices: reader.devices,
      order: reader.order, fleets: shards.snapshots, runCount: sorter.runCount, eventCount: sorter.count,
      totals: totals)
    try directory.write(checkpoint.bytes, to: Checkpoint.name)
  }

  private func runDirectory() throws -> RunDirectory {
    if let directory { return directory }
    let made = try keeping.map { try RunDirectory(beside: $0.output) } ?? RunDirectory()
    directory = made
    return made
  }

  private func showProgress() {
    let rate = Int(Double(fixesRead) / max(seconds, 1e-3))
    progress.update(
      fraction: reader.progress.fraction,
      detail: "\(DecimalText.grouped(totals.fixes)) fixes, \(DecimalText.grouped(rate)) a second")
  }
}
