/// The chunks of a CSV file: blocks that end where records end.
final class CSVTrackSource: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private let header: CSVHeader
  private let columns: CSVTrackColumns
  /// Where the header ends in the file, bytes.
  private let headerEnd: Int
  private var firstNumber: Int?
  private var remarks = TrackRemarks()

  /// Reads the header.
  ///
  /// - Throws: ``FormatError`` for a header that lacks what is needed or has it twice.
  init(_ blocks: consuming BlockReader, _ input: TrackInput) throws {
    var reader = blocks
    header = try CSVHeader(&reader, linesAreRecords: input.options.follows)
    columns = try CSVTrackColumns(
      names: header.names, delimiter: header.delimiter, place: header.place, options: input.options,
      fallbackDevice: input.fallbackDevice)
    if let device = columns.device { remarks.addOnlyDevice(device, input.options, lacks: "column") }
    if let notice = columns.otherUnits { remarks.warnings.append(notice) }
    if let notice = columns.trips { remarks.notes.append(notice) }
    for (role, notice) in columns.notices.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      if role == .device { remarks.addDevices(notice, input.options) } else { remarks.notes.append(notice) }
    }
    self.input = input
    headerEnd = reader.offset
    firstNumber = header.nextLine
    self.reader = reader
  }

  var consumedByteCount: Int? { reader.source.consumedByteCount }
  var unfinishedByteCount: Int { reader.unfinishedByteCount }

  func seek(to position: TrackPosition) throws {
    guard position.offset > headerEnd else { return }
    try reader.seek(to: position.offset)
    firstNumber = position.line
    remarks = TrackRemarks()
  }

  func next() throws -> TrackChunk? {
    let start = reader.offset
    let (shape, linesAreRecords) = (columns.shape, input.options.follows)
    let block = try unsafe reader.next { bytes, scanned in
      unsafe CSVScanner.wholeRecords(bytes, from: scanned, shape: shape, linesAreRecords: linesAreRecords)
    }
    // A table without rows still tells what was assumed about it.
    if block == nil, remarks.warnings.isEmpty { return nil }
    let content: TrackChunk.Content =
      if let block {
        block.isOverlong ? input.overlongLine(reader.overlongMessage) : .csv(block, columns)
      } else {
        .rows(TrackRows(input.options))
      }
    var chunk = input.chunk(content, start..<reader.offset, firstNumber: firstNumber)
    chunk.remarks = remarks.take()
    firstNumber = nil
    return chunk
  }
}
