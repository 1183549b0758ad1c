package import VicinityCrossings

/// The rows of a delimited text file, plain or gzipped, whose columns are asked for by name: for small tables whose meaning
/// is the caller's.
@safe package struct NamedRows: ~Copyable {
  /// The line of the current row, from 1.
  package var line: Int { records.line }

  private let path: String
  private let names: [String]
  private var records: CSVRecords
  private var times = TimeParser()

  /// A file's rows.
  ///
  /// - Parameter required: The columns that it must have; capitals do not matter.
  /// - Throws: ``FormatError`` for a file that cannot be read, is empty, or lacks a column or has it twice.
  package init(path: String, required: [String]) throws {
    self.path = path
    var records = CSVRecords(try ByteSource(path))
    if try records.peek(2) == [0x1F, 0x8B] { try records.unpack() }
    let place = try records.advanceToHeader()
    let names = (0..<records.fieldCount).map {
      unsafe String(decoding: records.field($0), as: UTF8.self).lowercased()
    }
    for name in required {
      guard names.contains(name) else {
        throw FormatError.missingColumn(place, expected: [name], found: names)
      }
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw FormatError.ambiguousColumn(place, names: [name])
    }
    self.names = names
    self.records = records
  }

  /// The place of a column among the row's; nil where the file has none of that name.
  package func column(_ name: String) -> Int? { names.firstIndex(of: name) }

  /// Goes to the next row that is not blank; false at the end.
  package mutating func next() throws -> Bool {
    repeat {
      guard try records.advance() else { return false }
    } while records.isBlank
    if let fault = records.fault { throw self.fault(CSVTable.describe(fault)) }
    guard records.fieldCount == names.count else {
      throw fault("\(records.fieldCount) fields where the header has \(names.count)")
    }
    return true
  }

  /// A cell's text; empty for a column that the file does not have.
  package mutating func text(_ column: Int?) -> String {
    guard let column else { return "" }
    return unsafe String(decoding: records.field(column), as: UTF8.self)
  }

  /// A cell's number; nil for an empty one.
  package mutating func number(_ column: Int?) throws -> Double? {
    guard let column else { return nil }
    let field = unsafe records.field(column)
    if field.isEmpty { return nil }
    let value = unsafe DecimalParser.parse(field)
    guard value.isFinite else {
      throw unsafe fault("\(names[column]) \(TextCheck.shown(field)) is not a number")
    }
    return value
  }

  /// A cell's time, ISO 8601 with a zone or Unix seconds.
  package mutating func time(_ column: Int?) throws -> Timestamp {
    guard let column else { throw fault("no time") }
    switch unsafe times.parse(records.field(column)) {
    case .value(let time): return time
    case .fault(let what): throw fault(what)
    }
  }

  /// An error that names the current row.
  package func fault(_ what: String) -> FormatError {
    let place = Diagnostic.Place(path: path, line: records.line)
    return .invalidRows(path: path, first: [Diagnostic(place: place, message: what)], count: 1)
  }
}
