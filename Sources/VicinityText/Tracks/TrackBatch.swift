public import VicinityCrossings

/// Where a batch starts or ends in the inputs of a `TrackReader`.
package struct TrackPosition: Hashable, Sendable {
  /// The file, counted from 0 in the order of `TrackReader/paths`.
  package var file: Int
  /// The offset in the file, unpacked: bytes in text files, features in files read through OGR.
  package var offset: Int
  /// The line at that offset, from 1; the feature's number where there are no lines.
  package var line: Int

  package init(file: Int, offset: Int, line: Int) {
    self.file = file
    self.offset = offset
    self.line = line
  }
}

/// Fixes in the input's order, as runs of one device each.
///
/// Rows grouped by device give few long runs, rows interleaved by time many short ones.
public struct TrackBatch: Sendable {
  /// Consecutive fixes of one device.
  public struct Run: Hashable, Sendable {
    var number: UInt32
    var lowerBound: UInt32
    var upperBound: UInt32

    /// The device's number in `TrackReader/devices`.
    @inline(__always)
    public var device: Int { Int(number) }
    /// The run's fixes, as a range of ``TrackBatch/fixes``.
    @inline(__always)
    public var range: Range<Int> { unsafe Range(uncheckedBounds: (Int(lowerBound), Int(upperBound))) }
  }

  /// A place where a track is broken: nothing is known of the device between a fix and the one before.
  public struct Break: Hashable, Sendable {
    /// The fix behind the break, as an index of ``TrackBatch/fixes``.
    public internal(set) var fix: Int
    /// Since when nothing is known, where that is before the last fix: the fixes since then have turned out
    /// to be wrong, and time goes back.
    public internal(set) var since: Timestamp?
  }

  public internal(set) var fixes: [Fix] = []
  /// Where tracks are broken, in the order of fixes.
  public internal(set) var breaks: [Break] = []
  /// The runs, which cover the fixes in order; consecutive runs may be of one device.
  public internal(set) var runs: [Run] = []
  /// Where the batch starts in the input.
  package internal(set) var start = TrackPosition(file: 0, offset: 0, line: 1)
  /// Where it ends, and the next one starts.
  package internal(set) var end = TrackPosition(file: 0, offset: 0, line: 1)
  /// The first bad rows of the batch, for programs that follow a stream.
  public package(set) var skipped: [Diagnostic] = []
  /// How many bad rows the batch has.
  public internal(set) var skippedCount = 0

  /// Lines or features of the fixes, counted from `start`.
  var numbers: [UInt32] = []
  package var path = ""
  package internal(set) var layer: String?
  /// What helps where fixes are out of order.
  var orderCure = Cure.sort
  var firstNumber = 1
  /// How many fixes the receiver itself calls invalid.
  package internal(set) var invalidCount = 0
  /// What was assumed about the file.
  package internal(set) var warnings: [String] = []
  /// What was read and left out, beside bad rows.
  package internal(set) var remarks = ValueRemarks()

  /// The batch of rows that have been put in another order, whose devices are numbered already.
  ///
  /// - Parameter first: How many rows came before.
  package init(_ rows: TrackRows, first: Int) {
    fixes = rows.fixes
    numbers = rows.numbers
    runs = rows.runs
    breaks = rows.breaks.map { Break(fix: Int($0), since: nil) }
    start = TrackPosition(file: 0, offset: first, line: first + 1)
    end = TrackPosition(file: 0, offset: first + rows.count, line: first + rows.count + 1)
  }

  /// The batch of the rows of `chunk`: numbers lines from the file's start and devices across all files.
  ///
  /// - Parameters:
  ///   - position: The end of the batch before.
  ///   - devices: The devices so far, to which new ones are added.
  package init(
    _ chunk: TrackChunk, _ rows: consuming TrackRows, after position: TrackPosition,
    devices: inout DeviceNames
  ) {
    let line = chunk.firstNumber ?? position.line
    path = chunk.path
    layer = chunk.layer
    orderCure = chunk.orderCure
    firstNumber = line
    start = TrackPosition(file: chunk.file, offset: chunk.offsets.lowerBound, line: line)
    end = TrackPosition(file: chunk.file, offset: chunk.offsets.upperBound, line: line + rows.lineCount)
    warnings = chunk.remarks.warnings
    invalidCount = rows.invalidCount
    skippedCount = rows.rejectedCount
    let numbers = devices.merge(rows.devices)
    runs = rows.runs
    if !numbers.isEmpty {
      let known = UInt32(truncatingIfNeeded: rows.knownCount)
      for run in runs.indices where runs[run].number >= known {
        runs[run].number = numbers[Int(runs[run].number - known)]
      }
    }
    fixes = rows.fixes
    breaks = rows.breaks.map { Break(fix: Int($0), since: nil) }
    remarks = rows.remarks
    self.numbers = rows.numbers
    skipped = rows.rejected.map {
      Diagnostic(place: place(number: firstNumber + $0.number), $0.fault)
    }
  }

  /// Where the fix with this index in the batch was found.
  ///
  /// - Precondition: the index is one of ``fixes``.
  public func place(of fix: Int) -> Diagnostic.Place {
    place(number: firstNumber + Int(numbers[fix]))
  }

  /// Moves the fix with index `old` forward to `new`.
  mutating func keep(_ old: Int, at new: Int) {
    fixes[new] = fixes[old]
    numbers[new] = numbers[old]
  }

  /// Drops all but the first `count` fixes.
  mutating func truncate(to count: Int) {
    fixes.removeSubrange(count...)
    numbers.removeSubrange(count...)
  }

  /// Drops the fixes of devices up to a time of each, and the breaks before these.
  ///
  /// - Parameter times: By the devices' numbers, microseconds; those of later devices are all kept.
  /// - Returns: How many were dropped.
  package mutating func dropFixes(upTo times: [Int64]) -> Int {
    var kept = 0
    var keptRuns: [Run] = []
    var keptBreaks: [Break] = []
    var breaks = breaks[...]
    for run in runs {
      let start = kept
      let limit = run.device < times.count ? times[run.device] : .min
      for i in run.range {
        let broken = breaks.first?.fix == i ? breaks.removeFirst() : nil
        guard fixes[i].time.microseconds > limit else { continue }
        if let broken { keptBreaks.append(Break(fix: kept, since: broken.since)) }
        if kept != i { keep(i, at: kept) }
        kept += 1
      }
      guard kept > start else { continue }
      keptRuns.append(
        Run(
          number: run.number, lowerBound: UInt32(truncatingIfNeeded: start),
          upperBound: UInt32(truncatingIfNeeded: kept)))
    }
    let dropped = fixes.count - kept
    guard dropped > 0 else { return 0 }
    truncate(to: kept)
    (runs, self.breaks) = (keptRuns, keptBreaks)
    return dropped
  }

  func place(number: Int) -> Diagnostic.Place {
    layer == nil
      ? Diagnostic.Place(path: path, line: number)
      : Diagnostic.Place(path: path, layer: layer, feature: Int64(number))
  }
}
