internal import VicinityCrossings
internal import VicinityFormats
internal import VicinityGeodesy
internal import VicinityIndex

/// The devices of a run, divided among fleets that work in parallel.
///
/// The number of fleets is fixed, so that a run can be resumed on a machine with more or fewer cores. A
/// device's events depend on its own fixes only, so the output does not depend on the division.
final class Shards {
  static let count = 16

  // SAFETY: one thread at a time works on a shard: shards are handed out one by one, and `advance` waits for
  // all.
  private final class Shard: @unchecked Sendable {
    var fleet: Fleet
    var runs: [TrackBatch.Run] = []
    var breaks: [TrackBatch.Break] = []
    var crossings: [Crossing] = []
    var events: [EventRecord] = []
    var tally = EventTotals()
    var failure: (run: Int, error: TrackError)?

    init(_ fleet: consuming Fleet) { self.fleet = fleet }
  }

  private let shards: [Shard]
  private let threads: Int
  /// Whether to record the regions that a device is in at its first fix.
  private let recordsInitial: Bool
  /// Microseconds.
  private let maximumGap: Int64

  /// - Parameters:
  ///   - snapshots: The fleets' earlier states; `nil` for new fleets.
  ///   - moves: Where the regions are that these watched.
  init(
    _ index: RegionIndex, _ options: CrossingOptions, snapshots: [[UInt8]]?, moves: RegionMoves?,
    recordsInitial: Bool, threads: Int
  ) throws {
    if let snapshots {
      guard snapshots.count == Self.count else { throw SealedBytes.Fault.damaged }
      shards = try snapshots.map { snapshot in
        var names = DeviceNames()
        return Shard(
          try Fleet.restored(fromSnapshot: snapshot, index: index, names: &names, moves: moves))
      }
    } else {
      shards = try (0..<Self.count).map { _ in Shard(try Fleet(index, options: options)) }
    }
    self.threads = threads
    self.recordsInitial = recordsInitial
    maximumGap = options.maximumGap.microseconds
  }

  var snapshots: [[UInt8]] { shards.map { $0.fleet.snapshot(regions: nil) } }

  /// The ordinals of all regions that some device is in.
  var occupied: Set<Int> { shards.reduce(into: []) { $0.formUnion($1.fleet.occupied) } }

  /// Who was in a region that is no longer there: its ordinal before, as of the latest fix of all devices.
  func ended() -> [EventRecord] {
    guard let latest = shards.compactMap({ $0.fleet.latestTime }).max() else { return [] }
    return shards.enumerated().flatMap { number, shard in
      shard.fleet.ended(at: latest) { $0 * Self.count + number }
    }
  }

  /// Steps, gaps and where the fixes lie, since these fleets were made.
  var tally: EventTotals { shards.reduce(EventTotals()) { $0 + $1.tally } }

  /// When a device was last seen; `nil` before its first fix.
  func lastTime(of device: Int) -> Timestamp? {
    let shard = shards[device % Self.count]
    let number = device / Self.count
    return number < shard.fleet.deviceCount ? shard.fleet.lastTime(of: number) : nil
  }

  func lastCoordinates(_ count: Int) -> [Coordinate] {
    var coordinates: [Coordinate] = []
    for shard in shards {
      for device in 0..<shard.fleet.deviceCount where coordinates.count < count {
        if let coordinate = shard.fleet.lastCoordinate(of: device) { coordinates.append(coordinate) }
      }
    }
    return coordinates
  }

  /// The earliest instant at which a later batch may have an event, if none of its fixes is earlier than the
  /// latest one so far: the last fix of some device whose next step need not be a gap.
  var watermark: Timestamp? {
    var latest = Int64.min
    for shard in shards {
      for device in 0..<shard.fleet.deviceCount {
        if let time = shard.fleet.lastTime(of: device) { latest = max(latest, time.microseconds) }
      }
    }
    var earliest = latest
    for shard in shards {
      for device in 0..<shard.fleet.deviceCount {
        guard let time = shard.fleet.lastTime(of: device)?.microseconds else { continue }
        if !StepCounts.isGap(from: time, to: latest, maximumGap) { earliest = min(earliest, time) }
      }
    }
    return latest == .min ? nil : Timestamp(microseconds: earliest)
  }

  /// Moves the devices of a batch along its fixes; the events found are appended, shard by shard.
  ///
  /// - Parameter deviceCount: How many devices there are by now.
  func advance(through batch: TrackBatch, deviceCount: Int, into events: inout EventSorter) throws {
    var breaks = batch.breaks[...]
    for run in batch.runs {
      let shard = shards[run.device % Self.count]
      shard.runs.append(run)
      while let first = breaks.first, first.fix < run.range.upperBound {
        shard.breaks.append(first)
        breaks.removeFirst()
      }
    }
    let (shards, recordsInitial, maximumGap) = (shards, recordsInitial, maximumGap)
    Parallel.forEach(Self.count, threads: threads) { i in
      let shard = shards[i]
      shard.fleet.reserveDevices((deviceCount - i + Self.count - 1) / Self.count)
      Self.advance(shard, batch.fixes, recordsInitial: recordsInitial, maximumGap: maximumGap)
    }
    for shard in shards {
      if let failure = shard.failure { throw failure.error }
      events.append(shard.events)
      shard.events.removeAll(keepingCapacity: true)
      shard.runs.removeAll(keepingCapacity: true)
      shard.breaks.removeAll(keepingCapacity: true)
    }
  }

  private static func advance(
    _ shard: Shard, _ fixes: [Fix], recordsInitial: Bool, maximumGap: Int64
  ) {
    let allFixes = fixes[...]
    let fixes = allFixes.span
    var breaks = shard.breaks[...]
    for run in shard.runs {
      let device = run.device / count
      var last = shard.fleet.lastTime(of: device)?.microseconds
      if last == nil { shard.tally.steps -= 1 }
      shard.tally.steps += run.range.count
      let isFirst = recordsInitial && last == nil
      for i in run.range {
        let fix = fixes[i]
        if let first = breaks.first, first.fix == i {
          shard.fleet.breakTrack(of: device, before: fix.time, since: first.since)
          breaks.removeFirst()
        }
        if let last, StepCounts.isGap(from: last, to: fix.time.microseconds, maximumGap) {
          shard.tally.gaps += 1
        }
        last = fix.time.microseconds
        shard.tally.extent.add(fix.coordinate)
        do throws(TrackError) {
          try shard.fleet.advance(device, to: fix, into: &shard.crossings)
        } catch {
          shard.failure = (run.device, error)
          return
        }
        if isFirst, i == run.range.lowerBound {
          for region in shard.fleet.occupied(by: device) {
            shard.events.append(EventRecord(initial: fix, region: region, device: run.device))
          }
        }
      }
      if shard.crossings.isEmpty { continue }
      for crossing in shard.crossings { shard.events.append(EventRecord(crossing, device: run.device)) }
      shard.crossings.removeAll(keepingCapacity: true)
    }
  }
}
