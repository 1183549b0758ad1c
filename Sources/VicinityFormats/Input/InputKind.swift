/// Which reader a file is for, told from its first bytes and, for text, from its name.
enum InputKind {
  /// Delimited text, read here.
  case csv
  /// Anything else: OGR decides.
  case ogr

  /// How many bytes are looked at.
  static let headByteCount = 1 << 16

  /// Decides on the source behind `records`, which it unpacks when that is gzip.
  ///
  /// - Throws: ``FormatError`` for an empty file, UTF-16 text, and what cannot be read twice but would have to be.
  static func sniff(_ records: inout CSVRecords) throws(FormatError) -> InputKind {
    let path = records.source.path
    var head = try records.peek(headByteCount)
    var isPacked = false
    if head.starts(with: [0x1F, 0x8B]) {
      try records.unpack()
      head = try records.peek(headByteCount)
      isPacked = true
    }
    guard !head.isEmpty else { throw .empty(path: path) }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      throw .unrecognizedFormat(path: path, reason: "UTF-16 text; UTF-8 is expected")
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
    let kind = isText(head) && isDelimited(head, path: path, isPacked: isPacked) ? csv : ogr
    if kind == .ogr, !records.source.isRegularFile {
      throw .unrecognizedFormat(
        path: path, reason: "only CSV can be read from standard input or a pipe")
    }
    return kind
  }

  static func isText(_ head: [UInt8]) -> Bool {
    guard !head.contains(0) else { return false }
    // GeoJSON (records may start with RS), KML and other XML, zip, FlatGeobuf, SQLite.
    let starts: [[UInt8]] = [
      [0x1E], Array("{".utf8), Array("[".utf8), Array("<".utf8), Array("PK".utf8),
      Array("fgb".utf8),
      Array("SQLite format 3".utf8),
    ]
    let body = head.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    return !starts.contains { body.starts(with: $0) }
  }

  static func isDelimited(_ head: [UInt8], path: String, isPacked: Bool) -> Bool {
    if path == "-" || CSVTable.looksLikeHeader(head) { return true }
    var name = FieldNames.normalized(path)
    if isPacked, name.hasSuffix(".gz") { name.removeLast(3) }
    return [".csv", ".tsv", ".txt"].contains { name.hasSuffix($0) }
  }
}
