package import VicinityCrossings
package import VicinityText

/// The rows of a delimited text file, plain or packed, whose columns the caller asks for by name: for small
/// tables with a meaning of their own.
@safe package struct NamedRows: ~Copyable {
  /// The line of the current row, from 1.
  package var line: Int { records.line }

  private let columns: [String: Int]
  private var records: CSVRecords
  private var times = TimeParser()

  /// The rows of the file at `path`.
  ///
  /// - Parameters:
  ///   - required: The columns that the file must have; case is ignored.
  ///   - optional: The other columns that it may have; `nil` for any.
  /// - Throws: ``FormatError`` for a file that cannot be read, is empty, lacks a column, has it twice, or has
  ///   one that means nothing.
  package init(path: String, required: [String], optional: [String]? = nil) throws {
    var reader = BlockReader(try ByteSource(path), blockByteCount: CSVRecords.blockByteCount)
    try reader.unpack()
    let records = try CSVRecords(reader)
    let place = records.header.place
    let names = records.header.names.map { $0.lowercased() }
    for name in required where !names.contains(name) {
      throw FormatError.missingColumn(place, expected: [name], found: names)
    }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw FormatError.ambiguousColumn(place, names: [name])
    }
    if let optional, let name = names.first(where: { !required.contains($0) && !optional.contains($0) }) {
      throw FormatError.unknownColumn(place, name: name, known: required + optional)
    }
    columns = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    self.records = records
  }

  /// Goes to the next row that is not blank; false at the end.
  package mutating func next() throws -> Bool {
    guard try records.advance() else { return false }
    if let fault = records.shapeFault { throw self.fault(RowFault(fault)) }
    return true
  }

  /// The text of the cell in the column called `name`, in lower case; empty if the file has no such column.
  package mutating func text(_ name: String) -> String {
    guard let column = columns[name] else { return "" }
    return unsafe String(decoding: records.field(column), as: UTF8.self)
  }

  /// The number in the column called `name`; nil for an empty cell, and if the file has no such column.
  package mutating func number(_ name: String) throws -> Double? {
    guard let column = columns[name] else { return nil }
    let field = unsafe records.field(column)
    if field.isEmpty { return nil }
    let value = unsafe NumberScanner.number(field)
    guard value.isFinite else { throw unsafe fault(RowValue<Double>.notANumber(field, name)) }
    return value
  }

  /// The time in the column called `name`, ISO 8601 with a zone or Unix seconds.
  package mutating func time(_ name: String) throws -> Timestamp {
    guard let column = columns[name] else { throw fault("no time") }
    do throws(RowFault) { return try unsafe times.parse(records.field(column)).get() } catch {
      throw fault(error)
    }
  }

  /// An error that names the current row.
  package func fault(_ what: RowFault) -> FormatError {
    .invalidRows(
      path: records.place.path, first: [Diagnostic(place: records.place, what)], count: 1)
  }
}
