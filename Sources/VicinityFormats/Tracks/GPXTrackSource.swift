/// The chunks of a GPX file: blocks of it, parsed one after another.
final class GPXTrackSource: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private var parser: GPXParser
  private var isFinished = false
  /// Chunks that end here or before have been read earlier.
  private var resumption = 0

  init(_ reader: consuming BlockReader, _ input: TrackInput) {
    self.reader = reader
    self.input = input
    parser = GPXParser(input)
  }

  var consumedByteCount: Int? { reader.source.consumedStoredByteCount }

  // What is open at a place in XML depends on all that comes before.
  func seek(to position: TrackPosition) { resumption = position.offset }

  func next() throws -> TrackChunk? {
    while !isFinished {
      let start = reader.offset
      let block = try unsafe reader.next(line: parser.line) { bytes, _ in bytes.count }
      var rows = TrackRows(maximumRejected: input.options.maximumDiagnostics)
      if let block {
        try unsafe parser.take(block.bytes, into: &rows)
      } else {
        isFinished = true
        try parser.finish()
        guard let notice = parser.notice else { return nil }
        var chunk = input.chunk(.rows(rows), start..<start)
        chunk.warnings = [notice]
        return start < resumption ? nil : chunk
      }
      if reader.offset <= resumption { continue }
      return input.chunk(.rows(rows), start..<reader.offset, firstNumber: 1)
    }
    return nil
  }
}
