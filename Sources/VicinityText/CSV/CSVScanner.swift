/// Where the records and fields of delimited text begin and end (RFC 4180, with CRLF or LF).
///
/// A quote opens a field only at its very start; line breaks within quotes belong to the field.
package enum CSVScanner {
  /// What is wrong with a record's quotes.
  enum Fault: String {
    case textAfterQuote = "text after a closing quote"
    case unterminatedQuote = "a quoted field without an end"
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

  /// Splits the record that starts at `start`; `nil` when its end lies beyond `end` and there is more to come.
  ///
  /// Nothing is read at or beyond `end`, and nothing but the first `maximumFields` of `fields` is written.
  ///
  /// - Complexity: O(bytes of the record)
  static func record(
    _ base: UnsafePointer<UInt8>, from first: Int, to end: Int, isAtEnd: Bool, delimiter: UInt8,
    fields: UnsafeMutablePointer<Field>, maximumFields: Int
  ) -> Record? {
    // SAFETY: every read of base[p] follows a test of p < end; every write of fields[count] follows a test of
    // count < maximumFields.
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
            if unsafe base[p] == lineFeed { lines += 1 }
            p += 1
          }
          if p == end {
            guard isAtEnd else { return nil }
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
        fieldEnd = p
        if p < end { p += 1 }
        let close = p
        while p < end, unsafe base[p] != delimiter, unsafe base[p] != lineFeed { p += 1 }
        let isReturn = unsafe p == close + 1 && base[close] == carriageReturn
        let isEnd = unsafe p == end || base[p] == lineFeed
        if p > close, !(isReturn && isEnd) {
          if fault == nil { fault = .textAfterQuote }
        }
      } else {
        while p < end, unsafe base[p] != delimiter, unsafe base[p] != lineFeed { p += 1 }
        fieldEnd = p
        if unsafe p == end || base[p] == lineFeed, fieldEnd > start,
          unsafe base[fieldEnd - 1] == carriageReturn
        {
          fieldEnd -= 1
        }
      }
      if p == end, !isAtEnd { return nil }
      if count < maximumFields {
        unsafe fields[count] = Field(
          start: start, end: fieldEnd, hasEscapedQuotes: hasEscapedQuotes)
      }
      count += 1
      if p == end { break }
      if unsafe base[p] == lineFeed {
        p += 1
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
  /// Without quotes a record is a line. With quotes, which may enclose line breaks, the records are followed from the
  /// start.
  static func wholeRecords(
    _ bytes: UnsafeBufferPointer<UInt8>, delimiter: UInt8, linesAreRecords: Bool = false
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    if unsafe linesAreRecords || !contains(quote, bytes) { return unsafe wholeLines(bytes) }
    return unsafe withUnsafeTemporaryAllocation(of: Field.self, capacity: 1) { field in
      // SAFETY: one field is written, and there is room for one.
      guard let field = field.baseAddress else { return 0 }
      var end = 0
      while end < bytes.count,
        let record = unsafe record(
          base, from: end, to: bytes.count, isAtEnd: false, delimiter: delimiter, fields: field,
          maximumFields: 1)
      {
        end = record.end
      }
      return end
    }
  }

  package static func wholeLines(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var end = bytes.count
    while end > 0, unsafe bytes[end - 1] != lineFeed { end -= 1 }
    return end
  }

  /// Calls `body` with each line of `bytes`, without its line feed.
  static func forEachLine(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, unsafe bytes[end] != lineFeed { end += 1 }
      unsafe body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      start = end + 1
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
