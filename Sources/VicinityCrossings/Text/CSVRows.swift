package import VicinityGeodesy

/// Rows of CSV (RFC 4180), built cell by cell.
package struct CSVRows {
  /// The text so far.
  package private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// Rows without a header.
  package init() {}

  /// Rows below a header.
  package init(_ header: String) { bytes = Array((header + "\n").utf8) }

  private mutating func begin() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  package mutating func text(_ text: String) {
    begin()
    CSVText.append(text, to: &bytes)
  }

  /// Adds an instant as ISO 8601 in UTC, to the millisecond; an empty cell for nil.
  package mutating func time(_ time: Timestamp?) {
    begin()
    time?.append(to: &bytes)
  }

  /// Adds a number with `decimals` digits after the point; an empty cell for nil.
  package mutating func number(_ value: Double?, _ decimals: Int) {
    begin()
    if let value { DecimalText.append(value, decimals: decimals, to: &bytes) }
  }

  package mutating func integer(_ value: Int) {
    begin()
    DecimalText.append(value, to: &bytes)
  }

  /// Adds latitude and longitude, degrees with 8 decimals; two empty cells for nil.
  package mutating func coordinate(_ coordinate: Coordinate?) {
    number(coordinate?.latitude, 8)
    number(coordinate?.longitude, 8)
  }

  package mutating func end() {
    bytes.append(UInt8(ascii: "\n"))
    isFirst = true
  }

  /// A table: a header, and one row for each item.
  package static func table<Item, Failure: Error>(
    _ header: String, _ items: some Sequence<Item>, _ add: (Item, inout CSVRows) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var rows = CSVRows(header)
    for item in items {
      try add(item, &rows)
      rows.end()
    }
    return rows.bytes
  }
}
