internal import VicinityCrossings
internal import VicinityGeodesy
internal import VicinityIndex
internal import VicinityText

/// Devices and what they do, wave after wave of their fixes.
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
      let name = options.text("rule") ?? CrossingRule.geometric.name
      guard var rule = CrossingRule(name: name) else {
        throw .argument(
          "option rule: one of \(CrossingRule.names.joined(separator: ", ")) is expected, not \(name.debugDescription)"
        )
      }
      let cushion = try options.number("cushion", in: 0...)
      let remain = try options.seconds("remain")
      if case .coreLocation(var parameters) = rule {
        if let cushion { parameters.cushion = cushion }
        if let remain { parameters.timeToRemain = remain }
        rule = .coreLocation(parameters)
      } else if cushion != nil || remain != nil {
        throw .argument("options cushion and remain need rule=core-location")
      }
      var crossing = CrossingOptions(rule: rule)
      if let gap = try options.seconds("max-gap") { crossing.maximumGap = gap }
      crossing.dwell = try options.seconds("dwell")
      try options.finish()
      do throws(CrossingOptionsError) { self.options = try crossing.validated() } catch {
        throw .argument(error.description)
      }
    }
  }

  /// The devices whose number leaves the same rest. A device's events depend on its own fixes alone.
  // SAFETY: one thread at a time works on a shard.
  private final class Shard: @unchecked Sendable {
    var fleet: Fleet
    /// What decides whether a fix may follow; devices have their numbers in the shard.
    var order: TrackOrder
    /// How many fixes were left out because their device was elsewhere at that time.
    var conflicts = 0
    /// What is told of wrong fixes of earlier streams.
    var notes: [String] = []
    var runs: [ArrowTracks.Run] = []
    /// The devices whose times do not increase in these runs.
    var suspects: Set<Int> = []
    var crossings: [Crossing] = []
    var events: [EventRecord] = []
    var counts = StepCounts()
    var findings = FixFindings()
    var extent = CoordinateExtent()
    var failure: Failure?

    init(_ fleet: consuming Fleet, _ order: TrackOrder = TrackOrder()) {
      self.fleet = fleet
      self.order = order
    }
  }

  /// Fixed, so that states fit on machines with more or fewer cores.
  private static let shardCount = 64
  /// How many rows are made fixes at once: they stay in the cache.
  private static let rowsAtOnce = 1024

  let index: RegionIndex
  let question: Question
  private var devices = DeviceNames()
  private let shards: [Shard]
  /// When each device was last seen, microseconds.
  private var lastTimes: [Int64] = []
  /// What tells the regions from others.
  private lazy var table = RegionHashes(index)
  /// The identifiers of regions that are no longer there; their numbers come after the others.
  private var gone: [String] = []
  /// How the regions differ from those of the state, and who was in one that is no longer there, as long as
  /// nobody has been told.
  private var changes: (words: String?, ended: [EventRecord]) = (nil, [])
  /// The snapshot that it goes on from, as long as it has not gone on: it is the state, and nobody has been
  /// told how regions differ from its own.
  private var untold: [UInt8]?

  init(_ index: RegionIndex, _ question: Question) throws {
    (self.index, self.question) = (index, question)
    shards = try (0..<Self.shardCount).map { _ in Shard(try Fleet(index, options: question.options)) }
  }

  var deviceCount: Int { devices.count }

  /// The events of a stream's fixes.
  ///
  /// - Parameter isWhole: Whether these are all that there is. What notes say of a batch would be said of
  ///   each.
  func advance(_ input: ArrowInput, isWhole: Bool, _ control: Control) throws -> ResultTable {
    var events = try find(input, control)
    var notes = (isWhole ? notes(on: events) : []) + notesOnOrder()
    if let words = changes.words { notes.insert("since the state that this goes on from: \(words)", at: 0) }
    events += changes.ended
    (changes, untold) = ((nil, []), nil)
    return try EventTable.make(
      &events, index: index, gone: gone, devices: devices, notes: notes, threads: control.threads, control)
  }

  /// The stays of a stream's devices, those that have no end at its end included.
  func stays(_ input: ArrowInput, _ control: Control) throws -> ResultTable {
    var events = try find(input, control)
    let notes = notes(on: events) + notesOnOrder()
    EventTable.sort(&events, devices, threads: control.threads)
    var book = StayBook()
    var stays = events.compactMap { book.take($0) }
    stays += book.openStays(devices: devices) { [shards] device in
      shards[device % Self.shardCount].fleet.lastTime(of: device / Self.shardCount)
    }
    return try StayTable.make(
      stays, index: index, devices: devices, notes: notes, threads: control.threads, control)
  }

  /// What people are told of the fixes.
  private func notes(on events: [EventRecord]) -> [String] {
    var (counts, extent) = (StepCounts(), CoordinateExtent())
    for shard in shards {
      counts.steps += shard.counts.steps
      counts.gaps += shard.counts.gaps
      extent.add(shard.extent)
    }
    var notes: [String] = []
    if events.allSatisfy(\.isState) {
      var places: [Coordinate] = []
      for device in 0..<devices.count where places.count < 1000 {
        let fleet = device % Self.shardCount
        if let place = shards[fleet].fleet.lastCoordinate(of: device / Self.shardCount) {
          places.append(place)
        }
      }
      notes.append(extent.emptyNote(index, places))
    }
    let gaps = counts.note(
      maximumGap: question.options.maximumGap / .seconds(1), option: "max_gap",
      inferred: events.count { $0.gapStart != EventRecord.notInferred })
    if let gaps { notes.append(gaps) }
    return notes
  }

  /// What people are told of wrong times and places.
  private func notesOnOrder() -> [String] {
    var notes = shards.flatMap(\.notes).sorted()
    let findings = shards.reduce(FixFindings()) { $0 + $1.findings }
    if let early = findings.earlyWords {
      let days = findings.days.map { FixFindings.words($0) + " that are read as seconds" }
      notes.append(early + (days ?? ""))
    }
    if question.options.rule.usesAccuracy, findings.lacksAccuracy {
      notes.append(FixFindings.accuracyWords(soFar: false))
    }
    if notes.count > 10 { notes[10...] = ["and \(notes.count - 10) more devices whose time goes back"] }
    let conflicts = shards.reduce(0) { $0 + $1.conflicts }
    if conflicts > 0 {
      notes.append("\(conflicts) fixes are at the time of another of their device and elsewhere: left out")
    }
    for oddity in TrackOrder.Oddity.allCases {
      let found = shards.enumerated().compactMap { number, shard in
        shard.order.steps(oddity).map { (steps: $0, device: $0.device * Self.shardCount + number) }
      }
      guard var first = found.min(by: { ($0.steps.time, $0.device) < ($1.steps.time, $1.device) }) else {
        continue
      }
      first.steps.count = found.reduce(0) { $0 + $1.steps.count }
      notes.append(first.steps.words(oddity, device: devices[first.device].debugDescription))
    }
    return notes
  }

  private func find(_ input: ArrowInput, _ control: Control) throws -> [EventRecord] {
    let tracks = try ArrowTracks(
      input, question.reading, question.columns, devices: devices, threads: control.threads)
    var events: [EventRecord] = []
    var done = 0
    for shard in shards { (shard.conflicts, shard.notes, shard.findings) = (0, [], FixFindings()) }
    while let wave = try tracks.next(wholly: question.reading.sorts, control) {
      // Each device's rows are put in order as a whole, or none.
      let slices = question.reading.sorts ? [(wave.runs, wave.rowCount)] : ArrowTracks.slices(of: wave)
      for (runs, count) in slices {
        try advance(runs, wave.batches, tracks.devices, control.threads)
        done += count
        try control.report(done)
      }
      for shard in shards {
        events += shard.events
        shard.events.removeAll(keepingCapacity: true)
      }
    }
    devices = tracks.devices
    return events
  }

  private func advance(
    _ runs: [ArrowTracks.Run], _ batches: [ArrowTrackBatch], _ names: DeviceNames, _ threads: Int
  ) throws(Failure) {
    let deviceCount = names.count
    for run in runs { shards[run.device % Self.shardCount].runs.append(run) }
    let suspects = question.reading.sorts ? [] : findSuspects(among: runs, batches, deviceCount)
    for device in suspects { shards[device % Self.shardCount].suspects.insert(device) }
    defer {
      for device in suspects {
        let shard = shards[device % Self.shardCount]
        lastTimes[device] = shard.order[device / Self.shardCount]?.time.microseconds ?? .min
        shard.suspects = []
      }
    }
    let (shards, sorts, question) = (shards, question.reading.sorts, question)
    Parallel.forEach(Self.shardCount, threads: threads) { i in
      let shard = shards[i]
      shard.fleet.reserveDevices((deviceCount - i + Self.shardCount - 1) / Self.shardCount)
      do throws(Failure) {
        if sorts {
          try Self.advanceSorted(shard, batches, names, question)
        } else {
          try Self.advance(shard, batches, names, question)
        }
      } catch { shard.failure = error }
      shard.runs.removeAll(keepingCapacity: true)
    }
    // Of several bad rows the first is told, whichever thread found it.
    if let first = shards.compactMap(\.failure).min(by: { ($0.row ?? 0) < ($1.row ?? 0) }) { throw first }
  }

  /// The devices whose times do not increase in some runs. A row whose time cannot be read is found when its
  /// turn comes.
  private func findSuspects(
    among runs: [ArrowTracks.Run], _ batches: [ArrowTrackBatch], _ deviceCount: Int
  ) -> Set<Int> {
    while lastTimes.count < deviceCount {
      let shard = shards[lastTimes.count % Self.shardCount]
      lastTimes.append(shard.order[lastTimes.count / Self.shardCount]?.time.microseconds ?? .min)
    }
    var suspects: Set<Int> = []
    var scratch = TrackScratch()
    var start = 0
    while start < runs.count {
      let (batch, first) = (runs[start].batch, runs[start].range.lowerBound)
      var end = start + 1
      while end < runs.count, runs[end].batch == batch { end += 1 }
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

  private static func advance(
    _ shard: Shard, _ batches: [ArrowTrackBatch], _ names: DeviceNames, _ question: Question
  ) throws(Failure) {
    var fixes: [Fix] = []
    var scratch = TrackScratch()
    let suspects = judged(shard.suspects, shard.runs, batches, &shard.order, &scratch)
    // How many fixes of each suspect have been taken.
    var taken: [Int: Int] = [:]
    for run in shard.runs {
      let batch = batches[run.batch]
      let suspect = suspects.isEmpty ? nil : suspects[run.device]
      var start = run.range.lowerBound
      while start < run.range.upperBound {
        let end = min(run.range.upperBound, start + rowsAtOnce)
        try batch.read(start..<end, into: &fixes, &scratch)
        if let suspect {
          let first = taken[run.device, default: 0]
          taken[run.device] = first + fixes.count
          for i in fixes.indices {
            let verdict = suspect.verdicts[first + i]
            guard verdict == .accepted || verdict == .repeated || verdict == .invalid else {
              throw batch.failure(start + i, verdict, fixes[i], names[run.device])
            }
            if let restart = suspect.restart, restart.index == first + i {
              shard.notes.append(restart.words(fixes[i].time, names[run.device]))
              shard.fleet.breakTrack(
                of: run.device / shardCount, before: fixes[i].time, since: restart.since)
            }
            do throws(LocatedTrackError) {
              try advance(shard, run.device, [fixes[i]], question)
            } catch { throw batch.failure(start + i, error.error) }
          }
        } else {
          do throws(LocatedTrackError) {
            try advance(shard, run.device, fixes, question)
          } catch { throw batch.failure(start + error.index, error.error) }
          shard.order.accept(fixes[0..<fixes.count].span, device: run.device / shardCount)
        }
        start = end
        if !shard.crossings.isEmpty { keep(shard, run.device) }
      }
    }
  }

  /// What has been decided about the fixes of devices whose times do not increase, all of each device's in
  /// order.
  ///
  /// Such fixes are judged with all that follow them in these runs. A device with a row that cannot be read
  /// is left out: the row is found when its turn comes.
  private static func judged(
    _ suspects: Set<Int>, _ runs: [ArrowTracks.Run], _ batches: [ArrowTrackBatch], _ order: inout TrackOrder,
    _ scratch: inout TrackScratch
  ) -> [Int: TrackOrder.Judgement] {
    guard !suspects.isEmpty else { return [:] }
    var found = suspects
    var fixes: [Int: [Fix]] = [:]
    var piece: [Fix] = []
    for run in runs where found.contains(run.device) {
      do throws(Failure) {
        try batches[run.batch].read(run.range, into: &piece, &scratch)
        fixes[run.device, default: []] += piece
      } catch {
        found.remove(run.device)
        fixes[run.device] = nil
      }
    }
    var judgements: [Int: TrackOrder.Judgement] = [:]
    for (device, fixes) in fixes.sorted(by: { $0.key < $1.key }) {
      judgements[device] = order.judge(fixes, device: device / shardCount, deciding: fixes.count)
    }
    return judgements
  }

  /// Moves a device along fixes.
  private static func advance(
    _ shard: Shard, _ device: Int, _ fixes: [Fix], _ question: Question
  ) throws(LocatedTrackError) {
    let number = device / shardCount
    count(shard, number, fixes, question.options.maximumGap.microseconds)
    var done = 0
    // What the device is in is known after its first fix that counts.
    while question.recordsInitial, done < fixes.count, shard.fleet.lastTime(of: number) == nil {
      do throws(LocatedTrackError) {
        try shard.fleet.advance(
          number, through: fixes[done..<done + 1].span, into: &shard.crossings)
      } catch { throw LocatedTrackError(index: done, error: error.error) }
      if shard.fleet.lastTime(of: number) != nil {
        for region in shard.fleet.occupied(by: number) {
          shard.events.append(EventRecord(initial: fixes[done], region: region, device: device))
        }
      }
      done += 1
    }
    do throws(LocatedTrackError) {
      try shard.fleet.advance(
        number, through: fixes[done..<fixes.count].span, into: &shard.crossings)
    } catch { throw LocatedTrackError(index: done + error.index, error: error.error) }
  }

  /// Counts steps and gaps, for the notes, of the fixes that count: none of negative accuracy, and no
  /// repeats.
  private static func count(_ shard: Shard, _ number: Int, _ fixes: [Fix], _ maximumGap: Int64) {
    var last = shard.fleet.lastTime(of: number)?.microseconds
    var (findings, counts, extent) = (shard.findings, shard.counts, shard.extent)
    for fix in fixes where !(fix.horizontalAccuracy < 0) {
      findings.add(fix)
      let time = fix.time.microseconds
      if let last {
        if time == last { continue }
        counts.steps += 1
        if StepCounts.isGap(from: last, to: time, maximumGap) { counts.gaps += 1 }
      }
      last = time
      extent.add(fix.coordinate)
    }
    (shard.findings, shard.counts, shard.extent) = (findings, counts, extent)
  }

  private static func keep(_ shard: Shard, _ device: Int) {
    for crossing in shard.crossings { shard.events.append(EventRecord(crossing, device: device)) }
    shard.crossings.removeAll(keepingCapacity: true)
  }

  /// The same with each device's fixes in the order of time; those of one time in the order of rows.
  private static func advanceSorted(
    _ shard: Shard, _ batches: [ArrowTrackBatch], _ names: DeviceNames, _ question: Question
  ) throws(Failure) {
    var fixes: [Fix] = []
    var scratch = TrackScratch()
    var byDevice: [Int: [ArrowTracks.Run]] = [:]
    for run in shard.runs { byDevice[run.device, default: []].append(run) }
    for (device, runs) in byDevice.sorted(by: { $0.key < $1.key }) {
      var found: [(fix: Fix, batch: Int, row: Int)] = []
      for run in runs {
        try batches[run.batch].read(run.range, into: &fixes, &scratch)
        for (fix, row) in zip(fixes, run.range) { found.append((fix, run.batch, row)) }
      }
      found.sort { $0.fix.time < $1.fix.time }
      let judgement = shard.order.judge(found.map(\.fix), device: device / shardCount, deciding: found.count)
      if let restart = judgement.restart {
        let next = found[restart.index].fix.time
        shard.notes.append(restart.words(next, names[device]))
        shard.fleet.breakTrack(of: device / shardCount, before: next, since: restart.since)
      }
      for (i, verdict) in judgement.verdicts.enumerated() {
        switch verdict {
        case .accepted, .repeated, .invalid: break
        // Of several fixes at one time the first one counts, as in sorted files.
        case .conflicting: shard.conflicts += 1
        case .backwards, .contradicted:
          throw batches[found[i].batch].failure(found[i].row, verdict, found[i].fix, names[device])
        }
      }
      found = zip(found, judgement.verdicts).filter { $0.1.words($0.0.fix, device: "") == nil }.map(\.0)
      do throws(LocatedTrackError) {
        try advance(shard, device, found.map(\.fix), question)
      } catch { throw batches[found[error.index].batch].failure(found[error.index].row, error.error) }
      keep(shard, device)
    }
  }

  // MARK: State

  private static let file = DeviceStates.file(writtenBy: "a fleet of Python, Spark or C")

  /// The state of all devices.
  func snapshot() -> [UInt8] {
    if let untold { return untold }
    let order = TrackOrder(joining: shards.map(\.order), deviceCount: devices.count)
    let used = shards.prefix(min(devices.count, Self.shardCount))
    let occupied = used.reduce(into: Set()) { $0.formUnion($1.fleet.occupied) }
    let states = DeviceStates(
      devices: devices, order: order, regions: table.naming(occupied, index.identifier),
      fleets: used.map { $0.fleet.snapshot(regions: nil) })
    return Self.file.seal { states.append(to: &$0) }
  }

  /// A fleet from a snapshot, whatever its bytes are, or an error.
  init(_ index: RegionIndex, _ question: Question, snapshot bytes: [UInt8]) throws {
    func damaged() -> Failure { .data(nil, nil, "not the state of a fleet, or damaged") }
    let states: DeviceStates
    do throws(SealedBytes.Fault) {
      states = try Self.file.open(bytes) { try DeviceStates(&$0) }
    } catch {
      switch error {
      case .damaged: throw damaged()
      case .otherVersion(let version): throw Failure.data(nil, nil, "a state of another version (\(version))")
      case .otherWriter(let writer):
        throw Failure.data(nil, nil, "a state written by \(writer), which alone can go on from it")
      }
    }
    let used = min(states.devices.count, Self.shardCount)
    guard states.fleets.count == used else { throw damaged() }
    guard let regions = BatchRegions(index, after: states.regions), let moves = regions.moves else {
      throw Failure.data(nil, nil, "the state was made with other regions, none of which is among these")
    }
    shards = try (0..<Self.shardCount).map { number in
      guard number < used else { return Shard(try Fleet(index, options: question.options)) }
      var names = DeviceNames()
      let fleet = try Fleet.restored(
        fromSnapshot: states.fleets[number], index: index, names: &names, moves: moves)
      guard fleet.options == question.options else {
        throw Failure.argument(
          "the state was made with other options: \(OptionText.difference(fleet.options, question.options))")
      }
      guard fleet.deviceCount <= (states.devices.count - number + Self.shardCount - 1) / Self.shardCount
      else {
        throw damaged()
      }
      return Shard(fleet, states.order.devices(number, of: Self.shardCount))
    }
    (self.index, self.question, devices) = (index, question, states.devices)
    (table, gone, changes.words) = (regions.table, regions.gone, moves.changes.words)
    untold = bytes
    guard question.recordsRemoved, let latest = shards.compactMap({ $0.fleet.latestTime }).max() else {
      return
    }
    for (number, shard) in shards.enumerated() {
      for var record in shard.fleet.ended(at: latest, number: { $0 * Self.shardCount + number }) {
        guard let region = regions.number(record.region), record.device < devices.count else {
          throw damaged()
        }
        record.region = region
        changes.ended.append(record)
      }
    }
  }
}

/// Events as a table.
enum EventTable {
  static let fields = OutputField.list(.events, ["u", "tsu:UTC", "u", "u", "g", "g", "b"])

  private static let rowsPerBatch = 1 << 19

  /// The events in order: time to the millisecond, device by its name's bytes, region, true instant; equal
  /// ones as they were found.
  ///
  /// - Parameter gone: The identifiers of regions whose numbers come after those of the index.
  static func make(
    _ events: inout [EventRecord], index: RegionIndex, gone: [String], devices: DeviceNames, notes: [String],
    threads: Int, _ control: Control
  ) throws(Failure) -> ResultTable {
    sort(&events, devices, threads: threads)
    let goneNames = NameList(gone)
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
    return ResultTable(.events, fields, batches, notes: notes)
  }

  /// Rounded to milliseconds it fits, but for the first and the last milliseconds of time, which count as
  /// those beside them.
  static func microseconds(_ milliseconds: Int64) -> Int64 {
    let most = Int64.max / 1000
    return min(max(milliseconds, -most), most) * 1000
  }

  static func sort(_ events: inout [EventRecord], _ devices: DeviceNames, threads: Int) {
    let ranks = devices.ranks()
    let allRanks = ranks[...]
    Parallel.sort(&events, threads: threads) { EventRecord.precedes($0, $1, allRanks.span) }
  }
}

/// Stays as a table.
enum StayTable {
  static let fields = OutputField.list(.stays, ["u", "u", "tsu:UTC?", "tsu:UTC", "g?", "u", "u"])

  private static let rowsPerBatch = 1 << 19

  /// The stays in their order. One has no beginning where a rule has decided an exit before anything else.
  static func make(
    _ stays: [Stay], index: RegionIndex, devices: DeviceNames, notes: [String], threads: Int,
    _ control: Control
  ) throws(Failure) -> ResultTable {
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
    return ResultTable(.stays, fields, batches, notes: notes)
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
