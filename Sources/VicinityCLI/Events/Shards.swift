import VicinityCrossings
import VicinityFormats
import VicinityIndex

/// The devices of a run, divided among fleets that work in parallel.
///
/// The number of fleets is fixed, so that a run can be resumed on a machine with more or fewer cores. A device's events
/// depend on its own fixes only, so the output does not depend on the division.
final class Shards {
  static let count = 16

  // SAFETY: one thread at a time works on a shard: shards are handed out one by one, and `advance` waits for all.
  private final class Shard: @unchecked Sendable {
    var fleet: Fleet
    var runs: [TrackBatch.Run] = []
    var crossings: [Crossing] = []
    var events: [EventRecord] = []
    var failure: (run: Int, error: TrackError)?

    init(_ fleet: consuming Fleet) { self.fleet = fleet }
  }

  private let shards: [Shard]
  private let threads: Int

  /// New fleets.
  init(_ index: RegionIndex, _ options: CrossingOptions, threads: Int) throws {
    shards = try (0..<Self.count).map { _ in Shard(try Fleet(index, options: options)) }
    self.threads = threads
  }

  /// Fleets restored from a checkpoint.
  init(_ index: RegionIndex, snapshots: [[UInt8]], threads: Int) throws {
    guard snapshots.count == Self.count else { throw Checkpoint.Damaged() }
    shards = try snapshots.map { snapshot in
      var names = DeviceNames()
      return Shard(try Fleet.restored(fromSnapshot: snapshot, index: index, names: &names))
    }
    self.threads = threads
  }

  /// The state of all fleets, for a checkpoint.
  var snapshots: [[UInt8]] { shards.map { $0.fleet.snapshot() } }

  /// Moves the devices of a batch along its fixes; the events found are appended, shard by shard.
  ///
  /// - Parameter deviceCount: How many devices there are by now.
  func advance(through batch: TrackBatch, deviceCount: Int, into events: inout EventSorter) throws {
    for run in batch.runs { shards[run.device % Self.count].runs.append(run) }
    let shards = shards
    Parallel.forEach(Self.count, threads: threads) { i in
      let shard = shards[i]
      shard.fleet.reserveDevices((deviceCount - i + Self.count - 1) / Self.count)
      Self.advance(shard, batch.fixes)
    }
    for shard in shards {
      if let failure = shard.failure { throw failure.error }
      events.append(shard.events)
      shard.events.removeAll(keepingCapacity: true)
      shard.runs.removeAll(keepingCapacity: true)
    }
  }

  private static func advance(_ shard: Shard, _ fixes: [Fix]) {
    let fixes = fixes.span
    for run in shard.runs {
      for i in run.range {
        do throws(TrackError) {
          try shard.fleet.advance(run.device / count, to: fixes[i], into: &shard.crossings)
        } catch {
          shard.failure = (run.device, error)
          return
        }
      }
      if shard.crossings.isEmpty { continue }
      for crossing in shard.crossings { shard.events.append(EventRecord(crossing, device: run.device)) }
      shard.crossings.removeAll(keepingCapacity: true)
    }
  }
}
