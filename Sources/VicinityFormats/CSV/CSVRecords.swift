/// The records of a delimited text file (RFC 4180, with CRLF or LF), one at a time, with no `String` made.
///
/// Fields are ranges of one buffer that is filled in chunks; they hold until the next record is read.
@safe struct CSVRecords: ~Copyable {
  /// The most bytes one record may take.
  static let maximumRecordByteCount = 256 << 20
  /// The most columns a header may have.
  static let maximumColumns = 4096
  private static let chunk = 1 << 20

  /// What separates the fields.
  var delimiter: UInt8
  /// The line on which the current record starts, from 1.
  private(set) var line = 0
  /// How many fields the current record has.
  private(set) var fieldCount = 0
  /// What is wrong with the current record, if anything is.
  private(set) var fault: CSVScanner.Fault?
  /// Whether the current record is an empty line.
  private(set) var isBlank = false
  /// Bytes of the source that records have been read from.
  var consumedByteCount: Int { totalRead - (filled - next) }

  let source: ByteSource
  // Invariant: 0 <= next <= filled <= buffer.count, and all fields lie within 0...filled.
  private var buffer: UnsafeMutableRawBufferPointer
  private let fields: UnsafeMutablePointer<CSVScanner.Field>
  private var next = 0
  private var filled = 0
  private var totalRead = 0
  private var isAtEnd = false
  private var nextLine = 1

  /// Records of `source`, from its start.
  init(_ source: ByteSource, delimiter: UInt8 = UInt8(ascii: ",")) {
    self.source = source
    self.delimiter = delimiter
    unsafe buffer = .allocate(byteCount: Self.chunk, alignment: 1)
    unsafe fields = .allocate(capacity: Self.maximumColumns)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe fields.deallocate()
  }

  /// The bytes at the start, up to `count`, without consuming them.
  mutating func peek(_ count: Int) throws(FormatError) -> [UInt8] {
    while filled - next < count, !isAtEnd { try fill() }
    let start = next
    let end = min(filled, start + count)
    return unsafe [UInt8](buffer[start..<end])
  }

  /// Passes over `count` bytes that were peeked at.
  mutating func skip(_ count: Int) { next = min(next + count, filled) }

  /// Starts over through gzip.
  mutating func unpack() throws(FormatError) {
    let end = filled
    try source.unpack(after: unsafe [UInt8](buffer[..<end]))
    next = 0
    filled = 0
    totalRead = 0
    isAtEnd = false
  }

  /// Reads the next record; false at the end.
  ///
  /// - Throws: ``FormatError`` when the source fails or a record is longer than any can be.
  /// - Complexity: O(bytes of the record), amortised.
  mutating func advance() throws(FormatError) -> Bool {
    while true {
      if next == filled {
        if isAtEnd { return false }
        try fill()
        continue
      }
      if scan() { return true }
      try fill()
    }
  }

  /// The bytes of field `index`, unquoted.
  ///
  /// - Precondition: `0 <= index < min(fieldCount, maximumColumns)`.
  @inline(__always)
  mutating func field(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    precondition(index >= 0 && index < fieldCount && index < Self.maximumColumns)
    // SAFETY: fields below fieldCount were set by `scan` and lie within the buffer.
    if unsafe fields[index].hasEscapedQuotes { unescape(index) }
    let field = unsafe fields[index]
    guard let storage = unsafe buffer.baseAddress else { return unsafe .init(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(
      start: (storage + field.start).assumingMemoryBound(to: UInt8.self),
      count: field.end - field.start)
  }

  private mutating func unescape(_ index: Int) {
    guard let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    // SAFETY: the field lies within the buffer.
    unsafe fields[index] = CSVScanner.unescaped(fields[index], in: base)
  }

  /// Moves what is left to the front of the buffer, grows it if it is full, and reads more.
  private mutating func fill() throws(FormatError) {
    if next > 0 {
      let count = filled - next
      let start = next
      // The ranges may overlap: copyMemory is memmove.
      unsafe buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: buffer[start..<start + count]))
      next = 0
      filled = count
    }
    let capacity = unsafe buffer.count
    if filled == capacity {
      guard capacity < Self.maximumRecordByteCount else {
        throw .limitExceeded(
          .init(path: source.path, line: nextLine),
          what: "a record of more bytes than can be right",
          limit: Self.maximumRecordByteCount)
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity * 2, alignment: 1)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
      unsafe buffer.deallocate()
      unsafe buffer = larger
    }
    let start = filled
    let count = try unsafe source.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
    if count == 0 { isAtEnd = true }
    filled += count
    totalRead += count
  }

  /// Splits the record at `next`; false when its end has not been read yet.
  private mutating func scan() -> Bool {
    guard let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return false
    }
    // SAFETY: next <= filled <= buffer.count, and `fields` holds maximumColumns.
    guard
      let record = unsafe CSVScanner.record(
        base, from: next, to: filled, isAtEnd: isAtEnd, delimiter: delimiter, fields: fields,
        maximumFields: Self.maximumColumns)
    else { return false }
    fault = record.fault
    isBlank = record.isBlank
    line = nextLine
    nextLine += record.lineCount
    next = record.end
    fieldCount = record.fieldCount
    return true
  }
}
