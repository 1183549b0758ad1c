/// A parser of a format in which a fix may depend on any byte before it, so that blocks must be parsed in
/// order.
protocol SequentialTrackParser {
  /// Whether blocks must end where lines do.
  static var takesWholeLines: Bool { get }
  /// The line reached, from 1.
  var line: Int { get set }
  /// Adds the fixes that end in `bytes`, the next of the file, to `rows`. Lines are counted from the file's
  /// start.
  mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>, into rows: inout TrackRows) throws(FormatError)
  /// Ends the file: adds the fix that is still open, and returns what to warn of.
  mutating func finish(into rows: inout TrackRows) throws(FormatError) -> String?
}

/// The chunks of a file that is parsed from its start, one block after another.
final class SequentialTrackSource<Parser: SequentialTrackParser>: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private var parser: Parser
  private var isFinished = false
  /// Chunks that end here or before were read by an earlier run.
  private var resumption = 0

  init(_ reader: consuming BlockReader, _ input: TrackInput, _ parser: Parser) {
    self.reader = reader
    self.input = input
    self.parser = parser
  }

  var consumedByteCount: Int? { reader.source.consumedByteCount }
  var unfinishedByteCount: Int { reader.unfinishedByteCount }

  func seek(to position: TrackPosition) { resumption = position.offset }

  func next() throws -> TrackChunk? {
    while !isFinished {
      let start = reader.offset
      var rows = TrackRows(input.options)
      let block = try unsafe reader.next { bytes, scanned in
        Parser.takesWholeLines ? unsafe CSVScanner.wholeLines(bytes, from: scanned) : bytes.count
      }
      guard let block else {
        isFinished = true
        let warning = try parser.finish(into: &rows)
        if warning == nil, rows.isEmpty { return nil }
        // One byte past the last, so that resumption can tell this chunk from the one before.
        if start + 1 <= resumption { return nil }
        var chunk = input.chunk(.rows(rows), start..<start + 1, firstNumber: 1)
        if let warning { chunk.remarks.warnings = [warning] }
        return chunk
      }
      if block.isOverlong {
        rows.reject(parser.line - 1, RowFault(reader.overlongMessage))
        parser.line += 1
      } else {
        try unsafe parser.parse(block.bytes, into: &rows)
      }
      if reader.offset <= resumption { continue }
      return input.chunk(.rows(rows), start..<reader.offset, firstNumber: 1)
    }
    return nil
  }
}
