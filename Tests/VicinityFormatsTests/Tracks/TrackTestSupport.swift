import Foundation
import Testing
import VicinityCrossings
import VicinityGeodesy

@testable import VicinityFormats

/// A fix as a test sees it.
struct ReadFix: Equatable, CustomStringConvertible {
  var device: String
  var fix: Fix

  var description: String { "\(device) \(fix.time) \(fix.coordinate.latitude) \(fix.coordinate.longitude)" }
}

/// What a reader gave.
struct TrackReading {
  var fixes: [ReadFix] = []
  var places: [Diagnostic.Place] = []
  var ends: [TrackPosition] = []
  var summary = TrackSummary(skipped: DiagnosticList(maximum: 0), warnings: DiagnosticList(maximum: 0))

  /// Reads everything.
  init(_ reader: TrackReader, threads: Int = 1) throws {
    while true {
      let batches = try reader.nextBatches(threads == 1 ? 1 : 3, threads: threads)
      if batches.isEmpty { break }
      for batch in batches { add(batch, reader.devices) }
    }
    summary = reader.summary
  }

  init(
    _ paths: [String], threads: Int = 1, _ change: (inout ReadingOptions) -> Void = { _ in }
  ) throws {
    var options = ReadingOptions()
    change(&options)
    try self.init(TrackReader(paths, options: options), threads: threads)
  }

  mutating func add(_ batch: TrackBatch, _ devices: DeviceNames) {
    var covered = 0
    for run in batch.runs {
      #expect(run.range.lowerBound == covered)
      covered = run.range.upperBound
      for i in run.range {
        fixes.append(ReadFix(device: devices[run.device], fix: batch.fixes[i]))
        places.append(batch.place(of: i))
      }
    }
    #expect(covered == batch.fixes.count)
    ends.append(batch.end)
  }

  var lines: [Int] { places.compactMap(\.line) }
  var skippedLines: [Int] { summary.skipped.examples.compactMap(\.place.line) }
  var messages: [String] { summary.skipped.examples.map(\.message) }
}

/// Makes a named pipe and writes to it, once it is read, one text after another with time between them.
func writeSlowly(_ texts: [String], toPipeAt path: String) throws {
  try #require(unsafe mkfifo(path, 0o600) == 0)
  Thread {
    guard let handle = FileHandle(forWritingAtPath: path) else { return }
    for text in texts {
      try? handle.write(contentsOf: Data(text.utf8))
      Thread.sleep(forTimeInterval: 0.02)
    }
    try? handle.close()
  }.start()
}
