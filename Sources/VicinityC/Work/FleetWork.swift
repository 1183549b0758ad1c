internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityText

/// Devices and what they do, wave after wave of their fixes: reads them for a ``FleetRunner``.
final class FleetWork {
  /// What is asked: how crossings are decided, and how tracks are read.
  struct Question {
    var options: CrossingOptions
    var reading: ArrowTracks.Reading
    var columns: [String: String]
    /// Whether to list what devices are in at their first fix.
    var recordsInitial: Bool
    /// Whether to list who was in a region that is no longer there.
    var recordsRemoved: Bool

    /// - Parameter goesOn: Whether there may be batches before, so that a region may have been removed.
    /// - Throws: ``Failure`` for an unknown option or value.
    init(_ options: inout Options, goesOn: Bool) throws(Failure) {
      recordsInitial = try options.flag("initial") ?? false
      recordsRemoved = goesOn ? try options.flag("removed") ?? false : false
      reading = try ArrowTracks.Reading(&options)
      columns = options.texts(named: TrackColumns.options)
      var crossing = CrossingOptions()
      try options.apply(CrossingOptions.named, to: &crossing)
      try options.finish()
      do throws(CrossingOptionsError) { self.options = try crossing.validated() } catch {
        throw .argument(error.description)
      }
    }
  }

  /// Many, so that they keep the cores of large machines busy.
  private static let shardCount = 64
  /// How many rows are made fixes at once: they stay in the cache.
  private static let rowsAtOnce = 1024

  private let question: Question
  private let fleets: FleetRunner
  private var devices: DeviceNames
  /// When each device was last seen, microseconds.
  private var lastTimes: [Int64] = []
  /// The devices of the call that is under way.
  private var seen = SeenDevices()
  /// How the regions differ from those of the state, and who was in one that is no longer there, as long as
  /// nobody has been told.
  private var changes: (words: String?, ended: [EventRecord]) = (nil, [])
  /// The snapshot that it goes on from, as long as it has not gone on: it is the state, and nobody has been
  /// told how regions differ from its own.
  private var untold: [UInt8]?
  /// Whether an error or a stop came in the middle of a batch, some of whose fixes have been taken.
  private var hasFailed = false

  /// What to tell people of the columns, as long as nobody has been told.
  private var choices: [Note]?
  /// Whether people have been told that steps are longer than the longest gap, and that fixes are far away:
  /// batches are alike.
  private var hasToldGaps = false
  private var hasToldPlaces = false

  var deviceCount: Int { devices.count }

  /// The events of a stream's fixes.
  ///
  /// - Parameter isWhole: Whether these are all that there is; otherwise they are a batch of a fleet's.
  func advance(_ input: ArrowInput, isWhole: Bool, _ control: Control) throws -> ResultTable {
    let bad = BadRows(areSkipped: question.reading.skipsBadRows)
    var events = try find(input, bad, control)
    // A batch may be a single row.
    if isWhole { try bad.checkAnyLeft(of: input.rowCount) }
    var notes = (isWhole ? notes(on: events) : notes(onBatch: events)) + notesOnOrder()
    if let words = changes.words { notes.insert("since the state that this goes on from: \(words)", at: 0) }
    events += changes.ended
    (changes, untold) = ((nil, []), nil)
    // Nobody else is told these events: a stop while they are written loses them.
    hasFailed = true
    let table = try EventTable.make(
      &events, regions: fleets.regions, devices: devices,
      notes: bad.notes(of: input.rowCount) + (choices ?? []) + tell(notes), bad: bad, control)
    // Batches are alike.
    choices = []
    hasFailed = false
    return table
  }

  /// The stays of a stream's devices, those that have no end at its end included.
  func stays(_ input: ArrowInput, _ control: Control) throws -> ResultTable {
    let bad = BadRows(areSkipped: question.reading.skipsBadRows)
    var events = try find(input, bad, control)
    try bad.checkAnyLeft(of: input.rowCount)
    let notes = (choices ?? []) + tell(notes(on: events) + notesOnOrder())
    EventRecord.sort(&events, devices.ranks(), threads: control.threads)
    var book = StayBook()
    var stays = events.compactMap { book.take($0) }
    stays += book.openStays(devices: devices, lastTime: fleets.lastTime)
    return try StayTable.make(
      stays, index: fleets.regions.index, devices: devices,
      notes: bad.notes(of: input.rowCount) + notes, bad: bad, control)
  }

  private func tell(_ sentences: [String]) -> [Note] { sentences.map { Note(kind: .tracks, text: $0) } }

  /// What people are told of the fixes.
  private func notes(on events: [EventRecord]) -> [String] {
    let tally = fleets.tally
    var notes: [String] = []
    if events.isEmpty { notes.append(emptyNote(fleets.lastCoordinates(1000))) }
    let alone = FixFindings.deviceWords(fixes: tally.findings.fixes, devices: devices.count)
    return notes + [gapNote(events), tally.repeatWords, alone].compactMap(\.self)
  }

  /// What people are told of a fleet's batch. It may well have no events, a single fix of each device, or
  /// some long steps. So only what holds of all its fixes is told, and not of each batch again.
  private func notes(onBatch events: [EventRecord]) -> [String] {
    let tally = fleets.tally
    var notes: [String] = []
    if events.isEmpty, !hasToldPlaces, tally.findings.fixes > 0 {
      // All of them, up to the first that is near: what is told must hold, as a filter may raise it.
      let places = seen.devices.lazy.compactMap { [fleets] in fleets.lastCoordinate(of: $0) }
      hasToldPlaces = places.allSatisfy { SwapCheck.isFar($0, fleets.regions.index) }
      if hasToldPlaces { notes.append(emptyNote(Array(places.prefix(1000)))) }
    }
    // One long step alone is a night.
    if !hasToldGaps, tally.steps.steps > 1, tally.steps.gaps == tally.steps.steps, let note = gapNote(events)
    {
      hasToldGaps = true
      notes.append(note)
    }
    return notes + [tally.repeatWords].compactMap(\.self)
  }

  private func emptyNote(_ places: [Coordinate]) -> String {
    fleets.tally.extent.emptyNote(fleets.regions.index, places)
  }

  private func gapNote(_ events: [EventRecord]) -> String? {
    fleets.tally.steps.note(
      maximumGap: question.options.maximumGap / .seconds(1), option: "max_gap",
      inferred: events.count { $0.gapStart != EventRecord.notInferred })
  }

  /// What people are told of wrong times and places.
  private func notesOnOrder() -> [String] {
    let tally = fleets.tally
    var notes = tally.restarts.map { $0.restart.words($0.next, devices[$0.device]) }.sorted()
    notes += [tally.findings.timeWords, tally.findings.zeroWords].compactMap { $0 }
    if question.options.rule.usesAccuracy, tally.findings.lacksAccuracy {
      notes.append(FixFindings.accuracyWords(soFar: false))
    }
    if notes.count > 10 {
      notes[10...] = [
        "and \(DecimalText.count(notes.count - 10, "more device", "more devices")) whose time goes back"
      ]
    }
    notes += tally.leftOutWords
    if tally.conflicts > 0 {
      notes.append(
        DecimalText.count(tally.conflicts, "fix is", "fixes are")
          + " at the time of another of \(tally.conflicts == 1 ? "its" : "their") device and elsewhere: left out"
      )
    }
    for oddity in TrackOrder.Oddity.allCases {
      guard let steps = fleets.oddSteps(oddity) else { continue }
      notes.append(steps.words(oddity, device: devices[steps.device].debugDescription))
    }
    return notes
  }

  private func find(_ input: ArrowInput, _ bad: BadRows, _ control: Control) throws -> [EventRecord] {
    let tracks = try ArrowTracks(
      input, question.reading, question.columns, bad, devices: devices, threads: control.threads)
    try checkUsable()
    choices = choices ?? tracks.choices
    var events: [EventRecord] = []
    var done = 0
    fleets.resetTally()
    seen.beginCall()
    while let wave = try tracks.next(wholly: question.reading.sorts, control) {
      // Each device's rows are put in order as a whole, or none.
      let slices = question.reading.sorts ? [(wave.runs, wave.rowCount)] : ArrowTracks.slices(of: wave)
      for (runs, count) in slices {
        let (names, threads) = (tracks.devices, control.threads)
        hasFailed = true
        if question.reading.sorts {
          // SAFETY: this thread only waits meanwhile.
          nonisolated(unsafe) let work = self
          let batches = wave.batches
          try Background.run(control, of: count) { watch in
            try unsafe work.advance(runs, batches, names, bad, threads, watch)
          }
        } else {
          try advance(runs, wave.batches, names, bad, threads, Watch())
        }
        done += count
        try control.report(done)
      }
      events += fleets.takeEvents()
    }
    devices = tracks.devices
    return events
  }

  private func checkUsable() throws(Failure) {
    guard hasFailed else { return }
    throw .argument(
      "this fleet has ended with an error or was stopped in the middle of a batch; make another one from the state before that"
    )
  }

  private func advance(
    _ runs: [FleetRun], _ batches: [ArrowTrackBatch], _ names: DeviceNames, _ bad: BadRows, _ threads: Int,
    _ watch: Watch
  ) throws(Failure) {
    let sorts = question.reading.sorts
    seen.add(runs, deviceCount: names.count) { [fleets] in fleets.lastTime(of: $0) }
    let suspects = sorts ? [] : findSuspects(among: runs, batches, names.count)
    defer {
      for device in suspects { lastTimes[device] = fleets.lastTime(of: device)?.microseconds ?? .min }
    }
    let seen = seen
    let failures = fleets.advance(runs, deviceCount: names.count, threads: threads) {
      shard, runs throws(Failure) in
      try Self.advance(shard, runs, batches, names, seen, suspects, bad, watch, sorts: sorts)
    }
    if let failure = Self.first(failures) { throw failure }
  }

  /// Of several bad rows the first is told, whichever thread found it.
  private static func first(_ failures: [Failure]) -> Failure? {
    failures.min { ($0.row ?? 0) < ($1.row ?? 0) }
  }

  /// The devices whose times do not increase in some runs. A row whose time cannot be read is found when its
  /// turn comes.
  private func findSuspects(
    among runs: [FleetRun], _ batches: [ArrowTrackBatch], _ deviceCount: Int
  ) -> Set<Int> {
    while lastTimes.count < deviceCount {
      lastTimes.append(fleets.lastTime(of: lastTimes.count)?.microseconds ?? .min)
    }
    var suspects: Set<Int> = []
    var scratch = TrackScratch()
    var start = 0
    while start < runs.count {
      let (batch, first) = (runs[start].batch, runs[start].range.lowerBound)
      var end = start + 1
      // Rows between runs are bad ones that are skipped.
      while end < runs.count, runs[end].batch == batch,
        runs[end].range.lowerBound == runs[end - 1].range.upperBound
      {
        end += 1
      }
      if batches[batch].readTimes(first..<runs[end - 1].range.upperBound, &scratch) {
        let allTimes = scratch.times[...]
        let times = allTimes.span
        for run in runs[start..<end] {
          var last = lastTimes[run.device]
          for i in run.range {
            let time = times[i - first]
            if time <= last { suspects.insert(run.device) }
            last = max(last, time)
          }
          lastTimes[run.device] = last
        }
      }
      start = end
    }
    return suspects
  }

  /// Moves the devices of a shard along their rows: first those whose rows are judged together, then the
  /// others row by row.
  ///
  /// - Parameters:
  ///   - suspects: The devices whose times do not increase. A suspect with a row that cannot be read is taken
  ///     row by row: that row is found when its turn comes.
  ///   - sorts: Whether all devices' rows are judged together, in the order of time; those of one time in the
  ///     order of rows.
  private static func advance(
    _ shard: FleetRunner.Shard, _ runs: [FleetRun], _ batches: [ArrowTrackBatch], _ names: DeviceNames,
    _ seen: SeenDevices, _ suspects: Set<Int>, _ bad: BadRows, _ watch: Watch, sorts: Bool
  ) throws(Failure) {
    var fixes: [Fix] = []
    var scratch = TrackScratch()
    defer { shard.add(scratch.remarks) }
    var together: [Int: [FleetRun]] = [:]
    if sorts || !suspects.isEmpty {
      for run in runs where sorts || suspects.contains(run.device) {
        together[run.device, default: []].append(run)
      }
    }
    var failures: [Failure] = []
    for (device, runs) in together.sorted(by: { $0.key < $1.key }) {
      var rows: DeviceFixes
      do throws(Failure) {
        rows = try DeviceFixes(
          names[device], runs, batches, &scratch, lastBefore: seen.lastTimeBefore(of: device))
      } catch {
        if sorts { throw error }
        together[device] = nil
        continue
      }
      if watch.isStopped { return }
      if sorts { rows.sort() }
      if watch.isStopped { return }
      do throws(RefusedFix) {
        // Of several fixes at one time the first one counts, as in sorted files.
        try shard.judge(rows.fixes, of: device, dropsConflicts: sorts) { fix throws(RefusedFix) in
          try rows.refuse(fix, bad)
        }
      } catch {
        let failure = rows.failure(error.index, error.reason)
        if sorts { throw failure }
        failures.append(failure)
      }
      watch.add(rows.fixes.count)
    }
    if sorts { return }
    do throws(Failure) {
      for run in runs where together.isEmpty || together[run.device] == nil {
        let batch = batches[run.batch]
        for start in stride(from: run.range.lowerBound, to: run.range.upperBound, by: rowsAtOnce) {
          try batch.read(start..<min(run.range.upperBound, start + rowsAtOnce), into: &fixes, &scratch)
          do throws(RefusedFix) {
            try shard.accept(fixes[0..<fixes.count].span, of: run.device)
          } catch {
            throw batch.failure(
              start + error.index, error.reason, fixes[error.index], names[run.device],
              lastBefore: seen.lastTimeBefore(of: run.device))
          }
        }
      }
    } catch { failures.append(error) }
    if let failure = first(failures) { throw failure }
  }

  // MARK: State

  private static let file = DeviceStates.file(writtenBy: "a fleet of Python, Spark or C")

  /// The state of all devices.
  ///
  /// - Throws: ``Failure`` after an error.
  func snapshot() throws(Failure) -> [UInt8] {
    try checkUsable()
    if let untold { return untold }
    let states = fleets.states(devices, naming: fleets.occupied)
    return Self.file.seal { states.append(to: &$0) }
  }

  private static var damaged: Failure { .data(nil, nil, "not the state of a fleet, or damaged") }

  private static func states(_ bytes: [UInt8]) throws(Failure) -> DeviceStates {
    do throws(SealedBytes.Fault) {
      return try file.open(bytes) { try DeviceStates(&$0) }
    } catch {
      switch error {
      case .damaged: throw damaged
      case .otherVersion(let version): throw .data(nil, nil, "a state of another version (\(version))")
      case .otherWriter(let writer):
        throw .data(nil, nil, "a state written by \(writer), which alone can go on from it")
      }
    }
  }

  /// - Parameter bytes: The snapshot to go on from, whatever its bytes are; `nil` for devices not seen yet.
  init(_ index: RegionIndex, _ question: Question, snapshot bytes: [UInt8]? = nil) throws {
    let states = try bytes.map { try Self.states($0) }
    guard let regions = BatchRegions(index, after: states?.regions) else {
      throw Failure.data(nil, nil, "the state was made with \(BatchRegions.noneKept)")
    }
    do {
      fleets = try FleetRunner(
        regions, question.options, shardCount: Self.shardCount, recordsInitial: question.recordsInitial,
        from: states, order: states?.order)
    } catch is SealedBytes.Fault { throw Self.damaged }
    guard fleets.options == question.options else {
      throw Failure.argument(
        "the state was made with other options: \(OptionText.difference(fleets.options, question.options))")
    }
    (self.question, devices, untold) = (question, states?.devices ?? DeviceNames(), bytes)
    changes.words = regions.moves?.changes.words
    guard question.recordsRemoved else { return }
    guard let ended = fleets.ended() else { throw Self.damaged }
    changes.ended = ended
  }
}

/// Events as a table.
enum EventTable {
  static let fields = OutputField.list(.events, ["u", "tsu:UTC", "u", "u", "g", "g", "b"])

  private static let rowsPerBatch = 1 << 19

  /// The events in order: time to the millisecond, device by its name's bytes, region, true instant; equal
  /// ones as they were found.
  static func make(
    _ events: inout [EventRecord], regions: BatchRegions, devices: DeviceNames, notes: [Note], bad: BadRows,
    _ control: Control
  ) throws(Failure) -> ResultTable {
    let threads = control.threads
    EventRecord.sort(&events, devices.ranks(), threads: threads)
    let (index, goneNames) = (regions.index, NameList(regions.gone))
    let names = NameList(devices)
    let kinds = NameList(EventRecord.kinds)
    let rows = events
    var batches: [ArrowNode] = []
    for start in stride(from: 0, to: rows.count, by: rowsPerBatch) {
      let count = min(rows.count - start, rowsPerBatch)
      let inferred = ArrowBuffer(
        bits: rows[start..<start + count].map { $0.gapStart != EventRecord.notInferred })
      batches.append(
        .batch(
          count,
          [
            try unsafe ParallelColumns.texts(count, threads: threads) {
              unsafe names.bytes(Int(rows[start + $0].device))
            },
            ParallelColumns.values(count, threads: threads) { i -> Int64 in
              microseconds(rows[start + i].milliseconds)
            },
            try unsafe ParallelColumns.texts(count, threads: threads) { i in
              let region = Int(rows[start + i].region)
              return region < index.count
                ? unsafe index.identifierBytes(of: region) : unsafe goneNames.bytes(region - index.count)
            },
            try unsafe ParallelColumns.texts(count, threads: threads) {
              unsafe kinds.bytes(Int(rows[start + $0].kind))
            },
            ParallelColumns.values(count, threads: threads) { rows[start + $0].latitude },
            ParallelColumns.values(count, threads: threads) { rows[start + $0].longitude },
            ArrowNode(length: count, buffers: [nil, inferred]),
          ]))
      try control.report(start + count, of: rows.count)
    }
    return ResultTable(.events, fields, batches, notes: notes, bad: bad)
  }

  /// Rounded to milliseconds it fits, but for the first and the last milliseconds of time, which count as
  /// those beside them.
  static func microseconds(_ milliseconds: Int64) -> Int64 {
    let most = Int64.max / 1000
    return min(max(milliseconds, -most), most) * 1000
  }
}

/// Stays as a table.
enum StayTable {
  static let fields = OutputField.list(.stays, ["u", "u", "tsu:UTC?", "tsu:UTC", "g?", "u", "u"])

  private static let rowsPerBatch = 1 << 19

  /// The stays in their order. One has no beginning where a rule has decided an exit before anything else.
  static func make(
    _ stays: [Stay], index: RegionIndex, devices: DeviceNames, notes: [Note], bad: BadRows,
    _ control: Control
  ) throws(Failure) -> ResultTable {
    let threads = control.threads
    let names = NameList(devices)
    let ends = ["no", "start", "end", "both", "enter", "exit"]
    let words = NameList(ends)
    func number(_ word: String) -> Int { ends.firstIndex(of: word) ?? 0 }
    var batches: [ArrowNode] = []
    for start in stride(from: 0, to: stays.count, by: rowsPerBatch) {
      let rows = Array(stays[start..<min(stays.count, start + rowsPerBatch)])
      let (open, inferred) = (rows.map { number($0.openEnds) }, rows.map { number($0.inferredEnds) })
      @Sendable func time(_ microseconds: Int64) -> Int64 {
        EventTable.microseconds(Timestamp(microseconds: microseconds).milliseconds)
      }
      var begins = ParallelColumns.values(rows.count, threads: threads) {
        time(rows[$0].beginning?.time ?? 0)
      }
      begins.nullCount = rows.count { $0.beginning == nil }
      if begins.nullCount > 0 { begins.buffers[0] = ArrowBuffer(bits: rows.map { $0.beginning != nil }) }
      batches.append(
        .batch(
          rows.count,
          [
            try unsafe ParallelColumns.texts(rows.count, threads: threads) {
              unsafe names.bytes(Int(rows[$0].device))
            },
            try unsafe ParallelColumns.texts(rows.count, threads: threads) {
              unsafe index.identifierBytes(of: Int(rows[$0].region))
            },
            begins,
            ParallelColumns.values(rows.count, threads: threads) { time(rows[$0].end) },
            ParallelColumns.numbers(rows.count, threads: threads) { rows[$0].duration ?? .nan },
            try unsafe ParallelColumns.texts(rows.count, threads: threads) { unsafe words.bytes(open[$0]) },
            try unsafe ParallelColumns.texts(rows.count, threads: threads) {
              unsafe words.bytes(inferred[$0])
            },
          ]))
      try control.report(start + rows.count, of: stays.count)
    }
    return ResultTable(.stays, fields, batches, notes: notes, bad: bad)
  }
}

/// Names whose bytes stay in place.
@safe final class NameList: Sendable {
  private let buffer: ArrowBuffer
  private let ends: [Int]

  init(_ names: [String]) {
    ends = names.reduce(into: []) { $0.append(($0.last ?? 0) + $1.utf8.count) }
    buffer = ArrowBuffer(names.flatMap { Array($0.utf8) })
  }

  init(_ devices: DeviceNames) {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for i in 0..<devices.count {
      bytes += devices.utf8(of: i)
      ends.append(bytes.count)
    }
    self.ends = ends
    buffer = ArrowBuffer(bytes)
  }

  /// To be read while this list is alive.
  func bytes(_ i: Int) -> UnsafeRawBufferPointer {
    let start = i == 0 ? 0 : ends[i - 1]
    return unsafe UnsafeRawBufferPointer(start: buffer.base + start, count: ends[i] - start)
  }
}
