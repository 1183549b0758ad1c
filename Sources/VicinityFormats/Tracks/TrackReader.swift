public import VicinityCrossings
public import VicinityText

/// Reads tracks: many files, in batches of fixes, in the order of the input and in bounded memory.
///
///     let reader = try TrackReader(["monday.csv.gz", "rides/"])
///     while let batch = try reader.next() {
///       for run in batch.runs {
///         for fix in batch.fixes[run.range] { try fleet.advance(run.device, to: fix, into: &crossings) }
///       }
///     }
///
/// In asynchronous code: `for try await batch in reader.batches`.
///
/// Devices are numbers from 0 in the order of their first fix; ``devices`` has their identifiers. Memory
/// depends on the number of devices and on the chunks read at once, not on the number of fixes, unless fixes
/// are to be sorted.
///
/// ## Inputs
/// Files, folders, patterns and `-` for standard input (`TrackFiles`), read one after another. The first
/// bytes of a file decide what it is; gzip, zstd, xz and bzip2 are unpacked on the way. Nothing is fetched
/// over a network. <doc:Formats> lists all formats and names.
///
/// - CSV: comma, semicolon or tab, UTF-8, with a header; and lines of JSON with the same names. Columns may
///   come in any order, case is ignored. `device` (or `device_id`, `taxi_id`, `trip_id`, `uuid`, `mmsi`,
///   `id`, `name` and the like; without any, all fixes are of one device, named after the file, if there is
///   nothing beside them but measurements: any other column may tell devices apart, and is an error unless
///   `ReadingOptions/isSingleDevice`); `time` (`timestamp`, `datetime`, `time_utc`, `unix_time`, `epoch`);
///   `latitude`, `longitude` and their short forms, degrees; optionally `accuracy` (`hacc`, `precision`,
///   `uncertainty` and the like), metres, `speed`, m/s, and `course` (`bearing`, `heading`), degrees. An
///   optional field that is empty, or says `null`, `NaN` or `N/A`, is unknown: accuracy 0, speed and
///   course -1; so is a speed or course out of range. Rows may be grouped by device or interleaved.
/// - Times are ISO 8601 with a zone, or Unix seconds with or without a fraction. Milliseconds are read only
///   from a column whose name says so (`time_ms`, `timestamp_ms`, `UnixTimeMillis`), and other units where
///   `ReadingOptions/timeUnit` says so; a number too large for seconds is a bad row. Times before 1980 are
///   noted.
/// - GPX: the points of tracks. A file is one device's log, its tracks one after another, and broken between
///   tracks and between segments; see `ReadingOptions/tracksAreDevices`. Waypoints and routes are counted in
///   a warning.
/// - GeoLife's PLT: the device is the folder above `Trajectory`.
/// - NMEA 0183: RMC, GGA, GNS, GLL and ZDA of one instant make one fix. Checksums are compared; a time
///   without a date before the first RMC or ZDA is a bad row.
/// - GeoJSON, TopoJSON, GeoPackage, FlatGeobuf, Shapefile and KML, by OGR: points with a field for the
///   time, with fields named like the columns of CSV; and lines with GeoJSON's `coordTimes`.
///
/// ## Bad rows and the order of fixes
/// A row is bad if it has no time, a coordinate out of range, something else than a number, a wrong number of
/// fields, or a damaged checksum. Of fixes of a device whose times do not increase those are, without which
/// the most remain, unless fixes are to be sorted; so is a fix at the time of another and elsewhere. Where
/// wrong times have been handed out already, time goes back later (``TrackBatch/breaks``). The first batch
/// that has bad rows throws, naming file and line, unless they are to be skipped. Exact repeats and fixes of
/// negative accuracy are dropped. All are counted in ``summary``.
public final class TrackReader {
  /// The formats that are read, in words: `CSV`, `lines of JSON`, ...
  public static let formats = InputKind.names(tracks: true)

  /// The files that are read, in order.
  public let paths: [String]
  /// The devices so far.
  public private(set) var devices = DeviceNames()
  /// The last fix of each device so far; a resumed run starts from it.
  package private(set) var order = TrackOrder()
  /// What has been read, dropped and skipped so far.
  public private(set) var summary: TrackSummary
  /// Called with every bad row that is skipped, in the order of batches; with
  /// `ReadingOptions/keepsAllRejected` only.
  package var onRejected: ((Diagnostic) throws -> Void)?

  private let options: ReadingOptions
  private let files: TrackFiles
  // The state of reading ahead...
  private var nextFile = 0
  private var source: (any TrackSource)?
  private var resumption: TrackPosition?
  private var finishedByteCount = 0
  /// The last batch that has been read; it is judged together with the one behind it.
  private var unjudged: TrackBatch?
  // ...and of handing out what has been read.
  private var position = TrackPosition(file: 0, offset: 0, line: 1)
  private var sorter: TrackSorter?
  private var sortedResumption = 0
  /// Why there are no more batches, once those before have been handed out.
  private var failure: (any Error)?
  private var hasCheckedDevices = false
  private var findings = TrackFindings()
  /// How many fixes were refused for the sake of others.
  private var refusedCount = 0
  /// When each device was last seen by an earlier run, which has read all before; empty where there was none,
  /// or what it has read does not come again.
  private var knownTimes: [Int64] = []
  /// Whether an earlier run has read the beginning.
  private var isContinued = false

  /// A reader of files, folders, patterns or `-`.
  ///
  /// - Throws: `FormatError` for a path that names nothing, or an option out of its range.
  public convenience init(_ paths: [String], options: ReadingOptions = ReadingOptions()) throws {
    try self.init(TrackFiles(paths), options: options)
  }

  /// A reader of files that continues where an earlier one, with the same inputs and options, stopped; or one
  /// that knows devices of other inputs from the beginning.
  ///
  /// - Parameters:
  ///   - position: The end of the last batch taken from the earlier reader; the beginning for other inputs.
  ///   - devices: The earlier reader's devices at that point.
  ///   - order: The earlier reader's order at that point.
  /// - Throws: `FormatError`
  package convenience init(
    _ paths: [String], options: ReadingOptions = ReadingOptions(), from position: TrackPosition,
    devices: DeviceNames,
    order: TrackOrder
  ) throws {
    try self.init(TrackFiles(paths), options: options)
    self.devices = devices
    self.order = order
    isContinued = position.file > 0 || position.offset > 0
    if options.isSentAgain { knownTimes = order.lastTimes }
    if options.sorts {
      // All input is read and sorted again; batches up to there are dropped.
      sortedResumption = position.offset
    } else if position.file > 0 || position.offset > 0 {
      self.position = position
      resumption = position
      nextFile = position.file
    }
  }

  init(_ files: TrackFiles, options: ReadingOptions) throws {
    try options.check()
    self.files = files
    paths = files.files.map(\.path)
    var options = options
    if options.follows { options.skipInvalid = true }
    self.options = options
    summary = TrackSummary(
      skipped: DiagnosticList(maximum: options.maximumDiagnostics),
      warnings: DiagnosticList(maximum: options.maximumDiagnostics),
      notes: DiagnosticList(maximum: options.maximumDiagnostics))
    for warning in files.warnings { summary.warnings.add(warning.place, RowFault(warning.message)) }
  }

  /// The next batch; `nil` at the end. A batch may be without fixes.
  ///
  /// - Throws: `FormatError`, saying what is wrong and where; `CancellationError` when the task is cancelled.
  /// - Complexity: O(bytes); CSV about 0.15 µs a row.
  public func next() throws -> TrackBatch? {
    try nextBatches(1, threads: 1).first
  }

  /// The next batches, up to `count`, parsed on up to `threads` threads; none at the end.
  ///
  /// The batches are those that ``next()`` gives, whatever the number of threads. An error comes once the
  /// batches before it have been handed out.
  ///
  /// - Throws: `FormatError`, saying what is wrong and where; `CancellationError` when the task is cancelled.
  public func nextBatches(_ count: Int, threads: Int) throws -> [TrackBatch] {
    if let failure { throw failure }
    var batches: [TrackBatch] = []
    do {
      if options.sorts {
        try readSorted(threads: threads)
        try addSorted(count, to: &batches)
      } else {
        try addJudged(count, threads: threads, to: &batches)
        if batches.isEmpty, let failure { throw failure }
      }
    } catch {
      failure = error
      if batches.isEmpty { throw error }
    }
    if batches.isEmpty { checkDevices() }
    tellFindings(isAtEnd: batches.isEmpty)
    return batches
  }

  private func tellFindings(isAtEnd: Bool) {
    guard let path = paths.first else { return }
    for finding in findings.news(path, options, isAtEnd: isAtEnd) { summary.notes.keep(finding) }
  }

  /// Warns where every fix was of another device: then the devices' column most likely numbers rows. And
  /// where many fixes were dropped because their device was elsewhere at the same time: then several devices
  /// most likely share a name.
  private func checkDevices() {
    guard !hasCheckedDevices else { return }
    hasCheckedDevices = true
    noteOddSteps()
    guard summary.fixes >= FixFindings.suspiciousCount, let path = paths.first else { return }
    let place = Diagnostic.Place(path: path)
    if let words = FixFindings.deviceWords(fixes: summary.fixes, devices: devices.count) {
      summary.warnings.add(place, RowFault(words))
    }
    let conflicts = summary.conflicts
    if conflicts > summary.fixes / 10 {
      summary.warnings.add(
        place,
        "\(conflicts) fixes are at the time of another and elsewhere; are several devices taken for one?"
      )
    }
  }

  /// Says what is odd about steps between fixes, though nothing contradicts them.
  private func noteOddSteps() {
    guard let path = paths.first else { return }
    for oddity in TrackOrder.Oddity.allCases {
      guard let steps = order.steps(oddity) else { continue }
      var name = devices[steps.device]
      let device = name.withUTF8 { unsafe TextCheck.shown($0) }
      summary.notes.add(Diagnostic.Place(path: path), RowFault(steps.words(oddity, device: device)))
    }
  }

  /// Fails where all rows were bad; to be called behind the last batch. A run that continues another's, or
  /// follows a stream, may have read no fix; nor need one whose rows contradict those of an earlier run: they
  /// count, and may outnumber them next time.
  ///
  /// - Parameter isBatch: Whether it is one of many batches: rows that all say that there was no position
  ///   are no reason to stop then.
  /// - Throws: `FormatError/nothingRead(path:what:first:count:)`
  package func checkHasFixes(isBatch: Bool = false) throws(FormatError) {
    let count = summary.skipped.count + summary.invalidFixes
    guard summary.fixes == 0, count > 0, !isBatch || summary.skipped.count > 0, refusedCount == 0,
      !options.follows, !isContinued,
      let path = paths.first
    else {
      return
    }
    var first = summary.skipped.examples
    let reasons = [
      (summary.invalidFixes - findings.noPositions, "the accuracy is negative: the position is invalid"),
      (findings.noPositions, "latitude 91 and longitude 181 are AIS's words for no position"),
    ]
    for (count, reason) in reasons where count > 0 {
      first.append(Diagnostic(place: .init(path: path), message: reason))
    }
    throw .nothingRead(path: path, what: "fix", first: first, count: count)
  }

  /// How far reading has come: fixes handed out and, where the sizes of all files are known, the fraction of
  /// their bytes that has been read.
  public var progress: ReadingProgress {
    let consumed = finishedByteCount + (source?.consumedByteCount ?? 0)
    let fraction = files.byteCount.map { min(1, Double(consumed) / Double(max($0, 1))) }
    return ReadingProgress(rows: summary.fixes, fraction: fraction)
  }

  // MARK: - Reading

  private func unsortedBatches(_ count: Int, threads: Int) throws -> [TrackBatch] {
    if let failure { throw failure }
    var chunks: [TrackChunk] = []
    do {
      while chunks.count < max(count, 1), let chunk = try nextChunk() { chunks.append(chunk) }
    } catch {
      // The chunks before it are handled first, as if they had been read alone.
      failure = error
    }
    let parsed = TrackChunk.parse(chunks, options: options, known: devices, threads: threads)
    var batches: [TrackBatch] = []
    for (chunk, rows) in zip(chunks, parsed) { batches.append(admit(chunk, rows)) }
    return batches
  }

  private func nextChunk() throws -> TrackChunk? {
    while true {
      try Task.checkCancellation()
      if let source {
        if let chunk = try source.next() { return chunk }
        if source.unfinishedByteCount > 0 {
          summary.notes.add(
            Diagnostic.Place(path: files.files[nextFile].path),
            RowFault("the last line has no end and is left for the next run"))
        }
        finishedByteCount += files.files[nextFile].byteCount ?? 0
        self.source = nil
        nextFile += 1
      }
      guard nextFile < files.files.count else { return nil }
      let file = files.files[nextFile]
      let input = TrackInput(
        file: nextFile, path: file.path, fallbackDevice: file.device, options: options)
      let bytes = try ByteSource(file.path)
      let reader = BlockReader(
        bytes, blockByteCount: options.chunkByteCount, isEager: options.follows,
        leavesUnfinished: options.leavesUnfinishedLine,
        maximumRecordByteCount: BlockReader.maximumTrackRowByteCount)
      let opened = try input.open(reader) { try OGRTrackSource(bytes, input) }
      if let resumption { try opened.seek(to: resumption) }
      resumption = nil
      source = opened
    }
  }

  private func admit(_ chunk: TrackChunk, _ rows: consuming TrackRows) -> TrackBatch {
    let batch = TrackBatch(chunk, rows, after: position, devices: &devices)
    position = batch.end
    findings.add(batch)
    for note in chunk.remarks.notes {
      summary.notes.add(Diagnostic.Place(path: chunk.path, layer: chunk.layer), RowFault(note))
    }
    return batch
  }

  /// Adds the next batches, up to `count`, each judged with what follows in the one behind it.
  private func addJudged(_ count: Int, threads: Int, to batches: inout [TrackBatch]) throws {
    // A stream's next batch may take its time to come.
    let wanted = max(count, 1) + (options.follows || unjudged != nil ? 0 : 1)
    let read = try unsortedBatches(wanted, threads: threads)
    var known = (unjudged.map { [$0] } ?? []) + read
    // Fewer than wanted are the last ones, or the last before a failure.
    unjudged = options.follows || read.count < wanted ? nil : known.popLast()
    for (i, batch) in known.enumerated() {
      let next = i + 1 < known.count ? known[i + 1] : unjudged
      batches.append(try checked(batch, before: options.follows ? nil : next))
    }
  }

  /// Drops fixes that may not follow, and reports the batch's bad rows.
  private func checked(_ batch: TrackBatch, before next: TrackBatch?) throws -> TrackBatch {
    var batch = batch
    if !knownTimes.isEmpty { summary.known += batch.dropFixes(upTo: knownTimes) }
    let tally = order.apply(
      to: &batch, before: next, devices: devices,
      TrackOrder.Judging(maximumDiagnostics: options.maximumRejected, follows: options.follows))
    do {
      try report(&batch)
    } catch {
      // A batch that fails has not been read.
      order.takeBack()
      throw error
    }
    addToSummary(batch, tally)
    return batch
  }

  /// Counts the fixes of a batch, and what was dropped from it.
  private func addToSummary(_ batch: TrackBatch, _ tally: TrackOrder.Tally) {
    summary.repeats += tally.repeats
    summary.invalidFixes += tally.invalid
    summary.conflicts += tally.conflicts
    refusedCount += tally.refused
    summary.fixes += batch.fixes.count
  }

  /// Reports the bad rows of a batch and what was assumed about its file; a batch that fails is not counted
  /// at all.
  private func report(_ batch: inout TrackBatch) throws {
    defer { batch.skipped = Array(batch.skipped.prefix(options.maximumDiagnostics)) }
    if batch.skippedCount > 0 {
      batch.skipped.sort {
        ($0.place.line ?? 0, $0.place.feature ?? 0) < ($1.place.line ?? 0, $1.place.feature ?? 0)
      }
      guard options.skipInvalid else {
        throw FormatError.invalidTrackRows(
          path: batch.path, first: Array(batch.skipped.prefix(options.maximumDiagnostics)),
          count: batch.skippedCount)
      }
      if let onRejected { for row in batch.skipped { try onRejected(row) } }
      summary.skipped.add(batch.skipped, count: batch.skippedCount)
    }
    let place = Diagnostic.Place(path: batch.path, layer: batch.layer)
    for warning in batch.warnings { summary.warnings.add(place, RowFault(warning)) }
    summary.invalidFixes += batch.invalidCount
  }

  // MARK: - Sorting

  /// Reads and sorts all input, unless that has been done.
  private func readSorted(threads: Int) throws {
    guard sorter == nil else { return }
    let sorter = TrackSorter(byteCount: options.sortByteCount)
    while true {
      var batches = try unsortedBatches(2 * threads, threads: threads)
      if batches.isEmpty { break }
      for i in batches.indices {
        // An earlier run has read and reported all input before its first batch.
        if sortedResumption == 0 { try report(&batches[i]) }
        try sorter.add(batches[i])
      }
    }
    if let failure { throw failure }
    try sorter.finish()
    self.sorter = sorter
  }

  /// Adds the next batches of sorted fixes, up to `count`.
  private func addSorted(_ count: Int, to batches: inout [TrackBatch]) throws {
    while batches.count < max(count, 1), var batch = try sorter?.next() {
      if batch.end.offset <= sortedResumption { continue }
      // Where a device's fixes begin before those of an earlier input, which is all that can be told of them.
      batch.path = paths.joined(separator: " ")
      let tally = order.apply(
        to: &batch, before: nil, devices: devices,
        TrackOrder.Judging(maximumDiagnostics: options.maximumRejected, dropsConflicts: true))
      for i in batch.skipped.indices { batch.skipped[i].place.line = nil }
      try report(&batch)
      addToSummary(batch, tally)
      batches.append(batch)
    }
  }
}

extension TrackReader {
  /// The batches still to be read, as an asynchronous sequence that can be iterated once.
  ///
  /// Reading blocks the thread that asks for the next batch.
  public var batches: Batches { Batches(reader: self) }

  /// The batches of a ``TrackReader``.
  public struct Batches: AsyncSequence, AsyncIteratorProtocol {
    let reader: TrackReader

    /// The next batch; `nil` at the end.
    ///
    /// - Throws: What ``TrackReader/next()`` throws.
    public mutating func next() async throws -> TrackBatch? { try reader.next() }

    /// The sequence itself.
    public func makeAsyncIterator() -> Batches { self }
  }
}
