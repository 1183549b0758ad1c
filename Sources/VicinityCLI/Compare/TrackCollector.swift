import VicinityCrossings
import VicinityEvaluation
import VicinityFormats
import VicinityGeodesy
import VicinitySimulation

/// The tracks of many devices, held in as little memory as they can be: 24 bytes a fix, and those between two others at the
/// same place left out, as a phone that stands says nothing new. Nothing that is simulated changes by that.
struct TrackCollector {
  private struct Way: Sendable {
    var times: [Timestamp] = []
    var places: [Coordinate] = []

    mutating func append(_ fix: Fix) {
      // Of fixes of negative accuracy the reader leaves none.
      let count = places.count
      if count >= 2, places[count - 1] == fix.coordinate, places[count - 2] == fix.coordinate {
        times[count - 1] = fix.time
      } else {
        times.append(fix.time)
        places.append(fix.coordinate)
      }
    }

    /// Stretched to whole days: it stands at its first place before, and at its last one after, for as long each.
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

  private var ways: [Way] = []

  /// How many fixes there were.
  private(set) var fixCount = 0

  /// Adds the fixes of a batch.
  mutating func add(_ batch: TrackBatch) {
    for run in batch.runs {
      while ways.count <= run.device { ways.append(Way()) }
      for index in run.range { ways[run.device].append(batch.fixes[index]) }
      fixCount += run.range.count
    }
  }

  /// The devices, in the order of the input.
  ///
  /// - Parameters:
  ///   - names: What they are called.
  ///   - pads: Whether tracks are stretched to whole days.
  consuming func devices(_ names: DeviceTable, pads: Bool, _ plan: ScenarioPlan) -> [StudyDevice] {
    var devices: [StudyDevice] = []
    for number in ways.indices {
      // Devices all of whose fixes were dropped.
      if ways[number].times.isEmpty { continue }
      if pads { ways[number].pad() }
      let way = ways[number]
      devices.append(
        StudyDevice(name: names[number]) { profile in plan.scenario(try way.track(), profile) })
    }
    return devices
  }
}
