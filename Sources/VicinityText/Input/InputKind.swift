internal import VicinityCrossings

/// The kind of an input file, decided by its first bytes and, for text, by its name.
package enum InputKind: CaseIterable {
  /// Delimited text.
  case csv
  /// An object of JSON a line.
  case jsonLines
  /// Tracks in GPX.
  case gpx
  /// GeoLife's track format.
  case plt
  /// A log of NMEA 0183 sentences.
  case nmea
  /// Anything else: OGR decides what it is.
  case ogr

  /// What OGR reads, besides GPX, in lists for people.
  package static let vectorFormats = ["GeoJSON", "TopoJSON", "GeoPackage", "FlatGeobuf", "Shapefile", "KML"]

  /// What it is called, in lists for people.
  private var name: String {
    switch self {
    case .csv: "CSV"
    case .jsonLines: "lines of JSON"
    case .gpx: "GPX"
    case .plt: "GeoLife's PLT"
    case .nmea: "NMEA 0183"
    case .ogr: Self.vectorFormats.joined(separator: ", ")
    }
  }

  /// Whether only tracks are read from it by itself, and regions and points not at all, or by OGR.
  private var isOfTracks: Bool {
    switch self {
    case .gpx, .plt, .nmea: true
    case .csv, .jsonLines, .ogr: false
    }
  }

  /// The names of what is read, in the order of the cases. The only list: errors and help are made of it.
  ///
  /// - Parameters:
  ///   - tracks: Whether tracks are wanted, or regions and points.
  ///   - pipes: Whether only that is wanted which is read from a pipe too.
  package static func names(tracks: Bool, pipes: Bool = false) -> [String] {
    allCases.filter { (tracks || !$0.isOfTracks) && !(pipes && $0 == .ogr) }.map(\.name)
  }

  /// How many bytes are looked at.
  static let headByteCount = 1 << 16

  /// Decides on the source behind `reader`, and starts to unpack it if it is packed.
  ///
  /// - Parameter tracks: Whether tracks are wanted. Otherwise only CSV and lines of JSON are told apart, and
  ///   OGR reads the rest, GPX included.
  /// - Throws: ``FormatError`` for an empty file, for UTF-16 text, for Parquet and Arrow, which are read
  ///   through Python, and for a pipe that OGR would have to read, which it does by name.
  package static func sniff(_ reader: inout BlockReader, tracks: Bool) throws(FormatError) -> InputKind {
    let path = reader.source.path
    try reader.unpack()
    var head = try reader.peek(headByteCount)
    guard !head.isEmpty else { throw .empty(path: path) }
    if isUTF16(head) { throw utf16(path) }
    if let columnar = columnarFormat(of: head) {
      throw .unrecognizedFormat(path: path, reason: columnar.reason)
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) { head.removeFirst(3) }
    let kind = kind(of: head, path: path, tracks: tracks)
    if kind == .ogr, !reader.source.isRegularFile {
      let readable = names(tracks: tracks, pipes: true)
      let list = readable.dropLast().joined(separator: ", ") + " and " + (readable.last ?? "")
      throw .unrecognizedFormat(
        path: path, reason: "only \(list) can be read from standard input or a pipe")
    }
    return kind
  }

  /// Whether `head`, the start of a file, is the byte order mark of UTF-16.
  static func isUTF16(_ head: [UInt8]) -> Bool {
    head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
  }

  static func utf16(_ path: String) -> FormatError {
    .unrecognizedFormat(
      path: path, reason: "UTF-16 text; UTF-8 is expected (spreadsheets call it CSV UTF-8)")
  }

  private static func kind(of head: [UInt8], path: String, tracks: Bool) -> InputKind {
    let isText = isText(head)
    if JSONLines.areRecognized(in: head, isNamedSo: hasEnding(path, [".ndjson", ".jsonl"])) {
      return .jsonLines
    }
    if tracks {
      if head.starts(with: "Geolife trajectory".utf8) { return .plt }
      if head.starts(with: "SQLite format 3".utf8) { return .ogr }
      if isGPX(head) { return .gpx }
    }
    if isText, CSVHeader.isRecognized(in: head) { return .csv }
    if tracks, isNMEA(head) { return .nmea }
    return isText && (path == "-" || hasEnding(path, [".csv", ".tsv", ".txt"])) ? .csv : .ogr
  }

  /// A format of columns that has no reader here, and the call of pyarrow's that reads it.
  private struct ColumnarFormat {
    let name: String
    let call: String

    /// Where the reader is, in two calls of Python.
    var reason: String {
      """
      \(name) is read through Python: table = \(call), then RegionIndex.from_arrow(table) for regions, and \
      index.nearest(table) or index.events(table) for points and tracks; see Python/docs/FromPython.md
      """
    }
  }

  /// Parquet, Arrow's file and stream, and Feather, by the bytes that they begin with.
  private static func columnarFormat(of head: [UInt8]) -> ColumnarFormat? {
    // Parquet with an encrypted footer begins with PARE; Feather's second version is Arrow's file. A stream's
    // first message begins with the mark FFFFFFFF and its length, a multiple of 8.
    if head.starts(with: "PAR1".utf8) || head.starts(with: "PARE".utf8) {
      return ColumnarFormat(name: "Parquet", call: "pyarrow.parquet.read_table(path)")
    }
    if head.starts(with: "ARROW1\0\0".utf8) || head.starts(with: "FEA1".utf8) {
      return ColumnarFormat(name: "Arrow", call: "pyarrow.feather.read_table(path)")
    }
    if head.count >= 8, head.starts(with: [0xFF, 0xFF, 0xFF, 0xFF]), head[4] & 7 == 0, head[7] < 0x80 {
      return ColumnarFormat(name: "Arrow", call: "pyarrow.ipc.open_stream(open(path, \"rb\")).read_all()")
    }
    return nil
  }

  private static func isText(_ head: [UInt8]) -> Bool {
    guard !head.contains(0) else { return false }
    // GeoJSON, of which records may start with RS, KML and other XML, zip, FlatGeobuf, SQLite.
    let starts = ["\u{1E}", "{", "[", "<", "PK", "fgb", "SQLite format 3"]
    let body = head.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    return !starts.contains { body.starts(with: $0.utf8) }
  }

  /// Whether the file's name ends with one of `endings`, that of a packed file apart.
  private static func hasEnding(_ path: String, _ endings: [String]) -> Bool {
    let name = Compression.withoutEnding(FieldNames.normalized(path))
    return endings.contains { name.hasSuffix($0) }
  }

  /// Whether the outermost element is `gpx`; declarations and comments may come before it.
  private static func isGPX(_ head: [UInt8]) -> Bool {
    guard head.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else { return false }
    var i = 0
    while let start = head[i...].firstIndex(of: UInt8(ascii: "<")) {
      let rest = head[(start + 1)...]
      if rest.starts(with: "!--".utf8) {
        // To the end of the comment: the next "-->".
        i = start + 4
        while i + 2 < head.count, !head[i...].starts(with: "-->".utf8) { i += 1 }
        if i + 2 >= head.count { return false }
      } else if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
        i = start + 1
      } else {
        let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        return (name.split(separator: UInt8(ascii: ":")).last ?? name).elementsEqual("gpx".utf8)
      }
    }
    return false
  }

  /// Whether a line holds one of the common sentences.
  private static func isNMEA(_ head: [UInt8]) -> Bool {
    let names = ["GGA", "RMC", "GLL", "GNS", "ZDA", "GSA", "GSV", "VTG", "TXT"].map { Array($0.utf8) }
    for i in head.indices.dropLast(6) where head[i] == UInt8(ascii: "$") {
      let name = head[(i + 3)..<(i + 6)]
      if head[i + 6] == UInt8(ascii: ","), names.contains(where: { name.elementsEqual($0) }) { return true }
    }
    return false
  }
}
