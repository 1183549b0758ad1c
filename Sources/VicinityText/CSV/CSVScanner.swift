/// Where the records and fields of delimited text begin and end (RFC 4180).
///
/// A line ends with LF, CR LF or CR, in any mixture. A quote opens a field only at its very start; line ends
/// within quotes belong to the field. A record of several lines that is damaged counts as a bad row of one
/// line: its first. So a quote that somebody forgot to close costs the line in which it is opened, and no
/// other.
package enum CSVScanner {
  /// What is wrong with a record's quotes.
  enum Fault: String {
    case textAfterQuote = "text after a closing quote"
    case unterminatedQuote = "a quoted field without an end"
  }

  /// What records have to be like.
  struct Shape: Sendable {
    /// What separates fields.
    var delimiter: UInt8
    /// How many fields a record of several lines must have; 0 for any number.
    var columnCount = 0
    /// The most bytes that a record of several lines may take.
    var maximumByteCount = BlockReader.maximumRecordByteCount
  }

  /// A field as a range of the scanned bytes, without its quotes.
  package struct Field {
    package var start: Int
    package var end: Int
    var hasEscapedQuotes: Bool
  }

  /// A record that has been split.
  struct Record {
    /// Where the next record starts.
    var end: Int
    /// How many lines the record takes.
    var lineCount: Int
    /// How many fields it has, those beyond the maximum included.
    var fieldCount: Int
    /// What is wrong with it, if anything is.
    var fault: Fault?
    /// Whether it is an empty line.
    var isBlank: Bool
  }

  static let quote = UInt8(ascii: "\"")
  package static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  /// Whether `byte` ends a line, or is the first of two that do.
  @inline(__always)
  static func endsLine(_ byte: UInt8) -> Bool { byte == lineFeed || byte == carriageReturn }

  /// Where the line after the line end at `p` begins: behind CR LF, LF or CR.
  @inline(__always)
  private static func next(_ base: UnsafePointer<UInt8>, after p: Int, _ end: Int) -> Int {
    // SAFETY: p < end, and p + 1 is read where it is below end.
    unsafe base[p] == carriageReturn && p + 1 < end && base[p + 1] == lineFeed ? p + 2 : p + 1
  }

  /// Splits the record that starts at `start`; `nil` when its end lies beyond `end` and there is more to
  /// come.
  ///
  /// Nothing is read at or beyond `end`, and nothing but the first `maximumFields` of `fields` is written. A
  /// carriage return at `end - 1` ends the record: ``BlockReader`` leaves out a line feed that comes after
  /// it.
  ///
  /// - Complexity: O(bytes of the record, or of what an open quote takes in)
  static func record(
    _ base: UnsafePointer<UInt8>, from first: Int, to end: Int, isAtEnd: Bool, shape: Shape,
    fields: UnsafeMutablePointer<Field>, maximumFields: Int
  ) -> Record? {
    guard
      var record = unsafe split(
        base, from: first, to: end, isAtEnd: isAtEnd, shape: shape, fields: fields,
        maximumFields: maximumFields)
    else { return nil }
    guard record.lineCount > 1,
      record.fault != nil || shape.columnCount > 0 && record.fieldCount != shape.columnCount
    else { return record }
    // SAFETY: every read of base[p] follows a test of p < end.
    var p = first
    while p < end, unsafe !endsLine(base[p]) { p += 1 }
    record.end = p < end ? unsafe next(base, after: p, end) : end
    record.lineCount = 1
    record.fault = .unterminatedQuote
    return record
  }

  private static func split(
    _ base: UnsafePointer<UInt8>, from first: Int, to end: Int, isAtEnd: Bool, shape: Shape,
    fields: UnsafeMutablePointer<Field>, maximumFields: Int
  ) -> Record? {
    // SAFETY: every read of base[p] follows a test of p < end; every write of fields[count] follows a test of
    // count < maximumFields.
    let delimiter = shape.delimiter
    var p = first
    var count = 0
    var lines = 1
    var fault: Fault?
    while true {
      var start = p
      var fieldEnd: Int
      var hasEscapedQuotes = false
      if p < end, unsafe base[p] == quote {
        p += 1
        start = p
        while true {
          while p < end, unsafe base[p] != quote {
            if unsafe endsLine(base[p]) {
              p = unsafe next(base, after: p, end)
              lines += 1
              if p - first > shape.maximumByteCount {
                fault = .unterminatedQuote
                break
              }
            } else {
              p += 1
            }
          }
          if fault == .unterminatedQuote { break }
          if p == end {
            guard isAtEnd || lines > 1 && end - first >= shape.maximumByteCount else { return nil }
            fault = .unterminatedQuote
            break
          }
          if p + 1 == end, !isAtEnd { return nil }
          if p + 1 < end, unsafe base[p + 1] == quote {
            hasEscapedQuotes = true
            p += 2
          } else {
            break
          }
        }
        if fault == .unterminatedQuote {
          return Record(end: p, lineCount: lines, fieldCount: count + 1, fault: fault, isBlank: false)
        }
        fieldEnd = p
        p += 1
        let close = p
        while p < end, unsafe base[p] != delimiter, unsafe !endsLine(base[p]) { p += 1 }
        if p > close, fault == nil { fault = .textAfterQuote }
      } else {
        while p < end, unsafe base[p] != delimiter, unsafe !endsLine(base[p]) { p += 1 }
        fieldEnd = p
      }
      if p == end, !isAtEnd { return nil }
      if count < maximumFields {
        unsafe fields[count] = Field(
          start: start, end: fieldEnd, hasEscapedQuotes: hasEscapedQuotes)
      }
      count += 1
      if p == end { break }
      if unsafe endsLine(base[p]) {
        p = unsafe next(base, after: p, end)
        break
      }
      p += 1
    }
    let isBlank = unsafe count == 1 && fields[0].start == fields[0].end && base[first] != quote
    return Record(end: p, lineCount: lines, fieldCount: count, fault: fault, isBlank: isBlank)
  }

  /// Replaces each doubled quote of `field` by a single one, in place, and returns what is then the field.
  static func unescaped(_ field: Field, in base: UnsafeMutablePointer<UInt8>) -> Field {
    // SAFETY: read and write stay within the field.
    guard field.hasEscapedQuotes else { return field }
    var field = field
    var write = field.start
    var read = field.start
    while read < field.end {
      let byte = unsafe base[read]
      unsafe base[write] = byte
      write += 1
      read += byte == quote ? 2 : 1
    }
    field.end = write
    field.hasEscapedQuotes = false
    return field
  }

  /// How many of the bytes are whole records, when more may follow.
  ///
  /// Without quotes a record is a line. With quotes, which may enclose line ends, the records are followed
  /// from the start.
  ///
  /// - Parameter scanned: How many of the bytes have been found to hold no line end.
  static func wholeRecords(
    _ bytes: UnsafeBufferPointer<UInt8>, from scanned: Int, shape: Shape, linesAreRecords: Bool = false
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    if unsafe linesAreRecords || !contains(quote, bytes) { return unsafe wholeLines(bytes, from: scanned) }
    return unsafe withUnsafeTemporaryAllocation(of: Field.self, capacity: 1) { field in
      // SAFETY: one field is written, and there is room for one.
      guard let field = field.baseAddress else { return 0 }
      var end = 0
      while end < bytes.count,
        let record = unsafe record(
          base, from: end, to: bytes.count, isAtEnd: false, shape: shape, fields: field, maximumFields: 1)
      {
        end = record.end
      }
      return end
    }
  }

  /// How many of the bytes are whole lines.
  ///
  /// - Parameter scanned: How many of the bytes have been found to hold no line end.
  package static func wholeLines(_ bytes: UnsafeBufferPointer<UInt8>, from scanned: Int = 0) -> Int {
    var end = bytes.count
    while end > scanned, unsafe !endsLine(bytes[end - 1]) { end -= 1 }
    return end > scanned ? end : 0
  }

  /// The lines of `text`, without their ends and a byte order mark.
  package static func lines(of text: String) -> [String] {
    var lines: [String] = []
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBufferPointer {
      unsafe forEachLine($0) { unsafe lines.append(String(decoding: $0, as: UTF8.self)) }
    }
    if let first = lines.first, first.unicodeScalars.first == "\u{FEFF}" {
      lines[0] = String(String.UnicodeScalarView(first.unicodeScalars.dropFirst()))
    }
    return lines
  }

  /// Calls `body` with each line of `bytes`, without its end.
  package static func forEachLine<Failure>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    while start < bytes.count {
      // SAFETY: end < bytes.count wherever it is read.
      var end = start
      while end < bytes.count, unsafe !endsLine(bytes[end]) { end += 1 }
      try unsafe body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      start = end < bytes.count ? unsafe next(base, after: end, bytes.count) : end
    }
  }

  /// Whether `byte` is among `bytes`, compared 32 at a time.
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
}
