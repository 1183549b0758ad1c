/// Reads tracks: many files, in batches of fixes, in the order of the input and in bounded memory.
///
///     let reader = try TrackReader(["monday.csv.gz", "rides/"])
///     while let batch = try reader.next() {
///       for run in batch.runs {
///         for fix in batch.fixes[run.range] { detector.advance(run.device, to: fix) }
///       }
///     }
///
/// Devices are numbers from 0 in the order of their first fix; ``devices`` has their identifiers. Memory depends on the
/// number of devices and on the chunks read at once, not on the number of fixes, unless fixes are to be sorted.
///
/// ## Inputs
/// Files, folders, patterns and `-` for standard input (``TrackFiles``), read one after another. What a file is, its first
/// bytes decide; gzip is unpacked on the way. Nothing is fetched over a network.
///
/// - CSV: comma, semicolon or tab, UTF-8, with a header, columns in any order, case ignored, others left alone. `device`
///   (or `device_id`, `track_id`, `vehicle_id`, `user_id`, `mmsi`, `icao24`, `id`, `name` and the like; without any, all
///   fixes are of one device, named after the file); `time` (`timestamp`, `datetime`, `time_utc`, `unix_time`, `epoch`);
///   `latitude`, `longitude` and their short forms, degrees; optionally `accuracy`, metres, `speed`, m/s, and
///   `course` (`bearing`, `heading`), degrees. Empty optional fields are not known: accuracy 0, speed and course -1.
///   Rows may be grouped by device or interleaved.
/// - Times are ISO 8601 with a zone, or Unix seconds with or without a fraction. Milliseconds are taken only from a column
///   that says so (`time_ms`, `timestamp_ms`, `UnixTimeMillis`); a number too large for seconds is a bad row.
/// - GPX: the points of tracks. A file is one device's log, its tracks one after another; see
///   ``Options/tracksAreDevices``. Waypoints and routes are counted in a warning.
/// - GeoLife's PLT: the device is the folder above `Trajectory`.
/// - NMEA 0183: RMC, GGA, GNS, GLL and ZDA of one instant make one fix. Checksums are compared; a time without a date
///   before the first RMC or ZDA is a bad row.
/// - Whatever else OGR reads (GeoJSON, GeoPackage, FlatGeobuf, Shapefile): points with a field for the time, with fields
///   named like the columns of CSV; and lines with GeoJSON's `coordTimes`.
///
/// ## Bad rows and the order of fixes
/// A row without a time, with a place out of range, a number that is none, a wrong number of fields, a damaged
/// checksum, is bad. So is a fix that is earlier than the one before of its device, or at its time and another place,
/// unless fixes are to be sorted. The first batch that has bad rows throws, naming file and line, unless they are to be
/// skipped. Exact repeats and fixes of negative accuracy are dropped. All are counted in ``summary``.
public final class TrackReader {
  /// What to read and how to take what is wrong with it.
  public struct Options: Sendable {
    /// Skip bad rows, and count them, instead of throwing.
    public var skipInvalid = false
    /// Sort each device's fixes by time before they are handed out, device after device: all input is read first.
    ///
    /// Of fixes at one time the first in the input is kept. Memory: 64 bytes a fix up to ``sortByteCount``, beyond that
    /// files in the temporary folder.
    public var sorts = false
    /// The most memory for sorting, bytes.
    public var sortByteCount = 512 << 20
    /// Hand out what has come as soon as whole lines of it have, and skip bad rows: for following a stream.
    public var follows = false
    /// The offset from UTC, in seconds, of times that state no zone; `nil` makes them bad rows.
    public var zone: Int?
    /// The column or field that names devices; `nil` for the convention of ``TrackReader``.
    public var deviceField: String?
    /// The column or field that holds times; `nil` for the convention of ``TrackReader``.
    public var timeField: String?
    /// The layer to read of files with layers; `nil` for the first with geometry.
    public var layer: String?
    /// Whether each track of a GPX file is a device of its own, `FILE/1`, `FILE/2` and so on.
    public var tracksAreDevices = false
    /// Whether NMEA's sentences are read whatever their checksums: some programs write wrong ones.
    public var ignoresChecksums = false
    /// How many bytes of text are read at once. Batches end at the last record within.
    public var chunkByteCount = 4 << 20
    /// How many diagnostics of each kind to keep; all are counted.
    public var maximumDiagnostics = 20

    /// The default options.
    public init() {}
  }

  /// The files that are read, in order.
  public let paths: [String]
  /// The devices so far.
  public private(set) var devices = DeviceTable()
  /// The last fix of each device so far; what a run that is taken up again starts from.
  public private(set) var order = TrackOrder()
  /// What has been read, dropped and skipped so far.
  public private(set) var summary = TrackSummary()

  private let options: Options
  private let files: TrackFiles
  private var skipped: DiagnosticLog
  private var warned: DiagnosticLog
  // What reads ahead...
  private var nextFile = 0
  private var source: (any TrackSource)?
  private var resumption: TrackPosition?
  private var finishedByteCount = 0
  // ...and what follows it.
  private var position = TrackPosition(file: 0, offset: 0, line: 1)
  private var sorter: TrackSorter?
  private var sortedResumption = 0

  /// A reader of files, folders, patterns or `-`.
  ///
  /// - Throws: ``FormatError`` for a path that names nothing, or an option out of its range.
  public convenience init(_ paths: [String], options: Options = Options()) throws {
    try self.init(TrackFiles(paths), options: options)
  }

  /// A reader of files that goes on where an earlier one stopped.
  ///
  /// - Parameters:
  ///   - position: the end of the last batch taken from the earlier reader, with the same inputs and options.
  ///   - devices: the earlier reader's devices, then.
  ///   - order: the earlier reader's order, then.
  /// - Throws: ``FormatError``
  public convenience init(
    _ paths: [String], options: Options = Options(), from position: TrackPosition, devices: DeviceTable,
    order: TrackOrder
  ) throws {
    try self.init(TrackFiles(paths), options: options)
    self.devices = devices
    self.order = order
    if options.sorts {
      // All is read and sorted again; what was handed out is passed over.
      sortedResumption = position.offset
    } else {
      self.position = position
      resumption = position
      nextFile = position.file
    }
  }

  init(_ files: TrackFiles, options: Options) throws {
    guard options.chunkByteCount > 0 else {
      throw FormatError.invalidOption(
        name: "chunkByteCount", value: "\(options.chunkByteCount)", reason: "a number above 0 is expected")
    }
    if let zone = options.zone, zone.magnitude >= 86_400 {
      throw FormatError.invalidOption(
        name: "zone", value: "\(zone)", reason: "less than a day in seconds is expected")
    }
    if options.follows, options.sorts {
      throw FormatError.invalidOption(name: "sorts", value: "true", reason: "a stream cannot be sorted")
    }
    self.files = files
    paths = files.files.map(\.path)
    var options = options
    if options.follows { options.skipInvalid = true }
    self.options = options
    skipped = DiagnosticLog(maximum: options.maximumDiagnostics)
    warned = DiagnosticLog(maximum: options.maximumDiagnostics)
    for warning in files.warnings { warned.add(warning.place, warning.message) }
    publishLogs()
  }

  /// The next batch; `nil` at the end. Batches may be without fixes.
  ///
  /// - Throws: ``FormatError``, saying what is wrong and where; `CancellationError` when the task says so.
  /// - Complexity: O(bytes); CSV about 0.15 µs a row.
  public func next() throws -> TrackBatch? {
    try nextBatches(1, threads: 1).first
  }

  /// The next batches, up to `count`, parsed on up to `threads` threads; none at the end.
  ///
  /// The batches are those that ``next()`` gives, whatever the number of threads.
  ///
  /// - Throws: ``FormatError``, saying what is wrong and where; `CancellationError` when the task says so.
  public func nextBatches(_ count: Int, threads: Int) throws -> [TrackBatch] {
    if options.sorts { return try sortedBatches(count, threads: threads) }
    return try unsortedBatches(count, threads: threads).map(checked)
  }

  /// How far reading has come: fixes handed out and, where the sizes of all files are known, the part of their bytes
  /// read.
  public var progress: ReadingProgress {
    let consumed = finishedByteCount + (source?.consumedByteCount ?? 0)
    let fraction = files.byteCount.map { min(1, Double(consumed) / Double(max($0, 1))) }
    return ReadingProgress(rows: summary.fixes, fraction: fraction)
  }

  // MARK: - Reading

  private func unsortedBatches(_ count: Int, threads: Int) throws -> [TrackBatch] {
    var chunks: [TrackChunk] = []
    var failure: (any Error)?
    do {
      while chunks.count < max(count, 1), let chunk = try nextChunk() { chunks.append(chunk) }
    } catch {
      // What came before is told first, as if it had been read alone.
      failure = error
    }
    let parsed = TrackChunk.parse(chunks, options: options, known: devices, threads: threads)
    var batches: [TrackBatch] = []
    for (chunk, rows) in zip(chunks, parsed) { batches.append(try admit(chunk, rows)) }
    if let failure { throw failure }
    return batches
  }

  /// The next chunk, unparsed.
  private func nextChunk() throws -> TrackChunk? {
    while true {
      try Task.checkCancellation()
      if let source {
        if let chunk = try source.next() { return chunk }
        finishedByteCount += files.files[nextFile].byteCount ?? 0
        self.source = nil
        nextFile += 1
      }
      guard nextFile < files.files.count else { return nil }
      let file = files.files[nextFile]
      let opened = try TrackInput(
        file: nextFile, path: file.path, fallbackDevice: file.device, options: options
      ).open()
      if let resumption { try opened.seek(to: resumption) }
      resumption = nil
      source = opened
    }
  }

  /// Brings the rows of a chunk, which is the next in order, into a batch: lines and devices as numbers of the run.
  private func admit(_ chunk: TrackChunk, _ rows: consuming TrackRows) throws -> TrackBatch {
    if let number = chunk.firstNumber { position.line = number }
    var batch = TrackBatch()
    batch.path = chunk.path
    batch.layer = chunk.layer
    batch.firstNumber = position.line
    batch.start = TrackPosition(file: chunk.file, offset: chunk.offsets.lowerBound, line: position.line)
    position = TrackPosition(
      file: chunk.file, offset: chunk.offsets.upperBound, line: position.line + rows.lineCount)
    batch.end = position
    let place = Diagnostic.Place(path: chunk.path, layer: chunk.layer)
    for warning in chunk.warnings { warned.add(place, warning) }
    summary.invalidFixes += rows.invalidCount
    batch.skipped = rows.rejected.map {
      Diagnostic(place: batch.place(number: batch.firstNumber + $0.number), message: $0.message)
    }
    batch.skippedCount = rows.rejectedCount
    let numbers = devices.merge(rows.devices)
    batch.runs = rows.runs
    if !numbers.isEmpty {
      let known = UInt32(truncatingIfNeeded: rows.knownCount)
      for run in batch.runs.indices where batch.runs[run].number >= known {
        batch.runs[run].number = numbers[Int(batch.runs[run].number - known)]
      }
    }
    batch.fixes = rows.fixes
    batch.numbers = rows.numbers
    return batch
  }

  /// Drops from a batch what may not follow, and tells of its bad rows.
  private func checked(_ batch: TrackBatch) throws -> TrackBatch {
    var batch = batch
    let tally = order.apply(to: &batch, devices: devices, maximumDiagnostics: options.maximumDiagnostics)
    summary.repeats += tally.repeats
    summary.invalidFixes += tally.invalid
    try report(&batch)
    summary.fixes += batch.fixes.count
    return batch
  }

  private func report(_ batch: inout TrackBatch) throws {
    defer { publishLogs() }
    guard batch.skippedCount > 0 else { return }
    batch.skipped.sort {
      ($0.place.line ?? 0, $0.place.feature ?? 0) < ($1.place.line ?? 0, $1.place.feature ?? 0)
    }
    batch.skipped = Array(batch.skipped.prefix(options.maximumDiagnostics))
    guard options.skipInvalid else {
      throw FormatError.invalidRows(path: batch.path, first: batch.skipped, count: batch.skippedCount)
    }
    skipped.add(batch.skipped, count: batch.skippedCount)
  }

  private func publishLogs() {
    summary.skipped = skipped.count
    summary.firstSkipped = skipped.first
    summary.warnings = warned.count
    summary.firstWarnings = warned.first
  }

  // MARK: - Sorting

  private func sortedBatches(_ count: Int, threads: Int) throws -> [TrackBatch] {
    if sorter == nil {
      let sorter = TrackSorter(byteCount: options.sortByteCount)
      while true {
        var batches = try unsortedBatches(max(count, 1), threads: threads)
        if batches.isEmpty { break }
        for i in batches.indices {
          try report(&batches[i])
          try sorter.add(batches[i])
        }
      }
      try sorter.finish()
      self.sorter = sorter
    }
    var batches: [TrackBatch] = []
    while batches.count < max(count, 1), var batch = try sorter?.next() {
      if batch.end.offset <= sortedResumption { continue }
      let tally = order.apply(
        to: &batch, devices: devices, maximumDiagnostics: options.maximumDiagnostics, dropsConflicts: true)
      summary.repeats += tally.repeats
      summary.invalidFixes += tally.invalid
      summary.conflicts += tally.conflicts
      summary.fixes += batch.fixes.count
      batches.append(batch)
    }
    return batches
  }
}
