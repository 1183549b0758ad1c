/// A delimited text file with a header: which column means what, and the records below it.
struct CSVTable: ~Copyable {
  /// The roles of columns, as indexes.
  struct Columns {
    var count = 0
    var identifier: Int?
    var latitude: Int?
    var longitude: Int?
    var radius: Int?
    var wkt: Int?
  }

  /// The columns' names as the file spells them.
  let names: [String]
  /// Which column means what.
  let columns: Columns
  /// The line of the header.
  let headerLine: Int
  /// The records below the header.
  var records: CSVRecords

  /// Reads the header of `records`, which have been found to be text.
  ///
  /// - Throws: ``FormatError`` for an empty file, a header that lacks what is asked for or says it twice.
  init(
    _ records: consuming CSVRecords, identifierField: String?, radiusField: String?
  ) throws {
    let path = records.source.path
    let place = try records.advanceToHeader()
    if let fault = records.fault {
      throw FormatError.invalidRows(
        path: path, first: [Diagnostic(place: place, message: Self.describe(fault))], count: 1)
    }
    let names = (0..<records.fieldCount).map {
      unsafe String(decoding: records.field($0), as: UTF8.self)
    }
    let lowered = names.map(FieldNames.normalized)

    func column(_ wanted: [String]) throws -> Int? {
      guard let found = FieldNames.find(wanted, in: lowered) else { return nil }
      guard found.count == 1 else {
        throw FormatError.ambiguousColumn(place, names: [names[found.index]])
      }
      return found.index
    }
    func named(_ name: String) throws -> Int {
      if let exact = names.firstIndex(of: name) { return exact }
      guard let index = try column([FieldNames.normalized(name)]) else {
        throw FormatError.missingColumn(place, expected: [name], found: names)
      }
      return index
    }

    var columns = Columns()
    columns.count = names.count
    columns.latitude = try column(FieldNames.latitude)
    columns.longitude = try column(FieldNames.longitude)
    columns.wkt = try column(FieldNames.wkt)
    columns.radius = try radiusField.map(named) ?? column(FieldNames.radius)
    if let identifierField {
      if identifierField != FieldNames.number || names.contains(identifierField) {
        columns.identifier = try named(identifierField)
      }
    } else {
      columns.identifier = try column(FieldNames.identifier)
    }
    if columns.wkt == nil {
      if columns.latitude == nil {
        throw FormatError.missingColumn(place, expected: FieldNames.latitude, found: names)
      }
      if columns.longitude == nil {
        throw FormatError.missingColumn(place, expected: FieldNames.longitude, found: names)
      }
    }
    self.names = names
    self.columns = columns
    self.headerLine = records.line
    self.records = records
  }

  /// Whether `head`, the start of a file, has a first line that reads like a header of ours.
  static func looksLikeHeader(_ head: [UInt8]) -> Bool {
    let line = firstLine(of: head)
    let delimiter = self.delimiter(ofHeader: head)
    let names = line.split(separator: delimiter).map { field in
      FieldNames.normalized(
        String(decoding: field.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
    }
    return FieldNames.find(FieldNames.latitude + FieldNames.wkt, in: names) != nil
  }

  /// Comma, semicolon or tab: whichever the first line has most of outside quotes; comma at a tie.
  static func delimiter(ofHeader head: [UInt8]) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in firstLine(of: head) {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
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
    let start = head.firstIndex { $0 != 0x0A && $0 != 0x0D } ?? head.count
    let rest = head[start...]
    return rest.prefix { $0 != 0x0A && $0 != 0x0D }
  }

  /// A fault of the current record, or a wrong number of fields, in words; `nil` when its shape is right.
  @inline(__always)
  var shapeFault: String? {
    if records.fault == nil, records.fieldCount == columns.count { return nil }
    return describeShape()
  }

  @inline(never)
  private func describeShape() -> String {
    if let fault = records.fault { return Self.describe(fault) }
    return "\(records.fieldCount) fields where the header has \(columns.count)"
  }

  static func describe(_ fault: CSVScanner.Fault) -> String {
    switch fault {
    case .textAfterQuote: "text after a closing quote"
    case .unterminatedQuote: "a quoted field without an end"
    }
  }
}

extension CSVRecords {
  /// Goes to the first row that is not blank, past a byte order mark, and takes the delimiter from it.
  ///
  /// - Returns: Where it is.
  /// - Throws: ``FormatError`` for an empty file, or more columns than are read.
  mutating func advanceToHeader() throws -> Diagnostic.Place {
    if try peek(3) == [0xEF, 0xBB, 0xBF] { skip(3) }
    delimiter = CSVTable.delimiter(ofHeader: try peek(1 << 16))
    repeat {
      guard try advance() else { throw FormatError.empty(path: source.path) }
    } while isBlank
    let place = Diagnostic.Place(path: source.path, line: line)
    guard fieldCount <= Self.maximumColumns else {
      throw FormatError.limitExceeded(place, what: "\(fieldCount) columns", limit: Self.maximumColumns)
    }
    return place
  }
}
