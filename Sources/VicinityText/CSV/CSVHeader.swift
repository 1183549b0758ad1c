internal import VicinityCrossings

/// The header of a delimited text file: the columns' names, and what separates fields.
package struct CSVHeader {
  /// The most columns a file may have.
  static let maximumColumns = 4096
  private static let maximumByteCount = 1 << 24

  /// The columns' names as the file spells them.
  package let names: [String]
  /// What separates the fields.
  let delimiter: UInt8
  /// Where the header is.
  package let place: Diagnostic.Place
  /// The line of the first row, from 1.
  let nextLine: Int

  /// Reads the first line that is not blank, past a byte order mark.
  ///
  /// - Parameter linesAreRecords: Whether the header ends with its line even if a quote is open.
  /// - Throws: ``FormatError`` for an empty file and for a header that is damaged or too large.
  init(_ reader: inout BlockReader, linesAreRecords: Bool = false) throws(FormatError) {
    let path = reader.source.path
    let start = try reader.peek(3)
    if start == [0xEF, 0xBB, 0xBF] { reader.skip(3) }
    if InputKind.isUTF16(start) { throw InputKind.utf16(path) }
    var fields = [CSVScanner.Field](
      repeating: CSVScanner.Field(start: 0, end: 0, hasEscapedQuotes: false), count: Self.maximumColumns)
    var size = InputKind.headByteCount
    var line = 1
    while true {
      var head = try reader.peek(size)
      if head.isEmpty { throw .empty(path: path) }
      let delimiter = Self.delimiter(of: head)
      let isWhole = linesAreRecords || head.count < size
      var limit = head.count
      if linesAreRecords, let end = head.firstIndex(where: CSVScanner.endsLine) {
        limit = min(end + 1, head.count)
      }
      let shape = CSVScanner.Shape(delimiter: delimiter, maximumByteCount: .max)
      let record = unsafe head.withUnsafeBufferPointer { bytes in
        unsafe fields.withUnsafeMutableBufferPointer { fields -> CSVScanner.Record? in
          // SAFETY: neither buffer is empty; `limit` lies within the bytes, and the fields are as many as
          // said.
          guard let base = bytes.baseAddress, let fields = fields.baseAddress else { return nil }
          return unsafe CSVScanner.record(
            base, from: 0, to: limit, isAtEnd: isWhole, shape: shape, fields: fields,
            maximumFields: Self.maximumColumns)
        }
      }
      let place = Diagnostic.Place(path: path, line: line)
      guard let record else {
        size *= 2
        guard size <= Self.maximumByteCount else {
          throw .limitExceeded(
            place, what: "a header of more bytes than can be right", limit: Self.maximumByteCount)
        }
        continue
      }
      if !record.isBlank {
        guard record.fieldCount <= Self.maximumColumns else {
          throw .limitExceeded(place, what: "\(record.fieldCount) columns", limit: Self.maximumColumns)
        }
        if let fault = record.fault {
          throw .invalidRows(
            path: path, first: [Diagnostic(place: place, message: fault.rawValue)], count: 1)
        }
        names = unsafe head.withUnsafeMutableBufferPointer { bytes in
          fields.prefix(record.fieldCount).map { field in
            // SAFETY: the field lies within the head, which is not empty.
            guard let base = bytes.baseAddress else { return "" }
            let field = unsafe CSVScanner.unescaped(field, in: base)
            return unsafe String(decoding: bytes[field.start..<field.end], as: UTF8.self)
          }
        }
        self.delimiter = delimiter
        self.place = place
        nextLine = line + record.lineCount
        reader.skip(record.end)
        return
      }
      reader.skip(record.end)
      line += record.lineCount
    }
  }

  /// Whether `head`, the start of a file, has a first line that reads like a header of regions, points or
  /// tracks.
  static func isRecognized(in head: [UInt8]) -> Bool {
    let names = firstLine(of: head).split(separator: delimiter(of: head)).map { field in
      FieldNames.normalized(String(decoding: field.filter { $0 != CSVScanner.quote }, as: UTF8.self))
    }
    return FieldNames.find(FieldNames.latitude + FieldNames.wkt + FieldNames.geometryText, in: names) != nil
  }

  /// Comma, semicolon or tab: the one that the first line has most of outside quotes; comma at a tie.
  private static func delimiter(of head: [UInt8]) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in firstLine(of: head) {
      if byte == CSVScanner.quote { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    var best = UInt8(ascii: ",")
    for candidate in [UInt8(ascii: ";"), UInt8(ascii: "\t")]
    where counts[candidate, default: 0] > counts[best, default: 0] {
      best = candidate
    }
    return best
  }

  private static func firstLine(of head: [UInt8]) -> ArraySlice<UInt8> {
    head.drop(while: CSVScanner.endsLine).prefix { !CSVScanner.endsLine($0) }
  }
}
