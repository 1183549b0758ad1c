/// The chunks of a CSV file: blocks that end where records end.
final class CSVTrackSource: TrackSource {
  private var reader: BlockReader
  private let input: TrackInput
  private let columns: CSVTrackColumns
  private let headerEnd: (offset: Int, line: Int)
  private var isFirst = true
  private var firstNumber: Int?
  private var warnings: [String] = []
  private let fields: FieldBuffer

  private static let longestHeader = 1 << 24

  /// Reads the header.
  ///
  /// - Throws: ``FormatError`` for a header that lacks what is needed or says it twice.
  init(_ blocks: consuming BlockReader, _ input: TrackInput) throws {
    self.input = input
    let fields = FieldBuffer(capacity: CSVRecords.maximumColumns)
    self.fields = fields
    var reader = blocks
    if try reader.peek(3) == [0xEF, 0xBB, 0xBF] { reader.skip(3) }
    let (names, delimiter, line) = try Self.readHeader(&reader, input, fields)
    let place = Diagnostic.Place(path: input.path, line: line.header)
    columns = try CSVTrackColumns(
      names: names, delimiter: delimiter, place: place, options: input.options,
      fallbackDevice: input.fallbackDevice)
    if let device = columns.device {
      warnings.append("no column for devices; all fixes are taken for those of \"\(device)\"")
    } else if let column = columns.column(.device), input.options.deviceField == nil,
      ["id", "name"].contains(FieldNames.normalized(names[column]))
    {
      warnings.append("devices are taken from the column \"\(names[column])\"")
    }
    headerEnd = (reader.offset, line.next)
    firstNumber = line.next
    self.reader = reader
  }

  var consumedByteCount: Int? { reader.source.consumedStoredByteCount }

  func seek(to position: TrackPosition) throws {
    guard position.offset > headerEnd.offset else { return }
    try reader.seek(to: position.offset)
    firstNumber = position.line
    warnings = []
  }

  func next() throws -> TrackChunk? {
    let start = reader.offset
    let delimiter = columns.delimiter
    let block = try unsafe reader.next(line: headerEnd.line) { bytes, _ in
      unsafe Self.cut(bytes, delimiter: delimiter, linesAreRecords: input.options.follows, fields)
    }
    guard let block else {
      // An empty table still says what was assumed about it.
      guard !warnings.isEmpty else { return nil }
      let rows = TrackRows(maximumRejected: 0)
      return finished(input.chunk(.rows(rows), start..<start))
    }
    return finished(input.chunk(.csv(block, columns), start..<reader.offset))
  }

  private func finished(_ chunk: TrackChunk) -> TrackChunk {
    var chunk = chunk
    chunk.firstNumber = firstNumber
    chunk.warnings = warnings
    firstNumber = nil
    warnings = []
    return chunk
  }

  /// How many of the bytes are whole records, when more may follow.
  ///
  /// Without quotes a record is a line; with quotes, which may hold line breaks, the records are followed from the
  /// start.
  private static func cut(
    _ bytes: UnsafeBufferPointer<UInt8>, delimiter: UInt8, linesAreRecords: Bool, _ fields: FieldBuffer
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    if unsafe linesAreRecords || !contains(CSVScanner.quote, bytes) {
      var end = bytes.count
      while end > 0, unsafe base[end - 1] != CSVScanner.lineFeed { end -= 1 }
      return end
    }
    var end = 0
    while end < bytes.count,
      let record = unsafe CSVScanner.record(
        base, from: end, to: bytes.count, isAtEnd: false, delimiter: delimiter, fields: fields.base,
        maximumFields: 1)
    {
      end = record.end
    }
    return end
  }

  /// Whether `byte` is among `bytes`, a block of them at a time.
  private static func contains(_ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let pattern = SIMD32<UInt8>(repeating: byte)
    var i = 0
    let raw = UnsafeRawBufferPointer(bytes)
    while i + 32 <= raw.count {
      let word = unsafe raw.loadUnaligned(fromByteOffset: i, as: SIMD32<UInt8>.self)
      if any(word .== pattern) { return true }
      i += 32
    }
    while i < raw.count {
      if unsafe raw[i] == byte { return true }
      i += 1
    }
    return false
  }

  private static func readHeader(
    _ reader: inout BlockReader, _ input: TrackInput, _ fields: FieldBuffer
  ) throws -> (names: [String], delimiter: UInt8, line: (header: Int, next: Int)) {
    var size = InputKind.headByteCount
    var line = 1
    while true {
      let head = try reader.peek(size)
      if head.isEmpty { throw FormatError.empty(path: input.path) }
      let delimiter = CSVTable.delimiter(ofHeader: head)
      let isWhole = head.count < size && !input.options.follows
      let limit =
        input.options.follows ? (head.firstIndex(of: CSVScanner.lineFeed) ?? head.count - 1) + 1 : head.count
      let record = unsafe head.withUnsafeBufferPointer { bytes in
        // SAFETY: `bytes` is not empty, and the fields' buffer holds the maximum.
        unsafe bytes.baseAddress.flatMap {
          unsafe CSVScanner.record(
            $0, from: 0, to: limit, isAtEnd: isWhole || input.options.follows, delimiter: delimiter,
            fields: fields.base, maximumFields: CSVRecords.maximumColumns)
        }
      }
      let place = Diagnostic.Place(path: input.path, line: line)
      guard let record else {
        size *= 2
        guard size <= longestHeader else {
          throw FormatError.limitExceeded(
            place, what: "a header of more bytes than can be right", limit: longestHeader)
        }
        continue
      }
      if record.isBlank {
        reader.skip(record.end)
        line += record.lineCount
        continue
      }
      guard record.fieldCount <= CSVRecords.maximumColumns else {
        throw FormatError.limitExceeded(
          place, what: "\(record.fieldCount) columns", limit: CSVRecords.maximumColumns)
      }
      if let fault = record.fault {
        throw FormatError.invalidRows(
          path: input.path, first: [Diagnostic(place: place, message: CSVTable.describe(fault))], count: 1)
      }
      var text = head
      let names = unsafe text.withUnsafeMutableBufferPointer { bytes in
        (0..<record.fieldCount).map { i in
          // SAFETY: the field lies within the head.
          if let base = bytes.baseAddress {
            unsafe fields.base[i] = CSVScanner.unescaped(fields.base[i], in: base)
          }
          let field = unsafe fields.base[i]
          return unsafe String(decoding: bytes[field.start..<field.end], as: UTF8.self)
        }
      }
      reader.skip(record.end)
      return (names, delimiter, (line, line + record.lineCount))
    }
  }
}

/// Room for the fields of one record.
@safe final class FieldBuffer {
  let base: UnsafeMutablePointer<CSVScanner.Field>

  init(capacity: Int) { unsafe base = .allocate(capacity: capacity) }

  deinit { unsafe base.deallocate() }
}
