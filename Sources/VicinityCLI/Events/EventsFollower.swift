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
    // One shard, so that events come in the order of the fixes that make them certain.
    let fleets = try FleetRunner(BatchRegions(index), options, shardCount: 1, recordsInitial: false)
    var events = EventWriter(format, to: writer, region: index.identifier)
    // Writes the header at once, so that a reader sees that the run has begun.
    try events.flush()
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
      try fleets.advance(through: [batch], deviceCount: reader.devices.count, threads: 1)
      for event in fleets.takeEvents() {
        try events.write(event, devices: reader.devices)
        eventCount += 1
      }
      try events.flush()
    }
    for note in reader.summary.notes.examples.dropFirst(notes) { Notices.print("note", note.description) }
    try events.end()
    try writer.finish()
  }
}
