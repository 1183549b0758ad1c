import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityGeodesy
import VicinitySimulation

/// The tracks of many devices in little memory: 24 bytes per fix. Fixes between two others at the same place are left out,
/// which does not change the simulation.
struct TrackCollector {
  private struct Path: Sendable {
    var times: [Timestamp] = []
    var places: [Coordinate] = []

    mutating func append(_ fix: Fix) {
      let count = places.count
      if count >= 2, places[count - 1] == fix.coordinate, places[count - 2] == fix.coordinate {
        times[count - 1] = fix.time
      } else {
        times.append(fix.time)
        places.append(fix.coordinate)
      }
    }

    /// Stretches the track to whole days: adds equal times of standing at its first and its last place.
    mutating func pad() {
      guard let first = times.first, let last = times.last, let from = places.first, let to = places.last
      else {
        return
      }
      let day: Int64 = 86_400_000_000
      let (span, overflow) = last.microseconds.subtractingReportingOverflow(first.microseconds)
      guard !overflow, span < .max - day else { return }
      let missing = max(1, (span + day - 1) / day) * day - span
      let before = missing / 2
      let (start, early) = first.microseconds.subtractingReportingOverflow(before)
      let (end, late) = last.microseconds.addingReportingOverflow(missing - before)
      guard missing > 0, !early, !late else { return }
      if before > 0 {
        times.insert(Timestamp(microseconds: start), at: 0)
        places.insert(from, at: 0)
      }
      times.append(Timestamp(microseconds: end))
      places.append(to)
    }

    func track() throws -> TrueTrack {
      try TrueTrack(zip(times, places).map { Fix(time: $0, coordinate: $1) })
    }
  }

  private var paths: [Path] = []

  private(set) var fixCount = 0

  mutating func add(_ batch: TrackBatch) {
    for run in batch.runs {
      while paths.count <= run.device { paths.append(Path()) }
      for index in run.range { paths[run.device].append(batch.fixes[index]) }
      fixCount += run.range.count
    }
  }

  /// The devices, in the order of the input.
  ///
  /// - Parameters:
  ///   - names: Their names.
  ///   - pads: Whether tracks are stretched to whole days.
  consuming func devices(_ names: DeviceTable, pads: Bool, _ plan: ScenarioPlan) -> [StudyDevice] {
    var devices: [StudyDevice] = []
    for number in paths.indices {
      // All fixes of this device were dropped.
      if paths[number].times.isEmpty { continue }
      if pads { paths[number].pad() }
      let path = paths[number]
      devices.append(
        StudyDevice(name: names[number]) { profile in plan.scenario(try path.track(), profile) })
    }
    return devices
  }
}
