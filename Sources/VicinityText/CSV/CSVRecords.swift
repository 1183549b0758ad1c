/// The records of a delimited text file below its header (RFC 4180, with any line ends), one at a time.
///
/// No `String` is made. Fields are ranges of a block of the file; they are valid until the next record is
/// read.
@safe package struct CSVRecords: ~Copyable {
  package let header: CSVHeader
  /// The line on which the current record starts, from 1.
  package private(set) var line = 0
  /// How many fields the current record has.
  private(set) var fieldCount = 0
  private var fault: CSVScanner.Fault?
  private var isOverlong = false
  private let shape: CSVScanner.Shape

  private var reader: BlockReader
  // Invariant: next <= block.count, and all fields lie within the block.
  private var block = ByteBlock(capacity: 0)
  private var next = 0
  private var nextLine: Int
  private let fields: UnsafeMutablePointer<CSVScanner.Field>

  /// How many bytes are read at once.
  package static let blockByteCount = 1 << 20

  /// Reads the header; the records come after it.
  ///
  /// - Throws: ``FormatError`` for an empty file and for a header that is damaged or too large.
  package init(_ blocks: consuming BlockReader) throws(FormatError) {
    var reader = blocks
    header = try CSVHeader(&reader)
    nextLine = header.nextLine
    shape = CSVScanner.Shape(
      delimiter: header.delimiter, columnCount: header.names.count,
      maximumByteCount: reader.maximumRecordByteCount)
    self.reader = reader
    unsafe fields = .allocate(capacity: CSVHeader.maximumColumns)
  }

  deinit { unsafe fields.deallocate() }

  /// The fraction of the file that has been read, 0...1; `nil` for pipes.
  package var fraction: Double? {
    reader.source.byteCount.map { Double(reader.source.consumedByteCount) / Double(max($0, 1)) }
  }

  /// Where the current record is.
  package var place: Diagnostic.Place { Diagnostic.Place(path: header.place.path, line: line) }

  /// Reads the next record that is not an empty line; false at the end.
  ///
  /// - Throws: ``FormatError`` when the source fails.
  /// - Complexity: O(bytes of the record), amortised.
  package mutating func advance() throws(FormatError) -> Bool {
    isOverlong = false
    while true {
      if next == block.count {
        let shape = shape
        guard
          let block = try unsafe reader.next(cut: {
            unsafe CSVScanner.wholeRecords($0, from: $1, shape: shape)
          })
        else { return false }
        self.block = block
        next = 0
        if block.isOverlong {
          isOverlong = true
          line = nextLine
          nextLine += 1
          fieldCount = 0
          return true
        }
      }
      // SAFETY: next < block.count, and `fields` holds the maximum. A block ends where a record does.
      guard
        let record = unsafe CSVScanner.record(
          block.base, from: next, to: block.count, isAtEnd: true, shape: shape, fields: fields,
          maximumFields: CSVHeader.maximumColumns)
      else { return false }
      line = nextLine
      nextLine += record.lineCount
      next = record.end
      if record.isBlank { continue }
      fault = record.fault
      fieldCount = record.fieldCount
      return true
    }
  }

  /// What is wrong with the current record's quotes or number of fields, as a message; `nil` if nothing is.
  @inline(__always)
  package var shapeFault: String? {
    if fault == nil, fieldCount == header.names.count, !isOverlong { return nil }
    return describeShape()
  }

  @inline(never)
  private func describeShape() -> String {
    if isOverlong { return reader.overlongMessage }
    return fault?.rawValue ?? "\(fieldCount) fields where the header has \(header.names.count)"
  }

  /// The bytes of field `index`, unquoted.
  ///
  /// - Precondition: `0 <= index < min(fieldCount, CSVHeader.maximumColumns)`.
  @inline(__always)
  package mutating func field(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    precondition(index >= 0 && index < fieldCount && index < CSVHeader.maximumColumns)
    // SAFETY: fields below fieldCount were set by `advance` and lie within the block.
    if unsafe fields[index].hasEscapedQuotes {
      unsafe fields[index] = CSVScanner.unescaped(fields[index], in: block.base)
    }
    let field = unsafe fields[index]
    return unsafe UnsafeBufferPointer(start: block.base + field.start, count: field.end - field.start)
  }
}
