package import VicinityGeodesy
internal import VicinityIndex

/// Consecutive rows of one device, in one of several batches.
package struct FleetRun: Sendable {
  package let device: Int
  package let batch: Int
  package let range: Range<Int>

  package init(device: Int, batch: Int, range: Range<Int>) {
    (self.device, self.batch, self.range) = (device, batch, range)
  }
}

/// The events of many devices: their fixes are taken on several threads, and their state is kept from one
/// batch to the next.
///
/// The devices are divided among shards, a fleet each: device d is number d / n in shard d mod n of n. Events
/// do not depend on the division, as a device's depend on its own fixes alone. Whoever runs it reads rows and
/// hands them to the shards; what becomes of them is decided here.
package final class FleetRunner {
  package let regions: BatchRegions
  /// How crossings are decided; those of the state, where the run goes on from one.
  package let options: CrossingOptions
  /// How many devices there are.
  package private(set) var deviceCount: Int
  private let shards: [Shard]
  /// What tells the regions from others; made where a state is asked for.
  private lazy var table = regions.table ?? RegionHashes(regions.index)

  /// A runner of devices that have not been seen yet, or that a state tells of.
  ///
  /// - Parameters:
  ///   - shardCount: A power of two, for speed; the same for all that go on from each other, so that states fit
  ///     on machines with more or fewer cores. More shards keep more cores busy, and take more memory.
  ///   - recordsInitial: Whether to record the regions that a device is in at its first fix, or at the first
  ///     one that shows it.
  ///   - order: What decided which fixes may follow, where that is decided here.
  /// - Throws: `SealedBytes.Fault`, ``FleetSnapshotError`` or ``CrossingOptionsError``.
  package init(
    _ regions: BatchRegions, _ options: CrossingOptions, shardCount: Int, recordsInitial: Bool,
    from states: DeviceStates? = nil, order: TrackOrder? = nil
  ) throws {
    precondition(shardCount.nonzeroBitCount == 1, "a power of two is expected, not \(shardCount)")
    let (snapshots, deviceCount) = (states?.fleets ?? [], states?.devices.count ?? 0)
    // Fleets without devices need not be there.
    guard states == nil || [shardCount, min(deviceCount, shardCount)].contains(snapshots.count) else {
      throw SealedBytes.Fault.damaged
    }
    var earlier: CrossingOptions?
    shards = try (0..<shardCount).map { number in
      let shard: Shard
      if number < snapshots.count {
        var names = DeviceNames()
        shard = Shard(
          try Fleet.restored(
            fromSnapshot: snapshots[number], index: regions.index, names: &names, moves: regions.moves),
          number, of: shardCount, recordsInitial: recordsInitial)
        let options = shard.fleet.options
        guard shard.fleet.deviceCount <= shard.count(of: deviceCount), earlier ?? options == options else {
          throw SealedBytes.Fault.damaged
        }
        earlier = options
      } else {
        shard = Shard(
          try Fleet(regions.index, options: options), number, of: shardCount, recordsInitial: recordsInitial)
      }
      if let order { shard.order = order.devices(number, of: shardCount) }
      shard.fleet.reserveDevices(shard.count(of: deviceCount))
      return shard
    }
    (self.regions, self.options, self.deviceCount) = (regions, earlier ?? options, deviceCount)
  }

  private func shard(of device: Int) -> Shard { shards[device & (shards.count - 1)] }

  // MARK: Finding

  /// Calls `body` once for each shard, with its rows in their order, on up to `threads` threads.
  ///
  /// - Parameters:
  ///   - runs: Which rows are which device's.
  ///   - deviceCount: How many devices there are by now.
  /// - Returns: What `body` threw, in the order of shards.
  package func advance<Failure: Error>(
    _ runs: [FleetRun], deviceCount: Int, threads: Int,
    _ body: @Sendable (_ shard: Shard, _ runs: [FleetRun]) throws(Failure) -> Void
  ) -> [Failure] {
    self.deviceCount = deviceCount
    for run in runs { shard(of: run.device).runs.append(run) }
    let shards = shards
    return Parallel.map(shards.count, threads: threads) { i -> Failure? in
      let shard = shards[i]
      defer { shard.runs.removeAll(keepingCapacity: true) }
      shard.fleet.reserveDevices(shard.count(of: deviceCount))
      do throws(Failure) { try body(shard, shard.runs) } catch { return error }
      return nil
    }.compactMap(\.self)
  }

  /// Calls `body` for one run after the other with its shard, on this thread.
  ///
  /// - Parameter found: Is told the events, in the order in which they become certain.
  package func advanceInOrder(
    _ runs: [FleetRun], deviceCount: Int, _ body: (_ shard: Shard, _ run: FleetRun) throws -> Void,
    found: (EventRecord) throws -> Void
  ) throws {
    if deviceCount != self.deviceCount {
      self.deviceCount = deviceCount
      for shard in shards { shard.fleet.reserveDevices(shard.count(of: deviceCount)) }
    }
    for run in runs {
      let shard = shard(of: run.device)
      try body(shard, run)
      guard !shard.events.isEmpty else { continue }
      for event in shard.events { try found(event) }
      shard.events.removeAll(keepingCapacity: true)
    }
  }

  /// The events found since the last call: those of a device in the order in which they were found.
  package func takeEvents() -> [EventRecord] {
    var events: [EventRecord] = []
    for shard in shards {
      events += shard.events
      shard.events.removeAll(keepingCapacity: true)
    }
    return events
  }

  /// Who was in a region that is no longer there, as of the latest fix of all devices; `nil` where the state
  /// does not say in which: it is only as good as who wrote it.
  package func ended() -> [EventRecord]? {
    guard let latest = lastTimes.max() else { return [] }
    var records: [EventRecord] = []
    for shard in shards {
      for ended in shard.fleet.regionChanges?.ended ?? [] {
        guard let region = regions.number(UInt32(truncatingIfNeeded: ended.ordinal)) else { return nil }
        guard let seen = shard.fleet.lastTime(of: ended.device),
          let place = shard.fleet.lastCoordinate(of: ended.device)
        else { continue }
        records.append(
          EventRecord(
            removed: region, seen: seen, at: place, time: latest, device: shard.device(ended.device)))
      }
    }
    return records
  }

  /// The stays in regions that are new, of those that a state tells of: each begins at the device's last fix.
  package func begunStays() -> [StayBook.Key: StayBook.Beginning] {
    var stays: [StayBook.Key: StayBook.Beginning] = [:]
    for shard in shards {
      for begun in shard.fleet.regionChanges?.begun ?? [] {
        let key = StayBook.Key(
          device: UInt32(truncatingIfNeeded: shard.device(begun.device)), region: begun.ordinal)
        stays[key] = StayBook.Beginning(time: begun.time.microseconds, isOpen: true)
      }
    }
    return stays
  }

  // MARK: What is known

  /// What the fixes were like, since the runner was made or ``resetTally()`` was called.
  package var tally: FleetTally { shards.reduce(FleetTally()) { $0 + $1.tally } }

  package func resetTally() { for shard in shards { shard.tally = FleetTally() } }

  /// The odd steps of a kind, of devices that were judged here; `nil` where there have been none.
  package func oddSteps(_ oddity: TrackOrder.Oddity) -> TrackOrder.OddSteps? {
    let found = shards.compactMap { shard in
      shard.order.steps(oddity).map { (steps: $0, device: shard.device($0.device)) }
    }
    guard var first = found.min(by: { ($0.steps.time, $0.device) < ($1.steps.time, $1.device) }) else {
      return nil
    }
    first.steps.device = first.device
    first.steps.count = found.reduce(0) { $0 + $1.steps.count }
    return first.steps
  }

  /// When a device was last seen; `nil` before its first fix.
  package func lastTime(of device: Int) -> Timestamp? {
    guard device < deviceCount else { return nil }
    let shard = shard(of: device)
    return shard.fleet.lastTime(of: shard.number(of: device))
  }

  /// Where a device was last seen; `nil` before its first fix.
  package func lastCoordinate(of device: Int) -> Coordinate? {
    guard device < deviceCount else { return nil }
    let shard = shard(of: device)
    return shard.fleet.lastCoordinate(of: shard.number(of: device))
  }

  /// Where devices were last seen, the first `count` of those that were.
  package func lastCoordinates(_ count: Int) -> [Coordinate] {
    Array((0..<deviceCount).lazy.compactMap { [self] in lastCoordinate(of: $0) }.prefix(count))
  }

  /// When each device that has been seen was last seen.
  private var lastTimes: some Sequence<Timestamp> {
    (0..<deviceCount).lazy.compactMap { [self] in lastTime(of: $0) }
  }

  /// The earliest instant at which a later batch may have an event, if none of its fixes is earlier than the
  /// latest one so far: the last fix of some device whose next step need not be a gap.
  package var watermark: Timestamp? {
    guard let latest = lastTimes.max() else { return nil }
    return lastTimes.filter { [maximumGap = options.maximumGap.microseconds] in
      !StepCounts.isGap(from: $0.microseconds, to: latest.microseconds, maximumGap)
    }.min()
  }

  // MARK: State

  /// The ordinals of all regions that some device is in.
  package var occupied: Set<Int> { shards.reduce(into: []) { $0.formUnion($1.fleet.occupied) } }

  /// The devices and where they are.
  ///
  /// - Parameters:
  ///   - order: What decides which fixes may follow; `nil` where the shards have judged them.
  ///   - named: The regions whose identifiers are kept, by their numbers.
  package func states(
    _ devices: DeviceNames, _ order: TrackOrder? = nil, naming named: Set<Int> = []
  ) -> DeviceStates {
    DeviceStates(
      devices: devices,
      order: order ?? TrackOrder(joining: shards.map(\.order), deviceCount: devices.count),
      regions: table.naming(named, regions.identifier),
      fleets: shards.prefix(devices.count).map { $0.fleet.snapshot(regions: nil) })
  }
}

// MARK: - Shards

extension FleetRunner {
  /// Some of the devices. They have their numbers among all in what is asked and told.
  // SAFETY: one thread at a time works on a shard: they are handed out one by one, and `advance` waits for
  // all.
  package final class Shard: @unchecked Sendable {
    fileprivate var fleet: Fleet
    /// What decides whether a fix may follow, where fixes are judged here.
    fileprivate var order = TrackOrder()
    fileprivate var runs: [FleetRun] = []
    fileprivate var events: [EventRecord] = []
    fileprivate var tally = FleetTally()
    private var crossings: [Crossing] = []
    /// The number of this shard, and the power of two that there are.
    private let place: Int
    private let shift: Int
    /// Microseconds.
    private let maximumGap: Int64

    fileprivate init(_ fleet: consuming Fleet, _ place: Int, of count: Int, recordsInitial: Bool) {
      maximumGap = fleet.options.maximumGap.microseconds
      self.fleet = fleet
      self.fleet.recordsBeginnings = recordsInitial
      (self.place, shift) = (place, count.trailingZeroBitCount)
    }

    /// A device's number in the fleet, and among all.
    @inline(__always)
    fileprivate func number(of device: Int) -> Int { device >> shift }
    fileprivate func device(_ number: Int) -> Int { number << shift | place }

    /// How many of the first `total` devices are in this shard.
    fileprivate func count(of total: Int) -> Int { (total - place + (1 << shift) - 1) >> shift }

    /// Moves a device along fixes that have been judged elsewhere.
    ///
    /// - Parameters:
    ///   - isBroken: Whether nothing is known between the first of them and the fix before.
    ///   - since: Since when nothing is known; `nil` for since the last fix.
    package func take(
      _ fixes: Span<Fix>, of device: Int, isBroken: Bool = false, since: Timestamp? = nil
    ) throws(RefusedFix) {
      let number = number(of: device)
      let last = fleet.lastTime(of: number)
      tally.add(fixes, after: last, maximumGap)
      if isBroken, !fixes.isEmpty { fleet.breakTrack(of: number, before: fixes[0].time, since: since) }
      do throws(LocatedTrackError) {
        if fixes.count == 1 {
          // What is prepared for several fixes costs more than it saves one.
          do throws(TrackError) { try fleet.advance(number, to: fixes[0], into: &crossings) } catch {
            throw LocatedTrackError(index: 0, error: error)
          }
        } else {
          try fleet.advance(number, through: fixes, into: &crossings)
        }
      } catch { throw RefusedFix(index: error.index, reason: .track(error.error)) }
      var beginnings = fleet.takeBeginnings()[...]
      for crossing in crossings {
        while let first = beginnings.first, first.time <= crossing.time {
          events.append(EventRecord(beginning: beginnings.removeFirst(), device: device))
        }
        events.append(EventRecord(crossing, device: device))
      }
      for beginning in beginnings { events.append(EventRecord(beginning: beginning, device: device)) }
      crossings.removeAll(keepingCapacity: true)
    }

    /// Adds to the tally what was left out of fixes when they were read.
    package func add(_ remarks: ValueRemarks) { tally.remarks += remarks }

    /// Moves a device along fixes that are known to follow each other and those before.
    package func accept(_ fixes: Span<Fix>, of device: Int) throws(RefusedFix) {
      try take(fixes, of: device)
      order.accept(fixes, device: number(of: device))
    }

    /// Moves a device along those of its next fixes that may follow, judged by those before and after.
    ///
    /// - Parameters: Those of `TrackOrder.Judgement.kept(dropsConflicts:refuse:)`
    /// - Throws: What `refuse` throws; none has been taken then.
    package func judge(
      _ fixes: [Fix], of device: Int, dropsConflicts: Bool,
      refuse: (RefusedFix) throws(RefusedFix) -> Void
    ) throws(RefusedFix) {
      let number = number(of: device)
      let judgement = order.judge(fixes, device: number, deciding: fixes.count)
      var refused = 0
      let kept = try judgement.kept(dropsConflicts: dropsConflicts) { fix throws(RefusedFix) in
        try refuse(fix)
        refused += 1
      }
      let restart = judgement.restart
      tally.conflicts += fixes.count - kept.count - refused
      for part in [kept.prefix { $0 < restart?.index ?? 0 }, kept.drop { $0 < restart?.index ?? 0 }] {
        if let restart, part.first == restart.index {
          let next = fixes[restart.index].time
          tally.restarts.append((device, next, restart))
          fleet.breakTrack(of: number, before: next, since: restart.since)
        }
        let taken = part.map { fixes[$0] }
        do throws(RefusedFix) {
          try take(taken[0..<taken.count].span, of: device)
        } catch { throw RefusedFix(index: part[part.startIndex + error.index], reason: error.reason) }
      }
    }
  }
}
