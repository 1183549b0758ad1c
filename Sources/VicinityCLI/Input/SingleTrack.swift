import VicinityCrossings
import VicinityFormats
import VicinityRuns
import VicinitySimulation

/// The track of one device, whole in memory.
enum SingleTrack {
  /// Reads the track of `device`; of the only device of the file if that is nil.
  static func read(_ path: String, device: String?, options: ReadingOptions) throws -> TrueTrack {
    let reader = try TrackReader([path], options: options)
    var fixes: [Fix] = []
    do {
      while let batch = try reader.next() {
        for run in batch.runs {
          let name = reader.devices[run.device]
          if let device, name != device { continue }
          if device == nil, run.device > 0 {
            throw CommandFailure(
              "several devices, \(VisibleText.of(reader.devices[0])) and \(VisibleText.of(name)) among them; say which with --of",
              at: path)
          }
          for i in run.range {
            // Fixes that have turned out to be wrong: time goes back.
            while let last = fixes.last, last.time >= batch.fixes[i].time { fixes.removeLast() }
            fixes.append(batch.fixes[i])
          }
        }
      }
      try reader.checkHasFixes()
    } catch {
      throw CommandFailure(error, at: path)
    }
    Notices.print(reader.summary)
    if let device, reader.devices.number(of: device) == nil {
      throw CommandFailure("no device \(VisibleText.of(device))", at: path)
    }
    return try CommandFailure.at(path) { try TrueTrack(fixes) }
  }
}
