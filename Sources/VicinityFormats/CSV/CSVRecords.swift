/// The records of a delimited text file (RFC 4180, with CRLF or LF), one at a time, with no `String` made.
///
/// Fields are ranges of one buffer that is filled in chunks; they hold until the next record is read.
@safe struct CSVRecords: ~Copyable {
  /// What is wrong with a record's quotes.
  enum Fault {
    case textAfterQuote
    case unterminatedQuote
  }

  private struct Field {
    var start: Int
    var end: Int
    var hasEscapedQuotes: Bool
  }

  /// The most bytes one record may take.
  static let maximumRecordByteCount = 256 << 20
  /// The most columns a header may have.
  static let maximumColumns = 4096
  private static let chunk = 1 << 20
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// What separates the fields.
  var delimiter: UInt8
  /// The line on which the current record starts, from 1.
  private(set) var line = 0
  /// How many fields the current record has.
  private(set) var fieldCount = 0
  /// What is wrong with the current record, if anything is.
  private(set) var fault: Fault?
  /// Whether the current record is an empty line.
  private(set) var isBlank = false
  /// Bytes of the source that records have been read from.
  var consumedByteCount: Int { totalRead - (filled - next) }

  let source: ByteSource
  // Invariant: 0 <= next <= filled <= buffer.count, and all fields lie within 0...filled.
  private var buffer: UnsafeMutableRawBufferPointer
  private let fields: UnsafeMutablePointer<Field>
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
    try source.unpack()
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
    var field = unsafe fields[index]
    var write = field.start
    var read = field.start
    while read < field.end {
      let byte = unsafe buffer[read]
      unsafe buffer[write] = byte
      write += 1
      read += byte == Self.quote ? 2 : 1
    }
    field.end = write
    field.hasEscapedQuotes = false
    unsafe fields[index] = field
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
    // SAFETY: every read of base[p] follows a test of p < end, and end <= buffer.count; every write of
    // fields[count] follows a test of count < maximumColumns.
    let end = filled
    let delimiter = self.delimiter
    let fields = unsafe self.fields
    var p = next
    var count = 0
    var lines = 1
    fault = nil
    while true {
      var start = p
      var fieldEnd: Int
      var hasEscapedQuotes = false
      if p < end, unsafe base[p] == Self.quote {
        p += 1
        start = p
        while true {
          while p < end, unsafe base[p] != Self.quote {
            if unsafe base[p] == Self.lineFeed { lines += 1 }
            p += 1
          }
          if p == end {
            guard isAtEnd else { return false }
            fault = .unterminatedQuote
            break
          }
          if p + 1 == end, !isAtEnd { return false }
          if p + 1 < end, unsafe base[p + 1] == Self.quote {
            hasEscapedQuotes = true
            p += 2
          } else {
            break
          }
        }
        fieldEnd = p
        if p < end { p += 1 }
        let close = p
        while p < end, unsafe base[p] != delimiter, unsafe base[p] != Self.lineFeed { p += 1 }
        let isReturn = unsafe p == close + 1 && base[close] == Self.carriageReturn
        let isEnd = unsafe p == end || base[p] == Self.lineFeed
        if p > close, !(isReturn && isEnd) {
          if fault == nil { fault = .textAfterQuote }
        }
      } else {
        while p < end, unsafe base[p] != delimiter, unsafe base[p] != Self.lineFeed { p += 1 }
        fieldEnd = p
        if unsafe p == end || base[p] == Self.lineFeed, fieldEnd > start,
          unsafe base[fieldEnd - 1] == Self.carriageReturn
        {
          fieldEnd -= 1
        }
      }
      if p == end, !isAtEnd { return false }
      if count < Self.maximumColumns {
        unsafe fields[count] = Field(
          start: start, end: fieldEnd, hasEscapedQuotes: hasEscapedQuotes)
      }
      count += 1
      if p == end { break }
      if unsafe base[p] == Self.lineFeed {
        p += 1
        break
      }
      p += 1
    }
    isBlank = unsafe count == 1 && fields[0].start == fields[0].end && base[next] != Self.quote
    line = nextLine
    nextLine += lines
    next = p
    fieldCount = count
    return true
  }
}
