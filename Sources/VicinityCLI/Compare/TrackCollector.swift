import Synchronization
import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityGeodesy
import VicinityIndex
import VicinitySimulation

/// The tracks of many devices in little memory: 24 bytes per fix. Fixes between two others at the same place
/// are left out, which does not change the simulation.
struct TrackCollector {
  private struct Path: Sendable {
    var times: [Timestamp] = []
    var places: [Coordinate] = []

    mutating func append(_ fix: Fix) {
      // Fixes that have turned out to be wrong: time goes back.
      while let last = times.last, last >= fix.time {
        times.removeLast()
        places.removeLast()
      }
      let count = places.count
      if count >= 2, places[count - 1] == fix.coordinate, places[count - 2] == fix.coordinate {
        times[count - 1] = fix.time
      } else {
        times.append(fix.time)
        places.append(fix.coordinate)
      }
    }

    func track() throws -> TrueTrack {
      try TrueTrack(zip(times, places).map { Fix(time: $0, coordinate: $1) })
    }
  }

  private var paths: [Path] = []

  private(set) var fixCount = 0
  /// Where the tracks that have been made say nothing of the way.
  private(set) var holes = TrackHoles()

  /// Devices that are copies of others.
  ///
  /// - Parameter names: The devices' names.
  func copies(_ names: DeviceNames) -> CopiedTracks {
    var copies = CopiedTracks()
    for (number, path) in paths.enumerated() { copies.add(names[number], path.places) }
    return copies
  }

  mutating func add(_ batch: TrackBatch) {
    for run in batch.runs {
      while paths.count <= run.device { paths.append(Path()) }
      for index in run.range { paths[run.device].append(batch.fixes[index]) }
      fixCount += run.range.count
    }
  }

  /// Makes each device's track once, and gives up the collected fixes.
  ///
  /// - Parameters:
  ///   - names: The devices' names.
  ///   - pads: Whether tracks are stretched to whole days.
  /// - Returns: The devices with a fix, in the order of the input.
  /// - Throws: What is wrong with a device's track.
  mutating func takeDevices(
    _ names: DeviceNames, pads: Bool, _ plan: ScenarioPlan, threads: Int
  ) throws(StudyError) -> [StudyDevice] {
    let labels = paths.indices.map { names[$0] }
    // Fixes are released as soon as they are in a track, which takes as much memory.
    let rest = Mutex(paths)
    paths = []
    let tracks = try Parallel.map(labels.count, threads: threads) {
      number throws(StudyError) -> TrueTrack? in
      let path = rest.withLock { paths in
        let path = paths[number]
        paths[number] = Path()
        return path
      }
      if path.times.isEmpty { return nil }
      do {
        let track = try path.track()
        return pads ? track.stretchedToDays() : track
      } catch { throw .device(labels[number], reason: "\(error)") }
    }
    return zip(labels, tracks).compactMap { name, track in
      guard let track else { return nil }
      holes.add(name, track)
      return StudyDevice(name: name) { profile in plan.scenario(track, profile) }
    }
  }
}
