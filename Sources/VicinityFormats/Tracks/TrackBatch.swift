public import VicinityCrossings

/// Where a batch starts or ends in the inputs of a ``TrackReader``.
package struct TrackPosition: Hashable, Sendable {
  /// The file, counted from 0 in the order of ``TrackReader/paths``.
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

    /// The device's number in ``TrackReader/devices``.
    @inline(__always)
    public var device: Int { Int(number) }
    /// The run's fixes, as a range of ``TrackBatch/fixes``.
    @inline(__always)
    public var range: Range<Int> { unsafe Range(uncheckedBounds: (Int(lowerBound), Int(upperBound))) }
  }

  public internal(set) var fixes: [Fix] = []
  /// The runs, which cover the fixes in order; consecutive runs may be of one device.
  public internal(set) var runs: [Run] = []
  /// Where the batch starts in the input.
  package internal(set) var start = TrackPosition(file: 0, offset: 0, line: 1)
  /// Where it ends, and the next one starts.
  package internal(set) var end = TrackPosition(file: 0, offset: 0, line: 1)
  /// The first bad rows of the batch, for programs that follow a stream.
  public internal(set) var skipped: [Diagnostic] = []
  /// How many bad rows the batch has.
  public internal(set) var skippedCount = 0

  /// Lines or features of the fixes, counted from `start`.
  var numbers: [UInt32] = []
  var path = ""
  var layer: String?
  var firstNumber = 1
  /// How many fixes the receiver itself calls invalid.
  var invalidCount = 0
  /// What was assumed about the file.
  var warnings: [String] = []

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

  func place(number: Int) -> Diagnostic.Place {
    layer == nil
      ? Diagnostic.Place(path: path, line: number)
      : Diagnostic.Place(path: path, layer: layer, feature: Int64(number))
  }
}

/// What a ``TrackReader`` has read, dropped and skipped so far.
public struct TrackSummary: Hashable, Sendable {
  /// Fixes handed out.
  public internal(set) var fixes = 0
  /// Fixes that repeat the previous one: same device, time and coordinate. Dropped.
  public internal(set) var repeats = 0
  /// Fixes whose accuracy is negative, which means that the coordinate is invalid. Dropped.
  public internal(set) var invalidFixes = 0
  /// With sorting: fixes of a device at the time of another but at another place. All but the first are dropped.
  public internal(set) var conflicts = 0
  /// Bad rows or features that were skipped.
  public internal(set) var skipped: DiagnosticList
  /// What was assumed about the files.
  public internal(set) var warnings: DiagnosticList
  /// The columns or fields that the caller chose.
  public internal(set) var notes = DiagnosticList(maximum: 0)
}
