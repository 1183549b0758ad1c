import VicinityCrossings
import VicinityFormats
import VicinityIndex
import VicinityRuns

/// `vicinity events --follow`: writes each event as soon as it is certain, in that order.
struct EventsFollower {
  let index: RegionIndex
  let options: CrossingOptions
  let reader: TrackReader
  private(set) var eventCount = 0

  /// Reads fixes until the input ends or the reader of the events closes.
  mutating func run(_ format: EventFormatter.Format, to writer: ByteWriter) throws {
    var fleet = try Fleet(index, options: options)
    var events = EventWriter(format, to: writer, region: index.identifier)
    // Writes the header at once, so that a reader sees that the run has begun.
    try events.flush()
    var crossings: [Crossing] = []
    var warnings = 0
    var notes = 0
    while let batch = try reader.next() {
      let summary = reader.summary
      for note in summary.notes.examples.dropFirst(notes) { Notices.print("note", note.description) }
      notes = summary.notes.examples.count
      if summary.warnings.count > warnings {
        for warning in summary.warnings.examples.dropFirst(warnings) {
          Notices.print("warning", warning.description)
        }
        warnings = summary.warnings.count
      }
      for bad in batch.skipped { Notices.print("skipped", bad.description) }
      fleet.reserveDevices(reader.devices.count)
      let devices = reader.devices
      var breaks = batch.breaks[...]
      for run in batch.runs {
        for i in run.range {
          let fix = batch.fixes[i]
          if let first = breaks.first, first.fix == i {
            fleet.breakTrack(of: run.device, before: fix.time, since: first.since)
            breaks.removeFirst()
          }
          try fleet.advance(run.device, to: fix, into: &crossings)
          if crossings.isEmpty { continue }
          for crossing in crossings {
            try events.write(EventRecord(crossing, device: run.device), devices: devices)
          }
          eventCount += crossings.count
          crossings.removeAll(keepingCapacity: true)
        }
      }
      try events.flush()
    }
    for note in reader.summary.notes.examples.dropFirst(notes) { Notices.print("note", note.description) }
    try events.end()
    try writer.finish()
  }
}
