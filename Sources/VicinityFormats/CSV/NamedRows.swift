package import VicinityCrossings

/// The rows of a delimited text file, plain or gzipped, whose columns the caller asks for by name: for small tables with a
/// meaning of their own.
@safe package struct NamedRows: ~Copyable {
  /// The line of the current row, from 1.
  package var line: Int { records.line }

  private let names: [String]
  private var records: CSVRecords
  private var times = TimeParser()

  /// The rows of the file at `path`.
  ///
  /// - Parameter required: The columns that the file must have; case is ignored.
  /// - Throws: ``FormatError`` for a file that cannot be read, is empty, or lacks a column or has it twice.
  package init(path: String, required: [String]) throws {
    var reader = BlockReader(try ByteSource(path), blockByteCount: CSVRecords.blockByteCount)
    try reader.unpackGzip()
    let records = try CSVRecords(reader)
    let place = records.header.place
    let names = records.header.names.map { $0.lowercased() }
    for name in required where !names.contains(name) {
      throw FormatError.missingColumn(place, expected: [name], found: names)
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw FormatError.ambiguousColumn(place, names: [name])
    }
    self.names = names
    self.records = records
  }

  /// The index of the column called `name`; nil if the file has none.
  package func column(_ name: String) -> Int? { names.firstIndex(of: name) }

  /// Goes to the next row that is not blank; false at the end.
  package mutating func next() throws -> Bool {
    guard try records.advance() else { return false }
    if let fault = records.shapeFault { throw self.fault(fault) }
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
    let value = unsafe NumberScanner.number(field)
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
    .invalidRows(
      path: records.place.path, first: [Diagnostic(place: records.place, message: what)], count: 1)
  }
}
